"""A series for other programs: JSON and CSV."""

from typing import Any

from sliderace.race.series import Outcome, Series, scored
from sliderace_server.http.series_export import as_csv, as_json


def played(*names: str) -> Series:
    """Return a series of two races; only the first racer finishes both."""
    first, *others = [Outcome(n, name, False, 9_000) for n, name in enumerate(names)]
    rows = [first._replace(result=8_000), *others]
    series = scored(Series("points", 9), rows)
    out = [one._replace(result="dnf") for one in others]
    return scored(series, [first, *out, Outcome(99, "Otter", True, 1_000)])


def test_json_contains_the_table_and_every_result() -> None:
    found: dict[str, Any] = {**as_json(played("Ann", "Ben"))}
    rows = found.pop("rows")
    assert found == {"format": "points", "n": 9, "by": 1, "races": 2, "over": False}
    assert rows[0] == {
        "place": 1, "name": "Ann", "bot": False, "races": 2, "wins": 2, "points": 2,
        "best_ms": 8_000, "average_ms": None, "results_ms": (8_000, 9_000),
    }  # fmt: skip
    assert [row["name"] for row in rows] == ["Ann", "Ben", "Otter"]


def test_csv_has_a_column_per_race() -> None:
    assert as_csv(played("Ann", "Ben")).split("\r\n") == [
        "place,name,bot,races,wins,points,best_ms,average_ms,race_1,race_2",
        "1,Ann,false,2,2,2,8000,,8000,9000",
        "2,Ben,false,2,0,0,9000,,9000,dnf",
        "1,Otter,true,1,1,2,1000,,dns,1000",
        "",
    ]


def test_csv_of_a_series_without_races_is_its_heading() -> None:
    head = "place,name,bot,races,wins,points,best_ms,average_ms\r\n"
    assert as_csv(Series("ao5")) == head


def test_csv_numbers_the_races_that_are_kept() -> None:
    series = Series()
    for _ in range(103):
        series = scored(series, [Outcome(1, "Ann", False, 5_000)])
    head, row, _ = as_csv(series).split("\r\n")
    assert head.split(",")[8:] == [f"race_{n}" for n in range(4, 104)]
    assert row.split(",")[6:8] == ["5000", "5000"]


def test_csv_quotes_names_and_contains_no_formula() -> None:
    rows = as_csv(played('A, "B"', "=1+1", "\uff0d2")).split("\r\n")
    assert [row.split(",false")[0] for row in rows[1:4]] == [
        '1,"A, ""B"""', "2,'=1+1", "2,'\uff0d2",
    ]  # fmt: skip
