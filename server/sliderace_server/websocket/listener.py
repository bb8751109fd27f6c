"""Admits, reads and ends the connections of one server."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from email.utils import formatdate
from http import HTTPStatus
from itertools import count
from ssl import SSLContext
from typing import Any, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HttpRequest, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

from sliderace.protocol.version import SUBPROTOCOL
from sliderace_server.clock import Clock, Timer
from sliderace_server.http.proxy_headers import client_address, within
from sliderace_server.http.routes import SECURITY, Answer, Request, Routes
from sliderace_server.limits import PerAddress, is_loopback
from sliderace_server.live_room.services import Spawn
from sliderace_server.metrics import Metrics
from sliderace_server.settings import ServerSettings
from sliderace_server.websocket.admission import AdmissionQueue, LoopTime
from sliderace_server.websocket.connection import Peer
from sliderace_server.websocket.frame_tap import Socket
from sliderace_server.websocket.heartbeat import Heartbeat, Pinger
from sliderace_server.websocket.send_queue import Flusher
from sliderace_server.websocket.session import Session

__all__ = ["CannotListen", "Listener"]

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

LARGE = 65_536
"""Bytes of an answer that the system's buffers may not take in one go."""

HOLD_STEP_S = 0.5
"""While we read nothing from a peer, this often we look whether it is still there."""

NewSession = Callable[[Peer], Session]


class CannotListen(Exception):
    """The address cannot be listened on; the text says why."""


