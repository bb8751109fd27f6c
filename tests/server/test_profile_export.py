"""What an owner gets of a profile: a table of all attempts, and the race records."""

import csv
from io import BytesIO, StringIO
from zipfile import ZipFile

import pytest

from sliderace_server.http import profile_export
from sliderace_server.http.profile_export import COLUMNS, ProfileExport
from sliderace_server.storage import AttemptEntry, AttemptRow

RACE, OTHER = "KWXTRB-SA1B2C-3", "KWXTRB-SA1B2C-4"
STARTED_MS = 1_700_000_000_123


def attempt(race: str = RACE, name: str = "Ann", **more: object) -> AttemptEntry:
    values: dict[str, object] = {"status": "finished", "place": 1, "time_ms": 9_000}
    row = AttemptRow(seat=0, name=name, stm=90, mtm=80, **(values | more))  # type: ignore[arg-type]
    return AttemptEntry(race, STARTED_MS, "solo", 36, row)


def exported(
    *attempts: AttemptEntry, records: dict[str, bytes] | None = None
) -> tuple[list[dict[str, str]], ZipFile]:
    """Return the rows of the table, and the file."""
    file = ProfileExport()
    for race, record in (records or {}).items():
        file.add_record(race, STARTED_MS, record)
    found = ZipFile(BytesIO(file.finish([("4x4", one) for one in attempts])))
    text = found.read("attempts.csv").decode("utf-8-sig")
    return list(csv.DictReader(StringIO(text, newline=""))), found


def test_every_attempt_is_a_line_with_all_its_columns() -> None:
    first = attempt(solve_ms=8_900, first_ms=100, pauses=2, input="touch", counts=False)
    dnf = attempt(OTHER, status="dnf", place=None, time_ms=None)
    rows, file = exported(first, dnf, records={RACE: b"{}"})
    assert rows[0] == {
        "race": RACE,
        "started": "2023-11-14T22:13:20.123+00:00",
        "event": "4x4",
        "kind": "solo",
        "name": "Ann",
        "status": "finished",
        "place": "1",
        "time_ms": "9000",
        "solve_ms": "8900",
        "first_ms": "100",
        "pauses": "2",
        "stm": "90",
        "mtm": "80",
        "md": "36",
        "input": "touch",
        "counts": "false",
        "record": f"records/{RACE}.json",
    }
    assert (rows[1]["status"], rows[1]["time_ms"], rows[1]["record"]) == ("dnf", "", "")
    assert tuple(rows[0]) == COLUMNS
    assert file.namelist() == [f"records/{RACE}.json", "attempts.csv"]
    assert file.read(f"records/{RACE}.json") == b"{}"
    assert file.testzip() is None


@pytest.mark.parametrize(
    "name",
    ["=1+1", "+1", "-1", "@A1", "\uff1d1", '"', "a,b", "a;b", "=cmd|' /C calc'!A0"],
)
def test_hostile_names_are_no_formulas_and_no_columns(name: str) -> None:
    rows, _ = exported(attempt(name=name))
    [row] = rows
    assert row["name"].removeprefix("'") == name
    assert row["name"][0] not in "=+-@\uff1d"
    assert (row["status"], row["record"]) == ("finished", "")


def test_a_file_that_is_large_enough_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_export, "MAX_BYTES", 100)
    file = ProfileExport()
    assert not file.is_full
    file.add_record(RACE, STARTED_MS, bytes(range(256)))
    assert file.is_full


def test_a_server_with_a_wrong_clock_can_export() -> None:
    file = ProfileExport()
    file.add_record(RACE, 0, b"{}")
    [info] = ZipFile(BytesIO(file.finish([]))).infolist()[:1]
    assert info.date_time == (1980, 1, 1, 0, 0, 0)
