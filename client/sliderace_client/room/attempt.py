"""One's own way through one scramble: predicted at once, kept until the race is over.

Slides are numbered 1, 2, 3 ... What the server says about the board after slide n
decides: where the own board after n is the same, everything later still stands.
"""

from collections.abc import Iterator

from sliderace.engine import Board, Direction, measures
from sliderace.protocol.messages import Slide

__all__ = ["Attempt"]


class Attempt:
    """The own attempt.

    Args:
        race: id of the race.
        board: the board after slide `seq`.
        zero: instant (ms) from which its clock counts; no slide before it.
        seq: number of the last slide made before.
        stm: tiles moved before.
        approx: its clock was taken from a snapshot, not from the paint.

    Attributes:
        board: the predicted board.
        slides: those after number `base`, as they are sent.
        best_md: the least Manhattan distance reached, as far as known here.
        sent: number of the last slide handed to the socket.
        acked: number of the last durable slide.
        over: the server said that this attempt has ended.
    """

    __slots__ = (
        "_origin",
        "_painted",
        "_stm",
        "_tiles",
        "acked",
        "approx",
        "base",
        "best_md",
        "board",
        "over",
        "race",
        "sent",
        "slides",
        "zero",
    )

    def __init__(
        self,
        race: str,
        board: Board,
        zero: int,
        *,
        seq: int = 0,
        stm: int = 0,
        approx: bool = False,
    ) -> None:
        self.race = race
        self.zero = zero
        self.approx = approx
        self._painted = approx
        self.over = False
        self._begin(seq, board, stm)

    def _begin(self, seq: int, board: Board, stm: int) -> None:
        """Know nothing but the board after `seq`."""
        self.base = self.sent = self.acked = seq
        self._origin = board.copy()
        self._stm = stm
        self._set(board, [])

    def _set(self, board: Board, slides: list[Slide]) -> None:
        """Be at `board`, which `slides` lead to from the origin."""
        self.board = board.copy()
        self.slides = slides
        self._tiles = sum(count for _, count, _ in slides)
        self.best_md = min(self._reached(slides))

    def _reached(self, slides: list[Slide]) -> Iterator[int]:
        """The Manhattan distances along the way."""
        board = self._origin.copy()
        yield board.md
        for direction, count, _ in slides:
            board.slide(direction, count)
            yield board.md

    @property
    def seq(self) -> int:
        """Number of the last slide made."""
        return self.base + len(self.slides)

    @property
    def stm(self) -> int:
        """Tiles moved, as far as known here."""
        return self._stm + self._tiles

    @property
    def mtm(self) -> int:
        """Runs in one direction, as far as known here."""
        return measures.mtm((way, count) for way, count, _ in self.slides)

    @property
    def unsent(self) -> list[Slide]:
        """Slides not yet handed to the socket; none once it is over."""
        return [] if self.over else self.slides[self.sent - self.base :]

    @property
    def playing(self) -> bool:
        """Whether further slides could count."""
        return not self.over and not self.board.is_solved

    def locked(self, now: int) -> int:
        """Ms until the board is unlocked; 0 when it is."""
        return max(0, self.zero - now)

    def paint(self, now: int, inspection: int) -> None:
        """The board is on the screen: its clock counts from here; the first call only.

        Args:
            now: instant of the paint in ms.
            inspection: how long the painted board stays locked, in ms.
        """
        if not self._painted and not self.slides:
            self.zero = now + inspection
        self._painted = True

    def slide(self, direction: Direction, count: int, now: int) -> bool:
        """Slide at once, before the server knows; False where that is not possible."""
        if not self.playing or self.locked(now):
            return False
        if not self.board.try_slide(direction, count):
            return False
        self._made((direction, count, now - self.zero))
        return True

    def _made(self, slide: Slide) -> None:
        self.slides.append(slide)
        self._tiles += slide[1]
        self.best_md = min(self.best_md, self.board.md)

    def after(self, seq: int) -> Board | None:
        """The own board after slide `seq`; None where that is not known."""
        if not self.base <= seq <= self.seq:
            return None
        board = self._origin.copy()
        for direction, count, _ in self.slides[: seq - self.base]:
            board.slide(direction, count)
        return board

    def reconcile(self, seq: int, board: Board, stm: int = 0) -> bool:
        """Hear from the server what the board is after slide `seq`.

        Where the own one is the same, everything stands; else the server's is taken
        and the slides made since are gone.

        Returns:
            Whether everything stands.
        """
        if self.after(seq) == board:
            return True
        self._begin(seq, board, stm)
        return False

    def count_from(self, seq: int, stm: int) -> None:
        """Hear how many tiles had been moved after slide `seq`, which we know."""
        known = sum(count for _, count, _ in self.slides[: seq - self.base])
        self._stm = stm - known

    def ack(self, seq: int) -> None:
        """The server has stored everything up to `seq`."""
        self.acked = max(self.acked, min(seq, self.sent))

    def resend(self, seq: int) -> None:
        """The server has everything up to `seq`; what came later goes again."""
        self.sent = self.acked = seq

    def rewind(self, seq: int, board: Board | None, *, replay: bool) -> None:
        """A slide after `seq` was refused: go back there.

        Args:
            seq: the last slide the server has.
            board: its board after `seq`; None: it does not tell, ours is right.
            replay: make the later slides that are still legal again; each gets the
                next number.
        """
        later = self.slides[max(0, seq - self.base) :]
        truth = self.after(seq) if board is None else board
        if truth is None:
            return
        if self.reconcile(seq, truth):
            self._set(truth, self.slides[: seq - self.base])
        self.sent = seq
        self.acked = min(self.acked, seq)
        if replay:
            for slide in later:
                if self.playing and self.board.try_slide(slide[0], slide[1]):
                    self._made(slide)
