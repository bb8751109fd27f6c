"""Our part in the draw of the board: what is sent, when, and what is noticed."""

from typing import Any

import pytest
from tests.client.rooms import (
    ANN,
    BEN,
    COMMITMENTS,
    NEXT,
    NONCES,
    RACE,
    TOKEN,
    Play,
    commands,
    fresh,
    member,
    news,
    notes,
    results,
    room,
    snapshot,
    standing,
    view,
    welcome,
)

from sliderace.engine import nonce_commitment
from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.room.draw import Draw, Fate
from sliderace_client.room.outcomes import Fault, News, Notice, Remark, Won
from sliderace_client.room.outputs import CheckRecord, Note

READY = m.Ready(RACE, True, COMMITMENTS[0])
NONCE = m.Nonce(RACE, NONCES[0].hex())
LISTED = m.RosterEvent(0, RACE, [0, 1], [COMMITMENTS[0], COMMITMENTS[1]])
GONE = [
    m.SeatNonce(0, COMMITMENTS[0], None),
    m.SeatNonce(1, COMMITMENTS[1], NONCES[1].hex()),
]
ALL = [m.SeatNonce(0, COMMITMENTS[0], NONCES[0].hex()), GONE[1]]
LEFT_OUT = Fault.OWN_NONCE_LEFT_OUT


