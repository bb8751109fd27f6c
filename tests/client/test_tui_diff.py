"""Only changes are written to the terminal, and the screen is then correct."""

import pytest
from hypothesis import given, strategies as st
from rich.segment import Segment
from rich.style import Style
from tests.client import rooms
from tests.client.emulator import Emulator
from tests.client.offline import (
    OfflineClient,
    app_in_race,
    app_of,
    expected_rows,
    running_app,
    settle,
)
from tests.client.rooms import RACE, member
from textual.strip import Strip

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.shared_ui.render import Paint, Run
from sliderace_client.tui.screens.race import RaceScreen
from sliderace_client.tui.terminal_io.diff import ChangedRow, render
from sliderace_client.tui.widgets import Boards, TextRows

WIDTH = 24
styles = st.sampled_from(
    [
        Style(),
        Style(bgcolor="#112233"),
        Style(color="#ffffff", bgcolor="#112233"),
        Style(color="#ff0000", bgcolor="#445566", bold=True),
        Style(reverse=True),
    ]
)


@st.composite
def strips(draw: st.DrawFn) -> Strip:
    parts: list[Segment] = []
    left = WIDTH
    while left:
        width = draw(st.integers(1, left))
        text = draw(st.sampled_from([" " * width, "▀" * width, "x" * width]))
        parts.append(Segment(text, draw(styles)))
        left -= width
    return Strip(parts)


@given(st.lists(st.tuples(strips(), strips()), min_size=1, max_size=4), st.booleans())
def test_rendered_rows_show_exactly_the_new_rows(
    rows: list[tuple[Strip, Strip]], erases: bool
) -> None:
    screen = Emulator([old for old, _ in rows])
    changed = [ChangedRow(0, y, old, new) for y, (old, new) in enumerate(rows)]
    screen.write(render(changed, "truecolor", erases=erases))
    assert screen.rows == Emulator([new for _, new in rows]).rows


@pytest.mark.parametrize("down", [1, 2, 6, 7])
def test_cursor_finds_rows_further_down(down: int) -> None:
    old = Strip([Segment(" " * WIDTH, Style(bgcolor="#112233"))])
    new = Strip([Segment(" " * WIDTH, Style(bgcolor="#445566"))])
    rows = [new if y in (0, down) else old for y in range(9)]
    changed = [ChangedRow(0, y, old, new) for y in (0, down)]
    screen = Emulator([old] * 9)
    screen.write(render(changed, "truecolor", erases=True))
    assert screen.rows == Emulator(rows).rows


@given(strips())
def test_unchanged_row_costs_no_byte(strip: Strip) -> None:
    assert render([ChangedRow(3, 4, strip, strip)], "truecolor", erases=True) == ""


def test_row_with_wide_characters_is_painted_completely() -> None:
    old, new = Strip([Segment("猫 a")]), Strip([Segment("猫 b")])
    assert "猫 b" in render([ChangedRow(0, 0, old, new)], None, erases=False)


def six() -> OfflineClient:
    """Show a 4x4 race of six."""
    members = [member(n + 1, n, f"Racer {n}") for n in range(6)]
    return OfflineClient(room=rooms.room(rules=Rules("4x4")), members=members)


ALL = tuple(range(6))
LONG = "5 1 2 3/9 6 7 4/13 10 11 8/0 14 15 12"


async def test_slide_is_painted_at_once_in_few_bytes() -> None:
    async with app_in_race(six(), LONG, (100, 40), ALL) as pilot:
        app, texts = app_of(pilot), list[str]()
        screen = Emulator(expected_rows(app))
        app.terminal_diff.connect(texts.append, "truecolor", erases=True)
        race = app.screen
        assert isinstance(race, RaceScreen)
        for n, way in enumerate(("left", "right", "left", "up", "down"), 1):
            assert race.first_key(way)
            assert len(texts) == n  # board, clock and lanes together
            most = 500 if n == 1 else 460  # the first one removes the hint of the keys
            assert len(texts[-1].encode()) < most
            screen.write(texts[-1])
            assert screen.rows == Emulator(expected_rows(app)).rows
        texts.clear()
        app.repaint()
        assert texts == []  # a later frame has nothing to paint


async def test_rivals_distances_are_painted_with_the_tick() -> None:
    def lanes(name: str) -> list[str]:
        plain = app_of(pilot).screen.query_one("#panel", TextRows).plain
        return [line for line in plain.split("\n") if name in line]

    async with app_in_race(six(), LONG, (100, 40), ALL) as pilot:
        app_of(pilot).client.pass_time(2_000)  # type: ignore[attr-defined]
        app_of(pilot).repaint()
        before, ours = lanes("Racer "), lanes("Racer 0")
        race = app_of(pilot).screen
        assert isinstance(race, RaceScreen)
        assert race.first_key("down")
        assert lanes("Racer 0") != ours
        assert lanes("Racer ")[1:] == before[1:]
        app_of(pilot).repaint()
        assert not any(lane in before for lane in lanes("Racer "))


async def test_rivals_are_painted_with_the_tick_and_not_over_the_board() -> None:
    client = OfflineClient()
    async with app_in_race(client) as pilot:
        app, texts = app_of(pilot), list[str]()
        screen = Emulator(expected_rows(app))
        canvas = app.screen.query_one("#boards", Boards)
        app.terminal_diff.connect(texts.append, "truecolor", erases=True)
        while app.frame_due:
            await pilot.pause()
        client.receive(m.Progress(RACE, [m.SeatProgress(1, 3, 400, 3)]))
        due = [app.frame_due]
        client.receive(m.PhaseEvent(0, RACE, "grace", 60_000))
        due.append(app.frame_due)
        assert due == [False, True]
        await settle(pilot)
        screen.write("".join(texts))
        assert screen.written
        assert not any(canvas.region.contains(x, y) for x, y in screen.written)
        assert screen.rows == Emulator(expected_rows(app)).rows


async def test_row_painted_twice_in_a_batch_is_written_once() -> None:
    async with running_app(OfflineClient()) as pilot:
        app, texts = app_of(pilot), list[str]()
        screen = Emulator(expected_rows(app))
        app.terminal_diff.connect(texts.append, "truecolor", erases=True)
        head = app.screen.query_one("#head", TextRows)
        with app.terminal_diff.batch():
            for text in ("first", "second", "third"):
                head.show([(Run(text, Paint()),)])
        assert len(texts) == 1
        screen.write(texts[0])
        assert screen.rows == Emulator(expected_rows(app)).rows
