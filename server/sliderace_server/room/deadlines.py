"""What happens in a room without a command: deadlines, and consequences of changes.

Rules:

- Host: the owner of the role, while connected. If the owner is away for
  `away_grace_ms`, the human player who has been connected longest acts as host until
  the owner returns.
- Automatic start: in a room with `start == "ready"`, the countdown starts when all
  active people are ready and at least two racers are, bots included. After a race, the
  first ready player starts a timer of `rematch_ms`; when it ends, the countdown starts
  if two are ready, else the next ready player starts the timer again. In a room with
  `start == "every"`, players are ready unless they say otherwise: the first race starts
  at once, later ones `every_ms` after the last one, while an active player is ready.
- A room that the server opened (`kind`) has no host. A quick room waits `BOTS_MS` for
  its bots before the first race; somebody who makes no slide in `IDLE_RACES` of its
  races only watches from then on, or bots would race for nobody. In a room for one
  player, no race follows by itself. A daily room whose roster is not frozen when its
  day ends is closed.
- The bots of the server are ready as soon as they are connected. They request no race,
  and do not race if nobody else does, unless a host who watches starts the race.
- A countdown stops if too few racers are left. It needs one if the host started it or
  the room starts by the clock, otherwise two.
- An aborted race is replaced by a new one; if a server outage was the reason, its
  countdown starts at once, with the same players ready.
- A member who is disconnected for `member_ttl_ms`, and not in a running race, is
  removed; one who lost the first connection at once, after `newcomer_ttl_ms`.
- A room is closed after `room_ttl_ms` without activity, or earlier if nobody is
  connected; a room that the server opened, soon.
- After a recovery no deadline fires before `hold_until`.

`run_clock` runs after every command, so it notices every condition, whichever command
caused it. It repeats until nothing changes any more.
"""

from collections.abc import Iterator, Sequence

from sliderace.race import decide as race_decide
from sliderace.race.daily import day_start_ms
from sliderace.race.log_records import (
    CountdownBegan,
    CountdownStopped,
    RaceRecord,
)
from sliderace.race.refusal import Refusal
from sliderace_server.room.draft import Draft
from sliderace_server.room.log_records import (
    Gone,
    HostChanged,
    HostStarted,
    ReadyChanged,
    Record,
    RoleChanged,
    StartPlanned,
)
from sliderace_server.room.state import MemberState, RoomLimits, RoomState

__all__ = [
    "absent_members",
    "closes_at",
    "expect_records",
    "lock_check_at",
    "may_change_ready",
    "next_deadline",
    "run_clock",
    "starters",
]

DEFAULT_LIMITS = RoomLimits()
BOTS_MS = 1_500
"""Starting the process in which the bots play takes about as long."""
IDLE_RACES = 2
"""After one race without a slide, somebody may still be looking for the keys."""
EMPTY_MS = 60_000
"""A room of the server is closed if nobody has been connected for this long."""


def next_deadline(state: RoomState, limits: RoomLimits = DEFAULT_LIMITS) -> int | None:
    """Return the room time at which the room needs a `Tick`; None: never.

    If it is in the past, the `Tick` is due now. Call this again after every record
    except `Slid`, which brings no deadline nearer.
    """
    if state.closed:
        return None
    if _needs_plan(state) or _idle_players(state):
        return state.t
    room = min(max(at, state.hold_until) for at in _deadlines(state, limits))
    race = race_decide.next_deadline(state.race)
    return room if race is None else min(room, race)


def closes_at(state: RoomState, limits: RoomLimits = DEFAULT_LIMITS) -> int:
    """Return the room time at which the room closes unless something happens."""
    at = state.active_at + limits.room_ttl_ms
    if state.kind == "daily" and not state.race.frozen:
        at = min(at, _day_ends_at(state))
    if state.empty_since is None:
        return at
    match state.race.phase:
        case "racing" | "grace":
            least = limits.race_ttl_ms if state.kind == "room" else EMPTY_MS
            ttl = max(least, state.race.rules.away_ms)
        case _ if state.kind != "room":
            ttl = EMPTY_MS
        case "results":
            ttl = limits.results_ttl_ms
        case _:
            ttl = limits.lobby_ttl_ms
    return min(at, state.empty_since + ttl)


def _day_ends_at(state: RoomState) -> int:
    """Return the room time at which the day of a daily room ends by the wall clock."""
    return day_start_ms(state.day + 1) - state.epoch.wall_ms + state.epoch.t


def lock_check_at(state: RoomState) -> int | None:
    """Return the room time by which the roster or board must be durable, or None.

    If the last of `RosterFrozen`, `BoardDrawn` and `Postponed` is not durable then, the
    caller gives the room `LockNotDurable`, which postpones the start.
    """
    return None if state.closed else race_decide.postpone_at(state.race)


