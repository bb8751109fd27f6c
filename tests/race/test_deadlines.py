"""What the clock decides: single deadlines, several at once, none after an outage."""

from copy import deepcopy

import pytest
from tests.race.track import ANN, BEN, CAT, RACE_ID, T0, Track, names

from sliderace.race import decide
from sliderace.race.apply import recovered
from sliderace.race.log_records import (
    DidNotFinish,
    Finished,
    Postponed,
    RaceAborted,
    RaceEnded,
    RacerReconnected,
    RaceStarted,
    WinnerKnown,
)
from sliderace.race.ranking import standings
from sliderace.race.rules import Rules
from sliderace.race.state import FREEZE_MS, HOLD_MS, NONCE_DEADLINE_MS, Race
from sliderace.race.timing import Latency

PHONE = Latency(rtt_ms=60, jitter_ms=5, samples=9)
LONG = Rules(size="3x2", limit_ms=3_600_000)


def test_lobby_and_results_have_no_deadline() -> None:
    track = Track()
    assert decide.next_deadline(track.race) is None
    assert not decide.freeze_due(track.race, 10**9)
    assert not decide.draw_due(track.race, 10**9)
    track.start(ANN)
    track.solve(ANN, T0 + 1)
    assert decide.next_deadline(track.race) is None
    assert track.at(10**9) == []


def test_deadlines_stop_where_the_room_must_freeze_or_draw() -> None:
    track = Track()
    track.do(decide.begin_countdown(track.race, 0))
    assert decide.next_deadline(track.race) == T0 - FREEZE_MS
    assert not decide.freeze_due(track.race, T0 - FREEZE_MS - 1)
    assert decide.freeze_due(track.race, T0 - FREEZE_MS)
    assert track.at(T0 + 10) == []
    track.do(decide.freeze_roster(track.race, {ANN: ""}, T0 - FREEZE_MS))
    assert not decide.freeze_due(track.race, T0)
    assert decide.next_deadline(track.race) == T0 - FREEZE_MS
    assert track.at(T0 + 10) == []
    track.do(decide.draw_board(track.race, {}, T0 - FREEZE_MS))
    assert decide.next_deadline(track.race) == T0


def test_race_starts_at_t0_once() -> None:
    track = Track().draw(ANN)
    assert track.at(T0 - 1) == []
    assert track.at(T0) == [RaceStarted(T0, RACE_ID)]
    assert track.at(T0) == []


def test_time_limit_ends_attempts() -> None:
    track = Track().start(ANN, BEN)
    end = T0 + 60_000
    assert decide.next_deadline(track.race) == end
    assert track.at(end - 1) == []
    assert track.at(end) == [
        DidNotFinish(end, RACE_ID, ANN, "limit"),
        DidNotFinish(end, RACE_ID, BEN, "limit"),
        RaceEnded(end, RACE_ID),
    ]


def test_time_limit_counts_from_the_unlocked_board() -> None:
    track = Track(Rules(size="3x2", limit_ms=10_000, inspection_ms=3_000)).start(ANN)
    assert decide.next_deadline(track.race) == T0 + 13_000


def test_race_without_limit_has_no_deadline() -> None:
    track = Track(Rules(size="3x2", limit_ms=0)).start(ANN)
    assert decide.next_deadline(track.race) is None
    assert track.at(10**9) == []


def test_grace_time_ends_for_all_who_still_race() -> None:
    track = Track(LONG).start(ANN, BEN, CAT)
    track.solve(ANN, T0 + 1_000)
    end = T0 + 61_000
    assert names(track.at(T0 + 2_000)) == ["WinnerKnown"]
    assert decide.next_deadline(track.race) == end
    assert track.at(end - 1) == []
    assert track.at(end) == [
        DidNotFinish(end, RACE_ID, BEN, "grace"),
        DidNotFinish(end, RACE_ID, CAT, "grace"),
        RaceEnded(end, RACE_ID),
    ]


def test_grace_time_without_a_limit() -> None:
    track = Track(Rules(size="3x2", limit_ms=0)).start(ANN, BEN)
    track.solve(ANN, T0 + 1_000)
    ends = ["WinnerKnown", "DidNotFinish", "RaceEnded"]
    assert names(track.at(T0 + 61_000)) == ends
    assert track[BEN].why == "grace"


def test_simultaneous_grace_and_limit_count_as_limit() -> None:
    track = Track().start(ANN, BEN)
    track.solve(ANN, T0 + 1_000)
    assert track.race.grace_until == T0 + 60_000
    track.at(T0 + 60_000)
    assert track[BEN].why == "limit"


