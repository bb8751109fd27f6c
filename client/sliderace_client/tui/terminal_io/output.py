"""Write to the terminal without ever waiting for it.

A terminal that is suspended or has a slow connection accepts no bytes for a while.
Output that it has not accepted yet waits in a buffer:

- `write` collects a frame; `flush` ends it and appends it to the buffer.
- While more than `LIMIT` bytes wait, new frames are dropped, so that the terminal never
  shows a race of some seconds ago. A frame is dropped or sent as a whole.
- After a dropped frame, everything is dropped until the buffer is empty, because later
  frames only contain differences from it. Then `on_caught_up` repaints everything.
- `drop` empties the buffer, so that the sequences that restore the terminal come next.
- After an error, everything is ignored: the terminal is gone.
"""

import codecs
import os
import select
import time
from collections.abc import Callable

__all__ = ["LIMIT", "TerminalOutput", "ascii_substitute"]

LIMIT = 4096
"""Bytes that may wait: what a connection of 40 kbit/s transfers in a second."""
SUBSTITUTES = {
    **dict.fromkeys("█▀▄■", "#"),
    **dict.fromkeys("│▕▏▎▍▌▋▊▉┃", "|"),
    **dict.fromkeys("─━", "-"),
    **dict.fromkeys("┌┐└┘╭╮╰╯", "+"),
    **dict.fromkeys("▸→", ">"),
    **dict.fromkeys("◂←", "<"),
    **dict.fromkeys("↑", "^"),
    **dict.fromkeys("↓", "v"),
    **dict.fromkeys("·●◐▖", "."),
    "▘": "'",
    "▝": "`",
    "▗": ",",
    "▲": "^",
    "▼": "v",
    "✓": "+",
    "✗": "x",
    "♛": "*",
    "⚙": "%",
    "↯": "!",
    "…": "~",
    "≈": "~",
}
"""For terminals without Unicode; each is one cell wide, so that nothing moves."""


def ascii_substitute(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that the terminal's encoding lacks (a codec error handler)."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(SUBSTITUTES.get(char, "?") for char in missing), error.end


codecs.register_error("sliderace-ascii", ascii_substitute)


class TerminalOutput:
    """A terminal that is written to without blocking and without errors.

    Args:
        number: descriptor of the terminal, open for writing and non-blocking.
        encoding: the terminal's.
        when_writable: takes a function to call as soon as the descriptor can be
            written to; None: no longer.
        on_caught_up: called when the terminal has accepted everything after frames were
            dropped.

    Attributes:
        gone: the terminal cannot be written to any more; everything is ignored.
    """

    def __init__(
        self,
        number: int,
        encoding: str,
        when_writable: Callable[[Callable[[], None] | None], object],
        on_caught_up: Callable[[], object],
    ) -> None:
        self._number = number
        self._encoding = encoding
        self._when_writable = when_writable
        self._on_caught_up = on_caught_up
        self._frame: list[str] = []
        self._buffer = bytearray()
        self._watching = False
        self._dropped = False
        self.gone = False

    @property
    def waiting(self) -> int:
        """Bytes that the terminal has not accepted yet."""
        return len(self._buffer)

    def write(self, text: str) -> None:
        """Add text to the frame."""
        self._frame.append(text)

    def flush(self) -> None:
        """End the frame: send it, or drop it."""
        text = "".join(self._frame)
        self._frame.clear()
        if not text or self.gone:
            return
        if self._dropped or len(self._buffer) > LIMIT:
            self._dropped = True
            return
        self._buffer += text.encode(self._encoding, "sliderace-ascii")
        self._send()

    def _send(self) -> None:
        try:
            while self._buffer:
                del self._buffer[: os.write(self._number, self._buffer)]
        except BlockingIOError:
            self._watch(self._send)
            return
        except OSError:
            self.gone = True
            self._buffer.clear()
        self._watch(None)
        if self._dropped:
            self._dropped = False
            self._on_caught_up()

    def _watch(self, callback: Callable[[], None] | None) -> None:
        if self._watching != (callback is not None):
            self._watching = callback is not None
            self._when_writable(callback)

    def drop(self) -> None:
        """Drop the frame and everything that waits."""
        self._buffer.clear()
        self._frame.clear()
        self._dropped = False

    def finish(self, timeout: float) -> None:
        """Send what waits; block for at most `timeout` seconds."""
        self.flush()
        end = time.monotonic() + timeout
        while self._buffer and (left := end - time.monotonic()) > 0:
            if select.select([], [self._number], [], left)[1]:
                self._send()
        self._watch(None)
