"""The race: countdown, one's own board, everyone's lanes; and watching the others."""

from collections.abc import Iterable
from copy import copy

from textual.widget import Widget

from sliderace.engine import Board, Direction
from sliderace.protocol.messages import Abort, CallTime, Forfeit, Undo
from sliderace_client.room.attempt import Attempt
from sliderace_client.room.lanes import Lane
from sliderace_client.shared_ui.render import Row, big_text
from sliderace_client.shared_ui.wording import duration, ordinal
from sliderace_client.tui.actions import Action
from sliderace_client.tui.input import Hands
from sliderace_client.tui.layout import gallery, plan
from sliderace_client.tui.rows import (
    banner,
    clock_text,
    fitted,
    lane_rows,
    line,
    moves,
    out_text,
    rule_line,
    tps,
)
from sliderace_client.tui.screens.board_area import Table
from sliderace_client.tui.screens.screen import picture_actions, picture_refused
from sliderace_client.tui.screens.watching import Watching

__all__ = ["Race"]

GO_MS = 800
"""How long GO stands where the clock is; the board is playable at once."""
LARGE_ROWS = 30
"""Rows from which on the clock is drawn twice as large."""
LATE_MS = 600
"""A slide not stored for so long is late: more than a far line and a slow disk."""
NO_UNDO = "Races have no undo and no reset: every slide counts, the same for everybody."
NO_UNDO_KEYS = frozenset({"u", "r", "z", "backspace", "ctrl+z"})