class Listener:
    """Admits, reads and ends the connections of one server.

    Args:
        config: the settings.
        routes: answers plain HTTP.
        new_session: makes the session of a new connection.
        clock: for pings and pauses.
        metrics: counts.
        spawn: starts a task that belongs to the server's task group.
        addresses: what every client's address has in use.
        flusher: empties the outboxes.
        tls: certificate and key; None: the port speaks without.
    """

    def __init__(
        self,
        config: ServerSettings,
        routes: Routes,
        new_session: NewSession,
        clock: Clock,
        metrics: Metrics,
        spawn: Spawn,
        addresses: PerAddress,
        flusher: Flusher,
        tls: SSLContext | None = None,
    ) -> None:
        self.config = config
        self.limits = config.limits
        self.new_session = new_session
        self.metrics = metrics
        self.spawn = spawn
        self.port = config.port
        self.flusher = flusher
        self._site = routes
        self._tls = tls
        self.clock = clock
        self.admission = AdmissionQueue(LoopTime())
        self._hellos = AdmissionQueue(LoopTime())
        self._proxies = config.proxies()
        self._addresses = addresses
        self._numbers = count(1)
        self._pinger = Pinger()
        self._ping_timer: Timer | None = None
        self._peers: dict[Peer, None] = {}  # by age, so that a simulation repeats

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncGenerator[int, None]:
        """Accept connections while the context lasts, then end them all with 1012.

        Yields:
            The port.

        Raises:
            CannotListen: the address is not ours, or in use.
        """
        try:
            server = await self._serve()
        except OSError as error:
            raise CannotListen(error.strerror or str(error)) from error
        try:
            self.port = int(server.sockets[0].getsockname()[1])
            yield self.port
        finally:
            server.close(close_connections=False)
            for peer in list(self._peers):
                peer.session.shut_down()
            await server.wait_closed()
            self.admission.close()
            self._hellos.close()
            if self._ping_timer is not None:
                self._ping_timer.cancel()

    async def _serve(self) -> Server:
        return await serve(
            self._handle,
            cast("str", self._hosts()),  # it goes to asyncio, which takes a list
            self.config.port,
            create_connection=type("Ours", (Socket,), {"door": self}),
            process_request=self._answer,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            select_subprotocol=_choose,
            compression=None,
            server_header=SERVER,
            **self._secured(),
            # For a request there is less time, see `Socket`; this is for the answer.
            open_timeout=self.limits.answer_timeout_ms / 1_000,
            ping_interval=None,
            close_timeout=self.limits.close_timeout_ms / 1_000,
            max_size=self.limits.up_bytes,
            max_queue=QUEUE,
        )

    def _secured(self) -> dict[str, Any]:
        """What makes it speak TLS, if it does."""
        if self._tls is None:
            return {}
        limits = self.limits
        return {
            "ssl": self._tls,
            "ssl_handshake_timeout": limits.open_timeout_ms / 1_000,
            "ssl_shutdown_timeout": limits.close_timeout_ms / 1_000,
        }

    def _hosts(self) -> str | list[str]:
        """The addresses to listen on; `::` alone would be deaf to IPv4."""
        if self.config.bind == "::" and self.config.port:
            return ["::", "0.0.0.0"]  # noqa: S104 - that is what :: is asked for
        return self.config.bind

    # Admission

    def opened(self, socket: Socket) -> None:
        """A TCP connection was accepted."""
        address = _address(socket)
        if within(address, self._proxies):
            return  # behind a proxy the request will name the client
        if not self._count(socket, address):
            socket.transport.write(TOO_MANY)
            socket.transport.close()

    def closed(self, socket: Socket) -> None:
        """A TCP connection has ended."""
        if socket.counted is not None:
            self._addresses.disconnect(socket.counted)
            if socket.unread:
                self._addresses.sent(socket.counted, socket.unread)

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
        if len(answer.body) > LARGE:
            answer = self._large(connection, answer)
        self.metrics.count("requests", str(answer.status))
        extra = {"address": asked.peer, "target": asked.target, "status": answer.status}
        _log.debug(asked.method, extra=extra)
        return _response(answer, asked)

    def _large(self, connection: Socket, answer: Answer) -> Answer:
        """Have patience with who reads a large answer, but not with many of them."""
        size, address = len(answer.body), cast("str", connection.counted)
        if not self._addresses.sending(address, size):
            return Answer(429, b"One after the other.\n", headers={"Retry-After": "2"})
        connection.unread = size
        connection.close_timeout = self.limits.answer_timeout_ms / 1_000
        return answer

    def _request(self, connection: ServerConnection, request: HttpRequest) -> Request:
        headers = request.headers
        direct = _address(connection)
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
            packs="gzip" in _only(headers, "Accept-Encoding"),
        )

    # WebSocket

    async def _handle(self, connection: ServerConnection) -> None:
        connection = cast("Socket", connection)
        peer = self._admit(connection)
        try:
            await self._read(connection, peer)
        except ConnectionClosed:
            pass
        finally:
            peer.heartbeat.end()
            peer.send_queue.close()
            peer.session.lost()
            self._peers.pop(peer, None)
            _log.info(
                "disconnected", extra={"conn": peer.id, "code": connection.close_code}
            )
            # The library's own close would wait for ever for a peer that stalls.
            await self.end(connection, 1011, "")

    def _admit(self, connection: Socket) -> Peer:
        request = cast("HttpRequest", connection.request)
        asked = self._request(connection, request)
        # A fifth of what an idle connection would hold, and never looked at again.
        request.headers.clear()
        if connection.response is not None:
            connection.response.headers.clear()
        peer = Peer(connection, self, next(self._numbers), asked)
        connection.frames = peer.frame
        connection.pongs = peer.pong
        connection.go_on()  # with what came behind the request
        self._peers[peer] = None
        self.metrics.count("connections")
        _log.info("connected", extra={"conn": peer.id, "address": asked.peer})
        self.watch(peer.heartbeat)
        return peer

    async def _read(self, connection: Socket, peer: Peer) -> None:
        session = peer.session
        try:
            async with asyncio.timeout(self.limits.hello_timeout_ms / 1_000):
                first = await connection.recv()
        except TimeoutError:
            session.no_hello()
            await connection.wait_closed()
            return
        await self._turn()
        if connection.state is State.OPEN:  # else it has gone meanwhile
            session.receive(first)
        connection.answered()
        connection.texts = peer.text
        while True:  # what the socket leaves to the library, as a fragmented message
            message = await connection.recv()
            await self._hold(connection, session.pause())
            session.receive(message)
            connection.answered()

    async def _turn(self) -> None:
        """Stand in the line of those who say hello: a large room makes that dear."""
        turn = asyncio.get_running_loop().create_future()

        def enter() -> bool:
            if turn.done():
                return False
            turn.set_result(None)
            return True

        self._hellos.come(enter)
        await turn

    async def _hold(self, connection: Socket, pause: float) -> None:
        """Read nothing for so many seconds, unless the connection ends."""
        while pause > 0 and connection.state is State.OPEN:
            step = min(pause, HOLD_STEP_S)
            await self.clock.sleep(step)
            pause -= step

    async def end(self, connection: Socket, code: int, reason: str) -> None:
        """Close a connection; at the latest after the close timeout it is cut."""
        try:
            async with asyncio.timeout(self.limits.close_timeout_ms / 1_000):
                await connection.close(code, reason)
        except TimeoutError:
            connection.transport.abort()

    # Pings

    def watch(self, heartbeat: Heartbeat) -> None:
        """Measure a line, at once several times and then now and again."""
        now = self.clock.now_ms()
        self._pinger.add(heartbeat, now)
        self._beat_in(0)

    def pong(self, heartbeat: Heartbeat, payload: bytes) -> None:
        """A pong came."""
        rtt = heartbeat.pong(payload, self.clock.now_ms())
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


def _address(connection: ServerConnection) -> str:
    """The other end of the TCP connection; empty where it is gone already."""
    remote = cast("tuple[str, int] | None", connection.remote_address)
    return remote[0] if remote else ""


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
