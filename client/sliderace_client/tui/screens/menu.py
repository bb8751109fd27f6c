"""The menu, and the few questions it asks."""

from collections.abc import Callable, Iterable
from textwrap import wrap
from typing import NamedTuple

from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input

from sliderace.engine import EngineError, Size
from sliderace.protocol.names import clean_name
from sliderace_client.launch import Start
from sliderace_client.shared_ui.pictures import BUILT_IN
from sliderace_client.shared_ui.render import Grid, Paint, Row, Run
from sliderace_client.tui.actions import ROOMY, Action
from sliderace_client.tui.layout import Placed
from sliderace_client.tui.rows import fitted, line
from sliderace_client.tui.screens.screen import Page
from sliderace_client.tui.widgets import Boards, Lines

__all__ = ["Form", "Menu"]

EMBLEM = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 15)
"""One slide before the end."""


PREVIEW_H = 8
"""Rows from which on a picture can be told from another."""
ENTRIES_W = 46
"""Columns of the menu's lines; the emblem has the rest."""


class Entry(NamedTuple):
    """One line of the menu."""

    key: str
    label: str
    text: str
    run: Callable[[], object]


class Menu(Page):
    """What one may want to do."""

    DEFAULT_CSS = """
    Menu #hall { height: 1fr; }
    Menu #entries { width: 44; margin: 1 0 0 2; }
    Menu #emblem { width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._chosen = 0
        self._list = Lines(id="entries", on_pick=self._click)
        self._emblem = Boards(id="emblem")

    def entries(self) -> list[Entry]:
        """The lines of the menu."""
        ask = self.terminal.push_screen
        return [
            Entry("h", "Host", "open a room", lambda: ask(HostForm())),
            Entry("j", "Join", "enter a room", lambda: ask(JoinForm())),
            Entry("w", "Watch", "see all boards live", lambda: ask(WatchForm())),
            Entry("s", "Solo", "play alone", lambda: ask(SoloForm())),
            Entry("r", "Results", "past races", self.terminal.past),
            Entry("p", "Picture", "instead of numbers", lambda: ask(PictureForm())),
            Entry("e", "Settings", "keys, colours", self.terminal.edit_settings),
            Entry("q", "Quit", "", self.terminal.exit),
        ]

    def body(self) -> Iterable[Widget]:  # noqa: D102
        with Horizontal(id="hall"):
            yield self._list
            yield self._emblem

    def head(self) -> str:  # noqa: D102
        same = "the same " if self.size.width >= ROOMY else ""
        return f"race friends on {same}sliding tiles"

    def update(self) -> None:  # noqa: D102
        super().update()
        roomy = self.size.height >= 20
        rows: list[Row] = []
        for index, entry in enumerate(self.entries()):
            rows.append(self._line(entry, chosen=index == self._chosen))
            rows += [line("")] if roomy else []
        self._list.show(rows)
        self._show_emblem()

    def _line(self, entry: Entry, *, chosen: bool) -> Row:
        look = self.look
        cap = Paint(look.accent, look.raised, bold=True, reverse=look.mono)
        return (
            Run("▸ " if chosen else "  ", Paint(look.accent, bold=True)),
            Run(f" {entry.key} ", cap),
            Run(fitted(f" {entry.label}", 11), Paint(look.ink, bold=chosen)),
            Run(entry.text, Paint(look.soft)),
        )

    def _show_emblem(self) -> None:
        canvas = self._emblem
        columns, rows = self.size.width - ENTRIES_W - 1, self.size.height - 4
        grid = Grid.fit(4, 4, columns, rows) if columns > 0 else None
        if grid is None:
            canvas.announce([line("")])
            return
        x, y = (columns - grid.columns) // 2, (rows - grid.rows) // 2
        canvas.show([Placed(EMBLEM, grid, x, y)], self.look)

    def actions(self) -> list[Action]:  # noqa: D102
        return [
            Action("enter", "choose", self._go, ("space",)),
            Action("?", "help", lambda: self.terminal.help("menu")),
        ]

    def _go(self) -> None:
        self.entries()[self._chosen].run()

    def other_key(self, key: str) -> bool:  # noqa: D102
        entries = self.entries()
        for entry in entries:
            if key == entry.key:
                entry.run()
                return True
        step = {"up": -1, "down": 1}.get(key, 0)
        self._chosen = (self._chosen + step) % len(entries)
        self.update()
        return bool(step)

    def _click(self, y: int, _x: int) -> None:
        index = y // 2 if self.size.height >= 20 else y
        if index < len(self.entries()):
            self.entries()[index].run()


class Form(Page):
    """A few fields; Enter goes on, Escape goes back."""

    DEFAULT_CSS = """
    Form #fields { height: 1fr; padding: 1 2; }
    Form Input {
        border: none; height: 1; width: 40; max-width: 100%; padding: 0 1;
        background: $surface; margin: 0 0 1 0;
    }
    Form Input:focus { border: none; background: $panel; }
    """

    HEADING = ""
    FIELDS: tuple[tuple[str, str, str], ...] = ()
    """Name, label and what stands there at first."""
    HINT = ""

    def __init__(self) -> None:
        super().__init__()
        self._heading = Lines()
        self._hint = Lines()
        self._labels = [Lines() for _ in self.FIELDS]
        self._inputs = {name: Input(value, id=name) for name, _, value in self.FIELDS}

    def body(self) -> Iterable[Widget]:  # noqa: D102
        with Vertical(id="fields"):
            yield self._heading
            for label, field in zip(self._labels, self._inputs.values(), strict=True):
                yield label
                yield field
            yield self._hint
            yield from self.more()

    def more(self) -> Iterable[Widget]:
        """What stands below the fields."""
        return ()

    def on_mount(self) -> None:
        """Textual calls the base class's handler too."""
        if "name" in self._inputs:
            self._inputs["name"].value = self.terminal.nickname
        next(iter(self._inputs.values())).focus()

    def on_input_changed(self) -> None:
        """Whoever types holds no key down: Enter counts again at once."""
        self._repeats.forget()

    def update(self) -> None:  # noqa: D102
        super().update()
        look = self.look
        self._heading.show([line(self.HEADING, look.accent, bold=True), line("")])
        width = max(1, self.size.width - 4)
        for label, (_, text, _) in zip(self._labels, self.FIELDS, strict=True):
            label.show([line(part, look.soft) for part in wrap(text, width)])
        self._hint.show([line(part, look.soft) for part in wrap(self.HINT, width)])

    def actions(self) -> list[Action]:  # noqa: D102
        return [
            Action("enter", "go on", self.done),
            Action("esc", "back", self.terminal.pop_screen, ("escape",)),
        ]

    def other_key(self, key: str) -> bool:  # noqa: D102
        if key in ("up", "down"):
            (self.focus_next if key == "down" else self.focus_previous)(Input)
        return key in ("up", "down")

    def on_input_submitted(self) -> None:  # noqa: D102
        self.done()

    def value(self, name: str) -> str:
        """What stands in a field."""
        return self._inputs[name].value.strip()

    def name_given(self) -> str | None:
        """The nickname, cleaned and kept; None (and said) where it will not do."""
        name = clean_name(self.value("name")[:64])
        if name is None:
            self.terminal.say("That nickname cannot be shown.", "bad")
        else:
            self.terminal.remember_name(name)
        return name

    def size_given(self) -> str | None:
        """The size; None (and said) where it is none."""
        try:
            return str(Size.parse(self.value("size")))
        except EngineError as error:
            self.terminal.say(str(error), "bad")
            return None

    def done(self) -> None:
        """Take what was typed."""


