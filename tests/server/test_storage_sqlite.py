"""The SQLite store: durability, a single writer, clean errors."""

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.server.sync_queries import asynchronous, run

from sliderace_server.storage import (
    Append,
    AttemptRow,
    Conflict,
    RaceSummary,
    StorageUnavailable,
    StoredRace,
    StoreHeld,
    StoreRefused,
    open_store,
)
from sliderace_server.storage.sqlite import queries
from sliderace_server.storage.sqlite.store import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "rooms.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    async with SqliteStore(path) as opened:
        yield opened


@contextmanager
def connected(path: Path) -> Generator[sqlite3.Connection, None, None]:
    """Another program's connection to the file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def ask(store: SqliteStore, count: int, first: int = 0) -> list[asyncio.Task[None]]:
    """Start one append to each of `count` new rooms."""
    return [
        asyncio.create_task(store.log.append(f"ROOM{n}", 0, [b"x"]))
        for n in range(first, first + count)
    ]


def workers() -> list[threading.Thread]:
    """The threads of open connections."""
    return [t for t in threading.enumerate() if "connection_worker" in t.name]


def no_thread_stays() -> bool:
    """Whether the connections' threads have ended."""
    for thread in workers():
        thread.join(timeout=5)
    return workers() == []


async def pragma(store: SqliteStore, name: str) -> object:
    """Read a setting of the writing connection."""
    with store.connections as (_, writer):
        ((value,),) = await writer.execute_fetchall(f"PRAGMA {name}")
        return value


# --- Durability ----------------------------------------------------------------------


async def test_records_survive_a_restart(path: Path) -> None:
    async with open_store(f"sqlite:{path}") as store:
        await store.log.append("KWXTRB", 0, [b"one", b"two"])
    async with open_store(f"sqlite:{path}") as store:
        assert await store.log.read("KWXTRB") == [b"one", b"two"]
        with pytest.raises(Conflict):
            await store.log.append("KWXTRB", 0, [b"again"])


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("process", 1)])
async def test_durability_sets_the_synchronous_level(
    path: Path, durability: str, level: int
) -> None:
    async with SqliteStore(path, durability) as store:  # type: ignore[arg-type]
        assert store.durability == durability
        assert await pragma(store, "synchronous") == level
        assert await pragma(store, "journal_mode") == "wal"
        assert await pragma(store, "foreign_keys") == 1


CHILD = """
import asyncio, sys
from pathlib import Path
from sliderace_server.storage.sqlite.store import queries
from sliderace_server.storage.sqlite.store import SqliteStore

async def write(store, room):
    position = len(await store.log.read(room))
    while True:
        await store.log.append(room, position, [b"%d" % position])
        position += 1
        print(room, position, flush=True)

async def main():
    async with SqliteStore(Path(sys.argv[1])) as store, asyncio.TaskGroup() as group:
        for room in ("BBBBBB", "CCCCCC", "DDDDDD"):
            group.create_task(write(store, room))

asyncio.run(main())
"""


