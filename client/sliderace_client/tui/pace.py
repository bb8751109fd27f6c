"""Our best attempt at the size of the room: loaded and stored beside the screen."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial

from sliderace.engine import parse_board
from sliderace_client.room.pace_curve import curve_of
from sliderace_client.room.view import RoomView
from sliderace_client.shared_ui.best_curves import best_curve, keep_best_curve

__all__ = ["Pace"]

Run = Callable[[Callable[[], Coroutine[None, None, None]], str], object]


class Pace:
    """The curve of the pace lane.

    Args:
        run: runs something beside the screen, in a group.

    Attributes:
        curve: of our best attempt; None: there is none, or it is not loaded yet. During
            a race it remains that of earlier races.
    """

    def __init__(self, run: Run) -> None:
        self.curve: list[int] | None = None
        self._run = run
        self._size = self._kept = ""

    def follow(self, view: RoomView) -> None:
        """Load the curve of the room's size; store ours once we have finished."""
        if view.room is None:
            return
        if not view.in_race and view.room.rules.size != self._size:
            self._size, self.curve = view.room.rules.size, None
            self._run(partial(self._load, self._size), "pace")
        attempt, lane = view.attempt, view.lane
        finished = lane is not None and lane.status == "finished"
        if attempt is None or not finished or attempt.race == self._kept:
            return
        self._kept = attempt.race
        if view.start is None or attempt.base or attempt.approx:
            return
        curve = curve_of(parse_board(view.start), attempt.slides)
        if curve is not None:
            self._run(partial(self._keep, self._size, curve), "pace")

    async def _load(self, size: str) -> None:
        curve = await asyncio.to_thread(best_curve, size)
        if size == self._size:
            self.curve = curve

    async def _keep(self, size: str, curve: list[int]) -> None:
        try:
            best = await asyncio.to_thread(keep_best_curve, size, curve)
        except OSError:  # the next best attempt tries again
            return
        if best and size == self._size:
            self._size = ""  # load it for the next race