def test_grace_time_of_zero() -> None:
    track = Track(Rules(size="3x2", grace_ms=0)).start(ANN, BEN)
    track.solve(ANN, T0 + 1_000)
    certain = T0 + 1_000 + 260 + 1  # Ben may have been faster, over a slower connection
    assert track.at(certain - 1) == []
    ends = ["DidNotFinish", "WinnerKnown", "RaceEnded"]
    assert names(track.at(certain)) == ends


def test_away_limit_is_a_dnf_until_the_racer_returns() -> None:
    track = Track(LONG).start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 1_000))
    end = T0 + 61_000
    assert decide.next_deadline(track.race) == end
    assert track.at(end - 1) == []
    assert track.at(end) == [DidNotFinish(end, RACE_ID, ANN, "away")]
    assert track.at(end + 1) == []
    back = track.do(decide.reconnected(track.race, ANN, end + 5_000))
    assert back == [RacerReconnected(end + 5_000, RACE_ID, ANN)]
    assert (track[ANN].status, track[ANN].why) == ("racing", "")
    assert names(track.solve(ANN, end + 9_000)) == ["Slid", "Finished", "GraceBegan"]


def test_return_lifts_no_other_dnf() -> None:
    track = Track(LONG).start(ANN, BEN, CAT)
    track.solve(ANN, T0 + 100)
    track.do(decide.disconnected(track.race, BEN, T0 + 30_000))
    track.at(T0 + 60_100)
    assert track[BEN].why == "grace"
    assert track.do(decide.reconnected(track.race, BEN, T0 + 60_200)) == []


def test_racer_who_returns_after_the_end_stays_dnf() -> None:
    track = Track(LONG).start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 1_000))
    track.at(T0 + 61_000)
    track.solve(BEN, T0 + 62_000)
    assert track.race.phase == "results"
    assert track.do(decide.reconnected(track.race, ANN, T0 + 63_000)) == []
    assert (track[ANN].status, track[ANN].why) == ("dnf", "away")


def test_racer_who_returns_keeps_board_and_clock() -> None:
    track = Track(LONG).start(ANN, BEN)
    track.slide(ANN, T0 + 500, 3)
    track.do(decide.disconnected(track.race, ANN, T0 + 1_000))
    board = track[ANN].board.copy()
    track.do(decide.reconnected(track.race, ANN, T0 + 50_000))
    assert (track[ANN].board, track[ANN].seq) == (board, 3)
    finished = track.solve(ANN, T0 + 50_500)[1]
    assert isinstance(finished, Finished)
    assert (finished.s, finished.g, finished.official) == (T0, 50_500, 50_500)


def test_disconnected_racer_starts_at_t0() -> None:
    track = Track(LONG).draw(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, 4_000))
    track.at(T0)
    track.do(decide.reconnected(track.race, ANN, T0 + 9_000))
    finished = track.solve(ANN, T0 + 12_000)[1]
    assert isinstance(finished, Finished)
    assert (finished.s, finished.g) == (T0, 12_000)


def test_return_in_time_stops_the_away_clock() -> None:
    track = Track(LONG).start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 1_000))
    track.do(decide.reconnected(track.race, ANN, T0 + 60_999))
    assert track.at(T0 + 70_000) == []


def test_away_limit_counts_from_t0() -> None:
    track = Track(LONG).draw(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, 4_000))
    track.at(T0)
    assert track.at(T0 + 59_999) == []
    track.at(T0 + 60_000)
    assert (track[ANN].status, track[ANN].why) == ("dns", "away")
    track.do(decide.reconnected(track.race, ANN, T0 + 61_000))
    assert track[ANN].status == "racing"
    track.at(T0 + 3_600_000)
    assert (track[ANN].status, track[ANN].why) == ("dnf", "limit")


def test_racer_connected_at_t0_is_not_dns() -> None:
    track = Track().start(ANN, BEN)
    track.at(T0 + 60_000)
    assert track[ANN].status == "dnf"


def test_race_ends_when_all_racers_are_away_too_long() -> None:
    track = Track(LONG).start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 1_000))
    track.do(decide.disconnected(track.race, BEN, T0 + 2_000))
    assert names(track.at(T0 + 61_000)) == ["DidNotFinish"]
    assert names(track.at(T0 + 62_000)) == ["DidNotFinish", "RaceEnded"]


def test_away_limit_applies_without_time_limit() -> None:
    track = Track(Rules(size="3x2", limit_ms=0)).start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 1_000))
    assert names(track.at(T0 + 61_000)) == ["DidNotFinish"]
    assert track[ANN].why == "away"


def test_away_limit_of_zero() -> None:
    track = Track(Rules(size="3x2", away_ms=0)).start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 1_000))
    assert names(track.at(T0 + 1_000)) == ["DidNotFinish"]


