"""The client's part in drawing the board: what it sends and checks, and when."""

from typing import Any

import pytest
from tests.client.rooms import (
    ANN,
    BEN,
    CAT,
    COMMITMENTS,
    NEXT,
    NONCES,
    RACE,
    TOKEN,
    ModelHarness,
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


def ready(**more: Any) -> ModelHarness:
    """Return Ann, who is ready and has sent her commitment."""
    ann = ModelHarness(**more)
    assert ann.model.ask(m.Ready(RACE), ann.now)
    assert ann.sent() == [READY]
    ann.receive_next(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    return ann


def countdown(ann: ModelHarness) -> None:
    ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 5_000))


def asked() -> ModelHarness:
    """Freeze the roster, so that Ann sends her nonce."""
    ann = ready()
    countdown(ann)
    assert commands(ann.receive_next(LISTED)) == [NONCE]
    return ann


def ended(ann: ModelHarness, *nonces: m.SeatNonce) -> list[News]:
    """End the race; return what is announced about the draw."""
    ann.receive_next(m.PhaseEvent(0, RACE, "racing", 9_000, [0, 1]))
    message = results(*nonces, standings=[standing(0, "dnf"), standing(1, "dnf")])
    return news(ann.receive_next(message))[1:]


# --- Committing -----------------------------------------------------------------------


def test_ready_carries_a_commitment_and_the_nonce_follows_the_roster() -> None:
    ann = asked()
    assert ann.receive_next(LISTED) == []  # once is enough
    assert ended(ann, *ALL) == []
    assert (ann.view.faults, ann.view.remarks) == ([], [])


def test_client_commits_when_the_server_makes_it_ready() -> None:
    ann = ModelHarness()
    outs = ann.receive_next(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    assert commands(outs) == [READY]
    outs = ann.receive_next(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    assert commands(outs) == ann.sent() == []


def test_client_commits_in_the_countdown_of_a_timed_race() -> None:
    ann = ModelHarness(room=room(rules=Rules("3x3", start="every")))
    outs = ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 5_000))
    assert commands(outs) == [READY]


