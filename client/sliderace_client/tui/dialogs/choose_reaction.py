"""The dialog of reactions: one key sends one."""

from collections.abc import Callable

from sliderace.protocol.limits import REACTION_SIGNS, REACTIONS
from sliderace.protocol.messages import React
from sliderace.texts import text
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.shared_ui.wording import reaction_words
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.rows import fitted, text_row

__all__ = ["ReactionsDialog"]

KEYS = "12345678abcdefgh"
"""The key of each reaction: digits for symbols, letters for phrases."""
COLUMN_W = 18


class ReactionsDialog(Dialog):
    """Send a reaction, or hide those of everybody.

    Args:
        look: colours.
        send: sends a command.
        shown: whether the reactions of others are shown now.
        show: shows them from now on, or hides them.
    """

    def __init__(
        self,
        look: Look,
        send: Callable[[React], object],
        show: Callable[[bool], object],
        *,
        shown: bool,
    ) -> None:
        super().__init__(look)
        self._send_command, self._show, self._are_shown = send, show, shown

    def rows(self) -> list[Row]:  # noqa: D102
        title = text_row(text("tui.reactions.title"), self.look.ink, bold=True)
        return [title, *map(self._row, range(1, REACTION_SIGNS + 1))]

    def _row(self, number: int) -> Row:
        runs: list[Run] = []
        for one in (number, number + REACTION_SIGNS):
            runs.append(Run(f" {KEYS[one - 1]}  ", Paint(self.look.accent, bold=True)))
            words = reaction_words(one)
            if one <= REACTION_SIGNS:
                words = f"{words} {text(f'reaction.{one}')}"
            words = fitted(words, COLUMN_W)
            runs.append(Run(words, Paint(self.look.ink)))
        return tuple(runs)

    def actions(self) -> list[Action]:  # noqa: D102
        label = text("tui.key.hide_all" if self._are_shown else "tui.key.show_all")
        close = text("tui.key.close")
        return [
            Action("o", label, self._toggle),
            Action("esc", close, self.close, ("escape", "enter", "q", "z")),
        ]

    def _toggle(self) -> None:
        self._show(not self._are_shown)
        self.close()

    def press(self, key: str) -> None:  # noqa: D102
        if key in KEYS:
            self._send(KEYS.index(key) + 1)
        else:
            super().press(key)

    def on_row_click(self, y: int, x: int) -> None:  # noqa: D102
        if 1 <= y <= REACTION_SIGNS:
            right = x >= COLUMN_W + len(" 1  ")
            self._send(min(REACTIONS, y + right * REACTION_SIGNS))

    def _send(self, number: int) -> None:
        self._send_command(React(number))
        self.close()
