"""A clock that tests advance."""

import asyncio
from collections.abc import Callable

__all__ = ["ManualClock"]


class _Timer:
    def __init__(self, at: float, call: Callable[[], None]) -> None:
        self.at, self.call, self.live = at, call, True

    def cancel(self) -> None:
        self.live = False


class ManualClock:
    """A clock that advances only when a test calls `advance`."""

    boot = "test"
    stall_ms = 250

    def __init__(self) -> None:
        self._now = 1_000.0
        self._timers: list[_Timer] = []

    def now_ms(self) -> int:
        return int(self._now)

    def wall_ms(self) -> int:
        return 1_700_000_000_000 + int(self._now)

    def cpu_s(self) -> float:
        return 0.0  # never busy

    def later(self, seconds: float, call: Callable[[], None]) -> _Timer:
        timer = _Timer(self._now + seconds * 1_000, call)
        self._timers.append(timer)
        return timer

    async def sleep(self, seconds: float) -> None:  # noqa: ARG002
        await asyncio.sleep(0)

    def advance(self, ms: int) -> None:
        """Let time pass, and fire every timer at its time."""
        until = self._now + ms
        while due := [one for one in self._timers if one.live and one.at <= until]:
            first = min(due, key=lambda one: one.at)
            self._timers.remove(first)
            self._now = max(self._now, first.at)
            first.call()
        self._now = until

    def stall(self, ms: int) -> None:
        """Let time pass without firing timers."""
        self._now += ms
