"""The race: the countdown, the player's board, all lanes, the boards of others."""

from collections.abc import Iterable
from copy import copy

from textual.widget import Widget

from sliderace.engine import Board, Direction
from sliderace.protocol.messages import Abort, CallTime, Forfeit, Undo
from sliderace.protocol.names import cells
from sliderace.texts import text
from sliderace_client.room.attempt import Attempt
from sliderace_client.room.lanes import Lane
from sliderace_client.room.leaderboard import Leaderboard
from sliderace_client.shared_ui.render import Row, big_size
from sliderace_client.shared_ui.wording import duration, ordinal
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.help import sliding_keys
from sliderace_client.tui.input import BoardInput
from sliderace_client.tui.layout import race_layout, spectator_layout
from sliderace_client.tui.race_panel import (
    Racers,
    figure_rows,
    finish_card,
    news_text,
    pace_row,
    place_text,
    racer_rows,
)
from sliderace_client.tui.rows import (
    clock_text,
    count_text,
    fitted,
    large_message,
    out_text,
    percent,
    text_row,
)
from sliderace_client.tui.screens.board_area import (
    BoardArea,
    picture_actions,
    refuse_picture,
)
from sliderace_client.tui.screens.room_screen import RoomProgram, RoomScreen
from sliderace_client.tui.screens.screen import SLIP_MS
from sliderace_client.tui.screens.spectating import SpectatorView, stamp

__all__ = ["RaceScreen"]

GO_MS = 800
"""How long GO is shown in place of the clock; the board can be played at once."""
MAX_CLOCK_SCALE = 2
CARD_MS = 300
"""Our result comes when the last slide has been seen, and the server has answered."""
UNDO_KEYS = frozenset({"u", "r", "z", "backspace"})
"""Keys by which people look for an undo or a reset."""


