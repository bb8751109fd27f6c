"""What each command does in a race; test_deadlines tests the clock."""

from typing import Literal

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

from sliderace.engine import Board, Size
from sliderace.race import decide
from sliderace.race.apply import recovered
from sliderace.race.log_records import (
    CountdownStopped,
    DidNotFinish,
    Finished,
    Forfeited,
    ForfeitUndone,
    GraceBegan,
    RaceAborted,
    RaceEnded,
    RacerDisconnected,
    RacerReconnected,
    Seat,
    Slid,
    TimeCalled,
)
from sliderace.race.ranking import standings
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules
from sliderace.race.timing import Latency

FAR = Seat(99)
PHONE = Latency(rtt_ms=80, jitter_ms=25, samples=8)


# --- Slides --------------------------------------------------------------------------


def test_slides_are_applied_and_counted() -> None:
    track = Track().start(ANN, BEN)
    records = track.slide(ANN, T0 + 500, 3)
    assert records == [
        Slid(T0 + 500, RACE_ID, ANN, 1, (("L", 2, 0), ("D", 1, 10), ("R", 1, 20)))
    ]
    one = track[ANN]
    assert (one.seq, one.stm, one.mtm) == (3, 4, 3)
    assert one.slides[1] == ("D", 1, 10, T0 + 500)
    assert track[BEN].board == Board(Size(3, 2), track.race.board)


def test_run_in_one_direction_counts_as_one_move() -> None:
    track = Track().start(ANN)
    batch = (("L", 1, 0), ("L", 1, 1), ("D", 1, 2))
    track.do(decide.slides(track.race, ANN, 1, batch, False, T0))
    track.do(decide.slides(track.race, ANN, 4, [("R", 1, 3)], True, T0))
    assert (track[ANN].stm, track[ANN].mtm, track[ANN].approx) == (4, 3, True)
    track.do(decide.slides(track.race, ANN, 5, [("R", 1, 4)], False, T0))
    assert (track[ANN].stm, track[ANN].mtm, track[ANN].approx) == (5, 3, True)


@pytest.mark.parametrize("seq", [1, 2, 3])
def test_repeated_slides_change_nothing(seq: int) -> None:
    track = Track().start(ANN, BEN)
    way = stamped(track.solution(ANN))
    track.slide(ANN, T0 + 100, 3)
    again = decide.slides(track.race, ANN, seq, way[seq - 1 : 3], False, T0 + 200)
    assert track.do(again) == []


def test_overlapping_slides_are_skipped() -> None:
    track = Track().start(ANN)
    way = stamped(track.solution(ANN))
    track.slide(ANN, T0 + 100, 3)
    records = track.do(decide.slides(track.race, ANN, 2, way[1:5], False, T0 + 200))
    assert records == [Slid(T0 + 200, RACE_ID, ANN, 4, way[3:5])]


def test_message_without_slides_changes_nothing() -> None:
    track = Track().start(ANN)
    assert track.do(decide.slides(track.race, ANN, 1, [], False, T0)) == []


@pytest.mark.parametrize("seq", [2, 3, 2**53 - 1])
def test_gap_is_refused(seq: int) -> None:
    track = Track().start(ANN)
    batch = [("L", 1, 0)]
    answer = decide.slides(track.race, ANN, seq, batch, False, T0)
    assert answer == Refusal("gap", "seq", str(seq))


@pytest.mark.parametrize(
    "batch",
    [
        [("R", 1, 0)],
        [("L", 3, 0)],
        [("X", 1, 0)],
        [("L", 0, 0)],
        [("L", -1, 0)],
        [("L", 1, 0), ("L", 2, 0)],
    ],
)
def test_one_illegal_slide_refuses_the_whole_message(
    batch: list[tuple[str, int, int]],
) -> None:
    track = Track().start(ANN)
    answer = decide.slides(track.race, ANN, 1, batch, False, T0)
    direction, tiles, _ = batch[-1]
    assert answer == Refusal("illegal", "slides", f"{direction}{tiles}")
    assert track[ANN].seq == 0


