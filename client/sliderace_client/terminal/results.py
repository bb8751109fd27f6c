"""The results: who won, what stands beside the times, and whether it holds."""

from collections.abc import Iterable
from typing import ClassVar

from textual.widget import Widget

from sliderace.protocol.messages import Ready, Rematch
from sliderace_client.lanes import Lane
from sliderace_client.phrases import duration
from sliderace_client.render import Row, big_text
from sliderace_client.terminal.actions import Action
from sliderace_client.terminal.dialogs import Topic
from sliderace_client.terminal.page import RoomPage
from sliderace_client.terminal.panels import fitted, line, result_rows, rule_line
from sliderace_client.terminal.widgets import Lines

__all__ = ["ResultsPage"]

ROOMY = 20
"""Rows from which on the winner's time is shown large."""


class ResultsPage(RoomPage):
    """After a race, until the next one."""

    TOPIC: ClassVar[Topic] = "results"

    DEFAULT_CSS = """
    ResultsPage #podium { margin: 1 2 0 2; }
    ResultsPage #table { margin: 1 2 0 2; height: 1fr; }
    ResultsPage #proof { margin: 0 2 1 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._winner = Lines(id="podium")
        self._rows = Lines(id="table")
        self._seal = Lines(id="proof")

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._winner
        yield self._rows
        yield self._seal

    def about(self) -> str:  # noqa: D102
        room = self.model.room
        return rule_line(room.rules, seed_known=room.seed_known) if room else ""

    def update(self) -> None:  # noqa: D102
        super().update()
        width, lanes = max(1, self.size.width - 4), self._lanes()
        self._winner.show(self._podium(lanes, width))
        rows = result_rows(lanes, self.model.seat, self.look, width)
        self._rows.show(rows if lanes else [])
        self._seal.show(self._proof(width))

    def _lanes(self) -> list[Lane]:
        results = self.model.results
        if results is None:
            return []
        lanes: list[Lane] = []
        for standing in results.standings:
            lane = Lane(standing.seat)
            lane.told(standing)
            lanes.append(lane)
        return lanes

    def _podium(self, lanes: list[Lane], width: int) -> list[Row]:
        look = self.look
        if self.model.phase == "aborted":
            return [line("The race was called off.", look.bad, bold=True)]
        first = [lane for lane in lanes if lane.place == 1]
        winners = [lane for lane in first if lane.time_ms is not None]
        if not winners or winners[0].time_ms is None:
            return [line("Nobody finished.", look.ink, bold=True)]
        names = " and ".join(lane.name for lane in winners)
        time = duration(winners[0].time_ms)
        if self.size.height < ROOMY:
            text = fitted(f"{names} won in {time}", width)
            return [line(text, look.accent, bold=True)]
        large = [line(row, look.accent, bold=True) for row in big_text(time)]
        return [line(fitted(f"{names} won", width), look.ink, bold=True), *large]

    def _proof(self, width: int) -> list[Row]:
        model, look = self.model, self.look
        if model.results is None:
            return []
        if model.proof:
            return [line(fitted(f"✗ {text}", width), look.bad) for text in model.proof]
        if model.room is not None and model.room.seed_known:
            text = "The seed was known in advance: no fairness claim."
            return [line(fitted(text, width), look.soft)]
        text = "✓ The secret, the seed and the board match what was sealed before."
        return [line(fitted(text, width), look.good)]

    def actions(self) -> list[Action]:  # noqa: D102
        model = self.model
        todo: list[Action] = []
        if model.phase in ("results", "aborted"):
            again = Rematch(model.race)
            if model.is_player:
                rematch = Action("r", "rematch", lambda: self.terminal.ask(again))
                todo.append(rematch._replace(also=("enter",)))
        else:
            todo.append(Action("t", "back", self.terminal.show_lobby, ("escape",)))
            if model.is_player and not model.ready:
                ready = Ready(model.race)
                todo.append(Action("r", "ready", lambda: self.terminal.ask(ready)))
        if model.results is not None:
            todo.append(Action("s", "save record", self.terminal.save_record))
        return [
            *todo,
            Action("?", "help", self.help),
            Action("q", "leave", self.leave),
        ]
