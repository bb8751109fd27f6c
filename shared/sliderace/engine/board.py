"""The board: a mutable position that accepts only legal slides.

>>> board = Board.solved(Size(3, 3))
>>> board.slide("D")  # the tile above the gap moves down
>>> board.slide("R", 2)  # two tiles at once
>>> board.tiles
(1, 2, 3, 0, 4, 5, 7, 8, 6)
>>> board.try_slide("R"), board.is_solved
(False, False)
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from sliderace.engine.moves import (
    DIRECTIONS,
    OPPOSITE,
    Cell,
    Slide,
    Tile,
    home_distances,
    slide_paths,
)

__all__ = [
    "MAX_SIDE",
    "MIN_SIDE",
    "BadBoard",
    "BadNotation",
    "BadSeed",
    "BadSize",
    "Board",
    "EngineError",
    "IllegalSlide",
    "OffBoard",
    "Position",
    "Size",
    "solvable",
]

MIN_SIDE = 2
"""A single row or column cannot be scrambled."""
MAX_SIDE = 10
"""Labels have at most two digits, and the board still fits on a phone."""


class EngineError(ValueError):
    """An argument is invalid; base of all errors of the engine."""


class BadSize(EngineError):
    """Not a board size, or one outside 2x2 ... 10x10."""


class BadBoard(EngineError):
    """The tiles are not 0 ... n-1, each exactly once."""


class BadNotation(EngineError):
    """A text is not a board, or not slides.

    Attributes:
        position: of the first character at fault in slides, from 1; else 0.
    """

    def __init__(self, text: str, position: int = 0) -> None:
        super().__init__(text)
        self.position = position


class BadSeed(EngineError):
    """A seed, secret, nonce, seat or race id is malformed."""


class IllegalSlide(EngineError):
    """The board does not allow this slide."""


class OffBoard(EngineError):
    """A board of this size has no such cell or tile."""


class _Sides(NamedTuple):
    width: int
    height: int


class Size(_Sides):
    """A board size, written width x height: ``4x4``.

    Args:
        width: cells in a row, 2 ... 10.
        height: rows, 2 ... 10.

    Raises:
        BadSize: a side is out of range.
        TypeError: a side is not an int.
    """

    __slots__ = ()

    def __new__(cls, width: int, height: int) -> Self:  # noqa: D102 - see the class
        if type(width) is not int or type(height) is not int:
            raise TypeError(f"a side is an int, not {width!r} or {height!r}")
        if not (MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= height <= MAX_SIDE):
            raise BadSize(
                f"a side must be {MIN_SIDE} ... {MAX_SIDE}, not {width}x{height}"
            )
        return super().__new__(cls, width, height)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a size.

        Args:
            text: such as ``4x4`` or ``10x3``; no spaces, no leading zeros.

        Raises:
            BadSize: the text is not a size, or a side is out of range.
        """
        match = re.fullmatch(r"([1-9][0-9]?)x([1-9][0-9]?)", text)
        if match is None:
            raise BadSize(f"a size is written like 4x4, not {text!r:.40}")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"

    @property
    def cells(self) -> int:
        """Number of cells, including the gap."""
        return self.width * self.height


class Position(NamedTuple):
    """A board at one moment: immutable, so it can be compared and be a key.

    `Board(*position)` is a board in this position.

    Attributes:
        size: width and height.
        tiles: labels in reading order, 0 for the gap.
    """

    size: Size
    tiles: tuple[int, ...]

    def __str__(self) -> str:
        return _drawn(*self)


