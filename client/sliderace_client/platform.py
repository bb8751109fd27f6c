"""Code that differs between operating systems.

The system is an argument, named as `sys.platform` names it, so that the behaviour on
Windows is tested everywhere.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = [
    "WINDOWS",
    "can_clear",
    "detached_flags",
    "encoding_of",
    "handle_signals",
    "lead_nowhere",
    "lock",
    "lower_priority",
    "run_in_place",
]

WINDOWS = "win32"
CLOSING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")
"""Signals that ask a process to end. Windows has no SIGHUP; there, closing the console
and Ctrl-Break are SIGBREAK."""
NICE = 10
NEW_GROUP, NO_WINDOW = 0x200, 0x0800_0000
"""As `subprocess` has them, on Windows only: neither Ctrl-C nor the end of our console
reaches the process."""
LOCKED_BYTE = 1 << 30
"""On Windows, others cannot read locked bytes, so lock one far beyond the text."""


def handle_signals(
    handler: Callable[[signal.Signals], object],
    loop: "AbstractEventLoop",
    names: Iterable[str] = CLOSING,
) -> None:
    """Have the loop call `handler` for each signal of `names` that this system knows.

    If the loop takes no handlers, as on Windows, Python takes them.
    """
    known = signal.Signals.__members__
    for number in (known[name] for name in names if name in known):
        try:
            loop.add_signal_handler(number, handler, number)
        except NotImplementedError:
            signal.signal(number, _in_loop(handler, loop))


def _in_loop(
    handler: Callable[[signal.Signals], object], loop: "AbstractEventLoop"
) -> Callable[[int, object], None]:
    def signalled(number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(handler, signal.Signals(number))

    return signalled


def detached_flags(platform: str = sys.platform) -> int:
    """Return the `creationflags` of a process that outlives us and our Ctrl-C.

    Elsewhere the process gets a separate session instead, and needs no flags.

    >>> detached_flags("linux"), detached_flags("win32") == NEW_GROUP | NO_WINDOW
    (0, True)
    """
    return NEW_GROUP | NO_WINDOW if platform == WINDOWS else 0


def lead_nowhere(stream: TextIO) -> None:
    """Drop what is still to be written, so that the exit does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def lower_priority() -> None:
    """Let other processes go first, where the system has such a priority."""
    if hasattr(os, "nice"):
        os.nice(NICE)


def run_in_place(command: list[str]) -> int:
    """Run one of our programs in place of this one; return its exit code.

    Ctrl-C reaches both processes, and the program decides when to end.
    """
    import subprocess  # noqa: PLC0415 - slow to load

    process = subprocess.Popen(command)  # noqa: S603 - our own program
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def can_clear(environ: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a terminal can be cleared.

    A terminal without TERM may be one from the 1980s. Windows never sets TERM, but
    `click` makes its console understand the sequences.

    >>> can_clear({}, "linux"), can_clear({}, "win32")
    (False, True)
    >>> can_clear({"TERM": "dumb"}, "win32")
    False
    """
    unknown = "windows" if platform == WINDOWS else "dumb"
    return environ.get("TERM", unknown) != "dumb"


def encoding_of(descriptor: int | None, platform: str = sys.platform) -> str:
    """Return the encoding of a descriptor; a Windows console has a code page."""
    if descriptor is None or platform != WINDOWS:
        return "utf-8"
    return os.device_encoding(descriptor) or "utf-8"  # None: it is no console


def lock(descriptor: int) -> None:
    """Lock an open file for this process, without waiting.

    Raises:
        OSError: another process has locked it.
    """
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - only Windows has it

        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        import fcntl  # noqa: PLC0415 - Windows does not have it

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
