"""Events of a room's stream, made from log records.

Events go to all members, so they contain nothing that only some may see: boards are
sent separately, see `room.visibility`, and neither the secret, the seed nor the board
of a race is in an event before its end.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, assert_never

import msgspec

from sliderace.engine import Board, format_board
from sliderace.protocol import messages
from sliderace.protocol.messages import (
    Event,
    PhaseEvent,
    RoomEvent,
    SeatNonce,
    Snapshot,
    StandingEvent,
)
from sliderace.race.daily import date_text
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
    Seat,
    Slid,
    TimeCalled,
    WinnerKnown,
)
from sliderace.race.ranking import Row, standings
from sliderace.race.series import Series, average_of, ranked
from sliderace.race.state import Race
from sliderace_server.room.log_records import (
    Alive,
    BenchChanged,
    Checkpoint,
    Closed,
    Connected,
    Disconnected,
    Entered,
    EpochBegan,
    Gone,
    HostChanged,
    HostStarted,
    InputDeclared,
    ListingChanged,
    LockChanged,
    MemberRecord,
    MuteChanged,
    NonceCommitted,
    ProfileKnown,
    ReadyChanged,
    Record,
    Renamed,
    RoleChanged,
    RoomOpened,
    SeriesBegan,
    Stalled,
    StartPlanned,
    TokenIssued,
    WallClockSet,
)
from sliderace_server.room.state import MemberState, RoomState

__all__ = [
    "adjust_time_left",
    "board_text",
    "member_of",
    "nonce_commitments",
    "phase_in_ms",
    "present",
    "results_of",
    "room_of",
    "series_table",
    "standings_of",
]


RoomWhy = Literal["settings", "race"]
MemberWhy = Literal[
    "joined",
    "ready",
    "unready",
    "connected",
    "disconnected",
    "benched",
    "unbenched",
    "role",
    "idle",
    "renamed",
    "muted",
    "unmuted",
]


def present(record: Record, state: RoomState) -> Event | None:
    """Return the event of a record; None if it has none, see `has_event`.

    Args:
        record: the record that was applied last.
        state: the room right after it. Remaining times are as of the record's time.
    """
    if isinstance(record, MemberRecord):
        return _room_event(record, state)
    return _race_event(record, state)


def adjust_time_left(event: Event, ms: int) -> Event:
    """Return an event to be sent `ms` later: its remaining time is shorter."""
    if isinstance(event, PhaseEvent | Snapshot) and event.in_ms is not None:
        return msgspec.structs.replace(event, in_ms=max(0, event.in_ms - ms))
    return event


def phase_in_ms(state: RoomState, now: int) -> int | None:
    """Return the time until the phase ends by the clock, ms; None: it does not."""
    until = state.race.phase_until
    if state.race.phase in ("lobby", "results"):
        until = state.start_at
    return None if until is None or state.closed else max(0, until - now)


def room_of(state: RoomState) -> messages.Room:
    """Return the room's settings and host."""
    return messages.Room(
        code=state.code,
        public=state.public,
        locked=state.locked,
        host=state.host,
        rules=state.race.rules,
        race=state.race.id,
        commitment=state.race.commitment,
        seed_known=bool(state.race.known_seed),
        kind=state.kind,
        day=date_text(state.day) if state.day else "",
    )


def member_of(member: MemberState) -> messages.Member:
    """Return what others may know about a member."""
    return messages.Member(
        id=member.id,
        name=member.name,
        role=member.role,
        seat=member.seat,
        ready=member.ready,
        connected=member.connected,
        benched=member.benched,
        bot=member.bot,
        level=member.level,
        pace_ms=member.pace_ms,
        muted=member.muted,
    )


def standings_of(
    state: RoomState, rows: Sequence[Row] | None = None
) -> list[messages.Standing]:
    """Return the standings, best first; none before the lock.

    Args:
        state: the room.
        rows: the standings as the receiver may know them; None: the current ones.
    """
    shown = standings(state.race) if rows is None else rows
    return [_standing(state, row) for row in shown]


def results_of(state: RoomState) -> messages.Results:
    """Return the results of the race, with its secret, which is public now."""
    race = state.race
    return messages.Results(
        o=state.offset,
        race=race.id,
        standings=standings_of(state),
        board=board_text(state),
        seed=race.seed,
        secret=None if race.known_seed else race.secret,
        nonces=[
            SeatNonce(seat, race.commitments.get(seat), race.nonces.get(seat))
            for seat in race.roster
        ],
        friendly_timing=race.rules.friendly_timing,
        record=f"/api/races/{race.id}",
    )


def series_table(series: Series) -> messages.SeriesTable:
    """Return a series as its members see it."""
    rows: list[messages.SeriesRow] = []
    for place, score in ranked(series):
        found = average_of(series, score)
        rows.append(
            messages.SeriesRow(
                place=place,
                member=score.member,
                name=score.name,
                bot=score.bot,
                races=score.races,
                wins=score.wins,
                points=score.points,
                best_ms=score.best_ms,
                average_ms=found if isinstance(found, int) else None,
                average_dnf=found == "dnf",
            )
        )
    return messages.SeriesTable(
        series.format, series.n, series.by, series.races, series.over, rows
    )


