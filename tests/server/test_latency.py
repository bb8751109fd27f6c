"""Latency is measured over the last minute, and sent when it changes."""

import pytest

from sliderace.protocol.messages import LatencyEvent, MemberLatency
from sliderace.race.timing import UNMEASURED, Latency, credit_bound
from sliderace_server.live_room.latency import LatencyReport, LatencyWindow


def test_latency_is_minimum_and_median_deviation_of_the_last_minute() -> None:
    window = LatencyWindow()
    for at, rtt in enumerate([90, 50, 70, 60, 80]):
        window.add(rtt, at * 20_000 + rtt)
    assert window.at(60_000) == Latency(50, 10, 5)
    assert window.at(80_040) == Latency(0, 0, 4)  # too few samples
    assert window.at(1_000_000) == UNMEASURED


def test_each_sample_counts_at_once() -> None:
    window = LatencyWindow()
    assert window.at(0) == UNMEASURED
    for number in range(8):
        window.add(40, number * 100 + 40)
    assert window.at(1_000).rtt_ms == 40
    assert window.at(1_000) is window.at(1_001)
    window.add(1, 60_000)
    assert window.at(60_000).rtt_ms == 1


@pytest.mark.parametrize(
    ("kernel_ms", "shortest"),
    [(None, 250), (1, 16), (234, 249), (235, 250), (300, 250), (4_294_968, 250)],
)
def test_late_pongs_gain_15_ms_where_the_kernel_knows_the_round_trip(
    kernel_ms: int | None, shortest: int
) -> None:
    window = LatencyWindow()
    for number, rtt in enumerate([250, 290, 250, 290, 270, 250]):
        window.add(rtt, number * 100 + rtt, kernel_ms)
    latency = window.at(1_000)
    assert latency.rtt_ms == shortest
    assert credit_bound(latency) <= min(shortest, 200) + 60


def test_only_changed_latencies_are_sent() -> None:
    report = LatencyReport()
    assert report.everything() is None
    known = Latency(23, 4, 8)
    assert report.update({1: Latency(0, 0, 4)}) is None
    assert report.update({1: known}) == LatencyEvent([MemberLatency(1, 23, 4)])
    assert report.update({1: known}) is None
    assert report.update({1: known, 2: known}) == LatencyEvent(
        [MemberLatency(2, 23, 4)]
    )
    assert report.everything() == LatencyEvent(
        [MemberLatency(1, 23, 4), MemberLatency(2, 23, 4)]
    )
