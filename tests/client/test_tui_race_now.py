"""The menu's way into rooms that a server chooses, and its list of live rooms."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from tests.client import rooms
from tests.client.offline import (
    MINUTE,
    Driver,
    OfflineClient,
    app_from,
    app_of,
    board,
    keys,
    running_app,
    screen,
    settle,
    wait_for_text,
    wait_until_stored,
)
from tests.client.rooms import RACE
from tests.client.test_live_rooms import row

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.daily_status import DailyStatus
from sliderace_client.launch import Start
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.tui.screens.daily_boards import DailyScreen
from sliderace_client.tui.screens.solo import SoloScreen

NOWHERE = "127.0.0.1:9"
KNOWN = Settings(name="Ann", server=NOWHERE)
EVERY = Rules("3x3", start="every", every_ms=12_000)


@asynccontextmanager
async def menu(
    settings: Settings = KNOWN, size: tuple[int, int] = (80, 24)
) -> AsyncGenerator[Driver]:
    """Run the menu; its list of live rooms is what the test says."""
    async with app_from(Start("menu", name="Ann", settings=settings), size) as pilot:
        app_of(pilot).lobby.stop()
        await settle(pilot)
        yield pilot


async def list_rooms(pilot: Driver, *listed: m.RoomRow) -> None:
    lobby = app_of(pilot).lobby
    lobby.server, lobby.features = f"http://{NOWHERE}", frozenset({"lobby", "solo"})
    lobby.rooms.receive(m.Rooms([*listed]), app_of(pilot).now())
    await settle(pilot)


def in_quick(**more: object) -> OfflineClient:
    room = rooms.room(kind="quick", public=True, host=None, rules=EVERY)
    return OfflineClient(room=room, **more)


# --- The menu -------------------------------------------------------------------------


async def test_digit_enters_a_live_room() -> None:
    async with menu() as pilot:
        await list_rooms(pilot)
        assert "Nobody is racing." in screen(pilot)
        assert "enter" not in keys(pilot).replace("enter  choose", "")
        await list_rooms(pilot, row("KWXTRB"), row("BCDFGH", people=3, bots=1))
        assert "1  BCD-FGH 4x4   3+1  racing 0 s" in screen(pilot)
        assert "2  KWX-TRB 4x4   1" in screen(pilot)
        await pilot.press("3")
        await settle(pilot)
        assert not app_of(pilot).begin.code, "there is no third room"
        await pilot.press("2")
        await settle(pilot)
        begin = app_of(pilot).begin
        assert (begin.kind, begin.server, begin.code, begin.name) == (
            *("join", f"http://{NOWHERE}", "KWXTRB", "Ann"),
        )


async def test_live_room_can_be_clicked() -> None:
    async with menu() as pilot:
        await list_rooms(pilot, row("KWXTRB"))
        await pilot.click("#live", offset=(4, 1))
        await settle(pilot)
        assert app_of(pilot).begin.code == "KWXTRB"


async def test_narrow_menu_names_the_first_live_room() -> None:
    async with menu(size=(40, 12)) as pilot:
        await list_rooms(pilot, row("KWXTRB", people=2))
        assert "1: 4x4 room, 2" in screen(pilot)
        assert "1 enter" in keys(pilot)


async def test_every_entry_can_be_reached_in_40x12() -> None:
    async with menu(size=(40, 12)) as pilot:
        shown: set[str] = set()
        for _ in range(20):
            shown |= {*screen(pilot).splitlines()}
            await pilot.press("down")
            await settle(pilot)
        for entry in ("Race now", "Host", "Join", "Daily", "Solo", "Settings", "Quit"):
            assert any(entry in line for line in shown), entry


async def test_race_now_asks_once_for_the_name_and_the_speed() -> None:
    async with menu(Settings(server=NOWHERE)) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        assert "The name that the others see" in screen(pilot)
        await pilot.press("backspace", "backspace", "backspace", *"Zoe", "enter")
        await wait_for_text(pilot, "How fast are you on a 4x4 board?")
        await pilot.press("down", "up", "down", "enter")
        await wait_for_text(pilot, "Cannot reach http://127.0.0.1:9")
        await wait_until_stored(pilot)
        settings = app_of(pilot).settings
        assert (settings.name, settings.feel) == ("Zoe", "minute")
        assert app_of(pilot).nickname == "Zoe", "others see the name that was typed"
        app_of(pilot).say("")
        await pilot.press("r")
        await wait_for_text(pilot, "Cannot reach http://127.0.0.1:9")


async def test_question_of_the_speed_can_be_answered_with_a_digit_or_a_click() -> None:
    async with menu() as pilot:
        await pilot.press("r")
        await wait_for_text(pilot, "How fast are you")
        await pilot.press("escape", "r")
        await wait_for_text(pilot, "How fast are you")
        await pilot.press("4")
        await wait_for_text(pilot, "Cannot reach")
        assert app_of(pilot).settings.feel == "eight"


async def test_keys_change_the_size_of_race_now() -> None:
    async with menu() as pilot:
        await pilot.press("plus", "right", "minus")
        await settle(pilot)
        assert "Race now      5x5, at once" in screen(pilot)
        for _ in range(12):
            await pilot.press("right")
        assert app_of(pilot).settings.size == "10x10"
        for _ in range(12):
            await pilot.press("left")
        assert app_of(pilot).settings.size == "2x2"


async def test_solo_form_says_whether_times_count() -> None:
    async with menu() as pilot:
        await pilot.press("s")
        await wait_for_text(pilot, "This is practice: it does not count.")
        await pilot.press("escape")
        await list_rooms(pilot)
        await pilot.press("s")
        await wait_for_text(pilot, "No undo: your times count on http://127.0.0.1:9")
        await pilot.press("down", *"tea")
        await wait_for_text(pilot, "This is practice: it does not count.")
        await pilot.press("enter")
        await wait_for_text(pilot, "practice, 4x4: it does not count")


# --- The board of the day -------------------------------------------------------------


def done(event: str) -> dict[str, m.HistoryRow]:
    row = m.HistoryRow(
        RACE, 0, "daily", "finished", 9_204, 9_000, 90, 80, 36, 400, 2, "keys", True
    )
    return {event: row}


async def test_daily_boards_are_open_running_or_done() -> None:
    status = DailyStatus(
        "2026-11-30", 65, 3, frozenset({"3x3", "4x4"}), done("3x3"), has_profile=True
    )
    async with menu() as pilot:
        daily = DailyScreen(app_of(pilot))
        app_of(pilot).open_screen(daily)
        await settle(pilot)
        assert "Asking the server" in screen(pilot)
        daily.show_status(status)
        await settle(pilot)
        shown = screen(pilot)
        assert "2026-11-30 (UTC); the next ones come in 1 h 5 min" in shown
        assert "3x3   done in 9.204" in shown
        assert "4x4   running: go back to it" in shown
        assert "▸ 5x5   open" in shown
        assert "Daily streak: 3 days" in shown
        daily.show_status(status._replace(minutes=9))
        await settle(pilot)
        assert "the next ones come in 9 min:" in screen(pilot)
        await pilot.press("down")
        await settle(pilot)
        assert "race" not in keys(pilot), "3x3 is done"
        await pilot.press("down", "enter")
        await wait_for_text(pilot, "Cannot reach")


async def test_daily_race_needs_a_profile_and_asks_first() -> None:
    async with menu() as pilot:
        daily = DailyScreen(app_of(pilot))
        app_of(pilot).open_screen(daily)
        await settle(pilot)
        daily.show_status(DailyStatus("2026-11-30", 65))
        await settle(pilot)
        await pilot.press("enter")
        await wait_for_text(pilot, "The daily race needs a profile. Create one as Ann?")
        await pilot.press("n")
        await settle(pilot)
        daily.fail("The server is gone.")
        await settle(pilot)
        await pilot.press("escape")
        await wait_for_text(pilot, "Race now")


# --- In a room of strangers -----------------------------------------------------------


async def test_who_comes_during_a_race_sees_when_they_race_and_warms_up() -> None:
    client = in_quick()
    async with running_app(client, (100, 30), kind="race", code="") as pilot:
        client.race(roster=(1,))
        await settle(pilot)
        await wait_for_text(pilot, "you race next")
        client.receive(m.PhaseEvent(0, RACE, "grace", 10_000))
        await wait_for_text(pilot, "you race in at most 22 s")
        await pilot.press("w")
        await wait_for_text(pilot, "warm-up: you race in at most 22 s")
        start = board(pilot)
        client.receive(m.PhaseEvent(0, RACE, "results", 12_000))
        await wait_for_text(pilot, "warm-up: you race in 12 s")
        assert isinstance(pilot.app.screen, SoloScreen), "the results wait"
        assert board(pilot) == start
        client.next_lobby(kind="quick", host=None, rules=EVERY)
        client.receive(m.PhaseEvent(0, rooms.NEXT, "countdown", 3_000))
        await wait_for_text(pilot, "get ready")
        assert not isinstance(pilot.app.screen, SoloScreen), "now the race is ours"


async def test_results_in_a_quick_room_say_when_it_goes_on() -> None:
    client = in_quick()
    async with running_app(client, (80, 24), kind="race", code="") as pilot:
        client.race(rooms.results().board)
        client.receive(rooms.results())
        client.receive(m.PhaseEvent(0, RACE, "results", 12_000))
        await wait_for_text(pilot, "The next race starts in 12 s.")
        assert "rematch" not in keys(pilot)
        await pilot.press("q")
        assert client.commands[-1] == m.Leave(), "nobody waits for us here"


async def test_next_board_gives_up_the_one_in_play_and_is_dealt_after_it() -> None:
    people = [rooms.member(rooms.ANN, 0)]
    client = OfflineClient(room=rooms.room(kind="solo"), members=people)
    async with running_app(client, kind="ranked", code="") as pilot:
        client.race(roster=(0,))
        await settle(pilot)
        await pilot.press("left")
        await pilot.press("n")
        await wait_for_text(pilot, "Give this board up, as a DNF?")
        await pilot.press("y")
        client.receive(m.StandingEvent(0, RACE, rooms.standing(0, "forfeited")))
        client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
        await settle(pilot)
        asked = [
            one for one in client.commands if isinstance(one, m.Forfeit | m.Rematch)
        ]
        assert asked == [m.Forfeit(RACE), m.Rematch(RACE)]


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_board_and_racers_fit_in_a_race_of_strangers(
    size: tuple[int, int],
) -> None:
    client = in_quick()
    async with running_app(client, size, kind="race", code="") as pilot:
        client.race()
        await settle(pilot)
        assert board(pilot) == rooms.START
        assert "Ben" in screen(pilot)
        assert "give up" in keys(pilot)
