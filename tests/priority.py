"""Priority for programs whose time counts, beside tests that keep all cores busy."""

import os
from contextlib import suppress
from subprocess import Popen
from typing import Any

__all__ = ["prefer"]

NICENESS = -10


def prefer(process: Popen[Any]) -> None:
    """Let a program run before others, where this is allowed (mostly for root only).

    What a server counts must not depend on a busy machine: after a stall of 250 ms, a
    time does not count towards bests.
    """
    with suppress(PermissionError, ProcessLookupError):
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
