"""The one move grammar of line mode, alone and in races.

Own keys, alone or repeated (``a``, ``aaw``); the words left, right, up, down and the
arrow keys; field notation after ``=`` (``=R2U``); a number slides that tile with every
tile between it and the gap (``11``, or ``#11`` where digits are keys); ``row,column``,
from 1, the row first. Several in a line are all made, or none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sliderace.engine import (
    BadNotation,
    Board,
    Direction,
    IllegalSlide,
    Slide,
    parse_slides,
)
from sliderace_client.line_ui.answers import Refusal, shown
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.own_keys import ARROWS, WAYS, Keys

__all__ = ["Grammar", "Move", "moved", "possible"]

_ARROWS = re.compile("|".join(map(re.escape, ARROWS)))
_NUMBER = re.compile(r"#?([+-]?[0-9]+)")
_CELL = re.compile(r"([0-9]{1,3}),([0-9]{1,3})")
_MOST = 3
"""Digits of a number that may be a tile; longer ones are not even read."""
_LISTED = 12
"""Tiles that are named one by one; more are counted."""

_CANNOT: Final = "Cannot move: "
_EDGES: Final = {
    "U": "bottom row",
    "D": "top row",
    "L": "last column",
    "R": "first column",
}
"""Where the gap is when no tile can travel that way."""
_WORDS: Final = {"U": "up", "D": "down", "L": "left", "R": "right"}


@dataclass(frozen=True, slots=True)
class Move:
    """One slide, and what it moves.

    Args:
        slide: direction and number of tiles.
        tiles: those that move, the named one (farthest from the gap) first.
        start: row and column of the named tile before, from 1.
        end: the same after.
    """

    slide: Slide
    tiles: tuple[int, ...]
    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Grammar:
    """What a player's lines mean.

    Args:
        keys: the player's own.
        style: how tiles are numbered.
        single: tiles move one at a time only.
    """

    keys: Keys
    style: Style
    single: bool = False

    def read(self, line: str, board: Board) -> list[Move] | Refusal:
        """The moves that a line asks for; none after the one that solves the board.

        Args:
            line: not empty.
            board: as it stands; it stays as it is.
        """
        ahead = board.copy()
        moves: list[Move] = []
        for part in _parts(line):
            for step in self._slides(part, ahead):
                if isinstance(step, Refusal):
                    return _numbered(step, len(moves))
                moves.append(_made(step, ahead))
                if ahead.is_solved:
                    return moves
        return moves

    def _slides(self, part: str, board: Board) -> Iterator[Slide | Refusal]:
        """What one part of a line asks for; each is judged when it is its turn."""
        if ways := self._ways(part):
            yield from (self._step((way, 1), board) for way in ways)
        elif part.startswith("="):
            slides = _notation(part[1:])
            if isinstance(slides, Refusal):
                yield slides
            else:
                yield from (self._step(slide, board) for slide in slides)
        else:
            yield self._pointed(part, board)

    def _ways(self, part: str) -> list[Direction]:
        """The directions that keys, words or arrows stand for; none: it is neither."""
        word = part.lower()
        if word in WAYS and set(word) - set(self.keys.chars):
            return [self.keys.meant(word)]
        if part[0] == "\x1b":
            if _ARROWS.sub("", part):
                return []
            return [self.keys.meant(ARROWS[key]) for key in _ARROWS.findall(part)]
        ways: list[Direction] = []
        for char in word:
            way = self.keys.direction(char)
            if way is None:
                return []
            ways.append(way)
        return ways

    def _step(self, slide: Slide, board: Board) -> Slide | Refusal:
        """A slide by its direction, if the board allows it."""
        way, count = slide
        if count > 1 and self.single:
            return _one_at_a_time(f"{count} tiles")
        if slide in board.legal_slides():
            return slide
        most = sum(other == way for other, _ in board.legal_slides())
        if most:
            only = "only 1 tile" if most == 1 else f"only {most} tiles"
            return Refusal("cannot_move", f"{_CANNOT}{only} can go {_WORDS[way]}.")
        return Refusal("cannot_move", f"{_CANNOT}{self._why(way)}.")

    def _why(self, way: Direction) -> str:
        if self.keys.gap:
            mine = next(word for word in WAYS if self.keys.meant(word) == way)
            return f"the gap cannot go {mine}: it is in the {_EDGES[way]}"
        return f"no tile can go {_WORDS[way]}: the gap is in the {_EDGES[way]}"

    def _pointed(self, part: str, board: Board) -> Slide | Refusal:
        """The slide of a tile that is named by its number or its place."""
        if cell := _CELL.fullmatch(part):
            return self._at(int(cell[1]), int(cell[2]), board)
        number = _NUMBER.fullmatch(part)
        if number is None:
            return self._unknown(part, board)
        if self.keys.have_digits and not part.startswith("#"):
            text = f"Digits are keys here: type #{part[:9]} for tile {part[:9]}."
            return Refusal("digits_are_keys", text)
        return self._tile(number[1], board)

    def _unknown(self, part: str, board: Board) -> Refusal:
        tiles = ("#" if self.keys.have_digits else "") + self.style.span(board)
        text = f"Not a number: {shown(part)}. Tiles are {tiles}; try help."
        return Refusal("not_a_number", text)

    def _at(self, row: int, column: int, board: Board) -> Slide | Refusal:
        width, height = board.size
        if not (1 <= row <= height and 1 <= column <= width):
            text = f"There is no row {row}, column {column}: rows are 1 to {height}"
            return Refusal("no_such_cell", f"{text}, columns 1 to {width}.")
        tile = board.tile_at((row - 1) * width + column - 1)
        if not tile:
            return Refusal("cannot_move", f"{_CANNOT}the gap itself is there.")
        return self._in_line(tile, board)

    def _tile(self, digits: str, board: Board) -> Slide | Refusal:
        tile = self.style.tile(int(digits)) if len(digits) <= _MOST else 0
        if not 0 < tile < board.size.cells:
            text = f"There is no tile {digits[:9]}: tiles are {self.style.span(board)}."
            return Refusal("no_such_tile", text)
        return self._in_line(tile, board)

    def _in_line(self, tile: int, board: Board) -> Slide | Refusal:
        """The slide of a tile that exists."""
        label = self.style.label(tile)
        try:
            slide = board.slide_of_tile(tile)
        except IllegalSlide:
            row, column = _place(board.gap, board)
            text = (
                f"tile {label} is not in line with the gap (row {row}, column {column})"
            )
            return Refusal("cannot_move", f"{_CANNOT}{text}.")
        if self.single and slide[1] > 1:
            return _one_at_a_time(f"tile {label} and those between")
        return slide


def _parts(line: str) -> list[str]:
    """The parts of a line; what follows ``=`` is one, and so is ``2, 3``."""
    head, mark, notation = line.strip().partition("=")
    parts = re.sub(r"\s*,\s*", ",", head).split()
    return [*parts, mark + notation] if mark else parts


def _notation(text: str) -> list[Slide] | Refusal:
    """The slides of field notation."""
    try:
        slides = parse_slides(text.upper())
    except BadNotation as error:
        why = str(error).encode("ascii", "backslashreplace").decode()
        return Refusal("not_notation", f"Not field notation: {why}.")
    return slides or Refusal("not_notation", "After = come slides, such as =R2U.")


def _one_at_a_time(what: str) -> Refusal:
    text = f"Cannot move {what} at once: one tile at a time (--single)."
    return Refusal("one_at_a_time", text)


def _numbered(refusal: Refusal, before: int) -> Refusal:
    """A refusal that says that the moves before it were not made either."""
    if not before:
        return refusal
    why = refusal.text.removeprefix(_CANNOT)
    return Refusal(refusal.why, f"Nothing moved; move {before + 1}: {why}")


def _place(cell: int, board: Board) -> tuple[int, int]:
    row, column = divmod(cell, board.size.width)
    return row + 1, column + 1


def _made(slide: Slide, board: Board) -> Move:
    """Make a slide on a board, and note what it moved."""
    gap = board.gap
    before = board.copy()
    board.slide(*slide)
    far = board.gap
    step = (gap - far) // slide[1]
    tiles = tuple(before.tile_at(cell) for cell in range(far, gap, step))
    return Move(slide, tiles, _place(far, board), _place(far + step, board))


def moved(moves: list[Move], style: Style) -> str:
    """The moves in words.

    >>> from sliderace.engine import Size
    >>> board = Board.solved(Size(3, 3))
    >>> moves = Grammar(Keys(), Style()).read("=R2D", board)
    >>> moved(moves, Style())
    'Moved 7 with 8, 4'
    """
    total = sum(len(move.tiles) for move in moves)
    if total > _LISTED:
        return f"Moved {total} tiles"
    return "Moved " + ", ".join(_told(move, style) for move in moves)


def _told(move: Move, style: Style) -> str:
    named, *between = map(style.label, move.tiles)
    return f"{named} with {' and '.join(between)}" if between else named


def possible(board: Board, keys: Keys, style: Style) -> str:
    """The moves that are possible now: ``left-a (11), up-w (6)``."""
    slides = [slide for slide in board.legal_slides() if slide[1] == 1]
    tiles = {way: _made((way, 1), board.copy()).tiles[0] for way, _ in slides}
    return ", ".join(
        f"{keys.name(word)} ({style.label(tiles[keys.meant(word)])})"
        for word in WAYS
        if keys.meant(word) in tiles
    )