class HostForm(Form):
    """Open a room."""

    HEADING = "Open a room"
    FIELDS = (("name", "Your nickname", ""), ("size", "Board, 2x2 ... 10x10", "4x4"))

    def done(self) -> None:
        name, size = self.name_given(), self.size_given()
        if name and size:
            self.terminal.host(name, size)


class JoinForm(Form):
    """Enter a room."""

    HEADING = "Join a room"
    FIELDS = (
        ("code", "Code, CODE@HOST:PORT or link", ""),
        ("name", "Your nickname", ""),
    )

    def done(self) -> None:
        name = self.name_given()
        if name and self.value("code"):
            self.terminal.join(self.value("code"), name, "player")


class WatchForm(JoinForm):
    """Watch a room."""

    HEADING = "Watch a room"

    def done(self) -> None:
        name = self.name_given()
        if name and self.value("code"):
            self.terminal.join(self.value("code"), name, "spectator")


class SoloForm(Form):
    """Play alone."""

    HEADING = "Play alone"
    FIELDS = (
        ("size", "Board, 2x2 ... 10x10", "4x4"),
        ("seed", "Seed (empty: a random one)", ""),
    )

    def done(self) -> None:
        size = self.size_given()
        if size:
            self.terminal.pop_screen()
            self.terminal.solo(Start("solo", size=size, seed=self.value("seed")))


class PictureForm(Form):
    """Choose a picture for the tiles."""

    HEADING = "A picture on the tiles"
    FIELDS = (("picture", f"none, {', '.join(BUILT_IN)}, or a file of yours", ""),)

    def __init__(self) -> None:
        super().__init__()
        self._preview = Boards(id="preview")

    def more(self) -> Iterable[Widget]:
        yield self._preview

    def on_mount(self) -> None:
        """Textual calls the base class's handler too."""
        self._inputs["picture"].value = self.terminal.settings.picture

    def on_input_changed(self) -> None:
        """Textual calls the base class's handler too."""
        self.renew()

    def update(self) -> None:
        super().update()
        columns, rows = self._preview.size
        picture = self.terminal.picture_of(self.value("picture"))
        grid = Grid.fit(4, 4, columns, rows) if picture and rows >= PREVIEW_H else None
        if grid is None:
            self._preview.announce([line("")])
            return
        tiles = (*range(1, 16), 0)
        look = self.look._replace(picture=picture)
        self._preview.show([Placed(tiles, grid, 0, (rows - grid.rows) // 2)], look)

    def done(self) -> None:
        self.terminal.show_picture(self.value("picture") or "none")
