"""Admission control: new requests are handled one at a time, in order of arrival.

Hundreds of clients may connect in the same moment: a class opens the same link, or all
clients reconnect after a restart. A handshake costs about as much as several slides, so
handling all of them at once would delay the acks of every race in progress.

Rules:

- Requests are admitted in FIFO order, one per `INTERVAL_MS`.
- A request that finds the queue empty, and no other admitted just before it, is
  admitted immediately.
- If a turn of the event loop takes longer than the interval, the next turn makes up for
  it with several requests, at most `MAX_BATCH`.
- A request whose client has disconnected does not use up an interval.
- If admitting one request raises an exception, the next requests are still admitted.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from sliderace_server.clock import Timer

__all__ = ["AdmissionQueue", "LoopClock"]

INTERVAL_MS = 1
"""Between two requests: about the duration of a handshake. A slide and its ack take
about six turns of the loop, and a handshake in each of them would be noticeable."""
MAX_BATCH = 4
"""Requests admitted in one turn after slow turns: on a server that is busy with races,
reconnecting players must not wait too long."""


class AdmissionClock(Protocol):
    """The part of a clock that the admission queue uses."""

    def now_ms(self) -> int:
        """Return monotonic time in whole ms."""
        ...

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call a function after a delay."""
        ...


class LoopClock:
    """The event loop's own clock.

    Admission is spread over turns of the loop, so it uses the loop's time even where a
    test gives races another clock.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def now_ms(self) -> int:
        """Return the loop's time in whole ms."""
        return int(self._loop.time() * 1_000)

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call a function after a delay."""
        return self._loop.call_later(seconds, call)


class AdmissionQueue:
    """Requests that wait to be admitted.

    Args:
        clock: measures the intervals.
    """

    def __init__(self, clock: AdmissionClock) -> None:
        self._clock = clock
        self._waiting = deque[Callable[[], bool]]()
        self._last_ms = clock.now_ms() - INTERVAL_MS
        self._timer: Timer | None = None

    def enqueue(self, admit: Callable[[], bool]) -> None:
        """Add a request; admit it now if none is waiting.

        Args:
            admit: called once the request is admitted; returns False if its client has
                disconnected.
        """
        self._waiting.append(admit)
        if self._timer is None:
            self._admit_waiting()

    def close(self) -> None:
        """Discard all waiting requests."""
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _admit_waiting(self) -> None:
        self._timer = None
        now = self._clock.now_ms()
        free = min(MAX_BATCH, (now - self._last_ms) // INTERVAL_MS)
        try:
            while self._waiting and free > 0:
                if self._waiting.popleft()():
                    free -= 1
                    self._last_ms = now
        finally:  # an exception in one request must not block the others
            if self._waiting:
                self._timer = self._clock.later(
                    INTERVAL_MS / 1_000, self._admit_waiting
                )
