from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from math import factorial
from random import Random
from typing import Any

import pytest

from sliderace.engine import (
    BadSeed,
    Board,
    Size,
    Stream,
    commitment,
    nonce_commitment,
    random_scramble,
    scramble,
    seed_from_text,
    seed_of,
    solvable,
)
from sliderace.engine.scramble import shuffled

Golden = dict[str, list[dict[str, Any]]]

SECRET, NONCE = bytes(32), bytes(16)
SIZE = Size(4, 4)


# --- Golden ---------------------------------------------------------------------------


def test_a_thousand_golden_scrambles(scrambles: list[dict[str, Any]]) -> None:
    assert len(scrambles) == 1000
    for case in scrambles:
        size, secret = Size(case["w"], case["h"]), bytes.fromhex(case["server_seed"])
        nonces = [(n, bytes.fromhex(hexed)) for n, hexed in enumerate(case["nonces"])]
        assert commitment(case["race"], size, secret) == case["commitment"]
        seed = seed_of(case["race"], size, secret, nonces)
        assert seed.hex() == case["seed"]
        assert scramble(seed, size) == Board(size, case["board"])


def test_golden_commitments(golden: Golden) -> None:
    for case in golden["commitments"]:
        size, secret = (
            Size(case["width"], case["height"]),
            bytes.fromhex(case["secret"]),
        )
        assert commitment(case["race"], size, secret) == case["commitment"]
    for case in golden["nonces"]:
        nonce = bytes.fromhex(case["nonce"])
        assert nonce_commitment(case["race"], case["seat"], nonce) == case["commitment"]


def test_seed_does_not_depend_on_the_order_of_nonces(golden: Golden) -> None:
    for case in golden["seeds"]:
        size, secret = (
            Size(case["width"], case["height"]),
            bytes.fromhex(case["secret"]),
        )
        nonces = [(seat, bytes.fromhex(hexed)) for seat, hexed in case["nonces"]]
        for order in (nonces, nonces[::-1]):
            assert seed_of(case["race"], size, secret, order).hex() == case["seed"]


def test_golden_seeds_from_text(golden: Golden) -> None:
    for case in golden["texts"]:
        if "error" in case:
            with pytest.raises(BadSeed):
                seed_from_text(case["text"])
        else:
            assert seed_from_text(case["text"]).hex() == case["seed"]


# --- Refusals -------------------------------------------------------------------------


def test_malformed_race_ids_are_refused(golden: Golden) -> None:
    for case in golden["race_ids"]:
        race = case["race"]
        for call in (
            lambda race=race: commitment(race, SIZE, SECRET),
            lambda race=race: nonce_commitment(race, 0, NONCE),
            lambda race=race: seed_of(race, SIZE, SECRET),
        ):
            if case["good"]:
                call()
            else:
                with pytest.raises(BadSeed, match="race id"):
                    call()


@pytest.mark.parametrize("length", [0, 31, 33])
def test_secret_must_have_32_bytes(length: int) -> None:
    with pytest.raises(BadSeed):
        commitment("A", SIZE, bytes(length))
    with pytest.raises(BadSeed):
        seed_of("A", SIZE, bytes(length))
    with pytest.raises(BadSeed):
        scramble(bytes(length), SIZE)


@pytest.mark.parametrize("length", [0, 15, 17])
def test_nonce_must_have_16_bytes(length: int) -> None:
    with pytest.raises(BadSeed):
        nonce_commitment("A", 0, bytes(length))
    with pytest.raises(BadSeed):
        seed_of("A", SIZE, SECRET, [(0, bytes(length))])


@pytest.mark.parametrize("seat", [-1, 255, 256])
def test_seat_must_be_0_to_254(seat: int) -> None:
    with pytest.raises(BadSeed):
        nonce_commitment("A", seat, NONCE)
    with pytest.raises(BadSeed):
        seed_of("A", SIZE, SECRET, [(seat, NONCE)])


def test_second_nonce_of_a_seat_is_refused() -> None:
    with pytest.raises(BadSeed, match="more than one nonce"):
        seed_of("A", SIZE, SECRET, [(3, NONCE), (3, bytes(range(16)))])


def test_all_255_seats_can_contribute() -> None:
    nonces = [(seat, NONCE) for seat in range(255)]
    assert len(seed_of("A", SIZE, SECRET, nonces)) == 32


# --- Fairness -------------------------------------------------------------------------


class FixedDraws(Stream):
    """A stream with given draws."""

    def __init__(self, draws: tuple[int, ...]) -> None:
        super().__init__(b"")
        self.draws = list(draws)

    def below(self, bound: int) -> int:
        draw = self.draws.pop(0)
        assert 0 <= draw < bound
        return draw


