"""The stream of scramble v1: bytes from SHA-256, and fair numbers from bytes."""

from collections.abc import Iterator
from hashlib import sha256

__all__ = ["Stream"]

_LABEL = b"sliderace/stream/v1\0"


class Stream:
    """An endless stream of fair draws, the same for the same seed everywhere.

    Args:
        seed: 32 bytes; any other length would be a stream of its own too.
    """

    __slots__ = ("_bytes",)

    def __init__(self, seed: bytes) -> None:
        self._bytes = _bytes(_LABEL + seed)

    def __iter__(self) -> Iterator[int]:
        """The bytes that are left, as integers."""
        return self._bytes

    def below(self, bound: int) -> int:
        """A number 0 ... bound - 1, all equally likely.

        Bytes that would favour the low numbers are thrown away.

        Args:
            bound: 1 ... 256.

        Raises:
            ValueError: the bound is out of range.
        """
        if not 1 <= bound <= 256:
            raise ValueError(f"a bound is 1 ... 256, not {bound}")
        limit = 256 - 256 % bound
        byte = next(self._bytes)
        while byte >= limit:
            byte = next(self._bytes)
        return byte % bound


def _bytes(prefix: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from sha256(prefix + block.to_bytes(4, "big")).digest()
        block += 1
