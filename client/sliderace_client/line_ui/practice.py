"""One way through one board, alone: counted, timed, and with undo."""

from sliderace.engine import OPPOSITE, Board, Slide, measures
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
        undone: how many were taken back.
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
        """Tiles moved; what was undone does not count."""
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
        """Take back the last slide; False where there is none."""
        if not self.slides:
            return False
        way, count = self.slides.pop()
        self.board.slide(OPPOSITE[way], count)
        self.undone += 1
        self._end = None
        return True

    def clock(self, now: int) -> int:
        """Ms since the first slide, or the time of the whole solve."""
        end = now if self._end is None else self._end
        return 0 if self._begun is None else end - self._begun

    def status(self, now: int) -> str:
        """Moves and time so far, and whether any was taken back."""
        time = duration(self.clock(now))
        return f"Moves {self.stm} (MTM {self.mtm}), time {time}{self._marks()}"

    def _marks(self) -> str:
        return f", undone {self.undone}" if self.undone else ""

    def result(self, now: int) -> list[str]:
        """What a finished attempt was worth."""
        time = self.clock(now)
        tps = f"{self.stm * 1000 / time:.2f}" if time else "-"
        lines = [
            f"Moves: {self.stm} (MTM {self.mtm})",
            f"Time: {duration(time)}",
            f"TPS: {tps}",
            f"MD of the start: {self.start.md}",
        ]
        if self.undone:
            lines.append(f"Undone: {self.undone} (with undo it is practice, no record)")
        if self.origin.mark:
            lines.append(f"Board: {self.origin.mark}")
        return lines
