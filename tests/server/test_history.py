"""The event history: what a subscriber missed during a short absence."""

import pytest
from hypothesis import given, strategies as st

from sliderace.protocol.messages import Closed, Event, PhaseEvent
from sliderace_server.live_room.history import History


def history_of(count: int, first: int = 1, size: int = 64) -> History:
    history = History(size)
    for offset in range(first, first + count):
        history.add(offset, offset * 10, Closed(offset, "host"))
    return history


@given(st.integers(0, 30), st.integers(1, 9), st.integers(1, 50), st.integers(-5, 90))
def test_all_missed_events_are_returned_or_none(
    count: int, size: int, first: int, seen: int
) -> None:
    missed = history_of(count, first, size).since(seen, 10_000)
    everything: list[Event] = [
        Closed(o, "host") for o in range(seen + 1, first + count)
    ]
    if count and seen < first + count and len(everything) <= min(size, count):
        assert missed == everything
    else:
        assert missed is None


def test_no_missed_events_is_an_empty_list() -> None:
    assert history_of(3).since(3, 0) == []


def test_offset_in_the_future_needs_a_snapshot() -> None:
    assert history_of(3).since(4, 0) is None


def test_empty_history_needs_a_snapshot() -> None:
    assert History().since(5, 0) is None


def test_remaining_times_count_from_now() -> None:
    history = History()
    history.add(1, 1_000, PhaseEvent(1, "R", "countdown", 5_000))
    history.add(2, 3_800, PhaseEvent(2, "R", "countdown", 1_200, [0]))
    assert history.since(0, 4_000) == [
        PhaseEvent(1, "R", "countdown", 2_000),
        PhaseEvent(2, "R", "countdown", 1_000, [0]),
    ]


@pytest.mark.parametrize("offset", [1, 3, 5])
def test_offsets_have_no_gap(offset: int) -> None:
    history = history_of(3)
    with pytest.raises(ValueError, match="follows 3"):
        history.add(offset, 0, Closed(offset, "host"))
