"""Encode and decode messages; the only place that parses bytes from peers.

Whatever comes in, the result is a message or a `ProtocolError`.
"""

from collections.abc import Callable
from typing import Any, get_args

import msgspec

from sliderace.protocol.explain import MAX_VALUE, explained
from sliderace.protocol.limits import MAX_UP_BYTES
from sliderace.protocol.messages import Command, Event, Hello
from sliderace.protocol.version import VERSION, speaks
from sliderace.texts import text

__all__ = [
    "ProtocolError",
    "decode_command",
    "decode_event",
    "encode_command",
    "encode_event",
    "event_bytes",
]

MAX_TEXT = 160
"""Maximum length of an error's text, which may quote the peer."""


class ProtocolError(ValueError):
    """A message is malformed.

    Attributes:
        code: the refusal: `too_large`, `bad_message`, `bad_rules` or `version`.
        text: what is wrong, in English, for the author of the peer.
        field: path of the field at fault, such as ``slides[0][1]``; may be empty.
        of: type of the message; empty if it could not be read.
        value: the value at fault, shortened.
    """

    def __init__(
        self, code: str, text: str, field: str = "", of: str = "", value: str = ""
    ) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.field = field
        self.of = of
        self.value = value


class _Peek(msgspec.Struct):
    """The part of a malformed message that helps to explain it."""

    t: str = ""
    v: Any = None


_encode = msgspec.json.Encoder().encode
event_bytes: Callable[[Event], bytes] = _encode
"""Return an event as the UTF-8 of a frame's text."""
_commands: msgspec.json.Decoder[Command] = msgspec.json.Decoder(Command)
_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_peeks = msgspec.json.Decoder(_Peek)

_TYPES = {str(kind.__struct_config__.tag) for kind in get_args(Command | Event)}
"""Only known message types are quoted back."""
_FAULTS = (ValueError, RecursionError)
"""Everything msgspec raises: its own errors, Unicode errors (both are ValueErrors) and,
for a kilobyte of brackets, RecursionError."""


def decode_command(data: str | bytes, max_bytes: int = MAX_UP_BYTES) -> Command:
    """Decode the command in one frame.

    Args:
        data: content of the frame.
        max_bytes: the size limit; a server may set a lower one than the protocol's.

    Raises:
        ProtocolError: the frame is too large, is not JSON, has an unknown type or a
            value out of range; or it is a `hello` of another version, whatever else
            that contains.
    """
    size = len(data) if isinstance(data, bytes) else _size(data)
    if size > max_bytes:
        said = text("malformed.too_large", high=max_bytes, value=size)
        raise ProtocolError("too_large", said, value=str(size))
    try:
        command = _commands.decode(data)
    except _FAULTS as error:
        raise _explained(Command, data, error) from None
    if isinstance(command, Hello) and not speaks(command.v):
        raise _other_version(command.v)
    return command


def decode_event(data: str | bytes) -> Event:
    """Decode the event in one frame; unknown fields are ignored.

    Raises:
        ProtocolError: the frame is not JSON, has an unknown type or a field of a wrong
            type.
    """
    try:
        return _events.decode(data)
    except _FAULTS as error:
        raise _explained(Event, data, error) from None


def encode_command(command: Command) -> str:
    """Encode a command as the text of a frame."""
    return _encode(command).decode()


def encode_event(event: Event) -> str:
    """Encode an event as the text of a frame."""
    return _encode(event).decode()


def _size(data: str) -> int:
    """Return the size on the wire, in bytes."""
    return len(data.encode("utf-8", "surrogatepass"))


def _explained(kinds: object, data: str | bytes, error: Exception) -> ProtocolError:
    """Return the error for malformed `data`."""
    peek = _peeked(data)
    if peek.t == "hello" and type(peek.v) is int and not speaks(peek.v):
        return _other_version(peek.v)
    if not isinstance(error, msgspec.ValidationError):
        return ProtocolError("bad_message", text("malformed.not_json"), of=peek.t)
    fault = explained(kinds, _json(data), str(error))
    code = "bad_rules" if fault.is_rule else "bad_message"
    said, field = fault.text[:MAX_TEXT], fault.field[:MAX_TEXT]
    return ProtocolError(code, said, field, peek.t, fault.value)


def _json(data: str | bytes) -> object:
    """Return the JSON value; None if what follows the fault is not JSON."""
    try:
        return msgspec.json.decode(data)
    except _FAULTS:
        return None


def _peeked(data: str | bytes) -> _Peek:
    try:
        peek = _peeks.decode(data)
    except _FAULTS:
        return _Peek()
    return peek if peek.t in _TYPES else _Peek()


def _other_version(version: int) -> ProtocolError:
    value = str(version)[:MAX_VALUE]
    said = text("malformed.expected", field="v", allowed=VERSION, value=value)
    return ProtocolError("version", said, "v", "hello", value)