def board_text(state: RoomState) -> str:
    """Return the start board of a locked race. It is secret before T0!"""
    return format_board(Board(state.race.size, state.race.board))


def _room_event(record: MemberRecord, state: RoomState) -> Event | None:
    match record:
        case Entered(member=member):
            return _member(state, member, "joined")
        case Connected(member=member):
            return _member(state, member, "connected")
        case Disconnected(member=member):
            return _member(state, member, "disconnected")
        case RoleChanged(member=member, idle=idle):
            return _member(state, member, "idle" if idle else "role")
        case Renamed(member=member):
            return _member(state, member, "renamed")
        case MuteChanged(member=member, on=on):
            return _member(state, member, "muted" if on else "unmuted")
        case ReadyChanged(member=member, on=on):
            return _member(state, member, "ready" if on else "unready")
        case BenchChanged(member=member, on=on):
            return _member(state, member, "benched" if on else "unbenched")
        case Gone(member=member, why=why):
            return messages.Gone(state.offset, member, why)
        case HostChanged():
            return RoomEvent(state.offset, room_of(state), "host")
        case LockChanged():
            return RoomEvent(state.offset, room_of(state), "lock")
        case ListingChanged():
            return RoomEvent(state.offset, room_of(state), "settings")
        case StartPlanned():
            return _phase(state, "too_few" if state.start_expired else "")
        case Closed(why=why):
            return messages.Closed(state.offset, why)
        case RoomOpened() | EpochBegan() | HostStarted() | NonceCommitted():
            return None
        case SeriesBegan() | ProfileKnown() | InputDeclared():
            return None
        case Alive() | Stalled() | WallClockSet() | TokenIssued() | Checkpoint():
            return None
        case _:
            assert_never(record)


def _race_event(record: RaceRecord, state: RoomState) -> Event | None:
    match record:
        case RaceCreated():
            cause: RoomWhy = "settings" if state.replaced else "race"
            return RoomEvent(state.offset, room_of(state), cause)
        case (
            CountdownBegan()
            | BoardDrawn()
            | RaceStarted()
            | GraceBegan()
            | TimeCalled()
        ):
            return _phase(state)
        case RosterFrozen():
            return _roster(state)
        case WinnerKnown():
            return _winner(state)
        case Postponed():
            return _phase(state, "postponed")
        case CountdownStopped(why=why) | RaceAborted(why=why):
            return _phase(state, why)
        case (
            Finished(seat=seat)
            | Forfeited(seat=seat)
            | ForfeitUndone(seat=seat)
            | RacerReconnected(seat=seat)
            | DidNotFinish(seat=seat)
        ):
            row = _row_for_all(state, seat)
            return StandingEvent(state.offset, state.race.id, _standing(state, row))
        case RaceEnded():
            return results_of(state)
        case Slid() | RacerDisconnected() | NonceRevealed():
            return None
        case _:
            assert_never(record)


def _row_for_all(state: RoomState, seat: Seat) -> Row:
    """Return a racer's standing as all members may know it.

    With a spectator delay, the progress of racers is sent separately.
    """
    row = next(row for row in standings(state.race) if row.seat == seat)
    if row.status == "racing" and state.race.rules.spectator_delay_ms:
        return replace(row, stm=0, mtm=0, high=0)
    return row


def _member(state: RoomState, member: int, why: MemberWhy) -> Event:
    return messages.MemberEvent(state.offset, member_of(state.members[member]), why)


def _phase(state: RoomState, why: str = "") -> Event:
    return PhaseEvent(
        o=state.offset,
        race=state.race.id,
        phase=state.phase,
        in_ms=phase_in_ms(state, state.t),
        roster=[*state.race.roster],
        why=why,
    )


def nonce_commitments(state: RoomState) -> list[str | None]:
    """Return the nonce commitments by seat of the roster; none before it is frozen."""
    race = state.race
    return [race.commitments.get(seat) for seat in race.roster]


def _roster(state: RoomState) -> Event:
    race = state.race
    return messages.RosterEvent(
        state.offset, race.id, [*race.roster], nonce_commitments(state)
    )


def _winner(state: RoomState) -> Event:
    seats = [row.seat for row in standings(state.race) if row.place == 1]
    return messages.WinnerEvent(state.offset, state.race.id, sorted(seats))


def _is_final(race: Race, row: Row) -> bool:
    """Return whether this place can no longer change."""
    first = race.winner_known and row.place == 1
    return row.place is not None and (race.phase == "results" or first)


def _standing(state: RoomState, row: Row) -> messages.Standing:
    racer = state.racers[row.seat]
    return messages.Standing(
        seat=row.seat,
        member=racer.member,
        name=racer.name,
        bot=racer.bot,
        status=row.status,
        place=row.place,
        time_ms=row.time_ms,
        solve_ms=row.solve_ms,
        credit_ms=row.credit_ms,
        stm=row.stm,
        mtm=row.mtm,
        high=row.high,
        why=row.why,
        final=_is_final(state.race, row),
        photo=row.photo,
        outage_ms=row.outage_ms,
    )
