"""The results: who won, what stands beside the times, and whether it holds."""

from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import ClassVar

from textual.widget import Widget

from sliderace.protocol.messages import Ready, Rematch, Signals
from sliderace_client.room.lanes import Lane
from sliderace_client.room.outcomes import Notice
from sliderace_client.shared_ui import wording
from sliderace_client.shared_ui.render import Look, Row, big_text
from sliderace_client.shared_ui.wording import duration
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.dialog import Dialog, Topic
from sliderace_client.tui.result_tables import marks, result_rows, signal_rows
from sliderace_client.tui.rows import fitted, line, rule_line
from sliderace_client.tui.screens.screen import RoomPage
from sliderace_client.tui.widgets import Lines

__all__ = ["ResultsPage", "SignalsDialog"]

ROOMY = 20
"""Rows from which on the winner's time is shown large, and the proof in full."""
MARGINS = 4
"""Empty rows above, between and below, and the heading of the table."""
SEALED = "✓ Secret, nonces, seed and board are what was sealed before."
SEALED_SHORT, AGREES_SHORT = "✓ As sealed.", "✓ Checked: as we saw."


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
        self._from = 0
        self._fit = 0

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
        podium, proof = self._podium(lanes, width), self._proof(width)
        self._winner.show(podium)
        self._seal.show(proof)
        results, soft = self.model.results, self.look.soft
        said = ["", *marks(results)] if results and marks(results) else []
        taken = MARGINS + len(podium) + len(proof) + len(said)
        self._fit = max(1, self.room_for_table() - taken)
        rows = result_rows(self._seen(lanes), self.model.seat, self.look, width)
        if len(lanes) > self._fit:
            said.insert(0, f"   of {len(lanes)} racers")
        rows += [line(fitted(text, width), soft) for text in said]
        self._rows.show(rows if lanes else [])

    def _seen(self, lanes: list[Lane]) -> list[Lane]:
        """Those that fit, from where one has leafed to; one's own is among them."""
        if len(lanes) <= self._fit:
            return lanes
        last = max(1, self._fit - 1)  # a row says of how many
        self._from = self._from if self._from < len(lanes) else 0
        seen = lanes[self._from :][:last]
        own = [lane for lane in lanes if lane.seat == self.model.seat]
        if own and own[0] not in seen:
            seen[last - 1 :] = own
        return seen

    def _leaf(self) -> None:
        self._from += max(1, self._fit - 2)
        self.update()

    def _lanes(self) -> list[Lane]:
        results = self.model.results
        if results is None:
            return []
        lanes: list[Lane] = []
        for standing in results.standings:
            lane = Lane(standing.seat)
            lane.apply(standing)
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
        said = [(f"✗ {text}", look.bad) for text in map(wording.fault, model.faults)]
        said += [(text, look.soft) for text in map(wording.remark, model.remarks)]
        if model.room is not None and model.room.seed_known:
            text = "The seed was known in advance: no fairness claim."
            said.append((text, look.soft))
        elif not model.faults:
            said.append((SEALED, look.good))
        if model.agrees and not model.faults:
            agrees = wording.news(Notice.RECORD_AGREES)
            said.append((f"✓ {agrees}", look.soft))
            if self.size.height < ROOMY and len(said) == len((SEALED, agrees)):
                said = [(f"{SEALED_SHORT}  {AGREES_SHORT}", look.good)]
        return [line(part, fg) for text, fg in said for part in wrap(text, width)]

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
        if len(self._lanes()) > self._fit > 0:
            todo.append(Action("↓", "more", self._leaf, ("down", "pagedown"), True))
        if model.results is not None:
            todo.append(Action("s", "save record", self.terminal.save_record))
            signals = model.signals
            if signals is not None and signals.race == model.results.race:
                todo.append(Action("g", "signals", lambda: self._look_at(signals)))
        return [
            *todo,
            Action("?", "help", self.help),
            Action("q", "leave", self.leave),
        ]

    def _look_at(self, signals: Signals) -> None:
        names = {
            lane.seat: lane.name + (" ⚙" if lane.bot else "") for lane in self._lanes()
        }
        self.terminal.push_screen(SignalsDialog(self.look, signals, names))


class SignalsDialog(Dialog):
    """For the host: what each solve looks like.

    Args:
        look: colours.
        signals: as the server sent them.
        names: of the racers, by seat.
    """

    def __init__(self, look: Look, signals: Signals, names: Mapping[int, str]) -> None:
        super().__init__(look)
        self._signals, self._names = signals, names

    def rows(self) -> list[Row]:  # noqa: D102
        told, width = self._signals.signals, self.space[0]
        return signal_rows(told, self._names, self.look, width)
