"""What members may ask of a room, one function a command.

Each writes into the draft what the command brings about, and answers with a refusal
where it may not be. Where it is already so, nothing is written: people click twice.
"""

from dataclasses import replace
from typing import Literal, assert_never

from sliderace.engine import seed_from_text
from sliderace.protocol.messages import (
    Abort,
    Bench,
    CallTime,
    Close,
    Forfeit,
    HandOver,
    Kick,
    Leave,
    Lock,
    Nonce,
    Ready,
    Rematch,
    Role,
    RoleName,
    Settings,
    Slides,
    Start,
    Undo,
)
from sliderace.race import decide as race_decide
from sliderace.race.log_records import CountdownStopped
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules, RulesError, changed
from sliderace_server.room.commands import Ask
from sliderace_server.room.deadlines import racing
from sliderace_server.room.draft import Draft
from sliderace_server.room.log_records import (
    Benched,
    DoorChanged,
    Gone,
    HostChanged,
    HostStarted,
    ListingChanged,
    NonceCommitted,
    Readied,
    RoleChanged,
)
from sliderace_server.room.state import MemberState, RoomLimits, RoomState

__all__ = ["DEFAULT_RULES", "answer", "full"]

MAX_NONCES = 16
"""Commitments of one member to one race: one a connection, and some to spare; each is
a record in the log."""

DEFAULT_RULES = {False: Rules(), True: Rules(countdown_ms=10_000)}
"""Of private and of public rooms: strangers need a moment longer to notice a start."""

_HOST_ONLY = (Start, Abort, CallTime, Settings, Kick, Lock, HandOver, Close)
_OF_A_RACE = (Ready, Nonce, Start, Abort, Slides, Forfeit, Undo, CallTime)
"""Those that name the current race; a `Rematch` may name the one before, too."""


def answer(draft: Draft, ask: Ask) -> Refusal | None:
    """Carry out what a member asks.

    Args:
        draft: where to write it.
        ask: anything but slides, which go straight to the race.
    """
    state, message = draft.state, ask.message
    me = state.members.get(ask.member)
    if me is None:
        return Refusal("bad_token")
    if isinstance(message, _HOST_ONLY) and me.id != state.host:
        return Refusal("not_host")
    if isinstance(message, _OF_A_RACE) and message.race != state.race.id:
        return Refusal("wrong_race", "race", message.race)
    match message:
        case Ready() | Nonce() | Rematch() | Role() | Bench() | Leave():
            return _of_oneself(draft, me, message)
        case Forfeit() | Undo():
            return _giving_up(draft, me, message)
        case Start() | Abort() | CallTime():
            return _running(draft, me, message)
        case Settings() | Lock() | Close():
            return _of_the_room(draft, message)
        case Kick() | HandOver():
            return _of_another(draft, me, message)
        case Slides():
            raise ValueError("slides go straight to the race")
        case _:
            assert_never(message)


def full(state: RoomState, role: RoleName, limits: RoomLimits) -> Refusal | None:
    """The refusal of one more member in that role, if there is no place."""
    places = {"player": limits.players, "spectator": limits.spectators}
    taken = sum(member.role == role for member in state.members.values())
    return Refusal("room_full") if taken >= places[role] else None


def _of_oneself(
    draft: Draft,
    me: MemberState,
    message: Ready | Nonce | Rematch | Role | Bench | Leave,
) -> Refusal | None:
    match message:
        case Ready(on=True):
            return _ready(draft, me, message.nonce_commitment)
        case Ready():
            return _unready(draft, me)
        case Nonce():
            return _nonce(draft, me, message.nonce)
        case Rematch():
            return _rematch(draft, me, message.race)
        case Role():
            return _role(draft, me, message.role)
        case Bench():
            return _bench(draft, me, message)
        case Leave():
            _out(draft, me, "left")
            return None
        case _:
            assert_never(message)


def _giving_up(
    draft: Draft, me: MemberState, message: Forfeit | Undo
) -> Refusal | None:
    if me.seat is None:
        return Refusal("not_racing")
    undo = isinstance(message, Undo)
    ask = race_decide.undo_forfeit if undo else race_decide.forfeit
    return draft.take(ask(draft.state.race, me.seat, draft.now))


def _running(
    draft: Draft, me: MemberState, message: Start | Abort | CallTime
) -> Refusal | None:
    match message:
        case Start():
            return _start(draft, me)
        case Abort():
            return _abort(draft)
        case CallTime():
            return draft.take(race_decide.call_time(draft.state.race, draft.now))
        case _:
            assert_never(message)


def _of_the_room(draft: Draft, message: Settings | Lock | Close) -> Refusal | None:
    match message:
        case Settings():
            return _settings(draft, message)
        case Lock(on=on):
            if on != draft.state.locked:
                draft.write([DoorChanged(draft.now, on)])
        case Close():
            draft.close("host")
        case _:
            assert_never(message)
    return None


def _of_another(
    draft: Draft, me: MemberState, message: Kick | HandOver
) -> Refusal | None:
    other = draft.state.members.get(message.member)
    if other is None:
        return Refusal("member_unknown", "member", str(message.member))
    if isinstance(message, Kick):
        if other.id == me.id:
            return Refusal("member_unknown", "member", str(other.id))
        _out(draft, other, "kicked")
        return None
    if other.role != "player" or other.bot:
        return Refusal("not_player", "member", str(other.id))
    if other.id != draft.state.owner:
        draft.write([HostChanged(draft.now, other.id, other.id)])
    return None


