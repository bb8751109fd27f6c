"""One connection, as sessions and rooms see it: nothing here waits."""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from websockets.frames import Frame, Opcode
from websockets.protocol import State

from sliderace.race.timing import Latency
from sliderace_server.clock import Clock
from sliderace_server.http.routes import Request
from sliderace_server.limits import Limits
from sliderace_server.live_room.services import Spawn
from sliderace_server.metrics import Metrics
from sliderace_server.websocket.frame_tap import Socket
from sliderace_server.websocket.heartbeat import Heartbeat
from sliderace_server.websocket.send_queue import Flusher, SendQueue, ping_frame
from sliderace_server.websocket.session import Session

__all__ = ["Peer"]


class Front(Protocol):
    """What a peer needs of the gateway."""

    @property
    def limits(self) -> Limits:
        """The server's."""
        ...

    @property
    def clock(self) -> Clock:
        """The machine's."""
        ...

    @property
    def metrics(self) -> Metrics:
        """Counts."""
        ...

    @property
    def flusher(self) -> Flusher:
        """Who empties the outboxes."""
        ...

    @property
    def spawn(self) -> Spawn:
        """Starts a task."""
        ...

    @property
    def new_session(self) -> Callable[["Peer"], Session]:
        """Makes the session of a new connection."""
        ...

    def end(
        self, connection: Socket, code: int, reason: str
    ) -> Coroutine[Any, Any, None]:
        """Close a connection within a bounded time."""
        ...

    def watch(self, heartbeat: Heartbeat) -> None:
        """Measure a line."""
        ...

    def pong(self, heartbeat: Heartbeat, payload: bytes) -> None:
        """A pong came."""
        ...


class Peer:
    """One connection.

    Attributes:
        unsent: how many bytes the peer has not read so far.

    Args:
        socket: the connection.
        front: where it came in.
        number: names it in the log.
        asked: the request that opened it.
    """

    __slots__ = (
        "_closing",
        "_front",
        "_held",
        "_socket",
        "_writes",
        "address",
        "caught_up",
        "heartbeat",
        "host",
        "id",
        "post",
        "post_first",
        "post_progress",
        "post_snapshot",
        "send_queue",
        "session",
        "unsent",
    )

    def __init__(
        self, socket: Socket, front: Front, number: int, asked: Request
    ) -> None:
        self.id = number
        self.address = asked.peer
        self.host = asked.host
        self._socket = socket
        self._front = front
        self._writes = front.metrics.counts["writes"]
        self._closing = False
        self._held = False
        self.unsent = socket.transport.get_write_buffer_size
        self.send_queue = SendQueue(self, front.flusher, front.limits.unsent_bytes)
        self.post = self.send_queue.post
        self.post_first = self.send_queue.post_first
        self.post_progress = self.send_queue.post_progress
        self.caught_up = self.send_queue.caught_up
        self.post_snapshot = self.send_queue.post_snapshot
        self.session = front.new_session(self)
        self.heartbeat = Heartbeat(front.limits, self)

    # --- what the pulse asks of its connection ---------------------------------------

    @property
    def busy(self) -> bool:
        """Whether its room is between countdown and results."""
        return self.session.busy

    @property
    def counts(self) -> bool:
        """Whether anybody wants to know this line."""
        return self.session.counts

    @property
    def held(self) -> bool:
        """Whether we read this peer more slowly now."""
        return self.session.held_s > 0

    def ping(self, payload: bytes) -> None:
        """Send a ping with what gathers for this connection."""
        self.send_queue.post(ping_frame(payload))

    # --- what the outbox asks of a wire ----------------------------------------------

    def write(self, data: bytes) -> None:
        """Hand bytes to the transport, unless the end of the connection has begun."""
        if self._socket.protocol.state is State.OPEN:
            self._writes[""] += 1
            self._socket.transport.write(data)

    def abort(self) -> None:
        """End the connection at once; nothing else ends one that does not read."""
        self._front.metrics.count("aborted")
        self.send_queue.close()
        self._socket.transport.abort()

    # --- what sessions and rooms ask of a peer ---------------------------------------

    def close(self, code: int, reason: str = "") -> None:
        """Send what gathered, then close within a bounded time."""
        if self._closing:
            return
        self._closing = True
        self.send_queue.flush()
        self.send_queue.close()
        self._front.metrics.count("closes", str(code))
        self._socket.go_on()  # to hear its answer behind all that it sent
        self._front.spawn(self._front.end(self._socket, code, reason))

    def burst(self) -> None:
        """Measure the line several times now."""
        self._front.watch(self.heartbeat)

    def line(self) -> Latency:
        """The line as it was measured, its figures 0 while they are not known."""
        return self.heartbeat.line(self._front.clock.now_ms())

    # --- what the socket tells -------------------------------------------------------

    def text(self, payload: bytes) -> None:
        """A whole text message came in; who is too fast is read more slowly."""
        if wait := self.session.pause():
            self._held = True
            self._socket.hold()
            self._front.clock.later(wait, lambda: self._late(payload))
        else:
            self.session.text(payload)

    def _late(self, payload: bytes) -> None:
        self.session.text_late(payload)
        self._go_on()

    def pong(self, payload: bytes) -> None:
        """A pong came in."""
        self._front.pong(self.heartbeat, payload)
        self._count()

    def frame(self, frame: Frame) -> None:
        """A frame came in; a whole text message is counted when it is read."""
        if frame.opcode is Opcode.PONG:
            self.pong(bytes(frame.data))
        elif frame.opcode is not Opcode.TEXT or not frame.fin:
            self._count()

    def _count(self) -> None:
        """Count a frame like a message: who sends too many is read more slowly."""
        if self.session.pause() and not self._held:
            self._held = True
            self._socket.hold()
            self._go_on()

    def _go_on(self) -> None:
        """Read again as soon as the session wants to."""
        if wait := self.session.held_s:
            self._front.clock.later(wait, self._go_on)
        else:
            self._held = False
            self._socket.go_on()
