"""A terminal that understands only what `TerminalDiff` writes."""

import re

from textual.strip import Strip

from sliderace_client.tui.terminal_io.diff import Cell, cells_of

__all__ = ["Emulator"]

TOKEN = re.compile(r"\x1b\[([\d;]*)([HCBXm])|([^\x1b])")


class Emulator:
    """A screen of cells.

    Args:
        rows: what it shows at first.
    """

    def __init__(self, rows: list[Strip]) -> None:
        self.rows = [list(cells_of(tuple(row), "truecolor")) for row in rows]
        self.written: set[tuple[int, int]] = set()
        self._x = self._y = 0
        self._attributes: list[str] = []
        self._colours = ["", ""]

    def write(self, text: str) -> None:
        for match in TOKEN.finditer(text):
            numbers, command, char = match.groups()
            match command:
                case "H":
                    self._y, self._x = (int(n) - 1 for n in numbers.split(";"))
                case "C":
                    self._x += int(numbers or 1)
                case "B":
                    self._y += int(numbers or 1)
                case "X":
                    for x in range(self._x, self._x + int(numbers)):
                        self._put(x, " ")
                case "m":
                    self._style(numbers.split(";"))
                case _ if char == "\v":
                    self._y += 1
                case _:
                    self._put(self._x, char)
                    self._x += 1
        assert not [*self._attributes, *filter(None, self._colours)]

    def _style(self, numbers: list[str]) -> None:
        while numbers:
            first = numbers.pop(0)
            if first in ("38", "48"):
                count = 4 if numbers[0] == "2" else 2
                self._colours[first == "48"] = ";".join([first, *numbers[:count]])
                del numbers[:count]
            elif first in ("39", "49"):
                self._colours[first == "49"] = ""
            elif first in ("", "0"):
                self._attributes, self._colours = [], ["", ""]
            else:
                self._attributes.append(first)

    def _put(self, x: int, char: str) -> None:
        parts = [*self._attributes, *self._colours]
        if char == " " and not {"4", "7", "9"} & set(self._attributes):
            parts = self._colours[1:]  # nothing else is visible on a blank
        codes = ";".join(filter(None, parts))
        self.rows[self._y][x] = Cell(char, f"\x1b[{codes}m" if codes else "")
        self.written.add((x, self._y))
