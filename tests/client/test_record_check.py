"""Comparing a race record with what a racer's client saw and sent."""

import json
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from msgspec.structs import replace as changed
from tests.client.connected_room import ConnectedRoom
from tests.server.room_fixture import solution

from sliderace.engine import Board
from sliderace.proof.reading import read
from sliderace.proof.record import Player, WrittenRace, WrittenRacer, build
from sliderace.proof.signed import seal
from sliderace.race.log_records import Seat
from sliderace_client.net.record_check import check_record
from sliderace_client.room.fairness import Evidence, OwnPart, record_faults
from sliderace_client.room.outcomes import Fault
from sliderace_client.room.outputs import CheckRecord
from sliderace_server.room import Disconnect


@cache
def raced() -> tuple[ConnectedRoom, dict[str, Any], CheckRecord]:
    """Return a fair race that Ann won, its record, and her client's check."""
    world = ConnectedRoom()
    stage, ann = world.stage, world.ann
    for way in solution(stage.board(ann.member)):
        world.wait(20)
        assert ann.model.slide(way, 1, world.clock)
        world.step()
    world.settle()
    stage.do(Disconnect(world.ben))
    stage.to_phase("results")
    world.settle()
    players = {Seat(0): Player("Ann"), Seat(1): Player("Ben")}
    record = build(stage.state.race, players, started_ms=1, software="test")
    [check] = ann.checks
    return world, record, check


RECORD: WrittenRace = read(raced()[1])
CHECK = raced()[2]
KEPT, RESULTS = CHECK.evidence, CHECK.results
assert KEPT.own is not None
OWN: OwnPart = KEPT.own


def test_honest_servers_results_and_record_have_no_fault() -> None:
    world, _, check = raced()
    model = world.ann.model
    assert [one.nonce for one in check.results.nonces] == ["aa" * 16, None]
    assert model.view.faults == world.cat.view.faults == []
    assert model.view.remarks == []
    assert world.cat.checks == []  # a spectator has nothing to compare
    assert record_faults(RECORD, RESULTS, KEPT) == []
    assert len(OWN.slides) == OWN.acked > 0


def test_unknown_facts_are_not_compared() -> None:
    little = replace(KEPT, listed=None, start=None, own=None)
    assert record_faults(RECORD, RESULTS, little) == []
    later = replace(OWN, base=1, slides=OWN.slides[1:])
    assert record_faults(RECORD, RESULTS, replace(KEPT, own=later)) == []
    more = replace(OWN, slides=[*OWN.slides, ("U", 1, 9)])
    assert record_faults(RECORD, RESULTS, replace(KEPT, own=more)) == []


def mine(**more: Any) -> WrittenRace:
    """Return the record with changes in our own entry."""
    return racers(lambda one: replace(one, **more) if one.seat == 0 else one)


def racers(change: Callable[[WrittenRacer], WrittenRacer]) -> WrittenRace:
    return replace(RECORD, racers=tuple(map(change, RECORD.racers)))


