"""Who is told what: boards, progress, snapshots, answers, and what everybody hears."""

from typing import Any

import pytest
from tests.server.room_fixture import CODE, Stage

from sliderace.engine import Board, format_board, parse_slides
from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_event
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.room import DelayedAttempts, Disconnect, fold
from sliderace_server.room.deadlines import expect_records
from sliderace_server.room.draft import Draft
from sliderace_server.room.log_records import RoomOpened
from sliderace_server.room.member_commands import execute

TOLD = m.Limits(60, 120, 160, 320, 60, 33, 2048)


def racing(size: str = "3x2", **patch: Any) -> Stage:
    """Ann and Ben race, Eve is a spectator, Late came too late."""
    stage = Stage(m.RulesPatch(size=size, **patch))
    stage.enter("Ann")
    stage.enter("Ben")
    stage.enter("Eve", role="spectator")
    stage.race_of(1, 2)
    stage.enter("Late")
    return stage


def start(stage: Stage) -> str:
    return format_board(Board(stage.state.race.size, stage.state.race.board))


def boards(
    stage: Stage, member: int, lag: DelayedAttempts | None = None
) -> dict[int, str | None]:
    snapshot = room.snapshot(stage.state, member, stage.now, lag)
    return {lane.seat: lane.board for lane in snapshot.race.lanes}


# --- boards --------------------------------------------------------------------------


def test_before_t0_nobody_sees_a_board() -> None:
    stage = Stage(m.RulesPatch(size="3x2", open_boards=True))
    for name in ("Ann", "Ben"):
        stage.enter(name)
        stage.ask(stage.state.last_member, m.Ready(stage.race))
    stage.to_deadline()
    assert stage.state.race.locked
    for member in (1, 2):
        assert room.reveal(stage.state, member, stage.now) is None
        assert not room.sees_boards(stage.state, member, stage.now)
        assert room.board_of(stage.state, member, 0, stage.now) == Refusal(
            "too_early", "seat", "0"
        )
        told = room.welcome(stage.state, member, stage.now, "", TOLD, None)
        assert told.board is None
        assert room.rejected(stage.state, member, Refusal("too_early"), 1).board is None
        snapshot = stage.snapshot(member)
        assert snapshot.race.start is None
        assert snapshot.race.elapsed_ms is None
        assert {lane.board for lane in snapshot.race.lanes} == {None}
        assert start(stage) not in encode_event(snapshot)
    stage.to_deadline()
    assert room.reveal(stage.state, 1, stage.now) == m.BoardEvent(
        stage.race, None, 0, start(stage), 0
    )


def test_racers_see_their_own_board_alone() -> None:
    stage = racing()
    assert boards(stage, 1) == {0: start(stage), 1: None}
    assert room.board_of(stage.state, 1, 1, stage.now) == Refusal(
        "too_early", "seat", "1"
    )
    assert isinstance(room.board_of(stage.state, 1, 0, stage.now), m.BoardEvent)


@pytest.mark.parametrize("member", [3, 4])
def test_who_does_not_race_sees_all(member: int) -> None:
    stage = racing()
    assert boards(stage, member) == {0: start(stage), 1: start(stage)}


def test_open_boards_are_for_racers_too() -> None:
    stage = racing(open_boards=True)
    assert boards(stage, 1) == {0: start(stage), 1: start(stage)}


def test_a_finish_opens_the_boards() -> None:
    stage = racing()
    stage.solve(1)
    assert boards(stage, 1)[1] == start(stage)
    assert boards(stage, 2)[0] is None


def test_a_forfeit_opens_them_when_it_cannot_be_undone() -> None:
    stage = racing()
    stage.ask(1, m.Forfeit(stage.race))
    stage.wait(2_999)
    assert boards(stage, 1)[1] is None
    stage.wait(1)
    assert boards(stage, 1)[1] == start(stage)


def test_the_results_open_everything() -> None:
    stage = racing(spectator_delay_ms=5_000)
    stage.solve(1)
    stage.solve(2)
    for member in stage.state.members:
        assert room.sees_boards(stage.state, member, stage.now)
        assert None not in boards(stage, member).values()
        assert not room.is_delayed(stage.state, member, stage.now)


def test_no_seat_no_board() -> None:
    stage = racing()
    assert room.board_of(stage.state, 3, 7, stage.now) == Refusal(
        "bad_seat", "seat", "7"
    )


