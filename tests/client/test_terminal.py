"""The full-screen client, driven by keys and clicks; the test is the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from sliderace.engine import (
    Size,
    format_board,
    parse_board,
    scramble,
    seed_from_text,
)
from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.render import LIGHT
from sliderace_client.settings import Settings, load
from sliderace_client.start import Start
from sliderace_client.terminal.app import Terminal
from sliderace_client.terminal.widgets import Boards, Lines
from tests.client import rooms
from tests.client.offline import Offline, at, shown
from tests.client.rooms import ANN, BEN, CAT, RACE, START, member, standing

Driver = Pilot[int]
MINUTE = 60_000


@asynccontextmanager
async def driven(
    seat: Offline, size: tuple[int, int] = (80, 24), **start: object
) -> AsyncIterator[Driver]:
    async with at(seat, **start).run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


async def settle(pilot: Driver) -> None:
    """Until everything that was said is on the screen."""
    await pilot.pause()
    terminal(pilot).repaint()
    await pilot.pause()


def terminal(pilot: Driver) -> Terminal:
    assert isinstance(pilot.app, Terminal)
    return pilot.app


def screen(pilot: Driver) -> str:
    return shown(terminal(pilot))


def keys(pilot: Driver) -> str:
    return pilot.app.screen.query_one("#keys", Lines).plain


def board(pilot: Driver) -> str:
    """The only board on the screen, as text."""
    (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
    width = placed.grid.width
    rows = [placed.tiles[i : i + width] for i in range(0, len(placed.tiles), width)]
    return "/".join(" ".join(map(str, row)) for row in rows)


def as_guest(**more: object) -> Offline:
    """A seat of Ann where Ben is host."""
    return Offline(room=rooms.room(host=BEN), **more)


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
        "sliderace join KWX-TRB",
        "http://192.0.2.7:8710/KWXTRB",
        "3x3, 2 min, boards hidden",
        "board sealed: ",
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
        clean = seat.model.members[BEN].name
        assert clean in text
        assert "\x1b" not in text
        assert "\u202e" not in text


async def test_ready_is_one_key_and_a_held_key_is_one_press() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        assert "r  ready" in keys(pilot)
        await pilot.press("r", "r", "r")
        assert seat.asked == [m.Ready(RACE, True)]
        seat.hear(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
        seat.told.now += 2_000
        await settle(pilot)
        await pilot.press("r")
        assert seat.asked[1:] == [m.Ready(RACE, False)]


async def test_a_key_can_be_clicked_too() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.click("#keys", offset=(2, 0))
        assert seat.asked == [m.Ready(RACE, True)]


async def test_the_host_starts_locks_kicks_benches_and_hands_over() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await pilot.press("s", "x", "down")
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
        assert "public: on the list" in screen(pilot)
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
        await pilot.click("#text", offset=(38, 2))
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
        assert "sliderace join KWX-TRB" in screen(pilot)
        seat.race()
        await settle(pilot)
        assert board(pilot) == START


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


# --- Countdown and race ---------------------------------------------------------------


async def test_the_countdown_stands_where_the_board_will_be() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.hear(m.PhaseEvent(0, RACE, "countdown", 5_000))
        await settle(pilot)
        canvas = pilot.app.screen.query_one("#boards", Boards)
        five = canvas.banner
        seat.told.now += 2_001
        await settle(pilot)
        assert canvas.banner not in ("", five)
        assert canvas.placed == ()
        seat.told.now += 3_000
        await settle(pilot)
        go = canvas.banner
        assert go not in ("", five)
        seat.race()
        await settle(pilot)
        assert board(pilot) == START
        assert seat.paints == 1


@pytest.mark.parametrize("pressed", [("left", "left"), ("a", "h"), ("h", "left")])
async def test_a_key_is_the_way_the_tile_travels(pressed: tuple[str, ...]) -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        await pilot.press(*pressed)
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"  # at once, before any answer
        assert seat.model.done


async def test_the_gap_preset_turns_every_key_around() -> None:
    seat = Offline()
    async with driven(seat, settings=Settings(keys="gap")) as pilot:
        seat.race()
        await settle(pilot)
        await pilot.press("right", "d")
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"


async def test_a_key_held_against_the_wall_does_no_harm() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race("1 2 3/4 5 6/7 0 8")
        await settle(pilot)
        await pilot.press(*["right"] * 20)
        assert board(pilot) == "1 2 3/4 5 6/0 7 8"
        assert seat.model.stm == 1


async def test_a_click_slides_all_tiles_up_to_the_gap() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
        x, y = placed.grid.place_of(8)
        await pilot.click("#boards", offset=(placed.x + x + 1, placed.y + y + 1))
        await pilot.pause()
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"
    assert [slide[:2] for slide in seat.asked[-1].slides] == [("L", 2)]  # type: ignore[union-attr]


async def test_only_rows_of_changed_cells_are_painted_again() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        canvas = pilot.app.screen.query_one("#boards", Boards)
        (placed,) = canvas.placed
        painted: list[int] = []
        paint = canvas.render_line

        def watched(y: int) -> object:
            painted.append(y)
            return paint(y)

        canvas.render_line = watched  # type: ignore[method-assign, assignment]
        seat.told.now += 700  # clocks run, a rival moves: no line of the board
        seat.hear(m.Progress(RACE, [m.Step(1, 3, 400, 3)]))
        await settle(pilot)
        assert painted == []
        await pilot.press("left")
        await settle(pilot)
        top = placed.y + placed.grid.place_of(6)[1]
        assert set(painted) == set(range(top, top + placed.grid.tile_h))


@pytest.mark.parametrize("key", ["u", "r", "z", "backspace"])
async def test_asking_for_undo_in_a_race_says_why_there_is_none(key: str) -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        await pilot.press(key)
        await settle(pilot)
        assert "Races have no undo and no reset" in screen(pilot)
        assert board(pilot) == START
    assert not any(isinstance(each, m.Undo | m.Ready) for each in seat.asked)


async def test_lanes_show_rivals_their_progress_and_who_is_lost() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        seat.hear(m.Progress(RACE, [m.Step(1, 3, 420, 3)]))
        await settle(pilot)
        assert "42%" in screen(pilot)
        gone = member(BEN, 1, connected=False)
        seat.hear(m.MemberEvent(0, gone, "disconnected"))
        await settle(pilot)
        assert "↯ Ben" in screen(pilot)
        done = standing(1, "finished", place=1, time_ms=41_320, high=1000)
        seat.hear(m.StandingEvent(0, RACE, done))
        seat.hear(m.PhaseEvent(0, RACE, "grace", MINUTE))
        await settle(pilot)
        assert "✓ 41.320" in screen(pilot)
        assert "grace: 1:00.0 left" in screen(pilot)
        assert board(pilot) == START  # ours goes on


async def test_giving_up_is_asked_and_can_be_undone_for_three_seconds() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        await pilot.press("f")
        await settle(pilot)
        assert "Give up this race?" in screen(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert seat.asked == []
        seat.told.now += 2_000
        await pilot.press("f", "y")
        assert seat.asked == [m.Forfeit(RACE)]
        out = standing(0, "forfeited")
        seat.hear(m.StandingEvent(0, RACE, out))
        await settle(pilot)
        assert "undo giving up" in keys(pilot)
        await pilot.press("u")
        assert seat.asked == [m.Forfeit(RACE), m.Undo(RACE)]
        seat.told.now += 3_001
        await settle(pilot)
        assert "undo giving up" not in keys(pilot)


async def test_inspection_shows_the_board_and_keeps_it_locked() -> None:
    seat = Offline(room=rooms.room(rules=Rules("3x3", inspection_ms=3_000)))
    async with driven(seat) as pilot:
        seat.hear(m.PhaseEvent(0, RACE, "countdown", 0, [0, 1]))
        seat.hear(m.BoardEvent(RACE, None, 0, START, in_ms=3_000))
        seat.hear(m.PhaseEvent(0, RACE, "racing", MINUTE, [0, 1]))
        await settle(pilot)
        await pilot.press("left")
        assert board(pilot) == START
        assert "look, but do not touch yet" in screen(pilot)
        seat.told.now += 3_000
        await settle(pilot)
        await pilot.press("left")
        assert board(pilot) == "1 2 3/4 5 6/7 0 8"


async def test_without_a_connection_the_own_board_goes_on_and_it_is_said() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        seat.model.lost()
        await pilot.press("left")
        await settle(pilot)
        assert board(pilot) == "1 2 3/4 5 6/7 0 8"
        assert "↯ reconnecting, 1 slide kept" in screen(pilot)
        await pilot.press("f", "y")
        await settle(pilot)
        assert "There is no connection at the moment." in screen(pilot)


async def test_the_host_ends_the_grace_time_or_calls_the_race_off() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        seat.hear(m.PhaseEvent(0, RACE, "grace", MINUTE))
        await settle(pilot)
        await pilot.press("e", "x")
        await settle(pilot)
        await pilot.press("y")
    assert seat.asked == [m.CallTime(RACE), m.Abort(RACE)]


# --- Watching -------------------------------------------------------------------------

CROWD = [member(n, n - 1, f"P{n}") for n in range(2, 8)]


def as_spectator() -> Offline:
    seat = as_guest(members=[member(ANN, None, "Ann"), *CROWD])
    seat.told.hear(rooms.welcome(seat=None))
    seat.told.hear(
        rooms.snapshot(
            seat.told.offset,
            room=rooms.room(host=BEN),
            members=[member(ANN, None, "Ann"), *CROWD],
        )
    )
    return seat


async def test_a_spectator_sees_every_board_move() -> None:
    seat = as_spectator()
    async with driven(seat, (120, 40), kind="watch") as pilot:
        seat.race(roster=(1, 2, 3, 4, 5, 6))
        steps = [m.Step(n, 1, 100 * n, 1, 0, "L") for n in range(1, 7)]
        seat.hear(m.Progress(RACE, steps))
        await settle(pilot)
        placed = pilot.app.screen.query_one("#boards", Boards).placed
        assert len(placed) == 6
        moved = parse_board("1 2 3/4 5 6/7 0 8").tiles
        assert {each.tiles for each in placed} == {moved}
        seat.hear(m.Progress(RACE, [m.Step(3, 2, 1000, 2, 1, "L")]))
        await settle(pilot)
        placed = pilot.app.screen.query_one("#boards", Boards).placed
        assert [each.tiles == moved for each in placed].count(False) == 1
        await pilot.press("left")
        assert "P2" in screen(pilot)
    assert seat.asked == []


async def test_boards_that_do_not_fit_are_a_key_away() -> None:
    seat = as_spectator()
    async with driven(seat, (40, 15), kind="watch") as pilot:
        seat.race(roster=(1, 2, 3, 4, 5, 6))
        seat.hear(m.Progress(RACE, [m.Step(n, 0, 0, 0, 0, "") for n in range(1, 7)]))
        await settle(pilot)
        seen = {f"P{n}" for n in range(2, 8) if f"P{n} " in screen(pilot)}
        if len(pilot.app.screen.query_one("#boards", Boards).placed) < 6:
            await pilot.press("n")
            await settle(pilot)
            seen |= {f"P{n}" for n in range(2, 8) if f"P{n} " in screen(pilot)}
        assert len(seen) == 6


async def test_who_has_finished_may_look_around() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        await pilot.press("left", "left")
        done = standing(0, "finished", place=1, time_ms=5_000, high=1000)
        seat.hear(m.StandingEvent(0, RACE, done))
        seat.hear(m.Progress(RACE, [m.Step(1, 1, 100, 1, 0, "L")]))
        await settle(pilot)
        canvas = pilot.app.screen.query_one("#boards", Boards)
        assert len(canvas.placed) == 2
        await pilot.press("v")
        await settle(pilot)
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"


# --- Results --------------------------------------------------------------------------


def told_results() -> m.Results:
    first = standing(
        0, "finished", place=1, time_ms=41_320, solve_ms=40_000, stm=120, mtm=99
    )
    second = standing(1, "dnf", place=2, why="limit", high=423, stm=17)
    return rooms.results(standings=[first, second])


async def finished(seat: Offline, pilot: Driver) -> None:
    seat.race(format_board(parse_board(rooms.results().board)))
    seat.hear(m.PhaseEvent(0, RACE, "results", MINUTE))
    seat.hear(told_results())
    await settle(pilot)


async def test_results_are_a_table_with_reasons_and_proof() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await finished(seat, pilot)
        text = " ".join(screen(pilot).split())
    assert "Ann won" in text
    assert "1 Ann 41.320 120 3.00 99 40.000" in text
    assert "2 Ben DNF limit 42% 17" in text
    assert "✓ The secret, the seed and the board match" in text


async def test_results_that_do_not_hold_are_said() -> None:
    seat = Offline(room=rooms.room(commitment="0" * 64))
    async with driven(seat) as pilot:
        await finished(seat, pilot)
        assert "✗ " in screen(pilot)
        assert "match what was sealed" not in screen(pilot)


async def test_a_rematch_is_one_key_and_the_last_results_stay_at_hand() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        await finished(seat, pilot)
        await pilot.press("r")
        assert seat.asked == [m.Rematch(RACE)]
        seat.hear(m.RoomEvent(0, rooms.room(race=rooms.NEXT), "race"))
        seat.hear(m.PhaseEvent(0, rooms.NEXT, "lobby", None))
        await settle(pilot)
        assert "sliderace join KWX-TRB" in screen(pilot)
        await pilot.press("t")
        await settle(pilot)
        assert "Ann won" in screen(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "sliderace join KWX-TRB" in screen(pilot)


async def test_a_record_that_cannot_be_had_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    seat = Offline()
    async with driven(seat, server="http://127.0.0.1:9") as pilot:
        await finished(seat, pilot)
        await pilot.press("s")
        saving = [each for each in pilot.app.workers if each.group == "record"]
        if saving:  # an empty list would mean all
            await pilot.app.workers.wait_for_complete(saving)
        await settle(pilot)
        assert "cannot reach" in screen(pilot)
    assert list(tmp_path.iterdir()) == []


async def test_an_aborted_race_is_said() -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        seat.hear(m.PhaseEvent(0, RACE, "aborted", None, why="host"))
        await settle(pilot)
        assert "called off" in screen(pilot)
        await pilot.press("r")
    assert seat.asked == [m.Rematch(RACE)]


# --- Any terminal ---------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["lobby", "race", "results"])
async def test_every_size_is_survived_down_to_one_by_one(phase: str) -> None:
    seat = Offline()
    async with driven(seat) as pilot:
        if phase == "race":
            seat.race()
        if phase == "results":
            await finished(seat, pilot)
        for size in ((1, 1), (2, 3), (39, 15), (40, 14), (200, 60), (1, 60), (40, 15)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            too_small = size[0] < 40 or size[1] < 15
            assert pilot.app.screen.has_class("-tiny") == too_small
            if size in ((39, 15), (40, 14)):
                assert "is too small" in screen(pilot)
        assert "sliderace" in screen(pilot)


@pytest.mark.parametrize("side", range(3, 11))
async def test_every_board_can_be_played_in_forty_by_fifteen(side: int) -> None:
    solved = [*range(1, side * side), 0]
    solved[-2:] = [0, side * side - 1]
    rows = [solved[i : i + side] for i in range(0, side * side, side)]
    start = "/".join(" ".join(map(str, row)) for row in rows)
    seat = Offline(room=rooms.room(rules=Rules(f"{side}x{side}")))
    async with driven(seat, (40, 15)) as pilot:
        seat.race(start)
        await settle(pilot)
        assert board(pilot) == start
        canvas = pilot.app.screen.query_one("#boards", Boards)
        (placed,) = canvas.placed
        assert placed.x + placed.grid.columns <= canvas.size.width
        assert placed.y + placed.grid.rows <= canvas.size.height
        assert "Ben" in screen(pilot)
        assert "f give up" in screen(pilot)


async def test_no_color_means_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    seat = Offline()
    async with driven(seat) as pilot:
        seat.race()
        await settle(pilot)
        strips = pilot.app.screen._compositor.render_strips()
        styles = [part.style for strip in strips for part in strip if part.style]
        colours = [c for style in styles for c in (style.color, style.bgcolor) if c]
        assert colours
        assert all(colour.is_default for colour in colours)
        assert "┌" in screen(pilot)


async def test_ctrl_c_ends_with_130() -> None:
    async with driven(Offline()) as pilot:
        await pilot.press("ctrl+c")
    assert pilot.app.return_code == 130


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_the_ground_is_as_the_user_likes(theme: str) -> None:
    async with driven(Offline(), settings=Settings(theme=theme)) as pilot:
        ground = pilot.app.screen.styles.background.hex.lower()
        assert ground == terminal(pilot).look.ground
        assert pilot.app.current_theme.dark == (theme == "dark")


# --- Menu and solo --------------------------------------------------------------------


@asynccontextmanager
async def opened(
    start: Start, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Driver]:
    async with Terminal(start).run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


async def test_solo_is_played_to_the_end_and_again() -> None:
    async with opened(Start("solo", board="1 2 3/4 5 6/0 7 8")) as pilot:
        assert "the first slide starts it" in screen(pilot)
        await pilot.press("right", "left")
        (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
        x, y = placed.grid.place_of(8)
        await pilot.click("#boards", offset=(placed.x + x + 1, placed.y + y + 1))
        await settle(pilot)
        assert board(pilot) == "1 2 3/4 5 6/7 8 0"
        assert "solved in " in screen(pilot)
        assert "2 moves" in screen(pilot)
        assert "best " in screen(pilot)
        await pilot.press("up", "r")
        await settle(pilot)
        assert board(pilot) == "1 2 3/4 5 6/0 7 8"
        await pilot.press("+")
        await settle(pilot)
        assert board(pilot).count("/") == 3
        await pilot.press("-", "n", "q")
    assert pilot.app.return_code == 0


async def test_solo_of_a_seed_is_its_scramble() -> None:
    text = format_board(scramble(seed_from_text("tea"), Size(3, 3)))
    async with opened(Start("solo", size="3x3", seed="tea"), (40, 15)) as pilot:
        assert board(pilot) == text


async def test_the_menu_leads_everywhere_and_back() -> None:
    async with opened(Start("menu", name="Ann")) as pilot:
        assert "enter a room by its code" in screen(pilot)
        for key, words in (("h", "Open a room"), ("w", "Watch a room")):
            await pilot.press(key)
            await settle(pilot)
            assert words in screen(pilot)
            assert "Ann" in screen(pilot)
            await pilot.press("escape")
        await settle(pilot)
        await pilot.click("#entries", offset=(6, 6))
        await settle(pilot)
        assert "Play alone" in screen(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert "solo, 4x4" in screen(pilot)
        await pilot.press("q")
        await settle(pilot)
        assert "enter a room by its code" in screen(pilot)
        await pilot.press("q")
    assert pilot.app.return_code == 0


async def test_what_cannot_be_meant_is_said_in_the_form() -> None:
    async with opened(Start("menu", name="Ann")) as pilot:
        await pilot.press("s")
        await settle(pilot)
        await pilot.press(*"x1", "enter")
        await settle(pilot)
        assert "Play alone" in screen(pilot)
        assert "x1" in screen(pilot).splitlines()[-2]
        await pilot.press("escape", "j", *"AEIOU", "enter")
        await settle(pilot)
        assert "not a room code" in screen(pilot)


async def test_settings_are_used_at_once_and_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    async with opened(Start("menu", name="Ann")) as pilot:
        await pilot.press("e")
        await pilot.pause()
        assert "the tile goes that way" in screen(pilot)
        await pilot.press("right", "down", "down", "left", "enter")
        await pilot.app.workers.wait_for_complete()
        await settle(pilot)
        assert terminal(pilot).look == LIGHT
    kept, complaints = await asyncio.to_thread(load)
    assert (kept.keys, kept.theme, complaints) == ("gap", "light", [])
