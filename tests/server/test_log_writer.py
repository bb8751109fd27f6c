"""One append for all rooms; the trouble of one room stays there."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

import pytest
from tests.e2e.protocol_client import FastClock, eventually
from tests.e2e.stores import FaultyStore

from sliderace_server.clock import Clock, SystemClock
from sliderace_server.load import LoadMeter
from sliderace_server.metrics import Metrics
from sliderace_server.storage import Append, Conflict, StorageUnavailable
from sliderace_server.storage.log_writer import LogWriter


class Room:
    """Gathers records, and notes what it is told."""

    def __init__(self, code: str, log_writer: LogWriter) -> None:
        self.code = code
        self.log_writer = log_writer
        self.stored = 0
        self.told_of: list[object] = []
        self.records = [b"record"]
        self.mistaken = False

    def take(self) -> Append:
        return Append(self.code, self.stored, self.records)

    def told(self, conflict: Conflict | None) -> None:
        if self.mistaken:
            raise ZeroDivisionError
        self.told_of.append(conflict)
        self.stored += len(self.records)

    def alone(self, error: StorageUnavailable | None) -> None:
        self.told_of.append(("alone", error))

    def give_up(self) -> None:
        self.told_of.append("given up")


class Counting(FaultyStore):
    """Counts appends."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds: list[list[str]] = []
        self._append_all = self.log.append_all
        self.log.append_all = self._counted  # type: ignore[method-assign]

    async def _counted(self, appends: Sequence[Append]) -> list[Conflict | None]:
        self.rounds.append([append.room for append in appends])
        return await self._append_all(appends)


class Patient(SystemClock):
    """Stands still, but for those who sleep."""

    def __init__(self) -> None:
        self.boot, self.ms = "", 1_000

    def now_ms(self) -> int:
        return self.ms

    async def sleep(self, seconds: float) -> None:
        self.ms += round(seconds * 1_000)
        await asyncio.sleep(0)


def rooms(
    store: FaultyStore,
    tasks: list[asyncio.Task[None]],
    clock: Clock | None = None,
    flush: Callable[[], None] = lambda: None,
    load_meter: LoadMeter | None = None,
    metrics: Metrics | None = None,
) -> list[Room]:
    """Three of them, with one courier."""
    clock = clock or FastClock()
    loop = asyncio.get_running_loop()

    def spawn(work: Coroutine[Any, Any, None]) -> None:
        tasks.append(loop.create_task(work))

    metrics, load_meter = metrics or Metrics(), load_meter or LoadMeter()
    log_writer = LogWriter(store.log, spawn, flush, clock, metrics, load_meter)
    return [Room(code, log_writer) for code in ("BCDFGH", "KWXTRB", "ZZZZZZ")]


def _are(rounds: list[list[str]], number: int) -> bool:
    return len(rounds) == number


@pytest.mark.parametrize(
    ("load", "rest"), [(0.0, 1), (0.2, 1), (0.3, 3), (0.5, 7), (0.65, 10), (1.6, 10)]
)
async def test_appends_begin_the_further_apart_the_busier_the_server_is(
    load: float, rest: int
) -> None:
    clock, load_meter = Patient(), LoadMeter()
    load_meter.load = load
    async with Counting() as store:
        room, *_ = rooms(store, [], clock, load_meter=load_meter)
        began: list[int] = []
        for number, passed in enumerate((0, 1, rest, 50), 1):
            clock.ms += passed
            room.log_writer.collect(room)
            await eventually(partial(_are, store.rounds, number))
            began.append(clock.ms)
    # The first one waits for nothing, and so does who comes late enough.
    assert began == [1_000, 1_000 + rest, 1_000 + 2 * rest, 1_050 + 2 * rest]


async def test_all_rooms_of_a_turn_are_one_append() -> None:
    async with Counting() as store:
        tasks: list[asyncio.Task[None]] = []
        metrics = Metrics()
        everybody = rooms(store, tasks, metrics=metrics)
        store.unblocked.clear()
        for room in everybody[:2]:
            room.log_writer.collect(room)
        await store.waiting.wait()
        last = everybody[2]
        last.log_writer.collect(last)
        store.unblocked.set()
        await eventually(lambda: last.told_of)
        assert store.rounds == [["BCDFGH", "KWXTRB"], ["ZZZZZZ"]]
        assert [room.told_of for room in everybody] == [[None]] * 3
        counted = [metrics.counts[name][""] for name in ("commits", "records")]
        assert counted == [3, 3]
        assert sum(metrics.commit_seconds.counts) == 2


