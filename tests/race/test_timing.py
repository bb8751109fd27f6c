"""The official time at the edges of its formula; tests/properties has its laws."""

import pytest

from sliderace.race.timing import (
    UNMEASURED,
    Latency,
    credit_bound,
    official_time,
    outage_overlap,
)

LAN = Latency(rtt_ms=1, jitter_ms=0, samples=8)
PHONE = Latency(rtt_ms=80, jitter_ms=25, samples=8)


@pytest.mark.parametrize(
    ("line", "friendly", "bound"),
    [
        (UNMEASURED, False, 30),
        (LAN, False, 31),
        (PHONE, False, 130),
        (PHONE, True, 230),
        (Latency(rtt_ms=200, jitter_ms=30, samples=5), False, 260),
        (Latency(rtt_ms=201, jitter_ms=31, samples=5), False, 260),
        (Latency(rtt_ms=9_000, jitter_ms=9_000, samples=99), True, 360),
        (Latency(rtt_ms=80, jitter_ms=15, samples=5), False, 110),
        (Latency(rtt_ms=80, jitter_ms=16, samples=5), False, 112),
        (Latency(rtt_ms=80, jitter_ms=25, samples=4), False, 30),
        (Latency(rtt_ms=80, jitter_ms=25, samples=4, outage_ms=700), False, 730),
        (Latency(rtt_ms=80, jitter_ms=25, samples=5, outage_ms=700), False, 830),
    ],
)
def test_credit_bound(line: Latency, friendly: bool, bound: int) -> None:
    assert credit_bound(line, friendly=friendly) == bound


@pytest.mark.parametrize(
    ("g", "e", "line", "time"),
    [
        (10_000, 9_920, PHONE, 9_920),  # accepted
        (10_000, 9_870, PHONE, 9_870),  # the last timestamp that is accepted
        (10_000, 9_869, PHONE, 9_870),  # one millisecond more is not
        (10_000, 0, PHONE, 9_870),  # a lie gains K
        (10_000, 10_000, PHONE, 10_000),
        (10_000, 10_001, PHONE, 10_000),  # later than the arrival: no credit
        (10_000, None, PHONE, 9_920),  # a reload costs the jitter allowance
        (10_000, None, UNMEASURED, 10_000),
        (10_000, None, Latency(rtt_ms=900, samples=9), 9_800),
        (10_000, None, Latency(rtt_ms=80, samples=4), 10_000),
        (10_000, None, Latency(outage_ms=3_000), 7_000),
        (10_000, 6_000, Latency(outage_ms=3_000), 6_970),
        (50, 0, PHONE, 0),
        (50, None, PHONE, 0),
        (0, 0, LAN, 0),
    ],
)
def test_official_time(g: int, e: int | None, line: Latency, time: int) -> None:
    assert official_time(g, e, line) == time


def test_friendly_timing_credits_100_ms_more() -> None:
    assert official_time(10_000, 0, PHONE, friendly=True) == 9_770


def test_fewer_than_five_samples_count_as_none() -> None:
    assert Latency(rtt_ms=80, jitter_ms=9, samples=4, outage_ms=5).effective == Latency(
        samples=4, outage_ms=5
    )
    assert PHONE.effective is PHONE


@pytest.mark.parametrize(
    ("arrivals", "outages", "end", "overlap"),
    [
        ([], [], 5_000, 0),
        ([], [(1_000, 4_000)], 10_000, 3_000),  # no earlier slide: from the start
        ([], [(-500, 4_000)], 10_000, 4_000),  # not from before the start
        ([2_000], [(1_000, 4_000)], 10_000, 2_000),
        ([900], [(1_000, 4_000)], 10_000, 3_000),
        ([4_000], [(1_000, 4_000)], 10_000, 0),  # a slide since then: no time was lost
        ([4_000], [(1_000, 4_000)], 6_001, 0),
        ([4_000], [(1_000, 4_000)], 6_000, 3_000),  # but these were resent
        ([900, 4_000, 5_500], [(1_000, 4_000)], 6_000, 3_000),
        ([3_999], [(1_000, 4_000)], 6_000, 1),
        ([], [(1_000, 4_000)], 4_000, 3_000),
        ([], [(1_000, 2_000), (3_000, 5_000)], 9_000, 3_000),
        ([2_500], [(1_000, 2_000), (3_000, 5_000)], 9_000, 2_000),
        (
            [],
            [(1_000, 4_000), (2_000, 5_000)],
            9_000,
            4_000,
        ),  # overlapping outages count once
        ([], [(1_000, 5_000), (2_000, 4_000)], 9_000, 4_000),
    ],
)
def test_outage_overlap(
    arrivals: list[int], outages: list[tuple[int, int]], end: int, overlap: int
) -> None:
    assert outage_overlap(arrivals, outages, 0, end) == overlap


def test_overlap_of_any_number_of_slides_is_found_at_once() -> None:
    """A record may be hostile: a search through all slides would take forever."""
    arrivals, end = range(0, 10**15, 2), 10**15
    assert outage_overlap(arrivals, [(end - 9, end - 3)], 0, end) == 1
