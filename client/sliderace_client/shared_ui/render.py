"""Tiles, boards and QR codes as plain data for a terminal: rows of coloured text.

This module uses no terminal library: functions return rows of `Run` (text with a
`Paint`), and a thin widget puts those on the screen. Widths are in terminal cells,
heights in rows.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from sliderace_client.shared_ui.glyphs import GLYPH_H, big_size, big_text, pixels
from sliderace_client.shared_ui.pictures import Picture

__all__ = [
    "BASIC",
    "DARK",
    "LAYERS",
    "LIGHT",
    "MONO",
    "TILE_INK",
    "Grid",
    "Look",
    "Paint",
    "Row",
    "Run",
    "big_size",
    "big_text",
    "faint",
    "layer",
    "mixed",
    "qr_rows",
    "tile_rows",
    "tint",
]


class Paint(NamedTuple):
    """How a run of text looks; an empty colour is the terminal's own."""

    fg: str = ""
    bg: str = ""
    bold: bool = False
    reverse: bool = False
    underline: bool = False


class Run(NamedTuple):
    """Text in one paint."""

    text: str
    paint: Paint


Row = tuple[Run, ...]
"""One row of the screen, left to right."""


LAYERS = ("#f2a018", "#3ec5ff", "#b3c992", "#b188ae", "#709f88")
"""Amber, sky, olive, orchid, sage. People with any colour blindness can tell any two
apart (CIEDE2000 of 15 or more); for this, two of them are darker than the others."""


class Look(NamedTuple):
    """The colours of one theme, as hex; all empty: the terminal has no colours."""

    ground: str = ""
    raised: str = ""
    well: str = ""
    line: str = ""
    ink: str = ""
    soft: str = ""
    accent: str = ""
    good: str = ""
    bad: str = ""
    layers: tuple[str, ...] = LAYERS
    """Of tiles, by fringe layer."""
    scheme: str = "fringe"
    """The colour scheme of tiles: ``fringe``, ``rows`` or ``mono``."""
    picture: Picture | None = None
    """Shown on the tiles instead of their colours."""
    numbers: bool = True
    """Whether tiles of a picture carry their numbers."""

    @property
    def flat(self) -> bool:
        """Whether there are too few colours for shades of a background."""
        return self.raised == self.ground

    @property
    def mono(self) -> bool:
        """Whether shapes must say everything, because there are no colours."""
        return not self.ground


LIGHT = Look(
    ground="#f4f0e7",
    raised="#fcfaf5",
    well="#dfd8cc",
    line="#c5bcb0",
    ink="#2b221b",
    soft="#63594f",
    accent="#ab4931",
    good="#397247",
    bad="#ac3031",
)
DARK = Look(
    ground="#1b1612",
    raised="#28211c",
    well="#120d0a",
    line="#463e37",
    ink="#ece7de",
    soft="#a69d91",
    accent="#ee906c",
    good="#88ca95",
    bad="#f07f77",
)
BASIC = Look(
    ground="#000000",
    raised="#000000",
    well="#555555",
    line="#555555",
    ink="#ffffff",
    soft="#aaaaaa",
    accent="#ffff55",
    good="#55ff55",
    bad="#ff5555",
    layers=("#ffff55", "#55ffff", "#55ff55", "#ff55ff", "#aaaaaa"),
)
"""For terminals with 16 colours; it uses only those."""
MONO = Look()

TILE_INK = "#1d1813"
"""Contrast with each of `LAYERS` is at least 5.9 : 1."""


def layer(tile: int, width: int) -> int:
    """Return a tile's fringe layer: how far its home is from the top and left edges.

    Solvers work from the outer layer inwards, so each layer has a colour.

    >>> [layer(tile, 4) for tile in (1, 4, 5, 6, 11)]
    [0, 0, 0, 1, 2]
    """
    return min(divmod(tile - 1, width))


def tint(tile: int, width: int, look: Look) -> str:
    """Return the colour of a tile's body."""
    match look.scheme:
        case "rows":
            index = (tile - 1) // width
        case "mono":
            index = 0
        case _:
            index = layer(tile, width)
    return look.layers[index % len(look.layers)]


@lru_cache(maxsize=64)
def mixed(over: str, under: str, share: float) -> str:
    """Return a colour of which `share` is `over` and the rest `under`, all as hex.

    >>> mixed("#ffffff", "#000000", 0.5), mixed("#102030", "#ffffff", 1)
    ('#808080', '#102030')
    """
    pairs = zip(bytes.fromhex(over[1:]), bytes.fromhex(under[1:]), strict=True)
    return "#" + bytes(round(a * share + b * (1 - share)) for a, b in pairs).hex()


