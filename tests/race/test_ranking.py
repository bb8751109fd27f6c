"""The order of racers, and their places."""

from dataclasses import replace
from itertools import permutations

import pytest
from tests.race.track import ANN, BEN, CAT, T0, Track

from sliderace.race import decide
from sliderace.race.apply import recovered
from sliderace.race.log_records import Seat
from sliderace.race.ranking import Row, rank, solve_time, standings
from sliderace.race.rules import Rules
from sliderace.race.state import Status
from sliderace.race.timing import Latency


def row(
    seat: int,
    status: Status,
    time_ms: int | None = None,
    high: int = 0,
    high_ms: int = 0,
    stm: int = 0,
    jitter_ms: int = 0,
) -> Row:
    return Row(
        seat=Seat(seat),
        status=status,
        why="",
        time_ms=time_ms,
        solve_ms=None,
        credit_ms=0,
        stm=stm,
        mtm=0,
        high=high,
        high_ms=high_ms,
        jitter_ms=jitter_ms,
    )


def places(*rows: Row) -> list[tuple[int, int | None]]:
    return [(one.seat, one.place) for one in rank(rows)]


def test_finishers_rank_by_time_and_equal_times_share_a_place() -> None:
    rows = [
        row(0, "finished", 900),
        row(1, "finished", 800),
        row(2, "finished", 800),
        row(3, "finished", 901),
    ]
    for order in permutations(rows):
        assert places(*order) == [(1, 1), (2, 1), (0, 3), (3, 4)]


def photos(*rows: Row) -> set[int]:
    return {one.seat for one in rank(rows) if one.photo}


@pytest.mark.parametrize(
    ("gap_ms", "jitter_ms", "photo"),
    [
        (0, 0, True),
        (29, 0, True),
        (30, 0, False),
        (39, 20, True),
        (40, 20, False),
        (59, 500, True),
        (60, 500, False),
    ],
)
def test_photo_finish_is_closer_than_the_larger_jitter_allowance(
    gap_ms: int, jitter_ms: int, *, photo: bool
) -> None:
    for one, other in ((jitter_ms, 0), (0, jitter_ms)):
        first = row(0, "finished", 5_000, jitter_ms=one)
        second = row(1, "finished", 5_000 + gap_ms, jitter_ms=other)
        assert photos(second, first) == ({0, 1} if photo else set())


def test_only_neighbours_are_a_photo_finish() -> None:
    wild = row(0, "finished", 5_000, jitter_ms=30)
    rows = [wild, row(1, "finished", 5_010), row(2, "finished", 5_050)]
    assert photos(*rows) == {0, 1}
    rows = [row(0, "finished", 5_000), row(1, "finished", 5_025)]
    assert photos(*rows, row(2, "finished", 5_050)) == {0, 1, 2}


def test_photo_finish_needs_two_times() -> None:
    rows = [row(0, "finished", 1), row(1, "dnf"), row(2, "dnf"), row(3, "dns")]
    assert not photos(*rows)
    assert not photos(*(replace(one, photo=True) for one in rows))


def test_any_finish_beats_any_progress() -> None:
    assert places(row(0, "dnf", high=999), row(1, "finished", 10**9)) == [
        (1, 1),
        (0, 2),
    ]


def test_dnf_rank_by_progress_then_moment_then_moves() -> None:
    rows = [
        row(0, "dnf", high=500, high_ms=10, stm=9),
        row(1, "dnf", high=500, high_ms=10, stm=8),
        row(2, "dnf", high=500, high_ms=9, stm=99),
        row(3, "dnf", high=501, high_ms=99, stm=99),
        row(4, "dnf", high=500, high_ms=10, stm=9),
    ]
    for order in permutations(rows):
        assert places(*order) == [(3, 1), (2, 2), (1, 3), (0, 4), (4, 4)]


def test_forfeits_rank_after_dnf_and_dns_has_no_place() -> None:
    rows = [
        row(0, "dns"),
        row(1, "forfeited", high=900, high_ms=7),
        row(2, "dnf", high=1),
        row(3, "forfeited", high=901),
        row(4, "dns"),
    ]
    assert places(*rows) == [(2, 1), (3, 2), (1, 3), (0, None), (4, None)]


def test_racers_without_finish_have_an_order_but_no_place() -> None:
    rows = [
        row(0, "racing", high=10),
        row(1, "finished", 5),
        row(2, "racing", high=20),
        row(3, "dnf", high=999),
    ]
    assert places(*rows) == [(1, 1), (2, None), (0, None), (3, 4)]


@pytest.mark.parametrize(
    ("stated", "first", "official", "solve"),
    [
        (4_000, 1_050, 5_000, 4_000),
        (3_950, 1_050, 5_000, 3_950),  # the first slide arrived at once
        (3_949, 1_050, 5_000, 3_950),  # it cannot have been made after it arrived
        (0, 1_050, 5_000, 3_950),  # equal timestamps
        (-700, 1_050, 5_000, 3_950),
        (2**53 - 1, 1_050, 5_000, 5_000),
        (400, 5_060, 5_000, 400),  # all in one message: nothing is known
        (-1, 5_060, 5_000, 0),
    ],
)
def test_solve_time_is_bounded_by_arrivals(
    stated: int, first: int, official: int, solve: int
) -> None:
    assert solve_time(stated, first, official) == solve


def test_official_time_decides_not_arrival() -> None:
    track = Track().start(ANN, BEN)
    track.solve(ANN, T0 + 1_950, e=1_950)
    track.solve(BEN, T0 + 2_000, Latency(rtt_ms=80, jitter_ms=25, samples=8), e=1_900)
    first, second = standings(track.race)
    assert (first.seat, first.time_ms, first.credit_ms) == (BEN, 1_900, 100)
    assert (second.seat, second.time_ms, second.credit_ms) == (ANN, 1_950, 0)
    assert (first.jitter_ms, second.jitter_ms) == (25, 0)
    assert not first.photo  # 50 ms apart, as much as the jitter allowance


def test_row_states_the_credit_for_outages() -> None:
    track = Track().start(ANN)
    recovered(track.race, T0 + 1_000, T0 + 1_500)
    track.do(decide.reconnected(track.race, ANN, T0 + 1_700))
    track.solve(ANN, T0 + 2_000, e=0)
    (row,) = standings(track.race)
    assert (row.outage_ms, row.credit_ms) == (700, 730)


def test_standings_of_a_race() -> None:
    track = Track(Rules(size="3x2", inspection_ms=1_000)).start(ANN, BEN, CAT)
    assert [one.place for one in standings(track.race)] == [None] * 3
    s = T0 + 1_000
    track.solve(BEN, s + 2_000, Latency(rtt_ms=200, samples=5), e=1_780)
    track.slide(ANN, s + 2_500, 8)
    track.do(decide.forfeit(track.race, CAT, s + 3_000))
    track.do(decide.call_time(track.race, s + 4_000))
    first, second, third = standings(track.race)
    assert (first.seat, first.time_ms, first.solve_ms, first.place) == (
        BEN,
        1_780,
        1_780,
        1,
    )
    assert (first.high, first.high_ms, first.credit_ms) == (1_000, 2_000, 220)
    assert (second.seat, second.status, second.why) == (ANN, "dnf", "called")
    assert (second.time_ms, second.high_ms) == (None, 2_500)
    assert (second.credit_ms, second.outage_ms, second.jitter_ms) == (0, 0, 0)
    assert (third.seat, third.status, third.place) == (CAT, "forfeited", 3)
    assert standings(Track().race) == []
