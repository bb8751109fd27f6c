"""The log writer: one commit for all rooms, in order, nothing skipped."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from tests.e2e.protocol_client import FastClock, eventually
from tests.e2e.stores import FaultyStore
from tests.server.make_services import Tasks

from sliderace_server.clock import Clock, SystemClock
from sliderace_server.metrics import Metrics
from sliderace_server.pacing import LoadMeter, commit_interval_ms
from sliderace_server.storage import Append, Conflict, StorageUnavailable
from sliderace_server.storage.log_writer import LogWriter

CODES = ("BCDFGH", "KWXTRB", "ZZZZZZ")


class Room:
    """A room that records the reports of the log writer."""

    def __init__(self, code: str, writer: LogWriter) -> None:
        self.code = code
        self.writer = writer
        self.log = writer.open(self, code, 0)
        self.reports: list[object] = []
        self.mistaken = False

    def append(self, *numbers: int) -> None:
        self.log.append([b"%d" % number for number in numbers])

    def committed(self, position: int, now: int) -> None:  # noqa: ARG002
        if self.mistaken:
            raise ZeroDivisionError
        self.reports.append(position)

    def append_failed(self) -> None:
        self.reports.append("failed")

    def log_lost(self) -> None:
        self.reports.append("lost")


class CountingStore(FaultyStore):
    """A store that records the rooms of each append."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds: list[list[str]] = []
        self._append_all = self.log.append_all
        self.log.append_all = self._counted  # type: ignore[method-assign]

    async def _counted(self, appends: Sequence[Append]) -> list[Conflict | None]:
        self.rounds.append([append.room for append in appends])
        return await self._append_all(appends)


class SleepDrivenClock(SystemClock):
    """A clock that advances only during `sleep`."""

    def __init__(self) -> None:
        self.boot, self.ms = "", 1_000

    def now_ms(self) -> int:
        return self.ms

    async def sleep(self, seconds: float) -> None:
        self.ms += round(seconds * 1_000)
        await asyncio.sleep(0)


def start(
    store: FaultyStore,
    tasks: Tasks,
    clock: Clock | None = None,
    flush: Callable[[], None] = lambda: None,
    load_meter: LoadMeter | None = None,
    metrics: Metrics | None = None,
) -> list[Room]:
    """Start a log writer with three rooms."""
    clock, metrics = clock or FastClock(), metrics or Metrics()
    load_meter = load_meter or LoadMeter()
    writer = LogWriter(store.log, flush, clock, metrics, load_meter)
    tasks.create_task(writer.run())
    return [Room(code, writer) for code in CODES]


async def stored(store: FaultyStore, room: Room) -> list[int]:
    return [int(record) for record in await store.log.read(room.code)]


async def settle() -> None:
    """Let the loop run for a few turns."""
    for _ in range(8):
        await asyncio.sleep(0)


# --- Commits -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("load", "rest"), [(0.0, 1), (0.2, 1), (0.3, 3), (0.5, 7), (0.65, 10), (1.6, 10)]
)
async def test_busy_server_commits_less_often(load: float, rest: int) -> None:
    clock, load_meter = SleepDrivenClock(), LoadMeter()
    load_meter.commit_interval_ms = commit_interval_ms(load)
    async with CountingStore() as store, Tasks() as tasks:
        room, *_ = start(store, tasks, clock, load_meter=load_meter)
        began: list[int] = []
        for number, passed in enumerate((0, 1, rest, 50), 1):
            clock.ms += passed
            room.append(number)
            await eventually(partial(_has_length, store.rounds, number))
            began.append(clock.ms)
    # Neither the first commit waits, nor one that comes late enough.
    assert began == [1_000, 1_000 + rest, 1_000 + 2 * rest, 1_050 + 2 * rest]


def _has_length(items: Sequence[object], length: int) -> bool:
    return len(items) == length


async def test_all_rooms_of_a_turn_share_one_commit() -> None:
    async with CountingStore() as store, Tasks() as tasks:
        metrics = Metrics()
        rooms = start(store, tasks, metrics=metrics)
        store.unblocked.clear()
        for room in rooms[:2]:
            room.append(1)
        await store.waiting.wait()
        rooms[2].append(1)
        store.unblocked.set()
        await eventually(lambda: rooms[2].reports)
        assert store.rounds == [["BCDFGH", "KWXTRB"], ["ZZZZZZ"]]
        assert [room.reports for room in rooms] == [[1]] * 3
        counted = [metrics.counts[name][""] for name in ("commits", "records")]
        assert counted == [3, 3]
        assert sum(metrics.commit_seconds.counts) == 2


