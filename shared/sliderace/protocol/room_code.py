"""Room codes: what people read aloud, type and scan."""

from typing import Final, NewType

__all__ = ["ALPHABET", "LENGTH", "RoomCode", "format_code", "parse_code"]

RoomCode = NewType("RoomCode", str)
"""Six letters of `ALPHABET`, as stored and sent."""

ALPHABET: Final = "BCDFGHJKMNPQRSTVWXZ"
"""Consonants without the look-alikes L and Y: hardly a word can be spelt."""
LENGTH: Final = 6
"""19^6 is 47 million codes: guessing one is hopeless at ten tries a minute."""

_IGNORED = str.maketrans("", "", " -\t\r\n\u00a0\u2010\u2011\u2012\u2013\u2014\u2212")
"""What people, messengers and word processors put between or around the letters."""


def parse_code(text: str) -> RoomCode | None:
    """The room code somebody typed, or None where it cannot be one.

    Case, spaces and dashes are ignored.

    >>> parse_code(" kwx-trb ")
    'KWXTRB'
    >>> parse_code("KWXTR") is parse_code("LOVELY") is None
    True
    """
    code = text.translate(_IGNORED).upper()
    if len(code) == LENGTH and set(code) <= set(ALPHABET):
        return RoomCode(code)
    return None


def format_code(code: str) -> str:
    """The code as shown to people.

    >>> format_code("KWXTRB")
    'KWX-TRB'
    """
    return f"{code[:3]}-{code[3:]}"
