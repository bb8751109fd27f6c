"""The board as lines: aligned or boxed, tiles counted from one or from zero."""

from dataclasses import dataclass

from sliderace.engine import Board

__all__ = ["Style"]

BESIDE = 7
"""Rows that a turn in line mode says around the board."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a board is written.

    Args:
        boxed: ``|07|00|02|`` with rules between the rows; else aligned columns.
        rows: of the terminal; a box that would scroll away is not drawn; 0: no matter.
        zero_based: the first tile is 0; the gap is blank then.
    """

    boxed: bool = False
    zero_based: bool = False
    rows: int = 0

    def label(self, tile: int) -> str:
        """What is written on a tile."""
        return str(tile - self.zero_based)

    def tile(self, number: int) -> int:
        """The tile with this number on it, which need not exist."""
        return number + self.zero_based

    def span(self, board: Board) -> str:
        """The numbers that there are.

        >>> from sliderace.engine import Size
        >>> Style(zero_based=True).span(Board.solved(Size(4, 4)))
        '0 to 14'
        """
        return f"{self.label(1)} to {self.label(board.size.cells - 1)}"

    def lines(self, board: Board) -> list[str]:
        """The board, a line a row.

        >>> from sliderace.engine import Size
        >>> print(*Style(boxed=True).lines(Board.solved(Size(2, 2))), sep=";")
        +--+--+;|01|02|;+--+--+;|03|00|;+--+--+
        """
        columns, tiles = board.size.width, board.tiles
        longest = len(self.label(board.size.cells - 1))
        high = 2 * board.size.height + 1 + BESIDE
        boxed = self.boxed and (not self.rows or high <= self.rows)
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
        if not tile and self.zero_based:
            return " " * width
        if boxed:
            return self.label(tile).rjust(width, "0")
        return (self.label(tile) if tile else ".").rjust(width)
