"""Flood a server: `python -m tests.chaos.floods KIND PORT CODE`.

A flood comes from one address, as fast as possible, until the program is killed. The
server is at the address `FLOOD_HOST`, by default on this machine. The program prints
"begun" once the flood has begun. It runs at idle priority, so that measurements show
the load on the server, not on the machine.
"""

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import Awaitable, Callable

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.protocol import State

from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command

__all__ = ["FLOODS"]

HOST = os.environ.get("FLOOD_HOST", "127.0.0.1")
ADDRESS = "203.0.113.9"
"""The floods' address, as their proxy reports it; ignored unless it is trusted."""
CONNECTIONS = 5
"""Connections of a flood of messages."""
READERS = 20
HANDSHAKES = 150

Flood = Callable[[int, str], Awaitable[None]]


def masked(opcode: int, payload: bytes) -> bytes:
    """Return a client frame; the mask is zero."""
    size = len(payload)
    if size < 126:
        head = bytes((opcode, 0x80 | size))
    elif size < 65_536:
        head = bytes((opcode, 0xFE)) + size.to_bytes(2)
    else:
        head = bytes((opcode, 0xFF)) + size.to_bytes(8)
    return head + bytes(4) + payload


def begun() -> None:
    """Report that the flood has begun."""
    with contextlib.suppress(ValueError):  # already reported
        print("begun", flush=True)
        sys.stdout.close()


def connect_to(port: int) -> connect:
    return connect(
        f"ws://{HOST}:{port}/ws",
        proxy=None,
        compression=None,
        additional_headers={"X-Forwarded-For": ADDRESS},
        max_queue=None,
        close_timeout=0.5,
    )


async def hello(
    connection: ClientConnection, enter: m.Create | m.Join | m.Open
) -> None:
    await connection.send(encode_command(m.Hello(v=1, enter=enter)))
    await connection.recv()


async def send_forever(port: int, code: str, data: bytes) -> None:
    """Watch the room and send the same bytes forever; reconnect when closed."""
    while True:
        with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
            async with connect_to(port) as connection:
                await hello(connection, m.Join(code, "Flood", "spectator"))
                begun()
                while connection.state is State.OPEN:
                    if connection.transport.get_write_buffer_size() < 65_536:
                        connection.transport.write(data)
                    await asyncio.sleep(0.002)
        await asyncio.sleep(0.05)


