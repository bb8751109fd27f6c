"""What the clock decides in a room, and the questions asked after every change.

Who is host? May we start? Must the countdown stop? No command may leave the room with
an answer pending: a condition that is only looked at on the happy event hangs for ever.
"""

from collections.abc import Iterator

from sliderace.race import decide as race_decide
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
    Readied,
    Record,
    StartPlanned,
)
from sliderace_server.room.state import MemberState, RoomLimits, RoomState

__all__ = [
    "closes_at",
    "decided",
    "lock_check_at",
    "next_deadline",
    "racing",
    "run_clock",
]

DEFAULT_LIMITS = RoomLimits()


def next_deadline(state: RoomState, limits: RoomLimits = DEFAULT_LIMITS) -> int | None:
    """Room time at which the room must be given a `Tick`; None: never again.

    It may lie in the past: then at once. Ask again after every record but `Slid`,
    which brings no deadline nearer.
    """
    if state.closed:
        return None
    if _to_be_planned(state):
        return state.t
    room = min(max(at, state.hold_until) for at in _deadlines(state, limits))
    race = race_decide.next_deadline(state.race)
    return room if race is None else min(room, race)


def closes_at(state: RoomState, limits: RoomLimits = DEFAULT_LIMITS) -> int:
    """Room time at which the room closes if nobody comes or does anything."""
    at = state.active_at + limits.room_ttl_ms
    if state.empty_since is None:
        return at
    match state.race.phase:
        case "racing" | "grace":
            ttl = max(limits.race_ttl_ms, state.race.rules.away_ms)
        case "results":
            ttl = limits.results_ttl_ms
        case _:
            ttl = limits.lobby_ttl_ms
    return min(at, state.empty_since + ttl)


def lock_check_at(state: RoomState) -> int | None:
    """Room time at which roster or board must be durable, else the start is postponed.

    The shell gives the room `LockNotDurable` where the last of `RosterFrozen`,
    `RaceLocked` and `Postponed` is not committed by then. None: nothing waits for it.
    """
    return None if state.closed else race_decide.postpone_at(state.race)


def run_clock(draft: Draft) -> None:
    """Write everything that is due, then what follows, until nothing does any more."""
    if draft.state.closed:
        return
    if draft.passed(closes_at(draft.state, draft.limits)):
        draft.close("timeout")
        return
    if race_decide.freeze_due(draft.state.race, draft.now):
        draft.write(_freeze(draft))
    if race_decide.draw_due(draft.state.race, draft.now):
        draft.write(_draw(draft))
    draft.write(race_decide.due(draft.state.race, draft.now))
    draft.write(
        Gone(draft.now, member.id, "timeout")
        for member in _loose_ends(draft.state)
        if draft.passed(member.since + draft.limits.member_ttl_ms)
    )
    while records := _follows(draft):
        draft.write(records)


def decided(decision: list[RaceRecord] | Refusal) -> list[RaceRecord]:
    """The records of a race's decision that cannot be refused here.

    Raises:
        ValueError: it was refused; the room asked the race what it must not.
    """
    if isinstance(decision, list):
        return decision
    raise ValueError(decision.code)


def _deadlines(state: RoomState, limits: RoomLimits) -> Iterator[int]:
    yield closes_at(state, limits)
    for member in _loose_ends(state):
        yield member.since + limits.member_ttl_ms
    for member in state.members.values():
        if not member.connected:
            at = max(member.since + limits.away_grace_ms, state.hold_until)
            then = Draft(state, at, b"", limits)
            is_host = member.id == state.host
            if (is_host and _changes_host(then)) or _lacks_racers(then):
                yield at
    yield from _planned(state)


def _to_be_planned(state: RoomState) -> bool:
    """A slide has just ended a race in a room that starts by the clock."""
    ended = state.race.phase == "results" and state.start_at is None
    return ended and state.race.rules.start == "every" and bool(state.active())


def _planned(state: RoomState) -> Iterator[int]:
    """When a planned start comes, if enough are there for it."""
    enough = state.race.rules.start == "every" or _enough(state)
    if state.start_at is not None and enough:
        yield state.start_at


def _loose_ends(state: RoomState) -> Iterator[MemberState]:
    """Members who are away and not needed: no race of theirs runs."""
    roster = () if state.between_races else state.race.roster
    for member in list(state.members.values()):
        if not member.connected and member.seat not in roster:
            yield member


def _follows(draft: Draft) -> list[Record]:
    """The next thing that follows from the room as it stands."""
    if draft.state.race.phase == "aborted":
        return _again(draft)
    if _changes_host(draft):
        return [HostChanged(draft.now, *_rightful(draft))]
    match draft.state.race.phase, draft.state.race.rules.start:
        case (("lobby" | "results"), "every"):
            return _every(draft)
        case "lobby", "ready":
            return _when_ready(draft)
        case _:
            return _stop(draft) if _lacks_racers(draft) else []


