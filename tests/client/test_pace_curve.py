"""The pace lane's curve; the page passes the same table."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.race.sample import sample_record

from sliderace.engine import parse_board
from sliderace.proof.reading import read
from sliderace_client.room.pace_curve import (
    POINTS,
    curve_in,
    curve_of,
    gap_to,
    high_at,
    usable,
)

VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "pace-v1.json"
TABLE: dict[str, Any] = json.loads(VECTORS.read_text("utf-8"))
CURVES = TABLE["curves"]
TIMES = st.lists(st.integers(0, 90_000), min_size=POINTS, max_size=POINTS).map(sorted)


@pytest.mark.parametrize("case", TABLE["solves"], ids=lambda case: case["start"])
def test_curve_is_when_an_attempt_had_how_much_progress(case: dict[str, Any]) -> None:
    start = parse_board(case["start"])
    assert curve_of(start, case["slides"]) == case["curve"]
    assert start == parse_board(case["start"])


@pytest.mark.parametrize(("name", "ms", "high"), TABLE["highs"])
def test_curve_has_its_progress_at_each_time(name: str, ms: int, high: int) -> None:
    assert high_at(CURVES[name], ms) == high


@pytest.mark.parametrize(("name", "high", "ms", "gap"), TABLE["gaps"])
def test_gap_is_the_time_since_the_curve_had_our_progress(
    name: str, high: int, ms: int, gap: int
) -> None:
    assert gap_to(CURVES[name], high, ms) == gap


@pytest.mark.parametrize("stored", TABLE["malformed"])
def test_malformed_curves_are_ignored(stored: object) -> None:
    assert usable(stored) is None


@given(TIMES, st.lists(st.integers(0, 90_000), min_size=2, max_size=9).map(sorted))
def test_progress_of_a_curve_never_goes_back(
    curve: list[int], moments: list[int]
) -> None:
    highs = [high_at(curve, ms) for ms in moments]
    assert highs == sorted(highs)
    assert all(0 <= high <= 1000 for high in highs)
    assert high_at(curve, curve[-1]) == 1000
    assert usable(curve) == curve


def test_curve_of_a_record_is_that_of_the_racer_with_this_time() -> None:
    record = read(sample_record())
    finishes = [one.finish for one in record.racers if one.finish]
    for finish in finishes:
        curve = curve_in(record, finish.official_ms)
        assert curve is not None
        assert curve[-1] == finish.official_ms
        assert usable(curve) == curve
    assert curve_in(record, 1) is None