def test_with_inspection_the_board_comes_locked() -> None:
    stage = racing(inspection_ms=2_000)
    reveal = room.reveal(stage.state, 1, stage.now)
    assert reveal is not None
    assert reveal.in_ms == 2_000
    for_spectators = room.reveal(stage.state, 3, stage.now)
    assert for_spectators is not None
    assert for_spectators.in_ms == 0
    slides = stage.slides(1, 1)
    assert stage.ask(1, slides) == Refusal("too_early", retry_ms=2_000)
    assert stage.snapshot(1).race.elapsed_ms is None
    assert stage.snapshot(1).race.start == start(stage)
    assert stage.snapshot(3).race.elapsed_ms == 0
    stage.wait(2_001)
    assert stage.snapshot(1).race.elapsed_ms == 1
    assert isinstance(stage.ask(1, slides), list)


# --- a spectator delay ---------------------------------------------------------------


def test_spectators_may_have_to_wait_for_the_board() -> None:
    stage = racing(spectator_delay_ms=5_000)
    for member, late in ((1, False), (2, False), (3, True), (4, True)):
        assert room.is_delayed(stage.state, member, stage.now) == late
        assert (room.reveal(stage.state, member, stage.now) is None) == late
    assert boards(stage, 3, DelayedAttempts()) == {0: None, 1: None}
    assert stage.snapshot(3).race.start is None
    stage.wait(5_000)
    assert room.reveal(stage.state, 3, stage.now) is not None
    assert stage.snapshot(3).race.start == start(stage)


def test_who_gives_up_to_look_sees_it_late_too() -> None:
    stage = racing(spectator_delay_ms=5_000)
    lag = DelayedAttempts()
    stage.wait(1_000)
    stage.ask(2, stage.slides(2, 2))
    stage.ask(1, m.Forfeit(stage.race))
    stage.wait(3_000)
    assert room.is_delayed(stage.state, 1, stage.now)
    assert not room.is_delayed(stage.state, 2, stage.now)
    assert boards(stage, 1, lag) == {0: start(stage), 1: start(stage)}
    assert room.reveal(stage.state, 1, stage.now) is not None
    stage.wait(2_000)
    now = format_board(stage.board(2))
    assert boards(stage, 1, lag) == {0: start(stage), 1: now}


def test_they_see_each_lane_as_it_was() -> None:
    stage = racing(spectator_delay_ms=5_000)
    lag = DelayedAttempts()
    stage.wait(6_000)
    stage.ask(1, stage.slides(1, 2))
    stage.wait(1_000)
    after_two = format_board(stage.board(1))
    stage.ask(1, stage.slides(1, 1))
    stage.wait(3_999)
    assert boards(stage, 3, lag) == {0: start(stage), 1: start(stage)}
    told = room.board_of(stage.state, 3, 0, stage.now, lag)
    assert told == m.BoardEvent(stage.race, 0, 0, start(stage))
    stage.wait(1)
    assert boards(stage, 3, lag) == {0: after_two, 1: start(stage)}
    told = room.board_of(stage.state, 3, 0, stage.now, lag)
    assert told == m.BoardEvent(stage.race, 0, 2, after_two)
    lane = room.snapshot(stage.state, 3, stage.now, lag).race.lanes[0]
    assert (lane.seq, lane.stm) == (2, 2)
    assert boards(stage, 1)[0] == format_board(stage.board(1))


def test_the_standings_tell_them_nothing_sooner() -> None:
    stage = racing(spectator_delay_ms=5_000)
    lag = DelayedAttempts()
    stage.wait(6_000)
    while not stage.state.race.attempts[stage.seat(2)].high:
        stage.ask(2, stage.slides(2, 1))

    def told(member: int) -> list[tuple[int, int, int, int]]:
        race = room.snapshot(stage.state, member, stage.now, lag).race
        return [(one.seat, one.stm, one.mtm, one.high) for one in race.standings]

    live = told(1)
    assert live[0][0] == stage.seat(2)
    assert told(3) == [(0, 0, 0, 0), (1, 0, 0, 0)]
    without = room.snapshot(stage.state, 3, stage.now).race.standings
    assert [one.stm for one in without] == [0, 0]
    stage.wait(5_000)
    assert told(3) == live
    stage.ask(2, m.Forfeit(stage.race))
    assert told(3) == told(1)