class Board:
    """A board of the sliding-tile puzzle; sliding tiles changes it.

    Boards are equal if their sizes and tiles are. A board is mutable, so it is not
    hashable; `position` is. `str` draws the board, with a dot for the gap.

    Attributes:
        size: width and height.
        md: Manhattan distance, the sum of all tiles' distances from home. Every slide
            updates it; read-only.

    Args:
        size: width and height.
        tiles: labels in reading order, 0 for the gap. Half of all boards are not
            solvable; they are accepted, see `is_solvable`.

    Raises:
        BadBoard: the tiles are not 0 ... n-1, each exactly once.
        TypeError: a tile is not an int.
    """

    __slots__ = ("_distances", "_gap", "_paths", "_tiles", "md", "size")
    __hash__ = None  # type: ignore[assignment]

    size: Size
    md: int

    def __init__(self, size: Size, tiles: Iterable[int]) -> None:
        self._tiles = list(tiles)
        if {*map(type, self._tiles)} - {int}:
            raise TypeError("every tile is an int")
        if sorted(self._tiles) != list(range(size.cells)):
            raise BadBoard(f"a {size} board has each of 0 ... {size.cells - 1} once")
        self.size = size
        self._gap = Cell(self._tiles.index(0))
        self._paths = slide_paths(*size)
        self._distances = home_distances(*size)
        self.md = sum(
            self._distances[tile][cell] for cell, tile in enumerate(self._tiles)
        )

    @classmethod
    def solved(cls, size: Size) -> Self:
        """Return the solved board: tiles in reading order, the gap in the last cell."""
        return cls(size, (*range(1, size.cells), 0))

    def copy(self) -> Self:
        """Return an independent board in the same position."""
        twin = object.__new__(type(self))
        twin.size = self.size
        twin._tiles = self._tiles[:]
        twin._gap = self._gap
        twin._paths = self._paths
        twin._distances = self._distances
        twin.md = self.md
        return twin

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self.size == other.size and self._tiles == other._tiles

    def __repr__(self) -> str:
        return f"Board({self.size!r}, {self.tiles!r})"

    def __str__(self) -> str:
        return _drawn(self.size, self._tiles)

    @property
    def position(self) -> Position:
        """The position now, as a value that later slides do not change."""
        return Position(self.size, self.tiles)

    @property
    def tiles(self) -> tuple[int, ...]:
        """Labels in reading order, 0 for the gap."""
        return tuple(self._tiles)

    @property
    def gap(self) -> Cell:
        """The empty cell."""
        return self._gap

    @property
    def is_solved(self) -> bool:
        """Whether every tile is home."""
        return not self.md

    def is_solvable(self) -> bool:
        """Return whether legal slides can solve the board."""
        return solvable(self.size, self._tiles)

    def tile_at(self, cell: int) -> Tile:
        """Return the tile in a cell, 0 for the gap.

        Raises:
            OffBoard: there is no such cell.
        """
        if not 0 <= cell < len(self._tiles):
            raise OffBoard(f"a {self.size} board has no cell {cell}")
        return Tile(self._tiles[cell])

    def cell_of(self, tile: int) -> Cell:
        """Return the cell of a tile, or of the gap for 0.

        Raises:
            OffBoard: there is no such tile.
        """
        if not 0 <= tile < len(self._tiles):
            raise OffBoard(f"a {self.size} board has no tile {tile}")
        return Cell(self._tiles.index(tile))

    def try_slide(self, direction: str, count: int = 1) -> bool:
        """Slide tiles if that is legal.

        Args:
            direction: the way the tiles move: U, D, L or R.
            count: number of tiles that move together towards the gap.

        Returns:
            Whether the slide was legal; if not, the board is unchanged.
        """
        gap = self._gap
        try:
            path = self._paths[direction][gap][count]
        except KeyError:
            return False
        tiles, distances, md = self._tiles, self._distances, self.md
        for cell in path:
            tile = tiles[gap] = tiles[cell]
            row = distances[tile]
            md += row[gap] - row[cell]
            gap = cell
        tiles[gap] = 0
        self._gap = gap
        self.md = md
        return True

    def allows(self, direction: str, count: int = 1) -> bool:
        """Return whether a slide is legal."""
        try:
            return count in self._paths[direction][self._gap]
        except KeyError:
            return False

    def slide(self, direction: str, count: int = 1) -> None:
        """Slide tiles towards the gap.

        Args:
            direction: the way the tiles move: U, D, L or R.
            count: number of tiles that move together, at least 1.

        Raises:
            IllegalSlide: there are fewer tiles on that side of the gap; the board is
                unchanged.
        """
        if not self.try_slide(direction, count):
            raise IllegalSlide(f"no slide {direction!r:.9} of {count!r:.9} tiles here")

    def undo(self, direction: str, count: int = 1) -> None:
        """Take back a slide: move the same tiles back.

        Args:
            direction: the way the tiles moved.
            count: number of tiles that moved.

        Raises:
            IllegalSlide: the last slide cannot have been this one; the board is
                unchanged.
        """
        if not self.try_slide(OPPOSITE.get(direction, ""), count):
            raise IllegalSlide(f"no slide {direction!r:.9} of {count!r:.9} came before")

    def slide_of_cell(self, cell: int) -> Slide:
        """Return the slide that moves the tile in a cell, and all up to the gap.

        Raises:
            IllegalSlide: the cell is not in the gap's row or column, is the gap, or is
                off the board.
        """
        for direction in DIRECTIONS:
            for count, path in self._paths[direction][self._gap].items():
                if path[-1] == cell:
                    return direction, count
        raise IllegalSlide(f"the tile in cell {cell} is not in line with the gap")

    def slide_of_tile(self, tile: int) -> Slide:
        """Return the slide that moves a tile, and all up to the gap.

        Raises:
            IllegalSlide: the tile is not in the gap's row or column, or does not exist.
        """
        if tile not in self._tiles:
            raise IllegalSlide(f"a {self.size} board has no tile {tile}")
        return self.slide_of_cell(self._tiles.index(tile))

    def legal_slides(self) -> list[Slide]:
        """Return all legal slides; there are always width + height - 2 of them.

        They are in the order U, D, L, R, fewer tiles first.
        """
        return [
            (direction, count)
            for direction in DIRECTIONS
            for count in self._paths[direction][self._gap]
        ]


def _drawn(size: Size, tiles: Sequence[int]) -> str:
    """Return rows of labels in columns of equal width, with a dot for the gap."""
    width = len(str(size.cells - 1))
    labels = [f"{tile or '.':>{width}}" for tile in tiles]
    rows = range(0, size.cells, size.width)
    return "\n".join(" ".join(labels[row : row + size.width]) for row in rows)


def solvable(size: Size, tiles: Sequence[int]) -> bool:
    """Return whether legal slides can lead from `tiles` to the solved board.

    Sliding one tile is one swap, and moves the gap by one cell. So the parity of the
    permutation and that of the gap's distance from home change together, and they must
    be equal, on boards of any size.

    Args:
        size: width and height.
        tiles: each of 0 ... n-1 once, in reading order.
    """
    gap = tiles.index(0)
    row, column = divmod(gap, size.width)
    gap_distance = (size.height - 1 - row) + (size.width - 1 - column)
    return (_swaps(tiles) - gap_distance) % 2 == 0


def _swaps(tiles: Sequence[int]) -> int:
    """Return how many swaps sort the tiles, with the gap last."""
    order = list(tiles)
    swaps = 0
    for cell in range(len(order) - 1):
        while order[cell] != cell + 1:
            home = order[cell] - 1  # -1 for the gap: the last cell
            order[cell], order[home] = order[home], order[cell]
            swaps += 1
    return swaps
