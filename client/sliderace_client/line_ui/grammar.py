"""The grammar of moves in line mode, for solo and races.

One line holds one or more parts, separated by blanks:

- own keys, alone or repeated: ``a``, ``aaw``;
- the words left, right, up and down, and the arrow keys;
- a number slides that tile with every tile between it and the gap: ``11``, or ``#11``
  if digits are keys;
- ``row,column``, from 1: the same for the tile in that cell;
- field notation after ``=``, up to the end of the line: ``=R2U``.

Either all moves of a line are made or none. Moves after the solving one are dropped.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final

from sliderace.engine import (
    BadNotation,
    Board,
    Direction,
    IllegalSlide,
    Slide,
    parse_slides,
)
from sliderace.texts import text
from sliderace_client.line_ui.answers import Refusal, quoted
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.own_keys import ARROWS, WAYS, Keys

__all__ = ["Grammar", "Move", "moved", "possible"]

_ARROWS = re.compile("|".join(map(re.escape, ARROWS)))
_NUMBER = re.compile(r"#?([+-]?[0-9]+)")
_CELL = re.compile(r"([0-9]{1,3}),([0-9]{1,3})")
_DIGITS = 3
"""Of a number that may be a tile; longer ones are not even converted."""
_SHOWN = 9
"""Digits of a number that are shown again."""
_LISTED = 12
"""Tiles that are named one by one; more are counted."""
_WORDS: Final = {direction: way for way, direction in WAYS.items()}


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
    """Interprets a player's lines.

    Args:
        keys: the player's own.
        style: how tiles are numbered.
        single: tiles move one at a time only.
    """

    keys: Keys
    style: Style
    single: bool = False

    def read(self, line: str, board: Board) -> list[Move] | Refusal:
        """Return the moves that a line asks for; none after the solving one.

        Args:
            line: not empty.
            board: as it stands; it is not changed.
        """
        ahead = board.copy()
        moves: list[Move] = []
        for part in _parts(line):
            for step in self._slides(part, ahead):
                if isinstance(step, Refusal):
                    return _numbered(step, len(moves))
                moves.append(_make(step, ahead))
                if ahead.is_solved:
                    return moves
        return moves

    def _slides(self, part: str, board: Board) -> Iterator[Slide | Refusal]:
        """Yield the slides of one part; each is checked on the board at its turn."""
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
        """Return the directions of keys, words or arrows; none if it is neither."""
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
        """Return a slide by direction, if the board allows it."""
        way, count = slide
        if count > 1 and self.single:
            return Refusal("one_at_a_time", text("move.single_count", number=count))
        if slide in board.legal_slides():
            return slide
        most = sum(other == way for other, _ in board.legal_slides())
        if most:
            why = text("move.only", count=most, way=_WORDS[way])
        elif self.keys.gap:
            typed = next(word for word in WAYS if self.keys.meant(word) == way)
            why = text(f"move.gap_{typed}")
        else:
            why = text(f"move.tile_{_WORDS[way]}")
        return Refusal("cannot_move", why)

    def _pointed(self, part: str, board: Board) -> Slide | Refusal:
        """Return the slide of a tile named by its number or its cell."""
        if cell := _CELL.fullmatch(part):
            return self._in_cell(int(cell[1]), int(cell[2]), board)
        number = _NUMBER.fullmatch(part)
        if number is None:
            return self._unknown(part, board)
        if self.keys.have_digits and not part.startswith("#"):
            why = text("move.digits_are_keys", number=part[:_SHOWN])
            return Refusal("digits_are_keys", why)
        return self._numbered_tile(number[1], board)

    def _unknown(self, part: str, board: Board) -> Refusal:
        sign = "#" if self.keys.have_digits else ""
        first, last = self._span(board)
        tiles = {"first": sign + first, "last": sign + last}
        if self.keys.chars:
            tiles["keys"] = "".join(self.keys.chars[n] for n in (2, 0, 3, 1))
        key = "move.unknown_key" if self.keys.chars else "move.unknown"
        why = text(key, typed=quoted(part), **tiles)
        return Refusal("not_a_number", why)

    def _span(self, board: Board) -> tuple[str, str]:
        """Return the labels of the first and the last tile."""
        return self.style.label(1), self.style.label(board.size.cells - 1)

    def _in_cell(self, row: int, column: int, board: Board) -> Slide | Refusal:
        width, height = board.size
        if not (1 <= row <= height and 1 <= column <= width):
            why = text(
                "move.no_cell", row=row, column=column, rows=height, columns=width
            )
            return Refusal("no_such_cell", why)
        tile = board.tile_at((row - 1) * width + column - 1)
        if not tile:
            return Refusal("cannot_move", text("move.gap_there"))
        return self._in_line(tile, board)

    def _numbered_tile(self, digits: str, board: Board) -> Slide | Refusal:
        tile = self.style.tile(int(digits)) if len(digits) <= _DIGITS else 0
        if not 0 < tile < board.size.cells:
            first, last = self._span(board)
            why = text("move.no_tile", number=digits[:_SHOWN], first=first, last=last)
            return Refusal("no_such_tile", why)
        return self._in_line(tile, board)

    def _in_line(self, tile: int, board: Board) -> Slide | Refusal:
        """Return the slide of a tile that exists."""
        label = self.style.label(tile)
        try:
            slide = board.slide_of_tile(tile)
        except IllegalSlide:
            row, column = _cell_of(board.gap, board)
            why = text("move.not_in_line", tile=label, row=row, column=column)
            return Refusal("cannot_move", why)
        if self.single and slide[1] > 1:
            return Refusal("one_at_a_time", text("move.single_tile", tile=label))
        return slide


def _parts(line: str) -> list[str]:
    """Return the parts of a line; all after ``=`` is one, and so is ``2, 3``."""
    head, mark, notation = line.strip().partition("=")
    parts = re.sub(r"\s*,\s*", ",", head).split()
    return [*parts, mark + notation] if mark else parts


def _notation(typed: str) -> list[Slide] | Refusal:
    """Return the slides of field notation."""
    notation = typed.upper()
    try:
        slides = parse_slides(notation)
    except BadNotation as error:
        at = error.position
        why = text("move.bad_notation", number=at, typed=quoted(notation[at - 1]))
        return Refusal("not_notation", why)
    return slides or Refusal("not_notation", text("move.empty_notation"))


def _numbered(refusal: Refusal, before: int) -> Refusal:
    """Return a refusal that says that the moves before it were not made either."""
    if not before:
        return refusal
    why = text("move.nothing_moved", number=before + 1, why=refusal.text)
    return Refusal(refusal.why, why)


def _cell_of(cell: int, board: Board) -> tuple[int, int]:
    """Return row and column of a cell, from 1."""
    row, column = divmod(cell, board.size.width)
    return row + 1, column + 1


def _make(slide: Slide, board: Board) -> Move:
    """Make a slide on a board; return the move."""
    gap = board.gap
    before = board.copy()
    board.slide(*slide)
    far = board.gap
    step = (gap - far) // slide[1]
    tiles = tuple(before.tile_at(cell) for cell in range(far, gap, step))
    return Move(slide, tiles, _cell_of(far, board), _cell_of(far + step, board))


def moved(moves: list[Move], style: Style) -> str:
    """Describe the moves in words.

    >>> from sliderace.engine import Size
    >>> board = Board.solved(Size(3, 3))
    >>> moves = Grammar(Keys(), Style()).read("=R2D", board)
    >>> moved(moves, Style())
    'Moved 7 with 8, 4'
    """
    total = sum(len(move.tiles) for move in moves)
    if total > _LISTED:
        return text("move.moved_count", number=total)
    tiles = ", ".join(_tiles_of(move, style) for move in moves)
    return text("move.moved", tiles=tiles)


def _tiles_of(move: Move, style: Style) -> str:
    named, *between = map(style.label, move.tiles)
    if not between:
        return named
    others = reduce(
        lambda first, last: text("list.and", first=first, last=last), between
    )
    return text("move.with", tile=named, others=others)


def possible(board: Board, keys: Keys, style: Style) -> str:
    """Return the moves that are possible now: ``left-a (11), up-w (6)``."""
    slides = [slide for slide in board.legal_slides() if slide[1] == 1]
    tiles = {way: _make((way, 1), board.copy()).tiles[0] for way, _ in slides}
    return ", ".join(
        f"{keys.name(word)} ({style.label(tiles[keys.meant(word)])})"
        for word in WAYS
        if keys.meant(word) in tiles
    )
