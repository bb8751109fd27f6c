"""Bots take as long as their level, in the rhythm of people, each in its own way.

`python -m tests.bench.bots` prints the same figures of larger samples.
"""

import pytest
from tests.bench.bots import BEST, median_error, rhythm_error, same_ways, solves
from tests.tiers import TIER

from sliderace.engine import Size
from sliderace.solve import LEVELS

SIDES = [side for side in (3, 4, 5, 7, 10) if side <= TIER.bot_sides]
pytestmark = [pytest.mark.no_cover, pytest.mark.timeout(300)]  # thousands of solves


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", LEVELS)
def test_median_time_is_that_of_the_level(name: str, side: int) -> None:
    size = Size(side, side)
    found = solves(LEVELS[name], size, 100)
    assert abs(median_error(found, LEVELS[name], size)) <= 0.12


@pytest.mark.parametrize("size", ["2x3", "6x4", "3x7"])
@pytest.mark.parametrize("name", ["casual", "master"])
def test_boards_that_are_not_square_take_as_long_as_their_level(
    name: str, size: str
) -> None:
    found = solves(LEVELS[name], Size.parse(size), 40)
    assert abs(median_error(found, LEVELS[name], Size.parse(size))) <= 0.15


@pytest.mark.parametrize(
    ("side", "count", "most"),
    [(3, 60, 0.15), (4, 20, 0.15), (5, 10, 0.15), (7, 4, 0.25)],
)
@pytest.mark.parametrize("name", BEST)
def test_rhythm_of_the_best_is_that_of_people(
    name: str, side: int, count: int, most: float
) -> None:
    size = Size(side, side)
    assert rhythm_error(solves(LEVELS[name], size, count, 10), size) <= most


@pytest.mark.parametrize("side", [side for side in SIDES if side <= 5])
@pytest.mark.parametrize("name", LEVELS)
def test_bots_in_a_room_take_different_ways(name: str, side: int) -> None:
    """On 3x3 there are so few good solutions that two of 1,000 pairs are equal."""
    same = same_ways(LEVELS[name], Size(side, side), rooms=10, bots=6)
    assert same <= (1 if side == 3 else 0)