@pytest.mark.parametrize("delay", [0, 5_000])
def test_a_return_and_an_undone_forfeit_tell_them_nothing_sooner(delay: int) -> None:
    stage = racing(spectator_delay_ms=delay)
    stage.wait(6_000)
    while not stage.state.race.attempts[stage.seat(2)].high:
        stage.ask(2, stage.slides(2, 1))
    stage.ask(2, m.Forfeit(stage.race))
    stage.ask(2, m.Undo(stage.race))
    stage.do(room.Disconnect(2))
    stage.do(room.Connect(2))
    told = [one for one in stage.events if isinstance(one, m.StandingEvent)]
    racing_ = [one.standing for one in told if one.standing.status == "racing"]
    assert len(racing_) == 2
    for one in racing_:
        assert any((one.stm, one.mtm, one.high)) == (not delay)


def test_their_progress_is_what_it_was_and_complete() -> None:
    stage = racing(spectator_delay_ms=5_000)
    lag, seat, since = DelayedAttempts(), stage.seat(1), 0
    told: list[m.SeatProgress] = []
    while stage.state.race.attempts[seat].status == "racing":
        stage.wait(400)
        stage.ask(1, stage.slides(1, 1))
    for _ in range(40):
        step = room.seat_progress(
            stage.state, seat, since, boards=True, now=stage.now, delayed=lag
        )
        since = step.seq
        told.append(step)
        stage.wait(300)
    board = Board(stage.state.race.size, stage.state.race.board)
    for direction, count in parse_slides("".join(step.slides for step in told)):
        board.slide(direction, count)
    assert board.is_solved
    assert told[0].seq < told[-1].seq
    assert told[-1].high == 1000
    assert told[-1].stm == stage.state.race.attempts[seat].stm
    assert [step.high for step in told] == sorted(step.high for step in told)


def test_without_the_lag_they_see_nothing_rather_than_the_present() -> None:
    stage = racing(spectator_delay_ms=5_000)
    stage.wait(6_000)
    stage.ask(1, stage.slides(1, 1))
    assert boards(stage, 3) == {0: None, 1: None}
    lane = stage.snapshot(3).race.lanes[0]
    assert (lane.seq, lane.high, lane.stm) == (0, 0, 0)


def test_the_lag_follows_from_race_to_race() -> None:
    stage = racing("2x2", spectator_delay_ms=1_000)
    lag = DelayedAttempts()
    stage.wait(1)
    stage.solve(1)
    stage.wait(1_000)
    assert lag.view(stage.state.race, stage.seat(1), stage.now).board.is_solved
    stage.solve(2)
    stage.ask(1, m.Rematch(stage.race))
    stage.ask(2, m.Rematch(stage.state.last_race))
    stage.wait(30_000)
    stage.to_phase("racing")
    look = lag.view(stage.state.race, stage.seat(1), stage.now)
    assert look.board.tiles == stage.state.race.board


# --- progress ------------------------------------------------------------------------


def test_progress_tells_slides_to_those_who_see_boards() -> None:
    stage = racing()
    stage.ask(1, stage.slides(1, 3))
    attempt = stage.state.race.attempts[stage.seat(1)]
    bare = room.seat_progress(stage.state, stage.seat(1), 0, boards=False)
    assert bare == m.SeatProgress(0, 3, attempt.high, 3)
    assert bare.since == -1
    full = room.seat_progress(stage.state, stage.seat(1), 1, boards=True)
    assert (full.since, full.seq) == (1, 3)
    assert len(parse_slides(full.slides)) == 2


# --- answers -------------------------------------------------------------------------


def test_a_welcome_says_where_one_stands() -> None:
    stage = racing()
    stage.ask(1, stage.slides(1, 2))
    told = room.welcome(stage.state, 1, stage.now, "sliderace 0", TOLD, "f" * 32)
    assert told == m.Welcome(
        v=1, server="sliderace 0", code=CODE, member=1, seat=0, token="f" * 32,
        epoch=1, gen=0, race=stage.race, seq=2, board=format_board(stage.board(1)),
        limits=TOLD,
    )  # fmt: skip
    spectator = room.welcome(stage.state, 3, stage.now, "", TOLD, None)
    assert (spectator.seat, spectator.seq, spectator.board) == (None, 0, None)


def test_acks_are_cumulative() -> None:
    stage = racing()
    stage.ask(1, stage.slides(1, 2))
    stage.ask(1, stage.slides(1, 1))
    assert room.ack_of(stage.state, 1) == m.Ack(stage.race, 3)
    assert room.ack_of(stage.state, 3) is None
    assert room.ack_of(stage.state, 99) is None


