"""The client's model: entering, lost connections, the room and its phases."""

import pytest
from msgspec.structs import replace
from tests.client.rooms import (
    ANN,
    BEN,
    CAT,
    NEXT,
    RACE,
    TOKEN,
    ModelHarness,
    commands,
    fresh,
    member,
    notes,
    results,
    room,
    snapshot,
    standing,
    welcome,
)

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.room.outcomes import End, Notice
from sliderace_client.room.outputs import Forget, Keep, Note

NOW = 1_000


# --- Entering ------------------------------------------------------------------------


def test_first_hello_enters_and_later_ones_resume() -> None:
    ann = ModelHarness()
    enter = m.Join("kwx trb", "Ann")
    assert fresh(enter).hello().enter == enter
    assert ann.model.hello().enter == m.Resume("KWXTRB", TOKEN, epoch=7, offset=1)
    ann.receive_next(m.Gone(0, CAT, "left"))
    assert ann.model.hello().enter == m.Resume("KWXTRB", TOKEN, epoch=7, offset=2)


def test_stored_token_resumes_without_an_epoch() -> None:
    model = fresh(token=TOKEN)
    assert model.hello().enter == m.Resume("KWXTRB", TOKEN)


def test_new_token_is_stored() -> None:
    model = fresh(m.Join("kwx-trb", "Ann"))
    model.receive(welcome(token=TOKEN), NOW)
    assert model.poll(NOW) == [Keep("KWXTRB", TOKEN)]
    assert model.view.online
    assert model.view.welcomed
    assert model.view.code == "KWXTRB"


def test_opened_room_ends_the_connection() -> None:
    model = fresh(m.Open())
    assert model.hello().enter == m.Open()
    model.receive(m.Opened("KWXTRB", "http://192.0.2.7:8710/KWXTRB"), NOW)
    assert (model.view.code, model.view.link) == (
        "KWXTRB",
        "http://192.0.2.7:8710/KWXTRB",
    )
    model.lost(1000)
    assert model.view.ended is End.OPENED


@pytest.mark.parametrize("code", ["room_full", "room_locked", "version", "bad_name"])
def test_refused_entry_ends_with_the_refusal(code: str) -> None:
    model = fresh()
    model.receive(m.Refused("hello", code, "whatever"), NOW)
    assert isinstance(model.view.ended, m.Refused)
    assert model.poll(NOW) == []


@pytest.mark.parametrize("code", ["bad_token", "room_unknown", "bad_code"])
def test_lost_seat_is_deleted_and_a_new_one_requested(code: str) -> None:
    enter = m.Join("KWXTRB", "Ann")
    model = fresh(enter, token=TOKEN)
    model.receive(m.Refused("hello", code, ""), NOW)
    assert model.poll(NOW) == [Forget()]
    model.lost(4500)
    assert model.view.ended is None
    assert model.hello().enter == enter


def test_losing_the_seat_after_entering_ends_it() -> None:
    ann = ModelHarness()
    ann.model.lost(1006)
    assert Forget() in ann.receive(m.Refused("hello", "bad_token", ""))
    assert ann.view.ended == m.Refused("hello", "bad_token", "")


def test_a_kicked_member_who_comes_back_learns_why() -> None:
    model = fresh(m.Join("KWXTRB", "Ann"), token=TOKEN)
    model.receive(m.Refused("hello", "kicked", ""), NOW)
    assert model.poll(NOW) == [Forget()]
    model.lost(4501)
    assert model.view.ended == m.Refused("hello", "kicked", "")


def test_resume_refused_for_another_reason_keeps_the_seat() -> None:
    ann = ModelHarness()
    ann.model.lost(1006)
    assert Forget() not in ann.receive(m.Refused("hello", "version", ""))
    assert ann.view.ended


def test_busy_server_is_tried_again_after_the_time_it_names() -> None:
    ann = ModelHarness()
    ann.model.lost(1012)
    ann.receive(m.Refused("hello", "shutting_down", "", retry_ms=2500))
    ann.model.lost(4500)
    assert ann.view.ended is None
    assert ann.model.retry_ms == 2500
    ann.receive(welcome(), snapshot())
    assert ann.model.retry_ms == 0


