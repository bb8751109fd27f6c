"""Logging: one line of printable ASCII per event, and it never blocks."""

import io
import logging
import os
import threading
import time
from collections.abc import Generator

import pytest
from hypothesis import given, strategies as st

from sliderace_server.logging import MAX_QUEUED, LogFormat, logging_to


@pytest.fixture
def _root() -> Generator[None]:
    """Restore the root logger afterwards."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)


def line(message: str, **fields: object) -> str:
    record = logging.makeLogRecord({"msg": message, "levelname": "INFO", **fields})
    return LogFormat().format(record)


@given(st.text(), st.text())
def test_no_value_can_forge_a_log_line(message: str, name: str) -> None:
    text = line(message, room=name)
    assert text.isascii()
    assert text.isprintable()


def test_simple_values_are_unquoted_and_others_are_quoted() -> None:
    text = line("joined", room="KWXTRB", conn=7, client="a b\n\x1b[2J")
    assert text.endswith('info joined room=KWXTRB conn=7 client="a b\\n\\u001b[2J"')


def test_an_exception_stays_in_its_line() -> None:
    error = ValueError("no\nway")
    text = line("failed", exc_info=(ValueError, error, None))
    assert "\n" not in text
    assert "ValueError: no\\nway" in text


@pytest.mark.usefixtures("_root")
def test_all_lines_are_written_at_shutdown() -> None:
    stream = io.StringIO()
    with logging_to(stream, "info"):
        logging.getLogger("sliderace_server.x").info("hello", extra={"conn": 1})
        logging.getLogger("sliderace_server.x").debug("not this")
        logging.getLogger("websockets.server").info("nor this")
    assert stream.getvalue().count("\n") == 1
    assert "info hello conn=1" in stream.getvalue()


class BlockedStream(io.StringIO):
    """A stream whose writes block until `free` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.free = threading.Event(), threading.Event()
        self.last = threading.Event()

    def write(self, text: str) -> int:
        self.reached.set()
        self.free.wait()
        if "last" in text:
            self.last.set()
        return super().write(text)


@pytest.mark.usefixtures("_root")
def test_lines_beyond_the_queue_are_dropped_and_counted() -> None:
    stream = BlockedStream()
    with logging_to(stream, "info"):
        logging.info("first")
        assert stream.reached.wait(5)
        for word in ["more"] * (MAX_QUEUED - 1) + ["last"] + ["lost"] * 7:
            logging.info(word)
        stream.free.set()
        assert stream.last.wait(5)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 1 + MAX_QUEUED + 1
    assert lines[-1].endswith(" warning dropped lines=7")


@pytest.mark.usefixtures("_root")
def test_a_pipe_that_nobody_reads_does_not_delay_the_shutdown() -> None:
    out, into = os.pipe()
    with os.fdopen(out), os.fdopen(into, "w") as stream:
        began = time.monotonic()
        with logging_to(stream, "info"):
            for _ in range(2 * MAX_QUEUED):
                logging.info("x" * 100)
        assert time.monotonic() - began < 5


def test_closed_stderr_takes_the_log() -> None:
    """Python has None for a stream that the shell has closed."""
    with logging_to(None, "info"):
        logging.getLogger("sliderace_server").info("nobody reads this")
