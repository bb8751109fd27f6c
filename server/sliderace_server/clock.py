"""The machine's clocks: one monotonic for every duration, one for the calendar.

Whoever waits, waits by the same clock that measures. How a room's own time comes of
it, and outlives a process, says `sliderace_server.room.Timeline`.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

__all__ = ["Clock", "SystemClock", "Timer"]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
"""Linux's name for one run of the machine. Elsewhere: none, so the wall clock."""


class Timer(Protocol):
    """Something that will be called, unless it is cancelled."""

    def cancel(self) -> None:
        """Do not call it."""
        ...


class Clock(Protocol):
    """What the server asks the time, and waits by."""

    boot: str
    """Names this run of the machine; empty where nothing does."""

    def now_ms(self) -> int:
        """Whole ms of the machine's monotonic clock; the same for every process."""
        ...

    def wall_ms(self) -> int:
        """Whole ms since 1970 in UTC; may step."""
        ...

    def cpu_s(self) -> float:
        """CPU seconds that this process has used so far, with all its threads."""
        ...

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call a function in the running loop, in so many seconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds."""
        ...


class SystemClock:
    """The clocks of this machine."""

    def __init__(self) -> None:
        self.boot = _read_boot()

    def now_ms(self) -> int:
        """Whole ms of the machine's monotonic clock."""
        return time.monotonic_ns() // 1_000_000

    def wall_ms(self) -> int:
        """Whole ms since 1970 in UTC."""
        return time.time_ns() // 1_000_000

    def cpu_s(self) -> float:
        """CPU seconds that this process has used so far, with all its threads."""
        return time.process_time()

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call a function in the running loop, in so many seconds."""
        return asyncio.get_running_loop().call_later(seconds, call)

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds."""
        await asyncio.sleep(seconds)


def _read_boot() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return ""
