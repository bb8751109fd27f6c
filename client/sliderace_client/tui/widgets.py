"""The two widgets that draw everything on the screen: `TextRows` and `Boards`.

Both take plain rows or tiles (see `shared_ui.render`), remember what they drew, and
paint only what changed. No text is ever parsed as markup.

The library paints an update with its next frame, about 16 ms later, and writes whole
rows. `DirectWidget` therefore compares the rows that it drew before and after a change
and passes them to `TerminalDiff`. For a new screen or a resize, the library still asks
for rows; both use the same cache of drawn rows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol, cast

from rich.segment import Segment
from rich.style import Style
from textual.events import Click, MouseMove
from textual.filter import ANSIToTruecolor
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from sliderace.protocol.names import cells
from sliderace_client.shared_ui.render import (
    Grid,
    Look,
    Paint,
    Row,
    Run,
    faint,
    tile_rows,
)
from sliderace_client.tui.layout import Placed, changed_boxes
from sliderace_client.tui.terminal_io.diff import ChangedRow, TerminalDiff

__all__ = ["Boards", "DirectWidget", "TextRows", "strip_of"]

_VISIBLE = str.maketrans(
    dict.fromkeys((*range(32), *range(127, 160)), "\N{REPLACEMENT CHARACTER}")
)


@lru_cache(maxsize=1024)
def _style(paint: Paint) -> Style:
    return Style(
        color=paint.fg or None,
        bgcolor=paint.bg or None,
        bold=paint.bold or None,
        reverse=paint.reverse or None,
        underline=paint.underline or None,
    )


@lru_cache(maxsize=4096)
def strip_of(row: Row, base: Style) -> Strip:
    """Return a row as the library draws it, without control characters.

    Names come from other people, so their text may be hostile.

    Args:
        row: what to show.
        base: style wherever a paint sets nothing.
    """
    return Strip(
        Segment(run.text.translate(_VISIBLE), base + _style(run.paint)) for run in row
    )


class WidgetApp(Protocol):
    """The part of the app that the widgets use."""

    theme: str
    terminal_diff: TerminalDiff

    @property
    def screen(self) -> Screen[object]:
        """The screen on top."""
        ...


class DirectWidget(Widget):
    """A widget that draws row by row and paints changed rows at once."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._drawn: dict[int, Strip] = {}
        self._drawn_for: tuple[Size, str] = (Size(), "")
        self.width = 0
        self.base = Style()

    def render_lines(self, crop: Region) -> list[Strip]:  # noqa: D102
        # The library's own cache does not know of rows painted without it.
        rows = self.drawn(crop.line_range)
        blank = Strip.blank(self.width, self.base)
        return [rows.get(y, blank).crop(crop.x, crop.right) for y in crop.line_range]

    @property
    def _owner(self) -> WidgetApp:
        return cast("WidgetApp", self.app)  # pyright: ignore[reportUnknownMemberType] - theirs

    def forget(self, rows: Iterable[int]) -> None:
        """Forget these drawn rows, so that they are redrawn when needed."""
        for y in rows:
            self._drawn.pop(y, None)

    def forget_all(self) -> None:
        """Forget all drawn rows, so that they are redrawn when needed."""
        self._drawn.clear()

    def drawn(self, rows: Iterable[int]) -> dict[int, Strip]:
        """Return those of these rows that are inside the widget, fully styled.

        They are kept until they are forgotten. `width` and `base` are read only when
        the size or the theme has changed: the library takes long to compute them.
        """
        drawn_for = (self.size, self._owner.theme)
        if drawn_for != self._drawn_for:
            self._drawn, self._drawn_for = {}, drawn_for
            self.width, self.base = self.size.width, self.rich_style
        found: dict[int, Strip] = {}
        for y in rows:
            if y < drawn_for[0].height:
                if y not in self._drawn:
                    self._drawn[y] = self._filtered(self.render_line(y))
                found[y] = self._drawn[y]
        return found

    def _filtered(self, strip: Strip) -> Strip:
        for each in self.get_line_filters():
            # This one is slow, and there are no ANSI colours to convert here.
            if not isinstance(each, ANSIToTruecolor):
                strip = strip.apply_filter(each, self.background_colors[1])
        return strip

    def paint_changes(self, before: Mapping[int, Strip]) -> None:
        """Paint rows that may have changed.

        Args:
            before: what the terminal shows of them.
        """
        if not self._can_paint():
            self.refresh(*(Region(0, y, self.size.width, 1) for y in before))
            return
        x, top, _, _ = self.region
        after = self.drawn(before)
        self._owner.terminal_diff.paint(
            ChangedRow(x, top + y, before[y], new) for y, new in after.items()
        )

    def _can_paint(self) -> bool:
        """Whether this widget is where the last layout put it, and on top."""
        screen, owner = self.screen, self._owner
        outdated = screen._layout_required  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        return owner.terminal_diff.connected and not outdated and screen is owner.screen


