"""Solo: the same board, scramble and clock, without a room."""

import secrets
from collections.abc import Iterable

from textual.widget import Widget

from sliderace.engine import (
    Board,
    Direction,
    Size,
    format_board,
    parse_board,
    scramble,
    seed_from_text,
)
from sliderace_client.launch import Start
from sliderace_client.room.attempt import Attempt
from sliderace_client.shared_ui.render import Row, big_text
from sliderace_client.shared_ui.wording import duration
from sliderace_client.tui.actions import Action
from sliderace_client.tui.input import Hands
from sliderace_client.tui.layout import plan
from sliderace_client.tui.rows import clock_text, fitted, line, moves, tps
from sliderace_client.tui.screens.board_area import Table
from sliderace_client.tui.screens.screen import Page, picture_actions, picture_refused

__all__ = ["SoloPage"]

SIDES = range(3, 11)
"""Sizes that the keys step through; `--size` knows all."""
FAR = 2**53
"""The clock waits for the first slide; until then the attempt begins in the future."""


class SoloPage(Page):
    """One board after another.

    Args:
        start: size, seed or board of the first.
        warm: only until a race begins.
    """

    def __init__(self, start: Start, *, warm: bool = False) -> None:
        super().__init__()
        self._table = Table(self._press, self._hover)
        self._hands = Hands(self, self._cue)
        self._warm = warm
        self._best: dict[Size, int] = {}
        self._given = bool(start.board)  # maybe an easy one: it is nobody's best
        if start.board:
            self._begin(start.board, "a given board")
        else:
            self._scramble(Size.parse(start.size), start.seed)

    # --- Boards -----------------------------------------------------------------------

    def _scramble(self, size: Size, text: str = "") -> None:
        seed = seed_from_text(text) if text else secrets.token_bytes(32)
        self._given = False
        self._begin(format_board(scramble(seed, size)), f"seed {text or seed.hex()}")

    def _begin(self, board: str, source: str) -> None:
        self._start, self._source = board, source
        self._attempt = Attempt("SOLO", parse_board(board), FAR)
        self._begun = False

    def _new(self, sides: int = 0) -> None:
        size = self._attempt.board.size
        self._scramble(Size(sides, sides) if sides else size)
        self.update()

    def _again(self) -> None:
        self._begin(self._start, self._source)
        self.update()

    def _clock(self) -> int:
        attempt = self._attempt
        if not self._begun:
            return 0
        if attempt.board.is_solved:
            return attempt.slides[-1][2]
        return max(0, self.terminal.now() - attempt.zero)

    # --- What is shown ----------------------------------------------------------------

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._table

    def head(self) -> str:  # noqa: D102
        if self._table.plan.wide:
            what = "warm-up: the race comes by itself" if self._warm else "solo"
            return f"{what}, {self._attempt.board.size}"
        clock, stm = self._clock(), self._attempt.stm
        return f"{clock_text(clock)}  {moves(stm)}  {tps(stm, clock)} TPS"

    def update(self) -> None:  # noqa: D102
        rows, size = self.room_for_table(), self._attempt.board.size
        new = plan(size, self.size.width, rows, 1)
        self._table.divide(new)
        super().update()
        self._show_board()
        self._hands.tick(self.terminal.now())
        self._show_figures()

    def _show_figures(self) -> None:
        divided = self._table.plan
        width = divided.panel[0] - 1
        figures = self._figures(width) if divided.wide else [line(self._words())]
        self._table.panel.show(figures)

    def _show_board(self) -> None:
        self._table.show_one(self._attempt.board, self.look)

    def _figures(self, width: int) -> list[Row]:
        look, attempt, clock = self.look, self._attempt, self._clock()
        solved = attempt.board.is_solved
        colour = look.good if solved else look.ink
        text = duration(clock) if solved else clock_text(clock)
        rows = [line(row, colour, bold=True) for row in big_text(text)]
        counts = f"{moves(attempt.stm)}   {tps(attempt.stm, clock)} TPS"
        rows += [line(""), line(fitted(counts, width), look.ink)]
        rows.append(line(fitted(self._words(), width), look.soft))
        best = self._best.get(attempt.board.size)
        if best is not None:
            rows.append(line(fitted(f"best {duration(best)}", width), look.accent))
        return [*rows, line(""), line(fitted(self._source, width), look.soft)]

    def _words(self) -> str:
        if self._attempt.board.is_solved:
            return f"solved in {duration(self._clock())}"
        if self._hands.typed:
            return f"tile {self._hands.typed} ..."
        return "" if self._begun else "the first slide starts it"

    # --- What can be done -------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        side = max(self._attempt.board.size)
        larger, smaller = side + 1, side - 1
        todo = [
            Action("n", "new board", self._new, ("enter",)),
            Action("r", "this one again", self._again),
        ]
        if larger in SIDES:
            todo.append(Action("+", "larger", lambda: self._new(larger), ("=",)))
        if smaller in SIDES:
            todo.append(Action("-", "smaller", lambda: self._new(smaller)))
        todo += picture_actions(self.terminal)
        quit_ = self.terminal.pop_screen if self._warm else self.terminal.back
        return [
            *todo,
            Action("?", "help", lambda: self.terminal.help("solo")),
            Action("q", "back" if self._warm else "quit", quit_, ("escape",)),
        ]

    def first_key(self, key: str) -> bool:  # noqa: D102
        return self._hands.key(key, self.terminal.settings, self.terminal.now())

    def other_key(self, key: str) -> bool:  # noqa: D102
        return picture_refused(self.terminal, key)

    def _cue(self, text: str) -> None:
        self.terminal.cue(text)

    def _press(self, _board: int, cell: int) -> None:
        self._hands.cell(cell)

    def _hover(self, _board: int, cell: int) -> None:
        if self.terminal.settings.hover == "on":
            self._hands.cell(cell, quiet=True)

    def board(self) -> Board | None:
        """The board, while it can be played."""
        return None if self._attempt.board.is_solved else self._attempt.board

    def slide(self, direction: Direction, count: int) -> bool:
        """Slide; the first slide starts the clock."""
        attempt, now = self._attempt, self.terminal.now()
        if not self._begun and not attempt.board.is_solved:
            attempt.zero = now
        done = attempt.slide(direction, count, now)
        self._begun = self._begun or done
        if not self._begun:
            attempt.zero = FAR
        if attempt.board.is_solved and self._begun and not self._given:
            size, time = attempt.board.size, attempt.slides[-1][2]
            self._best[size] = min(time, self._best.get(size, time))
        with self.terminal.at_once():
            self._show_board()
            self._show_figures()
        return done
