"""When a race starts, and when it does not."""

import pytest
from tests.server.room_fixture import LIMITS, Stage

from sliderace.protocol import messages as m
from sliderace.race.log_records import (
    CountdownBegan,
    CountdownStopped,
    RaceCreated,
    RaceLocked,
    RaceStarted,
    RosterFrozen,
)
from sliderace.race.refusal import Refusal
from sliderace_server.room import Connect, Disconnect, LockNotDurable, lock_check_at
from sliderace_server.room.log_records import ReadyChanged, StartPlanned


def rules(**patch: object) -> m.RulesPatch:
    return m.RulesPatch(size="2x2", **patch)  # type: ignore[arg-type]


def ready(stage: Stage, *members: int, on: bool = True) -> None:
    for member in members:
        assert isinstance(stage.ask(member, m.Ready(stage.race, on)), list)


def stage_of(*names: str, **patch: object) -> Stage:
    stage = Stage(rules(**patch))
    for name in names:
        stage.enter(name)
    return stage


def test_all_present_players_ready_start_the_countdown() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    ready(stage, 1, 2)
    assert stage.phase() == "lobby"
    ready(stage, 3)
    assert stage.phase() == "countdown"
    assert stage.state.race.t0 == stage.now + 5_000


def test_a_lone_player_waits_for_the_host_s_word() -> None:
    stage = stage_of("Ann")
    ready(stage, 1)
    stage.wait(10_000)
    assert stage.phase() == "lobby"
    stage.ask(1, m.Start(stage.race))
    stage.to_phase("racing")
    assert stage.state.race.roster == (0,)


def test_one_with_a_bot_are_two() -> None:
    stage = stage_of("Ann")
    stage.enter("Robo", bot=True)
    ready(stage, 1, 2)
    assert stage.phase() == "countdown"


def test_who_is_away_sits_out_or_watches_does_not_hold_up_the_others() -> None:
    stage = stage_of("Ann", "Ben", "Cat", "Dan")
    stage.enter("Eve", role="spectator")
    stage.do(Disconnect(3))
    ready(stage, 1, 2)
    assert stage.phase() == "lobby"
    stage.ask(4, m.Bench(4))
    assert stage.phase() == "countdown"


@pytest.mark.parametrize("how", ["leave", "kick", "drop", "role", "bench"])
def test_the_last_who_was_not_ready_goes_and_the_race_starts(how: str) -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    ready(stage, 1, 2)
    match how:
        case "leave":
            stage.ask(3, m.Leave())
        case "kick":
            stage.ask(1, m.Kick(3))
        case "drop":
            stage.do(Disconnect(3))
        case "role":
            stage.ask(3, m.Role("spectator"))
        case _:
            stage.ask(1, m.Bench(3))
    assert stage.phase() == "countdown"


def test_in_a_host_room_only_the_host_s_word_starts() -> None:
    stage = stage_of("Ann", "Ben", start="host")
    ready(stage, 1, 2)
    stage.wait(30_000)
    assert stage.phase() == "lobby"
    assert stage.ask(2, m.Start(stage.race)) == Refusal("not_host")
    stage.ask(1, m.Start(stage.race))
    assert stage.phase() == "countdown"


def test_pressing_start_makes_the_host_ready() -> None:
    stage = stage_of("Ann", "Ben")
    stage.ask(1, m.Start(stage.race))
    assert stage.state.members[1].ready
    stage.to_phase("racing")
    assert stage.state.race.roster == (0,)


def test_unless_the_host_sits_out() -> None:
    stage = stage_of("Ann", "Ben")
    stage.ask(1, m.Bench(1))
    assert stage.ask(1, m.Start(stage.race)) == Refusal("nobody_ready")
    ready(stage, 2)
    stage.ask(1, m.Start(stage.race))
    assert not stage.state.members[1].ready
    stage.to_phase("racing")
    assert stage.state.race.roster == (1,)


def test_start_twice_is_start_once() -> None:
    stage = stage_of("Ann")
    stage.ask(1, m.Start(stage.race))
    assert stage.ask(1, m.Start(stage.race)) == []
    stage.to_phase("racing")
    assert stage.ask(1, m.Start(stage.race)) == []
    stage.ask(1, m.Forfeit(stage.race))
    stage.to_phase("results")
    assert stage.ask(1, m.Start(stage.race)) == Refusal("wrong_phase")


