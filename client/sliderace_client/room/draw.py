"""Our part in the draw of the board: we commit to a nonce, and reveal it later.

Nobody can choose the board. The server commits to its secret before it knows any nonce,
and every client commits to its nonce before anybody reveals one:

1. With `ready`, we send the commitment to a nonce, once on each connection.
2. When the roster is frozen, the server lists the commitments of all racers. Only the
   first list counts; a different one later is a fault.
3. If that list holds our commitment, we reveal the nonce, once on each connection. We
   reveal nothing after a second list: others might have chosen theirs knowing ours.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from sliderace.engine import nonce_commitment
from sliderace.engine.scramble import NONCE_BYTES

__all__ = ["Draw", "Entropy", "Fate", "Listed"]

IN_TIME_MS = 5_000
"""A commitment sent this long before the roster was frozen has arrived in time."""

Entropy = Callable[[int], bytes]
"""Returns that many random bytes."""
Listed = Mapping[int, str | None]
"""The seats of a frozen roster, each with the commitment listed for it."""


class Fate(StrEnum):
    """The fate of our nonce."""

    NOT_SENT = "not_sent"
    SENT = "sent"
    UNSURE = "unsure"
    """It was sent, and then the connection was lost."""
    LATE = "late"
    """The server no longer took it."""
    REFUSED = "refused"
    """The server rejected it as wrong."""


class Draw:
    """The nonces of one client in one race, and the commitments it was shown.

    Args:
        entropy: random bytes.
        race: id of the race.

    Attributes:
        listed: the commitments as first listed; None before the roster is frozen.
        changed: a later list was different.
        frozen: the roster is frozen now. A server that was killed may have forgotten
            it; then we commit again, and reveal nothing before the next list.
        fate: what became of our nonce.
        in_time: our commitment was sent long enough before the roster was frozen, over
            a connection that held.
    """

    def __init__(self, entropy: Entropy, race: str) -> None:
        self._entropy = entropy
        self._race = race
        self._nonces: dict[int, bytes] = {}
        self._committed_at: dict[int, int] = {}
        self._revealed = False
        self.listed: Listed | None = None
        self.changed = False
        self.frozen = False
        self.fate = Fate.NOT_SENT
        self.in_time = False

    def disconnected(self, *, drawn: bool) -> None:
        """Note that the last messages may not have arrived.

        Args:
            drawn: the seed has been drawn, so no nonce counts any more.
        """
        self._committed_at.clear()
        self._revealed = False
        if self.fate is Fate.SENT and not drawn:
            self.fate = Fate.UNSURE

    def nonce(self, seat: int) -> str:
        """Return our nonce for a seat as 32 hex digits; empty if there is none."""
        return self._nonces.get(seat, b"").hex()

    def commitment(self, seat: int) -> str:
        """Return the commitment to our nonce for a seat, always the same one."""
        if seat not in self._nonces:
            self._nonces[seat] = self._entropy(NONCE_BYTES)
        return nonce_commitment(self._race, seat, self._nonces[seat])

    def commit(self, seat: int, now: int) -> str:
        """Return the commitment, and note that it is sent now."""
        self._committed_at.setdefault(seat, now)
        return self.commitment(seat)

    def committed(self, seat: int) -> bool:
        """Whether the commitment was sent on this connection."""
        return seat in self._committed_at

    def commitment_refused(self) -> None:
        """Note that the server did not take the commitment."""
        self._committed_at.clear()

    def list_roster(
        self,
        roster: Sequence[int],
        commitments: Sequence[str | None],
        seat: int | None,
        now: int,
    ) -> None:
        """Take the frozen roster and its commitments.

        Args:
            roster: the seats; empty: it is not frozen.
            commitments: one for each seat; missing ones are None.
            seat: ours, if any.
            now: the caller's clock, ms.
        """
        self.frozen = bool(roster)
        if not roster:
            return
        listed = dict.fromkeys(roster) | dict(zip(roster, commitments, strict=False))
        if self.listed is not None:
            self.changed = self.changed or listed != self.listed
            return
        self.listed = listed
        sent = None if seat is None else self._committed_at.get(seat)
        self.in_time = sent is not None and now - sent >= IN_TIME_MS

    def lists_ours(self, seat: int) -> bool:
        """Whether the commitment listed for our seat is ours."""
        mine = (self.listed or {}).get(seat)
        return seat in self._nonces and mine == self.commitment(seat)

    def reveal(self, seat: int) -> str | None:
        """Return the nonce to send now; None if there is none to send."""
        open_now = self.frozen and not self.changed and self.lists_ours(seat)
        if self._revealed or not open_now:
            return None
        self._revealed = True
        self.fate = Fate.SENT
        return self.nonce(seat)

    def nonce_refused(self, code: str) -> None:
        """Note that the server did not take our nonce, and why."""
        self.fate = Fate.REFUSED if code == "bad_nonce" else Fate.LATE
