"""Laws of the official time, for any latency, any lie and any outage."""

from hypothesis import given, strategies as st

from sliderace.race.timing import (
    RESEND_MS,
    Latency,
    credit_bound,
    official_time,
    outage_overlap,
)

MS = st.integers(0, 10**7)
LATENCIES = st.builds(
    Latency,
    rtt_ms=st.integers(0, 1_000),
    jitter_ms=st.integers(0, 200),
    samples=st.integers(0, 10),
    outage_ms=st.just(0) | st.integers(0, 60_000),
)
TIMESTAMPS = st.none() | MS


@st.composite
def near(draw: st.DrawFn) -> tuple[int, int]:
    """Draw an arrival g and a timestamp e close to it, where the edge cases are."""
    g = draw(MS)
    return g, max(0, g + draw(st.integers(-500, 20)))


@given(g=MS, e=TIMESTAMPS, latency=LATENCIES, friendly=st.booleans())
def test_time_and_credit_stay_within_their_bounds(
    g: int, e: int | None, latency: Latency, friendly: bool
) -> None:
    time = official_time(g, e, latency, friendly=friendly)
    assert 0 <= time <= g
    assert 0 <= g - time <= credit_bound(latency, friendly=friendly)


@given(latency=LATENCIES, friendly=st.booleans())
def test_credit_without_outage_is_at_most_260_ms(
    latency: Latency, friendly: bool
) -> None:
    bound = credit_bound(latency, friendly=friendly) - latency.outage_ms
    assert 30 <= bound <= (360 if friendly else 260)


@given(g=MS, e=TIMESTAMPS, latency=LATENCIES, friendly=st.booleans())
def test_no_timestamp_gains_more_than_the_bound(
    g: int, e: int | None, latency: Latency, friendly: bool
) -> None:
    time = official_time(g, e, latency, friendly=friendly)
    assert g - time <= (360 if friendly else 260) + latency.outage_ms


@given(g=MS, e=TIMESTAMPS, latency=LATENCIES)
def test_friendly_timing_gains_0_to_100_ms(
    g: int, e: int | None, latency: Latency
) -> None:
    plain, friendly = (
        official_time(g, e, latency, friendly=on) for on in (False, True)
    )
    assert 0 <= plain - friendly <= 100


@given(near(), MS, LATENCIES, st.booleans())
def test_later_timestamp_never_gives_a_better_time(
    g_e: tuple[int, int], later: int, latency: Latency, friendly: bool
) -> None:
    g, e = g_e
    one = official_time(g, e, latency, friendly=friendly)
    other = official_time(g, e + later % 700, latency, friendly=friendly)
    assert one <= other


@given(near(), LATENCIES, st.booleans())
def test_timestamp_within_the_bound_is_the_time(
    g_e: tuple[int, int], latency: Latency, friendly: bool
) -> None:
    g, e = g_e
    if 0 <= g - e <= credit_bound(latency, friendly=friendly):
        assert official_time(g, e, latency, friendly=friendly) == e


@given(MS, LATENCIES)
def test_missing_timestamp_is_never_better_than_a_lie(g: int, latency: Latency) -> None:
    assert official_time(g, None, latency) >= official_time(g, 0, latency)


# --- Outages -------------------------------------------------------------------------

MOMENTS = st.integers(0, 30_000)
START, END = 5_000, 20_000
"""When the board was unlocked, and when the solving slide arrived."""
ARRIVALS = st.lists(st.integers(START, END), max_size=8).map(sorted)
OUTAGES = st.lists(st.tuples(MOMENTS, st.integers(0, 12_000)), max_size=4).map(
    lambda all_: [(down, min(down + length, END)) for down, length in sorted(all_)]
)
"""No outage ends after the solving slide; an outage can begin before the player is back
from the previous one."""


def covered(outages: list[tuple[int, int]], start: int, end: int) -> int:
    """Return how many milliseconds lie in at least one outage."""
    return len(
        {
            ms
            for down, until in outages
            for ms in range(max(down, start), min(until, end))
        }
    )


@given(ARRIVALS, OUTAGES)
def test_outage_credit_is_at_most_the_outage(
    arrivals: list[int], outages: list[tuple[int, int]]
) -> None:
    assert (
        0
        <= outage_overlap(arrivals, outages, START, END)
        <= covered(outages, START, END)
    )


@given(ARRIVALS, OUTAGES)
def test_outage_in_the_last_interval_is_credited(
    arrivals: list[int], outages: list[tuple[int, int]]
) -> None:
    before = [START, *(at for at in arrivals if at < END)]
    credited = outage_overlap(arrivals, outages, START, END)
    assert credited >= covered(outages, before[-1], END)
    if not any(until + RESEND_MS >= END for _, until in outages):
        assert credited == covered(outages, before[-1], END)


@given(ARRIVALS, OUTAGES)
def test_no_credit_for_outages_before_the_last_interval(
    arrivals: list[int], outages: list[tuple[int, int]]
) -> None:
    over = [(down, until) for down, until in outages if until + RESEND_MS < END]
    last = max((until for _, until in over), default=START)
    later = sorted([*arrivals, max(last, START)])
    assert outage_overlap(later, over, START, END) == 0


@given(ARRIVALS, MOMENTS, st.integers(0, RESEND_MS))
def test_messages_resent_after_an_outage_count_as_one(
    arrivals: list[int], down: int, wait: int
) -> None:
    until = END - wait
    outage = [(min(down, until), until)]
    before = [at for at in arrivals if at < until]
    assert outage_overlap(before, outage, START, END) == outage_overlap(
        arrivals, outage, START, END
    )


@given(ARRIVALS, OUTAGES, st.integers(-5_000, 5_000))
def test_outage_credit_depends_only_on_differences(
    arrivals: list[int], outages: list[tuple[int, int]], shift: int
) -> None:
    moved = outage_overlap(
        [at + shift for at in arrivals],
        [(down + shift, until + shift) for down, until in outages],
        START + shift,
        END + shift,
    )
    assert moved == outage_overlap(arrivals, outages, START, END)


@given(ARRIVALS, OUTAGES)
def test_time_before_the_unlock_does_not_count(
    arrivals: list[int], outages: list[tuple[int, int]]
) -> None:
    """A race record writes it as 0."""
    clipped = [(max(START, down), max(START, until)) for down, until in outages]
    assert outage_overlap(arrivals, clipped, START, END) == outage_overlap(
        arrivals, outages, START, END
    )
