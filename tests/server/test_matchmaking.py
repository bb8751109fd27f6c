"""Who races whom, and with which bots, when somebody wants to race at once."""

import pytest
from tests.server.room_fixture import RoomHarness
from tests.server.test_room_quick import ROOMY

from sliderace.engine import Size
from sliderace.protocol import messages as m
from sliderace.race.rules import Rules, changed
from sliderace.solve import LEVELS, pace_range
from sliderace_server.registry.matchmaking import (
    AWAY_MS,
    MAX_PEOPLE,
    SOON_MS,
    choose,
    next_race_ms,
    people_of,
    rules_for,
    usual_of,
    usually_needed,
    wanted_bots,
)
from sliderace_server.room import Connect, Disconnect, RoomState, SetBots

EVENT = "3x3"


def quick_room(
    *usual_ms: int | None, bots: tuple[int, ...] = (), event: str = EVENT
) -> RoomHarness:
    """Return a quick room of people who usually need this, and bots of these paces."""
    harness = RoomHarness(
        rules_for(event, usual_ms[0] or 5_000), public=True, limits=ROOMY, kind="quick"
    )
    hashes = [f"bot {number}" for number in range(len(bots))]
    harness.do(SetBots([m.BotWanted(pace_ms=pace) for pace in bots], hashes))
    for number, usual in enumerate(usual_ms):
        harness.enter(f"P{number}", usual_ms=usual)
    return harness


def chosen(usual_ms: int, *harnesses: RoomHarness, event: str = EVENT) -> int | None:
    """Return the number of the chosen room."""
    rooms = [(one.state, one.now) for one in harnesses]
    found = choose(rooms, event, usual_ms)
    states = [state for state, _ in rooms]
    return None if found is None else [one is found for one in states].index(True)


def paces(
    state: RoomState, more: int = 9, *expected: int, now: int = 0
) -> list[int | None]:
    return [one.pace_ms for one in wanted_bots(state, now, more, expected)]


# --- how fast somebody is -------------------------------------------------------------


def test_a_profile_knows_better_than_a_client() -> None:
    assert usually_needed("4x4", 9_000, 20_000) == 9_000
    assert usually_needed("4x4", None, 20_000) == 20_000
    casual = round(LEVELS["casual"].target_ms(Size(4, 4)))
    assert usually_needed("4x4", None, None) == casual


def test_nobody_is_faster_or_slower_than_a_bot_can_be() -> None:
    least, most = pace_range(Size(2, 2))
    assert usually_needed("2x2", 1, None) == least
    assert usually_needed("2x2", most + 1, None) == most


@pytest.mark.parametrize("event", ["2x2", "4x4", "10x10"])
def test_any_pace_gives_possible_rules(event: str) -> None:
    for usual in pace_range(Size.parse(event)):
        rules = changed(Rules(), rules_for(event, usual))
        assert (rules.start, rules.every_ms, rules.countdown_ms) == (
            "every", 12_000, 3_000,
        )  # fmt: skip
        limit, grace = max(30_000, 4 * usual), max(10_000, usual)
        assert rules.time_limit_ms in range(limit, limit + 1_000)
        assert rules.grace_for(1) in range(grace, grace + 1_000)


def test_rules_that_people_read_are_whole_seconds() -> None:
    rules = changed(Rules(), rules_for("3x3", 12_174))
    assert (rules.time_limit_ms, rules.grace_for(1)) == (49_000, 13_000)


# --- which room -----------------------------------------------------------------------


def test_a_room_of_the_same_event_with_people_as_fast_is_chosen() -> None:
    ready = quick_room(5_000)
    assert chosen(5_000) is None
    assert chosen(5_000, ready) == 0
    assert chosen(5_000, ready, event="4x4") is None
    assert chosen(2_500, ready) == chosen(10_000, ready) == 0
    assert chosen(2_499, ready) is chosen(10_001, ready) is None


def test_the_median_of_a_room_decides() -> None:
    ready = quick_room(4_000, 20_000, 6_000)
    assert chosen(12_000, ready) == 0
    assert chosen(12_001, ready) is None


def test_a_room_of_people_of_whom_nothing_is_known_is_not_chosen() -> None:
    assert chosen(5_000, quick_room(None)) is None


def test_the_room_with_most_people_is_chosen() -> None:
    two, three = quick_room(5_000, 5_000), quick_room(5_000, 5_000, 5_000)
    assert chosen(5_000, quick_room(5_000), three, two) == 1


def test_of_rooms_with_as_many_people_the_next_race_decides() -> None:
    later, sooner = quick_room(5_000), quick_room(5_000)
    sooner.now = 1_000
    assert chosen(5_000, later, sooner) == 1
    assert chosen(5_000, sooner, later) == 0


def test_a_full_room_is_not_chosen() -> None:
    assert chosen(5_000, quick_room(*[5_000] * MAX_PEOPLE)) is None
    almost = quick_room(*[5_000] * (MAX_PEOPLE - 1), bots=(5_000,) * 3)
    assert chosen(5_000, almost) == 0, "bots do not count"


