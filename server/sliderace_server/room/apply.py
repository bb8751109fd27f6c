"""Applies log records to a room: the only code that changes its state.

Records are facts that were decided once; applying them checks nothing again. A room is
the fold of its log, and the same fold serves a running room, the recovery after a crash
and the tests.

Rules:

- Every record with an event (see `has_event`) increments the stream's offset, so that
  the offset is the same after a recovery.
- What members do keeps a room open (see `_ACTIVITY`); what the clock does does not.
- A new race resets what belongs to one race: who is ready, nonces, the roster.
- The series (see `sliderace.race.series`) counts a race when it ends. A newcomer with
  the name of a racer who left continues that racer's score.
- The bots of the server keep no room open.
- A stall (`Stalled`) disconnects nobody; deadlines are held until what arrived
  meanwhile is read.
- A recovery (`EpochBegan`) disconnects everyone and restarts all timers, because an
  outage of the server must not cost a player anything; deadlines are held for
  `HOLD_MS`.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, assert_never

from sliderace.protocol.names import same_name
from sliderace.race.apply import (
    apply as apply_to_race,
    held_until,
    recovered,
    slide,
    stalled,
)
from sliderace.race.log_records import (
    CountdownBegan,
    CountdownStopped,
    Forfeited,
    ForfeitUndone,
    NonceRevealed,
    RaceCreated,
    RaceEnded,
    RacerDisconnected,
    RaceRecord,
    RosterFrozen,
    Slid,
)
from sliderace.race.series import (
    Outcome,
    Result,
    Series,
    renamed,
    renumbered,
    scored,
)
from sliderace.race.state import HOLD_MS, Attempt
from sliderace_server.room.checkpoint import restored
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
from sliderace_server.room.state import MemberState, Racer, RoomState

__all__ = ["apply", "apply_slid", "fold", "has_event"]

NEWCOMER_MS = 10_000
"""Who has been connected for this long has really joined; a player who was connected
for less is more likely to have left than one whose phone is asleep."""
MAX_KICKED = 100
"""Former members whom the host keeps out; the first ones are forgotten."""

_WITHOUT_EVENT = (
    Alive,
    Checkpoint,
    EpochBegan,
    HostStarted,
    InputDeclared,
    NonceCommitted,
    NonceRevealed,
    ProfileKnown,
    RoomOpened,
    SeriesBegan,
    Slid,
    Stalled,
    TokenIssued,
    WallClockSet,
    RacerDisconnected,
)
"""Records without an event: slides are sent as progress, a new series as its table, the
others are internal. Clients learn of a lost connection from `Disconnected`."""

_ACTIVITY = (
    BenchChanged,
    LockChanged,
    Entered,
    ForfeitUndone,
    Forfeited,
    HostStarted,
    ListingChanged,
    ReadyChanged,
    Renamed,
    RoleChanged,
    SeriesBegan,
)
"""What members do; other records may come from the clock."""


def has_event(record: Record) -> bool:
    """Return whether a record has an event, and so an offset, in the room's stream."""
    return not isinstance(record, _WITHOUT_EVENT)


def fold(records: Iterable[Record]) -> RoomState:
    """Return the room of a complete log.

    Raises:
        ValueError: the log does not begin with `RoomOpened`, or is damaged.
    """
    state: RoomState | None = None
    for record in records:
        state = apply(state, record)
    if state is None:
        raise ValueError("the log is empty")
    return state


def apply_slid(state: RoomState, record: Slid) -> None:
    """Like `apply`, for slides: the hot path."""
    race = state.race
    if race.id != record.race:
        raise ValueError(f"slides of another race: {record.race}")
    slide(race, record)
    state.t = state.active_at = record.t


def apply(state: RoomState | None, record: Record) -> RoomState:
    """Return the room after a record.

    Args:
        state: the room, which is changed in place; None before `RoomOpened`
            or the checkpoint that replaces it.
        record: the record.

    Raises:
        ValueError: the record cannot follow: the log is damaged.
    """
    if isinstance(record, Checkpoint):
        return restored(record)
    if state is None:
        if not isinstance(record, RoomOpened):
            raise ValueError("the log does not begin with RoomOpened")
        opened = RoomState(
            record.code, record.created_s, record.public, record.kind, record.day
        )
        opened.locked = opened.alone
        return opened
    if isinstance(record, Slid):
        apply_slid(state, record)
        return state
    before, state.t = state.t, record.t
    phase = state.phase
    if isinstance(record, EpochBegan):
        _begin_epoch(state, record, before)
    elif isinstance(record, Stalled):
        _stall(state, record, before)
    elif isinstance(record, MemberRecord):
        _apply_to_room(state, record)
    else:
        _apply_to_race(state, record)
    if state.phase != phase or isinstance(record, RaceCreated):
        state.phase_since = record.t
    if has_event(record):
        state.offset += 1
    if isinstance(record, _ACTIVITY):
        state.active_at = state.acted_at = record.t
    return state


