"""The bus of a cluster: short messages between its nodes, by subject.

`Bus` is the port. `nats_bus` is the adapter that servers use; `Broker` connects the
buses of one process, for tests under virtual time with delays, losses and partitions.

Rules:

- Messages from one node to one subscription arrive in the order in which they were
  sent, at most once, and may be lost.
- A request to a subject without a subscription fails at once. This is how nodes learn
  that nobody serves a room. A request that times out may have been handled.
- A handler must not block; it may reply later. Every subscription to a subject gets
  each message, and the first reply to a request counts.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Protocol

__all__ = [
    "Broker",
    "Bus",
    "BusError",
    "BusUnavailable",
    "Handler",
    "InProcessBus",
    "NoResponders",
    "Reply",
    "TimedOut",
    "Unsubscribe",
]

Reply = Callable[[bytes], None]
Handler = Callable[[bytes, Reply], None]
"""Called with a message, and how to reply if it is a request."""
Unsubscribe = Callable[[], None]


class BusError(Exception):
    """Base class of all errors that a bus raises."""


class NoResponders(BusError):
    """Nobody has subscribed to the subject."""


class TimedOut(BusError):
    """Nobody replied in time; the request may have been handled."""


class BusUnavailable(BusError):
    """This node has no connection to the bus now; nothing was sent."""


class Bus(Protocol):
    """One node's connection to the bus.

    Attributes:
        on_reconnect: called each time the connection is back after a loss.
    """

    on_reconnect: list[Callable[[], None]]

    async def request(self, subject: str, data: bytes, timeout_s: float) -> bytes:
        """Send a request; return the first reply.

        Raises:
            NoResponders: nobody has subscribed to the subject.
            TimedOut: no reply within `timeout_s` seconds.
            BusUnavailable: there is no connection.
        """
        ...

    def publish(self, subject: str, data: bytes) -> None:
        """Send a message to all that have subscribed; it may be lost."""
        ...

    async def subscribe(self, subject: str, handler: Handler) -> Unsubscribe:
        """Call a handler with each message to a subject.

        The subscription is in force once this returns, for requests of any node.

        Raises:
            BusUnavailable: there is no connection.
        """
        ...

    async def run(self) -> None:
        """Send what is published, until cancelled."""
        ...

    async def flush(self) -> None:
        """Wait until everything that was published is on its way."""
        ...


Paths = Callable[[str, str], Sequence[float]]
"""Names of sender and receiver -> the delay in seconds of each copy that arrives; none:
the message is lost."""


def _direct(_source: str, _target: str) -> Sequence[float]:
    return (0.0,)


class Broker:
    """A bus within one process.

    Args:
        paths: delays, losses and duplicates of each message between two nodes.
    """

    def __init__(self, paths: Paths = _direct) -> None:
        self._paths = paths
        self._handlers: dict[str, list[tuple[InProcessBus, Handler]]] = {}
        self._in_flight: dict[tuple[str, str], deque[Callable[[], None]]] = {}
        self._latest: dict[tuple[str, str], float] = {}

    def connect(self, name: str) -> "InProcessBus":
        """Return the bus of a node."""
        return InProcessBus(self, name)

    def handlers(self, subject: str) -> list[tuple["InProcessBus", Handler]]:
        """Return the subscriptions of a subject, to be changed in place."""
        return self._handlers.setdefault(subject, [])

    def deliver(
        self, source: str, target: "InProcessBus", call: Callable[[], None]
    ) -> None:
        """Call a function once for each copy that arrives, in order of sending."""
        loop, path = asyncio.get_running_loop(), (source, target.name)
        in_flight = self._in_flight.setdefault(path, deque())

        def arrive() -> None:
            in_flight.popleft()()

        for delay in self._paths(*path):
            due = max(loop.time() + delay, self._latest.get(path, 0.0))
            self._latest[path] = due
            in_flight.append(call)
            if due <= loop.time():
                loop.call_soon(arrive, context=target.context)
            else:
                loop.call_at(due, arrive, context=target.context)

    def close(self, bus: "InProcessBus") -> None:
        """End all subscriptions of a bus."""
        for handlers in self._handlers.values():
            handlers[:] = [entry for entry in handlers if entry[0] is not bus]


class InProcessBus:
    """The bus of one node; see `Broker`.

    Attributes:
        name: the node's name, for the paths.
        context: in which its handlers are called, not in that of the sender.
        open: False once the connection has ended.
        on_reconnect: see `Bus`.
    """

    def __init__(self, broker: Broker, name: str) -> None:
        self.name = name
        self.context = copy_context()
        self.on_reconnect: list[Callable[[], None]] = []
        self._broker = broker
        self.open = True

    async def request(self, subject: str, data: bytes, timeout_s: float) -> bytes:
        """See `Bus`."""
        if not self.open:
            raise BusUnavailable(subject)
        answered: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def answer(reply: bytes) -> None:
            if not answered.done():
                answered.set_result(reply)

        def refuse() -> None:
            if not answered.done():
                answered.set_exception(NoResponders(subject))

        handlers = list(self._broker.handlers(subject))
        if not handlers:
            self._broker.deliver(self.name, self, refuse)
        for target, handler in handlers:
            self._send(target, handler, data, answer)
        try:
            async with asyncio.timeout(timeout_s):
                return await answered
        except TimeoutError:
            raise TimedOut(subject) from None

    def publish(self, subject: str, data: bytes) -> None:
        """See `Bus`."""
        if self.open:
            for target, handler in self._broker.handlers(subject):
                self._send(target, handler, data, _ignore)

    def _send(
        self, target: "InProcessBus", handler: Handler, data: bytes, answer: Reply
    ) -> None:
        def reply(answered: bytes) -> None:
            self._broker.deliver(target.name, self, lambda: answer(answered))

        def arrive() -> None:
            if target.open:
                handler(data, reply)

        self._broker.deliver(self.name, target, arrive)

    async def subscribe(self, subject: str, handler: Handler) -> Unsubscribe:
        """See `Bus`."""
        handlers, entry = self._broker.handlers(subject), (self, handler)
        handlers.append(entry)

        def unsubscribe() -> None:
            if entry in handlers:
                handlers.remove(entry)

        return unsubscribe

    async def run(self) -> None:
        """Do nothing: messages are sent at once."""

    async def flush(self) -> None:
        """Do nothing: messages are sent at once."""

    def close(self) -> None:
        """End the connection, as the end of the node's process does."""
        self.open = False
        self._broker.close(self)


def _ignore(_reply: bytes) -> None:
    """Reply to a message that is no request."""
