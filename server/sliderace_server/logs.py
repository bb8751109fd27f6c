"""Log lines: one event a line, `key=value`, and nothing in them can forge another.

Whatever a stranger sent is quoted and escaped. Tokens, secrets and boards are never
handed to a logger.
"""

import contextlib
import json
import logging
import queue
import time
from collections.abc import Generator
from logging.handlers import QueueHandler, QueueListener
from typing import TextIO

__all__ = ["LogFormat", "logging_to"]

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

    A pipe that nobody empties must not hold up the server.

    Args:
        stream: where the lines go.
        level: `debug`, `info`, `warning` or `error`.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LogFormat())
    lines: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    listener = QueueListener(lines, handler)
    logging.basicConfig(level=level.upper(), handlers=[_ToQueue(lines)], force=True)
    # Its lines repeat ours, without room and connection.
    logging.getLogger("websockets").setLevel(logging.WARNING)
    listener.start()
    try:
        yield
    finally:
        listener.stop()


class _ToQueue(QueueHandler):
    """Leaves the record as it is; the formatter works in the other thread."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        record.getMessage()
        return record
