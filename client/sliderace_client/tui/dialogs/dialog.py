"""The base of every dialog: a framed window over a screen, with its keys."""

from collections.abc import Sequence
from textwrap import wrap

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Click, Key
from textual.screen import ModalScreen

from sliderace.texts import text
from sliderace_client.shared_ui.render import Look, Row
from sliderace_client.tui.actions import Action, Places, action_at, find, key_rows
from sliderace_client.tui.rows import text_row
from sliderace_client.tui.widgets import TextRows

__all__ = ["Dialog", "TextDialog"]


class Dialog(ModalScreen[None]):
    """A framed window; Escape, its own keys and a click beside it close it.

    If its rows do not all fit, two keys scroll through them. Subclasses override
    `rows` and `actions`.

    Args:
        look: colours.

    Attributes:
        shown: the actions whose keys are shown now.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical {
        width: auto; height: auto; max-width: 100%; max-height: 100%;
        background: $surface; border: round $accent; padding: 0 1;
    }
    Dialog TextRows { width: auto; background: $surface; }
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self.shown: list[Action] = []
        self._top = 0
        self._places: Places = []
        self._text = TextRows(id="text", on_pick=self._click_row)
        self._keys = TextRows(id="keys", on_pick=self._click_key)

    @property
    def space(self) -> tuple[int, int]:
        """Columns and rows inside the frame."""
        return max(1, self.size.width - 4), max(1, self.size.height - 2)

    def rows(self) -> list[Row]:
        """Return what the dialog shows."""
        return []

    def actions(self) -> list[Action]:
        """Return what can be done in it."""
        keys = ("escape", "enter", "q", "?", "c")
        return [Action("esc", text("tui.key.close"), self.close, keys)]

    def close(self) -> None:
        """Close the dialog, unless it is closed already."""
        if self._is_on_top():  # `dismiss` would close any screen on top
            self.dismiss(None)

    def _is_on_top(self) -> bool:
        return self.app.screen is self  # pyright: ignore[reportUnknownMemberType] - theirs

    def compose(self) -> ComposeResult:  # noqa: D102
        with Vertical():
            yield self._text
            yield self._keys

    def on_mount(self) -> None:  # noqa: D102
        self.update()

    def on_resize(self) -> None:  # noqa: D102
        self.update()

    def update(self) -> None:
        """Show the dialog as it is now."""
        (width, height), rows = self.space, self.rows()
        self.shown = self.actions()
        keys, self._places = key_rows(self.shown, self.look, width)
        visible = max(1, height - len(keys))
        if len(rows) > visible:
            more, back = text("tui.key.more"), text("tui.key.back")
            down = Action("↓", more, lambda: self._scroll(visible), ("down", " "))
            up = Action("↑", back, lambda: self._scroll(-visible), ("up",))
            # Measured with both keys, so that every page has the same height.
            keys, _ = key_rows([down, up, *self.shown], self.look, width)
            visible = max(1, height - len(keys))
            scroll = [down] if self._top + visible < len(rows) else []
            scroll += [up] if self._top else []
            self.shown = [*scroll, *self.shown]
            keys, self._places = key_rows(self.shown, self.look, width)
        else:
            self._top = 0
        self._text.show(rows[self._top : self._top + visible])
        self._keys.show(keys)
        for widget in (self._text, self._keys):  # their width follows their text
            widget.refresh(layout=True)

    def _scroll(self, rows: int) -> None:
        self._top = max(0, self._top + rows)
        self.update()

    def on_row_click(self, y: int, x: int) -> None:
        """Handle a click on a row of `rows`, at a column."""

    def _click_row(self, y: int, x: int) -> None:
        self.on_row_click(self._top + y, x)

    def action_at(self, y: int, x: int) -> Action | None:
        """Return the action at a row and a column of the keys; None: there is none."""
        return action_at(self.shown, self._places, y, x)

    def _click_key(self, y: int, x: int) -> None:
        action = self.action_at(y, x)
        if action is not None:
            action.run()

    def on_key(self, event: Key) -> None:
        """Handle a key. The library calls every base class's handler: do not override.

        Override `press` instead.
        """
        event.stop()
        if not self._is_on_top():  # it closed before this key reached it
            self.app.post_message(Key(event.key, event.character))  # pyright: ignore[reportUnknownMemberType] - theirs
            return
        printed = event.character if event.is_printable else None
        self.press(printed or event.key)

    def press(self, key: str) -> None:
        """Run the action of a key.

        Args:
            key: its character, or its name.
        """
        action = find(self.shown, key)
        if action is not None:
            action.run()

    def on_click(self, event: Click) -> None:  # noqa: D102
        if event.widget is self:
            self.close()


class TextDialog(Dialog):
    """Lines of text, folded to the width.

    Args:
        look: colours.
        lines: what to show.
    """

    def __init__(self, look: Look, lines: Sequence[str]) -> None:
        super().__init__(look)
        self._lines = lines

    def rows(self) -> list[Row]:  # noqa: D102
        width = self.space[0]
        return [
            text_row(part, self.look.ink)
            for line in self._lines
            for part in wrap(line, width, drop_whitespace=False) or [""]
        ]