@pytest.mark.parametrize("inspection_ms", [0, 2_000])
def test_slide_before_the_unlock_is_refused(inspection_ms: int) -> None:
    track = Track(Rules(size="3x2", inspection_ms=inspection_ms)).draw(ANN)
    batch = stamped(track.solution(ANN)[:1])
    s = T0 + inspection_ms
    early = decide.slides(track.race, ANN, 1, batch, False, s - 1)
    assert early == Refusal("too_early", retry_ms=1)
    if not inspection_ms:  # T0 has come, but the clock was not asked yet
        early = decide.slides(track.race, ANN, 1, batch, False, s + 1)
        assert early == Refusal("too_early", retry_ms=0)
    track.at(T0)
    if inspection_ms:
        early = decide.slides(track.race, ANN, 1, batch, False, s - 1)
        assert early == Refusal("too_early", retry_ms=1)
    assert track.slide(ANN, s)


def test_seat_outside_the_roster_cannot_slide() -> None:
    track = Track()
    batch = [("L", 1, 0)]
    lobby = decide.slides(track.race, ANN, 1, batch, False, 0)
    assert refused(lobby) == "not_racing"
    track.start(ANN)
    assert refused(decide.slides(track.race, BEN, 1, batch, False, T0)) == "not_racing"


def test_slide_after_the_finish_is_refused() -> None:
    track = Track().start(ANN, BEN)
    way = stamped(track.solution(ANN))
    track.solve(ANN, T0 + 900)
    seq = track[ANN].seq
    more = decide.slides(track.race, ANN, seq + 1, [("R", 1, 0)], False, T0 + 901)
    assert refused(more) == "done"
    # Repeated slides are acknowledged again.
    assert track.do(decide.slides(track.race, ANN, 1, way, False, T0 + 902)) == []


def test_single_slide_can_solve() -> None:
    """A message with one slide takes a faster path."""
    track = Track().start(ANN, BEN)
    way = stamped(track.solution(ANN))
    for seq, slide in enumerate(way, 1):
        records = track.do(decide.slides(track.race, ANN, seq, [slide], False, T0))
        kinds = [type(record) for record in records]
        assert kinds == ([Slid] if seq < len(way) else [Slid, Finished, GraceBegan])


def test_slides_after_the_solving_one_are_dropped() -> None:
    track = Track().start(ANN, BEN)
    way = stamped(track.solution(ANN))
    batch = (*way, ("R", 1, 5), ("X", 9, 5))
    records = track.do(decide.slides(track.race, ANN, 1, batch, False, T0 + 900))
    assert names(records) == ["Slid", "Finished", "GraceBegan"]
    assert track[ANN].seq == len(way)
    assert track[ANN].board.is_solved


@pytest.mark.parametrize(
    ("give_up", "at"),
    [("forfeit", T0 + 20), ("limit", T0 + 60_000), ("leave", T0 + 20)],
)
def test_racer_who_is_out_cannot_slide(give_up: str, at: int) -> None:
    track = Track().start(ANN, BEN)
    if give_up == "forfeit":
        track.do(decide.forfeit(track.race, ANN, T0 + 10))
    elif give_up == "leave":
        track.do(decide.leave(track.race, ANN, "left", T0 + 10))
    answer = decide.slides(track.race, ANN, 1, [("L", 1, 0)], False, at)
    assert refused(answer) == "done"


def test_slide_a_millisecond_before_the_limit_counts() -> None:
    track = Track().start(ANN)
    assert track.slide(ANN, T0 + 59_999)


def test_slide_without_time_limit_is_never_late() -> None:
    track = Track(Rules(size="3x2", limit_ms=0)).start(ANN)
    assert track.slide(ANN, T0 + 10**9)


def test_tiles_per_race_are_limited() -> None:
    track = Track().start(ANN)
    batch = (("L", 2, 0), ("R", 2, 0))
    ask = decide.slides(track.race, ANN, 1, batch, False, T0, max_tiles=3)
    assert refused(ask) == "too_many_tiles"
    ask = decide.slides(track.race, ANN, 1, batch, False, T0, max_tiles=4)
    track.do(ask)
    ask = decide.slides(track.race, ANN, 3, batch[:1], False, T0, max_tiles=5)
    assert refused(ask) == "too_many_tiles"


def test_default_limit_is_20_000_tiles() -> None:
    track = Track(Rules(size="3x2", limit_ms=0)).start(ANN)
    batch = [("L", 1, 0), ("R", 1, 0)] * 10_000
    ask = decide.slides(track.race, ANN, 1, [*batch, ("L", 1, 0)], False, T0)
    assert refused(ask) == "too_many_tiles"
    track.do(decide.slides(track.race, ANN, 1, batch, False, T0))
    assert track[ANN].stm == 20_000


