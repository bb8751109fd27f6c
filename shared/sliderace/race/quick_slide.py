"""One slide, checked and applied in one step: nearly all slides arrive like this.

`decide.slides` with `apply.slide` is the general way; a property test proves that both
ways do the same.
"""

from collections.abc import Sequence

from sliderace.race.log_records import LoggedSlide, Seat, Slid
from sliderace.race.state import PlayedSlide, Race

__all__ = ["quick_slide"]

_new = tuple.__new__
"""Makes a named tuple without calling its constructor in Python."""


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
        race: the race it belongs to; compare the message's id first.
        seat: whose slide.
        seq: its number.
        batch: (direction, tiles, the client's ms since the paint).
        approx: the client counted its times from a snapshot.
        now: room time of its arrival, ms.
        max_tiles: what one seat may move in a race.

    Returns:
        The record of it, already applied; None: nothing was changed, ask
        `decide.slides`.
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
        or board.md <= tiles  # a tile gets one step nearer at most: it may be solved
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
    return _new(Slid, (now, race.id, seat, seq, (slide,), approx))
