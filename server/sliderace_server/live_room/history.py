"""The last events of a room's stream, for subscribers that missed only a few."""

from collections import deque

from sliderace.protocol.messages import Event
from sliderace_server.room.events import adjust_time_left

__all__ = ["History"]

SIZE = 64
"""Events kept. A disconnection of some seconds misses a handful; after more than this a
snapshot is shorter, too."""


class History:
    """A ring of the last events, by offset; it begins with the first one added.

    Args:
        size: how many events to keep.
    """

    def __init__(self, size: int = SIZE) -> None:
        self._last = 0
        self._events: deque[tuple[int, Event]] = deque(maxlen=size)

    def add(self, offset: int, t: int, event: Event) -> None:
        """Add an event.

        Args:
            offset: its number in the stream.
            t: room time at which it happened, ms.
            event: the event as it was sent.

        Raises:
            ValueError: the number is not the next one.
        """
        if self._events and offset != self._last + 1:
            raise ValueError(f"event {offset} follows {self._last}")
        self._last = offset
        self._events.append((t, event))

    def since(self, offset: int, now: int) -> list[Event] | None:
        """Return the events after an offset; None if only a snapshot can help.

        Args:
            offset: the last one that the subscriber has.
            now: room time, ms; remaining times in the events are counted from it.
        """
        missed = self._last - offset
        if not self._events or not 0 <= missed <= len(self._events):
            return None
        kept = list(self._events)[len(self._events) - missed :]
        return [adjust_time_left(event, now - t) for t, event in kept]
