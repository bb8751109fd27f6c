"""The curve of a best attempt, for the pace lane: when it had how much progress.

A curve is `POINTS` times in ms, never decreasing: point n (from 1) is when the best
progress so far first reached n / `POINTS`. The last one is the time of the solve. It
holds no slides, so it says nothing about a board. `core/pace-curve.js` is the same for
the page; both pass ``shared/vectors/pace-v1.json``.
"""

from collections.abc import Sequence
from typing import Final, cast

from sliderace.engine import Board, Direction, progress_permille
from sliderace.proof.record import WrittenRace
from sliderace_client.room.race_replay import moments

__all__ = ["POINTS", "curve_in", "curve_of", "gap_to", "high_at", "usable"]

POINTS: Final = 64
MAX_MS = 24 * 3_600_000
"""Longer attempts have no curve."""
WHOLE = 1000
"""Permille of a solved board."""


def curve_of(
    start: Board, slides: Sequence[tuple[Direction, int, int]]
) -> list[int] | None:
    """Return the curve of an attempt; None if it does not solve the board.

    Args:
        start: the start board; it is not changed.
        slides: all slides: direction, tiles, ms.

    Raises:
        IllegalSlide: a slide is not legal.
    """
    board, curve = start.copy(), list[int]()
    for way, tiles, ms in slides:
        board.slide(way, tiles)
        reached = progress_permille(board.md, start.md) * POINTS // WHOLE
        curve += [max(ms, curve[-1] if curve else 0)] * (reached - len(curve))
    return usable(curve)


def curve_in(record: WrittenRace, time_ms: int) -> list[int] | None:
    """Return the curve of the racer with this official time; None: there is none.

    Raises:
        IllegalSlide: a slide is not legal.
    """
    for racer in record.racers:
        if racer.finish is not None and racer.finish.official_ms == time_ms:
            made = zip(racer.slides, moments(racer), strict=True)
            slides: list[tuple[Direction, int, int]] = [
                (cast("Direction", slide.direction), slide.tiles, ms)
                for slide, ms in made
            ]
            return curve_of(record.board, slides)
    return None


def usable(stored: object) -> list[int] | None:
    """Return a stored curve; None if it is malformed."""
    if not isinstance(stored, list):
        return None
    points = cast("list[object]", stored)
    if len(points) != POINTS:
        return None
    last, curve = 0, list[int]()
    for point in points:
        if type(point) is not int or not last <= point <= MAX_MS:
            return None
        last = point
        curve.append(point)
    return curve


def high_at(curve: Sequence[int], ms: int) -> int:
    """Return the progress of a curve at a time, in permille, rounded down."""
    reached = sum(point <= ms for point in curve)
    if reached == POINTS:
        return WHOLE
    before = curve[reached - 1] if reached else 0
    step = curve[reached] - before
    passed = max(0, ms - before)
    return (reached * step + passed) * WHOLE // (POINTS * step)


def gap_to(curve: Sequence[int], high: int, ms: int) -> int:
    """Return how much later, in ms, we have this progress than the curve had it.

    Args:
        curve: the curve.
        high: our progress, permille.
        ms: our time so far.
    """
    reached, rest = divmod(high * POINTS, WHOLE)
    if reached >= POINTS:
        return ms - curve[-1]
    before = curve[reached - 1] if reached else 0
    return ms - before - (curve[reached] - before) * rest // WHOLE
