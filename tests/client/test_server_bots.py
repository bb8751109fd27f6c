"""The bots of the server in the terminal clients: chosen, shown, removed."""

import pytest
from tests.client.key_states import with_bots
from tests.client.offline import as_guest, keys, running_app, screen, settle
from tests.client.rooms import BEN, CAT, ModelHarness, member

from sliderace.protocol import messages as m
from sliderace_client.line_ui.answers import Refusal, bots_of
from sliderace_client.room.outputs import Note
from sliderace_client.room.server_bots import LEVELS, server_bots
from sliderace_client.shared_ui.wording import named
from sliderace_client.tui.rows import marked_name

CLUB, STRONG = m.BotWanted("club"), m.BotWanted("strong")
OTTER = member(CAT, 2, "⚙ Otter · club", bot=True, level="club")


def test_bots_of_the_server_are_found_among_the_members() -> None:
    timed = member(4, 3, "⚙ Fox · ~12.5 s", bot=True, pace_ms=12_500)
    others = [member(BEN, 1), member(5, 4, "Robo", bot=True)]
    assert server_bots([*others, OTTER, timed]) == [CLUB, m.BotWanted(pace_ms=12_500)]


def test_news_of_a_bot_are_only_that_it_joins_and_leaves() -> None:
    """It is ready for every race, and connected right after it joins."""
    ann = ModelHarness()
    events = [
        m.MemberEvent(0, OTTER, "joined"),
        m.MemberEvent(0, OTTER, "connected"),
        m.MemberEvent(0, OTTER, "ready"),
        m.Gone(0, OTTER.id, "left"),
    ]
    notes = [
        output
        for event in events
        for output in ann.receive_next(event)
        if isinstance(output, Note)
    ]
    assert len(notes) == 2


def test_a_name_with_the_mark_is_not_marked_again() -> None:
    assert marked_name(OTTER.name, bot=True) == named(OTTER.name, bot=True)
    assert marked_name(OTTER.name, bot=True) == OTTER.name
    assert marked_name("Robo", bot=True) == "Robo ⚙"
    assert named("Robo", bot=True) == "Robo (bot)"


# --- plain mode -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "bots"),
    [
        ("club strong", [CLUB, STRONG]),
        ("record", [m.BotWanted("record")]),
        ("12.5 club 7", [m.BotWanted(None, 12_500), CLUB, m.BotWanted(None, 7_000)]),
        ("none", []),
    ],
)
def test_bots_are_typed_as_levels_or_seconds(
    typed: str, bots: list[m.BotWanted]
) -> None:
    assert bots_of(typed.split()) == bots


@pytest.mark.parametrize("typed", ["god", "club none", "1e3", "-5", "1.2345", "123456"])
def test_other_words_are_refused(typed: str) -> None:
    refusal = bots_of(typed.split())
    assert isinstance(refusal, Refusal)
    word = typed.rpartition(" ")[2]
    assert refusal.text.startswith(f"'{word}' is neither a level nor a pace")


def test_bots_alone_explains_what_to_type() -> None:
    refusal = bots_of([])
    assert isinstance(refusal, Refusal)
    assert ", ".join(LEVELS) in refusal.text


# --- full screen ----------------------------------------------------------------------


async def test_host_chooses_bots_in_a_dialog() -> None:
    client = with_bots()
    async with running_app(client) as pilot:
        await pilot.press("b")
        await settle(pilot)
        assert "Bots of the server" in screen(pilot)
        await pilot.press("right", "right", "down", "left")
        await settle(pilot)
        assert "beginner" in screen(pilot)
        assert "15 s" in screen(pilot)
        await pilot.press("enter")
    assert client.commands == [
        m.Bots([m.BotWanted("beginner"), m.BotWanted(pace_ms=15_000)])
    ]


async def test_bots_at_a_pace_follow_the_pace() -> None:
    client = with_bots()
    async with running_app(client) as pilot:
        await pilot.press("b")
        await settle(pilot)
        await pilot.press("left", "up", "left", "enter")
    assert client.commands == [m.Bots([m.BotWanted(pace_ms=12_000)])]


async def test_unchanged_bots_are_not_sent_and_others_can_be_removed() -> None:
    client = with_bots()
    async with running_app(client) as pilot:
        client.receive(m.MemberEvent(0, OTTER, "joined"))
        await settle(pilot)
        await pilot.press("b")
        await settle(pilot)
        assert "◂ club" in screen(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert client.commands == []
        await pilot.press("b", *["left"] * 4, "enter")
    assert client.commands == [m.Bots([])]


async def test_bots_are_marked_once_in_the_lobby() -> None:
    client = with_bots()
    async with running_app(client) as pilot:
        client.receive(m.MemberEvent(0, OTTER, "joined"))
        await settle(pilot)
        rows = [row for row in screen(pilot).splitlines() if "Otter" in row]
        assert [row.count("⚙") for row in rows] == [1, 1], "also in the news"


async def test_only_the_host_of_a_server_with_bots_can_choose_them() -> None:
    guest = as_guest()
    guest.view.features = frozenset({"bots"})
    host = with_bots()
    async with running_app(guest) as pilot:
        await settle(pilot)
        assert " bots" not in keys(pilot)
    async with running_app(host) as pilot:
        await settle(pilot)
        assert " bots" in keys(pilot)
        host.view.features = frozenset()
        host.receive(m.MemberEvent(0, member(BEN, 1), "joined"))
        await settle(pilot)
        assert " bots" not in keys(pilot)
