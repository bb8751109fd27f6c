"""Logging: one event per line, with its fields as `key=value`.

Values are quoted and escaped, so that data from clients cannot forge lines. Tokens,
secrets and boards are never logged.
"""

import contextlib
import json
import logging
import os
import queue
import string
import threading
import time
from collections.abc import Generator
from logging.handlers import QueueHandler
from pathlib import Path
from typing import TextIO

__all__ = ["LogFormat", "logging_to"]

MAX_QUEUED = 4_096
"""Lines that may wait to be written, a few MB. More are dropped and counted."""
STOP_S = 1.0
"""Longest wait at shutdown for a stream that nobody reads."""

_STANDARD = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}
_UNQUOTED = {*string.ascii_letters, *string.digits, *".:_-/"}


class LogFormat(logging.Formatter):
    """Formats a line as time, level, event and fields.

    Args:
        **more: more fields for every line.
    """

    def __init__(self, **more: object) -> None:
        super().__init__()
        self._more = more

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of printable ASCII."""
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        parts = [
            f"{when}.{int(record.msecs):03}Z",
            record.levelname.lower(),
            _value(record.getMessage()),
        ]
        parts.extend(
            f"{key}={_value(value)}"
            for key, value in {**vars(record), **self._more}.items()
            if key not in _STANDARD
        )
        if record.exc_info:
            parts.append(f"trace={_value(self.formatException(record.exc_info))}")
        return " ".join(parts)


def _value(value: object) -> str:
    text = str(value)
    return text if text and set(text) <= _UNQUOTED else json.dumps(text)


@contextlib.contextmanager
def logging_to(
    stream: TextIO | None, level: str, **more: object
) -> Generator[None, None, None]:
    """Write the logs of this process to a stream, in a separate thread.

    A pipe that nobody reads does not block the server or its shutdown. Lines that do
    not fit into the queue are dropped, and their number is logged once there is room.

    Args:
        stream: where to write; None, as Python has a closed one: nowhere.
        level: `debug`, `info`, `warning` or `error`.
        **more: more fields for every line.
    """
    queued = _Queue(MAX_QUEUED)
    handler = _DroppingHandler(queued)
    writer = threading.Thread(
        target=_write,
        args=(queued, _duplicate(stream), LogFormat(**more)),
        name="log",
        daemon=True,
    )
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # Its messages repeat ours, without the room and connection.
    logging.getLogger("websockets").setLevel(logging.WARNING)
    writer.start()
    try:
        yield
    finally:
        until = time.monotonic() + STOP_S
        handler.report_dropped()
        with contextlib.suppress(queue.Full):
            queued.put(None, timeout=STOP_S)
        writer.join(max(0.0, until - time.monotonic()))


_Queue = queue.Queue[logging.LogRecord | None]


def _duplicate(stream: TextIO | None) -> contextlib.AbstractContextManager[TextIO]:
    """Return a stream to the same file with its own descriptor and buffer.

    Python takes the lock of `sys.stderr` at exit, which a blocked writer would hold.
    """
    if stream is None:
        return Path(os.devnull).open("w", encoding="ascii")
    try:
        descriptor = os.dup(stream.fileno())
    except OSError:  # a stream in memory
        return contextlib.nullcontext(stream)
    return os.fdopen(descriptor, "w", encoding="ascii")


def _write(
    queued: _Queue,
    target: contextlib.AbstractContextManager[TextIO],
    log_format: LogFormat,
) -> None:
    """Write records until None is queued."""
    ignore_errors = contextlib.suppress(OSError)  # there is nowhere to report them
    with ignore_errors, target as stream:
        while (record := queued.get()) is not None:
            with ignore_errors:
                stream.write(f"{log_format.format(record)}\n")
                stream.flush()


class _DroppingHandler(QueueHandler):
    """Queues records for the writing thread, or counts them if the queue is full."""

    def __init__(self, queued: _Queue) -> None:
        super().__init__(queued)
        self._queued = queued
        self._dropped = 0

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue a record, or count it as dropped."""
        self.report_dropped()
        try:
            self._queued.put_nowait(record)
        except queue.Full:
            self._dropped += 1

    def report_dropped(self) -> None:
        """Log how many lines were dropped, if the queue has room for it."""
        if not self._dropped:
            return
        fields = {"lines": self._dropped, "name": __name__, "levelname": "WARNING"}
        with contextlib.suppress(queue.Full):
            self._queued.put_nowait(logging.makeLogRecord({"msg": "dropped", **fields}))
            self._dropped = 0

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return the record as it is: the other thread formats it."""
        record.getMessage()
        return record
