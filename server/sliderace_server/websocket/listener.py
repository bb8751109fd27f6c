"""Accepts connections on the server's port, reads their messages and closes them."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from itertools import count
from socket import socket
from ssl import SSLContext
from typing import Any, Protocol, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HttpRequest, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from sliderace.protocol.version import SUBPROTOCOL
from sliderace_server.clock import Clock, Timer
from sliderace_server.http.proxy_headers import ClientAddresses, is_loopback
from sliderace_server.http.routes import SECURITY, Answer, Request, Routes, message
from sliderace_server.limits import PerAddress
from sliderace_server.metrics import Metrics
from sliderace_server.settings import ServerSettings
from sliderace_server.storage.log_writer import Spawn
from sliderace_server.websocket.admission import AdmissionQueue, LoopClock
from sliderace_server.websocket.connection import Connection
from sliderace_server.websocket.frame_tap import IGNORED, TappedWebSocket
from sliderace_server.websocket.heartbeat import Heartbeat, Pinger
from sliderace_server.websocket.passed_socket import PassedWebSocket
from sliderace_server.websocket.send_queue import BEHIND_SHARE, Flusher
from sliderace_server.websocket.session import Session

__all__ = ["Acceptor", "CannotListen", "Listener"]

_log = logging.getLogger(__name__)

SERVER = "sliderace"
"""The Server header; it does not reveal which library we use."""
TOO_MANY = (
    b"HTTP/1.1 429 Too Many Requests\r\n"
    b"Connection: close\r\nContent-Length: 0\r\nRetry-After: 10\r\n\r\n"
)
MAX_LIBRARY_QUEUE = 4
"""Frames that the library may queue per connection while we do not read: each is up to
2 KiB, and they are not counted against the rate limits yet."""

LARGE_ANSWER = 65_536
"""Larger HTTP responses may not fit into the operating system's buffers."""

PAUSE_CHECK_S = 0.5
"""While we read nothing from a peer, how often we check that it is still connected."""

NewSession = Callable[[Connection], Session]


Adopt = Callable[[socket, bytes, bool, str], None]
"""Adopts a connection, given its socket, what was read from it, whether its request has
been answered, and the address for which it is counted."""


class CannotListen(Exception):
    """The server cannot listen on this address; the text says why."""


class Acceptor(Protocol):
    """Accepts connections in another process and passes them to this one.

    Attributes:
        port: the port on which the other process listens.
    """

    port: int

    def start(self, adopt: Adopt) -> None:
        """Begin to pass connections to `adopt`."""
        ...

    def stop(self) -> None:
        """Pass no more connections."""
        ...

    def disconnected(self, address: str) -> None:
        """Note that a connection has ended that was counted for an address."""
        ...


class _NoPort:
    """Stands in for the event loop's server if another process listens."""

    sockets = ()

    def __init__(self) -> None:
        self._serving = True

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def is_serving(self) -> bool:
        return self._serving

    def close(self) -> None:
        self._serving = False

    async def wait_closed(self) -> None:
        """Return at once: the library itself waits for its connections."""


