"""Every way to slide a tile; pictures; warming up; always ready."""

from pathlib import Path

import pytest
from PIL import Image
from tests.client import rooms
from tests.client.offline import (
    Driver,
    OfflineClient,
    app_from,
    app_in_race,
    app_of,
    board,
    keys,
    running_app,
    screen,
    settle,
    wait_for_text,
    wait_until_stored,
)
from tests.client.rooms import NEXT, RACE, START
from textual.events import Key
from textual.widgets import Input

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.launch import Start
from sliderace_client.shared_ui.pictures import BUILT_IN
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.tui.screens.forms import KeysForm
from sliderace_client.tui.widgets import Boards

SOLVED = "1 2 3/4 5 6/7 8 0"


async def hover_over(pilot: Driver, cell: int) -> None:
    (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
    x, y = placed.grid.place_of(cell)
    await pilot.hover("#boards", offset=(placed.x + x + 1, placed.y + y + 1))
    await pilot.pause()


async def test_hovering_slides_tiles_only_if_the_setting_is_on() -> None:
    client = OfflineClient()
    async with app_in_race(client, settings=Settings(hover="on")) as pilot:
        await hover_over(pilot, 1)  # not in line with the gap
        assert board(pilot) == START
        assert "cannot move" not in screen(pilot)
        await hover_over(pilot, 8)
        assert board(pilot) == SOLVED
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        await hover_over(pilot, 8)
        assert board(pilot) == START


async def test_number_slides_that_tile() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        await pilot.press("5")
        assert board(pilot) == START
        assert "5 cannot move: it is not in line with the gap." in screen(pilot)
        await pilot.press("8")
        assert board(pilot) == SOLVED


async def test_number_that_may_continue_is_shown_and_waits() -> None:
    start = "1 2 3 4/5 6 7 8/9 10 11 12/13 0 14 15"
    client = OfflineClient(room=rooms.room(rules=Rules("4x4")))
    async with app_in_race(client, start) as pilot:
        await pilot.press("1")
        await settle(pilot)
        assert "tile 1 ..." in screen(pilot)
        await pilot.press("4")
        assert client.view.stm == 1
        await pilot.press("1")
        client.room.now += 601
        await settle(pilot)
        assert "1 cannot move" in screen(pilot)
        await pilot.press("1", "enter")
        assert client.view.stm == 1


async def test_key_that_moves_nothing_gives_a_hint() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        await pilot.press("right", "right")
        assert board(pilot) == START
        assert "No tile can go right: the gap is in the left column." in screen(pilot)
        client.room.now += 1_600
        await settle(pilot)
        assert "No tile" not in screen(pilot)


async def test_board_key_does_not_overtake_an_earlier_key() -> None:
    start = Start("solo", board="1 2 3/4 5 6/0 7 8")
    async with app_from(start) as pilot:
        await pilot.press("left")
        assert board(pilot) == "1 2 3/4 5 6/7 0 8"
        for key in ("r", "left"):  # as from a terminal that sends both at once
            pilot.app.post_message(Key(key, None))
        await settle(pilot)
        assert board(pilot) == "1 2 3/4 5 6/7 0 8"
        assert "1 move" in screen(pilot)


async def test_question_is_answered_before_anything_slides() -> None:
    async with app_in_race(OfflineClient()) as pilot:
        await pilot.press("f", "left")
        assert board(pilot) == START
        await pilot.press("n", "left")
        assert board(pilot) != START


async def test_own_keys_take_precedence_over_every_action() -> None:
    client = OfflineClient()
    async with app_in_race(client, settings=Settings(own_keys="f0ui")) as pilot:
        await pilot.press("a")
        assert board(pilot) == START
        await pilot.press("f", "f")
        assert board(pilot) == SOLVED
        assert "Give up" not in screen(pilot)


async def test_bell_rings_once_at_go() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        rung: list[bool] = []
        app_of(pilot).bell = lambda: rung.append(True)  # type: ignore[method-assign]
        client.receive(m.PhaseEvent(0, RACE, "countdown", 5_000))
        await settle(pilot)
        assert rung == []
        client.race()
        await settle(pilot)
        await settle(pilot)
        assert rung == [True]


# --- Pictures -------------------------------------------------------------------------


async def test_keys_step_through_the_pictures_and_toggle_numbers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    async with app_from(Start("solo", size="3x3")) as pilot:
        app = app_of(pilot)
        assert "numbers" not in keys(pilot)
        for name in BUILT_IN:
            await pilot.press("i")
            app.held_key.reset()
            assert app.look.picture is BUILT_IN[name]
            assert name in keys(pilot)
        numbers = [app.look.numbers]
        await pilot.press("m")
        numbers.append(app.look.numbers)
        assert numbers == [True, False]
        await pilot.press("i")
        await wait_until_stored(pilot)
        assert app.look.picture is None


async def test_pictures_need_colours() -> None:
    async with app_from(
        Start("solo", size="3x3", settings=Settings(color="never", picture="hills"))
    ) as pilot:
        assert app_of(pilot).look.picture is None
        await pilot.press("i")
        await settle(pilot)
        assert "Pictures need colours" in screen(pilot)


async def test_picture_form_shows_a_preview() -> None:
    async with app_from(Start("menu", name="Ann")) as pilot:
        await pilot.press("i")
        await wait_for_text(pilot, "A picture on the tiles")
        preview = pilot.app.screen.query_one("#preview", Boards)
        seen = [len(preview.placed)]
        for keys_ in (["backspace"] * 4, "rings", ["backspace"]):
            await pilot.press(*keys_)
            await settle(pilot)
            seen.append(len(preview.placed))
        assert seen == [0, 0, 1, 0]


async def test_settings_offer_the_pictures_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    async with app_from(Start("menu", name="Ann")) as pilot:
        await pilot.press("e")
        await wait_for_text(pilot, "none: numbers")
        await pilot.press("up", "up", "up", "up", "right")
        await wait_for_text(pilot, "hills")
        await pilot.press("right", "enter")
        await wait_until_stored(pilot)
        assert app_of(pilot).look.picture is BUILT_IN["harbour"]


async def test_own_picture_is_chosen_in_the_menu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (9, 9), (1, 2, 3)).save(tmp_path / "a.png")
    async with app_from(Start("menu", name="Ann")) as pilot:
        await pilot.press("i")
        monkeypatch.setattr(
            pilot.app, "now", lambda: 0
        )  # news stays, however slow the machine
        await wait_for_text(pilot, "A picture on the tiles")
        await pilot.press(*["backspace"] * 4, *"b.png", "enter")
        await wait_for_text(pilot, "b.png cannot be read")
        await pilot.press(*["backspace"] * 5, *"a.png", "enter")
        await wait_for_text(pilot, "open a room")
        await wait_until_stored(pilot)
        picture = app_of(pilot).look.picture
        assert picture is not None
        assert picture.at(0.5, 0.5) == "#010203"
    assert 'picture = "a.png"' in (tmp_path / "sliderace/settings.toml").read_text()


