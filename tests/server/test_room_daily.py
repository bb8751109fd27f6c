"""A daily room: one player, one race, on a board that nobody draws."""

from tests.server.room_fixture import RoomHarness

from sliderace.engine import Board, scramble
from sliderace.protocol import messages as m
from sliderace.race.daily import day_start_ms, parse_date
from sliderace.race.log_records import RaceEnded
from sliderace.race.refusal import Refusal
from sliderace_server.room import Connect, Disconnect, Enter, closes_at
from sliderace_server.room.draft import Draft
from sliderace_server.room.log_records import Closed

SEED = "ab" * 32
RULES = m.RulesPatch(size="3x2", start="every", countdown_ms=1_500)
DAY = parse_date("2026-11-30")
MIDNIGHT_MS = day_start_ms(DAY + 1)


def daily_room(before_midnight_ms: int = 3_600_000) -> RoomHarness:
    wall_ms = MIDNIGHT_MS - before_midnight_ms
    harness = RoomHarness(RULES, seed=SEED, kind="daily", day=DAY, wall_ms=wall_ms)
    harness.enter("Ann", creator=True, profile="ANNSPRFL")
    return harness


def closings(harness: RoomHarness) -> list[Closed]:
    return [one for one in harness.records if isinstance(one, Closed)]


def test_daily_board_is_raced_on_at_once() -> None:
    harness = daily_room()
    harness.to_phase("racing")
    assert harness.now == 1_500
    race = harness.state.race
    assert Board(race.size, race.board) == scramble(bytes.fromhex(SEED), race.size)
    room = harness.snapshot(1).room
    assert (room.kind, room.day, room.host) == ("daily", "2026-11-30", None)


def test_nobody_else_can_enter() -> None:
    harness = daily_room()
    for role in ("player", "spectator"):
        assert harness.do(Enter("Ben", "hash", role)) == Refusal("room_locked")


def test_there_is_one_race() -> None:
    harness = daily_room()
    harness.to_phase("racing")
    race = harness.race
    harness.solve(1)
    assert harness.phase() == "results"
    for command in (m.Rematch(race), m.Rematch(race)):
        assert harness.ask(1, command) == Refusal("daily_done")
    harness.wait(300_000)
    assert harness.phase() == "results"
    assert sum(isinstance(one, RaceEnded) for one in harness.records) == 1


def test_forfeit_is_final() -> None:
    harness = daily_room()
    harness.to_phase("racing")
    harness.ask(1, m.Forfeit(harness.race))
    assert harness.phase() == "results"
    assert harness.ask(1, m.Rematch(harness.race)) == Refusal("daily_done")


def test_player_comes_back_to_the_same_attempt_after_a_failure() -> None:
    harness = daily_room()
    harness.to_phase("racing")
    harness.ask(1, harness.slides(1, 1))
    board = harness.state.race.board
    harness.crash(2_000)
    harness.do(Connect(1))
    assert harness.state.race.board == board
    assert harness.state.race.attempts[harness.seat(1)].seq == 1


def test_race_that_a_failure_delays_keeps_secret_and_board() -> None:
    """Its record must lead to the anchor too."""
    harness = daily_room()
    first = harness.state.race
    assert harness.phase() == "countdown"
    draft = Draft(harness.state.copy(), harness.now, bytes(32), harness.limits)
    created = draft.new_race()
    assert (created.secret, created.known_seed) == (first.secret, SEED)
    assert created.race != first.id


def test_room_whose_day_ends_before_the_draw_is_closed() -> None:
    harness = daily_room(200)
    assert harness.phase() == "countdown"
    harness.wait(200)
    assert [one.why for one in closings(harness)] == ["timeout"]
    assert harness.phase() == "closed"
    assert harness.now == 200


def test_race_that_began_before_midnight_goes_on() -> None:
    harness = daily_room(1_000)
    harness.to_phase("racing")
    assert harness.now > 1_000
    harness.wait(10_000)
    harness.solve(1)
    assert harness.phase() == "results"
    assert closes_at(harness.state) > harness.now


def test_room_that_nobody_comes_back_to_is_closed() -> None:
    harness = daily_room()
    harness.do(Disconnect(1))
    harness.wait(60_000)
    assert closings(harness)
    assert not any(isinstance(one, RaceEnded) for one in harness.records)
