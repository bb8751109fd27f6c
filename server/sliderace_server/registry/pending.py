"""What a room has to tell as soon as it is durable, each thing at its place.

Slides have nothing to tell here, and they are nearly all there is.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sliderace.protocol.messages import Event
from sliderace_server.live_room.services import Subscriber
from sliderace_server.room import Record

__all__ = ["PendingEvent", "PendingEvents"]


class PendingEvent(NamedTuple):
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
    subscriber: Subscriber
    position: int
    send: Callable[[], None]


class PendingEvents:
    """Events that wait for the log, and what is sent to one member between them.

    Args:
        told: how many records are durable and told so far.
        publish: tells everybody an event: its offset, room time in ms, and itself.
    """

    def __init__(self, told: int, publish: Callable[[int, int, Event], None]) -> None:
        self._told = told
        self._publish = publish
        self._pending_events: deque[PendingEvent] = deque()
        self._waiting: list[_Waiting] = []

    def add(self, pending_event: PendingEvent) -> None:
        """Tell this in its turn."""
        self._pending_events.append(pending_event)

    def wait(
        self, subscriber: Subscriber, position: int, send: Callable[[], None]
    ) -> None:
        """Call `send` once that many records are told; at once if they are.

        Args:
            subscriber: whose loss makes it void.
            position: how many.
            send: what to do then.
        """
        self._waiting.append(_Waiting(subscriber, position, send))
        self._serve(self._told)

    def tell(self, durable: int) -> Sequence[Record]:
        """Tell and send all that waited for so many records to be durable.

        Returns:
            Those of them that are no slides, in order.
        """
        if not self._pending_events:  # nearly always
            self._serve(durable)
            return ()
        told: list[Record] = []
        while self._pending_events and self._pending_events[0].position <= durable:
            position, record, offset, event = self._pending_events.popleft()
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

    def lost(self, subscriber: Subscriber) -> None:
        """A connection has ended: nothing more goes there."""
        self._waiting = [
            one for one in self._waiting if one.subscriber is not subscriber
        ]

    def gone(self, member: int) -> None:
        """A member is out of the room: nothing more goes to it."""
        self._waiting = [
            one for one in self._waiting if one.subscriber.member != member
        ]

    def clear(self) -> Iterator[Subscriber]:
        """Nothing is sent any more; those who waited for something."""
        waiting, self._waiting = self._waiting, []
        return (one.subscriber for one in waiting)
