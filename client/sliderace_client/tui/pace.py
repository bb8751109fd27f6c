"""Our best attempt at the size of the room: loaded and stored beside the screen."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial

from sliderace.engine import parse_board
from sliderace_client.room.pace_curve import curve_of
from sliderace_client.room.view import RoomView
from sliderace_client.shared_ui.best_curves import best_curve, keep_best_curve
from sliderace_client.shared_ui.recent_times import keep_time

__all__ = ["Pace"]

Find = Callable[[str, int | None], Coroutine[None, None, list[int] | None]]
Run = Callable[[Callable[[], Coroutine[None, None, None]], str], object]


class Pace:
    """The curve of the pace lane.

    Args:
        run: runs something beside the screen, in a group.
        find: returns the curve of an attempt of our profile that is better than a time
            at a size; None: there is none.

    Attributes:
        curve: of our best attempt; None: there is none, or it is not loaded yet. During
            a race it remains that of earlier races.
    """

    def __init__(self, run: Run, find: Find) -> None:
        self.curve: list[int] | None = None
        self._run, self._find = run, find
        self._size = self._kept = ""

    def follow(self, view: RoomView) -> None:
        """Load the curve of the room's size; store ours once we have finished."""
        if view.room is None:
            return
        if not view.in_race and view.room.rules.size != self._size:
            self._size, self.curve = view.room.rules.size, None
            known = view.profile is not None
            self._run(partial(self._load, self._size, known=known), "pace")
        attempt, lane = view.attempt, view.lane
        finished = lane is not None and lane.status == "finished"
        if attempt is None or not finished or attempt.race == self._kept:
            return
        self._kept = attempt.race
        if lane is not None and lane.time_ms is not None:
            self._run(partial(_keep_time, self._size, lane.time_ms), "pace")
        if view.start is None or attempt.base or attempt.approx:
            return
        curve = curve_of(parse_board(view.start), attempt.slides)
        if curve is not None:
            self._run(partial(self._keep, self._size, curve), "pace")

    async def _load(self, size: str, *, known: bool) -> None:
        """Load the best curve; `known`: the server may have a better attempt."""
        curve = await asyncio.to_thread(best_curve, size)
        if size == self._size:
            self.curve = curve
        better = await self._find(size, curve[-1] if curve else None) if known else None
        if better is not None:
            await self._keep(size, better)

    async def _keep(self, size: str, curve: list[int]) -> None:
        try:
            best = await asyncio.to_thread(keep_best_curve, size, curve)
        except OSError:  # the next best attempt tries again
            return
        if best and size == self._size:
            self._size = ""  # load it for the next race


async def _keep_time(size: str, time_ms: int) -> None:
    with suppress(OSError):
        await asyncio.to_thread(keep_time, size, time_ms)