def run_clock(draft: Draft) -> None:
    """Write the records of all deadlines that have passed, then of all consequences."""
    if draft.state.closed:
        return
    if draft.passed(closes_at(draft.state, draft.limits)):
        draft.close("timeout")
        return
    if race_decide.freeze_due(draft.state.race, draft.now):
        draft.write(_freeze(draft))
    if race_decide.draw_due(draft.state.race, draft.now):
        draft.write(_draw(draft))
    draft.write(race_decide.fire_deadlines(draft.state.race, draft.now))
    draft.write(
        Gone(draft.now, member.id, "timeout")
        for member in absent_members(draft.state)
        if draft.passed(_removed_at(member, draft.limits))
    )
    while records := _next_consequence(draft):
        draft.write(records)


def expect_records(decision: list[RaceRecord] | Refusal) -> list[RaceRecord]:
    """Return the records of a race's decision.

    Raises:
        ValueError: it is a refusal, which a correct room never causes.
    """
    if isinstance(decision, list):
        return decision
    raise ValueError(decision.code)


def _deadlines(state: RoomState, limits: RoomLimits) -> Iterator[int]:
    yield closes_at(state, limits)
    for member in absent_members(state):
        yield _removed_at(member, limits)
    for member in state.members.values():
        if not member.connected:
            at = max(member.since + limits.away_grace_ms, state.hold_until)
            later = Draft(state, at, b"", limits)
            is_host = member.id == state.host
            if (is_host and _host_changes(later)) or _lacks_racers(later):
                yield at
    yield from _planned_start(state)


def _needs_plan(state: RoomState) -> bool:
    """Return whether a slide has just ended a race, and the next is not planned."""
    ended = state.race.phase == "results" and state.start_at is None
    planned = state.race.rules.start == "every" and not state.alone
    return ended and planned and _any_ready(state)


def _planned_start(state: RoomState) -> Iterator[int]:
    """Yield the time of a planned start."""
    if state.start_at is not None:
        yield state.start_at
    scheduled = state.phase == "lobby" and state.race.rules.start == "every"
    if scheduled and _any_ready(state):  # after a recovery, or it had started
        yield _bots_awaited_until(state)


def absent_members(state: RoomState) -> Iterator[MemberState]:
    """Yield the disconnected members who are not in a running race."""
    roster = () if state.between_races else state.race.roster
    for member in list(state.members.values()):
        if not member.connected and member.seat not in roster:
            yield member


def _removed_at(member: MemberState, limits: RoomLimits) -> int:
    """Return when a disconnected member is removed, if that is between two races."""
    ttl = limits.member_ttl_ms
    if member.newcomer:
        ttl = min(ttl, limits.newcomer_ttl_ms)
    return member.since + ttl


def may_change_ready(state: RoomState) -> bool:
    """Return whether players can get ready, or not ready any more, now.

    In a room that starts by the clock, this also applies to the race after the results.
    """
    if state.phase == "results":
        return state.race.rules.start == "every"
    return state.phase in ("lobby", "countdown") and not state.race.frozen


def _next_consequence(draft: Draft) -> list[Record]:
    """Return the records of the next consequence of the room's state."""
    if draft.state.race.phase == "aborted":
        return _replace_aborted(draft)
    if _host_changes(draft):
        return [HostChanged(draft.now, *_rightful_host(draft))]
    if ready := _bots_get_ready(draft):
        return ready
    if idle := _idle_players(draft.state):
        return [
            RoleChanged(draft.now, one, "spectator", None, idle=True) for one in idle
        ]
    match draft.state.race.phase, draft.state.race.rules.start:
        case (("lobby" | "results"), "every"):
            return _scheduled_start(draft)
        case "lobby", "ready":
            return _ready_start(draft)
        case _:
            return _stop_countdown(draft) if _lacks_racers(draft) else []


def _replace_aborted(draft: Draft) -> list[Record]:
    """Return the race that replaces an aborted one; after an outage, its start too."""
    state, now = draft.state, draft.now
    created = draft.new_race()
    if state.race.why != "outage":
        return [created]
    ready = [
        ReadyChanged(now, member.id, on=True)
        for member in state.members.values()
        if member.seat in state.race.roster and member.plays
    ]
    t0 = max(now + created.rules.countdown_ms, state.hold_until)
    return [created, *ready, HostStarted(now), CountdownBegan(now, created.race, t0)]


def _bots_get_ready(draft: Draft) -> list[Record]:
    """Return the records that make all bots of the server ready."""
    if not may_change_ready(draft.state):
        return []
    return [
        ReadyChanged(draft.now, member.id, on=True)
        for member in draft.state.active()
        if member.served and not member.ready
    ]


def _idle_players(state: RoomState) -> list[int]:
    """Return who does not race although they are in a quick room."""
    if state.kind != "quick" or state.race.phase != "results":
        return []
    return [
        member.id
        for member in state.members.values()
        if member.idle >= IDLE_RACES and member.seat in state.race.roster
    ]


def _lacks_racers(draft: Draft) -> bool:
    """Return whether a countdown has too few racers left."""
    race = draft.state.race
    if race.phase != "countdown" or race.frozen:
        return False
    return _too_few(draft.state, starters(draft))


def _too_few(state: RoomState, roster: Sequence[MemberState]) -> bool:
    """Return whether these are too few racers, or only bots, which no host started."""
    if len(roster) < _min_racers(state):
        return True
    asked = state.host_started and state.empty_since is None
    return not asked and all(member.served for member in roster)


