"""Visibility: boards, progress, snapshots, answers, and the stream of events."""

from typing import Any

import pytest
from tests.server.room_fixture import CODE, RoomHarness

from sliderace.engine import Board, format_board, parse_slides
from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_event
from sliderace.protocol.version import FEATURES
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.room import DelayedAttempts, Disconnect, fold
from sliderace_server.room.deadlines import expect_records
from sliderace_server.room.draft import Draft
from sliderace_server.room.log_records import RoomOpened, Stalled
from sliderace_server.room.member_commands import execute

LIMITS = m.Limits(60, 120, 160, 320, 60, 33, 2048)


def racing(size: str = "3x2", **patch: Any) -> RoomHarness:
    """Make a race of Ann and Ben; Eve is a spectator, Late joined too late."""
    harness = RoomHarness(m.RulesPatch(size=size, **patch))
    harness.enter("Ann")
    harness.enter("Ben")
    harness.enter("Eve", role="spectator")
    harness.start_race(1, 2)
    harness.enter("Late")
    return harness


def start(harness: RoomHarness) -> str:
    return format_board(Board(harness.state.race.size, harness.state.race.board))


def boards(
    harness: RoomHarness, member: int, delayed: DelayedAttempts | None = None
) -> dict[int, str | None]:
    snapshot = room.snapshot(harness.state, member, harness.now, delayed)
    return {lane.seat: lane.board for lane in snapshot.race.lanes}


# --- boards --------------------------------------------------------------------------


def test_before_t0_nobody_sees_a_board() -> None:
    harness = RoomHarness(m.RulesPatch(size="3x2", open_boards=True))
    for name in ("Ann", "Ben"):
        harness.enter(name)
        harness.ask(harness.state.last_member, m.Ready(harness.race))
    harness.to_deadline()
    assert harness.state.race.frozen
    for member in (1, 2):
        assert room.reveal(harness.state, member, harness.now) is None
        assert not room.sees_boards(harness.state, member, harness.now)
        assert room.board_of(harness.state, member, 0, harness.now) == Refusal(
            "too_early", "seat", "0"
        )
        sent = room.welcome(harness.state, member, harness.now, "", LIMITS, None)
        assert sent.board is None
        assert (
            room.rejected(harness.state, member, Refusal("too_early"), 1).board is None
        )
        snapshot = harness.snapshot(member)
        assert snapshot.race.start is None
        assert snapshot.race.elapsed_ms is None
        assert {lane.board for lane in snapshot.race.lanes} == {None}
        assert start(harness) not in encode_event(snapshot)
    harness.to_deadline()
    assert room.reveal(harness.state, 1, harness.now) == m.BoardEvent(
        harness.race, None, 0, start(harness), 0
    )


def test_racers_see_only_their_own_board() -> None:
    harness = racing()
    assert boards(harness, 1) == {0: start(harness), 1: None}
    assert room.board_of(harness.state, 1, 1, harness.now) == Refusal(
        "too_early", "seat", "1"
    )
    assert isinstance(room.board_of(harness.state, 1, 0, harness.now), m.BoardEvent)


@pytest.mark.parametrize("member", [3, 4])
def test_members_who_do_not_race_see_all_boards(member: int) -> None:
    harness = racing()
    assert boards(harness, member) == {0: start(harness), 1: start(harness)}


def test_with_open_boards_racers_see_all() -> None:
    harness = racing(open_boards=True)
    assert boards(harness, 1) == {0: start(harness), 1: start(harness)}


def test_a_finished_racer_sees_all_boards() -> None:
    harness = racing()
    harness.solve(1)
    assert boards(harness, 1)[1] == start(harness)
    assert boards(harness, 2)[0] is None


def test_a_forfeit_opens_the_boards_once_it_cannot_be_undone() -> None:
    harness = racing()
    harness.ask(1, m.Forfeit(harness.race))
    harness.wait(2_999)
    assert boards(harness, 1)[1] is None
    harness.wait(1)
    assert boards(harness, 1)[1] == start(harness)