def test_progress_never_decreases() -> None:
    track = Track().start(ANN)
    md0 = track[ANN].start_md
    marks: list[tuple[int, int]] = []
    now = T0
    for direction, tiles in (*track.solution(ANN)[:3], ("L", 1), ("R", 1)):
        now += 10
        seq = track[ANN].seq + 1
        batch = [(direction, tiles, 0)]
        track.do(decide.slides(track.race, ANN, seq, batch, False, now))
        permille = 1000 * (md0 - track[ANN].board.md) // md0
        marks.append((max([permille, 0, *(mark for mark, _ in marks)]), now))
        assert track[ANN].high == marks[-1][0]
    first = next((at for mark, at in marks if mark == track[ANN].high), T0)
    assert track[ANN].high_at == (first if track[ANN].high else T0)


# --- Finish, grace, end --------------------------------------------------------------


def test_the_first_finisher_begins_the_grace_time() -> None:
    track = Track(Rules(size="3x2", limit_ms=3_600_000)).start(ANN, BEN, CAT)
    records = track.solve(ANN, T0 + 30_000)
    assert records[1:] == [
        Finished(T0 + 30_000, RACE_ID, ANN, T0, 30_000, 30_000, 0, 0, 0, 30_000),
        GraceBegan(T0 + 30_000, RACE_ID, T0 + 120_000),
    ]
    assert phase(track) == "grace"
    assert names(track.solve(BEN, T0 + 40_000)) == ["Slid", "Finished"]
    assert names(track.solve(CAT, T0 + 50_000)) == ["Slid", "Finished", "RaceEnded"]
    assert phase(track) == "results"
    assert track.race.ended_at == T0 + 50_000


@pytest.mark.parametrize(
    ("limit_ms", "until"), [(60_000, T0 + 60_000), (0, T0 + 70_000)]
)
def test_grace_time_ends_at_the_time_limit(limit_ms: int, until: int) -> None:
    track = Track(Rules(size="3x2", limit_ms=limit_ms)).start(ANN, BEN)
    track.solve(ANN, T0 + 10_000)
    assert track.race.grace_until == until


def test_single_racer_has_no_grace_time() -> None:
    track = Track().start(ANN)
    assert names(track.solve(ANN, T0 + 1)) == ["Slid", "Finished", "RaceEnded"]


def test_measured_latency_is_credited() -> None:
    track = Track().start(ANN)
    finished = track.solve(ANN, T0 + 10_000, PHONE, e=9_900)[1]
    assert isinstance(finished, Finished)
    assert (finished.g, finished.e, finished.official) == (10_000, 9_900, 9_900)
    assert (finished.rtt, finished.jitter) == (80, 25)


def test_few_samples_are_recorded_as_zero() -> None:
    track = Track().start(ANN)
    line = Latency(rtt_ms=80, jitter_ms=25, samples=4)
    finished = track.solve(ANN, T0 + 10_000, line, e=9_990)[1]
    assert isinstance(finished, Finished)
    assert (finished.rtt, finished.jitter, finished.outage) == (0, 0, 0)
    assert finished.official == 9_990


@pytest.mark.parametrize("before", [True, False])
def test_timestamp_after_a_reload_does_not_count(before: bool) -> None:
    track = Track().start(ANN)
    first, *rest = stamped(track.solution(ANN))
    race = track.race
    track.do(decide.slides(race, ANN, 1, [first], before, T0 + 10, lambda: PHONE))
    ask = decide.slides(race, ANN, 2, rest, not before, T0 + 10_000, lambda: PHONE)
    finished = track.do(ask)[1]
    assert isinstance(finished, Finished)
    assert (finished.e, finished.official) == (None, 9_920)


@pytest.mark.parametrize(("e", "kept"), [(9_900, 9_900), (800, 800), (799, None)])
def test_timestamp_before_an_earlier_slide_counts_as_absent(
    e: int, kept: int | None
) -> None:
    track = Track().start(ANN)
    *most, last = track.solution(ANN)
    made = [(way, tiles, 800) for way, tiles in most]
    track.do(decide.slides(track.race, ANN, 1, made, False, T0 + 1_000))
    recovered(track.race, T0 + 1_500, T0 + 8_000)
    track.do(decide.reconnected(track.race, ANN, T0 + 9_800))
    seq, now, batch = len(made) + 1, T0 + 10_000, [(*last, e)]
    finished = track.do(
        decide.slides(track.race, ANN, seq, batch, False, now, lambda: PHONE)
    )[1]
    assert isinstance(finished, Finished)
    outage = 9_800 - 1_500
    latest = 10_000 - 80 - outage
    assert finished.e == kept
    assert finished.official == {9_900: 9_900, 800: latest - 50}.get(e, latest)


