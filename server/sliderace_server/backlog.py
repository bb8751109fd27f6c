"""What a room has to tell as soon as it is durable, each thing at its place.

Slides have nothing to tell here, and they are nearly all there is.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sliderace.protocol.messages import Event
from sliderace_server.room import Record
from sliderace_server.works import Follower

__all__ = ["Backlog", "Untold"]


class Untold(NamedTuple):
    """A record that is no slide, on its way to the log.

    Attributes:
        position: its number in the log, from 1.
        record: what happened; already applied.
        offset: its place in the room's stream, or None.
        event: what the stream says of it, or None.
    """

    position: int
    record: Record
    offset: int | None
    event: Event | None


@dataclass(frozen=True, slots=True)
class _Waiting:
    follower: Follower
    position: int
    send: Callable[[], None]


class Backlog:
    """Events that wait for the log, and what is sent to one member between them.

    Args:
        told: how many records are durable and told so far.
        publish: tells everybody an event: its offset, room time in ms, and itself.
    """

    def __init__(self, told: int, publish: Callable[[int, int, Event], None]) -> None:
        self._told = told
        self._publish = publish
        self._untold: deque[Untold] = deque()
        self._waiting: list[_Waiting] = []

    def add(self, untold: Untold) -> None:
        """Tell this in its turn."""
        self._untold.append(untold)

    def wait(self, follower: Follower, position: int, send: Callable[[], None]) -> None:
        """Call `send` once that many records are told; at once if they are.

        Args:
            follower: whose loss makes it void.
            position: how many.
            send: what to do then.
        """
        self._waiting.append(_Waiting(follower, position, send))
        self._serve(self._told)

    def tell(self, durable: int) -> Sequence[Record]:
        """Tell and send all that waited for so many records to be durable.

        Returns:
            Those of them that are no slides, in order.
        """
        if not self._untold:  # nearly always
            self._serve(durable)
            return ()
        told: list[Record] = []
        while self._untold and self._untold[0].position <= durable:
            position, record, offset, event = self._untold.popleft()
            self._serve(position - 1)
            if event is not None and offset is not None:
                self._publish(offset, record.t, event)
            told.append(record)
        self._serve(durable)
        return told

    def _serve(self, told: int) -> None:
        self._told = told
        if not self._waiting:
            return
        ready = [one for one in self._waiting if one.position <= self._told]
        if ready:
            self._waiting = [one for one in self._waiting if one.position > self._told]
            for one in ready:
                one.send()

    def lost(self, follower: Follower) -> None:
        """A connection has ended: nothing more goes there."""
        self._waiting = [one for one in self._waiting if one.follower is not follower]

    def gone(self, member: int) -> None:
        """A member is out of the room: nothing more goes to it."""
        self._waiting = [one for one in self._waiting if one.follower.member != member]

    def clear(self) -> Iterator[Follower]:
        """Nothing is sent any more; those who waited for something."""
        waiting, self._waiting = self._waiting, []
        return (one.follower for one in waiting)
