"""A room that closes in mid-race: what was raced by then has its results."""

import pytest
from tests.server.room_fixture import Stage

from sliderace.protocol import messages as m
from sliderace.race.log_records import DidNotFinish, RaceEnded
from sliderace_server import room
from sliderace_server.room import Disconnect, RoomLimits
from sliderace_server.room.log_records import Closed


def of_two(away_ms: int = 60_000) -> Stage:
    rules = m.RulesPatch(size="3x2", away_ms=away_ms, limit_ms=0)
    stage = Stage(rules, limits=RoomLimits())
    stage.enter("Ann")
    stage.enter("Ben")
    return stage


def outcome(stage: Stage) -> list[tuple[str, str]]:
    return [(row.status, row.why) for row in room.standings_of(stage.state)]


def test_a_room_that_its_host_closes_keeps_the_times_of_who_finished() -> None:
    stage = of_two()
    stage.race_of(1, 2)
    stage.solve(2)
    stage.ask(1, m.Close())
    kinds = [type(record) for record in stage.records[-3:]]
    assert kinds == [DidNotFinish, RaceEnded, Closed]
    assert outcome(stage) == [("finished", ""), ("dnf", "called")]
    *_, results, closed = stage.events
    assert isinstance(results, m.Results)
    assert closed == m.Closed(stage.state.offset, "host")


@pytest.mark.parametrize("away_ms", [60_000, 120_000, 300_000])
def test_a_race_that_everybody_has_left_ends_with_results(away_ms: int) -> None:
    """Also where the room closes at the very moment at which they are out."""
    stage = of_two(away_ms)
    stage.race_of(1, 2)
    stage.ask(2, stage.slides(2, 1))
    stage.do(Disconnect(1))
    stage.do(Disconnect(2))
    while not stage.state.closed:
        assert stage.to_deadline()
    assert sum(isinstance(one, RaceEnded) for one in stage.records) == 1
    assert outcome(stage) == [("dnf", "away"), ("dnf", "away")]


def test_a_race_without_an_end_ends_with_its_room() -> None:
    rules = m.RulesPatch(size="3x2", limit_ms=0)
    stage = Stage(rules, limits=RoomLimits())
    stage.enter("Ann")
    stage.race_of(1)
    stage.ask(1, stage.slides(1, 1))
    stage.wait(6 * 3_600_000)
    assert stage.state.closed == "timeout"
    assert outcome(stage) == [("dnf", "limit")]


def test_what_was_not_raced_has_none() -> None:
    stage = of_two()
    stage.ask(1, m.Close())
    assert not any(isinstance(one, RaceEnded) for one in stage.records)
