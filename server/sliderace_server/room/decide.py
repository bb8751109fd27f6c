"""What may happen in a room: every command asks here, and nothing is changed.

`decide` answers with the records that carry the command out, in order; with an empty
list where it is already so (people click twice, and late); or with a `Refusal`. The
clock is given its due first, and whatever follows from the change is in the answer.
"""

from collections.abc import Sequence
from typing import assert_never

from sliderace.engine import seed_from_text
from sliderace.protocol.messages import Create, Open, Slides
from sliderace.protocol.names import clean_name, make_unique
from sliderace.protocol.room_code import RoomCode
from sliderace.race import decide as race_decide
from sliderace.race.refusal import Refusal
from sliderace.race.rules import changed
from sliderace_server.room.apply import apply
from sliderace_server.room.commands import (
    Ask,
    Beat,
    Connect,
    Disconnect,
    Enter,
    LockNotDurable,
    MemberLatency,
    RoomCommand,
    SetWall,
    Tick,
)
from sliderace_server.room.deadlines import DEFAULT_LIMITS, run_clock
from sliderace_server.room.draft import Draft, made, unmeasured
from sliderace_server.room.log_records import (
    Alive,
    Connected,
    Disconnected,
    Entered,
    EpochBegan,
    HostChanged,
    Record,
    RoomOpened,
    TokenGiven,
    WallSet,
)
from sliderace_server.room.member_commands import DEFAULT_RULES, answer, full
from sliderace_server.room.state import RoomLimits, RoomState

__all__ = ["BEAT_MS", "Decision", "decide", "decide_slides", "open_room"]

BEAT_MS = 1_000
"""A log of a race says at least so often that the server was there: what a failure of
ours costs a player is counted from its last record."""

Decision = list[Record] | Refusal


def open_room(
    code: RoomCode,
    created_s: int,
    asked: Create | Open,
    epoch: EpochBegan,
    entropy: bytes,
) -> list[Record]:
    """The first records of a new room. Nobody is in it: then come `Enter`s.

    Args:
        code: a free one.
        created_s: Unix seconds.
        asked: what its opener wants.
        epoch: the first one, see `first_epoch`.
        entropy: 32 random bytes.

    Raises:
        RulesError: a rule is out of its range.
    """
    opened = RoomOpened(epoch.t, code, created_s, asked.public)
    rules = changed(DEFAULT_RULES[asked.public], asked.rules)
    seed = seed_from_text(asked.seed).hex() if asked.seed else ""
    state = apply(None, opened)
    return [opened, epoch, made(state, rules, seed, entropy, epoch.t)]


def decide(
    state: RoomState,
    command: RoomCommand,
    now: int,
    entropy: bytes,
    limits: RoomLimits = DEFAULT_LIMITS,
    line_of: MemberLatency = unmeasured,
) -> Decision:
    """What a command does to the room.

    Args:
        state: the room; it is not changed.
        command: what is asked.
        now: room time, ms; never below the last record's.
        entropy: 32 random bytes, fresh for each call; the secret of a race that may
            have to be made.
        limits: the operator's figures.
        line_of: the members' connections, for reveal and official time.

    Returns:
        Records to be applied and stored, in order; or a refusal, which changes nothing.
    """
    if isinstance(command, Ask) and isinstance(command.message, Slides):
        slid = decide_slides(
            state, command.member, command.message, now, limits, line_of
        )
        return slid if isinstance(slid, Refusal) else [*slid]
    draft = Draft(state.sketch(), now, entropy, limits, line_of)
    if not isinstance(command, LockNotDurable):  # a late clock must not start it first
        run_clock(draft)
    if refusal := _carry_out(draft, command):
        return refusal
    run_clock(draft)  # a change may bring a deadline that is over: no time to be away
    return draft.records


def _carry_out(draft: Draft, command: RoomCommand) -> Refusal | None:
    """Write what the command itself brings about."""
    if draft.state.closed and not isinstance(command, Tick):
        return Refusal("room_unknown")
    match command:
        case Tick():
            return None
        case Beat():
            if draft.state.race.running and draft.state.t + BEAT_MS <= draft.now:
                draft.write([Alive(draft.now)])
            return None
        case SetWall(wall_ms=wall_ms):
            draft.write([WallSet(draft.now, wall_ms)])
            return None
        case Enter():
            return _enter(draft, command)
        case Connect(member=member, token_hash=token_hash):
            return _connect(draft, member, token_hash)
        case Disconnect(member=member):
            return _disconnect(draft, member)
        case LockNotDurable():
            return draft.take(race_decide.postpone(draft.state.race, draft.now))
        case Ask():
            return answer(draft, command)
        case _:
            assert_never(command)


def _enter(draft: Draft, enter: Enter) -> Refusal | None:
    state, limits = draft.state, draft.limits
    if state.locked:
        return Refusal("room_locked")
    name = clean_name(enter.name)
    if name is None:
        return Refusal("bad_name", "name")
    if no := full(state, enter.role, limits):
        return no
    member = state.last_member + 1
    unique = make_unique(name, [other.name for other in state.members.values()])
    seat = state.free_seat() if enter.role == "player" else None
    entered = Entered(
        draft.now, member, unique, enter.role, enter.bot, seat, enter.token_hash
    )
    draft.write([entered])
    if enter.creator:
        draft.write([HostChanged(draft.now, member, member)])
    return None


def _connect(draft: Draft, member: int, token_hash: str) -> Refusal | None:
    if member not in draft.state.members:
        return Refusal("bad_token")
    known = draft.state.members[member]
    if token_hash:
        draft.write([TokenGiven(draft.now, member, token_hash)])
    if known.connected:
        return None
    draft.write([Connected(draft.now, member)])
    if known.seat is not None:
        draft.write(race_decide.returned(draft.state.race, known.seat, draft.now))
    return None


def _disconnect(draft: Draft, member: int) -> Refusal | None:
    known = draft.state.members.get(member)
    if known is None or not known.connected:
        return None
    draft.write([Disconnected(draft.now, member)])
    if known.seat is not None:
        draft.write(race_decide.went_away(draft.state.race, known.seat, draft.now))
    return None


def decide_slides(
    state: RoomState,
    member_id: int,
    slides: Slides,
    now: int,
    limits: RoomLimits = DEFAULT_LIMITS,
    line_of: MemberLatency = unmeasured,
) -> Sequence[Record] | Refusal:
    """`decide` for slides, the hot path: they ask nothing of the room's clock.

    Args:
        state: the room; it is not changed.
        member_id: who slides.
        slides: what.
        now: room time, ms; never below the last record's.
        limits: the operator's figures.
        line_of: the members' connections, for the official time.

    Returns:
        As `decide`; empty where all were applied before.
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
        lambda: line_of(member_id),
        max_tiles=limits.max_tiles,
    )
