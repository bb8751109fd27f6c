"""A past race, watched again: all boards, the leaderboard, and a clock."""

from collections.abc import Iterable
from functools import partial

from textual.widget import Widget

from sliderace.proof.record import WrittenRace
from sliderace.texts import text
from sliderace_client.room.leaderboard import Leaderboard
from sliderace_client.room.race_replay import Playhead, RaceReplay
from sliderace_client.room.view import RoomView
from sliderace_client.shared_ui.render import Row
from sliderace_client.tui.actions import Action
from sliderace_client.tui.layout import race_layout, spectator_layout
from sliderace_client.tui.race_panel import (
    Racers,
    figure_rows,
    news_text,
    racer_rows,
)
from sliderace_client.tui.rows import clock_text, fitted, text_row
from sliderace_client.tui.screens.board_area import BoardArea
from sliderace_client.tui.screens.screen import BaseScreen, Program
from sliderace_client.tui.screens.spectating import SpectatorView, stamp

__all__ = ["ReplayScreen"]

JUMP_MS = 1_000
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


class ReplayScreen(BaseScreen):
    """A race from its record; it plays at once.

    Args:
        program: shows this screen.
        record: of the race.
        mine: the player's seat, if they were in it.
    """

    def __init__(
        self, program: Program, record: WrittenRace, mine: int | None = None
    ) -> None:
        super().__init__(program)
        self._record = record
        self._replay = RaceReplay(record)
        self._playhead = Playhead(self._replay.length)
        self._playhead.toggle()
        self._updated_at: int | None = None
        self._mine = mine
        self._view = RoomView()
        self._leaderboard = Leaderboard()
        self._area = BoardArea(self._press, lambda _board, _cell: None)
        self._spectator = SpectatorView(
            lambda: self._view,
            program.now,
            self.update,
            self._leaderboard_rank,
            turn_keys=("down", "up"),
        )

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._area

    def on_screen_suspend(self) -> None:
        """Pause while another screen covers this one."""
        self._updated_at = None

    # --- Display ----------------------------------------------------------------------

    def head(self) -> str:  # noqa: D102
        if self._area.division.wide:
            return text("tui.replay.head", race=self._record.race)
        followed = self._spectator.followed()
        more = self._spectator.describe(followed) if followed else self._speed_text()
        return f"{self._clock_text()}  {more}"

    def _speed_text(self) -> str:
        return text("tui.replay.speed", speed=f"{self._playhead.speed:g}")

    def _clock_text(self) -> str:
        clock, length = clock_text(self._playhead.t), clock_text(self._playhead.length)
        return text("tui.replay.clock", clock=clock, length=length)

    def update(self) -> None:  # noqa: D102
        now = self.program.now()
        if self._updated_at is not None:
            self._playhead.advance(now - self._updated_at)
        self._updated_at = now
        self._view.lanes = self._replay.at(self._playhead.t)
        self._leaderboard.update(
            self._view.lanes.values(), self._mine, self._playhead.t
        )
        self._divide()
        super().update()
        self._show_panel()
        self._show_boards()

    def _leaderboard_rank(self, seat: int) -> str:
        return self._leaderboard.rank(seat)

    def _divide(self) -> None:
        size, count = self._record.board.size, len(self._view.lanes)
        width, rows = self.size.width, self.body_height()
        if count > 1 and self._spectator.followed() is None:
            self._area.divide(spectator_layout(count, size, width, rows))
        else:
            self._area.divide(race_layout(size, width, rows, count))

    def _show_boards(self) -> None:
        followed = self._spectator.followed()
        if followed is not None and followed.board is not None:
            mark = stamp(followed, self.look, self._area.division.board[0])
            self._area.show_one(followed.board, self.look, stamp=mark)
        else:
            placed = self._spectator.place_all(self.look, *self._area.division.board)
            self._area.canvas.show(placed, self.look)

    def _show_panel(self) -> None:
        division, look = self._area.division, self.look
        columns, rows = division.panel
        width = columns - 1
        racers = Racers(
            self._view.lanes, self._leaderboard, self._mine, (), self._playhead.t
        )
        figures: list[Row] = []
        if division.wide:
            clock, speed = self._clock_text(), self._speed_text()
            figures = figure_rows(clock, speed, "", look, width, 0, look.ink)
        slots = max(0, rows - len(figures) - (1 if division.wide else 0))
        shown = racer_rows(racers, look, width, slots)
        if division.wide:
            shown += [text_row("")] * (slots - len(shown))
            shown.append(self._state_row(racers, width))
        self._area.panel.show([*figures, *shown])

    def _state_row(self, racers: Racers, width: int) -> Row:
        followed = self._spectator.followed()
        if followed is not None:
            content, won = self._spectator.describe(followed), False
        else:
            content, won = news_text(racers)
        colour = self.look.good if won else self.look.soft
        return text_row(fitted(content, width), colour)

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        playhead = self._playhead
        play = text("tui.key.pause" if playhead.playing else "tui.key.play")
        return [
            Action("space", play, self._toggle, (" ", "k")),
            Action("←", text("tui.key.earlier"), partial(self._jump, -1), ("left",)),
            Action("→", text("tui.key.later"), partial(self._jump, 1), ("right",)),
            Action(",", text("tui.key.move_back"), partial(self._step, -1)),
            Action(".", text("tui.key.move_forward"), partial(self._step, 1)),
            Action("-", text("tui.key.slower"), partial(self._change_speed, -1)),
            Action("+", text("tui.key.faster"), partial(self._change_speed, 1), ("=",)),
            *self._spectator.actions(),
            Action("?", text("tui.key.help"), self._help),
            Action("q", text("tui.key.back"), self._close, ("escape",)),
        ]

    def other_key(self, key: str) -> bool:  # noqa: D102
        if key in ("home", "end"):
            self._seek(0 if key == "home" else self._playhead.length)
        return key in ("home", "end")

    def _help(self) -> None:
        self.program.show_help("replay")

    def _close(self) -> None:
        self.program.close_screen(self)

    def _toggle(self) -> None:
        if not self._playhead.playing and self._playhead.t >= self._playhead.length:
            self._leaderboard = Leaderboard()
        self._playhead.toggle()
        self.update()

    def _jump(self, way: int) -> None:
        self._seek(self._playhead.t + way * JUMP_MS)

    def _step(self, way: int) -> None:
        self._playhead.playing = False
        self._seek(self._replay.step(self._playhead.t, way))

    def _seek(self, t: int) -> None:
        """Go to a moment; the order of racers there is shown at once."""
        self._updated_at = None
        self._playhead.seek(t)
        self._leaderboard = Leaderboard()
        self.update()

    def _change_speed(self, way: int) -> None:
        at = SPEEDS.index(self._playhead.speed) + way
        self._playhead.speed = SPEEDS[max(0, min(at, len(SPEEDS) - 1))]
        self.update()

    def _press(self, index: int, _cell: int) -> None:
        self._spectator.click(index)
