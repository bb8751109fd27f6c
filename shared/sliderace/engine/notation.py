"""Parse and format boards and slides.

>>> board = parse_board("1 2 3/4 5 6/7 0 8")
>>> slides = parse_slides("L")
>>> board.slide(*slides[0])
>>> format_board(board)
'1 2 3/4 5 6/7 8 0'
"""

import re
from collections.abc import Iterable
from itertools import groupby
from typing import cast

from sliderace.engine.board import BadNotation, Board, Size
from sliderace.engine.moves import Direction, Slide

__all__ = [
    "format_board",
    "format_slides",
    "format_tokens",
    "parse_board",
    "parse_slides",
]

_ROW = re.compile(r"(?:[0-9]{1,2}|\.)(?:[ \t]+(?:[0-9]{1,2}|\.))*")
_SLIDE = re.compile(r"([UDLR])([1-9][0-9]?)?[ \t\r\n]*")
_SPACE = " \t\r\n"
"""White space in both Python and JavaScript."""


def format_board(board: Board) -> str:
    """Return the board as rows of labels, 0 for the gap: ``8 2 0/4 6 1/3 7 5``."""
    tiles, width = board.tiles, board.size.width
    rows = (tiles[start : start + width] for start in range(0, len(tiles), width))
    return "/".join(" ".join(map(str, row)) for row in rows)


def parse_board(text: str) -> Board:
    """Parse a board, solvable or not.

    Args:
        text: rows separated by ``/`` or a line break, labels by spaces, 0 or a dot for
            the gap, as `format_board` and `str` write them. White space around the text
            and around rows is ignored.

    Raises:
        BadNotation: the text does not have this form, or its rows differ in length.
        BadSize: a side is not 2 ... 10.
        BadBoard: the labels are not 0 ... n-1, each exactly once.
    """
    lines = [line.strip(_SPACE) for line in re.split("[/\n]", text.strip(_SPACE))]
    for line in lines:
        if not _ROW.fullmatch(line):
            raise BadNotation(f"not a row of labels: {line!r:.40}")
    rows = [[int(label.replace(".", "0")) for label in line.split()] for line in lines]
    if len({len(row) for row in rows}) > 1:
        raise BadNotation("the rows differ in length")
    size = Size(len(rows[0]), len(rows))
    return Board(size, [label for row in rows for label in row])


def format_slides(slides: Iterable[tuple[str, int]]) -> str:
    """Return a solution in standard notation, with runs merged: ``R2U2LDL``."""
    runs = groupby(slides, key=lambda slide: slide[0])
    return format_tokens(
        (direction, sum(count for _, count in run)) for direction, run in runs
    )


def format_tokens(slides: Iterable[tuple[str, int]]) -> str:
    """Return one token per slide, without merging; `parse_slides` is the inverse."""
    return "".join(
        direction if count == 1 else f"{direction}{count}"
        for direction, count in slides
    )


def parse_slides(text: str) -> list[Slide]:
    """Parse slides; ``R2`` is *one* slide of two tiles.

    Args:
        text: directions U, D, L, R, each followed by the number of tiles (1 ... 99)
            unless that is 1. White space between slides is ignored.

    Raises:
        BadNotation: the text contains anything else; `position` says where.
    """
    slides: list[Slide] = []
    at = len(text) - len(text.lstrip(_SPACE))
    while at < len(text):
        match = _SLIDE.match(text, at)
        if match is None:
            fault = f"no slide at character {at + 1}: {text[at]!r}"
            raise BadNotation(fault, at + 1)
        slides.append((cast("Direction", match[1]), int(match[2] or 1)))
        at = match.end()
    return slides