class RaceScreen(RoomScreen):
    """From the countdown to the last finisher.

    A slide of the player is painted at once, with their own lane and clock. The lanes
    of rivals are painted with the next tick of the program.

    Args:
        program: shows this screen.
    """

    def __init__(self, program: RoomProgram) -> None:
        super().__init__(program)
        self._area = BoardArea(self._press, self._hover)
        self._input = BoardInput(self, self._hint)
        self._spectator = SpectatorView(
            lambda: self.view,
            program.now,
            self.update,
            self._rank,
        )
        self._leaderboard = Leaderboard()
        self._race = ""
        self._since = 0
        self._lanes: dict[int, Lane] = {}
        self._row_cache: dict[int, Row] = {}
        self._rang = False
        self._reported: Attempt | None = None

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._area

    # --- Display ----------------------------------------------------------------------

    def online_head(self) -> str:  # noqa: D102
        view = self.view
        clock = view.clock(self.client.now())
        if self._area.division.wide or clock is None:
            return self._phase_text()
        followed = self._spectator.followed()
        if followed is not None:
            return f"{clock_text(clock)}  {self._spectator.describe(followed)}"
        if view.board is None or view.phase == "grace":
            return f"{clock_text(clock)}  {self._phase_text()}"
        return f"{clock_text(clock)}  {count_text(view.stm, clock)}"

    def _phase_text(self) -> str:
        view = self.view
        left = view.remaining(self.client.now())
        match view.phase:
            case "countdown":
                return text("tui.race.get_ready")
            case "grace" if left is not None:
                return text("tui.race.grace_left", time=clock_text(left))
            case "racing" if left is not None:
                return text("tui.race.limit_left", time=clock_text(left))
            case _:
                return ""

    def update(self) -> None:  # noqa: D102
        if self.view.room is None:
            self._divide()
            super().update()
            looking = text("tui.race.looking")
            self._area.canvas.show_message([text_row(looking, self.look.soft)])
            return
        self._ring()
        self._input.tick(self.client.now())
        self._divide()
        super().update()
        self._show_panel()
        self._show_boards()

    def _ring(self) -> None:
        """Ring the bell once when our board can be played."""
        view = self.view
        if (
            view.phase == "racing"
            and view.racing
            and not view.locked(self.client.now())
        ):
            if not self._rang:
                self.program.bell()
            self._rang = True

    def _divide(self) -> None:
        view, spectator, rows = self.view, self._spectator, self.body_height()
        sides = (view.room.rules.width, view.room.rules.height) if view.room else (4, 4)
        lanes = max(1, len(view.lanes) or len(view.present_players()))
        all_boards = spectator.active and spectator.followed() is None
        boards = len(spectator.lanes()) if all_boards else 0
        width = self.size.width
        if boards > 1:
            self._area.divide(spectator_layout(boards, sides, width, rows))
        else:
            self._area.divide(race_layout(sides, width, rows, lanes))

    def _show_boards(self) -> None:
        view, spectator = self.view, self._spectator
        if view.board is not None and not spectator.active:
            self._area.show_one(view.board, self.look, self._card())
            if self._reported is not view.attempt:
                self._reported = view.attempt
                self.call_after_refresh(self.client.painted)
            return
        followed = spectator.followed()
        if followed is not None and followed.board is not None:
            mark = stamp(followed, self.look, self._area.division.board[0])
            self._area.show_one(followed.board, self.look, stamp=mark)
        elif spectator.lanes():
            placed = spectator.place_all(self.look, *self._area.division.board)
            self._area.canvas.show(placed, self.look)
        else:
            self._show_message()

    def _card(self) -> list[Row]:
        """Return our result, while our solved board is shown."""
        view, now = self.view, self.client.now()
        solved_at = view.solved_at
        if solved_at is None or not view.finish_stands(now):
            return []
        if now < solved_at + CARD_MS:
            return []
        time = duration(view.clock(now) or 0)
        columns, rows = self._area.division.board
        shown = text("tui.race.seconds", time=time)
        card = finish_card(self._racers(), shown, self.look)
        fits = len(card) <= rows and cells(card[0][0].text) <= columns
        return card if fits else []

    def _show_message(self) -> None:
        """Show the countdown, GO, or why there is no board."""
        view, now = self.view, self.client.now()
        if view.phase in ("racing", "grace") and (view.clock(now) or 0) > GO_MS:
            message = [text_row(text("tui.race.no_boards"), self.look.soft)]
        elif view.phase == "lobby":
            message = [text_row(text("tui.race.get_ready"), self.look.soft)]
        else:
            left = view.remaining(now) if view.phase == "countdown" else None
            content = f"{-(-left // 1000)}" if left else text("tui.race.go")
            space = self._area.division.board
            message = large_message(content, self.look.accent, *space)
        self._area.canvas.show_message(message)

    def _follow(self) -> None:
        """Bring the leaderboard up to date."""
        view, now = self.view, self.client.now()
        if self._race != view.race:
            self._race, self._leaderboard = view.race, Leaderboard()
        self._since = now - (view.t0 if view.t0 is not None else now)
        lanes = list(view.lanes.values()) or self._starters()
        self._leaderboard.update(lanes, view.seat, self._since)
        self._lanes = {lane.seat: self.with_reaction(copy(lane)) for lane in lanes}

    def _rank(self, seat: int) -> str:
        return self._leaderboard.rank(seat)

    def _racers(self) -> Racers:
        away = {who.id for who in self.view.members.values() if not who.connected}
        seat, heard = self.view.seat, self.view.online and not self.view.overdue
        return Racers(self._lanes, self._leaderboard, seat, away, self._since, heard)

    def _show_panel(self, *, rivals: bool = True) -> None:
        """Show clock, place and the leaderboard.

        Args:
            rivals: update the rows of rivals, too.
        """
        view, wide = self.view, self._area.division.wide
        if rivals:
            self._follow()
            self._row_cache = {}
        elif view.lane is not None:
            self._lanes[view.lane.seat] = copy(view.lane)
            self._row_cache.pop(view.lane.seat, None)
        racers = self._racers()
        columns, rows = self._area.division.panel
        width = columns - 1
        figures = self._figures(racers, width, rows) if wide else []
        free = max(0, rows - len(figures) - (1 if wide else 0))
        pace = self._pace_rows(width)
        if len(racers) + len(pace) > free:  # a small screen shows rivals first
            pace = []
        slots = free - len(pace)
        shown = racer_rows(racers, self.look, width, slots, self._row_cache)
        shown += pace
        slots += len(pace)
        if wide:
            if 2 * len(shown) <= slots:  # leave empty rows between them
                shown = [row for each in shown for row in (each, text_row(""))]
            space = slots - len(shown)
            shown += [text_row("")] * space
            shown.append(self._state_row(racers, width))
        self._area.panel.show([*figures, *shown])

    def _pace_rows(self, width: int) -> list[Row]:
        """Return the lane of our best attempt, while we race and if there is one."""
        view, curve = self.view, self.program.pace.curve
        clock = view.clock(self.client.now())
        if curve is None or clock is None or view.lane is None or view.board is None:
            return []
        if self.program.settings.pace == "off" or view.locked(self.client.now()):
            return []
        return [pace_row(curve, view.lane.high, clock, self.look, width)]

    def _starters(self) -> list[Lane]:
        """Return the expected racers, before the server has sent the roster."""
        return [
            Lane(who.seat, who.id, who.name, who.bot)
            for who in self.view.present_players()
            if who.ready and who.seat is not None
        ]

    def _figures(self, racers: Racers, width: int, rows: int) -> list[Row]:
        """Return clock, place and counts, as large as the racers leave room for."""
        view, look, now = self.view, self.look, self.client.now()
        clock = view.clock(now)
        shown, colour = clock_text(clock or 0), look.ink
        locked = view.locked(now)
        if locked:
            shown, colour = clock_text(locked), look.accent
        elif view.board and view.done:
            shown, colour = duration(clock or 0), look.good
        elif view.phase in ("racing", "grace") and clock is not None and clock < GO_MS:
            shown, colour = text("tui.race.go"), look.accent
        scale = 0
        while scale < MAX_CLOCK_SCALE:
            columns, height = big_size(shown, scale + 1)
            if columns > width or height + 4 + len(racers.lanes) > rows:
                break
            scale += 1
        counts = ""
        if view.board is not None:
            counts = count_text(view.stm, clock)
            done = f"{percent(view.lane.high)}  " if view.lane else ""
            if cells(done + counts + place_text(racers)) < width or scale == 0:
                counts = done + counts
        place = place_text(racers)
        return [
            *figure_rows(shown, place, counts, look, width, scale, colour),
            text_row(""),
        ]

    def _state_row(self, racers: Racers, width: int) -> Row:
        """Return our result, what to do or wait for, or who leads."""
        content, colour = self._state_text(), self.look.soft
        if not content:
            content, won = news_text(racers)
            colour = self.look.good if won else self.look.soft
        return text_row(fitted(content, width), colour)

    def _state_text(self) -> str:
        """Return our result, or what to do or wait for."""
        view, lane = self.view, self.view.lane
        if self._input.pending:
            return text("tui.input.pending", digits=self._input.pending)
        followed = self._spectator.followed()
        if followed is not None:
            return self._spectator.describe(followed)
        if view.locked(self.client.now()):
            return text("tui.race.locked")
        if lane is not None and lane.status == "finished" and lane.time_ms is not None:
            return _solved_text(lane, lane.time_ms)
        if view.done:
            return text("tui.race.solved_pending")
        if lane is not None and lane.status != "racing":
            return out_text(lane.status, lane.why)
        if view.lanes and lane is None and (waits := self._wait_text()):
            return waits
        if view.left_out and view.left_out == view.race:
            return text("tui.race.left_out")
        if view.phase == "countdown" and view.is_alone:
            return ""
        if view.phase == "countdown":
            return text("tui.race.you_race" if view.ready else "tui.race.not_ready")
        if self.plays and not view.stm:
            return text("tui.race.keys", keys=sliding_keys(self.program.settings))
        if view.board is None and not view.lanes:
            return text("tui.race.watching")
        return ""

    def _wait_text(self) -> str:
        """Return when somebody who came during a race of a quick room races."""
        view = self.view
        if view.kind != "quick" or not view.may_race:
            return ""
        left = view.next_race_in(self.client.now())
        if left is None:
            return text("tui.race.next_race")
        return text("tui.race.next_race_in", seconds=-(-left // 1000))

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        view, program = self.view, self.program
        if view.room is None:
            return self.help_and_leave()
        actions: list[Action] = []
        if view.phase == "countdown" and not view.lanes and view.may_race:
            actions += [] if view.is_alone else [self.ready_action()]
        if view.can_undo(self.client.now()):
            undo, command = text("tui.key.undo_giving_up"), Undo(view.race)
            actions.append(Action("u", undo, lambda: program.send(command), once=True))
        elif view.racing and view.kind == "solo":
            actions.append(Action("n", text("tui.key.next_board"), self._skip))
        elif view.racing:
            actions.append(Action("f", text("tui.key.give_up"), self._give_up))
        actions += [*self._spectator.actions(), *self._warm_up_action()]
        if view.can_call_off:
            actions.append(Action("x", text("tui.key.call_off"), self._call_off))
        if view.is_host and view.phase == "grace":
            actions.append(Action("e", text("tui.key.end_now"), self._end_now))
        if view.board is not None or self._spectator.lanes():
            actions += picture_actions(program, *self.size)
        return [*actions, *self.react_action(), *self.help_and_leave()]

    def _warm_up_action(self) -> list[Action]:
        """Return the action for somebody who came during a race of a quick room."""
        view, room = self.view, self.view.room
        waits = view.lanes and view.lane is None and view.may_race
        if room is None or view.kind != "quick" or not waits:
            return []
        size, label = room.rules.size, text("tui.key.warm_up")
        return [Action("w", label, lambda: self.program.warm_up(size))]

    def _give_up(self) -> None:
        command = Forfeit(self.view.race)
        yes = Action("y", text("tui.key.give_up"), lambda: self.program.send(command))
        daily = self.view.kind == "daily"
        question = text("tui.daily.give_up" if daily else "tui.race.give_up_question")
        self.ask(question, yes, no=text("tui.key.race_on"))

    def _skip(self) -> None:
        """Deal the next board; ask first if this one counts as begun."""
        if not self.view.stm:
            self.program.next_board()
            return
        yes = Action("y", text("tui.key.next_board"), self.program.next_board)
        self.ask(text("tui.ranked.skip_question"), yes, no=text("tui.key.play_on"))

    def _call_off(self) -> None:
        command = Abort(self.view.race)
        yes = Action("y", text("tui.key.call_off"), lambda: self.program.send(command))
        question = text("tui.race.call_off_question")
        self.ask(question, yes, no=text("tui.key.race_on"))

    def _end_now(self) -> None:
        command = CallTime(self.view.race)
        yes = Action("y", text("tui.key.end_now"), lambda: self.program.send(command))
        question = text("tui.race.end_question")
        self.ask(question, yes, no=text("tui.key.race_on"))

    def first_key(self, key: str) -> bool:  # noqa: D102
        return self._input.key(key, self.program.settings, self.client.now())

    def other_key(self, key: str) -> bool:  # noqa: D102
        if key in UNDO_KEYS and self.view.board is not None:
            self.program.say(text("tui.race.no_undo"))
            return True
        return refuse_picture(self.program, key, self.size.height)

    @property
    def plays(self) -> bool:  # noqa: D102
        return self.board() is not None

    def board(self) -> Board | None:
        """Return the own board, while it is shown and can be played."""
        playable = self.view.racing and not self._spectator.active
        return self.view.board if playable else None

    def slide(self, direction: Direction, count: int) -> bool:
        """Slide, and paint it at once; return False if that is not possible."""
        done = self.client.slide(direction, count, self._input.by)
        if done:
            self.program.played(SLIP_MS, by_number=self._input.by_number)
            with self.program.terminal_diff.batch():
                self._show_boards()
                self._show_panel(rivals=False)
        return done

    def _hint(self, content: str) -> None:
        if not self.view.locked(self.client.now()):
            self.program.hint(content)

    def _press(self, index: int, cell: int) -> None:
        if self._spectator.active:
            self._spectator.click(index)
        else:
            self._input.click(cell)

    def _hover(self, _board: int, cell: int) -> None:
        if self.program.settings.hover == "on" and not self._spectator.active:
            self._input.hover(cell)


def _solved_text(lane: Lane, time_ms: int) -> str:
    time = duration(time_ms)
    if not lane.place:
        return text("tui.race.solved", time=time)
    key = "tui.race.solved_place" if lane.final else "tui.race.solved_place_so_far"
    return text(key, time=time, place=ordinal(lane.place))
