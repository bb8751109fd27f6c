"""The leaderboards of a server: the best, and our own place among them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from textwrap import wrap
from typing import Any, Protocol

from textual.widget import Widget

from sliderace.protocol.names import cells
from sliderace.texts import text
from sliderace_client.leaderboards import (
    INPUTS,
    KINDS,
    SPANS,
    BoardQuery,
    BoardRow,
    Leaderboard,
    claims,
    row_cells,
    title,
    total_text,
    usable,
)
from sliderace_client.shared_ui.render import Row
from sliderace_client.shared_ui.settings import SQUARES
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.choices import following
from sliderace_client.tui.dialogs.dialog import TextDialog
from sliderace_client.tui.lists import Cursor, chosen_row
from sliderace_client.tui.rows import fitted, text_row
from sliderace_client.tui.screens.screen import BaseScreen, Program
from sliderace_client.tui.widgets import TextRows

__all__ = ["LeaderboardsProgram", "LeaderboardsScreen"]

NAME_W = 24
"""Columns of a name on a wide screen; on a narrower one, names take what is left."""
SMALL = 10
"""With fewer rows, the lines of the table are more important than those above it."""
DAY_FROM, INPUT_FROM = 46, 60
"""Widths from which on the columns for the day and the input are shown."""


class LeaderboardsProgram(Program, Protocol):
    """The part of the program that this screen uses."""

    def watch_race(self, server: str, race: str, fail: Callable[[str], object]) -> None:
        """Replay a past race; call `fail` with a sentence if that is not possible."""
        ...

    def load_leaderboard(self, screen: "LeaderboardsScreen") -> None:
        """Fetch the leaderboard of a screen's query, and show it there."""
        ...


class LeaderboardsScreen(BaseScreen):
    """A leaderboard; keys choose another one.

    Args:
        program: shows this screen.
        event: size of the board to begin with.

    Attributes:
        wanted: which leaderboard.
    """

    DEFAULT_CSS = "LeaderboardsScreen #leaderboard { height: 1fr; margin: 1 1 0 1; }"

    def __init__(self, program: LeaderboardsProgram, event: str) -> None:
        super().__init__(program)
        self._boards_program = program
        self.wanted = BoardQuery(event)
        self._server = ""
        self._board: Leaderboard | None = None
        self._why = text("tui.past.loading")
        self._cursor = Cursor()
        self._top = 0
        self._list = TextRows(id="leaderboard", on_pick=self._click)

    def show_board(self, query: BoardQuery, board: Leaderboard, server: str) -> None:
        """Show a leaderboard, unless another one has been chosen since."""
        if query == self.wanted:
            self._board, self._server, self._why = board, server, ""
            self.refresh_content()

    def fail(self, why: str) -> None:
        """Show why something is not possible."""
        self.program.say(why, "bad")
        if self._board is None:
            self._why = why
        self.refresh_content()

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._list

    def head(self) -> str:  # noqa: D102
        return text("tui.boards.head")

    # --- Display ----------------------------------------------------------------------

    def update(self) -> None:  # noqa: D102
        super().update()
        width = max(1, self.size.width - 2)
        self._list.show(self._rows(width)[: max(1, self.body_height() - 1)])

    def _rows(self, width: int) -> list[Row]:
        look, board = self.look, self._board
        heading, small = title(self.wanted), self.body_height() < SMALL
        heads = [fitted(heading, width)] if small else wrap(heading, width)
        rows = [text_row(part, look.accent, bold=True) for part in heads]
        told = self._why if board is None else total_text(board)
        if not small or board is None or not board.rows:
            rows += [text_row(part, look.ink) for part in wrap(told, width)]
            rows.append(text_row(""))
        if board is None or not board.rows:
            return rows
        head, *lines = _lines(row_cells(board.rows, board.own), width)
        rows.append(text_row(f"  {head}", look.soft))
        self._top = len(rows)
        for n in self._shown(board):
            drawn = chosen_row(lines[n], look, width, chosen=n == self._cursor.at)
            if _is_own(board.rows[n], board):
                mark, run = drawn
                drawn = mark, run._replace(paint=run.paint._replace(fg=look.accent))
            rows.append(drawn)
        return rows

    def _shown(self, board: Leaderboard) -> list[int]:
        """Return the rows that are visible; our own always is."""
        rows = board.rows
        own = [n for n, row in enumerate(rows) if _is_own(row, board)]
        window = self._cursor.window(len(rows), self._page)
        if not own or own[0] in window:
            return [*window]
        return [*self._cursor.window(len(rows), max(1, self._page - 1)), own[0]]

    @property
    def _page(self) -> int:
        return max(1, self.body_height() - 1 - (self._top or 4))

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        actions: list[Action] = []
        if self._board is not None and self._board.rows:
            watch = text("tui.key.watch_again")
            actions.append(Action("enter", watch, self._watch, ("w",)))
        return [
            *actions,
            Action("+", text("tui.key.larger"), partial(self._resize, 1), ("=",)),
            Action("-", text("tui.key.smaller"), partial(self._resize, -1)),
            Action("k", text("tui.key.kind"), partial(self._choose, "kind", KINDS)),
            Action("s", text("tui.key.span"), partial(self._choose, "span", SPANS)),
            Action("i", text("tui.key.input"), partial(self._choose, "input", INPUTS)),
            Action("?", text("tui.key.proved"), self._explain),
            Action("esc", text("tui.key.back"), self._close, ("escape", "q")),
        ]

    def other_key(self, key: str) -> bool:  # noqa: D102
        count = len(self._board.rows) if self._board else 0
        moved = self._cursor.key(key, count, self._page)
        self.update()
        return moved

    def _choose(self, field: str, values: tuple[Any, ...], step: int = 1) -> None:
        before = self.wanted
        value = following(values, getattr(before, field), step)
        if field in ("event", "kind") and before.span == "daily":
            before = replace(before, span="all")  # it may have no such daily race
        self.wanted = usable(replace(before, **{field: value}))
        self._board, self._why = None, text("tui.past.loading")
        self._cursor = Cursor()
        self._boards_program.load_leaderboard(self)
        self.update()

    def _resize(self, step: int) -> None:
        self._choose("event", SQUARES, step)

    def _explain(self) -> None:
        self.program.open_screen(TextDialog(self.look, claims(self.wanted)))

    def _close(self) -> None:
        self.program.close_screen(self)

    def _watch(self) -> None:
        row = self._board.rows[self._cursor.at] if self._board else None
        if row is not None:
            self._boards_program.watch_race(self._server, row.race, self.fail)

    def _click(self, y: int, _x: int) -> None:
        if self._board is None or y < self._top:
            return
        shown = self._shown(self._board)
        if y - self._top < len(shown):
            at = shown[y - self._top]
            again, self._cursor.at = at == self._cursor.at, at
            self._watch() if again else self.update()


def _is_own(row: BoardRow | None, board: Leaderboard) -> bool:
    return row is not None and row.profile == board.own


def _lines(table: list[list[str]], width: int) -> list[str]:
    """Return the rows of the table as lines; the narrower, the fewer columns."""
    columns = 3 + (width >= DAY_FROM) + (width >= INPUT_FROM)
    rows = [row[:columns] for row in table]
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    others = sum(widths) - widths[1] + 2 * columns
    widths[1] = min(widths[1], max(NAME_W, width - 2 - others), width - 2 - others + 2)
    return [
        "  ".join(
            fitted(cell, w, right=n in (0, 2))
            for n, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
