"""Only what differs goes to the terminal, in as few bytes as can be.

A slide repaints two tiles. The library sends whole rows, styled run by run; here
blanks are erased in one go, runs are sorted by colour, and what stays is left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from sliderace.protocol.names import cells

__all__ = ["Cell", "Pen", "Touched", "cells_of", "paint"]

SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}
"""By the names that the console gives them."""
ERASED = 6
"""Blanks from which on erasing them is shorter than printing them."""


class Touched(NamedTuple):
    """One row of the screen that was painted anew.

    Attributes:
        x: column of the row's first cell, from 0.
        y: row of the screen, from 0.
        old: what stands there.
        new: what shall.
    """

    x: int
    y: int
    old: Strip
    new: Strip


class Pen(NamedTuple):
    """How to write on this terminal.

    Attributes:
        write: takes what goes to the terminal.
        colours: name of the colour system; None: no colours.
        erases: whether erased cells take the ground's colour (terminfo's `bce`).
    """

    write: Callable[[str], object]
    colours: str | None
    erases: bool

    def paint(self, rows: Iterable[Touched]) -> None:
        """Bring the rows up to date."""
        text = paint(rows, self.colours, erases=self.erases)
        if text:
            self.write(text)


class Cell(NamedTuple):
    """One cell: its text (empty: the right half of a wide one) and its codes."""

    text: str
    codes: str


@lru_cache(maxsize=1024)
def _codes(style: Style | None, colours: str | None) -> str:
    """The sequence that turns a style on, from a plain one."""
    if style is None:
        return ""
    system = SYSTEMS.get(colours or "")
    return style.render("x", color_system=system).partition("x")[0]


@lru_cache(maxsize=1024)
def _ground(style: Style | None, colours: str | None) -> str:
    """The same for a blank: only what can be seen of it."""
    if style is None or style.reverse or style.underline or style.strike:
        return _codes(style, colours)
    return _codes(Style(bgcolor=style.bgcolor), colours)


@lru_cache(maxsize=2048)
def cells_of(parts: tuple[Segment, ...], colours: str | None) -> tuple[Cell, ...]:
    """The cells of a row."""
    found: list[Cell] = []
    for text, style, _ in parts:
        codes, ground = _codes(style, colours), _ground(style, colours)
        for char in text:
            width = cells(char)
            if not width and found:
                found[-1] = found[-1]._replace(text=found[-1].text + char)
                continue
            found.append(Cell(char, ground if char == " " else codes))
            found += [Cell("", codes)] * (width - 1)
    return tuple(found)


class Piece(NamedTuple):
    """Some cells of a row in one style; `blank`: erased, not printed."""

    codes: str
    y: int
    x: int
    text: str
    blank: int = 0


def paint(rows: Iterable[Touched], colours: str | None, *, erases: bool) -> str:
    """What to write so that the terminal shows the new rows; empty: nothing."""
    fills: list[Piece] = []
    pieces: list[Piece] = []
    for row in rows:
        old, new = (cells_of(tuple(each), colours) for each in (row.old, row.new))
        narrow = len(old) == len(row.old.text) and len(new) == len(row.new.text)
        # Who knows how wide this terminal shows what is wide: then the whole row.
        for start, end in _spans(old, new) if narrow else [(0, len(new))]:
            ground = _ground_of(new[start:end]) if erases else None
            if ground is not None:
                fills.append(Piece(ground, row.y, row.x + start, "", end - start))
            pieces += _cut(row, new, start, end, ground, erases=erases)
    order = {piece.codes: n for n, piece in enumerate([*pieces, *fills][::-1])}
    fills.sort(key=lambda piece: order[piece.codes])
    pieces.sort(key=lambda piece: order[piece.codes])
    return _written([*fills, *pieces])


def _ground_of(span: Sequence[Cell]) -> str | None:
    """What the whole of a span is erased with before anything else is put there."""
    grounds = Counter(cell.codes for cell in span if cell.text == " ")
    codes, count = next(iter(grounds.most_common(1)), ("", 0))
    return codes if count >= ERASED else None


def _spans(old: Sequence[Cell], new: Sequence[Cell]) -> list[tuple[int, int]]:
    """Where the rows differ, as (first, after the last)."""
    if old == new:
        return []
    if len(old) != len(new):
        return [(0, len(new))]
    spans: list[tuple[int, int]] = []
    start = -1
    for at, (before, after) in enumerate(zip(old, new, strict=True)):
        if before == after:
            if start >= 0:
                spans.append((start, at))
            start = -1
        elif start < 0:
            start = at
    if start >= 0:
        spans.append((start, len(new)))
    return spans


def _cut(
    row: Touched,
    new: Sequence[Cell],
    start: int,
    end: int,
    ground: str | None,
    *,
    erases: bool,
) -> Iterator[Piece]:
    """A span in pieces of one style; without what its ground is already."""
    at = start
    while at < end:
        codes, stop = new[at].codes, at
        while stop < end and new[stop].codes == codes:
            stop += 1
        text = "".join(cell.text for cell in new[at:stop])
        bare = not text.strip(" ")
        if not bare or codes != ground:
            blank = len(text) if erases and bare and len(text) >= ERASED else 0
            yield Piece(codes, row.y, row.x + at, "" if blank else text, blank)
        at = stop


def _written(pieces: Iterable[Piece]) -> str:
    out: list[str] = []
    codes, y, x = None, -1, -1
    for piece in pieces:
        if piece.codes != codes:
            on = piece.codes[2:]  # after CSI
            out.append(f"\x1b[0;{on}" if on else "\x1b[0m")
            codes = piece.codes
        if (piece.y, piece.x) != (y, x):
            jump = piece.x - x
            same = piece.y == y and jump > 0
            out.append(
                f"\x1b[{jump}C" if same else f"\x1b[{piece.y + 1};{piece.x + 1}H"
            )
        out.append(f"\x1b[{piece.blank}X" if piece.blank else piece.text)
        y, x = piece.y, piece.x + (0 if piece.blank else cells(piece.text))
    return "".join([*out, "\x1b[0m"]) if out else ""
