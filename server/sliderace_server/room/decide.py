"""Decides what a command does to a room, without changing the room.

Rules:

- The answer is a list of records to append and apply, in order, or a `Refusal`. A
  refused command changes nothing.
- A command whose effect is already there (a second click) is not refused: the list is
  empty.
- Deadlines that have passed take effect before the command, except before
  `LockNotDurable`: a late tick must not start a race whose start is not stored. After
  `Stall` they wait for the next command, too.
- The consequences of the command (a new host, a countdown that starts or stops) are in
  the same list, and so are deadlines that the command itself has moved into the past.
- A closed room refuses everything but `Tick`.
- `decide` works on a draft: a copy of the room to which it applies each record, so that
  every check sees the room as it is then. Slides are frequent and affect only one
  attempt, so `decide_slides` needs no draft.
"""

from collections.abc import Sequence
from typing import assert_never

from sliderace.engine import seed_from_text
from sliderace.protocol.messages import Create, Open, RoomKind, Slides
from sliderace.protocol.names import make_unique, same_name
from sliderace.protocol.room_code import RoomCode
from sliderace.race import decide as race_decide
from sliderace.race.refusal import Refusal
from sliderace.race.rules import changed
from sliderace_server.room.apply import apply
from sliderace_server.room.commands import (
    Connect,
    Disconnect,
    Enter,
    KeepAlive,
    LockNotDurable,
    MemberCommand,
    MemberLatency,
    RoomCommand,
    SetBots,
    SetWallClock,
    Stall,
    Tick,
)
from sliderace_server.room.deadlines import DEFAULT_LIMITS, run_clock
from sliderace_server.room.draft import Draft, create_race, unmeasured
from sliderace_server.room.log_records import (
    Alive,
    Connected,
    Disconnected,
    Entered,
    EpochBegan,
    HostChanged,
    ProfileKnown,
    Record,
    RoomOpened,
    Stalled,
    TokenIssued,
    WallClockSet,
)
from sliderace_server.room.member_commands import (
    DEFAULT_RULES,
    change_bots,
    chosen_name,
    execute,
    make_place,
    take_part,
)
from sliderace_server.room.state import RoomLimits, RoomState

__all__ = ["KEEP_ALIVE_MS", "Decision", "decide", "decide_slides", "open_room"]

KEEP_ALIVE_MS = 1_000
"""Longest gap between two records of a running race. After a server failure, the time
that it cost each player is counted from the last record."""

Decision = list[Record] | Refusal


def open_room(
    code: RoomCode,
    created_s: int,
    command: Create | Open,
    epoch: EpochBegan,
    entropy: bytes,
    kind: RoomKind = "room",
    day: int = 0,
) -> list[Record]:
    """Return the first records of a new room without members.

    Args:
        code: an unused room code.
        created_s: Unix seconds.
        command: the command that opens the room.
        epoch: see `first_epoch`.
        entropy: 32 random bytes.
        kind: who opens it and for whom.
        day: of a daily room: days since 1970 in UTC.

    Raises:
        RulesError: a rule is out of range.
    """
    opened = RoomOpened(epoch.t, code, created_s, command.public, kind, day)
    rules = changed(DEFAULT_RULES[command.public], command.rules)
    seed = seed_from_text(command.seed).hex() if command.seed else ""
    state = apply(None, opened)
    return [opened, epoch, create_race(state, rules, seed, entropy, epoch.t)]


def decide(
    state: RoomState,
    command: RoomCommand,
    now: int,
    entropy: bytes,
    limits: RoomLimits = DEFAULT_LIMITS,
    latency_of: MemberLatency = unmeasured,
) -> Decision:
    """Return what a command does to the room.

    Args:
        state: the room; it is not changed.
        command: the command.
        now: room time, ms; not before the last record.
        entropy: 32 random bytes, new for each call: the secret of a race that the
            command may create.
        limits: the limits of the room.
        latency_of: member id -> latency, for the reveal and the official time.

    Returns:
        Records to append and apply, in order, or a refusal.
    """
    if isinstance(command, MemberCommand) and isinstance(command.message, Slides):
        slid = decide_slides(
            state, command.member, command.message, now, limits, latency_of
        )
        return slid if isinstance(slid, Refusal) else [*slid]
    draft = Draft(state.copy(), now, entropy, limits, latency_of)
    if not isinstance(command, LockNotDurable | Stall):
        run_clock(draft)
    if refusal := _execute(draft, command):
        return refusal
    if not isinstance(command, Stall):
        run_clock(draft)
    return draft.records


