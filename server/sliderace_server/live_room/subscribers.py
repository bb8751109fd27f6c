"""The subscribers of one room, and the target lists of stream and progress.

The target lists are maintained, not rebuilt per event: a new, lost or slow connection
moves only itself. A record that changes who may see boards invalidates the lists; they
are rebuilt before their next use. Bots of the server get no progress: they do not watch
the others, and there may be many.
"""

from collections.abc import Sequence

from sliderace.race.deadlines import may_still_race
from sliderace_server import room
from sliderace_server.live_room.progress import Channel
from sliderace_server.live_room.subscriber import Subscriber
from sliderace_server.room import RoomState

__all__ = ["Subscribers"]

_NEVER = 1 << 62


class Subscribers:
    """The connections of one room.

    Attributes:
        current: the newest connection of each member, by the member's id.
        leaving: connections of former members that have not been sent the reason yet.
        stream: subscribers that get the stream.
        racers: subscribers that get progress without boards.
        watchers: subscribers that get progress with boards.
        delayed: subscribers that get it after the spectator delay.
        stale_at: room time from which the target lists are invalid.

    Args:
        state: the room.
    """

    def __init__(self, state: RoomState) -> None:
        self._state = state
        self.current: dict[int, Subscriber] = {}
        self.leaving: dict[int, Subscriber] = {}
        self.stream: dict[Subscriber, None] = {}
        self.racers = Channel(boards=False)
        self.watchers = Channel(boards=True)
        self.delayed: dict[Subscriber, None] = {}
        self.stale_at = _NEVER

    def is_current(self, subscriber: Subscriber) -> bool:
        """Return whether this is its member's newest connection: the fence."""
        return self.current.get(subscriber.member) is subscriber

    def arrive(self, subscriber: Subscriber, member: int) -> Subscriber | None:
        """Add a member's new connection; return the one that it replaces."""
        replaced = self.current.pop(member, None)
        if replaced is not None:
            self.unfollow(replaced)
        subscriber.member = member
        self.current[member] = subscriber
        return replaced

    def depart(self, subscriber: Subscriber) -> bool:
        """Remove an ended connection; return whether it was its member's newest."""
        self.unfollow(subscriber)
        if self.leaving.get(subscriber.member) is subscriber:
            del self.leaving[subscriber.member]
        if not self.is_current(subscriber):
            return False
        del self.current[subscriber.member]
        return True

    def remove_member(self, member: int) -> None:
        """Keep a former member's connection only until `dismiss`."""
        if subscriber := self.current.pop(member, None):
            self._unplace(subscriber)
            self.leaving[member] = subscriber

    def dismiss(self, member: int) -> Subscriber | None:
        """Remove and return the connection of a former member."""
        if subscriber := self.leaving.pop(member, None):
            self.unfollow(subscriber)
        return subscriber

    def clear(self) -> Sequence[Subscriber]:
        """Remove and return all connections."""
        everybody = [*self.current.values(), *self.leaving.values()]
        self.current.clear()
        self.leaving.clear()
        for subscriber in everybody:
            self.unfollow(subscriber)
        return everybody

    def follow(self, subscriber: Subscriber, t: int) -> None:
        """Add a connection to the stream and, from room time `t` on, to progress."""
        subscriber.following = True
        self.stream[subscriber] = None
        self._place(subscriber, t)

    def unfollow(self, subscriber: Subscriber) -> None:
        """Remove a connection from stream and progress until `follow`."""
        subscriber.following = False
        self.stream.pop(subscriber, None)
        self._unplace(subscriber)

    def set_behind(self, subscriber: Subscriber, t: int, *, behind: bool) -> None:
        """Note whether a connection reads too slowly for progress."""
        subscriber.behind = behind
        if subscriber.following and self.is_current(subscriber):
            self._unplace(subscriber)
            self._place(subscriber, t)

    def sight_changed(self) -> None:
        """Invalidate the target lists."""
        self.stale_at = 0

    def refresh(self, t: int) -> Sequence[Subscriber]:
        """Rebuild the target lists if they are invalid.

        Returns:
            Subscribers that may now see the boards of others and have not been sent
            them.
        """
        if self.stale_at > t:
            return ()
        self.stale_at = self._next_final(t)
        for targets in (self.racers.targets, self.watchers.targets, self.delayed):
            targets.clear()
        new: list[Subscriber] = []
        for subscriber in self.current.values():
            if subscriber.following:
                channel = self._place(subscriber, t)
                sees = channel is self.watchers
                if sees and not subscriber.sees:
                    new.append(subscriber)
                if channel is not None:
                    subscriber.sees = sees
        return new

    def _place(self, subscriber: Subscriber, t: int) -> Channel | None:
        """Add a connection to its targets; return its channel, None if delayed."""
        state, member = self._state, subscriber.member
        wants = not (subscriber.behind or state.members[member].served)
        if room.is_delayed(state, member, t):
            if wants:
                self.delayed[subscriber] = None
            return None
        sees = room.sees_boards(state, member, t)
        channel = self.watchers if sees else self.racers
        if wants:
            channel.targets[subscriber] = None
        return channel

    def _unplace(self, subscriber: Subscriber) -> None:
        for targets in (self.racers.targets, self.watchers.targets, self.delayed):
            targets.pop(subscriber, None)

    def _next_final(self, t: int) -> int:
        """Return when the next forfeit becomes final: its racer may see boards then."""
        race = self._state.race
        finals = (
            race.forfeit_final_at(one)
            for one in race.attempts.values()
            if one.status == "forfeited" and may_still_race(race, one, t)
        )
        return min(finals, default=_NEVER)
