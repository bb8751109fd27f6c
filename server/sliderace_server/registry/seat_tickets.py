"""Seat tickets: each moves a seat to another device once, within two minutes.

Only hashes are kept, and only in memory: a restart makes all tickets invalid, and the
player requests a new one.
"""

import hashlib

__all__ = ["TICKET_MS", "Tickets", "hashed"]

TICKET_MS = 120_000
"""Long enough to take out a phone and scan a QR code."""


def hashed(secret: str) -> str:
    """Return the hash of a token or ticket; 128 random bits need no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Tickets:
    """The valid tickets, at most one per member."""

    def __init__(self) -> None:
        self._tickets: dict[tuple[str, str], tuple[int, int]] = {}  # oldest first
        self._latest: dict[tuple[str, int], str] = {}

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
        if former := self._latest.get((code, member)):
            del self._tickets[code, former]
        self._latest[code, member] = ticket_hash
        self._tickets[code, ticket_hash] = member, now_ms + TICKET_MS

    def redeem(self, code: str, ticket_hash: str, now_ms: int) -> int | None:
        """Use up a ticket; return the member whose seat it is for, None if invalid."""
        self._delete_expired(now_ms)
        if (code, ticket_hash) not in self._tickets:
            return None
        return self._delete(code, ticket_hash)

    def _delete_expired(self, now_ms: int) -> None:
        while self._tickets:
            oldest = next(iter(self._tickets))
            _, until = self._tickets[oldest]
            if until > now_ms:
                return
            self._delete(*oldest)

    def _delete(self, code: str, ticket_hash: str) -> int:
        member, _ = self._tickets.pop((code, ticket_hash))
        del self._latest[code, member]
        return member
