"""The letters of profiles: their public ids, and the tickets that add a device.

Tickets exist only in memory: a restart makes all of them void.
"""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from sliderace.protocol.profile_key import TICKET_LETTERS
from sliderace_server.registry.codes_in_use import draw_letters

__all__ = ["DEVICE_TICKET_MS", "DeviceTickets", "profile_id"]

ID_LETTERS: Final = 8
"""Among ten thousand profiles, two have the same id with a chance of 1 in 340; the
server then refuses the second one."""
DEVICE_TICKET_MS: Final = 300_000
"""Long enough to type eight letters on another device."""
WRONG_TRIES: Final = 5
"""Wrong tries after which a ticket is void: enough for somebody who mistypes it."""
START: Final = 4
"""Letters by which a wrong try finds the ticket that it is counted for. Only somebody
who knows or guesses these can make a ticket void (1 in 130,321)."""
MOST: Final = 10_000
"""Tickets at a time; beyond it the oldest is void. Thousands of addresses would be
needed to reach it."""


def profile_id(secret: str) -> str:
    """Return the public id of the profile that a secret creates: eight letters.

    Args:
        secret: 32 hex digits.
    """
    data = b"sliderace/profile/v1\0" + bytes.fromhex(secret)
    return next(draw_letters(hashlib.sha256(data).digest(), ID_LETTERS))


@dataclass(slots=True)
class _Ticket:
    profile: str
    rest: str
    until: int
    wrong: int = 0


class DeviceTickets:
    """The valid tickets, at most one per profile."""

    def __init__(self) -> None:
        self._tickets: dict[str, _Ticket] = {}  # by the first letters; oldest first
        self._starts: dict[str, str] = {}  # of each profile

    def __len__(self) -> int:
        return len(self._tickets)

    def issue(self, profile: str, entropy: bytes, now_ms: int) -> str:
        """Return a new ticket: eight letters. It replaces the profile's previous one.

        Args:
            profile: id of the profile that gets another device.
            entropy: 16 random bytes or more.
            now_ms: monotonic time.
        """
        self._delete_expired(now_ms)
        self.void(profile)
        while len(self._tickets) >= MOST:
            self._delete(next(iter(self._tickets)))
        letters = next(
            one
            for one in draw_letters(entropy, TICKET_LETTERS)
            if one[:START] not in self._tickets
        )
        start, rest = letters[:START], letters[START:]
        self._tickets[start] = _Ticket(profile, rest, now_ms + DEVICE_TICKET_MS)
        self._starts[profile] = start
        return letters

    def void(self, profile: str) -> None:
        """Delete the ticket of a profile, if there is one."""
        if profile in self._starts:
            self._delete(self._starts[profile])

    def redeem(self, letters: str, now_ms: int) -> str | None:
        """Use up a ticket.

        Args:
            letters: eight letters.
            now_ms: monotonic time.

        Returns:
            The id of its profile; None if the ticket is wrong, used or too old. The
            fifth wrong try for a ticket makes it void.
        """
        self._delete_expired(now_ms)
        start, rest = letters[:START], letters[START:]
        if (ticket := self._tickets.get(start)) is None:
            return None
        if not hmac.compare_digest(ticket.rest, rest):
            ticket.wrong += 1
            if ticket.wrong >= WRONG_TRIES:
                self._delete(start)
            return None
        self._delete(start)
        return ticket.profile

    def _delete_expired(self, now_ms: int) -> None:
        while self._tickets:
            oldest = next(iter(self._tickets))
            if self._tickets[oldest].until > now_ms:
                return
            self._delete(oldest)

    def _delete(self, start: str) -> None:
        del self._starts[self._tickets.pop(start).profile]