# --- Lost connections ---------------------------------------------------------------


@pytest.mark.parametrize("code", [1001, 1006, 1011, 1012, 1013, 4002, 4429])
def test_client_reconnects_after_these_close_codes(code: int) -> None:
    ann = ModelHarness()
    ann.model.lost(code)
    assert ann.view.ended is None
    assert not ann.view.online
    lost = [Note(Notice.CONNECTION_LOST, "bad")]
    assert ann.model.poll(ann.now) == lost
    ann.model.lost(code)
    assert ann.model.poll(ann.now) == []
    assert ann.receive(welcome()) == [Note(Notice.RECONNECTED, "good")]


@pytest.mark.parametrize("code", [1000, 1002, 1007, 1009, 4500, 4503, 4504, 4999])
def test_client_keeps_the_seat_and_does_not_reconnect_after_some_codes(
    code: int,
) -> None:
    ann = ModelHarness()
    ann.model.lost(code)
    assert ann.view.ended
    assert ann.model.poll(ann.now) == []


@pytest.mark.parametrize("code", [4501, 4502])
def test_kicked_client_or_closed_room_deletes_the_seat(code: int) -> None:
    ann = ModelHarness()
    ann.model.lost(code)
    assert ann.view.ended
    assert ann.model.poll(ann.now) == [Forget()]


def test_leaving_ends_it() -> None:
    ann = ModelHarness()
    assert ann.model.ask(m.Leave(), ann.now)
    outs = ann.model.poll(ann.now)
    assert commands(outs) == [m.Leave()]
    assert Forget() in outs
    ann.model.lost(1000)
    assert ann.view.ended is End.LEFT


def test_first_ending_is_the_reason() -> None:
    ann = ModelHarness()
    ann.receive_next(m.Closed(0, "host"))
    ann.model.lost(4502)
    assert ann.view.ended is End.CLOSED_BY_HOST
    assert ann.view.phase == "closed"


def test_room_whose_host_has_ended_the_game_may_come_back() -> None:
    ann = ModelHarness()
    outs = ann.receive(m.Closed(ann.offset, "host_ended"))
    assert outs == [Note(Notice.HOST_ENDED, "bad")]
    ann.model.lost(1012)
    assert ann.model.poll(ann.now) == []
    assert ann.view.host_ended
    assert ann.view.ended is None
    assert ann.receive(welcome()) == [Note(Notice.RECONNECTED, "good")]
    assert not ann.view.host_ended


def test_no_command_is_sent_while_offline() -> None:
    ann = ModelHarness()
    ann.model.lost(1006)
    assert not ann.model.ask(m.Ready(RACE), ann.now)
    assert ann.sent() == []


# --- The stream ----------------------------------------------------------------------


def test_event_counts_once() -> None:
    ann = ModelHarness()
    gone = m.Gone(2, BEN, "left")
    assert notes(ann.receive(gone)) == ["Ben left"]
    assert ann.receive(gone, m.Gone(1, CAT, "left")) == []
    assert set(ann.view.members) == {ANN, CAT}


def test_gap_in_the_stream_requests_a_snapshot_and_waits_for_it() -> None:
    ann = ModelHarness()
    assert commands(ann.receive(m.Gone(3, BEN, "left"))) == [m.Resync(None)]
    assert ann.receive(m.Gone(4, CAT, "left")) == []
    assert set(ann.view.members) == {ANN, BEN, CAT}
    ann.now += 2_000
    assert commands(ann.receive(m.Gone(5, CAT, "left"))) == [m.Resync(None)]
    ann.receive(snapshot(5, members=[member(ANN, 0)]), m.Gone(6, CAT, "left"))
    assert set(ann.view.members) == {ANN}
    assert commands(ann.receive(m.Gone(8, CAT, "left"))) == [m.Resync(None)]


def test_new_epoch_ignores_events_until_its_snapshot() -> None:
    ann = ModelHarness()
    ann.model.lost(1006)
    ann.receive(welcome(epoch=8))
    assert ann.receive(m.Gone(2, BEN, "left")) == []
    ann.receive(snapshot(1, epoch=8))
    assert notes(ann.receive(m.Gone(2, BEN, "left"))) == ["Ben left"]
    assert ann.model.hello().enter == m.Resume("KWXTRB", TOKEN, epoch=8, offset=2)


