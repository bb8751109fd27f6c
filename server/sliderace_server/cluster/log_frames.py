"""The messages of a log in JetStream: how records become messages, and back.

An append is one message, or several if it is large. Without its last message an append
is not stored, although the others are there: the writer may have ended in between.
"""

from collections.abc import Iterator, Sequence

import msgspec

from sliderace_server.storage.ports import LogDamaged

__all__ = ["Frame", "decoded", "encoded", "joined", "pieces", "size_of"]

RECORD_BYTES = 5
"""At most, for the length of a record in a message."""


class Frame(msgspec.Struct, array_like=True, frozen=True):
    """A message of a log. New fields are added at the end and have a default.

    Attributes:
        version: 1.
        writer: Incarnation of the process that wrote it.
        number: Number of the append, among those of the writer.
        begin: Position at which the append begins.
        at: Position of the first record of this message.
        more: Whether more messages of this append follow; without the last one the
            append is not stored.
        removed: Number of records that were removed from the beginning.
        first: Sequence number of the first needed message; 0: this one.
        records: The records.
    """

    version: int
    writer: str
    number: int
    begin: int
    at: int
    more: bool
    removed: int
    first: int
    records: list[bytes]

    @property
    def end(self) -> int:
        """Position at which the log ends after this message."""
        return self.begin if self.more else self.at + len(self.records)


encoded = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Frame).decode


def decoded(room: str, data: bytes) -> Frame:
    """Return a message of a room's log.

    Raises:
        LogDamaged: It is none.
    """
    try:
        return _decode(data)
    except msgspec.MsgspecError as error:
        raise LogDamaged(f"the log of {room} is damaged: {error}") from None


def size_of(records: Sequence[bytes]) -> int:
    """Return how many bytes of a message records take, at most."""
    return sum(map(len, records)) + RECORD_BYTES * len(records)


def pieces(records: Sequence[bytes], most: int) -> Iterator[list[bytes]]:
    """Yield lists of records, each of at most so many bytes or of one record."""
    piece: list[bytes] = []
    size = 0
    for record in records:
        size += len(record) + RECORD_BYTES
        if piece and size > most:
            yield piece
            piece, size = [], len(record) + RECORD_BYTES
        piece.append(record)
    yield piece


def joined(frames: Sequence[Frame], start: int) -> list[bytes] | None:
    """Return the records after a position; None: a message is missing."""
    records: list[bytes] = []
    origin = frames[0].begin
    for frame in frames:
        if frame.at == frame.begin:  # the append before it may be incomplete
            del records[max(0, frame.at - origin) :]
        if frame.at - origin != len(records):
            return None
        records += frame.records
    if frames[-1].more:
        del records[frames[-1].begin - origin :]
    return records[max(0, start - origin) :]
