"""Watching a race: whose boards are seen, where they stand, and whom to follow."""

from collections.abc import Callable, Sequence
from functools import partial

from sliderace_client.room.lanes import Lane
from sliderace_client.shared_ui.render import Paint, Row, Run
from sliderace_client.shared_ui.wording import duration
from sliderace_client.tui.actions import Action
from sliderace_client.tui.focus import Camera
from sliderace_client.tui.layout import Placed, mosaic
from sliderace_client.tui.rows import fitted, out_text, percent
from sliderace_client.tui.screens.screen import RoomPage

__all__ = ["Watching"]


class Watching(RoomPage):
    """A page on which the boards of others can be seen."""

    def __init__(self) -> None:
        super().__init__()
        self._camera = Camera()
        self._on_canvas: list[int] = []
        self._look_around: bool | None = None
        self._from = 0
        self._fit = 0

    @property
    def _sides(self) -> tuple[int, int]:
        room = self.model.room
        return (room.rules.width, room.rules.height) if room else (4, 4)

    def _followed(self) -> Lane | None:
        """Whose board alone is shown, if it is not one's own."""
        if not self._watching() or self._camera.wide:
            return None
        return self._camera.followed(self._best_first())

    def _best_first(self) -> list[Lane]:
        seen = {lane.seat for lane in self._others()}
        return [lane for lane in self.model.order() if lane.seat in seen]

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
        self._on_canvas = [lane.seat for lane in shown]
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

    def _cameras(self) -> list[Action]:
        """Where a spectator may look."""
        todo: list[Action] = []
        camera = self._camera
        if camera.wide and self._fit < len(self._others()):
            todo.append(Action("n", "more boards", self._turn, ("pagedown",)))
        if not camera.leads:
            todo.append(Action("l", "leader", lambda: self._aim(camera.leader)))
        followed = self._followed()
        if camera.leads and followed is not None:
            seat = followed.seat
            todo.append(Action("p", "pin", lambda: self._aim(lambda: camera.pin(seat))))
        order = self._best_first()
        for key, label, also, step in (
            ("→", "next", ("right",), 1),
            ("←", "previous", ("left",), -1),
        ):
            aim = partial(self._aim, partial(camera.turn, order, step))
            todo.append(Action(key, label, aim, also, repeats=True))
        if not camera.wide:
            todo.append(Action("a", "all boards", lambda: self._aim(camera.all)))
        return todo

    def _aim(self, how: Callable[[], None]) -> None:
        how()
        self.update()

    def _look(self) -> None:
        self._look_around = not self._watching()
        self.update()

    def _turn(self) -> None:
        self._from += max(1, self._fit)
        self.update()

    def _pick_board(self, index: int) -> None:
        """A click on a board among several follows it; on one alone shows all again."""
        if self._followed() is not None:
            self._aim(self._camera.all)
        elif index < len(self._on_canvas):
            seat = self._on_canvas[index]
            self._aim(partial(self._camera.pin, seat))

    def _whose(self, lane: Lane) -> str:
        how = "leads" if self._camera.leads else "pinned"
        order = self._best_first()
        done = [one.name for one in order if one.status == "finished"]
        if self._camera.leads and done and lane.status == "racing":
            how = f"leads the rest; ✓ {', '.join(done)}"
        return f"{lane.name}, {percent(lane.high)} ({how})"
