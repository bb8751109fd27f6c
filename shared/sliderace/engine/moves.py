"""Directions, slides, and the tables of legal slides and distances per board size."""

from collections.abc import Mapping
from functools import cache
from typing import Literal, NewType

__all__ = [
    "DIRECTIONS",
    "OPPOSITE",
    "Cell",
    "Direction",
    "Paths",
    "Slide",
    "Tile",
    "home_distances",
    "slide_paths",
]

Tile = NewType("Tile", int)
"""Label of a tile, from 1; 0 stands for the gap."""
Cell = NewType("Cell", int)
"""Cell of a board, from 0 in reading order."""
Direction = Literal["U", "D", "L", "R"]
"""The way the *tile* moves: U moves the tile below the gap up."""
Slide = tuple[Direction, int]
"""Direction, and number of tiles that move together, at least 1."""

DIRECTIONS: tuple[Direction, ...] = ("U", "D", "L", "R")
OPPOSITE: Mapping[str, Direction] = {"U": "D", "D": "U", "L": "R", "R": "L"}

_TOWARDS_TILES = {"U": (0, 1), "D": (0, -1), "L": (1, 0), "R": (-1, 0)}
"""Step from the gap to the tiles that would move, as (column, row): a tile that moves
up comes from below the gap."""

Paths = Mapping[str, tuple[Mapping[int, tuple[Cell, ...]], ...]]
"""Direction -> gap cell -> number of tiles -> their cells, starting at the gap."""


@cache
def slide_paths(width: int, height: int) -> Paths:
    """Return every legal slide of a board size; a slide that is missing is illegal.

    Looking a slide up validates it, which keeps a validated slide below 200 ns. The
    largest board has 3,600 entries.
    """
    return {
        direction: tuple(
            _paths_to(Cell(gap), direction, width, height)
            for gap in range(width * height)
        )
        for direction in DIRECTIONS
    }


def _paths_to(
    gap: Cell, direction: Direction, width: int, height: int
) -> dict[int, tuple[Cell, ...]]:
    dx, dy = _TOWARDS_TILES[direction]
    row, column = divmod(gap, width)
    cells: list[Cell] = []
    paths: dict[int, tuple[Cell, ...]] = {}
    while 0 <= column + dx < width and 0 <= row + dy < height:
        column, row = column + dx, row + dy
        cells.append(Cell(row * width + column))
        paths[len(cells)] = tuple(cells)
    return paths


@cache
def home_distances(width: int, height: int) -> tuple[tuple[int, ...], ...]:
    """Return tile -> cell -> distance from the tile's home; all 0 for the gap."""
    cells = width * height
    homes = [divmod(tile - 1, width) for tile in range(1, cells)]
    return (0,) * cells, *(
        tuple(
            abs(cell // width - row) + abs(cell % width - column)
            for cell in range(cells)
        )
        for row, column in homes
    )
