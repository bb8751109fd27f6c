"""Golden official times and race records, shared with the page."""

import json
from pathlib import Path
from typing import Any

from tests.proof.test_record import put
from tests.race.sample import sample_record, sealed, toy_check
from tests.race.test_ranking import row

from sliderace.proof.verify import Check, verify
from sliderace.race.ranking import rank
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


def checks_of(record: object) -> list[Check]:
    checks = verify(sealed(record), toy_check)
    return [check for check in checks if check.name != "signature"]


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


def pairs(check: Check) -> list[list[Any]]:
    return [[finding.code, finding.values] for finding in check.findings]


def test_golden_records() -> None:
    for case in golden("record-v1.json")["records"]:
        found = [
            [check.name, check.verdict, pairs(check)]
            for check in checks_of(case["record"])
        ]
        assert found == case["checks"], case["why"]


def test_server_writes_the_golden_records() -> None:
    plain, friendly, known = golden("record-v1.json")["records"]
    assert plain["record"] == sample_record()
    assert friendly["record"] == sample_record(friendly=True)
    assert known["record"] == sample_record("ab" * 32)


def test_golden_lies() -> None:
    vectors = golden("record-v1.json")
    record = vectors["records"][0]["record"]
    for lie in vectors["lies"]:
        changed = put(record, tuple(lie["place"]), lie["value"])
        wrong = {
            check.name: pairs(check)[0]
            for check in checks_of(changed)
            if check.verdict == "wrong"
        }
        assert wrong == lie["wrong"], lie
