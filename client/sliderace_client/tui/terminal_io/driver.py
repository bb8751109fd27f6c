"""The terminal itself, on POSIX: whatever comes in, and however it goes away.

The library's own driver ends with a traceback on a byte that is no UTF-8, and hangs
where the terminal is gone while nobody has told us by a signal.
"""

import codecs
import os
import select
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from sliderace_client.tui.terminal_io.diff import Pen
from sliderace_client.tui.terminal_io.output import Outlet

if TYPE_CHECKING:
    from sliderace_client.tui.app import Terminal

__all__ = ["CarefulDriver"]

BEAT_S = 0.1
"""How often the reader looks whether it shall end, and a lone Escape is one."""
READ = 4096
FAREWELL_S = 1.0
"""So long a terminal that takes no bytes delays the end of the program."""


def forsake(number: int) -> None:
    """Send what is still to be flushed nowhere: else Python ends with code 120."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


def opened(number: int) -> int:
    """The terminal once more, as a file that does not block.

    The one we were given is the shell's, too: that one should stay as it is.
    """
    try:
        way = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK
        return os.open(os.ttyname(number), way)
    except OSError:  # it has no name here, as in some containers
        ours = os.dup(number)
        os.set_blocking(ours, False)
        return ours


class CarefulDriver(LinuxDriver):
    """Reads any bytes, notices that the terminal is gone, and lends its pen.

    Nothing that is written is ever waited for.
    """

    _outlet: Outlet | None = None
    _output = -1

    def start_application_mode(self) -> None:
        """Take the terminal."""
        app = cast("Terminal", self._app)
        # The library writes to stderr, which may be a log.
        file = sys.__stdout__
        number = 1 if file is None else file.fileno()
        self._output = opened(number)
        self._outlet = Outlet(
            self._output,
            getattr(file, "encoding", None) or "utf-8",
            self._when_writable,
            app.paint_all,
        )
        super().start_application_mode()  # type: ignore[no-untyped-call] # theirs
        if self._writer_thread is not None:
            self._writer_thread.stop()
            self._writer_thread = None
        self.flush()
        app.pen = Pen(self._draw, app.console.color_system, erases())

    def _when_writable(self, then: Callable[[], None] | None) -> None:
        if then is None:
            self._loop.remove_writer(self._output)
        else:
            self._loop.add_writer(self._output, then)

    def write(self, data: str) -> None:
        """Write soon; what belongs together is one write."""
        if self._outlet is not None:
            self._outlet.write(data)
            self._loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write what has been gathered."""
        if self._outlet is not None:
            self._outlet.flush()

    def _draw(self, text: str) -> None:
        if self._outlet is not None:
            self._outlet.write(text)
            self._outlet.flush()

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        cast("Terminal", self._app).pen = None
        if self._outlet is not None:
            self._outlet.drop()
        super().stop_application_mode()

    def close(self) -> None:
        """The last that is written; then nothing more."""
        outlet, self._outlet = self._outlet, None
        if outlet is not None:
            outlet.finish(FAREWELL_S)
            os.set_blocking(self._output, True)
            os.close(self._output)

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
                # Of half a letter nothing is left, and to feed nothing means the end.
                if text := decode(data):
                    for message in parser.feed(text):
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
