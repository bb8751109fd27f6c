"""What goes out: gathered for one turn of the loop, one write per connection.

Nothing here waits. A peer that does not read is cut off; nobody else notices. Many
connections with mail are served in slices, so that one large room does not hold up
the others, nor the log.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

from sliderace.protocol.limits import MAX_DOWN_BYTES

__all__ = [
    "MAX_UNSENT",
    "SLICES",
    "Flusher",
    "SendQueue",
    "Slice",
    "Wire",
    "ping_frame",
    "text_frame",
]


class Slice(NamedTuple):
    """How much of a crowd is told at once.

    Attributes:
        least: connections written to in one turn of the loop.
        rest_s: from one slice to the next, while a crowd waits; 0: until the next turn.
    """

    least: int
    rest_s: float


SLICES = (Slice(25, 0.001), Slice(25, 0.001), Slice(100, 0.0))
"""By how busy the server is (`Tempo.factor`): a fifth of a millisecond of work, and a
rest. Without one, the log's thread waits behind a thousand spectators for the core and
for Python's lock, and with it everybody's ack. On a very busy server all wait for all,
and what the turns themselves cost makes that longer."""
CROWD = 100
"""Of who waits for a slice; also the largest slice, two thirds of a millisecond."""
SHARE = 16
"""A slice is at least this part of all who wait: how long a crowd takes grows more
slowly than the crowd."""
MAX_UNSENT = 65_536
"""Bytes a peer may leave unread, beyond its last snapshot, before it is cut off."""
SLOW = 4
"""A peer that leaves a quarter of that unread gets no progress until it has read on:
then the newest state, instead of everything it missed."""


class Wire(Protocol):
    """What an outbox needs of a connection."""

    def write(self, data: bytes) -> None:
        """Hand bytes to the operating system, or keep them; never wait."""
        ...

    def unsent(self) -> int:
        """Bytes kept so far because the peer does not read."""
        ...

    def abort(self) -> None:
        """End the connection at once, without any handshake."""
        ...


class Flusher:
    """Empties the outboxes once per turn of the loop.

    Args:
        call_soon: runs a function in the loop's next turn.
        call_later: runs one in so many seconds.
        slice_now: how many outboxes to empty in one turn; the rest wait.
    """

    def __init__(
        self,
        call_soon: Callable[[Callable[[], None]], object],
        call_later: Callable[[float, Callable[[], None]], object],
        slice_now: Callable[[], Slice] = lambda: SLICES[0],
    ) -> None:
        self._call_soon = call_soon
        self._call_later = call_later
        self._slice_now = slice_now
        self._waiting: deque[SendQueue] = deque()
        self._urgent: deque[SendQueue] = deque()
        self._called = False
        self._resting = False
        self._tellers: deque[Callable[[], None]] = deque()

    def first(self, tell: Callable[[], None]) -> None:
        """In the next turn, call this before the outboxes are emptied."""
        self._tellers.append(tell)
        self._call()

    def collect(self, send_queue: "SendQueue") -> None:
        """Empty this outbox in the next turn, or in its slice of a crowd."""
        self._waiting.append(send_queue)
        if not self._resting:
            self._call()

    def hurry(self, send_queue: "SendQueue") -> None:
        """Empty this outbox in the next turn, before all that were collected."""
        self._urgent.append(send_queue)
        self._call()

    def _call(self) -> None:
        if not self._called:
            self._called = True
            self._call_soon(self._next)

    def _next(self) -> None:
        self._called = False
        self.flush()

    def _rested(self) -> None:
        self._resting = False
        self.flush()

    def flush(self) -> None:
        """Empty outboxes now; those for which a turn is too short come later."""
        urgent, waiting = self._urgent, self._waiting
        size, rest_s = self._slice_now()
        try:
            while self._tellers:
                self._tellers.popleft()()
            for _ in range(min(size, len(urgent))):
                urgent.popleft().flush_first()
            if waiting and not self._resting:
                size = min(max(size, len(waiting) // SHARE), CROWD, len(waiting))
                for _ in range(size):
                    waiting.popleft().flush()
                self._resting = rest_s > 0 and len(waiting) >= CROWD
                if self._resting:
                    self._call_later(rest_s, self._rested)
        finally:  # one room's mistake is not everybody's
            if urgent or self._tellers or (waiting and not self._resting):
                self._call()


class SendQueue:
    """Frames for one connection, in order.

    Args:
        wire: where they go.
        flusher: who takes them there.
        max_unsent: bytes the peer may leave unread, beyond its last snapshot.
    """

    __slots__ = (
        "_behind",
        "_beyond",
        "_flusher",
        "_frames",
        "_gathered",
        "_hurries",
        "_max_unsent",
        "_open",
        "_slow",
        "_snapshot",
        "_wire",
    )

    def __init__(
        self, wire: Wire, flusher: Flusher, max_unsent: int = MAX_UNSENT
    ) -> None:
        self._wire = wire
        self._flusher = flusher
        self._max_unsent = max_unsent
        self._frames: list[bytes] = []
        self._open = True
        # With a place for each ack the line of those who hurry would grow for ever on a
        # server whose turns take longer than a commit.
        self._hurries = False
        self._slow = False
        self._gathered = 0
        self._beyond = 0
        self._snapshot = 0
        self._behind = False

    def post(self, frame: bytes) -> None:
        """Send a frame with this turn's write."""
        if not self._open:
            return
        if not self._frames:
            self._flusher.collect(self)
        self._frames.append(frame)
        self._gathered += len(frame)

    def post_first(self, frame: bytes) -> None:
        """Send an answer, and what gathered before it, ahead of others' news."""
        if self._open:
            self._frames.append(frame)
            self._gathered += len(frame)
            if not self._hurries:
                self._hurries = True
                self._flusher.hurry(self)

    def post_progress(self, frame: bytes) -> bool:
        """Send a frame that newer ones make good, unless the peer reads slowly.

        Returns:
            Whether it was sent: who goes without is told the newest state later.
        """
        if self._behind or (self._slow and self._is_slow()):
            self._behind = True
            return False
        self.post(frame)
        return True

    def caught_up(self) -> bool:
        """Whether a peer that went without has read on, and takes progress again."""
        self._behind = self._is_slow()
        return not self._behind

    def _is_slow(self) -> bool:
        self._slow = self._wire.unsent() > self._max_unsent // SLOW
        return self._slow

    def post_snapshot(self, frame: bytes) -> None:
        """Send a frame that makes everything before it superfluous."""
        self.post(frame)
        self._snapshot = min(len(frame), MAX_DOWN_BYTES)
        self._gathered = self._beyond = 0

    def flush_first(self) -> None:
        """Write what gathered: it is its turn among those who hurry."""
        self._hurries = False
        self.flush()

    def flush(self) -> None:
        """Write what gathered; cut the peer off if it has stopped reading."""
        frames = self._frames
        if not self._open or not frames:
            return
        self._frames = []
        # What earlier writes left: some loops send what is written now a little later.
        if unsent := self._wire.unsent():
            self._slow = unsent > self._max_unsent // SLOW
            beyond = min(unsent, self._beyond)
            # The second test bounds those who ask for snapshots and read none of them.
            if max(beyond, unsent - self._snapshot) > self._max_unsent:
                self.close()
                self._wire.abort()
                return
        self._beyond += self._gathered
        self._gathered = 0
        self._wire.write(frames[0] if len(frames) == 1 else b"".join(frames))

    def close(self) -> None:
        """Take nothing more; what was not written is dropped."""
        self._open = False
        self._frames.clear()


def text_frame(payload: bytes) -> bytes:
    """One whole WebSocket text frame as a server sends it (RFC 6455, section 5.2)."""
    return _frame(0x81, payload)


def ping_frame(payload: bytes) -> bytes:
    """A WebSocket ping frame as a server sends it.

    Args:
        payload: at most 125 bytes; the pong brings it back.
    """
    return _frame(0x89, payload)


def _frame(first: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < 126:
        return b"%c%c%b" % (first, size, payload)
    if size < 65_536:
        return bytes((first, 126)) + size.to_bytes(2) + payload
    return bytes((first, 127)) + size.to_bytes(8) + payload
