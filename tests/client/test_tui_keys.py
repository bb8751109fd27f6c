"""Every key that a screen shows does what its label says, pressed or clicked.

`key_states.STATES` is the table: a key that a screen shows and the table lacks fails a
test.
"""

import re
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from tests.client.key_states import STATES, Expected, State
from tests.client.offline import (
    Driver,
    OfflineClient,
    app_from,
    app_of,
    running_app,
    screen,
    settle,
    wait_until_stored,
)

from sliderace_client.launch import Start
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.dialogs.help import HelpTopic, help_entries
from sliderace_client.tui.screens.menu import MenuScreen
from sliderace_client.tui.screens.screen import BaseScreen
from sliderace_client.tui.widgets import TextRows

pytestmark = pytest.mark.timeout(180)
"""Each case tries many keys."""

PRESSED = {
    "↑↓": "down",
    "←→": "right",
    "↓": "down",
    "↑": "up",
    "→": "right",
    "←": "left",
    "esc": "escape",
    "?": "question_mark",
    "+": "plus",
    "+-": "plus",
    "-": "minus",
    ",": "comma",
    ".": "full_stop",
}
"""The pilot's names of keys."""
ELSEWHERE = {
    *("7", "12", "up", "down", "enter", "escape", "click", "Ctrl-C"),
    *("arrows", "wasd", "hjkl", "m", "1?", "u", "backspace"),
    *("k", "home", "end"),
    "b",  # return: test_menu_leads_back_to_a_room_where_others_wait
    "1 ... 9",  # live rooms: test_digit_enters_a_live_room
    "n",  # more boards than fit: test_key_shows_the_boards_that_do_not_fit
}
"""Keys in the help that screens do not show; they are tested elsewhere."""


