"""Averages of times are those of the World Cube Association; the page passes the same
table."""

import json
from pathlib import Path
from typing import Any

import pytest

from sliderace.race.averages import average, mean

VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "averages-v1.json"
TABLE = json.loads(VECTORS.read_text("utf-8"))


@pytest.mark.parametrize("case", TABLE["averages"], ids=lambda case: case["name"])
def test_average_leaves_out_the_best_and_the_worst(case: dict[str, Any]) -> None:
    assert average(case["times"]) == case["result"]
    assert average(case["times"][::-1]) == case["result"]


@pytest.mark.parametrize("case", TABLE["means"], ids=lambda case: case["name"])
def test_mean_leaves_out_none(case: dict[str, Any]) -> None:
    assert mean(case["times"]) == case["result"]
    assert mean(case["times"][::-1]) == case["result"]
