"""Results, menu and solo; sizes and colours of terminals."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.client import rooms
from tests.client.offline import (
    MINUTE,
    Driver,
    OfflineClient,
    app_from,
    app_in_race,
    app_of,
    board,
    expected_rows,
    keys,
    running_app,
    screen,
    settle,
    wait_for_text,
    wait_until_stored,
)
from tests.client.rooms import RACE, standing
from textual.events import Key

from sliderace.engine import (
    Size,
    format_board,
    parse_board,
    scramble,
    seed_from_text,
)
from sliderace.protocol import messages as m
from sliderace.protocol.parts import Signal
from sliderace.race.rules import Rules
from sliderace_client.launch import Start
from sliderace_client.local_server import WaitingRoom
from sliderace_client.race_records import ListedRace, PastRaces
from sliderace_client.room.outcomes import Fault
from sliderace_client.shared_ui.render import BASIC, LAYERS, LIGHT
from sliderace_client.shared_ui.settings import Settings, load
from sliderace_client.tui.actions import HeldKey
from sliderace_client.tui.screens.menu import MenuScreen
from sliderace_client.tui.screens.past_races import PastRacesScreen
from sliderace_client.tui.widgets import Boards

# --- Results --------------------------------------------------------------------------


def two_results() -> m.Results:
    first = standing(
        0, "finished", place=1, time_ms=41_320, solve_ms=40_000, stm=120, mtm=99
    )
    second = standing(1, "dnf", place=2, why="limit", high=423, stm=17)
    return rooms.results(standings=[first, second])


async def finished(client: OfflineClient, pilot: Driver) -> None:
    client.race(format_board(parse_board(rooms.results().board)))
    client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
    client.receive(two_results())
    await settle(pilot)


async def test_results_are_a_table_with_reasons_and_proof() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await finished(client, pilot)
        text = " ".join(screen(pilot).split())
    assert "1 Ann 41.320 racer time" in text
    assert "1 Ann 41.320 120 3.00 99 40.000" in text
    assert "2 Ben DNF 42% 17 time is up" in text
    assert "✓ Secret, nonces, seed and board match the commitment." in text


async def test_results_that_are_not_proven_are_reported() -> None:
    client = OfflineClient(room=rooms.room(commitment="0" * 64))
    async with running_app(client) as pilot:
        await finished(client, pilot)
        assert "✗ " in screen(pilot)
        assert "match the commitment" not in screen(pilot)


async def test_marks_beside_times_are_explained() -> None:
    near: dict[str, Any] = {"stm": 9, "photo": True, "final": True}
    rows = [
        standing(
            0, "finished", place=1, time_ms=41_320, credit_ms=900, outage_ms=800, **near
        ),
        standing(1, "finished", place=2, time_ms=41_330, **near),
    ]
    results = rooms.results(standings=rows, friendly_timing=True)
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.race(results.board)
        client.receive(results)
        client.model.record_checked(RACE, [])
        await settle(pilot)
        text = screen(pilot)
    assert "41.320≈†" in text
    assert "41.330≈ " in text
    assert "≈ photo finish" in text
    assert "† part of the credit is for an outage of the server (800 ms)" in text
    assert "Friendly timing: up to 100 ms more credit" in text
    assert "✓ Checked: the race record agrees with what you saw and sent." in text


async def test_small_screen_keeps_the_time_of_a_daily_race() -> None:
    own = standing(0, "finished", place=1, time_ms=41_320, credit_ms=30)
    results = rooms.results(standings=[own])
    client = OfflineClient(room=rooms.room(kind="daily", locked=True))
    async with running_app(client, (40, 15)) as pilot:
        client.race(results.board, roster=(0,))
        client.receive(results)
        client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
        client.model.record_checked(RACE, [])
        await settle(pilot)
        assert screen(pilot).count("41.320") == 2, "on the podium and in the table"
        assert "Fixed beforehand.  ✓ Checked." in screen(pilot)


@pytest.mark.parametrize(("size", "fit"), [((40, 15), 4), ((80, 24), 9)])
async def test_results_that_do_not_fit_scroll_and_keep_the_players_own(
    size: tuple[int, int], fit: int
) -> None:
    rows = [
        standing(n, "finished", place=n + 1, time_ms=40_000 + n) for n in range(1, 16)
    ]
    own = standing(0, "forfeited", place=16)
    results = rooms.results(standings=[*rows, own])
    client = OfflineClient()
    async with running_app(client, size) as pilot:
        client.race(results.board)
        client.receive(results)
        client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
        client.model.record_checked(RACE, [])
        await settle(pilot)
        times: set[str] = set()
        for _ in range(15):
            text = screen(pilot)
            assert "gave up" in text
            assert "of 16 racers" in text
            assert "✓ Checked" in text
            seen = re.findall(r"40\.0\d\d", text.partition("racer")[2])
            assert len(seen) >= fit - 1 or times  # the last rows may be fewer
            times |= set(seen)
            await pilot.press("down")
            await settle(pilot)
    assert len(times) == 15


async def test_race_record_that_was_not_checked_is_reported() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await finished(client, pilot)
        client.model.record_checked(RACE, None)
        await settle(pilot)
        text = screen(pilot)
    assert "Not checked: the server did not provide the race record." in text
    assert "✓ Checked" not in text


async def test_race_record_that_differs_is_reported_in_full() -> None:
    client = OfflineClient()
    async with running_app(client, (40, 15)) as pilot:
        await finished(client, pilot)
        client.model.record_checked(RACE, [Fault.RECORD_SLIDES_DIFFER])
        await settle(pilot)
        text = " ".join(screen(pilot).split())
    assert "✗ The slides recorded as yours are not the ones you made." in text
    assert "Checked" not in text


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_host_sees_signals_but_no_verdict(size: tuple[int, int]) -> None:
    even = m.SeatSignals(
        0,
        [
            Signal("tps_milli", 3_210, None, None, "proves nothing", False),
            Signal("cv_milli", 80, 250, None, "0 of 2,489 were below", True),
        ],
    )
    client = OfflineClient()
    async with running_app(client, size) as pilot:
        await finished(client, pilot)
        assert "signals" not in keys(pilot)
        client.receive(m.Signals(RACE, [even]))
        await settle(pilot)
        await pilot.press("g")
        await settle(pilot)
        text = " ".join(screen(pilot).replace("│", " ").split())
    assert "Signals, never verdicts" in text
    for word in ("TPS", "3.21", "0.08*", "≥0.25", "record solvers"):
        assert word in text


async def test_last_results_stay_available_after_a_rematch() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await finished(client, pilot)
        await pilot.press("r")
        assert client.commands == [m.Rematch(RACE)]
        client.next_lobby()
        await settle(pilot)
        assert "sliderace join KWXTRB@192.0.2.7:8710" in screen(pilot)
        await pilot.press("v")
        await settle(pilot)
        assert "1 Ann 41.320" in screen(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "sliderace join KWXTRB@192.0.2.7:8710" in screen(pilot)


async def test_unavailable_race_record_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    client = OfflineClient()
    async with running_app(client, server="http://127.0.0.1:9") as pilot:
        await finished(client, pilot)
        await pilot.press("s")
        await wait_until_stored(pilot)
        assert "Cannot reach" in screen(pilot)
    assert list(tmp_path.iterdir()) == []


async def test_aborted_race_is_reported() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.race()
        client.receive(m.PhaseEvent(0, RACE, "aborted", None, why="host"))
        await settle(pilot)
        assert "called off" in screen(pilot)
        await pilot.press("r")
    assert client.commands == [m.Rematch(RACE)]


# --- Sizes and colours of terminals ---------------------------------------------------


@pytest.mark.parametrize("phase", ["lobby", "race", "results"])
async def test_screens_survive_every_size_down_to_1x1(phase: str) -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        if phase == "race":
            client.race()
        if phase == "results":
            await finished(client, pilot)
        for size in ((1, 1), (2, 3), (39, 12), (40, 11), (200, 60), (1, 60), (40, 12)):
            await pilot.resize_terminal(*size)
            too_small = size[0] < 40 or size[1] < 12
            while pilot.app.screen.has_class("-too-small") != too_small:
                await settle(pilot)
            if size in ((39, 12), (40, 11)):
                await wait_for_text(pilot, "is too small")
        await wait_for_text(pilot, "sliderace")


@pytest.mark.parametrize("side", range(3, 11))
async def test_every_board_can_be_played_in_40x15(side: int) -> None:
    solved = [*range(1, side * side), 0]
    solved[-2:] = [0, side * side - 1]
    rows = [solved[i : i + side] for i in range(0, side * side, side)]
    start = "/".join(" ".join(map(str, row)) for row in rows)
    client = OfflineClient(room=rooms.room(rules=Rules(f"{side}x{side}")))
    async with app_in_race(client, start, size=(40, 15)) as pilot:
        assert board(pilot) == start
        canvas = pilot.app.screen.query_one("#boards", Boards)
        (placed,) = canvas.placed
        assert placed.x + placed.grid.columns <= canvas.size.width
        assert placed.y + placed.grid.rows <= canvas.size.height
        assert "Ben" in screen(pilot)
        assert "f give up" in screen(pilot)


@pytest.mark.parametrize(
    ("wish", "variable", "coloured"),
    [
        ("auto", "1", False),
        ("never", "", False),
        ("auto", "", True),
        ("always", "1", True),
    ],
)
async def test_colours_follow_setting_and_environment(
    monkeypatch: pytest.MonkeyPatch, wish: str, variable: str, coloured: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", variable)
    client = OfflineClient()
    async with app_in_race(client, settings=Settings(color=wish)) as pilot:
        strips = expected_rows(app_of(pilot))
        styles = [part.style for strip in strips for part in strip if part.style]
        colours = [c for style in styles for c in (style.color, style.bgcolor) if c]
        assert any(not colour.is_default for colour in colours) == coloured
        if coloured:
            tints = {colour.name for colour in colours}
            assert set(LAYERS[:2]) <= tints
        assert ("┌" in screen(pilot)) == (not coloured)


async def test_terminal_with_16_colours_gets_exactly_these(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLORTERM")
    async with running_app(OfflineClient(), settings=Settings(theme="light")) as pilot:
        assert app_of(pilot).look == BASIC
        assert pilot.app.screen.styles.background.hex == BASIC.ground


async def test_light_terminal_gets_a_light_background(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")
    async with running_app(OfflineClient()) as pilot:
        assert app_of(pilot).look == LIGHT


async def test_ctrl_c_exits_with_130() -> None:
    async with running_app(OfflineClient()) as pilot:
        await pilot.press("ctrl+c")
    assert pilot.app.return_code == 130


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_background_follows_the_setting(theme: str) -> None:
    async with running_app(OfflineClient(), settings=Settings(theme=theme)) as pilot:
        ground = pilot.app.screen.styles.background.hex.lower()
        assert ground == app_of(pilot).look.ground
        assert pilot.app.current_theme.dark == (theme == "dark")


# --- Menu and solo --------------------------------------------------------------------


async def test_given_board_is_not_kept_as_best() -> None:
    async with app_from(Start("solo", board="1 2 3/4 5 6/7 0 8")) as pilot:
        await pilot.press("left")
        await settle(pilot)
        assert "solved in " in screen(pilot)
        assert "best " not in screen(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert "best " not in screen(pilot)


async def test_best_time_on_random_boards_is_kept() -> None:
    async with app_from(Start("solo", size="2x2", seed="t0")) as pilot:
        assert board(pilot) == "1 2/0 3"
        await pilot.press("left")
        await settle(pilot)
        assert "best " in screen(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert "best " in screen(pilot)


async def test_solo_board_can_be_solved_and_repeated() -> None:
    async with app_from(Start("solo", board="1 2 3/4 5 6/0 7 8")) as pilot:
        assert "the first slide starts it" in screen(pilot)
        await pilot.press("right", "left")
        (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
        x, y = placed.grid.place_of(8)
        await pilot.click("#boards", offset=(placed.x + x + 1, placed.y + y + 1))
        await settle(pilot)
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"
        assert "solved in " in screen(pilot)
        assert "2 moves" in screen(pilot)
        await pilot.press("up", "r")
        await settle(pilot)
        assert board(pilot) == "1 2 3/4 5 6/0 7 8"
        await pilot.press("+")
        await settle(pilot)
        assert board(pilot).count("/") == 3
        await pilot.press("-", "n", "q")
    assert pilot.app.return_code == 0


@pytest.mark.parametrize(
    ("start", "words", "foreign"),
    [
        (Start("solo"), "a larger or smaller board", "rematch"),
        (Start("menu", name="Ann"), "keys, colours, pointer", "give up"),
        (Start("menu", name="Ann"), "leaderboards: the best", "other boards"),
    ],
)
async def test_help_is_about_the_screen(start: Start, words: str, foreign: str) -> None:
    async with app_from(start) as pilot:
        await pilot.press("?")
        await pilot.pause()
        assert words in screen(pilot)
        assert foreign not in screen(pilot)


async def test_help_of_the_results_explains_their_columns() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await finished(client, pilot)
        assert "credit" not in screen(pilot)  # nobody has one
        await pilot.press("?")
        await pilot.pause()
        for column in ("TPS", "MTM", "solve", "credit"):
            assert f" {column} " in screen(pilot)


async def test_message_of_the_form_disappears_in_the_game() -> None:
    async with app_from(Start("menu", name="Ann")) as pilot:
        await pilot.press("s")
        await wait_for_text(pilot, "Play alone")
        await pilot.press("end", *"x1", "enter")
        await wait_for_text(pilot, "A size is 2x2 to 10x10")
        await pilot.press("backspace", "backspace", "enter")
        await wait_for_text(pilot, "practice, 4x4")
        assert "A size is 2x2 to 10x10" not in screen(pilot)


async def test_solo_with_a_seed_shows_its_scramble() -> None:
    text = format_board(scramble(seed_from_text("tea"), Size(3, 3)))
    async with app_from(Start("solo", size="3x3", seed="tea"), (40, 15)) as pilot:
        assert board(pilot) == text


async def test_menu_leads_everywhere_and_back() -> None:
    async with app_from(Start("menu", name="Ann")) as pilot:
        assert "enter a room" in screen(pilot)
        for key, words in (("h", "Open a room"), ("w", "Watch a room")):
            await pilot.press(key)
            await settle(pilot)
            assert words in screen(pilot)
            assert "Ann" in screen(pilot)
            await pilot.press("escape")
        await settle(pilot)
        await pilot.click("#entries", offset=(6, 5))
        await settle(pilot)
        assert "Play alone" in screen(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert "practice, 4x4" in screen(pilot)
        await pilot.press("q")
        await settle(pilot)
        assert "enter a room" in screen(pilot)
        await pilot.press("q")
    assert pilot.app.return_code == 0


async def test_invalid_input_is_reported_in_the_form() -> None:
    async with app_from(Start("menu", name="Ann")) as pilot:
        await pilot.press("s")
        await settle(pilot)
        await pilot.press(*"x1", "enter")
        await settle(pilot)
        assert "Play alone" in screen(pilot)
        assert "x1" in screen(pilot).splitlines()[-2]
        await pilot.press("escape", "j", *"AEIOU", "enter")
        await settle(pilot)
        assert "not a room code" in screen(pilot)


async def test_settings_are_applied_at_once_and_stored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    async with app_from(Start("menu", name="Ann")) as pilot:
        await pilot.press("e")
        await pilot.pause()
        assert "move the tile" in screen(pilot)
        await pilot.press("right", "down", "down", "left", "enter")
        await wait_until_stored(pilot)
        assert app_of(pilot).look == LIGHT
    kept, complaints = await asyncio.to_thread(load)
    assert (kept.keys, kept.theme, complaints) == ("gap", "light", [])


async def test_escape_twice_at_once_closes_a_form_only_once() -> None:
    async with app_from(Start("menu", name="Ann")) as pilot:
        menu = keys(pilot)
        await pilot.press("j")
        await pilot.pause()
        assert keys(pilot) != menu
        for _ in range(2):
            pilot.app.post_message(Key("escape", None))
        await settle(pilot)
        assert keys(pilot) == menu


async def test_past_races_are_a_list_that_scrolls() -> None:
    async with app_from(Start("menu", name="Ann"), (60, 15)) as pilot:
        past = PastRacesScreen(app_of(pilot))
        await pilot.app.push_screen(past)
        await settle(pilot)
        assert "Asking the server" in screen(pilot)
        assert "older" not in keys(pilot)
        when = "2026-01-01 10:00"
        races = [ListedRace(when, f"K-{n}", "4x4", f"[b]{n}[/b]") for n in range(30)]
        past.show_races(PastRaces(races))
        await settle(pilot)
        assert "▸ 2026-01-01 10:00  K-0   4x4   [b]0[/b]" in screen(pilot)
        for _ in range(5):
            await pilot.press("pagedown")
        await settle(pilot)
        assert re.search(r"when +race +size +results", screen(pilot))
        assert "▸ 2026-01-01 10:00  K-29" in screen(pilot)
        await pilot.press("home", "down")
        await settle(pilot)
        assert "▸ 2026-01-01 10:00  K-1 " in screen(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "enter a room" in screen(pilot)


async def test_seed_of_a_random_board_is_shown_whole_and_leads_to_it() -> None:
    async with app_from(Start("solo", size="4x4")) as pilot:
        await settle(pilot)
        found = re.search(r"seed ([a-z]{12})\b", screen(pilot))
        assert found
        drawn = scramble(seed_from_text(found[1]), Size(4, 4))
        (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
        assert placed.tiles == drawn.tiles


class Repeating(HeldKey):
    def is_repeat(self, key: str, now: int) -> bool:  # noqa: ARG002 - whatever it is
        return True


async def test_new_board_and_next_picture_count_every_press() -> None:
    """Even if it looks like a repeat: only what is switched on and off waits."""
    async with app_from(Start("solo", size="4x4", seed="tea")) as pilot:
        app_of(pilot).held_key = Repeating()
        boards, pictures = [board(pilot)], [app_of(pilot).settings.picture]
        for _ in range(2):
            await pilot.press("n")
            boards.append(board(pilot))
        for _ in range(2):
            await pilot.press("i")
            pictures.append(app_of(pilot).settings.picture)
    assert len({*boards}) == 3
    assert len({*pictures}) == 3


async def test_a_screen_that_is_too_small_says_so_in_whole_words() -> None:
    async with app_from(Start("solo", size="4x4"), (30, 10)) as pilot:
        assert "30x10 is too small." in screen(pilot)
        assert "Needed: 40x12" in screen(pilot)


async def test_solo_takes_slides_back() -> None:
    async with app_from(Start("solo", size="3x3", seed="tea")) as pilot:
        await settle(pilot)
        await pilot.press("u")
        await settle(pilot)
        start = board(pilot)
        await pilot.press("left", "right", "up", "down", "u")
        await pilot.press("u", "u", "u", "u")
        while board(pilot) != start:
            await settle(pilot)


async def test_reason_why_there_are_no_past_races_is_shown_whole() -> None:
    why = "Cannot reach http://a-server-with-a-long-name.example:8710: refused."
    async with app_from(Start("menu", name="Ann"), (40, 15)) as pilot:
        past = PastRacesScreen(app_of(pilot))
        await app_of(pilot).push_screen(past)
        past.show_races(PastRaces(why=why))
        await settle(pilot)
        shown = " ".join(screen(pilot).split())
        assert "refused." in shown
        assert "example:8710" in shown.replace(" ", "")


# --- Rooms where others wait ----------------------------------------------------------


async def menu(pilot: Driver) -> MenuScreen:
    for worker in list(pilot.app.workers):
        if worker.group == "waiting":
            await worker.wait()
    assert isinstance(pilot.app.screen, MenuScreen)
    return pilot.app.screen


@pytest.mark.parametrize("size", [(40, 15), (80, 24)])
async def test_menu_leads_back_to_a_room_where_others_wait(
    size: tuple[int, int],
) -> None:
    async with app_from(Start("menu", name="Ann"), size) as pilot:
        await menu(pilot)
        assert "Return" not in screen(pilot)
        app_of(pilot).entrance.waiting = WaitingRoom("http://127.0.0.1:9", "KWXTRB", 2)
        await settle(pilot)
        assert "Return        KWX-TRB: 2 oth" in screen(pilot)
        await pilot.press("up")  # from the first to the last; not all fit at once
        await settle(pilot)
        assert "Quit" in screen(pilot), "every entry is still there"
        await pilot.press("b")
        await settle(pilot)
        begin = app_of(pilot).begin
        assert (begin.code, begin.role, begin.named) == ("KWXTRB", "player", False)


async def test_leaving_without_a_connection_leads_back_to_the_menu() -> None:
    client = OfflineClient()
    async with running_app(client, kind="menu") as pilot:
        shown = await menu(pilot)
        app_of(pilot).enter_room(replace(app_of(pilot).begin, kind="join"))
        await wait_for_text(pilot, "sliderace join KWXTRB")
        client.model.lost(1006)
        await pilot.press("q", "y")
        await settle(pilot)
        assert pilot.app.screen is shown
        assert not app_of(pilot).in_room
        assert pilot.app.is_running


async def test_host_is_asked_whether_to_go_back() -> None:
    entered: list[str] = []
    async with app_from(Start("menu", name="Ann")) as pilot:
        shown = await menu(pilot)
        for key in ("h", "n", "o", "y"):
            shown.ask_to_return(WaitingRoom("", "KWXTRB", 1), entered.append)
            await pilot.press(key)
            assert pilot.app.screen is shown, "other keys mean nothing now"
        assert "Go back?" not in screen(pilot)
    assert entered == ["", "KWXTRB"]


async def test_help_of_solo_says_how_to_play_well() -> None:
    async with app_from(Start("solo", size="3x3"), (80, 40)) as pilot:
        await pilot.press("?")
        await settle(pilot)
        rows = [row.strip("│ ") for row in screen(pilot).splitlines()]
    assert "Strategy:" in rows
    assert sum(row[:2] in [f"{n}." for n in range(1, 7)] for row in rows) == 6
    joined = " ".join(rows)
    assert "put the second last one into the corner" in joined
    assert "the last three tiles" in joined.lower()
