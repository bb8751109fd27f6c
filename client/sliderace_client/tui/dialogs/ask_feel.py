"""The question that comes before the first race against people of one's speed."""

from collections.abc import Callable

from sliderace.solve import FEELS, Feel
from sliderace.texts import text
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.rows import fitted, text_row

__all__ = ["FeelDialog"]

ANSWERS = tuple(FEELS)
ANSWER_W = 30


class FeelDialog(Dialog):
    """How fast are you? One key answers.

    Args:
        look: colours.
        answer: called with the answer.
    """

    def __init__(self, look: Look, answer: Callable[[Feel], object]) -> None:
        super().__init__(look)
        self._answer = answer
        self._chosen = 0

    def rows(self) -> list[Row]:  # noqa: D102
        title = text_row(text("feel.question"), self.look.ink, bold=True)
        return [title, text_row(""), *map(self._row, range(len(ANSWERS)))]

    def _row(self, index: int) -> Row:
        look, chosen = self.look, index == self._chosen
        words = fitted(text(f"feel.{ANSWERS[index]}"), ANSWER_W)
        return (
            Run("▸ " if chosen else "  ", Paint(look.accent, bold=True)),
            Run(f"{index + 1}  ", Paint(look.accent, bold=True)),
            Run(words, Paint(look.ink, bold=chosen)),
        )

    def actions(self) -> list[Action]:  # noqa: D102
        return [
            Action("↑↓", text("tui.key.choose"), lambda: self._move(1), ("down",)),
            Action("enter", text("tui.key.race"), lambda: self._take(self._chosen)),
            Action("esc", text("tui.key.cancel"), self.close, ("escape", "q")),
        ]

    def press(self, key: str) -> None:  # noqa: D102
        if key == "up":
            self._move(-1)
        elif key in map(str, range(1, len(ANSWERS) + 1)):
            self._take(int(key) - 1)
        else:
            super().press(key)

    def on_row_click(self, y: int, x: int) -> None:  # noqa: ARG002, D102
        if 0 <= y - 2 < len(ANSWERS):
            self._take(y - 2)

    def _move(self, step: int) -> None:
        self._chosen = (self._chosen + step) % len(ANSWERS)
        self.update()

    def _take(self, index: int) -> None:
        self.close()
        self._answer(ANSWERS[index])
