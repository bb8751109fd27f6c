"""Room codes in use: random, without offensive words, not reused within a day."""

import hashlib
import heapq
from collections.abc import Callable, Iterator, Set as AbstractSet
from itertools import islice
from typing import Final

from sliderace.protocol.room_code import ALPHABET, LENGTH, RoomCode

__all__ = ["RESERVE_MS", "Codes", "draw", "draw_letters"]

RESERVE_MS: Final = 86_400_000
"""A code is reserved for a day after its room is closed: an old link must not lead to a
room of other people."""

RELEASED_AT_ONCE = 4
"""Expired codes that are forgotten with each new one: more than are added, but never so
many that the server stalls when a hundred thousand expire in the same second."""

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
"""Letters that suggest an offensive word: children read codes aloud."""


class Codes:
    """The codes that a server uses or has reserved."""

    def __init__(self) -> None:
        self._live: set[RoomCode] = set()
        self._reserved: dict[RoomCode, int] = {}
        self._expiring: list[tuple[int, RoomCode]] = []  # a heap

    @property
    def live(self) -> AbstractSet[RoomCode]:
        """The codes of open rooms."""
        return self._live

    def new(
        self,
        entropy: bytes,
        now_ms: int,
        suits: Callable[[str], bool] = lambda _: True,
    ) -> RoomCode:
        """Return an unused code, and use it.

        Args:
            entropy: 16 random bytes or more.
            now_ms: monotonic time.
            suits: whether a code may be used; true for some of all codes.
        """
        self._forget_expired(now_ms)
        code = next(
            code
            for code in draw(entropy)
            if code not in self._live
            and self._reserved.get(code, now_ms) <= now_ms
            and suits(code)
        )
        self._live.add(code)
        return code

    def claim(self, code: RoomCode) -> None:
        """Use the code of a recovered room."""
        self._live.add(code)

    def discard(self, code: RoomCode) -> None:
        """Stop using a code that nobody has seen."""
        self._live.discard(code)

    def retire(self, code: RoomCode, now_ms: int, reserve_ms: int = RESERVE_MS) -> None:
        """Reserve the code of a closed room.

        Args:
            code: the room's code.
            now_ms: monotonic time.
            reserve_ms: for how long.
        """
        self._live.discard(code)
        self._reserved[code] = now_ms + reserve_ms
        heapq.heappush(self._expiring, (now_ms + reserve_ms, code))

    def _forget_expired(self, now_ms: int) -> None:
        for _ in range(RELEASED_AT_ONCE):
            if not self._expiring or self._expiring[0][0] > now_ms:
                return
            until, code = heapq.heappop(self._expiring)
            if self._reserved.get(code) == until:
                del self._reserved[code]


def draw(entropy: bytes) -> Iterator[RoomCode]:
    """Yield codes without end; see `draw_letters`."""
    return map(RoomCode, draw_letters(entropy, LENGTH))


def draw_letters(entropy: bytes, count: int) -> Iterator[str]:
    """Yield uniformly distributed letters without offensive words, without end.

    Args:
        entropy: the same bytes give the same letters.
        count: how many letters at a time.
    """
    letters = len(ALPHABET)
    limit = 256 - 256 % letters  # greater bytes would favour some letters
    fair = filter(limit.__gt__, _stream(entropy))
    while True:
        code = "".join(ALPHABET[byte % letters] for byte in islice(fair, count))
        if not any(word in code for word in DENIED):
            yield code


def _stream(entropy: bytes) -> Iterator[int]:
    block = entropy
    while True:
        block = hashlib.sha256(block).digest()
        yield from block
