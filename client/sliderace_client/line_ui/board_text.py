"""The board as lines: aligned or boxed, tiles counted from one or from zero."""

from dataclasses import dataclass

from sliderace.engine import Board

__all__ = ["Style"]

BESIDE = 7
"""Rows that line mode prints around the board."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a board is written.

    Args:
        boxed: ``|07|00|02|`` with rules between the rows; else aligned columns.
        rows: of the terminal; a box that would scroll away is not drawn. 0: unknown.
        zero_based: the first tile is 0; the gap is blank then.
        blank: the gap is blank; else it is a dot, or 0 in a box.
    """

    boxed: bool = False
    zero_based: bool = False
    blank: bool = False
    rows: int = 0

    def label(self, tile: int) -> str:
        """Return the label of a tile."""
        return str(tile - self.zero_based)

    def tile(self, number: int) -> int:
        """Return the tile with this number on it, whether or not it exists."""
        return number + self.zero_based

    def lines(self, board: Board) -> list[str]:
        """Return the board, a line for each row.

        >>> from sliderace.engine import Size
        >>> print(*Style(boxed=True).lines(Board.solved(Size(2, 2))), sep=";")
        +--+--+;|01|02|;+--+--+;|03|00|;+--+--+
        """
        columns, tiles = board.size.width, board.tiles
        longest = len(self.label(board.size.cells - 1))
        height = 2 * board.size.height + 1 + BESIDE
        boxed = self.boxed and (not self.rows or height <= self.rows)
        width = max(2, longest) if boxed else longest
        cells = [self._cell(tile, width, boxed=boxed) for tile in tiles]
        rows = [cells[at : at + columns] for at in range(0, len(cells), columns)]
        if not boxed:
            return [" ".join(row).rstrip() for row in rows]
        rule = "+" + ("-" * width + "+") * columns
        lines = [rule]
        for row in rows:
            lines += [f"|{'|'.join(row)}|", rule]
        return lines

    def _cell(self, tile: int, width: int, *, boxed: bool) -> str:
        if not tile and (self.blank or self.zero_based):
            return " " * width
        if boxed:
            return self.label(tile).rjust(width, "0")
        return (self.label(tile) if tile else ".").rjust(width)