class Race(Watching):
    """From the countdown to the last finisher."""

    def __init__(self) -> None:
        super().__init__()
        self._table = Table(self._press, self._hover)
        self._hands = Hands(self, self._cue)
        self._rivals: list[Lane] = []
        self._drawn: dict[int, Row] = {}
        self._rang = False
        self._painted: Attempt | None = None

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._table

    # --- What is shown ----------------------------------------------------------------

    def about(self) -> str:  # noqa: D102
        if self._table.plan.wide:
            return self._phase_words()
        model = self.model
        clock = model.clock(self.play.now())
        if clock is None:
            return self._phase_words()
        followed = self._followed()
        if followed is not None:
            return f"{clock_text(clock)}  {self._whose(followed)}"
        if model.board is None:
            return f"{clock_text(clock)}  {self._phase_words()}"
        return f"{clock_text(clock)}  {moves(model.stm)}  {tps(model.stm, clock)} TPS"

    def _phase_words(self) -> str:
        model = self.model
        left = model.remaining(self.play.now())
        match model.phase:
            case "countdown":
                return "get ready"
            case "grace" if left is not None:
                return f"grace: {clock_text(left)} left"
            case "racing" if left is not None:
                return f"limit: {clock_text(left)} left"
            case _:
                return ""

    def update(self) -> None:  # noqa: D102
        if self.model.room is None:
            return
        self._ring()
        self._hands.tick(self.play.now())
        self._arrange()
        super().update()
        self._show_boards()
        self._show_panel()

    def _ring(self) -> None:
        """GO is heard, too."""
        model = self.model
        if (
            model.phase == "racing"
            and model.racing
            and not model.locked(self.play.now())
        ):
            if not self._rang:
                self.terminal.bell()
            self._rang = True

    def _arrange(self) -> None:
        rows = self.room_for_table()
        lanes = max(1, len(self.model.lanes) or len(self.model.present_players()))
        watched = self._watching() and self._followed() is None
        boards = len(self._others()) if watched else 0
        if boards > 1:
            new = gallery(boards, self._sides, self.size.width, rows)
        else:
            new = plan(self._sides, self.size.width, rows, lanes)
        self._table.divide(new)

    def _show_boards(self) -> None:
        canvas, model, now = self._table.canvas, self.model, self.play.now()
        columns, rows = self._table.plan.board
        if model.board is not None and not self._watching():
            self._table.show_one(model.board, self.look)
            if self._painted is not model.attempt:
                self._painted = model.attempt
                self.call_after_refresh(self.play.painted)
            return
        followed = self._followed()
        if followed is not None and followed.board is not None:
            self._table.show_one(followed.board, self.look)
            return
        boards = self._others()
        if boards:
            canvas.show(self._placed(boards, columns, rows), self.look)
            return
        left = model.remaining(now) if model.phase == "countdown" else None
        text = f"{-(-left // 1000)}" if left else "GO!"
        if model.phase in ("racing", "grace") and (model.clock(now) or 0) > GO_MS:
            wait = "No boards to see yet."
            canvas.announce([line(wait, self.look.soft)])
        else:
            canvas.announce(banner(text, self.look.accent, columns, rows))

    def _show_panel(self, *, rivals: bool = True) -> None:
        """Show clock and lanes.

        Args:
            rivals: not only what is one's own: that is painted at once, theirs with
                the next tick.
        """
        columns, rows = self._table.plan.panel
        top = self._figures(columns) if self._table.plan.wide else []
        away = [who.id for who in self.model.members.values() if not who.connected]
        room = rows - len(top) - (1 if self._table.plan.wide else 0)
        if rivals:
            racers = self.model.order() or self._starters()
            self._rivals = [copy(lane) for lane in racers]
            self._drawn = {}
        else:
            self._drawn.pop(self.model.seat or 0, None)
            mine_now = self.model.lane
            self._rivals = [
                copy(mine_now) if mine_now and lane.seat == mine_now.seat else lane
                for lane in self._rivals
            ]
        mine, lines = self.model.seat, self.model.latencies
        rows_ = lane_rows(
            self._rivals,
            away,
            mine,
            self.look,
            columns - 1,
            room,
            lines,
            self._late(),
            self._drawn,
        )
        if self._table.plan.wide and 2 * len(rows_) <= room:  # air between the lanes
            rows_ = [row for lane in rows_ for row in (lane, line(""))]
        self._table.panel.show([*top, *rows_])

    def _late(self) -> int:
        """Own slides on their way for too long, or for want of a connection."""
        model = self.model
        if not model.unacked or model.attempt is None:
            return 0
        attempt = model.attempt
        first = attempt.slides[attempt.acked - attempt.base][2] + attempt.zero
        late = not model.online or self.play.now() - first > LATE_MS
        return model.unacked if late else 0

    def _starters(self) -> list[Lane]:
        """Who will race, before the roster is told."""
        return [
            Lane(who.seat, who.id, who.name, who.bot)
            for who in self.model.present_players()
            if who.ready and who.seat is not None
        ]

    def _figures(self, width: int) -> list[Row]:
        """The large clock and what is counted, beside the board."""
        model, look, now = self.model, self.look, self.play.now()
        clock = model.clock(now)
        text, colour = clock_text(clock) if clock is not None else "0.0", look.ink
        locked = model.locked(now)
        if locked:
            text, colour = clock_text(locked), look.accent
        elif model.board and model.done:
            colour = look.good
        elif model.phase in ("racing", "grace") and clock is not None and clock < GO_MS:
            text, colour = "GO!", look.accent
        large = (
            len(big_text(text, 2)[0]) <= width
            and self._table.plan.panel[1] >= LARGE_ROWS
        )
        rows = [line(row, colour, bold=True) for row in big_text(text, 1 + large)]
        rows.append(line("", ""))
        if model.board is not None:
            counts = f"{moves(model.stm)}   {tps(model.stm, clock)} TPS"
            rows.append(line(fitted(counts, width), look.ink))
        rows.append(line(fitted(self._own_words(), width), look.soft))
        return [*rows, line("", "")]

    def _own_words(self) -> str:
        model, now = self.model, self.play.now()
        if self._hands.typed:
            return f"tile {self._hands.typed} ..."
        followed = self._followed()
        if followed is not None:
            return self._whose(followed)
        lane = model.lane
        if model.locked(now):
            return "look, but do not touch yet"
        if lane is not None and lane.status == "finished" and lane.time_ms is not None:
            so_far = "" if lane.final else " so far"
            place = f", {ordinal(lane.place)}{so_far}" if lane.place else ""
            return f"solved in {duration(lane.time_ms)}{place}"
        if model.done:
            return "solved, waiting for the server's word"
        if lane is not None and lane.status != "racing":
            return out_text(lane.status, lane.why)
        if model.left_out and model.left_out == model.race:
            return "you were not ready: you watch"
        if model.phase == "countdown":
            return "you race" if model.ready else "not ready: you watch this race"
        if model.board is None:
            return "you are watching"
        return rule_line(model.room.rules) if model.room else ""

    # --- What can be done -------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        model, now = self.model, self.play.now()
        race = model.race
        todo: list[Action] = []
        if model.can_undo(now):
            undo = Undo(race)
            todo.append(Action("u", "undo giving up", lambda: self.terminal.ask(undo)))
        elif model.racing:
            todo.append(Action("f", "give up", self._give_up))
        if model.board is not None and self._others():
            label = "my board" if self._watching() else "other boards"
            todo.append(Action("v", label, self._look))
        if self._watching() and self._others():
            todo += self._cameras()
        if model.is_host:
            todo += self._host()
        if model.board is not None or self._others():
            todo += picture_actions(self.terminal)
        return [
            *todo,
            Action("?", "help", self.help),
            Action("q", "leave", self.leave),
        ]

    def _host(self) -> list[Action]:
        race = self.model.race
        stop = Action("y", "call it off", lambda: self.terminal.ask(Abort(race)))
        todo = [Action("x", "call off", lambda: self.ask("Call the race off?", stop))]
        if self.model.phase == "grace":
            todo.append(Action("e", "end it now", self._call_time))
        return todo

    def _call_time(self) -> None:
        call = CallTime(self.model.race)
        yes = Action("y", "end it now", lambda: self.terminal.ask(call))
        self.ask("End the race now, for everybody?", yes, no="race on")

    def _give_up(self) -> None:
        forfeit = Forfeit(self.model.race)
        yes = Action("y", "give up", lambda: self.terminal.ask(forfeit))
        self.ask("Give up this race? You can undo it for 3 seconds.", yes, no="race on")

    def first_key(self, key: str) -> bool:  # noqa: D102
        return self._hands.key(key, self.terminal.settings, self.play.now())

    def other_key(self, key: str) -> bool:  # noqa: D102
        if key in NO_UNDO_KEYS and self.model.board is not None:
            self.terminal.say(NO_UNDO)
            return True
        return picture_refused(self.terminal, key)

    def board(self) -> Board | None:
        """One's own board, while it is shown and can be played."""
        return self.model.board if self.model.racing and not self._watching() else None

    def slide(self, direction: Direction, count: int) -> bool:
        """Slide, and show it at once."""
        done = self.play.slide(direction, count)
        if done:
            with self.terminal.at_once():
                self._show_boards()
                self._show_panel(rivals=False)
        return done

    def _cue(self, text: str) -> None:
        if not self.model.locked(self.play.now()):
            self.terminal.cue(text)

    def _press(self, index: int, cell: int) -> None:
        if self._watching():
            self._pick_board(index)
        else:
            self._hands.cell(cell)

    def _hover(self, _board: int, cell: int) -> None:
        if self.terminal.settings.hover == "on" and not self._watching():
            self._hands.cell(cell, quiet=True)