def test_friendly_timing_credits_more() -> None:
    track = Track(Rules(size="3x2", friendly_timing=True)).start(ANN)
    finished = track.solve(ANN, T0 + 10_000, PHONE, e=0)[1]
    assert isinstance(finished, Finished)
    assert finished.official == 10_000 - 80 - 50 - 100


@pytest.mark.parametrize(
    ("back", "arrival", "outage"),
    [
        (T0 + 9_000, T0 + 9_500, 7_000),  # solved during the outage
        (T0 + 9_000, T0 + 30_000, 7_000),  # the previous slide was before the outage
        (T0 + 20_000, T0 + 21_000, 9_000),  # a late return costs time from 3 s on
    ],
)
def test_outage_in_the_last_interval_is_credited(
    back: int, arrival: int, outage: int
) -> None:
    track = Track(Rules(size="3x2", limit_ms=600_000)).start(ANN, BEN)
    track.slide(ANN, T0 + 1_000)
    recovered(track.race, T0 + 2_000, T0 + 8_000)
    track.do(decide.reconnected(track.race, ANN, back))
    finished = track.solve(ANN, arrival, PHONE, e=100)[1]
    assert isinstance(finished, Finished)
    assert finished.outage == outage
    assert finished.official == arrival - T0 - 130 - outage


def test_forfeit_undone_after_an_outage_is_credited() -> None:
    track = Track(Rules(size="3x2", limit_ms=600_000)).start(ANN, BEN)
    track.do(decide.forfeit(track.race, ANN, T0 + 1_000))
    recovered(track.race, T0 + 3_500, T0 + 8_000)
    track.do(decide.undo_forfeit(track.race, ANN, T0 + 9_000))
    finished = track.solve(ANN, T0 + 9_500, PHONE, e=100)[1]
    assert isinstance(finished, Finished)
    assert finished.outage == 5_500  # until Ann was back


def test_outage_is_noted_for_everyone_who_has_not_finished() -> None:
    """A DNF for being away can be lifted later; the record shows no gap then."""
    rules = Rules(size="3x2", limit_ms=600_000, away_ms=1_000)
    track = Track(rules).start(ANN, BEN, CAT)
    track.do(decide.disconnected(track.race, ANN, T0 + 100))
    track.solve(BEN, T0 + 1_000)
    track.at(T0 + 1_100)
    assert track[ANN].why == "away"
    recovered(track.race, T0 + 2_000, T0 + 8_000)
    track.do(decide.reconnected(track.race, ANN, T0 + 9_000))
    assert [len(track[seat].outages) for seat in (ANN, BEN, CAT)] == [1, 0, 1]
    finished = track.solve(ANN, T0 + 9_500, PHONE, e=100)[1]
    assert isinstance(finished, Finished)
    assert finished.outage == 7_000


def test_outage_before_the_last_interval_is_not_credited() -> None:
    track = Track(Rules(size="3x2", limit_ms=600_000)).start(ANN, BEN)
    recovered(track.race, T0 + 2_000, T0 + 8_000)
    track.do(decide.reconnected(track.race, ANN, T0 + 9_000))
    track.slide(ANN, T0 + 12_000)
    finished = track.solve(ANN, T0 + 13_000, PHONE, e=0)[1]
    assert isinstance(finished, Finished)
    assert finished.outage == 0


def test_host_ends_the_grace_time() -> None:
    track = Track().start(ANN, BEN, CAT)
    assert refused(decide.call_time(track.race, T0 + 1)) == "wrong_phase"
    track.do(decide.forfeit(track.race, CAT, T0 + 899))
    track.solve(ANN, T0 + 900)
    now = T0 + 900 + 261
    assert track.do(decide.call_time(track.race, now)) == [
        DidNotFinish(now, RACE_ID, BEN, "called"),
        RaceEnded(now, RACE_ID),
    ]
    assert track.do(decide.call_time(track.race, now)) == []


