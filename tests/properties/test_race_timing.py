"""The laws of the official time, for any line, any lie and any failure of ours."""

from hypothesis import given, strategies as st

from sliderace.race.timing import (
    RESEND_MS,
    Latency,
    credit_bound,
    official_time,
    outage_overlap,
)

MS = st.integers(0, 10**7)
LINES = st.builds(
    Latency,
    rtt_ms=st.integers(0, 1_000),
    jitter_ms=st.integers(0, 200),
    samples=st.integers(0, 10),
    outage_ms=st.just(0) | st.integers(0, 60_000),
)
STAMPS = st.none() | MS


@st.composite
def near(draw: st.DrawFn) -> tuple[int, int]:
    """A receive time and a stamp close to it, where the edges are."""
    g = draw(MS)
    return g, max(0, g + draw(st.integers(-500, 20)))


@given(g=MS, e=STAMPS, line=LINES, friendly=st.booleans())
def test_credit_and_time_keep_their_bounds(
    g: int, e: int | None, line: Latency, friendly: bool
) -> None:
    time = official_time(g, e, line, friendly=friendly)
    assert 0 <= time <= g
    assert 0 <= g - time <= credit_bound(line, friendly=friendly)


@given(line=LINES, friendly=st.booleans())
def test_without_an_outage_no_lie_is_worth_more_than_260_ms(
    line: Latency, friendly: bool
) -> None:
    bound = credit_bound(line, friendly=friendly) - line.outage_ms
    assert 30 <= bound <= (360 if friendly else 260)


@given(g=MS, e=STAMPS, line=LINES, friendly=st.booleans())
def test_no_time_is_better_for_it_by_more(
    g: int, e: int | None, line: Latency, friendly: bool
) -> None:
    time = official_time(g, e, line, friendly=friendly)
    assert g - time <= (360 if friendly else 260) + line.outage_ms


@given(g=MS, e=STAMPS, line=LINES)
def test_friendly_timing_is_worth_100_ms_at_most_and_costs_nothing(
    g: int, e: int | None, line: Latency
) -> None:
    plain, friendly = (official_time(g, e, line, friendly=on) for on in (False, True))
    assert 0 <= plain - friendly <= 100


@given(near(), MS, LINES, st.booleans())
def test_a_later_stamp_is_never_a_better_time(
    g_e: tuple[int, int], later: int, line: Latency, friendly: bool
) -> None:
    g, e = g_e
    one = official_time(g, e, line, friendly=friendly)
    other = official_time(g, e + later % 700, line, friendly=friendly)
    assert one <= other


@given(near(), LINES, st.booleans())
def test_an_honest_stamp_within_the_bound_is_the_time(
    g_e: tuple[int, int], line: Latency, friendly: bool
) -> None:
    g, e = g_e
    if 0 <= g - e <= credit_bound(line, friendly=friendly):
        assert official_time(g, e, line, friendly=friendly) == e


@given(MS, LINES)
def test_silence_is_never_better_than_the_greatest_lie(g: int, line: Latency) -> None:
    assert official_time(g, None, line) >= official_time(g, 0, line)


# --- Failures of ours ----------------------------------------------------------------

MOMENTS = st.integers(0, 30_000)
START, END = 5_000, 20_000
"""When the board was unlocked, and when the solving slide arrived."""
ARRIVALS = st.lists(st.integers(START, END), max_size=8).map(sorted)
OUTAGES = st.lists(st.tuples(MOMENTS, st.integers(0, 12_000)), max_size=4).map(
    lambda all_: [(down, min(down + length, END)) for down, length in sorted(all_)]
)
"""As a race has them: not beyond the solving slide; one may begin before the player is
back from the last one."""


def covered(outages: list[tuple[int, int]], start: int, end: int) -> int:
    """How many milliseconds lie in some outage."""
    return len(
        {
            ms
            for down, until in outages
            for ms in range(max(down, start), min(until, end))
        }
    )


@given(ARRIVALS, OUTAGES)
def test_no_failure_gives_more_than_it_took(
    arrivals: list[int], outages: list[tuple[int, int]]
) -> None:
    assert (
        0
        <= outage_overlap(arrivals, outages, START, END)
        <= covered(outages, START, END)
    )


@given(ARRIVALS, OUTAGES)
def test_what_lies_in_the_last_interval_is_given_back(
    arrivals: list[int], outages: list[tuple[int, int]]
) -> None:
    before = [START, *(at for at in arrivals if at < END)]
    given_back = outage_overlap(arrivals, outages, START, END)
    assert given_back >= covered(outages, before[-1], END)
    if not any(until + RESEND_MS >= END for _, until in outages):
        assert given_back == covered(outages, before[-1], END)


@given(ARRIVALS, OUTAGES)
def test_who_slid_after_a_failure_and_waited_gets_nothing(
    arrivals: list[int], outages: list[tuple[int, int]]
) -> None:
    over = [(down, until) for down, until in outages if until + RESEND_MS < END]
    last = max((until for _, until in over), default=START)
    later = sorted([*arrivals, max(last, START)])
    assert outage_overlap(later, over, START, END) == 0


@given(ARRIVALS, MOMENTS, st.integers(0, RESEND_MS))
def test_many_messages_of_a_failure_are_one(
    arrivals: list[int], down: int, wait: int
) -> None:
    """Who had to send many after the return pays for none of them."""
    until = END - wait
    outage = [(min(down, until), until)]
    before = [at for at in arrivals if at < until]
    assert outage_overlap(before, outage, START, END) == outage_overlap(
        arrivals, outage, START, END
    )


@given(ARRIVALS, OUTAGES, st.integers(-5_000, 5_000))
def test_only_differences_count(
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
def test_what_came_before_the_board_was_unlocked_does_not_matter(
    arrivals: list[int], outages: list[tuple[int, int]]
) -> None:
    """A record tells it as 0."""
    clipped = [(max(START, down), max(START, until)) for down, until in outages]
    assert outage_overlap(arrivals, clipped, START, END) == outage_overlap(
        arrivals, outages, START, END
    )
