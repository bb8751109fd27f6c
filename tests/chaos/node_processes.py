"""The nodes of a cluster as processes, with a broker, and a proxy in front of them."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from pathlib import Path
from typing import TypeVar

from tests.chaos.server_process import ServerProcess
from tests.nats_server import Brokers

from sliderace_server.cluster.connection import connected
from sliderace_server.cluster.jetstream_log import JetStreamLog
from sliderace_server.signing_key import KEY_FILE

__all__ = ["NodeProcesses", "node_processes", "proxied"]

NAMES = ("n0", "n1", "n2")
T = TypeVar("T")


class NodeProcesses:
    """Some nodes, which share a broker, a database and the key of race records.

    Attributes:
        broker: the broker.
        nodes: the processes by name; some may not run.
    """

    def __init__(self, folder: Path, broker: Brokers, results: str, count: int) -> None:
        self.broker = broker
        options = ["--cluster", ",".join(broker.urls), "--results", results]
        self.nodes = {
            name: ServerProcess(folder / name, *options, "--node", name)
            for name in NAMES[:count]
        }

    def start(self) -> None:
        """Start all nodes."""
        first, *others = self.nodes.values()
        first.start()
        for other in others:
            shutil.copy(first.folder / KEY_FILE, other.folder)
            other.start()

    def kill(self) -> None:
        """Kill all nodes that run."""
        for node in self.nodes.values():
            if node.running:
                node.kill()

    # --- as `running_race` needs one server ------------------------------------------

    @property
    def url(self) -> str:
        """The address of a node that runs."""
        return next(node.url for node in self.nodes.values() if node.running)

    @property
    def log(self) -> Path:
        """The log file of a node that runs."""
        return next(node.log for node in self.nodes.values() if node.running)

    def log_of(self, room: str) -> list[bytes]:
        """Return a room's log from the broker; blocks."""
        return self._ask(lambda log: log.read(room))

    def owner(self, room: str) -> ServerProcess:
        """Return the node that wrote to a room's log last; blocks."""
        writer = self._ask(lambda log: log.last_writer(room))
        assert writer is not None
        return self.nodes[writer.incarnation.partition("-")[0]]

    def _ask(self, question: Callable[[JetStreamLog], Awaitable[T]]) -> T:
        async def ask() -> T:
            log = JetStreamLog()
            async with connected(self.broker.urls) as one, log.opened(one):
                return await question(log)

        return asyncio.run(ask())


@contextlib.contextmanager
def node_processes(
    folder: Path, results: str, count: int = 2
) -> Generator[NodeProcesses]:
    """Run a broker and nodes in a folder.

    Args:
        folder: an empty folder.
        results: URL of the database for results.
        count: how many nodes.
    """
    with Brokers(folder / "broker") as broker:
        nodes = NodeProcesses(folder, broker, results, count)
        try:
            nodes.start()
            yield nodes
        finally:
            nodes.kill()


@contextlib.asynccontextmanager
async def proxied(nodes: Sequence[ServerProcess]) -> AsyncGenerator[str]:
    """Yield an address that leads to the first of some nodes that accepts."""
    live: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}

    async def forward(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        live[writer] = task
        for node in nodes:
            with contextlib.suppress(OSError):
                ends = await asyncio.open_connection("127.0.0.1", node.port)
                await _pass_on((reader, writer), ends)
                break
        writer.close()
        del live[writer]

    async with await asyncio.start_server(forward, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
        tasks = list(live.values())
        for writer in list(live):
            writer.close()
        if tasks:
            await asyncio.wait(tasks)


End = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _pass_on(client: End, node: End) -> None:
    """Forward bytes in both directions until either end closes."""
    pumps = [
        asyncio.create_task(_pump(client[0], node[1])),
        asyncio.create_task(_pump(node[0], client[1])),
    ]
    await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
    for _, writer in (client, node):
        writer.close()
    for pump in pumps:
        pump.cancel()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
