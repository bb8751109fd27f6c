import os
import sys
from pathlib import Path

import pytest

from sliderace.texts import text
from sliderace_client.line_ui.typed_input import MAX_LINE, TypedInput, typed_input


def lines_of(*pieces: bytes) -> list[str]:
    """Return the lines read from these pieces of input."""
    read, write = os.pipe()
    for piece in pieces:
        os.write(write, piece)
    os.close(write)
    source = TypedInput(read)
    found: list[str] = []
    while (line := source.read()) is not None:
        found.append(line)
    assert source.read() is None
    os.close(read)
    return found


def test_lines_are_whole_even_if_input_arrives_in_pieces() -> None:
    assert lines_of(b"on", b"e\ntwo\n", b"\nthr", b"ee\n") == [
        "one",
        "two",
        "",
        "three",
    ]


def test_last_line_needs_no_line_end() -> None:
    assert lines_of(b"one\nq") == ["one", "q"]
    assert lines_of(b"") == []


def test_line_ends_of_windows_and_other_encodings_are_read() -> None:
    assert lines_of(b"one\r\n", b"\xff\xe9\n", "é\n".encode()) == [
        *("one", "\N{REPLACEMENT CHARACTER}" * 2, "é")
    ]


def test_without_a_descriptor_the_input_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert TypedInput(None).read() is None
    assert not TypedInput(None).is_terminal
    closed = os.open(tmp_path, os.O_RDONLY)
    assert TypedInput(closed).read() is None  # a folder
    os.close(closed)
    assert TypedInput(closed).read() is None
    monkeypatch.setattr(sys, "stdin", None)
    typed_input.cache_clear()
    assert typed_input().read() is None
    typed_input.cache_clear()


def test_all_parts_of_the_program_read_the_same_lines() -> None:
    typed_input.cache_clear()
    assert typed_input() is typed_input()
    typed_input.cache_clear()


def test_unwanted_line_is_kept_for_the_next_reader() -> None:
    read, write = os.pipe()
    source = TypedInput(read)
    os.write(write, b"one\ntwo\nthree\n")
    assert source.read_while(lambda: True) == "one"
    assert source.read_while(lambda: False) is None
    assert source.read() == "two"
    os.close(write)
    assert source.read() == "three"
    assert source.read_while(lambda: True) is None
    os.close(read)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_line_without_an_end_ends_the_input() -> None:
    """Typed lines are short; what never ends must not fill the memory."""
    said: list[str] = []
    with Path(os.devnull).with_name("zero").open("rb") as endless:
        source = TypedInput(endless.fileno(), complain=said.append)
        assert source.read() is None
        assert source.read() is None
    assert said == [text("line.too_long", most=MAX_LINE)]
