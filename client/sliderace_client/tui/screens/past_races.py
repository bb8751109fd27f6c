"""Past races, as the server stored them."""

from collections.abc import Iterable

from textual.widget import Widget

from sliderace_client.shared_ui.render import Row
from sliderace_client.tui.actions import Action
from sliderace_client.tui.rows import fitted, line
from sliderace_client.tui.screens.screen import Page
from sliderace_client.tui.widgets import Lines

__all__ = ["PastRaces"]


class PastRaces(Page):
    """A list; the latest race comes first."""

    DEFAULT_CSS = "PastRaces #past { height: 1fr; margin: 1 1 0 1; }"

    def __init__(self) -> None:
        super().__init__()
        self._list = Lines(id="past")
        self._lines = ["Asking the server ..."]
        self._top = 0

    def tell(self, lines: list[str]) -> None:
        """Show these lines; the first is a heading where there are more."""
        self._lines = lines
        self.renew()

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._list

    def head(self) -> str:  # noqa: D102
        return "past races"

    def update(self) -> None:  # noqa: D102
        super().update()
        look, width = self.look, max(1, self.size.width - 2)
        first, *others = self._lines
        heading = line(fitted(first, width), look.soft if others else look.ink)
        rows: list[Row] = [
            line(fitted(text, width), look.ink) for text in others[self._top :]
        ]
        self._list.show([heading, *rows])

    def actions(self) -> list[Action]:  # noqa: D102
        back = Action("esc", "back", self.terminal.back, ("escape", "q"))
        if not self._last:
            return [back]
        return [
            Action("↓", "older", lambda: self._scroll(1), ("down", "pagedown"), True),
            Action("↑", "newer", lambda: self._scroll(-1), ("up", "pageup"), True),
            back,
        ]

    @property
    def _page(self) -> int:
        """Races that are seen at once."""
        return max(1, self.room_for_table() - 2)

    @property
    def _last(self) -> int:
        """The first race of the last page; 0 where one page is all."""
        return max(0, len(self._lines) - 1 - self._page)

    def _scroll(self, step: int) -> None:
        self._top = max(0, min(self._top + step * self._page, self._last))
        self.update()
