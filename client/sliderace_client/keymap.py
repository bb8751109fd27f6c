"""Keys to directions.

Arrow keys, WASD and hjkl. A direction is the way the tile travels; who thinks of the
gap instead chooses the preset ``gap``, and every key means the opposite.
"""

from collections.abc import Mapping
from typing import Final

from sliderace.engine import OPPOSITE, Direction

__all__ = ["KEYS", "direction_of"]

KEYS: Final[Mapping[str, Direction]] = {
    "up": "U",
    "down": "D",
    "left": "L",
    "right": "R",
    "w": "U",
    "s": "D",
    "a": "L",
    "d": "R",
    "k": "U",
    "j": "D",
    "h": "L",
    "l": "R",
}
"""Key, by its lower-case name, to direction."""


def direction_of(key: str, preset: str = "tile") -> Direction | None:
    """The direction a key stands for, or None.

    >>> direction_of("w"), direction_of("up", "gap"), direction_of("x")
    ('U', 'D', None)
    """
    direction = KEYS.get(key.lower())
    if direction is None or preset != "gap":
        return direction
    return OPPOSITE[direction]