async def test_records_of_one_turn_are_one_append_and_later_ones_wait() -> None:
    async with FaultyStore() as store, Tasks() as tasks:
        room, *_ = start(store, tasks)
        store.unblocked.clear()
        room.append(1, 2)
        await store.waiting.wait()
        room.append(3)
        room.append(4, 5)
        assert room.reports == []
        assert not room.log.idle
        store.unblocked.set()
        await eventually(lambda: room.log.idle)
        assert room.reports == [2, 5]
        assert await stored(store, room) == [1, 2, 3, 4, 5]


async def test_reports_of_a_commit_are_flushed_once_and_immediately() -> None:
    """Each further turn of the loop would delay all acks."""
    async with FaultyStore() as store, Tasks() as tasks:
        seen: list[list[list[object]]] = []
        rooms: list[Room] = []

        def flush() -> None:
            seen.append([list(room.reports) for room in rooms])

        rooms += start(store, tasks, flush=flush)
        rooms[0].mistaken = True  # its error must not stop the others
        for room in rooms:
            room.append(1)
        await eventually(lambda: seen)
        assert seen == [[["lost"], [1], [1]]]


async def test_an_error_while_flushing_does_not_stop_the_log_writer() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    async with FaultyStore() as store, Tasks() as tasks:
        room, *_ = start(store, tasks, flush=fail)
        room.append(1)
        await eventually(lambda: room.reports == [1])
        room.append(2)
        await eventually(lambda: room.reports == [1, 2])


# --- Failures ------------------------------------------------------------------------


async def test_a_failed_commit_is_repeated_before_anything_else() -> None:
    async with FaultyStore() as store, Tasks() as tasks:
        metrics = Metrics()
        rooms = start(store, tasks, metrics=metrics)
        room, other, _ = rooms
        store.full = True
        room.append(1)
        await eventually(lambda: room.reports == ["failed"])
        await eventually(lambda: metrics.counts["commit_failures"][""] > 2)
        room.append(2)
        other.append(7)
        store.full = False
        await eventually(lambda: room.log.idle and other.log.idle)
        assert room.reports == ["failed", 1, 2]
        assert other.reports == [1]
        assert await stored(store, room) == [1, 2]


async def test_a_room_that_waits_behind_a_failed_commit_is_told() -> None:
    """Its newcomers would wait for as long as the disk is full."""
    async with FaultyStore() as store, Tasks() as tasks:
        room, other, closed = start(store, tasks)
        store.full = True
        store.unblocked.clear()
        room.append(1)
        await store.waiting.wait()
        other.append(7)
        closed.append(8)
        closed.log.close()
        store.unblocked.set()
        await eventually(lambda: other.reports == ["failed"])
        assert closed.reports == []
        store.full = False
        await eventually(lambda: other.log.idle)
        assert other.reports == ["failed", 1]


async def test_a_failure_ends_when_its_rooms_give_up_their_logs() -> None:
    """Otherwise newcomers would be refused until the server is restarted."""
    async with FaultyStore() as store, Tasks() as tasks:
        room, other, _ = start(store, tasks)
        store.full = True
        room.append(1)
        await eventually(lambda: room.reports == ["failed"])
        assert room.writer.failing
        room.log.close()
        await eventually(lambda: not room.writer.failing)
        store.full = False
        other.append(7)
        await eventually(lambda: other.reports == [1])


async def test_conflict_ends_only_one_log() -> None:
    async with FaultyStore() as store, Tasks() as tasks:
        metrics = Metrics()
        rooms = start(store, tasks, metrics=metrics)
        store.conflicting.add("KWXTRB")
        for room in rooms:
            room.append(1)
        await eventually(lambda: all(room.reports for room in rooms))
        assert [room.reports for room in rooms] == [[1], ["lost"], [1]]
        assert metrics.counts["commits"][""] == metrics.counts["records"][""] == 2
        assert metrics.counts["steps_down"][""] == 1
        store.conflicting.clear()
        rooms[1].append(2)
        await settle()
        assert await store.log.rooms() == ["BCDFGH", "ZZZZZZ"]


async def test_an_append_whose_answer_was_lost_is_not_a_conflict() -> None:
    async with FaultyStore() as store, Tasks() as tasks:
        rooms = start(store, tasks)
        room, other, _ = rooms
        store.lost_answers = 1
        room.append(1, 2)
        other.append(5)
        await eventually(lambda: room.log.idle and other.log.idle)
        room.append(3)
        await eventually(lambda: room.log.idle)
        assert room.reports == ["failed", 2, 3]
        assert await stored(store, room) == [1, 2, 3]
        assert await stored(store, other) == [5]