def test_same_epoch_continues_with_the_missed_events() -> None:
    ann = ModelHarness()
    ann.model.lost(1006)
    ann.receive(welcome())
    assert notes(ann.receive(m.Gone(2, BEN, "left"))) == ["Ben left"]


# --- The room ------------------------------------------------------------------------


def test_new_race_means_lobby_and_nobody_ready() -> None:
    ann = ModelHarness(members=[member(ANN, 0, ready=True), member(BEN, 1, ready=True)])
    ann.race()
    ann.receive_next(m.RoomEvent(0, room(race=NEXT, commitment="c" * 64), "race"))
    model = ann.model
    assert (model.view.phase, model.view.race) == ("lobby", NEXT)
    assert not any(member.ready for member in model.view.members.values())
    assert (model.view.attempt, model.view.start, model.view.lanes) == (None, None, {})


@pytest.mark.parametrize(("phase", "stay"), [("results", True), ("aborted", False)])
def test_players_stay_ready_where_races_follow_one_another(
    phase: m.PhaseName, stay: bool
) -> None:
    by_clock = Rules("3x3", start="every", every_ms=12_000)
    ready, not_ready = member(ANN, 0, ready=True), member(BEN, 1)
    ann = ModelHarness(room=room(rules=by_clock), members=[ready, not_ready])
    ann.receive_next(m.PhaseEvent(0, RACE, phase, None))
    ann.receive_next(m.RoomEvent(0, room(race=NEXT, rules=by_clock), "race"))
    ann.receive_next(m.PhaseEvent(0, NEXT, "countdown", 3_000))
    assert [one.ready for one in ann.view.members.values()] == [stay, False]


@pytest.mark.parametrize(
    ("event", "note"),
    [
        (m.RoomEvent(0, room(host=BEN), "host"), "Ben is the host now"),
        (m.RoomEvent(0, room(host=None), "host"), None),
        (m.RoomEvent(0, room(locked=True), "lock"), "The room is locked"),
        (m.RoomEvent(0, room(), "lock"), "The room is open"),
        (m.RoomEvent(0, room(rules=Rules("5x5")), "settings"), "The next board is 5x5"),
        (m.RoomEvent(0, room(), "race"), None),
    ],
)
def test_changes_of_the_room_are_announced(
    event: m.RoomEvent, note: str | None
) -> None:
    ann = ModelHarness()
    assert notes(ann.receive_next(event)) == ([note] if note else [])
    assert ann.view.room == event.room


def test_members_join_and_leave() -> None:
    ann = ModelHarness()
    joined = m.MemberEvent(0, member(4, 2, "Dan"), "joined")
    assert notes(ann.receive_next(joined)) == ["Dan joined"]
    assert ann.view.members[4].name == "Dan"
    assert notes(ann.receive_next(m.Gone(0, 4, "timeout"))) == ["Dan was away too long"]
    assert ann.receive_next(m.Gone(0, 4, "left")) == []


def test_a_new_nickname_is_announced_with_the_former_one() -> None:
    ann = ModelHarness()
    renamed = m.MemberEvent(0, member(BEN, 1, "Zoë"), "renamed")
    assert notes(ann.receive_next(renamed)) == ["Ben is now called Zoë"]
    assert ann.view.members[BEN].name == "Zoë"


def test_reaction_is_shown_for_three_seconds_unless_its_member_is_ignored() -> None:
    ann = ModelHarness()
    assert notes(ann.receive(m.Reacted(BEN, 9))) == ["Ben: Good luck"]
    until = ann.now + 3_000
    assert ann.view.reaction_of(BEN, until - 1) == 9
    assert ann.view.reaction_of(BEN, until) is None
    assert ann.view.reaction_of(ANN, ann.now) is None
    ann.view.ignored.add(BEN)
    assert notes(ann.receive(m.Reacted(BEN, 10))) == []
    assert ann.view.reaction_of(BEN, ann.now) is None
    ann.receive_next(m.Gone(0, BEN, "left"))
    assert (ann.view.reactions, ann.view.ignored) == ({}, set())


