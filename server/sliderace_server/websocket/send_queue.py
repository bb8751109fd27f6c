"""Send queues: each connection gets one write per turn of the event loop.

Rules:

- Frames for a connection collect in its `SendQueue`. The `Flusher` writes each queue
  once per turn, as one write.
- Queues are flushed in FIFO order. Queues with an urgent frame (an answer, an ack) are
  flushed before the others, in FIFO order too.
- Flushing many queues takes long, so each turn flushes only a slice of them; on a
  server with time to spare the next slice follows after a pause, so that other work
  runs in between. Urgent queues do not wait for the pause.
- Nothing here waits for a peer. A peer that leaves more than `max_unsent` bytes unread,
  beyond its last snapshot, is aborted.
"""

from collections import Counter, deque
from collections.abc import Callable
from typing import Protocol, get_args

from sliderace.protocol.codec import event_bytes
from sliderace.protocol.limits import MAX_DOWN_BYTES
from sliderace.protocol.messages import Event
from sliderace_server.pacing import MAX_SLICE, SLICE_SHARE, LoadMeter

__all__ = [
    "BEHIND_SHARE",
    "MAX_UNSENT",
    "EventFrames",
    "Flusher",
    "SendQueue",
    "ping_frame",
    "text_frame",
]


MAX_UNSENT = 65_536
"""Bytes that a peer may leave unread, beyond its last snapshot, before it is aborted.
"""
BEHIND_SHARE = 4
"""A peer that leaves this fraction of `MAX_UNSENT` unread is sent no progress until it
has caught up."""

_TAGS = {kind: str(kind.__struct_config__.tag) for kind in get_args(Event)}


class Writer(Protocol):
    """The part of a connection that its send queue uses."""

    def write(self, data: bytes) -> None:
        """Send bytes, or buffer them; must not block."""
        ...

    def unsent(self) -> int:
        """Return the number of buffered bytes."""
        ...

    def abort(self) -> None:
        """End the connection immediately, without a closing handshake."""
        ...