def all_draws(cells: int) -> Iterator[tuple[int, ...]]:
    """Return every possible sequence of draws for a board with that many cells."""
    return product(*(range(i + 1) for i in range(cells - 1, 0, -1)))


@pytest.mark.parametrize("text", ["2x2", "2x3", "3x2", "2x4"])
def test_each_solvable_board_results_from_two_draws(text: str) -> None:
    size = Size.parse(text)
    boards = Counter(
        tuple(shuffled(size, FixedDraws(draws))) for draws in all_draws(size.cells)
    )
    assert len(boards) == factorial(size.cells) // 2
    assert set(boards.values()) == {2}
    assert all(solvable(size, tiles) for tiles in boards)


def test_solved_draw_is_repeated_from_the_same_stream() -> None:
    solved = Board.solved(Size(2, 2))
    continued = 0
    for n in range(200):
        seed = n.to_bytes(32, "big")
        stream = Stream(seed)
        tiles = shuffled(solved.size, stream)
        while tuple(tiles) == solved.tiles:
            continued += 1
            tiles = shuffled(solved.size, stream)
        assert scramble(seed, solved.size).tiles == tuple(tiles)
    assert continued > 5


def test_the_eleven_boards_of_2x2_are_equally_likely() -> None:
    seen = Counter(
        scramble(n.to_bytes(32, "big"), Size(2, 2)).tiles for n in range(5500)
    )
    assert len(seen) == 11
    # Chi-squared with 10 degrees of freedom exceeds 29.6 once in a thousand times.
    assert sum((count - 500) ** 2 / 500 for count in seen.values()) < 29.6


def test_scramble_is_solvable_and_not_solved() -> None:
    for width, height in product(range(2, 11), repeat=2):
        for n in range(3):
            board = scramble(n.to_bytes(32, "big"), Size(width, height))
            assert board.is_solvable()
            assert not board.is_solved


# --- The stream -----------------------------------------------------------------------


def test_draws_are_uniform_for_every_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for bound in range(1, 257):
        stream = Stream(SECRET)
        # Each byte once, then a 0 that marks the end.
        monkeypatch.setattr(stream, "_bytes", iter([*range(256), 0]))
        kept = 256 - 256 % bound
        counts = Counter(stream.below(bound) for _ in range(kept))
        assert set(counts) == set(range(bound))
        assert set(counts.values()) == {kept // bound}


@pytest.mark.parametrize("bound", [0, -1, 257])
def test_bound_must_be_1_to_256(bound: int) -> None:
    with pytest.raises(ValueError, match="a bound is"):
        Stream(SECRET).below(bound)


def test_stream_continues_block_after_block() -> None:
    stream = Stream(SECRET)
    first = bytes(islice(stream, 40))
    assert bytes(islice(Stream(SECRET), 72)) == first + bytes(islice(stream, 32))
    assert len(set(first)) > 30


@pytest.mark.parametrize(
    "nonces", [[NONCE], [(NONCE,)], [(0, "n" * 16)], [7], [(0, 1)]]
)
def test_nonces_without_their_seats_are_refused(nonces: Any) -> None:
    with pytest.raises(BadSeed):
        seed_of("X-1", Size(3, 3), b"s" * 32, nonces)


@pytest.mark.parametrize("seat", [True, 1.0, "1", None, -1, 255])
def test_value_that_is_not_a_seat_is_refused(seat: Any) -> None:
    with pytest.raises(BadSeed):
        nonce_commitment("X-1", seat, NONCE)


@pytest.mark.parametrize("wrong", ["s" * 32, None, 32, b"s" * 31])
def test_secret_or_seed_that_is_not_32_bytes_is_refused(wrong: Any) -> None:
    with pytest.raises(BadSeed):
        commitment("X-1", Size(3, 3), wrong)
    with pytest.raises(BadSeed):
        scramble(wrong, Size(3, 3))


def test_race_id_that_is_not_text_is_refused() -> None:
    race: Any = 7
    with pytest.raises(BadSeed):
        commitment(race, Size(3, 3), b"s" * 32)


def test_a_seeded_generator_repeats_its_random_scrambles() -> None:
    first, again = Random(7), Random(7)  # noqa: S311 - no secret
    boards = [random_scramble(first, SIZE) for _ in range(3)]
    assert boards == [random_scramble(again, SIZE) for _ in range(3)]
    assert len({board.position for board in boards}) == 3
    assert all(board.is_solvable() and not board.is_solved for board in boards)
