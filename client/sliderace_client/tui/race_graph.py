"""Everybody's progress over time, as a step chart of braille dots. Pure.

A cell has two columns and four rows of dots, so that a chart of 40x5 cells shows 80
moments and 20 steps. The winner's line is solid, the player's is dashed and those of
the others are dotted: colours are not needed.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sliderace.texts import text
from sliderace_client.room.race_story import Curve
from sliderace_client.shared_ui.braille import Canvas
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.tui.rows import cut, fitted, fitted_name, text_row

__all__ = ["AXIS_ROWS", "DASHED", "DOTTED", "MIN_ROWS", "SOLID", "Stroke", "graph_rows"]

AXIS_ROWS = 2
"""The time axis and its labels."""
MIN_ROWS = 6
"""In fewer rows, axes included, lines cannot be told apart."""
AXIS_W = 5
LEGEND_W, LEGEND_FROM = 21, 60
"""Columns of the legend, and the width from which on there is one."""
NAMED = 3
"""Racers who are named in a legend that has no room for all."""
LABEL_W = 9
"""Least columns between two labels of the time axis."""
TICKS = (1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000)
"""Possible ms between two labels."""
MINUTES_FROM = 120_000
"""From this length on, labels are in minutes and seconds."""


class Stroke(NamedTuple):
    """How a line is drawn.

    Attributes:
        period: dots after which the pattern repeats.
        shown: dots of it that are drawn, from the first on.
        sign: in the legend.
    """

    period: int
    shown: int
    sign: str

    def draws(self, n: int) -> bool:
        """Return whether the line has its dot number n, from 0."""
        return n % self.period < self.shown


SOLID, DASHED, DOTTED = Stroke(1, 1, "───"), Stroke(3, 2, "╌╌╌"), Stroke(3, 1, "···")


class Line(NamedTuple):
    """A racer's line; one of a greater rank covers the others."""

    curve: Curve
    stroke: Stroke
    colour: str
    rank: int


def graph_rows(
    curves: Sequence[Curve], mine: int | None, look: Look, width: int, height: int
) -> list[Row]:
    """Return the chart, with axes and a legend.

    Args:
        curves: best first.
        mine: the player's seat, if any.
        look: colours.
        width: columns.
        height: rows, at least `MIN_ROWS`.
    """
    lines = [_line(curve, n, mine, look) for n, curve in enumerate(curves)]
    legend_w = LEGEND_W if width >= LEGEND_FROM else 0
    columns, rows = width - AXIS_W - legend_w, height - AXIS_ROWS
    end = max([1, *(curve.end_ms for curve in curves)])
    legend = _legend(lines, look, rows) if legend_w else []
    labels = {0: "100%┤", (rows - 1) // 2: " 50%┤"}
    soft = Paint(look.soft)
    chart: list[Row] = []
    for y, cells in enumerate(_plot(lines, columns, rows, end)):
        row = (Run(labels.get(y, "    │"), soft), *cells)
        chart.append((*row, *legend[y]) if y < len(legend) else row)
    return [*chart, *_time_axis(columns, end, look)]


def _line(curve: Curve, n: int, mine: int | None, look: Look) -> Line:
    won = n == 0 and curve.time_ms is not None
    if curve.seat == mine:
        return Line(curve, SOLID if won else DASHED, look.accent, 2)
    return (
        Line(curve, SOLID, look.good, 1) if won else Line(curve, DOTTED, look.soft, 0)
    )


def _plot(lines: Sequence[Line], columns: int, rows: int, end: int) -> list[list[Run]]:
    """Return the rows of the plot."""
    canvas = Canvas(columns, rows)
    for line in sorted(lines, key=lambda line: line.rank):
        dots = _dots(line.curve, canvas.width, canvas.height, end)
        for n, (x, y) in enumerate(dots):
            if line.stroke.draws(n):
                canvas.dot(x, y, line.colour)
    return canvas.rows()


def _dots(curve: Curve, width: int, height: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the dots of a line, from the left: along, then up, and so on."""
    x, y = 0, height - 1
    yield x, y
    for at, high in (*curve.points, (curve.end_ms, -1)):
        right = at * (width - 1) // end
        top = y if high < 0 else (1000 - high) * (height - 1) // 1000
        while x < right:
            x += 1
            yield x, y
        while y > top:
            y -= 1
            yield x, y


def _legend(lines: Sequence[Line], look: Look, rows: int) -> list[Row]:
    """Return a row for each racer, or for the first ones and the player."""
    named = list(enumerate(lines, 1))
    if len(named) > rows:
        named = [one for one in named if one[0] <= NAMED or one[1].rank == 2]
    legend: list[Row] = []
    for place, line in named[:rows]:
        paint = Paint(line.colour, bold=line.rank > 0)
        name = fitted_name(line.curve.name, LEGEND_W - 10)
        content = f"  {place:2} {name} {line.stroke.sign}"
        legend.append((Run(content, paint),))
    if len(named) < len(lines) and len(named) < rows:
        others = fitted(text("tui.graph.others"), LEGEND_W - 10)
        legend.append(text_row(f"     {others} {DOTTED.sign}", look.soft))
    return legend


def _time_axis(columns: int, end: int, look: Look) -> list[Row]:
    most = max(1, columns // LABEL_W)
    step = next((tick for tick in TICKS if end / tick <= most), end)
    axis, labels = ["─"] * columns, ""
    for ms in range(0, end + 1, step):
        x = ms * (columns - 1) // end
        axis[x] = "┬"
        if ms:
            labels += " " * (x - len(labels)) + _label(ms, end)
        else:
            labels = text("tui.race.seconds", time=0)
    soft = look.soft
    return [
        text_row("  0%┼" + "".join(axis), soft),
        text_row(" " * AXIS_W + cut(labels, columns), soft),
    ]


def _label(ms: int, end: int) -> str:
    seconds = ms // 1000
    if end < MINUTES_FROM:
        return str(seconds)
    return f"{seconds // 60}:{seconds % 60:02}"
