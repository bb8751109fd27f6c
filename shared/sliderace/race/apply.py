"""How a record changes a race: the one place where its state is written.

Records are facts: they were decided once, and applying them asks nothing again. The
same fold serves a live room, its recovery after a crash, a replay and the tests.
"""

from dataclasses import replace
from typing import assert_never

from sliderace.engine import Board, progress_permille
from sliderace.race.log_records import (
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
    RaceLocked,
    RacerDisconnected,
    RaceRecord,
    RacerReconnected,
    RaceStarted,
    RosterFrozen,
    Slid,
    TimeCalled,
    WinnerKnown,
)
from sliderace.race.state import HOLD_MS, Attempt, Outage, Played, Race

__all__ = ["apply", "recovered", "slide"]


def apply(race: Race | None, record: RaceRecord) -> Race:
    """The race after a record.

    Args:
        race: the race before; it is changed in place. None before any race.
        record: what happened to it; `RaceCreated` replaces whatever was there.

    Returns:
        The race; for all records but `RaceCreated` the same object.

    Raises:
        ValueError: the record is of another race.
        IllegalSlide: a `Slid` holds an impossible slide. Neither can come from
            `decide`: the log is damaged.
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
            race.hold_until = 0  # it was begun after the failure: nothing to make good
        case CountdownStopped():
            race.phase = "lobby"
        case RosterFrozen():
            _freeze(race, record)
        case NonceRevealed():
            race.told = {**race.told, record.seat: record.nonce}
        case RaceLocked():
            _lock(race, record)
        case Postponed():
            _postpone(race, record)
        case RaceStarted():
            race.phase = "racing"
            for attempt in race.attempts.values():
                attempt.seen = attempt.away_since is None
        case GraceBegan():
            race.phase = "grace"
            race.grace_until = record.until
        case TimeCalled():
            race.called = True
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
    """`apply` for slides, the hot path.

    Args:
        race: the one that the record names; it is changed in place.
        record: what its seat slid.

    Raises:
        IllegalSlide: as `apply`.
    """
    t, made = record.t, record.slides
    attempt = race.attempts[record.seat]
    board, slides = attempt.board, attempt.slides
    last = slides[-1].direction if slides else ""
    nearest = board.md
    for direction, count, stamp in made:
        board.slide(direction, count)
        slides.append(Played._make((direction, count, stamp, t)))
        attempt.stm += count
        if direction != last:
            attempt.mtm += 1
            last = direction
        if board.md < nearest:
            nearest = board.md
    high = progress_permille(nearest, attempt.md0)
    if high > attempt.high:
        attempt.high, attempt.high_at = high, t
    if record.approx:
        attempt.approx = True


def recovered(race: Race, down: int, now: int) -> None:
    """Restart the clocks of a race that was read from the log after a failure.

    Belongs to the fold: call it when the record of a new epoch is applied, with that
    record's time. All connections are gone, so every racer is away from now on; no
    deadline fires for `HOLD_MS`; a start that would fall into that time is postponed
    by `decide.due`.

    Args:
        race: the race, changed in place.
        down: room time of the last record before, ms: the failure came after it.
        now: room time of the recovery, ms.
    """
    undoable = [
        attempt
        for attempt in race.attempts.values()
        if attempt.status == "forfeited" and down < race.final_at(attempt)
    ]
    race.hold_until = now + HOLD_MS
    for attempt in race.attempts.values():
        races = attempt.status == "racing"
        if races:
            attempt.away_since = now
        if race.running and down < now and (races or attempt in undoable):
            attempt.outages += (Outage(down, now),)


def _freeze(race: Race, record: RosterFrozen) -> None:
    race.locked = True
    race.t0 = record.t0
    race.roster = record.roster
    committed = zip(record.roster, record.commitments, strict=True)
    race.commitments = {seat: text for seat, text in committed if text}


def _lock(race: Race, record: RaceLocked) -> None:
    race.t0 = record.t0
    race.seed = record.seed
    race.board = record.board
    told = zip(record.roster, record.nonces, strict=True)
    race.nonces = {seat: nonce for seat, nonce in told if nonce}
    for seat, s in zip(record.roster, record.starts, strict=True):
        board = Board(race.size, record.board)
        race.attempts[seat] = Attempt(seat, board, board.md, s, high_at=s)


def _postpone(race: Race, record: Postponed) -> None:
    race.t0 = record.t0
    for attempt, s in zip(race.attempts.values(), record.starts, strict=True):
        attempt.s = attempt.high_at = s


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
            _back(attempt, record.t)
        case RacerDisconnected():
            attempt.away_since = record.t
        case RacerReconnected():
            attempt.status, attempt.why = "racing", ""
            attempt.away_since = None
            attempt.seen = started
            _back(attempt, record.t)
        case DidNotFinish():
            began = attempt.seen or attempt.slides
            attempt.status = "dnf" if began else "dns"
            attempt.why = record.why
        case _:
            assert_never(record)


def _back(attempt: Attempt, t: int) -> None:
    """Whoever a failure of ours drove away is here again."""
    attempt.outages = tuple(
        replace(outage, back=t) if outage.back is None else outage
        for outage in attempt.outages
    )
