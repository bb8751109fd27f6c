"""The watched clock: a stall is noted before anybody acts on the time after it."""

import subprocess
import sys

import pytest
from tests.e2e.clocks import ManualClock

from sliderace_server.clock import STALL_MS, SystemClock, WatchedClock


def watched() -> tuple[ManualClock, WatchedClock, list[tuple[int, int]]]:
    clock = ManualClock()
    clock.stall_ms = STALL_MS
    watch, stalls = WatchedClock(clock), list[tuple[int, int]]()
    watch.on_stall.append(lambda since, now: stalls.append((since, now)))
    return clock, watch, stalls


@pytest.mark.parametrize(
    ("beat_ms", "late_ms", "noted"),
    [(50, 250, 0), (50, 251, 1), (50, 10_000, 1), (1_000, 2_000, 0), (1_000, 2_001, 1)],
)
def test_silence_for_250_ms_and_two_beats_is_a_stall(
    beat_ms: int, late_ms: int, noted: int
) -> None:
    clock, watch, stalls = watched()
    watch.beat(beat_ms)
    clock.stall(late_ms)
    assert watch.now_ms() == 1_000 + late_ms
    assert stalls == [(1_000, 1_000 + late_ms)] * noted
    watch.now_ms()
    assert len(stalls) == noted


def test_stall_is_noted_before_the_time_is_returned() -> None:
    clock, watch, stalls = watched()
    read: list[int] = []
    watch.on_stall.append(lambda _, now: read.append(watch.now_ms() - now))
    watch.beat(50)
    clock.stall(1_000)
    watch.now_ms()
    assert (stalls, read) == ([(1_000, 2_000)], [0])


def test_stall_right_after_a_stall_is_noted() -> None:
    clock, watch, stalls = watched()
    watch.beat(50)
    clock.stall(1_000)
    watch.now_ms()
    clock.stall(500)
    watch.now_ms()
    assert stalls == [(1_000, 2_000), (2_000, 2_500)]


def test_slow_reaction_to_a_stall_is_not_a_stall() -> None:
    """Otherwise a server with many rooms would do nothing else from then on."""
    clock, watch, stalls = watched()

    def react(_: int, now: int) -> None:
        clock.stall(400)
        assert watch.now_ms() == now + 400

    watch.on_stall.append(react)
    watch.beat(50)
    clock.stall(1_000)
    assert [watch.now_ms() for _ in "12"] == [2_400, 2_400]
    assert stalls == [(1_000, 2_000)]
    clock.stall(300)
    watch.now_ms()
    assert stalls[1:] == [(2_400, 2_700)]


def test_stalls_are_noted_after_a_reaction_failed() -> None:
    clock, watch, stalls = watched()

    def fail(*_: int) -> None:
        raise OSError("no answer")

    watch.on_stall.append(fail)
    watch.beat(50)
    for _ in range(2):
        clock.stall(1_000)
        with pytest.raises(OSError, match="no answer"):
            watch.now_ms()
    assert stalls == [(1_000, 2_000), (2_000, 3_000)]


def test_clock_that_is_not_watched_notes_nothing() -> None:
    clock, watch, stalls = watched()
    clock.stall(10_000)
    watch.now_ms()
    watch.beat(50)
    watch.beat(None)
    clock.stall(10_000)
    watch.now_ms()
    assert stalls == []


def test_time_continues_while_the_machine_is_suspended() -> None:
    """The clock is the one that includes a suspension, where there is one."""
    time = pytest.importorskip("time")
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    if clock is None:
        pytest.skip("not on this system")
    before = time.clock_gettime_ns(clock) // 1_000_000
    assert before <= SystemClock().now_ms()
    assert SystemClock().now_ms() <= time.clock_gettime_ns(clock) // 1_000_000


WINDOWS = """
import time
for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC", "clock_gettime_ns"):
    if hasattr(time, name):
        delattr(time, name)
from sliderace_server.clock import SystemClock
before = time.monotonic_ns() // 1_000_000
assert before <= SystemClock().now_ms() <= time.monotonic_ns() // 1_000_000
"""
"""A system without clocks that are read by number."""


def test_systems_without_numbered_clocks_have_the_time_too() -> None:
    subprocess.run([sys.executable, "-c", WINDOWS], check=True, timeout=60)
