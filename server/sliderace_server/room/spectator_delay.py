"""Boards as they were a while ago, for spectators of a room with a spectator delay.

A live spectator could help a friend. So members who do not race see each attempt as it
was `spectator_delay_ms` ago: slides, progress and board, consistent with each other.
Events of the stream (who finished, who gave up) are not delayed: they help nobody.
"""

from dataclasses import dataclass

from sliderace.engine import Board, progress_permille
from sliderace.race.log_records import Seat
from sliderace.race.state import Attempt, Race

__all__ = ["AttemptView", "DelayedAttempts"]


@dataclass(slots=True)
class AttemptView:
    """One attempt as a member may see it."""

    seq: int
    stm: int
    high: int
    board: Board
    mtm: int = 0
    high_at: int = 0


class DelayedAttempts:
    """The attempts of a room's current race, delayed; shared by all its members.

    Time must not go backwards between calls.
    """

    def __init__(self) -> None:
        self._race = ""
        self._views: dict[Seat, AttemptView] = {}

    def view(self, race: Race, seat: Seat, now: int) -> AttemptView:
        """Return an attempt as it was `spectator_delay_ms` ago.

        Args:
            race: a race that has started.
            seat: a seat of its roster.
            now: room time, ms.
        """
        if race.id != self._race:
            self._race, self._views = race.id, {}
        if seat not in self._views:
            board, unlocked = (
                Board(race.size, race.board),
                race.attempts[seat].unlocks_at,
            )
            self._views[seat] = AttemptView(0, 0, 0, board, high_at=unlocked)
        view = self._views[seat]
        _advance(view, race.attempts[seat], now - race.rules.spectator_delay_ms)
        return view


def _advance(view: AttemptView, attempt: Attempt, until: int) -> None:
    while view.seq < attempt.seq and attempt.slides[view.seq].t <= until:
        slide = attempt.slides[view.seq]
        view.board.slide(slide.direction, slide.tiles)
        before = attempt.slides[view.seq - 1].direction if view.seq else None
        view.seq += 1
        view.stm += slide.tiles
        view.mtm += slide.direction != before
        high = progress_permille(view.board.md, attempt.start_md)
        if high > view.high:
            view.high, view.high_at = high, slide.t
