"""One WebSocket connection: between its socket, its session and its room.

A connection passes incoming messages to its session, throttled by the session's rate
limits: a peer that sends too fast is read more slowly and loses nothing. They apply
until the connection has ended: while it is closing, whatever exceeds them is discarded.
Outgoing frames go through its send queue. No method here blocks.
"""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from websockets.frames import Frame, Opcode
from websockets.protocol import State

from sliderace_server.clock import Clock
from sliderace_server.http.routes import Request
from sliderace_server.limits import Limits
from sliderace_server.metrics import Metrics
from sliderace_server.websocket.frame_tap import TappedWebSocket
from sliderace_server.websocket.heartbeat import Heartbeat
from sliderace_server.websocket.kernel_rtt import kernel_rtt_ms
from sliderace_server.websocket.send_queue import Flusher, SendQueue, ping_frame
from sliderace_server.websocket.session import Session

__all__ = ["Connection"]

_OPEN = State.OPEN
"""Python 3.11 calls a function for each `State.OPEN`."""


class ConnectionOwner(Protocol):
    """The listener, as one of its connections needs it."""

    limits: Limits
    clock: Clock
    metrics: Metrics
    flusher: Flusher

    @property
    def new_session(self) -> Callable[["Connection"], Session]:
        """Makes the session of a new connection."""
        ...

    def spawn(self, task: Coroutine[Any, Any, None], /) -> None:
        """Start a task in the server's task group."""
        ...

    async def end(self, websocket: TappedWebSocket, code: int, reason: str) -> None:
        """Close a connection; abort it after the close timeout."""
        ...

    def start_heartbeat(self, heartbeat: Heartbeat) -> None:
        """Ping a connection, first in a burst and then regularly."""
        ...


class Connection:
    """One WebSocket connection.

    Attributes:
        id: identifies the connection in the log.
        address: the client's IP address; empty on this machine.
        host: the Host header of the client's request.
        unsent: returns the number of bytes that the peer has not read yet.

    Args:
        websocket: the library's connection.
        listener: the listener that accepted it.
        number: its id.
        request: the HTTP request that opened it.
    """

    __slots__ = (
        "_closing",
        "_is_direct",
        "_listener",
        "_paused",
        "_websocket",
        "_writes",
        "address",
        "heartbeat",
        "host",
        "id",
        "send",
        "send_queue",
        "send_snapshot",
        "send_urgent",
        "session",
        "unsent",
    )

    def __init__(
        self,
        websocket: TappedWebSocket,
        listener: ConnectionOwner,
        number: int,
        request: Request,
    ) -> None:
        self.id = number
        self.address = request.peer
        self.host = request.host
        self._websocket = websocket
        self._listener = listener
        self._writes = listener.metrics.counts["writes"]
        self._closing = False
        self._paused = False
        self._is_direct = request.direct
        self.unsent = websocket.transport.get_write_buffer_size
        self.send_queue = SendQueue(
            self, listener.flusher, listener.limits.unsent_bytes
        )
        self.send = self.send_queue.send
        self.send_urgent = self.send_queue.send_urgent
        self.send_snapshot = self.send_queue.send_snapshot
        self.session = listener.new_session(self)
        self.heartbeat = Heartbeat(listener.limits, self)

    # --- for the heartbeat -----------------------------------------------------------

    @property
    def in_race(self) -> bool:
        """Whether its room is between countdown and results."""
        return self.session.in_race

    @property
    def needs_latency(self) -> bool:
        """Whether its latency is needed."""
        return self.session.needs_latency

    @property
    def throttled(self) -> bool:
        """Whether reading from this peer is throttled now."""
        return self.session.throttled_s > 0

    def ping(self, payload: bytes) -> None:
        """Send a ping with the next write."""
        self.send_queue.send(ping_frame(payload))

    # --- for the send queue ----------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Pass bytes to the transport, unless the connection is closing."""
        if self._websocket.protocol.state is _OPEN:
            self._writes[""] += 1
            self._websocket.transport.write(data)

    def abort(self) -> None:
        """Abort the connection; nothing else ends one whose peer does not read."""
        self._listener.metrics.count("aborted")
        self.send_queue.close()
        self._websocket.transport.abort()

    # --- for sessions and rooms ------------------------------------------------------

    def close(self, code: int, reason: str = "") -> None:
        """Send everything queued, then close within a bounded time."""
        if self._closing:
            return
        self._closing = True
        self.send_queue.flush()
        self.send_queue.close()
        self._listener.metrics.count("closes", str(code))
        self._websocket.resume()  # the peer's close frame is behind its messages
        self._listener.spawn(self._listener.end(self._websocket, code, reason))

    def detach(self) -> tuple[int, bytes, str] | None:
        """Give the connection up for another process; see `PassedWebSocket`."""
        return self._websocket.detach()

    def measure_latency(self) -> None:
        """Start a burst of pings, as this process serves the connection."""
        self._websocket.settle()
        self._listener.start_heartbeat(self.heartbeat)

    def dismiss(self, code: int) -> None:
        """Close the connection, which no longer belongs to a member."""
        self.session.close(code)

    # --- for the WebSocket -----------------------------------------------------------

    def throttle(self) -> float:
        """Count a message from the library; return how many seconds it must wait."""
        wait = self.session.throttle()
        if not (wait and self._closing):
            return wait
        self._websocket.discard()
        return 0.0

    def receive_text(self, payload: bytes) -> None:
        """Handle a text message, after a pause if the peer sends too fast."""
        if not (wait := self.session.throttle()):
            self.session.receive_text(payload)
        elif self._closing:
            self._websocket.discard()
        else:
            self._paused = True
            self._websocket.pause()
            self._listener.clock.later(wait, lambda: self._receive_delayed(payload))

    def _receive_delayed(self, payload: bytes) -> None:
        self.session.receive_delayed(payload)
        self._resume()

    def receive_pong(self, payload: bytes) -> None:
        """Handle a pong."""
        now = self._listener.clock.now_ms()
        rtt = self.heartbeat.pong(payload, now)
        if rtt is not None:
            self._listener.metrics.rtt_seconds.add(rtt / 1_000)
            kernel_ms = None
            if self._is_direct:
                kernel_ms = kernel_rtt_ms(self._websocket.transport)
            self.session.record_rtt(rtt, now, kernel_ms)
        self._count_frame()

    def receive_frame(self, frame: Frame) -> None:
        """Handle a frame that the library has parsed.

        Unfragmented text messages are counted when they are read from the library.
        """
        if frame.opcode is Opcode.PONG:
            self.receive_pong(bytes(frame.data))
        elif frame.opcode is not Opcode.TEXT or not frame.fin:
            self._count_frame()

    def set_behind(self, *, behind: bool) -> None:
        """Note whether the peer has left much unread."""
        self.session.set_behind(behind=behind)

    def _count_frame(self) -> None:
        """Count a frame like a message; too many are read more slowly."""
        if not self.session.throttle():
            return
        if self._closing:
            self._websocket.discard()
        elif not self._paused:
            self._paused = True
            self._websocket.pause()
            self._resume()

    def _resume(self) -> None:
        """Read again once the session's throttling is over."""
        if wait := self.session.throttled_s:
            self._listener.clock.later(wait, self._resume)
        else:
            self._paused = False
            self._websocket.resume()