def _execute(draft: Draft, command: RoomCommand) -> Refusal | None:
    """Write the records of the command itself."""
    if draft.state.closed and not isinstance(command, Tick):
        return Refusal("room_unknown")
    match command:
        case Tick():
            return None
        case KeepAlive():
            if draft.state.race.running and draft.state.t + KEEP_ALIVE_MS <= draft.now:
                draft.write([Alive(draft.now)])
            return None
        case Stall(since=since):
            draft.write([Stalled(draft.now, since)])
            return None
        case SetWallClock(wall_ms=wall_ms):
            draft.write([WallClockSet(draft.now, wall_ms)])
            return None
        case Enter():
            return _enter(draft, command)
        case Connect():
            return _connect(draft, command)
        case Disconnect(member=member):
            return _disconnect(draft, member)
        case LockNotDurable():
            return draft.take(race_decide.postpone(draft.state.race, draft.now))
        case MemberCommand():
            return execute(draft, command)
        case SetBots(want=want, token_hashes=token_hashes):
            return change_bots(draft, want, token_hashes)
        case _:
            assert_never(command)


def _enter(draft: Draft, enter: Enter) -> Refusal | None:
    state = draft.state
    if state.locked and not enter.creator:
        return Refusal("room_locked")
    name = chosen_name(enter.name)
    if isinstance(name, Refusal):
        return name
    if _is_kept_out(state, name, enter.address):
        return Refusal("kicked")
    if refusal := make_place(draft, enter.role, enter.address):
        return refusal
    state = draft.state
    member = state.last_member + 1
    unique = make_unique(name, [other.name for other in state.members.values()])
    seat = state.free_seat() if enter.role == "player" else None
    entered = Entered(
        draft.now,
        member,
        unique,
        enter.role,
        enter.bot,
        seat,
        enter.token_hash,
        enter.address,
        usual_ms=enter.usual_ms,
    )
    draft.write([entered])
    _note_profile(draft, member, enter.profile)
    if enter.creator and state.kind == "room":
        draft.write([HostChanged(draft.now, member, member)])
    take_part(draft, member)
    return None


def _is_kept_out(state: RoomState, name: str, address: str) -> bool:
    """Return whether the host has kicked somebody of this name at this address."""
    names = [other.name for other in state.members.values()]
    asked = (name, make_unique(name, names))
    return any(
        kicked.address == address and any(same_name(kicked.name, one) for one in asked)
        for kicked in state.kicked
    )


def _connect(draft: Draft, connect: Connect) -> Refusal | None:
    member = connect.member
    if member not in draft.state.members:
        return Refusal("bad_token")
    known = draft.state.members[member]
    token = connect.token_hash
    if connect.resumed_with == known.token_hash and known.former_hash:
        token = known.token_hash  # again: the previous device's is not valid any more
    if token and (token, token) != (known.token_hash, known.former_hash):
        draft.write([TokenIssued(draft.now, member, token)])
    if not known.connected:
        draft.write([Connected(draft.now, member)])
    _note_profile(draft, member, connect.profile)
    if known.seat is not None:
        draft.write(race_decide.reconnected(draft.state.race, known.seat, draft.now))
    return None


def _note_profile(draft: Draft, member: int, profile: str | None) -> None:
    """Note a member's first profile: it cannot change, as attempts may count for it."""
    known = draft.state.members[member]
    if profile is not None and known.profile is None and not known.bot:
        draft.write([ProfileKnown(draft.now, member, profile)])


def _disconnect(draft: Draft, member: int) -> Refusal | None:
    known = draft.state.members.get(member)
    if known is None or not known.connected:
        return None
    draft.write([Disconnected(draft.now, member)])
    if known.seat is not None:
        draft.write(race_decide.disconnected(draft.state.race, known.seat, draft.now))
    return None


def decide_slides(
    state: RoomState,
    member_id: int,
    slides: Slides,
    now: int,
    limits: RoomLimits = DEFAULT_LIMITS,
    latency_of: MemberLatency = unmeasured,
) -> Sequence[Record] | Refusal:
    """Like `decide`, for slides: the hot path. Deadlines are not checked.

    Args:
        state: the room; it is not changed.
        member_id: who slides.
        slides: the slides.
        now: room time, ms; not before the last record.
        limits: the limits of the room.
        latency_of: member id -> latency, for the official time.

    Returns:
        Like `decide`; no records if all slides were applied before.
    """
    if state.closed:
        return Refusal("room_unknown")
    member = state.members.get(member_id)
    if member is None:
        return Refusal("bad_token")
    if slides.race != state.race.id:
        return Refusal("wrong_race", "race", slides.race)
    if member.seat is None:
        return Refusal("not_racing")
    return race_decide.slides(
        state.race,
        member.seat,
        slides.seq,
        slides.slides,
        slides.approx,
        now,
        lambda: latency_of(member_id),
        max_tiles=limits.max_tiles,
    )
