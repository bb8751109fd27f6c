"""Boards as they stood a while ago, for spectators of a room with a spectator delay.

Who watches live can tell a friend what to do. So those who do not race see each lane
as it was `spectator_delay_ms` ago: moves, progress and board, consistent in themselves.
What the stream tells (who finished, who gave up) is not delayed: it helps nobody.
"""

from dataclasses import dataclass

from sliderace.engine import Board, progress_permille
from sliderace.race.log_records import Seat
from sliderace.race.state import Attempt, Race

__all__ = ["Lag", "Look"]


@dataclass(slots=True)
class Look:
    """One attempt as somebody may see it."""

    seq: int
    stm: int
    high: int
    board: Board
    mtm: int = 0
    high_at: int = 0


class Lag:
    """Follows the attempts of one room's races at a distance.

    One of these serves all delayed members of a room. Time only goes on: a look never
    shows less than the one before.
    """

    def __init__(self) -> None:
        self._race = ""
        self._looks: dict[Seat, Look] = {}

    def look(self, race: Race, seat: Seat, now: int) -> Look:
        """A racer's lane as it was when the delay began.

        Args:
            race: one that has started.
            seat: one of its roster.
            now: room time, ms.
        """
        if race.id != self._race:
            self._race, self._looks = race.id, {}
        if seat not in self._looks:
            board, unlocked = Board(race.size, race.board), race.attempts[seat].s
            self._looks[seat] = Look(0, 0, 0, board, high_at=unlocked)
        look = self._looks[seat]
        _follow(look, race.attempts[seat], now - race.rules.spectator_delay_ms)
        return look


def _follow(look: Look, attempt: Attempt, until: int) -> None:
    while look.seq < attempt.seq and attempt.slides[look.seq].t <= until:
        slide = attempt.slides[look.seq]
        look.board.slide(slide.direction, slide.tiles)
        before = attempt.slides[look.seq - 1].direction if look.seq else None
        look.seq += 1
        look.stm += slide.tiles
        look.mtm += slide.direction != before
        high = progress_permille(look.board.md, attempt.md0)
        if high > look.high:
            look.high, look.high_at = high, slide.t
