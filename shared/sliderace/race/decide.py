"""What may happen in a race: every command asks here, and nothing is changed.

Each function answers with the records that carry the command out, in order; with an
empty list where it is already so (commands come twice, and late); or with a `Refusal`.
Give the records to `sliderace.race.apply.apply` before you decide the next thing.

Before any command, give the clock its due: `due` fires every deadline that has passed.
Times are room time in ms. After every change the question is asked again: is it over?
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from sliderace.race import timing
from sliderace.race.deadlines import (
    after,
    certain_after,
    certain_at,
    draw_due,
    due,
    freeze_due,
    may_race,
    next_deadline,
)
from sliderace.race.log_records import (
    DidNotFinish,
    Finished,
    Forfeited,
    ForfeitUndone,
    GraceBegan,
    LoggedSlide,
    RaceEnded,
    RacerDisconnected,
    RaceRecord,
    RacerReconnected,
    Seat,
    Slid,
    TimeCalled,
)
from sliderace.race.refusal import Refusal
from sliderace.race.starting import (
    REVEAL_LEAD_MS,
    Decision,
    abort,
    begin_countdown,
    draw,
    freeze,
    make,
    nonce,
    postpone,
    postpone_at,
    stop_countdown,
)
from sliderace.race.state import Attempt, Race

__all__ = [
    "MAX_TILES",
    "REVEAL_LEAD_MS",
    "Decision",
    "abort",
    "begin_countdown",
    "call_time",
    "draw",
    "draw_due",
    "due",
    "forfeit",
    "freeze",
    "freeze_due",
    "leave",
    "make",
    "next_deadline",
    "nonce",
    "postpone",
    "postpone_at",
    "returned",
    "slides",
    "stop",
    "stop_countdown",
    "undo_forfeit",
    "went_away",
]

MAX_TILES = 20_000
"""Per seat and race: ten times the longest human solve of a 10x10; bounds the memory
and the log that one seat can cost."""


def slides(
    race: Race,
    seat: Seat,
    seq: int,
    batch: Sequence[LoggedSlide],
    approx: bool,
    now: int,
    line_of: Callable[[], timing.Latency] = lambda: timing.UNMEASURED,
    *,
    max_tiles: int = MAX_TILES,
) -> Decision:
    """Slides of one seat: all of them, or none.

    Slides that were applied before are skipped, so a message may come twice. What
    follows a solving slide is dropped: a solved board does not move.

    Args:
        race: the race they belong to; compare the message's id first.
        seat: whose.
        seq: number of the first of them.
        batch: (direction, tiles, the client's ms since the paint).
        approx: the client counted its times from a snapshot.
        now: room time of their arrival, ms.
        line_of: the seat's connection; asked only for a slide that solves.
        max_tiles: what one seat may move in a race.

    Returns:
        `Slid`; with a solved board also `Finished` and, as the case may be,
        `GraceBegan` or `RaceEnded`. Empty where all were applied before: ack again.
        The refusals are ``not_racing``, ``too_early`` (with ``retry_ms``), ``done``,
        ``gap``, ``illegal`` and ``too_many_tiles``.
    """
    attempt = race.attempts.get(seat)
    if attempt is None:
        return Refusal("not_racing")
    first = len(attempt.slides) + 1
    if seq + len(batch) <= first:
        return []
    if now < attempt.s or not race.takes(attempt, now):
        return _closed(race, attempt, now)
    if seq > first:
        return Refusal("gap", "seq", str(seq))
    new = tuple(batch[first - seq :])
    direction, tiles, _ = new[0]
    if len(new) == 1 and attempt.board.md > tiles:
        # Nearly always: a tile comes one step nearer at most, so this solves nothing.
        if not attempt.board.allows(direction, tiles):
            return Refusal("illegal", "slides", f"{direction}{tiles}")
        moved, solved = attempt.stm + tiles, False
    else:
        board, moved, solved = attempt.board.copy(), attempt.stm, False
        for n, (direction, tiles, _) in enumerate(new, 1):
            if not board.try_slide(direction, tiles):
                return Refusal("illegal", "slides", f"{direction}{tiles}")
            moved += tiles
            if board.is_solved:
                new, solved = new[:n], True
                break
    if moved > max_tiles:
        return Refusal("too_many_tiles")
    slid = Slid._make((now, race.id, seat, first, new, approx))
    if not solved:
        return [slid]
    e = None if approx or attempt.approx else new[-1][2]
    return [slid, *_finish(race, attempt, e, line_of(), now)]


def forfeit(race: Race, seat: Seat, now: int) -> Decision:
    """Give up; `undo_forfeit` takes it back for `UNDO_MS`."""
    attempt = race.attempts.get(seat)
    if attempt is None:
        return Refusal("not_racing")
    if attempt.status == "forfeited":
        return []
    if race.phase == "countdown":
        return Refusal("wrong_phase")
    if not race.running or attempt.status != "racing":
        return Refusal("done")
    return [Forfeited(now, race.id, seat)]


def undo_forfeit(race: Race, seat: Seat, now: int) -> Decision:
    """Race on after a forfeit, while that is not final."""
    attempt = race.attempts.get(seat)
    if attempt is None:
        return Refusal("not_racing")
    if race.running and attempt.status == "racing":
        return []
    if attempt.status != "forfeited":
        return Refusal("done")
    if not race.running or not may_race(race, attempt, now):
        return Refusal("too_late")
    return [ForfeitUndone(now, race.id, seat)]


def went_away(race: Race, seat: Seat, now: int) -> list[RaceRecord]:
    """The seat's connection is lost: its board and its clock go on."""
    attempt = _still_racing(race, seat)
    if attempt is None or attempt.away_since is not None:
        return []
    return [RacerDisconnected(now, race.id, seat)]


def returned(race: Race, seat: Seat, now: int) -> list[RaceRecord]:
    """The seat is connected again; who was out for being away races on."""
    attempt = race.attempts.get(seat)
    if attempt is None or attempt.away_since is None or not _is_on(race):
        return []
    if attempt.status != "racing" and attempt.why != "away":
        return []
    return [RacerReconnected(now, race.id, seat)]


def leave(
    race: Race, seat: Seat, why: Literal["left", "kicked"], now: int
) -> list[RaceRecord]:
    """The seat's holder left the room for good, or was sent out of it."""
    if _still_racing(race, seat) is None:
        return []
    return [DidNotFinish(now, race.id, seat, why), *after(race, now, {seat})]


def call_time(race: Race, now: int) -> Decision:
    """End the grace time: now, or as soon as the first place is certain.

    A slide of somebody on a long line may be on its way, and better than what came.
    """
    match race.phase:
        case "grace" if race.called:
            return []
        case "grace" if (certain := certain_at(race) or 0) > now:
            return [TimeCalled(now, race.id, certain)]
        case "grace":
            return stop(race, now, "called")
        case "results":
            return []
        case _:
            return Refusal("wrong_phase")


def stop(race: Race, now: int, why: str) -> list[RaceRecord]:
    """End a race at once, with the results that there are.

    Args:
        race: any; where none runs nothing happens.
        now: room time, ms.
        why: those who still race did not finish.
    """
    if not race.running:
        return []
    still = (seat for seat, one in race.attempts.items() if one.status == "racing")
    records = [DidNotFinish(now, race.id, seat, why) for seat in still]
    return [*records, RaceEnded(now, race.id)]


def _finish(
    race: Race, attempt: Attempt, e: int | None, line: timing.Latency, now: int
) -> list[RaceRecord]:
    g = now - attempt.s
    line = replace(line.known, outage_ms=attempt.outage_ms(now))
    best = timing.official(g, e, line, friendly=race.rules.friendly_timing)
    finished = Finished(
        t=now,
        race=race.id,
        seat=attempt.seat,
        s=attempt.s,
        g=g,
        e=e,
        rtt=line.rtt_ms,
        jitter=line.jitter_ms,
        outage=line.outage_ms,
        official=best,
    )
    if end := after(race, now, {attempt.seat}):
        return [finished, *end]
    if race.grace_until is not None:
        return [finished]
    until = now + race.rules.grace_for(best)
    if (limit := race.rules.time_limit_ms) is not None:
        until = min(until, max(one.s for one in race.attempts.values()) + limit)
    others = (one for one in race.attempts.values() if one is not attempt)
    until = max(until, certain_after(race, best, others))
    return [finished, GraceBegan(now, race.id, until)]


def _is_on(race: Race) -> bool:
    """Whether a race with a roster has not ended."""
    return race.running or race.phase == "countdown"


def _still_racing(race: Race, seat: Seat) -> Attempt | None:
    attempt = race.attempts.get(seat)
    if attempt is None or attempt.status != "racing" or not _is_on(race):
        return None
    return attempt


def _closed(race: Race, attempt: Attempt, now: int) -> Refusal:
    """Why this attempt takes no slides at the moment."""
    if race.phase == "countdown" or (race.running and now < attempt.s):
        return Refusal("too_early", retry_ms=max(0, attempt.s - now))
    return Refusal("done")
