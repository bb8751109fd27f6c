"""A server that stood still: nobody gains or loses by it, and nothing fires early."""

import pytest
from tests.race.track import (
    ANN,
    BEN,
    CAT,
    RACE_ID,
    T0,
    Track,
    names,
    phase,
    refused,
    stamped,
)

from sliderace.race import decide
from sliderace.race.apply import recovered, stalled
from sliderace.race.log_records import RaceAborted, RaceStarted, Seat
from sliderace.race.ranking import standings
from sliderace.race.rules import Rules
from sliderace.race.state import MAX_OUTAGES
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


@pytest.mark.parametrize("read", [(BEN, ANN, BEN), (BEN, BEN, ANN), (ANN, BEN, BEN)])
@pytest.mark.parametrize(("stall_ms", "later"), [(1_000, 700), (10_000, 6_000)])
def test_slide_during_a_stall_does_not_decide_the_race(
    read: tuple[Seat, ...], stall_ms: int, later: int
) -> None:
    """Ben slides during the stall, Ann solves her board, then Ben solves his."""
    track = Track(LONG).start(ANN, BEN)
    now = T0 + 1_000 + stall_ms
    stall(track, T0 + 1_000, now)
    for seat in read:
        if seat == ANN:
            track.solve(ANN, now, e=1_200)
        elif track[BEN].seq:
            track.solve(BEN, now, e=1_200 + later)
        else:
            slid = stamped(track.solution(BEN)[:1], 1_100)
            track.do(decide.slides(track.race, BEN, 1, slid, False, now))
        now += 1
    first, second = standings(track.race)
    assert (first.seat, first.time_ms, first.photo) == (ANN, 1_200, False)
    assert (second.seat, second.time_ms) == (BEN, 1_200 + later)
    assert first.outage_ms == second.outage_ms == stall_ms


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
    assert track.at(T0 + 14_999) == []  # Ben may still return with a new connection
    assert names(track.at(T0 + 15_000)) == ["DidNotFinish", "RaceEnded"]


def test_stall_of_no_time_is_no_outage() -> None:
    """A record could not tell two such stalls at the same time apart."""
    track = Track(LONG).start(ANN)
    stall(track, T0 + 1_000, T0 + 1_000)
    assert track.race.attempts[ANN].outages == ()


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


@pytest.mark.parametrize(
    ("runs_ms", "stall_ms"), [(1_700, 300), (400, 300), (3_100, 10_000), (5_000, 4_000)]
)
def test_repeated_stalls_do_not_hold_deadlines_forever(
    runs_ms: int, stall_ms: int
) -> None:
    """A deadline fires once the server has run for 3 s, whatever it does then."""
    track = Track(Rules(size="3x2", limit_ms=10_000)).start(ANN)
    now = ran = 0
    while phase(track) == "racing" and ran < 60_000:
        track.at(T0 + now + runs_ms)
        stall(track, T0 + now + runs_ms, T0 + now + runs_ms + stall_ms)
        now, ran = now + runs_ms + stall_ms, ran + runs_ms
    assert ran <= 10_000 + 3_000 + runs_ms


def test_server_that_stands_still_most_of_the_time_holds_deadlines() -> None:
    """Players have had no time to return."""
    track = Track(Rules(size="3x2", limit_ms=10_000)).start(ANN)
    now = T0 + 9_000
    for _ in range(20):
        stall(track, now, now + 3_500)
        assert track.at(now + 5_499) == []
        now += 5_500
    assert names(track.at(now + 1_000)) == ["DidNotFinish", "RaceEnded"]


def test_stall_during_a_hold_leaves_time_to_return() -> None:
    track = Track(Rules(size="3x2", limit_ms=10_000)).start(ANN)
    stall(track, T0 + 7_000, T0 + 7_300)
    stall(track, T0 + 10_200, T0 + 20_000)
    assert track.at(T0 + 22_999) == []
    assert names(track.at(T0 + 23_000)) == ["DidNotFinish", "RaceEnded"]


def test_most_outages_that_a_record_can_list_are_made_up_for() -> None:
    """Otherwise nobody could read the record."""
    track = Track(Rules(size="3x2", limit_ms=3_600_000, away_ms=0)).start(ANN)
    for n in range(MAX_OUTAGES - 1):
        stalled(track.race, T0 + n * 1_000, T0 + n * 1_000 + 300)
    recovered(track.race, T0 + 1_000_000, T0 + 1_000_001)
    outages, held = track[ANN].outages, track.race.hold_until
    assert (len(outages), held) == (MAX_OUTAGES, T0 + 1_030_001)
    stalled(track.race, T0 + 1_100_000, T0 + 1_101_000)
    recovered(track.race, T0 + 1_200_000, T0 + 1_201_000)
    assert (track[ANN].outages, track.race.hold_until) == (outages, held)
    assert track[ANN].away_since == T0 + 1_201_000


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
    # If Ben had returned with a new connection, 3 s more would be credited.
    assert decide.next_deadline(track.race) == T0 + 20_000 + 260 + 8_000 + 1


def test_first_place_is_certain_only_after_a_possible_return_from_a_stall() -> None:
    track = Track(LONG).start(ANN, BEN)
    up = T0 + 6_000
    stall(track, T0 + 1_000, up)
    track.solve(ANN, up, e=1_110)
    assert track.do(decide.call_time(track.race, up))[0].t == up
    assert track.at(up + 2_900) == []
    track.do(decide.reconnected(track.race, BEN, up + 2_900))
    assert names(track.solve(BEN, up + 2_900, e=1_050))[1:] == ["Finished", "RaceEnded"]
    assert [(row.seat, row.time_ms) for row in standings(track.race)] == [
        (BEN, 1_050),
        (ANN, 1_110),
    ]


def test_time_is_called_after_a_possible_return_from_a_stall() -> None:
    track = Track(LONG).start(ANN, BEN)
    up = T0 + 6_000
    stall(track, T0 + 1_000, up)
    track.solve(ANN, up, e=1_110)
    certain = T0 + 1_110 + 260 + 8_000 + 1
    track.do(decide.call_time(track.race, up))
    assert track.race.grace_until == certain
    track.slide(BEN, up)  # on the old connection
    assert decide.next_deadline(track.race) == certain - 3_000


def test_slides_before_the_start_are_refused_after_a_stall_too() -> None:
    track = leading()
    stall(track, T0 - 1_100, T0 - 41)
    way = track.solution(ANN)[0]
    batch = [(*way, 5)]
    assert refused(decide.slides(track.race, ANN, 1, batch, False, T0 - 1)) == (
        "too_early"
    )