class Listener:
    """Accepts connections on the server's port, reads their messages and closes them.

    Args:
        settings: the server's settings.
        routes: answers plain HTTP requests.
        new_session: makes the session of a new connection.
        clock: for pings and pauses.
        metrics: the server's metrics.
        spawn: starts a task in the server's task group.
        clients: finds the address of each client.
        addresses: limits per client address.
        flusher: flushes the send queues.
        tls: certificate and key; None: no TLS.
        acceptor: accepts connections in another process; None: this one listens.
    """

    def __init__(
        self,
        settings: ServerSettings,
        routes: Routes,
        new_session: NewSession,
        clock: Clock,
        metrics: Metrics,
        spawn: Spawn,
        clients: ClientAddresses,
        addresses: PerAddress,
        flusher: Flusher,
        tls: SSLContext | None = None,
        acceptor: Acceptor | None = None,
    ) -> None:
        self._settings = settings
        self._acceptor = acceptor
        self.limits = settings.limits
        self.new_session = new_session
        self.metrics = metrics
        self.spawn = spawn
        self.port = settings.port
        self.flusher = flusher
        self._routes = routes
        self._tls = tls
        self.clock = clock
        self.admission = AdmissionQueue(LoopClock())
        self._hellos = AdmissionQueue(LoopClock())
        self._clients = clients
        self._addresses = addresses
        self._numbers = count(1)
        self._pinger = Pinger()
        self._ping_timer: Timer | None = None
        self._ping_due = 0
        self._connections: dict[Connection, None] = {}  # in order, for simulations

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncGenerator[int, None]:
        """Accept connections inside the context; at its end close them with 1012.

        Yields:
            The port.

        Raises:
            CannotListen: the address is in use or does not belong to this machine.
        """
        try:
            server = await self._serve()
        except OSError as error:
            raise CannotListen(error.strerror or str(error)) from error
        try:
            if (acceptor := self._acceptor) is None:
                self.port = int(server.sockets[0].getsockname()[1])
            else:
                self.port = acceptor.port
                acceptor.start(partial(self._adopt, server, acceptor))
            yield self.port
        finally:
            if self._acceptor is not None:
                self._acceptor.stop()
            server.close(close_connections=False)
            for connection in list(self._connections):
                connection.session.shut_down()
            await server.wait_closed()
            self.admission.close()
            self._hellos.close()
            if self._ping_timer is not None:
                self._ping_timer.cancel()

    async def _serve(self) -> Server:
        server = serve(
            self._handle,
            cast("str", self._hosts()),  # passed on to asyncio, which accepts a list
            self._settings.port,
            create_connection=type("Accepted", (TappedWebSocket,), {"listener": self}),
            process_request=self._answer_http,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            select_subprotocol=_select_subprotocol,
            compression=None,
            server_header=SERVER,
            **self._tls_options(),
            # For the answer; `TappedWebSocket` has a shorter timeout for the request.
            open_timeout=self.limits.answer_timeout_ms / 1_000,
            max_size=self.limits.up_bytes,
            **self._connection_options(),
        )
        if self._acceptor is not None:
            vars(server)["create_server"] = _no_port
        return await server

    def _connection_options(self) -> dict[str, Any]:
        return {
            "ping_interval": None,
            "close_timeout": self.limits.close_timeout_ms / 1_000,
            "write_limit": self.limits.unsent_bytes // BEHIND_SHARE,
            "max_queue": MAX_LIBRARY_QUEUE,
        }

    def _adopt(
        self,
        server: Server,
        acceptor: Acceptor,
        sock: socket,
        data: bytes,
        answered: bool,
        address: str,
    ) -> None:
        """Adopt a connection that another process has accepted; see `Adopt`."""

        def made() -> PassedWebSocket:
            protocol = ServerProtocol(
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                select_subprotocol=_select_subprotocol,
                max_size=self.limits.up_bytes,
            )
            options = self._connection_options()
            websocket = PassedWebSocket(protocol, server, **options)
            websocket.listener = self
            websocket.initial, websocket.answered = data, answered
            websocket.for_address, websocket.ended = address, acceptor.disconnected
            return websocket

        async def connect() -> None:
            try:
                loop = asyncio.get_running_loop()
                await loop.connect_accepted_socket(made, sock)
            except OSError:  # it has been closed
                sock.close()
                acceptor.disconnected(address)

        self.spawn(connect())

    def _tls_options(self) -> dict[str, Any]:
        if self._tls is None:
            return {}
        limits = self.limits
        return {
            "ssl": self._tls,
            "ssl_handshake_timeout": limits.open_timeout_ms / 1_000,
            "ssl_shutdown_timeout": limits.close_timeout_ms / 1_000,
        }

    def _hosts(self) -> str | list[str]:
        """Return the addresses to listen on; asyncio makes `::` IPv6-only."""
        if self._settings.bind == "::" and self._settings.port:
            return ["::", "0.0.0.0"]  # noqa: S104 - :: means all addresses
        return self._settings.bind

    # --- connection counts -----------------------------------------------------------

    def opened(self, websocket: TappedWebSocket) -> None:
        """Count a new TCP connection, or refuse it if its address has too many."""
        address = _remote_address(websocket)
        if is_loopback(address) or self._clients.trusts(address):
            return  # the request will name the client
        if not self._count(websocket, address):
            websocket.transport.write(TOO_MANY)
            websocket.transport.close()

    def closed(self, websocket: TappedWebSocket) -> None:
        """Stop counting a TCP connection that has ended."""
        if websocket.counted_address is not None:
            self._addresses.disconnect(websocket.counted_address)
            if websocket.large_answer_bytes:
                self._addresses.sent(
                    websocket.counted_address, websocket.large_answer_bytes
                )

    def _count(self, websocket: TappedWebSocket, address: str) -> bool:
        if not self._addresses.connect(address):
            return False
        websocket.counted_address = address
        return True

    # --- plain HTTP ------------------------------------------------------------------

    async def _answer_http(
        self, websocket: ServerConnection, http_request: HttpRequest
    ) -> Response | None:
        websocket = cast("TappedWebSocket", websocket)
        request = websocket.parsed_request = self._request(websocket, http_request)
        if websocket.counted_address is None and not self._count(
            websocket, request.peer
        ):
            return _response(message(429, "http.too_many_connections"), request)
        if isinstance(websocket, PassedWebSocket) and websocket.answered:
            return None  # it has been checked, and counts once
        answer = await self._routes.answer(request)
        if answer is None and not any(
            name.startswith(IGNORED) for name in http_request.headers
        ):
            return None
        answer = answer or message(400, "http.unexpected_body")
        if len(answer.body) > LARGE_ANSWER:
            answer = self._large_answer(websocket, answer)
        self.metrics.count("requests", str(answer.status))
        fields = {"address": request.peer, "target": request.target}
        _log.debug(request.method, extra={**fields, "status": answer.status})
        return _response(answer, request)

    def _large_answer(self, websocket: TappedWebSocket, answer: Answer) -> Answer:
        """Allow the client more time, but limit the unread bytes per address."""
        size, address = len(answer.body), cast("str", websocket.counted_address)
        if not self._addresses.sending(address, size):
            return message(429, "http.one_download", {"Retry-After": "2"})
        websocket.large_answer_bytes = size
        websocket.close_timeout = self.limits.answer_timeout_ms / 1_000
        return answer

    def _request(self, websocket: ServerConnection, request: HttpRequest) -> Request:
        headers = request.headers
        direct, path = _remote_address(websocket), request.path.partition("?")[0]
        forwarded = headers.get_all("X-Forwarded-For")
        return Request(
            method=request.method,
            target=request.path,
            host=_joined(headers, "Host"),
            origin=_joined(headers, "Origin") if "Origin" in headers else None,
            peer=self._clients.client(direct, path, headers, forwarded),
            authorization=_joined(headers, "Authorization"),
            etag=_joined(headers, "If-None-Match"),
            gzip="gzip" in _joined(headers, "Accept-Encoding"),
            direct=self._clients.is_direct(direct, headers),
        )

    # --- WebSocket -------------------------------------------------------------------

    async def _handle(self, websocket: ServerConnection) -> None:
        websocket = cast("TappedWebSocket", websocket)
        connection = self._connect(websocket)
        try:
            await self._read(websocket, connection)
        except ConnectionClosed:
            pass
        finally:
            connection.heartbeat.end()
            connection.send_queue.close()
            connection.session.disconnected()
            self._connections.pop(connection, None)
            fields = {
                "conn": connection.id,
                "address": connection.address,
                "code": websocket.close_code,
            }
            _log.info(
                "passed on" if websocket.passed_on else "disconnected", extra=fields
            )
            if websocket.state is not State.CLOSED:
                # The library's own close would wait forever for a peer that stalls.
                await self.end(websocket, 1011, "")

    def _connect(self, websocket: TappedWebSocket) -> Connection:
        request = cast("Request", websocket.parsed_request)
        # Not needed any more, and a fifth of the memory of an idle connection.
        for head in (websocket.request, websocket.response):
            if head is not None:
                head.headers.clear()
        connection = Connection(websocket, self, next(self._numbers), request)
        websocket.on_frame = connection.receive_frame
        websocket.on_pong = connection.receive_pong
        websocket.on_behind = connection.set_behind
        websocket.resume()  # process what followed the request
        self._connections[connection] = None
        self.metrics.count("connections")
        fields = {"conn": connection.id, "address": request.peer}
        _log.debug("connected", extra=fields)  # a join or refusal follows
        return connection

    async def _read(self, websocket: TappedWebSocket, connection: Connection) -> None:
        session = connection.session
        try:
            async with asyncio.timeout(self.limits.hello_timeout_ms / 1_000):
                first = await websocket.recv()
        except TimeoutError:
            session.hello_timed_out()
            await websocket.wait_closed()
            return
        await self._admit_hello()
        if websocket.state is State.OPEN:  # it may have closed meanwhile
            session.receive(first)
        websocket.message_handled()
        websocket.on_text = connection.receive_text
        while True:  # messages that the tap leaves to the library, such as fragmented
            message = await websocket.recv()
            await self._pause(websocket, connection.throttle())
            session.receive(message)
            websocket.message_handled()

    async def _admit_hello(self) -> None:
        """Wait for admission: a hello to a large room is expensive."""
        admitted = asyncio.get_running_loop().create_future()

        def admit() -> bool:
            if admitted.done():
                return False
            admitted.set_result(None)
            return True

        self._hellos.enqueue(admit)
        await admitted

    async def _pause(self, websocket: TappedWebSocket, seconds: float) -> None:
        """Read nothing for some seconds, unless the connection ends."""
        while seconds > 0 and websocket.state is State.OPEN:
            step = min(seconds, PAUSE_CHECK_S)
            await self.clock.sleep(step)
            seconds -= step

    async def end(self, websocket: TappedWebSocket, code: int, reason: str) -> None:
        """Close a connection; abort it after the close timeout."""
        try:
            async with asyncio.timeout(self.limits.close_timeout_ms / 1_000):
                await websocket.close(code, reason)
        except TimeoutError:
            websocket.transport.abort()

    # --- heartbeats ------------------------------------------------------------------

    def start_heartbeat(self, heartbeat: Heartbeat) -> None:
        """Ping a connection, first in a burst and then regularly."""
        now = self.clock.now_ms()
        self._beat_at(self._pinger.add(heartbeat, now), now)

    def forget_pings(self, since: int, now: int) -> None:  # noqa: ARG002
        """Forget all pings, because the server stood still from `since` to `now`."""
        for connection in self._connections:
            connection.heartbeat.forget()

    def _beat_at(self, due: int, now: int) -> None:
        if self._ping_timer is not None:
            if self._ping_due <= due:
                return
            self._ping_timer.cancel()
        self._ping_due = due
        self._ping_timer = self.clock.later(max(0, due - now) / 1_000, self._beat)

    def _beat(self) -> None:
        self._ping_timer = None
        now = self.clock.now_ms()
        due = self._pinger.beat(now)
        if due is not None:
            self._beat_at(max(now + 1, due), now)


async def _no_port() -> _NoPort:
    return _NoPort()


def _select_subprotocol(
    _: ServerConnection | ServerProtocol, offered: Sequence[Subprotocol]
) -> Subprotocol | None:
    """Return our subprotocol if the client offers it; it may offer none."""
    ours = Subprotocol(SUBPROTOCOL)
    return ours if ours in offered else None


def _remote_address(websocket: ServerConnection) -> str:
    """Return the IP address of the peer; empty if it has disconnected."""
    try:
        remote = cast("tuple[str, int] | None", websocket.remote_address)
    except ValueError:  # uvloop has closed its socket
        return ""
    return remote[0] if remote else ""


def _joined(headers: Headers, name: str) -> str:
    """Return a header's values joined, so that a repeated header is not accepted."""
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
