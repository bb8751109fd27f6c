"""The file of a race record: the record, the server's key, and its signature.

Ed25519 itself is an argument wherever it is needed: the rules only say what is signed,
namely the canonical form of the record.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from sliderace.proof import canonical
from sliderace.proof.reading import BadRecord, read
from sliderace.proof.record import WrittenRace

__all__ = ["CheckSignature", "Sign", "Signed", "seal", "unseal"]

Sign = Callable[[bytes], bytes]
"""The signature, 64 bytes, of a message."""
CheckSignature = Callable[[bytes, bytes, bytes], bool]
"""Whether, by the public key (32 bytes), a signature (64 bytes) is that of a message.
Never raises."""

KEY_DIGITS, SIGNATURE_DIGITS = 64, 128


@dataclass(frozen=True, slots=True)
class Signed:
    """A file whose form is right; whether the signature is, is not looked at.

    Args:
        race: the record.
        message: what is signed.
        key: the public key, 64 hex digits.
        signature: 128 hex digits.
    """

    race: WrittenRace
    message: bytes
    key: str
    signature: str


def seal(record: Mapping[str, object], key: str, sign: Sign) -> bytes:
    """The file of a record, signed.

    Args:
        record: what `sliderace.proof.record.build` returns.
        key: the public key, 64 hex digits.
        sign: signs by the private key.

    Raises:
        NotCanonical: the record has no canonical form.
    """
    message = canonical.encode(dict(record))
    # The canonical form of the whole, without writing a long record twice.
    return b'{"key":"%b","record":%b,"signature":"%b"}' % (
        key.encode(),
        message,
        sign(message).hex().encode(),
    )


def unseal(file: object) -> Signed:
    """The parts of a file.

    Args:
        file: anything a JSON reader can return.

    Raises:
        BadRecord: a part is missing, unknown or of the wrong form.
    """
    if not isinstance(file, dict):
        raise BadRecord("file: not an object")
    parts = cast("dict[object, object]", file)
    if parts.keys() != {"record", "key", "signature"}:
        raise BadRecord("file: not made of record, key and signature")
    key = _digits(parts["key"], "key", KEY_DIGITS)
    signature = _digits(parts["signature"], "signature", SIGNATURE_DIGITS)
    try:
        message = canonical.encode(parts["record"])
    except canonical.NotCanonical as fault:
        raise BadRecord(f"record: {fault}") from None
    return Signed(read(parts["record"]), message, key, signature)


def _digits(value: object, name: str, count: int) -> str:
    if not isinstance(value, str) or not re.fullmatch(f"[0-9a-f]{{{count}}}", value):
        raise BadRecord(f"{name}: not {count} hex digits")
    return value
