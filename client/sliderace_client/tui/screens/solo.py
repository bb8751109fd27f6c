"""Solo: the same board, scramble and clock, without a room."""

import secrets
from collections.abc import Callable, Iterable

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
from sliderace.texts import text
from sliderace_client.launch import Start
from sliderace_client.room.attempt import Attempt
from sliderace_client.shared_ui.render import Row, big_text
from sliderace_client.shared_ui.wording import duration
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.help import sliding_keys
from sliderace_client.tui.input import BoardInput
from sliderace_client.tui.layout import race_layout
from sliderace_client.tui.rows import clock_text, count_text, fitted, text_row
from sliderace_client.tui.screens.board_area import (
    BoardArea,
    picture_actions,
    refuse_picture,
)
from sliderace_client.tui.screens.screen import SLIP_MS, BaseScreen, Program

__all__ = ["SoloScreen"]

SIDES = range(3, 11)
"""Sizes that the keys step through; `--size` also accepts others."""
SEED_LETTERS, SEED_LENGTH = "abcdefghjkmnpqrstuvwxyz", 12
"""A seed that fits on the screen and can be typed; no letter looks like another. There
are 2 * 10^16 of them, more than boards of 4x4."""
NOT_STARTED = 2**53
"""Start of an attempt whose clock does not run yet: far in the future."""


