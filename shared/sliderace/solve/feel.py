"""What people usually need for a board, from one answer about the 4x4 board."""

from typing import Final, Literal

from sliderace.engine import Size
from sliderace.solve.levels import nearest_level

__all__ = ["FEELS", "Feel", "pace_of"]

Feel = Literal["new", "minute", "twenty", "eight"]
FEELS: Final[dict[Feel, int]] = {
    "new": 95_000,
    "minute": 40_000,
    "twenty": 14_000,
    "eight": 6_000,
}
"""How fast somebody is on 4x4 -> what they then usually need, in ms. The answers are
"new to it" and "under" 1 min, 20 s and 8 s; most people are near the limit they name,
and `new` is the time of the bots called `newcomer`."""
_ASKED: Final = Size(4, 4)


def pace_of(feel: Feel, size: Size) -> int:
    """Return what somebody usually needs for a board, in ms.

    The other sizes follow from 4x4 as for the bots of the same speed.

    >>> [pace_of(feel, Size(4, 4)) for feel in FEELS]
    [95000, 40000, 14000, 6000]
    >>> pace_of("twenty", Size(3, 3))
    4019
    """
    pace_ms = FEELS[feel]
    level = nearest_level(_ASKED, pace_ms).at_pace(_ASKED, pace_ms)
    return round(level.target_ms(size))
