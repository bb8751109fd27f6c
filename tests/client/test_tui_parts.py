"""The pure parts of the full-screen client: rows, tables, layout and keys."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, strategies as st
from rich.style import Style
from tests.client.rooms import member, results, standing

from sliderace.protocol.names import cells
from sliderace.race.rules import Rules
from sliderace_client.room.lanes import Lane
from sliderace_client.shared_ui.render import DARK, MONO, Grid, Paint, Row, Run
from sliderace_client.tui.actions import Action, HeldKey, find, key_rows
from sliderace_client.tui.layout import (
    Box,
    Placed,
    arrange_boards,
    caption_width,
    changed_boxes,
    race_layout,
    spectator_layout,
)
from sliderace_client.tui.result_tables import footnotes, result_rows
from sliderace_client.tui.rows import (
    count_text,
    fitted,
    large_message,
    member_row,
    rules_text,
    tps,
)
from sliderace_client.tui.widgets import strip_of

sides = st.integers(2, 10)
sizes = st.tuples(sides, sides)


def text_of(row: Row) -> str:
    return "".join(run.text for run in row)


def lane(seat: int, **more: Any) -> Lane:
    return Lane(seat, seat + 1, more.pop("name", f"P{seat}"), **more)


# --- Text -----------------------------------------------------------------------------


@given(st.text(alphabet="aé猫 e\u0301", max_size=30), st.integers(0, 40), st.booleans())
def test_fitted_text_has_its_width(text: str, width: int, right: bool) -> None:
    assert cells(fitted(text, width, right=right)) == width


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (Rules(), "4x4, 5 min, boards hidden"),
        (Rules("3x3", limit_ms=0), "3x3, no time limit, boards hidden"),
        (Rules(limit_ms=90_000, open_boards=True), "4x4, 90 s, boards open"),
        (Rules(start="host"), "4x4, 5 min, boards hidden, the host starts"),
        (
            Rules(start="every", every_ms=60_000, inspection_ms=3_000),
            "4x4, 5 min, boards hidden, a race every 1 min, 3 s to inspect",
        ),
        (
            Rules(limit_ms=3_600_000, spectator_delay_ms=10_000),
            "4x4, 1 h, boards hidden, spectators 10 s behind",
        ),
    ],
)
def test_rules_fit_in_one_line(rules: Rules, text: str) -> None:
    assert rules_text(rules) == text
    assert rules_text(rules, seed_known=True) == f"{text}, seed known in advance"


def test_tps_has_two_decimals_or_a_dash() -> None:
    assert [tps(30, 10_000), tps(0, 0), tps(1, None)] == ["3.00", "-", "-"]
    assert tps(46, 1) == "-"  # nobody can be so fast
    assert count_text(3, 999).endswith(" - TPS")  # no 3000 TPS at first
    assert count_text(3, 1_000).endswith(" 3.00 TPS")


@given(st.integers(0, 200), st.integers(0, 60))
def test_large_message_stays_in_its_space(columns: int, rows: int) -> None:
    drawn = large_message("10", "#ffffff", columns, rows)
    if columns >= 20 and rows >= 5:
        assert len(drawn) <= rows
        assert cells(text_of(drawn[0])) <= columns


# --- Members --------------------------------------------------------------------------


@given(st.integers(24, 80), st.booleans(), st.booleans())
def test_member_fits_a_row(width: int, ready: bool, chosen: bool) -> None:
    who = member(2, 1, "Zoë with a long name", ready=ready, connected=False, bot=True)
    row = member_row(who, 2, 2, DARK, width, chosen=chosen)
    assert cells(text_of(row)) == width


def test_member_row_shows_role_and_state() -> None:
    ann = text_of(member_row(member(1, 0, ready=True), 1, 1, MONO, 70, chosen=False))
    assert "✓ Ann" in ann
    assert "you, ♛ host" in ann
    cat = text_of(member_row(member(3, None), 1, 1, MONO, 70, chosen=False))
    assert "spectator" in cat
    own = text_of(member_row(member(3, None), 1, 3, MONO, 70, chosen=False))
    assert "you, spectator" in own
    assert "ready" not in cat
    bot = member(2, 1, bot=True, connected=False)
    assert "⚙ bot, ↯ reconnecting" in text_of(
        member_row(bot, 1, 1, MONO, 70, chosen=False)
    )


# --- Results --------------------------------------------------------------------------


@pytest.mark.parametrize("width", [36, 50, 76, 116])
def test_results_fit_and_keep_name_time_and_moves(width: int) -> None:
    done = lane(0)
    done.apply(
        standing(
            0, "finished", place=1, time_ms=41_320, solve_ms=40_000, stm=120, mtm=99
        )
    )
    out = lane(1)
    out.apply(standing(1, "dnf", place=2, why="grace", high=999, stm=7))
    rows = [text_of(row) for row in result_rows([done, out], 0, DARK, width)]
    assert {cells(row) for row in rows} == {width}
    assert rows[1].split()[:4] == ["1", "Ann", "41.320", "120"]
    short = "2 Ben DNF grace 99% 7"
    whole = "2 Ben DNF 99% 7 the grace time is over"
    expected = whole if width >= 76 else short
    assert " ".join(rows[2].split()) == expected
    if width >= 76:
        assert rows[1].split()[4:] == ["3.00", "99", "40.000"]


@pytest.mark.parametrize("solve_ms", [None, 0, 1])
def test_results_hide_a_solve_time_that_nobody_can_have(solve_ms: int | None) -> None:
    done = lane(0)
    counts = {"time_ms": 5_060, "solve_ms": solve_ms, "stm": 46, "mtm": 46}
    done.apply(standing(0, "finished", place=1, **counts))
    row = text_of(result_rows([done], 0, DARK, 116)[1])
    assert row.split() == ["1", "Ann", "5.060", "46", "-", "46"]


def test_results_have_a_credit_column_if_somebody_has_credit() -> None:
    rows: list[list[str]] = []
    for credit in (0, 12):
        done = lane(0)
        done.apply(standing(0, "finished", place=1, time_ms=41_320, credit_ms=credit))
        rows.append([text_of(row) for row in result_rows([done], 0, DARK, 76)])
    assert ["credit" in shown[0] for shown in rows] == [False, True]
    assert rows[1][1].rstrip().endswith("12 ms")


# --- Layout ---------------------------------------------------------------------------


@given(sizes, st.integers(40, 200), st.integers(11, 70), st.integers(1, 16))
def test_race_layout_has_room_for_the_board_from_40x15_on(
    size: tuple[int, int], columns: int, rows: int, racers: int
) -> None:
    planned = race_layout(size, columns, rows, racers)
    grid = Grid.fit(*size, *planned.board)
    assert grid is not None
    assert planned.board[1] + (0 if planned.wide else planned.panel[1]) == rows
    used = planned.board[0] + (planned.panel[0] + 2 if planned.wide else 0)
    assert used <= columns
    smaller = Grid.fit(*size, columns - 32, rows) or Grid(*size, 3, 1)
    assert grid.tile_h >= smaller.tile_h or not planned.wide


@pytest.mark.parametrize("rows", [10, 11, 12])
def test_board_has_priority_over_lanes(rows: int) -> None:
    planned = race_layout((10, 10), 40, rows, 16)
    assert Grid.fit(10, 10, *planned.board) is not None


@given(st.integers(1, 16), sizes, st.integers(1, 200), st.integers(1, 70))
def test_arranged_boards_and_captions_stay_inside_and_apart(
    count: int, size: tuple[int, int], columns: int, rows: int
) -> None:
    places = arrange_boards(count, size, columns, rows)
    assert len(places) <= count
    taken: list[Box] = []
    for x, y, grid in places:
        box = Box(x, y - 1, grid.columns, grid.rows + 1)
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= columns
        assert box.y + box.height <= rows
        taken.append(box)
    if places:
        width = caption_width(places, columns)
        assert width >= places[0][2].columns
        taken += [Box(x, y - 1, width, 1) for x, y, _ in places]
        assert all(box.x + box.width <= columns for box in taken)
    for a, b in combinations(taken, 2):
        if a[:2] == b[:2]:
            continue  # a board and its caption
        apart = a.x + a.width <= b.x or b.x + b.width <= a.x
        assert apart or a.y + a.height <= b.y or b.y + b.height <= a.y
    if not places:
        assert Grid.fit(*size, columns, rows - 1) is None


@given(st.integers(2, 16), st.integers(40, 200), st.integers(11, 70))
def test_lanes_beside_several_boards_do_not_shrink_the_boards(
    count: int, columns: int, rows: int
) -> None:
    chosen = spectator_layout(count, (4, 4), columns, rows)
    all_of_it = arrange_boards(count, (4, 4), columns, rows)
    got = arrange_boards(count, (4, 4), *chosen.board)
    assert len(got) == len(all_of_it)
    if got:
        assert got[0][2].tile_h == all_of_it[0][2].tile_h


GRID = Grid(3, 3, 6, 3)


def placed(tiles: tuple[int, ...], **more: Any) -> Placed:
    return Placed(tiles, GRID, 2, 1, **more)


def test_only_changed_cells_are_painted_again() -> None:
    before = placed((1, 2, 3, 4, 5, 6, 0, 7, 8))
    after = placed((1, 2, 3, 4, 5, 6, 7, 0, 8))
    assert changed_boxes([before], [before]) == []
    assert changed_boxes([before], [after]) == [Box(2, 7, 6, 3), Box(8, 7, 6, 3)]


def test_new_caption_is_painted_alone() -> None:
    tiles = (1, 2, 3, 4, 5, 6, 7, 8, 0)
    row = result_rows([], None, DARK, 40)[0]
    assert changed_boxes([placed(tiles)], [placed(tiles, caption=row)]) == [
        Box(2, 0, 40, 1)
    ]
    assert changed_boxes([placed(tiles, caption=row)], [placed(tiles)]) == [
        Box(2, 0, 40, 1)
    ]


def test_boards_that_moved_are_painted_completely() -> None:
    one = placed((1, 2, 3, 4, 5, 6, 7, 8, 0))
    assert changed_boxes([one], [one._replace(x=3)]) is None
    assert changed_boxes([one], []) is None


# --- Keys -----------------------------------------------------------------------------

ACTIONS = [
    Action("r", "ready", lambda: None, ("enter",)),
    Action("enter", "go on", lambda: None),
    Action("?", "help", lambda: None),
]


@given(st.lists(st.sampled_from(ACTIONS), max_size=12), st.integers(16, 100))
def test_places_of_keys_match_their_rows(actions: list[Action], width: int) -> None:
    rows, places = key_rows(actions, DARK, width)
    texts = [text_of(row) for row in rows]
    assert all(cells(text) <= width for text in texts)
    assert len(places) == len(actions)
    for action, (row, start, end) in zip(actions, places, strict=True):
        assert texts[row][start:end].split() == f"{action.key} {action.label}".split()


def test_first_action_of_a_key_wins() -> None:
    assert find(ACTIONS, "enter") is ACTIONS[0]
    assert find(ACTIONS, "x") is None


def test_held_key_counts_once() -> None:
    keys = HeldKey()
    presses = [keys.is_repeat("r", now) for now in (0, 500, 530, 560, 1_300)]
    assert presses == [False, True, True, True, False]
    assert not keys.is_repeat("s", 1_301)
    assert not keys.is_repeat("r", 1_302)


def test_every_press_of_a_finger_counts() -> None:
    """At 5 presses a second; and a press that is ignored does not delay the next."""
    keys = HeldKey()
    assert not any(keys.is_repeat("r", now) for now in range(0, 2_000, 200))
    keys.reset()
    slow = [keys.is_repeat("r", now) for now in range(0, 1_800, 300)]
    assert slow == [False, True, False, True, False, True]


# --- On the screen --------------------------------------------------------------------


@given(st.text(max_size=20))
def test_control_characters_do_not_reach_the_terminal(text: str) -> None:
    shown = strip_of((Run(text, Paint()),), Style()).text
    assert len(shown) == len(text)
    assert not any(char < " " or "\x7f" <= char < "\xa0" for char in shown)


def test_markup_is_shown_as_text() -> None:
    shown = strip_of((Run("[bold]x[/] :smile:", Paint()),), Style())
    assert shown.text == "[bold]x[/] :smile:"
    assert len(list(shown)) == 1


def test_a_late_solve_is_explained_below_the_results() -> None:
    assert footnotes(results(), 0) == []
    (note,) = footnotes(results(), 10_675)
    assert note == "Connection lost: your solve counts 10.675 s later than you made it."
    assert len(note) <= 76, "it fits on a line of the smallest terminal"
