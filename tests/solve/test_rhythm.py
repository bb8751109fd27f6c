"""A bot makes its slides when a person would."""
# ruff: noqa: S311 - a test needs no secrets

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import isclose, log
from random import Random
from statistics import fmean, median, stdev

from sliderace.engine import Direction, Size
from sliderace.solve import LEVELS, Level, Plan, Stage, timing, total_ms

SIZE = Size(4, 4)
STEADY = replace(LEVELS["club"], spread=0.001, think=0.0, hesitations=0.0, form=0.001)
"""A level whose gaps are nearly equal."""


def planned(*stages: Sequence[Direction], corrects: int = -1) -> Plan:
    """Return a plan of such stages, of which one may be a correction."""
    return Plan(
        SIZE,
        [
            Stage([(direction, 1) for direction in stage], number == corrects)
            for number, stage in enumerate(stages)
        ],
    )


def gaps(plan: Plan, level: Level, seed: int = 1) -> list[int]:
    """Return the time before each slide, in ms."""
    return [b - a for a, b in pairwise([0, *timing(plan, level, Random(seed))])]


ROUND: list[Direction] = ["U", "L", "D", "R"]


def test_the_total_is_the_time_of_the_level_for_that_many_slides() -> None:
    half = round(STEADY.mean_slides(SIZE) / 2)
    plan = planned((ROUND * 100)[:half])
    total = total_ms(plan, STEADY, Random(1))
    assert isclose(total, 10_800 / 2, rel_tol=0.02)
    assert timing(plan, STEADY, Random(1))[-1] == total


def test_form_spreads_the_totals() -> None:
    plan = planned(ROUND * 10)
    rng = Random(4)
    for level in (LEVELS["newcomer"], LEVELS["record"].at_pace(SIZE, 5_000)):
        totals = [log(total_ms(plan, level, rng)) for _ in range(2000)]
        assert isclose(stdev(totals), level.form, rel_tol=0.05)


def test_even_a_total_of_no_time_is_a_millisecond() -> None:
    """The shortest way of a small board may be drawn much too fast."""
    quick = replace(STEADY, seconds=[1e-6] * 5)
    assert timing(planned(ROUND), quick, Random(1)) == [1, 1, 1, 1]


def test_a_bot_looks_before_its_first_slide() -> None:
    first, *others = gaps(planned(ROUND * 50), STEADY)
    assert isclose(first, 5 * median(others), rel_tol=0.05)


def test_a_bot_thinks_before_each_stage() -> None:
    thoughtful = replace(STEADY, think=6.0)
    plan = planned(*[ROUND] * 500)
    found = gaps(plan, thoughtful)
    usual = median(found)
    pauses = [gap / usual - 1 for gap in found[4::4]]
    assert isclose(fmean(pauses), 6.0, rel_tol=0.1)
    assert max(gap / usual for n, gap in enumerate(found) if n % 4) < 1.1


def test_a_bot_stops_when_it_notices_a_mistake() -> None:
    found = gaps(planned(ROUND * 5, ROUND * 5, corrects=1), STEADY)
    pauses = [gap / median(found) - 1 for gap in found]
    assert [n for n, pause in enumerate(pauses) if pause > 1] == [0, 20]
    assert pauses[20] > 1.4


def test_hesitations_are_as_frequent_as_the_level_says() -> None:
    found = gaps(planned(ROUND * 2500), replace(STEADY, hesitations=0.05))
    usual = median(found)
    long = [gap / usual - 1 for gap in found if gap > 2 * usual]
    assert isclose(len(long) / len(found), 0.05, rel_tol=0.1)
    assert min(long) > 1.5 + 0.12 - 1, "the shortest one, before a chord"
    assert isclose(fmean(long), 1.5 + 2.5, rel_tol=0.1)


def test_some_slides_are_chords() -> None:
    found = gaps(planned(ROUND * 2500), STEADY)
    usual = median(found)
    short = [gap / usual for gap in found if gap < 0.9 * usual]
    assert isclose(len(short) / len(found), 0.10, rel_tol=0.1)
    assert 0.11 < min(short) < 0.14
    assert 0.58 < max(short) < 0.62


def test_going_straight_on_is_faster() -> None:
    both: list[Direction] = ["U", "U", "L", "L"]
    found = gaps(planned(both * 1000), STEADY)
    straight, turn = median(found[1::2]), median(found[2::2])
    assert isclose(straight / turn, 0.935, rel_tol=0.02)


def test_gaps_are_log_normal_and_remember_the_one_before() -> None:
    level = replace(LEVELS["club"], hesitations=0.0, think=0.0, seconds=[3600.0] * 5)
    for size, memory in ((Size(5, 5), 0.15), (Size(5, 6), 0.3)):
        plan = replace(planned(ROUND * 5000), size=size)
        logs = [log(gap) for gap in gaps(plan, level)[1:]]
        usual = median(logs)
        # Without chords: the upper half is that of a normal distribution.
        above = [each - usual for each in logs if each > usual]
        assert isclose(fmean(above), 0.8 * level.spread, rel_tol=0.1)
        middle = fmean(logs)
        together = fmean((a - middle) * (b - middle) for a, b in pairwise(logs))
        share = together / stdev(logs) ** 2
        assert 0.3 * memory < share < memory, "chords are independent"


def test_the_progress_of_others_does_not_change_the_times() -> None:
    """All that `timing` knows is the plan, the level and the bot's own chance."""
    plan = planned(ROUND * 10)
    rng = Random(9)
    first = timing(plan, LEVELS["club"], rng)
    assert timing(plan, LEVELS["club"], rng) != first
    assert timing(plan, LEVELS["club"], Random(9)) == first