def test_old_slides_are_acked_again_and_wrong_ones_answered_with_the_truth() -> None:
    stage = racing()
    first = stage.slides(1, 2)
    stage.ask(1, first)
    assert stage.ask(1, first) == []
    gap = m.Slides(stage.race, 0, 5, [("U", 1, 0)])
    refusal = stage.ask(1, gap)
    assert refusal == Refusal("gap", "seq", "5")
    assert isinstance(refusal, Refusal)
    assert room.rejected(stage.state, 1, refusal, 4) == m.Rejected(
        stage.race, 4, 2, "gap", format_board(stage.board(1))
    )
    assert room.rejected(stage.state, 3, Refusal("not_racing"), 1) == m.Rejected(
        stage.race, 1, 0, "not_racing", None
    )


@pytest.mark.parametrize(
    ("slides", "code"),
    [([("U", 9, 0)], "illegal"), ([("U", 1, 0)] * 3, "illegal")],
)
def test_illegal_slides_change_nothing(slides: Any, code: str) -> None:
    stage = racing()
    outcome = stage.ask(1, m.Slides(stage.race, 0, 1, slides))
    assert isinstance(outcome, Refusal)
    assert outcome.code == code
    assert stage.state.race.attempts[stage.seat(1)].seq == 0


def test_slides_of_another_race_or_after_the_end_are_refused() -> None:
    stage = racing("2x2")
    slides = m.Slides("KWXTRB-OLD-1", 0, 1, [("U", 1, 0)])
    assert stage.ask(1, slides) == Refusal("wrong_race", "race", "KWXTRB-OLD-1")
    assert stage.ask(3, m.Slides(stage.race, 0, 1, [("U", 1, 0)])) == Refusal(
        "not_racing"
    )
    stage.solve(1)
    seq = stage.state.race.attempts[stage.seat(1)].seq + 1
    assert stage.ask(1, m.Slides(stage.race, 0, seq, [("U", 1, 0)])) == Refusal("done")


def test_tiles_are_bounded() -> None:
    stage = racing()
    shuttle = [[d, 1, 0] for d in "LR"]
    if not stage.board(1).copy().try_slide("L"):
        shuttle.reverse()
    attempt = stage.state.race.attempts[stage.seat(1)]
    for _ in range(5):
        way: Any = shuttle * 30
        assert isinstance(
            stage.ask(1, m.Slides(stage.race, 0, attempt.seq + 1, way)), list
        )
    assert attempt.stm == stage.limits.max_tiles
    more = m.Slides(stage.race, 0, attempt.seq + 1, [tuple(shuttle[0])])  # type: ignore[list-item]
    assert stage.ask(1, more) == Refusal("too_many_tiles")


def test_refusals_are_explained_and_short() -> None:
    told = room.refused("start", Refusal("not_host", "f", "v" * 99, 7))
    assert told == m.Refused(
        "start", "not_host", "Only the host may do that.", "f", "v" * 40, 7
    )


def test_a_spectator_can_neither_give_up_nor_undo() -> None:
    stage = racing()
    assert stage.ask(3, m.Forfeit(stage.race)) == Refusal("not_racing")
    assert stage.ask(3, m.Undo(stage.race)) == Refusal("not_racing")
    assert stage.ask(4, m.Forfeit(stage.race)) == Refusal("not_racing")


# --- what everybody hears ------------------------------------------------------------


def test_a_race_as_everybody_hears_it() -> None:
    stage = racing("2x2", grace_ms=5_000)
    began = len(stage.events)
    stage.wait(900)
    stage.ask(2, m.Forfeit(stage.race))
    stage.ask(2, m.Undo(stage.race))
    stage.do(Disconnect(2))
    stage.do(room.Connect(2))
    stage.solve(1)
    stage.wait(5_000)
    told = [
        (type(one).__name__, getattr(one, "phase", "") or getattr(one, "why", ""))
        for one in stage.events[began:]
    ]
    assert told == [
        ("StandingEvent", ""),
        ("StandingEvent", ""),
        ("MemberEvent", "disconnected"),
        ("MemberEvent", "connected"),
        ("StandingEvent", ""),
        ("StandingEvent", ""),
        ("PhaseEvent", "grace"),
        ("WinnerEvent", ""),
        ("StandingEvent", ""),
        ("Results", ""),
    ]
    finished, grace, winner, out = stage.events[-5:-1]
    assert isinstance(finished, m.StandingEvent)
    assert (finished.standing.place, finished.standing.final) == (1, False)
    assert finished.standing.name == "Ann"
    assert winner == m.WinnerEvent(stage.state.offset - 2, stage.race, [0])
    assert isinstance(grace, m.PhaseEvent)
    assert (grace.in_ms, grace.roster) == (5_000, [0, 1])
    assert isinstance(out, m.StandingEvent)
    assert (out.standing.status, out.standing.why) == ("dnf", "grace")
    assert not out.standing.final
    assert out.standing.time_ms is None
    results = stage.events[-1]
    assert isinstance(results, m.Results)
    assert results.secret == stage.state.race.secret
    assert all(standing.final for standing in results.standings)
    assert results.seed == stage.state.race.seed
    assert results.board == start(stage)
    assert results.record == f"/api/races/{stage.race}"


