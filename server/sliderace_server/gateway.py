"""The server's front: sockets outside, sessions inside.

The only module that knows the websockets library. It admits connections, answers plain
HTTP, reads messages no faster than a session wants them, and ends connections within a
bounded time, whether the peer helps or not.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from email.utils import formatdate
from http import HTTPStatus
from itertools import count
from typing import cast

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.http11 import Request as HttpRequest, Response
from websockets.protocol import Event, State
from websockets.typing import Subprotocol

from sliderace.protocol.version import SUBPROTOCOL
from sliderace_server.clock import Clock, Timer
from sliderace_server.config import Config
from sliderace_server.forwarded import client_address, within
from sliderace_server.limits import PerAddress, is_loopback
from sliderace_server.metrics import Metrics
from sliderace_server.outbox import Outbox, Postman, ping_frame
from sliderace_server.pulse import Pinger, Pulse
from sliderace_server.session import Session
from sliderace_server.web import SECURITY, Answer, Request, Site
from sliderace_server.works import Spawn

__all__ = ["Gateway", "Peer"]

_log = logging.getLogger(__name__)

SERVER = "sliderace"
"""The Server header: which library we use is nobody's business."""
TOO_MANY = (
    b"HTTP/1.1 429 Too Many Requests\r\n"
    b"Connection: close\r\nContent-Length: 0\r\nRetry-After: 10\r\n\r\n"
)
QUEUE = 4
"""Frames the library may hold per connection while we do not read: each is up to
2 KiB, and what it holds arrived without being counted."""

NewSession = Callable[["Peer"], Session]


class Socket(ServerConnection):
    """A connection that also tells of its control frames and of its end."""

    gateway: "Gateway"
    counted: str | None = None
    peer: "Peer | None" = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection before anything is read from it."""
        super().connection_made(transport)
        self.gateway.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        super().connection_lost(exc)
        self.gateway.closed(self)

    def process_event(self, event: Event) -> None:
        """Hear frames that never become a message."""
        super().process_event(event)
        if self.peer is not None and isinstance(event, Frame):
            self.peer.frame(event)


class Peer:
    """One connection, as the session and the rooms see it: nothing here waits.

    Args:
        socket: the connection.
        gateway: where it came in.
        number: names it in the log.
        asked: the request that opened it.
    """

    def __init__(
        self, socket: Socket, gateway: "Gateway", number: int, asked: Request
    ) -> None:
        self.id = number
        self.address = asked.peer
        self.host = asked.host
        self._socket = socket
        self._gateway = gateway
        self._closing = False
        self._deaf = False
        self.outbox = Outbox(self, gateway.postman, gateway.limits.unsent_bytes)
        self.session = gateway.new_session(self)
        self.pulse = Pulse(
            ping=lambda payload: self.outbox.post(ping_frame(payload)),
            lost=self.abort,
            busy=lambda: self.session.busy,
            held=lambda: self.session.held_s > 0,
        )

    # What the outbox asks of a wire

    def write(self, data: bytes) -> None:
        """Hand bytes to the transport, unless the end of the connection has begun."""
        if self._socket.protocol.state is State.OPEN:
            self._gateway.metrics.count("writes")
            self._socket.transport.write(data)

    def unsent(self) -> int:
        """Bytes the peer has not read so far."""
        return self._socket.transport.get_write_buffer_size()

    def abort(self) -> None:
        """End the connection at once; nothing else ends one that does not read."""
        self._gateway.metrics.count("aborted")
        self.outbox.close()
        self._socket.transport.abort()

    # What sessions and rooms ask of a peer

    def post(self, frame: bytes) -> None:
        """Send a frame with this turn's write."""
        self.outbox.post(frame)

    def post_snapshot(self, frame: bytes) -> None:
        """Send a frame that makes everything before it superfluous."""
        self.outbox.post_snapshot(frame)

    def close(self, code: int, reason: str = "") -> None:
        """Send what gathered, then close within a bounded time."""
        if self._closing:
            return
        self._closing = True
        self.outbox.flush()
        self.outbox.close()
        self._gateway.metrics.count("closes", str(code))
        self._gateway.spawn(self._gateway.end(self._socket, code, reason))

    def burst(self) -> None:
        """Measure the line several times now."""
        self._gateway.watch(self.pulse)

    # What the socket tells

    def frame(self, frame: Frame) -> None:
        """A frame came in; only those that are no whole message matter here."""
        if frame.opcode is Opcode.PONG:
            self._gateway.pong(self.pulse, bytes(frame.data))
        elif frame.opcode is Opcode.TEXT and frame.fin:
            return
        if self.session.pause():
            self._socket.transport.pause_reading()
            if not self._deaf:
                self._deaf = True
                self._read_on()

    def _read_on(self) -> None:
        """Read again once the session wants to, unless its messages pile up."""
        wait = self.session.held_s
        if wait > 0:
            self._gateway.clock.later(wait, self._read_on)
            return
        self._deaf = False
        if not self._socket.recv_messages.paused:
            self._socket.transport.resume_reading()


