"""Solve a board of any size in stages, as people do, and time each slide.

The solver works row by row: it places one tile after another, and placed tiles stay
fixed; it places the last two tiles of a row or column together, and solves the last 3x3
as a whole. Each such *stage* is one small search, so that the time grows with the size
of the board and does not explode as in a search over whole boards. Solutions are not
the shortest ones.

>>> from sliderace.engine import parse_board
>>> solve(parse_board("1 2 3/4 5 6/7 0 8"))
[[('L', 1)]]
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from heapq import heappop, heappush
from math import exp

from sliderace.engine import (
    DIRECTIONS,
    Board,
    Direction,
    EngineError,
    Size,
    Slide,
)
from sliderace.engine.moves import slide_paths

__all__ = ["NodeCap", "Unsolvable", "paced", "solve"]

REST_SIDE = 3
"""The last 3x3 is searched as a whole: at most 181,440 positions."""
TILE_WEIGHT = 5
"""One step of a tile costs about five slides because the gap must go round it."""
NODE_CAP = 50_000
"""Positions that a stage may look at: nine times the most that 5,000 random boards
needed (5,565), and still only a fraction of a second."""
SIGMA = 0.5
"""Standard deviation of the logarithm of people's pauses between slides."""
STAGE_PAUSE = 3.0
"""Extra pause before each stage, in average pauses: a look at the board."""


class Unsolvable(EngineError):
    """The board cannot be solved."""


class NodeCap(EngineError):
    """A stage needed more positions than allowed."""


def solve(board: Board, node_cap: int = NODE_CAP) -> list[list[Slide]]:
    """Return slides that solve the board, stage by stage.

    Args:
        board: any board; it is not changed.
        node_cap: positions each stage may look at.

    Returns:
        Stages that have slides, in order; every slide is of one tile.

    Raises:
        Unsolvable: the board cannot be solved.
        NodeCap: a stage is too hard; this does not happen with the default cap.
    """
    if not board.is_solvable():
        raise Unsolvable(f"this {board.size} board cannot be solved")
    board = board.copy()
    free = set(range(board.size.cells))
    stages: list[list[Slide]] = []
    for tiles in _stages(board.size):
        stage = _place(board, tiles, free, node_cap)
        for slide in stage:
            board.slide(*slide)
        free.difference_update(tile - 1 for tile in tiles)
        if stage:
            stages.append(stage)
    return stages


def paced(
    stages: Sequence[Sequence[Slide]], tps: float, normal: Callable[[], float]
) -> list[tuple[float, Slide]]:
    """Return when a person of a given speed would make each slide.

    Pauses are log-normal, with a longer one before each stage; over a whole solve they
    amount to `tps` tiles per second on average.

    Args:
        stages: from `solve`.
        tps: tiles per second wanted, more than 0.
        normal: draws from the normal distribution with mean 0 and deviation 1.

    Returns:
        For every slide (seconds to wait before it, the slide).

    Raises:
        ValueError: `tps` is not more than 0.
    """
    if not tps > 0:
        raise ValueError(f"tiles per second must be more than 0, not {tps}")
    slides = sum(map(len, stages))
    shares = slides + STAGE_PAUSE * len(stages)
    mean = slides / (tps * max(shares, 1))
    median = mean * exp(-(SIGMA**2) / 2)
    return [
        (median * exp(SIGMA * normal()) + (0 if n else STAGE_PAUSE * mean), slide)
        for stage in stages
        for n, slide in enumerate(stage)
    ]


def _stages(size: Size) -> Iterator[list[int]]:
    """Yield the tiles to bring home together, stage after stage."""
    top = left = 0
    while size.height - top > REST_SIDE:
        yield from _line([top * size.width + c + 1 for c in range(size.width)])
        top += 1
    while size.width - left > REST_SIDE:
        rows = range(top, size.height)
        yield from _line([row * size.width + left + 1 for row in rows])
        left += 1
    yield [
        row * size.width + column + 1
        for row in range(top, size.height)
        for column in range(left, size.width)
    ][:-1]


def _line(tiles: list[int]) -> Iterator[list[int]]:
    """Yield tiles one by one, but the last two, which block each other, together."""
    for tile in tiles[:-2]:
        yield [tile]
    yield tiles[-2:]


Position = tuple[int, ...]
"""A node of the search: the cell of the gap, then of each tile of the stage."""


def _place(
    board: Board, tiles: Sequence[int], free: Collection[int], node_cap: int
) -> list[Slide]:
    """Bring `tiles` home by A*, moving tiles only within the `free` cells."""
    roads = _roads(board.size)
    estimate = _estimate(board.size, tiles)
    goal = tuple(tile - 1 for tile in tiles)
    start: Position = (board.gap, *map(board.cell_of, tiles))
    came: dict[Position, tuple[int, Position, Direction]] = {start: (0, start, "U")}
    queue: list[tuple[int, int, Position]] = [(estimate(start), 0, start)]
    for _ in range(node_cap):
        _, taken, position = heappop(queue)
        gap, cells = position[0], position[1:]
        if cells == goal:
            return _trail(came, position)
        for direction, cell in roads[gap]:
            if cell not in free:
                continue
            after = (cell, *[gap if each == cell else each for each in cells])
            if after not in came or taken + 1 < came[after][0]:
                came[after] = taken + 1, position, direction
                heappush(queue, (taken + 1 + estimate(after), taken + 1, after))
    raise NodeCap(f"no way for tiles {tiles} within {node_cap} positions")


def _trail(
    came: Mapping[Position, tuple[int, Position, Direction]], position: Position
) -> list[Slide]:
    trail: list[Slide] = []
    taken, before, direction = came[position]
    while taken:
        trail.append((direction, 1))
        taken, before, direction = came[before]
    return trail[::-1]


def _estimate(size: Size, tiles: Sequence[int]) -> Callable[[Position], int]:
    """Return an estimate of the remaining cost; it is not a lower bound."""
    steps = _steps(size)
    homes = [steps[tile - 1] for tile in tiles]

    def estimate(position: Position) -> int:
        to_gap = steps[position[0]]
        away = 0
        nearest = size.cells
        for home, cell in zip(homes, position[1:], strict=True):
            if distance := home[cell]:
                away += distance
                nearest = min(nearest, to_gap[cell])
        return TILE_WEIGHT * away + nearest if away else 0

    return estimate


@cache
def _steps(size: Size) -> tuple[tuple[int, ...], ...]:
    """Return cell -> cell -> steps between them."""
    places = [divmod(cell, size.width) for cell in range(size.cells)]
    return tuple(
        tuple(abs(row - r) + abs(column - c) for r, c in places)
        for row, column in places
    )


@cache
def _roads(size: Size) -> tuple[tuple[tuple[Direction, int], ...], ...]:
    """Return the gap's cell -> slides of one tile, each with the cell it leaves."""
    paths = slide_paths(*size)
    return tuple(
        tuple(
            (direction, paths[direction][gap][1][0])
            for direction in DIRECTIONS
            if paths[direction][gap]
        )
        for gap in range(size.cells)
    )
