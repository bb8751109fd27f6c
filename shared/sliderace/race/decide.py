"""What may happen in a race: every command asks here, and nothing is changed.

Each function answers with the records that carry the command out, in order; with an
empty list where it is already so (commands come twice, and late); or with a `Refusal`.
Give the records to `sliderace.race.apply.apply` before you decide the next thing.

Before any command, give the clock its due: `due` fires every deadline that has passed.
Times are room time in ms. After every change the question is asked again: is it over?
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from sliderace.engine import Size, commitment, scramble, seed_of
from sliderace.race import timing
from sliderace.race.deadlines import (
    after,
    due,
    lock_due,
    may_race,
    next_deadline,
    postponed,
    starts,
)
from sliderace.race.records import (
    CountdownBegan,
    CountdownStopped,
    DidNotFinish,
    Finished,
    Forfeited,
    ForfeitUndone,
    GraceBegan,
    LoggedSlide,
    RaceAborted,
    RaceEnded,
    RaceLocked,
    RaceMade,
    RaceRecord,
    Returned,
    Seat,
    Slid,
    WentAway,
)
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules
from sliderace.race.state import COMMIT_MS, LOCK_MS, Attempt, Race

__all__ = [
    "MAX_TILES",
    "Decision",
    "abort",
    "begin_countdown",
    "call_time",
    "due",
    "forfeit",
    "leave",
    "lock",
    "lock_due",
    "make",
    "next_deadline",
    "postpone",
    "returned",
    "slides",
    "stop_countdown",
    "undo_forfeit",
    "went_away",
]

MAX_TILES = 20_000
"""Per seat and race: ten times the longest human solve of a 10x10; bounds the memory
and the log that one seat can cost."""

Decision = list[RaceRecord] | Refusal


def make(
    race_id: str, rules: Rules, secret: bytes, now: int, known_seed: str = ""
) -> RaceMade:
    """Prepare a race. Store the record before anybody is shown its commitment.

    Args:
        race_id: 1 ... 32 of ``A-Z 0-9 -``.
        rules: how it will be run.
        secret: S, 32 random bytes.
        now: room time, ms.
        known_seed: 64 hex digits of a seed given in advance; such a race makes no
            claim to fairness.

    Raises:
        BadSeed: the race id or the secret is not of that form.
    """
    committed = commitment(race_id, Size.parse(rules.size), secret)
    return RaceMade(now, race_id, rules, secret.hex(), committed, known_seed)


def begin_countdown(race: Race, now: int) -> Decision:
    """Start: T0 is announced. Who races is decided later, at the lock."""
    match race.phase:
        case "lobby":
            return [CountdownBegan(now, race.id, now + race.rules.countdown_ms)]
        case "countdown":
            return []
        case _:
            return Refusal("wrong_phase")


def stop_countdown(race: Race, why: str, now: int) -> Decision:
    """Back to the lobby, as long as nothing is locked; see also `abort`."""
    match race.phase:
        case "lobby":
            return []
        case "countdown" if not race.locked:
            return [CountdownStopped(now, race.id, why)]
        case _:
            return Refusal("wrong_phase")


def abort(race: Race, now: int, why: str = "host") -> Decision:
    """Call the countdown or the race off; an aborted race has no results.

    A locked race is never taken up again: its board may have been seen.
    """
    match race.phase:
        case "lobby" | "aborted":
            return []
        case "countdown" if not race.locked:
            return [CountdownStopped(now, race.id, why)]
        case "countdown" | "racing" | "grace":
            return [RaceAborted(now, race.id, why)]
        case _:
            return Refusal("wrong_phase")


def lock(
    race: Race, roster: Iterable[Seat], now: int, away: Collection[Seat] = ()
) -> Decision:
    """Fix roster, seed and board. Commit the records `COMMIT_MS` before T0.

    Args:
        race: a race in its countdown.
        roster: the seats that race, in any order.
        now: room time, ms; where it is late, T0 moves so that the lock can be
            committed in time.
        away: those of the roster whose connection is lost; they start all the same.

    Returns:
        `RaceLocked` and a `WentAway` for each seat of `away`; or the refusals
        ``wrong_phase`` and ``nobody_ready``.
    """
    if race.phase != "countdown":
        return Refusal("wrong_phase")
    if race.locked:
        return []
    seats = tuple(sorted(set(roster)))
    if not seats:
        return Refusal("nobody_ready")
    t0 = race.t0 if now <= race.t0 - COMMIT_MS else now + LOCK_MS
    seed = _seed(race)
    board = scramble(seed, race.size).tiles
    unlocked = starts(race, t0, len(seats))
    return [
        RaceLocked(now, race.id, t0, seed.hex(), board, seats, unlocked),
        *(WentAway(now, race.id, seat) for seat in seats if seat in away),
    ]


def postpone(race: Race, now: int) -> Decision:
    """The lock is not durable `COMMIT_MS` before T0: T0 moves, for everybody alike.

    Asked too early or twice, it changes nothing; once the race runs it is refused.
    """
    if race.phase != "countdown" or not race.locked:
        return Refusal("wrong_phase")
    if now < race.t0 - COMMIT_MS:
        return []
    return [postponed(race, now + LOCK_MS, now)]


def slides(
    race: Race,
    seat: Seat,
    seq: int,
    batch: Sequence[LoggedSlide],
    approx: bool,
    now: int,
    line: timing.Line = timing.UNMEASURED,
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
        line: the seat's connection; `timing.UNMEASURED` earns no credit.
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
    if seq + len(batch) - 1 <= attempt.seq:
        return []
    if no := _closed(race, attempt, now):
        return no
    if seq > attempt.seq + 1:
        return Refusal("gap", "seq", str(seq))
    new = batch[attempt.seq + 1 - seq :]
    board = attempt.board.copy()
    for n, (direction, tiles, _) in enumerate(new, 1):
        if not board.try_slide(direction, tiles):
            return Refusal("illegal", "slides", f"{direction}{tiles}")
        if board.is_solved:
            new = new[:n]
            break
    if attempt.stm + sum(tiles for _, tiles, _ in new) > max_tiles:
        return Refusal("too_many_tiles")
    first = attempt.seq + 1
    slid = Slid(now, race.id, seat, first, tuple(new), approx)
    if not board.is_solved:
        return [slid]
    stamped = line.samples and not (approx or attempt.approx)
    e = new[-1][2] if stamped else None
    return [slid, *_finish(race, attempt, e, line, now)]


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
    return [WentAway(now, race.id, seat)]


def returned(race: Race, seat: Seat, now: int) -> list[RaceRecord]:
    """The seat is connected again; who was out for being away races on."""
    attempt = race.attempts.get(seat)
    if attempt is None or attempt.away_since is None or not _is_on(race):
        return []
    if attempt.status != "racing" and attempt.why != "away":
        return []
    return [Returned(now, race.id, seat)]


def leave(
    race: Race, seat: Seat, why: Literal["left", "kicked"], now: int
) -> list[RaceRecord]:
    """The seat's holder left the room for good, or was sent out of it."""
    if _still_racing(race, seat) is None:
        return []
    return [DidNotFinish(now, race.id, seat, why), *after(race, now, {seat})]


