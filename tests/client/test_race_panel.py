"""The panel of a race: rows, bars, marks, clock and place, and the own finish."""

from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.client.rooms import standing

from sliderace.protocol.names import cells
from sliderace_client.room.lanes import Lane
from sliderace_client.room.leaderboard import Leaderboard
from sliderace_client.shared_ui.render import BASIC, DARK, LIGHT, MONO, Look, Row
from sliderace_client.shared_ui.settings import random_name
from sliderace_client.tui.layout import PANEL_W, Layout, race_layout, spectator_layout
from sliderace_client.tui.race_panel import (
    Racers,
    finish_card,
    news_text,
    place_text,
    racer_rows,
)

LOOKS = [DARK, LIGHT, BASIC, MONO]


def text_of(row: Row) -> str:
    return "".join(run.text for run in row)


def racers(
    *lanes: Lane, mine: int | None = 0, away: Collection[int] = (), at: int = 5_000
) -> Racers:
    board = Leaderboard()
    board.update(lanes, mine, 0)
    board.update(lanes, mine, at)
    return Racers({lane.seat: lane for lane in lanes}, board, mine, away, at)


def lane(seat: int, high: int = 0, stm: int = 0, name: str = "", **more: Any) -> Lane:
    made = Lane(seat, seat + 1, name or f"P{seat}", high=high, stm=stm)
    if more:
        known: dict[str, Any] = {"name": made.name, "high": high, "stm": stm}
        made.apply(standing(seat, **(known | more)))
    return made


def shown(all_racers: Racers, width: int = 28, slots: int = 16) -> list[str]:
    return [text_of(row) for row in racer_rows(all_racers, MONO, width, slots)]


def test_row_has_rank_name_activity_slides_and_value() -> None:
    race = racers(
        lane(0, 690, 75, "Bot Otter"),
        lane(1, 650, 57, "Farid"),
        lane(2, 480, 72, "Ann"),
        lane(3, 480, 31, "Hana"),
        mine=2,
        away=[4],
    )
    assert shown(race) == [
        " 1 Bot Otter    ▖  75    69%",
        " 2 Farid        ▝  57    -4%",
        " 3 Ann          ▘  72   -21%",
        " 4 Hana            31   away",
    ]


LONGEST = max(map(random_name, (n / 64 for n in range(64))), key=len)


@pytest.mark.parametrize(
    ("moves", "time_ms", "counted"),
    [(999, 59_999, True), (1_072, None, False), (99, 64_657, False)],
)
@pytest.mark.parametrize(
    "divided",
    [race_layout((5, 5), 80, 21, 4), spectator_layout(8, (5, 5), 80, 21)],
    ids=["racing", "watching"],
)
def test_longest_random_name_is_never_cut(
    moves: int, time_ms: int | None, counted: bool, divided: Layout
) -> None:
    """Rather than its letters, the panel leaves out the slides."""
    first = lane(0, 480, moves, LONGEST)
    if time_ms is not None:
        first = lane(0, 1000, moves, LONGEST, status="finished", time_ms=time_ms)
    late = lane(1, 1000, 99, "Ben", status="finished", time_ms=764_657, place=2)
    for race in (racers(first, lane(1)), racers(first, late)):
        rows = shown(race, divided.panel[0] - 1)
        assert any(f"{LONGEST} " in row for row in rows)
        assert {cells(row) for row in rows} == {divided.panel[0] - 1}
    rows = shown(racers(first, lane(1)), PANEL_W - 1)
    assert any(f" {moves} " in row for row in rows) == counted


def test_finishers_show_their_time_and_distance_and_others_their_progress() -> None:
    race = racers(
        lane(0, 1000, 105, "Otter", status="finished", time_ms=24_657, final=True),
        lane(1, 1000, 91, "Farid", status="finished", time_ms=24_695),
        lane(2, 930, 102, "Wren"),
        lane(3, 400, 30, "Ivo", status="dnf", why="limit", place=4),
        lane(4, 300, 20, "Jun", status="forfeited", place=5),
        lane(5, 1000, 99, "Ann"),
    )
    assert shown(race, 32) == [
        " 1 Otter           ✓ 105  24.657",
        " 2?Farid           ✓  91  +0.038",
        " 3 Ann             ✓  99  solved",
        " 4 Wren            ▗ 102     93%",
        " 5 Ivo                30     DNF",
        " 6 Jun                20 gave up",
    ]


@pytest.mark.parametrize(("stm", "icon"), list(enumerate("▘▝▗▖▘▝")))
def test_activity_icon_goes_round_with_each_slide(stm: int, icon: str) -> None:
    assert icon in shown(racers(lane(0, 0, stm), lane(1)))[0]


def test_ranks_are_not_shown_before_there_is_an_order() -> None:
    race = racers(lane(0), lane(1, 500), mine=1, at=1_000)
    assert [row[:5] for row in shown(race)] == ["   P0", " ▸ P1"]
    assert place_text(race) == "2 racers"