async def test_what_all_are_told_is_written_at_once_and_once() -> None:
    """Each further turn of the loop would make all acks later."""
    async with FaultyStore() as store:
        seen: list[list[list[object]]] = []
        everybody: list[Room] = []

        def flush() -> None:
            seen.append([list(room.told_of) for room in everybody])

        everybody += rooms(store, [], flush=flush)
        everybody[0].mistaken = True  # its trouble is not that of the others
        for room in everybody:
            room.log_writer.collect(room)
        await eventually(lambda: seen)
        assert seen == [[[], [None], [None]]]


async def test_a_stolen_room_leaves_the_others_alone() -> None:
    async with FaultyStore() as store:
        metrics = Metrics()
        everybody = rooms(store, [], metrics=metrics)
        store.conflicting.add("KWXTRB")
        for room in everybody:
            room.log_writer.collect(room)
        await eventually(lambda: all(room.told_of for room in everybody))
        kinds = [type(room.told_of[0]) for room in everybody]
        assert kinds == [type(None), Conflict, type(None)]
        assert await store.log.rooms() == ["BCDFGH", "ZZZZZZ"]
        assert metrics.counts["commits"][""] == metrics.counts["records"][""] == 2


async def test_while_the_disk_fails_each_goes_on_alone() -> None:
    async with FaultyStore() as store:
        everybody = rooms(store, [])
        store.full = True
        for room in everybody:
            room.log_writer.collect(room)
        await eventually(lambda: all(room.told_of for room in everybody))
        for room in everybody:
            ((kind, error),) = room.told_of  # type: ignore[misc]
            assert kind == "alone"  # type: ignore[has-type]
            assert isinstance(error, StorageUnavailable)  # type: ignore[has-type]


async def test_any_other_trouble_is_looked_for_room_by_room() -> None:
    async with FaultyStore() as store:
        tasks: list[asyncio.Task[None]] = []
        everybody = rooms(store, tasks)
        store.error = ZeroDivisionError()
        for room in everybody:
            room.log_writer.collect(room)
        await eventually(lambda: all(room.told_of for room in everybody))
        assert [room.told_of for room in everybody] == [[("alone", None)]] * 3
        assert isinstance(tasks[0].exception(), ZeroDivisionError)
        store.error = None
        room = everybody[0]
        room.log_writer.collect(room)
        await eventually(lambda: room.told_of[-1] is None)


async def test_who_is_cancelled_tells_so() -> None:
    async with FaultyStore() as store:
        tasks: list[asyncio.Task[None]] = []
        everybody = rooms(store, tasks)
        store.unblocked.clear()
        first, *others = everybody
        first.log_writer.collect(first)
        await store.waiting.wait()
        for room in others:
            room.log_writer.collect(room)
        tasks[0].cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await tasks[0]
        assert [room.told_of for room in everybody] == [["given up"]] * 3
        store.unblocked.set()


async def test_who_is_cancelled_while_it_rests_tells_so_and_begins_nothing() -> None:
    async with Counting() as store:
        tasks: list[asyncio.Task[None]] = []
        clock = Asleep()
        everybody = rooms(store, tasks, clock)
        first, *others = everybody
        first.log_writer.collect(first)
        await eventually(lambda: first.told_of)
        for room in others:
            room.log_writer.collect(room)
        await clock.sleeping.wait()
        tasks[-1].cancel()
        await asyncio.wait(tasks)
        assert [room.told_of for room in everybody] == [
            [None],
            ["given up"],
            ["given up"],
        ]
        assert len(tasks) == 2
        assert store.rounds == [["BCDFGH"]]


class Asleep(SystemClock):
    """Stands still; who sleeps does so for ever."""

    def __init__(self) -> None:
        self.boot = ""
        self.sleeping = asyncio.Event()

    def now_ms(self) -> int:
        return 1_000

    async def sleep(self, seconds: float) -> None:  # noqa: ARG002 - it is for ever
        self.sleeping.set()
        await asyncio.Event().wait()
