from typing import Any

import pytest
from msgspec.structs import replace
from tests.client.rooms import (
    ANN,
    BEN,
    CAT,
    LIMITS,
    NEXT,
    RACE,
    START,
    TOKEN,
    Play,
    commands,
    fresh,
    member,
    notes,
    results,
    room,
    snapshot,
    standing,
    view,
    welcome,
)

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.model import Forget, Keep, Note

NOW = 1_000
ONE_LEFT = "1 2 3/4 5 6/7 0 8"
"""START after L."""
SOLVED = "1 2 3/4 5 6/7 8 0"


def slides(*made: tuple[Any, int, int], gen: int = 0, seq: int = 1) -> m.Slides:
    return m.Slides(RACE, gen, seq, list(made))


# --- Entering ------------------------------------------------------------------------


def test_the_first_hello_enters_and_every_later_one_resumes() -> None:
    play = Play()
    enter = m.Join("kwx trb", "Ann")
    assert fresh(enter).hello().enter == enter
    assert play.model.hello().enter == m.Resume("KWXTRB", TOKEN, epoch=7, offset=1)
    play.stream(m.Gone(0, CAT, "left"))
    assert play.model.hello().enter == m.Resume("KWXTRB", TOKEN, epoch=7, offset=2)


def test_a_kept_token_resumes_without_an_epoch() -> None:
    model = fresh(token=TOKEN)
    assert model.hello().enter == m.Resume("KWXTRB", TOKEN)


def test_the_token_is_handed_over_to_be_kept() -> None:
    model = fresh(m.Join("kwx-trb", "Ann"))
    model.receive(welcome(token=TOKEN), NOW)
    assert model.poll(NOW) == [Keep("KWXTRB", TOKEN)]
    assert model.online
    assert model.welcomed
    assert model.code == "KWXTRB"


def test_an_opened_room_ends_the_connection() -> None:
    model = fresh(m.Open())
    assert model.hello().enter == m.Open()
    model.receive(m.Opened("KWXTRB", "http://192.0.2.7:8710/KWXTRB"), NOW)
    assert (model.code, model.link) == ("KWXTRB", "http://192.0.2.7:8710/KWXTRB")
    model.lost(1000)
    assert model.ended == "opened"


@pytest.mark.parametrize("code", ["room_full", "room_locked", "version", "bad_name"])
def test_who_is_not_let_in_is_told_why(code: str) -> None:
    model = fresh()
    model.receive(m.Refused("hello", code, "whatever"), NOW)
    assert model.ended
    assert model.refused is not None
    assert model.poll(NOW) == []


@pytest.mark.parametrize("code", ["bad_token", "room_unknown", "bad_code"])
def test_a_kept_seat_that_is_gone_is_forgotten_and_entered_anew(code: str) -> None:
    enter = m.Join("KWXTRB", "Ann")
    model = fresh(enter, token=TOKEN)
    model.receive(m.Refused("hello", code, ""), NOW)
    assert model.poll(NOW) == [Forget()]
    model.lost(4500)
    assert model.ended == ""
    assert model.hello().enter == enter


def test_a_seat_that_is_lost_while_we_were_in_ends_it() -> None:
    play = Play()
    play.model.lost(1006)
    assert Forget() in play.hear(m.Refused("hello", "bad_token", ""))
    assert play.model.ended == "That seat is not yours."


def test_a_refused_resume_of_another_kind_keeps_the_seat() -> None:
    play = Play()
    play.model.lost(1006)
    assert Forget() not in play.hear(m.Refused("hello", "version", ""))
    assert play.model.ended


def test_a_server_that_cannot_just_now_is_tried_again_when_it_says() -> None:
    play = Play()
    play.model.lost(1012)
    play.hear(m.Refused("hello", "shutting_down", "", retry_ms=2500))
    play.model.lost(4500)
    assert play.model.ended == ""
    assert play.model.retry_ms == 2500
    play.hear(welcome(), snapshot())
    assert play.model.retry_ms == 0


# --- Being lost ----------------------------------------------------------------------


@pytest.mark.parametrize("code", [1001, 1006, 1011, 1012, 1013, 4002, 4429])
def test_after_these_close_codes_we_come_back(code: int) -> None:
    play = Play()
    play.model.lost(code)
    assert play.model.ended == ""
    assert not play.model.online
    lost = [Note("The connection is lost; coming back ...", "bad")]
    assert play.model.poll(play.now) == lost
    play.model.lost(code)
    assert play.model.poll(play.now) == []
    assert play.hear(welcome()) == [Note("You are back", "good")]


