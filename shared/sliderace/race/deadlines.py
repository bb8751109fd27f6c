"""What the clock decides in a race, and when a race is over.

Nothing in a race happens on its own: the room asks `next_deadline` when to wake up, and
`fire_deadlines` what has happened by then. The deadlines are

- in the countdown: the freeze of the roster and the draw of the board, which the room
  decides itself (`freeze_due`, `draw_due`) since it knows who is ready; then T0;
- in the race: each racer's time limit, the grace time, and the away limit of a racer
  whose connection is lost. Each ends that racer's attempt as a DNF;
- the certainty of the first place: `winner_certain_at`;
- if nobody races any more: the time from which no forfeit can be undone.

After every change that can end an attempt, `end_if_over` decides whether the race is
over: it is when no attempt goes on and no forfeit can be undone.

After an outage no deadline fires for a while (`Race.hold_until`). A start that falls
into that time after a recovery, or missed a step in a stall, is postponed, unless
somebody may have seen the board: then the race is aborted.

`sliderace.race.decide` re-exports what other packages need.
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
from sliderace.race.state import FREEZE_MS, NONCE_DEADLINE_MS, Attempt, Race
from sliderace.race.timing import credit_ceiling

__all__ = [
    "draw_due",
    "end_if_over",
    "fire_deadlines",
    "freeze_due",
    "may_still_race",
    "next_deadline",
    "postponement",
    "winner_certain_after",
    "winner_certain_at",
]


def freeze_due(race: Race, now: int) -> bool:
    """Return whether the room must freeze the roster now."""
    waiting = race.phase == "countdown" and not race.frozen
    return waiting and race.disturbed_at is None and race.t0 <= now + FREEZE_MS


def draw_due(race: Race, now: int) -> bool:
    """Return whether the room must draw the board now.

    That is when every nonce with a commitment has arrived, or when it is too late.
    """
    waiting = race.phase == "countdown" and race.frozen and not race.drawn
    return waiting and race.disturbed_at is None and _draw_at(race) <= now


def _draw_at(race: Race) -> int:
    complete = len(race.revealed) == len(race.commitments)
    return race.t0 - (FREEZE_MS if complete else NONCE_DEADLINE_MS)


def next_deadline(race: Race) -> int | None:
    """Return the room time of the next deadline; None: there is none.

    Then ask `fire_deadlines`, `freeze_due` and `draw_due`. The time may have passed.
    """
    if race.phase == "countdown":
        if race.disturbed_at is not None:
            return race.disturbed_at
        if race.frozen:
            return race.t0 if race.drawn else _draw_at(race)
        return race.t0 - FREEZE_MS
    if not race.running:
        return None
    attempts = race.attempts.values()
    racing = [attempt for attempt in attempts if attempt.status == "racing"]
    if not racing:
        forfeited = (one for one in attempts if one.status == "forfeited")
        return max(map(race.forfeit_final_at, forfeited), default=race.t0)
    ends = [
        end
        for attempt in racing
        for end in (race.ends_at(attempt), race.away_until(attempt))
        if end is not None
    ]
    if (certain := _winner_known_at(race)) is not None:
        ends.append(certain)
    return min(ends, default=None)


def winner_certain_after(race: Race, best: int, others: Iterable[Attempt]) -> int:
    """Return the room time from which nobody else can reach the best time.

    A slide that arrives at `now` gives a time of at least ``now - s - K``, where s is
    the moment the board was unlocked. K is bounded for any connection, except for what
    an outage of the server covers.

    Args:
        race: the race.
        best: the best official time, ms.
        others: attempts that have not finished.
    """
    credit = credit_ceiling(friendly=race.rules.friendly_timing)
    latest = (one.unlocks_at + best + credit + one.most_outage_ms for one in others)
    return max(latest, default=race.t0) + 1


def winner_certain_at(race: Race) -> int | None:
    """Return `winner_certain_after` for the best time; None: nobody has finished."""
    attempts = race.attempts.values()
    times = [one.finish.official for one in attempts if one.finish]
    others = (one for one in attempts if one.finish is None)
    return winner_certain_after(race, min(times), others) if times else None


def _winner_known_at(race: Race) -> int | None:
    """Return when `WinnerKnown` is due; None: it was, or nobody has finished.

    An outage does not hold it: the time that it cost the others is already counted.
    """
    return None if race.winner_known else winner_certain_at(race)


def fire_deadlines(race: Race, now: int) -> list[RaceRecord]:
    """Return the records of every deadline that has passed, in order of time.

    It stops at a freeze or a draw, which the room decides.
    """
    records: list[RaceRecord] = []
    preview = race
    while (at := next_deadline(preview)) is not None and at <= now:
        fired = _fire(preview, at, now)
        if not fired:
            break
        records += fired
        if preview is race:
            preview = _copy(race)
        for record in fired:
            apply(preview, record)
    return records


def _fire(race: Race, at: int, now: int) -> list[RaceRecord]:
    """Return the records of the deadline `at`; empty if the room must decide it."""
    if race.phase == "countdown":
        if race.disturbed_at is not None:
            return [_after_outage(race, race.disturbed_at, now)]
        return [RaceStarted(now, race.id)] if race.drawn else []
    out = {
        seat: why
        for seat, attempt in race.attempts.items()
        if attempt.status == "racing" and (why := _why_out(race, attempt, at))
    }
    records: list[RaceRecord] = [
        DidNotFinish(now, race.id, seat, why) for seat, why in out.items()
    ]
    if (certain := _winner_known_at(race)) is not None and certain <= at:
        records.append(WinnerKnown(now, race.id))
    return [*records, *end_if_over(race, now, out)]


def _after_outage(race: Race, up: int, now: int) -> Postponed | RaceAborted:
    """Postpone a start that an outage disturbed, if nobody can know the board."""
    if race.drawn and min(race.reveals) <= up:
        return RaceAborted(now, race.id, "outage")
    return postponement(race, race.hold_until, now)


def _why_out(race: Race, attempt: Attempt, at: int) -> str:
    """Return the reason why an attempt ends at `at`; empty: it does not."""
    ends, away = race.ends_at(attempt), race.away_until(attempt)
    if ends is not None and ends <= at:
        limit, grace = race.rules.time_limit_ms, race.grace_until
        by_grace = grace is not None and (
            limit is None or grace < attempt.unlocks_at + limit
        )
        grace_reason = "called" if race.time_called else "grace"
        return grace_reason if by_grace else "limit"
    return "away" if away is not None and away <= at else ""


def end_if_over(race: Race, now: int, out: Collection[Seat]) -> list[RaceRecord]:
    """Return the record that ends the race if it is over, else nothing.

    Args:
        race: the race before the change.
        now: room time, ms.
        out: seats whose attempts the change ends.
    """
    if any(
        seat not in out and may_still_race(race, attempt, now)
        for seat, attempt in race.attempts.items()
    ):
        return []
    if race.running or race.is_revealed(now):
        return [RaceEnded(now, race.id)]
    return [RaceAborted(now, race.id, "nobody_left")]


def may_still_race(race: Race, attempt: Attempt, now: int) -> bool:
    """Return whether an attempt goes on, or can by undoing its forfeit."""
    if attempt.status == "forfeited":
        return now < race.forfeit_final_at(attempt)
    return attempt.status == "racing"


def postponement(race: Race, t0: int, now: int) -> Postponed:
    """Return the record that moves T0, and all starts equally."""
    later = t0 - race.t0
    starts = tuple(attempt.unlocks_at + later for attempt in race.attempts.values())
    return Postponed(now, race.id, t0, starts)


def _copy(race: Race) -> Race:
    """Return a copy to which all records except slides can be applied."""
    preview = copy.copy(race)
    preview.attempts = {seat: copy.copy(one) for seat, one in race.attempts.items()}
    return preview
