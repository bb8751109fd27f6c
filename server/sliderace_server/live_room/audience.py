"""Who of a room's connections may see boards, sorted once until something changes."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from sliderace.race.deadlines import may_still_race
from sliderace_server import room
from sliderace_server.live_room.services import Subscriber
from sliderace_server.room import RoomState

__all__ = ["Audiences"]


class Audiences:
    """Those who see boards, those who do not, and those who see them late.

    To sort a thousand members takes milliseconds, and a room tells them of moves twenty
    times a second. So it is done once, and again when a record, a connection or a
    forfeit that has become final changes it: call `forget` for the first two.

    Args:
        state: the room; changed by its runner alone.
        current: the connections, by member.
        now: room time in ms.
        show: shows all boards to one who begins to see them: progress alone would leave
            holes to one who was a racer till now.
    """

    def __init__(
        self,
        state: RoomState,
        current: Mapping[int, Subscriber],
        now: Callable[[], int],
        show: Callable[[Subscriber], None],
    ) -> None:
        self._state = state
        self._current = current
        self._now = now
        self._show = show
        self._watching: list[Subscriber] = []
        self._racing: list[Subscriber] = []
        self._sorted = False
        self._until: int | None = None

    def forget(self) -> None:
        """Something changed: who sees what has to be found out again."""
        self._sorted = False

    def of(self, *, boards: bool) -> Sequence[Subscriber]:
        """Those who see boards as they change, or those who do not."""
        stale = self._until is not None and self._until <= self._now()
        if stale or not self._sorted:
            self._sort()
        return self._watching if boards else self._racing

    def delayed(self) -> Iterator[Subscriber]:
        """Those who see boards late; found out anew each time."""
        now = self._now()
        for member, subscriber in self._current.items():
            if subscriber.following and room.is_delayed(self._state, member, now):
                self._grant(subscriber, sees=True)
                yield subscriber

    def _sort(self) -> None:
        state, now = self._state, self._now()
        self._sorted, self._until = True, self._next_final(now)
        watching: list[Subscriber] = []
        racing: list[Subscriber] = []
        self._watching, self._racing = watching, racing
        for member, subscriber in self._current.items():
            if subscriber.following and not room.is_delayed(state, member, now):
                sees = room.sees_boards(state, member, now)
                self._grant(subscriber, sees=sees)
                (watching if sees else racing).append(subscriber)

    def _next_final(self, now: int) -> int | None:
        """When a forfeit becomes final next: that one sees boards from then on."""
        race = self._state.race
        finals = (
            race.forfeit_final_at(one)
            for one in race.attempts.values()
            if one.status == "forfeited" and may_still_race(race, one, now)
        )
        return min(finals, default=None)

    def _grant(self, subscriber: Subscriber, *, sees: bool) -> None:
        if sees and not subscriber.sees:
            self._show(subscriber)
        subscriber.sees = sees
