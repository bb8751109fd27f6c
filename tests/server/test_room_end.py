"""A race has results even if its room closes during it."""

import pytest
from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace.race.log_records import DidNotFinish, RaceEnded
from sliderace_server import room
from sliderace_server.room import Disconnect, RoomLimits
from sliderace_server.room.log_records import Closed


def two_players(away_ms: int = 60_000) -> RoomHarness:
    rules = m.RulesPatch(size="3x2", away_ms=away_ms, limit_ms=0)
    harness = RoomHarness(rules, limits=RoomLimits())
    harness.enter("Ann")
    harness.enter("Ben")
    return harness


def outcome(harness: RoomHarness) -> list[tuple[str, str]]:
    return [(row.status, row.why) for row in room.standings_of(harness.state)]


def test_closing_a_room_keeps_the_times_of_finished_racers() -> None:
    harness = two_players()
    harness.start_race(1, 2)
    harness.solve(2)
    harness.ask(1, m.Close())
    kinds = [type(record) for record in harness.records[-3:]]
    assert kinds == [DidNotFinish, RaceEnded, Closed]
    assert outcome(harness) == [("finished", ""), ("dnf", "called")]
    *_, results, closed = harness.events
    assert isinstance(results, m.Results)
    assert closed == m.Closed(harness.state.offset, "host")


@pytest.mark.parametrize("away_ms", [60_000, 120_000, 300_000])
def test_an_abandoned_race_ends_with_results(away_ms: int) -> None:
    """Also if the room closes at the moment at which the racers are out."""
    harness = two_players(away_ms)
    harness.start_race(1, 2)
    harness.ask(2, harness.slides(2, 1))
    harness.do(Disconnect(1))
    harness.do(Disconnect(2))
    while not harness.state.closed:
        assert harness.to_deadline()
    assert sum(isinstance(one, RaceEnded) for one in harness.records) == 1
    assert outcome(harness) == [("dnf", "away"), ("dnf", "away")]


def test_a_race_ends_when_its_room_closes() -> None:
    rules = m.RulesPatch(size="3x2", limit_ms=0)
    harness = RoomHarness(rules, limits=RoomLimits())
    harness.enter("Ann")
    harness.start_race(1)
    harness.ask(1, harness.slides(1, 1))
    harness.wait(6 * 3_600_000)
    assert harness.state.closed == "timeout"
    assert outcome(harness) == [("dnf", "away")]


def test_a_race_that_never_started_has_no_results() -> None:
    harness = two_players()
    harness.ask(1, m.Close())
    assert not any(isinstance(one, RaceEnded) for one in harness.records)