class SoloScreen(BaseScreen):
    """One board after another; the first slide starts the clock.

    Args:
        program: shows this screen.
        start: size, seed or board of the first attempt.
        warm_up: only until a race begins; it returns in a few words when that is, or
            an empty text. None: this is no warm-up.
    """

    def __init__(
        self,
        program: Program,
        start: Start,
        *,
        warm_up: Callable[[], str] | None = None,
    ) -> None:
        super().__init__(program)
        self._area = BoardArea(self._press, self._hover)
        self._input = BoardInput(self, program.hint)
        self._warm_up = warm_up
        self._best: dict[Size, int] = {}
        self._is_given = bool(
            start.board
        )  # the board may be easy, so the time does not count as a best
        if start.board:
            self._begin(start.board, text("solo.given"))
        else:
            self._scramble(Size.parse(start.size), start.seed)

    # --- Attempts ---------------------------------------------------------------------

    def _scramble(self, size: Size, seed_text: str = "") -> None:
        """Begin with the board of a seed; an empty one: a random seed."""
        seed_text = seed_text or "".join(
            secrets.choice(SEED_LETTERS) for _ in range(SEED_LENGTH)
        )
        self._is_given = False
        source = text("tui.solo.seed", seed=seed_text)
        seed = seed_from_text(seed_text)
        self._begin(format_board(scramble(seed, size)), source)

    def _begin(self, board: str, source: str) -> None:
        self._start, self._source = board, source
        self._attempt = Attempt("SOLO", parse_board(board), NOT_STARTED)
        self._started = False
        self._undone = 0

    def _new(self, sides: int = 0) -> None:
        size = self._attempt.board.size
        self._scramble(Size(sides, sides) if sides else size)
        self.update()

    def _again(self) -> None:
        self._begin(self._start, self._source)
        self.update()

    def _undo(self) -> None:
        """Take the last slide back; the attempt is then no record."""
        before = self._attempt
        if not before.slides or before.board.is_solved:
            self.program.hint(text("solo.nothing_to_undo"))
            return
        self._attempt = Attempt("SOLO", parse_board(self._start), before.zero)
        for way, count, at in before.slides[:-1]:
            self._attempt.slide(way, count, before.zero + at)
        self._undone += 1
        self.program.hint(text("solo.undone", undone=self._undone))
        self.update()

    def _clock(self) -> int:
        attempt = self._attempt
        if not self._started:
            return 0
        if attempt.board.is_solved:
            return attempt.slides[-1][2]
        return max(0, self.program.now() - attempt.zero)

    # --- Display ----------------------------------------------------------------------

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._area

    def head(self) -> str:  # noqa: D102
        if self._area.division.wide:
            size = self._attempt.board.size
            if self._warm_up is not None:
                return self._warm_up() or text("tui.solo.warm_up_head", size=size)
            return text("tui.solo.head", size=size)
        clock = self._clock()
        return f"{clock_text(clock)}  {count_text(self._attempt.stm, clock)}"

    def update(self) -> None:  # noqa: D102
        rows, size = self.body_height(), self._attempt.board.size
        self._area.divide(race_layout(size, self.size.width, rows, 1))
        super().update()
        self._show_board()
        self._input.tick(self.program.now())
        self._show_panel()

    def _show_board(self) -> None:
        self._area.show_one(self._attempt.board, self.look)

    def _show_panel(self) -> None:
        division = self._area.division
        width = division.panel[0] - 1
        rows = self._figures(width) if division.wide else [self._state_row()]
        self._area.panel.show(rows)

    def _figures(self, width: int) -> list[Row]:
        look, attempt, clock = self.look, self._attempt, self._clock()
        solved = attempt.board.is_solved
        colour = look.good if solved else look.ink
        large = duration(clock) if solved else clock_text(clock)
        rows = [text_row(row, colour, bold=True) for row in big_text(large)]
        counts = fitted(count_text(attempt.stm, clock), width)
        rows += [text_row(""), text_row(counts, look.ink)]
        rows.append(text_row(fitted(self._state_text(), width), look.soft))
        best = self._best.get(attempt.board.size)
        if best is not None:
            best_text = text("tui.solo.best", time=duration(best))
            rows.append(text_row(fitted(best_text, width), look.accent))
        if not self._started:
            keys = sliding_keys(self.program.settings)
            how = text("tui.race.keys", keys=keys)
            rows.append(text_row(fitted(how, width), look.soft))
        return [*rows, text_row(""), text_row(fitted(self._source, width), look.soft)]

    def _state_row(self) -> Row:
        """Return the one row of a narrow screen."""
        left = self._warm_up() if self._warm_up is not None else ""
        return text_row(left or self._state_text())

    def _state_text(self) -> str:
        if self._attempt.board.is_solved:
            return text("tui.race.solved", time=duration(self._clock()))
        if self._input.pending:
            return text("tui.input.pending", digits=self._input.pending)
        return "" if self._started else text("tui.solo.not_started")

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        program = self.program
        larger, smaller = (max(self._attempt.board.size) + step for step in (1, -1))
        actions = [
            Action("n", text("tui.key.new_board"), self._new, ("enter",)),
            Action("r", text("tui.key.again"), self._again),
        ]
        if larger in SIDES:
            label = text("tui.key.larger")
            actions.append(Action("+", label, lambda: self._new(larger), ("=",)))
        if smaller in SIDES:
            label = text("tui.key.smaller")
            actions.append(Action("-", label, lambda: self._new(smaller)))
        actions += picture_actions(program, *self.size)
        escape = () if self.plays else ("escape",)
        return [
            *actions,
            Action("?", text("tui.key.help"), lambda: program.show_help("solo")),
            self._leaving("q", escape),
        ]

    def _leaving(self, key: str, also: tuple[str, ...] = ()) -> Action:
        if self._warm_up is not None:
            return Action(
                key,
                text("tui.key.back"),
                lambda: self.program.close_screen(self),
                also,
            )
        return Action(key, text("tui.key.quit"), self.program.back, also)

    @property
    def plays(self) -> bool:  # noqa: D102
        return self.board() is not None

    def first_key(self, key: str) -> bool:  # noqa: D102
        return self._input.key(key, self.program.settings, self.program.now())

    def other_key(self, key: str) -> bool:  # noqa: D102
        if key == "escape":  # perhaps half an arrow key, so ask
            question = text("tui.solo.stop_question")
            self.ask(question, self._leaving("y"), no=text("tui.key.play_on"))
            return True
        if key in ("u", "backspace"):
            self._undo()
            return True
        return refuse_picture(self.program, key, self.size.height)

    def _press(self, _board: int, cell: int) -> None:
        self._input.click(cell)

    def _hover(self, _board: int, cell: int) -> None:
        if self.program.settings.hover == "on":
            self._input.hover(cell)

    def board(self) -> Board | None:
        """Return the board, while it can be played."""
        return None if self._attempt.board.is_solved else self._attempt.board

    def slide(self, direction: Direction, count: int) -> bool:
        """Slide, and paint it at once; return False if that is not possible."""
        attempt, now = self._attempt, self.program.now()
        if not self._started and not attempt.board.is_solved:
            attempt.zero = now
        done = attempt.slide(direction, count, now)
        self._started = self._started or done
        if not self._started:
            attempt.zero = NOT_STARTED
        if done:
            self.program.played(SLIP_MS, by_number=self._input.by_number)
        counts = not self._is_given and not self._undone
        if attempt.board.is_solved and self._started and counts:
            size, time = attempt.board.size, attempt.slides[-1][2]
            self._best[size] = min(time, self._best.get(size, time))
        with self.program.terminal_diff.batch():
            self._show_board()
            self._show_panel()
        return done