def call_time(race: Race, now: int) -> Decision:
    """End the grace time now."""
    match race.phase:
        case "grace":
            out = {
                seat for seat, one in race.attempts.items() if one.status == "racing"
            }
            records = [DidNotFinish(now, race.id, seat, "called") for seat in out]
            return [*records, RaceEnded(now, race.id)]
        case "results":
            return []
        case _:
            return Refusal("wrong_phase")


def _finish(
    race: Race, attempt: Attempt, e: int | None, line: timing.Line, now: int
) -> list[RaceRecord]:
    g = now - attempt.s
    best = timing.official(g, e, line)
    known = line.known
    finished = Finished(
        t=now,
        race=race.id,
        seat=attempt.seat,
        s=attempt.s,
        g=g,
        e=e,
        rtt=known.rtt_ms,
        jitter=known.jitter_ms,
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
    return [finished, GraceBegan(now, race.id, until)]


def _is_on(race: Race) -> bool:
    """Whether a race with a roster has not ended."""
    return race.running or race.phase == "countdown"


def _still_racing(race: Race, seat: Seat) -> Attempt | None:
    attempt = race.attempts.get(seat)
    if attempt is None or attempt.status != "racing" or not _is_on(race):
        return None
    return attempt


def _closed(race: Race, attempt: Attempt, now: int) -> Refusal | None:
    """Why this attempt takes no slides at the moment, if so."""
    early = race.phase == "countdown" or (race.running and now < attempt.s)
    if early:
        return Refusal("too_early", retry_ms=max(0, attempt.s - now))
    ends = race.ends_at(attempt)
    if not race.running or attempt.status != "racing":
        return Refusal("done")
    return Refusal("done") if ends is not None and ends <= now else None


def _seed(race: Race) -> bytes:
    if race.known_seed:
        return bytes.fromhex(race.known_seed)
    return seed_of(race.id, race.size, bytes.fromhex(race.secret))
