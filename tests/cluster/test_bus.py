"""The bus between nodes: one suite for all adapters."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from itertools import count

import pytest
from tests.nats_server import Brokers

from sliderace_server.cluster.bus import (
    Broker,
    Bus,
    BusUnavailable,
    NoResponders,
    Reply,
    TimedOut,
)
from sliderace_server.cluster.connection import connected
from sliderace_server.cluster.nats_bus import NatsBus

WAIT_S = 5.0
_prefixes = count()


class Received:
    """Notes messages, and replies to requests if it has an answer."""

    def __init__(self, answer: bytes | None = None) -> None:
        self.messages: list[bytes] = []
        self.answer = answer
        self._changed = asyncio.Event()

    def __call__(self, data: bytes, reply: Reply) -> None:
        self.messages.append(data)
        if self.answer is not None:
            reply(self.answer + data)
        self._changed.set()

    async def count(self, wanted: int) -> list[bytes]:
        """Wait for so many messages."""
        async with asyncio.timeout(WAIT_S):
            while len(self.messages) < wanted:
                self._changed.clear()
                await self._changed.wait()
        return self.messages


@contextlib.asynccontextmanager
async def in_process() -> AsyncGenerator[tuple[Bus, Bus]]:
    broker = Broker()
    yield broker.connect("a"), broker.connect("b")


@contextlib.asynccontextmanager
async def over_nats(urls: Sequence[str]) -> AsyncGenerator[tuple[Bus, Bus]]:
    prefix = f"bus{next(_prefixes)}"
    async with contextlib.AsyncExitStack() as stack:
        group = await stack.enter_async_context(asyncio.TaskGroup())
        both: list[Bus] = []
        for name in ("a", "b"):
            opening = connected(urls, prefix, name)
            connection = await stack.enter_async_context(opening)
            bus = NatsBus(connection)
            running = group.create_task(bus.run())
            stack.callback(running.cancel)
            both.append(bus)
        yield both[0], both[1]


@pytest.fixture(params=["in process", "NATS"])
async def buses(request: pytest.FixtureRequest) -> AsyncGenerator[tuple[Bus, Bus]]:
    """Two nodes of one cluster."""
    if request.param == "NATS":
        opening = over_nats(request.getfixturevalue("broker").urls)
    else:
        opening = in_process()
    async with opening as both:
        yield both


Buses = tuple[Bus, Bus]


async def test_a_request_is_answered(buses: Buses) -> None:
    ours, theirs = buses
    await theirs.subscribe("node.b", Received(b"got "))
    assert await ours.request("node.b", b"this", WAIT_S) == b"got this"
    assert await theirs.request("node.b", b"this", WAIT_S) == b"got this"


async def test_a_request_without_a_subscription_fails_at_once(buses: Buses) -> None:
    ours, theirs = buses
    with pytest.raises(NoResponders):
        await ours.request("node.b", b"", WAIT_S)
    unsubscribe = await theirs.subscribe("node.b", Received(b""))
    await ours.request("node.b", b"", WAIT_S)
    unsubscribe()
    await theirs.flush()
    with pytest.raises(NoResponders):
        await ours.request("node.b", b"", WAIT_S)


async def test_a_request_without_a_reply_times_out(buses: Buses) -> None:
    ours, theirs = buses
    received = Received()
    await theirs.subscribe("node.b", received)
    with pytest.raises(TimedOut):
        await ours.request("node.b", b"", 0.05)
    assert await received.count(1) == [b""]


async def test_a_reply_may_come_later(buses: Buses) -> None:
    ours, theirs = buses
    replies: list[Reply] = []
    asked = asyncio.Event()

    def keep(_data: bytes, reply: Reply) -> None:
        replies.append(reply)
        asked.set()

    await theirs.subscribe("node.b", keep)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(ours.request("node.b", b"", WAIT_S))
        await asked.wait()
        await theirs.subscribe("other", Received(b""))
        await ours.request("other", b"", WAIT_S)  # it does not wait for the first one
        replies[0](b"late")
        replies[0](b"too late")
    assert first.result() == b"late"


async def test_messages_arrive_in_order_at_all_subscriptions(buses: Buses) -> None:
    ours, theirs = buses
    one, other = Received(), Received()
    await ours.subscribe("hb", one)
    await theirs.subscribe("hb", other)
    sent = [b"%d" % number for number in range(200)]
    for data in sent:
        ours.publish("hb", data)
    assert await one.count(200) == sent
    assert await other.count(200) == sent


async def test_large_messages_arrive(buses: Buses) -> None:
    ours, theirs = buses
    received = Received()
    await theirs.subscribe("node.b", received)
    ours.publish("node.b", bytes(700_000))
    assert len((await received.count(1))[0]) == 700_000


# --- in one process: delays, losses and partitions ------------------------------------


async def test_messages_stay_in_order_whatever_their_delays_are() -> None:
    delays = iter([0.02, 0.0, 0.01])
    broker = Broker(lambda _source, _target: [next(delays)])
    received = Received()
    await broker.connect("b").subscribe("node.b", received)
    for data in (b"1", b"2", b"3"):
        broker.connect("a").publish("node.b", data)
    assert await received.count(3) == [b"1", b"2", b"3"]


@pytest.mark.parametrize(
    ("copies", "arrived"), [([], []), ([0.0, 0.0], [b"one", b"one"])]
)
async def test_messages_may_be_lost_or_arrive_twice(
    copies: list[float], arrived: list[bytes]
) -> None:
    broker = Broker(lambda source, _target: copies if source == "a" else [0.0])
    received = Received(b"")
    await broker.connect("b").subscribe("node.b", received)
    broker.connect("a").publish("node.b", b"one")
    broker.connect("b").publish("node.b", b"last")
    assert await received.count(len(copies) + 1) == [*arrived, b"last"]


async def test_clusters_with_different_prefixes_do_not_hear_each_other(
    broker: Brokers,
) -> None:
    async with over_nats(broker.urls) as ours, over_nats(broker.urls) as theirs:
        await ours[0].subscribe("cmd.KWXTRB", lambda _, reply: reply(b"ours"))
        assert await ours[1].request("cmd.KWXTRB", b"", WAIT_S) == b"ours"
        with pytest.raises(NoResponders):
            await theirs[0].request("cmd.KWXTRB", b"", WAIT_S)


async def test_a_closed_bus_gets_and_sends_nothing() -> None:
    broker = Broker()
    ours, theirs = broker.connect("a"), broker.connect("b")
    received = Received(b"")
    await theirs.subscribe("node.b", received)
    ours.publish("node.b", b"on its way")
    theirs.close()
    theirs.publish("node.b", b"never sent")
    with pytest.raises(NoResponders):
        await ours.request("node.b", b"", WAIT_S)
    with pytest.raises(BusUnavailable):
        await theirs.request("node.b", b"", WAIT_S)
    assert received.messages == []
