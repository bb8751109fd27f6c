"""The user's typed lines, read directly from the file descriptor.

A thread that waits inside ``sys.stdin`` would hold a lock that the interpreter needs
when it exits. And if one part of the program reads too far, the next part must get the
rest.
"""

import os
import sys
import threading
from collections.abc import Callable
from functools import cache
from io import UnsupportedOperation

from sliderace.texts import text
from sliderace_client.platform import WINDOWS, encoding_of, lead_nowhere

__all__ = ["TypedInput", "typed_input"]

CTRL_Z = b"\x1a"
"""A Windows console sends this at the end of the input."""
MAX_LINE = 2**18
"""Bytes; several times what 20,000 moves take, the most that a race counts."""


class TypedInput:
    """The lines of one descriptor.

    A line of more than `MAX_LINE` bytes is not typed: it ends the input.

    Args:
        descriptor: to read from; None: there is nothing to read.
        platform: the system, as `sys.platform` names it.
        complain: told in a sentence why the input ends early.
    """

    def __init__(
        self,
        descriptor: int | None,
        platform: str = sys.platform,
        complain: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._complain = complain
        self._descriptor = descriptor
        self._console = platform == WINDOWS and self.is_terminal
        self._encoding = encoding_of(descriptor, platform)
        self._rest = b""
        self._first = True
        self._ended = descriptor is None
        self._interrupted = False
        self._lock = threading.Lock()

    @property
    def is_terminal(self) -> bool:
        """Whether the input is a terminal that shows what a person types."""
        return self._descriptor is not None and os.isatty(self._descriptor)

    def read(self) -> str | None:
        """Wait for the next line and return it without its end; None after the last.

        Raises:
            KeyboardInterrupt: Ctrl-C ended the reading, as it does on Windows.
        """
        with self._lock:
            line = self._next()
        if line is None and self._interrupted:
            raise KeyboardInterrupt
        return line

    def read_while(self, wanted: Callable[[], bool]) -> str | None:
        """Return the next line; None after the last, or if it is no longer wanted.

        The wait cannot be cancelled, but a line that is not wanted any more is kept for
        the next reader.
        """
        with self._lock:
            line = self._next()
            if line is None or wanted():
                return line
            self._rest = line.encode(self._encoding, "replace") + b"\n" + self._rest
            return None

    def _next(self) -> str | None:
        while b"\n" not in self._rest:
            if len(self._rest) > MAX_LINE:
                self._rest, self._ended = b"", True
                self._complain(text("line.too_long", most=MAX_LINE))
                break
            data = b"" if self._ended else self._more()
            if not data:
                self._ended = True
                break
            self._rest += data
            if self._console and CTRL_Z in data:
                self._rest = self._rest.partition(CTRL_Z)[0]
                self._ended = True
        if not self._rest:
            return None
        line, _, self._rest = self._rest.partition(b"\n")
        typed = line.removesuffix(b"\r").decode(self._encoding, "replace")
        if self._first:  # Windows programs begin a file with a mark
            self._first, typed = False, typed.removeprefix("\ufeff")
        return typed

    def _more(self) -> bytes:
        assert self._descriptor is not None  # noqa: S101 - else it has ended
        try:
            data = os.read(self._descriptor, 4096)
        except OSError:  # the terminal is gone
            return b""
        # On Windows the end is a Ctrl-Z; no data at all means that Ctrl-C was pressed.
        self._interrupted = self._console and not data
        return data


def _complain(sentence: str) -> None:
    try:
        print("sliderace: " + sentence, file=sys.stderr)  # noqa: T201
    except OSError:
        lead_nowhere(sys.stderr)


@cache
def typed_input() -> TypedInput:
    """Return the input of this process; all its parts read the same lines."""
    try:
        descriptor = sys.stdin.fileno() if sys.stdin is not None else None
        return TypedInput(descriptor, complain=_complain)
    except (UnsupportedOperation, ValueError):  # replaced, or closed
        return TypedInput(None)
