"""What attempts add up to: totals, bests, averages, streaks and downtime."""

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from sliderace.race.averages import average
from sliderace_server.storage.standings import (
    DAY_MS,
    UNKNOWN,
    Attempt,
    Best,
    Tally,
    Totals,
    days_down,
    fold,
    pace,
    period,
    streak,
)

DAY = 20_787
"""30 November 2026, the last day of a month."""
NOON = DAY * DAY_MS + DAY_MS // 2


def attempt(time_ms: int | None = 9_000, **more: Any) -> Attempt:
    return Attempt("R-1", NOON, time_ms, "keys")._replace(**more)


def folded(*attempts: Attempt) -> tuple[Tally, dict[tuple[str, str, int], Best]]:
    """Fold attempts; return the tally and the best of each leaderboard."""
    tally, bests = Tally(), dict[tuple[str, str, int], Best]()
    for one in attempts:
        tally, _, candidates = fold(tally, one)
        for best in candidates:
            key = best.kind, best.input, best.period
            if key not in bests or best.value_ms < bests[key].value_ms:
                bests[key] = best
    return tally, bests


def test_the_first_attempt_is_a_best_and_has_no_average() -> None:
    tally, gains, bests = fold(Tally(), attempt(9_000))
    assert (tally.own.attempts, tally.own.finished, tally.own.bests) == (
        1,
        1,
        (9_000, None, None),
    )
    assert [tuple(gain) for gain in gains] == [("single", 9_000, None)]
    boards = {(best.kind, best.input, best.period) for best in bests}
    periods = (0, 202611, 20261130)
    assert boards == {("single", i, p) for i in ("", "keys") for p in periods}


def test_averages_are_of_consecutive_attempts_with_dnfs() -> None:
    times = [9_000, None, 7_000, 8_000, 6_000]
    tally, _ = folded(*map(attempt, times))
    assert tally.own.bests == (6_000, 8_000, None)
    tally, gains, _ = fold(tally, attempt(None))
    assert tally.own.bests == (6_000, 8_000, None)  # two DNFs: the average is a DNF
    assert not gains
    assert (tally.own.attempts, tally.own.finished) == (6, 4)
    tally, _ = folded(*map(attempt, range(12_000, 0, -1_000)))
    assert tally.own.bests == (1_000, 3_000, 6_500)


def test_an_attempt_that_does_not_count_changes_only_the_number() -> None:
    tally, _ = folded(attempt())
    after, gains, bests = fold(tally, attempt(1, counts=False))
    assert after == msgspec.structs.replace(tally, number=2)
    assert not gains
    assert not bests


def test_private_attempts_are_own_bests_but_on_no_leaderboard() -> None:
    private = attempt(5_000, public=False)
    tally, bests = folded(attempt(9_000), private, *[attempt(8_000)] * 4)
    assert tally.own.bests == (5_000, 8_000, None)
    assert tally.public.bests == (8_000, 8_000, None)
    assert (tally.own.attempts, tally.public.attempts) == (6, 5)
    assert bests["single", "", 0].value_ms == 8_000
    assert bests["ao5", "", 0].value_ms == 8_000  # without the private one
    assert ("ao12", "", 0) not in bests


def test_a_leaderboard_row_names_the_race_of_the_best() -> None:
    races = [attempt(ms, race=f"R-{n}") for n, ms in enumerate((9, 7, 8, 7, 9, 9))]
    tally, bests = folded(*races)
    assert tally.own.race == "R-1"
    assert bests["single", "", 0].race == "R-1"  # an equal time does not replace it
    assert bests["ao5", "", 0].race == "R-4"


def test_an_average_of_several_inputs_is_mixed() -> None:
    keys, touch, unknown = (attempt(input=one) for one in ("keys", "touch", None))
    _, bests = folded(*[keys] * 5)
    assert bests["ao5", "keys", 0].used == "keys"
    _, bests = folded(*[keys] * 4, touch)
    assert bests["ao5", "", 0].used == bests["ao5", "mixed", 0].used == "mixed"
    assert ("ao5", "touch", 0) not in bests
    _, bests = folded(*[unknown] * 5)
    assert {board for _, board, _ in bests} == {""}
    _, bests = folded(*[keys] * 4, unknown)
    assert bests["ao5", "", 0].used == "mixed"


def test_a_new_month_and_a_new_day_start_new_leaderboards() -> None:
    late = attempt(8_000, started_ms=(DAY + 1) * DAY_MS - 1)
    next_day = attempt(9_000, started_ms=(DAY + 1) * DAY_MS)
    _, bests = folded(late, next_day)
    values = {span: best.value_ms for (_, board, span), best in bests.items() if board}
    assert values == {
        0: 8_000,
        202611: 8_000,
        20261130: 8_000,
        202612: 9_000,
        20261201: 9_000,
    }


def test_an_attempt_of_an_earlier_day_counts_for_that_day() -> None:
    """Storing a race may take long, and an attempt may be credited later."""
    earlier = attempt(7_000, started_ms=NOON - DAY_MS)
    tally, bests = folded(attempt(8_000), earlier, attempt(7_500))
    values = {span: best.value_ms for (_, board, span), best in bests.items() if board}
    assert values == {0: 7_000, 202611: 7_000, 20261130: 7_500, 20261129: 7_000}
    assert fold(tally, attempt(7_600)).bests == []


