"""A terminal that knows just what our pen writes."""

import re

from textual.strip import Strip

from sliderace_client.terminal.pen import Cell, cells_of

__all__ = ["Emulator"]

TOKEN = re.compile(r"\x1b\[([\d;]*)([HCXm])|([^\x1b])")


class Emulator:
    """A screen of cells.

    Args:
        rows: what stands there.
    """

    def __init__(self, rows: list[Strip]) -> None:
        self.rows = [list(cells_of(tuple(row), "truecolor")) for row in rows]
        self.touched: set[tuple[int, int]] = set()
        self._x = self._y = 0
        self._codes = ""

    def write(self, text: str) -> None:
        for match in TOKEN.finditer(text):
            numbers, command, char = match.groups()
            match command:
                case "H":
                    self._y, self._x = (int(n) - 1 for n in numbers.split(";"))
                case "C":
                    self._x += int(numbers)
                case "X":
                    for x in range(self._x, self._x + int(numbers)):
                        self._put(x, " ")
                case "m":
                    on = numbers.removeprefix("0").removeprefix(";")
                    self._codes = f"\x1b[{on}m" if on else ""
                case _:
                    self._put(self._x, char)
                    self._x += 1
        assert self._codes == ""

    def _put(self, x: int, char: str) -> None:
        self.rows[self._y][x] = Cell(char, self._codes)
        self.touched.add((x, self._y))
