"""The menu, with the live rooms of the server in use beside it."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from sliderace.protocol.room_code import format_code
from sliderace.texts import text
from sliderace_client.local_server import WaitingRoom
from sliderace_client.room.live_rooms import LiveRoom
from sliderace_client.shared_ui.render import Grid, Paint, Row, Run
from sliderace_client.shared_ui.settings import SQUARES
from sliderace_client.shared_ui.wording import live_people, live_phase
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
from sliderace_client.tui.screens.lobby import visible_part
from sliderace_client.tui.screens.screen import BaseScreen
from sliderace_client.tui.widgets import Boards, TextRows

__all__ = ["MenuScreen"]

EMBLEM = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 15)
"""One slide before it is solved."""
EMBLEM_ROWS = 8
"""With fewer rows nobody would recognise it below the rooms."""
ENTRIES_W = 42
"""Columns of the entries; the live rooms and the emblem have the others."""
ROOMS_W = 34
"""Columns that the live rooms need."""
MAX_ROOMS = 9
"""One digit enters each."""


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
    MenuScreen #entries { width: 40; margin: 1 0 0 2; }
    MenuScreen #side { width: 1fr; height: 1fr; margin: 1 0 0 0; }
    MenuScreen #live { height: auto; }
    MenuScreen #emblem { width: 1fr; height: 1fr; }
    """

    def __init__(self, program: MenuProgram) -> None:
        super().__init__(program)
        self._menu_program = program
        self._chosen = self._top = 0
        self._list = TextRows(id="entries", on_pick=self._click)
        self._live = TextRows(id="live", on_pick=self._click_room)
        self._emblem = Boards(id="emblem")

    @property
    def program(self) -> MenuProgram:  # noqa: D102
        return self._menu_program

    def entries(self) -> list[Entry]:
        """Return the entries of the menu."""
        program = self.program
        size = program.settings.size
        return [
            Entry(
                "r",
                text("tui.menu.race"),
                text("tui.menu.race_explained", size=size),
                lambda: program.race_now(size),
            ),
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
                "d",
                text("tui.menu.daily"),
                text("tui.menu.daily_explained"),
                program.show_daily,
            ),
            Entry(
                "s",
                text("tui.menu.solo"),
                text("tui.menu.solo_explained"),
                lambda: program.open_screen(SoloForm(program)),
            ),
            Entry(
                "m",
                text("tui.menu.me"),
                text("tui.menu.me_explained"),
                program.show_profile,
            ),
            Entry(
                "l",
                text("tui.menu.boards"),
                text("tui.menu.boards_explained"),
                program.show_leaderboards,
            ),
            Entry(
                "p",
                text("tui.menu.results"),
                text("tui.menu.results_explained"),
                program.show_past_races,
            ),
            Entry(
                "i",
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
            with Vertical(id="side"):
                yield self._live
                yield self._emblem

    # --- Display ----------------------------------------------------------------------

    def head(self) -> str:  # noqa: D102
        rooms = self._rooms()
        if rooms and not self._shows_rooms:
            row = rooms[0].row
            people = live_people(row)
            return text("tui.menu.live_head", size=row.event, people=people)
        wide = self.size.width >= WIDE
        return text("tui.menu.head") if wide else text("tui.menu.head_short")

    def update(self) -> None:  # noqa: D102
        super().update()
        entries, spaced = self.entries(), self._spaced
        self._chosen = min(self._chosen, len(entries) - 1)
        free = max(1, self.body_height() - 1)
        fit = len(entries) if spaced else free
        shown = visible_part(len(entries), fit, self._chosen, self._top)
        self._top, visible = shown
        rows: list[Row] = []
        for index in range(self._top, self._top + visible):
            rows.append(self._row(entries[index], chosen=index == self._chosen))
            rows += [text_row("")] if spaced else []
        if visible < len(entries):
            more = text("tui.menu.more", count=len(entries) - visible)
            rows.append(text_row(f"    {more}", self.look.soft))
        self._list.show(rows)
        live = self._live_rows() if self._shows_rooms else []
        self._live.show(live)
        self._live.refresh(layout=True)
        self._show_emblem(len(live))

    @property
    def _spaced(self) -> bool:
        """Whether there is an empty row between the entries."""
        return self.body_height() > 2 * len(self.entries())

    @property
    def _shows_rooms(self) -> bool:
        """Whether there is room for the live rooms."""
        return self.size.width - ENTRIES_W >= ROOMS_W

    def _row(self, entry: Entry, *, chosen: bool) -> Row:
        look = self.look
        key_paint = Paint(look.accent, look.raised, bold=True, reverse=look.mono)
        return (
            Run("▸ " if chosen else "  ", Paint(look.accent, bold=True)),
            Run(f" {entry.key} ", key_paint),
            Run(fitted(f" {entry.label}", 15), Paint(look.ink, bold=chosen)),
            Run(entry.explanation, Paint(look.soft)),
        )

    def _rooms(self) -> list[LiveRoom]:
        """Return the live rooms that a digit enters."""
        lobby = self.program.lobby
        return lobby.rooms.listed(self.program.settings.size)[:MAX_ROOMS]

    def _live_rows(self) -> list[Row]:
        look, width = self.look, self.size.width - ENTRIES_W - 1
        lobby, rooms = self.program.lobby, self._rooms()
        if "lobby" not in lobby.features or not lobby.rooms.known:
            return []
        rows = [text_row(fitted(text("tui.menu.live"), width), look.ink, bold=True)]
        if not rooms:
            nobody = fitted(text("tui.menu.nobody"), width)
            return [*rows, text_row(nobody, look.soft), text_row("")]
        fit = max(1, self.body_height() - 2)
        rows += [self._room_row(n, room, width) for n, room in enumerate(rooms[:fit])]
        return [*rows, text_row("")]

    def _room_row(self, index: int, room: LiveRoom, width: int) -> Row:
        look, row = self.look, room.row
        key_paint = Paint(look.accent, look.raised, bold=True, reverse=look.mono)
        age = max(0, self.program.now() - room.since)
        words = f" {format_code(row.code)} {row.event:<5} {live_people(row):<4} "
        return (
            Run(f" {index + 1} ", key_paint),
            Run(words, Paint(look.ink)),
            Run(fitted(live_phase(row, age), width - 3 - len(words)), Paint(look.soft)),
        )

    def _show_emblem(self, above: int) -> None:
        """Show the emblem, if there is room for it below some rows."""
        canvas = self._emblem
        columns, rows = self.size.width - ENTRIES_W - 1, self.size.height - 5 - above
        fits = columns > 0 and rows >= EMBLEM_ROWS
        grid = Grid.fit(4, 4, columns, rows) if fits else None
        if grid is None:
            canvas.show_message([text_row("")])
            return
        x, y = (columns - grid.columns) // 2, (rows - grid.rows) // 2
        canvas.show([Placed(EMBLEM, grid, x, y)], self.look)

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        help_ = text("tui.key.help")
        size, also = text("tui.key.size"), ("+", "=", "right")
        return [
            Action("enter", text("tui.key.choose"), self._run_chosen, ("space",)),
            Action("+-", size, lambda: self._change_size(1), also),
            *self._enter_action(),
            Action("?", help_, lambda: self.program.show_help("menu")),
        ]

    def _enter_action(self) -> list[Action]:
        """Return the action that enters the first live room."""
        rooms = self._rooms()
        if not rooms:
            return []
        code = rooms[0].row.code
        enter = text("tui.key.enter_room")
        return [Action("1", enter, lambda: self.program.enter_listed(code), once=True)]

    def _run_chosen(self) -> None:
        self.entries()[self._chosen].run()

    def _change_size(self, step: int) -> None:
        """Take a larger board for Race now, or a smaller one (step -1)."""
        settings = self.program.settings
        at = SQUARES.index(settings.size) + step
        if 0 <= at < len(SQUARES):
            self.program.use_settings(replace(settings, size=SQUARES[at]))
            self.update()

    def other_key(self, key: str) -> bool:  # noqa: D102
        entries, rooms = self.entries(), self._rooms()
        if self.asks:
            return False
        for entry in entries:
            if key == entry.key:
                entry.run()
                return True
        if key.isdecimal() and 0 < int(key) <= len(rooms):
            self.program.enter_listed(rooms[int(key) - 1].row.code)
            return True
        if key in ("minus", "-", "left"):
            self._change_size(-1)
            return True
        step = {"up": -1, "down": 1}.get(key, 0)
        self._chosen = (self._chosen + step) % len(entries)
        self.update()
        return bool(step)

    def _click(self, y: int, _x: int) -> None:
        index = self._top + (y // 2 if self._spaced else y)
        if index < len(self.entries()):
            self.entries()[index].run()

    def _click_room(self, y: int, _x: int) -> None:
        rooms = self._rooms()
        if 0 < y <= len(rooms):
            self.program.enter_listed(rooms[y - 1].row.code)