class TextRows(DirectWidget):
    """Rows of text.

    Args:
        on_pick: called with the row and the column of a click.
    """

    DEFAULT_CSS = "TextRows { height: auto; width: 1fr; }"

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
        on_pick: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(id=id)
        self._rows: tuple[Row, ...] = ()
        self._on_pick = on_pick

    @property
    def plain(self) -> str:
        """The text without its paint."""
        return "\n".join("".join(run.text for run in row) for row in self._rows)

    def show(self, rows: Sequence[Row]) -> None:
        """Show these rows instead."""
        old, new = self._rows, tuple(rows)
        if len(old) != len(new):
            self._rows = new
            self.forget_all()
            self.refresh(layout=True)
            return
        changed = [y for y, row in enumerate(new) if row != old[y]]
        before = self.drawn(changed)
        self._rows = new
        self.forget(changed)
        if before:
            self.paint_changes(before)

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002, D102
        lengths = (cells("".join(run.text for run in row)) for row in self._rows)
        return max(lengths, default=0)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002, D102
        return len(self._rows)

    def render_line(self, y: int) -> Strip:  # noqa: D102
        width, base = self.width, self.base
        if y >= len(self._rows):
            return Strip.blank(width, base)
        return strip_of(self._rows[y], base).adjust_cell_length(width, base)

    def on_click(self, event: Click) -> None:  # noqa: D102
        if self._on_pick is not None:
            self._on_pick(event.y, event.x)


@lru_cache(maxsize=4096)
def _board_row(
    tiles: tuple[int, ...],
    line: int,
    grid: Grid,
    look: Look,
    base: Style,
) -> Strip:
    """Return one screen row of one row of tiles, cached while it does not change."""
    runs = [run for tile in tiles for run in tile_rows(tile, grid, look)[line]]
    edge = Run(" " * grid.edge, Paint(bg=look.well))
    return strip_of((edge, *runs) if grid.edge else tuple(runs), base)


