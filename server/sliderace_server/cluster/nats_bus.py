"""The bus over NATS; see `sliderace_server.cluster.bus`.

All subjects begin with the cluster's prefix, so several clusters can share a broker.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from nats import errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from sliderace_server.cluster.bus import (
    BusUnavailable,
    Handler,
    NoResponders,
    Reply,
    TimedOut,
    Unsubscribe,
)
from sliderace_server.cluster.connection import Connection, NoListener, NoReply
from sliderace_server.storage import StorageUnavailable

__all__ = ["NatsBus"]

FLUSH_S = 2
"""Longest wait, in seconds, until the broker has got everything."""


class NatsBus:
    """One node's connection to NATS.

    Args:
        connection: to the broker.

    Attributes:
        on_reconnect: see `Bus`.
    """

    def __init__(self, connection: Connection) -> None:
        self.on_reconnect = connection.on_reconnect
        self._connection = connection
        self._client = connection.client
        self._prefix = connection.prefix
        self._outgoing: asyncio.Queue[tuple[str, bytes] | Subscription]
        self._outgoing = asyncio.Queue()
        self._echo = ""

    async def request(self, subject: str, data: bytes, timeout_s: float) -> bytes:
        """See `Bus`."""
        full = f"{self._prefix}.{subject}"
        try:
            return (await self._connection.ask(full, data, within_s=timeout_s)).data
        except NoListener:
            raise NoResponders(subject) from None
        except NoReply:
            raise TimedOut(subject) from None
        except StorageUnavailable as error:
            raise BusUnavailable(str(error)) from None

    def publish(self, subject: str, data: bytes) -> None:
        """See `Bus`."""
        self._outgoing.put_nowait((f"{self._prefix}.{subject}", data))

    async def run(self) -> None:
        """Send what is published; while there is no connection, it is lost."""
        while True:
            one = await self._outgoing.get()
            with contextlib.suppress(errors.Error):
                if isinstance(one, Subscription):
                    await one.unsubscribe()
                else:
                    await self._client.publish(*one)
            self._outgoing.task_done()

    async def flush(self) -> None:
        """Wait until everything that was published has reached the broker."""
        with contextlib.suppress(errors.Error, StorageUnavailable, TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                await self._outgoing.join()
            await self._barrier()

    async def _barrier(self) -> None:
        """Wait until the broker has got everything that was sent so far.

        `flush` of nats-py does not wait for what it has not written yet.
        """
        if not self._echo:
            self._echo = self._client.new_inbox()
            await self._listen(self._echo, _echo)
        await self._connection.ask(self._echo, within_s=FLUSH_S)

    async def subscribe(self, subject: str, handler: Handler) -> Unsubscribe:
        """See `Bus`."""

        async def handle(message: Msg) -> None:
            handler(message.data, self._reply(message.reply))

        full = f"{self._prefix}.{subject}"
        try:
            subscription = await self._listen(full, handle)
        except errors.Error as error:
            raise BusUnavailable(str(error)) from None

        def unsubscribe() -> None:
            self._outgoing.put_nowait(subscription)

        try:
            await self._barrier()
        except (errors.Error, StorageUnavailable) as error:
            unsubscribe()
            raise BusUnavailable(str(error)) from None
        return unsubscribe

    async def _listen(
        self, subject: str, handle: Callable[[Msg], Awaitable[None]]
    ) -> Subscription:
        return await self._client.subscribe(  # pyright: ignore[reportUnknownMemberType]
            subject, cb=handle
        )

    def _reply(self, inbox: str) -> Reply:
        def reply(data: bytes) -> None:
            if inbox:
                self._outgoing.put_nowait((inbox, data))

        return reply


async def _echo(message: Msg) -> None:
    await message.respond(b"")
