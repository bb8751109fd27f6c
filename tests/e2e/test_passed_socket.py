"""A connection that another process has accepted, on a server without a port."""

import asyncio
import contextlib
import gc
import socket
from collections.abc import AsyncGenerator

from tests.e2e.protocol_client import ProtocolClient, connected, running_server

from sliderace.protocol import messages as m
from sliderace_server.websocket.listener import Acceptor, Adopt
from sliderace_server.websocket.passed_socket import MAX_KEPT, PassedWebSocket


class OwnAcceptor(Acceptor):
    """Accepts connections and passes each to the server, after its first bytes."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.setblocking(False)
        self.port = self.listening.getsockname()[1]
        self.endings: list[str] = []
        self.adopt: Adopt | None = None

    def start(self, adopt: Adopt) -> None:
        self.adopt = adopt
        asyncio.get_running_loop().add_reader(self.listening, self._accept)

    def stop(self) -> None:
        asyncio.get_running_loop().remove_reader(self.listening)
        self.listening.close()

    def disconnected(self, address: str) -> None:
        self.endings.append(address)

    def _accept(self) -> None:
        sock, _ = self.listening.accept()
        sock.setblocking(False)
        assert self.adopt is not None
        self.adopt(sock, b"", False, "192.0.2.7")


def websocket_of(client: ProtocolClient) -> PassedWebSocket:
    """Return the server's side of a connection."""
    local = client.socket.local_address
    (found,) = (
        one
        for one in gc.get_objects()
        if type(one) is PassedWebSocket and one.remote_address == local
    )
    return found


@contextlib.asynccontextmanager
async def serving() -> AsyncGenerator[OwnAcceptor]:
    acceptor = OwnAcceptor()
    async with running_server(acceptor=acceptor) as server:
        assert server.port == acceptor.port
        yield acceptor


async def test_nothing_is_added_to_the_path_of_a_slide() -> None:
    async with serving() as acceptor:
        async with connected(acceptor.port) as client:
            await client.socket.ping()
            websocket = websocket_of(client)
            assert "data_received" in vars(websocket)
            await client.send(m.Hello(v=1, enter=m.Create("Ann")))
            await client.until(m.Welcome)
            assert "data_received" not in vars(websocket)
            await client.sync()
        await asyncio.sleep(0)
    assert acceptor.endings == ["192.0.2.7"]


async def test_all_bytes_are_passed_on_with_a_connection() -> None:
    """Here it is passed on to the same server, which continues."""
    async with serving() as acceptor, connected(acceptor.port) as client:
        websocket = websocket_of(client)
        detached = websocket.detach()
        assert detached is not None
        descriptor, data, address = detached
        assert data.startswith(b"GET /ws HTTP/1.1\r\n")
        assert acceptor.adopt is not None
        acceptor.adopt(socket.socket(fileno=descriptor), data, True, address)
        await client.send(m.Hello(v=1, enter=m.Create("Ann")))
        assert (await client.until(m.Welcome)).code
        assert acceptor.endings == []


async def test_a_connection_that_has_sent_too_much_is_not_passed_on() -> None:
    async with serving() as acceptor, connected(acceptor.port) as client:
        websocket = websocket_of(client)
        pong = b"\x8a\xfd" + bytes(4 + 125)
        for _ in range(MAX_KEPT // len(pong) + 1):
            websocket.data_received(pong)
        assert websocket.detach() is None


async def test_a_connection_that_is_closing_is_not_passed_on() -> None:
    async with serving() as acceptor, connected(acceptor.port) as client:
        websocket = websocket_of(client)
        websocket.transport.abort()
        assert websocket.detach() is None


async def test_a_refusal_after_the_answer_ends_the_connection() -> None:
    """Its client would take the refusal for a frame."""
    async with serving() as acceptor:
        ours, theirs = socket.socketpair()
        head = b"GET /api/rooms HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        assert acceptor.adopt is not None
        acceptor.adopt(theirs, head, True, "")
        ours.setblocking(False)
        with ours:
            assert await asyncio.get_running_loop().sock_recv(ours, 1) == b""
