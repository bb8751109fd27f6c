"""Races that are over: watched again, told by a graph, and stamped on boards."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.client import rooms
from tests.client.offline import (
    MINUTE,
    Driver,
    OfflineClient,
    app_from,
    app_of,
    keys,
    running_app,
    screen,
    settle,
    wait_for_text,
)
from tests.client.rooms import RACE, standing
from tests.race.sample import sample_record, sealed

from sliderace.engine import format_board, parse_board
from sliderace.proof import canonical
from sliderace.proof.reading import read
from sliderace.proof.record import WrittenRace
from sliderace.protocol import messages as m
from sliderace.protocol.names import cells
from sliderace_client.launch import Start
from sliderace_client.race_records import ListedRace, PastRaces
from sliderace_client.room.lanes import Lane
from sliderace_client.room.race_story import Curve, curves_of
from sliderace_client.shared_ui.render import BASIC, DARK, MONO, Row
from sliderace_client.tui.race_graph import AXIS_ROWS, MIN_ROWS, graph_rows
from sliderace_client.tui.result_tables import podium_row
from sliderace_client.tui.screens.past_races import PastRacesScreen
from sliderace_client.tui.screens.replay import ReplayScreen
from sliderace_client.tui.screens.spectating import stamp
from sliderace_client.tui.widgets import Boards

SAMPLE = read(sample_record())


def text_of(row: Row) -> str:
    return "".join(run.text for run in row)


# --- Replay ---------------------------------------------------------------------------


async def replay(pilot: Driver, record: WrittenRace = SAMPLE) -> ReplayScreen:
    """Show a replay, and stop it at its beginning."""
    shown = ReplayScreen(app_of(pilot), record)
    await pilot.app.push_screen(shown)
    await pilot.press("space", "home")
    await settle(pilot)
    return shown


def boards(pilot: Driver) -> list[tuple[int, ...]]:
    return [one.tiles for one in pilot.app.screen.query_one(Boards).placed]


async def test_replay_shows_all_boards_from_the_start_to_the_end() -> None:
    async with app_from(Start("menu", name="Ann"), (100, 32)) as pilot:
        await replay(pilot)
        assert SAMPLE.board.tiles in boards(pilot)
        assert len(boards(pilot)) == len(SAMPLE.racers)
        assert "play" in keys(pilot)
        await pilot.press("end")
        await settle(pilot)
        solved = sum(parse_board(_text(one)).is_solved for one in boards(pilot))
        assert solved == sum(one.status == "finished" for one in SAMPLE.racers)
        assert "1st" in screen(pilot)
        assert "gave up" in screen(pilot)


def _text(tiles: tuple[int, ...]) -> str:
    width = SAMPLE.board.size.width
    rows = [tiles[at : at + width] for at in range(0, len(tiles), width)]
    return "/".join(" ".join(map(str, row)) for row in rows)


async def test_replay_goes_from_slide_to_slide_and_back() -> None:
    async with app_from(Start("menu", name="Ann")) as pilot:
        await replay(pilot)
        first = boards(pilot)
        await pilot.press(".")
        await settle(pilot)
        assert boards(pilot) != first
        await pilot.press(",", ",")
        await settle(pilot)
        assert boards(pilot) == first
        assert "0.0 of " in screen(pilot)
        await pilot.press("right")
        await settle(pilot)
        assert "1.0 of " in screen(pilot)


async def test_replay_follows_the_leader_and_turns_to_others() -> None:
    async with app_from(Start("menu", name="Ann"), (100, 32)) as pilot:
        await replay(pilot)
        await pilot.press("end", "l")
        await settle(pilot)
        assert len(boards(pilot)) == 1
        assert " 2 Ben" in screen(pilot), "the leaderboard is there with one board"
        await pilot.press("down")
        await settle(pilot)
        assert "(pinned)" in screen(pilot)
        await pilot.press("a")
        await settle(pilot)
        assert len(boards(pilot)) == len(SAMPLE.racers)


async def test_replay_plays_by_itself_faster_or_slower_and_stops_at_the_end() -> None:
    async with app_from(Start("menu", name="Ann"), (100, 32)) as pilot:
        shown = await replay(pilot)
        await pilot.press("+", "+", "+", "+")
        await settle(pilot)
        assert "8x" in screen(pilot)
        await pilot.press("-", "space")
        await settle(pilot)
        assert "4x" in screen(pilot)
        assert "pause" in keys(pilot)
        await pilot.press("end")
        while "pause" in keys(pilot):
            await settle(pilot)
        await pilot.press("q")
        await settle(pilot)
        assert pilot.app.screen is not shown


async def test_replay_pauses_while_its_help_is_open() -> None:
    async with app_from(Start("menu", name="Ann")) as pilot:
        shown = await replay(pilot)
        await pilot.press("space", "?")
        await settle(pilot)
        assert "one slide back or forward" in screen(pilot)
        assert shown._updated_at is None  # pyright: ignore[reportPrivateUsage]
        await pilot.press("escape")
        await settle(pilot)
        assert pilot.app.screen is shown


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (120, 40)])
async def test_replay_of_one_racer_fits_every_terminal(size: tuple[int, int]) -> None:
    alone = replace(SAMPLE, racers=SAMPLE.racers[:1])
    async with app_from(Start("menu", name="Ann"), size) as pilot:
        shown = ReplayScreen(app_of(pilot), alone, 0)
        await pilot.app.push_screen(shown)
        await pilot.press("end")
        await settle(pilot)
        assert len(boards(pilot)) == 1


# --- Past races -----------------------------------------------------------------------


async def test_a_past_race_is_watched_from_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.json").write_bytes(canonical.encode(sealed(sample_record())))
    async with app_from(Start("menu", name="Ann"), (42, 15)) as pilot:
        past = PastRacesScreen(app_of(pilot))
        await pilot.app.push_screen(past)
        when = "2026-01-01 10:00"
        races = [ListedRace(when, name, "3x2", "") for name in ("x", "ours.json")]
        past.show_races(PastRaces(races))
        await settle(pilot)
        await pilot.press("enter")
        await wait_for_text(pilot, " no race or room.")
        await pilot.press("down", "enter")
        await wait_for_text(pilot, "pause")
        assert isinstance(pilot.app.screen, ReplayScreen)


# --- Results --------------------------------------------------------------------------


def two_finishers() -> m.Results:
    first = standing(0, "finished", place=1, time_ms=41_320, stm=120)
    second = standing(1, "finished", place=2, time_ms=41_730, stm=130, name="Ben")
    return rooms.results(standings=[first, second])


async def finished(client: OfflineClient, pilot: Driver) -> None:
    client.race(format_board(parse_board(rooms.results().board)))
    client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
    client.receive(two_finishers())
    await settle(pilot)


async def test_results_tell_the_race_and_show_it_again() -> None:
    client = OfflineClient()
    client.record = SAMPLE
    async with running_app(client) as pilot:
        await finished(client, pilot)
        assert "1 Ann 41.320   2 Ben +0.410" in screen(pilot)
        rows = screen(pilot).splitlines()
        table = next(n for n, row in enumerate(rows) if "racer" in row)
        await wait_for_text(pilot, "100%┤")
        shown = screen(pilot).splitlines()
        assert "racer" in shown[table], "the table stays where it was"
        assert any("won by" in row or "dead heat" in row for row in shown)
        await pilot.press("w")
        await settle(pilot)
        assert isinstance(pilot.app.screen, ReplayScreen)


async def test_race_is_told_even_where_the_table_needs_all_rows() -> None:
    rows = [standing(n, "finished", place=n + 1, time_ms=40_000 + n) for n in range(16)]
    client = OfflineClient()
    client.record = SAMPLE
    async with running_app(client) as pilot:
        client.race(format_board(parse_board(rooms.results().board)))
        client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
        client.receive(rooms.results(standings=rows))
        await wait_for_text(pilot, "A dead heat")
        assert "100%┤" not in screen(pilot)


async def test_results_without_a_record_have_no_graph() -> None:
    client = OfflineClient()
    async with running_app(client) as pilot:
        await finished(client, pilot)
        for worker in list(pilot.app.workers):
            if worker.group == "record":
                await worker.wait()
        await settle(pilot)
        assert "100%" not in screen(pilot)
        assert "watch again" not in keys(pilot)


async def test_countdown_ends_a_replay() -> None:
    client = OfflineClient()
    client.record = SAMPLE
    async with running_app(client) as pilot:
        await finished(client, pilot)
        await wait_for_text(pilot, "watch again")
        await pilot.press("w")
        await settle(pilot)
        client.next_lobby()
        client.receive(m.PhaseEvent(0, rooms.NEXT, "countdown", 3_000))
        await settle(pilot)
        assert not isinstance(pilot.app.screen, ReplayScreen)


def test_podium_has_the_first_three_with_their_gaps() -> None:
    lanes: list[Lane] = []
    rows: list[tuple[int, int | None, int | None]] = [
        (0, 1, 41_320),
        (1, 1, 41_320),
        (2, 3, 41_700),
        (3, 4, 42_000),
        (4, None, None),
    ]
    for seat, place, time in rows:
        lane = Lane(seat)
        status: Any = "dnf" if time is None else "finished"
        lane.apply(standing(seat, status, place=place, time_ms=time, name=f"P{seat}"))
        lanes.append(lane)
    assert text_of(podium_row(lanes, 2, DARK, 80)) == (
        "1 P0 41.320   1 P1 41.320   3 P2 +0.380"
    )
    assert text_of(podium_row(lanes, 2, DARK, 30)) == "1 P0 41.320   1 P1 41.320"
    assert cells(text_of(podium_row(lanes, 2, DARK, 5))) == 5


# --- Graph ----------------------------------------------------------------------------


def curve(seat: int, time: int | None, *points: tuple[int, int]) -> Curve:
    return Curve(seat, f"P{seat}", time, False, points, points[-1][0] if points else 0)


def test_graph_goes_along_then_up() -> None:
    one = curve(0, 10_000, (5_000, 500), (10_000, 1_000))
    *plot, axis, labels = map(text_of, graph_rows([one], None, DARK, 25, 6))
    assert plot == [
        "100%┤                   ⢸",
        " 50%┤         ⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣸",
        "    │         ⢸          ",
        "    │⣀⣀⣀⣀⣀⣀⣀⣀⣀⣸          ",
    ]
    assert axis.startswith("  0%┼┬")
    assert labels.split()[:2] == ["0", "s"]


def test_graph_names_the_first_and_the_player() -> None:
    curves = [curve(n, None, (1_000 * (n + 1), 500)) for n in range(16)]
    shown = "\n".join(map(text_of, graph_rows(curves, 9, MONO, 80, 8)))
    for name in (" 1 P0", " 2 P1", " 3 P2", "10 P9", "others"):
        assert name in shown
    assert "P5" not in shown
    bot = curves[0]._replace(name="\u2699 Wren \u00b7 strong")
    assert "\u2699 Wren  " in "\n".join(
        map(text_of, graph_rows([bot], None, MONO, 80, 8))
    )
    few = "\n".join(map(text_of, graph_rows(curves[:2], None, MONO, 80, 8)))
    assert "others" not in few


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 400_000), st.integers(1, 1_000)), max_size=6),
        min_size=1,
        max_size=5,
    ),
    st.integers(30, 130),
    st.integers(MIN_ROWS, 14),
    st.sampled_from([DARK, BASIC, MONO]),
)
def test_graph_fits(
    races: list[list[tuple[int, int]]], width: int, height: int, look: Any
) -> None:
    curves = [
        curve(n, None if n else 400_000, *_rises(points))
        for n, points in enumerate(races)
    ]
    rows = graph_rows(curves, 1, look, width, height)
    assert len(rows) == height
    assert all(cells(text_of(row)) <= width for row in rows)
    assert len(rows) - AXIS_ROWS >= MIN_ROWS - AXIS_ROWS


def _rises(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    times, highs = sorted(at for at, _ in points), sorted({high for _, high in points})
    return list(zip(times, highs, strict=False))


def test_graph_of_the_sample_reaches_the_top_only_for_finishers() -> None:
    rows = list(map(text_of, graph_rows(curves_of(SAMPLE), None, DARK, 59, 8)))
    assert any("⠀" < char <= "⣿" for char in rows[0])


# --- Stamps ---------------------------------------------------------------------------


def test_stamp_says_how_the_race_ended_for_a_racer() -> None:
    def stamped(status: Any, **more: Any) -> list[str]:
        lane = Lane(1)
        lane.apply(standing(1, status, **more))
        return [text_of(row) for row in stamp(lane, DARK, 20)]

    assert stamped("finished", place=2, time_ms=24_657) == ["  2nd   ", " 24.657 "]
    assert stamped("forfeited") == [" gave up "]
    assert stamped("dnf", why="away") == [" DNF "]
    assert stamped("racing") == []


def test_stamp_fits_a_narrow_board() -> None:
    lane = Lane(1)
    lane.apply(standing(1, "finished", place=2, time_ms=3_661_000))
    assert {cells(text_of(row)) for row in stamp(lane, DARK, 9)} == {9}
