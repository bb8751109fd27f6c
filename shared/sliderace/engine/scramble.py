"""Scramble v1: from secrets to a board that anyone can check after the race.

Before a race the server shows a *commitment* to its secret, and the players' clients
commit to nonces. The seed is a hash of secret and nonces, so that neither the server
nor a player can choose the board. Every byte of this is fixed forever:
`shared/vectors` contains 1,000 golden cases.

>>> str(scramble(seed_from_text("friday"), Size(4, 4)).size)
'4x4'
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Protocol

from sliderace.engine.board import BadSeed, Board, Size, solvable
from sliderace.engine.prng import Stream

__all__ = [
    "MAX_SEAT",
    "NONCE_BYTES",
    "SECRET_BYTES",
    "commitment",
    "nonce_commitment",
    "random_scramble",
    "scramble",
    "seed_from_text",
    "seed_of",
    "shuffled",
]

SECRET_BYTES = 32
NONCE_BYTES = 16
MAX_SEAT = 254
"""A seat is one byte; 255 stays free, so that the number of seats is one byte, too."""

_RACE_ID = re.compile(r"[A-Z0-9-]{1,32}")
_SEED = re.compile(r"[0-9A-Fa-f]{64}")


def commitment(race_id: str, size: Size, secret: bytes) -> str:
    """Return the server's commitment: it binds the secret without revealing it.

    Args:
        race_id: 1 ... 32 of ``A-Z 0-9 -``.
        size: the board's size.
        secret: S, 32 random bytes.

    Returns:
        64 hex digits.

    Raises:
        BadSeed: the race id or the secret is malformed.
    """
    return sha256(_head("commit", race_id) + bytes(size) + _secret(secret)).hexdigest()


def nonce_commitment(race_id: str, seat: int, nonce: bytes) -> str:
    """Return a player's commitment, sent with `ready`: it binds the player's nonce.

    Args:
        race_id: 1 ... 32 of ``A-Z 0-9 -``.
        seat: the player's seat, 0 ... 254.
        nonce: 16 random bytes.

    Returns:
        64 hex digits.

    Raises:
        BadSeed: an argument is malformed.
    """
    head = _head("nonce", race_id)
    return sha256(head + bytes([_seat(seat)]) + _nonce(nonce)).hexdigest()


def seed_of(
    race_id: str,
    size: Size,
    secret: bytes,
    nonces: Iterable[tuple[int, bytes]] = (),
) -> bytes:
    """Return the seed of a race from the secret and the revealed nonces.

    Args:
        race_id: 1 ... 32 of ``A-Z 0-9 -``.
        size: the board's size.
        secret: S, 32 bytes.
        nonces: (seat, nonce) in any order; they are sorted by seat.

    Returns:
        32 bytes.

    Raises:
        BadSeed: an argument is malformed, or a seat occurs twice.
    """
    by_seat = sorted(map(_part, nonces))
    if len({seat for seat, _ in by_seat}) < len(by_seat):
        raise BadSeed("a seat has more than one nonce")
    return sha256(
        _head("seed", race_id)
        + bytes(size)
        + _secret(secret)
        + bytes([len(by_seat)])
        + b"".join(nonce for _, nonce in by_seat)
    ).digest()


def seed_from_text(text: str) -> bytes:
    """Return the seed that a person typed: 64 hex digits, or any text, which is hashed.

    A race with such a seed makes no claim of fairness.

    Raises:
        BadSeed: the text contains a lone surrogate.
    """
    if _SEED.fullmatch(text):
        return bytes.fromhex(text)
    try:
        return sha256(b"sliderace/text/v1\0" + text.encode()).digest()
    except UnicodeEncodeError:
        raise BadSeed("the seed is not valid text") from None


def scramble(seed: bytes, size: Size) -> Board:
    """Return the board of a seed.

    It is uniform over all solvable boards except the solved one: a fair shuffle in
    which tiles 1 and 2 are swapped if the result is not solvable.

    Args:
        seed: 32 bytes.
        size: width and height.

    Raises:
        BadSeed: the seed is not 32 bytes.
    """
    stream = Stream(_bytes(seed, SECRET_BYTES, "seed"))
    board = Board(size, shuffled(size, stream))
    while board.is_solved:
        board = Board(size, shuffled(size, stream))
    return board


class Randomness(Protocol):
    """What `random_scramble` needs of `random.Random` or `random.SystemRandom`."""

    def randbytes(self, n: int, /) -> bytes:
        """Return random bytes."""
        ...


def random_scramble(rng: Randomness, size: Size) -> Board:
    """Return a random board, all solvable boards but the solved one equally likely.

    Args:
        rng: the source of randomness; with a seeded one the board can be repeated.
        size: width and height.
    """
    return scramble(rng.randbytes(SECRET_BYTES), size)


def shuffled(size: Size, stream: Stream) -> list[int]:
    """Draw a solvable board, all equally likely, including the solved one."""
    tiles = [*range(1, size.cells), 0]
    for i in range(len(tiles) - 1, 0, -1):
        j = stream.below(i + 1)
        tiles[i], tiles[j] = tiles[j], tiles[i]
    if not solvable(size, tiles):
        one, two = tiles.index(1), tiles.index(2)
        tiles[one], tiles[two] = 2, 1
    return tiles


def _head(use: str, race_id: object) -> bytes:
    if not isinstance(race_id, str) or not _RACE_ID.fullmatch(race_id):
        raise BadSeed(f"a race id is 1 ... 32 of A-Z 0-9 -, not {race_id!r:.40}")
    return f"sliderace/{use}/v1\0{race_id}\0".encode()


def _part(part: tuple[int, bytes]) -> tuple[int, bytes]:
    if type(part) is not tuple or len(part) != 2:
        raise BadSeed(f"a seat and its nonce, not {part!r:.40}")
    return _seat(part[0]), _nonce(part[1])


def _secret(secret: bytes) -> bytes:
    return _bytes(secret, SECRET_BYTES, "secret")


def _nonce(nonce: bytes) -> bytes:
    return _bytes(nonce, NONCE_BYTES, "nonce")


def _bytes(value: object, count: int, what: str) -> bytes:
    if not isinstance(value, bytes):
        raise BadSeed(f"a {what} is bytes, not {value!r:.40}")
    if len(value) != count:
        raise BadSeed(f"a {what} is {count} bytes long, not {len(value)}")
    return value


def _seat(seat: int) -> int:
    if type(seat) is not int or not 0 <= seat <= MAX_SEAT:
        raise BadSeed(f"a seat is 0 ... {MAX_SEAT}, not {seat!r:.40}")
    return seat
