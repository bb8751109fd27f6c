"""Links that open a solve in slidysim's public replay viewer.

The link contains the whole solve; nothing else is sent to that site. The page's twin is
`core/proof/slidysim.js`.
"""

import json
import zlib
from base64 import b64encode

from sliderace.engine import Board, format_board, format_slides, stm
from sliderace.proof.record import WrittenFinish, WrittenSlide
from sliderace.race.ranking import plausible

__all__ = ["VIEWER", "Solve", "link_to", "solve_of"]

VIEWER = "https://slidysim.github.io/replay?r="
"""Followed by a packed solve."""
ESCAPED = {"+": "%2B", "/": "%2F", "=": "%3D"}
"""Characters of base64 that have a meaning in a URL."""

Solve = tuple[str, int, str, list[int]]
"""Solution, 1000 x tiles per second, scramble, ms of each tile since the first."""


def solve_of(
    board: Board, slides: tuple[WrittenSlide, ...], finish: WrittenFinish
) -> Solve:
    """Return a finished solve in the viewer's format.

    Args:
        board: the scramble.
        slides: all slides of a finisher.
        finish: of the same racer.
    """
    times: list[int] = []
    last = 0
    for slide in slides:
        since = slide.stamp_ms - slides[0].stamp_ms
        last = min(finish.solve_ms, max(last, since))
        times += [last] * slide.tiles
    made = [(slide.direction, slide.tiles) for slide in slides]
    tiles = stm(made)
    took = plausible(finish.solve_ms, tiles)
    tps = tiles * 1_000_000 // took if took else 0
    return format_slides(made), tps, format_board(board), times


def link_to(solve: Solve) -> str:
    """Return the link that opens a solve in the viewer.

    >>> link_to(("L", 0, "1 2 3/4 5 6/7 0 8", [0]))[:36]
    'https://slidysim.github.io/replay?r='
    """
    text = json.dumps(solve, separators=(",", ":"))
    packed = b64encode(zlib.compress(text.encode())).decode()
    return VIEWER + "".join(ESCAPED.get(letter, letter) for letter in packed)
