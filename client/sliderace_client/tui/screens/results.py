"""The results: podium, what decided the race, table, and the proof of fairness."""

from collections.abc import Iterable, Mapping
from functools import partial
from textwrap import wrap
from typing import ClassVar, NamedTuple

from textual.widget import Widget

from sliderace.proof.record import WrittenRace
from sliderace.protocol.messages import Ready, Rematch, Results, Role, Signals
from sliderace.texts import text
from sliderace_client.room.lanes import Lane
from sliderace_client.room.outcomes import Notice
from sliderace_client.room.race_story import curves_of, story_of
from sliderace_client.shared_ui import wording
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.shared_ui.series_text import (
    format_text,
    own_score,
    series_line,
)
from sliderace_client.shared_ui.wording import ordinal, story_text
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.dialogs.help import HelpTopic
from sliderace_client.tui.race_graph import MIN_ROWS as GRAPH_ROWS, graph_rows
from sliderace_client.tui.result_tables import (
    footnotes,
    podium_row,
    result_rows,
    signal_rows,
)
from sliderace_client.tui.rows import fitted, marked_name, rules_text, text_row
from sliderace_client.tui.screens.room_screen import RoomProgram, RoomScreen
from sliderace_client.tui.screens.solo import SIDES
from sliderace_client.tui.widgets import TextRows

__all__ = ["ResultsScreen", "SignalsDialog"]

LARGE_ROWS = 20
"""From here on: the series, all words of the proof, and always what decided."""
MARGIN_ROWS = 4
"""Empty rows above, between and below, and the heading of the table."""
MAX_GRAPH_ROWS = 14
"""Higher lines are not easier to compare."""


class Drawing(NamedTuple):
    """All that the story and the graph of a race depend on; drawing takes a while.

    Attributes:
        race: id.
        mine: the player's seat, if any.
        look: colours.
        width: columns.
        height: rows of the graph; 0: none.
        told: whether there is a row for what decided the race.
    """

    race: str
    mine: int | None
    look: Look
    width: int
    height: int
    told: bool

    def rows(self, record: WrittenRace) -> list[Row]:
        """Return the rows for the record of this race."""
        curves, rows = curves_of(record), list[Row]()
        if self.told:
            story = fitted(story_text(story_of(curves)), self.width)
            rows.append(text_row(story, self.look.ink))
        if self.height:
            size = self.width, self.height
            rows += [text_row(""), *graph_rows(curves, self.mine, self.look, *size)]
        return rows


