"""Clocks: a monotonic one for durations and waiting, and the wall clock.

`sliderace_server.room.Timeline` derives a room's own time from them, which continues
across restarts. `WatchedClock` notices that the process has stood still.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

__all__ = ["STALL_MS", "Clock", "SystemClock", "Timer", "WatchedClock"]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
"""Identifies the boot on Linux; other systems have no such file."""
_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)
"""On Linux, only this clock continues while the machine is suspended, as the clocks of
the players do. Windows cannot read clocks by number."""
STALL_MS = 250
"""A shorter pause hardly matters: it is within the credit for latency on most
connections, and a busy machine has many."""
_NEVER = 1 << 62


class Timer(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Do not call the function."""
        ...


class Clock(Protocol):
    """The time, and ways to wait."""

    boot: str
    """Identifies the boot of the machine; empty if unknown."""
    stall_ms: int
    """A process that is silent for longer has stood still."""

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

    stall_ms = STALL_MS

    def __init__(self) -> None:
        self.boot = _read_boot()

    def now_ms(self) -> int:
        """Return the machine's monotonic time in whole ms."""
        if _BOOTTIME is None:
            return time.monotonic_ns() // 1_000_000
        return time.clock_gettime_ns(_BOOTTIME) // 1_000_000

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


class WatchedClock:
    """A clock that notices when the process has stood still.

    The process may have been stopped, the machine suspended, or a call may have blocked
    the event loop. The first caller that reads the time after a stall causes `on_stall`
    before it gets the time. So the rooms learn of a stall before they get any message
    that arrived meanwhile, in whichever order the event loop resumes its work.

    Attributes:
        boot: see `Clock`.
        on_stall: called with the start and the end of each stall, ms.

    Args:
        clock: the clock to watch.
    """

    def __init__(self, clock: Clock) -> None:
        self.boot, self.stall_ms = clock.boot, clock.stall_ms
        self.on_stall: list[Callable[[int, int], None]] = []
        self._read = clock.now_ms
        self.wall_ms, self.cpu_s = clock.wall_ms, clock.cpu_s
        self.later, self.sleep = clock.later, clock.sleep
        self._beat_ms = 0
        self._latest_ms = _NEVER

    def now_ms(self) -> int:
        """Return the time, ms; note a stall that has just ended."""
        now = self._read()
        if now > self._latest_ms:
            now = self._note_stall(now)
        return now

    def _note_stall(self, now: int) -> int:
        """Report a stall that ended at `now`; return the time afterwards.

        The reports may take long in a server with many rooms. This does not count as a
        stall; otherwise each report would cause the next one.
        """
        since, self._latest_ms = self._beat_ms, _NEVER
        try:
            for call in self.on_stall:
                call(since, now)
        finally:
            self._beat_ms = now = self._read()
            self._latest_ms = now + self.stall_ms
        return now

    def beat(self, next_ms: int | None) -> None:
        """Note that the process runs.

        Args:
            next_ms: the next call follows after so many ms; None: it may be late.
        """
        self._beat_ms = now = self.now_ms()
        silence_ms = _NEVER if next_ms is None else max(self.stall_ms, 2 * next_ms)
        self._latest_ms = now + silence_ms


def _read_boot() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return ""
