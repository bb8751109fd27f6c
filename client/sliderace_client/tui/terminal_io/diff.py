"""Write only what changed to the terminal, in as few bytes as possible.

A slide changes two tiles, but the library would send whole rows and repeat the full
style of every run of text. Here each changed row takes five steps:

1. **Trim.** Segments that are equal at the start and at the end of the old and the new
   row are skipped. A row with wide characters is written whole instead, because
   terminals disagree about the width of some of them.
2. **Compare.** The rest is compared cell by cell. Two changes of the same style with a
   gap of at most `MAX_GAP` cells become one span, because printing the gap again takes
   no more bytes than jumping over it.
3. **Erase.** If the terminal erases in the current background colour, a span with many
   blanks is first erased as a whole (ECH); then only its other cells are printed.
4. **Sort.** First everything is erased, then everything is printed; in both passes the
   pieces are sorted by background and by style, so that styles rarely change.
5. **Encode.** The cursor moves by the shortest sequence, and only those parts of a
   style are switched that differ from the style before.

Nothing is remembered from one call to the next: the caller gives the old row and the
new one, and `render` returns what turns the first into the second. It leaves the
terminal in its plain style. `TerminalDiff` adds where to write, and batches.
"""

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from sliderace.protocol.names import cells

__all__ = ["Cell", "ChangedRow", "TerminalDiff", "cells_of", "render"]

COLOUR_SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}
"""By the names that rich's console gives them."""
MIN_ERASED = 6
"""From this many blanks on, erasing takes fewer bytes than printing."""
MAX_DOWN = 6
"""Up to this many rows, moving down row by row takes fewer bytes than an absolute
position. A vertical tab keeps the column on every terminal since the VT100; a line feed
would not, because the system adds a carriage return to it."""
MAX_GAP = 3
"""Up to this many cells, printing a gap again takes no more bytes than a jump."""


class ChangedRow(NamedTuple):
    """One row of the screen, before and after a change.

    Attributes:
        x: column of the row's first cell, from 0.
        y: row of the screen, from 0.
        old: what the terminal shows.
        new: what it should show.
    """

    x: int
    y: int
    old: Strip
    new: Strip


class TerminalDiff:
    """Writes changed rows to the terminal at once, without the library.

    It does nothing until a driver that can write at once connects it.
    """

    def __init__(self) -> None:
        self._write: Callable[[str], object] | None = None
        self._colours: str | None = None
        self._erases = False
        self._batch: dict[tuple[int, int], ChangedRow] | None = None

    @property
    def connected(self) -> bool:
        """Whether rows can be written; otherwise the library has to paint them."""
        return self._write is not None

    def connect(
        self, write: Callable[[str], object], colours: str | None, *, erases: bool
    ) -> None:
        """Write to a terminal from now on.

        Args:
            write: writes text to the terminal.
            colours: name of its colour system; None: no colours.
            erases: whether erased cells take the background colour (terminfo's `bce`).
        """
        self._write, self._colours, self._erases = write, colours, erases

    def disconnect(self) -> None:
        """Write nothing more."""
        self._write = None

    @contextmanager
    def batch(self) -> Generator[None]:
        """Write everything that is painted in this context as one piece of text."""
        if self._batch is not None:
            yield
            return
        self._batch = {}
        try:
            yield
        finally:
            rows, self._batch = self._batch.values(), None
            self.paint(rows)

    def paint(self, rows: Iterable[ChangedRow]) -> None:
        """Bring rows up to date: now, or at the end of the batch."""
        if self._batch is None:
            if self._write and (
                text := render(rows, self._colours, erases=self._erases)
            ):
                self._write(text)
            return
        for row in rows:
            place = row.y, row.x
            first = self._batch.get(place, row)
            self._batch[place] = row._replace(old=first.old)


# --- Cells and styles -----------------------------------------------------------------


class Cell(NamedTuple):
    """One cell: its text (empty: the right half of a wide character) and its style.

    `style` is the escape sequence that switches the style on from a plain one. Of a
    blank it contains only attributes that are visible there.
    """

    text: str
    style: str


@lru_cache(maxsize=1024)
def _sequence(style: Style | None, colours: str | None) -> str:
    """The escape sequence that switches a style on from a plain one."""
    if style is None:
        return ""
    system = COLOUR_SYSTEMS.get(colours or "")
    return style.render("x", color_system=system).partition("x")[0]


@lru_cache(maxsize=1024)
def _blank_sequence(style: Style | None, colours: str | None) -> str:
    """The same for a blank, with only the attributes visible on it."""
    if style is None or style.reverse or style.underline or style.strike:
        return _sequence(style, colours)
    return _sequence(Style(bgcolor=style.bgcolor), colours)