@pytest.mark.parametrize("event", [m.Reacted(77, 9), m.Reacted(BEN, 0)])
def test_senseless_reactions_are_ignored(event: m.Reacted) -> None:
    ann = ModelHarness()
    ann.receive(event)
    assert ann.view.reactions == {}


def test_reactions_are_offered_where_the_server_takes_them() -> None:
    ann = ModelHarness()
    offered = [ann.view.may_react]
    ann.view.features = frozenset(["reactions"])
    offered.append(ann.view.may_react)
    muted = replace(member(ANN, 0), muted=True)
    ann.receive_next(m.MemberEvent(0, muted, "muted"))
    offered.append(ann.view.may_react)
    ann.receive_next(m.MemberEvent(0, member(ANN, 0), "unmuted"))
    ann.race()
    offered.append(ann.view.may_react)
    assert offered == [False, True, False, False]


def test_change_of_role_changes_the_seat() -> None:
    ann = ModelHarness()
    ann.receive_next(m.MemberEvent(0, member(ANN, None), "role"))
    assert ann.view.seat is None
    ann.receive(snapshot(9, members=[member(ANN, 3)]))
    assert ann.view.seat == 3


def test_kicked_member_is_out() -> None:
    ann = ModelHarness()
    outs = ann.receive_next(m.Gone(0, ANN, "kicked"))
    assert Forget() in outs
    assert ann.view.ended is End.KICKED


def test_hostile_names_are_always_cleaned() -> None:
    evil = "\x1b[31mEv\u202eil"
    ann = ModelHarness(members=[member(ANN, 0), member(BEN, 1, evil)])
    assert ann.view.members[BEN].name == "[31mEvil"
    announced = notes(ann.receive_next(m.MemberEvent(0, member(BEN, 1, evil), "ready")))
    assert announced == ["[31mEvil is ready"]
    ann.receive_next(m.MemberEvent(0, member(BEN, 1, "\u200b"), "ready"))
    assert ann.view.members[BEN].name == "?"
    ann.race()
    announced = notes(
        ann.receive_next(m.StandingEvent(0, RACE, standing(1, "dnf", name=evil)))
    )
    assert announced == ["[31mEvil did not finish"]
    ann.receive_next(results(standings=[standing(1, "dnf", name=evil)]))
    assert ann.view.results is not None
    assert ann.view.results.standings[0].name == "[31mEvil"


def test_impossible_board_ends_the_connection_not_the_program() -> None:
    ann = ModelHarness()
    outs = ann.receive(m.BoardEvent(RACE, None, 0, "1 1/0 0"))
    assert ann.view.ended is End.IMPOSSIBLE_BOARD
    assert Note(End.IMPOSSIBLE_BOARD, "bad") in outs


def test_refusal_of_a_command_is_announced() -> None:
    ann = ModelHarness()
    refusal = m.Refused("start", "not_host", "\x1b[2J")
    assert ann.receive(refusal) == [Note(refusal, "bad")]
    assert ann.view.ended is None  # so that a later end does not count as a failure
    ann.receive(m.Pong(1), m.Ticket("1" * 32, 120_000))


# --- Phases --------------------------------------------------------------------------


def test_phase_is_announced_once_and_counts_down() -> None:
    ann = ModelHarness()
    announced = ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 5_000))
    assert notes(announced) == ["The race starts in 5 s"]
    assert ann.view.remaining(ann.now + 1_000) == 4_000
    assert ann.view.remaining(ann.now + 9_000) == 0
    assert ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 1_200, [0, 1])) == []
    assert set(ann.view.lanes) == {0, 1}


def test_aborted_race_clears_the_board() -> None:
    ann = ModelHarness()
    ann.race()
    ann.receive_next(m.PhaseEvent(0, RACE, "aborted", None, why="host"))
    assert (ann.view.phase, ann.view.phase_why) == ("aborted", "host")
    assert (ann.view.board, ann.view.lanes) == (None, {})


def test_missed_board_is_requested() -> None:
    ann = ModelHarness()
    ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 1_200, [0, 1]))
    outs = ann.receive_next(m.PhaseEvent(0, RACE, "racing", 120_000, [0, 1]))
    assert commands(outs) == [m.Resync(None)]
