"""One slide, checked and applied in one step: nearly all slides arrive like this.

`decide.slides` with `apply.slide` is the general way; a property test proves that both
ways do the same.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple

from sliderace.race.log_records import LoggedSlide, Seat, Slid
from sliderace.race.state import Attempt, PlayedSlide, Race

__all__ = ["OpenAttempt", "open_attempt", "quick_slide"]

_new: Callable[..., Any] = getattr(tuple, "__new__")  # noqa: B009 - pyright is strict
"""Makes a named tuple without calling its constructor in Python."""


class OpenAttempt(NamedTuple):
    """What a racer's slides need while nothing but slides happens in the race.

    Attributes:
        race: id of the race.
        seat: the racer's seat.
        attempt: the attempt, with board and counts.
        opens: room time from which it accepts slides.
        closes: room time from which it does not accept slides any more.
    """

    race: str
    seat: Seat
    attempt: Attempt
    opens: int
    closes: float


def open_attempt(race: Race, seat: Seat) -> OpenAttempt | None:
    """Return a seat's attempt if it accepts slides now or later, else None.

    It is valid until any record but `Slid` is applied to the race.
    """
    attempt = race.attempts.get(seat)
    if attempt is None or attempt.status != "racing" or not race.running:
        return None
    closes = race.ends_at(attempt)
    opens = attempt.unlocks_at
    return OpenAttempt(race.id, seat, attempt, opens, inf if closes is None else closes)


def quick_slide(
    open_attempt: OpenAttempt,
    seq: int,
    batch: Sequence[LoggedSlide],
    approx: bool,
    now: int,
    max_tiles: int,
) -> Slid | None:
    """Check and apply a message of one new slide that cannot solve the board.

    Args:
        open_attempt: the racer's.
        seq: number of the slide.
        batch: (direction, tiles, the client's ms since the paint).
        approx: the client counted its times from a snapshot.
        now: room time of its arrival, ms.
        max_tiles: what one seat may move in a race.

    Returns:
        The record of it, already applied; None: nothing was changed, ask
        `decide.slides`.
    """
    race, seat, attempt, opens, closes = open_attempt
    if len(batch) != 1 or not opens <= now < closes:
        return None
    slides, board = attempt.slides, attempt.board
    slide = batch[0]
    direction, tiles, stamp = slide
    moved = attempt.stm + tiles
    if (
        len(slides) + 1 != seq
        or moved > max_tiles
        or board.md <= tiles  # a tile gets one step nearer at most: it may be solved
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
    slid: Slid = _new(Slid, (now, race, seat, seq, (slide,), approx))
    return slid
