"""Checkpoints: a room between two races needs no older records."""

from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace_server import room
from sliderace_server.room.log_records import Checkpoint, RoomOpened
from sliderace_server.storage.record_codec import decode


def raced(races: int) -> RoomHarness:
    """Return a room whose two players have raced so often, with the next race
    created."""
    harness = RoomHarness(m.RulesPatch(size="2x2"))
    ann, ben = harness.enter("Ann", creator=True), harness.enter("Ben")
    for _ in range(races):
        harness.start_race(ann, ben)
        harness.solve(ann)
        harness.solve(ben)
        harness.ask(ann, m.Rematch(harness.race))
    return harness


def test_a_checkpoint_follows_each_race_and_contains_the_whole_room() -> None:
    harness = raced(3)
    log = [decode(data) for data in harness.log]
    at = [n for n, record in enumerate(log) if isinstance(record, Checkpoint)]
    assert len(at) == 3
    for position in at:
        assert room.fold(log[position : position + 1]) == room.fold(log[:position])
        assert room.fold(log[position:]) == harness.state


def test_new_settings_need_no_checkpoint() -> None:
    harness = raced(1)
    before = harness.checkpoint
    assert harness.state.host is not None
    settings = m.Settings(rules=m.RulesPatch(size="2x3"))
    assert isinstance(harness.ask(harness.state.host, settings), list)
    assert harness.checkpoint == before


def test_the_series_is_in_the_checkpoint() -> None:
    harness = raced(2)
    assert [score.wins for score in harness.state.series.scores] == [2, 2]
    assert room.checkpoint(harness.state).series == harness.state.series


def test_repr_of_a_checkpoint_reveals_no_secret() -> None:
    harness = raced(1)
    record = room.checkpoint(harness.state)
    assert harness.state.race.secret not in repr(record)


def test_the_log_before_a_checkpoint_is_not_read() -> None:
    harness = raced(2)
    assert harness.checkpoint is not None
    assert isinstance(decode(harness.log[0]), RoomOpened)
    harness.log = harness.log[harness.checkpoint :]
    harness.checkpoint = 0
    harness.crash(5_000)
    assert harness.state.race.phase == "lobby"
    assert [one.name for one in harness.state.members.values()] == ["Ann", "Ben"]
