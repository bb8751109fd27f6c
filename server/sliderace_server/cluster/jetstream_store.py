"""The logs of a node: in JetStream, over a connection to the brokers."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Self

from sliderace_server.storage.ports import Durability

from .connection import Connection, connected
from .jetstream_log import COPIES, JetStreamLog
from .nats_bus import NatsBus
from .node import Cluster

__all__ = ["JetStreamStore"]


class JetStreamStore:
    """A `LogStore` in JetStream; while it is open, the connection of a node.

    Args:
        urls: The brokers; see `connected`.
        prefix: See `connected`.
        node: Name of this node.
        credentials: See `connected`.

    Attributes:
        connection: To the brokers, while the store is open.
    """

    connection: Connection

    def __init__(
        self,
        urls: Sequence[str],
        prefix: str = "sr",
        node: str = "node",
        credentials: str = "",
    ) -> None:
        self.log = JetStreamLog()
        self._place = urls, prefix, node, credentials
        self._stack = AsyncExitStack()

    def node(self) -> Cluster:
        """Return this node, which reaches the others over the same connection."""
        return Cluster(self.connection.incarnation, NatsBus(self.connection))

    @property
    def durability(self) -> Durability:
        """`full` with three copies: a power failure of one machine loses nothing."""
        return "full" if self.log.copies >= COPIES else "process"

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            self.connection = await stack.enter_async_context(connected(*self._place))
            await stack.enter_async_context(self.log.opened(self.connection))
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stack.aclose()