def cells_of(segments: tuple[Segment, ...], colours: str | None) -> tuple[Cell, ...]:
    """Return the cells of a row.

    Args:
        segments: the row.
        colours: name of the terminal's colour system; None: no colours.
    """
    found: list[Cell] = []
    for text, style, _ in segments:
        printed, blank = _sequence(style, colours), _blank_sequence(style, colours)
        for char in text:
            width = cells(char)
            if found and (not width or _joins(found, char)):
                found[-1] = found[-1]._replace(text=found[-1].text + char)
                continue
            found.append(Cell(char, blank if char == " " else printed))
            found += [Cell("", printed)] * (width - 1)
    return tuple(found)


def _joins(found: list[Cell], char: str) -> bool:
    """Whether a wide character adds no width: half of a flag, or an emoji's tone."""
    if char.isascii() or found[-1].text:
        return False
    before = "".join(cell.text for cell in found[-2:])
    return cells(before + char) == cells(before)


STYLE_PART = re.compile(
    r"(?P<fg>38;5;\d+|38;2(?:;\d+){3}|3\d|9[0-7])"
    r"|(?P<bg>48;5;\d+|48;2(?:;\d+){3}|4\d|10[0-7])"
    r"|(?P<attribute>\d)(?=;|$)"
)
SEEN_ON_BLANKS = frozenset("479")
"""Underlined, reversed, struck through."""


class StyleParts(NamedTuple):
    """The parts of a style that are switched one by one."""

    attributes: tuple[str, ...]
    fg: str
    bg: str


@lru_cache(maxsize=2048)
def _parts(style: str) -> StyleParts:
    attributes, fg, bg = list[str](), "", ""
    for part in STYLE_PART.finditer(style[2:-1]):
        attributes += [part["attribute"]] if part["attribute"] else []
        fg, bg = part["fg"] or fg, part["bg"] or bg
    return StyleParts(tuple(attributes), fg, bg)


@lru_cache(maxsize=2048)
def _switch(
    now: StyleParts | None, then: StyleParts, *, blank: bool
) -> tuple[StyleParts, str]:
    """Return the style after a switch, and the shortest sequence that switches to it.

    Only the background of a blank is visible: the other parts stay as they are.
    """
    if (
        now is not None
        and blank
        and not SEEN_ON_BLANKS & {*now.attributes, *then.attributes}
    ):
        then = now._replace(bg=then.bg)
    if now == then:
        return then, ""
    parts: list[str] = []
    if now is None or now.attributes != then.attributes:
        parts = ["0", *then.attributes]
        now = StyleParts(then.attributes, "", "")
    parts += [then.fg or "39"] if now.fg != then.fg else []
    parts += [then.bg or "49"] if now.bg != then.bg else []
    return then, f"\x1b[{';'.join(parts)}m"


# --- From changed rows to text --------------------------------------------------------


class Piece(NamedTuple):
    """Cells of a row in one style.

    Attributes:
        style: escape sequence that switches it on.
        y: row.
        x: column of the first cell.
        text: to print; empty: `erased` cells are erased.
        erased: how many cells are erased.
    """

    style: str
    y: int
    x: int
    text: str
    erased: int = 0


def render(rows: Iterable[ChangedRow], colours: str | None, *, erases: bool) -> str:
    """Return what to write so that the terminal shows the new rows; empty: nothing.

    Args:
        rows: in any order.
        colours: name of the terminal's colour system; None: no colours.
        erases: whether erased cells take the background colour.
    """
    all_erased: list[Piece] = []
    all_printed: list[Piece] = []
    for row in rows:
        x, old, new, narrow = _trimmed(row)
        erased, printed = _pieces(old, new, colours, narrow, erases)
        all_erased += [piece._replace(y=row.y, x=x + piece.x) for piece in erased]
        all_printed += [piece._replace(y=row.y, x=x + piece.x) for piece in printed]
    return _encode([*_sorted(all_erased), *_sorted(_restyled(all_printed))])


Segments = tuple[Segment, ...]


@lru_cache(maxsize=2048)
def _is_narrow(text: str) -> bool:
    return len(text) == cells(text)


def _trimmed(row: ChangedRow) -> tuple[int, Segments, Segments, bool]:
    """Drop the equal segments at both ends of a row.

    Returns:
        The first column that is left, the old and the new segments that are left, and
        whether each of their characters is one cell wide. If not, it is the whole row.
    """
    old, new = tuple(row.old), tuple(row.new)
    limit = min(len(old), len(new)) if row.old.cell_length == row.new.cell_length else 0
    x = first = last = 0
    while first < limit and old[first] == new[first] and _is_narrow(old[first].text):
        x += len(old[first].text)
        first += 1
    while last < limit - first and old[-1 - last] == new[-1 - last]:
        last += 1
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    if all(_is_narrow(segment.text) for segment in (*before, *after)):
        return row.x + x, before, after, True
    return row.x, old, new, False