async def test_records_of_another_writer_are_a_conflict_after_a_failure_too() -> None:
    async with FaultyStore() as store, Tasks() as tasks:
        room, *_ = start(store, tasks)
        store.lost_answers, store.other_record = 1, b"another writer's"
        room.append(1)
        await eventually(lambda: "lost" in room.reports)
        assert room.reports == ["failed", "lost"]


async def test_a_log_that_cannot_be_read_after_a_failure_is_a_conflict() -> None:
    async with FaultyStore() as store, Tasks() as tasks:
        rooms = start(store, tasks)
        room, other, _ = rooms
        store.damaged.add(room.code)
        store.lost_answers = 1
        room.append(1)
        other.append(5)
        await eventually(lambda: "lost" in room.reports and other.log.idle)
        assert await stored(store, other) == [5]


async def test_one_room_s_error_delays_and_ends_no_other_room() -> None:
    """Even if some appends of the failed commit are stored."""
    async with FaultyStore() as store, Tasks() as tasks:
        rooms = start(store, tasks)
        store.poisoned = "KWXTRB"
        for room in rooms:
            room.append(1)
        await eventually(lambda: all(room.reports for room in rooms))
        assert [room.reports for room in rooms] == [[1], ["lost"], [1]]
        rooms[0].append(2)
        await eventually(lambda: rooms[0].reports == [1, 2])


async def test_a_room_that_fails_after_a_commit_loses_its_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Otherwise its later records would wait forever."""
    async with FaultyStore() as store, Tasks() as tasks:
        room, *_ = start(store, tasks)
        room.mistaken = True
        room.append(1)
        await eventually(lambda: room.reports == ["lost"])
        assert "ZeroDivisionError" in caplog.text
        room.append(2)
        assert room.log.idle


# --- The end -------------------------------------------------------------------------


async def test_log_closed_while_the_storage_fails_is_not_written() -> None:
    """A room that was refused must not appear after the next start."""
    async with FaultyStore() as store, Tasks() as tasks:
        room, other, _ = start(store, tasks)
        store.full = True
        room.append(1)
        other.append(1)
        await eventually(lambda: room.reports)
        room.log.close()
        store.full = False
        await eventually(lambda: other.log.idle)
        assert await store.log.rooms() == ["KWXTRB"]
        store.full = True
        other.append(2)
        await eventually(lambda: other.reports[-1] == "failed")
        other.log.close()
        store.full = False
        rooms = store.appends
        await settle()
        assert rooms == store.appends


async def test_nothing_is_written_after_a_log_is_closed() -> None:
    """A log with a gap would be worse than one that ends."""
    async with FaultyStore() as store, Tasks() as tasks:
        room, *_ = start(store, tasks)
        room.append(1)
        await eventually(lambda: room.log.idle)
        room.append(2)
        room.log.close()
        room.append(3)
        await settle()
        assert await stored(store, room) == [1]
        assert room.log.idle


async def test_a_commit_of_a_closed_log_is_not_reported() -> None:
    async with FaultyStore() as store, Tasks() as tasks:
        room, other, _ = start(store, tasks)
        store.unblocked.clear()
        room.append(1)
        other.append(1)
        await store.waiting.wait()
        room.log.close()
        store.unblocked.set()
        await eventually(lambda: other.reports)
        assert room.reports == []


@pytest.mark.parametrize("resting", [True, False])
async def test_a_cancelled_log_writer_loses_all_logs_that_are_not_durable(
    resting: bool,
) -> None:
    async with CountingStore() as store:
        clock = SleepingClock() if resting else FastClock()
        async with Tasks() as tasks:
            rooms = start(store, tasks, clock)
            first, *others = rooms
            if resting:
                first.append(1)
                await eventually(lambda: first.reports)
            else:
                store.unblocked.clear()
                first.append(1)
                await store.waiting.wait()
            for room in others:
                room.append(1)
            if isinstance(clock, SleepingClock):
                await clock.sleeping.wait()
        expected: list[list[object]] = [["lost"]] * 3
        if resting:
            expected[0] = [1]
        assert [room.reports for room in rooms] == expected
        first.append(2)  # it is never written
        assert len(store.rounds) == 1


class SleepingClock(SystemClock):
    """A clock that stands still: `sleep` never returns."""

    def __init__(self) -> None:
        self.boot = ""
        self.sleeping = asyncio.Event()

    def now_ms(self) -> int:
        return 1_000

    async def sleep(self, seconds: float) -> None:  # noqa: ARG002
        self.sleeping.set()
        await asyncio.Event().wait()


def test_a_conflict_is_not_a_failure_of_the_storage() -> None:
    assert not issubclass(Conflict, StorageUnavailable)
