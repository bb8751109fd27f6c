"""Starts of a race: ready, host, schedule, rematch."""

import pytest
from tests.server.room_fixture import LIMITS, RoomHarness

from sliderace.protocol import messages as m
from sliderace.race.log_records import (
    BoardDrawn,
    CountdownBegan,
    CountdownStopped,
    RaceCreated,
    RaceStarted,
    RosterFrozen,
)
from sliderace.race.refusal import Refusal
from sliderace_server.room import Connect, Disconnect, LockNotDurable, lock_check_at
from sliderace_server.room.log_records import ReadyChanged, StartPlanned


def rules(**patch: object) -> m.RulesPatch:
    return m.RulesPatch(size="2x2", **patch)  # type: ignore[arg-type]


def ready(harness: RoomHarness, *members: int, on: bool = True) -> None:
    for member in members:
        assert isinstance(harness.ask(member, m.Ready(harness.race, on)), list)


def harness_with(*names: str, **patch: object) -> RoomHarness:
    harness = RoomHarness(rules(**patch))
    for name in names:
        harness.enter(name)
    return harness


def test_the_countdown_starts_when_all_active_players_are_ready() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    ready(harness, 1, 2)
    assert harness.phase() == "lobby"
    ready(harness, 3)
    assert harness.phase() == "countdown"
    assert harness.state.race.t0 == harness.now + 5_000


def test_a_single_player_starts_only_by_the_host_s_command() -> None:
    harness = harness_with("Ann")
    ready(harness, 1)
    harness.wait(10_000)
    assert harness.phase() == "lobby"
    harness.ask(1, m.Start(harness.race))
    harness.to_phase("racing")
    assert harness.state.race.roster == (0,)


def test_a_bot_counts_as_a_second_player() -> None:
    harness = harness_with("Ann")
    harness.enter("Robo", bot=True)
    ready(harness, 1, 2)
    assert harness.phase() == "countdown"


def test_absent_benched_and_watching_members_do_not_delay_the_start() -> None:
    harness = harness_with("Ann", "Ben", "Cat", "Dan")
    harness.enter("Eve", role="spectator")
    harness.do(Disconnect(3))
    ready(harness, 1, 2)
    assert harness.phase() == "lobby"
    harness.ask(4, m.Bench(4))
    assert harness.phase() == "countdown"


@pytest.mark.parametrize("how", ["leave", "kick", "drop", "role", "bench"])
def test_race_starts_when_the_last_unready_player_leaves(how: str) -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    ready(harness, 1, 2)
    match how:
        case "leave":
            harness.ask(3, m.Leave())
        case "kick":
            harness.ask(1, m.Kick(3))
        case "drop":
            harness.do(Disconnect(3))
        case "role":
            harness.ask(3, m.Role("spectator"))
        case _:
            harness.ask(1, m.Bench(3))
    assert harness.phase() == "countdown"


def test_in_a_room_started_by_the_host_only_the_host_starts() -> None:
    harness = harness_with("Ann", "Ben", start="host")
    ready(harness, 1, 2)
    harness.wait(30_000)
    assert harness.phase() == "lobby"
    assert harness.ask(2, m.Start(harness.race)) == Refusal("not_host")
    harness.ask(1, m.Start(harness.race))
    assert harness.phase() == "countdown"


def test_start_makes_the_host_ready() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ask(1, m.Start(harness.race))
    assert harness.state.members[1].ready
    harness.to_phase("racing")
    assert harness.state.race.roster == (0,)


def test_start_does_not_make_a_benched_host_ready() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ask(1, m.Bench(1))
    assert harness.ask(1, m.Start(harness.race)) == Refusal("nobody_ready")
    ready(harness, 2)
    harness.ask(1, m.Start(harness.race))
    assert not harness.state.members[1].ready
    harness.to_phase("racing")
    assert harness.state.race.roster == (1,)


