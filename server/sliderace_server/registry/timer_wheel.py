"""The timer wheel: one timer of the event loop wakes each room at its deadline.

Every room has one deadline. Rooms with the same deadline share a slot, so even a server
with hundreds of rooms sets few timers of the loop.
"""

import heapq
from collections import deque
from typing import Protocol

from sliderace_server.clock import Clock, Timer

__all__ = ["Sleeper", "TimerWheel"]

_NEVER = 1 << 62
_SPARE = 64
"""Outdated entries that may remain, beyond one per room, before the wheel is rebuilt: a
room's distant deadline moves with almost every command."""


class Sleeper(Protocol):
    """An object that a timer wheel wakes."""

    def wake(self) -> None:
        """Carry out what is due, and set the next deadline."""
        ...


class TimerWheel:
    """Wakes each sleeper at its deadline.

    Args:
        clock: the machine's clock.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._deadlines: dict[Sleeper, int] = {}
        self._slots: dict[int, deque[Sleeper]] = {}
        self._moments: list[int] = []
        self._entries = 0
        self._timer: Timer | None = None
        self._timer_at = _NEVER
        self._earliest = 0

    def set(self, sleeper: Sleeper, at: int | None) -> None:
        """Set a sleeper's deadline; it replaces the previous one.

        Args:
            sleeper: the object to wake.
            at: ms of the monotonic clock, immediately if it has passed; None: never.
        """
        if at is None:
            self._deadlines.pop(sleeper, None)
        elif self._deadlines.get(sleeper) != at:
            at = max(at, self._earliest)
            self._deadlines[sleeper] = at
            self._add(sleeper, at)
            if self._entries > 2 * len(self._deadlines) + _SPARE:
                self._rebuild()
            if at < self._timer_at:
                self._set_timer(at)

    def _add(self, sleeper: Sleeper, at: int) -> None:
        slot = self._slots.get(at)
        if slot is None:
            slot = self._slots[at] = deque()
            heapq.heappush(self._moments, at)
        slot.append(sleeper)
        self._entries += 1

    def _rebuild(self) -> None:
        """Drop outdated entries."""
        self._slots, self._moments, self._entries = {}, [], 0
        for sleeper, at in self._deadlines.items():
            self._add(sleeper, at)

    def _set_timer(self, at: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        wait = max(0, at - self._clock.now_ms())
        self._timer_at = at
        self._timer = self._clock.later(wait / 1_000, self._wake_due)

    def _wake_due(self) -> None:
        now = self._clock.now_ms()
        self._timer, self._timer_at = None, -1
        self._earliest = now + 1  # what is due again now waits for the next turn
        try:
            while self._moments and (at := self._moments[0]) <= now:
                slot = self._slots[at]
                while slot:
                    sleeper = slot.popleft()
                    self._entries -= 1
                    if self._deadlines.get(sleeper) == at:
                        del self._deadlines[sleeper]
                        sleeper.wake()
                if self._moments and self._moments[0] == at:  # no rebuild meanwhile
                    heapq.heappop(self._moments)
                    del self._slots[at]
        finally:  # an error in one room must not stop the others
            self._earliest, self._timer_at = 0, _NEVER
            if self._moments:
                self._set_timer(self._moments[0])
