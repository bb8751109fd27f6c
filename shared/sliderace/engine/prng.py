"""The random numbers of scramble v1: fair draws from SHA-256 bytes."""

from collections.abc import Iterator
from hashlib import sha256

__all__ = ["Stream"]

_LABEL = b"sliderace/stream/v1\0"


class Stream:
    """An endless stream of fair draws, determined by its seed.

    Args:
        seed: 32 bytes.
    """

    __slots__ = ("_bytes",)

    def __init__(self, seed: bytes) -> None:
        self._bytes = _bytes(_LABEL + seed)

    def __iter__(self) -> Iterator[int]:
        """Iterate over the remaining bytes, as integers."""
        return self._bytes

    def below(self, bound: int) -> int:
        """Draw a number 0 ... bound - 1, all equally likely.

        Bytes that would favour low numbers are discarded.

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