def _host_changes(draft: Draft) -> bool:
    """Return the record that makes another member host, if one should be."""
    return _rightful_host(draft) != (draft.state.host, draft.state.owner)


def _rightful_host(draft: Draft) -> tuple[int | None, int | None]:
    """Return who should act as host, and the owner of the role."""
    if draft.state.kind != "room":
        return None, None
    members = draft.state.members
    owner = draft.state.owner if draft.state.owner in members else None
    host = draft.state.host if draft.state.host in members else None
    if owner and members[owner].connected:
        return owner, owner
    if not host or not _is_present(draft, members[host]):
        host = _successor(draft.state) or owner
    return host, owner or host


def _successor(state: RoomState) -> int | None:
    """Return the human player who has been connected longest; benched ones last."""
    players = [
        member
        for member in state.members.values()
        if member.role == "player" and member.connected and not member.bot
    ]
    players.sort(key=lambda member: (member.benched, member.since, member.id))
    return players[0].id if players else None


def _is_present(draft: Draft, member: MemberState) -> bool:
    """Return whether a member is connected, or was until a moment ago."""
    away = member.since + draft.limits.away_grace_ms
    return member.connected or not draft.passed(away)


def starters(draft: Draft) -> list[MemberState]:
    """Return who would race if the roster were frozen now."""
    return [
        member
        for member in draft.state.members.values()
        if member.plays and member.ready and _is_present(draft, member)
    ]


def _min_racers(state: RoomState) -> int:
    """Return how many racers a start needs."""
    alone = state.host_started or state.race.rules.start == "every"
    return 1 if alone else 2


def _any_ready(state: RoomState) -> bool:
    """Return whether somebody wants to race; bots of the server never ask for it."""
    return any(member.ready and not member.served for member in state.active())


def _freeze(draft: Draft) -> list[Record]:
    roster = starters(draft)
    nobody = not any(one.connected for one in roster)
    if nobody or draft.state.empty_since is not None or _too_few(draft.state, roster):
        return _stop_countdown(draft)
    committed = {
        one.seat: one.nonce_commitment for one in roster if one.seat is not None
    }
    return [
        *expect_records(
            race_decide.freeze_roster(draft.state.race, committed, draft.now)
        )
    ]


def _draw(draft: Draft) -> list[Record]:
    race = draft.state.race
    holders = {
        one.seat: one
        for one in draft.state.members.values()
        if one.seat in race.roster and one.seat is not None
    }
    latencies = {
        seat: draft.latency_of(one.id) for seat, one in holders.items() if one.connected
    }
    drawn = race_decide.draw_board(
        race,
        latencies,
        draft.now,
        away=[seat for seat, one in holders.items() if not one.connected],
        gone={
            seat: draft.state.left.get(seat, "left")
            for seat in race.roster
            if seat not in holders
        },
    )
    return [*expect_records(drawn)]


def _stop_countdown(draft: Draft) -> list[Record]:
    return [CountdownStopped(draft.now, draft.state.race.id, "too_few")]


def _bots_awaited_until(state: RoomState) -> int:
    """Return until when a quick room waits for bots that have just entered."""
    if state.kind != "quick":
        return 0
    return max(
        one.since + BOTS_MS if one.served and not one.connected else 0
        for one in state.members.values()
    )


def _scheduled_start(draft: Draft) -> list[Record]:
    """Return the next records of a room with scheduled starts."""
    state, now = draft.state, draft.now
    if state.alone and state.race.phase == "results":
        return []
    if not _any_ready(state):
        return [] if state.start_at is None else [StartPlanned(now, None)]
    at_once = state.alone or draft.passed(_bots_awaited_until(state))
    if state.race.phase == "lobby" and at_once:
        return [*expect_records(race_decide.begin_countdown(state.race, now))]
    if state.race.phase == "lobby" and state.kind == "quick":
        return []
    if state.start_at is None:
        return [StartPlanned(now, now + state.race.rules.every_ms)]
    if not draft.passed(state.start_at):
        return []
    created = draft.new_race()
    return [
        created,
        CountdownBegan(now, created.race, now + created.rules.countdown_ms),
    ]


def _ready_start(draft: Draft) -> list[Record]:
    """Return the next records of a room that starts when all are ready."""
    state, now = draft.state, draft.now
    active = state.active()
    # Bots are ready immediately, so people decide. Bots of players can race without
    # people.
    people = [member for member in active if not member.bot] or [
        member for member in active if not member.served
    ]
    asked = any(member.ready for member in people)
    enough = asked and sum(member.ready for member in active) >= 2
    over = state.start_at is not None and draft.passed(state.start_at)
    if enough and (over or all(member.ready for member in people)):
        return [*expect_records(race_decide.begin_countdown(state.race, now))]
    wanted = bool(state.last_race) and asked and len(active) > 1
    wanted = wanted and not (over or state.start_expired)
    if wanted and state.start_at is None:
        return [StartPlanned(now, now + draft.limits.rematch_ms)]
    if not wanted and state.start_at is not None:
        return [StartPlanned(now, None)]
    return []
