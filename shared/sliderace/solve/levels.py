"""How good a bot is: its times, its way and its rhythm.

The times of `casual` and the better levels are those of the tiers into which players of
slidysim are sorted. The rhythm of `master` and `record` agrees with 3,676 public
replays of record class; the other levels continue the trend. **`newcomer` and
`beginner` are based on no data**: their times are 4.5 and 2.2 times those of `casual`.
"""

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log, sqrt

from sliderace.engine import EngineError, Size

__all__ = [
    "LEVELS",
    "BadPace",
    "Level",
    "at_side",
    "nearest_level",
    "pace_range",
]

CELLS = (4, 6, 9, 16, 25, 49, 100)
"""Numbers of cells for which a level has figures, of boards as square as possible."""
OBLONG = 1.5
"""How many more slides long boards need: a power of how much farther their tiles are
from home than those of a square. Found by trial."""
MIN_PACE_MS = 300
"""The shortest pace of a board with one cell; it grows with the root of the cells."""
MAX_PACE_MS = 4 * 3_600_000
PACE = "pace"
"""Name of the level that has a given pace."""
PACE_FORM = 0.08


class BadPace(EngineError):
    """Nobody can solve a board in this time, or would wait so long."""


@dataclass(frozen=True, slots=True)
class Level:
    """How a bot plays.

    A *gap* is the time between two slides, and the average gap is the unit of pauses.

    Attributes:
        name: what it is called.
        seconds: median time for a 3x3, 4x4, 5x5, 7x7 and 10x10 board.
        slides: mean number of slides for 4, 6, 9, 16, 25, 49 and 100 cells, measured: a
            bot whose way is longer takes longer.
        at_once: how many tiles of a row or column it brings home together.
        rest: side of the last block, which it solves as a whole.
        greed: estimated cost of one step of a tile, in slides; a higher cost leads to a
            way sooner, but to a longer one.
        noise: how wrong its estimates are at most, in slides.
        slips: wrong slides that it begins, per 100 slides.
        spread: standard deviation of the logarithm of its gaps.
        think: pause before each stage, in average gaps.
        hesitations: share of the gaps in which it hesitates.
        form: standard deviation of the logarithm of its time, beyond what the number
            of its slides explains.
    """

    name: str
    seconds: Sequence[float]
    slides: Sequence[float]
    at_once: int
    rest: int
    greed: float
    noise: float
    slips: float
    spread: float
    think: float
    hesitations: float
    form: float

    def target_ms(self, size: Size) -> float:
        """Return the median time for a board.

        Between the given sizes it is a power of the number of cells; below 3x3, the
        same power as from 3x3 to 4x4.
        """
        return 1000 * _power(self.seconds, size)

    def mean_slides(self, size: Size) -> float:
        """Return the mean number of slides for a board."""
        side = sqrt(size.cells)
        width, height = size
        oblong = (width - 1 / width + height - 1 / height) / (2 * (side - 1 / side))
        return _power(self.slides, size) * exp(OBLONG * log(oblong))

    def at_pace(self, size: Size, pace_ms: float) -> "Level":
        """Return this level at another speed, in steadier form.

        Args:
            size: of the board.
            pace_ms: median time for this board, see `pace_range`.

        Raises:
            BadPace: it is outside the range.
        """
        least, most = pace_range(size)
        if not least <= pace_ms <= most:
            raise BadPace(
                f"the pace of {size} must be {least} ... {most} ms, not {pace_ms}"
            )
        factor = pace_ms / self.target_ms(size)
        seconds = [factor * each for each in self.seconds]
        return replace(self, name=PACE, seconds=seconds, form=PACE_FORM)


def pace_range(size: Size) -> tuple[int, int]:
    """Return the shortest and the longest pace of a board, in ms."""
    return round(MIN_PACE_MS * sqrt(size.cells)), MAX_PACE_MS


def nearest_level(size: Size, pace_ms: float) -> Level:
    """Return the level whose time for a board is nearest to a pace, by their ratio."""
    return min(
        LEVELS.values(), key=lambda level: abs(log(pace_ms / level.target_ms(size)))
    )


def at_side(points: Sequence[tuple[float, float]], size: Size) -> float:
    """Return the figure of a board, on straight lines between those of squares.

    Args:
        points: (side, figure) of squares, the smallest first.
        size: of the board; a square with as many cells counts.
    """
    return _on_lines(points, sqrt(size.cells))


def _power(figures: Sequence[float], size: Size) -> float:
    """Return the figure of a board, given those of the largest `CELLS`."""
    known = zip(CELLS[-len(figures) :], figures, strict=True)
    points = [(log(cells), log(figure)) for cells, figure in known]
    return exp(_on_lines(points, log(size.cells)))


def _on_lines(points: Sequence[tuple[float, float]], x: float) -> float:
    """Return y on straight lines through points; the outermost go on beyond them."""
    at = min(max(bisect(points, (x,)), 1), len(points) - 1)
    (x0, y0), (x1, y1) = points[at - 1 : at + 1]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


_SECONDS = {
    "newcomer": (29, 95, 248, 608, 1755),
    "beginner": (14, 46, 121, 297, 858),
    "casual": (6.5, 21, 55, 135, 390),
    "club": (3.1, 10.8, 29, 82, 250),
    "strong": (1.85, 5.9, 15.7, 52, 155),
    "expert": (1.3, 4.1, 11.7, 41, 120),
    "master": (0.9, 3.05, 8.6, 30.5, 95),
    "record": (0.71, 2.42, 6.7, 24.5, 77),
}
_SLIDES = {
    "newcomer": (3.4, 18.4, 42.7, 116.5, 250, 750, 2450),
    "beginner": (3.5, 16.8, 41.1, 110.5, 238, 719, 2360),
    "casual": (3.5, 16.2, 38.7, 103.5, 224, 697, 2220),
    "club": (3.5, 18.2, 37.9, 103.0, 225, 684, 2245),
    "strong": (3.4, 18.0, 35.5, 99.6, 212, 671, 2184),
    "expert": (3.4, 15.0, 27.9, 89.8, 198, 617, 2059),
    "master": (3.4, 15.6, 27.8, 89.4, 198, 618, 2058),
    "record": (3.4, 15.3, 27.6, 87.8, 195, 612, 2049),
}
"""Measured by `python -m tests.bench.bots` after every change of the planner."""
_MANNERS = {
    # at_once, rest, greed, noise, slips, spread, think, hesitations, form
    "newcomer": (1, 2, 7.0, 3.0, 3.0, 0.58, 6.0, 0.050, 0.22),
    "beginner": (1, 2, 6.0, 2.2, 2.0, 0.55, 5.0, 0.045, 0.20),
    "casual": (1, 2, 5.0, 1.5, 1.2, 0.50, 4.0, 0.035, 0.17),
    "club": (1, 3, 5.0, 1.0, 0.8, 0.46, 3.0, 0.030, 0.15),
    "strong": (1, 3, 4.0, 0.6, 0.5, 0.46, 2.0, 0.025, 0.13),
    "expert": (2, 3, 4.0, 0.4, 0.3, 0.44, 1.2, 0.022, 0.12),
    "master": (2, 3, 4.0, 0.2, 0.2, 0.44, 0.8, 0.020, 0.11),
    "record": (2, 3, 3.5, 0.0, 0.1, 0.44, 0.5, 0.018, 0.10),
}
LEVELS = {
    name: Level(name, seconds, _SLIDES[name], *_MANNERS[name])
    for name, seconds in _SECONDS.items()
}
"""Name -> level, the weakest first."""
