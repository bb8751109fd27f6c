"""Every plan solves its board, in its own way and with the mistakes of its level."""
# ruff: noqa: S311 - a test needs no secrets

from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given, strategies as st

from sliderace.engine import Board, Size, parse_board, random_scramble
from sliderace.solve import LEVELS, Level, Plan, Unsolvable, plan, timing, total_ms

SIZES = [Size(width, height) for width, height in product(range(2, 11), repeat=2)]
NAMES = list(LEVELS)


def check(board: Board, level: Level, seed: int) -> None:
    """Check that a plan solves the board, and that its times are possible."""
    start = board.copy()
    planned = plan(board, level, Random(seed))
    assert board == start, "the caller's board is not changed"
    for stage in planned.stages:
        assert stage.slides, "a stage has slides"
    for direction, count in planned.slides:
        assert not board.is_solved, "a race ends at the first solved board"
        assert count == 1
        board.slide(direction)
    assert board.is_solved
    total = total_ms(planned, level, Random(seed))
    times = timing(planned, level, Random(seed))
    assert len(times) == len(planned.slides)
    assert all(type(each) is int and each > 0 for each in times)
    assert times == sorted(times)
    assert times[-1:] == [total][: len(times)]


@pytest.mark.parametrize("name", LEVELS)
def test_plans_solve_boards_of_any_size(name: str) -> None:
    """Each level gets an eighth of all sizes here, and every size below."""
    rng = Random(name)
    for size in SIZES[NAMES.index(name) :: len(NAMES)]:
        check(random_scramble(rng, size), LEVELS[name], rng.getrandbits(32))


@pytest.mark.soak
@pytest.mark.no_cover
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", LEVELS)
def test_plans_of_each_level_solve_boards_of_every_size(name: str) -> None:
    rng = Random(name)
    for size in SIZES:
        check(random_scramble(rng, size), LEVELS[name], rng.getrandbits(32))


@given(
    size=st.builds(Size, st.integers(2, 5), st.integers(2, 5)),
    name=st.sampled_from(NAMES),
    seed=st.integers(0, 2**32 - 1),
)
def test_plans_solve_any_small_board(size: Size, name: str, seed: int) -> None:
    check(random_scramble(Random(seed), size), LEVELS[name], seed)


def test_a_solved_board_needs_neither_slides_nor_time() -> None:
    planned = plan(Board.solved(Size(4, 4)), LEVELS["club"], Random(1))
    assert planned == Plan(Size(4, 4), [])
    assert planned.slides == []
    assert total_ms(planned, LEVELS["club"], Random(1)) == 0
    assert timing(planned, LEVELS["club"], Random(1)) == []


def test_a_board_one_slide_away_takes_one_slide() -> None:
    board = parse_board("1 2 3/4 5 6/7 0 8")
    for name, level in LEVELS.items():
        assert plan(board, level, Random(name)).slides == [("L", 1)]


def test_an_unsolvable_board_is_refused() -> None:
    with pytest.raises(Unsolvable, match="3x3"):
        plan(parse_board("2 1 3/4 5 6/7 8 0"), LEVELS["club"], Random(1))


def test_the_same_random_numbers_lead_to_the_same_plan_and_times() -> None:
    board = random_scramble(Random(3), Size(5, 5))
    level = LEVELS["casual"]
    planned, again, other = (plan(board, level, Random(seed)) for seed in (1, 1, 2))
    assert planned == again != other
    one, same, different = (timing(planned, level, Random(seed)) for seed in (5, 5, 6))
    assert one == same != different


def planned_at(name: str, size: Size, count: int) -> list[Plan]:
    rng = Random(name)
    return [plan(random_scramble(rng, size), LEVELS[name], rng) for _ in range(count)]


def test_mistakes_are_as_frequent_as_the_level_says() -> None:
    """A little less often: none is made at the end of a way, or where it is forced."""
    plans = planned_at("newcomer", Size(4, 4), 40)
    slides = sum(len(each.slides) for each in plans)
    mistakes = sum(stage.corrects for each in plans for stage in each.stages)
    assert 0.6 * 3.0 < 100 * mistakes / slides < 3.0


def test_a_bot_never_slips_on_the_last_slide_of_a_way() -> None:
    board = parse_board("1 2 3/4 5 6/7 0 8")
    clumsy = replace(LEVELS["club"], slips=100)
    for seed in range(20):
        assert plan(board, clumsy, Random(seed)).slides == [("L", 1)]


def test_mistakes_are_noticed_after_one_to_three_slides() -> None:
    board = parse_board("1 2 3/4 5 6/0 7 8")  # two slides away
    clumsy = replace(LEVELS["club"], slips=30)
    wrong: Counter[int] = Counter()
    for seed in range(400):
        first, *others = plan(board, clumsy, Random(seed)).stages
        if others and first.slides[0] != ("L", 1):
            assert others[0].corrects
            wrong[len(first.slides)] += 1
    assert {1, 2, 3} <= wrong.keys()
    assert wrong[1] > wrong[2] + wrong[3] - 30, "half of them at once"


def test_first_stage_is_never_a_correction() -> None:
    for planned in planned_at("newcomer", Size(3, 3), 50):
        assert not planned.stages[0].corrects


def test_some_bots_begin_with_a_row_and_some_with_a_column() -> None:
    board = random_scramble(Random(8), Size(5, 5))
    home = Board.solved(board.size).tiles
    columns = 0
    for seed in range(20):
        at = board.copy()
        row = column = False
        for direction, count in plan(board, LEVELS["strong"], Random(seed)).slides:
            at.slide(direction, count)
            row = at.tiles[:5] == home[:5]
            column = at.tiles[::5] == home[::5]
            if row or column:
                break
        columns += column
    assert 2 <= columns <= 10


def test_better_levels_need_fewer_slides() -> None:
    means = [
        sum(len(each.slides) for each in planned_at(name, Size(4, 4), 20))
        for name in ("newcomer", "casual", "strong", "record")
    ]
    assert means == sorted(means, reverse=True)
