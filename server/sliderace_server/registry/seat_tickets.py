"""Seat tickets: each moves a seat to another device once, within two minutes.

Only hashes are kept, and only in memory: a restart makes all tickets invalid, and the
player requests a new one.
"""

import hashlib
from dataclasses import dataclass

__all__ = ["TICKET_MS", "Tickets", "hashed"]

TICKET_MS = 120_000
"""Long enough to take out a phone and scan a QR code."""


@dataclass(frozen=True, slots=True)
class _Ticket:
    hash: str
    until: int


def hashed(secret: str) -> str:
    """Return the hash of a token or ticket; 128 random bits need no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Tickets:
    """The valid tickets, at most one per member."""

    def __init__(self) -> None:
        self._tickets: dict[tuple[str, int], _Ticket] = {}

    def __len__(self) -> int:
        return len(self._tickets)

    def issue(self, code: str, member: int, ticket_hash: str, now_ms: int) -> None:
        """Add a ticket; it replaces the member's previous one.

        Args:
            code: the room's code.
            member: whose seat it is for.
            ticket_hash: see `hashed`.
            now_ms: monotonic time.
        """
        self._delete_expired(now_ms)
        self._tickets[code, member] = _Ticket(ticket_hash, now_ms + TICKET_MS)

    def redeem(self, code: str, ticket_hash: str, now_ms: int) -> int | None:
        """Use up a ticket; return the member whose seat it is for, None if invalid."""
        self._delete_expired(now_ms)
        for (room, member), ticket in self._tickets.items():
            if room == code and ticket.hash == ticket_hash:
                del self._tickets[room, member]
                return member
        return None

    def _delete_expired(self, now_ms: int) -> None:
        self._tickets = {
            key: ticket
            for key, ticket in self._tickets.items()
            if ticket.until > now_ms
        }