def ready(**more: Any) -> Play:
    """Ann is ready, and has sent her commitment."""
    play = Play(**more)
    assert play.model.ask(m.Ready(RACE), play.now)
    assert play.sent() == [READY]
    play.stream(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    return play


def countdown(play: Play) -> None:
    play.stream(m.PhaseEvent(0, RACE, "countdown", 5_000))


def asked() -> Play:
    """The roster is frozen, and Ann has told her nonce."""
    play = ready()
    countdown(play)
    assert commands(play.stream(LISTED)) == [NONCE]
    return play


def ended(play: Play, *nonces: m.SeatNonce) -> list[News]:
    """The race is over; what is said of the draw."""
    play.stream(m.PhaseEvent(0, RACE, "racing", 9_000, [0, 1]))
    told = results(*nonces, standings=[standing(0, "dnf"), standing(1, "dnf")])
    return news(play.stream(told))[1:]


# --- Committing -----------------------------------------------------------------------


def test_ready_comes_with_a_commitment_and_the_nonce_follows_the_roster() -> None:
    play = asked()
    assert play.stream(LISTED) == []  # once is enough
    assert ended(play, *ALL) == []
    assert (play.view.faults, play.view.remarks) == ([], [])


def test_who_is_made_ready_by_the_server_commits_by_itself() -> None:
    play = Play()
    outs = play.stream(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    assert commands(outs) == [READY]
    outs = play.stream(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    assert commands(outs) == play.sent() == []


def test_where_races_start_by_themselves_the_countdown_is_enough() -> None:
    play = Play(room=room(rules=Rules("3x3", start="every")))
    outs = play.stream(m.PhaseEvent(0, RACE, "countdown", 5_000))
    assert commands(outs) == [READY]


@pytest.mark.parametrize(
    "told",
    [
        {"members": [member(ANN, 0)]},
        {"members": [member(ANN, None, ready=True)]},
        {"members": [member(ANN, 0, ready=True, benched=True)]},
        {"members": [member(ANN, 0, ready=True)], "room": room(seed_known=True)},
        {"members": [member(ANN, 0, ready=True)], "phase": "results"},
        {"members": [member(BEN, 1, ready=True)]},
        {
            "members": [member(ANN, 0, ready=True)],
            "phase": "countdown",
            "race": view(roster=[1], nonce_commitments=[COMMITMENTS[1]]),
        },
    ],
)
def test_who_has_no_part_in_the_draw_commits_to_nothing(told: dict[str, Any]) -> None:
    model = fresh(token=TOKEN)
    model.receive(welcome(), 0)
    model.receive(snapshot(**told), 0)
    assert commands(model.poll(0)) == []


def test_a_ready_of_ours_has_a_commitment_only_where_it_has_a_meaning() -> None:
    model = fresh()
    assert not model.ask(m.Ready(RACE), 0)
    play = Play(room=room(seed_known=True))
    play.model.ask(m.Ready(RACE), play.now)
    assert play.sent() == [m.Ready(RACE)]
    play = Play()
    for said in (m.Ready(RACE, on=False), m.Ready(NEXT)):
        play.model.ask(said, play.now)
        assert play.sent() == [said]
    play = Play(members=[member(ANN, None)])
    play.model.ask(m.Ready(RACE), play.now)
    assert play.sent() == [m.Ready(RACE)]


def test_every_connection_is_told_the_same_commitment_again() -> None:
    play = ready()
    play.model.lost(1006)
    assert commands(play.hear(welcome())) == [READY]
    assert play.sent() == []


def test_nothing_is_committed_to_before_the_snapshot_of_a_new_epoch() -> None:
    play = ready()
    play.model.lost(1006)
    assert commands(play.hear(welcome(epoch=8))) == []
    members = [member(ANN, 0, ready=True)]
    assert commands(play.hear(snapshot(epoch=8, members=members))) == [READY]


def test_every_seat_has_a_nonce_of_its_own() -> None:
    drawn = iter([b"a" * 16, b"b" * 16])
    draw = Draw(lambda _: next(drawn), RACE)
    first = draw.commitment(0)
    assert first == draw.commitment(0) == nonce_commitment(RACE, 0, b"a" * 16)
    assert draw.commitment(3) == nonce_commitment(RACE, 3, b"b" * 16)
    assert draw.nonce(0) == (b"a" * 16).hex()
    assert draw.nonce(1) == ""


def test_every_race_has_a_nonce_of_its_own() -> None:
    play = ready()
    play.stream(m.RoomEvent(0, room(race=NEXT), "race"))
    outs = play.stream(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    [again] = [one for one in commands(outs) if isinstance(one, m.Ready)]
    assert again.race == NEXT
    assert again.nonce_commitment not in (None, READY.nonce_commitment)


def test_a_refusal_of_what_the_user_did_not_ask_for_is_not_shown() -> None:
    play = Play()
    play.stream(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    outs = play.hear(m.Refused("ready", "wrong_phase", ""))
    assert notes(outs) == []
    play.model.ask(m.Ready(RACE), play.now)
    outs = play.hear(m.Refused("ready", "wrong_phase", ""))
    assert notes(outs) == ["That is not possible now."]


# --- Telling --------------------------------------------------------------------------


def test_who_was_away_when_the_roster_froze_tells_it_from_the_snapshot() -> None:
    play = ready()
    countdown(play)
    play.model.lost(1006)
    frozen = view(roster=[0, 1], nonce_commitments=[COMMITMENTS[0], COMMITMENTS[1]])
    play.hear(welcome(epoch=8))
    members = [member(ANN, 0, ready=True), member(BEN, 1, ready=True)]
    told = snapshot(epoch=8, phase="countdown", in_ms=900, race=frozen, members=members)
    assert commands(play.hear(told)) == [NONCE]


def test_a_nonce_that_may_not_have_arrived_is_told_again() -> None:
    play = asked()
    play.model.lost(1006)
    assert commands(play.hear(welcome())) == [NONCE]
    assert ended(play, *GONE) == [LEFT_OUT]


def test_after_a_reload_the_nonce_of_the_client_before_is_not_ours_to_tell() -> None:
    model = fresh(token=TOKEN)
    frozen = view(roster=[0], nonce_commitments=["f" * 64])
    model.receive(welcome(), 0)
    members = [member(ANN, 0, ready=True)]
    told = snapshot(phase="countdown", in_ms=900, race=frozen, members=members)
    model.receive(told, 0)
    assert commands(model.poll(0)) == []


def test_a_second_list_gets_no_answer_and_is_said() -> None:
    play = ready()
    countdown(play)
    play.stream(m.RosterEvent(0, RACE, [0], [COMMITMENTS[0]]))
    play.model.lost(1006)
    play.hear(welcome())
    other = m.RosterEvent(0, RACE, [0, 1], [COMMITMENTS[0], COMMITMENTS[1]])
    assert commands(play.stream(other)) == []
    play.model.lost(1006)
    assert commands(play.hear(welcome())) == []
    assert Fault.LIST_CHANGED in (ended(play, *ALL))


def test_a_list_for_another_race_is_none_of_ours() -> None:
    play = ready()
    countdown(play)
    other = m.RosterEvent(0, NEXT, [0, 1], [COMMITMENTS[0], None])
    assert commands(play.stream(other)) == []


def test_a_list_that_is_too_short_has_none_for_the_others() -> None:
    play = ready()
    countdown(play)
    play.stream(m.RosterEvent(0, RACE, [0, 1], [COMMITMENTS[0]]))
    told = [ALL[0], m.SeatNonce(1, None, None)]
    assert ended(play, *told) == []


# --- What became of it ----------------------------------------------------------------


def test_a_nonce_left_out_without_a_word_is_a_fault() -> None:
    play = asked()
    assert ended(play, *GONE) == [LEFT_OUT]
    assert play.view.faults == [LEFT_OUT]


def test_a_nonce_that_came_too_late_is_said_quietly() -> None:
    play = asked()
    assert play.hear(m.Refused("nonce", "too_late", "")) == []
    assert ended(play, *GONE) == [Remark.NONCE_LATE]
    assert (play.view.faults, play.view.remarks) == (
        [],
        [Remark.NONCE_LATE],
    )


def test_a_nonce_refused_as_wrong_is_a_fault() -> None:
    play = asked()
    play.hear(m.Refused("nonce", "bad_nonce", ""))
    assert ended(play, *GONE) == [Fault.OWN_NONCE_REFUSED]


def test_a_connection_lost_in_the_draw_leaves_it_open() -> None:
    play = asked()
    play.model.lost(1006)
    play.hear(welcome(epoch=8))
    frozen = view(
        roster=[0, 1],
        elapsed_ms=1,
        nonce_commitments=[COMMITMENTS[0], COMMITMENTS[1]],
    )
    play.hear(snapshot(play.offset, epoch=8, phase="racing", race=frozen))
    told = results(*GONE, standings=[standing(0, "dnf")])
    assert Remark.NONCE_UNSURE in news(play.stream(told))


def test_a_connection_lost_after_the_draw_does_not() -> None:
    play = asked()
    play.stream(m.PhaseEvent(0, RACE, "racing", 9_000, [0, 1]))
    play.model.lost(1006)
    play.hear(welcome())
    assert ended(play, *GONE) == [LEFT_OUT]


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (5_000, Fault.OWN_COMMITMENT_NOT_LISTED),
        (
            4_999,
            Remark.COMMITMENT_LATE,
        ),
    ],
)
def test_a_commitment_that_was_not_listed_is_said(ms: int, said: News) -> None:
    play = ready()
    countdown(play)
    play.wait(ms)
    listed = [None, COMMITMENTS[1]]
    assert commands(play.stream(m.RosterEvent(0, RACE, [0, 1], listed))) == []
    assert ended(play, m.SeatNonce(0, None, None), GONE[1]) == [said]


def test_who_was_not_ready_is_told_with_the_roster() -> None:
    play = Play()
    countdown(play)
    play.stream(m.RosterEvent(0, RACE, [1], [COMMITMENTS[1]]))
    assert play.view.left_out == RACE
    assert set(play.view.lanes) == {1}


# --- The record -----------------------------------------------------------------------


def test_a_racer_looks_into_the_record_once() -> None:
    play = asked()
    play.race(results(*ALL).board)
    play.slide(*((way, 1) for way, _ in play.view.board.legal_slides()[:1]))  # type: ignore[union-attr]
    rows = [standing(0, "dnf"), standing(1, "dnf")]
    told = results(*ALL, standings=rows)
    [check] = [out for out in play.stream(told) if isinstance(out, CheckRecord)]
    own = check.evidence.own
    assert own is not None
    assert (own.seat, own.fate, own.listed, len(own.slides)) == (0, Fate.SENT, True, 1)
    assert check.results.record == f"/api/races/{RACE}"
    again = snapshot(play.offset, phase="results", results=told)
    assert not [out for out in play.hear(again) if isinstance(out, CheckRecord)]


def test_what_the_record_shows_is_said_for_its_race() -> None:
    play = asked()
    ended(play, *ALL)
    model, wrong = play.model, Fault.RECORD_SEED
    model.record_checked(NEXT, [wrong])
    assert (model.view.agrees, model.view.faults) == (None, [])
    model.record_checked(RACE, [])
    assert (model.view.agrees, model.view.faults) == (True, [])
    assert model.poll(play.now) == [Note(Notice.RECORD_AGREES)]
    model.record_checked(RACE, [wrong])
    model.record_checked(RACE, [wrong])
    assert (model.view.agrees, model.view.faults) == (False, [wrong])
    assert model.poll(play.now) == [Note(wrong, "bad")]


def test_a_record_that_cannot_be_had_is_said_and_no_fault() -> None:
    play = asked()
    ended(play, *ALL)
    model = play.model
    model.record_checked(RACE, None)
    assert (model.view.agrees, model.view.faults) == (None, [])
    assert model.view.remarks[-1] == Remark.RECORD_UNAVAILABLE
    assert model.poll(play.now) == [Note(Remark.RECORD_UNAVAILABLE)]


def test_a_record_that_agrees_does_not_hide_what_was_wrong_before() -> None:
    play = asked()
    ended(play, *GONE)
    play.model.record_checked(RACE, [])
    assert play.model.poll(play.now) == []
    assert play.view.faults == [LEFT_OUT]


# --- Beside the race ------------------------------------------------------------------


def test_lines_are_kept_while_their_members_are_here() -> None:
    play = Play()
    play.hear(m.LatencyEvent([m.MemberLatency(ANN, 1, 0), m.MemberLatency(BEN, 23, 4)]))
    play.hear(m.LatencyEvent([m.MemberLatency(BEN, 25, 3)]))
    assert play.view.latencies == {
        ANN: m.MemberLatency(ANN, 1, 0),
        BEN: m.MemberLatency(BEN, 25, 3),
    }
    play.stream(m.Gone(0, BEN, "left"))
    assert set(play.view.latencies) == {ANN}
    play.model.lost(1006)
    play.hear(welcome())
    assert play.view.latencies == {}


def test_a_first_place_is_provisional_until_it_is_won() -> None:
    play = Play()
    play.race()
    row = standing(1, "finished", time_ms=9_000, place=1)
    play.stream(m.StandingEvent(0, RACE, row))
    assert [lane.final for lane in play.view.lanes.values()] == [False, False]
    assert play.stream(m.WinnerEvent(0, NEXT, [1])) == []
    assert play.stream(m.WinnerEvent(0, RACE, [])) == []
    assert play.stream(m.WinnerEvent(0, RACE, [1])) == [Note(Won(("Ben",)), "good")]
    assert [lane.final for lane in play.view.lanes.values()] == [False, True]
    assert news(play.stream(m.WinnerEvent(0, RACE, [0, 1]))) == [Won(("Ann", "Ben"))]


def test_signals_stay_as_long_as_the_results() -> None:
    play = Play()
    play.race()
    play.stream(results())
    play.hear(m.Signals(RACE, []))
    assert play.view.signals == m.Signals(RACE, [])
    play.stream(m.RoomEvent(0, room(race=NEXT), "race"))
    assert play.view.signals is not None
    play.stream(m.PhaseEvent(0, NEXT, "countdown", 5_000))
    assert play.view.signals is None