@pytest.mark.parametrize("code", [1000, 1002, 1007, 1009, 4500, 4503, 4504, 4999])
def test_after_these_we_stay_away_and_keep_the_seat(code: int) -> None:
    play = Play()
    play.model.lost(code)
    assert play.model.ended
    assert play.model.poll(play.now) == []


@pytest.mark.parametrize("code", [4501, 4502])
def test_kicked_or_without_a_room_the_seat_is_forgotten(code: int) -> None:
    play = Play()
    play.model.lost(code)
    assert play.model.ended
    assert play.model.poll(play.now) == [Forget()]


def test_who_leaves_has_left() -> None:
    play = Play()
    assert play.model.ask(m.Leave(), play.now)
    outs = play.model.poll(play.now)
    assert commands(outs) == [m.Leave()]
    assert Forget() in outs
    play.model.lost(1000)
    assert play.model.ended == "You left the room."


def test_what_ended_first_is_the_reason() -> None:
    play = Play()
    play.stream(m.Closed(0, "host"))
    play.model.lost(4502)
    assert play.model.ended == "The host closed the room."
    assert play.model.phase == "closed"


def test_nothing_can_be_asked_while_offline() -> None:
    play = Play()
    play.model.lost(1006)
    assert not play.model.ask(m.Ready(RACE), play.now)
    assert play.sent() == []


# --- The stream ----------------------------------------------------------------------


def test_an_event_counts_once() -> None:
    play = Play()
    gone = m.Gone(2, BEN, "left")
    assert notes(play.hear(gone)) == ["Ben left"]
    assert play.hear(gone, m.Gone(1, CAT, "left")) == []
    assert set(play.model.members) == {ANN, CAT}


def test_a_hole_in_the_stream_asks_for_a_snapshot_and_waits_for_it() -> None:
    play = Play()
    assert commands(play.hear(m.Gone(3, BEN, "left"))) == [m.Resync(None)]
    assert play.hear(m.Gone(4, CAT, "left")) == []
    assert set(play.model.members) == {ANN, BEN, CAT}
    play.now += 2_000
    assert commands(play.hear(m.Gone(5, CAT, "left"))) == [m.Resync(None)]
    play.hear(snapshot(5, members=[member(ANN, 0)]), m.Gone(6, CAT, "left"))
    assert set(play.model.members) == {ANN}
    assert commands(play.hear(m.Gone(8, CAT, "left"))) == [m.Resync(None)]


def test_a_foreign_epoch_hears_nothing_until_its_snapshot() -> None:
    play = Play()
    play.model.lost(1006)
    play.hear(welcome(epoch=8))
    assert play.hear(m.Gone(2, BEN, "left")) == []
    play.hear(snapshot(1, epoch=8))
    assert notes(play.hear(m.Gone(2, BEN, "left"))) == ["Ben left"]
    assert play.model.hello().enter == m.Resume("KWXTRB", TOKEN, epoch=8, offset=2)


def test_the_same_epoch_goes_on_with_what_was_missed() -> None:
    play = Play()
    play.model.lost(1006)
    play.hear(welcome())
    assert notes(play.hear(m.Gone(2, BEN, "left"))) == ["Ben left"]


# --- The room ------------------------------------------------------------------------


def test_a_new_race_means_the_lobby_and_nobody_ready() -> None:
    play = Play(members=[member(ANN, 0, ready=True), member(BEN, 1, ready=True)])
    play.race()
    play.stream(m.RoomEvent(0, room(race=NEXT, commitment="c" * 64), "race"))
    model = play.model
    assert (model.phase, model.race) == ("lobby", NEXT)
    assert not any(member.ready for member in model.members.values())
    assert (model.attempt, model.start, model.lanes) == (None, None, {})


@pytest.mark.parametrize(
    ("event", "note"),
    [
        (m.RoomEvent(0, room(host=BEN), "host"), "Ben is the host"),
        (m.RoomEvent(0, room(host=None), "host"), None),
        (m.RoomEvent(0, room(locked=True), "lock"), "The room is locked"),
        (m.RoomEvent(0, room(), "lock"), "The room is open"),
        (m.RoomEvent(0, room(rules=Rules("5x5")), "settings"), "The next board is 5x5"),
        (m.RoomEvent(0, room(), "race"), None),
    ],
)
def test_what_the_room_became_is_said(event: m.RoomEvent, note: str | None) -> None:
    play = Play()
    assert notes(play.stream(event)) == ([note] if note else [])
    assert play.model.room == event.room


