"""The file of a race record: the record, the server's key and its signature.

The signature is for the canonical form of the record. Ed25519 itself is an argument, so
that this package needs nothing but Python.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sliderace.proof import canonical
from sliderace.proof.reading import BadRecord, read, shown
from sliderace.proof.record import WrittenRace, redact

__all__ = ["CheckSignature", "Sign", "Signed", "redacted", "seal", "unseal"]

Sign = Callable[[bytes], bytes]
"""Message -> signature, 64 bytes."""
CheckSignature = Callable[[bytes, bytes, bytes], bool]
"""(public key of 32 bytes, signature of 64 bytes, message) -> whether they match.
Never raises."""

KEY_DIGITS, SIGNATURE_DIGITS = 64, 128


@dataclass(frozen=True, slots=True)
class Signed:
    """A file whose form is right; its signature is not checked yet.

    Args:
        race: the record.
        message: the signed bytes.
        key: the public key, 64 hex digits.
        signature: 128 hex digits.
    """

    race: WrittenRace
    message: bytes
    key: str
    signature: str


def seal(record: Mapping[str, object], key: str, sign: Sign) -> bytes:
    """Return the signed file of a record.

    Args:
        record: what `sliderace.proof.record.build` returns.
        key: the public key, 64 hex digits.
        sign: signs with the private key.

    Raises:
        NotCanonical: the record has no canonical form.
    """
    message = canonical.encode(dict(record))
    # Assembled by hand, so that a long record is encoded only once.
    return b'{"key":"%b","record":%b,"signature":"%b"}' % (
        key.encode(),
        message,
        sign(message).hex().encode(),
    )


def redacted(file: bytes, seats: Collection[int], key: str, sign: Sign) -> bytes:
    """Return the file of a record without the names of some racers, signed again.

    Args:
        file: what `seal` returned.
        seats: whose names become `deleted`.
        key: the public key, 64 hex digits.
        sign: signs with the private key.
    """
    record = cast("dict[str, dict[str, Any]]", canonical.decode(file))["record"]
    redact(record, seats)
    return seal(record, key, sign)


def unseal(file: object) -> Signed:
    """Parse the file of a record.

    Args:
        file: anything a JSON reader can return.

    Raises:
        BadRecord: a part is missing, unknown or malformed.
    """
    if not isinstance(file, dict):
        raise BadRecord("file", "not_object")
    parts = cast("dict[object, object]", file)
    if parts.keys() != {"record", "key", "signature"}:
        raise BadRecord("file", "wrong_parts")
    key = _digits(parts["key"], "key", KEY_DIGITS)
    signature = _digits(parts["signature"], "signature", SIGNATURE_DIGITS)
    try:
        message = canonical.encode(parts["record"])
    except canonical.NotCanonical as fault:
        raise BadRecord("record", fault.code, **fault.values) from None
    return Signed(read(parts["record"]), message, key, signature)


def _digits(value: object, name: str, count: int) -> str:
    if not isinstance(value, str) or not re.fullmatch(f"[0-9a-f]{{{count}}}", value):
        raise BadRecord(name, "not_hex", value=shown(value), count=count)
    return value
