"""A quick room: nobody is its host, and it ends with its people."""

import pytest
from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace.race.log_records import Seat
from sliderace.race.refusal import Refusal
from sliderace.race.state import HOLD_MS
from sliderace_server import room
from sliderace_server.registry.matchmaking import rules_for
from sliderace_server.room import Connect, Disconnect, Enter, RoomLimits, SetBots
from sliderace_server.room.commands import WireCommand
from sliderace_server.room.deadlines import BOTS_MS, EMPTY_MS
from sliderace_server.room.log_records import Closed

ROOMY = RoomLimits(players=16)
FAST, SLOW = m.BotWanted(pace_ms=2_000), m.BotWanted(pace_ms=3_000)


def quick_room(*bots: m.BotWanted) -> RoomHarness:
    harness = RoomHarness(
        rules_for("2x2", 2_500), public=True, limits=ROOMY, kind="quick"
    )
    if bots:
        hashes = [f"bot {number}" for number in range(len(bots))]
        assert isinstance(harness.do(SetBots(bots, hashes)), list)
    return harness


def bots_of(harness: RoomHarness) -> list[int]:
    return [one.id for one in room.server_bots(harness.state)]


# --- the first race -------------------------------------------------------------------


def test_the_first_race_starts_at_once() -> None:
    harness = quick_room()
    harness.enter("Ann")
    assert harness.phase() == "countdown"
    harness.to_phase("racing")
    assert harness.now == 3_000
    assert harness.state.race.roster == (0,)


def test_the_first_race_waits_until_its_bots_are_connected() -> None:
    harness = quick_room(FAST, SLOW)
    harness.enter("Ann")
    assert harness.phase() == "lobby"
    harness.now = 700
    harness.do(Connect(1))
    assert harness.phase() == "lobby"
    harness.do(Connect(2))
    assert harness.phase() == "countdown"
    harness.to_phase("racing")
    assert (harness.now, harness.state.race.roster) == (3_700, (0, 1, 2))


def test_nobody_waits_long_for_bots_that_do_not_come() -> None:
    harness = quick_room(FAST, SLOW)
    ann = harness.enter("Ann")
    assert harness.deadline() == BOTS_MS
    harness.to_deadline()
    assert harness.phase() == "countdown"
    harness.to_phase("racing")
    assert harness.state.race.roster == (harness.seat(ann),)


def test_bots_of_other_rooms_are_not_awaited() -> None:
    patch = m.RulesPatch(size="2x2", start="every")
    harness = RoomHarness(patch, limits=ROOMY)
    harness.enter("Ann", creator=True)
    assert harness.phase() == "countdown"


def test_races_follow_each_other() -> None:
    harness = quick_room()
    harness.enter("Ann")
    harness.to_phase("racing")
    harness.solve(1)
    harness.to_deadline()
    assert harness.phase() == "results"
    assert harness.snapshot(1).in_ms == 12_000
    harness.to_phase("countdown")
    harness.to_phase("racing")
    assert harness.race.endswith("-2")


# --- no host --------------------------------------------------------------------------


def test_a_quick_room_never_has_a_host() -> None:
    harness = quick_room()
    harness.enter("Ann")
    harness.enter("Ben", creator=True)
    assert (harness.state.host, harness.state.owner) == (None, None)
    harness.do(Disconnect(1))
    harness.wait(30_000)
    assert (harness.state.host, harness.state.owner) == (None, None)
    assert harness.snapshot(2).room.kind == "quick"


@pytest.mark.parametrize(
    "command",
    [
        m.Settings(),
        m.Settings(public=False),
        m.Start("RACE"),
        m.Abort("RACE"),
        m.CallTime("RACE"),
        m.Kick(2),
        m.Bots([FAST]),
        m.Lock(),
        m.Mute(2),
        m.HandOver(1),
        m.Close(),
        m.Series("mo3"),
        m.Bench(2),
    ],
    ids=lambda one: type(one).__name__,
)
def test_nobody_may_do_what_hosts_do(command: WireCommand) -> None:
    harness = quick_room()
    harness.enter("Ann")
    harness.enter("Ben")
    assert harness.ask(1, command) == Refusal("not_host")


def test_nobody_ends_the_results_that_others_read() -> None:
    harness = quick_room()
    harness.enter("Ann")
    harness.enter("Ben")
    harness.to_phase("racing")
    harness.solve(1)
    harness.solve(2)
    harness.to_deadline()
    assert harness.ask(1, m.Rematch(harness.race)) == []
    assert harness.phase() == "results"
    harness.do(Disconnect(2))
    harness.ask(1, m.Rematch(harness.race))
    assert harness.phase() == "countdown"


# --- who does not race ----------------------------------------------------------------


def race_without(harness: RoomHarness, idle: int, racer: int) -> None:
    harness.to_phase("racing")
    harness.solve(racer)
    harness.to_phase("results")
    assert not harness.state.race.attempts[Seat(idle - 1)].slides