def test_members_come_change_and_go() -> None:
    play = Play()
    joined = m.MemberEvent(0, member(4, 2, "Dan"), "joined")
    assert notes(play.stream(joined)) == ["Dan joined"]
    assert play.model.members[4].name == "Dan"
    assert notes(play.stream(m.Gone(0, 4, "timeout"))) == ["Dan was away too long"]
    assert play.stream(m.Gone(0, 4, "left")) == []


def test_a_change_of_role_changes_the_seat() -> None:
    play = Play()
    play.stream(m.MemberEvent(0, member(ANN, None), "role"))
    assert play.model.seat is None
    play.hear(snapshot(9, members=[member(ANN, 3)]))
    assert play.model.seat == 3


def test_who_is_sent_out_is_out() -> None:
    play = Play()
    outs = play.stream(m.Gone(0, ANN, "kicked"))
    assert Forget() in outs
    assert play.model.ended == "The host sent you out."


def test_hostile_names_are_cleaned_wherever_they_come_from() -> None:
    evil = "\x1b[31mEv\u202eil"
    play = Play(members=[member(ANN, 0), member(BEN, 1, evil)])
    assert play.model.members[BEN].name == "[31mEvil"
    told = notes(play.stream(m.MemberEvent(0, member(BEN, 1, evil), "ready")))
    assert told == ["[31mEvil is ready"]
    play.stream(m.MemberEvent(0, member(BEN, 1, "\u200b"), "ready"))
    assert play.model.members[BEN].name == "?"
    play.race()
    told = notes(play.stream(m.StandingEvent(0, RACE, standing(1, "dnf", name=evil))))
    assert told == ["[31mEvil did not finish"]
    play.stream(results(standings=[standing(1, "dnf", name=evil)]))
    assert play.model.results is not None
    assert play.model.results.standings[0].name == "[31mEvil"


def test_a_board_that_cannot_be_ends_the_connection_not_the_program() -> None:
    play = Play()
    outs = play.hear(m.BoardEvent(RACE, None, 0, "1 1/0 0"))
    assert play.model.ended == "The server sent a board that cannot be."
    assert Note(play.model.ended, "bad") in outs


def test_a_refusal_is_said_in_our_words() -> None:
    play = Play()
    refusal = m.Refused("start", "not_host", "\x1b[2J")
    assert play.hear(refusal) == [Note("Only the host may do that.", "bad")]
    assert play.model.refused == refusal
    play.hear(m.Pong(1))


# --- Phases --------------------------------------------------------------------------


def test_a_phase_is_said_once_and_counts_down() -> None:
    play = Play()
    told = play.stream(m.PhaseEvent(0, RACE, "countdown", 5_000))
    assert notes(told) == ["The race starts in 5 s"]
    assert play.model.remaining(play.now + 1_000) == 4_000
    assert play.model.remaining(play.now + 9_000) == 0
    assert play.stream(m.PhaseEvent(0, RACE, "countdown", 1_200, [0, 1])) == []
    assert set(play.model.lanes) == {0, 1}


def test_a_countdown_that_stops_or_a_race_called_off_clears_the_board() -> None:
    play = Play()
    play.race()
    play.stream(m.PhaseEvent(0, RACE, "aborted", None, why="host"))
    assert (play.model.phase, play.model.phase_why) == ("aborted", "host")
    assert (play.model.board, play.model.lanes) == (None, {})


def test_who_was_away_when_the_board_was_shown_asks_for_it() -> None:
    play = Play()
    play.stream(m.PhaseEvent(0, RACE, "countdown", 1_200, [0, 1]))
    outs = play.stream(m.PhaseEvent(0, RACE, "racing", 120_000, [0, 1]))
    assert commands(outs) == [m.Resync(None)]


# --- Own slides ----------------------------------------------------------------------


def test_ninety_tiles_in_a_second_go_out_once_each_and_in_order() -> None:
    """Those that gather wait for the next message; none is lost or overtakes."""
    play = Play()
    play.race("1 2 3/4 0 5/7 8 6")
    sent: list[m.Command] = []
    made = ["RL"[n % 2] for n in range(90)]
    for direction in made:
        sent += play.slide((direction, 1))
        for _ in range(11):
            sent += play.wait(1)
    sent += play.wait(40)
    told = [one for one in sent if isinstance(one, m.Slides)]
    assert len(told) == len(sent)
    seqs = [one.seq + i for one in told for i, _ in enumerate(one.slides)]
    assert seqs == list(range(1, 91))
    assert [way for one in told for way, _, _ in one.slides] == made
    assert [at for one in told for _, _, at in one.slides] == list(range(0, 990, 11))


