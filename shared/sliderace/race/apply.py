"""Fold log records into a race: the only place that changes its state.

Records are facts. They were decided once, so applying them checks nothing again. The
same fold serves a live room, its recovery after a crash, replays and tests.
"""

from dataclasses import replace
from typing import assert_never

from sliderace.engine import Board, progress_permille
from sliderace.race.log_records import (
    BoardDrawn,
    CountdownBegan,
    CountdownStopped,
    DidNotFinish,
    Finished,
    Forfeited,
    ForfeitUndone,
    GraceBegan,
    NonceRevealed,
    Postponed,
    RaceAborted,
    RaceCreated,
    RaceEnded,
    RacerDisconnected,
    RaceRecord,
    RacerReconnected,
    RaceStarted,
    RosterFrozen,
    Slid,
    TimeCalled,
    WinnerKnown,
)
from sliderace.race.state import (
    FREEZE_MS,
    HOLD_MS,
    MAX_OUTAGES,
    NONCE_DEADLINE_MS,
    RECONNECT_MS,
    Attempt,
    Outage,
    PlayedSlide,
    Race,
)

__all__ = ["apply", "held_until", "recovered", "slide", "stalled"]


def apply(race: Race | None, record: RaceRecord) -> Race:
    """Apply a record to a race.

    Args:
        race: the race before the record; it is changed in place. None: no race yet.
        record: what happened; `RaceCreated` replaces the race.

    Returns:
        The race; it is the same object unless the record is `RaceCreated`.

    Raises:
        ValueError: the record belongs to another race. `decide` cannot cause this: the
            log is damaged.
        IllegalSlide: a `Slid` contains an illegal slide; likewise.
    """
    if isinstance(record, RaceCreated):
        return Race(
            id=record.race,
            rules=record.rules,
            secret=record.secret,
            commitment=record.commitment,
            known_seed=record.known_seed,
        )
    if race is None or race.id != record.race:
        raise ValueError(f"a record of race {record.race} does not belong here")
    match record:
        case Slid():
            slide(race, record)
        case CountdownBegan():
            race.phase = "countdown"
            race.t0 = record.t0
            race.hold_until = 0  # this countdown began after the failure
            race.disturbed_at = None
        case CountdownStopped():
            race.phase = "lobby"
        case RosterFrozen():
            _freeze(race, record)
        case NonceRevealed():
            race.revealed = {**race.revealed, record.seat: record.nonce}
        case BoardDrawn():
            _draw(race, record)
        case Postponed():
            _postpone(race, record)
        case RaceStarted():
            race.phase = "racing"
            for attempt in race.attempts.values():
                attempt.was_connected |= attempt.away_since is None
        case GraceBegan():
            race.phase = "grace"
            race.grace_until = record.until
        case TimeCalled():
            race.time_called = True
            race.grace_until = min(race.grace_until or record.until, record.until)
        case WinnerKnown():
            race.winner_known = True
        case RaceEnded():
            race.phase = "results"
            race.ended_at = record.t
        case RaceAborted():
            race.phase = "aborted"
            race.ended_at = record.t
            race.why = record.why
        case _:
            _apply_to(race.attempts[record.seat], record, started=race.running)
    return race


def slide(race: Race, record: Slid) -> None:
    """Apply slides; the hot path of `apply`.

    Args:
        race: the race of the record; it is changed in place.
        record: the slides.

    Raises:
        IllegalSlide: see `apply`.
    """
    t, made = record.t, record.slides
    attempt = race.attempts[record.seat]
    board, slides = attempt.board, attempt.slides
    last = slides[-1].direction if slides else ""
    nearest = board.md
    for direction, count, stamp in made:
        board.slide(direction, count)
        slides.append(PlayedSlide._make((direction, count, stamp, t)))
        attempt.stm += count
        if direction != last:
            attempt.mtm += 1
            last = direction
        if board.md < nearest:
            nearest = board.md
    high = progress_permille(nearest, attempt.start_md)
    if high > attempt.high:
        attempt.high, attempt.high_at = high, t
    if record.approx:
        attempt.approx = True


def recovered(race: Race, down: int, now: int) -> None:
    """Restart the clocks of a race that was read from the log after a failure.

    This is part of the fold: call it when the record of a new epoch is applied, with
    the time of that record. From then on every racer is away, since all connections are
    gone; no deadline fires for `HOLD_MS`; `deadlines` postpones a start that falls into
    that time. Outages beyond `MAX_OUTAGES` are not credited.

    Args:
        race: the race; it is changed in place.
        down: room time of the last record before the failure, ms.
        now: room time of the recovery, ms.
    """
    for attempt in race.attempts.values():
        if attempt.status == "racing":
            attempt.away_since = now
    if _has_too_many_outages(race):
        return
    race.hold_until = now + HOLD_MS
    if race.phase == "countdown" and race.t0 < race.hold_until:
        race.disturbed_at = now
    for attempt in race.attempts.values():
        # Whoever has not finished: a DNF for being away and a forfeit can be undone.
        if race.running and down < now and attempt.finish is None:
            attempt.outages += (Outage(down, now),)