@contextmanager
def writing_child(path: Path) -> Generator[subprocess.Popen[str], None, None]:
    """Run another process that appends and prints what was acknowledged."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as child:
        try:
            yield child
        finally:
            child.kill()


def test_a_killed_server_loses_nothing_acknowledged(path: Path) -> None:
    acknowledged: dict[str, int] = {}
    for kill_after in (50, 87, 124):
        with writing_child(path) as child:
            assert child.stdout is not None
            for count, line in enumerate(child.stdout):
                if not line.endswith("\n"):
                    break  # killed while printing
                room, length = line.split()
                acknowledged[room] = int(length)
                if count == kill_after:
                    child.kill()  # what the pipe still holds was acknowledged too
    stored = asyncio.run(read_all(path))
    for room, position in acknowledged.items():
        assert stored[room][:position] == [b"%d" % n for n in range(position)]
        assert len(stored[room]) - position in (0, 1)  # one in flight


async def read_all(path: Path) -> dict[str, list[bytes]]:
    async with SqliteStore(path) as store:
        return {room: await store.log.read(room) for room in await store.log.rooms()}


# --- Commits --------------------------------------------------------------------


async def test_a_commit_for_many_rooms_is_one_call_to_the_thread(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    await asyncio.gather(*ask(store, 100))
    caplog.set_level(logging.DEBUG, "aiosqlite")
    appends = [Append(f"ROOM{n}", 1, [b"x"]) for n in range(100)]
    assert await store.log.append_all(appends) == [None] * 100
    hops = [r for r in caplog.records if r.getMessage().startswith("executing")]
    assert len(hops) == 1


async def test_a_write_is_acknowledged_only_after_the_commit(
    store: SqliteStore, path: Path
) -> None:
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        append = asyncio.create_task(store.log.append("KWXTRB", 0, [b"x"]))
        assert await store.log.read("KWXTRB") == []  # reading does not wait
        assert not append.done()
        other.rollback()
        await append
        query = "SELECT records FROM log"
        assert other.execute(query).fetchall() == [(b"x",)]


async def test_only_one_connection_can_write(store: SqliteStore) -> None:
    reading = store.connections
    with pytest.raises(StorageUnavailable, match="readonly"), reading as (reader, _):
        await reader.execute("DELETE FROM log")


async def test_an_append_by_another_program_is_a_conflict(
    store: SqliteStore, path: Path
) -> None:
    await store.log.append("KWXTRB", 0, [b"mine"])

    def write() -> None:
        with connected(path) as other:
            append = [Append("KWXTRB", 1, [b"theirs"])]
            assert run(queries.append_all(asynchronous(other), append)) == [None]

    await asyncio.to_thread(write)
    with pytest.raises(Conflict) as caught:
        await store.log.append("KWXTRB", 1, [b"mine"])
    assert caught.value.actual == 2


# --- Errors -------------------------------------------------------------------------


async def test_on_a_full_disk_appends_fail_and_succeed_later(path: Path) -> None:
    async with SqliteStore(path, max_pages=58) as store:
        await store.log.append("OLD", 0, [bytes(60_000)])
        big = bytes(120_000)
        both = [Append("SMALL", 0, [b"x"]), Append("BIG", 0, [b"x", big])]
        with pytest.raises(StorageUnavailable, match="full"):
            await store.log.append_all(both)
        assert await store.log.rooms() == ["OLD"]
        await store.log.append("SMALL", 0, [b"x"])  # there is room for this
        await store.log.drop("OLD")
        await store.log.append("BIG", 0, [b"x", big])
        assert await store.log.read("BIG") == [b"x", big]


async def test_a_record_that_is_too_large_is_not_a_storage_failure(
    store: SqliteStore,
) -> None:
    """Otherwise the log writer would retry it forever, and all rooms would wait."""
    with store.connections as (_, writer):
        setlimit = writer._conn.setlimit  # pyright: ignore[reportPrivateUsage]
        await writer._execute(setlimit, sqlite3.SQLITE_LIMIT_LENGTH, 100_000)  # type: ignore[no-untyped-call]  # pyright: ignore[reportPrivateUsage]
    both = [Append("SMALL", 0, [b"x"]), Append("BIG", 0, [bytes(100_001)])]
    with pytest.raises(ValueError, match="too big"):
        await store.log.append_all(both)
    assert await store.log.append_all(both[:1]) == [None]


async def test_a_failed_statement_does_not_affect_the_next_one(
    store: SqliteStore,
) -> None:
    with pytest.raises(StorageUnavailable), store.connections as (_, writer):
        await writer.execute("INSERT INTO nowhere VALUES (1)")
    await store.log.append("BBBBBB", 0, [b"y"])
    assert await store.log.read("BBBBBB") == [b"y"]


async def test_on_a_full_disk_storing_a_race_fails(path: Path) -> None:
    async with SqliteStore(path, max_pages=56) as store:
        stored = race(record=bytes(200_000))
        with pytest.raises(StorageUnavailable, match="full"):
            await store.results.store(stored)
        assert await store.results.races() == []
        await store.results.store(race(record=b"{}"))


async def test_on_a_full_file_system_appends_fail_and_succeed_later(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    disk = tmp_path / "disk"
    await asyncio.to_thread(mount, disk, "size=512k")
    request.addfinalizer(lambda: subprocess.run(["umount", disk], check=True))
    async with SqliteStore(disk / "rooms.db") as store:
        await store.log.append("KWXTRB", 0, [b"before"])
        ballast = disk / "ballast"
        with pytest.raises(OSError, match="No space"):
            ballast.write_bytes(bytes(1 << 20))
        with pytest.raises(StorageUnavailable):
            await store.log.append("KWXTRB", 1, [bytes(20_000)])
        assert await store.log.read("KWXTRB") == [b"before"]
        ballast.unlink()
        await store.log.append("KWXTRB", 1, [b"after"])
    async with SqliteStore(disk / "rooms.db") as store:
        assert await store.log.read("KWXTRB") == [b"before", b"after"]


def mount(folder: Path, options: str) -> None:
    """Mount a small file system at a new folder, if this machine allows it."""
    folder.mkdir()
    try:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not allowed here: mounting a file system")


@pytest.mark.parametrize(
    "row",
    [
        AttemptRow(0, "Ann", "won", 1, 5, 0, 0),
        AttemptRow(0, "Ann", "dnf", None, 5, 0, 0),
        AttemptRow(0, "Ann \ud800", "dns", None, None, 0, 0),
        AttemptRow(0, "Ann", "dns", None, None, 1 << 64, 0),
    ],
)
async def test_an_invalid_race_fails_alone(store: SqliteStore, row: AttemptRow) -> None:
    outcomes = await asyncio.gather(
        store.log.append("BBBBBB", 0, [b"x"]),
        store.results.store(race("BAD-1-1", attempts=(row,))),
        store.log.append("CCCCCC", 0, [b"x"]),
        return_exceptions=True,
    )
    assert outcomes[0] is outcomes[2] is None
    assert isinstance(outcomes[1], ValueError)
    assert await store.log.rooms() == ["BBBBBB", "CCCCCC"]
    assert await store.results.record("BAD-1-1") is None


def race(
    id_: str = "KWXTRB-1-1",
    record: bytes = b"{}",
    attempts: tuple[AttemptRow, ...] = (),
) -> StoredRace:
    return StoredRace(RaceSummary(id_, "KWXTRB", 0, "4x4", False, attempts), record)


# --- Closing ------------------------------------------------------------------------


async def test_closing_leaves_no_thread_and_no_log_files(path: Path) -> None:
    async with SqliteStore(path) as store:
        await store.log.append("KWXTRB", 0, [b"x"])
        assert len(workers()) == 2
    assert no_thread_stays()
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "rooms.db",
        "rooms.db.lock",
    ]


@pytest.mark.parametrize("cancelled", [False, True])
async def test_closing_waits_for_all_calls_in_progress(
    path: Path, cancelled: bool
) -> None:
    store = await SqliteStore(path).__aenter__()
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        appends = ask(store, 10)
        await asyncio.sleep(0)  # they are in a commit that cannot finish
        appends += ask(store, 10, first=10)
        close = asyncio.create_task(store.__aexit__())
        await asyncio.to_thread(workers)  # let the loop run for some turns
        if cancelled:
            close.cancel()
            await asyncio.to_thread(workers)
        assert not close.done()
        other.rollback()
        await asyncio.wait([close])
    assert close.cancelled() == cancelled
    await asyncio.gather(*appends)
    stored = await asyncio.to_thread(asyncio.run, read_all(path))
    assert len(stored) == 20


async def test_a_store_can_be_opened_again(path: Path) -> None:
    store = SqliteStore(path)
    for position in range(3):
        async with store:
            await store.log.append("KWXTRB", position, [b"x"])


# --- One server per file -------------------------------------------------------------


async def test_a_second_server_learns_which_process_uses_the_file(path: Path) -> None:
    async with SqliteStore(path) as first:
        with pytest.raises(StoreHeld) as caught:
            await SqliteStore(path).__aenter__()
        await first.log.append("KWXTRB", 0, [b"x"])
    assert caught.value.pid == os.getpid()
    assert str(os.getpid()) in str(caught.value)
    assert str(path) in str(caught.value)
    async with SqliteStore(path):
        pass


async def test_the_lock_applies_to_other_names_of_the_file(path: Path) -> None:
    async with SqliteStore(path):
        alias = path.with_name("alias.db")
        alias.symlink_to(path)
        with pytest.raises(StoreHeld):
            await SqliteStore(alias).__aenter__()


def test_a_killed_server_releases_its_lock(path: Path) -> None:
    with writing_child(path) as child:
        assert child.stdout is not None
        child.stdout.readline()  # it has opened the store
        with pytest.raises(StoreHeld) as caught:
            asyncio.run(read_all(path))
        assert caught.value.pid == child.pid
    assert asyncio.run(read_all(path))


async def test_an_unreadable_process_id_is_omitted(path: Path) -> None:
    async with SqliteStore(path):
        path.with_name("rooms.db.lock").write_bytes(b"\xff?")
        with pytest.raises(StoreHeld, match="another server") as caught:
            await SqliteStore(path).__aenter__()
    assert caught.value.pid is None


# --- Refusals -----------------------------------------------------------------------


async def refusal(path: Path) -> str:
    with pytest.raises(StoreRefused) as caught:
        await SqliteStore(path).__aenter__()
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    assert no_thread_stays()
    return text


async def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("milk, eggs\n" * 100)
    assert "not a database" in await refusal(path)
    assert path.read_text() == "milk, eggs\n" * 100


async def test_the_database_of_another_program_is_refused_and_not_changed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "photos.db"
    with connected(path) as other:
        other.execute("CREATE TABLE photo (name)")
    before = path.read_bytes()
    assert "database of another program" in await refusal(path)
    assert path.read_bytes() == before


async def test_a_newer_database_is_refused_and_not_changed(path: Path) -> None:
    async with SqliteStore(path):
        pass
    with connected(path) as other:
        other.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    assert "a newer sliderace wrote it" in await refusal(path)
    assert path.read_bytes() == before


async def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "directory" in await refusal(tmp_path)


async def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    await refusal(tmp_path / "file" / "rooms.db")


async def test_a_read_only_folder_is_refused(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    disk = tmp_path / "disk"
    await asyncio.to_thread(mount, disk, "ro")
    request.addfinalizer(lambda: subprocess.run(["umount", disk], check=True))
    assert "Read-only" in await refusal(disk / "rooms.db")


async def test_only_the_owner_can_read_the_file(path: Path) -> None:
    async with SqliteStore(path) as store:
        await store.log.append("KWXTRB", 0, [b"secret"])
        files = list(path.parent.iterdir())
        assert len(files) == 4  # with the write-ahead log, its index and the lock
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


async def test_closing_leaves_one_file(tmp_path: Path) -> None:
    """The write-ahead log is moved into the database when the store closes."""
    path = tmp_path / "x.db"
    async with SqliteStore(path) as store:
        await store.log.append_all([Append("KWXTRB", 0, [b"one"])])
        assert await store.log.read("KWXTRB") == [b"one"]
        assert path.with_name("x.db-wal").exists()
    assert not path.with_name("x.db-wal").exists()
