"""A TCP proxy that delays, splits, stalls, cuts or silently drops traffic.

Its random choices come from a seed.
"""

import asyncio
import contextlib
import random
import socket
import struct
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

__all__ = ["Conditions", "Proxy", "proxied"]

RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""For SO_LINGER: a close sends a reset and drops what was not sent."""
RESENT_S = 0.45
"""A round trip of 150 ms and its variance give such a timeout (RFC 6298)."""


@dataclass(slots=True)
class Conditions:
    """Conditions of the network, which may change at any time.

    Attributes:
        delay: delay of every byte in each direction, in seconds.
        jitter: largest random addition to the delay, in seconds.
        pieces: bytes are forwarded in pieces of 1 ... this; 0: as received.
        loss: share of the packets that are lost: TCP sends them again after `RESENT_S`,
            and what follows waits for them.
        flowing: while it is cleared, nothing is forwarded, and nothing is lost.
        silent: whether everything is dropped, so that the connection is half open.
    """

    delay: float = 0.0
    jitter: float = 0.0
    pieces: int = 0
    loss: float = 0.0
    silent: bool = False
    flowing: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.flowing.set()


class Proxy:
    """Forwards connections to a port of this machine.

    Attributes:
        conditions: conditions of the network.
        connections: how many connections there were so far.
    """

    def __init__(self, port: int, conditions: Conditions, seed: int) -> None:
        self.conditions = conditions
        self.connections = 0
        self._port = port
        self._swallowed = 0
        self._random = random.Random(seed)  # noqa: S311
        self._live: set[asyncio.StreamWriter] = set()

    def cut(self, *, reset: bool = True) -> None:
        """End every connection on both sides, by a reset or by a close."""
        for writer in list(self._live):
            if reset:
                sock: socket.socket = writer.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
                writer.transport.abort()
            else:
                writer.close()

    def swallow(self) -> None:
        """Drop everything on the present connections forever; new ones work."""
        self._swallowed = self.connections

    async def forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Forward one connection until either side ends it."""
        self.connections += 1
        number = self.connections
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._port)
        pair = {writer, up_writer}
        self._live |= pair
        try:
            async with asyncio.TaskGroup() as group:
                directions = [
                    group.create_task(self._pump(number, reader, up_writer)),
                    group.create_task(self._pump(number, up_reader, writer)),
                ]
                await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
                for direction in directions:
                    direction.cancel()
        finally:
            self._live -= pair
            for one in pair:
                one.transport.abort()

    async def _pump(
        self,
        number: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                conditions = self.conditions
                wait = conditions.delay + conditions.jitter * self._random.random()
                if self._random.random() < conditions.loss:
                    wait += RESENT_S
                await asyncio.sleep(wait)
                await conditions.flowing.wait()
                if conditions.silent or number <= self._swallowed:
                    continue
                for piece in self._pieces(data):
                    writer.write(piece)
                    await writer.drain()
                    if conditions.pieces:
                        await asyncio.sleep(0)  # otherwise they are sent as one

    def _pieces(self, data: bytes) -> list[bytes]:
        pieces: list[bytes] = []
        while self.conditions.pieces and data:
            size = self._random.randint(1, self.conditions.pieces)
            pieces.append(data[:size])
            data = data[size:]
        return pieces or [data]


@contextlib.asynccontextmanager
async def proxied(
    port: int, conditions: Conditions | None = None, seed: int = 0
) -> AsyncGenerator[tuple[Proxy, str], None]:
    """Run a proxy to a port of this machine; yield it and its address."""
    proxy = Proxy(port, conditions or Conditions(), seed)

    async def accept(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError):
            await proxy.forward(reader, writer)

    listening = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        here = listening.sockets[0].getsockname()[1]
        yield proxy, f"http://127.0.0.1:{here}"
    finally:
        listening.close()
        proxy.cut()
