"""Every key that a screen shows does what it says, by the keyboard and by the mouse.

`STATES` is the table: a key that a screen shows and that is not in it fails a test.
"""

# pyright: reportPrivateUsage=false

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.client import rooms
from tests.client.offline import (
    MINUTE,
    Driver,
    Offline,
    as_guest,
    driven,
    opened,
    saved,
    screen,
    settle,
    terminal,
)
from tests.client.rooms import ANN, BEN, RACE, member, standing
from tests.client.test_terminal_race import as_spectator

from sliderace.protocol import messages as m
from sliderace.protocol.parts import Signal
from sliderace_client.start import Start
from sliderace_client.terminal.dialogs import HELP, Dialog
from sliderace_client.terminal.menu import Menu
from sliderace_client.terminal.page import Page

Expected = type[m.Command] | str
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
    "-": "minus",
}
"""What the pilot calls a key."""
HELPED = "arrows, wasd, hjkl"
LEAVING = {"?": HELPED, "q": "Leave the room"}
IN_LOBBY = {"w": "warm-up", "c": "http://192.0.2.7:8710/KWXTRB", **LEAVING}


class State(NamedTuple):
    """A screen, and what its keys bring about: a command, or words on the screen."""

    keys: dict[str, Expected]
    make: Callable[[], Offline] | None = None
    enter: Callable[[Offline], object] = lambda _: None
    first: tuple[str, ...] = ()
    size: tuple[int, int] = (80, 24)
    kind: str = "join"
    topic: str = ""


def racing(seat: Offline) -> None:
    seat.race()


def in_grace(seat: Offline) -> None:
    seat.race()
    seat.hear(m.PhaseEvent(0, RACE, "grace", MINUTE))


def gave_up(seat: Offline) -> None:
    seat.race()
    seat.model.ask(m.Forfeit(RACE), seat.now())
    seat.hear(m.StandingEvent(0, RACE, standing(0, "forfeited")))


def watched(seat: Offline) -> None:
    seat.race(roster=(1, 2, 3, 4, 5, 6))
    steps = [m.Step(n, 1, 100 * n, 1, 0, "L") for n in range(1, 7)]
    seat.hear(m.Progress(RACE, steps))


def open_boards(seat: Offline) -> None:
    seat.race()
    seat.hear(m.Progress(RACE, [m.Step(1, 1, 100, 1, 0, "L")]))


def finished(seat: Offline) -> None:
    told = rooms.results()
    seat.race(told.board)
    seat.hear(m.PhaseEvent(0, RACE, "results", MINUTE))
    seat.hear(told)
    looks = Signal("tps_milli", 3_210, None, None, "proves nothing", False)
    seat.hear(m.Signals(RACE, [m.SignalsOf(0, [looks])]))


def prepared(seat: Offline, host: int = ANN) -> None:
    finished(seat)
    seat.hear(m.RoomEvent(0, rooms.room(race=rooms.NEXT, host=host), "race"))
    seat.hear(m.PhaseEvent(0, rooms.NEXT, "lobby", None))


