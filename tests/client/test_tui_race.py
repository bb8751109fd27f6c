"""The race screen, operated by keys and clicks; the test plays the server."""

import re

import pytest
from tests.client import rooms
from tests.client.offline import (
    MINUTE,
    OfflineClient,
    app_in_race,
    app_of,
    as_guest,
    board,
    keys,
    running_app,
    screen,
    settle,
    wait_for_text,
)
from tests.client.rooms import ANN, BEN, RACE, START, member, standing

from sliderace.engine import (
    parse_board,
)
from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.tui.app import ESCAPE_MS
from sliderace_client.tui.terminal_io.sequences import SPLIT_MS
from sliderace_client.tui.widgets import Boards

# --- Countdown and race ---------------------------------------------------------------


async def test_countdown_is_shown_in_place_of_the_board() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.receive(m.PhaseEvent(0, RACE, "countdown", 5_000))
        await settle(pilot)
        canvas = pilot.app.screen.query_one("#boards", Boards)
        five = canvas.message
        client.room.now += 2_001
        await settle(pilot)
        assert canvas.message not in ("", five)
        assert canvas.placed == ()
        client.room.now += 3_000
        await settle(pilot)
        go = canvas.message
        assert go not in ("", five)
        client.race()
        await settle(pilot)
        assert board(pilot) == START
        while not client.paints:
            await settle(pilot)
    assert client.paints == 1


@pytest.mark.parametrize("pressed", [("left", "left"), ("a", "h"), ("h", "left")])
async def test_key_moves_the_tile_in_its_direction(pressed: tuple[str, ...]) -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        await pilot.press(*pressed)
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"  # at once, before any answer
        assert client.view.done


async def test_gap_preset_reverses_every_key() -> None:
    client = OfflineClient()
    async with app_in_race(client, settings=Settings(keys="gap")) as pilot:
        await pilot.press("right", "d")
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        (Settings(), "arrows, wasd, hjkl: slide"),
        (Settings(own_keys="jlik"), "arrows, ijkl: slide"),
        (Settings(own_keys="arrows"), "arrows: slide"),
    ],
)
async def test_keys_in_effect_are_shown_until_the_first_slide(
    settings: Settings, shown: str
) -> None:
    client = OfflineClient()
    async with app_in_race(client, settings=settings) as pilot:
        assert shown in screen(pilot)
        await pilot.press("?")
        await settle(pilot)
        assert shown.removesuffix(": slide") in screen(pilot)
        await pilot.press("escape", "left")
        await settle(pilot)
        assert shown not in screen(pilot)


async def test_key_held_down_at_the_edge_changes_nothing() -> None:
    client = OfflineClient()
    async with app_in_race(client, "1 2 3/4 5 6/7 0 8") as pilot:
        await pilot.press(*["right"] * 20)
        assert board(pilot) == "1 2 3/4 5 6/0 7 8"
        assert client.view.stm == 1


@pytest.mark.parametrize(
    ("own_keys", "last", "late"),
    [("arst", "a", "r"), ("adws", "left", "left"), ("adws", "8", "enter")],
)
async def test_last_keys_of_a_race_do_nothing_on_the_results(
    own_keys: str, last: str, late: str
) -> None:
    """A key that is pressed once more, even late, must not ask for a rematch."""
    client = OfflineClient()
    settings = Settings(own_keys=own_keys)
    async with app_in_race(client, "1 2 3/4 5 6/7 0 8", settings=settings) as pilot:
        await pilot.press(last)
        client.pass_time(1_500)
        client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
        client.receive(rooms.results())
        await settle(pilot)
        await pilot.press(late)
        await settle(pilot)
        assert not any(isinstance(one, m.Rematch) for one in client.commands)
        client.pass_time(2_000)
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert m.Rematch(RACE) in client.commands


async def test_click_slides_all_tiles_up_to_the_gap() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
        x, y = placed.grid.place_of(8)
        await pilot.click("#boards", offset=(placed.x + x + 1, placed.y + y + 1))
        await pilot.pause()
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"
    assert [slide[:2] for slide in client.commands[-1].slides] == [("L", 2)]  # type: ignore[union-attr]


@pytest.mark.parametrize("key", ["u", "r", "z", "backspace"])
async def test_undo_keys_say_that_races_have_no_undo(key: str) -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        await pilot.press(key)
        await settle(pilot)
        assert "Races have no undo and no reset" in screen(pilot)
        assert board(pilot) == START
    assert not any(isinstance(each, m.Undo | m.Ready) for each in client.commands)


async def test_lanes_show_progress_and_lost_connections_of_rivals() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.race()
        client.receive(m.Progress(RACE, [m.SeatProgress(1, 3, 420, 3)]))
        await settle(pilot)
        client.pass_time(2_000)
        await settle(pilot)
        assert "1 Ben" in screen(pilot)
        assert "42%" in screen(pilot)
        gone = member(BEN, 1, connected=False)
        client.receive(m.MemberEvent(0, gone, "disconnected"))
        await settle(pilot)
        assert "away" in screen(pilot)
        done = standing(1, "finished", place=1, time_ms=41_320, high=1000)
        client.receive(m.StandingEvent(0, RACE, done))
        client.receive(m.PhaseEvent(0, RACE, "grace", MINUTE))
        await settle(pilot)
        assert "41.320" in screen(pilot)
        assert "grace: 1:00.0 left" in screen(pilot)
        assert board(pilot) == START  # our race continues


