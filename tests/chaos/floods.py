"""Floods, as a program of its own: `python -m tests.chaos.floods KIND PORT CODE`.

Each goes on until it is killed, as fast as it can, from one address. It says "begun"
when it is under way. Whoever else wants the core gets it at once, so that what is
measured beside it is the server's trouble, not the machine's.
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

ADDRESS = "203.0.113.9"
"""Where the floods come from, as their proxy says."""
LINES = 5
"""Connections of a flood that is one of messages."""
READERS = 20
HANDSHAKES = 150

Flood = Callable[[int, str], Awaitable[None]]


def masked(opcode: int, payload: bytes) -> bytes:
    """A frame as a client sends it, with a mask of zeros."""
    size = len(payload)
    if size < 126:
        head = bytes((opcode, 0x80 | size))
    elif size < 65_536:
        head = bytes((opcode, 0xFE)) + size.to_bytes(2)
    else:
        head = bytes((opcode, 0xFF)) + size.to_bytes(8)
    return head + bytes(4) + payload


def begun() -> None:
    """The flood is under way."""
    with contextlib.suppress(ValueError):  # said before
        print("begun", flush=True)
        sys.stdout.close()


def connect_to(port: int) -> connect:
    return connect(
        f"ws://127.0.0.1:{port}/ws",
        proxy=None,
        compression=None,
        additional_headers={"X-Forwarded-For": ADDRESS},
        max_queue=None,
        close_timeout=0.5,
    )


async def hello(line: ClientConnection, enter: m.Join | m.Open) -> None:
    await line.send(encode_command(m.Hello(v=1, enter=enter)))
    await line.recv()


async def member(port: int, code: str, pour: bytes) -> None:
    """Watch the room and write the same bytes for ever, also after each close."""
    while True:
        with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
            async with connect_to(port) as line:
                await hello(line, m.Join(code, "Flood", "spectator"))
                begun()
                while line.state is State.OPEN:
                    if line.transport.get_write_buffer_size() < 65_536:
                        line.transport.write(pour)
                    await asyncio.sleep(0.002)
        await asyncio.sleep(0.05)


def pouring(pour: bytes) -> Flood:
    async def flood(port: int, code: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(LINES):
                tasks.create_task(member(port, code, pour))

    return flood


def knocking(request: bytes, *, hold: bool = False) -> Flood:
    """Open connections, write something, and close them or keep them."""

    async def one(port: int) -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(request)
                begun()
                if hold:
                    await reader.read()
                writer.close()
            await asyncio.sleep(0.001)

    async def flood(port: int, _code: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(HANDSHAKES if hold else LINES):
                tasks.create_task(one(port))

    return flood


def entering(enter: m.Join | m.Open | None, pour: bytes = b"") -> Flood:
    """Whole handshakes, each with a hello, one after the other."""

    async def one(port: int) -> None:
        while True:
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
                async with connect_to(port) as line:
                    begun()
                    if enter is not None:
                        await hello(line, enter)
                    if line.state is State.OPEN:
                        line.transport.write(pour)
                    await asyncio.sleep(0)
            begun()

    async def flood(port: int, _code: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(LINES):
                tasks.create_task(one(port))

    return flood


async def never_reading(port: int, code: str) -> None:
    """Many who watch and ask for snapshots, and read nothing at all."""
    asking = encode_command(m.Resync()).encode()

    async def mute() -> None:
        async with connect_to(port) as line:
            sock = line.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            await hello(line, m.Join(code, "Mute", "spectator"))
            line.transport.pause_reading()
            begun()
            while line.state is State.OPEN:
                line.transport.write(masked(0x81, asking))
                await asyncio.sleep(0.05)

    async def again() -> None:
        while True:
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
                await mute()
            await asyncio.sleep(0.1)  # let in once others from here have gone

    async with asyncio.TaskGroup() as tasks:
        for _ in range(READERS):
            tasks.create_task(again())


async def unread_pages(port: int, _code: str) -> None:
    """The largest files of the page, asked for and not read."""

    async def one() -> None:
        loop = asyncio.get_running_loop()
        while True:
            with contextlib.suppress(OSError):
                sock = socket.socket()
                sock.setblocking(False)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                await loop.sock_connect(sock, ("127.0.0.1", port))
                head = f"Host: localhost\r\nX-Forwarded-For: {ADDRESS}\r\n\r\n"
                await loop.sock_sendall(
                    sock, f"GET /style.css HTTP/1.1\r\n{head}".encode()
                )
                begun()
                await asyncio.sleep(1)
                sock.close()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(HANDSHAKES):
            tasks.create_task(one())


PING = b'{"t":"ping","id":1}'
LATE = b"GET /ws HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\n"

FLOODS: dict[str, Flood] = {
    "messages": pouring(masked(0x81, PING) * 20),
    "pings": pouring(masked(0x89, b"") * 50),
    "messages nested deep": pouring(masked(0x81, b"[" * 2_000)),
    "messages of rubbish": pouring(masked(0x81, b"\xc3\xa9" * 900) * 4),
    "fragments of a byte": pouring(
        masked(0x01, b"x") + masked(0x00, b"x") * 50 + masked(0x80, b"x")
    ),
    "giant frames": entering(None, masked(0x81, b"x" * 1_000_000)),
    "connects": knocking(b""),
    "handshakes never finished": knocking(LATE, hold=True),
    "handshakes": entering(None),
    "wrong codes": entering(m.Join("BBBBBB", "X")),
    "new rooms": entering(m.Open()),
    "20 readers that never read": never_reading,
    "pages never read": unread_pages,
}
"""Name -> the flood, given a port and a room's code."""


if __name__ == "__main__":
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    kind, port_text, room = sys.argv[1:]
    asyncio.run(FLOODS[kind](int(port_text), room))  # type: ignore[arg-type]
