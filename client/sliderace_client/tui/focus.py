"""Whom a spectator looks at: all boards, the leader's, or one racer's."""

from collections.abc import Sequence

from sliderace_client.room.lanes import Lane

__all__ = ["Camera"]


class Camera:
    """Where a spectator looks; it begins with all boards."""

    def __init__(self) -> None:
        self.leads = False
        self.seat: int | None = None

    @property
    def wide(self) -> bool:
        """Whether all boards are wanted."""
        return not self.leads and self.seat is None

    def all(self) -> None:
        """Look at all boards."""
        self.leads, self.seat = False, None

    def leader(self) -> None:
        """Follow whoever leads."""
        self.leads, self.seat = True, None

    def pin(self, seat: int) -> None:
        """Follow one racer, whatever happens."""
        self.leads, self.seat = False, seat

    def turn(self, order: Sequence[Lane], step: int) -> None:
        """Follow the next racer (or, step -1, the one before), best first.

        Args:
            order: who can be seen, best first.
            step: 1 or -1.
        """
        if not order:
            return
        seats = [lane.seat for lane in order]
        followed = self.followed(order)
        first = 0 if step > 0 else -1
        at = first if followed is None else seats.index(followed.seat) + step
        self.pin(seats[at % len(seats)])

    def followed(self, order: Sequence[Lane]) -> Lane | None:
        """Who is followed now; None: all are shown.

        The leader is the best of those who still race; when all are done, the winner.
        """
        if self.leads and order:
            return next((lane for lane in order if lane.status == "racing"), order[0])
        return next((lane for lane in order if lane.seat == self.seat), None)
