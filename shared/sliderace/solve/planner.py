"""Plan how a bot solves a board: its own way, with the mistakes of its level."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sliderace.engine import OPPOSITE, Board, Direction, Size, Slide
from sliderace.solve.levels import Level, at_side
from sliderace.solve.search import PAIR, SALT_BITS, Taste, bring_home, roads, stages_of
from sliderace.solve.solver import Unsolvable

__all__ = ["Chance", "Plan", "Stage", "plan"]

COLUMNS_FIRST = 0.3
"""Share of bots that begin with a column where the board is square."""
TURNS = ((2, 0.0), (3, 0.0), (4, 0.15), (5, 0.2), (7, 0.6), (10, 0.8))
"""Side -> what a turn costs, in slides: rows of large boards are swept."""
LARGE_CELLS = 64
"""From 8x8 on, bots do not look far ahead."""
LARGE_GREED = 5.0
BLOCK_GREED = 1.5
"""Bots that bring home two tiles at once know the last block by heart."""
MORE_WRONG = (0, 0, 1, 2)
"""Further wrong slides until a bot notices the first one, equally likely."""
WHIMS = 3
"""How often a bot makes another slide than the way it found, and then looks for a new
way. So two bots rarely find the same solution of a 3x3, which has few good ones."""
WHIM_SLIDES = 25
"""It does so among this many slides from the start."""


class Chance(Protocol):
    """What a plan and its timing need of `random.Random`."""

    def random(self) -> float:
        """Return a number from 0 to 1, without 1."""
        ...

    def gauss(self, mu: float, sigma: float, /) -> float:
        """Return a number of the normal distribution."""
        ...


class Stage(NamedTuple):
    """Slides that are made without a new look at the board.

    Attributes:
        slides: at least one, each of one tile.
        corrects: whether the bot has just noticed that its last slides were wrong.
    """

    slides: Sequence[Slide]
    corrects: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """How a bot solves a board.

    Attributes:
        size: of the board.
        stages: in order; none if the board is solved.
    """

    size: Size
    stages: Sequence[Stage]

    @property
    def slides(self) -> list[Slide]:
        """All slides in order."""
        return [slide for stage in self.stages for slide in stage.slides]


def plan(board: Board, level: Level, rng: Chance) -> Plan:
    """Return slides that solve a board as a bot of some level would.

    Bots with different random numbers take different ways. A 5x5 board takes a few ms,
    a 10x10 board more than 100 ms: too long for an event loop.

    Args:
        board: any board; it is not changed.
        level: how good the bot is.
        rng: the bot's own `random.Random`.

    Raises:
        Unsolvable: the board cannot be solved.
    """
    if not board.is_solvable():
        raise Unsolvable(f"this {board.size} board cannot be solved")
    return Plan(board.size, list(_Bot(board.copy(), level, rng).stages()))


class _Bot:
    """A bot that plans its slides on a board."""

    def __init__(self, board: Board, level: Level, rng: Chance) -> None:
        self._board, self._level, self._rng = board, level, rng
        self._columns_first = rng.random() < COLUMNS_FIRST
        self._salt = int(rng.random() * (1 << SALT_BITS)) | 1
        self._whims = sorted(int(rng.random() * WHIM_SLIDES) for _ in range(WHIMS))
        self._free = set(range(board.size.cells))
        self._made: list[Direction] = []

    def stages(self) -> Iterator[Stage]:
        """Yield the stages of the solution."""
        size, level = self._board.size, self._level
        for tiles in stages_of(size, level.rest, level.at_once, self._prefers_row):
            yield from self._bring_home(tiles)
            self._free.difference_update(tile - 1 for tile in tiles)

    def _prefers_row(self, height: int, width: int) -> bool:
        return height > width or (height == width and not self._columns_first)

    def _bring_home(self, tiles: Sequence[int]) -> Iterator[Stage]:
        """Yield one stage, and one more for each mistake."""
        slides: list[Slide] = []
        corrects = False
        way = self._find(tiles)
        while way:
            right = way.pop()
            others = self._others(right)
            if way and others and self._has_whim():
                slides.append(self._take_one_of(others))
                way = self._find(tiles)
            elif way and others and self._rng.random() * 100 < self._level.slips:
                slides += self._slip(others)
                yield Stage(slides, corrects)
                slides, corrects = [], True
                way = self._find(tiles)
            else:
                slides.append(self._take(right))
        if slides:
            yield Stage(slides, corrects)

    def _find(self, tiles: Sequence[int]) -> list[Direction]:
        """Return the slides that bring tiles home, the last one first."""
        size, level = self._board.size, self._level
        turn = at_side(TURNS, size)
        greed, noise = level.greed, level.noise
        if size.cells >= LARGE_CELLS:
            greed, noise = max(greed, LARGE_GREED), noise / 2
        if len(tiles) > PAIR and level.at_once > 1:
            greed = BLOCK_GREED
        taste = Taste(greed * (1 + turn / 2), turn, noise, self._salt)
        way = bring_home(self._board, tiles, self._free, taste)
        return [direction for direction, _ in reversed(way)]

    def _others(self, right: Direction | None = None) -> list[Direction]:
        """Return what else could come next, except to take back the last slide."""
        back = OPPOSITE[self._made[-1]] if self._made else None
        return [
            direction
            for direction, cell in roads(self._board.size)[self._board.gap]
            if cell in self._free and direction not in (right, back)
        ]

    def _has_whim(self) -> bool:
        has = bool(self._whims) and len(self._made) >= self._whims[0]
        if has:
            del self._whims[0]
        return has

    def _slip(self, others: list[Direction]) -> list[Slide]:
        """Make one to three slides in a wrong direction."""
        slides: list[Slide] = []
        for _ in range(1 + MORE_WRONG[int(self._rng.random() * len(MORE_WRONG))]):
            slides.append(self._take_one_of(others))
            others = self._others()
        return slides

    def _take_one_of(self, directions: Sequence[Direction]) -> Slide:
        return self._take(directions[int(self._rng.random() * len(directions))])

    def _take(self, direction: Direction) -> Slide:
        self._board.slide(direction)
        self._made.append(direction)
        return direction, 1
