"""Where boards stand on a screen, and which parts of it a change touches: pure."""

from collections.abc import Sequence
from typing import NamedTuple

from sliderace_client.shared_ui.render import Grid, Row

__all__ = ["Box", "Placed", "Plan", "differences", "gallery", "mosaic", "plan"]


class Box(NamedTuple):
    """A part of the screen, in cells."""

    x: int
    y: int
    width: int
    height: int


class Placed(NamedTuple):
    """One board on the canvas.

    Attributes:
        tiles: in reading order; 0 is the gap.
        grid: how large its cells are.
        x: column of its top left corner.
        y: row of its top left corner.
        caption: a row above the board (at `y` - 1); empty for none.
    """

    tiles: tuple[int, ...]
    grid: Grid
    x: int
    y: int
    caption: Row = ()

    def region(self, cell: int) -> Box:
        """Where a cell is on the canvas."""
        x, y = self.grid.place_of(cell)
        return Box(self.x + x, self.y + y, self.grid.tile_w, self.grid.tile_h)


def differences(old: Sequence[Placed], new: Sequence[Placed]) -> list[Box] | None:
    """What to paint again; None where boards moved and all must be."""
    if [board._replace(tiles=(), caption=()) for board in old] != [
        board._replace(tiles=(), caption=()) for board in new
    ]:
        return None
    dirty: list[Box] = []
    for before, after in zip(old, new, strict=True):
        if before.caption != after.caption:
            dirty.append(Box(after.x, after.y - 1, after.grid.columns, 1))
        pairs = enumerate(zip(before.tiles, after.tiles, strict=True))
        dirty += [after.region(cell) for cell, (a, b) in pairs if a != b]
    return dirty


class Plan(NamedTuple):
    """How the race screen is divided.

    Attributes:
        wide: the panel stands beside the board, not below it.
        board: columns and rows for the board.
        panel: columns and rows for clock and lanes.
    """

    wide: bool
    board: tuple[int, int]
    panel: tuple[int, int]


PANEL_W = 27
"""A lane in one row: mark, name, bar and percent; 80 columns then have room for large
numerals on 5x5."""
NAMES_W, NAMES_FROM = 31, 100
"""A panel in which most names are whole, and columns of the screen from which on a
board has no use for the difference: there its height is what limits it."""
LEAST_LANES = 2
"""Rows that stay for lanes below the board; the board gets the others if it grows."""


def plan(size: tuple[int, int], columns: int, rows: int, racers: int) -> Plan:
    """Give the board the most: beside or below, whichever leaves larger tiles.

    Args:
        size: width and height of the board.
        columns: columns of the screen.
        rows: rows of the screen, without head and keys.
        racers: how many lanes there are.
    """
    least = NAMES_W if columns >= NAMES_FROM else PANEL_W
    panel_w = max(least, min(44, columns - (2 * (rows // size[1]) + 2) * size[0] - 2))
    beside = (max(0, columns - panel_w - 2), rows)
    lanes = min(racers, LEAST_LANES)
    below = (columns, max(0, rows - lanes))
    tile = _tile(size, *below)
    if tile == 0:  # rather a board without lanes than lanes without a board
        tile = _tile(size, columns, rows)
    if _tile(size, *beside) >= tile:
        return Plan(True, beside, (panel_w, rows))
    used = tile * size[1]
    spare = 1 if rows - racers > used else 0  # a margin, if nobody needs the row
    return Plan(False, (columns, used + spare), (columns, rows - used - spare))


def gallery(count: int, size: tuple[int, int], columns: int, rows: int) -> Plan:
    """As `plan`, for several boards: lanes stand beside them where that is free.

    Args:
        count: how many boards there are.
        size: width and height of the boards.
        columns: columns of the screen.
        rows: rows of the screen, without head and keys.
    """
    beside = (max(0, columns - PANEL_W - 2), rows)
    if _worth(count, size, *beside) >= _worth(count, size, columns, rows):
        return Plan(True, beside, (PANEL_W, rows))
    return Plan(False, (columns, rows), (columns, 0))


def _worth(
    count: int, size: tuple[int, int], columns: int, rows: int
) -> tuple[int, int]:
    """How many boards would be seen, and how high their tiles."""
    places = mosaic(count, size, columns, rows)
    return len(places), places[0][2].tile_h if places else 0


def _tile(size: tuple[int, int], columns: int, rows: int) -> int:
    """Rows of a tile in that space."""
    if columns // size[0] < 3:
        return 0
    return min(rows // size[1], max(1, columns // size[0] // 2))


def mosaic(
    count: int, size: tuple[int, int], columns: int, rows: int
) -> list[tuple[int, int, Grid]]:
    """Places for several boards with a caption each, as large as they fit.

    Args:
        count: how many boards there are.
        size: width and height of the boards.
        columns: columns of the canvas.
        rows: rows of the canvas.

    Returns:
        Per board (column, row, grid); fewer than `count` where not all fit.
    """
    for shown in range(count, 0, -1):
        options = [
            places
            for across in range(1, shown + 1)
            if (places := _places(shown, across, size, columns, rows))
        ]
        if options:
            return max(options, key=lambda places: places[0][2][2:4][::-1])
    return []


def _places(
    count: int, across: int, size: tuple[int, int], columns: int, rows: int
) -> list[tuple[int, int, Grid]]:
    down = -(-count // across)
    room_w = (columns - GAP * (across - 1)) // across
    room_h = rows // down
    grid = Grid.fit(*size, room_w, room_h - 1)
    if grid is None:
        return []
    left = (columns - across * room_w - GAP * (across - 1)) // 2
    left += (room_w - grid.columns) // 2
    return [
        (left + (n % across) * (room_w + GAP), n // across * room_h + 1, grid)
        for n in range(count)
    ]


GAP = 2
"""Columns between two boards."""