def stalled(race: Race, down: int, now: int) -> None:
    """Make up for a time during which the server ran, but did nothing.

    The connections have survived, and what arrived meanwhile is about to be read. So no
    deadline fires before `held_until`, and nobody counts as longer away. A countdown
    goes on unless it has missed one of its steps, in which case T0 moves. Outages
    beyond `MAX_OUTAGES` are not credited.

    Args:
        race: the race; it is changed in place.
        down: room time at which the server still ran, ms.
        now: room time at which it runs again, ms.
    """
    started = race.running
    if race.phase == "countdown":
        if _missed_step(race, down, now):
            # Not earlier: T0 moves to this time, and all steps must come before it.
            race.disturbed_at, race.hold_until = now, held_until(0, down, now)
            return
        started = race.drawn and race.t0 <= now
    if not started or down >= now or _has_too_many_outages(race):
        return
    race.hold_until = held_until(race.hold_until, down, now)
    for attempt in race.attempts.values():
        if attempt.finish is not None:
            continue
        back = now if attempt.away_since is None else None
        attempt.outages += (Outage(down, now, back),)
        if attempt.away_since is not None:
            attempt.away_since = min(now, attempt.away_since + now - down)


def held_until(hold_until: int, down: int, now: int) -> int:
    """Return the time before which no deadline fires after a stall.

    After a short stall, clients are still connected; a long one breaks connections.
    A stall during a hold extends that hold by its own length, so that clients have time
    to return after a long one. So deadlines fire even if a server stalls again and
    again, as soon as it runs for 3 s, or for longer than it has just stood still.

    Args:
        hold_until: until when deadlines are held already.
        down: when the server last ran, ms.
        now: when it runs again.
    """
    lost = now - down
    if down < hold_until:
        return max(hold_until + lost, now + min(lost, RECONNECT_MS))
    return now + min(max(lost, RECONNECT_MS), HOLD_MS)


def _has_too_many_outages(race: Race) -> bool:
    """Return whether no more outages of this race are credited."""
    attempts = race.attempts.values()
    return any(len(attempt.outages) >= MAX_OUTAGES for attempt in attempts)


def _missed_step(race: Race, down: int, now: int) -> bool:
    """Return whether a stall covered a step of the countdown.

    If it began after every racer was sent the board, nothing is missed. If it began
    between two reveals, one racer would see the board before another.
    """
    if not race.frozen:
        return race.t0 - FREEZE_MS <= now
    if not race.drawn:
        return race.t0 - NONCE_DEADLINE_MS <= now
    return any(down < at <= now for at in race.reveals)


def _freeze(race: Race, record: RosterFrozen) -> None:
    race.frozen = True
    race.t0 = record.t0
    race.roster = record.roster
    committed = zip(record.roster, record.commitments, strict=True)
    race.commitments = {seat: text for seat, text in committed if text}


def _draw(race: Race, record: BoardDrawn) -> None:
    race.t0 = record.t0
    race.seed = record.seed
    race.board = record.board
    used = zip(record.roster, record.nonces, strict=True)
    race.nonces = {seat: nonce for seat, nonce in used if nonce}
    for seat, start in zip(record.roster, record.starts, strict=True):
        board = Board(race.size, record.board)
        race.attempts[seat] = Attempt(seat, board, board.md, start, high_at=start)


def _postpone(race: Race, record: Postponed) -> None:
    race.t0 = record.t0
    race.disturbed_at = None
    for attempt, start in zip(race.attempts.values(), record.starts, strict=True):
        attempt.unlocks_at = attempt.high_at = start


_OfSeat = (
    Finished
    | Forfeited
    | ForfeitUndone
    | RacerDisconnected
    | RacerReconnected
    | DidNotFinish
)


def _apply_to(attempt: Attempt, record: _OfSeat, *, started: bool) -> None:
    match record:
        case Finished():
            attempt.status = "finished"
            attempt.finish = record
        case Forfeited():
            attempt.status = "forfeited"
            attempt.forfeited_at = record.t
        case ForfeitUndone():
            attempt.status = "racing"
            attempt.forfeited_at = None
            _end_outages(attempt, record.t)
        case RacerDisconnected():
            attempt.was_connected |= attempt.unlocks_at <= record.t
            attempt.away_since = record.t
        case RacerReconnected():
            attempt.status, attempt.why = "racing", ""
            attempt.away_since = None
            attempt.late |= started and not attempt.was_connected
            attempt.was_connected |= started
            _end_outages(attempt, record.t)
        case DidNotFinish():
            here = attempt.away_since is None and attempt.unlocks_at <= record.t
            began = attempt.was_connected or here or attempt.slides
            attempt.status = "dnf" if began else "dns"
            attempt.why = record.why
        case _:
            assert_never(record)


def _end_outages(attempt: Attempt, t: int) -> None:
    """Record when a racer whom an outage disconnected is back."""
    stall = attempt.outages[-1] if attempt.awaited_from_stall(t) else None
    attempt.outages = tuple(
        replace(one, back=t) if one.back is None or one is stall else one
        for one in attempt.outages
    )
