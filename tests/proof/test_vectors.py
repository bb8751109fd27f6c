"""Golden official times and race records, shared with the page."""

import json
from pathlib import Path
from typing import Any

from tests.proof import vectors
from tests.race.test_ranking import row

from sliderace.race.ranking import plausible, rank
from sliderace.race.timing import (
    MIN_SAMPLES,
    Latency,
    jitter_allowance,
    official_time,
    outage_overlap,
)

ROOT = Path(__file__).parents[2]


def golden(name: str) -> dict[str, Any]:
    text = (ROOT / "shared" / "vectors" / name).read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def test_golden_official_times() -> None:
    for g, e, rtt, jitter, outage, friendly, time in golden("timing-v1.json")[
        "official"
    ]:
        line = Latency(rtt, jitter, MIN_SAMPLES, outage)
        assert official_time(g, e, line, friendly=friendly) == time


def test_golden_outage_overlaps() -> None:
    for arrivals, outages, start, end, overlap in golden("timing-v1.json")["overlap"]:
        assert outage_overlap(arrivals, outages, start, end) == overlap


def test_golden_jitter_allowances() -> None:
    for jitter, allowance in golden("timing-v1.json")["allowance"]:
        assert jitter_allowance(jitter) == allowance


def test_golden_photo_finishes() -> None:
    for finishes, photos in golden("timing-v1.json")["photo"]:
        rows = [
            row(seat, "finished", time, jitter_ms=jitter)
            for seat, (time, jitter) in enumerate(finishes)
        ]
        assert [one.photo for one in rank(rows)] == photos


def test_golden_plausible_solve_times() -> None:
    for solve_ms, stm, shown in golden("timing-v1.json")["plausible"]:
        assert plausible(solve_ms, stm) == shown


def test_golden_records_and_lies() -> None:
    """After a change: `python -m tests.proof.vectors`, and look at the difference."""
    text = vectors.FILE.read_text("utf-8")
    assert vectors.file(json.loads(text)["lies"]) == text
