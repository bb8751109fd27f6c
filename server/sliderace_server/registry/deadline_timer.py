"""Wakes a room at the next moment at which something happens by itself."""

from collections.abc import Callable

from sliderace_server import room
from sliderace_server.clock import Timer
from sliderace_server.live_room.services import Services
from sliderace_server.room import RoomState, Timeline

__all__ = ["DeadlineTimer"]


class DeadlineTimer:
    """One room's timer.

    Args:
        services: the clock, and the operator's figures.
        state: the room.
        timeline: its time.
        wake: called when the moment has come; set it again then.
    """

    def __init__(
        self,
        services: Services,
        state: RoomState,
        timeline: Timeline,
        wake: Callable[[], None],
    ) -> None:
        self._services = services
        self._state = state
        self._timeline = timeline
        self._wake = wake
        self._timer: Timer | None = None

    @property
    def is_set(self) -> bool:
        """Whether it will wake the room."""
        return self._timer is not None

    def set(self, *others: int | None, least_ms: int = 0) -> None:
        """Wake the room at its next deadline, or at another moment before that.

        Args:
            others: such moments, in room time; None: no moment.
            least_ms: how long to wait where the moment is over.
        """
        self.cancel()
        deadline = room.next_deadline(self._state, self._services.room_limits)
        due = min((at for at in (deadline, *others) if at is not None), default=None)
        if due is None:
            return
        clock = self._services.clock
        wait = self._timeline.mono(due) - clock.now_ms()
        self._timer = clock.later((wait if wait > 0 else least_ms) / 1_000, self._ring)

    def cancel(self) -> None:
        """Do not wake it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        self._wake()
