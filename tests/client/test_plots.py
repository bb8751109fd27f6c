"""Charts of attempts: what they show, at every size, with colours and without."""

import pytest
from hypothesis import given, strategies as st

from sliderace.protocol.messages import HistoryRow
from sliderace.protocol.names import cells
from sliderace_client.shared_ui.braille import Canvas
from sliderace_client.shared_ui.render import BASIC, DARK, LIGHT, MONO, Look, Row
from sliderace_client.shared_ui.statistics import (
    DAY_MS,
    WIDTHS,
    Bin,
    Day,
    Point,
    calendar,
    trend,
)
from sliderace_client.tui.plots import (
    CALENDAR_ROWS,
    FAILED,
    MIN_CHART_ROWS,
    calendar_rows,
    calendar_weeks,
    histogram_rows,
    time_rows,
)

LOOKS = [DARK, LIGHT, BASIC, MONO]
TODAY = 20_787
"""A Monday, 2026-11-30."""
ENDS = "2026-10-01", "2026-11-30"


def plain(rows: list[Row]) -> list[str]:
    return ["".join(run.text for run in row) for row in rows]


def attempt(ms: int | None, day: int = TODAY, *, daily: bool = False) -> HistoryRow:
    return HistoryRow(
        race="KWXTRB-S0-1",
        started_ms=day * DAY_MS,
        kind="daily" if daily else "quick",
        status="dnf" if ms is None else "finished",
        time_ms=ms,
        solve_ms=ms,
        stm=100,
        mtm=60,
        md=40,
        first_ms=400,
        pauses=0,
        input="keys",
        counts=True,
    )


def chart(times: list[int | None]) -> list[Point]:
    return trend([attempt(ms) for ms in reversed(times)])


def shown(times: list[int | None], width: int = 60, height: int = 12) -> list[str]:
    return plain(time_rows(chart(times), ENDS, MONO, width, height))


# --- Braille --------------------------------------------------------------------------


def test_each_dot_of_a_cell_has_its_own_bit() -> None:
    letters = set[str]()
    for x in range(2):
        for y in range(4):
            canvas = Canvas(1, 1)
            canvas.dot(x, y, "")
            ((run,),) = canvas.rows()
            letters.add(run.text)
    assert letters == set("⠁⠂⠄⡀⠈⠐⠠⢀")


def test_cell_has_the_colour_of_its_last_dot() -> None:
    canvas = Canvas(2, 1)
    canvas.dot(0, 0, "#111111")
    canvas.dot(1, 3, "#222222")
    (row,) = canvas.rows()
    assert [run.paint.fg for run in row] == ["#222222", ""]
    assert [run.text for run in row] == ["⢁", " "]


# --- Times ----------------------------------------------------------------------------


@given(
    look=st.sampled_from(LOOKS),
    size=st.tuples(st.integers(40, 160), st.integers(MIN_CHART_ROWS, 40)),
    times=st.lists(
        st.none() | st.integers(1, 20_000_000), min_size=1, max_size=60
    ).filter(any),
)
def test_chart_fits_its_space(
    look: Look, size: tuple[int, int], times: list[int | None]
) -> None:
    width, height = size
    rows = plain(time_rows(chart(times), ENDS, look, width, height))
    assert len(rows) == height
    assert max(map(cells, rows)) <= width


def test_axis_names_times_and_both_ends() -> None:
    rows = shown([9_000, 14_000, 11_000])
    labels = [row.split("┤")[0].strip() for row in rows if "┤" in row]
    assert labels == ["14", "12", "10", "8"]
    assert rows[-1].split() == ["2026-10-01", "2026-11-30"]


@pytest.mark.parametrize(
    ("times", "label"),
    [
        ([9_100, 9_200], "9.1"),
        ([95_000, 150_000], "2:00"),
        ([5_000_000, 9_000_000], "2:00:00"),
    ],
)
def test_labels_are_as_short_as_the_times_allow(
    times: list[int | None], label: str
) -> None:
    assert any(row.strip().startswith(f"{label}┤") for row in shown(times))


def test_attempts_without_a_time_are_marked_where_they_were() -> None:
    rows = shown([9_000, None, 9_500, None])
    (failed,) = (row for row in rows if "DNF" in row)
    assert failed.count(FAILED) == 2
    assert failed.rstrip().endswith(FAILED)
    assert not any("DNF" in row for row in shown([9_000, 9_500]))


def test_slow_attempt_is_shown_at_the_edge_and_does_not_flatten_the_others() -> None:
    rows = shown([*[10_000] * 99, 600_000])
    assert not any("10:00" in row for row in rows)
    assert rows[1].rstrip()[-1] != "┤"


