"""Map keys to directions: arrow keys, WASD and hjkl, or the user's four keys.

A direction is that of the tile. With the preset ``gap`` a key is the direction of the
gap, which is the opposite.
"""

from collections.abc import Mapping
from typing import Final

from sliderace.engine import OPPOSITE, Direction

__all__ = ["HJKL", "KEYS", "WASD", "direction_of"]

KEYS: Final[Mapping[str, Direction]] = {
    "up": "U",
    "down": "D",
    "left": "L",
    "right": "R",
}
"""The keys that always work."""
WASD: Final = "adws"
HJKL: Final = "hlkj"
WAYS: Final[tuple[Direction, ...]] = ("L", "R", "U", "D")
"""The order in which own keys are given."""


def direction_of(key: str, preset: str = "tile", own: str = WASD) -> Direction | None:
    """Return the direction of a key, or None.

    Args:
        key: its name, or its character.
        preset: ``tile`` or ``gap``: what moves in that direction.
        own: keys for left, right, up and down beside the arrows; while they are WASD,
            hjkl works, too. Anything but four characters: only the arrows.

    >>> direction_of("w"), direction_of("up", "gap"), direction_of("x")
    ('U', 'D', None)
    >>> direction_of("k"), direction_of("k", own="1234"), direction_of("3", own="1234")
    ('U', None, 'U')
    """
    key = key.lower()
    direction = KEYS.get(key)
    for keys in (own, HJKL) if own == WASD else (own,):
        if direction is None and len(keys) == len(WAYS) and len(key) == 1:
            at = keys.find(key)
            direction = WAYS[at] if at >= 0 else None
    if direction is None or preset != "gap":
        return direction
    return OPPOSITE[direction]
