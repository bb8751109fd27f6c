"""The server, with clocks that a test sets.

    python -m tests.chaos.server_with_clocks OPTIONS

Environment: CLOCKS_BOOT is the boot id of the machine. CLOCKS_MONO_MS is added to its
monotonic clock. The file CLOCKS_WALL contains what is added to its wall clock, in ms; a
test can change it while the server runs.
"""

import asyncio
import os
import sys

from sliderace_server.cli import run
from sliderace_server.clock import SystemClock
from sliderace_server.logging import logging_to
from sliderace_server.settings import load_settings


class OffsetClock(SystemClock):
    """Clocks with offsets."""

    def __init__(self) -> None:
        super().__init__()
        self.boot = os.environ["CLOCKS_BOOT"]
        self._mono = int(os.environ["CLOCKS_MONO_MS"])
        self._wall = os.open(os.environ["CLOCKS_WALL"], os.O_RDONLY)

    def now_ms(self) -> int:
        return super().now_ms() + self._mono

    def wall_ms(self) -> int:
        return super().wall_ms() + int(os.pread(self._wall, 20, 0) or b"0")


if __name__ == "__main__":
    pairs = zip(sys.argv[1::2], sys.argv[2::2], strict=False)
    flags = {name[2:].replace("-", "_"): value for name, value in pairs}
    flags = {name: value for name, value in flags.items() if name != "no_advertise"}
    with logging_to(sys.stderr, "info"):
        asyncio.run(run(load_settings(flags, {}, None), OffsetClock()))