def test_everyone_sees_everything_in_the_results() -> None:
    harness = racing(spectator_delay_ms=5_000)
    harness.solve(1)
    harness.solve(2)
    for member in harness.state.members:
        assert room.sees_boards(harness.state, member, harness.now)
        assert None not in boards(harness, member).values()
        assert not room.is_delayed(harness.state, member, harness.now)


def test_an_empty_seat_has_no_board() -> None:
    harness = racing()
    assert room.board_of(harness.state, 3, 7, harness.now) == Refusal(
        "bad_seat", "seat", "7"
    )


def test_with_inspection_the_board_is_locked_at_first() -> None:
    harness = racing(inspection_ms=2_000)
    reveal = room.reveal(harness.state, 1, harness.now)
    assert reveal is not None
    assert reveal.in_ms == 2_000
    for_spectators = room.reveal(harness.state, 3, harness.now)
    assert for_spectators is not None
    assert for_spectators.in_ms == 0
    slides = harness.slides(1, 1)
    assert harness.ask(1, slides) == Refusal("too_early", retry_ms=2_000)
    assert harness.snapshot(1).race.elapsed_ms is None
    assert harness.snapshot(1).race.start == start(harness)
    assert harness.snapshot(3).race.elapsed_ms == 0
    harness.wait(2_001)
    assert harness.snapshot(1).race.elapsed_ms == 1
    assert isinstance(harness.ask(1, slides), list)


# --- a spectator delay ---------------------------------------------------------------


def test_a_spectator_delay_applies_to_the_start_board() -> None:
    harness = racing(spectator_delay_ms=5_000)
    for member, late in ((1, False), (2, False), (3, True), (4, True)):
        assert room.is_delayed(harness.state, member, harness.now) == late
        assert (room.reveal(harness.state, member, harness.now) is None) == late
    assert boards(harness, 3, DelayedAttempts()) == {0: None, 1: None}
    assert harness.snapshot(3).race.start is None
    harness.wait(5_000)
    assert room.reveal(harness.state, 3, harness.now) is not None
    assert harness.snapshot(3).race.start == start(harness)


def test_a_racer_who_gives_up_sees_boards_with_the_delay() -> None:
    harness = racing(spectator_delay_ms=5_000)
    delayed = DelayedAttempts()
    harness.wait(1_000)
    harness.ask(2, harness.slides(2, 2))
    harness.ask(1, m.Forfeit(harness.race))
    harness.wait(3_000)
    assert room.is_delayed(harness.state, 1, harness.now)
    assert not room.is_delayed(harness.state, 2, harness.now)
    assert boards(harness, 1, delayed) == {0: start(harness), 1: start(harness)}
    assert room.reveal(harness.state, 1, harness.now) is not None
    harness.wait(2_000)
    now = format_board(harness.board(2))
    assert boards(harness, 1, delayed) == {0: start(harness), 1: now}


def test_delayed_members_see_each_attempt_as_it_was() -> None:
    harness = racing(spectator_delay_ms=5_000)
    delayed = DelayedAttempts()
    harness.wait(6_000)
    harness.ask(1, harness.slides(1, 2))
    harness.wait(1_000)
    after_two = format_board(harness.board(1))
    harness.ask(1, harness.slides(1, 1))
    harness.wait(3_999)
    assert boards(harness, 3, delayed) == {0: start(harness), 1: start(harness)}
    sent = room.board_of(harness.state, 3, 0, harness.now, delayed)
    assert sent == m.BoardEvent(harness.race, 0, 0, start(harness))
    harness.wait(1)
    assert boards(harness, 3, delayed) == {0: after_two, 1: start(harness)}
    sent = room.board_of(harness.state, 3, 0, harness.now, delayed)
    assert sent == m.BoardEvent(harness.race, 0, 2, after_two)
    lane = room.snapshot(harness.state, 3, harness.now, delayed).race.lanes[0]
    assert (lane.seq, lane.stm) == (2, 2)
    assert boards(harness, 1)[0] == format_board(harness.board(1))