def test_the_first_slide_goes_at_once_and_then_a_window_gathers() -> None:
    play = Play()
    play.race("1 2 3/4 0 5/7 8 6")
    assert play.slide(("R", 1)) == [slides(("R", 1, 0))]
    play.now += 10
    assert play.slide(("L", 1)) == []
    play.now += 10
    assert play.slide(("R", 1)) == []
    assert play.model.next_due() == 1_000_033
    assert play.wait(12) == []
    both = slides(("L", 1, 10), ("R", 1, 20), seq=2)
    assert play.wait(1) == [both]
    assert play.model.next_due() is None
    play.now += 40
    assert play.slide(("L", 1)) == [slides(("L", 1, 73), seq=4)]


def test_the_solving_slide_takes_what_gathered_along_and_leaves_at_once() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1))
    play.now += 5
    play.slide(("R", 1))
    assert play.slide(("L", 2)) == [slides(("R", 1, 5), ("L", 2, 5), seq=2)]
    assert play.model.done
    assert not play.model.slide("R", 1, play.now)


def test_slides_before_a_forfeit_go_first() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1))
    play.model.slide("R", 1, play.now)
    play.model.ask(m.Forfeit(RACE), play.now)
    assert play.sent() == [slides(("R", 1, 0), seq=2), m.Forfeit(RACE)]
    assert play.model.can_undo(play.now + 2_999)
    assert not play.model.can_undo(play.now + 3_000)


def test_a_forfeit_that_was_refused_cannot_be_undone() -> None:
    play = Play()
    play.race()
    play.model.ask(m.Forfeit(RACE), play.now)
    play.hear(m.Refused("forfeit", "done", ""))
    assert not play.model.can_undo(play.now)


def test_a_long_burst_keeps_to_sixty_slides_and_the_bucket() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1))
    for _ in range(200):
        assert play.model.slide("R", 1, play.now)
        assert play.model.slide("L", 1, play.now)
    sent = play.wait(33)
    assert [len(each.slides) for each in sent] == [60] * 5 + [20]  # type: ignore[union-attr]
    assert play.model.next_due() == play.now + 33
    later = play.wait(33)
    assert [len(each.slides) for each in later] == [5]  # type: ignore[union-attr]
    assert play.model.unacked == 401


def test_nothing_moves_while_locked_or_after_the_race() -> None:
    play = Play()
    assert not play.model.slide("L", 1, play.now)
    assert not play.model.slide_tile(7, play.now)
    assert not play.model.slide_cell(7, play.now)
    play.stream(m.PhaseEvent(0, RACE, "countdown", 1_200, [0, 1]))
    play.hear(m.BoardEvent(RACE, None, 0, START, in_ms=3_000))
    assert play.model.locked(play.now) == 3_000
    play.model.painted(play.now + 16)
    assert not play.model.slide("L", 1, play.now + 3_015)
    assert play.model.slide("L", 1, play.now + 3_016)
    assert play.model.attempt is not None
    assert play.model.attempt.slides == [("L", 1, 0)]
    play.stream(results())
    assert not play.model.slide("R", 1, play.now + 4_000)


def test_by_tile_and_by_cell() -> None:
    play = Play()
    play.race()
    assert play.model.slide_tile(8, play.now)
    assert not play.model.slide_tile(1, play.now)
    assert not play.model.slide_tile(99, play.now)
    assert play.model.board is not None
    assert play.model.board.is_solved
    other = Play()
    other.race()
    assert not other.model.slide_cell(6, other.now)
    assert other.model.slide_cell(8, other.now)
    assert other.sent() == [slides(("L", 2, 0))]


def test_acks_count_for_their_race_only() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1), ("R", 1))
    assert play.model.unacked == 2
    play.hear(m.Ack(NEXT, 2))
    assert play.model.unacked == 2
    play.wait(40)
    play.hear(m.Ack(RACE, 2))
    assert play.model.unacked == 0


# --- Refused slides ------------------------------------------------------------------


def test_refused_slides_are_replayed_on_the_servers_board_in_the_new_series() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1), ("R", 1), ("D", 1))
    play.wait(40)
    # the server's gap is elsewhere: L is not legal there, R and D are
    outs = play.hear(m.Rejected(RACE, 1, 0, "illegal", "1 2 3/4 5 0/7 8 6"))
    assert commands(outs) == [slides(("R", 1, 0), ("D", 1, 0), gen=1)]
    play.now += 40
    assert play.slide(("U", 1))[0].gen == 1  # type: ignore[union-attr]


