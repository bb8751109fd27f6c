"""One attempt at one board, alone: counted, timed, and with undo."""

from sliderace.engine import OPPOSITE, Board, Slide, measures
from sliderace.race.ranking import plausible
from sliderace.texts import text
from sliderace_client.line_ui.boards import Origin
from sliderace_client.shared_ui.wording import duration

__all__ = ["Practice"]


class Practice:
    """An attempt without a room. Its clock runs from the first slide.

    Args:
        board: to be solved.
        origin: where it comes from.

    Attributes:
        start: the board as it was.
        board: as it is now.
        slides: those that stand.
        undone: how many were undone.
    """

    __slots__ = ("_begun", "_end", "board", "origin", "slides", "start", "undone")

    def __init__(self, board: Board, origin: Origin) -> None:
        self.start = board.copy()
        self.board = board.copy()
        self.origin = origin
        self.slides: list[Slide] = []
        self.undone = 0
        self._begun: int | None = None
        self._end: int | None = None

    @property
    def stm(self) -> int:
        """Tiles moved; undone slides do not count."""
        return measures.stm(self.slides)

    @property
    def mtm(self) -> int:
        """Runs in one direction."""
        return measures.mtm(self.slides)

    def slide(self, slide: Slide, now: int) -> None:
        """Make a legal slide.

        Raises:
            IllegalSlide: it is not legal; nothing has changed.
        """
        self.board.slide(*slide)
        self.slides.append(slide)
        self._begun = now if self._begun is None else self._begun
        if self.board.is_solved:
            self._end = now

    def undo(self) -> bool:
        """Undo the last slide; return False if there is none."""
        if not self.slides:
            return False
        way, count = self.slides.pop()
        self.board.slide(OPPOSITE[way], count)
        self.undone += 1
        self._end = None
        return True

    def clock(self, now: int) -> int:
        """Return the ms since the first slide, or the time of the whole solve."""
        end = now if self._end is None else self._end
        return 0 if self._begun is None else end - self._begun

    def status(self, now: int) -> str:
        """Return moves and time so far, and how many slides were undone."""
        time = duration(self.clock(now))
        if self.undone:
            return text(
                "line.status_undone",
                stm=self.stm,
                mtm=self.mtm,
                time=time,
                undone=self.undone,
            )
        return text("line.status", stm=self.stm, mtm=self.mtm, time=time)

    def result(self, now: int) -> list[str]:
        """Return the figures of a finished attempt, one a line."""
        time = self.clock(now)
        tps = f"{self.stm * 1000 / time:.2f}" if plausible(time, self.stm) else "-"
        lines = [
            text("solo.moves", stm=self.stm, mtm=self.mtm),
            text("solo.time", time=duration(time)),
            text("solo.tps", tps=tps),
            text("solo.start_md", md=self.start.md),
        ]
        if self.undone:
            lines.append(text("solo.undone", undone=self.undone))
        if self.origin.mark:
            lines.append(text("solo.board", mark=self.origin.mark))
        return [*lines, text("solo.practice")]