ANN = next(one for one in RECORD.racers if one.seat == 0)


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (replace(RECORD, race="KWXTRB-X-9"), Fault.RECORD_OTHER_RACE),
        (replace(RECORD, commitment="f" * 64), Fault.RECORD_COMMITMENT),
        (replace(RECORD, seed_known=True), Fault.RECORD_COMMITMENT),
        (
            replace(RECORD, rules=replace(RECORD.rules, size="2x3")),
            Fault.RECORD_SIZE,
        ),
        (mine(nonce_commitment="f" * 64), Fault.RECORD_LIST),
        (mine(nonce="b" * 32), Fault.RECORD_NONCES),
        (mine(nonce=None), Fault.RECORD_NONCES),
        (
            replace(RECORD, seed="f" * 64),
            Fault.RECORD_SEED,
        ),
        (
            replace(RECORD, secret="f" * 64),
            Fault.RECORD_SEED,
        ),
        (
            replace(RECORD, board=Board.solved(RECORD.board.size)),
            Fault.RECORD_BOARD,
        ),
        (mine(place=2), Fault.RECORD_RESULTS),
        (mine(stm=ANN.stm + 1), Fault.RECORD_RESULTS),
        (mine(why="left"), Fault.RECORD_RESULTS),
        (mine(name="Eve"), Fault.RECORD_RESULTS),
        (mine(finish=None), Fault.RECORD_RESULTS),
        (mine(slides=ANN.slides[1:]), Fault.RECORD_SLIDES_MISSING),
        (mine(slides=(*ANN.slides, ANN.slides[0])), Fault.RECORD_SLIDES_DIFFER),
        (
            mine(slides=(ANN.slides[0]._replace(stamp_ms=1), *ANN.slides[1:])),
            Fault.RECORD_SLIDES_DIFFER,
        ),
        (
            mine(slides=(ANN.slides[0]._replace(tiles=2), *ANN.slides[1:])),
            Fault.RECORD_SLIDES_DIFFER,
        ),
        (replace(RECORD, racers=RECORD.racers[1:]), Fault.RECORD_WITHOUT_YOU),
    ],
)
def test_record_that_differs_from_the_evidence_is_a_fault(
    record: WrittenRace, fault: Fault
) -> None:
    assert fault in record_faults(record, RESULTS, KEPT)


def test_missing_racer_without_a_nonce_is_found() -> None:
    """The seed is the same without them."""
    assert RECORD.racers[1].nonce is None
    record = replace(RECORD, racers=RECORD.racers[:1])
    assert record_faults(record, RESULTS, KEPT) == [
        Fault.RECORD_LIST,
        Fault.RECORD_NONCES,
        Fault.RECORD_RESULTS,
    ]


def test_own_nonce_is_compared_in_the_record() -> None:
    record, results = mine(nonce=None), changed(RESULTS, nonces=[])
    assert Fault.OWN_NONCE_LEFT_OUT in (record_faults(record, results, KEPT))


# --- Fetched from a server ------------------------------------------------------------


class Answers(BaseHTTPRequestHandler):
    """Gives the test's answer to every request."""

    status, body = 200, b""

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def server() -> Generator[tuple[str, type[Answers]]]:
    answers = type("These", (Answers,), {})
    with HTTPServer(("127.0.0.1", 0), answers) as listening:
        thread = Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}", answers
        listening.shutdown()
        thread.join()


def sealed(record: dict[str, Any]) -> bytes:
    return seal(record, "0" * 64, lambda _: bytes(64))


def test_record_is_fetched_and_compared(server: tuple[str, type[Answers]]) -> None:
    base, answers = server
    answers.body = sealed(raced()[1])
    assert check_record(base, RESULTS, KEPT) == []
    answers.body = sealed(raced()[1] | {"commitment": "f" * 64})
    assert check_record(base, RESULTS, KEPT) == [Fault.RECORD_COMMITMENT]


@pytest.mark.parametrize("body", [b"", b"<html>", json.dumps({"a": 1}).encode()])
def test_unreadable_record_is_a_fault(
    server: tuple[str, type[Answers]], body: bytes
) -> None:
    base, answers = server
    answers.body = body
    assert check_record(base, RESULTS, KEPT) == [Fault.RECORD_UNREADABLE]


def test_unavailable_record_is_not_a_fault(
    server: tuple[str, type[Answers]],
) -> None:
    base, answers = server
    answers.status = 404
    kept = Evidence("")
    assert check_record(base, RESULTS, kept) is None
    assert check_record("http://127.0.0.1:9", RESULTS, kept) is None


def test_record_of_a_later_version_is_not_a_fault(
    server: tuple[str, type[Answers]],
) -> None:
    base, answers = server
    answers.body = sealed(raced()[1] | {"version": 2})
    assert check_record(base, RESULTS, KEPT) is None
