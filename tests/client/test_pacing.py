from hypothesis import given, strategies as st
from tests.client.rooms import LIMITS

from sliderace.protocol.messages import Slide
from sliderace_client.room.pacing import DEFAULT_LIMITS, Bucket, Pace


def test_full_bucket_gives_its_burst_and_then_its_rate() -> None:
    bucket = Bucket(rate=10, burst=5, now=0)
    bucket.spend(5, 0)
    assert bucket.tokens(0) == 0
    assert bucket.free_at(1) == 100
    assert bucket.tokens(99) == 0
    assert bucket.tokens(100) == 1
    assert bucket.tokens(10_000) == 5


def test_debt_is_paid_back_first() -> None:
    bucket = Bucket(rate=10, burst=5, now=0)
    bucket.spend(7, 0)
    assert bucket.tokens(0) == -2
    assert bucket.free_at(1) == 300


def test_more_than_the_burst_waits_for_a_full_bucket() -> None:
    bucket = Bucket(rate=1000, burst=5, now=0)
    bucket.spend(5, 0)
    assert bucket.free_at(9) == 5


def test_time_never_runs_backwards() -> None:
    bucket = Bucket(rate=10, burst=5, now=1000)
    bucket.spend(5, 1000)
    assert bucket.tokens(0) == 0
    assert bucket.tokens(1100) == 1


def test_message_has_no_more_slides_than_announced() -> None:
    pace = Pace(LIMITS, 0)
    slides: list[Slide] = [("U", 1, 0)] * 61
    assert len(pace.take(slides, 0)) == 60
    assert len(pace.take(slides[60:], 0)) == 1
    assert pace.take([], 0) == []


def test_slide_larger_than_the_bucket_is_sent_alone() -> None:
    pace = Pace(LIMITS, 0)
    assert pace.limits == DEFAULT_LIMITS
    slides: list[Slide] = [("U", 9, 0)] * 40
    taken = pace.take(slides, 0)
    assert len(taken) == 35  # 320 tiles
    assert pace.take(slides, 0) == []
    assert pace.free_at(slides[0]) == 25  # 5 left, 4 more at 160 a second


@given(
    st.lists(
        st.tuples(st.integers(0, 200), st.integers(0, 30), st.integers(1, 9)),
        max_size=60,
    )
)
def test_pace_never_exceeds_the_servers_limits(
    turns: list[tuple[int, int, int]],
) -> None:
    pace = Pace(LIMITS, 0)
    messages, tiles = Bucket(60, 120, 0), Bucket(160, 320, 0)
    waiting: list[Slide] = []
    now = 0
    for pause, count, width in turns:
        now += pause
        made: Slide = ("U", width, now)
        waiting += [made] * count
        while batch := pace.take(waiting, now):
            waiting = waiting[len(batch) :]
            messages.spend(1, now)
            tiles.spend(sum(slide[1] for slide in batch), now)
            assert messages.tokens(now) >= 0
            assert tiles.tokens(now) >= 0
        if waiting:
            assert pace.free_at(waiting[0]) > now