def _apply_to_room(state: RoomState, record: MemberRecord) -> None:
    match record:
        case Entered() | Gone() | Connected() | Disconnected():
            _change_presence(state, record)
        case (
            ReadyChanged()
            | NonceCommitted()
            | BenchChanged()
            | RoleChanged()
            | Renamed()
            | MuteChanged()
            | TokenIssued()
            | ProfileKnown()
        ):
            _change_member(state, record)
        case InputDeclared(seat=seat, input=declared):
            racer = state.racers[seat]._replace(input=declared)
            state.racers = {**state.racers, seat: racer}
        case HostStarted():
            state.host_started = True
        case StartPlanned(at=at):
            # A start that is called off because nobody asks for it has not expired.
            state.start_expired = at is None and any(
                member.ready and not member.bot for member in state.active()
            )
            state.start_at = at
        case HostChanged():
            state.host, state.owner = record.host, record.owner
            if record.owner in state.members:
                _change(state, record.owner, newcomer=False)
        case LockChanged():
            state.locked = record.locked
            if not record.locked:
                state.kicked = ()
        case ListingChanged():
            state.public = record.public
        case Closed():
            state.closed = record.why
        case SeriesBegan(format=format_, n=n, by=by):
            state.series = Series(format_, n, by)
        case WallClockSet(wall_ms=wall_ms):
            state.epoch = replace(state.epoch, wall_ms=wall_ms)
        case Alive():
            pass
        case RoomOpened() | EpochBegan() | Stalled() | Checkpoint():
            raise ValueError("the room is already open")
        case _:
            assert_never(record)


def _apply_to_race(state: RoomState, record: RaceRecord) -> None:
    if isinstance(record, RaceCreated):
        _create_race(state, record)
    state.race = apply_to_race(state.race, record)
    if isinstance(record, CountdownBegan):
        state.start_at, state.start_expired = None, False
    elif isinstance(record, CountdownStopped):
        state.host_started = False
    elif isinstance(record, RosterFrozen):
        state.racers = {
            seat: Racer(member.id, member.name, member.bot, profile=member.profile)
            for member in state.members.values()
            if (seat := member.seat) is not None and seat in record.roster
        }
    elif isinstance(record, RaceEnded):
        state.series = scored(state.series, _outcomes(state))
        _note_attempts(state)


def _note_attempts(state: RoomState) -> None:
    """Note the members' last attempts, and how fast they are."""
    for seat, racer in state.racers.items():
        member = state.members.get(racer.member)
        if member is not None and not member.bot:
            attempt = state.race.attempts[seat]
            _change(
                state,
                member.id,
                raced=(state.race.id, seat),
                usual_ms=_usual_ms(member, attempt),
                idle=0 if attempt.slides else member.idle + 1,
            )


def _usual_ms(member: MemberState, attempt: Attempt) -> int | None:
    """Return what a person usually needs, after an attempt: the last ones count most.

    A race that they did not finish says little about it.
    """
    if attempt.finish is None:
        return member.usual_ms
    official = attempt.finish.official
    before = official if member.usual_ms is None else member.usual_ms
    return (before + official) // 2


def _outcomes(state: RoomState) -> list[Outcome]:
    """Return how the racers of a race that has ended did."""
    outcomes: list[Outcome] = []
    for seat, racer in state.racers.items():
        member = racer.back or racer.member
        name = state.members.get(member, racer).name
        result = _result(state.race.attempts[seat])
        outcomes.append(Outcome(member, name, racer.bot, result))
    return outcomes


def _result(attempt: Attempt) -> Result:
    if attempt.finish is not None:
        return attempt.finish.official
    return "dns" if attempt.status == "dns" else "dnf"


def _create_race(state: RoomState, record: RaceCreated) -> None:
    """Reset what belongs to one race; seats of members who left become free.

    In a room that starts by the clock, players stay ready until they say otherwise.
    """
    _forget_slides_of_bots(state)
    before = state.race
    stay = record.rules.start == "every" and before.phase in ("lobby", "results")
    state.replaced = before.phase == "lobby" and state.number > 0
    if not state.replaced:
        state.last_race = before.id if before.phase == "results" else ""
    state.number += 1
    state.racers = {}
    state.left = {}
    state.host_started, state.start_at, state.start_expired = False, None, False
    resized = record.rules.size != before.rules.size and state.number > 1
    for id_, member in state.members.items():
        ready = stay and member.ready
        usual_ms = None if resized else member.usual_ms
        _change(
            state, id_, ready=ready, nonce_commitment="", nonces=0, usual_ms=usual_ms
        )


