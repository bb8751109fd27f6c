"""Check and apply one slide in one step: nearly every message contains just one.

This is an optimization of `decide.slides` followed by `apply.slide`; a property test
shows that both give the same result.
"""

# The type of tuple.__new__ is unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable, Sequence
from typing import Any

from sliderace.race.log_records import LoggedSlide, Seat, Slid
from sliderace.race.state import PlayedSlide, Race

__all__ = ["quick_slide"]

_new: Callable[..., Any] = tuple.__new__
"""Creates a named tuple without the overhead of its constructor."""


def quick_slide(
    race: Race,
    seat: Seat,
    seq: int,
    batch: Sequence[LoggedSlide],
    approx: bool,
    now: int,
    max_tiles: int,
) -> Slid | None:
    """Check and apply a message of one new slide that cannot solve the board.

    Args:
        race: the race; compare the id in the message first.
        seat: whose slide.
        seq: number of the slide.
        batch: (direction, tiles, client's timestamp in ms).
        approx: the client counted its timestamp from a snapshot.
        now: room time of arrival, ms.
        max_tiles: how many tiles one seat can move in a race.

    Returns:
        The record, already applied. None: this is not such a message, nothing was
        changed, call `decide.slides`.
    """
    attempt = race.attempts.get(seat)
    if attempt is None or len(batch) != 1:
        return None
    slides, board = attempt.slides, attempt.board
    slide = batch[0]
    direction, tiles, stamp = slide
    moved = attempt.stm + tiles
    if (
        len(slides) + 1 != seq
        or board.md <= tiles  # each tile gets at most one step closer: may solve
        or now < attempt.unlocks_at
        or moved > max_tiles
        or not race.accepts_slides(attempt, now)
        or not board.try_slide(direction, tiles)
    ):
        return None
    if not slides or slides[-1][0] != direction:
        attempt.mtm += 1
    slides.append(_new(PlayedSlide, (direction, tiles, stamp, now)))
    attempt.stm = moved
    md, start = board.md, attempt.start_md
    if md < start and (high := 1000 * (start - md) // start) > attempt.high:
        attempt.high, attempt.high_at = high, now
    if approx:
        attempt.approx = True
    slid: Slid = _new(Slid, (now, race.id, seat, seq, (slide,), approx))
    return slid
