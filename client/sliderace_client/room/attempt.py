"""A player's own attempt at one scramble: predicted at once, confirmed by the server.

Slides are numbered 1, 2, 3 ... The attempt keeps every slide since number `base`:

- `slide` applies a slide to the predicted board and appends it. `sent` is the last
  slide handed to the connection, `acked` the last one that the server has stored, so
  base <= acked <= sent <= seq.
- Whenever the server states the board after slide n, it is right. If our own board
  after n is the same, all later slides stand. If it differs, or if we do not know it,
  the server's board becomes the new origin and later slides are dropped.
- After a lost connection, the slides that the server does not have are sent again.
- After a rejection, the attempt goes back to the last slide that the server accepted
  and plays again what is still legal; each of these slides gets the next number.
"""

from collections.abc import Iterator

from sliderace.engine import Board, Direction, measures
from sliderace.protocol.messages import Slide

__all__ = ["Attempt"]


class Attempt:
    """Our own attempt.

    Args:
        race: id of the race.
        board: the board after slide `seq`.
        zero: instant in ms at which its clock starts; no slide is possible before it.
        seq: number of the last slide made before.
        stm: tiles moved before.
        approx: the clock comes from a snapshot, not from the paint.

    Attributes:
        board: the predicted board.
        slides: the slides after number `base`, as they are sent.
        best_md: the least Manhattan distance reached, as far as we know.
        sent: number of the last slide handed to the connection.
        acked: number of the last durable slide.
        over: the server has ended this attempt.
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
        self._restart(seq, board, stm)

    def _restart(self, seq: int, board: Board, stm: int) -> None:
        """Forget all slides; only the board after `seq` is known."""
        self.base = self.sent = self.acked = seq
        self._origin = board.copy()
        self._stm = stm
        self._set(board, [])

    def _set(self, board: Board, slides: list[Slide]) -> None:
        """Set the board, and the slides that lead to it from the origin."""
        self.board = board.copy()
        self.slides = slides
        self._tiles = sum(count for _, count, _ in slides)
        self.best_md = min(self._distances(slides))

    def _distances(self, slides: list[Slide]) -> Iterator[int]:
        """Yield the Manhattan distances along the way."""
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
        """Tiles moved, as far as we know."""
        return self._stm + self._tiles

    @property
    def mtm(self) -> int:
        """Runs in one direction, as far as we know."""
        return measures.mtm((way, count) for way, count, _ in self.slides)

    @property
    def unsent(self) -> list[Slide]:
        """Slides not yet handed to the connection; none once the attempt is over."""
        return [] if self.over else self.slides[self.sent - self.base :]

    @property
    def waiting(self) -> bool:
        """Whether the server owes us an ack."""
        return not self.over and self.acked < self.sent

    @property
    def playing(self) -> bool:
        """Whether further slides could count."""
        return not self.over and not self.board.is_solved

    def locked(self, now: int) -> int:
        """Return the ms until the board is unlocked; 0 if it is."""
        return max(0, self.zero - now)

    def paint(self, now: int, inspection: int) -> None:
        """Start the clock: the board is on the screen. Only the first call counts.

        Args:
            now: instant of the paint in ms.
            inspection: how long the painted board stays locked, in ms.
        """
        if not self._painted and not self.slides:
            self.zero = now + inspection
        self._painted = True

    def slide(self, direction: Direction, count: int, now: int) -> bool:
        """Slide at once, before the server knows; return False if that is illegal."""
        if not self.playing or self.locked(now):
            return False
        if not self.board.try_slide(direction, count):
            return False
        self._append((direction, count, now - self.zero))
        return True

    def _append(self, slide: Slide) -> None:
        self.slides.append(slide)
        self._tiles += slide[1]
        self.best_md = min(self.best_md, self.board.md)

    def after(self, seq: int) -> Board | None:
        """Return our own board after slide `seq`; None if that is not known."""
        if not self.base <= seq <= self.seq:
            return None
        board = self._origin.copy()
        for direction, count, _ in self.slides[: seq - self.base]:
            board.slide(direction, count)
        return board

    def reconcile(self, seq: int, board: Board, stm: int = 0) -> bool:
        """Compare with the server's board after slide `seq`.

        If our own differs, the server's is taken and later slides are dropped.

        Returns:
            Whether all slides stand.
        """
        if self.after(seq) == board:
            return True
        self._restart(seq, board, stm)
        return False

    def count_from(self, seq: int, stm: int) -> None:
        """Take over how many tiles had been moved after slide `seq`, a known one."""
        known = sum(count for _, count, _ in self.slides[: seq - self.base])
        self._stm = stm - known

    def ack(self, seq: int) -> None:
        """Note that the server has stored every slide up to `seq`."""
        self.acked = max(self.acked, min(seq, self.sent))

    def resend(self, seq: int) -> None:
        """Send the slides after `seq` again: the server does not have them."""
        self.sent = self.acked = seq

    def rewind(self, seq: int, board: Board | None, *, replay: bool) -> None:
        """Go back to slide `seq`: the one after it was rejected.

        Args:
            seq: the last slide that the server has.
            board: its board after `seq`; None: the server did not state it, and ours
                is right.
            replay: make the later slides again that are still legal; each gets the
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
                    self._append(slide)