def test_last_forfeit_ends_the_race_when_it_is_final() -> None:
    track = Track().start(ANN, BEN)
    track.do(decide.forfeit(track.race, ANN, T0 + 100))
    track.do(decide.forfeit(track.race, BEN, T0 + 2_000))
    end = T0 + 5_000
    assert decide.next_deadline(track.race) == end
    assert track.at(end - 1) == []
    assert track.at(end) == [RaceEnded(end, RACE_ID)]
    assert {one.status for one in track.race.attempts.values()} == {"forfeited"}


def test_forfeit_is_final_at_the_time_limit() -> None:
    track = Track().start(ANN)
    track.do(decide.forfeit(track.race, ANN, T0 + 59_000))
    assert decide.next_deadline(track.race) == T0 + 60_000


def test_forfeit_without_time_limit_becomes_final() -> None:
    track = Track(Rules(size="3x2", limit_ms=0)).start(ANN)
    track.do(decide.forfeit(track.race, ANN, T0))
    assert decide.next_deadline(track.race) == T0 + 3_000


def test_overdue_deadlines_fire_in_order_of_time() -> None:
    track = Track(LONG).draw(ANN, BEN, CAT)
    track.do(decide.disconnected(track.race, BEN, 4_000))
    before = deepcopy(track.race)
    records = decide.fire_deadlines(track.race, T0 + 4_000_000)
    assert track.race == before
    assert names(records) == [
        "RaceStarted",
        "DidNotFinish",
        "DidNotFinish",
        "DidNotFinish",
        "RaceEnded",
    ]
    out = [(one.seat, one.why) for one in records if isinstance(one, DidNotFinish)]
    assert out == [(BEN, "away"), (ANN, "limit"), (CAT, "limit")]
    track.do(records)
    assert track.race.phase == "results"


def test_end_of_the_race_precedes_later_deadlines() -> None:
    track = Track(LONG).start(ANN, BEN)
    track.solve(ANN, T0 + 1_000)
    track.do(decide.disconnected(track.race, BEN, T0 + 100))
    records = track.at(T0 + 10**7)
    assert names(records) == ["WinnerKnown", "DidNotFinish", "RaceEnded"]
    assert track[BEN].why == "away"


def test_clock_ends_a_race_whose_log_was_cut_before_the_end() -> None:
    track = Track().start(ANN)
    twin = Track().start(ANN)
    slid, finished, _ = twin.solve(ANN, T0 + 9)
    track.do([slid, finished])
    assert track.at(T0 + 10) == [RaceEnded(T0 + 10, RACE_ID)]


# --- The first place -----------------------------------------------------------------


@pytest.mark.parametrize(("friendly", "credit"), [(False, 260), (True, 360)])
def test_first_place_is_final_when_no_latency_could_change_it(
    friendly: bool, credit: int
) -> None:
    rules = Rules(size="3x2", limit_ms=0, friendly_timing=friendly)
    track = Track(rules).draw(
        ANN, BEN, CAT, latencies={CAT: Latency(rtt_ms=60, samples=9)}
    )
    track.at(T0)
    track.solve(CAT, T0 + 1_000 - 30, PHONE, e=900 + credit - 260)
    best = min(
        one.finish.official for one in track.race.attempts.values() if one.finish
    )
    last = T0 + best + credit
    assert decide.next_deadline(track.race) == last + 1
    assert track.at(last) == []
    twin = deepcopy(track)
    assert track.at(last + 1) == [WinnerKnown(last + 1, RACE_ID)]
    assert track.race.winner_known
    slow = Latency(rtt_ms=500, jitter_ms=90, samples=9)
    twin.solve(BEN, last, slow, e=0)
    assert standings(twin.race)[0].place == standings(twin.race)[1].place == 1
    track.solve(BEN, last + 1, slow, e=0)
    assert [row.seat for row in standings(track.race)][:2] == [CAT, BEN]
    assert standings(track.race)[1].place == 2


def test_outage_delays_the_certainty_of_first_place() -> None:
    track = Track(LONG).start(ANN, BEN)
    recover(track, T0 + 4_000, down=T0 + 3_000)
    track.do(decide.reconnected(track.race, ANN, T0 + 4_500))
    track.solve(ANN, T0 + 40_000)
    at = T0 + 40_000 + 260 + 4_000 + 1  # Ben has not returned yet
    assert decide.next_deadline(track.race) == at
    track.do(decide.reconnected(track.race, BEN, T0 + 40_001))
    assert names(track.at(at)) == ["WinnerKnown"]


def test_race_that_ends_needs_no_winner_known() -> None:
    track = Track(LONG).start(ANN, BEN)
    track.solve(ANN, T0 + 1_000)
    assert names(track.solve(BEN, T0 + 1_010))[-1] == "RaceEnded"
    assert not track.race.winner_known


