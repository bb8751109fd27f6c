"""What a member knows and may do in the rooms of a server."""

from typing import Any

import pytest
from tests.client import rooms
from tests.client.rooms import ANN, RACE, ModelHarness, member, standing

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.line_ui import explanations
from sliderace_client.line_ui.answers import Refusal, feel_of, feel_question
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.own_keys import Keys
from sliderace_client.shared_ui.series_text import own_score

EVERY = Rules("3x3", start="every", every_ms=12_000)


def harness(kind: m.RoomKind = "room", **more: Any) -> ModelHarness:
    people = [member(ANN, 0)] if kind in ("solo", "daily") else []
    known = {"members": people} if people else {}
    return ModelHarness(room=rooms.room(kind=kind, **more), **known)


def in_race(one: ModelHarness, *features: str) -> ModelHarness:
    one.view.features = frozenset(features)
    one.race()
    return one


# --- Input ----------------------------------------------------------------------------


def inputs(sent: list[m.Command]) -> list[m.Input]:
    return [each for each in sent if isinstance(each, m.Input)]


def test_first_slide_declares_the_input_before_it_is_sent() -> None:
    ann = in_race(harness(), "quick")
    assert ann.model.slide("L", 1, ann.now, "keys")
    sent = ann.sent()
    assert [type(each) for each in sent] == [m.Input, m.Slides]
    assert inputs(sent) == [m.Input(RACE, "keys")]
    assert ann.model.slide("L", 1, ann.now, "keys")
    assert inputs(ann.wait(100)) == []


def test_another_input_in_the_same_race_makes_it_mixed() -> None:
    ann = in_race(harness(), "profiles")
    assert ann.model.slide("L", 1, ann.now, "click")
    assert inputs(ann.sent()) == [m.Input(RACE, "click")]
    assert ann.model.slide("R", 1, ann.now, "hover")
    assert inputs(ann.sent()) == [m.Input(RACE, "mixed")]
    assert ann.model.slide("L", 1, ann.now, "keys")
    assert inputs(ann.wait(100)) == []


@pytest.mark.parametrize(
    ("features", "by"), [((), "keys"), (("bots", "series"), "keys"), (("quick",), None)]
)
def test_nothing_is_declared_to_an_older_server_or_by_a_bot(
    features: tuple[str, ...], by: m.InputName | None
) -> None:
    ann = in_race(harness(), *features)
    assert ann.model.slide("L", 1, ann.now, by)
    assert inputs(ann.sent()) == []


def test_input_is_declared_once_there_is_a_connection_again() -> None:
    ann = in_race(harness(), "quick")
    ann.model.lost()
    assert ann.model.slide("L", 1, ann.now, "keys")
    assert inputs(ann.sent()) == []
    ann.receive(rooms.welcome(epoch=7, features=["quick"], board=rooms.START))
    assert inputs(ann.sent() + rooms.commands(ann.model.poll(ann.now))) == []
    assert ann.view.online


def test_refused_input_is_not_announced() -> None:
    ann = in_race(harness(), "quick")
    outs = ann.receive(m.Refused("input", "not_racing", "Your race is over."))
    assert rooms.news(outs) == []


# --- Kinds of rooms -------------------------------------------------------------------


def test_next_race_of_a_room_that_starts_by_the_clock_is_known() -> None:
    ann = harness("quick", rules=EVERY, host=None)
    assert ann.view.next_race_in(ann.now) is None
    ann.race(roster=(1,))
    assert ann.view.next_race_in(ann.now) is None, "the limit is far away"
    ann.receive_next(m.PhaseEvent(0, RACE, "grace", 10_000))
    assert ann.view.next_race_in(ann.now + 1_000) == 21_000, "at most"
    ann.receive_next(m.PhaseEvent(0, RACE, "results", 12_000))
    assert ann.view.next_race_in(ann.now + 1_000) == 11_000
    host = harness()
    host.receive_next(m.PhaseEvent(0, RACE, "results", 12_000))
    assert host.view.next_race_in(host.now) is None


@pytest.mark.parametrize("kind", ["solo", "daily"])
def test_room_of_ones_own_has_no_undo_no_reactions_and_no_calling_off(
    kind: m.RoomKind,
) -> None:
    shared, alone = harness(), harness(kind)
    for one in (shared, alone):
        one.view.features = frozenset({"reactions"})
    assert shared.view.may_react
    assert not alone.view.may_react
    shared.race()
    alone.race(roster=(0,))
    assert shared.view.can_call_off
    assert not alone.view.can_call_off
    for one in (shared, alone):
        one.model.ask(m.Forfeit(RACE), one.now)
        one.receive_next(m.StandingEvent(0, RACE, standing(0, "forfeited")))
    assert shared.view.can_undo(shared.now)
    assert not alone.view.can_undo(alone.now)


def test_kind_is_that_of_the_room() -> None:
    assert harness("quick").view.kind == "quick"
    assert not harness("quick").view.is_alone
    assert harness("daily").view.is_alone
    assert rooms.fresh().view.kind == "room"


# --- Texts ----------------------------------------------------------------------------


def test_own_score_counts_boards_and_shows_best_and_average() -> None:
    row = m.SeriesRow(1, ANN, "Ann", False, 6, 5, 0, 9_204, 11_204)
    table = m.SeriesTable("open", 0, 1, 6, False, [row])
    assert own_score(table) == "6 boards, best 9.204, ao5 11.204"
    one = m.SeriesRow(1, ANN, "Ann", False, 1, 0, 0, None, None)
    table = m.SeriesTable("open", 0, 1, 1, False, [one])
    assert own_score(table) == "1 board, best -, ao5 -"
    assert own_score(None) == ""


@pytest.mark.parametrize(
    ("kind", "has", "lacks"),
    [
        ("quick", ["ready", "forfeit"], ["start", "rematch", "next"]),
        ("solo", ["next", "forfeit"], ["ready", "start", "rematch", "who"]),
        ("daily", ["forfeit"], ["next", "ready", "start", "rematch", "who"]),
    ],
)
def test_help_lists_what_can_be_typed_in_such_a_room(
    kind: m.RoomKind, has: list[str], lacks: list[str]
) -> None:
    lines = explanations.how_to_race(Keys(), Style(), kind)
    words = [line.split()[0] for line in lines if line.startswith("  ")]
    assert set(has) <= set(words)
    assert not set(lacks) & set(words)
    assert len(lines) <= 23
    assert all(len(line) < 80 for line in lines)


def test_question_of_the_speed_has_four_answers() -> None:
    assert [line[:5] for line in feel_question()[1:]] == [
        f"  {n}  " for n in range(1, 5)
    ]


def test_the_answer_is_a_number_and_the_first_if_empty() -> None:
    assert [feel_of(typed) for typed in ("", " 3 ")] == ["new", "twenty"]
    wrong = feel_of("5")
    assert isinstance(wrong, Refusal)
    assert wrong.why == "not_a_choice"
