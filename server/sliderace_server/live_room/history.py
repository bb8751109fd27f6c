"""The latest events of a room's stream, for subscribers that missed only a few."""

from collections import deque

from sliderace.protocol.messages import Event
from sliderace_server.room.events import adjust_time_left

__all__ = ["History"]

SIZE = 64
"""Events kept. A disconnection of a few seconds misses a handful; beyond this number a
snapshot is shorter."""


class History:
    """A ring buffer of the latest events, by offset.

    Args:
        size: how many events to keep.
    """

    def __init__(self, size: int = SIZE) -> None:
        self._last = 0
        self._events: deque[tuple[int, Event]] = deque(maxlen=size)

    def add(self, offset: int, t: int, event: Event) -> None:
        """Add an event.

        Args:
            offset: its offset in the stream.
            t: room time at which it happened, ms.
            event: the event as it was sent.

        Raises:
            ValueError: the offset is not the next one.
        """
        if self._events and offset != self._last + 1:
            raise ValueError(f"event {offset} follows {self._last}")
        self._last = offset
        self._events.append((t, event))

    def since(self, offset: int, now: int) -> list[Event] | None:
        """Return the events after an offset; None if a snapshot is needed.

        Args:
            offset: the last one that the subscriber received.
            now: room time, ms; remaining times in the events are counted from it.
        """
        missed = self._last - offset
        if not self._events or not 0 <= missed <= len(self._events):
            return None
        kept = list(self._events)[len(self._events) - missed :]
        return [adjust_time_left(event, now - t) for t, event in kept]
