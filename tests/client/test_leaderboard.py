"""In which order the leaderboard shows racers; the page passes the same table."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.client.rooms import standing

from sliderace_client.room.lanes import Lane
from sliderace_client.room.leaderboard import Leaderboard, Swap, excerpt

VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "leaderboard-v1.json"
TABLE = json.loads(VECTORS.read_text("utf-8"))
CASES, EXCERPTS = TABLE["cases"], TABLE["excerpts"]
SIXTEEN = CASES[-1]


class Race:
    """A race of the table."""

    def __init__(self, me: int | None) -> None:
        self.me = me
        self.board = Leaderboard()
        self.lanes: dict[int, Lane] = {}

    def update(self, at: int, changed: list[list[Any]]) -> list[Swap]:
        for seat, status, high, time_ms, place in changed:
            if status is None:
                del self.lanes[seat]
                continue
            lane = self.lanes.setdefault(seat, Lane(seat))
            lane.apply(standing(seat, status, high=high, time_ms=time_ms, place=place))
            lane.high = high
        return self.board.update(self.lanes.values(), self.me, at)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_leaderboard_follows_the_table(case: dict[str, Any]) -> None:
    race, shown = Race(case["me"]), None
    for at, changed, order, swaps in case["rows"]:
        made = race.update(at, changed)
        shown = shown if order is None else order
        assert race.board.order == shown, at
        assert made == [Swap(up, down, bool(flash)) for up, down, flash in swaps], at


@pytest.mark.parametrize("tick", [16, 50, 60, 100])
def test_no_pair_stays_in_the_wrong_order_for_long(tick: int) -> None:
    """A pair with oneself 2 s, others 3 s, while 16 race; all is right in the end."""
    race, rows = Race(SIXTEEN["me"]), iter(SIXTEEN["rows"])
    following: list[Any] | None = next(rows)
    wrong: dict[tuple[int, int], int] = {}
    for at in range(0, 60_000, tick):
        while following and following[0] <= at:
            race.update(at, following[1])
            following = next(rows, None)
        race.update(at, [])
        board = race.board
        if not board.ordered:
            continue
        truth = {seat: place for place, seat in enumerate(board.truth)}
        for above, upper in enumerate(board.order):
            for lower in board.order[above + 1 :]:
                if truth[upper] < truth[lower]:
                    wrong.pop((lower, upper), None)
                    wrong.pop((upper, lower), None)
                    continue
                since = wrong.setdefault((lower, upper), at)
                limit = 2_000 if race.me in (lower, upper) else 3_000
                assert at - since <= limit, (lower, upper, since)
    assert not wrong
    assert race.board.order == race.board.truth


@pytest.mark.parametrize(
    ("racers", "slots", "mine", "ranks", "between", "behind"), EXCERPTS
)
def test_excerpt_follows_the_table(
    racers: int, slots: int, mine: int, ranks: list[int], between: int, behind: int
) -> None:
    assert excerpt(racers, slots, mine) == (ranks, between, behind)


def test_excerpt_always_shows_leader_and_oneself_and_counts_everybody() -> None:
    for racers in range(1, 17):
        for slots in range(5, 21):
            for mine in range(racers):
                shown = excerpt(racers, slots, mine)
                assert {0, mine} <= set(shown.ranks)
                assert len(shown.ranks) + shown.between + shown.behind == racers
                line = bool(shown.between + shown.behind)
                assert len(shown.ranks) + line <= slots
                assert shown.ranks == sorted(set(shown.ranks))


def test_gain_is_marked_and_own_loss() -> None:
    """▲ for who gains a place, ▼ only for oneself; a swap with oneself flashes."""
    race = Race(0)
    race.update(0, [[seat, "racing", 100 - seat, None, None] for seat in range(4)])
    race.update(2_000, [])
    assert race.update(3_000, [[1, "racing", 200, None, None]]) == [Swap(1, 0, True)]
    assert (race.board.arrow(1, 4_199), race.board.arrow(1, 4_200)) == ("up", "")
    assert (race.board.arrow(0, 4_199), race.board.arrow(0, 4_200)) == ("down", "")
    assert (race.board.flashes(1, 3_239), race.board.flashes(1, 3_240)) == (True, False)
    assert not race.board.flashes(0, 3_000)
    assert race.update(5_000, [[3, "racing", 99, None, None]]) == [Swap(3, 2, False)]
    assert race.board.arrow(3, 5_000) == "up"
    assert race.board.arrow(2, 5_000) == ""
    assert not race.board.flashes(3, 5_000)


def test_no_racers_no_rows() -> None:
    board = Leaderboard()
    assert board.update([], None, 5_000) == []
    assert board.update([], None, 6_000) == []