def test_standings_reveal_nothing_before_the_delay() -> None:
    harness = racing(spectator_delay_ms=5_000)
    delayed = DelayedAttempts()
    harness.wait(6_000)
    while not harness.state.race.attempts[harness.seat(2)].high:
        harness.ask(2, harness.slides(2, 1))

    def shown(member: int) -> list[tuple[int, int, int, int]]:
        race = room.snapshot(harness.state, member, harness.now, delayed).race
        return [(one.seat, one.stm, one.mtm, one.high) for one in race.standings]

    live = shown(1)
    assert live[0][0] == harness.seat(2)
    assert shown(3) == [(0, 0, 0, 0), (1, 0, 0, 0)]
    without = room.snapshot(harness.state, 3, harness.now).race.standings
    assert [one.stm for one in without] == [0, 0]
    harness.wait(5_000)
    assert shown(3) == live
    harness.ask(2, m.Forfeit(harness.race))
    assert shown(3) == shown(1)


@pytest.mark.parametrize("delay", [0, 5_000])
def test_returns_and_undone_forfeits_reveal_nothing_before_the_delay(
    delay: int,
) -> None:
    harness = racing(spectator_delay_ms=delay)
    harness.wait(6_000)
    while not harness.state.race.attempts[harness.seat(2)].high:
        harness.ask(2, harness.slides(2, 1))
    harness.ask(2, m.Forfeit(harness.race))
    harness.ask(2, m.Undo(harness.race))
    harness.do(room.Disconnect(2))
    harness.do(room.Connect(2))
    sent = [one for one in harness.events if isinstance(one, m.StandingEvent)]
    racing_ = [one.standing for one in sent if one.standing.status == "racing"]
    assert len(racing_) == 2
    for one in racing_:
        assert any((one.stm, one.mtm, one.high)) == (not delay)


def test_delayed_progress_is_complete() -> None:
    harness = racing(spectator_delay_ms=5_000)
    delayed, seat, since = DelayedAttempts(), harness.seat(1), 0
    sent: list[m.SeatProgress] = []
    while harness.state.race.attempts[seat].status == "racing":
        harness.wait(400)
        harness.ask(1, harness.slides(1, 1))
    for _ in range(40):
        step = room.seat_progress(
            harness.state, seat, since, boards=True, now=harness.now, delayed=delayed
        )
        since = step.seq
        sent.append(step)
        harness.wait(300)
    board = Board(harness.state.race.size, harness.state.race.board)
    for direction, count in parse_slides("".join(step.slides for step in sent)):
        board.slide(direction, count)
    assert board.is_solved
    assert sent[0].seq < sent[-1].seq
    assert sent[-1].high == 1000
    assert sent[-1].stm == harness.state.race.attempts[seat].stm
    assert [step.high for step in sent] == sorted(step.high for step in sent)


def test_without_delayed_attempts_delayed_members_see_nothing() -> None:
    harness = racing(spectator_delay_ms=5_000)
    harness.wait(6_000)
    harness.ask(1, harness.slides(1, 1))
    assert boards(harness, 3) == {0: None, 1: None}
    lane = harness.snapshot(3).race.lanes[0]
    assert (lane.seq, lane.high, lane.stm) == (0, 0, 0)


def test_delayed_attempts_follow_the_next_race() -> None:
    harness = racing("2x2", spectator_delay_ms=1_000)
    delayed = DelayedAttempts()
    harness.wait(1)
    harness.solve(1)
    harness.wait(1_000)
    assert delayed.view(
        harness.state.race, harness.seat(1), harness.now
    ).board.is_solved
    harness.solve(2)
    harness.ask(1, m.Rematch(harness.race))
    harness.ask(2, m.Rematch(harness.state.last_race))
    harness.wait(30_000)
    harness.to_phase("racing")
    view = delayed.view(harness.state.race, harness.seat(1), harness.now)
    assert view.board.tiles == harness.state.race.board


