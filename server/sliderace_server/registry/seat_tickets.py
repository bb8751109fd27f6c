"""Tickets that take a seat to another device: good once, for two minutes. Pure.

Only their hashes are kept, and only in memory: a restart ends them all, and whoever
showed one asks for another.
"""

import hashlib
from dataclasses import dataclass

__all__ = ["TICKET_MS", "Tickets", "hashed"]

TICKET_MS = 120_000
"""Time enough to take out a phone and to scan a picture."""


@dataclass(frozen=True, slots=True)
class _Ticket:
    hash: str
    until: int


def hashed(secret: str) -> str:
    """What is kept of a token or a ticket; 128 random bits need no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Tickets:
    """The tickets that are out, at most one of each member."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, int], _Ticket] = {}

    def __len__(self) -> int:
        return len(self._of)

    def issue(self, code: str, member: int, ticket_hash: str, now_ms: int) -> None:
        """Note a new ticket; the member's last one is worth nothing any more.

        Args:
            code: of the room.
            member: whose seat it is.
            ticket_hash: what is kept of it.
            now_ms: monotonic time.
        """
        self._forget(now_ms)
        self._of[code, member] = _Ticket(ticket_hash, now_ms + TICKET_MS)

    def redeem(self, code: str, ticket_hash: str, now_ms: int) -> int | None:
        """Whose seat in that room a ticket is for, once; None: it is worth nothing."""
        self._forget(now_ms)
        for (room, member), ticket in self._of.items():
            if room == code and ticket.hash == ticket_hash:
                del self._of[room, member]
                return member
        return None

    def _forget(self, now_ms: int) -> None:
        kept = {who: one for who, one in self._of.items() if one.until > now_ms}
        self._of = kept
