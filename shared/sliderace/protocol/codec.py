"""Messages to text and back; the only place that reads bytes of strangers.

Whatever comes in, the result is a message or a `ProtocolError`, nothing else.
"""

from typing import Any, get_args

import msgspec

from sliderace.protocol.codes import refusal_text
from sliderace.protocol.limits import MAX_UP_BYTES
from sliderace.protocol.messages import Command, Event, Hello
from sliderace.protocol.version import speaks

__all__ = [
    "ProtocolError",
    "decode_command",
    "decode_event",
    "encode_command",
    "encode_event",
    "event_bytes",
]

MAX_TEXT = 120
"""Characters of a fault's description: it may quote the peer's own words."""


class ProtocolError(ValueError):
    """A message that cannot be understood.

    Attributes:
        code: `too_large`, `bad_message` or `version`, of `sliderace.protocol.codes`.
        text: what is wrong, for a person.
        field: path of the field at fault, such as ``slides[0][1]``; may be empty.
        of: type of the message where that much could be read, else empty.
    """

    def __init__(self, code: str, text: str, field: str = "", of: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.field = field
        self.of = of


class _Peek(msgspec.Struct):
    """As much of a faulty message as helps to explain it."""

    t: str = ""
    v: Any = None


_encode = msgspec.json.Encoder().encode
_commands: msgspec.json.Decoder[Command] = msgspec.json.Decoder(Command)
_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_peeks = msgspec.json.Decoder(_Peek)

_TYPES = {str(kind.__struct_config__.tag) for kind in get_args(Command | Event)}
"""A type of a message that is quoted back is one of ours."""
_FAULTS = (ValueError, RecursionError)
"""All that msgspec raises: its own errors, those of Unicode, and for a kilobyte of
brackets a RecursionError."""


def decode_command(data: str | bytes, max_bytes: int = MAX_UP_BYTES) -> Command:
    """The command in one frame.

    Args:
        data: the frame's content.
        max_bytes: the size allowed; a server may set less than the protocol's.

    Raises:
        ProtocolError: too large, not JSON, not of the closed list, out of bounds, or a
            `hello` of another version, whatever else that one holds.
    """
    size = len(data) if isinstance(data, bytes) else _size(data)
    if size > max_bytes:
        raise ProtocolError("too_large", refusal_text("too_large"))
    try:
        command = _commands.decode(data)
    except _FAULTS as error:
        raise _explained(data, error) from None
    if isinstance(command, Hello) and not speaks(command.v):
        raise _other_version()
    return command


def decode_event(data: str | bytes) -> Event:
    """The event in one frame; fields of later releases are ignored.

    Raises:
        ProtocolError: not JSON, not of the closed list, or of wrong types.
    """
    try:
        return _events.decode(data)
    except _FAULTS as error:
        raise _explained(data, error) from None


def encode_command(command: Command) -> str:
    """The command as the text of a frame."""
    return _encode(command).decode()


def encode_event(event: Event) -> str:
    """The event as the text of a frame."""
    return _encode(event).decode()


def event_bytes(event: Event) -> bytes:
    """The event as the UTF-8 of a frame's text."""
    return _encode(event)


def _size(data: str) -> int:
    """Bytes on the wire."""
    return len(data.encode("utf-8", "surrogatepass"))


def _explained(data: str | bytes, error: Exception) -> ProtocolError:
    """What was wrong with `data`, as far as its reader can be helped."""
    peek = _peeked(data)
    if peek.t == "hello" and type(peek.v) is int and not speaks(peek.v):
        return _other_version()
    if not isinstance(error, msgspec.ValidationError):
        return ProtocolError("bad_message", "Not a JSON message.", of=peek.t)
    text, _, path = str(error).partition(" - at `$")
    field = path.removesuffix("`").removeprefix(".")
    return ProtocolError("bad_message", text[:MAX_TEXT], field[:MAX_TEXT], peek.t)


def _peeked(data: str | bytes) -> _Peek:
    try:
        peek = _peeks.decode(data)
    except _FAULTS:
        return _Peek()
    return peek if peek.t in _TYPES else _Peek()


def _other_version() -> ProtocolError:
    return ProtocolError("version", refusal_text("version"), field="v", of="hello")
