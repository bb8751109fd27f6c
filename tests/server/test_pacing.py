"""Ticks are slower the busier the server is, and fast again only when it is idle."""

from itertools import pairwise

from sliderace_server.pacing import LEVELS, PACES, LoadMeter, commit_interval_ms

(LEAVE_1, ENTER_1), (LEAVE_2, ENTER_2), (LEAVE_3, ENTER_3) = LEVELS


def levels_of(*loads: float) -> list[int]:
    """Return the levels after seconds with these loads."""
    load_meter, cpu_s, now_ms = LoadMeter(), 100.0, 7_000
    load_meter.measure(cpu_s, now_ms)
    assert load_meter.level == 0  # the first call has no interval to measure
    levels: list[int] = []
    for load in loads:
        cpu_s, now_ms = cpu_s + load * 2, now_ms + 2_000
        load_meter.measure(cpu_s, now_ms)
        levels.append(load_meter.level)
    return levels


def test_a_busy_second_raises_the_level_until_an_idle_one() -> None:
    between = (ENTER_1 + LEAVE_1) / 2
    loads = (between, ENTER_1 - 0.01, ENTER_1 + 0.01, between, LEAVE_1 + 0.01)
    assert levels_of(*loads, LEAVE_1 - 0.01, between) == [0, 0, 1, 1, 1, 0, 0]


def test_each_level_has_its_bounds() -> None:
    rising = (ENTER_2 - 0.01, ENTER_2 + 0.01, ENTER_3 - 0.01, ENTER_3 + 0.01)
    assert levels_of(*rising) == [1, 2, 2, 3]
    falling = (LEAVE_3 + 0.01, LEAVE_3 - 0.01, LEAVE_2 - 0.01, LEAVE_1 - 0.01)
    assert levels_of(1.5, *falling) == [3, 3, 2, 1, 0]
    assert levels_of(1.5, 0.0) == [3, 0]


def test_paces_never_become_faster_with_the_load() -> None:
    assert len(PACES) == len(LEVELS) + 1
    for idle, busy in pairwise(PACES):
        assert idle.small_room <= busy.small_room
        assert idle.players <= busy.players
        assert idle.spectators <= busy.spectators


def test_the_load_is_that_of_the_last_second() -> None:
    load_meter = LoadMeter()
    loads = [load_meter.load]
    for cpu_s, now_ms in ((7.0, 1_000), (7.4, 2_000), (8.2, 3_000), (8.2, 5_000)):
        load_meter.measure(cpu_s, now_ms)
        loads.append(round(load_meter.load, 3))
        assert load_meter.commit_interval_ms == commit_interval_ms(load_meter.load)
    assert loads == [0, 0, 0.4, 0.8, 0]


def test_a_clock_that_stands_still_is_ignored() -> None:
    load_meter = LoadMeter()
    load_meter.measure(0.0, 5)
    load_meter.measure(9.0, 5)
    assert (load_meter.level, load_meter.load) == (0, 0)
