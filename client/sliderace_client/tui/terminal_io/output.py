"""What goes to the terminal, without ever waiting for it.

A terminal that is stopped or far away takes no bytes for a while. Frames that it has
no time for are left out; when it reads again it gets the newest one, whole.
"""

import codecs
import os
import select
import time
from collections.abc import Callable

__all__ = ["LIMIT", "Outlet", "plain_signs"]

LIMIT = 4096
"""Bytes that may wait: a second of a slow line; with more, frames are left out."""
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


class Outlet:
    """A terminal that never blocks us and never raises.

    Args:
        number: of a file that is open for writing and does not block.
        encoding: what the terminal understands.
        later: told a function to call once the file can be written; None: no more.
        caught_up: called when the terminal has read all, and frames were left out.

    Attributes:
        gone: the terminal cannot be written to any more; everything is swallowed.
    """

    def __init__(
        self,
        number: int,
        encoding: str,
        later: Callable[[Callable[[], None] | None], object],
        caught_up: Callable[[], object],
    ) -> None:
        self._number = number
        self._encoding = encoding
        self._later = later
        self._caught_up = caught_up
        self._frame: list[str] = []
        self._waiting = bytearray()
        self._asked = False
        self._left_out = False
        self.gone = False

    @property
    def waiting(self) -> int:
        """Bytes that the terminal has not taken yet."""
        return len(self._waiting)

    def write(self, text: str) -> None:
        """Add to the frame."""
        self._frame.append(text)

    def flush(self) -> None:
        """The frame is whole: send it, or leave it out."""
        text = "".join(self._frame)
        self._frame.clear()
        if not text or self.gone:
            return
        if self._left_out or len(self._waiting) > LIMIT:
            self._left_out = True
            return
        self._waiting += text.encode(self._encoding, "sliderace-signs")
        self._send()

    def _send(self) -> None:
        try:
            while self._waiting:
                del self._waiting[: os.write(self._number, self._waiting)]
        except BlockingIOError:
            self._ask(self._send)
            return
        except OSError:
            self.gone = True
            self._waiting.clear()
        self._ask(None)
        if self._left_out:
            self._left_out = False
            self._caught_up()

    def _ask(self, then: Callable[[], None] | None) -> None:
        if self._asked != (then is not None):
            self._asked = then is not None
            self._later(then)

    def drop(self) -> None:
        """Forget what waits: what comes now ends the screen, and counts more."""
        self._waiting.clear()
        self._frame.clear()
        self._left_out = False

    def finish(self, patience: float) -> None:
        """Send what waits, but wait no longer than `patience` seconds for it."""
        self.flush()
        end = time.monotonic() + patience
        while self._waiting and (left := end - time.monotonic()) > 0:
            if select.select([], [self._number], [], left)[1]:
                self._send()
        self._ask(None)
