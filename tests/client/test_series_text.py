"""The series in words: the line of the lobby, and the table."""

from typing import Any

import pytest

from sliderace.protocol import messages as m
from sliderace.race.series import Format
from sliderace_client.line_ui.answers import Refusal, series_of
from sliderace_client.shared_ui.series_text import (
    format_text,
    has_begun,
    series_line,
    table_cells,
    table_lines,
    won_text,
)


def row(name: str, place: int = 1, **more: Any) -> m.SeriesRow:
    known: dict[str, Any] = {
        "bot": False, "races": 3, "wins": 0, "points": 0, "best_ms": None,
        "average_ms": None,
    }  # fmt: skip
    return m.SeriesRow(place, ord(name[0]), name, **(known | more))


def table(format_: Format, *rows: m.SeriesRow, **more: Any) -> m.SeriesTable:
    known: dict[str, Any] = {"n": 0, "by": 1, "races": 3, "over": False}
    return m.SeriesTable(format_, rows=[*rows], **(known | more))


ANN, BEN = row("Ann", wins=2, best_ms=9_000), row("Ben", 2, wins=1, best_ms=8_000)


def test_line_says_who_is_ahead_and_which_race_is_next() -> None:
    assert series_line(table("first", ANN, BEN, n=3), "4x4") == (
        "4x4 · first to 3 · race 4 · Ann 2, Ben 1"
    )
    assert series_line(table("open", ANN, BEN), "3x3") == "3x3 · race 4 · Ann 2, Ben 1"
    assert series_line(table("first", n=3, by=2, races=0), "4x4") == (
        "4x4 · first to 3, 2 ahead · race 1"
    )


def test_line_of_points_and_averages_says_how_many_races_there_are() -> None:
    points = [row("Ann", points=7), row("Ben", 2, points=4)]
    assert series_line(table("points", *points, n=10), "4x4") == (
        "4x4 · points in 10 races · race 4 of 10 · Ann 7, Ben 4"
    )
    assert series_line(table("ao5", BEN, row("Cat")), "4x4") == (
        "4x4 · average of 5 · race 4 of 5 · Ben 8.000, Cat -"
    )


def test_line_of_a_decided_series_names_the_winner() -> None:
    won = row("Ann", wins=3, best_ms=9_000, average_ms=9_500)
    dnf = row("Ben", 2, best_ms=8_000, average_dnf=True)
    assert series_line(table("first", won, BEN, n=3, over=True), "4x4") == (
        "4x4 · first to 3 · Ann wins the series · Ann 3, Ben 1"
    )
    assert series_line(table("mo3", won, dnf, over=True), "4x4") == (
        "4x4 · mean of 3 · Ann wins the series · Ann 9.500, Ben DNF"
    )


def test_line_names_four_people_and_no_bots() -> None:
    rows = [row(name) for name in ("Ann", "Ben", "Cat", "Dan", "Eve")]
    line = series_line(table("open", *rows, row("Otter", bot=True)), "4x4")
    assert line.endswith("Ann 0, Ben 0, Cat 0, Dan 0, …")
    assert "Otter" not in series_line(table("open", row("Otter", bot=True)), "4x4")


def test_a_shared_series_names_all_winners() -> None:
    tied = [row("Ann"), row("Ben"), row("Otter", bot=True)]
    assert won_text(table("points", *tied, over=True)) == "Ann and Ben share the series"
    assert won_text(table("points", *tied)) == ""
    assert won_text(table("mo3", row("Otter", bot=True), over=True)) == ""


def test_an_open_series_begins_with_its_first_race() -> None:
    assert not has_begun(None)
    assert not has_begun(table("open", races=0))
    assert has_begun(table("open", races=1))
    assert has_begun(table("ao5", races=0))


@pytest.mark.parametrize(
    ("format_", "words"),
    [("open", ""), ("mo3", "mean of 3"), ("ao12", "average of 12")],
)
def test_formats_have_names(format_: Format, words: str) -> None:
    assert format_text(table(format_)) == words
    assert format_text(table("points", n=1)) == "points in 1 race"


@pytest.mark.parametrize(
    ("format_", "lines"),
    [
        ("open", ["   racer        races  wins   best    ao5",
                  "1  Ann              3     2  9.000  9.500",
                  "2  漢字             1     0      -    DNF",
                  "   Otter (bot)      3     0      -      -"]),
        ("ao5", ["   racer        races   best    ao5",
                 "1  Ann              3  9.000  9.500",
                 "2  漢字             1      -    DNF",
                 "   Otter (bot)      3      -      -"]),
        ("points", ["   racer        races  points  wins   best",
                    "1  Ann              3       5     2  9.000",
                    "2  漢字             1       0     0      -",
                    "   Otter (bot)      3       0     0      -"]),
    ],
)  # fmt: skip
def test_table_is_aligned(format_: Format, lines: list[str]) -> None:
    rows = [
        row("Ann", wins=2, points=5, best_ms=9_000, average_ms=9_500),
        row("漢字", 2, races=1, average_dnf=True),
        row("Otter", bot=True),
    ]
    assert table_lines(table(format_, *rows)) == lines


def test_table_does_not_say_twice_that_a_racer_is_a_bot() -> None:
    named = table("open", row("\u2699 Wren \u00b7 strong", bot=True))
    assert table_cells(named)[1][1] == "\u2699 Wren \u00b7 strong"


def test_table_without_races_is_empty() -> None:
    assert table_lines(table("ao5", races=0)) == []


@pytest.mark.parametrize(
    ("typed", "series"),
    [
        ("open", m.Series("open")),
        ("first 3", m.Series("first", 3)),
        ("first 3 2", m.Series("first", 3, 2)),
        ("mo3", m.Series("mo3")),
        ("ao12", m.Series("ao12")),
        ("points 10", m.Series("points", 10)),
        ("first 99", m.Series("first", 99)),  # the server says what is allowed
    ],
)
def test_typed_words_name_a_series(typed: str, series: m.Series) -> None:
    assert series_of(typed.split()) == series


@pytest.mark.parametrize(
    "typed", ["", "first", "first x", "first 3 3", "first 100", "ao5 3", "ao7"]
)
def test_other_words_are_answered_with_the_formats(typed: str) -> None:
    answer = series_of(typed.split())
    assert isinstance(answer, Refusal)
    assert answer.text.startswith("Type series and a format: open, first 3,")
