"""Room logs in JetStream while brokers fail; see also test_storage.py."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.nats_server import Brokers, brokers

from sliderace_server.cluster.connection import connected
from sliderace_server.cluster.jetstream_log import JetStreamLog, expected_streams
from sliderace_server.cluster.log_frames import Frame
from sliderace_server.storage import (
    Append,
    Conflict,
    LogDamaged,
    StorageUnavailable,
    StoreRefused,
)

CODE = "KWXTRB"
_prefixes = count()


@pytest.fixture
def prefix() -> str:
    return f"log{next(_prefixes)}"


@asynccontextmanager
async def log_in(
    broker: Brokers, prefix: str, piece_bytes: int = 1_000
) -> AsyncGenerator[JetStreamLog, None]:
    async with connected(broker.urls, prefix) as connection:
        log = JetStreamLog(piece_bytes=piece_bytes)
        async with log.opened(connection):
            yield log


async def eventually(call: Callable[[], Any]) -> Any:
    """Call until the storage is available again, as the log writer does."""
    while True:
        try:
            return await call()
        except StorageUnavailable:
            await asyncio.sleep(0.05)


# --- without failures -----------------------------------------------------------------


async def test_clusters_with_different_prefixes_share_a_broker(
    broker: Brokers, prefix: str
) -> None:
    async with log_in(broker, prefix) as ours, log_in(broker, f"{prefix}b") as theirs:
        await ours.append(CODE, 0, [b"ours"])
        await theirs.append(CODE, 0, [b"theirs"])
        await theirs.drop(CODE, reserve_ms=1_000)
        assert await ours.read(CODE) == [b"ours"]
        assert (await theirs.rooms(), await ours.reserved_codes(0)) == ([], {})


async def test_a_large_append_is_several_messages_but_one_append(
    broker: Brokers, prefix: str
) -> None:
    records = [b"%04d" % n + bytes(300) for n in range(20)]
    async with log_in(broker, prefix) as log, log_in(broker, prefix) as other:
        await log.append(CODE, 0, records)
        assert await other.read(CODE) == records
        await log.append(CODE, 20, [b"x"])
        await log.trim(CODE, 11)
        await log.append(CODE, 21, [b"y"])
        assert await other.read(CODE) == [*records[11:], b"x", b"y"]
        await log.trim(CODE, 20)
        await log.append(CODE, 22, [b"z"])
        await log.trim(CODE, 21)  # deletes what the last trim removed
        assert await other.read(CODE) == [b"x", b"y", b"z"]
        stream = next(filter(None, await log.streams()))
        assert sum(one.state.messages for one in await streams(log)) == 3
        assert stream.config.num_replicas == 1


async def streams(log: JetStreamLog) -> list[Any]:
    return [one for one in await log.streams() if one is not None]


async def test_an_append_without_its_last_message_is_not_stored(
    broker: Brokers, prefix: str
) -> None:
    """Its writer was killed between two messages; the next append replaces it."""
    async with log_in(broker, prefix) as log:
        await log.append(CODE, 0, [b"a", b"b"])
        subject = log.subject(CODE)
        piece = Frame(1, "gone", 7, 2, 2, True, 0, 1, [b"lost", b"lost too"])
        data = msgspec.msgpack.encode(piece)
        await log.connection.ask(subject, data)
    async with log_in(broker, prefix) as log:
        assert await log.read(CODE) == [b"a", b"b"]
        assert await log.length(CODE) == 2
        with pytest.raises(Conflict):
            await log.append(CODE, 3, [b"c"])
        await log.append(CODE, 2, [b"c" * 600, b"d" * 600])
        assert await log.read(CODE) == [b"a", b"b", b"c" * 600, b"d" * 600]
        assert await log.read(CODE, 3) == [b"d" * 600]


async def test_the_last_writer_is_known(broker: Brokers, prefix: str) -> None:
    async with log_in(broker, prefix) as log:
        assert await log.last_writer(CODE) is None
        await log.append(CODE, 0, [b"a", b"b"])
        incarnation = log.connection.incarnation
        assert await log.last_writer(CODE) == (incarnation, 2)


async def test_every_node_learns_which_codes_are_reserved(
    broker: Brokers, prefix: str
) -> None:
    async with log_in(broker, prefix) as log, log_in(broker, prefix) as other:
        known: asyncio.Future[tuple[str, int]] = asyncio.Future()
        other.on_reserved(lambda code, until: known.set_result((code, until)))
        await log.drop(CODE, now_ms=7_000, reserve_ms=1_000)
        assert await known == (CODE, 8_000)


async def test_a_stream_that_would_lose_records_is_refused(
    broker: Brokers, prefix: str
) -> None:
    async with log_in(broker, prefix) as log:
        config = expected_streams(prefix)[0]
        config.discard = "old"
        await log.request(f"$JS.API.STREAM.UPDATE.{config.name}", config)
    with pytest.raises(StoreRefused, match="discard is 'old', not 'new'"):
        async with log_in(broker, prefix):
            pass


async def test_a_damaged_message_affects_no_other_room(
    broker: Brokers, prefix: str
) -> None:
    """Its writer gives the room up, as if another process had written the message."""
    other = "BCDFGH"
    async with log_in(broker, prefix) as log:
        for room in (CODE, other):
            await log.append(room, 0, [b"a"])
        await log.connection.ask(log.subject(CODE), b"not a frame")
        with pytest.raises(LogDamaged, match=f"log of {CODE} is damaged"):
            await log.read(CODE)
        appends = [Append(room, 1, [b"b"]) for room in (CODE, other)]
        conflict, stored = await log.append_all(appends)
        assert isinstance(conflict, Conflict)
        assert stored is None
        assert await log.read(other) == [b"a", b"b"]


async def test_a_log_that_lacks_a_message_is_not_read(
    broker: Brokers, prefix: str
) -> None:
    """No log is better than a log with a gap."""
    async with log_in(broker, prefix) as log:
        for n in range(5):
            await log.append(CODE, n, [b"%d" % n])
        stream = log.stream_name(CODE)
        await log.request(f"$JS.API.STREAM.MSG.DELETE.{stream}", {"seq": 3})
        with pytest.raises(LogDamaged, match="lacks a message"):
            await log.read(CODE)


# --- with failures --------------------------------------------------------------------


async def test_a_full_stream_refuses_and_loses_nothing(
    broker: Brokers, prefix: str
) -> None:
    async with log_in(broker, prefix) as log:
        await log.append(CODE, 0, [b"a"])

        async def limit(most: int) -> None:
            for config in expected_streams(prefix):
                config.max_bytes = most
                await log.request(f"$JS.API.STREAM.UPDATE.{config.name}", config)

        assert (await log.examine())["faults"] == {}
        await limit(max(one.state.bytes for one in await streams(log)) + 1)
        assert "full" in (await log.examine())["faults"].values()
        with pytest.raises(StorageUnavailable, match=r"LOG_\d: maximum bytes exceeded"):
            await log.append(CODE, 1, [b"b"])
        assert await log.read(CODE) == [b"a"]
        await limit(-1)
        await log.append(CODE, 1, [b"b"])
        assert await log.length(CODE) == 2


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[Brokers]:
    """A broker that a test may stop."""
    with Brokers(tmp_path) as one:
        yield one


async def test_an_append_whose_reply_is_lost_is_stored_once(failing: Brokers) -> None:
    """The broker stalls, and then executes what it was sent."""
    other = "BCDFGH"
    async with log_in(failing, "sr") as log:
        await log.append(CODE, 0, [b"a"])
        await log.append(other, 0, [b"a"])
        failing.pause()
        appends = [Append(CODE, 1, [b"b"]), Append(other, 1, [b"b"])]
        with pytest.raises(StorageUnavailable, match="does not answer"):
            await log.append_all(appends)
        failing.resume()
        assert await eventually(lambda: log.append_all(appends)) == [None, None]
        assert await log.append_all([Append(CODE, 2, [b"c"])]) == [None]
        assert await log.read(CODE) == [b"a", b"b", b"c"]
        # Another append of the same records is stored, too.
        (conflict,) = await log.append_all(appends[1:])
        assert isinstance(conflict, Conflict)


async def test_a_killed_broker_comes_back_with_everything(failing: Brokers) -> None:
    async with log_in(failing, "sr") as log:
        await log.append(CODE, 0, [b"a"])
        await asyncio.to_thread(failing.kill)
        for _ in range(2):
            with pytest.raises(StorageUnavailable):
                await log.append(CODE, 1, [b"b"])
        with pytest.raises(StorageUnavailable):
            await log.read(CODE)
        await asyncio.to_thread(failing.start)
        await eventually(lambda: log.append(CODE, 1, [b"b"]))
        assert await log.read(CODE) == [b"a", b"b"]


async def test_revoked_credentials_that_come_back_are_used(tmp_path: Path) -> None:
    ann = "{ user: ann, password: a }"
    bob = "{ user: bob, password: b }"
    more = f"authorization {{ users: [ {ann} ] }}"
    with Brokers(tmp_path, more=more) as guarded:
        url = guarded.urls[0].replace("//", "//ann:a@")
        async with connected([url]) as connection:
            log = JetStreamLog()
            async with log.opened(connection):
                await log.append(CODE, 0, [b"a"])
                await asyncio.to_thread(guarded.reload, more.replace(ann, bob))
                length = await refused(log)
                await asyncio.to_thread(guarded.reload, more)
                await eventually(lambda: log.append(CODE, length, [b"b"]))
                assert await log.length(CODE) == length + 1


async def refused(log: JetStreamLog) -> int:
    """Append until an append fails; return its position."""
    for position in count(1):
        try:
            await log.append(CODE, position, [b"x"])
        except StorageUnavailable:
            return position
    raise AssertionError


@pytest.mark.slow
async def test_three_brokers_survive_the_loss_of_a_leader() -> None:
    """Appends go on after the election, and what was acknowledged is there."""
    with brokers(3) as three:
        async with log_in(three, "sr") as log, log_in(three, "sr") as other:
            assert log.copies == 3
            await log.append(CODE, 0, [b"0"])
            name = log.stream_name(CODE)
            stream = next(s for s in await streams(log) if s.config.name == name)
            leader = int(stream.cluster.leader[1:])
            await asyncio.to_thread(three.kill, leader)
            for n in range(1, 30):
                append = [Append(CODE, n, [b"%d" % n])]
                call = partial(log.append_all, append)
                assert await eventually(call) == [None]
            assert await eventually(lambda: other.read(CODE)) == [
                b"%d" % n for n in range(30)
            ]
            await asyncio.to_thread(three.start, leader)
            await eventually(lambda: other.append(CODE, 30, [b"30"]))