def test_a_second_start_changes_nothing() -> None:
    harness = harness_with("Ann")
    harness.ask(1, m.Start(harness.race))
    assert harness.ask(1, m.Start(harness.race)) == []
    harness.to_phase("racing")
    assert harness.ask(1, m.Start(harness.race)) == []
    harness.ask(1, m.Forfeit(harness.race))
    harness.to_phase("results")
    assert harness.ask(1, m.Start(harness.race)) == Refusal("wrong_phase")


def test_commands_of_another_race_are_refused() -> None:
    harness = harness_with("Ann")
    for kind in (m.Ready, m.Start, m.Abort, m.Forfeit, m.Undo, m.CallTime, m.Rematch):
        assert harness.ask(1, kind("KWXTRB-OLD-9")) == Refusal(
            "wrong_race", "race", "KWXTRB-OLD-9"
        )


# --- the countdown -------------------------------------------------------------------


def test_public_rooms_count_down_longer() -> None:
    assert RoomHarness(rules(), public=True).state.race.rules.countdown_ms == 10_000
    asked = RoomHarness(rules(countdown_ms=3_000), public=True)
    assert asked.state.race.rules.countdown_ms == 3_000


def test_unready_stops_an_automatic_countdown() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    ready(harness, 1, 2, 3)
    ready(harness, 2, on=False)
    assert harness.phase() == "lobby"
    assert harness.events[-1] == m.PhaseEvent(
        harness.state.offset, harness.race, "lobby", None, why="unready"
    )
    ready(harness, 2)
    assert harness.phase() == "countdown"


def test_unready_does_not_stop_the_host_s_countdown() -> None:
    harness = harness_with("Ann", "Ben")
    ready(harness, 2)
    harness.ask(1, m.Start(harness.race))
    ready(harness, 2, on=False)
    assert harness.phase() == "countdown"
    ready(harness, 1, on=False)
    assert harness.phase() == "lobby"


def test_a_countdown_with_too_few_racers_stops() -> None:
    harness = harness_with("Ann", "Ben")
    ready(harness, 1, 2)
    harness.ask(2, m.Leave())
    assert harness.phase() == "lobby"
    last = harness.records[-1]
    assert isinstance(last, CountdownStopped)
    assert last.why == "too_few"


def test_a_newcomer_may_join_during_the_countdown() -> None:
    harness = harness_with("Ann", "Ben")
    ready(harness, 1, 2)
    harness.enter("Cat")
    assert harness.phase() == "countdown"
    ready(harness, 3)
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1, 2)


def test_unready_players_do_not_race() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    ready(harness, 2)
    harness.ask(1, m.Start(harness.race))
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)
    assert harness.ask(3, m.Slides(harness.race, 0, 1, [("U", 1, 0)])) == Refusal(
        "not_racing"
    )


def test_a_short_disconnect_during_the_countdown_costs_nothing() -> None:
    harness = harness_with("Ann", "Ben", countdown_ms=30_000)
    ready(harness, 1, 2)
    harness.wait(10_000)
    harness.do(Disconnect(2))
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)
    assert harness.state.race.attempts[harness.seat(2)].away_since is not None


def test_a_long_disconnect_during_the_countdown_loses_the_start() -> None:
    harness = harness_with("Ann", "Ben", "Cat", countdown_ms=60_000)
    ready(harness, 1, 2, 3)
    harness.wait(38_800)
    harness.do(Disconnect(2))
    harness.wait(1)
    harness.do(Disconnect(3))
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 2)


def test_countdown_stops_if_only_one_player_is_present() -> None:
    harness = harness_with("Ann", "Ben")
    ready(harness, 1, 2)
    harness.do(Disconnect(1))
    harness.do(Disconnect(2))
    assert harness.phase() == "countdown"
    harness.to_deadline()
    assert harness.phase() == "lobby"


