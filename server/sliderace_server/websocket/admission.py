"""Lets requests in one after the other, so that a crowd at the door stops no race."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from sliderace_server.clock import Timer

__all__ = ["AdmissionQueue", "LoopTime"]

GAP_MS = 1
"""Between two requests: about what a handshake takes. A slide's way to its ack is some
six turns of the loop, and a handshake in each of them would be felt."""
AT_ONCE = 4
"""Requests let in together after turns that took long: on a server that is busy with
races those who come back must not wait for ever."""


class Time(Protocol):
    """As much of a clock as the gaps need."""

    def now_ms(self) -> int:
        """Whole ms, never backwards."""
        ...

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call a function in so many seconds."""
        ...


class LoopTime:
    """The running loop's own: what is bounded are its turns, whatever a race's time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def now_ms(self) -> int:
        """Whole ms of the loop's clock."""
        return int(self._loop.time() * 1_000)

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call a function in so many seconds."""
        return self._loop.call_later(seconds, call)


class AdmissionQueue:
    """A line before the door.

    Args:
        clock: for the gaps.
    """

    def __init__(self, clock: Time) -> None:
        self._clock = clock
        self._line = deque[Callable[[], bool]]()
        self._last_ms = clock.now_ms() - GAP_MS
        self._timer: Timer | None = None

    def come(self, enter: Callable[[], bool]) -> None:
        """Stand in the line; where there is none, go in now.

        Args:
            enter: called when it is one's turn; False: one has gone away meanwhile.
        """
        self._line.append(enter)
        if self._timer is None:
            self._open()

    def close(self) -> None:
        """Let nobody in any more."""
        self._line.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _open(self) -> None:
        self._timer = None
        now = self._clock.now_ms()
        free = min(AT_ONCE, (now - self._last_ms) // GAP_MS)
        try:
            while self._line and free > 0:
                if self._line.popleft()():
                    free -= 1
                    self._last_ms = now
        finally:  # who stumbles holds nobody up
            if self._line:
                self._timer = self._clock.later(GAP_MS / 1_000, self._open)