def test_after_a_gap_everything_from_there_goes_again() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1), ("R", 1))
    play.wait(40)
    outs = play.hear(m.Rejected(RACE, 1, 1, "gap", ONE_LEFT))
    assert commands(outs) == [slides(("R", 1, 0), gen=1, seq=2)]


@pytest.mark.parametrize("code", ["done", "not_racing", "too_early", "too_many_tiles"])
def test_what_can_never_be_right_is_not_sent_again(code: str) -> None:
    play = Play()
    play.race()
    play.slide(("L", 1), ("R", 1))
    play.wait(40)
    play.hear(m.Rejected(RACE, 1, 1, code, None))
    assert play.wait(1_000) == []
    assert play.model.attempt is not None
    assert play.model.attempt.seq == 1


def test_a_server_that_refuses_a_legal_slide_is_not_asked_for_ever() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1))
    play.hear(m.Rejected(RACE, 1, 0, "illegal", START))
    assert play.wait(1_000) == []


def test_a_refusal_about_another_race_only_changes_the_series() -> None:
    play = Play()
    play.race()
    play.hear(m.Rejected(NEXT, 5, 0, "wrong_race", None))
    assert play.slide(("L", 1)) == [slides(("L", 1, 0), gen=5)]


def test_a_refusal_before_the_snapshot_is_obeyed() -> None:
    model = fresh(token=TOKEN)
    model.receive(welcome(seq=1, board=ONE_LEFT), NOW)
    model.receive(m.Rejected(RACE, 1, 0, "illegal", START), NOW)
    assert model.attempt is not None
    assert model.attempt.seq == 0


def test_a_taken_back_solution_no_longer_shows_as_progress() -> None:
    play = Play()
    play.race()
    play.slide(("L", 2))
    lane = play.model.lane
    assert lane is not None
    assert (lane.high, lane.status) == (1000, "racing")
    play.hear(m.Rejected(RACE, 1, 0, "too_early", START))
    assert lane.high == 0


# --- Coming back ---------------------------------------------------------------------


def test_slides_made_while_away_are_sent_again_where_the_boards_agree() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1), ("R", 1))
    play.wait(40)
    play.model.lost(1006)
    assert play.model.slide("D", 1, play.now)
    assert play.model.next_due() is None
    assert play.sent() == []
    play.now += 900
    outs = play.hear(welcome(seq=1, board=ONE_LEFT))
    again = slides(("R", 1, 0), ("D", 1, 40), seq=2)
    assert commands(outs) == [again]
    assert play.model.attempt is not None
    assert not play.model.attempt.approx


def test_every_connection_begins_a_series_of_its_own() -> None:
    play = Play()
    play.race()
    play.hear(m.Rejected(RACE, 3, 0, "illegal", START))
    play.model.lost(1006)
    play.hear(welcome(seq=0, board=START))
    assert play.slide(("L", 1)) == [slides(("L", 1, 0), gen=0)]


def test_where_they_do_not_agree_the_servers_board_is_taken() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1), ("R", 1))
    play.model.lost(1006)
    assert commands(play.hear(welcome(seq=1, board="1 2 3/4 5 6/7 8 0"))) == []
    assert play.model.attempt is not None
    assert play.model.attempt.seq == 1
    assert play.model.done


def test_the_whole_attempt_is_kept_so_that_an_old_server_can_have_it_all() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1), ("R", 1))
    play.wait(40)
    play.hear(m.Ack(RACE, 2))
    play.model.lost(1006)
    outs = play.hear(welcome(seq=0, board=START))
    assert commands(outs) == [slides(("L", 1, 0), ("R", 1, 0))]


def test_who_no_longer_races_sends_nothing() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1))
    play.model.lost(1006)
    play.model.slide("R", 1, play.now)
    assert commands(play.hear(welcome(seq=1, board=None))) == []
    assert not play.model.racing
    assert play.wait(100) == []


def test_a_reload_in_the_race_counts_from_the_snapshot() -> None:
    play = Play()
    lanes = [
        m.Lane(0, 1, 500, 1, "racing", ONE_LEFT),
        m.Lane(1, 4, 250, 6, "racing", None),
    ]
    race = view(roster=[0, 1], elapsed_ms=8_000, start=START, lanes=lanes)
    again = fresh(token=TOKEN)
    again.receive(welcome(seq=1, board=ONE_LEFT), play.now)
    again.receive(snapshot(phase="racing", in_ms=112_000, race=race), play.now)
    assert again.clock(play.now) == 8_000
    again.painted(play.now + 50)
    again.poll(play.now)
    assert again.slide("L", 1, play.now + 500)
    [sent] = commands(again.poll(play.now + 500))
    assert sent == m.Slides(RACE, 0, 2, [("L", 1, 8_500)], approx=True)


