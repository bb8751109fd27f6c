"""How a record changes a room: the one place where its state is written.

Records are facts: they were decided once, and applying them asks nothing again. The
same fold serves a live room, its recovery after a crash and the tests.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, assert_never

from sliderace.race.apply import apply as apply_to_race, recovered, slide
from sliderace.race.log_records import (
    CountdownBegan,
    CountdownStopped,
    Forfeited,
    ForfeitUndone,
    NonceRevealed,
    RaceCreated,
    RacerDisconnected,
    RaceRecord,
    RosterFrozen,
    Slid,
)
from sliderace.race.state import HOLD_MS
from sliderace_server.room.log_records import (
    Alive,
    Benched,
    Closed,
    Connected,
    Disconnected,
    DoorChanged,
    Entered,
    EpochBegan,
    Gone,
    HostChanged,
    HostStarted,
    ListingChanged,
    MemberRecord,
    NonceCommitted,
    Readied,
    Record,
    RoleChanged,
    RoomOpened,
    StartPlanned,
    TokenGiven,
    WallSet,
)
from sliderace_server.room.state import MemberState, Racer, RoomState

__all__ = ["apply", "apply_slid", "fold", "takes_offset"]

_UNSEEN = (
    Alive,
    EpochBegan,
    HostStarted,
    NonceCommitted,
    NonceRevealed,
    RoomOpened,
    Slid,
    TokenGiven,
    WallSet,
    RacerDisconnected,
)
"""Records without an event: slides travel as progress, the rest tells nobody anything.
A member whose connection is lost is told of by `Disconnected`."""

_DEEDS = (
    Benched,
    DoorChanged,
    Entered,
    ForfeitUndone,
    Forfeited,
    HostStarted,
    ListingChanged,
    Readied,
    RoleChanged,
)
"""What people do; the rest also happens by itself, and keeps no room open."""


def takes_offset(record: Record) -> bool:
    """Whether the record's event has a number in the room's stream."""
    return not isinstance(record, _UNSEEN)


def fold(records: Iterable[Record]) -> RoomState:
    """The room that a whole log tells of.

    Raises:
        ValueError: it does not begin with `RoomOpened`, or is damaged otherwise.
    """
    state: RoomState | None = None
    for record in records:
        state = apply(state, record)
    if state is None:
        raise ValueError("an empty log is no room")
    return state


def apply_slid(state: RoomState, record: Slid) -> None:
    """`apply` for slides, the hot path.

    Raises:
        ValueError: as `apply`.
    """
    race = state.race
    if race.id != record.race:
        raise ValueError(f"slides of race {record.race} do not belong here")
    slide(race, record)
    state.t = state.active_at = record.t


def apply(state: RoomState | None, record: Record) -> RoomState:
    """The room after a record.

    Args:
        state: the room before; it is changed in place. None before `RoomOpened`.
        record: what happened.

    Raises:
        ValueError: the record does not belong here: the log is damaged.
    """
    if state is None:
        if not isinstance(record, RoomOpened):
            raise ValueError("a log begins with the opening of its room")
        return RoomState(record.code, record.created_s, record.public)
    if isinstance(record, Slid):
        apply_slid(state, record)
        return state
    before, state.t = state.t, record.t
    if isinstance(record, EpochBegan):
        _begin_epoch(state, record, before)
    elif isinstance(record, MemberRecord):
        _apply_to_room(state, record)
    else:
        _apply_to_race(state, record)
    if takes_offset(record):
        state.offset += 1
    if isinstance(record, _DEEDS):
        state.active_at = record.t
    return state


def _apply_to_room(state: RoomState, record: MemberRecord) -> None:
    match record:
        case Entered() | Gone() | Connected() | Disconnected():
            _come_or_go(state, record)
        case Readied() | NonceCommitted() | Benched() | RoleChanged() | TokenGiven():
            _alter(state, record)
        case HostStarted():
            state.host_started = True
        case StartPlanned(at=at):
            state.start_at = at
        case HostChanged():
            state.host, state.owner = record.host, record.owner
        case DoorChanged():
            state.locked = record.locked
        case ListingChanged():
            state.public = record.public
        case Closed():
            state.closed = record.why
        case WallSet(wall_ms=wall_ms):
            state.epoch = replace(state.epoch, wall_ms=wall_ms)
        case Alive():
            pass
        case RoomOpened() | EpochBegan():
            raise ValueError("a room is opened once")
        case _:
            assert_never(record)


def _apply_to_race(state: RoomState, record: RaceRecord) -> None:
    if isinstance(record, RaceCreated):
        _make_race(state)
    state.race = apply_to_race(state.race, record)
    if isinstance(record, CountdownBegan):
        state.start_at = None
    elif isinstance(record, CountdownStopped):
        state.host_started = False
    elif isinstance(record, RosterFrozen):
        state.racers = {
            seat: Racer(member.id, member.name, member.bot)
            for member in state.members.values()
            if (seat := member.seat) is not None and seat in record.roster
        }


def _make_race(state: RoomState) -> None:
    """What a new race does to a room: nobody is ready, seats of the gone are free."""
    before = state.race
    state.remade = before.phase == "lobby" and state.number > 0
    if not state.remade:
        state.last_race = before.id if before.phase == "results" else ""
    state.number += 1
    state.racers = {}
    state.left = {}
    state.host_started, state.start_at = False, None
    for member in state.members:
        _change(state, member, ready=False, nonce_commitment="", nonces=0)


def _begin_epoch(state: RoomState, record: EpochBegan, before: int) -> None:
    state.epoch = record
    if record.epoch == 1:
        return
    # Our failure: nobody pays for it. All clocks that run out begin again.
    state.hold_until = record.t + HOLD_MS
    state.empty_since = state.active_at = record.t
    for member in state.members:
        _change(state, member, connected=False, since=record.t)
    recovered(state.race, before, record.t)


def _alter(
    state: RoomState,
    record: Readied | NonceCommitted | Benched | RoleChanged | TokenGiven,
) -> None:
    member = record.member
    match record:
        case Readied(on=on):
            _change(state, member, ready=on)
        case NonceCommitted(commitment=commitment):
            nonces = state.members[member].nonces + 1
            _change(state, member, nonce_commitment=commitment, nonces=nonces)
        case Benched(on=on):
            _change(state, member, benched=on, ready=False)
        case RoleChanged(role=role, seat=seat):
            _change(state, member, role=role, seat=seat, ready=False, benched=False)
            _change(state, member, nonce_commitment="")  # that was for another seat
        case TokenGiven(token_hash=given):
            before = state.members[member].token_hash
            _change(state, member, token_hash=given, former_hash=before)
        case _:
            assert_never(record)


def _come_or_go(
    state: RoomState, record: Entered | Gone | Connected | Disconnected
) -> None:
    match record:
        case Entered():
            state.last_member = record.member
            state.members[record.member] = MemberState(
                id=record.member,
                name=record.name,
                role=record.role,
                seat=record.seat,
                bot=record.bot,
                token_hash=record.token_hash,
                since=record.t,
            )
        case Gone():
            gone = state.members.pop(record.member)
            if gone.seat is not None and state.race.locked and not state.race.drawn:
                state.left = {**state.left, gone.seat: record.why}
        case Connected():
            _change(state, record.member, connected=True, since=record.t)
        case Disconnected():
            _change(state, record.member, connected=False, since=record.t)
        case _:
            assert_never(record)
    if any(member.connected for member in state.members.values()):
        state.empty_since = None
    elif state.empty_since is None:
        state.empty_since = record.t


def _change(state: RoomState, member: int, **changes: Any) -> None:  # noqa: ANN401
    state.members[member] = replace(state.members[member], **changes)