def messages(data: bytes) -> Flood:
    async def flood(port: int, code: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(CONNECTIONS):
                tasks.create_task(send_forever(port, code, data))

    return flood


def requests(request: bytes, *, hold: bool = False) -> Flood:
    """Open connections, send something, and close or keep them."""

    async def one(port: int) -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(HOST, port)
                writer.write(request)
                begun()
                if hold:
                    await reader.read()
                writer.close()
            await asyncio.sleep(0.001)

    async def flood(port: int, _code: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(HANDSHAKES if hold else CONNECTIONS):
                tasks.create_task(one(port))

    return flood


def handshakes(enter: m.Join | m.Open | None, data: bytes = b"") -> Flood:
    """Complete handshakes, each with a `hello` if there is one."""

    async def one(port: int) -> None:
        while True:
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
                async with connect_to(port) as connection:
                    begun()
                    if enter is not None:
                        await hello(connection, enter)
                    if connection.state is State.OPEN:
                        connection.transport.write(data)
                    await asyncio.sleep(0)
            begun()

    async def flood(port: int, _code: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(CONNECTIONS):
                tasks.create_task(one(port))

    return flood


def visits(enter: Callable[[str], m.Join | m.Create], bye: m.Command | None) -> Flood:
    """Enter a room and leave it by a command, or by a reset connection."""

    async def one(port: int, code: str) -> None:
        while True:
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
                async with connect_to(port) as connection:
                    await hello(connection, enter(code))
                    begun()
                    if bye is None:
                        connection.transport.abort()
                    else:
                        await connection.send(encode_command(bye))
                        await connection.wait_closed()
            await asyncio.sleep(0)

    async def flood(port: int, code: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(CONNECTIONS):
                tasks.create_task(one(port, code))

    return flood


async def closing_connections(port: int, _code: str) -> None:
    """Get refused, then send pings and never answer the close."""
    refused = encode_command(m.Hello(v=2, enter=m.Open())).encode()

    async def one() -> None:
        while True:
            with contextlib.suppress(InvalidHandshake, OSError):
                async with connect_to(port) as connection:
                    transport = connection.transport
                    transport.write(masked(0x81, refused))
                    transport.pause_reading()
                    begun()
                    while not transport.is_closing():
                        if transport.get_write_buffer_size() < 65_536:
                            transport.write(masked(0x89, b"") * 500)
                        await asyncio.sleep(0.002)
            await asyncio.sleep(0.01)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(CONNECTIONS):
            tasks.create_task(one())


async def spectators_never_reading(port: int, code: str) -> None:
    """Connect many spectators that ask for snapshots and read nothing."""
    asking = encode_command(m.Resync()).encode()

    async def one_reader() -> None:
        async with connect_to(port) as connection:
            sock = connection.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            await hello(connection, m.Join(code, "Mute", "spectator"))
            connection.transport.pause_reading()
            begun()
            while connection.state is State.OPEN:
                connection.transport.write(masked(0x81, asking))
                await asyncio.sleep(0.05)

    async def reader() -> None:
        while True:
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
                await one_reader()
            await asyncio.sleep(0.1)  # until other connections have ended

    async with asyncio.TaskGroup() as tasks:
        for _ in range(READERS):
            tasks.create_task(reader())


async def unread_pages(port: int, _code: str) -> None:
    """Request the largest files of the page and do not read them."""

    async def one() -> None:
        loop = asyncio.get_running_loop()
        while True:
            with contextlib.suppress(OSError):
                sock = socket.socket()
                sock.setblocking(False)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                await loop.sock_connect(sock, (HOST, port))
                head = f"Host: localhost\r\nX-Forwarded-For: {ADDRESS}\r\n\r\n"
                await loop.sock_sendall(
                    sock, f"GET /styles/base.css HTTP/1.1\r\n{head}".encode()
                )
                begun()
                await asyncio.sleep(1)
                sock.close()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(HANDSHAKES):
            tasks.create_task(one())


PING = b'{"t":"ping","id":1}'
UNFINISHED = b"GET /ws HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\n"

FLOODS: dict[str, Flood] = {
    "messages": messages(masked(0x81, PING) * 20),
    "pings": messages(masked(0x89, b"") * 50),
    "deeply nested messages": messages(masked(0x81, b"[" * 2_000)),
    "malformed messages": messages(masked(0x81, b"\xc3\xa9" * 900) * 4),
    "one-byte fragments": messages(
        masked(0x01, b"x") + masked(0x00, b"x") * 50 + masked(0x80, b"x")
    ),
    "giant frames": handshakes(None, masked(0x81, b"x" * 1_000_000)),
    "connects": requests(b""),
    "unfinished handshakes": requests(UNFINISHED, hold=True),
    "handshakes": handshakes(None),
    "wrong codes": handshakes(m.Join("BBBBBB", "X")),
    "new rooms": handshakes(m.Open()),
    "closing connections": closing_connections,
    "reserved codes": visits(lambda _: m.Create(name="Flood"), m.Close()),
    "join churn": visits(lambda code: m.Join(code, "Flood"), m.Leave()),
    "ghost seats": visits(lambda code: m.Join(code, "Flood"), None),
    "spectators that never read": spectators_never_reading,
    "pages that are not read": unread_pages,
}
"""Kind -> flood, which takes a port and a room code."""


if __name__ == "__main__":
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    kind, port_text, room = sys.argv[1:]
    asyncio.run(FLOODS[kind](int(port_text), room))  # type: ignore[arg-type]