def test_who_missed_the_board_but_not_the_epoch_asks_for_a_snapshot() -> None:
    play = Play()
    play.stream(m.PhaseEvent(0, RACE, "countdown", 5_000, [0, 1]))
    play.model.lost(1006)
    outs = play.hear(welcome(seq=0, board=START))
    assert commands(outs) == [m.Resync(None)]
    assert play.model.attempt is not None
    assert play.model.attempt.approx


def test_a_snapshot_in_the_race_leaves_later_own_slides_alone() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1), ("R", 1))
    lanes = [m.Lane(0, 1, 500, 1, "racing", ONE_LEFT)]
    race = view(roster=[0, 1], elapsed_ms=99, start=START, lanes=lanes)
    play.hear(snapshot(9, phase="racing", race=race))
    attempt = play.model.attempt
    assert attempt is not None
    assert attempt.seq == 2
    assert attempt.zero == 1_000_000
    lane = play.model.lane
    assert lane is not None
    assert (lane.seq, lane.high) == (2, 500)


def test_a_reload_after_the_own_finish_shows_the_board_and_slides_no_more() -> None:
    model = fresh(token=TOKEN)
    lanes = [m.Lane(0, 1, 1000, 2, "finished", SOLVED)]
    row = standing(0, "finished", time_ms=2_345, place=1, high=1000)
    race = view(
        roster=[0, 1], elapsed_ms=9_000, start=START, lanes=lanes, standings=[row]
    )
    model.receive(welcome(), NOW)
    model.receive(snapshot(phase="grace", race=race), NOW)
    assert model.done
    assert not model.racing
    assert model.clock(NOW) == 2_345


def test_a_snapshot_without_our_board_begins_no_attempt() -> None:
    play = Play()
    play.model.painted(play.now)
    lanes = [m.Lane(0, 0, 0, 0, "dns", None)]
    race = view(roster=[0, 1], elapsed_ms=9_000, start=START, lanes=lanes)
    play.hear(snapshot(9, phase="racing", race=race))
    assert play.model.board is None


def test_a_spectators_snapshot_has_boards_that_the_start_does_not_undo() -> None:
    play = Play(members=[member(BEN, 1), member(CAT, 2)])
    lanes = [m.Lane(1, 1, 500, 1, "racing", ONE_LEFT)]
    race = view(roster=[1, 2], elapsed_ms=9, start=START, lanes=lanes)
    play.hear(snapshot(9, phase="racing", race=race, members=[member(BEN, 1)]))
    play.model.seat = None
    play.hear(m.BoardEvent(RACE, None, 0, START))
    assert [lane.board_seq for lane in play.model.lanes.values()] == [1, 0]


def test_the_old_attempt_ends_with_the_welcome_to_another_race() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1))
    play.model.lost(1006)
    play.hear(welcome(epoch=8, race=NEXT, seq=0, board=ONE_LEFT))
    race = view(id=NEXT, roster=[0], elapsed_ms=10, start=ONE_LEFT)
    play.hear(snapshot(1, epoch=8, room=room(race=NEXT), phase="racing", race=race))
    attempt = play.model.attempt
    assert attempt is not None
    assert (attempt.race, attempt.seq) == (NEXT, 0)


def test_an_ack_that_was_lost_is_made_good_by_the_welcome_after_the_race() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1))
    play.model.lost(1006)
    assert play.model.unacked == 1
    play.hear(welcome(seq=1))
    assert play.model.unacked == 0


def test_the_welcome_to_another_race_acks_nothing_of_this_one() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1))
    play.model.lost(1006)
    play.hear(welcome(race=NEXT, seq=1))
    assert play.model.unacked == 1


# --- The others ----------------------------------------------------------------------


def watching() -> Play:
    """Ann watches."""
    play = Play(members=[member(ANN, None), member(BEN, 1), member(CAT, 2)])
    play.race(roster=(1, 2))
    return play


def test_racers_see_progress_but_no_boards() -> None:
    play = Play()
    play.race()
    ben = play.model.lanes[1]
    assert (ben.name, ben.board) == ("Ben", None)
    play.hear(m.Progress(RACE, [m.Step(1, 3, 250, 4)]))
    assert (ben.seq, ben.high, ben.stm, ben.board) == (3, 250, 4, None)


def test_open_boards_are_open_to_racers() -> None:
    play = Play(room=room(rules=Rules("3x3", open_boards=True)))
    play.race()
    assert play.model.lanes[1].board is not None


