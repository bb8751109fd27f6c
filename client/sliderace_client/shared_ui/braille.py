"""Fine drawings made of braille letters: two columns and four rows of dots per cell."""

from sliderace_client.shared_ui.render import Paint, Run

__all__ = ["Canvas"]

DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bits of a braille letter, by column and row of its dots."""
BRAILLE = 0x2800


class Canvas:
    """A field of dots; a cell has the colour of its last dot.

    Args:
        columns: of cells.
        rows: of cells.

    Attributes:
        width: columns of dots.
        height: rows of dots.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.width, self.height = 2 * columns, 4 * rows
        self._columns, self._rows = columns, rows
        self._bits: dict[tuple[int, int], int] = {}
        self._colours: dict[tuple[int, int], str] = {}

    def dot(self, x: int, y: int, colour: str) -> None:
        """Draw a dot; x counts from the left, y from the top."""
        cell = x // 2, y // 4
        self._bits[cell] = self._bits.get(cell, 0) | DOTS[x % 2][y % 4]
        self._colours[cell] = colour

    def rows(self) -> list[list[Run]]:
        """Return the rows, one run per cell."""
        return [
            [self._cell((x, y)) for x in range(self._columns)]
            for y in range(self._rows)
        ]

    def _cell(self, cell: tuple[int, int]) -> Run:
        if cell not in self._bits:
            return Run(" ", Paint())
        return Run(chr(BRAILLE + self._bits[cell]), Paint(self._colours[cell]))
