"""Room codes and other letters, which people read aloud, type and scan."""

from typing import Final, NewType

__all__ = [
    "ALPHABET",
    "LENGTH",
    "RoomCode",
    "format_code",
    "parse_code",
    "parse_letters",
]

RoomCode = NewType("RoomCode", str)
"""Six letters of `ALPHABET`, as stored and sent."""

ALPHABET: Final = "BCDFGHJKMNPQRSTVWXZ"
"""Consonants, so that they hardly spell a word; without L and Y, which are easily
mistaken for other characters."""
LENGTH: Final = 6
"""19^6 is 47 million codes: too many to guess one at ten attempts a minute."""

_IGNORED = str.maketrans("", "", " -\t\r\n\u00a0\u2010\u2011\u2012\u2013\u2014\u2212")
"""Characters that people, messengers and word processors add to a code."""


def parse_code(text: str) -> RoomCode | None:
    """Parse a room code as typed; None if it is not one.

    Case, spaces and dashes are ignored.

    >>> parse_code(" kwx-trb ")
    'KWXTRB'
    >>> parse_code("KWXTR") is parse_code("LOVELY") is None
    True
    """
    letters = parse_letters(text, LENGTH)
    return None if letters is None else RoomCode(letters)


def parse_letters(text: str, count: int) -> str | None:
    """Parse that many letters of `ALPHABET` as typed; None if it is anything else.

    >>> parse_letters("kwxt-rbdf", 8)
    'KWXTRBDF'
    """
    letters = text.translate(_IGNORED).upper()
    return letters if len(letters) == count and set(letters) <= set(ALPHABET) else None


def format_code(code: str) -> str:
    """Return the code as shown to people.

    >>> format_code("KWXTRB")
    'KWX-TRB'
    """
    return f"{code[:3]}-{code[3:]}"