@lru_cache(maxsize=1024)
def _pieces(
    old: Segments, new: Segments, colours: str | None, narrow: bool, erases: bool
) -> tuple[list[Piece], list[Piece]]:
    """Return what to erase and what to print, with columns from 0 and all rows 0.

    The rows of tiles differ in few places, so most calls are answered by the cache.
    """
    erased: list[Piece] = []
    printed: list[Piece] = []
    before, after = cells_of(old, colours), cells_of(new, colours)
    for start, end in _spans(before, after) if narrow else [(0, len(after))]:
        background = _background_of(after[start:end]) if erases else None
        if background is not None:
            erased.append(Piece(background, 0, start, "", end - start))
        printed += _cut(after, start, end, background, erases=erases)
    return erased, printed


def _sorted(pieces: Iterable[Piece]) -> list[Piece]:
    """Group pieces by background and then by style, each in order of appearance."""
    listed = list(pieces)
    backgrounds: dict[str, int] = {}
    styles: dict[str, int] = {}
    for piece in listed:
        backgrounds.setdefault(_parts(piece.style).bg, len(backgrounds))
        styles.setdefault(piece.style, len(styles))
    return sorted(
        listed, key=lambda one: (backgrounds[_parts(one.style).bg], styles[one.style])
    )


def _restyled(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Give blanks the style of a text in their row that has the same background.

    They look the same, and are then printed together with the text.
    """
    texts = {
        (piece.y, _parts(piece.style).bg): piece.style
        for piece in pieces
        if piece.text.strip(" ")
        and not SEEN_ON_BLANKS & {*_parts(piece.style).attributes}
    }
    for piece in pieces:
        style = texts.get((piece.y, _parts(piece.style).bg), piece.style)
        blank = not piece.text.strip(" ") and not _parts(piece.style).attributes
        yield piece._replace(style=style) if blank else piece


def _background_of(span: Sequence[Cell]) -> str | None:
    """Return the style in which to erase a whole span; None: too few blanks."""
    styles = Counter(cell.style for cell in span if cell.text == " ")
    style, count = next(iter(styles.most_common(1)), ("", 0))
    return style if count >= MIN_ERASED else None


def _spans(old: Sequence[Cell], new: Sequence[Cell]) -> list[tuple[int, int]]:
    """Return where two rows differ, as (first cell, cell after the last)."""
    if old == new:
        return []
    if len(old) != len(new):
        return [(0, len(new))]
    spans: list[tuple[int, int]] = []
    for at, (before, after) in enumerate(zip(old, new, strict=True)):
        if before == after:
            continue
        start, end = spans[-1] if spans else (0, -1 - MAX_GAP)
        near = 0 <= at - end <= MAX_GAP
        if near and (at == end or _same_style(new[end - 1 : at + 1])):
            spans[-1] = (start, at + 1)
        else:
            spans.append((at, at + 1))
    return spans


def _same_style(row: Sequence[Cell]) -> bool:
    return all(cell.style == row[0].style for cell in row)


def _cut(
    new: Sequence[Cell],
    start: int,
    end: int,
    background: str | None,
    *,
    erases: bool,
) -> Iterator[Piece]:
    """Cut a span into pieces of one style, without the blanks that are erased."""
    at = start
    while at < end:
        style, stop = new[at].style, at
        while stop < end and new[stop].style == style:
            stop += 1
        text = "".join(cell.text for cell in new[at:stop])
        blank = not text.strip(" ")
        if not blank or style != background:
            erased = len(text) if erases and blank and len(text) >= MIN_ERASED else 0
            yield Piece(style, 0, at, "" if erased else text, erased)
        at = stop


def _encode(pieces: Iterable[Piece]) -> str:
    out: list[str] = []
    now: StyleParts | None = None
    y, x = -1, -1
    for piece in pieces:
        out.append(_jump(y, x, piece))
        blank = bool(piece.erased) or not piece.text.strip(" ")
        now, switch = _switch(now, _parts(piece.style), blank=blank)
        out += [switch, f"\x1b[{piece.erased}X" if piece.erased else piece.text]
        y, x = piece.y, piece.x + (0 if piece.erased else cells(piece.text))
    return "".join([*out, "\x1b[0m"]) if out else ""


def _jump(y: int, x: int, piece: Piece) -> str:
    """Return the shortest sequence that moves the cursor to the start of a piece."""
    right, down = piece.x - x, piece.y - y
    if not right and not down:
        return ""
    if not down and right > 0:
        return f"\x1b[{right}C" if right > 1 else "\x1b[C"
    if not right and 0 < down <= MAX_DOWN and y >= 0:
        return "\v" * down
    return f"\x1b[{piece.y + 1};{piece.x + 1}H"
