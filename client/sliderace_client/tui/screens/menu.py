"""The menu."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from textual.containers import Horizontal
from textual.widget import Widget

from sliderace.protocol.room_code import format_code
from sliderace.texts import text
from sliderace_client.local_server import WaitingRoom
from sliderace_client.shared_ui.render import Grid, Paint, Row, Run
from sliderace_client.tui.actions import WIDE, Action
from sliderace_client.tui.layout import Placed
from sliderace_client.tui.rows import fitted, text_row
from sliderace_client.tui.screens.forms import (
    HostForm,
    JoinForm,
    MenuProgram,
    PictureForm,
    SoloForm,
    WatchForm,
)
from sliderace_client.tui.screens.screen import BaseScreen
from sliderace_client.tui.widgets import Boards, TextRows

__all__ = ["MenuScreen"]

EMBLEM = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 15)
"""One slide before it is solved."""
ENTRIES_W = 46
"""Columns of the entries; the emblem has the others."""


class Entry(NamedTuple):
    """One entry of the menu."""

    key: str
    label: str
    explanation: str
    run: Callable[[], object]


class MenuScreen(BaseScreen):
    """The menu: choose an entry with its key, or with the cursor and Enter.

    Args:
        program: shows this screen.
    """

    DEFAULT_CSS = """
    MenuScreen #columns { height: 1fr; }
    MenuScreen #entries { width: 44; margin: 1 0 0 2; }
    MenuScreen #emblem { width: 1fr; }
    """

    def __init__(self, program: MenuProgram) -> None:
        super().__init__(program)
        self._menu_program = program
        self._chosen = 0
        self._list = TextRows(id="entries", on_pick=self._click)
        self._emblem = Boards(id="emblem")

    @property
    def program(self) -> MenuProgram:  # noqa: D102
        return self._menu_program

    def entries(self) -> list[Entry]:
        """Return the entries of the menu."""
        program = self.program
        return [
            *self._return_entry(),
            Entry(
                "h",
                text("tui.menu.host"),
                text("tui.menu.host_explained"),
                lambda: program.open_screen(HostForm(program)),
            ),
            Entry(
                "j",
                text("tui.menu.join"),
                text("tui.menu.join_explained"),
                lambda: program.open_screen(JoinForm(program)),
            ),
            Entry(
                "w",
                text("tui.menu.watch"),
                text("tui.menu.watch_explained"),
                lambda: program.open_screen(WatchForm(program)),
            ),
            Entry(
                "s",
                text("tui.menu.solo"),
                text("tui.menu.solo_explained"),
                lambda: program.open_screen(SoloForm(program)),
            ),
            Entry(
                "r",
                text("tui.menu.results"),
                text("tui.menu.results_explained"),
                program.show_past_races,
            ),
            Entry(
                "p",
                text("tui.menu.picture"),
                text("tui.menu.picture_explained"),
                lambda: program.open_screen(PictureForm(program)),
            ),
            Entry(
                "e",
                text("tui.menu.settings"),
                text("tui.menu.settings_explained"),
                program.edit_settings,
            ),
            Entry("q", text("tui.menu.quit"), "", program.quit),
        ]

    def _return_entry(self) -> list[Entry]:
        waiting = self.program.entrance.waiting
        if waiting is None:
            return []
        code, others = format_code(waiting.code), waiting.others
        explained = text("tui.menu.return_explained", code=code, count=others)
        label = text("tui.menu.return")
        return [Entry("b", label, explained, self.program.entrance.go_back)]

    def ask_to_return(self, room: WaitingRoom, enter: Callable[[str], object]) -> None:
        """Ask whether the host goes back to an old room.

        Args:
            room: the old one.
            enter: called with its code, or an empty one for a new room.
        """
        code = format_code(room.code)
        question = text("tui.room.go_back", code=code, count=room.others)
        old = Action("y", text("tui.key.go_back"), lambda: enter(room.code))
        new = Action("o", text("tui.key.new_room"), lambda: enter(""))
        self.ask(question, old, new, no=text("tui.key.cancel"))

    def body(self) -> Iterable[Widget]:  # noqa: D102
        with Horizontal(id="columns"):
            yield self._list
            yield self._emblem

    def head(self) -> str:  # noqa: D102
        wide = self.size.width >= WIDE
        return text("tui.menu.head") if wide else text("tui.menu.head_short")

    def update(self) -> None:  # noqa: D102
        super().update()
        spaced = self._spaced
        rows: list[Row] = []
        for index, entry in enumerate(self.entries()):
            rows.append(self._row(entry, chosen=index == self._chosen))
            rows += [text_row("")] if spaced else []
        self._list.show(rows)
        self._show_emblem()

    @property
    def _spaced(self) -> bool:
        """Whether there is an empty row between the entries."""
        return self.body_height() > 2 * len(self.entries())

    def _row(self, entry: Entry, *, chosen: bool) -> Row:
        look = self.look
        key_paint = Paint(look.accent, look.raised, bold=True, reverse=look.mono)
        return (
            Run("▸ " if chosen else "  ", Paint(look.accent, bold=True)),
            Run(f" {entry.key} ", key_paint),
            Run(fitted(f" {entry.label}", 11), Paint(look.ink, bold=chosen)),
            Run(entry.explanation, Paint(look.soft)),
        )

    def _show_emblem(self) -> None:
        canvas = self._emblem
        columns, rows = self.size.width - ENTRIES_W - 1, self.size.height - 4
        grid = Grid.fit(4, 4, columns, rows) if columns > 0 else None
        if grid is None:
            canvas.show_message([text_row("")])
            return
        x, y = (columns - grid.columns) // 2, (rows - grid.rows) // 2
        canvas.show([Placed(EMBLEM, grid, x, y)], self.look)

    def actions(self) -> list[Action]:  # noqa: D102
        help_ = text("tui.key.help")
        return [
            Action("enter", text("tui.key.choose"), self._run_chosen, ("space",)),
            Action("?", help_, lambda: self.program.show_help("menu")),
        ]

    def _run_chosen(self) -> None:
        self.entries()[self._chosen].run()

    def other_key(self, key: str) -> bool:  # noqa: D102
        entries = self.entries()
        if self.asks:
            return False
        for entry in entries:
            if key == entry.key:
                entry.run()
                return True
        step = {"up": -1, "down": 1}.get(key, 0)
        self._chosen = (self._chosen + step) % len(entries)
        self.update()
        return bool(step)

    def _click(self, y: int, _x: int) -> None:
        index = y // 2 if self._spaced else y
        if index < len(self.entries()):
            self.entries()[index].run()
