"""Lists with a cursor that scroll, and tables that fit a narrow screen. Pure."""

from collections.abc import Iterable, Sequence

from sliderace.protocol.names import cells
from sliderace_client.shared_ui.profile_text import aligned
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.tui.rows import fitted

__all__ = ["Cursor", "chosen_row", "fitting_table"]

MARK_W = 2
"""Columns of the mark before each row of a list."""


class Cursor:
    """The chosen row of a list, and the first one that is visible.

    Attributes:
        at: index of the chosen row.
    """

    def __init__(self) -> None:
        self.at = self._top = 0

    def move(self, step: int, count: int) -> None:
        """Move by some rows; the cursor stays in the list."""
        self.at = max(0, min(self.at + step, count - 1))

    def window(self, count: int, page: int) -> range:
        """Return the visible rows.

        Args:
            count: rows of the list.
            page: how many fit, at least one.
        """
        self.move(0, count)
        self._top = max(self.at - page + 1, min(self._top, self.at, count - page), 0)
        return range(self._top, min(self._top + page, count))

    def key(self, key: str, count: int, page: int) -> bool:
        """Move with a key; return whether it is one of the cursor's."""
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}
        steps |= {"home": -count, "end": count}
        self.move(steps.get(key, 0), count)
        return key in steps


def chosen_row(content: str, look: Look, width: int, *, chosen: bool) -> Row:
    """Return a row of a list, marked if it is chosen."""
    paint = Paint(look.ink, look.raised if chosen else "", bold=chosen)
    mark = Run("▸ " if chosen else "  ", Paint(look.accent, paint.bg, bold=True))
    return mark, Run(fitted(content, width - MARK_W), paint)


def fitting_table(
    rows: Sequence[Sequence[str]], width: int, droppable: Iterable[int]
) -> list[str]:
    """Return the rows of a table as lines, all columns but the first to the right.

    Args:
        rows: the headings, and then at least one row.
        width: columns of the screen, without the mark of a list.
        droppable: indices of columns to leave out while the table is too wide, in
            this order.
    """
    lines, left_out = aligned(rows), set[int]()
    for column in droppable:
        if max(map(cells, lines)) <= width - MARK_W:
            break
        left_out.add(column)
        kept = [[c for n, c in enumerate(row) if n not in left_out] for row in rows]
        lines = aligned(kept)
    return lines
