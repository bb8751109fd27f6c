"""Every way to slide a tile; pictures; warming up; always ready."""

from pathlib import Path

import pytest
from PIL import Image
from tests.client import rooms
from tests.client.offline import (
    MINUTE,
    Driver,
    Offline,
    board,
    driven,
    keys,
    opened,
    saved,
    screen,
    sees,
    settle,
    terminal,
)
from tests.client.rooms import NEXT, RACE, START

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.pictures import BUILT_IN
from sliderace_client.settings import Settings
from sliderace_client.start import Start
from sliderace_client.terminal.race import LATE_MS
from sliderace_client.terminal.widgets import Boards

SOLVED = "1 2 3/4 5 6/7 8 0"


async def points_at(pilot: Driver, cell: int) -> None:
    (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
    x, y = placed.grid.place_of(cell)
    await pilot.hover("#boards", offset=(placed.x + x + 1, placed.y + y + 1))
    await pilot.pause()


async def test_hovering_slides_all_up_to_the_pointer_if_that_is_wished() -> None:
    seat = Offline()
    async with driven(seat, settings=Settings(hover="on")) as pilot:
        seat.race()
        await settle(pilot)
        await points_at(pilot, 1)  # not in line with the gap: nothing, and no word
        assert board(pilot) == START
        assert "cannot move" not in screen(pilot)
        await points_at(pilot, 8)
        assert board(pilot) == SOLVED
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        await points_at(pilot, 8)
        assert board(pilot) == START


async def test_a_number_slides_that_tile() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        await pilot.press("5")
        assert board(pilot) == START
        assert "5 cannot move: it is not in line with the gap." in screen(pilot)
        await pilot.press("8")
        assert board(pilot) == SOLVED


async def test_a_number_that_may_go_on_is_shown_and_waits_a_little() -> None:
    start = "1 2 3 4/5 6 7 8/9 10 11 12/13 0 14 15"
    seat = Offline(room=rooms.room(rules=Rules("4x4")))
    async with driven(seat) as pilot:
        seat.race(start)
        await settle(pilot)
        await pilot.press("1")
        await settle(pilot)
        assert "tile 1 ..." in screen(pilot)
        await pilot.press("4")
        assert seat.model.stm == 1
        await pilot.press("1")
        seat.told.now += 601
        await settle(pilot)
        assert "1 cannot move" in screen(pilot)
        await pilot.press("1", "enter")
        assert seat.model.stm == 1


async def test_a_key_that_cannot_move_anything_says_why_and_changes_nothing() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        await pilot.press("right", "right")
        assert board(pilot) == START
        assert "No tile can go right: the gap is in the left column." in screen(pilot)
        seat.told.now += 1_600
        await settle(pilot)
        assert "No tile" not in screen(pilot)


async def test_own_keys_win_over_everything_else() -> None:
    seat = Offline()
    async with driven(seat, settings=Settings(own_keys="f0ui")) as pilot:
        seat.race()
        await settle(pilot)
        await pilot.press("a")
        assert board(pilot) == START
        await pilot.press("f", "f")
        assert board(pilot) == SOLVED
        assert "Give up" not in screen(pilot)


async def test_slides_that_stay_unstored_make_the_own_line_late() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        await pilot.press("left")
        await settle(pilot)
        assert "▸  Ann" in screen(pilot)
        seat.told.now += LATE_MS + 1
        await settle(pilot)
        assert "◐1 Ann" in screen(pilot)
        seat.hear(m.Ack(RACE, 1))
        await settle(pilot)
        assert "▸  Ann" in screen(pilot)


async def test_go_is_heard_once() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        rung: list[bool] = []
        terminal(pilot).bell = lambda: rung.append(True)  # type: ignore[method-assign]
        seat.hear(m.PhaseEvent(0, RACE, "countdown", 5_000))
        await settle(pilot)
        assert rung == []
        seat.race()
        await settle(pilot)
        await settle(pilot)
        assert rung == [True]


# --- Pictures -------------------------------------------------------------------------


async def test_a_key_leafs_through_the_pictures_and_one_shows_numbers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    async with opened(Start("solo", size="3x3")) as pilot:
        app = terminal(pilot)
        assert "numbers" not in keys(pilot)
        for name in BUILT_IN:
            await pilot.press("i")
            pilot.app.screen._repeats.forget()  # type: ignore[attr-defined]
            assert app.look.picture is BUILT_IN[name]
            assert name in keys(pilot)
        numbers = [app.look.numbers]
        await pilot.press("m")
        numbers.append(app.look.numbers)
        assert numbers == [True, False]
        await pilot.press("i")
        await saved(pilot)
        assert app.look.picture is None


async def test_pictures_need_colours() -> None:
    async with opened(
        Start("solo", size="3x3", settings=Settings(color="never", picture="hills"))
    ) as pilot:
        assert terminal(pilot).look.picture is None
        await pilot.press("i")
        await settle(pilot)
        assert "Pictures need colours" in screen(pilot)


async def test_ones_own_picture_is_chosen_in_the_menu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (9, 9), (1, 2, 3)).save(tmp_path / "a.png")
    async with opened(Start("menu", name="Ann")) as pilot:
        await pilot.press("p")
        monkeypatch.setattr(pilot.app, "now", lambda: 0)  # news stands, however slow
        await sees(pilot, "A picture on the tiles")
        await pilot.press(*["backspace"] * 4, *"b.png", "enter")
        await sees(pilot, "b.png cannot be read")
        await pilot.press(*["backspace"] * 5, *"a.png", "enter")
        await sees(pilot, "open a room")
        await saved(pilot)
        picture = terminal(pilot).look.picture
        assert picture is not None
        assert picture.at(0.5, 0.5) == "#010203"
    assert 'picture = "a.png"' in (tmp_path / "sliderace/settings.toml").read_text()


async def test_a_picture_that_is_gone_is_said_and_numbers_are_shown() -> None:
    settings = Settings(picture="/nowhere/x.png")
    async with opened(Start("solo", size="3x3", settings=settings)) as pilot:
        await sees(pilot, "x.png cannot be read")
        assert terminal(pilot).look.picture is None


# --- Before the race ------------------------------------------------------------------


async def test_the_race_takes_the_screen_back_from_the_warm_up() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.press("w")
        await sees(pilot, "warm-up: the race comes by itself, 3x3")
        await pilot.press("q")
        await sees(pilot, "sliderace join KWXTRB")
        seat.told.now += 1_000
        await pilot.press("w")
        await sees(pilot, "warm-up")
        seat.race()
        await settle(pilot)
        assert board(pilot) == START
    assert not any(isinstance(each, m.Slides) for each in seat.asked)


async def test_always_ready_is_said_once_for_each_race(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.press("a")
        await saved(pilot)
        await settle(pilot)
        seat.hear(m.MemberEvent(0, rooms.member(1, 0, ready=True), "ready"))
        seat.hear(m.MemberEvent(0, rooms.member(1, 0), "ready"))  # taken back by hand
        await settle(pilot)
        seat.hear(m.PhaseEvent(0, RACE, "lobby", MINUTE))
        seat.hear(m.RoomEvent(0, rooms.room(race=NEXT), "race"))
        await settle(pilot)
        readied = [each.race for each in seat.asked if isinstance(each, m.Ready)]
        assert readied == [RACE, NEXT]
