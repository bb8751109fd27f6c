"""The series of a room in words: one line for the lobby, and the table."""

from sliderace.protocol.messages import SeriesRow, SeriesTable
from sliderace.protocol.names import cells
from sliderace.texts import text
from sliderace_client.room.outcomes import SeriesWon
from sliderace_client.shared_ui.wording import duration, named, news

__all__ = [
    "format_text",
    "has_begun",
    "own_score",
    "series_line",
    "table_cells",
    "table_lines",
    "won_text",
]

NAMED = 4
"""People in the line of the lobby."""
COLUMNS = {
    "open": ("wins", "best", "average"),
    "first": ("wins", "best"),
    "mo3": ("best", "average"),
    "ao5": ("best", "average"),
    "ao12": ("best", "average"),
    "points": ("points", "wins", "best"),
}
"""Format -> columns of its table, beside place, racer and races."""
LENGTHS = {"mo3": 3, "ao5": 5, "ao12": 12}


def has_begun(table: SeriesTable | None) -> bool:
    """Return whether there is a series to show: an open one begins with a race."""
    return table is not None and (table.format != "open" or table.races > 0)


def format_text(table: SeriesTable) -> str:
    """Return the format: ``first to 3``; empty if it is open."""
    match table.format:
        case "open":
            return ""
        case "first" if table.by > 1:
            return text("score.first_ahead", n=table.n, by=table.by)
        case "first":
            return text("score.first", n=table.n)
        case "points":
            return text("score.points", count=table.n)
        case _:
            return text(f"score.{table.format}")


def won_text(table: SeriesTable) -> str:
    """Return who has won the series; empty if it is not over."""
    winners = [row.name for row in table.rows if row.place == 1 and not row.bot]
    if not table.over or not winners:
        return ""
    return news(SeriesWon(tuple(winners)))


def series_line(table: SeriesTable, size: str) -> str:
    """Return one line: ``4x4 · first to 3 · race 4 · Ann 2, Ben 1``."""
    people = [row for row in table.rows if not row.bot]
    scores = [f"{row.name} {_score(table, row)}" for row in people[:NAMED]]
    scores += ["…"] if len(people) > NAMED else []
    parts = [size, format_text(table), won_text(table) or _race(table)]
    return " · ".join(filter(None, [*parts, ", ".join(scores)]))


def own_score(table: SeriesTable | None) -> str:
    """Return the boards, best time and average of somebody who plays alone."""
    if table is None or not table.rows:
        return ""
    row = table.rows[0]
    best, average = _cell(row, "best"), _cell(row, "average")
    return text("score.alone", count=row.races, best=best, average=average)


def table_cells(table: SeriesTable) -> list[list[str]]:
    """Return the headings and then the rows: place, racer, races, scores."""
    columns = COLUMNS[table.format]
    averaged = "ao5" if table.format == "open" else table.format
    keys = [averaged if column == "average" else column for column in columns]
    head = ["", text("score.column.racer"), text("score.column.races")]
    rows = [[*head, *(text(f"score.column.{key}") for key in keys)]]
    for row in table.rows:
        name = named(row.name, bot=row.bot)
        scores = [_cell(row, column) for column in columns]
        place = "" if row.bot else str(row.place)  # bots have no place
        rows.append([place, name, str(row.races), *scores])
    return rows


def table_lines(table: SeriesTable) -> list[str]:
    """Return the table as aligned lines; none if nobody has raced yet."""
    if not table.rows:
        return []
    columns = [
        [_padded(cell, max(map(cells, column)), right=n != 1) for cell in column]
        for n, column in enumerate(zip(*table_cells(table), strict=True))
    ]
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - cells(cell))
    return space + cell if right else cell + space


def _race(table: SeriesTable) -> str:
    """Return which race comes next."""
    length = table.n if table.format == "points" else LENGTHS.get(table.format)
    if length is None:
        return text("score.race", n=table.races + 1)
    return text("score.race_of", n=table.races + 1, all=length)


def _score(table: SeriesTable, row: SeriesRow) -> str:
    """Return what a racer is ranked by."""
    if table.format in ("open", "first"):
        return str(row.wins)
    if table.format == "points":
        return str(row.points)
    return _cell(row, "average" if table.over else "best")


def _cell(row: SeriesRow, column: str) -> str:
    match column:
        case "wins":
            return str(row.wins)
        case "points":
            return str(row.points)
        case "best":
            time = row.best_ms
        case _:
            time = row.average_ms
            if row.average_dnf:
                return text("status.dnf")
    return "-" if time is None else duration(time)
