"""The machine's clocks: one monotonic for every duration, one for the calendar.

How a room's own time comes of them, and outlives a process, says
`sliderace_server.room.Timeline`.
"""

import time
from pathlib import Path
from typing import Protocol

__all__ = ["Clock", "SystemClock"]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
"""Linux's name for one run of the machine. Elsewhere: none, so the wall clock."""


class Clock(Protocol):
    """What the server asks the time."""

    boot: str
    """Names this run of the machine; empty where nothing does."""

    def now_ms(self) -> int:
        """Whole ms of the machine's monotonic clock; the same for every process."""
        ...

    def wall_ms(self) -> int:
        """Whole ms since 1970 in UTC; may step."""
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


def _read_boot() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return ""