def test_spectators_see_every_slide() -> None:
    play = watching()
    ben = play.model.lanes[1]
    play.hear(m.Progress(RACE, [m.Step(1, 1, 500, 1, 0, "L")]))
    assert ben.board is not None
    assert ben.board.tiles == (1, 2, 3, 4, 5, 6, 7, 0, 8)
    play.hear(m.Progress(NEXT, [m.Step(1, 2, 1000, 2, 1, "L")]))
    assert ben.board_seq == 1


def test_a_hole_in_a_seats_slides_asks_for_its_board_once() -> None:
    play = watching()
    step = m.Step(1, 5, 500, 5, 4, "L")
    assert commands(play.hear(m.Progress(RACE, [step]))) == [m.Resync(1)]
    assert play.hear(m.Progress(RACE, [step])) == []
    play.now += 2_000
    assert commands(play.hear(m.Progress(RACE, [step]))) == [m.Resync(1)]
    play.hear(m.BoardEvent(RACE, 1, 5, ONE_LEFT))
    ben = play.model.lanes[1]
    assert (ben.board_seq, ben.board and ben.board.tiles[7]) == (5, 0)
    assert commands(play.hear(m.Progress(RACE, [m.Step(1, 9, 1, 9, 7, "L")]))) == [
        m.Resync(1)
    ]


def test_boards_of_another_race_are_none_of_ours() -> None:
    play = watching()
    play.hear(m.BoardEvent(NEXT, 1, 5, ONE_LEFT))
    assert play.model.lanes[1].board_seq == 0


def test_the_own_board_can_be_asked_for_too() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1), ("R", 1))
    play.hear(m.BoardEvent(RACE, 0, 1, ONE_LEFT))
    assert play.model.attempt is not None
    assert play.model.attempt.seq == 2
    play.hear(m.BoardEvent(RACE, 0, 1, SOLVED))
    assert play.model.attempt.seq == 1
    assert play.model.done


def test_the_start_board_again_changes_no_attempt_that_has_begun() -> None:
    play = Play()
    play.race()
    play.slide(("L", 1))
    play.hear(m.BoardEvent(RACE, None, 0, START, in_ms=500))
    assert play.model.attempt is not None
    assert (play.model.attempt.seq, play.model.attempt.zero) == (1, 1_000_000)


def test_after_a_reload_in_the_inspection_the_board_stays_locked() -> None:
    play = Play()
    play.stream(m.PhaseEvent(0, RACE, "countdown", 1_200, [0, 1]))
    play.hear(welcome(seq=0, board=START))
    play.hear(m.BoardEvent(RACE, None, 0, START, in_ms=700))
    assert play.model.locked(play.now) == 700


@pytest.mark.parametrize(("limit_ms", "locked"), [(120_000, 2_500), (0, 0)])
def test_a_reload_in_the_inspection_knows_when_it_ends(
    limit_ms: int, locked: int
) -> None:
    rules = Rules("3x3", inspection_ms=5_000, limit_ms=limit_ms)
    lanes = [m.Lane(0, 0, 0, 0, "racing", START)]
    race = view(roster=[0, 1], elapsed_ms=None, start=START, lanes=lanes)
    in_ms = 122_500 if limit_ms else None
    model = fresh(token=TOKEN)
    model.receive(welcome(seq=0, board=START), NOW)
    told = snapshot(room=room(rules=rules), phase="racing", in_ms=in_ms, race=race)
    model.receive(told, NOW)
    assert model.locked(NOW) == locked


def test_a_resume_after_the_own_end_does_not_reopen_the_attempt() -> None:
    play = Play()
    play.race()
    play.stream(m.StandingEvent(0, RACE, standing(0, "forfeited")))
    play.model.lost(1006)
    play.hear(welcome(seq=0, board=START))
    assert not play.model.slide("L", 1, play.now)


def test_moves_made_before_a_rejoin_count_on() -> None:
    play = Play()
    play.model.lost(1006)
    told = m.Lane(0, 1, 0, 7, "racing", ONE_LEFT)
    race = view(roster=[0, 1], elapsed_ms=900, start=START, lanes=[told])
    play.hear(
        welcome(seq=1, board=ONE_LEFT),
        snapshot(phase="racing", in_ms=9_000, race=race),
    )
    assert play.model.stm == 7
    play.slide(("L", 1))
    assert play.model.stm == 8


