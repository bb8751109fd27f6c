"""Turn keys, clicks and pointer movements into slides.

Input is accepted only while the board can be played; other keys are left to the screen.

- **Direction keys** (arrows, wasd, hjkl or own keys) slide the tile beside the gap.
- **A click** on a tile in line with the gap slides it and all tiles between them. With
  hovering switched on, the pointer does the same, but gives no hints.
- **Digits** name a tile, which then slides like a clicked one. A number that could have
  another digit (1 on a 4x4 board) is pending: the next digit continues it, Enter or
  Space ends it, and so does a pause (`tick`). A direction key discards it.
- Input that moves nothing gives a hint that says why, unless the board is solved.
"""

from collections.abc import Callable
from typing import Protocol

from sliderace.engine import Board, Direction, IllegalSlide
from sliderace.protocol.messages import InputName
from sliderace.texts import text
from sliderace_client.shared_ui.keymap import direction_of
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.shared_ui.tile_number import Number

__all__ = ["BoardInput", "PlayableBoard"]

_WALLS: dict[Direction, str] = {
    "L": "tui.hint.no_left",
    "R": "tui.hint.no_right",
    "U": "tui.hint.no_up",
    "D": "tui.hint.no_down",
}
"""Why no tile can slide in a direction: the gap is at that edge."""


class PlayableBoard(Protocol):
    """A board that takes slides."""

    def board(self) -> Board | None:
        """Return the board; None while it cannot be played."""
        ...

    def slide(self, direction: Direction, count: int) -> bool:
        """Slide, and show it; return False if that is not possible."""
        ...


class BoardInput:
    """Turns keys, numbers, clicks and the pointer into slides.

    Args:
        target: the board.
        hint: called with a sentence when input moves nothing.

    Attributes:
        by_number: the last slide was named by its tile's number.
        by: what the last slide was made with.
    """

    def __init__(self, target: PlayableBoard, hint: Callable[[str], None]) -> None:
        self._target = target
        self._hint = hint
        self._number = Number()
        self.by_number = False
        self.by: InputName = "keys"

    @property
    def pending(self) -> str:
        """The digits of a number that may still be continued."""
        return self._number.text

    def key(self, key: str, settings: Settings, now: int) -> bool:
        """Handle a key.

        Args:
            key: its character, or its name.
            settings: the user's keys.
            now: ms of the caller's clock.

        Returns:
            Whether it is a key of the board.
        """
        board = self._target.board()
        if board is None:
            return False
        direction = direction_of(key, settings.keys, settings.own_keys)
        if direction is not None:
            self._number.drop()
            self.by_number, self.by = False, "keys"
            if not self._target.slide(direction, 1) and not board.is_solved:
                self._hint(text(_WALLS[direction]))
            return True
        if len(key) == 1 and key.isascii() and key.isdecimal():
            self._slide_tile(self._number.typed(key, board.size.cells - 1, now))
            return True
        if key in ("enter", "space", " ") and self._number.text:
            self._slide_tile(self._number.finish())
            return True
        return False

    def tick(self, now: int) -> None:
        """End a pending number if its next digit did not come in time."""
        if self._number.text:
            self._slide_tile(self._number.waited(now))

    def _slide_tile(self, tile: int | None) -> None:
        board = self._target.board()
        if tile is not None and board is not None:
            self.by_number, self.by = True, "keys"
            self._slide_or_hint(board.cell_of(tile))

    def click(self, cell: int) -> None:
        """Slide the tile in a cell, or hint why it cannot move."""
        self.by = "click"
        self._slide_or_hint(cell)

    def _slide_or_hint(self, cell: int) -> None:
        board = self._target.board()
        if board is None or cell == board.gap or self._slide_cell(board, cell):
            return
        if not board.is_solved:
            self._hint(text("tui.hint.not_in_line", tile=board.tile_at(cell)))

    def hover(self, cell: int) -> None:
        """Slide the tile in a cell, if it can move."""
        self.by = "hover"
        board = self._target.board()
        if board is not None and cell != board.gap:
            self._slide_cell(board, cell)

    def _slide_cell(self, board: Board, cell: int) -> bool:
        try:
            return self._target.slide(*board.slide_of_cell(cell))
        except IllegalSlide:
            return False