def test_a_closed_room_is_not_chosen() -> None:
    empty = quick_room(5_000)
    empty.do(Disconnect(1))
    empty.wait(60_000)
    assert empty.state.closed
    assert chosen(5_000, empty) is None


def test_nobody_waits_long_for_a_race_of_others() -> None:
    """Until the next start: the rest of this race, the pause and the countdown."""
    slow = quick_room(40_000)
    slow.to_phase("racing")
    assert next_race_ms(slow.state, slow.now) == 54_000 + 15_000
    assert chosen(40_000, slow) is None
    slow.wait(69_000 - SOON_MS)
    assert chosen(40_000, slow) == 0


# --- when the next race begins --------------------------------------------------------


def test_the_wait_for_the_next_race_is_known_in_every_phase() -> None:
    harness = quick_room(5_000, bots=(5_000,), event="2x2")
    assert harness.phase() == "lobby"
    assert next_race_ms(harness.state, 0) == 3_000
    harness.do(Connect(1))
    assert harness.phase() == "countdown"
    assert next_race_ms(harness.state, 1_000) == 2_000
    assert next_race_ms(harness.state, 1_800) == 1_200 + 6_750 + 15_000, "too late"
    harness.to_phase("racing")
    assert next_race_ms(harness.state, 3_000) == 6_750 + 15_000
    assert next_race_ms(harness.state, 90_000) == 15_000
    harness.solve(1)
    assert harness.phase() == "grace"
    until = harness.state.race.grace_until
    assert until
    assert next_race_ms(harness.state, harness.now) == until - harness.now + 15_000
    harness.solve(2)
    assert harness.phase() == "results"
    assert next_race_ms(harness.state, harness.now) == 3_000, "not planned yet"
    harness.to_deadline()
    assert next_race_ms(harness.state, harness.now + 2_000) == 13_000


def test_the_wait_is_known_without_anybody_whose_pace_is_known() -> None:
    harness = quick_room(None)
    harness.to_phase("racing")
    assert next_race_ms(harness.state, harness.now) == 15_000


# --- who counts as people -------------------------------------------------------------


def test_people_are_players_who_are_there_or_expected_back() -> None:
    harness = quick_room(5_000, 6_000, 7_000, 8_000, bots=(5_000,))
    harness.enter("Bot", bot=True)
    harness.enter("Eve", role="spectator")
    harness.ask(3, m.Bench(3))
    harness.do(Disconnect(4))
    at = harness.now
    assert [one.id for one in people_of(harness.state, at + AWAY_MS - 1)] == [2, 4, 5]
    assert [one.id for one in people_of(harness.state, at + AWAY_MS)] == [2, 5]
    assert usual_of(people_of(harness.state, at)) == 7_000


# --- which bots -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        (1, [9_500, 11_000, 13_500]),
        (2, [9_500, 11_000]),
        (3, [9_500]),
        (4, []),
        (5, []),
    ],
)
def test_bots_fill_the_room_up_to_four_lanes(people: int, expected: list[int]) -> None:
    state = quick_room(*[10_000] * people).state
    assert paces(state) == expected


def test_bots_are_matched_to_who_is_about_to_enter() -> None:
    harness = quick_room(10_000)
    harness.ask(1, m.Leave())
    empty = RoomHarness(rules_for(EVENT, 9_000), kind="quick").state
    assert paces(empty) == []
    assert paces(empty, 9, 10_000) == [9_500, 11_000, 13_500]
    assert paces(quick_room(10_000).state, 9, 20_000) == [14_250, 16_500]


def test_bots_stay_while_their_pace_is_near_enough() -> None:
    state = quick_room(10_000, bots=(11_500, 8_000)).state
    assert paces(state) == [8_000, 11_500, 13_500]
    state = quick_room(10_000, bots=(4_000, 30_000)).state
    assert paces(state) == [9_500, 11_000, 13_500]


def test_each_bot_stays_for_one_pace_only() -> None:
    state = quick_room(10_000, bots=(10_400,)).state
    assert paces(state) == [9_500, 10_400, 13_500]


def test_bots_stay_while_their_people_are_away() -> None:
    harness = quick_room(10_000, bots=(9_500, 11_000))
    harness.do(Disconnect(3))
    assert paces(harness.state, now=AWAY_MS) == [9_500, 11_000]


def test_bots_leave_people_who_only_watch() -> None:
    harness = quick_room(10_000, bots=(9_500, 11_000))
    harness.ask(3, m.Role("spectator"))
    assert paces(harness.state) == []


def test_no_more_bots_come_than_the_server_has() -> None:
    state = quick_room(10_000, bots=(11_000,)).state
    assert paces(state, 1) == [9_500, 11_000]
    assert paces(state, 0) == [11_000]


def test_bots_of_people_of_whom_nothing_is_known_play_casually() -> None:
    casual = round(LEVELS["casual"].target_ms(Size.parse(EVENT)))
    state = quick_room(None).state
    assert paces(state)[0] == round(0.95 * casual)


def test_bots_are_never_faster_than_bots_can_be() -> None:
    least, _ = pace_range(Size.parse(EVENT))
    assert paces(quick_room(least).state)[0] == least