async def test_small_screen_shows_the_time_left_after_the_winner() -> None:
    client = OfflineClient()
    async with running_app(client, (40, 15)) as pilot:
        client.race()
        client.pass_time(2_000)
        client.receive(m.PhaseEvent(0, RACE, "grace", MINUTE))
        await settle(pilot)
        assert "grace: 1:00.0 left" in screen(pilot)


async def test_escape_waits_only_while_a_board_is_played() -> None:
    """It closes a dialog at once, but a slow arrow key must not become Escape."""
    client = OfflineClient()
    async with running_app(client) as pilot:
        app = app_of(pilot)
        waits: list[int] = []
        app.repaint()
        waits.append(app.escape_ms)
        client.race()
        await settle(pilot)
        app.repaint()
        waits.append(app.escape_ms)
        await pilot.press("f")
        app.repaint()
        waits.append(app.escape_ms)
    assert waits == [ESCAPE_MS, SPLIT_MS, ESCAPE_MS]


async def test_giving_up_asks_first_and_can_be_undone_for_three_seconds() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        await pilot.press("f")
        await settle(pilot)
        assert "Give up?" in screen(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert client.commands == []
        client.room.now += 2_000
        await pilot.press("f", "y")
        assert client.commands == [m.Forfeit(RACE)]
        out = standing(0, "forfeited")
        client.receive(m.StandingEvent(0, RACE, out))
        await settle(pilot)
        assert "undo giving up" in keys(pilot)
        await pilot.press("u")
        assert client.commands == [m.Forfeit(RACE), m.Undo(RACE)]
        client.room.now += 3_001
        await settle(pilot)
        assert "undo giving up" not in keys(pilot)


async def test_board_is_shown_but_locked_during_inspection() -> None:
    client = OfflineClient(room=rooms.room(rules=Rules("3x3", inspection_ms=3_000)))
    async with running_app(client) as pilot:
        client.receive(m.PhaseEvent(0, RACE, "countdown", 0, [0, 1]))
        client.receive(m.BoardEvent(RACE, None, 0, START, in_ms=3_000))
        client.receive(m.PhaseEvent(0, RACE, "racing", MINUTE, [0, 1]))
        await settle(pilot)
        await pilot.press("left")
        assert board(pilot) == START
        assert "look, but do not touch yet" in screen(pilot)
        client.room.now += 3_000
        await settle(pilot)
        await pilot.press("left")
        assert board(pilot) == "1 2 3/4 5 6/7 0 8"


async def test_own_board_works_without_a_connection() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        client.model.lost()
        await pilot.press("left")
        await settle(pilot)
        assert board(pilot) == "1 2 3/4 5 6/7 0 8"
        assert "↯ reconnecting, 1 slide kept" in screen(pilot)
        await pilot.press("f", "y")
        await settle(pilot)
        assert "There is no connection at the moment." in screen(pilot)


async def test_own_place_is_unknown_without_a_connection() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        client.receive(m.Progress(RACE, [m.SeatProgress(1, 3, 420, 3)]))
        await settle(pilot)
        client.pass_time(2_000)
        await settle(pilot)
        assert "2nd of 2" in screen(pilot)
        client.model.lost()
        await settle(pilot)
        assert "2nd of 2" not in screen(pilot)
        assert "2 racers" in screen(pilot)


async def test_player_sees_that_the_server_owes_an_answer() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        await pilot.press("left")
        client.pass_time(1_500)
        await settle(pilot)
        assert "↯ waiting for the server, 1 slide kept" in screen(pilot)
        client.receive(m.Ack(RACE, 1))
        await settle(pilot)
        assert "waiting for the server" not in screen(pilot)


async def test_player_sees_that_a_probe_has_no_answer() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        client.pass_time(5_000)
        client.pass_time(1_500)
        await settle(pilot)
        assert "↯ waiting for the server" in screen(pilot)
        assert "kept" not in screen(pilot)


async def test_guest_is_told_that_the_host_has_ended_the_game_and_can_leave() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.receive(m.Closed(0, "host_ended"))
        client.model.lost(1012)
        await settle(pilot)
        assert "↯ the host has ended the game; q leaves" in screen(pilot)
        await pilot.press("q", "y")
        await pilot.pause()
        assert not pilot.app.is_running


async def test_host_can_end_the_grace_time_and_call_the_race_off() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.race()
        client.receive(m.PhaseEvent(0, RACE, "grace", MINUTE))
        await settle(pilot)
        await pilot.press("e")
        await settle(pilot)
        assert "End the race now, for everybody?" in screen(pilot)
        assert client.commands == []
        await pilot.press("n")
        client.room.now += 2_000
        await pilot.press("e")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        await pilot.press("x")
        await settle(pilot)
        await pilot.press("y")
    assert client.commands == [m.CallTime(RACE), m.Abort(RACE)]


# --- Watching -------------------------------------------------------------------------

CROWD = [member(n, n - 1, f"P{n}") for n in range(2, 8)]


def as_spectator() -> OfflineClient:
    client = as_guest(members=[member(ANN, None, "Ann"), *CROWD])
    client.room.receive(rooms.welcome(seat=None))
    client.room.receive(
        rooms.snapshot(
            client.room.offset,
            room=rooms.room(host=BEN),
            members=[member(ANN, None, "Ann"), *CROWD],
        )
    )
    return client


async def test_spectator_sees_every_board_move() -> None:
    client = as_spectator()
    async with running_app(client, (120, 40), kind="watch") as pilot:
        client.race(roster=(1, 2, 3, 4, 5, 6))
        steps = [m.SeatProgress(n, 1, 100 * n, 1, 0, "L") for n in range(1, 7)]
        client.receive(m.Progress(RACE, steps))
        await settle(pilot)
        placed = pilot.app.screen.query_one("#boards", Boards).placed
        assert len(placed) == 6
        moved = parse_board("1 2 3/4 5 6/7 0 8").tiles
        assert {each.tiles for each in placed} == {moved}
        client.receive(m.Progress(RACE, [m.SeatProgress(3, 2, 1000, 2, 1, "L")]))
        await settle(pilot)
        placed = pilot.app.screen.query_one("#boards", Boards).placed
        assert [each.tiles == moved for each in placed].count(False) == 1
        await pilot.press("left")
        await wait_for_text(pilot, "P2")
    assert client.commands == []


async def test_boards_have_no_ranks_before_the_leaderboard_has() -> None:
    client = as_spectator()
    async with running_app(client, (120, 40), kind="watch") as pilot:
        client.race(roster=(1, 2, 3, 4, 5, 6))
        steps = [m.SeatProgress(n, 1, 100 * n, 1, 0, "L") for n in range(1, 7)]
        client.receive(m.Progress(RACE, steps))
        await settle(pilot)
        ranks = [re.findall(r"(\d).P7", screen(pilot))]
        client.pass_time(2_000)
        await settle(pilot)
        ranks.append(re.findall(r"(\d).P7", screen(pilot)))
        assert ranks == [[], ["1"]]


async def test_key_shows_the_boards_that_do_not_fit() -> None:
    client = as_spectator()
    async with running_app(client, (40, 15), kind="watch") as pilot:
        client.race(roster=(1, 2, 3, 4, 5, 6))
        client.receive(
            m.Progress(RACE, [m.SeatProgress(n, 0, 0, 0, 0, "") for n in range(1, 7)])
        )
        await settle(pilot)
        seen = {f"P{n}" for n in range(2, 8) if f"P{n} " in screen(pilot)}
        if len(pilot.app.screen.query_one("#boards", Boards).placed) < 6:
            await pilot.press("n")
            await settle(pilot)
            seen |= {f"P{n}" for n in range(2, 8) if f"P{n} " in screen(pilot)}
        assert len(seen) == 6


async def test_finished_player_can_watch_others() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        await pilot.press("left", "left")
        done = standing(0, "finished", place=1, time_ms=5_000, high=1000)
        client.receive(m.StandingEvent(0, RACE, done))
        client.receive(m.Progress(RACE, [m.SeatProgress(1, 1, 100, 1, 0, "L")]))
        client.pass_time(1_499)
        await settle(pilot)
        canvas = pilot.app.screen.query_one("#boards", Boards)
        shown = [len(canvas.placed)]
        client.pass_time(1)
        await settle(pilot)
        assert [*shown, len(canvas.placed)] == [1, 2]
        await pilot.press("v")
        await settle(pilot)
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"


# --- Latency and places ---------------------------------------------------------------


async def test_latency_is_shown_beside_names_in_the_lobby_only() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.receive(
            m.LatencyEvent([m.MemberLatency(ANN, 1, 0), m.MemberLatency(BEN, 23, 4)])
        )
        await settle(pilot)
        assert "Ann 1 ms" in screen(pilot)
        assert "Ben 23±4 ms" in screen(pilot)
        client.receive(
            m.MemberEvent(0, member(BEN, 1, connected=False), "disconnected")
        )
        await settle(pilot)
        assert "23±4 ms" not in screen(pilot)
        client.receive(m.MemberEvent(0, member(BEN, 1), "connected"))
        client.race()
        await settle(pilot)
        assert "23±4 ms" not in screen(pilot)


async def test_provisional_place_is_marked() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        await pilot.press("left", "left")
        done = standing(0, "finished", place=1, time_ms=5_000, high=1000)
        client.receive(m.StandingEvent(0, RACE, done))
        await settle(pilot)
        assert " 1?Ann" in screen(pilot)
        assert "solved in 5.000, 1st so far" in screen(pilot)
        client.receive(m.WinnerEvent(0, RACE, [0]))
        await settle(pilot)
        assert "Ann has won" in screen(pilot)
        assert " 1 Ann" in screen(pilot)
        assert "solved in 5.000, 1st " in screen(pilot)
        assert "so far" not in screen(pilot)
