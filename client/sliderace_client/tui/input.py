"""What a hand does to a board: keys, numbers, clicks and the pointer."""

from collections.abc import Callable
from typing import Protocol

from sliderace.engine import Board, Direction, IllegalSlide
from sliderace_client.shared_ui.keymap import direction_of
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.shared_ui.tile_number import Number

__all__ = ["Hands", "Slides", "why_not"]

WALLS: dict[Direction, str] = {
    "L": "right column",
    "R": "left column",
    "U": "bottom row",
    "D": "top row",
}
"""Where the gap is when no tile can travel that way."""
WORDS: dict[Direction, str] = {"L": "left", "R": "right", "U": "up", "D": "down"}


def why_not(direction: Direction) -> str:
    """Why no tile travels that way."""
    return f"No tile can go {WORDS[direction]}: the gap is in the {WALLS[direction]}."


class Slides(Protocol):
    """A board that can be played now."""

    def board(self) -> Board | None:
        """The board; None where it cannot be touched now."""
        ...

    def slide(self, direction: Direction, count: int) -> bool:
        """Slide, and show it; False where that is not possible."""
        ...


class Hands:
    """Turns keys, numbers and points into slides.

    Args:
        slides: the board.
        cue: told gently why nothing moved.
    """

    def __init__(self, slides: Slides, cue: Callable[[str], None]) -> None:
        self._slides = slides
        self._cue = cue
        self._number = Number()

    @property
    def typed(self) -> str:
        """The digits of a number that may go on."""
        return self._number.text

    def key(self, key: str, settings: Settings, now: int) -> bool:
        """Take a key; True if it is one of ours."""
        board = self._slides.board()
        if board is None:
            return False
        direction = direction_of(key, settings.keys, settings.own_keys)
        if direction is not None:
            self._number.drop()
            if not self._slides.slide(direction, 1) and not board.is_solved:
                self._cue(why_not(direction))
            return True
        if len(key) == 1 and key.isascii() and key.isdecimal():
            self._tile(self._number.typed(key, board.size.cells - 1, now))
            return True
        if key in ("enter", "space", " ") and self._number.text:
            self._tile(self._number.finish())
            return True
        return False

    def tick(self, now: int) -> None:
        """Time goes on: a number that nobody continues is one."""
        if self._number.text:
            self._tile(self._number.waited(now))

    def _tile(self, tile: int | None) -> None:
        board = self._slides.board()
        if tile is not None and board is not None:
            self.cell(board.cell_of(tile))

    def cell(self, cell: int, *, quiet: bool = False) -> None:
        """Slide the tile in a cell; `quiet`: it need not be possible."""
        board = self._slides.board()
        if board is None or cell == board.gap:
            return
        try:
            done = self._slides.slide(*board.slide_of_cell(cell))
        except IllegalSlide:
            done = False
        if not done and not quiet and not board.is_solved:
            tile = board.tile_at(cell)
            self._cue(f"{tile} cannot move: it is not in line with the gap.")