def test_nobody_is_said_to_lead_while_the_server_is_not_heard() -> None:
    race = racers(lane(0, 300), lane(1, 200))
    assert place_text(race) == "1st of 2"
    assert news_text(race) != ("", False)
    race = race._replace(heard=False)
    assert place_text(race) == "2 racers"
    assert news_text(race) == ("", False)


def test_gain_and_own_loss_are_marked_and_the_swap_is_highlighted() -> None:
    race = racers(lane(0, 300), lane(1, 200))
    race.lanes[1].high = 400
    race.board.update(race.lanes.values(), 0, 6_000)
    rows = racer_rows(race._replace(now=6_100), DARK, 28, 9)
    assert [text_of(row)[:5] for row in rows] == [" 1▲P1", " 2▼P0"]
    assert [all(run.paint.reverse for run in row) for row in rows] == [True, False]
    rows = racer_rows(race._replace(now=6_300), DARK, 28, 9)
    assert not any(run.paint.reverse for row in rows for run in row)


def test_condensed_list_keeps_leader_and_own_row_and_counts_the_others() -> None:
    race = racers(*(lane(n, 900 - 10 * n) for n in range(16)), mine=9)
    rows = shown(race, slots=9)
    assert len(rows) == 9
    assert rows[0].startswith(" 1 P0")
    assert any(row.startswith("10 P9") for row in rows)
    assert rows[-1].strip() == "… 5 between, 3 behind"
    assert shown(race._replace(mine=0), slots=9)[-1].strip() == "… 8 more behind"
    assert shown(race._replace(mine=15), slots=9)[-1].strip() == "… 8 between"
    assert [row[:2] for row in shown(race, slots=2)] == [" 1", "10"]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize(("high", "cells_done"), [(0, 0), (480, 12), (999, 24)])
def test_bar_is_the_background_or_a_line_where_colours_are_few(
    look: Look, high: int, cells_done: int
) -> None:
    (row,) = racer_rows(racers(lane(0, high)), look, 28, 9)
    done = "".join(run.text for run in row if run.paint.bg or run.paint.underline)
    assert len(done) == cells_done
    assert any(run.paint.underline for run in row) == (look.flat and high > 0)


NAMES = st.sampled_from(["Ann", "Zoë Wintermantel", "名前の長い人です", "x" * 24])


@given(
    st.lists(
        st.tuples(NAMES, st.integers(0, 1000), st.integers(0, 20_000)), max_size=16
    ),
    st.integers(0, 15),
    st.integers(20, 60),
    st.integers(0, 20),
    st.sampled_from(LOOKS),
)
def test_rows_fit(
    known: list[tuple[str, int, int]], mine: int, width: int, slots: int, look: Look
) -> None:
    lanes = [lane(n, high, stm, name) for n, (name, high, stm) in enumerate(known)]
    race = racers(*lanes, mine=mine)
    rows = racer_rows(race, look, width, slots)
    assert len(rows) == min(len(known), slots)
    assert all(cells(text_of(row)) == width for row in rows)


def test_place_and_news_say_who_leads_and_who_has_won() -> None:
    race = racers(lane(0, 300, name="Ann"), lane(1, 400, name="Ben"))
    assert place_text(race) == "2nd of 2"
    assert news_text(race) == ("Ben leads", False)
    race = racers(lane(0, 500, name="Ann"), lane(1, 400, name="Ben"))
    assert news_text(race) == ("You lead.", False)
    won = lane(1, 1000, name="Ben", status="finished", time_ms=24_657, place=1)
    race = racers(lane(0, 500), won)
    assert news_text(race) == ("Ben won: 24.657 s", True)
    assert place_text(racers(lane(0), mine=0)) == ""


def test_card_shows_place_time_and_distance() -> None:
    ben = lane(1, 1000, 107, "Ben", status="finished", time_ms=24_901, place=1)
    ann = lane(0, 1000, 119, "Ann", status="finished", time_ms=25_312, place=2)
    card = [text_of(row) for row in finish_card(racers(ben, ann), "25.312 s", DARK)]
    assert len({cells(row) for row in card}) == 1
    assert "+0.411 s behind Ben" in "".join(card)
    assert "25.312 s" in "".join(card)
    assert "119 moves" in "".join(card)
    won = finish_card(racers(ben, lane(0), mine=1), "24.901 s", DARK)
    assert "You won!" in "".join(map(text_of, won))
    pending = finish_card(racers(lane(0, 1000, 9), ben), "25.312 s", DARK)
    assert "Solved" in "".join(map(text_of, pending))
    assert all(len(one) <= 11 for one in (card, won, pending))


def test_sixteen_racers_fit_beside_the_board_at_80_columns() -> None:
    """80x24 leaves 21 rows between head and news."""
    divided = race_layout((4, 4), 80, 21, 16)
    assert divided.wide
    assert divided.panel[0] >= 30
    assert divided.panel[1] == 2 + 1 + 16 + 1 + 1  # with a row to spare


def test_finisher_whose_time_is_not_known_is_shown_as_solved() -> None:
    rows = shown(racers(lane(0, 1_000, 90, status="finished", time_ms=None), lane(1)))
    assert any(row.endswith("solved") for row in rows)
