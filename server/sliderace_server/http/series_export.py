"""A series as JSON and as a table for spreadsheets (CSV)."""

from collections.abc import Mapping
from typing import Any

from sliderace.race.series import Series, average_of, ranked
from sliderace_server.http.csv_text import csv_line

__all__ = ["as_csv", "as_json"]

COLUMNS = ("place", "name", "bot", "races", "wins", "points", "best_ms", "average_ms")


def as_json(series: Series) -> Mapping[str, Any]:
    """Return a series with its table, and the results of its last 100 races.

    A result, and the average, is a time in ms, ``dnf`` or ``dns``.
    """
    return {
        "format": series.format,
        "n": series.n,
        "by": series.by,
        "races": series.races,
        "over": series.over,
        "rows": [
            {
                "place": place,
                "name": score.name,
                "bot": score.bot,
                "races": score.races,
                "wins": score.wins,
                "points": score.points,
                "best_ms": score.best_ms,
                "average_ms": average_of(series, score),
                "results_ms": score.results,
            }
            for place, score in ranked(series)
        ],
    }


def as_csv(series: Series) -> str:
    """Return the same table by RFC 4180, with one column for each race."""
    rows = as_json(series)["rows"]
    kept = len(rows[0]["results_ms"]) if rows else 0
    first = series.races - kept + 1
    head = [*COLUMNS, *(f"race_{first + n}" for n in range(kept))]
    lines = [head, *([*map(row.get, COLUMNS), *row["results_ms"]] for row in rows)]
    return "".join(map(csv_line, lines))