@pytest.mark.parametrize(
    ("roster", "who", "missed"),
    [
        ([1], member(ANN, 0), True),
        ([0, 1], member(ANN, 0, ready=True), False),
        ([1], member(ANN, 0, benched=True), False),
        ([1], member(ANN, None), False),
    ],
)
def test_a_player_who_is_left_out_is_told_why(
    roster: list[int], who: m.Member, missed: bool
) -> None:
    play = Play(members=[who, member(BEN, 1, ready=True)])
    play.stream(m.PhaseEvent(0, RACE, "countdown", 1_200, roster))
    said = notes(play.stream(m.PhaseEvent(0, RACE, "racing", 9_000, roster)))
    assert said == ["You were not ready: you watch this race" if missed else "Go!"]
    assert play.model.left_out == (RACE if missed else "")


def test_the_servers_own_figure_of_our_progress_is_never_undercut() -> None:
    play = Play()
    play.race()
    play.hear(m.Progress(RACE, [m.Step(0, 0, 400, 0)]))
    play.slide(("L", 1), ("R", 1))
    lane = play.model.lane
    assert lane is not None
    assert lane.high == 500


# --- Standings and results -----------------------------------------------------------


def test_who_finishes_is_said_and_stands() -> None:
    play = Play()
    play.race()
    row = standing(1, "finished", time_ms=12_345, stm=40, high=1000, place=1)
    outs = play.stream(m.StandingEvent(0, RACE, row))
    assert outs == [Note("Ben finished in 12.345 (40 moves)", "good")]
    play.stream(m.StandingEvent(0, NEXT, row))
    assert play.model.lanes[1].time_ms == 12_345


def test_our_own_standing_ends_or_reopens_our_attempt() -> None:
    play = Play()
    play.race()
    play.model.ask(m.Forfeit(RACE), play.now)
    play.stream(m.StandingEvent(0, RACE, standing(0, "forfeited")))
    assert not play.model.slide("L", 1, play.now)
    assert play.model.can_undo(play.now)
    play.stream(m.StandingEvent(0, RACE, standing(0, "racing")))
    assert play.slide(("L", 1))
    assert not play.model.can_undo(play.now)


def test_a_racer_we_never_met_gets_a_lane() -> None:
    play = Play()
    play.race()
    row = standing(7, "dns", name="Zoe")
    play.stream(m.StandingEvent(0, RACE, row))
    assert play.model.lanes[7].name == "Zoe"


def test_results_are_kept_until_the_next_countdown() -> None:
    play = Play()
    play.race()
    row = standing(1, "finished", time_ms=12_345, place=1)
    outs = play.stream(results(standings=[row]))
    assert "The race is over" in notes(outs)
    assert play.model.phase == "results"
    assert play.model.results is not None
    play.stream(m.RoomEvent(0, room(race=NEXT), "race"))
    assert play.model.results is not None
    play.stream(m.PhaseEvent(0, NEXT, "countdown", 5_000))
    assert play.model.results is None


def test_results_that_hold_are_silent() -> None:
    play = Play()
    play.race(results().board)
    assert notes(play.stream(results())) == ["The race is over"]
    assert play.model.proof == []


def test_a_secret_other_than_the_one_promised_is_said() -> None:
    play = Play()
    play.race(results().board)
    # the promise that counts is the first one, whatever the room says later
    play.stream(m.RoomEvent(0, room(commitment="f" * 64), "settings"))
    assert play.stream(results())
    assert play.model.proof == []
    broken = Play(room=room(commitment="f" * 64))
    broken.race(results().board)
    outs = broken.stream(results())
    assert broken.model.proof
    assert Note(broken.model.proof[0], "bad") in outs


def test_results_in_a_snapshot_count_if_they_are_of_its_race() -> None:
    play = Play()
    play.hear(snapshot(5, phase="results", results=results(o=5)))
    assert play.model.results is not None
    other = Play()
    other.hear(snapshot(5, results=results(o=5, race=NEXT)))
    assert other.model.results is None


def test_the_race_clock_of_a_spectator_runs_from_the_start() -> None:
    play = watching()
    assert play.model.clock(play.now + 500) == 500
    play.stream(m.PhaseEvent(0, RACE, "grace", 60_000))
    assert play.model.clock(play.now + 700) == 700
    play.stream(results())
    assert play.model.clock(play.now + 700) is None


def test_limits_are_the_servers() -> None:
    play = Play()
    play.model.lost(1006)
    play.hear(welcome(limits=replace(LIMITS, gather_ms=100)))
    play.race()
    play.slide(("L", 1))
    play.now += 1
    play.slide(("R", 1))
    assert play.model.next_due() == 1_000_100