def _again(draft: Draft) -> list[Record]:
    """The race after one that was called off; if that was our fault, at once."""
    state, now = draft.state, draft.now
    made = draft.new_race()
    if state.race.why != "outage":
        return [made]
    ready = [
        Readied(now, member.id, on=True)
        for member in state.members.values()
        if member.seat in state.race.roster and member.plays
    ]
    t0 = max(now + made.rules.countdown_ms, state.hold_until)
    return [made, *ready, HostStarted(now), CountdownBegan(now, made.race, t0)]


def _lacks_racers(draft: Draft) -> bool:
    """Too few are left in a countdown."""
    race = draft.state.race
    if race.phase != "countdown" or race.locked:
        return False
    return len(racing(draft)) < _needed(draft.state)


def _changes_host(draft: Draft) -> bool:
    """The role is not where it belongs."""
    return _rightful(draft) != (draft.state.host, draft.state.owner)


def _rightful(draft: Draft) -> tuple[int | None, int | None]:
    """Who should act as host, and whose the role is."""
    members = draft.state.members
    owner = draft.state.owner if draft.state.owner in members else None
    host = draft.state.host if draft.state.host in members else None
    if owner and members[owner].connected:
        return owner, owner
    if not host or not _here(draft, members[host]):
        host = _successor(draft.state) or owner
    return host, owner or host


def _successor(state: RoomState) -> int | None:
    """The longest present human player, who sits out only if all do."""
    players = [
        member
        for member in state.members.values()
        if member.role == "player" and member.connected and not member.bot
    ]
    players.sort(key=lambda member: (member.benched, member.since, member.id))
    return players[0].id if players else None


def _here(draft: Draft, member: MemberState) -> bool:
    """Present, or away for so short that nobody need mind."""
    away = member.since + draft.limits.away_grace_ms
    return member.connected or not draft.passed(away)


def racing(draft: Draft) -> list[MemberState]:
    """Who would race if the roster were frozen now."""
    everybody = draft.state.race.rules.start == "every"
    return [
        member
        for member in draft.state.members.values()
        if member.plays and (member.ready or everybody) and _here(draft, member)
    ]


def _needed(state: RoomState) -> int:
    """A race takes two, unless the host or the hour says otherwise."""
    alone = state.host_started or state.race.rules.start == "every"
    return 1 if alone else 2


def _enough(state: RoomState) -> bool:
    return sum(member.ready for member in state.active()) >= 2


def _freeze(draft: Draft) -> list[Record]:
    roster = racing(draft)
    if len(roster) < _needed(draft.state) or not any(one.connected for one in roster):
        return _stop(draft)
    committed = {
        one.seat: one.nonce_commitment for one in roster if one.seat is not None
    }
    return [*decided(race_decide.freeze(draft.state.race, committed, draft.now))]


def _draw(draft: Draft) -> list[Record]:
    race = draft.state.race
    holders = {
        one.seat: one
        for one in draft.state.members.values()
        if one.seat in race.roster and one.seat is not None
    }
    lines = {
        seat: draft.line_of(one.id) for seat, one in holders.items() if one.connected
    }
    drawn = race_decide.draw(
        race,
        lines,
        draft.now,
        away=[seat for seat, one in holders.items() if not one.connected],
        gone={
            seat: draft.state.left.get(seat, "left")
            for seat in race.roster
            if seat not in holders
        },
    )
    return [*decided(drawn)]


def _stop(draft: Draft) -> list[Record]:
    return [CountdownStopped(draft.now, draft.state.race.id, "too_few")]


def _every(draft: Draft) -> list[Record]:
    """A room that starts by the clock, whoever is there."""
    state, now = draft.state, draft.now
    if not state.active():
        return [] if state.start_at is None else [StartPlanned(now, None)]
    if state.start_at is None:
        return [StartPlanned(now, now + state.race.rules.every_ms)]
    if not draft.passed(state.start_at):
        return []
    if state.race.phase == "lobby":
        return [*decided(race_decide.begin_countdown(state.race, now))]
    made = draft.new_race()
    return [made, CountdownBegan(now, made.race, now + made.rules.countdown_ms)]


def _when_ready(draft: Draft) -> list[Record]:
    """All present players are ready; for a rematch nobody waits for ever."""
    state, now = draft.state, draft.now
    active = state.active()
    ready = sum(member.ready for member in active)
    over = state.start_at is not None and draft.passed(state.start_at)
    if ready >= 2 and (ready == len(active) or over):
        return [*decided(race_decide.begin_countdown(state.race, now))]
    # Bots are ready at once: it is people who want a rematch.
    people = [member for member in active if not member.bot] or active
    asked = any(member.ready for member in people)
    wanted = bool(state.last_race) and asked and len(active) > 1
    if wanted and state.start_at is None:
        return [StartPlanned(now, now + draft.limits.rematch_ms)]
    if not wanted and state.start_at is not None:
        return [StartPlanned(now, None)]
    return []