def test_a_best_says_which_one_it_replaces() -> None:
    """A tally contains only the latest month and day."""
    tally, _ = folded(attempt(8_000))
    _, _, bests = fold(tally, attempt(7_000, started_ms=NOON + DAY_MS))
    before = {best.period: best.before for best in bests}
    assert before == {0: 8_000, 202612: None, 20261201: None}
    tally, _, _ = fold(tally, attempt(8_500, started_ms=NOON + DAY_MS))
    _, _, bests = fold(tally, attempt(7_000, started_ms=NOON))
    before = {best.period: best.before for best in bests}
    assert before == {0: 8_000, 202611: UNKNOWN, 20261130: UNKNOWN}
    assert tally.listed_best("single", "", 20261201) == 8_500
    assert tally.listed_best("single", "keys", 20261130) == UNKNOWN
    assert tally.listed_best("ao5", "", 0) is None


def test_a_daily_race_is_on_the_leaderboard_of_its_day() -> None:
    """Even if it started after midnight."""
    after_midnight = attempt(daily=DAY, started_ms=(DAY + 1) * DAY_MS + 5)
    _, bests = folded(after_midnight)
    assert bests["single", "", -20261130].value_ms == 9_000
    assert bests["single", "keys", -20261130].value_ms == 9_000
    assert ("single", "", -20261201) not in bests


TIMES = st.lists(st.one_of(st.none(), st.integers(1, 20)), max_size=40)


@given(times=TIMES)
def test_the_fold_agrees_with_a_search_through_all_attempts(
    times: list[int | None],
) -> None:
    def best(of: int) -> int | None:
        windows = [times[n : n + of] for n in range(len(times) - of + 1)]
        values = [window[0] if of == 1 else average(window) for window in windows]
        return min((value for value in values if value is not None), default=None)

    tally, bests = folded(*map(attempt, times))
    assert tally.own.bests == (best(1), best(5), best(12))
    for kind, of in (("single", 1), ("ao5", 5), ("ao12", 12)):
        row = bests.get((kind, "keys", 0))
        assert (row and row.value_ms) == best(of)


@given(times=TIMES, split=st.integers(0, 40))
def test_a_stored_tally_can_be_folded_on(times: list[int | None], split: int) -> None:
    attempts = [
        attempt(ms, started_ms=NOON + n * 3_600_000) for n, ms in enumerate(times)
    ]
    whole, _ = folded(*attempts)
    stored, _ = folded(*attempts[:split])
    again = msgspec.json.decode(msgspec.json.encode(stored), type=Tally)
    for one in attempts[split:]:
        again, _, _ = fold(again, one)
    assert again == whole


def test_pace_is_the_median_of_the_latest_times() -> None:
    assert pace(Totals()) is None
    assert pace(folded(attempt(None))[0].own) is None
    slow_then_fast = [attempt(99_000)] * 12 + [attempt(8_000), attempt(None)] * 6
    assert pace(folded(*slow_then_fast)[0].own) == 8_000


# --- Days ----------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 10_900, DAY, 29_000])
def test_periods_are_those_of_the_calendar(first: int) -> None:
    for day in range(first, first + 1_600):
        date = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day)
        assert period("day", day) == int(date.strftime("%Y%m%d"))
        assert period("month", day) == int(date.strftime("%Y%m"))
    assert period("all", first) == 0


def test_days_of_any_century_follow_each_other() -> None:
    chance = random.Random(2)  # noqa: S311
    for day in (chance.randrange(400_000) for _ in range(2_000)):
        date = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day)
        assert period("day", day) == int(date.strftime("%Y%m%d"))


def test_a_streak_counts_days_and_ends_with_a_missed_one() -> None:
    assert streak(set(), set(), DAY) == 0
    assert streak({DAY}, set(), DAY) == 1
    assert streak({DAY - 1, DAY - 2}, set(), DAY) == 2  # today can still be used
    assert streak({DAY - 2, DAY - 3}, set(), DAY) == 0
    assert streak({DAY, DAY - 1, DAY - 3}, set(), DAY) == 2


def test_a_day_of_downtime_breaks_no_streak_and_does_not_count() -> None:
    assert streak({DAY, DAY - 2}, {DAY - 1}, DAY) == 2
    assert streak({DAY, DAY - 1, DAY - 2}, {DAY - 1}, DAY) == 3
    assert streak({DAY - 3}, {DAY - 1, DAY - 2}, DAY) == 1
    assert streak(set(), {DAY, DAY - 1}, DAY) == 0


def test_outages_of_a_day_add_up() -> None:
    hour = 3_600_000
    assert days_down([]) == []
    half = [(NOON, NOON + hour // 2), (NOON + hour, NOON + 3 * hour // 2)]
    assert days_down(half) == []
    assert days_down([*half, (NOON + 3 * hour, NOON + 3 * hour + 1)]) == [DAY]
    week = days_down([(NOON, NOON + 7 * DAY_MS)])
    assert week == list(range(DAY, DAY + 8))
    assert all(two - one == 1 for one, two in pairwise(week))
    midnight = (DAY + 1) * DAY_MS
    assert days_down([(midnight - hour, midnight)]) == []
