"""Parts of all screens with boards: boards, panel, and the keys of pictures."""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Container

from sliderace.engine import Board
from sliderace.texts import text
from sliderace_client.shared_ui.render import Grid, Look, Row
from sliderace_client.tui.actions import WIDE, Action
from sliderace_client.tui.layout import Layout, Placed
from sliderace_client.tui.rows import text_row
from sliderace_client.tui.screens.screen import Program
from sliderace_client.tui.widgets import Boards, TextRows

__all__ = ["BoardArea", "picture_actions", "refuse_picture"]


class BoardArea(Container):
    """Boards, and a panel beside or below them.

    Args:
        on_press: called with the index of a board and the cell that was clicked.
        on_hover: called with the same when the pointer moves to another cell.

    Attributes:
        canvas: where boards are drawn.
        panel: clock, counts and lanes.
        division: how the space is divided.
    """

    DEFAULT_CSS = """
    BoardArea { height: 1fr; layout: vertical; }
    BoardArea.-wide { layout: horizontal; }
    BoardArea #panel { width: 1fr; height: 1fr; }
    BoardArea.-wide #panel { margin: 0 0 0 2; }
    """

    def __init__(
        self,
        on_press: Callable[[int, int], None],
        on_hover: Callable[[int, int], None],
    ) -> None:
        super().__init__(id="board_area")
        self.canvas = Boards(id="boards", on_press=on_press, on_hover=on_hover)
        self.panel = TextRows(id="panel")
        self.division = Layout(False, (0, 0), (0, 0))

    def compose(self) -> ComposeResult:  # noqa: D102
        yield self.canvas
        yield self.panel

    def divide(self, division: Layout) -> None:
        """Divide the space in another way."""
        if division != self.division:
            self.division = division
            self.set_class(division.wide, "-wide")
            self.canvas.styles.width, self.canvas.styles.height = division.board

    def show_one(
        self,
        board: Board,
        look: Look,
        card: Sequence[Row] = (),
        stamp: tuple[Row, ...] = (),
    ) -> None:
        """Show one board, as large as possible.

        Args:
            board: to show.
            look: colours.
            card: rows over the middle of it.
            stamp: see `Placed`.
        """
        columns, rows = self.division.board
        grid = Grid.fit(*board.size, columns, rows)
        if grid is None:
            self.canvas.show_message([text_row(text("tui.board.no_room"), look.bad)])
            return
        x, y = (columns - grid.columns) // 2, (rows - grid.rows) // 2
        placed = Placed(board.tiles, grid, x, y, stamp=stamp)
        self.canvas.show([placed], look, card)


PICTURE_ROWS = 18
"""In a lower terminal, a tile's one or two rows are too few for a picture."""


def refuse_picture(program: Program, key: str, rows: int) -> bool:
    """Say that a terminal of `rows` is too low for pictures, if `key` asks for one."""
    refused = key == "i" and rows < PICTURE_ROWS
    if refused:
        program.say(text("tui.picture.too_low", least=PICTURE_ROWS, rows=rows))
    return refused


def picture_actions(program: Program, columns: int, rows: int) -> list[Action]:
    """Return the keys of pictures: the next one, and numbers on it.

    In a terminal that is too low, the key says so; it has no label there if that
    would cost the lanes a row.
    """
    picture = program.look.picture
    if rows < PICTURE_ROWS and picture is None:
        refuse = Action(
            "i",
            text("tui.key.picture"),
            lambda: refuse_picture(program, "i", rows),
        )
        return [refuse] if columns >= WIDE else []
    if picture is None:
        return [Action("i", text("tui.key.picture"), program.next_picture)]
    hide, show = text("tui.key.no_numbers"), text("tui.key.numbers")
    return [
        Action("i", picture.name.rpartition("/")[2][:12], program.next_picture),
        Action(
            "m",
            hide if program.look.numbers else show,
            program.toggle_numbers,
            once=True,
        ),
    ]
