"""How the records of a log become messages, and back."""

import pytest
from hypothesis import given, strategies as st

from sliderace_server.cluster.log_frames import (
    Frame,
    decoded,
    encoded,
    joined,
    pieces,
    size_of,
)
from sliderace_server.storage import LogDamaged

RECORDS = st.lists(st.binary(min_size=1, max_size=30), min_size=1, max_size=9)


def frames_of(appends: list[list[bytes]], most: int) -> list[Frame]:
    """Return the messages of some appends, which follow each other."""
    frames: list[Frame] = []
    at = 0
    for number, records in enumerate(appends):
        begin, some = at, list(pieces(records, most))
        for index, piece in enumerate(some):
            more = index < len(some) - 1
            frames.append(Frame(1, "me", number, begin, at, more, 0, 0, piece))
            at += len(piece)
    return frames


@given(st.lists(RECORDS, min_size=1, max_size=5), st.integers(1, 90), st.integers(0, 9))
def test_records_are_read_as_they_were_written(
    appends: list[list[bytes]], most: int, start: int
) -> None:
    frames = frames_of(appends, most)
    everything = [record for records in appends for record in records]
    assert joined(frames, start) == everything[start:]
    assert frames[-1].end == len(everything)
    assert [decoded("KWXTRB", encoded(frame)) for frame in frames] == frames


@given(RECORDS, st.integers(1, 90))
def test_messages_are_not_too_long_unless_one_record_is(
    records: list[bytes], most: int
) -> None:
    for piece in pieces(records, most):
        assert size_of(piece) <= most or len(piece) == 1
        assert len(msgpack := encoded(piece)) <= size_of(piece) + 5, msgpack


@given(RECORDS, RECORDS, RECORDS)
def test_an_append_without_its_last_message_is_not_read(
    first: list[bytes], lost: list[bytes], second: list[bytes]
) -> None:
    """At the end, and before the append that took its place."""
    [*whole, last] = frames_of([first, [*lost, b"the last one"]], 1)
    assert last.records == [b"the last one"]
    assert joined(whole, 0) == first
    assert whole[-1].end == len(first)
    at = len(first)
    after = Frame(1, "you", 1, at, at, False, 0, 0, second)
    assert joined([*whole, after], 0) == [*first, *second]


@given(st.lists(RECORDS, min_size=2, max_size=5))
def test_a_missing_message_is_noticed(appends: list[list[bytes]]) -> None:
    frames = frames_of(appends, 1_000)
    for missing in range(1, len(frames) - 1):
        assert joined([*frames[:missing], *frames[missing + 1 :]], 0) is None


@pytest.mark.parametrize("data", [b"", b"\xff", encoded([1, "me"])])
def test_anything_else_is_damage(data: bytes) -> None:
    with pytest.raises(LogDamaged, match="the log of KWXTRB is damaged: "):
        decoded("KWXTRB", data)