def test_commands_of_another_race_are_refused() -> None:
    stage = stage_of("Ann")
    for kind in (m.Ready, m.Start, m.Abort, m.Forfeit, m.Undo, m.CallTime, m.Rematch):
        assert stage.ask(1, kind("KWXTRB-OLD-9")) == Refusal(
            "wrong_race", "race", "KWXTRB-OLD-9"
        )


# --- the countdown -------------------------------------------------------------------


def test_public_rooms_count_down_longer() -> None:
    assert Stage(rules(), public=True).state.race.rules.countdown_ms == 10_000
    asked = Stage(rules(countdown_ms=3_000), public=True)
    assert asked.state.race.rules.countdown_ms == 3_000


def test_not_ready_after_all_stops_an_automatic_countdown() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    ready(stage, 1, 2, 3)
    ready(stage, 2, on=False)
    assert stage.phase() == "lobby"
    assert stage.events[-1] == m.PhaseEvent(
        stage.state.offset, stage.race, "lobby", None, why="unready"
    )
    ready(stage, 2)
    assert stage.phase() == "countdown"


def test_not_ready_after_all_lets_the_host_s_countdown_go_on() -> None:
    stage = stage_of("Ann", "Ben")
    ready(stage, 2)
    stage.ask(1, m.Start(stage.race))
    ready(stage, 2, on=False)
    assert stage.phase() == "countdown"
    ready(stage, 1, on=False)
    assert stage.phase() == "lobby"


def test_too_few_are_left_in_the_countdown() -> None:
    stage = stage_of("Ann", "Ben")
    ready(stage, 1, 2)
    stage.ask(2, m.Leave())
    assert stage.phase() == "lobby"
    last = stage.records[-1]
    assert isinstance(last, CountdownStopped)
    assert last.why == "too_few"


def test_a_newcomer_does_not_stop_the_countdown_but_may_still_join_it() -> None:
    stage = stage_of("Ann", "Ben")
    ready(stage, 1, 2)
    stage.enter("Cat")
    assert stage.phase() == "countdown"
    ready(stage, 3)
    stage.to_phase("racing")
    assert stage.state.race.roster == (0, 1, 2)


def test_unready_players_watch() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    ready(stage, 2)
    stage.ask(1, m.Start(stage.race))
    stage.to_phase("racing")
    assert stage.state.race.roster == (0, 1)
    assert stage.ask(3, m.Slides(stage.race, 0, 1, [("U", 1, 0)])) == Refusal(
        "not_racing"
    )


def test_a_short_drop_in_the_countdown_costs_nothing() -> None:
    stage = stage_of("Ann", "Ben", countdown_ms=30_000)
    ready(stage, 1, 2)
    stage.wait(10_000)
    stage.do(Disconnect(2))
    stage.to_phase("racing")
    assert stage.state.race.roster == (0, 1)
    assert stage.state.race.attempts[stage.seat(2)].away_since is not None


def test_a_long_drop_in_the_countdown_loses_the_start() -> None:
    stage = stage_of("Ann", "Ben", "Cat", countdown_ms=60_000)
    ready(stage, 1, 2, 3)
    stage.wait(38_800)
    stage.do(Disconnect(2))
    stage.wait(1)
    stage.do(Disconnect(3))
    stage.to_phase("racing")
    assert stage.state.race.roster == (0, 2)


def test_nobody_races_alone_against_the_absent() -> None:
    stage = stage_of("Ann", "Ben")
    ready(stage, 1, 2)
    stage.do(Disconnect(1))
    stage.do(Disconnect(2))
    assert stage.phase() == "countdown"
    stage.to_deadline()
    assert stage.phase() == "lobby"


def test_abort_in_the_countdown_leaves_nobody_ready() -> None:
    stage = stage_of("Ann", "Ben")
    ready(stage, 1, 2)
    race = stage.race
    assert stage.ask(2, m.Abort(race)) == Refusal("not_host")
    stage.ask(1, m.Abort(race))
    assert stage.phase() == "lobby"
    assert stage.race == race
    assert not any(member.ready for member in stage.state.members.values())
    assert stage.ask(1, m.Abort(race)) == []
    stage.wait(30_000)
    assert stage.phase() == "lobby"


