"""What the clock decides in a race, and the question after every change: is it over?

Used through `sliderace.race.decide`.
"""

import copy
from collections.abc import Collection

from sliderace.race.apply import apply
from sliderace.race.records import (
    DidNotFinish,
    Postponed,
    RaceAborted,
    RaceEnded,
    RaceRecord,
    RaceStarted,
    Seat,
)
from sliderace.race.state import HOLD_MS, LOCK_MS, Attempt, Race

__all__ = [
    "after",
    "due",
    "lock_due",
    "may_race",
    "next_deadline",
    "postponed",
    "starts",
]


def lock_due(race: Race, now: int) -> bool:
    """Whether the room must lock the race now: `next_deadline` asks for it too."""
    waiting = race.phase == "countdown" and not race.locked
    return waiting and race.hold_until <= race.t0 <= now + LOCK_MS


def next_deadline(race: Race) -> int | None:
    """Room time at which `due` or the lock (see `lock_due`) is asked for; None: never.

    It may lie in the past: then that is overdue.
    """
    if race.phase == "countdown":
        if race.t0 < race.hold_until:
            return race.hold_until - HOLD_MS
        return race.t0 if race.locked else race.t0 - LOCK_MS
    if not race.running:
        return None
    attempts = race.attempts.values()
    racing = [attempt for attempt in attempts if attempt.status == "racing"]
    if not racing:
        final = (race.final_at(one) for one in attempts if one.status == "forfeited")
        return max(final, default=race.t0)
    ends = [
        end
        for attempt in racing
        for end in (race.ends_at(attempt), race.away_until(attempt))
        if end is not None
    ]
    return min(ends, default=None)


def due(race: Race, now: int) -> list[RaceRecord]:
    """What the clock has decided: every deadline that has passed, in order of time.

    Postponement after a recovery, T0, time limit, grace time, away limit, the end of a
    forfeit's undo. The lock is the room's word and waits for it.
    """
    records: list[RaceRecord] = []
    sketch = race
    while (at := next_deadline(sketch)) is not None and at <= now:
        fired = _fire(sketch, at, now)
        if not fired:
            break
        records += fired
        if sketch is race:
            sketch = _sketch(race)
        for record in fired:
            apply(sketch, record)
    return records


def _fire(race: Race, at: int, now: int) -> list[RaceRecord]:
    """What the deadline `at`, the next one, brings about; nothing for the lock."""
    if race.phase == "countdown":
        if race.t0 < race.hold_until:
            return [postponed(race, race.hold_until, now)]
        return [RaceStarted(now, race.id)] if race.locked else []
    out = {
        seat: why
        for seat, attempt in race.attempts.items()
        if attempt.status == "racing" and (why := _why_out(race, attempt, at))
    }
    records = [DidNotFinish(now, race.id, seat, why) for seat, why in out.items()]
    return [*records, *after(race, now, out)]


def _why_out(race: Race, attempt: Attempt, at: int) -> str:
    ends, away = race.ends_at(attempt), race.away_until(attempt)
    if ends is not None and ends <= at:
        limit, grace = race.rules.time_limit_ms, race.grace_until
        by_grace = grace is not None and (limit is None or grace < attempt.s + limit)
        return "grace" if by_grace else "limit"
    return "away" if away is not None and away <= at else ""


def after(race: Race, now: int, out: Collection[Seat]) -> list[RaceRecord]:
    """Is it over? To be asked after every change, with the seats it took out."""
    if any(
        seat not in out and may_race(race, attempt, now)
        for seat, attempt in race.attempts.items()
    ):
        return []
    if race.running:
        return [RaceEnded(now, race.id)]
    return [RaceAborted(now, race.id, "nobody_left")]


def may_race(race: Race, attempt: Attempt, now: int) -> bool:
    """Whether an attempt goes on, or may: its forfeit can still be taken back."""
    if attempt.status == "forfeited":
        return now < race.final_at(attempt)
    return attempt.status == "racing"


def starts(race: Race, t0: int, count: int) -> tuple[int, ...]:
    """s_i of every seat: with inspection the board is unlocked that much later."""
    return (t0 + race.rules.inspection_ms,) * count


def postponed(race: Race, t0: int, now: int) -> Postponed:
    """The start moves to `t0`, before or after the lock."""
    return Postponed(now, race.id, t0, starts(race, t0, len(race.attempts)))


def _sketch(race: Race) -> Race:
    """A copy to apply anything to but slides."""
    sketch = copy.copy(race)
    sketch.attempts = {seat: copy.copy(one) for seat, one in race.attempts.items()}
    return sketch
