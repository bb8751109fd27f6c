"""The table: the canvas with one board or several, and the panel beside or below it."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Container

from sliderace.engine import Board
from sliderace_client.shared_ui.render import Grid, Look
from sliderace_client.tui.layout import Placed, Plan
from sliderace_client.tui.rows import line
from sliderace_client.tui.widgets import Boards, Lines

__all__ = ["Table"]


class Table(Container):
    """Canvas and panel, divided as a plan says.

    Args:
        on_press: called with the index of a board and the cell that was clicked.
        on_hover: the same for the cell that the pointer has come to.

    Attributes:
        canvas: where boards are drawn.
        panel: clock, counts and lanes.
        plan: how the space is divided.
    """

    DEFAULT_CSS = """
    Table { height: 1fr; layout: vertical; }
    Table.-wide { layout: horizontal; }
    Table #panel { width: 1fr; height: 1fr; }
    Table.-wide #panel { margin: 1 0 0 2; }
    """

    def __init__(
        self,
        on_press: Callable[[int, int], None],
        on_hover: Callable[[int, int], None],
    ) -> None:
        super().__init__(id="table")
        self.canvas = Boards(id="boards", on_press=on_press, on_hover=on_hover)
        self.panel = Lines(id="panel")
        self.plan = Plan(False, (0, 0), (0, 0))

    def compose(self) -> ComposeResult:  # noqa: D102
        yield self.canvas
        yield self.panel

    def divide(self, plan: Plan) -> None:
        """Divide the space anew, if the plan is another."""
        if plan != self.plan:
            self.plan = plan
            self.set_class(plan.wide, "-wide")
            self.canvas.styles.width, self.canvas.styles.height = plan.board

    def show_one(self, board: Board, look: Look) -> None:
        """Show one board as large as it fits."""
        columns, rows = self.plan.board
        grid = Grid.fit(*board.size, columns, rows)
        if grid is None:
            self.canvas.announce([line("no room for the board", look.bad)])
            return
        x, y = (columns - grid.columns) // 2, (rows - grid.rows) // 2
        self.canvas.show([Placed(board.tiles, grid, x, y)], look)