def test_roster_and_readiness_are_frozen_by_the_lock() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    ready(stage, 1)
    stage.ask(1, m.Start(stage.race))
    frozen, locked = stage.to_deadline()
    assert isinstance(frozen, RosterFrozen)
    assert isinstance(locked, RaceLocked)
    assert frozen.t == locked.t == locked.t0 - 1_200
    assert stage.ask(2, m.Ready(stage.race)) == Refusal("wrong_phase")
    assert stage.ask(1, m.Ready(stage.race, on=False)) == Refusal("wrong_phase")
    assert stage.ask(1, m.Role("spectator")) == Refusal("wrong_phase")
    assert stage.ask(1, m.Bench(1)) == Refusal("wrong_phase")
    assert stage.ask(1, m.Ready(stage.race)) == []
    [started] = stage.to_deadline()
    assert isinstance(started, RaceStarted)
    assert started.t == locked.t0


def test_a_lock_that_is_not_durable_in_time_moves_the_start() -> None:
    stage = stage_of("Ann")
    assert lock_check_at(stage.state) is None
    stage.ask(1, m.Start(stage.race))
    assert lock_check_at(stage.state) is None
    stage.to_deadline()
    check = lock_check_at(stage.state)
    assert check
    assert check == stage.state.race.t0 - 150
    stage.now = check - 1
    assert stage.do(LockNotDurable()) == []
    stage.now = check
    stage.do(LockNotDurable())
    assert stage.state.race.t0 == check + 1_200
    assert stage.events[-1] == m.PhaseEvent(
        stage.state.offset, stage.race, "countdown", 1_200, [0], "postponed"
    )
    assert stage.do(LockNotDurable()) == []
    stage.to_phase("racing")
    assert stage.do(LockNotDurable()) == Refusal("wrong_phase")
    assert lock_check_at(stage.state) is None


def test_a_clock_that_is_late_starts_no_race_whose_lock_is_not_durable() -> None:
    stage = stage_of("Ann")
    stage.ask(1, m.Start(stage.race))
    stage.to_deadline()
    stage.now = stage.state.race.t0 + 40
    stage.do(LockNotDurable())
    assert stage.state.phase == "countdown"
    assert stage.state.race.t0 == stage.now + 1_200


# --- rematch -------------------------------------------------------------------------


def after_a_race(*names: str, **patch: object) -> Stage:
    stage = stage_of(*names, **patch)
    members = list(stage.state.members)
    stage.race_of(*members)
    stage.wait(5)
    for member in members:
        stage.solve(member)
    assert stage.phase() == "results"
    return stage


def test_a_rematch_has_a_new_race_secret_and_commitment() -> None:
    stage = after_a_race("Ann", "Ben")
    before = stage.state.race
    stage.ask(2, m.Rematch(before.id))
    after = stage.state.race
    assert (before.id[-1], after.id[-1]) == ("1", "2")
    assert len({before.secret, after.secret}) == 2
    assert len({before.commitment, after.commitment}) == 2
    assert stage.phase() == "lobby"
    assert stage.state.members[2].ready
    assert not stage.state.members[1].ready


def test_a_late_click_on_rematch_joins_it() -> None:
    stage = after_a_race("Ann", "Ben")
    race = stage.race
    stage.ask(2, m.Rematch(race))
    assert stage.ask(2, m.Rematch(race)) == []
    stage.ask(1, m.Rematch(race))
    assert stage.phase() == "countdown"
    assert stage.ask(1, m.Rematch(race)) == []
    stage.to_phase("racing")
    assert stage.ask(1, m.Rematch(stage.race)) == Refusal("wrong_phase")


def test_a_rematch_starts_half_a_minute_after_the_first_who_is_ready() -> None:
    stage = after_a_race("Ann", "Ben", "Cat")
    race = stage.race
    stage.wait(5_000)
    stage.ask(1, m.Rematch(race))
    assert stage.events[-1] == m.PhaseEvent(
        stage.state.offset, stage.race, "lobby", 30_000
    )
    stage.wait(10_000)
    stage.ask(2, m.Rematch(race))
    stage.wait(19_999)
    assert stage.phase() == "lobby"
    stage.wait(1)
    assert stage.phase() == "countdown"


def test_a_rematch_waits_for_a_second_player() -> None:
    stage = after_a_race("Ann", "Ben")
    race = stage.race
    stage.ask(1, m.Rematch(race))
    stage.wait(40_000)
    assert stage.phase() == "lobby"
    stage.ask(2, m.Rematch(race))
    assert stage.phase() == "countdown"


