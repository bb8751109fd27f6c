"""Commands of members, one function per command.

Each function writes the records of its command into the draft, or returns a refusal.
If the effect is already there (a second click), it writes nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, assert_never

from sliderace.engine import seed_from_text
from sliderace.protocol.messages import (
    Abort,
    Bench,
    Bots,
    BotWanted,
    CallTime,
    Close,
    Forfeit,
    HandOver,
    Input,
    Kick,
    Leave,
    Lock,
    Mute,
    Nonce,
    Ready,
    Rematch,
    Rename,
    Role,
    RoleName,
    Series as BeginSeries,
    Settings,
    Slides,
    Start,
    Undo,
)
from sliderace.protocol.names import (
    make_unique,
    typed_fault,
    typed_name,
)
from sliderace.race import decide as race_decide
from sliderace.race.log_records import CountdownStopped
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules, RulesError, changed
from sliderace.race.series import LENGTHS, Series
from sliderace_server.room.bots import bot_fault, bot_name, compare_bots
from sliderace_server.room.commands import MemberCommand
from sliderace_server.room.deadlines import (
    absent_members,
    may_change_ready,
    starters,
)
from sliderace_server.room.draft import Draft
from sliderace_server.room.log_records import (
    BenchChanged,
    Entered,
    Gone,
    HostChanged,
    HostStarted,
    InputDeclared,
    ListingChanged,
    LockChanged,
    MuteChanged,
    NonceCommitted,
    ReadyChanged,
    Renamed,
    RoleChanged,
    SeriesBegan,
)
from sliderace_server.room.state import MemberState, RoomState

__all__ = [
    "DEFAULT_RULES",
    "change_bots",
    "chosen_name",
    "execute",
    "make_place",
    "take_part",
]

MAX_NONCES = 16
"""Commitments of one member to one race: each is a log record, and a client needs one
per connection."""

DEFAULT_RULES = {False: Rules(), True: Rules(countdown_ms=10_000)}
"""For private and public rooms: strangers need more time to notice a start."""

_HOST_ONLY = (
    Start,
    Abort,
    CallTime,
    Settings,
    BeginSeries,
    Kick,
    Bots,
    Lock,
    HandOver,
    Close,
    Mute,
)
_NAMES_RACE = (Ready, Nonce, Start, Abort, Slides, Forfeit, Undo, CallTime, Input)
"""Commands that must name the current race; `Rematch` may also name the last one."""


def execute(draft: Draft, command: MemberCommand) -> Refusal | None:
    """Write the records of a member's command, or return a refusal.

    Args:
        draft: where to write them.
        command: any but slides, see `decide_slides`.
    """
    state, message = draft.state, command.message
    member = state.members.get(command.member)
    if member is None:
        return Refusal("bad_token")
    if isinstance(message, _HOST_ONLY) and member.id != state.host:
        return Refusal("not_host")
    if isinstance(message, _NAMES_RACE) and message.race != state.race.id:
        return Refusal("wrong_race", "race", message.race)
    race, now = state.race, draft.now
    match message:
        case Ready(on=True):
            return _ready(draft, member, message.nonce_commitment)
        case Ready():
            return _unready(draft, member)
        case Nonce():
            return _nonce(draft, member, message.nonce)
        case Start():
            return _start(draft, member)
        case Abort():
            return _abort(draft)
        case CallTime():
            return draft.take(race_decide.call_time(race, now))
        case Forfeit() | Undo():
            if member.seat is None:
                return Refusal("not_racing")
            undo = isinstance(message, Undo)
            forfeit = race_decide.undo_forfeit if undo else race_decide.forfeit
            refusal = draft.take(forfeit(race, member.seat, now))
            if refusal is None and state.alone:  # nobody else waits to see it undone
                draft.write(race_decide.end_race(draft.state.race, now, "called"))
            return refusal
        case Input():
            return _declare_input(draft, member, message)
        case Rematch():
            return _rematch(draft, member, message.race)
        case Role():
            return _role(draft, member, message.role)
        case Rename(name=name):
            return _rename(draft, member, name)
        case Bench():
            return _bench(draft, member, message)
        case Leave():
            _remove(draft, member, "left")
            if state.kind != "room" and not _has_people(draft.state):
                draft.close("timeout")
            return None
        case Kick():
            return _kick(draft, member, message.member)
        case Mute():
            return _mute(draft, message)
        case HandOver():
            return _hand_over(draft, message.member)
        case Settings():
            return _settings(draft, message)
        case BeginSeries():
            return _begin_series(draft, message)
        case Bots(want=want):
            return change_bots(draft, want, command.token_hashes)
        case Lock(on=on):
            if on != state.locked:
                draft.write([LockChanged(now, on)])
            return None
        case Close():
            draft.close("host")
            return None
        case Slides():
            raise ValueError("slides are decided by decide_slides")
        case _:
            assert_never(message)


def chosen_name(typed: str) -> str | Refusal:
    """Return the nickname that somebody has typed; a long one is refused, not cut."""
    fault = typed_fault(typed)
    return Refusal(fault, "name", typed) if fault else typed_name(typed)


def take_part(draft: Draft, member_id: int) -> None:
    """Make a new player ready in a room that starts by the clock."""
    member = draft.state.members[member_id]
    if draft.state.race.rules.start == "every" and member.plays and not member.ready:
        draft.write([ReadyChanged(draft.now, member_id, on=True)])


def make_place(draft: Draft, role: RoleName, address: str) -> Refusal | None:
    """Return a refusal if there is no place for one more member in a role.

    If the room is full, or full for this address, a member of the role who is away
    makes place: a newcomer at once, others after `away_grace_ms`.
    """
    state, limits = draft.state, draft.limits
    places = {"player": limits.players, "spectator": limits.spectators}
    of_address = {
        "player": limits.players_per_ip,
        "spectator": limits.spectators_per_ip,
    }
    taken = [member for member in state.members.values() if member.role == role]
    away = [member for member in absent_members(state) if _gives_way(draft, member)]
    host = state.members.get(state.owner or 0)
    if address and not (host and host.address == address):
        own = [member for member in taken if member.address == address]
        if len(own) >= of_address[role]:
            taken, away = own, [one for one in away if one.address == address]
            places = of_address
    if len(taken) < places[role]:
        return None
    candidates = [member for member in away if member.role == role]
    if not candidates:
        return Refusal("room_full")
    gone = min(candidates, key=lambda one: (not one.newcomer, one.since, one.id))
    draft.write([Gone(draft.now, gone.id, "timeout")])
    return None


def _gives_way(draft: Draft, member: MemberState) -> bool:
    """Return whether a member who is away may be removed if the room is full."""
    grace = 0 if member.newcomer else draft.limits.away_grace_ms
    return draft.passed(member.since + grace)


def _kick(draft: Draft, member: MemberState, other_id: int) -> Refusal | None:
    other = draft.state.members.get(other_id)
    if other is None or other.id == member.id:
        return Refusal("member_unknown", "member", str(other_id))
    _remove(draft, other, "kicked")
    return None


def _mute(draft: Draft, mute: Mute) -> Refusal | None:
    other = draft.state.members.get(mute.member)
    if other is None:
        return Refusal("member_unknown", "member", str(mute.member))
    if other.muted != mute.on:
        draft.write([MuteChanged(draft.now, other.id, mute.on)])
    return None


def _hand_over(draft: Draft, other_id: int) -> Refusal | None:
    other = draft.state.members.get(other_id)
    if other is None:
        return Refusal("member_unknown", "member", str(other_id))
    if other.role != "player" or other.bot:
        return Refusal("not_player", "member", str(other.id))
    if other.id != draft.state.owner:
        draft.write([HostChanged(draft.now, other.id, other.id)])
    return None


def _ready(
    draft: Draft, member: MemberState, commitment: str | None = None
) -> Refusal | None:
    if member.role != "player":
        return Refusal("not_player")
    commitment = commitment or member.nonce_commitment
    if commitment != member.nonce_commitment and member.nonces == MAX_NONCES:
        return Refusal("rate")
    if member.ready and commitment == member.nonce_commitment:
        return None
    if not may_change_ready(draft.state):
        return Refusal("wrong_phase")
    if member.benched:
        draft.write([BenchChanged(draft.now, member.id, on=False)])
    if not member.ready:
        draft.write([ReadyChanged(draft.now, member.id, on=True)])
    if commitment != member.nonce_commitment:
        draft.write([NonceCommitted(draft.now, member.id, commitment)])
    return None


def _nonce(draft: Draft, member: MemberState, nonce: str) -> Refusal | None:
    if member.seat is None:
        return Refusal("not_racing")
    race = draft.state.race
    return draft.take(race_decide.reveal_nonce(race, member.seat, nonce, draft.now))


def _unready(draft: Draft, member: MemberState) -> Refusal | None:
    """Make a player not ready; this stops a countdown that started automatically."""
    state = draft.state
    if not member.ready:
        return None
    if not may_change_ready(state):
        return Refusal("wrong_phase")
    draft.write([ReadyChanged(draft.now, member.id, on=False)])
    automatic = state.race.rules.start == "ready" and not state.host_started
    if state.phase == "countdown" and automatic:
        draft.write([CountdownStopped(draft.now, state.race.id, "unready")])
    return None


def _rematch(draft: Draft, member: MemberState, race: str) -> Refusal | None:
    state = draft.state
    if race not in (state.race.id, state.last_race):
        return Refusal("wrong_race", "race", race)
    if race == state.last_race:
        return _ready(draft, member)
    if state.phase != "results":
        return Refusal("wrong_phase")
    if state.kind == "daily":
        return Refusal("daily_done")
    if member.role != "player" and member.id != state.host:
        return Refusal("not_player")
    if state.kind == "quick" and any(
        not one.bot and one.id != member.id for one in state.active()
    ):
        return _ready(draft, member)  # strangers may still read the results
    draft.write([draft.new_race()])
    member = draft.state.members[member.id]
    return _ready(draft, member) if member.role == "player" else None


def _declare_input(draft: Draft, member: MemberState, message: Input) -> Refusal | None:
    """Note how a racer slides, as long as the results do not contain it."""
    seat = member.seat
    if seat is None or not _in_a_race(draft.state, member):
        return Refusal("not_racing")
    if draft.state.racers[seat].input != message.input:
        draft.write([InputDeclared(draft.now, seat, message.input)])
    return None


def _role(draft: Draft, member: MemberState, role: RoleName) -> Refusal | None:
    if member.role == role:
        return None
    if _in_a_race(draft.state, member):
        return Refusal("wrong_phase")
    if refusal := make_place(draft, role, member.address):
        return refusal
    seat = draft.state.free_seat() if role == "player" else None
    draft.write([RoleChanged(draft.now, member.id, role, seat)])
    take_part(draft, member.id)
    return None


def _rename(draft: Draft, member: MemberState, typed: str) -> Refusal | None:
    """Change a nickname, except that of a racer, which the results contain."""
    if _in_a_race(draft.state, member):
        return Refusal("racing")
    name = chosen_name(typed)
    if isinstance(name, Refusal):
        return name
    members = draft.state.members.values()
    name = make_unique(name, [one.name for one in members if one.id != member.id])
    if name != member.name:
        draft.write([Renamed(draft.now, member.id, name)])
    return None


def _bench(draft: Draft, member: MemberState, bench: Bench) -> Refusal | None:
    if bench.member != member.id and member.id != draft.state.host:
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
    draft.write([BenchChanged(draft.now, other.id, bench.on)])
    take_part(draft, other.id)
    return None


def _remove(draft: Draft, member: MemberState, why: Literal["left", "kicked"]) -> None:
    if member.seat is not None:
        race = draft.state.race
        draft.write(race_decide.leave(race, member.seat, why, draft.now))
    draft.write([Gone(draft.now, member.id, why)])


def change_bots(
    draft: Draft, want: Sequence[BotWanted], token_hashes: Sequence[str]
) -> Refusal | None:
    """Let bots of the server leave and enter until the room has those wanted.

    Args:
        draft: where to write the records.
        want: the bots.
        token_hashes: SHA-256 of the seat tokens of the next members.
    """
    state, limits = draft.state, draft.limits
    if refusal := bot_fault(state, want, limits.bots):
        return refusal
    leaving, missing = compare_bots(state, want)
    if not state.between_races and (leaving or missing):
        return Refusal("wrong_phase")
    for member in leaving:
        _remove(draft, member, "left")
    players = sum(one.role == "player" for one in draft.state.members.values())
    if missing and players + len(missing) > limits.players:
        return Refusal("room_full")
    for bot, token_hash in zip(missing, token_hashes, strict=False):
        state = draft.state
        member_id = state.last_member + 1
        taken = [other.name for other in state.members.values()]
        entered = Entered(
            draft.now,
            member_id,
            bot_name(bot, member_id, taken),
            "player",
            bot=True,
            seat=state.free_seat(),
            token_hash=token_hash,
            level=bot.level,
            pace_ms=bot.pace_ms,
        )
        draft.write([entered])
    return None


def _has_people(state: RoomState) -> bool:
    return any(not member.bot for member in state.members.values())


def _start(draft: Draft, member: MemberState) -> Refusal | None:
    """Start the countdown; a host who plays is then ready."""
    race = draft.state.race
    if race.active:
        return None
    if race.phase != "lobby":
        return Refusal("wrong_phase")
    if member.plays and not member.ready:
        draft.write([ReadyChanged(draft.now, member.id, on=True)])
    draft.write([HostStarted(draft.now)])
    if not starters(draft):
        return Refusal("nobody_ready")
    return draft.take(race_decide.begin_countdown(draft.state.race, draft.now))


def _abort(draft: Draft) -> Refusal | None:
    """Stop the countdown or abort the race.

    Nobody is ready then, or the countdown would start again at once. A race that counts
    in a series that can end, or on leaderboards, cannot be aborted once the board may
    have been seen, or a host could undo a defeat.
    """
    race, now = draft.state.race, draft.now
    counts = draft.state.public or draft.state.series.can_end
    if counts and race.active and race.is_revealed(now):
        return Refusal("race_counts")
    if refusal := draft.take(race_decide.abort(race, now)):
        return refusal
    if draft.records and isinstance(draft.records[-1], CountdownStopped):
        ready = [one for one in draft.state.members.values() if one.ready]
        draft.write(
            ReadyChanged(now, one.id, on=False) for one in ready if not one.served
        )
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
        return Refusal("bad_rules", f"rules.{error.field}", str(error.value))
    if settings.seed is not None:
        seed = seed_from_text(settings.seed).hex() if settings.seed else ""
    if public != state.public:
        draft.write([ListingChanged(draft.now, public)])
    if (rules, seed) != (state.race.rules, state.race.known_seed):
        scheduled = state.race.rules.start == "every"
        draft.write([draft.new_race(rules, seed)])
        for member in () if scheduled else list(draft.state.members):
            take_part(draft, member)
    return None


def _begin_series(draft: Draft, asked: BeginSeries) -> Refusal | None:
    """Begin a series, unless one of this format has just begun."""
    state = draft.state
    low, high = LENGTHS.get(asked.format, (0, 0))
    n = asked.n if high else 0
    if not low <= n <= high:
        return Refusal("bad_series", "n", str(n))
    if state.phase not in ("lobby", "results"):
        return Refusal("wrong_phase")
    by = asked.by if asked.format == "first" else 1
    if state.series != Series(asked.format, n, by):
        draft.write([SeriesBegan(draft.now, asked.format, n, by)])
    return None


def _in_a_race(state: RoomState, member: MemberState) -> bool:
    """Return whether a member is on the roster of a race that has not ended."""
    return not state.between_races and member.seat in state.race.roster
