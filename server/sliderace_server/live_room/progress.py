"""Progress: the newest state per seat, sent to each audience without repetition.

Progress is provisional and has no offset in the stream: the next progress event
replaces one that was not sent.
"""

from collections.abc import Sequence

from sliderace.protocol.messages import SeatProgress
from sliderace.race.log_records import Seat
from sliderace_server.live_room.subscriber import Subscriber
from sliderace_server.room import DelayedAttempts, RoomState, seat_progress

__all__ = ["Channel", "DelayedChannel"]


class Channel:
    """The progress that one audience has not been sent yet.

    Attributes:
        boards: whether this audience sees boards and so gets each slide once.
        targets: the audience, in order of arrival.
        unsent: seats that slid since the last `take` -> the last slide sent of each.
    """

    __slots__ = ("boards", "targets", "unsent")

    def __init__(self, *, boards: bool) -> None:
        self.boards = boards
        self.targets: dict[Subscriber, None] = {}
        self.unsent: dict[Seat, int] = {}

    def take(self, state: RoomState) -> list[SeatProgress]:
        """Return what is new since the last call, by ascending seat."""
        steps: list[SeatProgress] = []
        if self.targets:
            for seat in sorted(self.unsent):
                since = self.unsent[seat]
                steps.append(seat_progress(state, seat, since, boards=self.boards))
        self.unsent.clear()
        return steps


class DelayedChannel:
    """The progress that the delayed spectators of a room have been sent."""

    def __init__(self) -> None:
        self.attempts = DelayedAttempts()
        self._race = ""
        self._sent: dict[Seat, int] = {}

    def take(self, state: RoomState, t: int) -> Sequence[SeatProgress]:
        """Return what has become old enough since the last call, by ascending seat.

        Args:
            state: the room, in a race that has started.
            t: room time, ms.
        """
        if state.race.id != self._race:
            self._race = state.race.id
            self._sent = dict.fromkeys(state.race.attempts, 0)
        steps = [
            seat_progress(state, seat, since, boards=True, now=t, delayed=self.attempts)
            for seat, since in self._sent.items()
        ]
        new = [step for step in steps if step.seq > step.since]
        self._sent.update((Seat(step.seat), step.seq) for step in new)
        return new
