"""Clocks: a monotonic one for durations and waiting, and the wall clock.

`sliderace_server.room.Timeline` derives a room's own time from them, which continues
across restarts.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

__all__ = ["Clock", "SystemClock", "Timer"]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
"""Identifies the boot on Linux; other systems have no such file."""


class Timer(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Do not call the function."""
        ...


class Clock(Protocol):
    """The time, and ways to wait."""

    boot: str
    """Identifies the boot of the machine; empty if unknown."""

    def now_ms(self) -> int:
        """Return the machine's monotonic time in whole ms, equal in all processes."""
        ...

    def wall_ms(self) -> int:
        """Return whole ms since 1970 in UTC; the wall clock may be set."""
        ...

    def cpu_s(self) -> float:
        """Return the CPU seconds that this process has used, in all its threads."""
        ...

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call a function in the running event loop after a delay."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """This machine's clocks."""

    def __init__(self) -> None:
        self.boot = _read_boot()

    def now_ms(self) -> int:
        """Return the machine's monotonic time in whole ms."""
        return time.monotonic_ns() // 1_000_000

    def wall_ms(self) -> int:
        """Return whole ms since 1970 in UTC."""
        return time.time_ns() // 1_000_000

    def cpu_s(self) -> float:
        """Return the CPU seconds that this process has used, in all its threads."""
        return time.process_time()

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call a function in the running event loop after a delay."""
        return asyncio.get_running_loop().call_later(seconds, call)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def _read_boot() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return ""
