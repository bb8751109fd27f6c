"""Our part in the draw of a race's board: a nonce, committed to before, told after.

Nobody can choose the board: the server was bound to its secret before it heard of any
nonce, and we to our nonce before anybody's was told.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from sliderace.engine import nonce_commitment
from sliderace.engine.scramble import NONCE_BYTES

__all__ = ["Draw", "Entropy", "Fate", "Listed"]

IN_TIME_MS = 5_000
"""What was sent so long before the roster was fixed has arrived before it."""

Entropy = Callable[[int], bytes]
"""Gives so many random bytes."""
Listed = Mapping[int, str | None]
"""The seats of a frozen roster, each with the commitment listed for it."""
Fate = Literal["", "told", "unsure", "late", "refused"]
"""What became of our nonce: not told; told; told, and then the connection was lost;
told too late; refused as wrong."""


class Draw:
    """The nonces of one client in one race, and what it was shown of the others'.

    Args:
        entropy: random bytes.
        race: the race's id.

    Attributes:
        listed: the commitments, as they were listed first; None
            before the roster is frozen.
        changed: they were listed otherwise later.
        fate: what became of our nonce.
        in_time: our commitment was sent well before the roster was frozen, over a
            connection that held.
    """

    def __init__(self, entropy: Entropy, race: str) -> None:
        self._entropy = entropy
        self._race = race
        self._nonces: dict[int, bytes] = {}
        self._sent: dict[int, int] = {}
        self._told = False
        self.listed: Listed | None = None
        self.changed = False
        self.fate: Fate = ""
        self.in_time = False

    def lost(self, *, drawn: bool) -> None:
        """The connection is lost: what was sent last may not have arrived.

        Args:
            drawn: no nonce counts any more.
        """
        self._sent.clear()
        self._told = False
        if self.fate == "told" and not drawn:
            self.fate = "unsure"

    def nonce(self, seat: int) -> str:
        """Our nonce, 32 hex digits; empty if there is none."""
        return self._nonces.get(seat, b"").hex()

    def commitment(self, seat: int) -> str:
        """What binds us to our nonce for that seat; the same whenever it is asked."""
        if seat not in self._nonces:
            self._nonces[seat] = self._entropy(NONCE_BYTES)
        return nonce_commitment(self._race, seat, self._nonces[seat])

    def commit(self, seat: int, now: int) -> str:
        """The commitment, which is sent now."""
        self._sent.setdefault(seat, now)
        return self.commitment(seat)

    def committed(self, seat: int) -> bool:
        """Whether the commitment was sent on this connection."""
        return seat in self._sent

    def uncommitted(self) -> None:
        """The server refused to take a commitment."""
        self._sent.clear()

    def show(
        self,
        roster: Sequence[int],
        commitments: Sequence[str | None],
        seat: int | None,
        now: int,
    ) -> None:
        """The roster is frozen, and the commitments are listed.

        Args:
            roster: seats.
            commitments: one a seat; those that are missing are none.
            seat: ours, if any.
            now: the caller's clock, ms.
        """
        told = dict.fromkeys(roster) | dict(zip(roster, commitments, strict=False))
        if self.listed is not None:
            self.changed = self.changed or told != self.listed
            return
        self.listed = told
        sent = None if seat is None else self._sent.get(seat)
        self.in_time = sent is not None and now - sent >= IN_TIME_MS

    def ours(self, seat: int) -> bool:
        """Whether the commitment listed for our seat is ours."""
        mine = (self.listed or {}).get(seat)
        return seat in self._nonces and mine == self.commitment(seat)

    def answer(self, seat: int) -> str | None:
        """The nonce to tell now, once a connection; None where there is none to tell.

        It is told for the first list only: after another one, others might have
        chosen theirs knowing ours.
        """
        if self._told or self.changed or not self.ours(seat):
            return None
        self._told = True
        self.fate = "told"
        return self.nonce(seat)

    def refused(self, code: str) -> None:
        """The server did not take our nonce: as it is wrong, or as it cannot now."""
        self.fate = "refused" if code == "bad_nonce" else "late"
