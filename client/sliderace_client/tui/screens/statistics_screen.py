"""The statistics of one event: charts, figures, and the list of attempts."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from textwrap import wrap
from typing import Protocol

from textual.widget import Widget

from sliderace.protocol.messages import HistoryRow
from sliderace.texts import text
from sliderace_client.shared_ui.profile_text import day_text, moment_text
from sliderace_client.shared_ui.render import Row
from sliderace_client.shared_ui.statistics import (
    calendar,
    figures,
    finished_times,
    histogram,
    summary,
    trend,
)
from sliderace_client.shared_ui.statistics_text import (
    attempt_cells,
    calendar_sentence,
    figure_cells,
    histogram_sentence,
    times_sentence,
)
from sliderace_client.tui.actions import Action
from sliderace_client.tui.lists import Cursor, chosen_row, fitting_table
from sliderace_client.tui.plots import (
    CALENDAR_ROWS,
    MIN_CHART_ROWS,
    calendar_rows,
    calendar_weeks,
    histogram_rows,
    time_rows,
)
from sliderace_client.tui.rows import text_row
from sliderace_client.tui.screens.screen import BaseScreen, Program
from sliderace_client.tui.widgets import TextRows

__all__ = ["StatisticsProgram", "StatisticsScreen"]

VIEWS = ("times", "spread", "days", "figures", "attempts")
TALL_VIEWS = ("charts", "attempts")
TALL = 34
"""From so many rows on, all charts are shown together."""
MAX_BINS = 12
TALL_BINS = 8
FIGURES_FROM = 18
"""With fewer rows, the figures have a view of their own."""
DROPPED = (6, 5, 4, 3)
"""Columns of the list of attempts that a narrow screen leaves out."""


class StatisticsProgram(Program, Protocol):
    """The part of the program that this screen uses."""

    def watch_race(self, server: str, race: str, fail: Callable[[str], object]) -> None:
        """Replay a past race; call `fail` with a sentence if that is not possible."""
        ...

    def verify_race(
        self, server: str, race: str, fail: Callable[[str], object]
    ) -> None:
        """Check the record of a past race, and show the findings."""
        ...


class StatisticsScreen(BaseScreen):
    """What somebody has done in one event.

    Args:
        program: shows this screen.
        server: base address; it has the races.
        event: size of the board.
        today: days since 1970-01-01 in UTC.
    """

    DEFAULT_CSS = "StatisticsScreen #statistics { height: 1fr; margin: 0 1; }"

    def __init__(
        self, program: StatisticsProgram, server: str, event: str, today: int
    ) -> None:
        super().__init__(program)
        self._statistics_program = program
        self._server, self._event, self._today = server, event, today
        self._rows: Sequence[HistoryRow] = ()
        self._why = text("tui.past.loading")
        self._view = 0
        self._cursor = Cursor()
        self._text = TextRows(id="statistics", on_pick=self._click)

    def show_history(self, rows: Sequence[HistoryRow]) -> None:
        """Show these attempts, the latest first."""
        self._rows = rows
        self._why = "" if rows else text("statistics.no_attempts")
        self.refresh_content()

    def fail(self, why: str) -> None:
        """Show why something is not possible."""
        self.program.say(why, "bad")
        if not self._rows:
            self._why = why
        self.refresh_content()

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._text

    def head(self) -> str:  # noqa: D102
        return text("tui.stats.head", event=self._event)

    # --- Display ----------------------------------------------------------------------

    @property
    def views(self) -> tuple[str, ...]:
        """The views that the size of the screen asks for."""
        return TALL_VIEWS if self.body_height() >= TALL else VIEWS

    @property
    def view(self) -> str:
        """The view that is shown."""
        return self.views[self._view % len(self.views)]

    def update(self) -> None:  # noqa: D102
        super().update()
        width, height = max(1, self.size.width - 2), self.body_height()
        if not self._rows:
            rows = [text_row(part, self.look.ink) for part in wrap(self._why, width)]
        elif self.view == "attempts":
            rows = self._attempt_rows(width)
        else:
            rows = self._chart_rows(self.view, width, height)
        self._text.show(rows[:height])

    def _sentence(self, sentence: str, width: int) -> list[Row]:
        return [text_row(part, self.look.ink) for part in wrap(sentence, width)]

    def _chart_rows(self, view: str, width: int, height: int) -> list[Row]:
        """Return the rows of a view; on a small screen, charts go without sentence."""
        match view:
            case "times":
                return self._times(width, height)
            case "spread":
                return self._spread(width, height, MAX_BINS)
            case "days":
                return self._days(width, height)
            case "figures":
                return [*self._summary(width), *self._figures(width)]
            case _:
                below = [
                    *self._figures(width),
                    text_row(""),
                    *self._spread(width, height, TALL_BINS),
                    text_row(""),
                    *self._days(width, height),
                ]
                above = self._times(width, max(MIN_CHART_ROWS, height - len(below) - 1))
                return [*above, text_row(""), *below]

    def _summary(self, width: int) -> list[Row]:
        return self._sentence(times_sentence(summary(trend(self._rows))), width)

    def _times(self, width: int, height: int) -> list[Row]:
        points, rows = trend(self._rows), self._summary(width)
        if not finished_times(points):
            return rows
        if self.view == "times" and height >= FIGURES_FROM:
            rows += [text_row(""), *self._figures(width)]
        rows.append(text_row(""))
        if height - len(rows) < MIN_CHART_ROWS <= height:
            rows = []
        ends = day_text(points[0].started_ms), day_text(points[-1].started_ms)
        free = max(MIN_CHART_ROWS, height - len(rows))
        return [*rows, *time_rows(points, ends, self.look, width, free)]

    def _spread(self, width: int, height: int, most: int) -> list[Row]:
        times = finished_times(trend(self._rows))
        rows = self._sentence(histogram_sentence(times), width)
        bins = histogram(times, max(1, min(most, height - len(rows) - 1)))
        return [*rows, *histogram_rows(bins, self.look, width)] if bins else rows

    def _days(self, width: int, height: int) -> list[Row]:
        year = calendar(self._rows, self._today, calendar_weeks(10_000))
        days = [day for week in year for day in week]
        rows = self._sentence(calendar_sentence(days), width)
        if len(rows) + CALENDAR_ROWS > height:
            rows = []
        return [*rows, *calendar_rows(year[-calendar_weeks(width) :], self.look)]

    def _figures(self, width: int) -> list[Row]:
        head, *lines = fitting_table(figure_cells(figures(self._rows)), width, (3, 1))
        ink, soft = self.look.ink, self.look.soft
        return [text_row(head, soft), *(text_row(line, ink) for line in lines)]

    def _attempt_rows(self, width: int) -> list[Row]:
        cells = attempt_cells(self._rows, moment_text)
        head, *lines = fitting_table(cells, width, DROPPED)
        rows = [text_row(f"  {head}", self.look.soft)]
        for n in self._cursor.window(len(lines), self._page):
            chosen = n == self._cursor.at
            rows.append(chosen_row(lines[n], self.look, width, chosen=chosen))
        if self._brackets:
            rows.append(text_row(f"  {text('stats.brackets')}", self.look.soft))
        return rows

    @property
    def _brackets(self) -> bool:
        """Whether there are attempts that do not count."""
        return any(not row.counts for row in self._rows)

    @property
    def _page(self) -> int:
        """How many attempts fit."""
        return max(1, self.body_height() - 1 - self._brackets)

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        back = Action("esc", text("tui.key.back"), self._close, ("escape", "q"))
        if not self._rows:
            return [back]
        after = self.views[(self._view + 1) % len(self.views)]
        before = self.views[(self._view - 1) % len(self.views)]
        label = text(f"tui.stats.{after}")
        turn = [Action("→", label, partial(self._turn, 1), ("right", "tab"))]
        if before != after:
            label = text(f"tui.stats.{before}")
            left = Action("←", label, partial(self._turn, -1), ("left", "shift+tab"))
            turn.insert(0, left)
        if self.view != "attempts":
            return [*turn, back]
        return [
            Action("enter", text("tui.key.watch_again"), self._watch, ("w",)),
            Action("v", text("tui.key.verify"), self._verify),
            *turn,
            back,
        ]

    def _turn(self, step: int) -> None:
        self._view = (self._view + step) % len(self.views)
        self.update()

    def other_key(self, key: str) -> bool:  # noqa: D102
        if key == "left" and self._rows:  # with two views, only one key is shown
            self._turn(-1)
            return True
        if self.view != "attempts":
            return False
        moved = self._cursor.key(key, len(self._rows), self._page)
        self.update()
        return moved

    def _close(self) -> None:
        self.program.close_screen(self)

    def _watch(self) -> None:
        race = self._rows[self._cursor.at].race
        self._statistics_program.watch_race(self._server, race, self.fail)

    def _verify(self) -> None:
        race = self._rows[self._cursor.at].race
        self._statistics_program.verify_race(self._server, race, self.fail)

    def _click(self, y: int, _x: int) -> None:
        if self.view != "attempts" or not self._rows:
            return
        window = self._cursor.window(len(self._rows), self._page)
        if 1 <= y <= len(window):
            again = window[y - 1] == self._cursor.at
            self._cursor.at = window[y - 1]
            self._watch() if again else self.update()