def _ready(
    draft: Draft, me: MemberState, commitment: str | None = None
) -> Refusal | None:
    if me.role != "player":
        return Refusal("not_player")
    commitment = commitment or me.nonce_commitment
    if commitment != me.nonce_commitment and me.nonces == MAX_NONCES:
        return Refusal("rate")
    if me.ready and commitment == me.nonce_commitment:
        return None
    if draft.state.phase not in ("lobby", "countdown") or draft.state.race.locked:
        return Refusal("wrong_phase")
    if me.benched:
        draft.write([Benched(draft.now, me.id, on=False)])
    if not me.ready:
        draft.write([Readied(draft.now, me.id, on=True)])
    if commitment != me.nonce_commitment:
        draft.write([NonceCommitted(draft.now, me.id, commitment)])
    return None


def _nonce(draft: Draft, me: MemberState, nonce: str) -> Refusal | None:
    if me.seat is None:
        return Refusal("not_racing")
    race = draft.state.race
    return draft.take(race_decide.nonce(race, me.seat, nonce, draft.now))


def _unready(draft: Draft, me: MemberState) -> Refusal | None:
    """Not ready after all: that stops a countdown that nobody but "all ready" began."""
    state = draft.state
    if not me.ready:
        return None
    if state.phase not in ("lobby", "countdown") or state.race.locked:
        return Refusal("wrong_phase")
    draft.write([Readied(draft.now, me.id, on=False)])
    automatic = state.race.rules.start == "ready" and not state.host_started
    if state.phase == "countdown" and automatic:
        draft.write([CountdownStopped(draft.now, state.race.id, "unready")])
    return None


def _rematch(draft: Draft, me: MemberState, race: str) -> Refusal | None:
    state = draft.state
    if race not in (state.race.id, state.last_race):
        return Refusal("wrong_race", "race", race)
    if race == state.last_race:
        return _ready(draft, me)
    if state.phase != "results":
        return Refusal("wrong_phase")
    if me.role != "player" and me.id != state.host:
        return Refusal("not_player")
    draft.write([draft.new_race()])
    me = draft.state.members[me.id]
    return _ready(draft, me) if me.role == "player" else None


def _role(draft: Draft, me: MemberState, role: RoleName) -> Refusal | None:
    if me.role == role:
        return None
    if _in_a_race(draft.state, me):
        return Refusal("wrong_phase")
    if no := full(draft.state, role, draft.limits):
        return no
    seat = draft.state.free_seat() if role == "player" else None
    draft.write([RoleChanged(draft.now, me.id, role, seat)])
    return None


def _bench(draft: Draft, me: MemberState, bench: Bench) -> Refusal | None:
    if bench.member != me.id and me.id != draft.state.host:
        return Refusal("not_host")
    other = draft.state.members.get(bench.member)
    if other is None:
        return Refusal("member_unknown", "member", str(bench.member))
    if other.role != "player":
        return Refusal("not_player", "member", str(other.id))
    if other.benched == bench.on:
        return None
    if _in_a_race(draft.state, other):
        return Refusal("wrong_phase")
    draft.write([Benched(draft.now, other.id, bench.on)])
    return None


def _out(draft: Draft, member: MemberState, why: Literal["left", "kicked"]) -> None:
    if member.seat is not None:
        race = draft.state.race
        draft.write(race_decide.leave(race, member.seat, why, draft.now))
    draft.write([Gone(draft.now, member.id, why)])


def _start(draft: Draft, me: MemberState) -> Refusal | None:
    """Pressing start makes the host ready unless he sits out."""
    race = draft.state.race
    if race.phase in ("countdown", "racing", "grace"):
        return None
    if race.phase != "lobby":
        return Refusal("wrong_phase")
    if me.plays and not me.ready:
        draft.write([Readied(draft.now, me.id, on=True)])
    draft.write([HostStarted(draft.now)])
    if not racing(draft):
        return Refusal("nobody_ready")
    return draft.take(race_decide.begin_countdown(draft.state.race, draft.now))


def _abort(draft: Draft) -> Refusal | None:
    """Called off; nobody is ready, or it would begin again at once."""
    race, now = draft.state.race, draft.now
    if no := draft.take(race_decide.abort(race, now)):
        return no
    if draft.records and isinstance(draft.records[-1], CountdownStopped):
        ready = [member for member in draft.state.members.values() if member.ready]
        draft.write(Readied(now, member.id, on=False) for member in ready)
    return None


def _settings(draft: Draft, settings: Settings) -> Refusal | None:
    state = draft.state
    if state.phase != "lobby":
        return Refusal("wrong_phase")
    public = state.public if settings.public is None else settings.public
    rules, seed = state.race.rules, state.race.known_seed
    if rules.countdown_ms == DEFAULT_RULES[state.public].countdown_ms:
        rules = replace(rules, countdown_ms=DEFAULT_RULES[public].countdown_ms)
    try:
        rules = changed(rules, settings.rules)
    except RulesError as error:
        return Refusal("bad_rules", error.field, str(error.value))
    if settings.seed is not None:
        seed = seed_from_text(settings.seed).hex() if settings.seed else ""
    if public != state.public:
        draft.write([ListingChanged(draft.now, public)])
    if (rules, seed) != (state.race.rules, state.race.known_seed):
        draft.write([draft.new_race(rules, seed)])
    return None


def _in_a_race(state: RoomState, member: MemberState) -> bool:
    """One of a roster whose race has not ended."""
    return not state.between_races and member.seat in state.race.roster