def test_single_attempt_is_large_enough_to_see() -> None:
    assert sum(row.count("⣤") + row.count("⠛") for row in shown([9_100])) == 1


@pytest.mark.parametrize("look", LOOKS)
def test_averages_and_the_best_have_their_own_strokes_and_colours(look: Look) -> None:
    times: list[int | None] = [20_000 - 100 * n for n in range(40)]
    rows = time_rows(chart(times), ENDS, look, 80, 14)
    legend = plain(rows)[0]
    assert legend.strip().split("  ") == ["• time", "╌╌ ao5", "── ao12", "·· best"]
    colours = {run.paint.fg for row in rows[1:-2] for run in row if run.text >= "⠀"}
    wanted = {look.soft, look.ink, look.accent, look.good}
    assert colours - {""} == wanted - {""}


def test_best_so_far_never_rises() -> None:
    rows = time_rows(chart([20_000, None, 10_000, 18_000]), ENDS, DARK, 60, 20)
    heights = [
        y
        for x in range(1, 52)
        for y, row in enumerate(rows[2:-2])
        if row[x].paint.fg == DARK.good
    ]
    assert heights == sorted(heights)
    assert len(set(heights)) > 10


# --- Bars -----------------------------------------------------------------------------


def test_bars_are_as_long_as_their_numbers_say() -> None:
    bins = [Bin(8_000, 9_000, 0), Bin(9_000, 10_000, 10), Bin(10_000, 11_000, 20)]
    bins.append(Bin(11_000, None, 1))
    empty, half, whole, one = plain(histogram_rows(bins, MONO, 29))
    assert empty.strip() == "8-9"
    assert whole.count("█") == 2 * half.count("█") == 20
    assert whole.split()[0] == "10-11"
    assert whole.endswith(" 20")
    assert one.split() == ["11-", "█", "1"]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_two_bars_have_the_same_range(width: int) -> None:
    bins = [Bin(2_000 + width * n, 2_000 + width * (n + 1), 1) for n in range(9)]
    labels = [row.split("█")[0] for row in plain(histogram_rows(bins, MONO, 40))]
    assert len(set(labels)) == len(bins)


def test_narrow_ranges_have_tenths() -> None:
    (row,) = plain(histogram_rows([Bin(9_000, 9_500, 3)], MONO, 30))
    assert row.startswith("9.0-9.5 ")


@given(
    width=st.integers(40, 160),
    counts=st.lists(st.integers(0, 100_000), min_size=1, max_size=30),
)
def test_bars_fit_their_width(width: int, counts: list[int]) -> None:
    bins = [Bin(500 * n, 500 * (n + 1), many) for n, many in enumerate(counts)]
    rows = plain(histogram_rows(bins, DARK, width))
    assert max(map(cells, rows)) <= width


# --- Days -----------------------------------------------------------------------------


def days(counts: dict[int, int], today: int, width: int) -> list[list[Day]]:
    rows = [attempt(9_000, day) for day, many in counts.items() for _ in range(many)]
    return calendar(rows, today, calendar_weeks(width))


@given(
    look=st.sampled_from(LOOKS),
    width=st.integers(40, 160),
    today=st.integers(TODAY, TODAY + 400),
    counts=st.dictionaries(st.integers(TODAY - 400, TODAY), st.integers(1, 9)),
)
def test_calendar_fits_its_space(
    look: Look, width: int, today: int, counts: dict[int, int]
) -> None:
    rows = plain(calendar_rows(days(counts, today, width), look))
    assert len(rows) == CALENDAR_ROWS
    assert max(map(cells, rows)) <= width


def test_calendar_has_a_denser_shade_for_more_attempts() -> None:
    counts = {TODAY: 20, TODAY - 7: 10, TODAY - 14: 1}
    monday = plain(calendar_rows(days(counts, TODAY, 40), MONO))[1]
    assert monday.startswith("Mon ")
    assert monday.rstrip().endswith("· ░ ▒ █")


def test_calendar_ends_today_and_names_the_months() -> None:
    rows = plain(calendar_rows(days({}, TODAY + 2, 40), MONO))
    assert [row[-2:].strip() for row in rows[1:4]] == ["·", "·", "·"]
    assert len({len(row) for row in rows[1:4]}) == 1
    assert {len(row) for row in rows[4:]} == {len(rows[1]) - 2}
    assert rows[0].split() == ["Sep", "Oct", "Nov"]


def test_daily_race_is_underlined() -> None:
    weeks = calendar([attempt(9_000, daily=True)], TODAY, 2)
    rows = calendar_rows(weeks, MONO)
    assert [run.text for row in rows for run in row if run.paint.underline] == ["█"]
