"""What the clock decides in a race, and the question after every change: is it over?

Used through `sliderace.race.decide`.
"""

import copy
from collections.abc import Collection, Iterable

from sliderace.race.apply import apply
from sliderace.race.log_records import (
    DidNotFinish,
    Postponed,
    RaceAborted,
    RaceEnded,
    RaceRecord,
    RaceStarted,
    Seat,
    WinnerKnown,
)
from sliderace.race.state import HOLD_MS, LOCK_MS, NONCES_MS, Attempt, Race
from sliderace.race.timing import FRIENDLY_MS, JITTER_CEILING_MS, RTT_CEILING_MS

__all__ = [
    "after",
    "certain_after",
    "certain_at",
    "draw_due",
    "due",
    "freeze_due",
    "may_race",
    "next_deadline",
    "postponed",
]


def freeze_due(race: Race, now: int) -> bool:
    """Whether the room must freeze the roster now; `next_deadline` asks for it too."""
    waiting = race.phase == "countdown" and not race.locked
    return waiting and race.hold_until <= race.t0 <= now + LOCK_MS


def draw_due(race: Race, now: int) -> bool:
    """Whether the room must draw the board now; `next_deadline` asks for it too.

    That is as soon as every nonce has come that was committed to, or no more is waited
    for.
    """
    waiting = race.phase == "countdown" and race.locked and not race.drawn
    return waiting and race.hold_until <= race.t0 and _draw_at(race) <= now


def _draw_at(race: Race) -> int:
    complete = len(race.told) == len(race.commitments)
    return race.t0 - (LOCK_MS if complete else NONCES_MS)


def next_deadline(race: Race) -> int | None:
    """Room time at which `due`, the freezing of the roster or the draw is asked for.

    None: never. It may lie in the past: then that is overdue.
    """
    if race.phase == "countdown":
        if race.t0 < race.hold_until:
            return race.hold_until - HOLD_MS
        if race.locked:
            return race.t0 if race.drawn else _draw_at(race)
        return race.t0 - LOCK_MS
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
    if (known := _winner_known_at(race)) is not None:
        ends.append(known)
    return min(ends, default=None)


def certain_after(race: Race, best: int, others: Iterable[Attempt]) -> int:
    """Room time from which none of the others can beat or share the best time.

    A slide that arrives now takes at least ``now - s - K``; K is bounded whatever the
    line, but for what an outage of ours covers.

    Args:
        race: theirs.
        best: the official time, ms.
        others: those who have not finished.
    """
    credit = RTT_CEILING_MS + JITTER_CEILING_MS
    credit += FRIENDLY_MS if race.rules.friendly_timing else 0
    latest = (
        one.s + best + credit + sum(outage.end - outage.down for outage in one.outages)
        for one in others
    )
    return max(latest, default=race.t0) + 1


def certain_at(race: Race) -> int | None:
    """The same for the first place as it stands; None: nobody has finished."""
    attempts = race.attempts.values()
    done = [one.finish.official for one in attempts if one.finish]
    others = (one for one in attempts if one.finish is None)
    return certain_after(race, min(done), others) if done else None


def _winner_known_at(race: Race) -> int | None:
    """When that is to be noted; None: it was, or nobody has finished."""
    certain = None if race.winner_known else certain_at(race)
    return None if certain is None else race.held(certain)


def due(race: Race, now: int) -> list[RaceRecord]:
    """What the clock has decided: every deadline that has passed, in order of time.

    Postponement after a recovery, T0, time limit, grace time, away limit, the end of a
    forfeit's undo, the certainty of the first place. Freezing and draw are the room's
    word and wait for it.
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
    """What the deadline `at`, the next one, brings about; nothing if the room must."""
    if race.phase == "countdown":
        if race.t0 < race.hold_until:
            return [_after_outage(race, now)]
        return [RaceStarted(now, race.id)] if race.drawn else []
    out = {
        seat: why
        for seat, attempt in race.attempts.items()
        if attempt.status == "racing" and (why := _why_out(race, attempt, at))
    }
    records: list[RaceRecord] = [
        DidNotFinish(now, race.id, seat, why) for seat, why in out.items()
    ]
    if (known := _winner_known_at(race)) is not None and known <= at:
        records.append(WinnerKnown(now, race.id))
    return [*records, *after(race, now, out)]


def _after_outage(race: Race, now: int) -> Postponed | RaceAborted:
    """A start that fell into a failure of ours: later, if nobody can know the board."""
    reveals = [one.s - race.rules.inspection_ms for one in race.attempts.values()]
    if reveals and min(reveals) <= race.hold_until - HOLD_MS:
        return RaceAborted(now, race.id, "outage")
    return postponed(race, race.hold_until, now)


def _why_out(race: Race, attempt: Attempt, at: int) -> str:
    ends, away = race.ends_at(attempt), race.away_until(attempt)
    if ends is not None and ends <= at:
        limit, grace = race.rules.time_limit_ms, race.grace_until
        by_grace = grace is not None and (limit is None or grace < attempt.s + limit)
        after_call = "called" if race.called else "grace"
        return after_call if by_grace else "limit"
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


def postponed(race: Race, t0: int, now: int) -> Postponed:
    """The start moves to `t0`, for everybody alike, before or after the draw."""
    later = t0 - race.t0
    starts = tuple(attempt.s + later for attempt in race.attempts.values())
    return Postponed(now, race.id, t0, starts)


def _sketch(race: Race) -> Race:
    """A copy to apply anything to but slides."""
    sketch = copy.copy(race)
    sketch.attempts = {seat: copy.copy(one) for seat, one in race.attempts.items()}
    return sketch
