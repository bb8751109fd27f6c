"""The terminal driver on POSIX: any input is accepted, and no output blocks.

The library's own driver ends with a traceback on a byte that is not UTF-8, and hangs if
the terminal disappears without a signal. This one differs in three points:

- **Input.** A thread reads bytes and decodes them incrementally, with a replacement
  character for what is not UTF-8. `Sequences` splits the text, and the library's parser
  turns each part into a key or a click; a part on which it fails is dropped. If reading
  fails or ends, the terminal is gone: its descriptors are redirected to the null device
  and the program ends as on SIGHUP.
- **Output.** Everything passes through one `TerminalOutput`, in the event loop's thread
  and without blocking; the library's writer thread is stopped. What the library writes
  in one turn of the loop is one frame, and so is each text of `TerminalDiff`.
- **Start and end.** `TerminalDiff` is connected after the sequences that set up the
  terminal, and disconnected before those that restore it. At the end, frames that still
  wait are dropped, and the program waits up to `CLOSE_S` for the terminal to accept the
  restoring sequences.
"""

import codecs
import os
import select
import sys
import time
from collections.abc import Callable, Iterable
from typing import Protocol, cast

from rich.console import Console
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste
from textual.message import Message

from sliderace_client.tui.terminal_io.diff import TerminalDiff
from sliderace_client.tui.terminal_io.output import TerminalOutput
from sliderace_client.tui.terminal_io.sequences import Sequences, Token, readable

__all__ = ["KeyParser", "TerminalDriver"]

POLL_S = 0.1
"""How often the reader checks whether it should end, and whether ESC came alone."""
READ_BYTES = 4096
CLOSE_S = 1.0
"""A terminal that accepts nothing delays the end of the program by this much."""


class DriverApp(Protocol):
    """The part of the app that the driver uses."""

    console: Console
    terminal_diff: TerminalDiff
    escape_ms: int

    def paint_all(self) -> None:
        """Repaint the whole screen, because the terminal has missed some frames."""
        ...

    def terminal_lost(self) -> None:
        """End the program: the terminal is gone."""
        ...


def redirect_to_null(number: int) -> None:
    """Redirect a descriptor to the null device.

    Otherwise Python fails to flush the file at exit and ends with code 120.
    """
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


def open_nonblocking(number: int) -> int:
    """Open the terminal of a descriptor again, for writing and non-blocking.

    The given descriptor is shared with the shell and must stay as it is.
    """
    try:
        flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK
        return os.open(os.ttyname(number), flags)
    except OSError:  # the terminal has no name here, as in some containers
        duplicate = os.dup(number)
        os.set_blocking(duplicate, False)
        return duplicate


class TerminalDriver(LinuxDriver):
    """Reads any bytes, notices that the terminal is gone, and never blocks."""

    _output: TerminalOutput | None = None
    _number = -1

    @property
    def _owner(self) -> DriverApp:
        return cast("DriverApp", self._app)

    def start_application_mode(self) -> None:
        """Set up the terminal."""
        # The library writes to stderr, which may be redirected to a log.
        file = sys.__stdout__
        number = 1 if file is None else file.fileno()
        self._number = open_nonblocking(number)
        self._output = TerminalOutput(
            self._number,
            getattr(file, "encoding", None) or "utf-8",
            self._when_writable,
            self._owner.paint_all,
        )
        super().start_application_mode()  # type: ignore[no-untyped-call] # theirs
        if self._writer_thread is not None:
            self._writer_thread.stop()
            self._writer_thread = None
        self.flush()
        colours = self._owner.console.color_system
        self._owner.terminal_diff.connect(
            self._write_frame, colours, erases=erases_in_colour()
        )

    def _when_writable(self, callback: Callable[[], None] | None) -> None:
        if callback is None:
            self._loop.remove_writer(self._number)
        else:
            self._loop.add_writer(self._number, callback)

    def write(self, data: str) -> None:
        """Write at the end of this turn of the loop."""
        if self._output is not None:
            self._output.write(data)
            self._loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write what has been collected."""
        if self._output is not None:
            self._output.flush()

    def _write_frame(self, text: str) -> None:
        if self._output is not None:
            self._output.write(text)
            self._output.flush()

    def stop_application_mode(self) -> None:
        """Restore the terminal."""
        self._owner.terminal_diff.disconnect()
        if self._output is not None:
            self._output.drop()
        super().stop_application_mode()

    def close(self) -> None:
        """Write the remaining output, and nothing after it."""
        output, self._output = self._output, None
        if output is not None:
            output.finish(CLOSE_S)
            os.set_blocking(self._number, True)
            os.close(self._number)

    def run_input_thread(self) -> None:
        """Read keys and clicks until the program ends or the terminal is gone."""
        sequences, parser = Sequences(), KeyParser()
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            tokens: list[Token] = []
            if select.select([self.fileno], [], [], POLL_S)[0]:
                data = self._read()
                if not data:
                    self._loop.call_soon_threadsafe(self._hung_up)
                    return
                if text := decode(data):  # half a character decodes to nothing
                    tokens = sequences.feed(text, _now())
            tokens += sequences.waited(_now(), self._owner.escape_ms)
            for message in parser.messages(tokens):
                self.process_message(message)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, READ_BYTES)
        except OSError:
            return b""

    def _hung_up(self) -> None:
        for number in (1, 2):
            redirect_to_null(number)
        self._owner.terminal_lost()


class KeyParser:
    """Turns the parts of the input into the library's events; nothing breaks it."""

    def __init__(self) -> None:
        self._parser = XTermParser()

    def messages(self, tokens: Iterable[Token]) -> list[Message]:
        """Return the events for some parts of the input."""
        found: list[Message] = []
        for kind, content in tokens:
            match kind:
                case "text":
                    found += self._fed(content)
                case "sequence":
                    if plain := readable(content):
                        found += self._fed(plain)
                case "escape":
                    found.append(Key("escape", "\x1b"))
                case "paste":
                    found.append(Paste(content))
        return found

    def _fed(self, part: str) -> list[Message]:
        try:
            found = list(self._parser.feed(part))
        except Exception:  # noqa: BLE001 - no key may end the program
            found = []
        if (
            not found
        ):  # it fails, or it still waits for the rest of what it does not know
            old, self._parser = self._parser, XTermParser()
            self._parser.last_x, self._parser.last_y = old.last_x, old.last_y
            self._parser.mouse_pixels = old.mouse_pixels
            self._parser.terminal_size = old.terminal_size
            self._parser.terminal_pixel_size = old.terminal_pixel_size
        return found


def _now() -> int:
    return time.monotonic_ns() // 1_000_000


def erases_in_colour() -> bool:
    """Return whether this terminal erases cells in the background colour."""
    try:
        import curses  # noqa: PLC0415 - not on every system
    except ImportError:
        return False
    try:
        curses.setupterm(fd=1)
        return curses.tigetflag("bce") == 1 and curses.tigetstr("ech") is not None
    except curses.error:
        return False