def test_grace_time_lasts_until_first_place_is_certain() -> None:
    track = Track().start(ANN, BEN, CAT)
    track.solve(ANN, T0 + 900)
    certain = T0 + 900 + 261
    called = track.do(decide.call_time(track.race, T0 + 901))
    assert called == [TimeCalled(T0 + 901, RACE_ID, certain)]
    assert track.do(decide.call_time(track.race, T0 + 902)) == []
    slow = Latency(rtt_ms=150, jitter_ms=9, samples=9)
    assert names(track.solve(BEN, T0 + 950, slow, e=800)) == ["Slid", "Finished"]
    assert track.race.grace_until == certain
    track.at(certain)
    assert phase(track) == "results"
    assert [row.seat for row in standings(track.race)] == [BEN, ANN, CAT]
    assert (track[CAT].status, track[CAT].why) == ("dnf", "called")


# --- Giving up -----------------------------------------------------------------------


def test_forfeit_can_be_undone() -> None:
    track = Track().start(ANN, BEN)
    race = track.race
    assert track.do(decide.undo_forfeit(race, ANN, T0)) == []
    assert track.do(decide.forfeit(race, ANN, T0)) == [Forfeited(T0, RACE_ID, ANN)]
    assert track.do(decide.forfeit(race, ANN, T0 + 1)) == []
    undone = track.do(decide.undo_forfeit(race, ANN, T0 + 2_999))
    assert undone == [ForfeitUndone(T0 + 2_999, RACE_ID, ANN)]
    assert track[ANN].status == "racing"
    assert track[ANN].forfeited_at is None
    track.do(decide.forfeit(race, ANN, T0 + 3_000))
    assert refused(decide.undo_forfeit(race, ANN, T0 + 6_000)) == "too_late"


def test_forfeit_needs_a_running_attempt() -> None:
    track = Track()
    assert refused(decide.forfeit(track.race, ANN, 0)) == "not_racing"
    assert refused(decide.undo_forfeit(track.race, ANN, 0)) == "not_racing"
    track.draw(ANN, BEN)
    assert refused(decide.forfeit(track.race, ANN, 4_000)) == "wrong_phase"
    assert refused(decide.undo_forfeit(track.race, ANN, 4_000)) == "done"
    track.at(T0)
    track.solve(ANN, T0 + 10)
    assert refused(decide.forfeit(track.race, ANN, T0 + 20)) == "done"
    assert refused(decide.undo_forfeit(track.race, ANN, T0 + 20)) == "done"
    track.do(decide.forfeit(track.race, BEN, T0 + 20))
    track.do(decide.call_time(track.race, T0 + 3_000))
    assert refused(decide.undo_forfeit(track.race, BEN, T0 + 40)) == "too_late"


def test_forfeit_cannot_be_undone_after_its_time() -> None:
    track = Track().start(ANN, BEN)
    track.do(decide.forfeit(track.race, ANN, T0 + 59_000))
    assert refused(decide.undo_forfeit(track.race, ANN, T0 + 60_000)) == "too_late"


def test_forfeit_that_can_be_undone_does_not_end_the_race() -> None:
    track = Track().start(ANN, BEN)
    track.do(decide.forfeit(track.race, BEN, T0 + 100))
    records = track.solve(ANN, T0 + 200)
    assert names(records) == ["Slid", "Finished", "GraceBegan"]
    assert track.at(T0 + 3_099) == []
    track.do(decide.undo_forfeit(track.race, BEN, T0 + 3_099))
    assert names(track.solve(BEN, T0 + 4_000)) == ["Slid", "Finished", "RaceEnded"]


def test_final_forfeit_does_not_keep_the_race_open() -> None:
    track = Track().start(ANN, BEN)
    track.do(decide.forfeit(track.race, BEN, T0 + 100))
    assert track.at(T0 + 3_100) == []
    assert names(track.solve(ANN, T0 + 3_100)) == ["Slid", "Finished", "RaceEnded"]


@pytest.mark.parametrize("why", ["left", "kicked"])
def test_leaving_player_gets_dnf_and_may_end_the_race(
    why: Literal["left", "kicked"],
) -> None:
    track = Track().start(ANN, BEN)
    gone = track.do(decide.leave(track.race, ANN, why, T0 + 10))
    assert gone == [DidNotFinish(T0 + 10, RACE_ID, ANN, why)]
    assert track.do(decide.leave(track.race, ANN, why, T0 + 10)) == []
    assert track.do(decide.leave(track.race, FAR, why, T0 + 10)) == []
    last = track.do(decide.leave(track.race, BEN, why, T0 + 20))
    assert names(last) == ["DidNotFinish", "RaceEnded"]


