"""Statistics in words, and as cells of tables; ``core/statistics-text.js`` likewise."""

from collections.abc import Callable, Sequence

from sliderace.protocol.messages import HistoryRow
from sliderace.race.ranking import plausible
from sliderace.texts import text
from sliderace_client.shared_ui.statistics import (
    Bin,
    Day,
    Figure,
    Summary,
    histogram,
)
from sliderace_client.shared_ui.wording import duration, status

__all__ = [
    "attempt_cells",
    "calendar_sentence",
    "figure_cells",
    "histogram_sentence",
    "times_sentence",
]

BINS = 12
"""In the sentence on the most frequent times."""
RECENT_DAYS = 30
FEWEST = {"ao5": 5, "ao12": 12}


def times_sentence(known: Summary) -> str:
    """Return how many attempts there are, the best time, and the latest averages."""
    if not known.attempts:
        return text("statistics.no_attempts")
    if known.best_ms is None:
        return text("statistics.none_finished", count=known.attempts)
    many = text("count.attempts", count=known.attempts)
    best = duration(known.best_ms)
    said = text("statistics.best_of", many=many, finished=known.finished, best=best)
    ao5, ao12 = _average(known.ao5_ms), _average(known.ao12_ms)
    if known.attempts >= FEWEST["ao12"]:
        return f"{said} {text('statistics.latest_both', ao5=ao5, ao12=ao12)}"
    if known.attempts >= FEWEST["ao5"]:
        return f"{said} {text('statistics.latest_ao5', ao5=ao5)}"
    return said


def _average(ms: int | None) -> str:
    return text("status.dnf") if ms is None else duration(ms)


def histogram_sentence(times: Sequence[int]) -> str:
    """Return which times are the most frequent ones."""
    bins = histogram(times, BINS)
    if not bins:
        return text("statistics.no_times")
    most = max(bins, key=lambda one: one.many)
    percent = (200 * most.many + len(times)) // (2 * len(times))
    return text("statistics.most_frequent", range=_range(most), percent=percent)


def _range(times: Bin) -> str:
    low = duration(times.low_ms)
    if times.high_ms is None:
        return text("statistics.range_open", **{"from": low})
    return text("statistics.range", **{"from": low}, to=duration(times.high_ms))


def calendar_sentence(days: Sequence[Day]) -> str:
    """Return how often somebody raced.

    Args:
        days: of a year, ascending, until today.
    """
    raced = [day for day in days if day.attempts]
    if not raced:
        return text("statistics.no_days")
    recent = sum(day.attempts > 0 for day in days[-RECENT_DAYS:])
    said = text("statistics.days", count=len(raced), recent=recent, days=RECENT_DAYS)
    dailies = sum(day.daily != "" for day in days)
    return f"{said} {text('statistics.dailies', count=dailies)}" if dailies else said


def figure_cells(figures: Sequence[Figure]) -> list[list[str]]:
    """Return headings and rows: figure, latest twelve, median, mean."""
    head = ["", *(text(f"figures.{name}") for name in ("recent", "median", "mean"))]
    return [
        head,
        *(
            [
                text(f"figures.{one.name}"),
                *(_figure(one.name, n) for n in (one.recent, one.median, one.mean)),
            ]
            for one in figures
        ),
    ]


def _figure(name: str, value: int | None) -> str:
    """Return a figure: thousandths as a decimal, others as a time."""
    if value is None:
        return "-"
    return f"{value / 1000:.2f}" if name.endswith("_milli") else duration(value)


def attempt_cells(
    rows: Sequence[HistoryRow], moment: Callable[[int], str]
) -> list[list[str]]:
    """Return headings and rows: when, time, kind of the room, TPS, M/MD, input.

    An attempt that does not count has a mark beside its time.

    Args:
        rows: of the history.
        moment: returns a Unix time in ms as text.
    """
    columns = ("when", "time", "kind", "tps", "m_md", "input")
    cells = [[text(f"stats.{column}") for column in columns]]
    for row in rows:
        solve = plausible(row.solve_ms, row.stm)
        cells.append(
            [
                moment(row.started_ms),
                _time(row),
                text(f"room_kind.{row.kind}"),
                f"{row.stm * 1000 / solve:.2f}" if solve else "-",
                f"{row.stm / row.md:.2f}" if row.md and row.time_ms else "-",
                text(f"input_kind.{row.input}") if row.input else "-",
            ]
        )
    return cells


def _time(row: HistoryRow) -> str:
    ended = status(row.status) if row.time_ms is None else duration(row.time_ms)
    return ended if row.counts else text("stats.not_counted", time=ended)
