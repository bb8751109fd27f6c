"""One append in flight, in order, nothing skipped; whoever cannot write steps down."""

import asyncio
import contextlib
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.e2e.protocol_client import eventually
from tests.e2e.stores import FaultyStore
from tests.server.make_services import works_with

from sliderace.protocol.messages import Ack
from sliderace.race.log_records import LoggedSlide, Seat, Slid
from sliderace_server.registry.room_writer import RoomWriter
from sliderace_server.room.log_records import Connected
from sliderace_server.storage import Conflict, StorageUnavailable
from sliderace_server.storage.log_writer import LogWriter
from sliderace_server.storage.record_codec import decode

ROOM = "KWXTRB"


class Desk:
    """A scribe, and what it told."""

    def __init__(self, store: FaultyStore, group: asyncio.TaskGroup) -> None:
        self.store = store
        self.durable: list[int] = []
        self.acks: list[dict[int, Ack]] = []
        self.failures = 0
        self.losses = 0
        self.error: Exception | None = None
        services = works_with(store, group)

        def spawn(work: Coroutine[Any, Any, None]) -> None:
            group.create_task(self._guarded(work))

        log_writer = LogWriter(
            store.log,
            spawn,
            lambda: None,
            services.clock,
            services.metrics,
            services.load_meter,
        )
        services = replace(services, spawn=spawn, log_writer=log_writer)
        self.metrics = services.metrics
        self.room_writer = RoomWriter(
            services,
            ROOM,
            0,
            committed=self._committed,
            failed=self._failed,
            lost=self._lost,
        )

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        with contextlib.suppress(ZeroDivisionError):
            await work

    def add(self, *numbers: int) -> None:
        for number in numbers:
            self.room_writer.add(Connected(number, 1))

    def slide(self, member: int, seq: int, count: int = 1, race: str = "R") -> None:
        slides: tuple[LoggedSlide, ...] = (("U", 1, 5),) * count
        self.room_writer.slid(Slid(seq, race, Seat(0), seq, slides), member)

    def _committed(self, acks: Mapping[int, Ack]) -> None:
        if self.error is not None:
            raise self.error
        self.durable.append(self.room_writer.durable)
        self.acks.append(dict(acks))

    def _failed(self) -> None:
        self.failures += 1

    def _lost(self) -> None:
        self.losses += 1

    async def log(self) -> list[int]:
        return [decode(line).t for line in await self.store.log.read(ROOM)]


async def test_records_of_one_turn_are_one_append_and_later_ones_gather() -> None:
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        store.unblocked.clear()
        desk.add(1, 2)
        await store.waiting.wait()
        desk.add(3)
        desk.add(4, 5)
        assert (desk.room_writer.applied, desk.room_writer.durable) == (5, 0)
        assert not desk.room_writer.idle
        store.unblocked.set()
        await eventually(lambda: desk.room_writer.idle)
        assert desk.durable == [2, 5]
        assert await desk.log() == [1, 2, 3, 4, 5]


async def test_what_failed_is_written_again_before_anything_else() -> None:
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        store.full = True
        desk.add(1)
        await eventually(lambda: desk.room_writer.failing)
        desk.add(2)
        store.full = False
        await eventually(lambda: desk.room_writer.idle)
        assert desk.durable == [1, 2]
        assert await desk.log() == [1, 2]
        assert (desk.failures, desk.losses, desk.room_writer.failing) == (1, 0, False)
        counted = [desk.metrics.counts[name][""] for name in ("commits", "records")]
        assert counted == [2, 2]


async def test_after_a_conflict_nothing_more_is_written() -> None:
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        store.conflicting.add(ROOM)
        desk.add(1)
        await eventually(lambda: desk.losses)
        store.conflicting.clear()
        desk.add(2)
        for _ in range(5):
            await asyncio.sleep(0)
        assert await desk.log() == []
        assert desk.durable == []


async def test_after_any_other_trouble_neither() -> None:
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        store.error = ZeroDivisionError()
        desk.add(1)
        await eventually(lambda: desk.losses)
        store.error = None
        desk.add(2)
        for _ in range(5):
            await asyncio.sleep(0)
        assert await desk.log() == []


async def test_who_cannot_tell_what_is_stored_steps_down(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The room would wait for ever for what it was to do then."""
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        desk.error = ZeroDivisionError()
        desk.add(1)
        await eventually(lambda: desk.losses)
        assert "ZeroDivisionError" in caplog.text
        desk.add(2)
        assert desk.room_writer.idle


async def test_who_is_stopped_while_the_disk_fails_writes_nothing_later() -> None:
    """A room that was refused must not turn up after the next start."""
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        store.full = True
        desk.add(1)
        await eventually(lambda: desk.failures)
        desk.room_writer.stop()
        store.full = False
    assert await desk.log() == []


async def test_behind_a_stop_nothing_is_written() -> None:
    """A log with a hole would be worse than one that ends."""
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        desk.add(1)
        await eventually(lambda: desk.room_writer.idle)
        desk.add(2)
        desk.room_writer.stop()
        desk.add(3)
        for _ in range(5):
            await asyncio.sleep(0)
        assert await desk.log() == [1]
        assert desk.room_writer.idle


async def test_slides_are_acked_up_to_the_last_one_that_is_durable() -> None:
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        store.unblocked.clear()
        desk.slide(3, 1)
        desk.slide(3, 2, count=4)
        desk.slide(8, 1)
        await store.waiting.wait()
        desk.slide(3, 6, race="NEXT")
        assert desk.acks == []
        store.unblocked.set()
        await eventually(lambda: desk.room_writer.idle)
        assert desk.acks == [{3: Ack("R", 5), 8: Ack("R", 1)}, {3: Ack("NEXT", 6)}]
        desk.add(7)
        await eventually(lambda: desk.room_writer.idle)
        assert desk.acks[2:] == [{}]


async def test_slides_that_are_never_written_are_never_acked() -> None:
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        desk.slide(3, 1)
        desk.room_writer.stop()
        desk.slide(3, 2)
        for _ in range(5):
            await asyncio.sleep(0)
        assert await desk.log() == []
        assert not any(desk.acks)


async def test_behind_what_cannot_be_written_down_nothing_is() -> None:
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        desk.add(1)
        with pytest.raises(TypeError):
            desk.room_writer.add(Connected(2, object()))  # type: ignore[arg-type]
        assert desk.losses == 1
        desk.add(3)
        await eventually(lambda: desk.room_writer.idle)
        assert await desk.log() == []


def test_the_two_troubles_of_a_store_are_told_apart() -> None:
    assert not issubclass(Conflict, StorageUnavailable)


async def test_an_append_whose_answer_was_lost_is_no_conflict() -> None:
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        store.lost_answers = 1
        desk.add(1, 2)
        await eventually(lambda: desk.room_writer.idle)
        desk.add(3)
        await eventually(lambda: desk.room_writer.idle)
        assert (desk.losses, desk.durable) == (0, [2, 3])
        assert await desk.log() == [1, 2, 3]


async def test_what_another_writer_stored_meanwhile_is_a_conflict() -> None:
    async with FaultyStore() as store, asyncio.TaskGroup() as group:
        desk = Desk(store, group)
        store.lost_answers, store.other_record = 1, b"another writer's"
        desk.add(1)
        await eventually(lambda: desk.losses)
        assert desk.durable == []
