"""Decide what a command does to a race, without changing the race.

Every function returns one of

- records that carry the command out, in order: pass them to
  `sliderace.race.apply.apply` before you decide anything else;
- an empty list, if there is nothing to do: commands may be repeated, and may be late;
- a `Refusal`.

The rules for attempts:

- An attempt accepts slides from the moment its board is unlocked until it ends. It
  accepts only its next slide, in order; a message is accepted completely or not at all.
- A slide that solves the board finishes the attempt. The first finish begins the grace
  time, which never ends before the first place is certain.
- A forfeit can be undone for `UNDO_MS`. A lost connection ends an attempt only after
  the away limit; a racer who returns later races on, if the race still runs.
- After every change that can end an attempt, `end_if_over` ends the race if it is over.

Call `fire_deadlines` before every command, so that the clock has decided first. All
times are room time in ms. The functions up to the start are in `starting`, those of the
clock in `deadlines`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from sliderace.race import timing
from sliderace.race.deadlines import (
    draw_due,
    end_if_over,
    fire_deadlines,
    freeze_due,
    may_still_race,
    next_deadline,
    winner_certain_after,
    winner_certain_at,
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
    create_race,
    draw_board,
    freeze_roster,
    postpone,
    postpone_at,
    reveal_nonce,
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
    "create_race",
    "disconnected",
    "draw_board",
    "draw_due",
    "end_race",
    "fire_deadlines",
    "forfeit",
    "freeze_due",
    "freeze_roster",
    "leave",
    "next_deadline",
    "postpone",
    "postpone_at",
    "reconnected",
    "reveal_nonce",
    "slides",
    "stop_countdown",
    "undo_forfeit",
]

MAX_TILES = 20_000
"""Tiles that one seat can move in a race: ten times the longest human solve of a 10x10.
It bounds the memory and the log that a seat can use."""


def slides(
    race: Race,
    seat: Seat,
    seq: int,
    batch: Sequence[LoggedSlide],
    approx: bool,
    now: int,
    latency_of: Callable[[], timing.Latency] = lambda: timing.UNMEASURED,
    *,
    max_tiles: int = MAX_TILES,
) -> Decision:
    """Accept slides of one seat: all of them, or none.

    Slides that were applied before are skipped, so a message may be repeated. Slides
    after the one that solves the board are dropped.

    Args:
        race: the race; compare the id in the message first.
        seat: whose slides.
        seq: number of the first slide.
        batch: (direction, tiles, client's timestamp in ms).
        approx: the client counted its timestamps from a snapshot.
        now: room time of arrival, ms.
        latency_of: returns the seat's latency; called only if the board is solved.
        max_tiles: how many tiles one seat can move in a race.

    Returns:
        `Slid`. If the board is solved, also `Finished` and perhaps `GraceBegan` or
        `RaceEnded`. Nothing if all slides were applied before: acknowledge them again.
        The refusals are ``not_racing``, ``too_early`` (with ``retry_ms``), ``done``,
        ``gap``, ``illegal`` and ``too_many_tiles``.
    """
    attempt = race.attempts.get(seat)
    if attempt is None:
        return Refusal("not_racing")
    first = len(attempt.slides) + 1
    if seq + len(batch) <= first:
        return []
    if now < attempt.unlocks_at or not race.accepts_slides(attempt, now):
        return _not_open(race, attempt, now)
    if seq > first:
        return Refusal("gap", "seq", str(seq))
    new = tuple(batch[first - seq :])
    direction, tiles, _ = new[0]
    if len(new) == 1 and attempt.board.md > tiles:
        # The usual case: each tile comes at most one step closer to home, so this slide
        # cannot solve the board.
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
    stamps = [*(slide.stamp for slide in attempt.slides), *(stamp for *_, stamp in new)]
    e = None if approx or attempt.approx else timing.solving_stamp(stamps)
    return [slid, *_finish(race, attempt, e, latency_of(), now)]


def forfeit(race: Race, seat: Seat, now: int) -> Decision:
    """Give up the attempt; `undo_forfeit` can undo it for `UNDO_MS`."""
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
    """Undo a forfeit that is not final yet."""
    attempt = race.attempts.get(seat)
    if attempt is None:
        return Refusal("not_racing")
    if race.running and attempt.status == "racing":
        return []
    if attempt.status != "forfeited":
        return Refusal("done")
    if not race.running or not may_still_race(race, attempt, now):
        return Refusal("too_late")
    return [ForfeitUndone(now, race.id, seat)]


def disconnected(race: Race, seat: Seat, now: int) -> list[RaceRecord]:
    """Note that a seat's connection is lost; its clock keeps running."""
    attempt = _still_racing(race, seat)
    if attempt is None or attempt.away_since is not None:
        return []
    return [RacerDisconnected(now, race.id, seat)]


def reconnected(race: Race, seat: Seat, now: int) -> list[RaceRecord]:
    """Note that a seat is connected again; this lifts a DNF for being away.

    A seat that gives up its connection after a stall returns from an outage, too.
    """
    attempt = race.attempts.get(seat)
    if attempt is None or not race.active:
        return []
    if attempt.away_since is None and not attempt.awaited_from_stall(now):
        return []
    if attempt.status != "racing" and attempt.why != "away":
        return []
    return [RacerReconnected(now, race.id, seat)]


def leave(
    race: Race, seat: Seat, why: Literal["left", "kicked"], now: int
) -> list[RaceRecord]:
    """End the attempt of a racer who left the room or was kicked."""
    if _still_racing(race, seat) is None:
        return []
    return [DidNotFinish(now, race.id, seat, why), *end_if_over(race, now, {seat})]


def call_time(race: Race, now: int) -> Decision:
    """End the grace time: now, or as soon as the first place is certain.

    A better slide over a slow connection may still be on its way.
    """
    match race.phase:
        case "grace" if race.time_called:
            return []
        case "grace" if (certain := winner_certain_at(race) or 0) > now:
            return [TimeCalled(now, race.id, certain)]
        case "grace":
            return end_race(race, now, "called")
        case "results":
            return []
        case _:
            return Refusal("wrong_phase")


def end_race(race: Race, now: int, why: str) -> list[RaceRecord]:
    """End a race at once, with the results so far.

    Args:
        race: the race; nothing happens if it is over, or nobody can have seen its
            board.
        now: room time, ms.
        why: the reason of the DNF of those who are still racing.
    """
    if not race.active or not (race.running or race.is_revealed(now)):
        return []
    racing = (seat for seat, one in race.attempts.items() if one.status == "racing")
    records = [DidNotFinish(now, race.id, seat, why) for seat in racing]
    return [*records, RaceEnded(now, race.id)]


def _finish(
    race: Race, attempt: Attempt, e: int | None, latency: timing.Latency, now: int
) -> list[RaceRecord]:
    g = now - attempt.unlocks_at
    latency = replace(latency.effective, outage_ms=attempt.outage_ms(now))
    best = timing.official_time(g, e, latency, friendly=race.rules.friendly_timing)
    finished = Finished(
        t=now,
        race=race.id,
        seat=attempt.seat,
        s=attempt.unlocks_at,
        g=g,
        e=e,
        rtt=latency.rtt_ms,
        jitter=latency.jitter_ms,
        outage=latency.outage_ms,
        official=best,
    )
    if end := end_if_over(race, now, {attempt.seat}):
        return [finished, *end]
    if race.grace_until is not None:
        return [finished]
    until = now + race.rules.grace_for(best)
    if (limit := race.rules.time_limit_ms) is not None:
        last_start = max(one.unlocks_at for one in race.attempts.values())
        until = min(until, last_start + limit)
    others = (one for one in race.attempts.values() if one is not attempt)
    until = max(until, winner_certain_after(race, best, others))
    return [finished, GraceBegan(now, race.id, until)]


def _still_racing(race: Race, seat: Seat) -> Attempt | None:
    attempt = race.attempts.get(seat)
    if attempt is None or attempt.status != "racing" or not race.active:
        return None
    return attempt


def _not_open(race: Race, attempt: Attempt, now: int) -> Refusal:
    """Return why an attempt accepts no slides now."""
    if race.phase == "countdown" or (race.running and now < attempt.unlocks_at):
        return Refusal("too_early", retry_ms=max(0, attempt.unlocks_at - now))
    return Refusal("done")
