"""Room codes in use: drawn at random, never a word, never given twice in a day."""

import hashlib
from collections.abc import Iterator, Set as AbstractSet
from itertools import islice
from typing import Final

from sliderace.protocol.room_code import ALPHABET, LENGTH, RoomCode

__all__ = ["REST_MS", "Codes", "draw"]

REST_MS: Final = 86_400_000
"""A code rests for a day: a stale link or a scrap of paper must not lead strangers
into somebody's room."""

DENIED = (
    "BTCH",
    "CCK",
    "CNT",
    "CRP",
    "CVNT",
    "DCK",
    "FCK",
    "FKK",
    "FVCK",
    "FXCK",
    "JZZ",
    "KKK",
    "KVRW",
    "NGG",
    "NGR",
    "NZZ",
    "PCK",
    "PRN",
    "PSS",
    "RTRD",
    "SCHWZ",
    "SHT",
    "SXX",
    "TWT",
    "VGN",
    "WHR",
    "WNK",
    "WTF",
    "XXX",
)
"""What a mind fills up with vowels, in a code that children read aloud."""


class Codes:
    """The codes of one server.

    Those that were used before the server began come from its store.
    """

    def __init__(self) -> None:
        self._live: set[RoomCode] = set()
        self._resting: dict[RoomCode, int] = {}

    @property
    def live(self) -> AbstractSet[RoomCode]:
        """The codes of rooms that exist."""
        return self._live

    def new(self, entropy: bytes, now_ms: int) -> RoomCode:
        """A free code; it is live from now on.

        Args:
            entropy: 16 random bytes or more.
            now_ms: the machine's monotonic clock.
        """
        self._wake(now_ms)
        taken = self._live | self._resting.keys()
        code = next(code for code in draw(entropy) if code not in taken)
        self._live.add(code)
        return code

    def claim(self, code: RoomCode) -> None:
        """A room with that code was recovered."""
        self._live.add(code)

    def retire(self, code: RoomCode, now_ms: int, rest_ms: int = REST_MS) -> None:
        """The room is no more: its code rests.

        Args:
            code: the room's.
            now_ms: the machine's monotonic clock.
            rest_ms: for how long; less, where it has rested for a while.
        """
        self._live.discard(code)
        self._resting[code] = now_ms + rest_ms

    def _wake(self, now_ms: int) -> None:
        rested = [code for code, until in self._resting.items() if until <= now_ms]
        for code in rested:
            del self._resting[code]


def draw(entropy: bytes) -> Iterator[RoomCode]:
    """Uniform codes without end, none of them offensive.

    Args:
        entropy: where the draws come from; the same bytes give the same codes.
    """
    letters = len(ALPHABET)
    limit = 256 - 256 % letters  # beyond it some letters would come more often
    fair = filter(limit.__gt__, _stream(entropy))
    while True:
        code = "".join(ALPHABET[byte % letters] for byte in islice(fair, LENGTH))
        if not any(word in code for word in DENIED):
            yield RoomCode(code)


def _stream(entropy: bytes) -> Iterator[int]:
    block = entropy
    while True:
        block = hashlib.sha256(block).digest()
        yield from block
