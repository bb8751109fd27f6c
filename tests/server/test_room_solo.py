"""A room for one player: nobody else enters, and each board is dealt at once."""

import pytest
from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace.race.log_records import RaceEnded
from sliderace.race.refusal import Refusal
from sliderace_server.room import Connect, Disconnect, Enter
from sliderace_server.room.commands import WireCommand
from sliderace_server.room.deadlines import EMPTY_MS
from sliderace_server.room.log_records import Closed

RULES = m.RulesPatch(size="2x2", start="every", countdown_ms=1_500)


def solo_room() -> RoomHarness:
    harness = RoomHarness(RULES, kind="solo")
    harness.enter("Ann", creator=True, profile="ANNSPRFL")
    return harness


def racing() -> RoomHarness:
    harness = solo_room()
    harness.to_phase("racing")
    return harness


def test_the_first_race_starts_at_once() -> None:
    harness = solo_room()
    assert harness.phase() == "countdown"
    harness.to_phase("racing")
    assert harness.now == 1_500


def test_the_nonce_of_the_player_is_part_of_the_draw() -> None:
    harness = solo_room()
    harness.ready(1)
    harness.to_deadline()
    harness.reveal_nonces(1)
    harness.to_phase("racing")
    assert len(harness.state.race.nonces) == 1


def test_nobody_else_can_enter() -> None:
    harness = solo_room()
    for role in ("player", "spectator"):
        assert harness.do(Enter("Ben", "hash", role)) == Refusal("room_locked")
    room = harness.snapshot(1).room
    assert (room.locked, room.public, room.kind, room.host) == (
        True, False, "solo", None,
    )  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [m.Lock(on=False), m.Settings(public=True), m.Bots([m.BotWanted("club")])],
    ids=lambda one: type(one).__name__,
)
def test_the_room_stays_private_and_without_bots(command: WireCommand) -> None:
    harness = solo_room()
    assert harness.ask(1, command) == Refusal("not_host")


def test_a_race_cannot_be_cancelled() -> None:
    """Or a bad board would cost nothing."""
    harness = racing()
    assert harness.ask(1, m.Abort(harness.race)) == Refusal("not_host")


def test_rematch_deals_the_next_board_at_once() -> None:
    harness = racing()
    first = harness.race
    assert harness.ask(1, m.Rematch(first)) == Refusal("wrong_phase")
    harness.solve(1)
    assert harness.phase() == "results"
    harness.ask(1, m.Rematch(first))
    assert harness.phase() == "countdown"
    assert harness.race != first
    began = harness.now
    harness.to_phase("racing")
    assert harness.now == began + 1_500


def test_no_race_follows_by_itself() -> None:
    harness = racing()
    harness.solve(1)
    assert harness.snapshot(1).in_ms is None
    harness.wait(300_000)
    assert harness.phase() == "results"


def test_a_forfeit_ends_the_race_at_once() -> None:
    harness = racing()
    outcome = harness.ask(1, m.Forfeit(harness.race))
    assert isinstance(outcome, list)
    assert outcome[-1] == RaceEnded(harness.now, harness.race)
    [row] = harness.snapshot(1).race.standings
    assert (row.status, row.final) == ("forfeited", True)
    assert harness.ask(1, m.Undo(harness.race)) == Refusal("too_late")
    assert harness.ask(1, m.Forfeit(harness.race)) == []
    harness.ask(1, m.Rematch(harness.race))
    assert harness.phase() == "countdown"


def test_only_a_running_race_can_be_given_up() -> None:
    harness = solo_room()
    assert harness.ask(1, m.Forfeit(harness.race)) == Refusal("not_racing")
    harness.to_deadline()
    assert harness.ask(1, m.Forfeit(harness.race)) == Refusal("wrong_phase")
    assert harness.phase() == "countdown"


def test_in_a_room_with_others_a_forfeit_can_still_be_undone() -> None:
    harness = RoomHarness(RULES)
    harness.enter("Ann", creator=True)
    harness.to_phase("racing")
    harness.ask(1, m.Forfeit(harness.race))
    assert harness.phase() == "racing"
    harness.ask(1, m.Undo(harness.race))
    harness.solve(1)
    assert harness.phase() == "results"


def test_leaving_ends_the_race_and_the_room() -> None:
    harness = racing()
    outcome = harness.ask(1, m.Leave())
    assert isinstance(outcome, list)
    assert any(isinstance(one, RaceEnded) for one in outcome)
    assert outcome[-1] == Closed(harness.now, "timeout")


def test_the_room_waits_a_minute_for_its_player() -> None:
    harness = racing()
    harness.do(Disconnect(1))
    harness.wait(EMPTY_MS - 1_000)
    harness.do(Connect(1))
    harness.solve(1)
    assert harness.phase() == "results"
    harness.do(Disconnect(1))
    harness.wait(EMPTY_MS)
    assert harness.phase() == "closed"


def test_the_room_is_the_same_after_a_killed_server() -> None:
    harness = racing()
    harness.crash(1_000)
    harness.do(Connect(1))
    harness.solve(1)
    harness.ask(1, m.Rematch(harness.race))
    assert harness.phase() == "countdown", "nobody waits for others to come back"
    harness.crash(1_000)
    harness.do(Connect(1))
    assert (harness.state.kind, harness.state.locked) == ("solo", True)
    assert harness.do(Enter("Ben", "hash")) == Refusal("room_locked")
    harness.to_phase("racing")
    assert harness.race.endswith("-2")
