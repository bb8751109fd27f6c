"""Dialogs of a series: its table, and the host's choice of the next one."""

from collections.abc import Callable

from sliderace.protocol.messages import Series, SeriesTable
from sliderace.race.series import FORMATS, Format
from sliderace.texts import text
from sliderace_client.shared_ui.render import Look, Row
from sliderace_client.shared_ui.series_text import format_text, table_cells, won_text
from sliderace_client.tui.dialogs.choices import ChoiceDialog, following
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.result_tables import table_row
from sliderace_client.tui.rows import fitted, text_row

__all__ = ["SeriesDialog", "SeriesTableDialog"]

PLACE_W, NAME_W, COUNT_W, TIME_W = 2, 24, 6, 11
SHORT_NAME_W = 8
"""The least width of a name; columns that leave less are left out."""
LENGTHS = {"first": (1, 2, 3, 4, 5, 7, 10, 15, 20), "points": (5, 10, 15, 20, 30, 50)}
AHEAD = (1, 2)


class SeriesTableDialog(Dialog):
    """The table of a series.

    Args:
        look: colours.
        table: the series.
        me: own member id.
    """

    def __init__(self, look: Look, table: SeriesTable, me: int | None) -> None:
        super().__init__(look)
        self._table, self._me = table, me

    def rows(self) -> list[Row]:  # noqa: D102
        look, table, width = self.look, self._table, self.space[0]
        title = won_text(table) or format_text(table) or text("score.title")
        cells = table_cells(table)
        timed = [heading in _timed_headings() for heading in cells[0]]
        widths = [TIME_W if time else COUNT_W for time in timed]
        widths[:2] = PLACE_W, NAME_W
        while len(widths) > 3 and _least(widths) > width:
            widths.pop()
        spare = width - sum(widths) - len(widths) + 1
        widths[1] = max(SHORT_NAME_W, min(NAME_W, NAME_W + spare))
        rows = [text_row(fitted(title, width), look.accent, bold=True)]
        for n, row in enumerate(cells):
            mine = n > 0 and table.rows[n - 1].member == self._me
            ink = look.accent if mine else look.ink if n else look.soft
            content = table_row(row[: len(widths)], widths)
            rows.append(text_row(fitted(content, width), ink, bold=mine))
        return rows


def _timed_headings() -> set[str]:
    keys = ("best", "mo3", "ao5", "ao12")
    return {text(f"score.column.{key}") for key in keys}


def _least(widths: list[int]) -> int:
    return sum(widths) - NAME_W + SHORT_NAME_W + len(widths) - 1


class SeriesDialog(ChoiceDialog):
    """The host begins a series.

    Args:
        look: colours.
        table: the current series.
        send: sends the command.
    """

    def __init__(
        self, look: Look, table: SeriesTable, send: Callable[[Series], object]
    ) -> None:
        super().__init__(look, text("tui.series.title"))
        self._format: Format = table.format
        self._n = {"first": 3, "points": 10} | {table.format: table.n}
        self._by = table.by
        self._send = send

    def pairs(self) -> list[tuple[str, str]]:  # noqa: D102
        chosen = self._format
        pairs = [(text("tui.series.format"), text(f"tui.series.{chosen}"))]
        if chosen in LENGTHS:
            pairs.append((text(f"tui.series.n_{chosen}"), str(self._n[chosen])))
        if chosen == "first":
            pairs.append((text("tui.series.by"), str(self._by)))
        return pairs

    def change(self, row: int, step: int) -> None:  # noqa: D102
        chosen = self._format
        if row == 0:
            self._format = following(FORMATS, chosen, step)
        elif row == 1:
            self._n[chosen] = following(LENGTHS[chosen], self._n[chosen], step)
        else:
            self._by = following(AHEAD, self._by, step)

    def apply(self) -> None:  # noqa: D102
        chosen = self._format
        n = self._n[chosen] if chosen in LENGTHS else 0
        self._send(Series(chosen, n, self._by if chosen == "first" else 1))
