"""The lobby and its dialogs, operated by keys and clicks."""

import re
from collections.abc import Callable

import pytest
from tests.client import rooms
from tests.client.offline import (
    MINUTE,
    OfflineClient,
    app_of,
    as_guest,
    board,
    keys,
    running_app,
    screen,
    settle,
    wait_for_text,
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
from textual.events import Key
from textual.widgets import Input

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules

# --- Lobby ----------------------------------------------------------------------------


async def test_lobby_shows_how_to_join_and_who_is_here() -> None:
    people = [
        member(ANN, 0, ready=True),
        member(BEN, 1, "Turbo", bot=True),
        member(CAT, None),
    ]
    async with running_app(OfflineClient(members=people), (80, 30)) as pilot:
        text = screen(pilot)
    for words in (
        "sliderace join KWXTRB@192.0.2.7:8710",
        "http://192.0.2.7:8710/KWXTRB",
        "3x3, 2 min, boards hidden",
        "commitment to the board:",
        COMMITMENT[:32],
        COMMITMENT[32:],
        "private",
        "✓ Ann",
        "you, ♛ host",
        "· Turbo",
        "⚙ bot",
        "spectator",
    ):
        assert words in text
    assert "█▀▀▀▀▀█" in text  # a corner of the QR code, which fits here


async def test_lobby_says_that_the_seed_is_known_in_advance() -> None:
    known = rooms.room(seed_known=True)
    async with running_app(OfflineClient(room=known)) as pilot:
        assert "seed known in advance" in screen(pilot)
        assert "commitment" not in screen(pilot)


@pytest.mark.parametrize(
    "name", ["[red]Eve[/red]", "[@click=app.exit]x[/]", "\x1b[31mEve", "a\u202eb"]
)
async def test_hostile_name_is_shown_as_text(name: str) -> None:
    client = OfflineClient(members=[member(ANN, 0), member(BEN, 1, name)])
    async with running_app(client) as pilot:
        text = screen(pilot)
        clean = client.view.members[BEN].name
        assert clean in text
        assert "\x1b" not in text
        assert "\u202e" not in text


async def test_ready_key_that_is_held_down_counts_once() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        assert "r  ready" in keys(pilot)
        await pilot.press("r", "r", "r")
        assert client.commands == [m.Ready(RACE, True, COMMITMENTS[0])]
        client.receive(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
        client.room.now += 2_000
        await settle(pilot)
        await pilot.press("r")
        assert client.commands[1:] == [m.Ready(RACE, False)]


async def test_key_can_be_clicked() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.click("#keys", offset=(2, 0))
        assert client.commands == [m.Ready(RACE, True, COMMITMENTS[0])]


async def test_host_starts_locks_kicks_benches_and_hands_over() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("s")
        await settle(pilot)
        assert "Start without Ben?" in screen(pilot)
        await pilot.press("n")
        client.room.now += 2_000
        await pilot.press("s")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        await pilot.press("x", "down")
        await settle(pilot)
        await pilot.press("k")
        await settle(pilot)
        shown = screen(pilot)
        assert "Remove Ben from the room? They stay out until you lock and" in shown
        await pilot.press("n")
        await settle(pilot)
        await pilot.press("i", "o")
        await settle(pilot)
        assert "Make Ben the host?" in screen(pilot)
        await pilot.press("y")
        await settle(pilot)
        client.room.now += 2_000
        await pilot.press("k")
        await settle(pilot)
        await pilot.press("y")
    assert client.commands == [
        m.Start(RACE),
        m.Lock(True),
        m.Bench(BEN, True),
        m.HandOver(BEN),
        m.Kick(BEN),
    ]


async def test_start_is_one_key_if_all_are_ready() -> None:
    people = [member(ANN, 0), member(BEN, 1, ready=True), member(CAT, None)]
    client = OfflineClient(members=people)
    async with running_app(client) as pilot:
        await pilot.press("s")
    assert client.commands == [m.Start(RACE)]


async def test_player_who_was_not_ready_sees_why_they_only_watch() -> None:
    client = as_guest()
    async with running_app(client, (120, 30)) as pilot:
        for phase in ("countdown", "racing"):
            client.receive(m.PhaseEvent(0, RACE, phase, 1_200, [1]))
        await settle(pilot)
        assert "You were not ready, so you are watching this race" in screen(pilot)
        assert "you were not ready: you watch" in screen(pilot)


async def test_lobby_counts_down_to_an_automatic_start() -> None:
    client = OfflineClient()
    async with running_app(client, (40, 15)) as pilot:
        assert "starts in" not in screen(pilot)
        client.receive(m.PhaseEvent(0, RACE, "lobby", 30_000))
        client.room.now += 1_500
        await settle(pilot)
        assert "The next race starts in 29 s" in screen(pilot)
        client.receive(m.PhaseEvent(0, RACE, "lobby", None))
        await settle(pilot)
        assert "starts in" not in screen(pilot)


@pytest.mark.parametrize("make", [OfflineClient, as_guest])
async def test_members_who_do_not_fit_are_counted_and_can_be_scrolled_to(
    make: Callable[..., OfflineClient],
) -> None:
    names = [f"Racer{n:02}" for n in range(20)]
    people = [member(ANN + n, n, name) for n, name in enumerate(names)]
    async with running_app(make(members=people), (80, 24)) as pilot:
        seen: set[str] = set()
        for _ in range(len(names)):
            text = screen(pilot)
            shown = set(re.findall(r"Racer\d\d", text))
            counts = re.search(r"and (\d+) more \(↑ (\d+), ↓ (\d+)\)", text)
            assert counts is not None
            assert len(shown) + int(counts[1]) == len(names)
            assert int(counts[2]) + int(counts[3]) == int(counts[1])
            chosen = re.search(r"▸ \W*(Racer\d\d)", text)
            assert chosen is not None
            seen.add(chosen[1])
            await pilot.press(
                "down"
            )  # then the footer also shows the keys for this member
            await settle(pilot)
    assert seen == set(names)


async def test_eight_people_fit_beside_the_qr_code_of_a_usual_terminal() -> None:
    people = [member(n, n, f"P{n}") for n in range(1, 9)]
    async with running_app(OfflineClient(members=people), (80, 24)) as pilot:
        assert all(f"P{n} " in screen(pilot) for n in range(1, 9))


async def test_member_who_is_alone_sees_how_to_add_bots() -> None:
    hint = "sliderace bot KWX-TRB"
    async with running_app(OfflineClient(members=[member(ANN, 0)])) as pilot:
        assert hint in screen(pilot)
    async with running_app(OfflineClient()) as pilot:
        assert hint not in screen(pilot)
    alone = OfflineClient(members=[member(ANN, 0)])
    alone.view.features = frozenset({"bots"})
    async with running_app(alone) as pilot:
        assert "Race against bots: press b" in screen(pilot)
        assert hint not in screen(pilot)


async def test_no_line_of_a_small_lobby_is_cut_without_a_sign() -> None:
    room = rooms.room(rules=Rules("3x3", start="every"), host=BEN)
    client = OfflineClient(room=room, members=[member(ANN, None)])
    async with running_app(client, (40, 15)) as pilot:
        shown = " ".join(screen(pilot).split())
        assert re.search("boards hidden, a race e?v?e?…", shown)
        assert "you, spectator" in shown
        assert "sliderace bot KWX-TRB" in shown


async def test_leaving_host_is_warned_what_ends_with_their_server() -> None:
    client = OfflineClient()
    async with running_app(client, kind="host", ends=True) as pilot:
        await pilot.press("q")
        await settle(pilot)
        assert "The server stops, and 2 others have to wait for you." in screen(pilot)
        await pilot.press("n")
        client.race()
        await settle(pilot)
        await pilot.press("q")
        await settle(pilot)
        assert "After this race the server stops, and 2 others have to wait" in screen(
            pilot
        )


async def test_help_of_a_room_fits_80x24_and_scrolls_both_ways() -> None:
    async with running_app(OfflineClient()) as pilot:
        await pilot.press("?")
        await pilot.pause()
        assert "arrows, wasd" in screen(pilot)
        assert "Ctrl-C" in screen(pilot)
        assert "more" not in keys(pilot)
    async with running_app(OfflineClient(), (80, 15)) as pilot:
        await pilot.press("?")
        await pilot.pause()
        await pilot.press("down", "down", "down")
        await pilot.pause()
        assert "Ctrl-C" in screen(pilot)
        assert "more" not in keys(pilot)
        await pilot.press("up", "up")
        await pilot.pause()
        assert "arrows, wasd" in screen(pilot)


async def test_click_chooses_the_member_that_the_host_acts_on() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.click("#people", offset=(6, 1))
        await settle(pilot)
        await pilot.press("i")
    assert client.commands == [m.Bench(BEN, True)]


async def test_guest_has_no_keys_of_the_host() -> None:
    client = as_guest()
    async with running_app(client) as pilot:
        await pilot.press("s", "e", "x", "down", "k", "o")
        await settle(pilot)
        assert "♛ host" in screen(pilot)
        await pilot.press("p")
    assert client.commands == [m.Role("spectator")]


async def test_spectator_can_play_and_benched_player_can_return() -> None:
    client = as_guest(members=[member(ANN, None, "Ann"), member(BEN, 1)])
    async with running_app(client) as pilot:
        await pilot.press("r", "p")
        client.receive(m.MemberEvent(0, member(ANN, 0, benched=True), "benched"))
        await settle(pilot)
        await pilot.press("i")
    assert client.commands == [m.Role("player"), m.Bench(ANN, False)]


async def test_host_changes_rules_in_a_dialog() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
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
    assert client.commands == [m.Settings(patch, public=True)]


async def test_host_chooses_any_size_by_width_and_height() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("e")
        await pilot.pause()
        await pilot.press("w", "w", "h", "up", "down")  # from 3x3
        await pilot.pause()
        assert "5x4" in screen(pilot)
        await pilot.press("left", "left", "left", "right", "right", "right", "enter")
        await settle(pilot)
        await pilot.press("e")
        await pilot.pause()
        await pilot.press("left", "enter")  # from 3x3
        await settle(pilot)
        await pilot.press("e")
        await pilot.pause()
        await pilot.press(*"hhhhhhhh", "enter")  # once around, from 3x3
    sizes = ["5x4", "2x2", "3x2"]
    assert client.commands == [m.Settings(m.RulesPatch(size=size)) for size in sizes]


async def test_unchanged_rules_are_not_sent() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("e")
        await pilot.pause()
        await pilot.press("right", "left", "enter")
        await settle(pilot)
        await pilot.press("e")
        await pilot.pause()
        await pilot.press("right", "escape")
    assert client.commands == []


async def test_rules_can_be_clicked() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("e")
        await pilot.pause()
        await pilot.click("#text", offset=(34, 1))
        await pilot.press("enter")
    assert client.commands == [m.Settings(m.RulesPatch(size="4x4"))]


@pytest.mark.parametrize("close", ["escape", "enter", "q", "?", "c"])
async def test_keys_typed_at_once_close_a_dialog_only_once(close: str) -> None:
    """A terminal may deliver them together; the second is for the lobby below."""
    async with running_app(OfflineClient()) as pilot:
        await pilot.press("?")
        await settle(pilot)
        for key in (close, "c"):
            pilot.app.post_message(Key(key, key if len(key) == 1 else None))
        await settle(pilot)
        assert "sliderace join KWXTRB@192.0.2.7:8710" in screen(pilot)
        assert "slide the tile beside the gap that way" not in screen(pilot)
        for _ in range(3):
            pilot.app.post_message(Key("escape", None))
        await settle(pilot)
        assert "ready" in keys(pilot)


async def test_race_closes_the_dialogs_of_help_and_code() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("?")
        await pilot.pause()
        assert "slide the tile beside the gap that way" in screen(pilot)
        await pilot.press("escape", "c")
        await pilot.pause()
        assert "sliderace join KWXTRB@192.0.2.7:8710" in screen(pilot)
        client.race()
        await settle(pilot)
        assert board(pilot) == START


@pytest.mark.parametrize(("others", "many"), [(1, "1 other has"), (2, "2 others have")])
async def test_leaving_host_is_warned_how_many_others_will_wait(
    others: int, many: str
) -> None:
    people = [member(ANN, 0), member(BEN, 1, "Ben"), member(CAT, 2, "Cat")]
    client = OfflineClient(members=people[: 1 + others])
    async with running_app(
        client, kind="host", back="sliderace host", ends=True
    ) as pilot:
        await pilot.press("q")
        await settle(pilot)
        assert f"The server stops, and {many} to wait for you." in screen(pilot)
        await pilot.press("y")
        await pilot.pause()
        assert not pilot.app.is_running
        assert client.commands == []  # the seat is kept
        assert app_of(pilot).way_back == "sliderace host"


async def test_host_who_leaves_a_running_race_gives_it_up_and_keeps_the_seat() -> None:
    """The others need not wait for a racer who is away."""
    client = OfflineClient()
    async with running_app(
        client, kind="host", back="sliderace host", ends=True
    ) as pilot:
        client.race()
        await settle(pilot)
        await pilot.press("q", "y")
        await pilot.pause()
        assert client.commands[-1] == m.Forfeit(RACE)
        assert not pilot.app.is_running
        assert app_of(pilot).way_back == "sliderace host"


async def test_host_who_leaves_during_the_countdown_leaves_the_race() -> None:
    client = OfflineClient()
    async with running_app(client, kind="host", ends=True) as pilot:
        client.receive(m.PhaseEvent(0, RACE, "countdown", 5_000))
        await settle(pilot)
        await pilot.press("q", "y")
        await settle(pilot)
        assert client.commands[-1] == m.Leave()


async def test_leaving_host_who_is_alone_gets_the_usual_question() -> None:
    client = OfflineClient(members=[member(ANN, 0)])
    async with running_app(client, kind="host") as pilot:
        await pilot.press("q")
        await settle(pilot)
        assert "Leave the room for good?" in screen(pilot)


async def test_leaving_asks_first() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("q")
        await settle(pilot)
        assert "Leave the room for good?" in screen(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "Leave" not in screen(pilot)
        assert client.commands == []
        client.room.now += 2_000
        await pilot.press("q", "y")
        assert client.commands == [m.Leave()]
        client.end()
        await pilot.pause()
    assert app_of(pilot).return_code == 0


async def test_help_scrolls_in_a_small_terminal() -> None:
    async with running_app(OfflineClient(), (40, 15)) as pilot:
        await pilot.press("?")
        await pilot.pause()
        seen = screen(pilot)
        for _ in range(4):
            assert "esc close" in screen(pilot)
            await pilot.press("down")
            await pilot.pause()
            seen += screen(pilot)
        for words in ("arrows, wasd, hjkl", "click", "Ctrl-C"):
            assert words in seen


@pytest.mark.parametrize("size", [(40, 15), (80, 24)])
async def test_all_rules_are_visible_in_every_terminal(size: tuple[int, int]) -> None:
    async with running_app(OfflineClient(), size) as pilot:
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


async def test_only_the_host_can_close_the_room_for_all() -> None:
    for client, closed in ((OfflineClient(), [m.Close()]), (as_guest(), [])):
        async with running_app(client) as pilot:
            await pilot.press("q")
            await settle(pilot)
            assert ("close it for all" in screen(pilot)) == bool(closed)
            await pilot.press("x")
        assert client.commands == closed


async def test_names_are_neither_markup_nor_escape_sequences() -> None:
    """A server may be hostile: brackets are shown, control characters are not."""
    hostile = ["[red]B[/]", "[@click=app.bell]C", "\x1b]52;c;eA==\x07\u202eD\x9b2J"]
    people = [member(ANN, 0), *(member(9 + n, 1 + n, x) for n, x in enumerate(hostile))]
    async with running_app(OfflineClient(members=people), (100, 30)) as pilot:
        text = screen(pilot)
    assert hostile[0] in text
    assert hostile[1] in text
    assert not set(text) & set("\x1b\x07\u202e\x9b")


async def test_question_before_the_start_follows_the_players() -> None:
    """It names those who are still not ready; when all are, the race starts."""
    members = [
        member(ANN, 0, ready=True),
        member(BEN, 1, "Ben"),
        member(3, 2, "Cleo"),
    ]
    client = OfflineClient(members=members)
    async with running_app(client) as pilot:
        await pilot.press("s")
        await settle(pilot)
        assert "Ben and Cleo" in screen(pilot)
        client.receive(m.MemberEvent(0, member(3, 2, "Cleo", ready=True), "ready"))
        await settle(pilot)
        question = keys(pilot)
        assert "Ben and Cleo" not in screen(pilot)
        assert "start" in question
        assert m.Start(RACE) not in client.commands
        client.receive(m.MemberEvent(0, member(BEN, 1, "Ben", ready=True), "ready"))
        await settle(pilot)
        assert m.Start(RACE) in client.commands
        assert "wait" not in keys(pilot)


async def test_withdrawn_question_does_not_start_the_race() -> None:
    members = [member(ANN, 0, ready=True), member(BEN, 1, "Ben")]
    client = OfflineClient(members=members)
    async with running_app(client) as pilot:
        await pilot.press("s")
        await settle(pilot)
        await pilot.press("n")
        await settle(pilot)
        client.receive(m.MemberEvent(0, member(BEN, 1, "Ben", ready=True), "ready"))
        await settle(pilot)
        assert m.Start(RACE) not in client.commands


async def test_own_row_is_visible_among_many_members() -> None:
    others = [member(n, n - 1, f"Racer {n}") for n in range(2, 17)]
    client = OfflineClient(members=[*others, member(ANN, 0)])
    async with running_app(client, (80, 24)) as pilot:
        for _ in range(18):
            assert "Ann" in screen(pilot)
            assert "more" in screen(pilot)
            await pilot.press("down")
            await settle(pilot)


async def test_late_player_gets_ready_in_the_countdown() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.receive(m.PhaseEvent(0, RACE, "countdown", 5_000))
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        ready = [each for each in client.commands if isinstance(each, m.Ready)]
        assert [(each.race, each.on) for each in ready] == [(RACE, True)]


async def test_not_ready_in_the_countdown_ends_always_ready() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await pilot.press("a")
        client.receive(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
        client.receive(m.PhaseEvent(0, RACE, "countdown", 5_000))
        await settle(pilot)
        await pilot.press("r")
        assert client.commands[-1] == m.Ready(RACE, False)
        assert not app_of(pilot).always_ready


async def test_benched_player_cannot_get_ready_in_the_countdown() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.receive(m.MemberEvent(0, member(ANN, 0, benched=True), "benched"))
        client.receive(m.PhaseEvent(0, RACE, "countdown", 5_000))
        await settle(pilot)
        assert "ready" not in keys(pilot)


async def test_key_held_down_on_the_results_does_not_act_in_the_lobby() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.race()
        client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
        client.receive(rooms.results())
        await settle(pilot)
        await pilot.press("r")
        client.next_lobby()
        client.receive(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
        await settle(pilot)
        asked = len(client.commands)
        client.room.now += 500  # the first repeat of a key that is held down
        await pilot.press("r")
        assert client.commands[asked:] == []
        assert "warm up" in keys(pilot)


async def test_rematch_of_another_player_leaves_the_results_on_the_screen() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        client.race()
        client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
        client.receive(rooms.results())
        await settle(pilot)
        client.next_lobby()
        await settle(pilot)
        assert "back" in keys(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert "warm up" in keys(pilot)
        assert [one.race for one in client.commands if isinstance(one, m.Ready)] == [
            rooms.NEXT
        ]


# --- The nickname ---------------------------------------------------------------------


async def test_nickname_is_changed_in_the_room_and_stored_for_the_next_time() -> None:
    client = OfflineClient()
    async with running_app(client, kind="host") as pilot:
        await pilot.press("n")
        await settle(pilot)
        assert pilot.app.screen.query_one(Input).value == "Ann"
        pilot.app.screen.query_one(Input).value = "\u0410nn"
        await pilot.press("enter")
        await settle(pilot)
        assert "A nickname uses the letters of one alphabet" in screen(pilot)
        pilot.app.screen.query_one(Input).value = " Zoë "
        await pilot.press("enter")
        await settle(pilot)
        assert client.commands == [m.Rename("Zoë")]
        client.receive(m.MemberEvent(0, member(ANN, 0, "Zoë"), "renamed"))
        await wait_for_text(pilot, "Ann is now called Zoë")
        assert app_of(pilot).settings.name == "Zoë"
        assert app_of(pilot).nickname == "Zoë"


# --- Reactions ------------------------------------------------------------------------


def reacting() -> OfflineClient:
    """Return a client whose server takes reactions."""
    client = OfflineClient()
    client.view.features = frozenset(["reactions"])
    return client


async def test_lobby_offers_no_reactions_where_the_server_has_none() -> None:
    async with running_app(OfflineClient()) as pilot:
        await settle(pilot)
        assert "react" not in keys(pilot)


async def test_reaction_is_sent_by_one_key_or_click_and_shown_for_three_seconds() -> (
    None
):
    client = reacting()
    async with running_app(client) as pilot:
        await settle(pilot)
        await pilot.press("z")
        await settle(pilot)
        assert "a  Good luck" in screen(pilot)
        await pilot.press("a")
        await settle(pilot)
        await pilot.press("z")
        await settle(pilot)
        await pilot.click("#text", offset=(2, 1))
        await settle(pilot)
        await pilot.press("z")
        await settle(pilot)
        await pilot.click("#text", offset=(30, 8))
        assert client.commands == [m.React(9), m.React(1), m.React(16)]
        client.receive(m.Reacted(BEN, 9))
        await wait_for_text(pilot, "Ben Good luck")
        client.room.now += 3_000
        await settle(pilot)
        assert "Good luck" not in screen(pilot)


async def test_reactions_of_one_or_of_all_can_be_hidden_and_the_host_mutes() -> None:
    client = reacting()
    async with running_app(client) as pilot:
        await pilot.press("down")
        await settle(pilot)
        assert "hide reactions" not in keys(pilot)
        client.receive(m.Reacted(BEN, 9))
        await wait_for_text(pilot, "Ben Good luck")
        await pilot.press("h", "m")
        await settle(pilot)
        assert "Good luck" not in screen(pilot)
        assert client.commands == [m.Mute(BEN)]
        await pilot.press("h")
        await wait_for_text(pilot, "Ben Good luck")
        await pilot.press("z")
        await settle(pilot)
        await pilot.press("o")
        await settle(pilot)
        assert "Reactions are hidden." in screen(pilot)
        assert "Ben Good luck" not in screen(pilot)
        assert app_of(pilot).settings.reactions == "off"


async def test_reactions_stand_beside_racers_and_those_of_spectators_below() -> None:
    client = reacting()
    async with running_app(client, (100, 32)) as pilot:
        client.race(rooms.results().board)
        client.receive(m.Reacted(BEN, 16))
        client.receive(m.Reacted(CAT, 9))
        await wait_for_text(pilot, "Ben Have to go")
        assert "Cat: Good luck" in screen(pilot)
        assert "z  react" not in keys(pilot)
        client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
        rows = [rooms.standing(0, "dnf"), rooms.standing(1, "dnf")]
        client.receive(rooms.results(standings=rows))
        await settle(pilot)
        client.receive(m.Reacted(BEN, 10))
        await wait_for_text(pilot, "Ben Well played")
        assert "z  react" in keys(pilot)
