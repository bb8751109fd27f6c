"""Breadth-first search over all boards gives the published counts."""

from collections.abc import Callable, Iterable
from itertools import permutations

import pytest

from sliderace.engine import OPPOSITE, Board, Size, Slide, solvable

pytestmark = [pytest.mark.no_cover, pytest.mark.timeout(60)]  # millions of steps

Metric = Callable[[Board], Iterable[Slide]]


def single(board: Board) -> Iterable[Slide]:
    """Return the slides of one tile."""
    return [slide for slide in board.legal_slides() if slide[1] == 1]


def multi(board: Board) -> Iterable[Slide]:
    """Return the slides of any number of tiles."""
    return board.legal_slides()


def layers(size: Size, metric: Metric) -> list[list[Board]]:
    """Return all reachable boards by their distance from solved."""
    found = [[Board.solved(size)]]
    seen = {found[0][0].tiles}
    while found[-1]:
        found.append([])
        for board in found[-2]:
            for direction, count in metric(board):
                board.slide(direction, count)
                if board.tiles not in seen:
                    seen.add(board.tiles)
                    found[-1].append(board.copy())
                board.slide(OPPOSITE[direction], count)
    return found[:-1]


@pytest.mark.parametrize("text", ["2x2", "3x2", "4x2", "3x3"])
@pytest.mark.parametrize(
    ("metric", "name"), [(single, "single_tile"), (multi, "multi_tile")]
)
def test_number_of_boards_at_each_distance(
    text: str,
    metric: Metric,
    name: str,
    distances: dict[str, dict[str, list[int]]],
) -> None:
    found = layers(Size.parse(text), metric)
    assert [len(layer) for layer in found] == distances[name][text]
    if metric is single:
        for depth, layer in enumerate(found):
            assert all(board.md <= depth for board in layer)
            assert all(board.is_solved is (depth == 0) for board in layer)


@pytest.mark.parametrize("text", ["2x2", "2x3", "3x2", "2x4", "4x2", "3x3"])
def test_solvable_boards_are_the_reachable_ones(text: str) -> None:
    size = Size.parse(text)
    reached = {board.tiles for layer in layers(size, single) for board in layer}
    for tiles in permutations(range(size.cells)):
        assert solvable(size, tiles) is (tiles in reached)