class ResultsScreen(RoomScreen):
    """After a race, until the next one.

    Args:
        program: shows this screen.
    """

    HELP_TOPIC: ClassVar[HelpTopic] = "results"

    DEFAULT_CSS = """
    ResultsScreen #winner { margin: 1 2 0 2; }
    ResultsScreen #table { margin: 1 2 0 2; height: 1fr; }
    ResultsScreen #proof { margin: 0 2 1 2; }
    """

    def __init__(self, program: RoomProgram) -> None:
        super().__init__(program)
        self._winner = TextRows(id="winner")
        self._table = TextRows(id="table")
        self._proof = TextRows(id="proof")
        self._first = 0
        self._fit = 0
        self._drawn: tuple[Drawing, list[Row]] | None = None

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._winner
        yield self._table
        yield self._proof

    # --- Display ----------------------------------------------------------------------

    def online_head(self) -> str:  # noqa: D102
        room, lanes = self.view.room, self._lanes()
        mine = [lane for lane in lanes if lane.seat == self.view.seat]
        if mine and mine[0].status == "finished" and mine[0].place and len(lanes) > 1:
            place = ordinal(mine[0].place)
            return text("tui.results.came", place=place, count=len(lanes))
        if room is None:
            return ""
        if self.view.is_alone:
            return room.rules.size
        return rules_text(room.rules, seed_known=room.seed_known)

    def update(self) -> None:  # noqa: D102
        super().update()
        width, lanes = max(1, self.size.width - 4), self._lanes()
        proof = [*self._score_rows(width), *self._proof_rows(width)]
        self._proof.show(proof)
        results, soft = self.view.results, self.look.soft
        notes = footnotes(results, self.view.late_ms) if results else []
        below = ["", *notes] if notes else []
        free = self.body_height() - MARGIN_ROWS - len(proof) - len(below)
        gains = self._gains_rows(width)
        free -= len(gains)
        winner = self._winner_rows(lanes, width, free - len(lanes))
        self._winner.show([*gains, *winner])
        self._fit = max(1, free - len(winner))
        rows = result_rows(self._visible(lanes), self.view.seat, self.look, width)
        if len(lanes) > self._fit:
            below.insert(0, f"   {text('tui.results.of_racers', n=len(lanes))}")
        rows += [text_row(fitted(note, width), soft) for note in below]
        self._table.show(rows if lanes else [])

    def _gains_rows(self, width: int) -> list[Row]:
        """Return what the race changed in our profile."""
        gains, results, look = self.view.gains, self.view.results, self.look
        if gains is None or results is None or gains.race != results.race:
            return []
        told = wording.gains(gains)
        if not gains.bests:
            return [text_row(part, look.soft) for part in wrap(told, width)]
        paint = Paint(look.good, look.raised, bold=True, reverse=look.mono)
        return [(Run(f" ★ {part} ", paint),) for part in wrap(told, width - 4)]

    def _visible(self, lanes: list[Lane]) -> list[Lane]:
        """Return the racers that fit, always including the player."""
        if len(lanes) <= self._fit:
            return lanes
        count = max(1, self._fit - 1)  # one row says how many there are
        self._first = self._first if self._first < len(lanes) else 0
        visible = lanes[self._first :][:count]
        own = [lane for lane in lanes if lane.seat == self.view.seat]
        if own and own[0] not in visible:
            visible[count - 1 :] = own
        return visible

    def _lanes(self) -> list[Lane]:
        results = self.view.results
        if results is None:
            return []
        lanes: list[Lane] = []
        for standing in results.standings:
            lane = Lane(standing.seat)
            lane.apply(standing)
            lanes.append(self.with_reaction(lane))
        return lanes

    def _winner_rows(self, lanes: list[Lane], width: int, free: int) -> list[Row]:
        """Return the podium, what decided the race, and the graph if it fits.

        Args:
            lanes: in order.
            width: columns.
            free: rows that the table does not need.
        """
        look, results = self.look, self.view.results
        if self.view.phase == "aborted" or results is None:
            return [text_row(text("tui.results.called_off"), look.bad, bold=True)]
        if all(lane.time_ms is None for lane in lanes):
            return [text_row(text("results.nobody"), look.ink, bold=True)]
        podium = podium_row(lanes, self.view.seat, look, width)
        if len(lanes) == 1:
            return [podium]
        return [podium, *self._story_rows(results, width, free - 1)]

    def _story_rows(self, results: Results, width: int, free: int) -> list[Row]:
        """Return what decided the race, and the graph; empty rows while they load."""
        record = self.program.race_record(results)
        height = max(min(free - 3, MAX_GRAPH_ROWS), min(free - 2, GRAPH_ROWS))
        height = height if height >= GRAPH_ROWS else 0
        told = free > 0 or self.size.height >= LARGE_ROWS
        if record == "missing":
            return []
        if record == "awaited":
            return [text_row("")] * (height + 2 if height else int(told))
        look = self.look._replace(picture=None)
        drawing = Drawing(record.race, self.view.seat, look, width, height, told)
        if self._drawn is None or self._drawn[0] != drawing:
            self._drawn = drawing, drawing.rows(record)
        return self._drawn[1]

    def _score_rows(self, width: int) -> list[Row]:
        """Return our averages, when the next race begins, or how the series stands.

        The averages are shown in a room of our own.
        """
        view, look = self.view, self.look
        if view.kind == "quick":
            left = view.next_race_in(self.client.now())
            seconds = -(-left // 1000) if left is not None else None
            waits = text("next.starts", seconds=seconds) if seconds is not None else ""
            return [text_row(fitted(waits, width), look.accent, bold=True)]
        if view.kind == "solo":
            return [text_row(fitted(own_score(view.series), width), look.ink)]
        return self._series_rows(width)

    def _series_rows(self, width: int) -> list[Row]:
        """Return how the series stands, or who has won it; nothing without one."""
        series = self.view.series
        if not series or not format_text(series) or self.size.height < LARGE_ROWS:
            return []
        score = fitted(series_line(series, ""), width)
        return [text_row(score, self.look.ink, bold=series.over)]

    def _proof_rows(self, width: int) -> list[Row]:
        """Return the findings of the race record's checks."""
        view, look = self.view, self.look
        if view.results is None:
            return []
        findings = [(f"✗ {wording.fault(fault)}", look.bad) for fault in view.faults]
        findings += [(wording.remark(one), look.soft) for one in view.remarks]
        seed_known = view.room is not None and view.room.seed_known
        agrees = bool(view.agrees) and not view.faults
        brief = not findings and agrees and self.size.height < LARGE_ROWS
        if view.kind == "daily":
            if brief:
                return [text_row(text("tui.results.daily_short"), look.good)]
            findings.append((text("tui.results.daily"), look.soft))
        elif seed_known:
            findings.append((text("tui.results.seed_known"), look.soft))
        elif brief:
            return [text_row(text("tui.results.proven_short"), look.good)]
        elif not view.faults:
            findings.append((text("tui.results.as_committed"), look.good))
        if agrees:
            agreement = wording.news(Notice.RECORD_AGREES)
            findings.append((f"✓ {agreement}", look.soft))
        return [
            text_row(part, colour)
            for finding, colour in findings
            for part in wrap(finding, width)
        ]

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        view, program = self.view, self.program
        actions: list[Action] = []
        if view.kind == "quick":
            actions += self._between_races()
        elif view.kind == "solo":
            next_ = text("tui.key.next_board")
            actions.append(
                Action("n", next_, program.next_board, ("enter", "r"), once=True)
            )
            actions += self._size_actions()
        elif view.kind == "daily":
            pass  # there is one race a day
        elif view.phase in ("results", "aborted"):
            if view.is_player:
                again, rematch = Rematch(view.race), text("tui.key.rematch")
                actions.append(
                    Action(
                        "r", rematch, partial(self._go_on, again), ("enter",), once=True
                    )
                )
        else:
            back = text("tui.key.back")
            actions.append(Action("v", back, program.show_lobby, ("escape",)))
            if view.may_race and not view.ready:
                ready, label = Ready(view.race), text("tui.key.ready")
                actions.append(
                    Action("r", label, partial(self._go_on, ready), once=True)
                )
        actions += [] if view.is_alone else self.series_actions()
        if len(self._lanes()) > self._fit > 0:
            more = text("tui.key.more")
            actions.append(Action("↓", more, self._scroll, ("down", "pagedown")))
        if view.may_keep:
            keep = text("tui.key.keep_time")
            actions.append(Action("k", keep, program.keep_time, once=True))
        if view.results is not None:
            if isinstance(program.race_record(view.results), WrittenRace):
                watch = text("tui.key.watch_again")
                key = "a" if view.kind == "quick" else "w"
                actions.append(Action(key, watch, program.watch_again))
            save = text("tui.key.save_record")
            actions.append(Action("s", save, program.save_race_record, once=True))
            signals = view.signals
            if signals is not None and signals.race == view.results.race:
                label = text("tui.key.signals")
                actions.append(Action("g", label, lambda: self._show_signals(signals)))
        return [*actions, *self.react_action(), *self.help_and_leave()]

    def _between_races(self) -> list[Action]:
        """Return what can be done in a quick room, which races by the clock."""
        view, room, program = self.view, self.view.room, self.program
        actions: list[Action] = []
        if room is not None:
            size, label = room.rules.size, text("tui.key.warm_up")
            actions.append(Action("w", label, lambda: program.warm_up(size)))
        if view.is_player:
            watch, role = text("tui.key.only_watch"), Role("spectator")
        else:
            watch, role = text("tui.key.play_too"), Role("player")
        actions.append(Action("p", watch, lambda: program.send(role), once=True))
        members = text("tui.key.members")
        return [*actions, Action("v", members, program.show_lobby)]

    def _size_actions(self) -> list[Action]:
        """Return the actions that go on with another size."""
        rules = self.view.room.rules if self.view.room else None
        if rules is None:
            return []
        side = max(rules.width, rules.height)
        steps = (("+", side + 1, "tui.key.larger"), ("-", side - 1, "tui.key.smaller"))
        return [
            Action(
                key,
                text(label),
                partial(self.program.change_size, f"{other}x{other}"),
                ("=",) if key == "+" else (),
                once=True,
            )
            for key, other, label in steps
            if other in SIDES
        ]

    def _go_on(self, command: Rematch | Ready) -> None:
        """Continue to the next race, by way of the lobby."""
        self.program.send(command)
        self.program.show_lobby()

    def _scroll(self) -> None:
        self._first += max(1, self._fit - 2)
        self.update()

    def _show_signals(self, signals: Signals) -> None:
        names = {
            lane.seat: marked_name(lane.name, bot=lane.bot) for lane in self._lanes()
        }
        self.program.open_screen(SignalsDialog(self.look, signals, names))


class SignalsDialog(Dialog):
    """For the host: figures of each solve, beside those of human record solves.

    Args:
        look: colours.
        signals: as the server sent them.
        names: of the racers, by seat.
    """

    def __init__(self, look: Look, signals: Signals, names: Mapping[int, str]) -> None:
        super().__init__(look)
        self._signals, self._names = signals, names

    def rows(self) -> list[Row]:  # noqa: D102
        signals, width = self._signals.signals, self.space[0]
        return signal_rows(signals, self._names, self.look, width)