def test_the_host_ends_the_grace_time() -> None:
    stage = racing("2x2")
    assert stage.ask(1, m.CallTime(stage.race)) == Refusal("wrong_phase")
    stage.solve(2)
    assert stage.ask(2, m.CallTime(stage.race)) == Refusal("not_host")
    stage.ask(1, m.CallTime(stage.race))
    assert stage.ask(1, m.CallTime(stage.race)) == []
    assert stage.phase() == "grace"
    called = stage.events[-1]
    assert isinstance(called, m.PhaseEvent)
    assert called.in_ms == 261
    stage.wait(261)
    assert stage.phase() == "results"
    assert stage.ask(1, m.CallTime(stage.race)) == []
    assert room.standings_of(stage.state)[1].why == "called"


def test_an_aborted_race_has_no_results_and_a_new_race_follows() -> None:
    stage = racing()
    race = stage.race
    stage.ask(1, m.Abort(race))
    aborted, made = stage.events[-2:]
    assert isinstance(aborted, m.PhaseEvent)
    assert (aborted.race, aborted.phase, aborted.why) == (race, "aborted", "host")
    assert isinstance(made, m.RoomEvent)
    assert made.why == "race"
    assert stage.race != race
    assert stage.phase() == "lobby"
    assert stage.ask(1, m.Abort(race)) == Refusal("wrong_race", "race", race)
    assert stage.state.last_race == ""


def test_aborting_the_results_is_too_late() -> None:
    stage = racing("2x2")
    stage.solve(1)
    stage.solve(2)
    assert stage.ask(1, m.Abort(stage.race)) == Refusal("wrong_phase")


def test_clocks_are_told_as_time_to_go() -> None:
    stage = racing(limit_ms=60_000)
    assert stage.snapshot(1).in_ms == 60_000
    stage.wait(20_000)
    assert stage.snapshot(1).in_ms == 40_000
    assert stage.snapshot(1).race.elapsed_ms == 20_000
    stage.solve(1)
    assert stage.snapshot(1).in_ms == 40_000
    unlimited = racing(limit_ms=0)
    assert unlimited.snapshot(1).in_ms is None


def test_a_late_event_has_less_time_to_go() -> None:
    phase = m.PhaseEvent(1, "R", "countdown", 5_000)
    later = room.adjust_time_left(phase, 1_500)
    assert isinstance(later, m.PhaseEvent)
    assert later.in_ms == 3_500
    assert room.adjust_time_left(phase, 9_000) == m.PhaseEvent(1, "R", "countdown", 0)
    assert room.adjust_time_left(m.PhaseEvent(1, "R", "lobby", None), 5).in_ms is None  # type: ignore[union-attr]
    assert room.adjust_time_left(m.Closed(1, "host"), 5) == m.Closed(1, "host")


def test_a_listing_says_no_more_than_a_stranger_may_know() -> None:
    stage = racing()
    assert room.listing(stage.state) == {
        "code": "KWXTRB",
        "phase": "racing",
        "players": 3,
        "spectators": 1,
        "size": "3x2",
        "public": False,
        "locked": False,
        "seed_known": False,
    }


# --- what cannot be ------------------------------------------------------------------


def test_a_damaged_log_is_no_room() -> None:
    with pytest.raises(ValueError, match="empty"):
        fold([])
    with pytest.raises(ValueError, match="does not begin"):
        fold([room.EpochBegan(0, 1, "", 0, 0)])


def test_the_room_asks_the_race_nothing_that_it_must_not() -> None:
    with pytest.raises(ValueError, match="wrong_phase"):
        expect_records(Refusal("wrong_phase"))


def test_slides_have_their_own_way() -> None:
    stage = racing()
    draft = Draft(stage.state.copy(), stage.now, b"", stage.limits)
    with pytest.raises(ValueError, match="decide_slides"):
        execute(draft, room.MemberCommand(1, stage.slides(1, 1)))


def test_a_room_is_opened_once() -> None:
    state = room.apply(None, RoomOpened(0, CODE, 0, public=False))
    assert state.offset == 0
    assert state.phase == "lobby"
    with pytest.raises(ValueError, match="already open"):
        room.apply(state, RoomOpened(0, CODE, 0, public=False))
