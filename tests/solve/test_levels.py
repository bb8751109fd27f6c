from itertools import pairwise, product
from math import isclose
from pathlib import Path

import pytest

from sliderace.engine import EngineError, Size
from sliderace.solve import LEVELS, BadPace, nearest_level, pace_range

SIZES = [Size(width, height) for width, height in product(range(2, 11), repeat=2)]
CLUB = LEVELS["club"]


def test_a_level_has_the_times_of_its_table() -> None:
    seconds = {3: 3.1, 4: 10.8, 5: 29, 7: 82, 10: 250}
    for side, each in seconds.items():
        assert isclose(CLUB.target_ms(Size(side, side)), 1000 * each)


@pytest.mark.parametrize("name", ["newcomer", "club", "record"])
def test_readme_has_the_times_of_a_level(name: str) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    seconds = [LEVELS[name].target_ms(Size(n, n)) / 1000 for n in range(2, 11)]
    shown = (
        f"{each:.1f} s"
        if each < 1
        else f"{each:.0f} s"
        if each < 100
        else f"{each / 60:.0f} min"
        for each in seconds
    )
    assert f"| {name} | {' | '.join(shown)} |\n" in readme


def test_times_between_are_a_power_of_the_number_of_cells() -> None:
    """5x5 takes 29 s and 7x7 takes 82 s, so 36 cells of 25 ... 49 take 47.5 s."""
    for size in (Size(6, 6), Size(9, 4), Size(4, 9)):
        assert isclose(CLUB.target_ms(size), 50_968, rel_tol=1e-3)
    assert isclose(
        CLUB.target_ms(Size(2, 2)), 3100 * (3.1 / 10.8) ** 1.4094, rel_tol=1e-3
    )


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_each_level_is_faster_than_the_one_before(size: Size) -> None:
    for weaker, better in pairwise(LEVELS.values()):
        assert weaker.target_ms(size) > better.target_ms(size) > 0
        assert weaker.form > better.form


def test_larger_boards_take_longer_and_more_slides() -> None:
    squares = [Size(side, side) for side in range(2, 11)]
    for level in LEVELS.values():
        for smaller, larger in pairwise(squares):
            assert level.target_ms(smaller) < level.target_ms(larger)
            assert level.mean_slides(smaller) < level.mean_slides(larger)


def test_long_boards_take_more_slides_than_squares() -> None:
    """The tiles of 2x8 are 1.25 times as far from home as those of 4x4."""
    square, one, two = (CLUB.mean_slides(Size(*s)) for s in ((4, 4), (2, 8), (8, 2)))
    assert isclose(square, 103)
    assert one == two
    assert isclose(one, square * 1.25**1.5)


def test_levels_are_named_by_their_keys() -> None:
    assert all(name == level.name for name, level in LEVELS.items())


@pytest.mark.parametrize("size", [Size(2, 2), Size(3, 7), Size(10, 10)], ids=str)
def test_a_pace_is_the_time_for_its_board(size: Size) -> None:
    for pace_ms in (*pace_range(size), 12_500):
        level = CLUB.at_pace(size, pace_ms)
        assert isclose(level.target_ms(size), pace_ms)
        assert level.mean_slides(size) == CLUB.mean_slides(size)
        assert (level.name, level.form, level.think) == ("pace", 0.08, CLUB.think)


@pytest.mark.parametrize(
    "pace_ms", [899, 14_400_001, 0, -1, float("nan"), float("inf")]
)
def test_a_pace_out_of_range_is_refused(pace_ms: float) -> None:
    with pytest.raises(
        BadPace, match=rf"3x3 must be 900 \.\.\. 14400000 ms, not {pace_ms}"
    ):
        CLUB.at_pace(Size(3, 3), pace_ms)
    assert issubclass(BadPace, EngineError)


@pytest.mark.parametrize(
    ("seconds", "name"),
    [
        (2.4, "club"),
        (2.39, "strong"),
        (1, "master"),
        (600, "newcomer"),
        (0.1, "record"),
    ],
)
def test_the_nearest_level_is_found_by_the_ratio(seconds: float, name: str) -> None:
    """`club` takes 3.1 s and `strong` 1.85 s; the middle is 2.395 s."""
    assert nearest_level(Size(3, 3), 1000 * seconds).name == name
