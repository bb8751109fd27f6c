"""A killed server's room carries on: nothing is lost, nobody pays for the failure."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.server.room_fixture import Stage

from sliderace.protocol import messages as m
from sliderace.race.log_records import Postponed, Seat, Slid
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.room import (
    KEEP_ALIVE_MS,
    Connect,
    Disconnect,
    EpochBegan,
    KeepAlive,
    RoomLimits,
    SetWallClock,
    Tick,
    Timeline,
    first_epoch,
    next_epoch,
    wall_clock_step,
)
from sliderace_server.room.log_records import Alive, WallClockSet

BIG = st.integers(0, 2**50)


def stage_of(*names: str, **patch: Any) -> Stage:
    given: dict[str, Any] = {"size": "2x2", **patch}
    rules = m.RulesPatch(**given)
    stage = Stage(rules, limits=RoomLimits())
    for name in names:
        stage.enter(name)
    return stage


# --- room time -----------------------------------------------------------------------


@given(BIG, BIG, BIG)
def test_room_time_is_the_machine_s_moved(t: int, mono: int, passed: int) -> None:
    timeline = Timeline(EpochBegan(t, 2, "boot", mono, 0))
    assert timeline.now(mono + passed) == t + passed
    assert timeline.mono(timeline.now(mono + passed)) == mono + passed


def test_room_time_never_goes_behind_its_epoch() -> None:
    assert Timeline(EpochBegan(500, 2, "boot", 1_000, 0)).now(900) == 500


def epochs(boot: str, mono: int, wall: int, *, last_t: int = 400) -> EpochBegan:
    stage = stage_of("Ann")
    stage.state.epoch = EpochBegan(100, 1, "boot", 5_000, 1_000_000)
    stage.state.t = last_t
    return next_epoch(stage.state, boot, mono, wall)


def test_on_the_same_machine_the_wall_clock_does_not_matter() -> None:
    epoch = epochs("boot", 7_000, 5)
    assert epoch == EpochBegan(2_100, 5, "boot", 7_000, 5)


@pytest.mark.parametrize("wall", [9, 2])
def test_an_epoch_s_number_does_not_come_again(wall: int) -> None:
    """Not even to a log from an older backup, which knows less numbers."""
    assert epochs("boot", 7_000, wall).epoch == wall


@pytest.mark.parametrize("wall", [1, 0])
def test_nor_where_the_wall_clock_is_behind(wall: int) -> None:
    began = [("boot", mono) for mono in range(7_000, 7_050)]
    began += [(f"boot {n}", 3) for n in range(50)]
    numbers = {epochs(boot, mono, wall).epoch for boot, mono in began}
    assert len(numbers) == len(began)
    assert min(numbers) > 1, "an epoch never goes back"
    assert max(numbers) <= 1 + 2**20


@pytest.mark.parametrize("boot", ["another", ""])
def test_after_a_reboot_the_wall_clock_carries_it(boot: str) -> None:
    assert epochs(boot, 3, 1_004_000).t == 4_100


@pytest.mark.parametrize(("mono", "wall"), [(9_000, 0), (9_000, 1_000_100), (1, 5)])
def test_but_never_backwards(mono: int, wall: int) -> None:
    assert epochs("another", mono, wall).t == 401  # and the results will say so


def test_no_boot_id_is_no_proof_of_the_same_machine() -> None:
    stage = stage_of("Ann")
    stage.state.epoch = first_epoch("", 5_000, 1_000_000)
    assert next_epoch(stage.state, "", 99_000, 1_000_700).t == 700


@pytest.mark.parametrize("hour", [3_600_000, -3_600_000])
def test_a_wall_clock_that_was_set_does_not_count_after_a_reboot(hour: int) -> None:
    stage = stage_of("Ann")
    epoch = stage.state.epoch
    stage.wait(5_000)
    mono, wall = epoch.mono_ms + 5_000, epoch.wall_ms + 5_000
    assert wall_clock_step(epoch, mono, wall + 999) is None
    told = wall_clock_step(epoch, mono, wall + hour)
    assert told is not None
    assert stage.do(SetWallClock(told)) == [WallClockSet(stage.now, told)]
    assert wall_clock_step(stage.state.epoch, mono, wall + hour) is None
    state = stage.replayed()
    rebooted = next_epoch(state, "another boot", 3, wall + hour + 2_000)
    assert rebooted.t == stage.now + 2_000
    same = next_epoch(state, epoch.boot, mono + 2_000, wall)
    assert same.t == stage.now + 2_000


# --- what carries on -----------------------------------------------------------------


def test_a_quiet_race_notes_that_the_server_is_there() -> None:
    stage = stage_of("Ann", "Ben", size="3x2")
    assert stage.do(KeepAlive()) == []
    stage.race_of(1, 2)
    began = stage.state.t
    stage.now = began + KEEP_ALIVE_MS - 1
    assert stage.do(KeepAlive()) == []
    offset = stage.state.offset
    for n in range(1, 15):
        stage.now = began + n * KEEP_ALIVE_MS
        assert stage.do(KeepAlive()) == [Alive(stage.now)]
    assert stage.state.offset == offset
    stage.now += 300
    stage.crash(3_000)
    stage.do(Connect(1))
    stage.solve(1)
    assert room.standings_of(stage.state)[0].outage_ms == 3_300


def test_a_race_goes_on_where_it_was() -> None:
    stage = stage_of("Ann", "Ben", size="3x2")
    stage.race_of(1, 2)
    stage.wait(4_000)
    stage.ask(1, stage.slides(1, 2))
    before = stage.board(1).tiles
    stage.crash(3_000)
    assert stage.state.epoch.epoch == stage.wall
    assert stage.board(1).tiles == before
    assert stage.state.race.roster == (0, 1)
    assert not any(one.connected for one in stage.state.members.values())
    stage.do(Connect(1))
    stage.solve(1)
    assert stage.state.race.attempts[stage.seat(1)].finish
    rows = room.standings_of(stage.state)
    assert (rows[0].time_ms, rows[0].outage_ms) == (7_000 - 30 - 3_000, 3_000)


def test_snapshots_name_the_new_epoch_and_the_stream_goes_on() -> None:
    stage = stage_of("Ann")
    offset = stage.state.offset
    stage.crash(1_000)
    assert stage.state.offset == offset
    stage.do(Connect(1))
    assert stage.snapshot(1).epoch == stage.wall
    assert stage.snapshot(1).o == offset + 1


def test_no_deadline_fires_for_half_a_minute() -> None:
    stage = stage_of("Ann", "Ben", away_ms=5_000, limit_ms=10_000)
    stage.race_of(1, 2)
    stage.wait(1_000)
    stage.do(Disconnect(2))
    stage.crash(60_000)
    stage.now += 29_999
    assert stage.do(Tick()) == []
    assert stage.state.phase == "racing"
    stage.now += 1
    stage.do(Tick())
    assert stage.phase() == "results"


def test_the_host_keeps_the_role_for_half_a_minute() -> None:
    stage = stage_of("Ann", "Ben")
    stage.wait(5_000)
    stage.crash(100_000)
    stage.do(Connect(2))
    stage.wait(29_999)
    assert stage.state.host == 1
    stage.wait(1)
    assert (stage.state.host, stage.state.owner) == (2, 1)


def test_the_room_s_own_time_begins_again() -> None:
    stage = stage_of("Ann")
    stage.wait(400_000)
    stage.do(Disconnect(1))
    stage.crash(3_600_000)
    assert not stage.state.closed
    assert room.closes_at(stage.state) == stage.now + 600_000
    stage.wait(599_999)
    assert not stage.state.closed
    assert 1 in stage.state.members


@pytest.mark.parametrize("locked", [False, True])
def test_a_start_that_the_failure_hit_is_announced_anew(locked: bool) -> None:
    stage = stage_of("Ann", "Ben")
    stage.ready(1, 2)
    stage.wait(3_900 if locked else 1_000)
    assert stage.state.race.locked == locked
    stage.crash(2_000)
    postponed = stage.records[-1]
    assert isinstance(postponed, Postponed)
    assert postponed.t0 == stage.now + 30_000
    assert room.reveal(stage.state, 1, stage.now) is None
    stage.do(Connect(1))
    stage.do(Connect(2))
    stage.to_phase("racing")
    assert stage.now == postponed.t0
    assert stage.state.race.roster == (0, 1)


def test_a_race_whose_board_may_be_out_is_replaced_by_a_new_one_that_starts() -> None:
    stage = stage_of("Ann", "Ben")
    stage.ready(1, 2)
    stage.wait(3_800)
    stage.tell(1, 2)
    before = stage.state.race
    assert before.drawn
    stage.crash(2_000)
    assert stage.phase() == "countdown"
    assert stage.race.endswith("-2")
    assert stage.state.race.secret != before.secret
    assert stage.state.race.t0 == stage.now + 30_000
    assert any(
        isinstance(one, m.PhaseEvent) and (one.phase, one.why) == ("aborted", "outage")
        for one in stage.events
    )
    stage.do(Connect(1))
    stage.do(Connect(2))
    stage.ready(1, 2)
    stage.to_phase("racing")
    assert stage.state.race.roster == (0, 1)


def test_a_start_that_nobody_came_back_for_is_off() -> None:
    stage = stage_of("Ann", "Ben")
    for member in (1, 2):
        stage.ask(member, m.Ready(stage.race))
    stage.crash(2_000)
    stage.to_deadline()
    assert stage.phase() == "lobby"


def test_a_start_pressed_after_the_failure_is_not_held() -> None:
    stage = stage_of("Ann")
    stage.crash(2_000)
    stage.do(Connect(1))
    began = stage.now
    stage.ask(1, m.Start(stage.race))
    stage.to_phase("racing")
    assert stage.now == began + 5_000


def test_a_room_that_starts_by_the_clock_plans_anew() -> None:
    stage = stage_of("Ann", start="every", every_ms=20_000)
    stage.wait(15_000)
    stage.crash(1_000)
    assert stage.state.start_at is None
    stage.do(Connect(1))
    assert stage.state.start_at == stage.now + 20_000


def test_the_end_of_a_race_right_after_the_failure_is_planned_at_once() -> None:
    stage = stage_of("Ann", start="every", every_ms=10_000)
    stage.to_phase("racing")
    stage.crash(100)
    stage.do(Connect(1))
    stage.solve(1)
    assert stage.phase() == "results"
    assert stage.deadline() == stage.now
    stage.to_deadline()
    assert stage.state.start_at == stage.now + 10_000


def test_spectators_come_and_go_beside_a_race() -> None:
    stage = stage_of("Ann")
    eve = stage.enter("Eve", role="spectator")
    stage.race_of(1)
    stage.do(Disconnect(eve))
    stage.do(Connect(eve))
    assert [type(one).__name__ for one in stage.events[-2:]] == ["MemberEvent"] * 2


def test_a_countdown_whose_racers_are_away_stops_in_time() -> None:
    stage = stage_of("Ann", "Ben", countdown_ms=60_000)
    for member in (1, 2):
        stage.ask(member, m.Ready(stage.race))
    stage.wait(1_000)
    stage.do(Disconnect(2))
    stage.wait(19_999)
    assert stage.state.phase == "countdown"
    stage.wait(1)
    assert stage.phase() == "lobby"
    assert stage.ask(1, m.Ready(stage.race)) == []
    assert stage.do(Connect(9)) == Refusal("bad_token")


def test_slides_of_another_race_are_no_log_of_this_room() -> None:
    stage = stage_of("Ann", "Ben")
    slid = Slid(stage.now, "KWXTRB-1-99", Seat(0), 1, (("U", 1, 0),))
    with pytest.raises(ValueError, match="KWXTRB-1-99"):
        room.apply(stage.state, slid)
