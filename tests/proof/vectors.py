"""Write the golden race records again: `python -m tests.proof.vectors`.

The records follow from `tests.race.sample`. For a new rule, add a row with its place
and value to the lies in the file, run this, and look at the difference: does each lie
fail the check that it should, and no other?
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.proof.test_record import put
from tests.race.sample import (
    ANCHOR,
    daily_record,
    finished_record,
    limits_record,
    sample_record,
    sealed,
    toy_check,
)

from sliderace.proof.record import redact
from sliderace.proof.verify import Check, verify

FILE = Path(__file__).parents[2] / "shared" / "vectors" / "record-v1.json"
NOTE = (
    "Read by Python and JavaScript, written by tests/proof/vectors.py. records: the "
    "checks of whole records, whoever signs them, as [name, verdict, [[code, values], "
    "...]]. lies: one value of the record `of` is changed; what is wrong then, as name "
    "-> [code, values]. anchor: that of the daily race."
)


@cache
def records() -> dict[str, dict[str, Any]]:
    """Return the records by name."""
    return {
        "plain": sample_record(),
        "friendly timing": sample_record(friendly=True),
        "seed known": sample_record("ab" * 32),
        "limits": limits_record(),
        "all finished": finished_record(),
        "daily": daily_record(),
        "redacted": redacted_record(),
    }


def redacted_record() -> dict[str, Any]:
    """Return a record after one of two racers has deleted their profile."""
    record = finished_record()
    redact(record, {1})
    return record


def checks_of(record: object) -> list[Check]:
    """Return the checks of a record, except its signature."""
    checks = verify(sealed(record), toy_check, anchor=ANCHOR)
    return [check for check in checks if check.name != "signature"]


def pairs(check: Check) -> list[list[Any]]:
    """Return the findings of a check as lists."""
    return [[finding.code, finding.values] for finding in check.findings]


def rows(record: object) -> list[list[Any]]:
    """Return the checks of a record as lists."""
    return [[check.name, check.verdict, pairs(check)] for check in checks_of(record)]


def wrong(record: object) -> dict[str, list[Any]]:
    """Return the first finding of every check that failed."""
    return {
        check.name: pairs(check)[0]
        for check in checks_of(record)
        if check.verdict == "wrong"
    }


def lie(of: str, place: list[Any], value: object) -> dict[str, Any]:
    """Return a lie with what is wrong then."""
    changed = put(records()[of], tuple(place), value)
    return {"of": of, "place": place, "value": value, "wrong": wrong(changed)}


def file(lies: list[dict[str, Any]]) -> str:
    """Return the text of the file."""
    whole = [
        {"why": why, "record": record, "checks": rows(record)}
        for why, record in records().items()
    ]
    lists = {
        "records": whole,
        "lies": [
            lie(one.get("of", "plain"), one["place"], one["value"]) for one in lies
        ],
    }
    parts = [f'  "_note": {json.dumps(NOTE)}', f'  "anchor": "{ANCHOR}"']
    for name, values in lists.items():
        lines = ",\n".join(f"    {json.dumps(value)}" for value in values)
        parts.append(f'  "{name}": [\n{lines}\n  ]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    known = json.loads(FILE.read_text("utf-8"))["lies"]
    FILE.write_text(file(known), "utf-8")
