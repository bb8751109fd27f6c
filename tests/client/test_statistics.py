"""Statistics of one event; the page passes the same table."""

import json
import statistics
from collections.abc import Sequence
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from sliderace.protocol.messages import HistoryRow
from sliderace_client.shared_ui.statistics import (
    FIGURES,
    calendar,
    ceiling,
    figures,
    finished_times,
    histogram,
    summary,
    trend,
)

VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "statistics-v1.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text("utf-8"))["cases"]
TIMES = st.lists(st.integers(0, 200_000), min_size=1, max_size=60)


def listed(values: object) -> Any:
    """Return nested tuples as lists, as they are in the table."""
    return json.loads(json.dumps(values))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_statistics_of_a_history(case: dict[str, Any]) -> None:
    rows = msgspec.convert(case["rows"], list[HistoryRow])
    points = trend(rows)
    times = finished_times(points)
    assert listed(points) == case["trend"]
    assert summary(points)._asdict() == case["summary"]
    assert listed(figures(rows)) == case["figures"]
    assert ceiling(times) == case["ceiling"]
    for one in case["histograms"]:
        assert listed(histogram(times, one["most"])) == one["bins"]
    for one in case["calendars"]:
        assert listed(calendar(rows, one["today"], one["weeks"])) == one["days"]


def test_averages_and_medians_are_those_of_another_program() -> None:
    """Exact fractions and the standard library agree with the longest history."""
    case = CASES[-1]
    rows = [row for row in reversed(case["rows"]) if row[-1]]
    times = [row[4] if row[3] == "finished" else None for row in rows]
    for n, (_, time, ao5, ao12, best) in enumerate(case["trend"]):
        done = [one for one in times[: n + 1] if one is not None]
        assert (time, best) == (times[n], min(done, default=None))
        assert (ao5, ao12) == tuple(
            _trimmed(times[n + 1 - many : n + 1]) if n + 1 >= many else None
            for many in (5, 12)
        )
    values = {
        "time_ms": [row[4] for row in rows if row[3] == "finished"],
        "m_md_milli": [
            _half_up(Fraction(1000 * row[6], row[8]))
            for row in rows
            if row[3] == "finished"
        ],
    }
    for name, recent, median, mean in case["figures"]:
        if known := values.get(name):
            assert recent == _half_up(statistics.median(map(Fraction, known[-12:])))
            assert median == _half_up(statistics.median(map(Fraction, known)))
            assert mean == _half_up(Fraction(sum(known), len(known)))


def _half_up(value: Fraction) -> int:
    return floor(value + Fraction(1, 2))


def _trimmed(times: Sequence[int | None]) -> int | None:
    if sum(time is None for time in times) > 1:
        return None
    ordered = sorted(10**9 if time is None else time for time in times)[1:-1]
    return _half_up(Fraction(sum(ordered), len(ordered)))


@given(TIMES, st.integers(1, 30))
def test_every_time_is_in_one_bin(times: list[int], most: int) -> None:
    bins = histogram(times, most)
    assert sum(one.many for one in bins) == len(times)
    closed = [one for one in bins if one.high_ms is not None]
    assert len(closed) <= most
    assert len({(one.high_ms or 0) - one.low_ms for one in closed}) == 1
    assert [one.high_ms for one in bins[:-1]] == [one.low_ms for one in bins[1:]]
    for one in bins:
        end = one.high_ms or 10**9
        assert one.many == sum(one.low_ms <= time < end for time in times)


@given(st.integers(3, 30_000), st.integers(1, 60))
def test_calendar_begins_on_a_monday_and_ends_today(today: int, weeks: int) -> None:
    days = [day.day for week in calendar([], today, weeks) for day in week]
    assert days == list(range(days[0], today + 1))
    assert (days[0] + 3) % 7 == 0, "1970-01-05 was a Monday"
    assert 7 * (weeks - 1) < len(days) <= 7 * weeks


def test_figures_are_always_the_same_ones_in_the_same_order() -> None:
    for case in CASES:
        assert [name for name, *_ in case["figures"]] == list(FIGURES)
