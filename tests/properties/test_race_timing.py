"""The laws of the official time, for any line and any lie."""

from hypothesis import given, strategies as st

from sliderace.race.timing import Line, credit_bound, official

MS = st.integers(0, 10**7)
LINES = st.builds(
    Line,
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
    g: int, e: int | None, line: Line, friendly: bool
) -> None:
    time = official(g, e, line, friendly=friendly)
    assert 0 <= time <= g
    assert 0 <= g - time <= credit_bound(line, friendly=friendly)


@given(line=LINES, friendly=st.booleans())
def test_without_an_outage_no_lie_is_worth_more_than_260_ms(
    line: Line, friendly: bool
) -> None:
    bound = credit_bound(line, friendly=friendly) - line.outage_ms
    assert 30 <= bound <= (360 if friendly else 260)


@given(near(), MS, LINES, st.booleans())
def test_a_later_stamp_is_never_a_better_time(
    g_e: tuple[int, int], later: int, line: Line, friendly: bool
) -> None:
    g, e = g_e
    one = official(g, e, line, friendly=friendly)
    other = official(g, e + later % 700, line, friendly=friendly)
    assert one <= other


@given(near(), LINES, st.booleans())
def test_an_honest_stamp_within_the_bound_is_the_time(
    g_e: tuple[int, int], line: Line, friendly: bool
) -> None:
    g, e = g_e
    if 0 <= g - e <= credit_bound(line, friendly=friendly):
        assert official(g, e, line, friendly=friendly) == e


@given(MS, LINES)
def test_silence_is_never_better_than_the_greatest_lie(g: int, line: Line) -> None:
    assert official(g, None, line) >= official(g, 0, line)
