"""Forms: a few text fields, for opening or finding a room, and for some settings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from textwrap import wrap
from typing import ClassVar, Literal, Protocol

from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input

from sliderace.protocol.codes import refusal_text
from sliderace.protocol.messages import RoleName
from sliderace.protocol.names import typed_fault, typed_name
from sliderace.texts import text
from sliderace_client.launch import Start
from sliderace_client.line_ui.answers import Refusal, size_of
from sliderace_client.line_ui.own_keys import Keys, keys_of
from sliderace_client.net.locate import NotFound, server_address
from sliderace_client.shared_ui.pictures import BUILT_IN, Picture
from sliderace_client.shared_ui.render import Grid
from sliderace_client.tui.actions import Action
from sliderace_client.tui.entrance import Entrance
from sliderace_client.tui.layout import Placed
from sliderace_client.tui.live_lobby import LiveLobby
from sliderace_client.tui.rows import text_row
from sliderace_client.tui.screens.screen import BaseScreen, Program
from sliderace_client.tui.theme import NO_PICTURE
from sliderace_client.tui.widgets import Boards, TextRows

__all__ = [
    "Form",
    "HostForm",
    "JoinForm",
    "KeysForm",
    "MenuProgram",
    "NameForm",
    "PictureForm",
    "ServerForm",
    "SoloForm",
    "WatchForm",
]

PREVIEW_ROWS = 8
"""With fewer rows, the pictures all look alike."""


class MenuProgram(Program, Protocol):
    """The part of the program that the menu and its forms use."""

    entrance: Entrance
    lobby: LiveLobby

    @property
    def nickname(self) -> str:
        """The user's nickname."""
        ...

    def remember_name(self, name: str) -> None:
        """Store a nickname for the next time."""
        ...

    def rename(self, name: str) -> None:
        """Change the nickname in the room where we are."""
        ...

    def race_now(self, size: str) -> None:
        """Race at once; ask for the nickname and the speed, each only once."""
        ...

    def enter_listed(self, code: str) -> None:
        """Enter a room of the list of live rooms."""
        ...

    def show_daily(self) -> None:
        """Show how the daily boards stand, and the way to them."""
        ...

    def play_ranked(self, size: str) -> None:
        """Play alone on the server in use, where the times count."""
        ...

    def play_solo(self, start: Start) -> None:
        """Play alone, without a server."""
        ...

    def choose_picture(self, name: str) -> None:
        """Show a picture on the tiles: a built-in one, a file, or none."""
        ...

    def picture(self, name: str) -> Picture | None:
        """Return a picture that is ready to be shown."""
        ...

    def show_profile(self) -> None:
        """Show our profile on the server in use."""
        ...

    def show_leaderboards(self, event: str = "") -> None:
        """Show the leaderboards of the server, those of an event first."""
        ...

    def show_past_races(self) -> None:
        """List past races."""
        ...

    def edit_settings(self) -> None:
        """Let the user change the settings."""
        ...

    def quit(self) -> None:
        """End the program."""
        ...


