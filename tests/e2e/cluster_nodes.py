"""Nodes of a cluster in this process, over one store in memory and one bus."""

import contextlib
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any, Self

from tests.e2e.daily_server import WallClock

from sliderace_server.app import Server, running
from sliderace_server.cluster.bus import Broker, InProcessBus
from sliderace_server.cluster.node import Cluster
from sliderace_server.settings import ServerSettings
from sliderace_server.storage import Durability, Store
from sliderace_server.storage.memory import MemoryStore

__all__ = ["Nodes", "nodes"]


class _Shared:
    """A store that another one has opened."""

    durability: Durability = "none"

    def __init__(self, store: Store) -> None:
        self.log, self.results = store.log, store.results
        self.standings = store.standings

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Leave the store open."""


class Nodes:
    """A cluster; its nodes are named `a`, `b` and so on.

    Attributes:
        servers: those that run, by name.
        clusters: the same as nodes.
        lost: names of nodes that neither send nor get messages.
        silent: names of nodes whose messages are lost.
    """

    def __init__(self, folder: Path, store: Store, settings: dict[str, Any]) -> None:
        self.folder = folder
        self.store = store
        self._settings = settings
        self.clock = WallClock(factor=3)
        self.lost: set[str] = set()
        self.silent: set[str] = set()

        def paths(source: str, target: str) -> Sequence[float]:
            cut = {source, target} & self.lost or source in self.silent
            return () if cut else (0.0,)

        self.broker = Broker(paths)
        self.servers: dict[str, Server] = {}
        self.clusters: dict[str, Cluster] = {}
        self._stacks: dict[str, contextlib.AsyncExitStack] = {}

    async def start(
        self,
        name: str,
        clock: WallClock | None = None,
        folder: Path | None = None,
        bus: InProcessBus | None = None,
        **changed: Any,
    ) -> Server:
        """Start a node.

        Args:
            name: its name.
            clock: another clock than the others'.
            folder: another folder than the others', with another key.
            bus: its connection to the others.
            changed: settings that differ from the others'.
        """
        data = str(folder or self.folder)
        options: dict[str, Any] = {"advertise": False, **self._settings, **changed}
        settings = ServerSettings(port=0, data=data, **options)
        cluster = Cluster(name, bus or self.broker.connect(name))
        stack = contextlib.AsyncExitStack()
        server = await stack.enter_async_context(
            running(
                settings,
                store=_Shared(self.store),
                clock=self.clock if clock is None else clock,
                page={},
                processes=cluster,
            )
        )
        self._stacks[name] = stack
        self.servers[name], self.clusters[name] = server, cluster
        return server

    async def stop(self, name: str) -> None:
        """Stop a node in an orderly way."""
        del self.servers[name], self.clusters[name]
        await self._stacks.pop(name).aclose()

    async def stop_all(self) -> None:
        for name in list(self._stacks):
            await self.stop(name)


@contextlib.asynccontextmanager
async def nodes(
    folder: Path, *names: str, store: Store | None = None, **settings: object
) -> AsyncGenerator[Nodes]:
    """Run nodes with these names and settings, over a store or a new one."""
    async with store or MemoryStore() as shared:
        running_nodes = Nodes(folder, shared, settings)
        try:
            for name in names:
                await running_nodes.start(name)
            yield running_nodes
        finally:
            await running_nodes.stop_all()