@pytest.mark.parametrize("columns", [40, 80])
async def test_terminal_too_low_for_pictures_says_so(columns: int) -> None:
    async with app_from(Start("solo", size="3x3"), (columns, 17)) as pilot:
        assert ("picture" in keys(pilot)) == (columns == 80)
        await pilot.press("i")
        await wait_for_text(pilot, "A picture needs 18 rows; this")
        assert app_of(pilot).look.picture is None


async def test_missing_picture_is_reported_and_numbers_are_shown() -> None:
    settings = Settings(picture="/nowhere/x.png")
    async with app_from(Start("solo", size="3x3", settings=settings)) as pilot:
        await wait_for_text(pilot, "x.png cannot be read")
        assert app_of(pilot).look.picture is None


# --- Before the race ------------------------------------------------------------------


async def test_race_replaces_the_warm_up() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("w")
        await wait_for_text(pilot, "warm-up until the race begins, 3x3")
        await pilot.press("q")
        await wait_for_text(pilot, "sliderace join KWXTRB")
        client.room.now += 1_000
        await pilot.press("w")
        await wait_for_text(pilot, "warm-up")
        client.race()
        await settle(pilot)
        assert board(pilot) == START
    assert not any(isinstance(each, m.Slides) for each in client.commands)


async def test_always_ready_is_sent_once_for_each_race() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("a")
        await settle(pilot)
        assert "always ready here" in screen(pilot)
        client.receive(m.MemberEvent(0, rooms.member(1, 0, ready=True), "ready"))
        client.receive(
            m.MemberEvent(0, rooms.member(1, 0), "ready")
        )  # undone by the user
        await settle(pilot)
        client.next_lobby()
        await settle(pilot)
        readied = [each.race for each in client.commands if isinstance(each, m.Ready)]
        assert readied == [RACE, NEXT]


async def test_not_ready_ends_always_ready() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("a")
        await settle(pilot)
        client.receive(m.MemberEvent(0, rooms.member(1, 0, ready=True), "ready"))
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert "always ready here" not in screen(pilot)
        client.receive(m.MemberEvent(0, rooms.member(1, 0), "ready"))
        client.next_lobby()
        await settle(pilot)
        assert [each.on for each in client.commands if isinstance(each, m.Ready)] == [
            True,
            False,
        ]


@pytest.mark.parametrize(
    ("chars", "move", "words"),
    [
        ("ads", "tile", "Too few"),
        ("adwsx", "tile", "Too many"),
        ("adwA", "tile", "All four must differ"),
        ("ad s", "tile", "A blank cannot be a key."),
        ("adqs", "tile", "is taken"),
        ("adws", "board", "Type tile or gap"),
    ],
)
async def test_invalid_own_keys_are_refused_and_the_old_ones_stay(
    chars: str, move: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    async with app_from(Start("menu", name="Ann")) as pilot:
        app = app_of(pilot)
        before = app.settings
        await app.push_screen(KeysForm(app))
        await settle(pilot)
        for name, value in (("keys", chars), ("move", move)):
            app.screen.query_one(f"Input#{name}", Input).value = value
        await settle(pilot)
        await pilot.press("enter")
        await wait_for_text(pilot, words)
        assert isinstance(app.screen, KeysForm)
        assert app.settings == before
