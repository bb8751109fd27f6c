"""Log lines: one event a line, `key=value`, and nothing in them can forge another.

Whatever a stranger sent is quoted and escaped. Tokens, secrets and boards are never
handed to a logger.
"""

import contextlib
import json
import logging
import os
import queue
import threading
import time
from collections.abc import Generator
from logging.handlers import QueueHandler
from typing import TextIO

__all__ = ["LogFormat", "logging_to"]

LINES = 4_096
"""That may wait for the stream; some MB. What is beyond is dropped and counted."""
STOP_S = 1.0
"""Longest wait at the end for a stream that nobody empties."""

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_-/")


class LogFormat(logging.Formatter):
    """Time, level, event and its fields; control characters are escaped."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of printable ASCII."""
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        parts = [
            f"{when}.{int(record.msecs):03}Z",
            record.levelname.lower(),
            _value(record.getMessage()),
        ]
        parts.extend(
            f"{key}={_value(value)}"
            for key, value in vars(record).items()
            if key not in _PLAIN
        )
        if record.exc_info:
            parts.append(f"trace={_value(self.formatException(record.exc_info))}")
        return " ".join(parts)


def _value(value: object) -> str:
    text = str(value)
    return text if text and set(text) <= _BARE else json.dumps(text)


@contextlib.contextmanager
def logging_to(stream: TextIO, level: str) -> Generator[None, None, None]:
    """Send the logs of this process to a stream, from a thread of their own.

    A pipe that nobody empties must not hold up the server, nor its end. Lines that
    did not fit are dropped; how many is said as soon as there is room again.

    Args:
        stream: where the lines go.
        level: `debug`, `info`, `warning` or `error`.
    """
    lines = _Lines(LINES)
    handler = _ToQueue(lines)
    writer = threading.Thread(
        target=_write, args=(lines, _own(stream)), name="log", daemon=True
    )
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # Its lines repeat ours, without room and connection.
    logging.getLogger("websockets").setLevel(logging.WARNING)
    writer.start()
    try:
        yield
    finally:
        until = time.monotonic() + STOP_S
        handler.tell_dropped()
        with contextlib.suppress(queue.Full):
            lines.put(None, timeout=STOP_S)
        writer.join(max(0.0, until - time.monotonic()))


_Lines = queue.Queue[logging.LogRecord | None]


def _own(stream: TextIO) -> contextlib.AbstractContextManager[TextIO]:
    """The same place behind a descriptor and a buffer of our own.

    Python takes the lock of `sys.stderr` when it ends, and a thread that waits for a
    reader would hold it.
    """
    try:
        descriptor = os.dup(stream.fileno())
    except OSError:  # a stream in memory
        return contextlib.nullcontext(stream)
    return os.fdopen(descriptor, "w", encoding="ascii")


def _write(lines: _Lines, own: contextlib.AbstractContextManager[TextIO]) -> None:
    """Write lines until None comes."""
    line = LogFormat()
    gone = contextlib.suppress(OSError)  # nobody is there to be told
    with gone, own as stream:
        while (record := lines.get()) is not None:
            with gone:
                stream.write(f"{line.format(record)}\n")
                stream.flush()


class _ToQueue(QueueHandler):
    """Leaves the record as it is; the formatter works in the other thread."""

    def __init__(self, lines: _Lines) -> None:
        super().__init__(lines)
        self._lines = lines
        self._dropped = 0

    def enqueue(self, record: logging.LogRecord) -> None:
        """Hand a line on, or count it where there is no room."""
        self.tell_dropped()
        try:
            self._lines.put_nowait(record)
        except queue.Full:
            self._dropped += 1

    def tell_dropped(self) -> None:
        """Say how many lines were dropped, if any were and it can be said."""
        if not self._dropped:
            return
        fields = {"lines": self._dropped, "name": __name__, "levelname": "WARNING"}
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(logging.makeLogRecord({"msg": "dropped", **fields}))
            self._dropped = 0

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        record.getMessage()
        return record
