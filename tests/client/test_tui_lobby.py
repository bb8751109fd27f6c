"""The lobby and the windows over it, driven by keys and clicks."""

import re
from collections.abc import Callable

import pytest
from tests.client import rooms
from tests.client.offline import (
    Offline,
    as_guest,
    board,
    driven,
    keys,
    screen,
    settle,
    terminal,
)
from tests.client.rooms import (
    ANN,
    BEN,
    CAT,
    COMMITMENT,
    COMMITMENTS,
    RACE,
    START,
    member,
)

from sliderace.protocol import messages as m

# --- Lobby ----------------------------------------------------------------------------


async def test_the_lobby_shows_how_to_join_and_who_is_here() -> None:
    people = [
        member(ANN, 0, ready=True),
        member(BEN, 1, "Turbo", bot=True),
        member(CAT, None),
    ]
    async with driven(Offline(members=people), (80, 30)) as pilot:
        text = screen(pilot)
    for words in (
        "sliderace join KWXTRB@192.0.2.7:8710",
        "http://192.0.2.7:8710/KWXTRB",
        "3x3, 2 min, boards hidden",
        "board sealed:",
        COMMITMENT[:32],
        COMMITMENT[32:],
        "private",
        "✓ Ann",
        "you ♛ host",
        "· Turbo",
        "⚙ bot",
        "watches",
    ):
        assert words in text
    assert "█▀▀▀▀▀█" in text  # a QR code's corner: there is room for it


async def test_a_seed_known_in_advance_is_said() -> None:
    known = rooms.room(seed_known=True)
    async with driven(Offline(room=known)) as pilot:
        assert "seed known in advance" in screen(pilot)
        assert "sealed" not in screen(pilot)


@pytest.mark.parametrize(
    "name", ["[red]Eve[/red]", "[@click=app.exit]x[/]", "\x1b[31mEve", "a\u202eb"]
)
async def test_a_hostile_name_is_only_text(name: str) -> None:
    seat = Offline(members=[member(ANN, 0), member(BEN, 1, name)])
    async with driven(seat) as pilot:
        text = screen(pilot)
        clean = seat.view.members[BEN].name
        assert clean in text
        assert "\x1b" not in text
        assert "\u202e" not in text