@pytest.mark.parametrize(
    "message",
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
def test_client_that_is_not_racing_sends_no_commitment(
    message: dict[str, Any],
) -> None:
    model = fresh(token=TOKEN)
    model.receive(welcome(), 0)
    model.receive(snapshot(**message), 0)
    assert commands(model.poll(0)) == []


def test_ready_carries_a_commitment_only_if_it_can_count() -> None:
    model = fresh()
    assert not model.ask(m.Ready(RACE), 0)
    ann = ModelHarness(room=room(seed_known=True))
    ann.model.ask(m.Ready(RACE), ann.now)
    assert ann.sent() == [m.Ready(RACE)]
    ann = ModelHarness()
    for said in (m.Ready(RACE, on=False), m.Ready(NEXT)):
        ann.model.ask(said, ann.now)
        assert ann.sent() == [said]
    ann = ModelHarness(members=[member(ANN, None)])
    ann.model.ask(m.Ready(RACE), ann.now)
    assert ann.sent() == [m.Ready(RACE)]


def test_each_connection_gets_the_same_commitment() -> None:
    ann = ready()
    ann.model.lost(1006)
    assert commands(ann.receive(welcome())) == [READY]
    assert ann.sent() == []


def test_no_commitment_is_sent_before_the_snapshot_of_a_new_epoch() -> None:
    ann = ready()
    ann.model.lost(1006)
    assert commands(ann.receive(welcome(epoch=8))) == []
    members = [member(ANN, 0, ready=True)]
    assert commands(ann.receive(snapshot(epoch=8, members=members))) == [READY]


def test_each_seat_has_its_own_nonce() -> None:
    drawn = iter([b"a" * 16, b"b" * 16])
    draw = Draw(lambda _: next(drawn), RACE)
    first = draw.commitment(0)
    assert first == draw.commitment(0) == nonce_commitment(RACE, 0, b"a" * 16)
    assert draw.commitment(3) == nonce_commitment(RACE, 3, b"b" * 16)
    assert draw.nonce(0) == (b"a" * 16).hex()
    assert draw.nonce(1) == ""


def test_each_race_has_its_own_nonce() -> None:
    ann = ready()
    ann.receive_next(m.RoomEvent(0, room(race=NEXT), "race"))
    outs = ann.receive_next(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    [again] = [one for one in commands(outs) if isinstance(one, m.Ready)]
    assert again.race == NEXT
    assert again.nonce_commitment not in (None, READY.nonce_commitment)


def test_refusal_of_an_automatic_command_is_not_announced() -> None:
    ann = ModelHarness()
    ann.receive_next(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    outs = ann.receive(m.Refused("ready", "wrong_phase", ""))
    assert notes(outs) == []
    ann.model.ask(m.Ready(RACE), ann.now)
    outs = ann.receive(m.Refused("ready", "wrong_phase", ""))
    assert notes(outs) == ["That is not possible now."]


# --- Revealing ------------------------------------------------------------------------


def test_nonce_is_revealed_after_a_snapshot_with_the_roster() -> None:
    ann = ready()
    countdown(ann)
    ann.model.lost(1006)
    frozen = view(roster=[0, 1], nonce_commitments=[COMMITMENTS[0], COMMITMENTS[1]])
    ann.receive(welcome(epoch=8))
    members = [member(ANN, 0, ready=True), member(BEN, 1, ready=True)]
    message = snapshot(
        epoch=8, phase="countdown", in_ms=900, race=frozen, members=members
    )
    assert commands(ann.receive(message)) == [NONCE]


def test_nonce_is_sent_again_after_a_reconnect() -> None:
    ann = asked()
    ann.model.lost(1006)
    assert commands(ann.receive(welcome())) == [NONCE]
    assert ended(ann, *GONE) == [LEFT_OUT]


def test_roster_that_a_killed_server_forgot_is_answered_again() -> None:
    """We commit again, wait for the next list, and reveal the same nonce."""
    ann = asked()
    ann.model.lost(1006)
    ann.receive(welcome(epoch=8))
    members = [member(ANN, 0, ready=True), member(BEN, 1, ready=True)]
    thawed = snapshot(
        ann.offset, epoch=8, phase="countdown", in_ms=9_000, members=members
    )
    assert commands(ann.receive(thawed)) == [READY]
    assert ann.sent() == []
    assert commands(ann.receive_next(LISTED)) == [NONCE]


def test_restarted_client_reveals_no_nonce_it_does_not_know() -> None:
    model = fresh(token=TOKEN)
    frozen = view(roster=[0], nonce_commitments=["f" * 64])
    model.receive(welcome(), 0)
    members = [member(ANN, 0, ready=True)]
    message = snapshot(phase="countdown", in_ms=900, race=frozen, members=members)
    model.receive(message, 0)
    assert commands(model.poll(0)) == []


def test_second_list_gets_no_nonce_and_is_a_fault() -> None:
    ann = ready()
    countdown(ann)
    ann.receive_next(m.RosterEvent(0, RACE, [0], [COMMITMENTS[0]]))
    ann.model.lost(1006)
    ann.receive(welcome())
    other = m.RosterEvent(0, RACE, [0, 1], [COMMITMENTS[0], COMMITMENTS[1]])
    assert commands(ann.receive_next(other)) == []
    ann.model.lost(1006)
    assert commands(ann.receive(welcome())) == []
    assert Fault.LIST_CHANGED in (ended(ann, *ALL))


def test_list_of_another_race_is_ignored() -> None:
    ann = ready()
    countdown(ann)
    other = m.RosterEvent(0, NEXT, [0, 1], [COMMITMENTS[0], None])
    assert commands(ann.receive_next(other)) == []


def test_seats_missing_from_the_list_have_no_commitment() -> None:
    ann = ready()
    countdown(ann)
    ann.receive_next(m.RosterEvent(0, RACE, [0, 1], [COMMITMENTS[0]]))
    message = [ALL[0], m.SeatNonce(1, None, None)]
    assert ended(ann, *message) == []


# --- Outcomes -------------------------------------------------------------------------


def test_nonce_left_out_without_a_reason_is_a_fault() -> None:
    ann = asked()
    assert ended(ann, *GONE) == [LEFT_OUT]
    assert ann.view.faults == [LEFT_OUT]


def test_late_nonce_is_a_remark() -> None:
    ann = asked()
    assert ann.receive(m.Refused("nonce", "too_late", "")) == []
    assert ended(ann, *GONE) == [Remark.NONCE_LATE]
    assert (ann.view.faults, ann.view.remarks) == (
        [],
        [Remark.NONCE_LATE],
    )


def test_nonce_refused_as_wrong_is_a_fault() -> None:
    ann = asked()
    ann.receive(m.Refused("nonce", "bad_nonce", ""))
    assert ended(ann, *GONE) == [Fault.OWN_NONCE_REFUSED]


def test_connection_lost_during_the_draw_makes_the_nonce_unsure() -> None:
    ann = asked()
    ann.model.lost(1006)
    ann.receive(welcome(epoch=8))
    frozen = view(
        roster=[0, 1],
        elapsed_ms=1,
        nonce_commitments=[COMMITMENTS[0], COMMITMENTS[1]],
    )
    ann.receive(snapshot(ann.offset, epoch=8, phase="racing", race=frozen))
    message = results(*GONE, standings=[standing(0, "dnf")])
    assert Remark.NONCE_UNSURE in news(ann.receive_next(message))


def test_connection_lost_after_the_draw_does_not() -> None:
    ann = asked()
    ann.receive_next(m.PhaseEvent(0, RACE, "racing", 9_000, [0, 1]))
    ann.model.lost(1006)
    ann.receive(welcome())
    assert ended(ann, *GONE) == [LEFT_OUT]


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
def test_unlisted_commitment_is_announced(ms: int, said: News) -> None:
    ann = ready()
    countdown(ann)
    ann.wait(ms)
    listed = [None, COMMITMENTS[1]]
    assert commands(ann.receive_next(m.RosterEvent(0, RACE, [0, 1], listed))) == []
    assert ended(ann, m.SeatNonce(0, None, None), GONE[1]) == [said]


def test_roster_shows_a_player_that_they_were_left_out() -> None:
    ann = ModelHarness()
    countdown(ann)
    ann.receive_next(m.RosterEvent(0, RACE, [1], [COMMITMENTS[1]]))
    assert ann.view.left_out == RACE
    assert set(ann.view.lanes) == {1}


# --- The record -----------------------------------------------------------------------


def test_racers_client_checks_the_record_once() -> None:
    ann = asked()
    ann.race(results(*ALL).board)
    ann.slide(*((way, 1) for way, _ in ann.view.board.legal_slides()[:1]))  # type: ignore[union-attr]
    rows = [standing(0, "dnf"), standing(1, "dnf")]
    message = results(*ALL, standings=rows)
    [check] = [out for out in ann.receive_next(message) if isinstance(out, CheckRecord)]
    own = check.evidence.own
    assert own is not None
    assert (own.seat, own.fate, own.listed, len(own.slides)) == (0, Fate.SENT, True, 1)
    assert check.results.record == f"/api/races/{RACE}"
    again = snapshot(ann.offset, phase="results", results=message)
    assert not [out for out in ann.receive(again) if isinstance(out, CheckRecord)]


def test_outcome_of_a_record_check_counts_for_its_race() -> None:
    ann = asked()
    ended(ann, *ALL)
    model, wrong = ann.model, Fault.RECORD_SEED
    model.record_checked(NEXT, [wrong])
    assert (model.view.agrees, model.view.faults) == (None, [])
    model.record_checked(RACE, [])
    assert (model.view.agrees, model.view.faults) == (True, [])
    assert model.poll(ann.now) == [Note(Notice.RECORD_AGREES)]
    model.record_checked(RACE, [wrong])
    model.record_checked(RACE, [wrong])
    assert (model.view.agrees, model.view.faults) == (False, [wrong])
    assert model.poll(ann.now) == [Note(wrong, "bad")]


def test_unavailable_record_is_a_remark() -> None:
    ann = asked()
    ended(ann, *ALL)
    model = ann.model
    model.record_checked(RACE, None)
    assert (model.view.agrees, model.view.faults) == (None, [])
    assert model.view.remarks[-1] == Remark.RECORD_UNAVAILABLE
    assert model.poll(ann.now) == [Note(Remark.RECORD_UNAVAILABLE)]


def test_agreeing_record_does_not_hide_earlier_faults() -> None:
    ann = asked()
    ended(ann, *GONE)
    ann.model.record_checked(RACE, [])
    assert ann.model.poll(ann.now) == []
    assert ann.view.faults == [LEFT_OUT]


# --- Other state ----------------------------------------------------------------------


def test_latencies_are_kept_while_their_members_are_present_and_have_seats() -> None:
    ann = ModelHarness()
    ann.receive(
        m.LatencyEvent([m.MemberLatency(ANN, 1, 0), m.MemberLatency(BEN, 23, 4)])
    )
    ann.receive(m.LatencyEvent([m.MemberLatency(BEN, 25, 3)]))
    assert ann.view.latencies == {
        ANN: m.MemberLatency(ANN, 1, 0),
        BEN: m.MemberLatency(BEN, 25, 3),
    }
    ann.receive_next(m.Gone(0, BEN, "left"))
    assert set(ann.view.latencies) == {ANN}
    ann.receive(m.LatencyEvent([m.MemberLatency(CAT, 9, 1)]))
    ann.receive_next(m.MemberEvent(0, member(CAT, None), "role"))
    assert set(ann.view.latencies) == {ANN}
    ann.model.lost(1006)
    ann.receive(welcome())
    assert ann.view.latencies == {}


def test_first_place_is_provisional_until_it_is_won() -> None:
    ann = ModelHarness()
    ann.race()
    row = standing(1, "finished", time_ms=9_000, place=1)
    ann.receive_next(m.StandingEvent(0, RACE, row))
    assert [lane.final for lane in ann.view.lanes.values()] == [False, False]
    assert ann.receive_next(m.WinnerEvent(0, NEXT, [1])) == []
    assert ann.receive_next(m.WinnerEvent(0, RACE, [])) == []
    assert ann.receive_next(m.WinnerEvent(0, RACE, [1])) == [
        Note(Won(("Ben",)), "good")
    ]
    assert [lane.final for lane in ann.view.lanes.values()] == [False, True]
    assert news(ann.receive_next(m.WinnerEvent(0, RACE, [0, 1]))) == [
        Won(("Ann", "Ben"))
    ]


def test_signals_are_kept_as_long_as_the_results() -> None:
    ann = ModelHarness()
    ann.race()
    ann.receive_next(results())
    ann.receive(m.Signals(RACE, []))
    assert ann.view.signals == m.Signals(RACE, [])
    ann.receive_next(m.RoomEvent(0, room(race=NEXT), "race"))
    assert ann.view.signals is not None
    ann.receive_next(m.PhaseEvent(0, NEXT, "countdown", 5_000))
    assert ann.view.signals is None
