"""A server that stood still: nobody gains or loses by it, and nothing fires early."""

import pytest
from tests.race.track import ANN, BEN, CAT, RACE_ID, T0, Track, names, phase, refused

from sliderace.race import decide
from sliderace.race.apply import stalled
from sliderace.race.log_records import RaceAborted, RaceStarted
from sliderace.race.ranking import standings
from sliderace.race.rules import Rules
from sliderace.race.timing import Latency

PHONE = Latency(rtt_ms=80, jitter_ms=25, samples=8)
LONG = Rules(size="3x2", limit_ms=600_000)


def stall(track: Track, down: int, now: int) -> None:
    stalled(track.race, down, now)
    track.at(now)


@pytest.mark.parametrize("read_first", [ANN, BEN])
@pytest.mark.parametrize("stall_ms", [300, 1_000, 5_000])
def test_who_solved_first_during_a_stall_wins_whoever_is_read_first(
    read_first: int, stall_ms: int
) -> None:
    track = Track(LONG).start(ANN, BEN)
    track.slide(ANN, T0 + 900)
    track.slide(BEN, T0 + 990)
    up = T0 + 1_000 + stall_ms
    stall(track, T0 + 1_000, up)
    stamps = {ANN: 1_110, BEN: 1_210}
    for seat in sorted(stamps, key=lambda seat: seat != read_first):
        track.solve(seat, up, e=stamps[seat])
    first, second = standings(track.race)
    assert (first.seat, first.time_ms) == (ANN, 1_110)
    assert (second.seat, second.time_ms) == (BEN, 1_210)
    assert first.outage_ms == stall_ms


def test_stall_before_the_last_slide_gives_no_credit() -> None:
    track = Track(LONG).start(ANN)
    stall(track, T0 + 1_000, T0 + 2_000)
    track.slide(ANN, T0 + 2_600)
    track.solve(ANN, T0 + 6_000, PHONE, e=100)
    (row,) = standings(track.race)
    assert (row.outage_ms, row.credit_ms) == (0, 130)


def test_slides_that_waited_count_although_the_limit_has_passed() -> None:
    track = Track(Rules(size="3x2", limit_ms=10_000)).start(ANN, BEN)
    stall(track, T0 + 9_000, T0 + 12_000)
    assert phase(track) == "racing"
    assert names(track.solve(ANN, T0 + 12_001, e=9_500))[1] == "Finished"
    assert names(track.at(T0 + 14_999)) == ["WinnerKnown"]
    assert names(track.at(T0 + 15_000)) == ["DidNotFinish", "RaceEnded"]


def test_time_away_does_not_include_the_stall() -> None:
    track = Track(Rules(size="3x2", away_ms=10_000, limit_ms=0)).start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 5_000))
    stall(track, T0 + 8_000, T0 + 28_000)
    assert track.at(T0 + 47_999) == []  # held for as long as the stall
    assert names(track.at(T0 + 48_000)) == ["DidNotFinish"]
    other = Track(Rules(size="3x2", away_ms=10_000, limit_ms=0)).start(ANN, BEN)
    other.do(decide.disconnected(other.race, ANN, T0 + 5_000))
    stall(other, T0 + 8_000, T0 + 9_000)
    assert other.at(T0 + 15_999) == []
    assert names(other.at(T0 + 16_000)) == ["DidNotFinish"]


def test_long_stall_holds_deadlines_for_at_most_30_s() -> None:
    track = Track(LONG).start(ANN)
    stall(track, T0 + 1_000, T0 + 3_600_000)
    assert track.at(T0 + 3_629_999) == []
    assert names(track.at(T0 + 3_630_000)) == ["DidNotFinish", "RaceEnded"]


# --- The countdown -------------------------------------------------------------------


def leading() -> Track:
    """Return a race whose board is sent to Cat 40 ms before T0, to the others at T0."""
    return Track().draw(ANN, CAT, latencies={CAT: PHONE})


def test_stall_that_misses_no_step_of_the_countdown_changes_nothing() -> None:
    track = Track()
    track.do(decide.begin_countdown(track.race, 0))
    stall(track, 500, T0 - 1_201)
    assert decide.next_deadline(track.race) == T0 - 1_200
    track = leading()
    stall(track, T0 - 1_100, T0 - 41)
    assert track.at(T0) == [RaceStarted(T0, RACE_ID)]