# --- progress ------------------------------------------------------------------------


def test_progress_includes_slides_for_members_who_see_boards() -> None:
    harness = racing()
    harness.ask(1, harness.slides(1, 3))
    attempt = harness.state.race.attempts[harness.seat(1)]
    bare = room.seat_progress(harness.state, harness.seat(1), 0, boards=False)
    assert bare == m.SeatProgress(0, 3, attempt.high, 3)
    assert bare.since == -1
    full = room.seat_progress(harness.state, harness.seat(1), 1, boards=True)
    assert (full.since, full.seq) == (1, 3)
    assert len(parse_slides(full.slides)) == 2


# --- answers -------------------------------------------------------------------------


def test_a_welcome_contains_the_member_s_own_state() -> None:
    harness = racing()
    harness.ask(1, harness.slides(1, 2))
    sent = room.welcome(harness.state, 1, harness.now, "sliderace 0", LIMITS, "f" * 32)
    assert sent == m.Welcome(
        v=1, server="sliderace 0", code=CODE, member=1, seat=0, token="f" * 32,
        epoch=1, gen=0, race=harness.race, seq=2, board=format_board(harness.board(1)),
        limits=LIMITS, features=[*FEATURES],
    )  # fmt: skip
    spectator = room.welcome(harness.state, 3, harness.now, "", LIMITS, None)
    assert (spectator.seat, spectator.seq, spectator.board) == (None, 0, None)


def test_acks_are_cumulative() -> None:
    harness = racing()
    harness.ask(1, harness.slides(1, 2))
    harness.ask(1, harness.slides(1, 1))
    assert room.ack_of(harness.state, 1) == m.Ack(harness.race, 3)
    assert room.ack_of(harness.state, 3) is None
    assert room.ack_of(harness.state, 99) is None


def test_old_slides_are_acked_again_and_wrong_ones_rejected() -> None:
    harness = racing()
    first = harness.slides(1, 2)
    harness.ask(1, first)
    assert harness.ask(1, first) == []
    gap = m.Slides(harness.race, 0, 5, [("U", 1, 0)])
    refusal = harness.ask(1, gap)
    assert refusal == Refusal("gap", "seq", "5")
    assert isinstance(refusal, Refusal)
    assert room.rejected(harness.state, 1, refusal, 4) == m.Rejected(
        harness.race, 4, 2, "gap", format_board(harness.board(1))
    )
    assert room.rejected(harness.state, 3, Refusal("not_racing"), 1) == m.Rejected(
        harness.race, 1, 0, "not_racing", None
    )


@pytest.mark.parametrize(
    ("slides", "code"),
    [([("U", 9, 0)], "illegal"), ([("U", 1, 0)] * 3, "illegal")],
)
def test_illegal_slides_change_nothing(slides: Any, code: str) -> None:
    harness = racing()
    outcome = harness.ask(1, m.Slides(harness.race, 0, 1, slides))
    assert isinstance(outcome, Refusal)
    assert outcome.code == code
    assert harness.state.race.attempts[harness.seat(1)].seq == 0


def test_slides_of_another_race_or_after_the_end_are_refused() -> None:
    harness = racing("2x2")
    slides = m.Slides("KWXTRB-OLD-1", 0, 1, [("U", 1, 0)])
    assert harness.ask(1, slides) == Refusal("wrong_race", "race", "KWXTRB-OLD-1")
    assert harness.ask(3, m.Slides(harness.race, 0, 1, [("U", 1, 0)])) == Refusal(
        "not_racing"
    )
    harness.solve(1)
    seq = harness.state.race.attempts[harness.seat(1)].seq + 1
    assert harness.ask(1, m.Slides(harness.race, 0, seq, [("U", 1, 0)])) == Refusal(
        "done"
    )


