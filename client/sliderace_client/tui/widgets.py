"""The two Line-API widgets that everything on the screen is drawn with.

Both take plain rows or tiles from `shared_ui.render`, remember what they drew
and ask Textual to repaint only what differs. No text ever goes through markup.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from rich.segment import Segment
from rich.style import Style
from textual.events import Click, MouseMove
from textual.filter import ANSIToTruecolor
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from sliderace.protocol.names import cells
from sliderace_client.shared_ui.render import Grid, Look, Paint, Row, Run, tile_rows
from sliderace_client.tui.layout import Placed, differences
from sliderace_client.tui.terminal_io.diff import Touched

if TYPE_CHECKING:
    from sliderace_client.tui.base_app import Shell

__all__ = ["Boards", "Drawn", "Lines", "strip_of"]

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
    )


@lru_cache(maxsize=4096)
def strip_of(row: Row, base: Style) -> Strip:
    """One row for the screen. Control characters cannot pass: names are hostile.

    Args:
        row: what to show.
        base: what holds where a paint says nothing.
    """
    return Strip(
        Segment(run.text.translate(_VISIBLE), base + _style(run.paint)) for run in row
    )


class Drawn(Widget):
    """A widget that draws line by line, and paints what differs at once.

    The library would paint whole rows, in its next frame: some 16 ms later.
    """

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._drawn: dict[int, Strip] = {}
        self._drawn_for: tuple[Size, str] = (Size(), "")
        self.width = 0
        self.base = Style()

    def render_lines(self, crop: Region) -> list[Strip]:  # noqa: D102
        # Not the library's: its cache would not know what we painted past it.
        lines = self.lines(crop.line_range)
        blank = Strip.blank(self.width, self.base)
        return [lines.get(y, blank).crop(crop.x, crop.right) for y in crop.line_range]

    @property
    def _program(self) -> "Shell":
        return cast("Shell", self.app)  # pyright: ignore[reportUnknownMemberType] - theirs

    def forget(self, rows: Iterable[int]) -> None:
        """These lines are others now."""
        for y in rows:
            self._drawn.pop(y, None)

    def forget_all(self) -> None:
        """Every line is another one now."""
        self._drawn.clear()

    def lines(self, rows: Iterable[int]) -> dict[int, Strip]:
        """Those lines that are on the screen, as they go to the terminal.

        They are kept until they are forgotten. `width` and `base` (what holds where a
        paint says nothing) are asked for once: the library takes its time.
        """
        drawn_for = (self.size, self._program.theme)
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
            # That one costs much, and ours are no such colours.
            if not isinstance(each, ANSIToTruecolor):
                strip = strip.apply_filter(each, self.background_colors[1])
        return strip

    def repaint_lines(self, before: Mapping[int, Strip]) -> None:
        """Paint lines that may have changed, where `before` is what they were."""
        if not self._can_paint():
            self.refresh(*(Region(0, y, self.size.width, 1) for y in before))
            return
        x, top, _, _ = self.region
        after = self.lines(before)
        self._program.draw(
            Touched(x, top + y, before[y], new) for y, new in after.items()
        )

    def _can_paint(self) -> bool:
        """Whether to paint at once; else the library had better do it."""
        screen, program = self.screen, self._program
        waits = screen._layout_required  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        return program.pen is not None and not waits and screen is program.screen


class Lines(Drawn):
    """Rows of text; only rows that differ are painted again.

    Args:
        on_pick: called with the row and the column of a click.
    """

    DEFAULT_CSS = "Lines { height: auto; width: 1fr; }"

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - Textual's own name for it
        on_pick: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(id=id)
        self._rows: tuple[Row, ...] = ()
        self._on_pick = on_pick

    @property
    def plain(self) -> str:
        """What is shown, without its paint."""
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
        before = self.lines(changed)
        self._rows = new
        self.forget(changed)
        if before:
            self.repaint_lines(before)

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
    """One line of one row of tiles; the cache makes an unchanged row free."""
    runs = [run for tile in tiles for run in tile_rows(tile, grid, look)[line]]
    edge = Run(" " * grid.edge, Paint(bg=look.well))
    return strip_of((edge, *runs) if grid.edge else tuple(runs), base)


class Boards(Drawn):
    """One board or several, each with a caption; only changed cells are painted again.

    Args:
        on_press: called with the index of a board and the cell that was clicked.
        on_hover: the same for the cell that the pointer has come to.
    """

    DEFAULT_CSS = "Boards { width: 1fr; height: 1fr; }"

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - Textual's own name for it
        on_press: Callable[[int, int], None] | None = None,
        on_hover: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(id=id)
        self._on_hover = on_hover
        self._under: tuple[int, int] | None = None
        self._placed: tuple[Placed, ...] = ()
        self._banner: tuple[Row, ...] = ()
        self._look = Look()
        self._on_press = on_press

    @property
    def placed(self) -> tuple[Placed, ...]:
        """The boards as they are shown."""
        return self._placed

    def show(self, placed: Sequence[Placed], look: Look) -> None:
        """Show these boards instead."""
        new = tuple(placed)
        same = look == self._look and not self._banner
        dirty = differences(self._placed, new) if same else None
        rows = {y for box in dirty or () for y in range(box.y, box.y + box.height)}
        before = self.lines(sorted(rows))
        self._look, self._banner, self._placed = look, (), new
        self.forget(rows)
        if dirty is None:
            self.forget_all()
            self.refresh()
        elif before:
            self.repaint_lines(before)

    def announce(self, rows: Sequence[Row]) -> None:
        """Show rows in the middle of the canvas, and no boards."""
        if self._placed or self._banner != tuple(rows):
            self._placed, self._banner = (), tuple(rows)
            self.forget_all()
            self.refresh()

    @property
    def banner(self) -> str:
        """What is announced, without its paint."""
        return "\n".join("".join(run.text for run in row) for row in self._banner)

    def render_line(self, y: int) -> Strip:  # noqa: D102
        width, base = self.width, self.base
        if self._banner:
            row = y - (self.size.height - len(self._banner)) // 2
            if not 0 <= row < len(self._banner):
                return Strip.blank(width, base)
            strip = strip_of(self._banner[row], base)
            left = max(0, (width - strip.cell_length) // 2)
            return self._line([(left, strip)])
        parts = [
            (board.x, part)
            for board in self._placed
            if (part := self._strip(board, y - board.y)) is not None
        ]
        return self._line(sorted(parts, key=lambda part: part[0]))

    def _strip(self, board: Placed, y: int) -> Strip | None:
        grid, look, base = board.grid, self._look, self.base
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
        return _board_row(tiles, line, grid, look, base)

    def _line(self, parts: Sequence[tuple[int, Strip]]) -> Strip:
        base, width, at = self.base, self.width, 0
        found: list[Segment] = []
        for x, strip in parts:
            if x > at:
                found.append(Segment(" " * (x - at), base))
            found += strip
            at = max(at, x) + strip.cell_length
        if at < width:
            found.append(Segment(" " * (width - at), base))
        line = Strip(found, max(at, width))
        return line if at <= width else line.adjust_cell_length(width, base)

    def on_click(self, event: Click) -> None:  # noqa: D102
        under = self._at(event.x, event.y)
        if under is not None and self._on_press is not None:
            self._on_press(*under)

    def on_mouse_move(self, event: MouseMove) -> None:  # noqa: D102
        before, self._under = self._under, self._at(event.x, event.y)
        if self._under and self._under != before and self._on_hover:
            self._on_hover(*self._under)

    def on_leave(self) -> None:  # noqa: D102
        self._under = None

    def _at(self, x: int, y: int) -> tuple[int, int] | None:
        """Index of the board and the cell at a point of the canvas."""
        for index, board in enumerate(self._placed):
            cell = board.grid.cell_at(x - board.x, y - board.y)
            if cell is not None:
                return index, cell
        return None
