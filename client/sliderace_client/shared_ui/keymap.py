"""Keys to directions.

Arrow keys, and WASD and hjkl or four keys of one's own. A direction is the way the
tile travels; who thinks of the gap instead chooses the preset ``gap``,
and every key means the opposite.
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
"""The keys that always count."""
WASD: Final = "adws"
HJKL: Final = "hlkj"
WAYS: Final[tuple[Direction, ...]] = ("L", "R", "U", "D")
"""The order in which own keys are named."""


def direction_of(key: str, preset: str = "tile", own: str = WASD) -> Direction | None:
    """The direction a key stands for, or None.

    Args:
        key: its name, or its character.
        preset: ``tile`` or ``gap``: what travels that way.
        own: keys for left, right, up and down beside the arrows; as long as they are
            WASD, hjkl count too. Anything but four characters: the arrows alone.

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
