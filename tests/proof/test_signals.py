"""Cheat signals: right figures, and no verdict where none can be given."""

from collections.abc import Iterable

import pytest
from tests.race.sample import HONEST, sample_record

from sliderace.engine import Board, Size, parse_board, scramble
from sliderace.proof.reading import read
from sliderace.proof.record import WrittenSlide
from sliderace.proof.signals import (
    CV_FLOOR_MILLI,
    MIN_INTERVALS,
    PAUSE_MS,
    PEAK_CEILING,
    Signal,
    Signals,
    compared,
    signals,
)

BOARD = scramble(bytes(32), Size(4, 4))


def at(stamps: Iterable[int], tiles: int = 1) -> list[WrittenSlide]:
    """Slides with these stamps; where they go does not matter here."""
    return [WrittenSlide("U", tiles, stamp, stamp + 40) for stamp in stamps]


def named(found: Signals, size: Size = BOARD.size) -> dict[str, Signal]:
    return {signal.name: signal for signal in compared(found, size)}


def test_without_slides_nothing_is_known() -> None:
    assert signals(BOARD, []) == Signals(None, None, 0, None, 0, 0, None, None)
    assert not any(
        signal.outside for signal in compared(signals(BOARD, []), BOARD.size)
    )


def test_one_slide_has_a_first_moment_and_no_speed() -> None:
    assert signals(BOARD, at([700])) == Signals(700, None, 1, None, 0, 0, None, None)


def test_speed_counts_tiles_from_the_first_to_the_last_slide() -> None:
    assert signals(BOARD, at([500, 1_000, 2_500], tiles=3)).tps_milli == 4_500


def test_slides_at_the_same_moment_have_no_speed() -> None:
    found = signals(BOARD, at([500, 500, 500]))
    assert (found.tps_milli, found.cv_milli, found.longest_ms) == (None, None, 0)


@pytest.mark.parametrize(
    ("stamps", "peak"),
    [
        ([0, 999], 4),
        ([0, 1_000], 2),
        ([0, 600, 1_200, 1_300, 1_599], 8),
        ([1_599, 0, 600, 1_300, 1_200], 8),
    ],
)
def test_the_peak_is_of_any_one_second(stamps: list[int], peak: int) -> None:
    assert signals(BOARD, at(stamps, tiles=2)).peak == peak


def test_a_metronome_has_no_variation() -> None:
    assert signals(BOARD, at(range(0, 5_000, 100))).cv_milli == 0


def test_variation_is_deviation_by_mean() -> None:
    # Intervals of 100 and 300: mean 200, standard deviation 100.
    assert signals(BOARD, at([0, 100, 400, 500, 800])).cv_milli == 500


def test_pauses_are_counted_from_a_second_on() -> None:
    found = signals(BOARD, at([0, PAUSE_MS - 1, 2 * PAUSE_MS - 1, 5 * PAUSE_MS]))
    assert (found.pauses, found.longest_ms) == (2, 3 * PAUSE_MS + 1)


def test_a_stamp_that_goes_back_counts_as_no_time() -> None:
    found = signals(BOARD, at([500, 400, 600]))
    assert (found.first_ms, found.longest_ms, found.tps_milli) == (500, 200, 15_000)


@pytest.mark.parametrize(
    ("slides", "expected"),
    [
        ([("L", 2)], 1_000),
        ([("L", 1), ("L", 1)], 1_000),
        ([("L", 1), ("R", 1), ("L", 2)], 2_000),
        ([("L", 1)], None),
        ([("L", 3)], None),
    ],
    ids=["one slide", "two slides", "a detour", "unsolved", "illegal"],
)
def test_m_by_md_is_of_solved_boards(
    slides: list[tuple[str, int]], expected: int | None
) -> None:
    board = parse_board("1 2 3/4 5 6/0 7 8")
    written = [WrittenSlide(*slide, n, n) for n, slide in enumerate(slides)]
    assert signals(board, written).m_md_milli == expected
    assert board == parse_board("1 2 3/4 5 6/0 7 8")


def test_a_board_that_was_never_scrambled_has_no_ratio() -> None:
    assert signals(Board.solved(Size(3, 3)), []).m_md_milli is None


def test_a_race_record_has_all_that_is_needed() -> None:
    race = read(sample_record())
    racer = next(one for one in race.racers if one.seat == HONEST)
    found = signals(race.board, racer.slides)
    assert found.first_ms == racer.slides[0].stamp_ms
    assert found.m_md_milli == round(1000 * racer.stm / race.board.md)


# --- Beside human record solvers ------------------------------------------------------


def even(cv_milli: int, intervals: int = MIN_INTERVALS) -> Signals:
    return Signals(900, 9_000, 20, cv_milli, intervals, 0, 300, 1_500)


def test_so_even_a_solve_was_never_seen_on_4x4_and_larger() -> None:
    assert CV_FLOOR_MILLI == 250
    for size in (Size(4, 4), Size(4, 5), Size(10, 10)):
        assert named(even(249), size)["cv_milli"].outside
        assert not named(even(250), size)["cv_milli"].outside


def test_on_small_boards_or_from_few_intervals_evenness_says_nothing() -> None:
    for size in (Size(3, 3), Size(3, 4), Size(10, 3)):
        assert not named(even(0), size)["cv_milli"].outside
    assert not named(even(0, MIN_INTERVALS - 1))["cv_milli"].outside


def test_record_solvers_move_149_tiles_in_one_second_and_not_more() -> None:
    assert PEAK_CEILING == 149
    burst = at(range(0, 745, 5))
    assert not named(signals(BOARD, burst))["peak"].outside
    assert named(signals(BOARD, [*burst, *at([999])]))["peak"].outside


def test_speed_and_short_ways_are_never_outside() -> None:
    fast = Signals(0, 10**6, 20, 600, 99, 0, 1, 1_000)
    for name in ("tps_milli", "m_md_milli", "first_ms", "pauses", "longest_ms"):
        signal = named(fast)[name]
        assert not signal.outside
        assert (signal.low, signal.high) == (None, None)


def test_every_signal_says_where_its_range_comes_from() -> None:
    for size in (Size(3, 3), Size(4, 4)):
        assert all(signal.note for signal in compared(even(400), size))