@lru_cache(maxsize=8)
def faint(look: Look) -> Look:
    """Return the same look with tiles at half strength, where colours allow it."""
    if look.flat:
        return look
    layers = tuple(mixed(layer, look.well, 0.45) for layer in look.layers)
    return look._replace(layers=layers, picture=None)


MIN_TILE_W = 3
"""Two digits and a gutter."""


class Grid(NamedTuple):
    """The layout of a board's cells on the screen.

    Attributes:
        width: cells of the board in a row.
        height: rows of the board.
        tile_w: columns of one tile, its gutter included.
        tile_h: rows of one tile, its gutter included.
        edge: 1 with a margin of one column and half a row at the left and top, else 0.
    """

    width: int
    height: int
    tile_w: int
    tile_h: int
    edge: int = 0

    @classmethod
    def fit(cls, width: int, height: int, columns: int, rows: int) -> "Grid | None":
        """Return the largest grid for a board in that space; None if none fits.

        >>> Grid.fit(4, 4, 80, 22)
        Grid(width=4, height=4, tile_w=12, tile_h=5, edge=1)
        >>> Grid.fit(10, 10, 40, 11)
        Grid(width=10, height=10, tile_w=3, tile_h=1, edge=0)
        """
        room_w, room_h = columns // width, rows // height
        if room_w < MIN_TILE_W or room_h < 1:
            return None
        # A terminal cell is about twice as high as wide: 2h columns look square.
        tile_h = max(1, min(room_h, room_w // 2))
        tile_w = min(room_w, 2 * tile_h + 2)
        if tile_w > 2 * tile_h + 1 and tile_w * width == columns:
            tile_w -= 1  # leaves room for the edge
        spare = columns > width * tile_w and rows > height * tile_h
        return cls(width, height, tile_w, tile_h, int(spare and tile_h > 1))

    @property
    def columns(self) -> int:
        """Columns the whole board takes."""
        return self.width * self.tile_w + self.edge

    @property
    def rows(self) -> int:
        """Rows the whole board takes."""
        return self.height * self.tile_h + self.edge

    def cell_at(self, x: int, y: int) -> int | None:
        """Return the cell (in reading order) at a point of the board; None beside it.

        >>> Grid(4, 4, 6, 3).cell_at(23, 11), Grid(4, 4, 6, 3).cell_at(24, 0)
        (15, None)
        """
        column = (x - self.edge) // self.tile_w
        row = (y - self.edge) // self.tile_h
        if 0 <= column < self.width and 0 <= row < self.height:
            return row * self.width + column
        return None

    def place_of(self, cell: int) -> tuple[int, int]:
        """Return column and row of the top left corner of a cell."""
        row, column = divmod(cell, self.width)
        return self.edge + column * self.tile_w, self.edge + row * self.tile_h


# --- Tiles ----------------------------------------------------------------------------


@lru_cache(maxsize=4096)  # 100 tiles x a few sizes and two looks
def tile_rows(tile: int, grid: Grid, look: Look) -> tuple[Row, ...]:
    """Return one tile as `grid.tile_h` rows of `grid.tile_w` columns.

    Args:
        tile: its number; 0 is the gap.
        grid: the board's grid.
        look: colours.
    """
    text = str(tile) if tile else ""
    if look.mono:
        return _mono_tile(text, grid, gap=not tile)
    if not tile:
        return ((Run(" " * grid.tile_w, Paint(bg=look.well)),),) * grid.tile_h
    if look.picture is not None:
        part = PicturePart(look.picture, tile, text if look.numbers else "", grid)
        return tuple(_join(_picture(part, look)))
    body = tint(tile, grid.width, look)
    if grid.tile_h == 1:
        number = Run(text.center(grid.tile_w - 1), Paint(TILE_INK, body, bold=True))
        return ((number, Run("▕", Paint(look.well, body))),)
    return tuple(_join(_shade(text, grid, body, look)))


def _shade(text: str, grid: Grid, body: str, look: Look) -> Iterable[list[Run]]:
    """Yield a tile of two rows or more, cell by cell, half a row of gutter below."""
    columns, height = grid.tile_w - 1, 2 * grid.tile_h - 1
    digits = _digits(text, columns, height)
    left = (columns - len(digits[0])) // 2 if digits else 0
    top = (height - len(digits)) // 2

    def colour(x: int, y: int) -> str:
        if y >= height:
            return look.well
        inside = left <= x and 0 <= y - top < len(digits) and x - left < len(digits[0])
        return TILE_INK if inside and digits[y - top][x - left] == "#" else body

    small = "" if digits else text
    start, row = (columns - len(small)) // 2, (grid.tile_h - 1) // 2
    for y in range(grid.tile_h):
        cells: list[Run] = []
        for x in range(columns):
            upper, lower = colour(x, 2 * y), colour(x, 2 * y + 1)
            if small and y == row and start <= x < start + len(small):
                paint = Paint(TILE_INK, body, bold=True)
                cells.append(Run(small[x - start], paint))
            elif upper == lower:
                cells.append(Run(" ", Paint(bg=upper)))
            else:
                cells.append(Run("▀", Paint(upper, lower)))
        cells.append(Run(" ", Paint(bg=look.well)))
        yield cells


class PicturePart(NamedTuple):
    """The part of a picture that one tile shows."""

    picture: Picture
    tile: int
    text: str
    grid: Grid

    def colour(self, x: int, y: int, columns: int, height: int) -> str:
        """Return the colour at a pixel of the tile, which has `columns` x `height`."""
        row, column = divmod(self.tile - 1, self.grid.width)
        u = (column + (x + 0.5) / columns) / self.grid.width
        v = (row + (y + 0.5) / height) / self.grid.height
        return self.picture.at(u, v)


def _picture(part: PicturePart, look: Look) -> Iterable[list[Run]]:
    """Yield a part of a picture, two pixels per cell, with its number in the corner."""
    grid = part.grid
    columns, gutter = grid.tile_w - 1, int(grid.tile_h > 1)
    height = 2 * grid.tile_h - gutter
    start = max(0, (columns - len(part.text)) // 2) if grid.tile_h == 1 else 0
    for y in range(grid.tile_h):
        cells: list[Run] = []
        for x in range(columns):
            upper = part.colour(x, 2 * y, columns, height)
            lower = (
                part.colour(x, 2 * y + 1, columns, height)
                if 2 * y + 1 < height
                else look.well
            )
            if y == 0 and start <= x < start + len(part.text):
                paint = Paint(TILE_INK, NUMBER_GROUND, bold=True)
                cells.append(Run(part.text[x - start], paint))
            else:
                cells.append(Run("▀", Paint(upper, lower)))
        cells.append(Run(" ", Paint(bg=look.well)))
        yield cells


NUMBER_GROUND = "#f4f0e7"
"""Makes a number readable on any picture."""


def _digits(text: str, columns: int, height: int) -> list[str]:
    """Return the largest numerals that leave a margin in the tile, if any do."""
    best: list[str] = []
    scale = 1
    # Two digits must fit whether this tile has one or two: all tiles look alike.
    while 7 * scale + 2 <= columns and GLYPH_H * scale + 2 * scale <= height and text:
        best = pixels(text, scale)
        scale += 1
    return best


def _join(rows: Iterable[list[Run]]) -> Iterable[Row]:
    """Join neighbours of the same paint into one run."""
    for row in rows:
        joined: list[Run] = []
        for run in row:
            if joined and joined[-1].paint == run.paint:
                joined[-1] = Run(joined[-1].text + run.text, run.paint)
            else:
                joined.append(run)
        yield tuple(joined)


def _mono_tile(text: str, grid: Grid, *, gap: bool) -> tuple[Row, ...]:
    """Return a tile of box lines, for terminals without colour."""
    w, h, plain = grid.tile_w, grid.tile_h, Paint(bold=True)
    if gap:
        return ((Run(" " * w, Paint()),),) * h
    if h == 1:
        return ((Run(text.center(w - 1), plain), Run("│", Paint())),)
    if h == 2:
        return (
            (Run(text.center(w - 1), plain), Run("│", Paint())),
            (Run("─" * (w - 1) + "┘", Paint()),),
        )
    middle = [" " * (w - 2)] * (h - 2)
    digits = _digits(text, w - 2, 2 * (h - 2) + 1)
    lines = big_text(text, len(digits) // GLYPH_H) if digits else (text,)
    top = (h - 2 - len(lines)) // 2
    middle[top : top + len(lines)] = [line.center(w - 2) for line in lines]
    side = Run("│", Paint())
    return (
        (Run("┌" + "─" * (w - 2) + "┐", Paint()),),
        *((side, Run(line, plain), side) for line in middle),
        (Run("└" + "─" * (w - 2) + "┘", Paint()),),
    )


def qr_rows(matrix: Sequence[Sequence[int]]) -> list[str]:
    """Return a QR code made of half blocks: two modules per row.

    Args:
        matrix: modules, 1 is dark, quiet zone included.

    Returns:
        Rows to show in black on white in every theme: scanners need that.
    """
    rows = [list(row) for row in matrix]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    halves = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
    return [
        "".join(halves[bool(a), bool(b)] for a, b in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]
