"""Charts of a player's attempts: their times, how these spread, and the days. Pure.

Every chart is understood without colours: times are dots, averages are lines with
different strokes, and a day with more attempts has a denser letter.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from sliderace.protocol.names import cells
from sliderace.texts import text
from sliderace_client.shared_ui.braille import Canvas
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.shared_ui.statistics import (
    Bin,
    Day,
    Point,
    ceiling,
    finished_times,
)
from sliderace_client.tui.race_graph import DASHED, DOTTED, SOLID
from sliderace_client.tui.rows import cut, fitted, text_row

__all__ = [
    "CALENDAR_ROWS",
    "FAILED",
    "MIN_CHART_ROWS",
    "calendar_rows",
    "calendar_weeks",
    "histogram_rows",
    "time_rows",
]

AXIS_W = 8
"""Columns of the labels beside a chart, with the axis: ``1:02:30``."""
FRAME_ROWS = 3
"""Rows of the legend, the axis and its labels."""
MIN_CHART_ROWS = FRAME_ROWS + 4
"""In fewer rows, lines cannot be told apart."""
CALENDAR_ROWS = 8
"""The months, and a row for each day of the week."""
STEPS = (
    *(100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000),
    *(60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000),
)
"""Possible ms between two labels."""
LABEL_ROWS = 2
"""Rows from one label to the next, at least."""
FAILED = "\N{MULTIPLICATION SIGN}"
"""Marks an attempt without a time."""
SPARSE = 4
"""With so many columns of dots for each attempt, a time is as large as four dots."""
# --- Times ----------------------------------------------------------------------------


class Scale(NamedTuple):
    """What the rows of dots mean: `low` is the lowest one, `high` the highest."""

    low: int
    high: int
    step: int

    def row(self, ms: int, height: int) -> int:
        """Return the row of dots of a time, from the top; inside the chart."""
        span = max(1, self.high - self.low)
        y = (self.high - ms) * (height - 1) // span
        return max(0, min(y, height - 1))


def time_rows(
    points: Sequence[Point], ends: tuple[str, str], look: Look, width: int, height: int
) -> list[Row]:
    """Return the chart of times, with averages, the best so far, axes and a legend.

    Args:
        points: a trend with at least one time.
        ends: labels of the first and the last attempt.
        look: colours.
        width: columns.
        height: rows, at least `MIN_CHART_ROWS`.
    """
    times = [point.time_ms for point in points]
    failed = None in times
    rows = height - FRAME_ROWS - failed
    scale = _scale(points, rows)
    canvas = Canvas(width - AXIS_W, rows)
    columns = _columns(len(times), canvas.width)
    large = canvas.width >= SPARSE * len(times)
    for x, ms in zip(columns, times, strict=True):
        if ms is not None:
            y = scale.row(ms, canvas.height)
            _mark(canvas, x, y, look.soft, large=large)
    lines = (
        ([point.best_ms for point in points], DOTTED, look.good),
        ([point.ao5_ms for point in points], DASHED, look.ink),
        ([point.ao12_ms for point in points], SOLID, look.accent),
    )
    for values, stroke, colour in lines:
        dots = _line(values, columns, scale, canvas.height, steps=stroke is DOTTED)
        for n, (x, y) in enumerate(dots):
            if stroke.draws(n):
                canvas.dot(x, y, colour)
    soft = Paint(look.soft)
    labels = _labels(scale, rows)
    chart: list[Row] = [
        (Run(labels.get(y, " " * (AXIS_W - 1) + "│"), soft), *runs)
        for y, runs in enumerate(canvas.rows())
    ]
    if failed:
        chart.insert(0, _failures(times, columns, look, width))
    return [_legend(look, width), *chart, *_axis(ends, look, width)]


def _mark(canvas: Canvas, x: int, y: int, colour: str, *, large: bool) -> None:
    """Draw a time: one dot, or a whole half of a cell."""
    canvas.dot(x, y, colour)
    if large:
        for side, below in ((x ^ 1, y), (x, y ^ 1), (x ^ 1, y ^ 1)):
            canvas.dot(side, below, colour)


def _scale(points: Sequence[Point], rows: int) -> Scale:
    """Return the scale for all times and averages but outliers."""
    times = finished_times(points)
    averages = [ms for one in points for ms in (one.ao5_ms, one.ao12_ms) if ms]
    low, high = min(times), max(ceiling(times), *averages, 0)
    most = max(1, (rows - 1) // LABEL_ROWS)
    fits = (step for step in STEPS if -(-high // step) - low // step <= most)
    step = next(fits, STEPS[-1])
    low = low // step * step
    return Scale(low, max(-(-high // step) * step, low + step), step)


def _columns(count: int, width: int) -> list[int]:
    """Return the column of dots of each attempt."""
    if count == 1:
        return [width // 2]
    return [n * (width - 1) // (count - 1) for n in range(count)]


def _line(
    values: Sequence[int | None],
    columns: Sequence[int],
    scale: Scale,
    height: int,
    *,
    steps: bool,
) -> Iterator[tuple[int, int]]:
    """Yield the dots of a line; it is interrupted where there is no value.

    Args:
        values: ms.
        columns: of dots, one for each value.
        scale: of the chart.
        height: of the chart, in rows of dots.
        steps: whether a value stays until the next one.
    """
    before: tuple[int, int] | None = None
    for x, ms in zip(columns, values, strict=True):
        if ms is None:
            before = None
            continue
        y = scale.row(ms, height)
        if before is None:
            yield x, y
        else:
            yield from _joined(*before, x, y, steps=steps)
        before = x, y


def _joined(
    x: int, y: int, to_x: int, to_y: int, *, steps: bool
) -> Iterator[tuple[int, int]]:
    """Yield the dots from one point, which is left out, to another."""
    length = max(to_x - x, 0 if steps else abs(to_y - y))
    for n in range(1, length + 1):
        yield x + (to_x - x) * n // length, y if steps else y + (to_y - y) * n // length
    if steps:
        way = 1 if to_y > y else -1
        for between in range(y + way, to_y + way, way) if to_y != y else ():
            yield to_x, between


def _labels(scale: Scale, rows: int) -> dict[int, str]:
    """Return the labels of the axis of times, by row."""
    labels: dict[int, str] = {}
    for ms in range(scale.low, scale.high + 1, scale.step):
        label = _short_time(ms, scale.step)
        labels[scale.row(ms, 4 * rows) // 4] = (
            fitted(label, AXIS_W - 1, right=True) + "┤"
        )
    return labels


def _short_time(ms: int, step: int) -> str:
    """Format a time with as many digits as tell it from those a step away.

    >>> _short_time(9_500, 500), _short_time(2_050, 50), _short_time(90_000, 1_000)
    ('9.5', '2.05', '1:30')
    """
    minutes, seconds = divmod(ms // 1_000, 60)
    digits = 0 if step % 1_000 == 0 else 1 if step % 100 == 0 else 2
    rest = f".{ms % 1_000:03}"[: digits + 1] if digits else ""
    if not minutes:
        return f"{seconds}{rest}"
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{seconds:02}"
    return f"{minutes}:{seconds:02}{rest}"


def _failures(
    times: Sequence[int | None], columns: Sequence[int], look: Look, width: int
) -> Row:
    """Return the row that marks the attempts without a time."""
    marks = [" "] * (width - AXIS_W)
    for x, ms in zip(columns, times, strict=True):
        if ms is None:
            marks[x // 2] = FAILED
    label = fitted(text("status.dnf"), AXIS_W - 1, right=True) + "│"
    return Run(label, Paint(look.soft)), Run("".join(marks), Paint(look.bad))


def _legend(look: Look, width: int) -> Row:
    entries = (
        (f"• {text('stats.time')}", look.soft),
        (f"{DASHED.sign[:2]} {text('kind.ao5')}", look.ink),
        (f"{SOLID.sign[:2]} {text('kind.ao12')}", look.accent),
        (f"{DOTTED.sign[:2]} {text('stats.best')}", look.good),
    )
    runs, left = [Run(" " * (AXIS_W - 2), Paint())], width - AXIS_W + 2
    for content, colour in entries:
        left -= cells(content) + 2
        if left >= 0:
            runs.append(Run(f"  {content}", Paint(colour)))
    return tuple(runs)


def _axis(ends: tuple[str, str], look: Look, width: int) -> list[Row]:
    columns = width - AXIS_W
    first, last = ends
    space = " " * max(1, columns - cells(first) - cells(last))
    labels = f"{first}{space}{last}" if last != first else first
    return [
        text_row(" " * (AXIS_W - 1) + "└" + "─" * columns, look.soft),
        text_row(" " * AXIS_W + cut(labels, columns), look.soft),
    ]


# --- Bars -----------------------------------------------------------------------------

EIGHTHS = " ▏▎▍▌▋▊▉█"
"""A bar grows by an eighth of a cell."""


def histogram_rows(bins: Sequence[Bin], look: Look, width: int) -> list[Row]:
    """Return one bar per bin, with its range and its number.

    Args:
        bins: at least one.
        look: colours.
        width: columns.
    """
    labels = [_range(one) for one in bins]
    label_w = max(map(cells, labels))
    most = max(1, *(one.many for one in bins), 1)
    space = width - label_w - len(str(most)) - 2
    rows: list[Row] = []
    for label, one in zip(labels, bins, strict=True):
        eighths = -(-one.many * 8 * space // most)
        bar = EIGHTHS[8] * (eighths // 8) + EIGHTHS[eighths % 8].strip()
        rows.append(
            (
                Run(fitted(label, label_w, right=True) + " ", Paint(look.soft)),
                Run(bar, Paint(look.accent)),
                Run(f" {one.many}" if one.many else "", Paint(look.ink)),
            )
        )
    return rows


def _range(times: Bin) -> str:
    """Format a range of times.

    >>> _range(Bin(9_000, 9_500, 1)), _range(Bin(120_000, None, 1))
    ('9.0-9.5', '2:00-')
    """
    low, high = times.low_ms, times.high_ms
    step = low if high is None else high - low
    end = "" if high is None else _short_time(high, step)
    return f"{_short_time(low, step)}-{end}"


# --- Days -----------------------------------------------------------------------------

SHADES = "·░▒▓█"
EPOCH = date(1970, 1, 1).toordinal()
WEEK = 7
MAX_WEEKS = 53
LABEL_W = 4
"""Columns of the names of days."""


def calendar_weeks(width: int) -> int:
    """Return how many weeks fit this many columns: at most a year."""
    return min(MAX_WEEKS, (width - LABEL_W) // 2)


def calendar_rows(weeks: Sequence[Sequence[Day]], look: Look) -> list[Row]:
    """Return a calendar: a column per week, with a shade for each day's attempts.

    A day with a daily race that was finished is underlined.

    Args:
        weeks: at most `calendar_weeks`, at least one.
        look: colours.
    """
    most = max(1, *(day.attempts for week in weeks for day in week), 1)
    rows: list[Row] = [text_row(" " * LABEL_W + _months(weeks), look.soft)]
    for n in range(WEEK):
        name = text(f"stats.weekday.{n}") if n % 2 == 0 else ""
        runs = [Run(fitted(name, LABEL_W), Paint(look.soft))]
        for week in weeks:
            if n >= len(week):
                break
            day = week[n]
            colour = look.good if day.attempts else look.soft
            daily = day.daily == "finished"
            shade = SHADES[-(-day.attempts * 4 // most)]
            runs += [
                Run(shade, Paint(colour, underline=daily)),
                Run(" ", Paint()),
            ]
        rows.append(tuple(runs))
    return rows


def _months(weeks: Sequence[Sequence[Day]]) -> str:
    """Return the months above their first weeks, if there is room for them."""
    labels = ""
    for n, week in enumerate(weeks):
        first = date.fromordinal(EPOCH + week[0].day)
        begins = first + timedelta(days=WEEK - 1)
        name = text(f"stats.month.{begins.month}")
        if begins.day <= WEEK and len(labels) <= 2 * n <= 2 * len(weeks) - cells(name):
            labels += " " * (2 * n - len(labels)) + name + " "
    return labels