@contextmanager
def empty_home() -> Generator[None]:
    """Use an empty home, so that tests do not share settings."""
    with TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        for kind in ("CONFIG", "DATA", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", f"{home}/{kind}")
        patch.chdir(home)
        yield


@asynccontextmanager
async def shown(state: State) -> AsyncGenerator[tuple[Driver, OfflineClient]]:
    """Open the screen in this state."""
    client = state.make() if state.make else OfflineClient()
    if state.make:
        screen_ = running_app(client, state.size, kind=state.kind, server=NOBODY)
    elif state.kind == "solo":
        screen_ = app_from(Start("solo", seed="x"), state.size)
    else:
        screen_ = app_from(Start("menu", name="Ann"), state.size)
    with empty_home():
        async with screen_ as pilot:
            state.enter(client)
            if not state.make:  # time passes with each key, however slow the machine
                app_of(pilot).now = client.now  # type: ignore[method-assign]
            await settle(pilot)
            while client.record and "watch again" not in screen(pilot):
                await settle(pilot)
            for key in state.first:
                before = pilot.app.screen
                await pilot.press(key)
                await settle(pilot)
                if key in OPENS:
                    while pilot.app.screen is before:
                        await settle(pilot)
            yield pilot, client


OPENS = ("v", "e", "s", "k", "r", "w", "c", "question_mark")
"""Keys in `State.first` that open another screen."""
NOBODY = "http://192.0.2.7:8710"


async def shows(pilot: Driver, words: str) -> None:
    """Wait until the screen shows these words."""
    for _ in range(30):
        if words in screen(pilot):
            return
        await settle(pilot)
    raise AssertionError(f"{words} is not on:\n{screen(pilot)}")


def top_screen(pilot: Driver) -> BaseScreen | Dialog:
    top = pilot.app.screen
    assert isinstance(top, BaseScreen | Dialog)
    return top


def offered(pilot: Driver) -> list[str]:
    """Return the keys that the screen shows now."""
    top = top_screen(pilot)
    shown = [action.key for action in top.shown]
    if isinstance(top, MenuScreen):
        return [*(entry.key for entry in top.entries()), *shown]
    return shown


TRIED = {
    (key, expected): (name, key)
    for name, state in reversed(STATES.items())
    for key, expected in reversed(state.keys.items())
}.values()
"""A key with the same effect on several screens is tried on one of them."""


def harmless_first(name: str) -> list[str]:
    """Return the keys to try; those that only send a command come first."""
    keys = [key for state, key in TRIED if state == name]
    return sorted(keys, key=lambda key: isinstance(STATES[name].keys[key], str))


async def try_key(
    pilot: Driver, client: OfflineClient, key: str, expected: Expected
) -> None:
    """Press a key and check its effect."""
    before = len(client.commands)
    app_of(pilot).held_key.reset()  # time stands still, so that a replay does not end
    await pilot.press(PRESSED.get(key, key))
    await settle(pilot)
    if isinstance(expected, str):
        await wait_until_stored(pilot)
        await shows(pilot, expected)
        ended = pilot.app.return_code is not None
        assert ended == (not expected and key == "q"), key
    else:
        assert [type(each) for each in client.commands[before:]] == [expected], key


async def come_back(pilot: Driver, top: BaseScreen | Dialog, keys: list[str]) -> bool:
    """Close whatever was opened; return whether the screen is as it was."""
    if pilot.app.return_code is not None or top not in pilot.app.screen_stack:
        return False
    if pilot.app.screen is not top:
        await pilot.press("escape")
    elif "n" in offered(pilot) and "n" not in keys:  # a question
        await pilot.press("n")
    await settle(pilot)
    return pilot.app.screen is top and sorted(offered(pilot)) == keys


async def try_clicks(pilot: Driver, *, asking: bool) -> None:
    """Check that a key is found exactly where it is shown, and click two of them."""
    top = top_screen(pilot)
    bar = top.query_one("#keys", TextRows)
    rows = bar.plain.split("\n")
    done: list[str] = []
    recording = [
        each._replace(run=partial(done.append, each.key)) for each in top.shown
    ]
    if not asking:
        top.actions = lambda: recording  # type: ignore[method-assign]
        top.update()
    for action in top.shown:
        where = [
            (x, y)
            for y, row in enumerate(rows)
            for x in range(len(row))
            if top.action_at(y, x) == action
        ]
        x, y = where[0]
        assert {row for _, row in where} == {y}
        assert rows[y][x : x + len(where)] == f" {action.key}  {action.label}"
        if not asking and action.key in (recording[0].key, recording[-1].key):
            await pilot.click("#keys", offset=(x, y))
    if not asking:
        assert done == list(dict.fromkeys((recording[0].key, recording[-1].key)))
        del top.actions
        top.update()


LAYOUTS = 20
"""More than a screen needs until it knows how many boards fit."""


@pytest.mark.parametrize("name", STATES)
async def test_every_key_does_what_the_table_says_and_can_be_clicked(
    name: str,
) -> None:
    state = STATES[name]
    keys, left = sorted(state.keys), harmless_first(name)
    async with shown(state) as (pilot, client):
        for _ in range(LAYOUTS):
            if sorted(offered(pilot)) != keys:
                await settle(pilot)
        assert sorted(offered(pilot)) == keys
        await try_clicks(pilot, asking=name.startswith("leaving"))
        await try_keys(pilot, client, state, left)
    while left:
        async with shown(state) as (pilot, client):
            await try_keys(pilot, client, state, left)


async def try_keys(
    pilot: Driver, client: OfflineClient, state: State, left: list[str]
) -> None:
    """Try keys, and remove them from `left`, until one of them leaves the screen."""
    top = top_screen(pilot)
    while left:
        key = left.pop(0)
        await try_key(pilot, client, key, state.keys[key])
        if not await come_back(pilot, top, sorted(state.keys)):
            return


TOPICS = get_args(HelpTopic)
SIGNS = re.compile(r"[^ -~]|^(?:23|-4|\(|$)")
"""Matches help entries that introduce a screen or explain its signs, not keys."""
COLUMNS = {"moves", "TPS", "MTM", "solve", "credit"}


@pytest.mark.parametrize("topic", TOPICS)
def test_help_lists_only_keys_with_an_effect(topic: HelpTopic) -> None:
    known = {
        key
        for state in STATES.values()
        if state.topic == topic or (topic == "room" and state.topic == "results")
        for key in state.keys
    }
    for entry, _ in help_entries(topic, Settings()):
        for key in entry.split(", "):
            if not SIGNS.search(key):
                assert key in known | ELSEWHERE | COLUMNS, key


@pytest.mark.parametrize("topic", TOPICS)
def test_help_explains_every_key_of_a_screen(topic: HelpTopic) -> None:
    entries = help_entries(topic, Settings())
    explained = " ".join(f"{keys} {meaning}" for keys, meaning in entries)
    words = {",", *re.split(r"[ ,;:(]+", explained)}
    for state in STATES.values():
        if state.topic == topic:
            assert set(state.keys) - {"?"} <= words | {"enter"}
