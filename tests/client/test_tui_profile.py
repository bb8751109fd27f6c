"""Profile, statistics and leaderboards in the full-screen client."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace
from tests.client.offline import (
    Driver,
    app_from,
    app_of,
    keys,
    screen,
    settle,
    wait_for_text,
)
from tests.client.test_connection import Peer
from tests.client.test_me import RICH, answering
from tests.client.test_plots import TODAY, attempt
from tests.client.test_profile_connection import ANN, KEY, SECRET, hello, server

from sliderace.protocol import messages as m
from sliderace_client.launch import Start
from sliderace_client.leaderboards import BoardQuery, BoardRow, Leaderboard
from sliderace_client.net.profiles import KeptProfile, keep, kept
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.tui.screens.leaderboards_screen import LeaderboardsScreen
from sliderace_client.tui.screens.profile_screen import ProfileScreen
from sliderace_client.tui.screens.statistics_screen import StatisticsScreen

SIZES = [(80, 24), (120, 40), (40, 12), (40, 15), (160, 50)]
COLOURS = ["never", "always"]


@asynccontextmanager
async def menu(size: tuple[int, int] = (80, 24), **more: str) -> AsyncGenerator[Driver]:
    start = Start("menu", name="Ann", settings=Settings(**more))
    async with app_from(start, size) as pilot:
        yield pilot


def flat(pilot: Driver) -> str:
    return " ".join(screen(pilot).split())


# --- The profile ----------------------------------------------------------------------


async def profile_screen(pilot: Driver, profile: m.Profile) -> ProfileScreen:
    shown = ProfileScreen(app_of(pilot))
    app_of(pilot).open_screen(shown)
    shown.show_profile(profile, "http://192.0.2.7:8710")
    await settle(pilot)
    return shown


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("color", COLOURS)
async def test_profile_fits_every_size(size: tuple[int, int], color: str) -> None:
    async with menu(size, color=color) as pilot:
        await profile_screen(pilot, RICH)
        text = flat(pilot)
        for words in ("Ann (KWXTRBDF)", "▸ 3x3", "9.123"):
            assert words in text
        assert ("Daily streak: 5 days" in text) == (size[1] > 12)
        assert ("10.200" in text) == (size[0] >= 60 or size[0] == 40)
        for _ in range(3):
            await pilot.press("down")
        await settle(pilot)
        assert "▸ without a name, added 2026-1" in flat(pilot)
        assert "x  remove" in keys(pilot) or "x remove" in keys(pilot)


async def test_rows_can_be_clicked() -> None:
    async with menu() as pilot:
        await profile_screen(pilot, RICH)
        for y, words in ((5, "▸ 10x10"), (9, "▸ without a name"), (8, "▸ laptop")):
            await pilot.click("#profile", offset=(5, y))
            await settle(pilot)
            assert words in screen(pilot)
        await pilot.click("#profile", offset=(5, 7))  # the heading of the devices
        await settle(pilot)
        assert "▸ laptop" in screen(pilot)
        await statistics(pilot)
        await pilot.press("left")
        await settle(pilot)
        await pilot.click("#statistics", offset=(5, 3))
        await settle(pilot)
        assert "▸ 2026-11-28" in screen(pilot)
        await leaderboard(pilot, BOARD)
        await pilot.click("#leaderboard", offset=(5, 6))
        await settle(pilot)
        assert "▸     3" in screen(pilot)


async def test_profile_says_when_it_will_be_deleted() -> None:
    async with menu() as pilot:
        await profile_screen(pilot, replace(RICH, forget_at_ms=1_796_000_000_000))
        assert "This profile will be deleted on 2026-1" in flat(pilot)
        assert "d  do not delete" in keys(pilot)


async def test_guest_learns_what_a_profile_is_for() -> None:
    async with menu() as pilot:
        shown = ProfileScreen(app_of(pilot))
        app_of(pilot).open_screen(shown)
        shown.show_guest("You have no profile here.", "http://192.0.2.7:8710")
        await settle(pilot)
        assert "this device keeps a secret key" in flat(pilot)
        assert "k  keep my times" in keys(pilot)
        assert "t  enter a ticket" in keys(pilot)


async def test_unreachable_server_is_told() -> None:
    async with menu(server="127.0.0.1:1") as pilot:
        await asyncio.to_thread(keep, KEY, KeptProfile(SECRET))
        await pilot.press("m")
        await wait_for_text(pilot, "Cannot reach http://127.0.0.1:1")


@pytest.fixture
def known() -> None:
    keep(KEY, KeptProfile(SECRET, ANN.id, "Ann"))


@asynccontextmanager
async def own_profile(*scripts: object) -> AsyncGenerator[Driver]:
    """Open the profile of a server that follows scripts."""
    async with server(*scripts) as url, menu(server=url) as pilot:  # type: ignore[arg-type]
        await pilot.press("m")
        await wait_for_text(pilot, "KWXTRBDF")
        yield pilot


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("pressed", "answer", "command", "words"),
    [
        (
            ("n", "backspace", "e", "enter"),
            m.MeEvent(replace(RICH, name="Ane")),
            m.Rename("Ane"),
            "Ane (KWXTRBDF)",
        ),
        (("a",), m.Ticket("KWXTRBDF", 300_000), m.DeviceTicket(), "KWXT-RBDF"),
        (("end", "x", "y"), m.MeEvent(ANN), m.Revoke(2), "here, this device"),
        (("up", "d", "y"), m.MeEvent(None), m.Forget(), "no longer part of your"),
    ],
)
async def test_each_key_asks_the_server(
    pressed: tuple[str, ...], answer: m.Event, command: m.Command, words: str
) -> None:
    script = answering(answer)
    async with own_profile(answering(profile=RICH), script) as pilot:
        for key in pressed:
            await pilot.press(key)
            await settle(pilot)
        await wait_for_text(pilot, words)
        assert script.heard == [command]
        assert SECRET not in screen(pilot)


@pytest.mark.usefixtures("known")
async def test_key_is_shown_after_a_question_only() -> None:
    async with own_profile(answering(profile=RICH)) as pilot:
        await pilot.press("k")
        await settle(pilot)
        assert "Show your secret key?" in screen(pilot)
        assert "5e5e" not in screen(pilot)
        await pilot.press("y")
        await wait_for_text(pilot, "5e5e-5e5e-5e5e-5e5e-5e5e-5e5e-5e5e-5e5e")


async def test_guest_creates_a_profile_with_two_keys() -> None:
    script = answering(m.MeEvent(ANN), profile=None)
    async with server(script) as url, menu(server=url) as pilot:
        await pilot.press("m")
        await wait_for_text(pilot, "You have no profile on")
        await pilot.press("k")
        await wait_for_text(pilot, "Leaderboards show this name.")
        await pilot.press("enter")
        await wait_for_text(pilot, "Ann (KWXTRBDF)")
        assert script.heard == [m.Keep("Ann")]
        assert await asyncio.to_thread(kept, KEY) is not None


@pytest.mark.parametrize(
    ("typed", "profile", "command"),
    [("kwxtrbdf", None, [m.Claim("kwxtrbdf")]), ("5e" * 16, ANN, [])],
)
async def test_device_is_added_with_a_ticket_or_a_key(
    typed: str, profile: m.Profile | None, command: list[m.Command]
) -> None:
    script = answering(*(m.MeEvent(ANN) for _ in command), profile=profile)
    async with server(script) as url, menu(server=url) as pilot:
        await pilot.press("m")
        await wait_for_text(pilot, "You have no profile on")
        await pilot.press("t")
        await settle(pilot)
        await pilot.press(*typed, "enter")
        await wait_for_text(pilot, "Ann (KWXTRBDF)")
    assert script.heard == command
    stored = await asyncio.to_thread(kept, KEY)
    assert stored is not None
    assert (stored.secret == SECRET) == (not command)


# --- Statistics -----------------------------------------------------------------------


HISTORY = [
    attempt(None if n % 9 == 8 else 9_000 + 37 * n, TODAY - n) for n in range(40)
]


async def statistics(
    pilot: Driver, rows: list[m.HistoryRow] | None = None
) -> StatisticsScreen:
    shown = StatisticsScreen(app_of(pilot), "http://127.0.0.1:1", "3x3", TODAY)
    app_of(pilot).open_screen(shown)
    shown.show_history(HISTORY if rows is None else rows)
    await settle(pilot)
    return shown


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("color", COLOURS)
async def test_every_view_fits_and_says_in_words_what_it_draws(
    size: tuple[int, int], color: str
) -> None:
    async with menu(size, color=color) as pilot:
        shown = await statistics(pilot)
        seen: list[str] = []
        for _ in shown.views:
            seen.append(flat(pilot))
            if shown.view == "times":
                assert "ao12" in flat(pilot), "the chart is there"
            await pilot.press("right")
            await settle(pilot)
        text = " ".join(seen)
    assert "40 attempts, 36 of them finished; the best took 9.000." in text
    assert "Your latest average of 5 is" in text
    assert "Your most frequent times are" in text
    if size[1] > 15:
        assert "You raced on 40 days of the last year, and on 30 of the last" in text
    assert "Tiles per second" in text
    assert "Mon " in text
    assert "▸ 2026-11-30" in text
    assert any("⠀" < letter <= "⣿" for letter in text)
    assert "Times in brackets do not count." not in text


async def test_attempt_that_does_not_count_is_in_brackets() -> None:
    friendly = replace(attempt(9_000), counts=False)
    async with menu() as pilot:
        await statistics(pilot, [friendly, attempt(9_100)])
        assert "1 attempt, 1 of them finished; the best took 9.100." in flat(pilot)
        await pilot.press("left")
        await settle(pilot)
        assert "(9.000)" in screen(pilot)
        assert "Times in brackets do not count." in screen(pilot)


@pytest.mark.parametrize("rows", [[], [attempt(None)], [attempt(9_000)]])
async def test_statistics_of_few_attempts(rows: list[m.HistoryRow]) -> None:
    async with menu() as pilot:
        shown = await statistics(pilot, rows)
        for _ in range(5):
            await pilot.press("right")
            await settle(pilot)
        words = ("No attempt counts", "You have not finished your only", "1 attempt, 1")
        times = 0 if not rows else 1 if rows[0].time_ms is None else 2
        assert words[times] in flat(pilot)
        assert shown.view == "times"


@pytest.mark.usefixtures("known")
async def test_history_is_loaded_page_by_page() -> None:
    pages = [HISTORY[:30], HISTORY[30:]]
    heard: list[m.Command] = []

    async def script(peer: Peer) -> None:
        await hello(peer, RICH)
        for n, page in enumerate(pages):
            heard.append(await peer.hear())
            await peer.say(m.HistoryEvent("3x3", page, more=n == 0))

    async with own_profile(answering(profile=RICH), script) as pilot:
        await pilot.press("enter")
        await wait_for_text(pilot, "40 attempts")
    first, second = heard
    assert first == m.History("3x3")
    assert second == m.History("3x3", before=HISTORY[29].race)


async def test_attempt_without_a_record_cannot_be_watched_or_verified() -> None:
    async with menu() as pilot:
        await statistics(pilot)
        await pilot.press("left")
        await settle(pilot)
        for key in ("enter", "v"):
            await pilot.press(key)
            await wait_for_text(pilot, "Cannot reach")


# --- Leaderboards ---------------------------------------------------------------------


def row(place: int, name: str = "", profile: str = "") -> BoardRow:
    return BoardRow(
        place,
        profile or f"P{place:07}",
        name or f"Racer {place}",
        9_000 + place,
        f"KWXTRB-S0-{place}",
        1_796_000_000_000,
        "keys",
    )


BOARD = Leaderboard(
    total=212,
    top=[row(n) for n in range(1, 101)],
    around=[row(140), row(141, "Ann", "KWXTRBDF"), row(142)],
    own="KWXTRBDF",
)


async def leaderboard(pilot: Driver, board: Leaderboard) -> LeaderboardsScreen:
    shown = LeaderboardsScreen(app_of(pilot), "4x4")
    app_of(pilot).open_screen(shown)
    shown.show_board(BoardQuery("4x4"), board, "http://127.0.0.1:1")
    await settle(pilot)
    return shown


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("color", COLOURS)
async def test_leaderboard_shows_the_best_and_ourselves(
    size: tuple[int, int], color: str
) -> None:
    async with menu(size, color=color) as pilot:
        await leaderboard(pilot, BOARD)
        text = flat(pilot)
        assert "4x4 · Single time · All time · Any" in text
        told = "212 players have a place here; you are 141st." in text
        assert told == (size[1] > 12)
        assert "▸ 1" in text
        assert "Racer 2" in text
        assert "141 Ann (you)" in text
        assert ("2026-1" in text) == (size[0] > 46)
        assert ("keys" in text) == (size[0] > 60)
        await pilot.press("end")
        await settle(pilot)
        text = flat(pilot)
        assert "141 Ann (you)" in text
        assert "▸ 142" in text
        await pilot.press("enter")
        await wait_for_text(pilot, "Cannot reach")


async def test_gap_and_equal_names_are_told_apart() -> None:
    twins = Leaderboard(3, [row(1, "Ann", "A" * 8), row(2, "Ann", "B" * 8), row(3)])
    async with menu() as pilot:
        await leaderboard(pilot, twins)
        assert "Ann (AAAAAAAA)" in screen(pilot)
        assert "Ann (BBBBBBBB)" in screen(pilot)
        assert "3 players have a place here." in screen(pilot)
    assert BOARD.rows[100] is None
    near = Leaderboard(4, BOARD.top[:2], [row(3, "Ann", "KWXTRBDF")], "KWXTRBDF")
    assert [one and one.place for one in near.rows] == [1, 2, 3]


async def test_empty_leaderboard_and_what_it_proves() -> None:
    async with menu() as pilot:
        await leaderboard(pilot, Leaderboard(0, []))
        assert "Nobody is on this leaderboard yet." in screen(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        assert "Nothing proves that a person" in flat(pilot)


@pytest.mark.parametrize(
    ("pressed", "query"),
    [
        (("plus", "k"), BoardQuery("5x5", "ao5")),
        (("minus", "s"), BoardQuery("3x3", span="month")),
        (("i", "i"), BoardQuery("4x4", input="click")),
        (("k", "k", "k"), BoardQuery("4x4")),
        (("plus", "k", "s", "s", "s"), BoardQuery("5x5", span="daily")),
        (("plus", "plus", "s", "s", "s"), BoardQuery("4x4", span="daily")),
        (("s", "s", "s", "k"), BoardQuery("4x4", "ao5")),
    ],
)
async def test_keys_choose_another_leaderboard(
    pressed: tuple[str, ...], query: BoardQuery
) -> None:
    async with menu(server="127.0.0.1:1") as pilot:
        shown = await leaderboard(pilot, BOARD)
        await pilot.press(*pressed)
        await wait_for_text(pilot, "Cannot reach")
        assert shown.wanted == query
        shown.show_board(BoardQuery("9x9"), BOARD, "")
        await settle(pilot)
        assert "Racer 1" not in screen(pilot)