class Form(BaseScreen):
    """A few fields; Enter submits them, Escape goes back.

    Subclasses give the keys of the texts, the fields and `submit`.
    """

    DEFAULT_CSS = """
    Form #fields { height: 1fr; padding: 1 2; }
    Form Input {
        border: none; height: 1; width: 40; max-width: 100%; padding: 0 1;
        background: $surface; margin: 0 0 1 0;
    }
    Form Input:focus { border: none; background: $panel; }
    """

    HEADING: ClassVar[str]
    """Key of the heading."""
    FIELDS: ClassVar[Mapping[str, str]]
    """For each field, by its id, the key of its label."""
    HINT: ClassVar[str] = ""
    """Key of the text below the fields; empty: none."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._heading = TextRows()
        self._hint = TextRows()
        self._labels = {name: TextRows() for name in self.FIELDS}
        self._inputs = {name: Input(id=name) for name in self.FIELDS}

    def initial_values(self) -> Mapping[str, str]:
        """Return what the fields contain at first; a missing one is empty."""
        return {}

    def label(self, name: str) -> str:
        """Return the label of a field."""
        return text(self.FIELDS[name])

    def hint(self) -> str:
        """Return the text below the fields; empty: none."""
        return text(self.HINT) if self.HINT else ""

    def below(self) -> Iterable[Widget]:
        """Return the widgets below the fields."""
        return ()

    def submit(self) -> None:
        """Use what the fields contain."""

    def body(self) -> Iterable[Widget]:  # noqa: D102
        with Vertical(id="fields"):
            yield self._heading
            for name, field in self._inputs.items():
                yield self._labels[name]
                yield field
            yield self._hint
            yield from self.below()

    def on_mount(self) -> None:
        """Fill in the fields. The library calls the base class's handler too."""
        for name, value in self.initial_values().items():
            self._inputs[name].value = value
        next(iter(self._inputs.values())).focus()

    def on_input_changed(self) -> None:
        """Note that the user types, so that the next Enter is not a repeat."""
        self.program.held_key.reset()

    def update(self) -> None:  # noqa: D102
        super().update()
        look, width = self.look, max(1, self.size.width - 4)
        heading = text_row(text(self.HEADING), look.accent, bold=True)
        self._heading.show([heading, text_row("")])
        for name, rows in self._labels.items():
            label = wrap(self.label(name), width)
            rows.show([text_row(part, look.soft) for part in label])
        hint = wrap(self.hint(), width)
        self._hint.show([text_row(part, look.soft) for part in hint])

    def actions(self) -> list[Action]:  # noqa: D102
        return [
            Action("enter", text("tui.key.submit"), self.submit),
            Action("esc", text("tui.key.back"), self.close, ("escape",)),
        ]

    def close(self) -> None:
        """Close the form."""
        self.program.close_screen(self)

    def other_key(self, key: str) -> bool:  # noqa: D102
        if key in ("up", "down"):
            (self.focus_next if key == "down" else self.focus_previous)(Input)
        return key in ("up", "down")

    def on_input_submitted(self) -> None:  # noqa: D102
        self.submit()

    def value(self, name: str) -> str:
        """Return what a field contains, without surrounding blanks."""
        return self._inputs[name].value.strip()

    def size_value(self) -> str | None:
        """Return the board size; None, and a message, if it is not valid."""
        size = size_of(self.value("size"))
        if isinstance(size, Refusal):
            self.program.say(size.text, "bad")
            return None
        return str(size)


class _MenuForm(Form):
    """A form that leads out of the menu."""

    def __init__(self, program: MenuProgram) -> None:
        super().__init__(program)
        self._menu_program = program

    @property
    def program(self) -> MenuProgram:
        return self._menu_program

    def name_value(self) -> str | None:
        """Store and return the nickname; None, and a message, if it is not valid."""
        typed = self.value("name")
        if fault := typed_fault(typed):
            self.program.say(refusal_text(fault), "bad")
            return None
        name = typed_name(typed)
        self.program.remember_name(name)
        return name


class HostForm(_MenuForm):
    """Open a room."""

    HEADING = "tui.form.host"
    FIELDS: ClassVar = {"name": "tui.form.name", "size": "tui.form.size"}

    def initial_values(self) -> Mapping[str, str]:  # noqa: D102
        return {"name": self.program.nickname, "size": "4x4"}

    def submit(self) -> None:  # noqa: D102
        name, size = self.name_value(), self.size_value()
        if name and size:
            self.program.entrance.host(name, size)


class JoinForm(_MenuForm):
    """Enter a room as a player."""

    HEADING = "tui.form.join"
    FIELDS: ClassVar = {"code": "tui.form.code", "name": "tui.form.name"}
    ROLE: ClassVar[RoleName] = "player"

    def initial_values(self) -> Mapping[str, str]:  # noqa: D102
        return {"name": self.program.nickname}

    def submit(self) -> None:  # noqa: D102
        name = self.name_value()
        if name and self.value("code"):
            self.program.entrance.join(self.value("code"), name, self.ROLE)


class WatchForm(JoinForm):
    """Enter a room as a spectator."""

    HEADING = "tui.form.watch"
    ROLE: ClassVar[RoleName] = "spectator"