def _forget_slides_of_bots(state: RoomState) -> None:
    """Do not let a race in which only bots of the server slid keep the room open."""
    served = {one.id for one in state.members.values() if one.served}
    if any(
        attempt.seq and state.racers[seat].member not in served
        for seat, attempt in state.race.attempts.items()
    ):
        state.acted_at = state.active_at
    state.active_at = state.acted_at


def _begin_epoch(state: RoomState, record: EpochBegan, before: int) -> None:
    state.epoch = record
    if record.epoch == 1:
        return
    state.hold_until = record.t + HOLD_MS
    state.empty_since = state.active_at = state.acted_at = record.t
    for member in state.members:
        _change(state, member, connected=False, since=record.t)
    recovered(state.race, before, record.t)


def _stall(state: RoomState, record: Stalled, before: int) -> None:
    """Hold deadlines until what has arrived is read; the stall counts for no timer."""
    down, now = max(record.since, before), record.t
    lost = now - down
    state.hold_until = held_until(state.hold_until, down, now)
    state.active_at += lost
    state.acted_at += lost
    if state.empty_since is not None:
        state.empty_since += lost
    for member in state.members.values():
        if not member.connected:
            _change(state, member.id, since=member.since + lost)
    stalled(state.race, down, now)


def _change_member(
    state: RoomState,
    record: ReadyChanged
    | NonceCommitted
    | BenchChanged
    | RoleChanged
    | Renamed
    | MuteChanged
    | TokenIssued
    | ProfileKnown,
) -> None:
    member = record.member
    match record:
        case ReadyChanged(on=on):
            _change(state, member, ready=on)
            state.start_expired = state.start_expired and not on
        case NonceCommitted(commitment=commitment):
            nonces = state.members[member].nonces + 1
            _change(state, member, nonce_commitment=commitment, nonces=nonces)
        case BenchChanged(on=on):
            _change(state, member, benched=on, ready=False)
        case RoleChanged(role=role, seat=seat):
            _change(state, member, role=role, seat=seat, ready=False, benched=False)
            _change(state, member, nonce_commitment="")  # it was for another seat
        case Renamed(name=name):
            _change(state, member, name=name)
            state.series = renamed(state.series, member, name)
        case MuteChanged(on=on):
            _change(state, member, muted=on)
        case TokenIssued(token_hash=new):
            before = state.members[member].token_hash
            _change(state, member, token_hash=new, former_hash=before)
        case ProfileKnown(profile=profile):
            # An attempt that has begun stays a guest's, until it is credited.
            _change(state, member, profile=profile)
        case _:
            assert_never(record)


def _change_presence(
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
                connected=record.level is None and record.pace_ms is None,
                since=record.t,
                address=record.address,
                newcomer=True,
                level=record.level,
                pace_ms=record.pace_ms,
                usual_ms=record.usual_ms,
            )
            _continue_score(state, record)
        case Gone():
            gone = state.members.pop(record.member)
            if gone.seat is not None and state.race.frozen and not state.race.drawn:
                state.left = {**state.left, gone.seat: record.why}
            if record.why == "kicked":
                state.kicked = (*state.kicked, gone)[-MAX_KICKED:]
        case Connected():
            _change(
                state, record.member, connected=True, since=record.t, newcomer=False
            )
        case Disconnected():
            known = state.members[record.member]
            new = known.newcomer and record.t - known.since < NEWCOMER_MS
            _change(state, record.member, connected=False, since=record.t, newcomer=new)
        case _:
            assert_never(record)
    if any(one.connected and not one.served for one in state.members.values()):
        state.empty_since = None
    elif state.empty_since is None:
        state.empty_since = record.t


def _continue_score(state: RoomState, entered: Entered) -> None:
    """Give a newcomer the score of a racer of the same name who has left.

    That includes the race that this racer has left.
    """

    def continues(member: int, name: str, bot: bool) -> bool:
        gone = member not in state.members and bot == entered.bot
        return gone and same_name(name, entered.name)

    for seat, racer in state.racers.items():
        if continues(racer.back or racer.member, racer.name, racer.bot):
            back = racer._replace(back=entered.member)
            state.racers = {**state.racers, seat: back}
    for score in state.series.scores:
        if continues(score.member, score.name, score.bot):
            state.series = renumbered(state.series, score.member, entered.member)
            return


def _change(state: RoomState, member: int, **changes: Any) -> None:  # noqa: ANN401
    state.members[member] = replace(state.members[member], **changes)
