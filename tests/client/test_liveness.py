"""When a connection is probed and replaced; the page passes the same table."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.client.rooms import LIMITS, RACE, START, ModelHarness, welcome

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace_client.room.attempt import Attempt
from sliderace_client.room.liveness import Liveness
from sliderace_client.room.outcomes import Notice
from sliderace_client.room.outputs import Note, Outputs, Send
from sliderace_client.room.view import RoomView

VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "liveness-v1.json"
CASES = json.loads(VECTORS.read_text("utf-8"))["cases"]


def put(liveness: Liveness, what: str, now: int) -> None:
    match what:
        case "":
            pass
        case "connected":
            liveness.connected(now)
        case "lost":
            liveness.lost()
        case "heard":
            liveness.heard(now)
        case "acked":
            liveness.acked()
        case "pong":
            liveness.heard(now)
            liveness.answered(now)
        case _:
            raise AssertionError(what)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_liveness_follows_the_table(case: dict[str, Any]) -> None:
    liveness = Liveness()
    for row in case["rows"]:
        at, what, in_race, waiting, *wanted = row
        put(liveness, what, at)
        ping = liveness.look(at, in_race=bool(in_race), waiting=bool(waiting))
        state = [ping, liveness.overdue, liveness.in_doubt, liveness.due()]
        assert state == wanted, row


def test_overdue_slides_are_announced_and_probed() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.now += 1_500
    assert ann.model.next_due() == ann.now
    outs = ann.model.poll(ann.now)
    assert outs[1:] == [Note(Notice.WAITING_FOR_SERVER, "bad")]
    assert ann.view.overdue
    assert not ann.model.in_doubt
    ann.receive(m.Ack(RACE, 1))
    assert not ann.view.overdue


def test_rejection_is_an_answer_to_slides() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.wait(1_400)
    ann.receive(m.Rejected(RACE, 1, 0, "illegal", START))
    assert ann.wait(1_000) == []
    assert not ann.view.overdue


def test_second_connection_resends_slides_with_their_times() -> None:
    ann = ModelHarness()
    ann.race()
    ann.now += 250
    once = m.Slides(RACE, 0, 1, [("L", 1, 250)])
    assert ann.slide(("L", 1)) == [once]
    assert ann.wait(1_500) == [m.Ping(1)]
    assert ann.wait(1_500) == []
    assert ann.model.in_doubt
    there = welcome(seq=0, board=START)
    ann.model.taken_over(there)
    assert ann.receive(there) == [Send(once)]
    assert ann.view.online
    assert not ann.model.in_doubt


def test_second_connection_that_is_refused_ends_the_first_one() -> None:
    ann = ModelHarness()
    refused = m.Refused("hello", "room_unknown", "")
    ann.model.taken_over(refused)
    ann.receive(refused)
    assert not ann.view.online
    assert ann.view.ended == refused


def test_a_probe_counts_as_a_message() -> None:
    view = RoomView()
    view.online = True
    outputs = Outputs(view)
    outputs.connected(replace(LIMITS, messages_per_s=1, messages_burst=1), 0, 0)
    assert outputs.take(0) == []
    assert outputs.take(20_000) == [Send(m.Ping(1))]
    view.attempt = Attempt(RACE, parse_board(START), 20_000)
    view.attempt.slide("L", 1, 20_000)
    assert outputs.take(20_000) == []
    assert outputs.due() == 21_000
