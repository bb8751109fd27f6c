"""The secret of a profile and the ticket for a device, as people read and type them.

The key of a profile is its secret on one device, 32 hex digits, on paper in groups of
four. A ticket is eight letters.
"""

import re
from typing import Final

from sliderace.protocol.room_code import parse_letters

__all__ = [
    "TICKET_LETTERS",
    "format_key",
    "format_ticket",
    "parse_key",
    "parse_ticket",
]

TICKET_LETTERS: Final = 8
"""19^8 is 17 thousand million: nobody guesses one in five minutes and five tries."""
KEY_DIGITS: Final = 32
_GROUP: Final = 4
_BETWEEN = re.compile(r"[\s\-\u2010-\u2014\u2212]")
"""What people and word processors put between the groups."""


def format_key(secret: str) -> str:
    """Return a secret as shown to its owner.

    >>> format_key("0123456789abcdef" * 2)
    '0123-4567-89ab-cdef-0123-4567-89ab-cdef'
    """
    return "-".join(secret[n : n + _GROUP] for n in range(0, len(secret), _GROUP))


def parse_key(text: str) -> str | None:
    """Parse a secret as typed; None if it is not one.

    Case, spaces and dashes are ignored.

    >>> parse_key(" 0123 4567-89AB-cdef" * 2)
    '0123456789abcdef0123456789abcdef'
    >>> parse_key("0123-4567") is None
    True
    """
    digits = _BETWEEN.sub("", text).lower()
    return digits if re.fullmatch(f"[0-9a-f]{{{KEY_DIGITS}}}", digits) else None


def format_ticket(ticket: str) -> str:
    """Return a ticket as shown to people.

    >>> format_ticket("KWXTRBDF")
    'KWXT-RBDF'
    """
    return f"{ticket[:_GROUP]}-{ticket[_GROUP:]}"


def parse_ticket(text: str) -> str | None:
    """Parse a ticket as typed; None if it is not one.

    >>> parse_ticket(" kwxt rbdf ")
    'KWXTRBDF'
    >>> parse_ticket("KWX-TRB") is None
    True
    """
    return parse_letters(text, TICKET_LETTERS)
