"""A minimal client for load tests: just enough WebSocket and protocol to play."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event, encode_command

__all__ = ["LoadClient", "connect_to"]

_HANDSHAKE = (
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    "Sec-WebSocket-Version: 13\r\n\r\n"
)
_ACK = b'{"t":"ack"'
_PROGRESS = b'{"t":"progress"'
TIMEOUT_S = 120.0

E = TypeVar("E", bound=m.Event)


class LoadClient(asyncio.Protocol):
    """One connection.

    Attributes:
        events: what was received, except progress and acks.
        acked: the highest acknowledged seq.
        frames: how many frames were received.
        lost: whether the connection has ended.
    """

    def __init__(self) -> None:
        self.events: list[m.Event] = []
        self.acked = self.frames = 0
        self.lost = self.upgraded = False
        self._bytes = bytearray()
        self._transport: asyncio.Transport | None = None
        self._changed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        port = transport.get_extra_info("peername")[1]
        transport.write(_HANDSHAKE.format(port).encode())

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self.lost = True
        self._changed.set()

    def data_received(self, data: bytes) -> None:
        self._bytes += data
        if not self.upgraded:
            head, end, rest = bytes(self._bytes).partition(b"\r\n\r\n")
            if not end:
                return
            assert head.startswith(b"HTTP/1.1 101"), head
            self.upgraded = True
            self._bytes = bytearray(rest)
        self._parse()
        self._changed.set()

    def _parse(self) -> None:
        data, at = bytes(self._bytes), 0
        while at + 2 <= len(data):
            size, start = data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[at + 2 : at + 4]), at + 4
            elif size == 127:
                size, start = int.from_bytes(data[at + 2 : at + 10]), at + 10
            if start + size > len(data):
                break
            self._frame(data[at] & 15, data[start : start + size])
            at = start + size
        del self._bytes[:at]

    def _frame(self, opcode: int, payload: bytes) -> None:
        self.frames += 1
        if opcode == 9:
            self._write(0x8A, payload)
        elif payload.startswith(_ACK):
            event = decode_event(payload)
            assert isinstance(event, m.Ack)
            self.acked = max(self.acked, event.seq)
        elif opcode == 1 and not payload.startswith(_PROGRESS):
            self.events.append(decode_event(payload))

    def send(self, command: m.Command) -> None:
        """Send a command."""
        self._write(0x81, encode_command(command).encode())

    def _write(self, first: int, payload: bytes) -> None:
        size = len(payload)
        head = bytes((first, 0x80 | size)) if size < 126 else (
            bytes((first, 0xFE)) + size.to_bytes(2)
        )  # fmt: skip
        assert self._transport is not None
        self._transport.write(head + bytes(4) + payload)  # the mask is zero

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition holds; fail if the connection is lost."""
        async with asyncio.timeout(TIMEOUT_S):
            while not condition():
                assert not self.lost, self.events[-1:]
                self._changed.clear()
                await self._changed.wait()

    async def wait_for(self, kind: type[E]) -> E:
        """Wait for an event of a kind; return the latest."""
        await self.until(lambda: any(isinstance(e, kind) for e in self.events))
        return next(e for e in reversed(self.events) if isinstance(e, kind))

    def close(self) -> None:
        """Drop the connection."""
        assert self._transport is not None
        self._transport.abort()


async def connect_to(port: int, enter: m.Create | m.Join) -> LoadClient:
    """Connect and enter a room."""
    loop = asyncio.get_running_loop()
    _, client = await loop.create_connection(LoadClient, "127.0.0.1", port)
    await client.until(lambda: client.upgraded)
    client.send(m.Hello(v=1, enter=enter))
    await client.wait_for(m.Snapshot)
    return client