class Flusher:
    """Flushes the send queues once per turn of the event loop.

    Args:
        call_soon: calls a function in the loop's next turn.
        call_later: calls a function after a delay in seconds.
        load_meter: says how many queues to flush in one turn.
    """

    def __init__(
        self,
        call_soon: Callable[[Callable[[], None]], object],
        call_later: Callable[[float, Callable[[], None]], object],
        load_meter: LoadMeter,
    ) -> None:
        self._call_soon = call_soon
        self._call_later = call_later
        self._load_meter = load_meter
        self._waiting: deque[SendQueue] = deque()
        self._urgent: deque[SendQueue] = deque()
        self._before_flush: deque[Callable[[], None]] = deque()
        self._scheduled = False
        self._pausing = False

    def before_flush(self, call: Callable[[], None]) -> None:
        """Call a function in the next turn, before the queues are flushed."""
        self._before_flush.append(call)
        if not self._scheduled:
            self._schedule()

    def add(self, send_queue: "SendQueue") -> None:
        """Flush this queue in the next turn, or when its slice comes."""
        self._waiting.append(send_queue)
        if not (self._scheduled or self._pausing):
            self._schedule()

    def add_urgent(self, send_queue: "SendQueue") -> None:
        """Flush this queue in the next turn, before those that are not urgent."""
        self._urgent.append(send_queue)
        if not self._scheduled:
            self._schedule()

    def _schedule(self) -> None:
        self._scheduled = True
        self._call_soon(self.flush)

    def _end_pause(self) -> None:
        self._pausing = False
        self.flush()

    def flush(self) -> None:
        """Flush one slice of the queues now; the others follow in later turns."""
        self._scheduled = True  # what is added meanwhile needs no other turn
        urgent, waiting = self._urgent, self._waiting
        size, pause_s = self._load_meter.pace.slice
        try:
            while self._before_flush:
                self._before_flush.popleft()()
            for _ in range(min(size, len(urgent))):
                urgent.popleft().flush(urgent=True)
            if waiting and not self._pausing:
                size = min(max(size, len(waiting) // SLICE_SHARE), MAX_SLICE)
                for _ in range(min(size, len(waiting))):
                    waiting.popleft().flush()
                self._pausing = pause_s > 0 and len(waiting) >= MAX_SLICE
                if self._pausing:
                    self._call_later(pause_s, self._end_pause)
        finally:  # an exception in one room must not stop the others
            self._scheduled = False
            if urgent or self._before_flush or (waiting and not self._pausing):
                self._schedule()


class SendQueue:
    """Frames for one connection, in order.

    Args:
        writer: the connection.
        flusher: flushes this queue.
        max_unsent: bytes that the peer may leave unread, beyond its last snapshot.
    """

    __slots__ = (
        "_flusher",
        "_frames",
        "_is_urgent",
        "_max_unsent",
        "_open",
        "_queued_bytes",
        "_snapshot_bytes",
        "_unsent",
        "_write",
        "_writer",
        "_written_bytes",
    )

    def __init__(
        self, writer: Writer, flusher: Flusher, max_unsent: int = MAX_UNSENT
    ) -> None:
        self._writer = writer
        self._write, self._unsent = writer.write, writer.unsent
        self._flusher = flusher
        self._max_unsent = max_unsent
        self._frames: list[bytes] = []
        self._open = True
        # A queue is at most once among the flusher's urgent queues. With one entry for
        # each ack they would grow without bound where a turn takes longer than a
        # commit.
        self._is_urgent = False
        self._snapshot_bytes = 0
        # Both since the last snapshot:
        self._queued_bytes = 0
        self._written_bytes = 0

    def send(self, frame: bytes) -> None:
        """Send a frame with the next write."""
        if not self._open:
            return
        if not self._frames:
            self._flusher.add(self)
        self._frames.append(frame)
        self._queued_bytes += len(frame)

    def send_urgent(self, frame: bytes) -> None:
        """Send a frame, and everything queued before it, in the next turn."""
        if self._open:
            self._frames.append(frame)
            self._queued_bytes += len(frame)
            if not self._is_urgent:
                self._is_urgent = True
                self._flusher.add_urgent(self)

    def send_snapshot(self, frame: bytes) -> None:
        """Send a frame that supersedes all earlier frames."""
        self.send(frame)
        self._snapshot_bytes = min(len(frame), MAX_DOWN_BYTES)
        self._queued_bytes = self._written_bytes = 0

    def flush(self, *, urgent: bool = False) -> None:
        """Write all frames; abort the peer if it has stopped reading.

        Args:
            urgent: the flusher's entry for this urgent queue is used up.
        """
        if urgent:
            self._is_urgent = False
        frames = self._frames
        if not frames:
            return
        self._frames = []
        # Check what earlier writes left over: some event loops send the data of this
        # write a little later.
        if (unsent := self._unsent()) and self._has_stopped_reading(unsent):
            self.close()
            self._writer.abort()
            return
        self._written_bytes += self._queued_bytes
        self._queued_bytes = 0
        self._write(frames[0] if len(frames) == 1 else b"".join(frames))

    def _has_stopped_reading(self, unsent: int) -> bool:
        beyond = min(unsent, self._written_bytes)
        # The second test stops peers that request snapshots and read none of them.
        return max(beyond, unsent - self._snapshot_bytes) > self._max_unsent

    def close(self) -> None:
        """Discard all frames, and those sent from now on."""
        self._open = False
        self._frames.clear()


class EventFrames:
    """Makes text frames of events, and counts them.

    Args:
        encoded: counter by type of event.
    """

    def __init__(self, encoded: Counter[str]) -> None:
        self._encoded = encoded

    def frame(self, event: Event) -> bytes:
        """Return a frame with an event."""
        self._encoded[_TAGS[type(event)]] += 1
        payload = event_bytes(event)
        size = len(payload)
        return b"\x81%c%b" % (size, payload) if size < 126 else text_frame(payload)


def text_frame(payload: bytes) -> bytes:
    """Return a complete WebSocket text frame from a server (RFC 6455, section 5.2)."""
    size = len(payload)
    if size < 126:
        return b"\x81%c%b" % (size, payload)
    if size < 65_536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2), payload)
    return b"\x81\x7f%b%b" % (size.to_bytes(8), payload)


def ping_frame(payload: bytes) -> bytes:
    """Return a WebSocket ping frame from a server.

    Args:
        payload: at most 125 bytes; the pong returns it.
    """
    return b"\x89%c%b" % (len(payload), payload)
