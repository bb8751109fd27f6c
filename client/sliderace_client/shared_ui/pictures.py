"""Pictures instead of numbers: drawn by our own code, or from rows of pixels.

A picture knows its colour at every point; each tile asks for its part.
"""

from collections.abc import Callable, Mapping, Sequence
from math import atan2, cos, hypot, pi, sin
from typing import Final

__all__ = ["BUILT_IN", "RGB", "Picture", "picture_of_pixels"]

RGB = tuple[int, int, int]
Point = Callable[[float, float], RGB]


class Picture:
    """A picture; two pictures are equal only if they are the same object.

    Args:
        name: as the settings know it.
        point: the colour at a point; both coordinates 0 ... 1, from the top left.
    """

    __slots__ = ("_point", "name")

    def __init__(self, name: str, point: Point) -> None:
        self.name = name
        self._point = point

    def at(self, u: float, v: float) -> str:
        """Return the colour at a point, as hex.

        Args:
            u: 0 ... 1, from the left.
            v: 0 ... 1, from the top.
        """
        red, green, blue = (max(0, min(255, part)) for part in self._point(u, v))
        return f"#{red:02x}{green:02x}{blue:02x}"


def mixed(low: RGB, high: RGB, share: float) -> RGB:
    """Mix two colours.

    >>> mixed((0, 0, 0), (200, 100, 50), 0.5)
    (100, 50, 25)
    """
    red, green, blue = (
        round(a + (b - a) * max(0.0, min(1.0, share)))
        for a, b in zip(low, high, strict=True)
    )
    return red, green, blue


def _harbour(u: float, v: float) -> RGB:
    """A low sun over water, and a boat on it."""
    sun = hypot((u - 0.62) * 1.1, v - 0.46)
    if 0.6 < v < 0.68 and abs(u - 0.27) < 0.2 - (v - 0.6):
        return mixed((74, 40, 40), (34, 18, 26), (v - 0.6) * 12)
    if 0.16 < v < 0.6 and 0 < u - 0.26 < (v - 0.16) * 0.4:
        return mixed((252, 244, 226), (214, 168, 150), v)
    if v > 0.6:
        wave = sin(v * 90 + sin(u * 14) * 2) * 0.5 + 0.5
        path = max(0.0, 1 - abs(u - 0.62) * (9 - 8 * v))
        return mixed(
            mixed((22, 34, 74), (70, 58, 110), 1 - (v - 0.6) * 2.5),
            (255, 196, 110),
            path * (0.35 + 0.5 * wave),
        )
    if sun < 0.15:
        return mixed((255, 244, 190), (255, 190, 96), sun / 0.15)
    sky = mixed((38, 44, 102), (250, 128, 92), v / 0.6)
    return mixed((255, 190, 96), sky, (sun - 0.15) * 3.2)


def _hills(u: float, v: float) -> RGB:
    """Four ranges of hills at dusk, the nearest the darkest."""
    ranges = (
        (0.40, 0.07, 5.0, 0.3, (140, 168, 186)),
        (0.54, 0.08, 7.0, 2.1, (104, 142, 140)),
        (0.69, 0.07, 9.0, 4.0, (66, 108, 92)),
        (0.84, 0.05, 12.0, 1.2, (34, 70, 56)),
    )
    colour = mixed((120, 178, 226), (250, 226, 190), v * 2.2 + u * 0.35 - 0.1)
    if hypot(u - 0.24, v - 0.2) < 0.085:
        colour = (255, 246, 214)
    for height, swing, steps, shift, tint in ranges:
        crest = height + swing * sin(u * steps + shift) * cos(u * 2.3 + shift)
        if v > crest:
            colour = mixed(tint, (12, 26, 26), (v - crest) * 0.9 + (1 - u) * 0.25)
    return colour


def _garden(u: float, v: float) -> RGB:
    """Petals around a centre, on a ground that shows which side is up."""
    x, y = u - 0.5, v - 0.5
    far, turn = hypot(x, y), atan2(y, x)
    petal = 0.30 + 0.13 * cos(turn * 7)
    ground = mixed((40, 60, 120), (24, 120, 110), 0.75 * v + 0.35 * u)
    if far < 0.11:
        return mixed((255, 220, 90), (190, 110, 30), far / 0.11)
    if far < petal:
        return mixed((250, 150, 180), (170, 30, 90), far / petal)
    leaf = 0.40 + 0.08 * cos(turn * 3 + pi / 2)
    return mixed((90, 170, 80), (30, 90, 50), far / leaf) if far < leaf else ground


def _rings(u: float, v: float) -> RGB:
    """Rings whose colour shows the distance and whose light the direction."""
    far = hypot(u - 0.42, v - 0.38)
    bands = ((232, 168, 84), (106, 184, 243), (172, 186, 120), (214, 152, 216))
    band = bands[int(far * 9) % len(bands)]
    return mixed(mixed(band, (20, 24, 40), v * 0.7), (255, 255, 240), (1 - u) * 0.25)


BUILT_IN: Final[Mapping[str, Picture]] = {
    name: Picture(name, point)
    for name, point in (
        ("hills", _hills),
        ("harbour", _harbour),
        ("garden", _garden),
        ("rings", _rings),
    )
}
"""The built-in pictures, named as in the page."""


def picture_of_pixels(name: str, rows: Sequence[Sequence[RGB]]) -> Picture:
    """Make a picture of pixels.

    Args:
        name: of the picture.
        rows: from the top; all of the same length, at least one pixel.

    >>> picture_of_pixels("x", [[(1, 2, 3), (255, 0, 0)]]).at(0.9, 0.5)
    '#ff0000'
    """
    height, width = len(rows), len(rows[0])

    def point(u: float, v: float) -> RGB:
        y, x = min(height - 1, int(v * height)), min(width - 1, int(u * width))
        return rows[y][x]

    return Picture(name, point)
