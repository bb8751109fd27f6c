"""A line between a client and the server that is slow, stalls, breaks, or goes silent.

The kernel of a test machine need not shape traffic: this does, in a seeded way.
"""

import asyncio
import contextlib
import random
import socket
import struct
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

__all__ = ["Latency", "Proxy", "proxied"]

AT_ONCE = struct.pack("ii", 1, 0)
"""SO_LINGER: a close is a reset, and what was not sent is lost."""


@dataclass(slots=True)
class Latency:
    """How bytes travel; may be changed while they do. Times in seconds.

    Attributes:
        delay: of every byte, each way.
        jitter: up to so much more.
        pieces: bytes are sent on in pieces of 1 ... this; 0: as they came.
        flowing: clear it, and nothing is sent on, in neither way, and nothing is lost.
        silent: nothing is sent on, and all of it is lost: half open.
    """

    delay: float = 0.0
    jitter: float = 0.0
    pieces: int = 0
    silent: bool = False
    flowing: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.flowing.set()


class Proxy:
    """Forwards connections to a port of this machine.

    Attributes:
        line: how they fare.
        connections: how many there were so far.
    """

    def __init__(self, port: int, line: Latency, seed: int) -> None:
        self.line = line
        self.connections = 0
        self._port = port
        self._chance = random.Random(seed)  # noqa: S311
        self._live: set[asyncio.StreamWriter] = set()

    def cut(self, *, reset: bool = True) -> None:
        """End every connection, on both sides: by a reset, or in good order."""
        for writer in list(self._live):
            if reset:
                line: socket.socket = writer.get_extra_info("socket")
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
                writer.transport.abort()
            else:
                writer.close()

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Carry one connection until either side ends it."""
        self.connections += 1
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._port)
        pair = {writer, up_writer}
        self._live |= pair
        try:
            async with asyncio.TaskGroup() as group:
                ways = [
                    group.create_task(self._pump(reader, up_writer)),
                    group.create_task(self._pump(up_reader, writer)),
                ]
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
        finally:
            self._live -= pair
            for one in pair:
                one.transport.abort()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                line = self.line
                wait = line.delay + line.jitter * self._chance.random()
                await asyncio.sleep(wait)
                await line.flowing.wait()
                if line.silent:
                    continue
                for piece in self._pieces(data):
                    writer.write(piece)
                    await writer.drain()
                    if line.pieces:
                        await asyncio.sleep(0)  # else they would travel as one again

    def _pieces(self, data: bytes) -> list[bytes]:
        pieces: list[bytes] = []
        while self.line.pieces and data:
            size = self._chance.randint(1, self.line.pieces)
            pieces.append(data[:size])
            data = data[size:]
        return pieces or [data]


@contextlib.asynccontextmanager
async def proxied(
    port: int, line: Latency | None = None, seed: int = 0
) -> AsyncGenerator[tuple[Proxy, str], None]:
    """A proxy before a port of this machine, and its address for clients."""
    proxy = Proxy(port, line or Latency(), seed)

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await proxy.carry(reader, writer)

    listening = await asyncio.start_server(carry, "127.0.0.1", 0)
    try:
        here = listening.sockets[0].getsockname()[1]
        yield proxy, f"http://127.0.0.1:{here}"
    finally:
        listening.close()
        proxy.cut()
