"""The order of the racers, and their places."""

from itertools import permutations

from tests.race.track import ANN, BEN, CAT, T0, Track

from sliderace.race import decide
from sliderace.race.ranking import Row, rank, solve_time, standings
from sliderace.race.records import Seat
from sliderace.race.rules import Rules
from sliderace.race.state import Status
from sliderace.race.timing import Line


def row(
    seat: int,
    status: Status,
    time_ms: int | None = None,
    high: int = 0,
    high_ms: int = 0,
    stm: int = 0,
) -> Row:
    return Row(Seat(seat), status, "", time_ms, None, 0, stm, 0, high, high_ms)


def places(*rows: Row) -> list[tuple[int, int | None]]:
    return [(one.seat, one.place) for one in rank(rows)]


def test_finishers_by_time_and_the_same_ms_shares_the_place() -> None:
    rows = [
        row(0, "finished", 900),
        row(1, "finished", 800),
        row(2, "finished", 800),
        row(3, "finished", 901),
    ]
    for order in permutations(rows):
        assert places(*order) == [(1, 1), (2, 1), (0, 3), (3, 4)]


def test_a_slow_finish_beats_any_progress() -> None:
    assert places(row(0, "dnf", high=999), row(1, "finished", 10**9)) == [
        (1, 1),
        (0, 2),
    ]


def test_dnf_by_progress_then_moment_then_moves() -> None:
    rows = [
        row(0, "dnf", high=500, high_ms=10, stm=9),
        row(1, "dnf", high=500, high_ms=10, stm=8),
        row(2, "dnf", high=500, high_ms=9, stm=99),
        row(3, "dnf", high=501, high_ms=99, stm=99),
        row(4, "dnf", high=500, high_ms=10, stm=9),
    ]
    for order in permutations(rows):
        assert places(*order) == [(3, 1), (2, 2), (1, 3), (0, 4), (4, 4)]


def test_forfeits_after_every_dnf_and_dns_last_without_a_place() -> None:
    rows = [
        row(0, "dns"),
        row(1, "forfeited", high=900, high_ms=7),
        row(2, "dnf", high=1),
        row(3, "forfeited", high=901),
        row(4, "dns"),
    ]
    assert places(*rows) == [(2, 1), (3, 2), (1, 3), (0, None), (4, None)]


def test_while_racing_there_is_no_place_but_an_order() -> None:
    rows = [
        row(0, "racing", high=10),
        row(1, "finished", 5),
        row(2, "racing", high=20),
        row(3, "dnf", high=999),
    ]
    assert places(*rows) == [(1, 1), (2, None), (0, None), (3, 4)]


def test_solve_time_keeps_to_what_the_server_saw() -> None:
    assert solve_time(100, 900, 5_000) == 800
    assert solve_time(900, 100, 5_000) == 0
    assert solve_time(0, 2**53 - 1, 5_000) == 5_000


def test_the_official_time_decides_not_the_arrival() -> None:
    track = Track().start(ANN, BEN)
    track.solve(ANN, T0 + 1_950)
    track.solve(BEN, T0 + 2_000, Line(rtt_ms=80, jitter_ms=25, samples=8), e=1_900)
    first, second = standings(track.race)
    assert (first.seat, first.time_ms, first.credit_ms) == (BEN, 1_900, 100)
    assert (second.seat, second.time_ms, second.credit_ms) == (ANN, 1_950, 0)


def test_standings_of_a_race() -> None:
    track = Track(Rules(size="3x2", inspection_ms=1_000)).start(ANN, BEN, CAT)
    assert [one.place for one in standings(track.race)] == [None] * 3
    s = T0 + 1_000
    track.solve(BEN, s + 2_000, e=1_500)
    track.slide(ANN, s + 2_500, 8)
    track.do(decide.forfeit(track.race, CAT, s + 3_000))
    track.do(decide.call_time(track.race, s + 4_000))
    first, second, third = standings(track.race)
    assert (first.seat, first.time_ms, first.solve_ms, first.place) == (
        BEN,
        2_000,
        1_500,
        1,
    )
    assert (first.high, first.high_ms, first.credit_ms) == (1_000, 2_000, 0)
    assert (second.seat, second.status, second.why) == (ANN, "dnf", "called")
    assert (second.time_ms, second.high_ms) == (None, 2_500)
    assert (third.seat, third.status, third.place) == (CAT, "forfeited", 3)
    assert standings(Track().race) == []
