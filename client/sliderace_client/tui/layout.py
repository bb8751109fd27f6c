"""The layout of boards and panels, and which parts have changed. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from sliderace.protocol.names import cells
from sliderace_client.shared_ui.render import Grid, Row

__all__ = [
    "Box",
    "Layout",
    "Placed",
    "arrange_boards",
    "caption_width",
    "changed_boxes",
    "race_layout",
    "spectator_layout",
]


class Box(NamedTuple):
    """A rectangle of the screen, in terminal cells."""

    x: int
    y: int
    width: int
    height: int


class Placed(NamedTuple):
    """One board and its place.

    Attributes:
        tiles: in reading order; 0 is the gap.
        grid: how large its cells are.
        x: column of its top left corner.
        y: row of its top left corner.
        caption: a row above the board (at `y` - 1); empty for none.
        stamp: rows over the middle of a board whose racer has ended; its tiles are
            faint. Empty for none.
    """

    tiles: tuple[int, ...]
    grid: Grid
    x: int
    y: int
    caption: Row = ()
    stamp: tuple[Row, ...] = ()

    def box_of(self, cell: int) -> Box:
        """Return where a cell of the board is."""
        x, y = self.grid.place_of(cell)
        return Box(self.x + x, self.y + y, self.grid.tile_w, self.grid.tile_h)


def changed_boxes(old: Sequence[Placed], new: Sequence[Placed]) -> list[Box] | None:
    """Return what to paint again; None if boards moved and everything must be."""
    if [board._replace(tiles=(), caption=()) for board in old] != [
        board._replace(tiles=(), caption=()) for board in new
    ]:
        return None
    boxes: list[Box] = []
    for before, after in zip(old, new, strict=True):
        if before.caption != after.caption:
            boxes.append(Box(after.x, after.y - 1, _caption_width(before, after), 1))
        pairs = enumerate(zip(before.tiles, after.tiles, strict=True))
        boxes += [after.box_of(cell) for cell, (a, b) in pairs if a != b]
    return boxes


def _caption_width(*boards: Placed) -> int:
    return max(sum(cells(run.text) for run in board.caption) for board in boards)


class Layout(NamedTuple):
    """How a screen with boards is divided.

    Attributes:
        wide: the panel stands beside the boards, not below them.
        board: columns and rows for the boards.
        panel: columns and rows for clock and lanes.
    """

    wide: bool
    board: tuple[int, int]
    panel: tuple[int, int]


PANEL_W = 30
"""Fits rank, a name of 13 letters, activity, slides, value and a margin. The tiles of
every board beside it are as high as a screen of 80x24 allows."""
WIDE_PANEL_W, WIDE_PANEL_FROM = 34, 100
"""Columns of a panel in which longer names fit, and the width from which on a screen
uses it: such a screen's height limits the board, not its width."""
LARGE_TILE = 4
"""Rows of a tile; a larger one may lose a row so that all racers can be seen."""
MIN_LANES = 2
"""Rows that lanes keep below the board, even if the board could use them."""


def race_layout(size: tuple[int, int], columns: int, rows: int, racers: int) -> Layout:
    """Place the panel beside or below the board, whichever leaves larger tiles.

    Args:
        size: width and height of the board.
        columns: columns of the screen.
        rows: rows of the screen, without head and keys.
        racers: how many lanes there are.
    """
    least = WIDE_PANEL_W if columns >= WIDE_PANEL_FROM else PANEL_W
    panel_w = max(least, min(44, columns - (2 * (rows // size[1]) + 2) * size[0] - 2))
    beside = (max(0, columns - panel_w - 2), rows)
    lanes = min(racers, MIN_LANES)
    below = (columns, max(0, rows - lanes))
    tile = _tile_rows(size, *below)
    if tile == 0:  # a board without lanes is better than lanes without a board
        tile = _tile_rows(size, columns, rows)
    if _tile_rows(size, *beside) >= tile - (tile > LARGE_TILE):
        return Layout(True, beside, (panel_w, rows))
    used = tile * size[1]
    spare = 1 if rows - racers > used else 0  # a margin, if no lane needs the row
    return Layout(False, (columns, used + spare), (columns, rows - used - spare))


def spectator_layout(
    count: int, size: tuple[int, int], columns: int, rows: int
) -> Layout:
    """Place several boards; lanes stand beside them if that costs the boards nothing.

    Args:
        count: how many boards there are.
        size: width and height of the boards.
        columns: columns of the screen.
        rows: rows of the screen, without head and keys.
    """
    most = _visible(count, size, columns, rows)
    for panel_w in (WIDE_PANEL_W, PANEL_W, PANEL_W - 1):
        beside = (max(0, columns - panel_w - 2), rows)
        if _visible(count, size, *beside) >= most:
            return Layout(True, beside, (panel_w, rows))
    return Layout(False, (columns, rows), (columns, 0))


def _visible(
    count: int, size: tuple[int, int], columns: int, rows: int
) -> tuple[int, int]:
    """Return how many boards fit, and how many rows their tiles have."""
    places = arrange_boards(count, size, columns, rows)
    return len(places), places[0][2].tile_h if places else 0


def _tile_rows(size: tuple[int, int], columns: int, rows: int) -> int:
    """Return the rows of a tile if the board has this space; 0: it does not fit."""
    if columns // size[0] < 3:
        return 0
    return min(rows // size[1], max(1, columns // size[0] // 2))


def arrange_boards(
    count: int, size: tuple[int, int], columns: int, rows: int
) -> list[tuple[int, int, Grid]]:
    """Arrange several boards of one size with captions, as large as possible.

    Args:
        count: how many boards there are.
        size: width and height of the boards.
        columns: columns of the canvas.
        rows: rows of the canvas.

    Returns:
        Per board (column, row, grid); fewer than `count` if they do not all fit.
    """
    for shown in range(count, 0, -1):
        options = [
            places
            for across in range(1, shown + 1)
            if (places := _in_rows_of(across, shown, size, columns, rows))
        ]
        if options:
            return max(options, key=lambda places: places[0][2][2:4][::-1])
    return []


BOARD_GAP = 2
"""Columns between two boards."""
CAPTION_W = 20
"""Columns of a caption with most names and times; small boards are narrower."""


def caption_width(places: Sequence[tuple[int, int, Grid]], columns: int) -> int:
    """Return the columns for the caption of each board.

    Args:
        places: of the boards, from `arrange_boards`; at least one.
        columns: columns of the canvas.
    """
    lefts = sorted({x for x, _, _ in places})
    ends = [*(left - BOARD_GAP for left in lefts[1:]), columns]
    free = min(end - left for left, end in zip(lefts, ends, strict=True))
    return max(places[0][2].columns, min(free, CAPTION_W))


def _in_rows_of(
    across: int, count: int, size: tuple[int, int], columns: int, rows: int
) -> list[tuple[int, int, Grid]]:
    """Arrange `count` boards with `across` of them in a row; empty: they do not fit."""
    down = -(-count // across)
    cell_w = (columns - BOARD_GAP * (across - 1)) // across
    cell_h = rows // down
    grid = Grid.fit(*size, cell_w, cell_h - 1)
    if grid is None:
        return []
    left = (columns - across * cell_w - BOARD_GAP * (across - 1)) // 2
    left += (cell_w - grid.columns) // 2
    return [
        (left + (n % across) * (cell_w + BOARD_GAP), n // across * cell_h + 1, grid)
        for n in range(count)
    ]