def test_abort_during_the_countdown_makes_nobody_ready() -> None:
    harness = harness_with("Ann", "Ben")
    ready(harness, 1, 2)
    race = harness.race
    assert harness.ask(2, m.Abort(race)) == Refusal("not_host")
    harness.ask(1, m.Abort(race))
    assert harness.phase() == "lobby"
    assert harness.race == race
    assert not any(member.ready for member in harness.state.members.values())
    assert harness.ask(1, m.Abort(race)) == []
    harness.wait(30_000)
    assert harness.phase() == "lobby"


def test_the_roster_cannot_change_after_it_is_frozen() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    ready(harness, 1)
    harness.ask(1, m.Start(harness.race))
    frozen, locked = harness.to_deadline()
    assert isinstance(frozen, RosterFrozen)
    assert isinstance(locked, BoardDrawn)
    assert frozen.t == locked.t == locked.t0 - 1_200
    assert harness.ask(2, m.Ready(harness.race)) == Refusal("wrong_phase")
    assert harness.ask(1, m.Ready(harness.race, on=False)) == Refusal("wrong_phase")
    assert harness.ask(1, m.Role("spectator")) == Refusal("wrong_phase")
    assert harness.ask(1, m.Bench(1)) == Refusal("wrong_phase")
    assert harness.ask(1, m.Ready(harness.race)) == []
    [started] = harness.to_deadline()
    assert isinstance(started, RaceStarted)
    assert started.t == locked.t0


def test_a_lock_not_durable_in_time_postpones_the_start() -> None:
    harness = harness_with("Ann")
    assert lock_check_at(harness.state) is None
    harness.ask(1, m.Start(harness.race))
    assert lock_check_at(harness.state) is None
    harness.to_deadline()
    check = lock_check_at(harness.state)
    assert check
    assert check == harness.state.race.t0 - 150
    harness.now = check - 1
    assert harness.do(LockNotDurable()) == []
    harness.now = check
    harness.do(LockNotDurable())
    assert harness.state.race.t0 == check + 1_200
    assert harness.events[-1] == m.PhaseEvent(
        harness.state.offset, harness.race, "countdown", 1_200, [0], "postponed"
    )
    assert harness.do(LockNotDurable()) == []
    harness.to_phase("racing")
    assert harness.do(LockNotDurable()) == Refusal("wrong_phase")
    assert lock_check_at(harness.state) is None


def test_late_tick_does_not_start_a_race_that_is_not_durable() -> None:
    harness = harness_with("Ann")
    harness.ask(1, m.Start(harness.race))
    harness.to_deadline()
    harness.now = harness.state.race.t0 + 40
    harness.do(LockNotDurable())
    assert harness.state.phase == "countdown"
    assert harness.state.race.t0 == harness.now + 1_200


# --- rematch -------------------------------------------------------------------------


def after_a_race(*names: str, **patch: object) -> RoomHarness:
    harness = harness_with(*names, **patch)
    members = list(harness.state.members)
    harness.start_race(*members)
    harness.wait(5)
    for member in members:
        harness.solve(member)
    assert harness.phase() == "results"
    return harness


def test_a_rematch_has_a_new_race_secret_and_commitment() -> None:
    harness = after_a_race("Ann", "Ben")
    before = harness.state.race
    harness.ask(2, m.Rematch(before.id))
    after = harness.state.race
    assert (before.id[-1], after.id[-1]) == ("1", "2")
    assert len({before.secret, after.secret}) == 2
    assert len({before.commitment, after.commitment}) == 2
    assert harness.phase() == "lobby"
    assert harness.state.members[2].ready
    assert not harness.state.members[1].ready


def test_a_late_rematch_command_joins_the_rematch() -> None:
    harness = after_a_race("Ann", "Ben")
    race = harness.race
    harness.ask(2, m.Rematch(race))
    assert harness.ask(2, m.Rematch(race)) == []
    harness.ask(1, m.Rematch(race))
    assert harness.phase() == "countdown"
    assert harness.ask(1, m.Rematch(race)) == []
    harness.to_phase("racing")
    assert harness.ask(1, m.Rematch(harness.race)) == Refusal("wrong_phase")


