"""The terminal itself, on POSIX: whatever comes in, and however it goes away.

The library's own driver ends with a traceback on a byte that is no UTF-8, and hangs
where the terminal is gone while nobody has told us by a signal.
"""

import codecs
import os
import select
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from sliderace_client.terminal.pen import Pen

if TYPE_CHECKING:
    from sliderace_client.terminal.app import Terminal

__all__ = ["CarefulDriver", "CarefulFile", "plain_signs"]

BEAT_S = 0.1
"""How often the reader looks whether it shall end, and a lone Escape is one."""
READ = 4096
SIGNS = {
    **dict.fromkeys("█▀▄■", "#"),
    **dict.fromkeys("│▕▏▎▍▌▋▊▉┃", "|"),
    **dict.fromkeys("─━", "-"),
    **dict.fromkeys("┌┐└┘╭╮╰╯", "+"),
    **dict.fromkeys("▸→", ">"),
    **dict.fromkeys("◂←", "<"),
    **dict.fromkeys("↑", "^"),
    **dict.fromkeys("↓", "v"),
    **dict.fromkeys("·●◐", "."),
    "✓": "+",
    "✗": "x",
    "♛": "*",
    "⚙": "%",
    "↯": "!",
    "…": "~",
    "≈": "~",
}
"""For terminals without Unicode: one sign for one, so that everything stays put."""


def plain_signs(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that a terminal's encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    bad = error.object[error.start : error.end]
    return "".join(SIGNS.get(char, "?") for char in bad), error.end


codecs.register_error("sliderace-signs", plain_signs)


class Output(Protocol):
    """What a file must do to be written to."""

    def write(self, text: str, /) -> object:
        """Write text."""
        ...

    def flush(self) -> None:
        """Hand over what was written."""
        ...

    def fileno(self) -> int:
        """Number of the file."""
        ...


class CarefulFile:
    """A terminal's output that never raises: one that is gone swallows everything.

    Args:
        file: the output.
        encoding: what the terminal understands.
    """

    def __init__(self, file: Output, encoding: str) -> None:
        self._file = file
        self._encoding = encoding
        self.gone = False

    def write(self, text: str) -> None:
        """Write what the terminal's encoding has; signs alike for the rest."""
        if self.gone:
            return
        known = text.encode(self._encoding, "sliderace-signs").decode(self._encoding)
        self._try(lambda: self._file.write(known))

    def flush(self) -> None:
        """Hand over what was written."""
        if not self.gone:
            self._try(self._file.flush)

    def fileno(self) -> int:
        """Number of the file."""
        return self._file.fileno()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self.fileno())

    def _try(self, run: Callable[[], object]) -> None:
        try:
            run()
        except (OSError, ValueError):  # ValueError: closed
            self.gone = True
            forsake(self._file.fileno())


def forsake(number: int) -> None:
    """Send what is still to be flushed nowhere: else Python ends with code 120."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


class CarefulDriver(LinuxDriver):
    """Reads any bytes, notices that the terminal is gone, and lends its pen."""

    def start_application_mode(self) -> None:
        """Take the terminal."""
        file = cast("Output", self._file)
        encoding: str = getattr(file, "encoding", None) or "utf-8"
        self._file = cast("Any", CarefulFile(file, encoding))
        super().start_application_mode()  # type: ignore[no-untyped-call] # theirs
        app = cast("Terminal", self._app)
        app.pen = Pen(self.write, app.console.color_system, erases())

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        cast("Terminal", self._app).pen = None
        super().stop_application_mode()

    def run_input_thread(self) -> None:
        """Read keys and clicks until told to end, or until the terminal is gone."""
        parser = XTermParser(self._debug)
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            if select.select([self.fileno], [], [], BEAT_S)[0]:
                data = self._read()
                if not data:
                    self._loop.call_soon_threadsafe(self._hung_up)
                    return
                for message in parser.feed(decode(data)):
                    self.process_message(message)
            for message in parser.tick():
                self.process_message(message)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, READ)
        except OSError:
            return b""

    def _hung_up(self) -> None:
        for number in (1, 2):
            forsake(number)
        cast("Terminal", self._app).hung_up()


def erases() -> bool:
    """Whether this terminal erases in the colour of the ground."""
    try:
        import curses  # noqa: PLC0415 - not everywhere
    except ImportError:
        return False
    try:
        curses.setupterm(fd=1)
        return curses.tigetflag("bce") == 1 and curses.tigetstr("ech") is not None
    except curses.error:
        return False
