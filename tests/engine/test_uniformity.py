"""Every scramble is equally likely: exactly on small boards, else statistically.

The seeds are fixed, so no result depends on luck. Critical values are those that fair
scrambles would rarely exceed with other seeds. Tests with a planted modulo bias show
that the same statistics find it.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial

import pytest
from tests.bench.uniformity import Tiles, boards, tail, tiles_in_cells, whole_boards

from sliderace.engine import Board, Size, Stream, scramble
from sliderace.engine.scramble import shuffled

pytestmark = [pytest.mark.no_cover, pytest.mark.timeout(60)]  # millions of steps

SIGNIFICANCE = 1e-6
"""Significance level: fair scrambles fail once in a million times."""
CRITICAL_64 = 132.79
"""Chi-squared with 64 degrees of freedom exceeds it with p = 0.000001."""


class FixedBytes(Stream):
    """A stream with given bytes."""

    def __init__(self, given: bytes) -> None:
        super().__init__(b"")
        self._bytes = iter(given)


class FixedDraws(Stream):
    """A stream with given draws."""

    def __init__(self, draws: tuple[int, ...]) -> None:
        super().__init__(b"")
        self.draws = list(draws)

    def below(self, bound: int) -> int:
        draw = self.draws.pop(0)
        assert 0 <= draw < bound
        return draw


def biased(stream: Stream, bound: int) -> int:
    """Draw with the planted modulo bias: low numbers are more likely."""
    return next(iter(stream)) % bound


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stream, "below", biased)


# --- Exactly --------------------------------------------------------------------------


def chances(bound: int) -> list[Fraction]:
    """Return the probability of each number below a bound, for uniform bytes.

    A discarded byte changes nothing: the next one decides in the same way.
    """
    kept = Counter[int]()
    for byte in range(256):
        try:
            kept[FixedBytes(bytes([byte])).below(bound)] += 1
        except StopIteration:
            continue
    return [Fraction(kept[number], kept.total()) for number in range(bound)]


def exact(size: Size) -> dict[Tiles, Fraction]:
    """Return the probability of each board, including the solved one."""
    bounds = range(size.cells, 1, -1)
    weights = {bound: chances(bound) for bound in bounds}
    likely: dict[Tiles, Fraction] = {}
    for draws in product(*map(range, bounds)):
        board = tuple(shuffled(size, FixedDraws(draws)))
        chance = Fraction(1)
        for bound, draw in zip(bounds, draws, strict=True):
            chance *= weights[bound][draw]
        likely[board] = likely.get(board, Fraction(0)) + chance
    return likely


@pytest.mark.parametrize("text", ["2x2", "2x3", "3x2"])
def test_small_boards_are_exactly_equally_likely(text: str) -> None:
    size = Size.parse(text)
    likely = exact(size)
    assert len(likely) == factorial(size.cells) // 2
    assert set(likely.values()) == {Fraction(2, factorial(size.cells))}
    assert all(Board(size, tiles).is_solvable() for tiles in likely)


@pytest.mark.usefixtures("plant")
@pytest.mark.parametrize("text", ["2x2", "2x3", "3x2"])
def test_modulo_bias_makes_small_boards_unequal(text: str) -> None:
    likely = exact(Size.parse(text))
    assert sum(likely.values()) == 1
    assert len(set(likely.values())) > 1


# --- Statistically --------------------------------------------------------------------


@cache
def fair(text: str, count: int) -> Counter[Tiles]:
    return Counter(boards(Size.parse(text), count))


@pytest.mark.parametrize(("text", "kinds"), [("2x2", 11), ("2x3", 359)])
def test_small_scrambles_are_uniform_without_the_solved_board(
    text: str, kinds: int
) -> None:
    size = Size.parse(text)
    seen = fair(text, 200 * kinds)
    statistic, freedom = whole_boards(size, seen)
    assert len(seen) == freedom + 1 == kinds
    assert Board.solved(size).tiles not in seen
    # Too even is as suspicious as too uneven.
    assert SIGNIFICANCE < tail(statistic, freedom) < 1 - SIGNIFICANCE


def test_tiles_of_3x3_are_uniform_over_cells() -> None:
    statistic, freedom = tiles_in_cells(Size(3, 3), fair("3x3", 200_000))
    assert freedom == 64
    assert statistic < CRITICAL_64
    assert tail(statistic, freedom) < 1 - SIGNIFICANCE


@pytest.mark.usefixtures("plant")
def test_modulo_bias_is_found_on_3x3() -> None:
    size = Size(3, 3)
    assert scramble(bytes(32), size).is_solvable()
    statistic, freedom = tiles_in_cells(size, Counter(boards(size, 200_000)))
    assert statistic > CRITICAL_64
    assert tail(statistic, freedom) < 1e-12


# --- Chi-squared ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statistic", "freedom", "p"),
    [
        (18.307, 10, 0.05),
        (29.588, 10, 0.001),
        (83.675, 64, 0.05),
        (104.716, 64, 0.001),
        (CRITICAL_64, 64, SIGNIFICANCE),
        (0.0, 64, 1.0),
    ],
)
def test_chi_squared_tail_matches_published_tables(
    statistic: float, freedom: int, p: float
) -> None:
    assert tail(statistic, freedom) == pytest.approx(p, rel=2e-3)