def test_a_rematch_starts_30_s_after_the_first_ready_player() -> None:
    harness = after_a_race("Ann", "Ben", "Cat")
    race = harness.race
    harness.wait(5_000)
    harness.ask(1, m.Rematch(race))
    assert harness.events[-1] == m.PhaseEvent(
        harness.state.offset, harness.race, "lobby", 30_000
    )
    harness.wait(10_000)
    harness.ask(2, m.Rematch(race))
    harness.wait(19_999)
    assert harness.phase() == "lobby"
    harness.wait(1)
    assert harness.phase() == "countdown"


def test_a_rematch_with_too_few_ready_players_ends_its_countdown() -> None:
    """An event says so, and the next ready player starts it again."""
    harness = after_a_race("Ann", "Ben", "Cat")
    race = harness.race
    harness.ask(1, m.Rematch(race))
    harness.wait(30_000)
    assert harness.records[-1] == StartPlanned(harness.now, None)
    assert harness.events[-1] == m.PhaseEvent(
        harness.state.offset, harness.race, "lobby", None, why="too_few"
    )
    before = len(harness.events)
    harness.wait(30_000)
    assert len(harness.events) == before
    assert harness.state.members[1].ready
    harness.ask(2, m.Rematch(race))
    assert harness.state.start_at == harness.now + 30_000
    harness.wait(30_000)
    assert harness.phase() == "countdown"
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)


def test_a_rematch_waits_for_a_second_player() -> None:
    harness = after_a_race("Ann", "Ben")
    race = harness.race
    harness.ask(1, m.Rematch(race))
    harness.wait(40_000)
    assert harness.phase() == "lobby"
    harness.ask(2, m.Rematch(race))
    assert harness.phase() == "countdown"


def test_a_planned_rematch_is_called_off_if_nobody_is_ready() -> None:
    harness = after_a_race("Ann", "Ben")
    harness.ask(1, m.Rematch(harness.race))
    ready(harness, 1, on=False)
    assert harness.records[-1] == StartPlanned(harness.now, None)
    assert harness.events[-1] == m.PhaseEvent(
        harness.state.offset, harness.race, "lobby", None
    )


def test_a_single_player_plans_no_rematch() -> None:
    harness = after_a_race("Ann")
    harness.ask(1, m.Rematch(harness.race))
    assert harness.state.start_at is None


def test_only_players_and_the_host_may_ask_for_a_rematch() -> None:
    harness = after_a_race("Ann", "Ben")
    harness.enter("Eve", role="spectator")
    assert harness.ask(3, m.Rematch(harness.race)) == Refusal("not_player")
    harness.ask(1, m.Role("spectator"))
    harness.ask(1, m.Rematch(harness.race))
    assert harness.phase() == "lobby"
    assert not any(member.ready for member in harness.state.members.values())


def test_ready_does_not_mean_rematch() -> None:
    harness = after_a_race("Ann")
    harness.enter("Ben")
    assert harness.ask(2, m.Ready(harness.race)) == Refusal("wrong_phase")
    assert harness.ask(2, m.Ready(harness.race, on=False)) == []


# --- every N seconds -----------------------------------------------------------------


def test_a_room_with_scheduled_starts_starts_its_first_race_at_once() -> None:
    harness = harness_with(start="every", every_ms=20_000)
    harness.enter("Ann")
    assert harness.phase() == "countdown"
    assert harness.state.members[1].ready
    harness.enter("Ben")
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)


def test_who_sits_out_does_not_race_by_the_clock() -> None:
    """Neither now nor in the next races, until they are ready again."""
    harness = harness_with("Ann", "Ben", start="every", every_ms=20_000)
    harness.enter("Cat")
    ready(harness, 1, on=False)
    harness.ask(3, m.Bench(3))
    for expected in ((1,), (1,), (0, 1)):
        harness.to_phase("racing")
        assert harness.state.race.roster == expected
        harness.ask(1, m.CallTime(harness.race))
        harness.to_phase("results")
        if not harness.state.members[1].ready and harness.state.number > 1:
            ready(harness, 1)
    ready(harness, 2, on=False)
    harness.to_phase("racing")
    assert harness.state.race.roster == (0,)


