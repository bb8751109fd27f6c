"""The race: countdown, one's own board, everyone's lanes; and watching the others."""

from collections.abc import Iterable, Sequence

from textual.widget import Widget

from sliderace.protocol.messages import Abort, CallTime, Forfeit, Undo
from sliderace_client.attempt import Attempt
from sliderace_client.keymap import direction_of
from sliderace_client.lanes import Lane
from sliderace_client.phrases import duration, ordinal
from sliderace_client.render import Paint, Row, Run, big_size, big_text
from sliderace_client.terminal.actions import Action
from sliderace_client.terminal.page import RoomPage
from sliderace_client.terminal.panels import (
    banner,
    clock_text,
    fitted,
    lane_rows,
    line,
    moves,
    out_text,
    percent,
    rule_line,
    tps,
)
from sliderace_client.terminal.placing import Placed, gallery, mosaic, plan
from sliderace_client.terminal.table import Table

__all__ = ["Race"]

GO_MS = 800
"""How long GO stands where the clock is; the board is playable at once."""
LARGE_ROWS = 30
"""Rows from which on the clock is drawn twice as large."""
NO_UNDO = "Races have no undo and no reset: every slide counts, the same for everybody."
NO_UNDO_KEYS = frozenset({"u", "r", "z", "backspace", "ctrl+z"})


class Race(RoomPage):
    """From the countdown to the last finisher."""

    def __init__(self) -> None:
        super().__init__()
        self._table = Table(self._press)
        self._painted: Attempt | None = None
        self._look_around: bool | None = None
        self._from = 0
        self._fit = 0

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
        self._arrange()
        super().update()
        self._show_boards()
        self._show_panel()

    @property
    def _sides(self) -> tuple[int, int]:
        room = self.model.room
        return (room.rules.width, room.rules.height) if room else (4, 4)

    def _arrange(self) -> None:
        rows = self.room_for_table()
        lanes = max(1, len(self.model.lanes) or len(self.model.present_players()))
        boards = len(self._others()) if self._watching() else 0
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

    def _watching(self) -> bool:
        """Whether all boards are shown: by choice, else as soon as we race no more."""
        if self.model.board is None:
            return True
        if not self._others():
            return False
        if self._look_around is not None:
            return self._look_around
        lane = self.model.lane
        return lane is None or lane.status != "racing"

    def _others(self) -> list[Lane]:
        lanes = sorted(self.model.lanes.values(), key=lambda lane: lane.seat)
        seen = [lane for lane in lanes if lane.board is not None]
        mine = self.model.seat
        return seen if any(lane.seat != mine for lane in seen) else []

    def _placed(self, lanes: Sequence[Lane], columns: int, rows: int) -> list[Placed]:
        count = len(lanes)
        places = mosaic(count, self._sides, columns, rows)
        self._fit = len(places)
        first = self._from % count if self._fit < count else 0
        shown = [lanes[(first + n) % count] for n in range(len(places))]
        return [
            Placed(
                lane.board.tiles, grid, x, y, caption=self._caption(lane, grid.columns)
            )
            for lane, (x, y, grid) in zip(shown, places, strict=True)
            if lane.board is not None
        ]

    def _caption(self, lane: Lane, width: int) -> Row:
        look = self.look
        if lane.status == "finished" and lane.time_ms is not None:
            state, colour = f"✓ {duration(lane.time_ms)}", look.good
        elif lane.status == "racing":
            state, colour = percent(lane.high), look.ink
        else:
            state, colour = out_text(lane.status, lane.why), look.bad
        state = fitted(state, min(len(state), width - 2))
        name = fitted(lane.name, width - len(state) - 1)
        bold = lane.seat == self.model.seat
        return (
            Run(name, Paint(look.accent if bold else look.ink, bold=bold)),
            Run(f" {state}", Paint(colour)),
        )

    def _show_panel(self) -> None:
        columns, rows = self._table.plan.panel
        top = self._figures(columns) if self._table.plan.wide else []
        away = [who.id for who in self.model.members.values() if not who.connected]
        room = rows - len(top) - (1 if self._table.plan.wide else 0)
        racers = self.model.order() or self._starters()
        mine, lines = self.model.seat, self.model.lines
        rows_ = lane_rows(racers, away, mine, self.look, columns - 1, room, lines)
        if self._table.plan.wide and 2 * len(rows_) <= room:  # air between the lanes
            rows_ = [row for lane in rows_ for row in (lane, line(""))]
        self._table.panel.show([*top, *rows_])

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
            big_size(text, 2)[0] <= width and self._table.plan.panel[1] >= LARGE_ROWS
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
        if self._watching() and self._fit < len(self._others()):
            todo.append(Action("n", "more boards", self._turn, ("pagedown",)))
        if model.is_host:
            todo += self._host()
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
            call = CallTime(race)
            todo.append(Action("e", "end it now", lambda: self.terminal.ask(call)))
        return todo

    def _give_up(self) -> None:
        forfeit = Forfeit(self.model.race)
        yes = Action("y", "give up", lambda: self.terminal.ask(forfeit))
        self.ask("Give up this race? You can undo it for 3 seconds.", yes, no="race on")

    def _look(self) -> None:
        self._look_around = not self._watching()
        self.update()

    def _turn(self) -> None:
        self._from += max(1, self._fit)
        self.update()

    def other_key(self, key: str) -> bool:  # noqa: D102
        direction = direction_of(key, self.terminal.settings.keys)
        if direction is not None and self.model.racing:
            if self.play.slide(direction, 1):
                self._show_boards()
            return True
        if key in NO_UNDO_KEYS and self.model.board is not None:
            self.terminal.say(NO_UNDO)
            return True
        return False

    def _press(self, _board: int, cell: int) -> None:
        if self.model.racing and not self._watching() and self.play.slide_cell(cell):
            self._show_boards()