def test_player_who_left_does_not_return() -> None:
    track = Track().start(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, T0 + 10))
    track.do(decide.leave(track.race, ANN, "left", T0 + 20))
    assert track.do(decide.reconnected(track.race, ANN, T0 + 30)) == []
    assert track[ANN].status == "dnf"


def test_race_is_aborted_if_all_leave_before_t0() -> None:
    track = Track().draw(ANN, BEN)
    track.do(decide.leave(track.race, ANN, "left", 4_000))
    assert track[ANN].status == "dns"
    last = track.do(decide.leave(track.race, BEN, "left", 4_100))
    assert last[1:] == [RaceAborted(4_100, RACE_ID, "nobody_left")]
    assert (track.race.phase, track.race.why) == ("aborted", "nobody_left")


@pytest.mark.parametrize("phase", ["countdown", "racing", "grace"])
def test_abort_after_the_freeze_is_final(phase: str) -> None:
    track = Track().draw(ANN, BEN)
    if phase != "countdown":
        track.at(T0)
    if phase == "grace":
        track.solve(ANN, T0 + 10)
    assert track.race.phase == phase
    now = T0 + 20
    assert track.do(decide.abort(track.race, now)) == [
        RaceAborted(now, RACE_ID, "host")
    ]
    assert track.do(decide.abort(track.race, now)) == []
    race = track.race
    assert race.ended_at == now
    assert refused(decide.begin_countdown(race, now)) == "wrong_phase"
    assert refused(decide.slides(race, BEN, 1, [("L", 1, 0)], False, now)) == "done"
    assert refused(decide.slides(race, BEN, 1, [("L", 1, 0)], False, T0 - 9)) == "done"
    assert refused(decide.forfeit(race, BEN, now)) == "done"
    assert track.do(decide.disconnected(race, BEN, now)) == []
    assert track.do(decide.leave(race, BEN, "left", now)) == []


def test_abort_before_the_freeze_returns_to_the_lobby() -> None:
    track = Track()
    assert track.do(decide.abort(track.race, 0)) == []
    track.do(decide.begin_countdown(track.race, 0))
    assert track.do(decide.abort(track.race, 5)) == [
        CountdownStopped(5, RACE_ID, "host")
    ]
    track.start(ANN)
    track.solve(ANN, T0 + 1)
    assert refused(decide.abort(track.race, T0 + 2)) == "wrong_phase"


def test_ended_race_gives_results_and_only_once() -> None:
    track = Track().start(ANN, BEN)
    records = track.do(decide.end_race(track.race, T0 + 500, "called"))
    assert names(records) == ["DidNotFinish", "DidNotFinish", "RaceEnded"]
    assert {track[seat].why for seat in (ANN, BEN)} == {"called"}
    assert decide.end_race(track.race, T0 + 600, "called") == []


# --- Lost connections ----------------------------------------------------------------


def test_lost_connection_and_return() -> None:
    track = Track().start(ANN, BEN)
    race = track.race
    away = track.do(decide.disconnected(race, ANN, T0 + 10))
    assert away == [RacerDisconnected(T0 + 10, RACE_ID, ANN)]
    assert track.do(decide.disconnected(race, ANN, T0 + 20)) == []
    assert track[ANN].away_since == T0 + 10
    back = track.do(decide.reconnected(race, ANN, T0 + 30))
    assert back == [RacerReconnected(T0 + 30, RACE_ID, ANN)]
    assert track.do(decide.reconnected(race, ANN, T0 + 40)) == []
    assert track[ANN].away_since is None


def test_connection_of_a_non_racer_does_not_matter() -> None:
    track = Track()
    assert track.do(decide.disconnected(track.race, ANN, 0)) == []
    assert track.do(decide.reconnected(track.race, ANN, 0)) == []
    track.start(ANN, BEN)
    track.solve(ANN, T0 + 10)
    assert track.do(decide.disconnected(track.race, ANN, T0 + 20)) == []
    assert track.do(decide.disconnected(track.race, FAR, T0 + 20)) == []
    track.do(decide.disconnected(track.race, BEN, T0 + 20))
    track.do(decide.call_time(track.race, T0 + 3_000))
    assert track.do(decide.reconnected(track.race, BEN, T0 + 40)) == []
    assert track.do(decide.leave(track.race, BEN, "left", T0 + 50)) == []