@pytest.mark.parametrize("frozen", [False, True])
def test_stall_that_misses_the_freeze_or_the_nonces_moves_the_start(
    frozen: bool,
) -> None:
    track, now = Track(), T0 - 1_200
    track.do(decide.begin_countdown(track.race, 0))
    if frozen:
        track = Track().freeze(ANN, BEN, committed=(ANN,))
        now = T0 - 400
    stall(track, now - 900, now)
    assert track.race.t0 == now + 3_000
    assert not decide.freeze_due(track.race, now)
    assert not decide.draw_due(track.race, now)
    assert decide.next_deadline(track.race) == now + 3_000 - (400 if frozen else 1_200)


def test_stall_over_the_start_goes_on_if_everybody_has_the_board() -> None:
    track = leading()
    stall(track, T0, T0 + 5_000)
    assert phase(track) == "racing"
    track.solve(CAT, T0 + 5_000, PHONE, e=4_000)
    (first, _) = standings(track.race)
    assert (first.time_ms, first.outage_ms) == (4_000, 5_000)


@pytest.mark.parametrize("down", [T0 - 900, T0 - 40, T0 - 1])
def test_race_is_aborted_if_the_board_reached_only_some(down: int) -> None:
    track = leading()
    stalled(track.race, down, T0 + 300)
    assert track.at(T0 + 300) == [RaceAborted(T0 + 300, RACE_ID, "outage")]


# --- Returning after a stall ---------------------------------------------------------


@pytest.mark.parametrize(
    ("stall_ms", "back_ms", "outage"),
    [
        (5_000, 900, 5_900),  # the client gave up its old connection
        (5_000, 3_000, 8_000),
        (5_000, 3_001, 5_000),  # a later return has another reason
        (1_000, 1_000, 2_000),
        (1_000, 1_001, 1_000),  # after so short a stall, too
    ],
)
def test_return_on_a_new_connection_after_a_stall_is_credited(
    stall_ms: int, back_ms: int, outage: int
) -> None:
    track = Track(LONG).start(ANN, BEN)
    up = T0 + 1_000 + stall_ms
    stall(track, T0 + 1_000, up)
    track.do(decide.reconnected(track.race, ANN, up + back_ms))
    track.solve(ANN, up + back_ms + 50, PHONE, e=100)
    assert standings(track.race)[0].outage_ms == outage


def test_only_the_first_new_connection_after_a_stall_is_a_return() -> None:
    track = Track(LONG).start(ANN, BEN)
    stall(track, T0 + 1_000, T0 + 4_000)
    track.do(decide.reconnected(track.race, ANN, T0 + 4_500))
    assert decide.reconnected(track.race, ANN, T0 + 4_500) == []
    assert decide.reconnected(track.race, ANN, T0 + 5_000) == []
    track.solve(ANN, T0 + 5_050, PHONE, e=100)
    assert standings(track.race)[0].outage_ms == 3_500


def test_new_connection_after_a_slide_on_the_old_one_is_not_credited() -> None:
    track = Track(LONG).start(ANN, BEN)
    stall(track, T0 + 1_000, T0 + 4_000)
    track.slide(ANN, T0 + 4_000)
    assert decide.reconnected(track.race, ANN, T0 + 6_000) == []


def test_stall_with_slides_since_does_not_delay_the_first_place() -> None:
    track = Track(LONG).start(ANN, BEN)
    stall(track, T0 + 1_000, T0 + 6_000)
    track.slide(BEN, T0 + 6_000)
    track.slide(BEN, T0 + 8_001)
    track.solve(ANN, T0 + 20_000)
    assert decide.next_deadline(track.race) == T0 + 20_000 + 260 + 1


def test_stall_without_slides_since_delays_the_first_place() -> None:
    track = Track(LONG).start(ANN, BEN)
    track.slide(BEN, T0 + 500)
    stall(track, T0 + 1_000, T0 + 6_000)
    track.solve(ANN, T0 + 20_000)
    assert decide.next_deadline(track.race) == T0 + 20_000 + 260 + 5_000 + 1


def test_slides_before_the_start_are_refused_after_a_stall_too() -> None:
    track = leading()
    stall(track, T0 - 1_100, T0 - 41)
    way = track.solution(ANN)[0]
    batch = [(*way, 5)]
    assert refused(decide.slides(track.race, ANN, 1, batch, False, T0 - 1)) == (
        "too_early"
    )