def test_tiles_per_race_are_limited() -> None:
    harness = racing()
    shuttle = [[d, 1, 0] for d in "LR"]
    if not harness.board(1).copy().try_slide("L"):
        shuttle.reverse()
    attempt = harness.state.race.attempts[harness.seat(1)]
    for _ in range(5):
        way: Any = shuttle * 30
        assert isinstance(
            harness.ask(1, m.Slides(harness.race, 0, attempt.seq + 1, way)), list
        )
    assert attempt.stm == harness.limits.max_tiles
    more = m.Slides(harness.race, 0, attempt.seq + 1, [tuple(shuttle[0])])  # type: ignore[list-item]
    assert harness.ask(1, more) == Refusal("too_many_tiles")


def test_refusals_have_a_text_and_quote_little() -> None:
    sent = room.refused("start", Refusal("not_host", "f", "v" * 99, 7))
    assert sent == m.Refused(
        "start", "not_host", "Only the host may do that.", "f", "v" * 40, 7
    )


def test_spectators_can_neither_forfeit_nor_undo() -> None:
    harness = racing()
    assert harness.ask(3, m.Forfeit(harness.race)) == Refusal("not_racing")
    assert harness.ask(3, m.Undo(harness.race)) == Refusal("not_racing")
    assert harness.ask(4, m.Forfeit(harness.race)) == Refusal("not_racing")


# --- the stream of events ------------------------------------------------------------


