"""Sweeping of dropped rooms' records, and the cost of a long log."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.server.sync_queries import asynchronous, run

from sliderace_server.storage import Append
from sliderace_server.storage.sqlite import queries
from sliderace_server.storage.sqlite.schema import check, migrate, migrations
from sliderace_server.storage.sqlite.store import MAX_DEAD, SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rooms.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    async with SqliteStore(path) as opened:
        yield opened


async def appends_of(store: SqliteStore) -> int:
    query = "SELECT count(*) FROM log"
    with store.connections as (reader, _):
        ((count,),) = await reader.execute_fetchall(query)
        return int(count)


async def test_records_of_dropped_rooms_are_swept_when_there_are_many(
    path: Path,
) -> None:
    async with SqliteStore(path, max_dead=100) as store:
        await store.log.drop("ZZZZZZ")  # the first drop of a process always sweeps
        for n in range(10):
            await store.log.append("LIVING", n, [b"%d" % n])
            await store.log.append("DROPPED", 10 * n, [b"x"] * 10)
        await store.log.drop("DROPPED")
        assert await appends_of(store) == 20  # not worth a page for each
        await store.log.append("DROPPED", 0, [b"anew"])
        await store.log.append("OTHER", 0, [b"x"])
        await store.log.drop("OTHER")
        assert await appends_of(store) == 11
        assert await store.log.read("LIVING") == [b"%d" % n for n in range(10)]
        assert await store.log.read("LIVING", 7) == [b"7", b"8", b"9"]
        assert await store.log.read("DROPPED") == [b"anew"]


async def test_a_long_log_is_swept_in_chunks(store: SqliteStore) -> None:
    for n in range(20):
        await store.log.append(f"ROOM{n}", 0, [b"x"])
    with store.connections as (reader, writer):
        for n in range(0, 20, 2):
            await queries.drop(writer, f"ROOM{n}", 0, 0)
        ends: list[int | None] = [0]
        while (end := ends[-1]) is not None:
            ends.append(await queries.sweep(reader, writer, end, 7))
            gone = sum(n % 2 == 0 for n in range(ends[-1] or 20))
            assert await appends_of(store) == 20 - gone
    assert ends == [0, 7, 14, None]
    assert await store.log.rooms() == sorted(f"ROOM{n}" for n in range(1, 20, 2))


async def test_trimmed_records_are_swept_when_there_are_many(path: Path) -> None:
    async with SqliteStore(path, max_dead=5) as store:
        await store.log.drop("ZZZZZZ")
        for n in range(10):
            await store.log.append("KWXTRB", n, [b"%d" % n])
        await store.log.trim("KWXTRB", 5)
        assert await appends_of(store) == 10
        await store.log.trim("KWXTRB", 7)
        assert await appends_of(store) == 3
        assert await store.log.read("KWXTRB") == [b"7", b"8", b"9"]
        await store.log.append("KWXTRB", 10, [b"10"])
    async with SqliteStore(path) as store:
        assert await store.log.read("KWXTRB", 8) == [b"8", b"9", b"10"]
        assert await store.log.length("KWXTRB") == 11
    await asyncio.to_thread(check_file, path)


async def test_a_new_process_sweeps_what_the_last_one_left_behind(path: Path) -> None:
    async with SqliteStore(path) as store:
        await store.log.drop("ZZZZZZ")
        await store.log.append("DROPPED", 0, [b"x"])
        await store.log.drop("DROPPED")
        assert await appends_of(store) == 1
    async with SqliteStore(path) as store:
        await store.log.drop("ZZZZZZ")
        assert await appends_of(store) == 0


async def test_many_records_of_open_rooms_postpone_the_sweep(path: Path) -> None:
    async with SqliteStore(path, max_dead=0) as store:
        await store.log.drop("ZZZZZZ")
        await store.log.append("LIVING", 0, [b"x"] * 10)
        for n, left in enumerate((2, 3, 1)):
            await store.log.append(f"ROOM{n}", 0, [b"x"] * 4)
            await store.log.drop(f"ROOM{n}")
            assert await appends_of(store) == left


async def test_an_interrupted_sweep_is_resumed(path: Path) -> None:
    async with SqliteStore(path) as store:
        await store.log.drop("ZZZZZZ")
        rooms = [Append(f"ROOM{n}", 0, [b"x"]) for n in range(5_000)]
        await store.log.append_all(rooms)
        await store.log.append("KWXTRB", 0, [b"living"])
        dropped = "DELETE FROM room WHERE code LIKE 'ROOM%' AND code != 'ROOM0'"
        with store.connections as (_, writer):
            await writer.execute(dropped)
        await store.log.append("DROPPED", 0, [b"x"] * (MAX_DEAD + 1))
        total = await appends_of(store)
        drop = asyncio.create_task(store.log.drop("DROPPED"))
        while await appends_of(store) == total:  # noqa: ASYNC110 - a commit is awaited
            await asyncio.sleep(0)
        drop.cancel()
        await asyncio.wait([drop])
        assert drop.cancelled()
        assert await appends_of(store) > 2
        await store.log.drop("ZZZZZZ")
        assert await appends_of(store) == 2
        assert await store.log.rooms() == ["KWXTRB", "ROOM0"]


def steps(db: sqlite3.Connection, work: Coroutine[Any, Any, object]) -> int:
    """Count the instructions of SQLite that a call takes, in hundreds."""
    taken = 0

    def count() -> None:
        nonlocal taken
        taken += 1

    db.set_progress_handler(count, 100)
    run(work)
    db.set_progress_handler(None, 100)
    return taken


def test_no_operation_takes_longer_for_a_longer_log() -> None:
    """A sweep's chunk, an append, and reading the end of a log."""
    taken: list[list[int]] = []
    for appends in (2_000, 20_000):
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            migrate(db, migrations())
            db.execute("BEGIN")
            asyn = asynchronous(db)
            for at in range(appends):
                run(queries.append_all(asyn, [Append("KWXTRB", at, [b"x"])]))
            new = [Append("KWXTRB", appends, [b"y"])]
            work: list[Coroutine[Any, Any, object]] = [
                queries.sweep(asyn, asyn, 0, 1_000),
                queries.sweep(asyn, asyn, appends - 999, 1_000),
                queries.append_all(asyn, new),
                queries.read(asyn, "KWXTRB", appends - 10),
            ]
            taken.append([steps(db, one) for one in work])
            assert len(run(queries.read(asyn, "KWXTRB", 0))) == appends + 1
    for few, many in zip(*taken, strict=True):
        assert many <= 1.5 * few + 5


async def test_a_failed_append_stores_nothing(store: SqliteStore, path: Path) -> None:
    appends = [Append("BBBBBB", 0, [b"x"]), Append("\ud800", 0, [b"x"])]
    with pytest.raises(UnicodeError):
        await store.log.append_all(appends)
    assert await store.log.rooms() == []
    await store.log.append("BBBBBB", 0, [b"x"])
    await asyncio.to_thread(check_file, path)


def check_file(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        check(db)
