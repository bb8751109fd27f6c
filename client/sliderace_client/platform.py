"""Where operating systems differ, and what is done on each.

The system is an argument, named as `sys.platform` names it, so that what happens on
Windows is tested everywhere.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = [
    "WINDOWS",
    "clears",
    "encoding_of",
    "hear",
    "lock",
    "on_its_own",
    "run_to_its_end",
]

WINDOWS = "win32"
CLOSING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals that ask for an end. Windows has no SIGHUP: a console that is closed is a
SIGBREAK there, and so is Ctrl-Break."""
NEW_GROUP, NO_WINDOW = 0x200, 0x0800_0000
"""As `subprocess` has them on Windows only: Ctrl-C does not reach the process, and
neither does the end of our console."""
LOCKED_BYTE = 1 << 30
"""Windows keeps others from reading what is locked: lock far behind the text."""


def hear(
    heard: Callable[[signal.Signals], object],
    loop: "AbstractEventLoop",
    names: Iterable[str] = CLOSING,
) -> None:
    """Have the loop call `heard` for each signal of `names` that this system knows.

    Where the loop takes no handlers, as on Windows, Python takes them.
    """
    known = signal.Signals.__members__
    for number in (known[name] for name in names if name in known):
        try:
            loop.add_signal_handler(number, heard, number)
        except NotImplementedError:
            signal.signal(number, _in_loop(heard, loop))


def _in_loop(
    heard: Callable[[signal.Signals], object], loop: "AbstractEventLoop"
) -> Callable[[int, object], None]:
    def told(number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(heard, signal.Signals(number))

    return told


def on_its_own(platform: str = sys.platform) -> int:
    """The `creationflags` of a process that outlives us and our Ctrl-C.

    Elsewhere than on Windows a session of its own does that, and there are no flags.

    >>> on_its_own("linux"), on_its_own("win32") == NEW_GROUP | NO_WINDOW
    (0, True)
    """
    return NEW_GROUP | NO_WINDOW if platform == WINDOWS else 0


def run_to_its_end(command: list[str]) -> int:
    """Run a program in our place, as one of ours; its exit code.

    Ctrl-C is the program's: it hears it as we do, and ends when it thinks fit.
    """
    import subprocess  # noqa: PLC0415 - slow to load

    process = subprocess.Popen(command)  # noqa: S603 - our own program
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def clears(environ: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a terminal can be cleared.

    One that does not say what it is may be a 1980s one; on Windows none says it, and
    `click` makes the console understand the sequences.

    >>> clears({}, "linux"), clears({}, "win32"), clears({"TERM": "dumb"}, "win32")
    (False, True, False)
    """
    unknown = "windows" if platform == WINDOWS else "dumb"
    return environ.get("TERM", unknown) != "dumb"


def encoding_of(descriptor: int | None, platform: str = sys.platform) -> str:
    """How what is read there is written: a console of Windows has a code page."""
    if descriptor is None or platform != WINDOWS:
        return "utf-8"
    return os.device_encoding(descriptor) or "utf-8"  # None: it is no console


def lock(descriptor: int) -> None:
    """Lock an open file for this process, without waiting.

    Raises:
        OSError: another process has locked it.
    """
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - elsewhere there is none

        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        import fcntl  # noqa: PLC0415 - Windows has none

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
