"""The racers side by side: how far each one is, and who leads."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sliderace.engine import Board, EngineError, parse_board, parse_slides
from sliderace.protocol.messages import SeatProgress, Standing, StatusName

__all__ = ["Lane", "in_order"]


@dataclass(slots=True)
class Lane:
    """One racer.

    Args:
        seat: the racer's seat.
        member: member id; None if the racer left before we knew them.
        name: nickname, safe to show.
        reaction: number of the reaction to be shown beside it; screens set it.
        bot: a declared bot.
        seq: number of the last slide reported.
        high: high-water progress in permille; 1000 while `status` is ``racing`` means
            solved, but not yet stored by the server.
        stm: tiles moved.
        status: as reported by the server.
        place: 1, 1, 3 ... among the finishers so far, or as the results say.
        standing: the latest one from the server, if there is any.
        board: if we may see it; our own is the predicted one.
        board_seq: the slide that `board` stands after.
    """

    seat: int
    member: int | None = None
    name: str = "?"
    bot: bool = False
    seq: int = 0
    high: int = 0
    stm: int = 0
    status: StatusName = "racing"
    place: int | None = None
    standing: Standing | None = None
    board: Board | None = None
    board_seq: int = 0
    reaction: int | None = None

    @property
    def time_ms(self) -> int | None:
        """Official time; None unless finished."""
        return self.standing.time_ms if self.standing else None

    @property
    def final(self) -> bool:
        """Whether the place can no longer be lost."""
        return self.standing is not None and self.standing.final

    @property
    def why(self) -> str:
        """Why the racer did not finish: limit, grace, away, left, kicked, called."""
        return self.standing.why if self.standing else ""

    def apply(self, standing: Standing) -> None:
        """Apply the server's standing of this racer."""
        self.standing = standing
        self.member, self.name, self.bot = standing.member, standing.name, standing.bot
        self.status, self.place = standing.status, standing.place
        if standing.status != "racing":  # while racing, only `progress` may reveal it
            self.high, self.stm = standing.high, standing.stm

    def see(self, board: Board, seq: int) -> None:
        """Show the board after slide `seq`."""
        self.board, self.board_seq = board, seq

    def step(self, step: SeatProgress, start: str | None) -> bool:
        """Take one step of `progress`.

        Args:
            step: the newest state of this seat.
            start: the race's start board, if known.

        Returns:
            False if slides before those of the step are missing: the board must be
            requested.
        """
        if step.seq >= self.seq:
            self.seq, self.high, self.stm = step.seq, step.high, step.stm
        if step.since < 0 or (self.board and step.seq <= self.board_seq):
            return True
        if self.board is None and step.since == 0 and start:
            self.see(parse_board(start), 0)
        if self.board is None or step.since > self.board_seq:
            return False
        return self._replay(self.board, step)

    def _replay(self, board: Board, step: SeatProgress) -> bool:
        try:
            slides = parse_slides(step.slides)[self.board_seq - step.since :]
        except EngineError:
            return False
        if self.board_seq + len(slides) != step.seq:
            return False
        ahead = board.copy()
        if not all(ahead.try_slide(way, count) for way, count in slides):
            return False
        self.see(ahead, step.seq)
        return True


_GROUPS = {"finished": 0, "racing": 1, "dnf": 2, "forfeited": 3, "dns": 4}


def in_order(
    lanes: Iterable[Lane], reached: Mapping[int, int] | None = None
) -> list[Lane]:
    """Return the lanes best first: finishers by time, then racers by progress, others.

    Finishers get the place that the times known so far give; equal times share one.

    Args:
        lanes: the racers.
        reached: by seat, when they reached their progress; it separates equals.
    """

    def rank(lane: Lane) -> tuple[int, int, int, int, int]:
        group, known = _GROUPS[lane.status], reached or {}
        place = lane.place or 0 if group > 1 else 0
        best = (lane.time_ms or 0) if group == 0 else -lane.high
        since = known.get(lane.seat, 0) if group == 1 else 0
        return group, place, best, since, lane.seat

    ranked = sorted(lanes, key=rank)
    times = [lane.time_ms for lane in ranked if lane.status == "finished"]
    for lane in ranked:
        if lane.status == "finished":
            lane.place = 1 + times.index(lane.time_ms)
    return ranked
