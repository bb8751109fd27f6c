"""Past races, as the server has stored them."""

from collections.abc import Iterable
from textwrap import wrap

from textual.widget import Widget

from sliderace.texts import text
from sliderace_client.shared_ui.render import Row
from sliderace_client.tui.actions import Action
from sliderace_client.tui.rows import fitted, text_row
from sliderace_client.tui.screens.screen import BaseScreen, Program
from sliderace_client.tui.widgets import TextRows

__all__ = ["PastRacesScreen"]


class PastRacesScreen(BaseScreen):
    """A list of races, the latest first, page by page.

    Args:
        program: shows this screen.
    """

    DEFAULT_CSS = "PastRacesScreen #past { height: 1fr; margin: 1 1 0 1; }"

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._list = TextRows(id="past")
        self._lines = [text("tui.past.loading")]
        self._top = 0

    def show_lines(self, lines: list[str]) -> None:
        """Show these lines; the first is a heading if there are more."""
        self._lines = lines
        self.refresh_content()

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._list

    def head(self) -> str:  # noqa: D102
        return text("tui.past.head")

    def update(self) -> None:  # noqa: D102
        super().update()
        look, width = self.look, max(1, self.size.width - 2)
        first, *others = self._lines
        if not others:  # a sentence, perhaps a long one
            self._list.show([text_row(part, look.ink) for part in wrap(first, width)])
            return
        heading = text_row(fitted(first, width), look.soft)
        rows: list[Row] = [
            text_row(fitted(line, width), look.ink) for line in others[self._top :]
        ]
        self._list.show([heading, *rows])

    def actions(self) -> list[Action]:  # noqa: D102
        older, newer = text("tui.key.older"), text("tui.key.newer")
        back = Action("esc", text("tui.key.back"), self.program.back, ("escape", "q"))
        if not self._last_top:
            return [back]
        return [
            Action("↓", older, lambda: self._scroll(1), ("down", "pagedown")),
            Action("↑", newer, lambda: self._scroll(-1), ("up", "pageup")),
            back,
        ]

    @property
    def _page(self) -> int:
        """How many races fit."""
        return max(1, self.body_height() - 2)

    @property
    def _last_top(self) -> int:
        """The first race of the last page; 0: all races fit."""
        return max(0, len(self._lines) - 1 - self._page)

    def _scroll(self, pages: int) -> None:
        self._top = max(0, min(self._top + pages * self._page, self._last_top))
        self.update()
