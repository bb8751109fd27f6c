"""Statistics in words, and as cells of tables."""

import pytest
from msgspec.structs import replace
from tests.client.test_plots import TODAY, attempt

from sliderace.protocol import messages as m
from sliderace_client.shared_ui.statistics import calendar, figures, summary, trend
from sliderace_client.shared_ui.statistics_text import (
    attempt_cells,
    calendar_sentence,
    figure_cells,
    histogram_sentence,
    times_sentence,
)


def attempts(*times: int | None) -> list[m.HistoryRow]:
    """Return a history, given the earliest time first."""
    return [attempt(ms) for ms in reversed(times)]


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ([], "No attempt counts here yet."),
        ([None], "You have not finished your only attempt."),
        ([None, None], "You have not finished any of your 2 attempts."),
        ([9_000], "1 attempt, 1 of them finished; the best took 9.000."),
        (
            [9_000, None, 9_500, 9_700, 9_900],
            (
                "5 attempts, 4 of them finished; the best took 9.000. "
                "Your latest average of 5 is 9.700."
            ),
        ),
        (
            [*[10_000] * 10, None, None],
            (
                "12 attempts, 10 of them finished; the best took 10.000. "
                "Your latest average of 5 is DNF, and your latest average of 12 is DNF."
            ),
        ),
    ],
)
def test_times_in_words(times: list[int | None], told: str) -> None:
    assert times_sentence(summary(trend(attempts(*times)))) == told


def test_most_frequent_times_in_words() -> None:
    assert histogram_sentence([]) == "There are no times yet."
    told = histogram_sentence([9_000, 9_010, 12_000])
    assert told == "Your most frequent times are 9.000 to 9.500 (67%)."
    slow = [10_000] * 4 + [100_000] * 3 + [200_000] * 2
    assert "%" in histogram_sentence(slow)


def test_most_frequent_times_may_be_the_longest_ones() -> None:
    spread = [n * 1_000 for n in range(10, 30)] + [900_000] * 9
    told = histogram_sentence(spread)
    assert told.startswith("Your most frequent times are ")
    assert told.endswith(" and longer (31%).")


def test_days_in_words() -> None:
    week = calendar([], TODAY, 53)
    assert calendar_sentence([day for days in week for day in days]) == (
        "You have not raced in the last year."
    )
    rows = [attempt(9_000, TODAY), attempt(9_000, TODAY - 40)]
    days = [day for week in calendar(rows, TODAY, 53) for day in week]
    told = "You raced on 2 days of the last year, and on 1 of the last 30 days."
    assert calendar_sentence(days) == told
    rows.append(attempt(9_000, TODAY - 1, daily=True))
    days = [day for week in calendar(rows, TODAY, 53) for day in week]
    assert calendar_sentence(days).endswith("1 of your attempts was a daily race.")


def test_figures_are_times_or_decimals() -> None:
    cells = figure_cells(figures(attempts(9_000, 9_500)))
    assert cells[0] == ["", "Latest 12", "Median", "Mean"]
    assert cells[1] == ["Time", "9.250", "9.250", "9.250"]
    assert cells[2][0] == "Tiles per second"
    assert cells[2][1] == "10.82"
    assert figure_cells(figures([]))[1] == ["Time", "-", "-", "-"]


def test_attempts_as_cells() -> None:
    odd = replace(attempt(None), input=None, md=0, solve_ms=None)
    friendly = replace(attempt(9_000), counts=False)
    cells = attempt_cells([attempt(9_000), odd, friendly], str)
    when = str(attempt(9_000).started_ms)
    assert cells == [
        ["when", "time", "room", "TPS", "M/MD", "input"],
        [when, "9.000", "race now", "11.11", "2.50", "keys"],
        [when, "DNF", "race now", "-", "-", "-"],
        [when, "(9.000)", "race now", "11.11", "2.50", "keys"],
    ]