def test_a_planned_rematch_is_off_when_nobody_is_ready_any_more() -> None:
    stage = after_a_race("Ann", "Ben")
    stage.ask(1, m.Rematch(stage.race))
    ready(stage, 1, on=False)
    assert stage.records[-1] == StartPlanned(stage.now, None)
    assert stage.events[-1] == m.PhaseEvent(
        stage.state.offset, stage.race, "lobby", None
    )


def test_a_rematch_alone_is_not_planned() -> None:
    stage = after_a_race("Ann")
    stage.ask(1, m.Rematch(stage.race))
    assert stage.state.start_at is None


def test_rematch_is_for_players_and_the_host() -> None:
    stage = after_a_race("Ann", "Ben")
    stage.enter("Eve", role="spectator")
    assert stage.ask(3, m.Rematch(stage.race)) == Refusal("not_player")
    stage.ask(1, m.Role("spectator"))
    stage.ask(1, m.Rematch(stage.race))
    assert stage.phase() == "lobby"
    assert not any(member.ready for member in stage.state.members.values())


def test_ready_is_no_rematch() -> None:
    stage = after_a_race("Ann")
    stage.enter("Ben")
    assert stage.ask(2, m.Ready(stage.race)) == Refusal("wrong_phase")
    assert stage.ask(2, m.Ready(stage.race, on=False)) == []


# --- every N seconds -----------------------------------------------------------------


def test_a_room_starts_by_the_clock_whoever_is_there() -> None:
    stage = stage_of("Ann", start="every", every_ms=20_000)
    assert stage.events[-1] == m.PhaseEvent(
        stage.state.offset, stage.race, "lobby", 20_000
    )
    stage.wait(19_999)
    assert stage.phase() == "lobby"
    stage.wait(1)
    assert stage.phase() == "countdown"
    stage.to_phase("racing")
    assert stage.state.race.roster == (0,)


def test_it_goes_on_after_the_results_with_a_new_race() -> None:
    stage = stage_of("Ann", start="every", every_ms=20_000)
    stage.to_phase("racing")
    race = stage.race
    stage.wait(10)
    stage.solve(1)
    assert stage.phase() == "results"
    [planned] = stage.to_deadline()
    assert planned == StartPlanned(stage.now, stage.now + 20_000)
    stage.wait(19_999)
    assert stage.race == race
    made, began = stage.to_deadline()
    assert isinstance(made, RaceCreated)
    assert isinstance(began, CountdownBegan)
    assert stage.race != race


def test_it_rests_while_nobody_is_there() -> None:
    stage = stage_of("Ann", start="every", every_ms=20_000)
    stage.do(Disconnect(1))
    assert stage.state.start_at is None
    stage.wait(30_000)
    assert stage.phase() == "lobby"
    stage.do(Connect(1))
    assert stage.state.start_at == stage.now + 20_000


def test_its_host_may_start_earlier() -> None:
    stage = stage_of("Ann", "Ben", start="every")
    stage.ask(1, m.Start(stage.race))
    assert stage.phase() == "countdown"
    ready(stage, 1, on=False)
    stage.to_phase("racing")
    assert stage.state.race.roster == (0, 1)


# --- ready ---------------------------------------------------------------------------


def test_ready_twice_is_ready_once() -> None:
    stage = stage_of("Ann")
    ready(stage, 1)
    assert stage.ask(1, m.Ready(stage.race)) == []
    ready(stage, 1, on=False)
    assert stage.ask(1, m.Ready(stage.race, on=False)) == []


def test_ready_ends_sitting_out() -> None:
    stage = stage_of("Ann")
    stage.ask(1, m.Bench(1))
    ready(stage, 1)
    assert not stage.state.members[1].benched
    assert stage.records[-1] == ReadyChanged(stage.now, 1, on=True)


def test_spectators_are_never_ready() -> None:
    stage = stage_of("Ann")
    stage.enter("Eve", role="spectator")
    assert stage.ask(2, m.Ready(stage.race)) == Refusal("not_player")


def test_bots_alone_ask_for_no_rematch_when_people_are_there() -> None:
    stage = after_a_race("Ann", "Ben")
    for name in ("Robo", "Rob"):
        stage.enter(name, bot=True)
    stage.ask(1, m.Rematch(stage.race))
    stage.ask(1, m.Settings(m.RulesPatch(size="3x3")))
    ready(stage, 3, 4)
    assert stage.state.start_at is None
    ready(stage, 2)
    assert stage.state.start_at == stage.now + LIMITS.rematch_ms