class Boards(DirectWidget):
    """One board or several with captions, or a message in place of them.

    Args:
        on_press: called with the index of a board and the cell that was clicked.
        on_hover: called with the same when the pointer moves to another cell.
    """

    DEFAULT_CSS = "Boards { width: 1fr; height: 1fr; }"

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
        on_press: Callable[[int, int], None] | None = None,
        on_hover: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(id=id)
        self._on_hover = on_hover
        self._hovered: tuple[int, int] | None = None
        self._placed: tuple[Placed, ...] = ()
        self._message: tuple[Row, ...] = ()
        self._card: tuple[Row, ...] = ()
        self._look = Look()
        self._on_press = on_press

    @property
    def placed(self) -> tuple[Placed, ...]:
        """The boards that are shown."""
        return self._placed

    def show(
        self, placed: Sequence[Placed], look: Look, card: Sequence[Row] = ()
    ) -> None:
        """Show these boards instead.

        Args:
            placed: the boards.
            look: colours.
            card: rows of one width, in the middle and over the boards.
        """
        new = tuple(placed)
        same = look == self._look and not self._message and self._card == tuple(card)
        self._card = tuple(card)
        boxes = changed_boxes(self._placed, new) if same else None
        rows = {y for box in boxes or () for y in range(box.y, box.y + box.height)}
        before = self.drawn(sorted(rows))
        self._look, self._message, self._placed = look, (), new
        self.forget(rows)
        if boxes is None:
            self.forget_all()
            self.refresh()
        elif before:
            self.paint_changes(before)

    def show_message(self, rows: Sequence[Row]) -> None:
        """Show rows in the middle, and no boards."""
        if self._placed or self._message != tuple(rows):
            self._placed, self._card, self._message = (), (), tuple(rows)
            self.forget_all()
            self.refresh()

    @property
    def message(self) -> str:
        """The message without its paint."""
        return "\n".join("".join(run.text for run in row) for row in self._message)

    def render_line(self, y: int) -> Strip:  # noqa: D102
        width, base = self.width, self.base
        if self._message:
            row = y - (self.size.height - len(self._message)) // 2
            if not 0 <= row < len(self._message):
                return Strip.blank(width, base)
            strip = strip_of(self._message[row], base)
            left = max(0, (width - strip.cell_length) // 2)
            return self._joined([(left, strip)])
        parts = [
            (board.x, part)
            for board in self._placed
            if (part := self._strip(board, y - board.y)) is not None
        ]
        drawn = self._joined(sorted(parts, key=lambda part: part[0]))
        return self._with_card(drawn, y)

    def _with_card(self, row: Strip, y: int) -> Strip:
        """Return a row with its part of the card."""
        at = y - (self.size.height - len(self._card)) // 2
        return self._covered(row, self._card, at)

    def _covered(self, row: Strip, card: Sequence[Row], at: int) -> Strip:
        """Return a row of cells with one row of a card over its middle."""
        if not 0 <= at < len(card):
            return row
        part = strip_of(card[at], self.base)
        left = max(0, (row.cell_length - part.cell_length) // 2)
        right = row.crop(left + part.cell_length, row.cell_length)
        return Strip.join([row.crop(0, left), part, right])

    def _strip(self, board: Placed, y: int) -> Strip | None:
        """Return the part of a board (or its caption) in one of its rows."""
        grid, base = board.grid, self.base
        look = faint(self._look) if board.stamp else self._look
        if y == -1 and board.caption:
            return strip_of(board.caption, base)
        if not 0 <= y < grid.rows:
            return None
        if y < grid.edge:
            if look.mono:
                return None
            return strip_of(
                (Run("▄" * grid.columns, Paint(look.well, look.ground)),), base
            )
        row, line = divmod(y - grid.edge, grid.tile_h)
        tiles = board.tiles[row * grid.width : (row + 1) * grid.width]
        drawn = _board_row(tiles, line, grid, look, base)
        at = y - (grid.rows - len(board.stamp)) // 2
        return self._covered(drawn, board.stamp, at)

    def _joined(self, parts: Sequence[tuple[int, Strip]]) -> Strip:
        """Return a whole row; each part starts at its column."""
        base, width, at = self.base, self.width, 0
        found: list[Segment] = []
        for x, strip in parts:
            if x > at:
                found.append(Segment(" " * (x - at), base))
            found += strip
            at = max(at, x) + strip.cell_length
        if at < width:
            found.append(Segment(" " * (width - at), base))
        row = Strip(found, max(at, width))
        return row if at <= width else row.adjust_cell_length(width, base)

    def on_click(self, event: Click) -> None:  # noqa: D102
        cell = self._cell_at(event.x, event.y)
        if cell is not None and self._on_press is not None:
            self._on_press(*cell)

    def on_mouse_move(self, event: MouseMove) -> None:  # noqa: D102
        before, self._hovered = self._hovered, self._cell_at(event.x, event.y)
        if self._hovered and self._hovered != before and self._on_hover:
            self._on_hover(*self._hovered)

    def on_leave(self) -> None:  # noqa: D102
        self._hovered = None

    def _cell_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the index of a board and the cell at a point; None: none there."""
        for index, board in enumerate(self._placed):
            cell = board.grid.cell_at(x - board.x, y - board.y)
            if cell is not None:
                return index, cell
        return None