# --- After a recovery ----------------------------------------------------------------


def recover(track: Track, now: int, down: int | None = None) -> Race:
    recovered(track.race, now if down is None else down, now)
    return track.race


def test_no_deadline_fires_for_30_s_after_a_recovery() -> None:
    track = Track().start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 1_000))
    race = recover(track, T0 + 59_000)
    assert decide.next_deadline(race) == T0 + 59_000 + HOLD_MS
    assert track.at(T0 + 59_000 + HOLD_MS - 1) == []
    assert track.slide(BEN, T0 + 59_000 + HOLD_MS - 1)
    assert names(track.at(T0 + 59_000 + HOLD_MS)) == [
        "DidNotFinish",
        "DidNotFinish",
        "RaceEnded",
    ]


def test_away_clock_restarts_after_a_recovery() -> None:
    track = Track(LONG).start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 1_000))
    race = recover(track, T0 + 50_000)
    assert decide.next_deadline(race) == T0 + 110_000
    track.do(decide.reconnected(race, BEN, T0 + 51_000))
    assert names(track.at(T0 + 110_000)) == ["DidNotFinish"]
    assert track[ANN].why == "away"


def test_forfeit_can_be_undone_after_a_recovery() -> None:
    track = Track(LONG).start(ANN)
    track.do(decide.forfeit(track.race, ANN, T0 + 1_000))
    race = recover(track, T0 + 20_000)
    assert track[ANN].away_since is None
    assert track.at(T0 + 20_001) == []
    assert names(track.do(decide.undo_forfeit(race, ANN, T0 + 49_999)))
    track.do(decide.forfeit(race, ANN, T0 + 50_000))
    assert names(track.at(T0 + 53_000)) == ["RaceEnded"]


def test_start_missed_in_an_outage_is_postponed_for_all() -> None:
    track = Track().freeze(ANN, BEN, committed=[ANN])
    now = T0 + 700
    race = recover(track, now)
    assert decide.next_deadline(race) == now
    t0 = now + HOLD_MS
    assert not decide.draw_due(race, now)
    assert track.at(now + 5) == [Postponed(now + 5, RACE_ID, t0, ())]
    assert decide.next_deadline(race) == t0 - NONCE_DEADLINE_MS
    track.do(decide.draw_board(race, {}, t0 - NONCE_DEADLINE_MS, away=[ANN]))
    assert track.at(t0 - 1) == []
    assert names(track.at(t0)) == ["RaceStarted"]
    assert (
        track[ANN].unlocks_at,
        track[ANN].was_connected,
        track[BEN].was_connected,
    ) == (t0, False, True)


def test_drawn_race_is_postponed_while_its_board_is_secret() -> None:
    track = Track().draw(ANN, BEN, latencies={BEN: Latency(rtt_ms=90, samples=9)})
    now = T0 - 46
    race = recover(track, now)
    t0 = now + HOLD_MS
    assert track.at(now) == [Postponed(now, RACE_ID, t0, (t0, t0 - 45))]
    assert race.t0 == t0


@pytest.mark.parametrize("inspection_ms", [0, 9_000])
def test_race_whose_board_may_be_known_is_aborted(inspection_ms: int) -> None:
    track = Track(Rules(size="3x2", inspection_ms=inspection_ms))
    track.draw(ANN, BEN, latencies={BEN: Latency(rtt_ms=90, samples=9)})
    now = T0 - 45
    recover(track, now)
    assert track.at(now + 3) == [RaceAborted(now + 3, RACE_ID, "outage")]


def test_countdown_before_the_freeze_is_postponed() -> None:
    track = Track()
    track.do(decide.begin_countdown(track.race, 0))
    race = recover(track, T0 - FREEZE_MS)
    assert not decide.freeze_due(race, T0)
    t0 = T0 - FREEZE_MS + HOLD_MS
    assert track.at(T0) == [Postponed(T0, RACE_ID, t0, ())]
    assert decide.next_deadline(race) == t0 - FREEZE_MS
    assert decide.freeze_due(race, t0 - FREEZE_MS)


def test_countdown_after_the_recovery_is_not_postponed() -> None:
    track = Track()
    race = recover(track, 1_000)
    track.do(decide.begin_countdown(race, 2_000))
    assert decide.next_deadline(race) == 7_000 - FREEZE_MS
    assert track.at(2_000) == []
    assert race.t0 == 7_000


def test_start_after_the_hold_is_not_postponed() -> None:
    track = Track(Rules(size="3x2", countdown_ms=60_000))
    track.do(decide.begin_countdown(track.race, 0))
    race = recover(track, 1_000)
    assert track.at(1_000) == []
    assert race.t0 == 60_000
