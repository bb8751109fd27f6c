"""Who was told what of whose progress: the newest state per seat, nothing twice.

Progress is provisional and has no place in the stream; what is lost of it the next
message makes good.
"""

from collections.abc import Callable, Sequence

from sliderace.protocol.messages import SeatProgress
from sliderace.race.log_records import Seat, Slid
from sliderace_server.live_room.services import Subscriber
from sliderace_server.room import DelayedAttempts, RoomState, seat_progress

__all__ = ["Behind", "Channel", "LateChannel"]


class Channel:
    """What one audience knows of the seats of one race.

    Args:
        boards: whether it may see boards: then it is told each slide once.

    Attributes:
        news: seats that slid since the last `take`, and up to where each was told.
    """

    def __init__(self, *, boards: bool) -> None:
        self._boards = boards
        self._race = ""
        self.news: dict[Seat, int] = {}

    def moved(self, slid: Slid) -> None:
        """A seat slid."""
        if slid.race != self._race:
            self._race = slid.race
            self.news.clear()
        if slid.seat not in self.news:
            self.news[slid.seat] = slid.seq - 1

    def take(self, state: RoomState, *, heard: bool = True) -> Sequence[SeatProgress]:
        """What is new since the last call, by ascending seat.

        Args:
            state: the room.
            heard: somebody listens; else nothing is made of it.
        """
        steps: list[SeatProgress] = []
        if heard and self._race == state.race.id:
            steps = [
                seat_progress(state, seat, since, boards=self._boards)
                for seat, since in sorted(self.news.items())
            ]
        self.news.clear()
        return steps


class LateChannel:
    """What the spectators of a room with a spectator delay know of the seats."""

    def __init__(self) -> None:
        self.lag = DelayedAttempts()
        self._race = ""
        self._told: dict[Seat, int] = {}

    def take(self, state: RoomState, now: int) -> Sequence[SeatProgress]:
        """What has become old enough since the last call, by ascending seat.

        Args:
            state: the room, in a race that has started.
            now: room time, ms.
        """
        if state.race.id != self._race:
            self._race = state.race.id
            self._told = dict.fromkeys(state.race.attempts, 0)
        steps = [
            seat_progress(state, seat, since, boards=True, now=now, delayed=self.lag)
            for seat, since in self._told.items()
        ]
        news = [step for step in steps if step.seq > step.since]
        self._told.update((Seat(step.seat), step.seq) for step in news)
        return news


class Behind:
    """Those who read too slowly for progress: told the newest state once they read on.

    Args:
        wait: calls a function in a moment.
        here: whether somebody is still connected.
        tell: tells somebody the newest state.
    """

    def __init__(
        self,
        wait: Callable[[Callable[[], None]], object],
        here: Callable[[Subscriber], bool],
        tell: Callable[[Subscriber], None],
    ) -> None:
        self._wait = wait
        self._here = here
        self._tell = tell
        self._behind: list[Subscriber] = []

    def add(self, subscriber: Subscriber) -> None:
        """Somebody went without."""
        if subscriber not in self._behind:
            self._behind.append(subscriber)
            if len(self._behind) == 1:
                self._wait(self._look)

    def _look(self) -> None:
        here = [one for one in self._behind if self._here(one)]
        ready = [one for one in here if one.peer.caught_up()]
        self._behind = [one for one in here if one not in ready]
        for one in ready:
            self._tell(one)
        if self._behind:
            self._wait(self._look)