def test_the_stream_of_a_race_has_these_events() -> None:
    harness = racing("2x2", grace_ms=5_000)
    began = len(harness.events)
    harness.wait(900)
    harness.ask(2, m.Forfeit(harness.race))
    harness.ask(2, m.Undo(harness.race))
    harness.do(Disconnect(2))
    harness.do(room.Connect(2))
    harness.solve(1)
    harness.wait(5_000)
    sent = [
        (type(one).__name__, getattr(one, "phase", "") or getattr(one, "why", ""))
        for one in harness.events[began:]
    ]
    assert sent == [
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
    finished, grace, winner, out = harness.events[-5:-1]
    assert isinstance(finished, m.StandingEvent)
    assert (finished.standing.place, finished.standing.final) == (1, False)
    assert finished.standing.name == "Ann"
    assert winner == m.WinnerEvent(harness.state.offset - 2, harness.race, [0])
    assert isinstance(grace, m.PhaseEvent)
    assert (grace.in_ms, grace.roster) == (5_000, [0, 1])
    assert isinstance(out, m.StandingEvent)
    assert (out.standing.status, out.standing.why) == ("dnf", "grace")
    assert not out.standing.final
    assert out.standing.time_ms is None
    results = harness.events[-1]
    assert isinstance(results, m.Results)
    assert results.secret == harness.state.race.secret
    assert all(standing.final for standing in results.standings)
    assert results.seed == harness.state.race.seed
    assert results.board == start(harness)
    assert results.record == f"/api/races/{harness.race}"


def test_the_host_can_end_the_grace_time() -> None:
    harness = racing("2x2")
    assert harness.ask(1, m.CallTime(harness.race)) == Refusal("wrong_phase")
    harness.solve(2)
    assert harness.ask(2, m.CallTime(harness.race)) == Refusal("not_host")
    harness.ask(1, m.CallTime(harness.race))
    assert harness.ask(1, m.CallTime(harness.race)) == []
    assert harness.phase() == "grace"
    called = harness.events[-1]
    assert isinstance(called, m.PhaseEvent)
    assert called.in_ms == 261
    harness.wait(261)
    assert harness.phase() == "results"
    assert harness.ask(1, m.CallTime(harness.race)) == []
    assert room.standings_of(harness.state)[1].why == "called"


def test_an_aborted_race_is_replaced_without_results() -> None:
    harness = racing()
    race = harness.race
    harness.ask(1, m.Abort(race))
    aborted, made = harness.events[-2:]
    assert isinstance(aborted, m.PhaseEvent)
    assert (aborted.race, aborted.phase, aborted.why) == (race, "aborted", "host")
    assert isinstance(made, m.RoomEvent)
    assert made.why == "race"
    assert harness.race != race
    assert harness.phase() == "lobby"
    assert harness.ask(1, m.Abort(race)) == Refusal("wrong_race", "race", race)
    assert harness.state.last_race == ""


def test_results_cannot_be_aborted() -> None:
    harness = racing("2x2")
    harness.solve(1)
    harness.solve(2)
    assert harness.ask(1, m.Abort(harness.race)) == Refusal("wrong_phase")


def test_events_contain_remaining_times() -> None:
    harness = racing(limit_ms=60_000)
    assert harness.snapshot(1).in_ms == 60_000
    harness.wait(20_000)
    assert harness.snapshot(1).in_ms == 40_000
    assert harness.snapshot(1).race.elapsed_ms == 20_000
    harness.solve(1)
    assert harness.snapshot(1).in_ms == 40_000
    unlimited = racing(limit_ms=0)
    assert unlimited.snapshot(1).in_ms is None


def test_a_delayed_event_has_less_time_left() -> None:
    phase = m.PhaseEvent(1, "R", "countdown", 5_000)
    later = room.adjust_time_left(phase, 1_500)
    assert isinstance(later, m.PhaseEvent)
    assert later.in_ms == 3_500
    assert room.adjust_time_left(phase, 9_000) == m.PhaseEvent(1, "R", "countdown", 0)
    assert room.adjust_time_left(m.PhaseEvent(1, "R", "lobby", None), 5).in_ms is None  # type: ignore[union-attr]
    assert room.adjust_time_left(m.Closed(1, "host"), 5) == m.Closed(1, "host")


def test_a_listing_contains_only_public_facts() -> None:
    harness = racing()
    harness.enter("Otter", bot=True)
    assert room.listing(harness.state) == {
        "code": "KWXTRB",
        "kind": "room",
        "phase": "racing",
        "players": 3,
        "bots": 1,
        "spectators": 1,
        "size": "3x2",
        "public": False,
        "locked": False,
        "seed_known": False,
    }


# --- errors --------------------------------------------------------------------------


def test_a_damaged_log_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        fold([])
    with pytest.raises(ValueError, match="does not begin"):
        fold([room.EpochBegan(0, 1, "", 0, 0)])


def test_a_refusal_where_records_are_expected_is_an_error() -> None:
    with pytest.raises(ValueError, match="wrong_phase"):
        expect_records(Refusal("wrong_phase"))


def test_slides_are_not_executed_as_member_commands() -> None:
    harness = racing()
    draft = Draft(harness.state.copy(), harness.now, b"", harness.limits)
    with pytest.raises(ValueError, match="decide_slides"):
        execute(draft, room.MemberCommand(1, harness.slides(1, 1)))


def test_a_room_can_be_opened_only_once() -> None:
    state = room.apply(None, RoomOpened(0, CODE, 0, public=False))
    assert state.offset == 0
    assert state.phase == "lobby"
    with pytest.raises(ValueError, match="already open"):
        room.apply(state, RoomOpened(0, CODE, 0, public=False))


def test_a_bad_rule_is_refused_in_words() -> None:
    refused = room.refused("settings", Refusal("bad_rules", "rules.limit_ms", "1"))
    assert "10000" in refused.text.replace(" ", "").replace(",", "")


def test_a_stall_prolongs_the_life_of_an_empty_room() -> None:
    state = racing().state.copy()
    state.empty_since = state.t
    before = state.t
    room.apply(state, Stalled(before + 2_000, before + 500))
    assert state.empty_since == before + 1_500
