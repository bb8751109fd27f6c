"""Recovery of a room: nothing is lost, and an outage costs players nothing."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.server.room_fixture import RoomHarness

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
    Stall,
    Tick,
    Timeline,
    first_epoch,
    next_epoch,
    wall_clock_step,
)
from sliderace_server.room.log_records import Alive, WallClockSet

BIG = st.integers(0, 2**50)


def harness_with(*names: str, **patch: Any) -> RoomHarness:
    given: dict[str, Any] = {"size": "2x2", **patch}
    rules = m.RulesPatch(**given)
    harness = RoomHarness(rules, limits=RoomLimits())
    for name in names:
        harness.enter(name)
    return harness


# --- room time -----------------------------------------------------------------------


@given(BIG, BIG, BIG)
def test_room_time_is_the_monotonic_clock_plus_a_constant(
    t: int, mono: int, passed: int
) -> None:
    timeline = Timeline(EpochBegan(t, 2, "boot", mono, 0))
    assert timeline.now(mono + passed) == t + passed
    assert timeline.mono(timeline.now(mono + passed)) == mono + passed


def test_room_time_is_never_before_its_epoch() -> None:
    assert Timeline(EpochBegan(500, 2, "boot", 1_000, 0)).now(900) == 500


def epochs(boot: str, mono: int, wall: int, *, last_t: int = 400) -> EpochBegan:
    harness = harness_with("Ann")
    harness.state.epoch = EpochBegan(100, 1, "boot", 5_000, 1_000_000)
    harness.state.t = last_t
    return next_epoch(harness.state, boot, mono, wall)


def test_on_the_same_boot_the_wall_clock_does_not_matter() -> None:
    epoch = epochs("boot", 7_000, 5)
    assert epoch == EpochBegan(2_100, 5, "boot", 7_000, 5)


@pytest.mark.parametrize("wall", [9, 2])
def test_an_epoch_number_is_not_reused(wall: int) -> None:
    """Not even by a log from an older backup, which contains fewer numbers."""
    assert epochs("boot", 7_000, wall).epoch == wall


@pytest.mark.parametrize("wall", [1, 0])
def test_an_epoch_number_is_not_reused_if_the_wall_clock_is_behind(wall: int) -> None:
    began = [("boot", mono) for mono in range(7_000, 7_050)]
    began += [(f"boot {n}", 3) for n in range(50)]
    numbers = {epochs(boot, mono, wall).epoch for boot, mono in began}
    assert len(numbers) == len(began)
    assert min(numbers) > 1, "epoch numbers never decrease"
    assert max(numbers) <= 1 + 2**20


@pytest.mark.parametrize("boot", ["another", ""])
def test_after_a_reboot_the_wall_clock_measures_the_outage(boot: str) -> None:
    assert epochs(boot, 3, 1_004_000).t == 4_100


@pytest.mark.parametrize(("mono", "wall"), [(9_000, 0), (9_000, 1_000_100), (1, 5)])
def test_room_time_never_goes_backwards(mono: int, wall: int) -> None:
    assert epochs("another", mono, wall).t == 401  # the results mention the outage


def test_without_a_boot_id_the_wall_clock_is_used() -> None:
    harness = harness_with("Ann")
    harness.state.epoch = first_epoch("", 5_000, 1_000_000)
    assert next_epoch(harness.state, "", 99_000, 1_000_700).t == 700


@pytest.mark.parametrize("hour", [3_600_000, -3_600_000])
def test_setting_the_wall_clock_does_not_count_as_outage_after_a_reboot(
    hour: int,
) -> None:
    harness = harness_with("Ann")
    epoch = harness.state.epoch
    harness.wait(5_000)
    mono, wall = epoch.mono_ms + 5_000, epoch.wall_ms + 5_000
    assert wall_clock_step(epoch, mono, wall + 999) is None
    corrected = wall_clock_step(epoch, mono, wall + hour)
    assert corrected is not None
    assert harness.do(SetWallClock(corrected)) == [WallClockSet(harness.now, corrected)]
    assert wall_clock_step(harness.state.epoch, mono, wall + hour) is None
    state = harness.replayed()
    rebooted = next_epoch(state, "another boot", 3, wall + hour + 2_000)
    assert rebooted.t == harness.now + 2_000
    same = next_epoch(state, epoch.boot, mono + 2_000, wall)
    assert same.t == harness.now + 2_000


# --- recovery -----------------------------------------------------------------------


def test_a_quiet_race_gets_keep_alive_records() -> None:
    harness = harness_with("Ann", "Ben", size="3x2")
    assert harness.do(KeepAlive()) == []
    harness.start_race(1, 2)
    began = harness.state.t
    harness.now = began + KEEP_ALIVE_MS - 1
    assert harness.do(KeepAlive()) == []
    offset = harness.state.offset
    for n in range(1, 15):
        harness.now = began + n * KEEP_ALIVE_MS
        assert harness.do(KeepAlive()) == [Alive(harness.now)]
    assert harness.state.offset == offset
    harness.now += 300
    harness.crash(3_000)
    harness.do(Connect(1))
    harness.solve(1)
    assert room.standings_of(harness.state)[0].outage_ms == 3_300


def test_a_race_continues_where_it_was() -> None:
    harness = harness_with("Ann", "Ben", size="3x2")
    harness.start_race(1, 2)
    harness.wait(4_000)
    harness.ask(1, harness.slides(1, 2))
    before = harness.board(1).tiles
    harness.crash(3_000)
    assert harness.state.epoch.epoch == harness.wall
    assert harness.board(1).tiles == before
    assert harness.state.race.roster == (0, 1)
    assert not any(one.connected for one in harness.state.members.values())
    harness.do(Connect(1))
    harness.solve(1)
    assert harness.state.race.attempts[harness.seat(1)].finish
    rows = room.standings_of(harness.state)
    assert (rows[0].time_ms, rows[0].outage_ms) == (7_000 - 30 - 3_000, 3_000)


def test_after_a_recovery_the_epoch_is_new_and_the_stream_continues() -> None:
    harness = harness_with("Ann")
    offset = harness.state.offset
    harness.crash(1_000)
    assert harness.state.offset == offset
    harness.do(Connect(1))
    assert harness.snapshot(1).epoch == harness.wall
    assert harness.snapshot(1).o == offset + 1


def test_no_deadline_fires_for_30_s_after_a_recovery() -> None:
    harness = harness_with("Ann", "Ben", away_ms=5_000, limit_ms=10_000)
    harness.start_race(1, 2)
    harness.wait(1_000)
    harness.do(Disconnect(2))
    harness.crash(60_000)
    harness.now += 29_999
    assert harness.do(Tick()) == []
    assert harness.state.phase == "racing"
    harness.now += 1
    harness.do(Tick())
    assert harness.phase() == "results"


def test_the_host_keeps_the_role_for_30_s_after_a_recovery() -> None:
    harness = harness_with("Ann", "Ben")
    harness.wait(5_000)
    harness.crash(100_000)
    harness.do(Connect(2))
    harness.wait(29_999)
    assert harness.do(Tick()) == []
    assert harness.state.host == 1
    harness.wait(1)
    assert (harness.state.host, harness.state.owner) == (2, 1)


def test_after_a_recovery_the_time_to_live_starts_again() -> None:
    harness = harness_with("Ann")
    harness.wait(400_000)
    harness.do(Disconnect(1))
    harness.crash(3_600_000)
    assert not harness.state.closed
    assert room.closes_at(harness.state) == harness.now + 600_000
    harness.wait(599_999)
    assert not harness.state.closed
    assert 1 in harness.state.members


@pytest.mark.parametrize("locked", [False, True])
def test_a_start_during_the_outage_is_announced_again(locked: bool) -> None:
    harness = harness_with("Ann", "Ben")
    harness.ready(1, 2)
    harness.wait(3_900 if locked else 1_000)
    assert harness.state.race.frozen == locked
    harness.crash(2_000)
    postponed = harness.records[-1]
    assert isinstance(postponed, Postponed)
    assert postponed.t0 == harness.now + 30_000
    assert room.reveal(harness.state, 1, harness.now) is None
    harness.do(Connect(1))
    harness.do(Connect(2))
    harness.to_phase("racing")
    assert harness.now == postponed.t0
    assert harness.state.race.roster == (0, 1)


def test_a_race_whose_board_may_have_leaked_is_replaced_and_started() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ready(1, 2)
    harness.wait(3_800)
    harness.reveal_nonces(1, 2)
    before = harness.state.race
    assert before.drawn
    harness.crash(2_000)
    assert harness.phase() == "countdown"
    assert harness.race.endswith("-2")
    assert harness.state.race.secret != before.secret
    assert harness.state.race.t0 == harness.now + 30_000
    assert any(
        isinstance(one, m.PhaseEvent) and (one.phase, one.why) == ("aborted", "outage")
        for one in harness.events
    )
    harness.do(Connect(1))
    harness.do(Connect(2))
    harness.ready(1, 2)
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)


def test_a_start_is_called_off_if_nobody_comes_back() -> None:
    harness = harness_with("Ann", "Ben")
    for member in (1, 2):
        harness.ask(member, m.Ready(harness.race))
    harness.crash(2_000)
    harness.to_deadline()
    assert harness.phase() == "lobby"


def test_a_start_requested_after_the_recovery_is_not_held() -> None:
    harness = harness_with("Ann")
    harness.crash(2_000)
    harness.do(Connect(1))
    began = harness.now
    harness.ask(1, m.Start(harness.race))
    harness.to_phase("racing")
    assert harness.now == began + 5_000


def test_a_room_with_scheduled_starts_starts_after_a_recovery() -> None:
    """But not before the players had time to reconnect."""
    harness = harness_with("Ann", start="every", every_ms=20_000)
    harness.do(Disconnect(1))
    harness.wait(20_000)
    assert harness.phase() == "lobby"
    harness.crash(1_000)
    harness.do(Connect(1))
    assert harness.phase() == "lobby"
    assert harness.deadline() == harness.state.hold_until
    harness.to_deadline()
    assert harness.phase() == "countdown"


def test_a_race_that_ends_after_a_recovery_plans_the_next_at_once() -> None:
    harness = harness_with("Ann", start="every", every_ms=10_000)
    harness.to_phase("racing")
    harness.crash(100)
    harness.do(Connect(1))
    harness.solve(1)
    assert harness.phase() == "results"
    assert harness.deadline() == harness.now
    harness.to_deadline()
    assert harness.state.start_at == harness.now + 10_000


def test_spectators_do_not_affect_a_race() -> None:
    harness = harness_with("Ann")
    eve = harness.enter("Eve", role="spectator")
    harness.start_race(1)
    harness.do(Disconnect(eve))
    harness.do(Connect(eve))
    assert [type(one).__name__ for one in harness.events[-2:]] == ["MemberEvent"] * 2


def test_a_countdown_whose_racers_are_away_stops_in_time() -> None:
    harness = harness_with("Ann", "Ben", countdown_ms=60_000)
    for member in (1, 2):
        harness.ask(member, m.Ready(harness.race))
    harness.wait(1_000)
    harness.do(Disconnect(2))
    harness.wait(19_999)
    assert harness.state.phase == "countdown"
    harness.wait(1)
    assert harness.phase() == "lobby"
    assert harness.ask(1, m.Ready(harness.race)) == []
    assert harness.do(Connect(9)) == Refusal("bad_token")


def test_slides_of_another_race_mean_a_damaged_log() -> None:
    harness = harness_with("Ann", "Ben")
    slid = Slid(harness.now, "KWXTRB-1-99", Seat(0), 1, (("U", 1, 0),))
    with pytest.raises(ValueError, match="KWXTRB-1-99"):
        room.apply(harness.state, slid)


# --- stalls --------------------------------------------------------------------------


def test_repeated_stalls_do_not_hold_the_room_forever() -> None:
    """An absent host is replaced, although a short stall follows every 2 s."""
    harness = harness_with("Ann", "Ben")
    harness.do(Disconnect(1))
    ran = 0
    while harness.state.host == 1 and ran < 60_000:
        harness.now += 1_700
        harness.do(Tick())
        down, harness.now = harness.now, harness.now + 300
        harness.do(Stall(down))
        ran += 1_700
    assert harness.state.host == 2
    assert ran <= 20_000 + 3_000 + 1_700
