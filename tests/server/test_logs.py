"""Whatever a stranger sent, a log line is one line of printable ASCII."""

import io
import logging

from hypothesis import given, strategies as st

from sliderace_server.logs import LogFormat, logging_to


def line(message: str, **fields: object) -> str:
    record = logging.makeLogRecord({"msg": message, "levelname": "INFO", **fields})
    return LogFormat().format(record)


@given(st.text(), st.text())
def test_nothing_forges_a_line(message: str, name: str) -> None:
    text = line(message, room=name)
    assert text.isascii()
    assert text.isprintable()


def test_plain_values_stay_plain_and_others_are_quoted() -> None:
    text = line("joined", room="KWXTRB", conn=7, client="a b\n\x1b[2J")
    assert text.endswith('info joined room=KWXTRB conn=7 client="a b\\n\\u001b[2J"')


def test_an_exception_is_part_of_its_line() -> None:
    error = ValueError("no\nway")
    text = line("failed", exc_info=(ValueError, error, None))
    assert "\n" not in text
    assert "ValueError: no\\nway" in text


def test_lines_reach_the_stream_at_the_latest_at_the_end() -> None:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    stream = io.StringIO()
    try:
        with logging_to(stream, "info"):
            logging.getLogger("sliderace_server.x").info("hello", extra={"conn": 1})
            logging.getLogger("sliderace_server.x").debug("not this")
            logging.getLogger("websockets.server").info("nor this")
    finally:
        root.handlers[:] = before
        root.setLevel(level)
    assert stream.getvalue().count("\n") == 1
    assert "info hello conn=1" in stream.getvalue()