def test_in_a_room_with_scheduled_starts_new_players_are_ready() -> None:
    harness = harness_with("Ann")
    harness.enter("Eve", role="spectator")
    harness.ask(1, m.Bench(1))
    harness.ask(1, m.Settings(m.RulesPatch(start="every")))
    assert harness.phase() == "lobby"
    assert not any(one.ready for one in harness.state.members.values())
    harness.ask(2, m.Role("player"))
    assert harness.state.members[2].ready
    assert harness.phase() == "countdown"
    harness.ask(1, m.Bench(1, on=False))
    assert harness.state.members[1].ready


def test_changing_to_scheduled_starts_starts_with_everybody() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ask(1, m.Settings(m.RulesPatch(start="every")))
    assert harness.phase() == "countdown"
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)


def test_the_host_may_stop_scheduled_starts() -> None:
    harness = harness_with("Ann", "Ben", start="every", every_ms=20_000)
    harness.ask(1, m.Abort(harness.race))
    harness.wait(60_000)
    assert harness.phase() == "lobby"
    harness.ask(1, m.Settings(m.RulesPatch(size="3x2")))
    assert harness.phase() == "lobby"
    ready(harness, 2)
    harness.to_phase("racing")
    assert harness.state.race.roster == (1,)
    harness.ask(1, m.Abort(harness.race))
    harness.wait(60_000)
    assert harness.phase() == "lobby"


def test_scheduled_starts_continue_after_the_results() -> None:
    harness = harness_with("Ann", start="every", every_ms=20_000)
    harness.to_phase("racing")
    race = harness.race
    harness.wait(10)
    harness.solve(1)
    assert harness.phase() == "results"
    [planned] = harness.to_deadline()
    assert planned == StartPlanned(harness.now, harness.now + 20_000)
    harness.wait(19_999)
    assert harness.race == race
    made, began = harness.to_deadline()
    assert isinstance(made, RaceCreated)
    assert isinstance(began, CountdownBegan)
    assert harness.race != race


def test_scheduled_starts_pause_while_nobody_is_connected() -> None:
    harness = harness_with("Ann", start="every", every_ms=20_000)
    harness.to_phase("racing")
    harness.solve(1)
    harness.to_deadline()
    harness.do(Disconnect(1))
    assert harness.state.start_at is None
    harness.wait(30_000)
    assert harness.phase() == "results"
    harness.do(Connect(1))
    assert harness.state.start_at == harness.now + 20_000


# --- ready ---------------------------------------------------------------------------


def test_a_second_ready_changes_nothing() -> None:
    harness = harness_with("Ann")
    ready(harness, 1)
    assert harness.ask(1, m.Ready(harness.race)) == []
    ready(harness, 1, on=False)
    assert harness.ask(1, m.Ready(harness.race, on=False)) == []


def test_ready_unbenches_the_player() -> None:
    harness = harness_with("Ann")
    harness.ask(1, m.Bench(1))
    ready(harness, 1)
    assert not harness.state.members[1].benched
    assert harness.records[-1] == ReadyChanged(harness.now, 1, on=True)


def test_spectators_cannot_be_ready() -> None:
    harness = harness_with("Ann")
    harness.enter("Eve", role="spectator")
    assert harness.ask(2, m.Ready(harness.race)) == Refusal("not_player")


def test_bots_alone_do_not_ask_for_a_rematch() -> None:
    harness = after_a_race("Ann", "Ben")
    for name in ("Robo", "Rob"):
        harness.enter(name, bot=True)
    harness.ask(1, m.Rematch(harness.race))
    harness.ask(1, m.Settings(m.RulesPatch(size="3x3")))
    ready(harness, 3, 4)
    assert harness.state.start_at is None
    ready(harness, 2)
    assert harness.state.start_at == harness.now + LIMITS.rematch_ms
