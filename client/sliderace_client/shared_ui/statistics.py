"""Statistics of one event, for tables and charts.

They are computed from a profile's history: the rows of `HistoryEvent`, the latest
first, as the server sends them; pages are joined in the same order. None stands for a
DNF, or for an average of too few attempts. Only attempts that count enter averages and
figures; averages are over consecutive ones, with their DNFs. All results are integers,
rounded half up. ``core/statistics.js`` is the same for the page; both pass
``shared/vectors/statistics-v1.json``.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from sliderace.protocol.messages import HistoryRow
from sliderace.race.averages import average, mean
from sliderace.race.ranking import plausible

__all__ = [
    "FIGURES",
    "Bin",
    "Day",
    "Figure",
    "Point",
    "Summary",
    "calendar",
    "ceiling",
    "figures",
    "finished_times",
    "histogram",
    "summary",
    "trend",
]

DAY_MS: Final = 86_400_000
RECENT: Final = 12
"""Finished attempts in the `recent` median of a figure: as many as in an ao12."""
OUTLIER: Final = 3
"""Times above this many medians are outliers: they would flatten every chart."""
WIDTHS: Final = (
    *(10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000),
    *(60_000, 120_000, 300_000, 600_000, 1_200_000, 1_800_000, 3_600_000),
)
"""Widths in ms of the bins of a histogram: their edges are easy to read."""
FIGURES: Final = ("time_ms", "tps_milli", "m_md_milli", "first_ms", "pauses_milli")
"""Names of the figures; those that end in ``_milli`` are thousandths."""


class Point(NamedTuple):
    """An attempt that counts, and how things stood after it.

    Args:
        started_ms: Unix time.
        time_ms: its time; None: a DNF.
        ao5_ms: average of the last five; None: a DNF, or there were fewer.
        ao12_ms: average of the last twelve, likewise.
        best_ms: best time so far; None: none yet.
    """

    started_ms: int
    time_ms: int | None
    ao5_ms: int | None
    ao12_ms: int | None
    best_ms: int | None


class Summary(NamedTuple):
    """The attempts that count, in a few numbers.

    Args:
        attempts: how many.
        finished: how many of them were finished.
        best_ms: best time.
        best_ao5_ms: best average of five.
        best_ao12_ms: best average of twelve.
        ao5_ms: average of the last five.
        ao12_ms: average of the last twelve.
    """

    attempts: int
    finished: int
    best_ms: int | None
    best_ao5_ms: int | None
    best_ao12_ms: int | None
    ao5_ms: int | None
    ao12_ms: int | None


class Figure(NamedTuple):
    """One figure of the finished attempts that count.

    Args:
        name: one of `FIGURES`.
        recent: median of the latest twelve; None: there are no values.
        median: of all.
        mean: of all.
    """

    name: str
    recent: int | None
    median: int | None
    mean: int | None


class Bin(NamedTuple):
    """How many times are in a range.

    Args:
        low_ms: the least time.
        high_ms: the least time above it; None: the bin is open.
        many: how many.
    """

    low_ms: int
    high_ms: int | None
    many: int


class Day(NamedTuple):
    """A day of the calendar.

    Args:
        day: days since 1970-01-01 in UTC.
        attempts: how many attempts began on it, also those that do not count.
        daily: how its daily race ended; empty: there was none.
    """

    day: int
    attempts: int
    daily: Literal["", "finished", "dnf"]


def trend(rows: Sequence[HistoryRow]) -> list[Point]:
    """Return the attempts that count, the earliest first."""
    points, best = list[Point](), None
    times = list[int | None]()
    for row in reversed(rows):
        if not row.counts:
            continue
        time = _time(row)
        times.append(time)
        best = _least((best, time))
        points.append(
            Point(row.started_ms, time, _last(times, 5), _last(times, 12), best)
        )
    return points


def _time(row: HistoryRow) -> int | None:
    return row.time_ms if row.status == "finished" else None


def _last(times: Sequence[int | None], many: int) -> int | None:
    """Return the average of the last times; None also if there are fewer."""
    return average(times[-many:]) if len(times) >= many else None


def _least(times: Iterable[int | None]) -> int | None:
    return min((time for time in times if time is not None), default=None)


def summary(points: Sequence[Point]) -> Summary:
    """Return a summary of a `trend`."""
    last = points[-1] if points else Point(0, None, None, None, None)
    return Summary(
        attempts=len(points),
        finished=sum(point.time_ms is not None for point in points),
        best_ms=last.best_ms,
        best_ao5_ms=_least(point.ao5_ms for point in points),
        best_ao12_ms=_least(point.ao12_ms for point in points),
        ao5_ms=last.ao5_ms,
        ao12_ms=last.ao12_ms,
    )


def figures(rows: Sequence[HistoryRow]) -> list[Figure]:
    """Return each of `FIGURES`, for the finished attempts that count."""
    finished = [row for row in rows if row.counts and row.status == "finished"]
    found = list[Figure]()
    for name in FIGURES:
        known = [value for row in finished if (value := _value(name, row)) is not None]
        found.append(
            Figure(name, _median(known[:RECENT]), _median(known), _mean(known))
        )
    return found


def _value(name: str, row: HistoryRow) -> int | None:
    match name:
        case "tps_milli":
            solve = plausible(row.solve_ms, row.stm)
            return _quotient(row.stm * 1_000_000, solve) if solve else None
        case "m_md_milli":
            return _quotient(row.stm * 1000, row.md) if row.md else None
        case "first_ms":
            return row.first_ms
        case "pauses_milli":
            return row.pauses * 1000
        case _:
            return row.time_ms


def _quotient(total: int, count: int) -> int:
    """Return a quotient, rounded half up."""
    return (2 * total + count) // (2 * count)


def _median(values: Sequence[int]) -> int | None:
    if not values:
        return None
    ordered, half = sorted(values), len(values) // 2
    return mean(ordered[half - (len(values) % 2 == 0) : half + 1])


def _mean(values: Sequence[int]) -> int | None:
    return mean(values) if values else None


def finished_times(points: Iterable[Point]) -> list[int]:
    """Return the times of a `trend`, without its DNFs."""
    return [point.time_ms for point in points if point.time_ms is not None]


def ceiling(times: Sequence[int]) -> int:
    """Return the longest time that is no outlier, in ms; 0 without times."""
    limit = OUTLIER * (_median(times) or 0)
    return max((time for time in times if time <= limit), default=0)


def histogram(times: Sequence[int], most: int) -> list[Bin]:
    """Return how often each range of times occurs, the shortest first.

    All bins have the same width. Outliers, above `ceiling`, are in one more bin, which
    is open.

    Args:
        times: in ms.
        most: the number of bins without the open one, at least 1.
    """
    if not times:
        return []
    least, top = min(times), ceiling(times)
    fitting = (width for width in WIDTHS if top // width - least // width < most)
    width = next(fitting, top + 1)
    counts = Counter(time // width for time in times if time <= top)
    bins = [
        Bin(n * width, (n + 1) * width, counts[n])
        for n in range(least // width, top // width + 1)
    ]
    if outliers := len(times) - counts.total():
        bins.append(Bin((top // width + 1) * width, None, outliers))
    return bins


def calendar(rows: Iterable[HistoryRow], today: int, weeks: int) -> list[list[Day]]:
    """Return the days of some weeks, Monday first; the last one ends with today.

    Args:
        rows: the history.
        today: days since 1970-01-01 in UTC.
        weeks: how many, at least 1.
    """
    attempts, dailies = Counter[int](), dict[int, Literal["finished", "dnf"]]()
    for row in rows:
        day = row.started_ms // DAY_MS
        attempts[day] += 1
        if row.kind == "daily":
            dailies[day] = "finished" if row.status == "finished" else "dnf"
    monday = today - (today + 3) % 7  # 1970-01-01 was a Thursday
    starts = range(monday - 7 * (weeks - 1), monday + 1, 7)
    return [
        [
            Day(day, attempts[day], dailies.get(day, ""))
            for day in range(start, min(start + 7, today + 1))
        ]
        for start in starts
    ]