async def test_ready_is_one_key_and_a_held_key_is_one_press() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        assert "r  ready" in keys(pilot)
        await pilot.press("r", "r", "r")
        assert seat.asked == [m.Ready(RACE, True, COMMITMENTS[0])]
        seat.hear(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
        seat.told.now += 2_000
        await settle(pilot)
        await pilot.press("r")
        assert seat.asked[1:] == [m.Ready(RACE, False)]


async def test_a_key_can_be_clicked_too() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.click("#keys", offset=(2, 0))
        assert seat.asked == [m.Ready(RACE, True, COMMITMENTS[0])]


async def test_the_host_starts_locks_kicks_benches_and_hands_over() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.press("s")
        await settle(pilot)
        assert "Not ready, would only watch: Ben." in screen(pilot)
        await pilot.press("n")
        seat.told.now += 2_000
        await pilot.press("s")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        await pilot.press("x", "down")
        await settle(pilot)
        await pilot.press("k")
        await settle(pilot)
        assert "Send Ben out?" in screen(pilot)
        await pilot.press("n")
        await settle(pilot)
        await pilot.press("b", "o")
        await settle(pilot)
        assert "Make Ben the host?" in screen(pilot)
        await pilot.press("y")
        await settle(pilot)
        seat.told.now += 2_000
        await pilot.press("k")
        await settle(pilot)
        await pilot.press("y")
    assert seat.asked == [
        m.Start(RACE),
        m.Lock(True),
        m.Bench(BEN, True),
        m.HandOver(BEN),
        m.Kick(BEN),
    ]


async def test_where_all_are_ready_the_start_is_one_key() -> None:
    people = [member(ANN, 0), member(BEN, 1, ready=True), member(CAT, None)]
    seat = Offline(members=people)
    async with driven(seat) as pilot:
        await pilot.press("s")
    assert seat.asked == [m.Start(RACE)]


async def test_who_was_not_ready_reads_why_he_only_watches() -> None:
    seat = as_guest()
    async with driven(seat, (120, 30)) as pilot:
        for phase in ("countdown", "racing"):
            seat.hear(m.PhaseEvent(0, RACE, phase, 1_200, [1]))
        await settle(pilot)
        assert "You were not ready, so you watch this race" in screen(pilot)
        assert "you were not ready: you watch" in screen(pilot)


async def test_a_start_by_itself_is_counted_down_in_the_lobby() -> None:
    seat = Offline()
    async with driven(seat, (40, 15)) as pilot:
        assert "starts in" not in screen(pilot)
        seat.hear(m.PhaseEvent(0, RACE, "lobby", 30_000))
        seat.told.now += 1_500
        await settle(pilot)
        assert "The next race starts in 29 s" in screen(pilot)
        seat.hear(m.PhaseEvent(0, RACE, "lobby", None))
        await settle(pilot)
        assert "starts in" not in screen(pilot)


@pytest.mark.parametrize("make", [Offline, as_guest])
async def test_whom_the_lobby_has_no_room_for_is_counted_and_scrolled_to(
    make: Callable[..., Offline],
) -> None:
    names = [f"Racer{n:02}" for n in range(12)]
    people = [member(ANN + n, n, name) for n, name in enumerate(names)]
    async with driven(make(members=people), (80, 24)) as pilot:
        seen: set[str] = set()
        for _ in range(len(names)):
            text = screen(pilot)
            shown = set(re.findall(r"Racer\d\d", text))
            told = re.search(r"and (\d+) more \(↑ (\d+), ↓ (\d+)\)", text)
            assert told is not None
            assert len(shown) + int(told[1]) == len(names)
            assert int(told[2]) + int(told[3]) == int(told[1])
            chosen = re.search(r"▸ \W*(Racer\d\d)", text)
            assert chosen is not None
            seen.add(chosen[1])
            await pilot.press("down")  # then the footer has keys of this person, too
            await settle(pilot)
    assert seen == set(names)


async def test_who_is_alone_reads_how_bots_come_in() -> None:
    hint = "sliderace bot KWX-TRB"
    async with driven(Offline(members=[member(ANN, 0)])) as pilot:
        assert hint in screen(pilot)
    async with driven(Offline()) as pilot:
        assert hint not in screen(pilot)


async def test_what_ends_with_the_host_s_server_is_said_as_it_is() -> None:
    seat = Offline()
    async with driven(seat, kind="host") as pilot:
        await pilot.press("q")
        await settle(pilot)
        assert "The server ends with you, and the room for 2 others." in screen(pilot)
        await pilot.press("n")
        seat.race()
        await settle(pilot)
        await pilot.press("q")
        await settle(pilot)
        assert "Server and room (for 2 others) end after this race." in screen(pilot)


async def test_the_help_of_a_room_fits_80x24_and_pages_turn_both_ways() -> None:
    async with driven(Offline()) as pilot:
        await pilot.press("?")
        await pilot.pause()
        assert "arrows, wasd" in screen(pilot)
        assert "Ctrl-C" in screen(pilot)
        assert "more" not in keys(pilot)
    async with driven(Offline(), (80, 15)) as pilot:
        await pilot.press("?")
        await pilot.pause()
        await pilot.press("down", "down", "down")
        await pilot.pause()
        assert "Ctrl-C" in screen(pilot)
        assert "more" not in keys(pilot)
        await pilot.press("up", "up")
        await pilot.pause()
        assert "arrows, wasd" in screen(pilot)


async def test_a_click_chooses_whom_the_host_means() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.click("#people", offset=(6, 1))
        await settle(pilot)
        await pilot.press("b")
    assert seat.asked == [m.Bench(BEN, True)]


async def test_a_guest_has_no_keys_of_the_host() -> None:
    seat = as_guest()
    async with driven(seat) as pilot:
        await pilot.press("s", "e", "x", "down", "k", "o")
        await settle(pilot)
        assert "♛ host" in screen(pilot)
        await pilot.press("p")
    assert seat.asked == [m.Role("spectator")]


async def test_a_spectator_may_play_too_and_a_benched_one_comes_back() -> None:
    seat = as_guest(members=[member(ANN, None, "Ann"), member(BEN, 1)])
    async with driven(seat) as pilot:
        await pilot.press("r", "p")
        seat.hear(m.MemberEvent(0, member(ANN, 0, benched=True), "benched"))
        await settle(pilot)
        await pilot.press("b")
    assert seat.asked == [m.Role("player"), m.Bench(ANN, False)]


async def test_the_host_changes_rules_in_a_window() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.press("e")
        await pilot.pause()
        assert "The rules of the next race" in screen(pilot)
        await pilot.press("right", "down", "down", "right", "up", "up", "up", "space")
        await pilot.pause()
        assert "public (listed)" in screen(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert "The rules" not in screen(pilot)
    patch = m.RulesPatch(size="4x4", open_boards=True)
    assert seat.asked == [m.Settings(patch, public=True)]


async def test_rules_left_as_they_were_are_not_sent() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.press("e")
        await pilot.pause()
        await pilot.press("right", "left", "enter")
        await settle(pilot)
        await pilot.press("e")
        await pilot.pause()
        await pilot.press("right", "escape")
    assert seat.asked == []


async def test_rules_can_be_clicked() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.press("e")
        await pilot.pause()
        await pilot.click("#text", offset=(34, 1))
        await pilot.press("enter")
    assert seat.asked == [m.Settings(m.RulesPatch(size="4x4"))]


async def test_help_and_code_are_windows_and_a_race_closes_them() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.press("?")
        await pilot.pause()
        assert "the tile beside the gap travels that way" in screen(pilot)
        await pilot.press("escape", "c")
        await pilot.pause()
        assert "sliderace join KWXTRB@192.0.2.7:8710" in screen(pilot)
        seat.race()
        await settle(pilot)
        assert board(pilot) == START


@pytest.mark.parametrize(("others", "many"), [(1, "1 other."), (2, "2 others.")])
async def test_who_ends_the_server_by_leaving_is_told_how_many_lose_the_room(
    others: int, many: str
) -> None:
    people = [member(ANN, 0), member(BEN, 1, "Ben"), member(CAT, 2, "Cat")]
    seat = Offline(members=people[: 1 + others])
    async with driven(seat, kind="host") as pilot:
        await pilot.press("q")
        await settle(pilot)
        assert f"The server ends with you, and the room for {many}" in screen(pilot)


async def test_who_hosts_alone_loses_nobody() -> None:
    async with driven(Offline(members=[member(ANN, 0)]), kind="host") as pilot:
        await pilot.press("q")
        await settle(pilot)
        assert "Leave the room for good?" in screen(pilot)


async def test_leaving_is_asked_and_said() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.press("q")
        await settle(pilot)
        assert "Leave the room for good?" in screen(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "Leave" not in screen(pilot)
        assert seat.asked == []
        seat.told.now += 2_000
        await pilot.press("q", "y")
        assert seat.asked == [m.Leave()]
        seat.end()
        await pilot.pause()
    assert terminal(pilot).return_code == 0


async def test_in_a_small_terminal_the_help_is_read_page_by_page() -> None:
    async with driven(Offline(), (40, 15)) as pilot:
        await pilot.press("?")
        await pilot.pause()
        seen = screen(pilot)
        for _ in range(4):
            assert "esc close" in screen(pilot)
            await pilot.press("down")
            await pilot.pause()
            seen += screen(pilot)
        for words in ("arrows, wasd, hjkl", "click a tile", "Ctrl-C"):
            assert words in seen


@pytest.mark.parametrize("size", [(40, 15), (80, 24)])
async def test_all_rules_fit_every_terminal(size: tuple[int, int]) -> None:
    async with driven(Offline(), size) as pilot:
        await pilot.press("e")
        await pilot.pause()
        for words in (
            "Board ",
            "Spectators",
            "Timing",
            "Room",
            "private (by code)",
            "cancel",
        ):
            assert words in screen(pilot)
        await pilot.press("up", "right")
        await pilot.pause()
        assert "public (listed)" in screen(pilot)


async def test_the_host_may_close_the_room_for_all_a_guest_may_not() -> None:
    for seat, closed in ((Offline(), [m.Close()]), (as_guest(), [])):
        async with driven(seat) as pilot:
            await pilot.press("q")
            await settle(pilot)
            assert ("close it for all" in screen(pilot)) == bool(closed)
            await pilot.press("x")
        assert seat.asked == closed


async def test_names_are_no_markup_and_steer_no_terminal() -> None:
    """Whatever a hostile server says: brackets are shown, and nothing else is."""
    hostile = ["[red]B[/]", "[@click=app.bell]C", "\x1b]52;c;eA==\x07\u202eD\x9b2J"]
    people = [member(ANN, 0), *(member(9 + n, 1 + n, x) for n, x in enumerate(hostile))]
    async with driven(Offline(members=people), (100, 30)) as pilot:
        text = screen(pilot)
    assert hostile[0] in text
    assert hostile[1] in text
    assert not set(text) & set("\x1b\x07\u202e\x9b")
