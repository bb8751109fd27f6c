"""Only what differs goes to the terminal, in as few bytes as can be.

A slide repaints two tiles. The library sends whole rows, styled run by run; here
blanks are erased in one go, runs are sorted by colour, and what stays is left out.
"""

import re
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
DOWN = 6
"""Rows up to which going down one by one is shorter than naming the place. A vertical
tab goes down in its column, on every terminal since the VT100; a line feed would not,
as the system adds a carriage return to it."""
BRIDGED = 3
"""Cells up to which printing them again is no longer than jumping over them."""


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


PART = re.compile(
    r"(?P<fg>38;5;\d+|38;2(?:;\d+){3}|3\d|9[0-7])"
    r"|(?P<bg>48;5;\d+|48;2(?:;\d+){3}|4\d|10[0-7])"
    r"|(?P<how>\d)(?=;|$)"
)
SEEN_ON_BLANKS = frozenset("479")
"""Underlined, reversed, struck through."""


class Paint(NamedTuple):
    """A style in the parts that are switched one by one."""

    how: tuple[str, ...]
    fg: str
    bg: str


@lru_cache(maxsize=2048)
def _parts(codes: str) -> Paint:
    how, fg, bg = list[str](), "", ""
    for part in PART.finditer(codes[2:-1]):
        how += [part["how"]] if part["how"] else []
        fg, bg = part["fg"] or fg, part["bg"] or bg
    return Paint(tuple(how), fg, bg)


@lru_cache(maxsize=2048)
def _switch(now: Paint | None, then: Paint, *, blank: bool) -> tuple[Paint, str]:
    """How to come to a style from another one; the style then, and the sequence.

    Of a blank only the ground is seen: it leaves the rest as it is.
    """
    if now is not None and blank and not SEEN_ON_BLANKS & {*now.how, *then.how}:
        then = now._replace(bg=then.bg)
    if now == then:
        return then, ""
    parts: list[str] = []
    if now is None or now.how != then.how:
        parts = ["0", *then.how]
        now = Paint(then.how, "", "")
    parts += [then.fg or "39"] if now.fg != then.fg else []
    parts += [then.bg or "49"] if now.bg != then.bg else []
    return then, f"\x1b[{';'.join(parts)}m"


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
        x, old, new, narrow = _middle(row)
        for found, into in zip(
            _pieces(old, new, colours, narrow, erases), (fills, pieces), strict=True
        ):
            for codes, _, at, text, blank in found:
                into.append(Piece(codes, row.y, x + at, text, blank))
    return _written([*_sorted(fills), *_sorted(_joined(pieces))])


Parts = tuple[Segment, ...]


@lru_cache(maxsize=2048)
def _is_narrow(text: str) -> bool:
    return len(text) == cells(text)


def _middle(row: Touched) -> tuple[int, Parts, Parts, bool]:
    """What stands in a row and what shall, without the ends that are alike.

    Returns:
        The first cell of what is left, what is left of both, and whether every sign
        there has one cell. Who knows how wide this terminal shows what is wide? Then
        it is the whole row.
    """
    old, new = tuple(row.old), tuple(row.new)
    left = min(len(old), len(new)) if row.old.cell_length == row.new.cell_length else 0
    x = first = last = 0
    while first < left and old[first] == new[first] and _is_narrow(old[first].text):
        x += len(old[first].text)
        first += 1
    while last < left - first and old[-1 - last] == new[-1 - last]:
        last += 1
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    if all(_is_narrow(part.text) for part in (*before, *after)):
        return row.x + x, before, after, True
    return row.x, old, new, False


@lru_cache(maxsize=1024)
def _pieces(
    old: Parts, new: Parts, colours: str | None, narrow: bool, erases: bool
) -> tuple[list[Piece], list[Piece]]:
    """What to erase and what to print, counted from the first cell; y is 0.

    The rows of a tile differ in few places: most of them are found here already.
    """
    fills: list[Piece] = []
    pieces: list[Piece] = []
    before, after = cells_of(old, colours), cells_of(new, colours)
    for start, end in _spans(before, after) if narrow else [(0, len(after))]:
        ground = _ground_of(after[start:end]) if erases else None
        if ground is not None:
            fills.append(Piece(ground, 0, start, "", end - start))
        pieces += _cut(after, start, end, ground, erases=erases)
    return fills, pieces


def _sorted(pieces: Iterable[Piece]) -> list[Piece]:
    """Ground by ground, and on each colour by colour, so that few are switched."""
    listed = list(pieces)
    grounds: dict[str, int] = {}
    colours: dict[str, int] = {}
    for piece in listed:
        grounds.setdefault(_parts(piece.codes).bg, len(grounds))
        colours.setdefault(piece.codes, len(colours))
    return sorted(
        listed, key=lambda one: (grounds[_parts(one.codes).bg], colours[one.codes])
    )


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Blanks are as good in the colour of a text beside them, if its ground is theirs.

    Then they are written with it.
    """
    texts = {
        (piece.y, _parts(piece.codes).bg): piece.codes
        for piece in pieces
        if piece.text.strip(" ") and not SEEN_ON_BLANKS & {*_parts(piece.codes).how}
    }
    for piece in pieces:
        codes = texts.get((piece.y, _parts(piece.codes).bg), piece.codes)
        blank = not piece.text.strip(" ") and not _parts(piece.codes).how
        yield piece._replace(codes=codes) if blank else piece


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
    for at, (before, after) in enumerate(zip(old, new, strict=True)):
        if before == after:
            continue
        start, end = spans[-1] if spans else (0, -1 - BRIDGED)
        near = 0 <= at - end <= BRIDGED
        if near and (at == end or _alike(new[end - 1 : at + 1])):
            spans[-1] = (start, at + 1)
        else:
            spans.append((at, at + 1))
    return spans


def _alike(some: Sequence[Cell]) -> bool:
    return all(cell.codes == some[0].codes for cell in some)


def _cut(
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
            yield Piece(codes, 0, at, "" if blank else text, blank)
        at = stop


def _written(pieces: Iterable[Piece]) -> str:
    out: list[str] = []
    now: Paint | None = None
    y, x = -1, -1
    for piece in pieces:
        out.append(_jump(y, x, piece))
        blank = bool(piece.blank) or not piece.text.strip(" ")
        now, switch = _switch(now, _parts(piece.codes), blank=blank)
        out += [switch, f"\x1b[{piece.blank}X" if piece.blank else piece.text]
        y, x = piece.y, piece.x + (0 if piece.blank else cells(piece.text))
    return "".join([*out, "\x1b[0m"]) if out else ""


def _jump(y: int, x: int, piece: Piece) -> str:
    """The shortest way from a cell to where a piece begins."""
    right, down = piece.x - x, piece.y - y
    if not right and not down:
        return ""
    if not down and right > 0:
        return f"\x1b[{right}C" if right > 1 else "\x1b[C"
    if not right and 0 < down <= DOWN and y >= 0:
        return "\v" * down
    return f"\x1b[{piece.y + 1};{piece.x + 1}H"
