"""Solve signals: correct figures, and never a verdict."""

from collections.abc import Iterable
from typing import get_args

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
    Note,
    Signal,
    Signals,
    compared,
    signals,
)
from sliderace.texts import text

BOARD = scramble(bytes(32), Size(4, 4))


def at(stamps: Iterable[int], tiles: int = 1) -> list[WrittenSlide]:
    """Return slides with these timestamps; their directions do not matter here."""
    return [WrittenSlide("U", tiles, stamp, stamp + 40) for stamp in stamps]


def named(found: Signals, size: Size = BOARD.size) -> dict[str, Signal]:
    return {signal.name: signal for signal in compared(found, size)}


def test_attempt_without_slides_has_no_figures() -> None:
    assert signals(BOARD, []) == Signals(None, None, 0, None, 0, 0, None, None)
    assert not any(
        signal.outside for signal in compared(signals(BOARD, []), BOARD.size)
    )


def test_single_slide_has_no_speed() -> None:
    assert signals(BOARD, at([700])) == Signals(700, None, 1, None, 0, 0, None, None)


def test_speed_counts_tiles_between_first_and_last_slide() -> None:
    assert signals(BOARD, at([500, 1_000, 2_500], tiles=3)).tps_milli == 4_500


def test_simultaneous_slides_have_no_speed() -> None:
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
def test_peak_is_over_any_one_second(stamps: list[int], peak: int) -> None:
    assert signals(BOARD, at(stamps, tiles=2)).peak == peak


def test_equal_intervals_have_no_variation() -> None:
    assert signals(BOARD, at(range(0, 5_000, 100))).cv_milli == 0


def test_variation_is_deviation_divided_by_mean() -> None:
    # Intervals of 100 and 300: mean 200, standard deviation 100.
    assert signals(BOARD, at([0, 100, 400, 500, 800])).cv_milli == 500


def test_pause_is_an_interval_of_at_least_a_second() -> None:
    found = signals(BOARD, at([0, PAUSE_MS - 1, 2 * PAUSE_MS - 1, 5 * PAUSE_MS]))
    assert (found.pauses, found.longest_ms) == (2, 3 * PAUSE_MS + 1)


def test_timestamp_that_goes_back_counts_as_no_time() -> None:
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
def test_m_by_md_needs_a_solved_board(
    slides: list[tuple[str, int]], expected: int | None
) -> None:
    board = parse_board("1 2 3/4 5 6/0 7 8")
    written = [WrittenSlide(*slide, n, n) for n, slide in enumerate(slides)]
    assert signals(board, written).m_md_milli == expected
    assert board == parse_board("1 2 3/4 5 6/0 7 8")


def test_unscrambled_board_has_no_m_by_md() -> None:
    assert signals(Board.solved(Size(3, 3)), []).m_md_milli is None


def test_race_record_suffices_for_signals() -> None:
    race = read(sample_record())
    racer = next(one for one in race.racers if one.seat == HONEST)
    found = signals(race.board, racer.slides)
    assert found.first_ms == racer.slides[0].stamp_ms
    assert found.m_md_milli == round(1000 * racer.stm / race.board.md)


# --- Compared with human record solvers -----------------------------------------------


def even(cv_milli: int, intervals: int = MIN_INTERVALS) -> Signals:
    return Signals(900, 9_000, 20, cv_milli, intervals, 0, 300, 1_500)


def test_solve_too_even_on_4x4_and_larger_is_outside() -> None:
    assert CV_FLOOR_MILLI == 250
    for size in (Size(4, 4), Size(4, 5), Size(10, 10)):
        assert named(even(249), size)["cv_milli"].outside
        assert not named(even(250), size)["cv_milli"].outside


def test_evenness_has_no_range_on_small_boards_or_few_intervals() -> None:
    for size in (Size(3, 3), Size(3, 4), Size(10, 3)):
        assert not named(even(0), size)["cv_milli"].outside
    assert not named(even(0, MIN_INTERVALS - 1))["cv_milli"].outside


def test_more_than_149_tiles_in_one_second_is_outside() -> None:
    assert PEAK_CEILING == 149
    burst = at(range(0, 745, 5))
    assert not named(signals(BOARD, burst))["peak"].outside
    assert named(signals(BOARD, [*burst, *at([999])]))["peak"].outside


def test_speed_and_short_solutions_are_never_outside() -> None:
    fast = Signals(0, 10**6, 20, 600, 99, 0, 1, 1_000)
    for name in ("tps_milli", "m_md_milli", "first_ms", "pauses", "longest_ms"):
        signal = named(fast)[name]
        assert not signal.outside
        assert (signal.low, signal.high) == (None, None)


def test_every_signal_explains_its_range() -> None:
    found = [even(400), even(400, MIN_INTERVALS - 1)]
    notes = {one.note for figures in found for one in compared(figures, BOARD.size)}
    assert notes == {*get_args(Note)}
    for note in notes:
        assert text(f"signal.note.{note}", intervals=MIN_INTERVALS)