def test_somebody_who_never_slides_only_watches_after_two_races() -> None:
    harness = quick_room()
    ann, ben = harness.enter("Ann"), harness.enter("Ben")
    race_without(harness, ann, ben)
    assert harness.state.members[ann].role == "player"
    race_without(harness, ann, ben)
    assert harness.state.members[ann].role == "spectator"
    told = [one for one in harness.events if isinstance(one, m.MemberEvent)]
    assert (told[-1].member.id, told[-1].why) == (ann, "idle")
    assert harness.state.members[ben].role == "player"
    assert harness.replayed() == harness.state
    # They come back as a player whenever they like.
    harness.ask(ann, m.Role("player"))
    told = [one for one in harness.events if isinstance(one, m.MemberEvent)]
    assert [one.why for one in told[-2:]] == ["role", "ready"]
    assert harness.state.members[ann].ready
    harness.to_phase("racing")
    assert len(harness.state.race.roster) == 2


def test_one_slide_is_enough_to_stay() -> None:
    harness = quick_room()
    ann, ben = harness.enter("Ann"), harness.enter("Ben")
    race_without(harness, ann, ben)
    harness.to_phase("racing")
    harness.ask(ann, harness.slides(ann, 1))
    harness.solve(ben)
    harness.to_phase("results")
    race_without(harness, ann, ben)
    assert harness.state.members[ann].role == "player"


def test_bots_do_not_race_for_somebody_who_is_not_there() -> None:
    harness = quick_room(FAST)
    ann = harness.enter("Ann")
    harness.do(Connect(1))
    for _ in range(2):
        harness.to_phase("racing")
        harness.solve(1)
        harness.to_phase("results")
    harness.wait(60_000)
    assert harness.phase() == "results"
    assert harness.snapshot(ann).in_ms is None


def test_in_other_rooms_players_may_sit_and_wait() -> None:
    harness = RoomHarness(m.RulesPatch(size="2x2", start="every"))
    ann, ben = harness.enter("Ann", creator=True), harness.enter("Ben")
    for _ in range(3):
        race_without(harness, ann, ben)
    assert harness.state.members[ann].role == "player"


# --- the end --------------------------------------------------------------------------


def test_the_room_closes_when_its_last_person_leaves() -> None:
    harness = quick_room(FAST)
    ann, ben = harness.enter("Ann"), harness.enter("Ben")
    harness.do(Connect(1))
    harness.ask(ann, m.Leave())
    assert not harness.state.closed
    harness.to_phase("racing")
    outcome = harness.ask(ben, m.Leave())
    assert isinstance(outcome, list)
    assert outcome[-1] == Closed(harness.now, "timeout")
    assert harness.phase() == "closed"


def test_a_room_of_friends_stays_when_everybody_has_left() -> None:
    harness = RoomHarness()
    harness.enter("Ann", creator=True)
    harness.ask(1, m.Leave())
    assert not harness.state.closed


@pytest.mark.parametrize("phase", ["countdown", "results"])
def test_the_room_closes_a_minute_after_the_last_connection(phase: str) -> None:
    harness = quick_room(FAST)
    ann = harness.enter("Ann")
    harness.do(Connect(1))
    if phase == "results":
        harness.to_phase("racing")
        harness.solve(ann)
        harness.solve(1)
    harness.to_phase(phase)
    harness.do(Disconnect(ann))
    left = harness.now
    harness.wait(EMPTY_MS - 1)
    assert harness.phase() != "closed"
    harness.wait(1)
    assert harness.state.closed == "timeout"
    assert harness.now == left + EMPTY_MS


def test_a_race_that_everybody_has_left_ends_within_a_minute() -> None:
    harness = quick_room()
    harness.enter("Ann")
    harness.to_phase("racing")
    harness.do(Disconnect(1))
    harness.wait(EMPTY_MS)
    assert harness.state.closed == "timeout"


# --- after a killed server ------------------------------------------------------------


def test_a_quick_room_is_the_same_after_a_killed_server() -> None:
    harness = quick_room(FAST)
    ann = harness.enter("Ann", usual_ms=2_500, profile="ANNSPRFL")
    harness.do(Connect(1))
    harness.to_phase("racing")
    before = harness.state.members[ann]
    harness.crash(2_000)
    assert harness.state.kind == "quick"
    for member in (1, ann):
        harness.do(Connect(member))
    after = harness.state.members[ann]
    assert (after.profile, after.usual_ms) == (before.profile, before.usual_ms)
    harness.solve(ann)
    harness.solve(1)
    harness.wait(HOLD_MS)
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)
    assert harness.state.host is None


def test_a_quick_room_waits_for_its_bots_after_a_killed_server_too() -> None:
    harness = quick_room(FAST)
    ann = harness.enter("Ann")
    assert harness.phase() == "lobby"
    harness.crash(1_000)
    harness.do(Connect(ann))
    assert harness.phase() == "lobby"
    harness.wait(HOLD_MS)
    assert harness.phase() in ("countdown", "racing")


def test_who_comes_without_a_pace_can_race() -> None:
    """By the room's code."""
    harness = quick_room()
    harness.enter("Ann", usual_ms=2_500)
    assert isinstance(harness.do(Enter("Ben", "hash")), list)
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)