class NameForm(_MenuForm):
    """Change the nickname.

    Args:
        program: shows this screen.
        then: called once there is a nickname.
    """

    HEADING = "tui.form.name"
    FIELDS: ClassVar = {"name": "tui.form.new_name"}

    def __init__(
        self, program: MenuProgram, then: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__(program)
        self._then = then

    def initial_values(self) -> Mapping[str, str]:  # noqa: D102
        return {"name": self.program.nickname}

    def submit(self) -> None:  # noqa: D102
        name = self.name_value()
        if name:
            self.close()
            self.program.rename(name)
            self._then()


class SoloForm(_MenuForm):
    """Play alone: on the server in use if it offers that, else without one."""

    HEADING = "tui.form.solo"
    FIELDS: ClassVar = {"size": "tui.form.size", "seed": "tui.form.seed"}

    def initial_values(self) -> Mapping[str, str]:  # noqa: D102
        return {"size": self.program.settings.size}

    @property
    def _counts(self) -> bool:
        """Whether the times will count."""
        return "solo" in self.program.lobby.features and not self.value("seed")

    def hint(self) -> str:  # noqa: D102
        if not self._counts:
            return text("tui.form.solo_practice")
        return text("tui.form.solo_ranked", server=self.program.lobby.server)

    def on_input_changed(self) -> None:
        """Update the hint. The library calls the base class's handler too."""
        self.refresh_content()

    def submit(self) -> None:  # noqa: D102
        size = self.size_value()
        if size and self._counts:
            self.program.play_ranked(size)
        elif size:
            self.close()
            self.program.play_solo(Start("solo", size=size, seed=self.value("seed")))


class PictureForm(_MenuForm):
    """Choose a picture for the tiles."""

    HEADING = "tui.form.picture"
    FIELDS: ClassVar = {"picture": "tui.form.picture_name"}

    def __init__(self, program: MenuProgram) -> None:
        super().__init__(program)
        self._preview = Boards(id="preview")

    def initial_values(self) -> Mapping[str, str]:  # noqa: D102
        return {"picture": self.program.settings.picture}

    def label(self, name: str) -> str:  # noqa: D102
        return text(self.FIELDS[name], names=", ".join([NO_PICTURE, *BUILT_IN]))

    def below(self) -> Iterable[Widget]:  # noqa: D102
        yield self._preview

    def on_input_changed(self) -> None:
        """Update the preview. The library calls the base class's handler too."""
        self.refresh_content()

    def update(self) -> None:  # noqa: D102
        super().update()
        columns, rows = self._preview.size
        picture = self.program.picture(self.value("picture"))
        visible = picture is not None and rows >= PREVIEW_ROWS
        grid = Grid.fit(4, 4, columns, rows) if visible else None
        if grid is None:
            self._preview.show_message([text_row("")])
            return
        tiles = (*range(1, 16), 0)
        look = self.look._replace(picture=picture)
        self._preview.show([Placed(tiles, grid, 0, (rows - grid.rows) // 2)], look)

    def submit(self) -> None:  # noqa: D102
        self.program.choose_picture(self.value("picture") or NO_PICTURE)


class KeysForm(Form):
    """Choose the four keys that slide tiles, or a preset."""

    HEADING = "tui.form.keys"
    FIELDS: ClassVar = {"keys": "tui.form.four_keys", "move": "tui.form.keys_move"}
    HINT = "tui.form.keys_hint"

    def initial_values(self) -> Mapping[str, str]:  # noqa: D102
        settings = self.program.settings
        return {"keys": settings.own_keys, "move": settings.keys}

    def submit(self) -> None:  # noqa: D102
        settings = self.program.settings
        chars = "" if settings.own_keys == "arrows" else settings.own_keys
        keys: Keys | Refusal = Keys(chars, settings.keys == "gap")
        if self.value("move") not in ("tile", "gap"):
            self.program.say(text("tui.form.bad_keys_move"), "bad")
            return
        for name in ("move", "keys"):  # not stripped: a blank key has its own message
            if isinstance(keys, Keys):
                keys = keys_of(self._inputs[name].value, keys)
        if isinstance(keys, Refusal):
            self.program.say(keys.text, "bad")
            return
        moved: Literal["tile", "gap"] = "gap" if keys.gap else "tile"
        own_keys = keys.chars or "arrows"
        self.program.use_settings(replace(settings, own_keys=own_keys, keys=moved))
        self.close()
        self.program.say(keys.sentence())


class ServerForm(Form):
    """Choose the server where a code without an address is looked for first."""

    HEADING = "tui.form.server"
    FIELDS: ClassVar = {"server": "tui.form.server_address"}
    HINT = "tui.form.server_hint"

    def initial_values(self) -> Mapping[str, str]:  # noqa: D102
        return {"server": self.program.settings.server}

    def submit(self) -> None:  # noqa: D102
        typed = self.value("server")
        try:
            server = server_address(typed) if typed else ""
        except NotFound:
            self.program.say(text("error.bad_address", typed=typed), "bad")
            return
        self.program.use_settings(replace(self.program.settings, server=server))
        self.close()
        if server:
            self.program.say(text("tui.form.server_used", server=server))
        else:
            self.program.say(text("tui.form.server_none"))
