"""The daily boards: how each stands, and the way to them."""

from collections.abc import Iterable
from textwrap import wrap
from typing import Protocol

from textual.widget import Widget

from sliderace.race.daily import EVENTS, DailyEvent
from sliderace.texts import text
from sliderace_client.daily_status import DailyStatus, state_text, title_text
from sliderace_client.shared_ui.render import Paint, Row, Run
from sliderace_client.tui.actions import Action
from sliderace_client.tui.rows import fitted, text_row
from sliderace_client.tui.screens.screen import BaseScreen, Program
from sliderace_client.tui.widgets import TextRows

__all__ = ["DailyProgram", "DailyScreen"]

EVENT_W = 6


class DailyProgram(Program, Protocol):
    """The part of the program that this screen uses."""

    @property
    def nickname(self) -> str:
        """The user's nickname."""
        ...

    def play_daily(self, event: DailyEvent, *, create: bool) -> None:
        """Race on a daily board; with `create`, create a profile first."""
        ...


class DailyScreen(BaseScreen):
    """The daily boards; one that is open or running can be raced on.

    Args:
        program: shows this screen.
    """

    DEFAULT_CSS = "DailyScreen #daily { height: 1fr; margin: 1 2 0 2; }"

    def __init__(self, program: DailyProgram) -> None:
        super().__init__(program)
        self._daily_program = program
        self._list = TextRows(id="daily", on_pick=self._click)
        self._status: DailyStatus | None = None
        self._why = text("tui.room.finding_daily")
        self._chosen = self._first_row = 0

    def show_status(self, status: DailyStatus) -> None:
        """Show how the daily boards stand."""
        self._status = status
        begun = [status.state(event) != "open" for event in EVENTS]
        self._chosen = begun.index(False) if not all(begun) else 0
        self.refresh_content()

    def fail(self, why: str) -> None:
        """Say why nothing is known."""
        self._why = why
        self.refresh_content()

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._list

    def head(self) -> str:  # noqa: D102
        return "" if self._status is None else self._status.date

    def update(self) -> None:  # noqa: D102
        super().update()
        look, width, found = self.look, max(1, self.size.width - 4), self._status
        if found is None:
            self._list.show(
                [text_row(part, look.ink) for part in wrap(self._why, width)]
            )
            return
        title = wrap(title_text(found), width)
        rows = [text_row(part, look.ink, bold=True) for part in title]
        rows.append(text_row(""))
        self._first_row = len(rows)
        rows += [self._row(found, index) for index in range(len(EVENTS))]
        rows.append(text_row(""))
        if found.streak:
            streak = text("gains.streak", count=found.streak)
            rows.append(text_row(fitted(streak, width), look.good))
        rules = wrap(text("tui.help.daily_rules"), width)
        rows += [text_row(part, look.soft) for part in rules]
        self._list.show(rows)

    def _row(self, found: DailyStatus, index: int) -> Row:
        look, event, chosen = self.look, EVENTS[index], index == self._chosen
        done = found.state(event) == "done"
        return (
            Run("▸ " if chosen else "  ", Paint(look.accent, bold=True)),
            Run(fitted(event, EVENT_W), Paint(look.ink, bold=chosen)),
            Run(state_text(found, event), Paint(look.good if done else look.soft)),
        )

    def actions(self) -> list[Action]:  # noqa: D102
        back = Action("esc", text("tui.key.back"), self._close, ("escape", "q"))
        if self._status is None:
            return [back]
        actions = [
            Action("↑", text("tui.key.previous"), lambda: self._move(-1), ("up",)),
            Action("↓", text("tui.key.next"), lambda: self._move(1), ("down",)),
        ]
        if self._status.state(EVENTS[self._chosen]) != "done":
            race = text("tui.key.race")
            actions.append(Action("enter", race, self._race, ("space",), once=True))
        return [*actions, back]

    def _close(self) -> None:
        self.program.close_screen(self)

    def _move(self, step: int) -> None:
        self._chosen = (self._chosen + step) % len(EVENTS)
        self.update()

    def _race(self) -> None:
        event, program = EVENTS[self._chosen], self._daily_program
        if self._status is None or self._status.has_profile:
            program.play_daily(event, create=False)
            return
        yes = Action(
            "y",
            text("tui.key.create"),
            lambda: program.play_daily(event, create=True),
        )
        question = text("tui.daily.create_question", name=program.nickname)
        self.ask(question, yes, no=text("tui.key.no"))

    def _click(self, y: int, _x: int) -> None:
        index = y - self._first_row
        if self._status is not None and 0 <= index < len(EVENTS):
            again, self._chosen = index == self._chosen, index
            self._race() if again else self.update()