BENCHED = {"members": [member(ANN, 0, benched=True), member(BEN, 1, "Ben")]}
SEE = {"→": "(pinned)", "←": "(pinned)", "i": "sunset", **LEAVING}
DIALOG: dict[str, Expected] = {
    "↑↓": "▸ Colours",
    "←→": "move the gap",
    "enter": "Host",
    "k": "Your keys",
    "s": "Your server",
    "esc": "Host",
}
STATES = {
    "menu": State(
        {
            "h": "Open a room",
            "j": "Join a room",
            "w": "Watch a room",
            "s": "Play alone",
            "r": "past races",
            "p": "A picture on the tiles",
            "e": "Settings",
            "q": "",
            "enter": "Open a room",
            "?": "results of past races",
        },
        topic="menu",
    ),
    "form": State({"enter": "solo, 4x4", "esc": "Host"}, first=("s",)),
    "own keys": State({"enter": "Keys: left a", "esc": "Host"}, first=("e", "k")),
    "server": State({"enter": "No server", "esc": "Host"}, first=("e", "s")),
    "settings": State(DIALOG, first=("e",)),
    "past": State({"esc": "Host"}, first=("r",)),
    "menu's help": State({"esc": "Host"}, first=("question_mark",)),
    "solo": State(
        {
            "n": "the first slide starts it",
            "r": "the first slide starts it",
            "+": "solo, 5x5",
            "-": "solo, 3x3",
            "i": "sunset",
            "?": HELPED,
            "q": "",
        },
        kind="solo",
        topic="solo",
    ),
    "solo with a picture": State(
        {
            **dict.fromkeys("nr+-", ""),
            "i": "hills",
            "m": " m  numbers",
            "?": HELPED,
            "q": "",
        },
        kind="solo",
        first=("i",),
        topic="solo",
    ),
    "lobby of the host": State(
        {
            "r": m.Ready,
            "a": "not always ready",
            "s": "Not ready, would only watch: Ben.",
            "e": "The rules of the next race",
            "x": m.Lock,
            "k": "Send Ben out?",
            "b": m.Bench,
            "o": "Make Ben the host?",
            **IN_LOBBY,
        },
        Offline,
        first=("down",),
        topic="room",
    ),
    "rules": State(
        {"↑↓": "▸ Time limit", "←→": "4x4", "enter": "KWX", "esc": "KWX"},
        Offline,
        first=("e",),
    ),
    "code": State({"esc": "always ready"}, Offline, first=("c",)),
    "lobby of a guest": State(
        {"r": m.Ready, "a": "not always ready", "p": m.Role, **IN_LOBBY},
        as_guest,
        topic="room",
    ),
    "lobby of one benched": State(
        {"b": m.Bench, **IN_LOBBY}, partial(as_guest, **BENCHED)
    ),
    "lobby of a spectator": State({"p": m.Role, **IN_LOBBY}, as_spectator),
    "warm-up": State(
        {
            **dict.fromkeys("nr+i", ""),
            "?": HELPED,
            "q": "always ready",
        },
        as_guest,
        first=("w",),
    ),
    "leaving": State({"y": m.Leave, "n": "always ready"}, as_guest, first=("q",)),
    "leaving as host": State(
        {"y": m.Leave, "x": m.Close, "n": "always ready"}, Offline, first=("q",)
    ),
    "race": State(
        {"f": "Give up this race?", "i": "sunset", **LEAVING},
        as_guest,
        racing,
        topic="room",
    ),
    "race of the host": State(
        {
            "f": "Give up this race?",
            "x": "Call the race off?",
            "i": "sunset",
            **LEAVING,
        },
        Offline,
        racing,
    ),
    "grace": State(
        {
            "f": "Give up this race?",
            "x": "Call the race off?",
            "e": m.CallTime,
            "i": "sunset",
            **LEAVING,
        },
        Offline,
        in_grace,
    ),
    "gave up": State({"u": m.Undo, "i": "sunset", **LEAVING}, as_guest, gave_up),
    "race with open boards": State(
        {"f": "Give up this race?", "v": "my board", "i": "sunset", **LEAVING},
        as_guest,
        open_boards,
        topic="room",
    ),
    "watching": State(
        {"l": "(leads)", **SEE}, as_spectator, watched, kind="watch", topic="room"
    ),
    "following": State(
        {"p": "(pinned)", "a": "leader", **SEE},
        as_spectator,
        watched,
        first=("l",),
        kind="watch",
        topic="room",
    ),
    "results": State(
        {"r": m.Rematch, "s": "annot reach", "g": "Signals", **LEAVING | {"?": "MTM"}},
        Offline,
        finished,
        topic="results",
    ),
    "last results": State(
        {
            "t": "always ready",
            "r": m.Ready,
            "s": "annot reach",
            "g": "Signals",
            **LEAVING | {"?": "MTM"},
        },
        Offline,
        prepared,
        first=("t",),
        topic="results",
    ),
    "the next race is prepared": State(
        {
            "r": m.Ready,
            "a": "not always ready",
            "p": m.Role,
            "t": "Nobody finished",
            **IN_LOBBY,
        },
        as_guest,
        partial(prepared, host=BEN),
    ),
}
ELSEWHERE = {
    *("7", "12", "up", "down", "enter", "escape", "click", "click a tile", "Ctrl-C"),
    *("arrows", "wasd", "hjkl", "m", "1?"),
    "n",  # more boards than fit: test_boards_that_do_not_fit_are_a_key_away
}
"""What the help names beside the keys that are always shown; tested elsewhere."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind))
    monkeypatch.chdir(tmp_path)


@asynccontextmanager
async def shown(state: State) -> AsyncGenerator[tuple[Driver, Offline]]:
    """The screen in that state."""
    seat = state.make() if state.make else Offline()
    if state.make:
        screen_ = driven(seat, state.size, kind=state.kind, server=NOBODY)
    elif state.kind == "solo":
        screen_ = opened(Start("solo", seed="x"), state.size)
    else:
        screen_ = opened(Start("menu", name="Ann"), state.size)
    async with screen_ as pilot:
        state.enter(seat)
        if not state.make:  # news stands, however slow the machine
            terminal(pilot).now = lambda: 0  # type: ignore[method-assign]
        await settle(pilot)
        for key in state.first:
            before = pilot.app.screen
            await pilot.press(key)
            await settle(pilot)
            if key in OPENS:
                while pilot.app.screen is before:
                    await settle(pilot)
        if isinstance(pilot.app.screen, Page):
            pilot.app.screen._repeats.forget()
        yield pilot, seat


OPENS = ("t", "e", "s", "k", "r", "w", "c", "question_mark")
"""First keys that lead to another screen."""
NOBODY = "http://192.0.2.7:8710"


async def shows(pilot: Driver, words: str) -> None:
    """Wait for words; a screen that settles without them fails at once."""
    for _ in range(30):
        if words in screen(pilot):
            return
        await settle(pilot)
    raise AssertionError(f"{words} is not on:\n{screen(pilot)}")


def offered(pilot: Driver) -> list[str]:
    """The keys that the screen shows now."""
    page = pilot.app.screen
    assert isinstance(page, Page | Dialog)
    entries = [each.key for each in page.entries()] if isinstance(page, Menu) else []
    return [*entries, *(action.key for action in page._shown)]


CASES = {
    (key, expected): (name, key)
    for name, state in reversed(STATES.items())
    for key, expected in reversed(state.keys.items())
}.values()
"""What a key does in the same words on several screens is tried on one of them."""


@pytest.mark.parametrize(("name", "key"), CASES)
async def test_a_key_does_what_it_says(name: str, key: str) -> None:
    state = STATES[name]
    async with shown(state) as (pilot, seat):
        asked = len(seat.asked)
        seat.told.now += 2_000
        await pilot.press(PRESSED.get(key, key))
        await settle(pilot)
        expected = state.keys[key]
        if isinstance(expected, str):
            await shows(pilot, expected)
            await saved(pilot)
        else:
            assert [type(each) for each in seat.asked[asked:]] == [expected]


@pytest.mark.parametrize("name", STATES)
async def test_every_key_is_in_the_table_and_can_be_clicked(name: str) -> None:
    state = STATES[name]
    async with shown(state) as (pilot, _):
        assert sorted(offered(pilot)) == sorted(state.keys)
        page = pilot.app.screen
        assert isinstance(page, Page | Dialog)
        done: list[str] = []
        wanted = [action.key for action in page._shown]
        told = [
            each._replace(run=partial(done.append, each.key)) for each in page._shown
        ]
        if isinstance(page, Page) and page._asking:
            page._asking = (page._asking[0], told)
        else:
            page.actions = lambda: told  # type: ignore[method-assign]
        page.update()
        for row, first, _end in page._places:
            await pilot.click("#keys", offset=(first, row))
        assert done == wanted


@pytest.mark.parametrize("topic", sorted(HELP))
def test_the_help_names_no_key_that_does_nothing(topic: str) -> None:
    known = {
        key
        for state in STATES.values()
        if state.topic == topic or (topic == "room" and state.topic == "results")
        for key in state.keys
    }
    for entry, _ in HELP[topic]:
        for key in entry.split(", "):
            looks_like_a_key = key.isascii() and not key.startswith(("23", "42", "("))
            if looks_like_a_key and key not in ("moves", "TPS", "MTM", "solve"):
                assert key in known | ELSEWHERE | {"credit"}, key


@pytest.mark.parametrize("topic", sorted(HELP))
def test_every_key_of_a_page_is_in_its_help(topic: str) -> None:
    told = " ".join(f"{entry} {text}" for entry, text in HELP[topic])
    words = set(re.split(r"[ ,;:(]+", told))
    for state in STATES.values():
        if state.topic == topic:
            assert set(state.keys) - {"?"} <= words | {"enter"}
