"""Past races, as a server has stored them."""

from collections.abc import Callable, Iterable, Sequence
from textwrap import wrap
from typing import Protocol

from textual.widget import Widget

from sliderace.protocol.names import cells
from sliderace.texts import text
from sliderace_client.race_records import PastRaces
from sliderace_client.shared_ui.render import Paint, Row, Run
from sliderace_client.tui.actions import Action
from sliderace_client.tui.rows import fitted, text_row
from sliderace_client.tui.screens.screen import BaseScreen, Program
from sliderace_client.tui.widgets import TextRows

__all__ = ["PastRacesProgram", "PastRacesScreen"]


class PastRacesProgram(Program, Protocol):
    """The part of the program that this screen uses."""

    def watch_race(self, server: str, race: str, fail: Callable[[str], object]) -> None:
        """Replay a past race; call `fail` with a sentence if that is not possible."""
        ...


class PastRacesScreen(BaseScreen):
    """A list of races; the chosen one can be watched again.

    Args:
        program: shows this screen.
    """

    DEFAULT_CSS = "PastRacesScreen #past { height: 1fr; margin: 1 1 0 1; }"

    def __init__(self, program: PastRacesProgram) -> None:
        super().__init__(program)
        self._past_program = program
        self._list = TextRows(id="past", on_pick=self._click)
        self._past = PastRaces(why=text("tui.past.loading"))
        self._chosen = self._top = self._fault_rows = 0

    def show_races(self, past: PastRaces) -> None:
        """Show these races."""
        self._past = past
        self.refresh_content()

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._list

    def head(self) -> str:  # noqa: D102
        return text("tui.past.head")

    def update(self) -> None:  # noqa: D102
        super().update()
        look, width = self.look, max(1, self.size.width - 2)
        races, why = self._past.races, self._past.why
        if not races:
            self._list.show([text_row(part, look.ink) for part in wrap(why, width)])
            return
        fault = [text_row(part, look.bad) for part in wrap(why, width)]
        self._fault_rows = len(fault)
        self._top = max(self._chosen - self._page + 1, min(self._top, self._chosen))
        heading = [text(f"races.{column}") for column in ("when", "race", "size")]
        columns = list(zip(heading, *(race[:3] for race in races), strict=True))
        widths = [max(map(cells, column)) for column in columns]
        heading = [*heading, text("races.results")]
        rows: list[Row] = [text_row(_line(heading, widths, width), look.soft)]
        for n in range(self._top, min(self._top + self._page, len(races))):
            chosen = n == self._chosen
            paint = Paint(look.ink, look.raised if chosen else "", bold=chosen)
            mark = Run("▸ " if chosen else "  ", Paint(look.accent, paint.bg, True))
            rows.append((mark, Run(_line(races[n], widths, width)[2:], paint)))
        self._list.show([*fault, *rows])

    def actions(self) -> list[Action]:  # noqa: D102
        back = Action("esc", text("tui.key.back"), self.program.back, ("escape", "q"))
        if not self._past.races:
            return [back]
        watch = text("tui.key.watch_again")
        return [
            Action("↑", text("tui.key.newer"), lambda: self._move(-1), ("up",)),
            Action("↓", text("tui.key.older"), lambda: self._move(1), ("down",)),
            Action("enter", watch, self._watch, ("w",)),
            back,
        ]

    def other_key(self, key: str) -> bool:  # noqa: D102
        steps = {"pageup": -self._page, "pagedown": self._page}
        steps |= {"home": -len(self._past.races), "end": len(self._past.races)}
        if key in steps and self._past.races:
            self._move(steps[key])
        return key in steps

    @property
    def _page(self) -> int:
        """How many races fit."""
        return max(1, self.body_height() - 2 - self._fault_rows)

    def _move(self, step: int) -> None:
        self._chosen = max(0, min(self._chosen + step, len(self._past.races) - 1))
        self._past = self._past._replace(why="")
        self.update()

    def _watch(self) -> None:
        race = self._past.races[self._chosen].id
        self._past_program.watch_race(self._past.server, race, self._fail)

    def _fail(self, why: str) -> None:
        self.show_races(self._past._replace(why=why))

    def _click(self, y: int, _x: int) -> None:
        y -= self._fault_rows + 1  # the heading
        at = self._top + y
        if y >= 0 and at < len(self._past.races):
            again, self._chosen = at == self._chosen, at
            self._watch() if again else self.update()


def _line(contents: Sequence[str], widths: Sequence[int], width: int) -> str:
    *columns, last = contents
    parts = [fitted(part, w) for part, w in zip(columns, widths, strict=True)]
    return fitted("  " + "  ".join([*parts, last]), width)