class Gateway:
    """Admits, reads and ends the connections of one server.

    Args:
        config: the settings.
        site: answers plain HTTP.
        new_session: makes the session of a new connection.
        clock: for pings and pauses.
        metrics: counts.
        spawn: starts a task that belongs to the server's task group.
        addresses: what every client's address has in use.
    """

    def __init__(
        self,
        config: Config,
        site: Site,
        new_session: NewSession,
        clock: Clock,
        metrics: Metrics,
        spawn: Spawn,
        addresses: PerAddress,
    ) -> None:
        self.config = config
        self.limits = config.limits
        self.new_session = new_session
        self.metrics = metrics
        self.spawn = spawn
        self.postman = Postman(asyncio.get_running_loop().call_soon)
        self._site = site
        self.clock = clock
        self._proxies = config.proxies()
        self._addresses = addresses
        self._numbers = count(1)
        self._pinger = Pinger()
        self._ping_timer: Timer | None = None
        self._peers: set[Peer] = set()

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        """Accept connections while the context lasts, then end them all with 1012.

        Yields:
            The port.

        Raises:
            OSError: the address cannot be listened on.
        """
        server = await serve(
            self._handle,
            self.config.bind,
            self.config.port,
            create_connection=type("Ours", (Socket,), {"gateway": self}),
            process_request=self._answer,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            select_subprotocol=_choose,
            compression=None,
            server_header=SERVER,
            open_timeout=self.limits.open_timeout_ms / 1_000,
            ping_interval=None,
            close_timeout=self.limits.close_timeout_ms / 1_000,
            max_size=self.limits.up_bytes,
            max_queue=QUEUE,
        )
        try:
            yield next(iter(server.sockets)).getsockname()[1]
        finally:
            server.close(close_connections=False)
            for peer in list(self._peers):
                peer.session.shut_down()
            await server.wait_closed()
            if self._ping_timer is not None:
                self._ping_timer.cancel()

    # Admission

    def opened(self, socket: Socket) -> None:
        """A TCP connection was accepted."""
        remote = socket.remote_address
        if not isinstance(remote, tuple) or within(remote[0], self._proxies):
            return  # behind a proxy the request will name the client
        if not self._count(socket, remote[0]):
            socket.transport.write(TOO_MANY)
            socket.transport.close()

    def closed(self, socket: Socket) -> None:
        """A TCP connection has ended."""
        if socket.counted is not None:
            self._addresses.disconnect(socket.counted)

    def _count(self, socket: Socket, address: str) -> bool:
        if not self._addresses.connect(address):
            return False
        socket.counted = address
        return True

    # Plain HTTP

    async def _answer(
        self, connection: ServerConnection, request: HttpRequest
    ) -> Response | None:
        connection = cast("Socket", connection)
        asked = self._request(connection, request)
        if connection.counted is None and not self._count(connection, asked.peer):
            return _response(Answer(429), asked)
        answer = await self._site.answer(asked)
        if answer is None:
            return None
        self.metrics.count("requests", str(answer.status))
        return _response(answer, asked)

    def _request(self, connection: ServerConnection, request: HttpRequest) -> Request:
        headers = request.headers
        remote = connection.remote_address
        direct = remote[0] if isinstance(remote, tuple) else ""
        forwarded = headers.get_all("X-Forwarded-For")
        address = client_address(direct, forwarded, self._proxies)
        proxied = any(
            name in headers for name in ("X-Forwarded-For", "Forwarded", "Via")
        )
        return Request(
            method=request.method,
            target=request.path,
            host=_only(headers, "Host"),
            origin=_only(headers, "Origin") if "Origin" in headers else None,
            peer=address,
            local=is_loopback(direct) and not proxied,
            etag=_only(headers, "If-None-Match"),
        )

    # WebSocket

    async def _handle(self, connection: ServerConnection) -> None:
        connection = cast("Socket", connection)
        asked = self._request(connection, cast("HttpRequest", connection.request))
        peer = Peer(connection, self, next(self._numbers), asked)
        connection.peer = peer
        self._peers.add(peer)
        self.metrics.count("connections")
        _log.info("connected", extra={"conn": peer.id, "address": asked.peer})
        self.watch(peer.pulse)
        try:
            await self._read(connection, peer.session)
        except ConnectionClosed:
            pass
        finally:
            peer.pulse.over = True
            peer.outbox.close()
            peer.session.lost()
            self._peers.discard(peer)
            _log.info(
                "disconnected", extra={"conn": peer.id, "code": connection.close_code}
            )
            # The library's own close would wait for ever for a peer that stalls.
            await self.end(connection, 1011, "")

    async def _read(self, connection: Socket, session: Session) -> None:
        try:
            async with asyncio.timeout(self.limits.hello_timeout_ms / 1_000):
                first = await connection.recv()
        except TimeoutError:
            session.no_hello()
            await connection.wait_closed()
            return
        session.receive(first)
        while True:
            message = await connection.recv()
            if pause := session.pause():
                await self.clock.sleep(pause)  # nothing more is read meanwhile
            session.receive(message)

    async def end(self, connection: Socket, code: int, reason: str) -> None:
        """Close a connection; at the latest after the close timeout it is cut."""
        try:
            async with asyncio.timeout(self.limits.close_timeout_ms / 1_000):
                await connection.close(code, reason)
        except TimeoutError:
            connection.transport.abort()

    # Pings

    def watch(self, pulse: Pulse) -> None:
        """Measure a line, at once several times and then now and again."""
        now = self.clock.now_ms()
        self._pinger.add(pulse, now)
        self._beat_in(0)

    def pong(self, pulse: Pulse, payload: bytes) -> None:
        """A pong came."""
        rtt = pulse.pong(payload, self.clock.now_ms())
        if rtt is not None:
            self.metrics.rtt_seconds.add(rtt / 1_000)

    def _beat_in(self, ms: int) -> None:
        if self._ping_timer is not None:
            self._ping_timer.cancel()
        self._ping_timer = self.clock.later(ms / 1_000, self._beat)

    def _beat(self) -> None:
        self._ping_timer = None
        now = self.clock.now_ms()
        due = self._pinger.beat(now)
        if due is not None:
            self._beat_in(max(1, due - now))


def _choose(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Our subprotocol where it is offered; a client may offer none."""
    ours = Subprotocol(SUBPROTOCOL)
    return ours if ours in offered else None


def _only(headers: Headers, name: str) -> str:
    """A header's value; several of them are as bad as a strange one."""
    return ", ".join(headers.get_all(name))


def _response(answer: Answer, request: Request) -> Response:
    headers = Headers(
        {
            "Date": formatdate(usegmt=True),
            "Connection": "close",
            "Content-Type": answer.type,
            "Content-Length": str(len(answer.body)),
            **SECURITY,
            **answer.headers,
        }
    )
    body = b"" if request.method == "HEAD" else answer.body
    return Response(answer.status, HTTPStatus(answer.status).phrase, headers, body)
