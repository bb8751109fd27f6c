"""A store in an SQLite file, with one writing and one reading connection.

Each connection is aiosqlite's and has its own thread, which executes calls in order.
Every change is a separate commit. The log writer makes one call for all rooms, so one
flush of the disk serves thousands of records. The reading connection sees only
committed data.
"""

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from math import inf
from pathlib import Path
from typing import Literal, NoReturn, Self

import aiosqlite

from sliderace_server.storage.ports import (
    Append,
    Conflict,
    RaceSummary,
    RoomLog,
    StorageUnavailable,
    StoredRace,
    StoreHeld,
    StoreRefused,
)

from . import queries
from .file_lock import FileLock, flush_folder
from .pruning import shrink
from .schema import check, inspect, migrate, migrations

__all__ = ["SqliteStore"]

_log = logging.getLogger(__name__)

BUSY_S = 5.0
"""How long to wait for another program that writes to the file."""

MAX_DEAD = 20_000
"""Removed records that may stay in the file, about two megabytes. Deleting them at once
would write almost one page per record."""

MAX_WAL_BYTES = 64 << 20
"""Size to which the write-ahead log's file is truncated after a burst."""


class Connections:
    """The open connections of a store, as a context manager for each call.

    Errors of SQLite become `StorageUnavailable`.

    Args:
        reader: the reading connection.
        writer: the writing one.
    """

    def __init__(
        self, reader: aiosqlite.Connection, writer: aiosqlite.Connection
    ) -> None:
        self._both = reader, writer
        self._calls = 0
        self._idle = asyncio.Event()

    def __enter__(self) -> tuple[aiosqlite.Connection, aiosqlite.Connection]:
        self._calls += 1
        return self._both

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        self._calls -= 1
        if not self._calls:
            self._idle.set()
        if isinstance(error, sqlite3.Error):
            raise StorageUnavailable(str(error)) from error

    async def finish(self) -> None:
        """Wait for all calls, also when cancelled."""
        interruption: asyncio.CancelledError | None = None
        while self._calls:
            self._idle.clear()
            try:
                await self._idle.wait()
            except asyncio.CancelledError as error:
                interruption = error
        if interruption:
            raise interruption


class Closed:
    """The connections of a store that cannot be used.

    Args:
        reason: why.
    """

    def __init__(self, reason: str = "the store is closed") -> None:
        self._reason = reason

    def __enter__(self) -> NoReturn:
        raise StorageUnavailable(self._reason)

    def __exit__(self, *exc: object) -> None:
        """Do nothing."""


class SqliteStore:
    """A `Store` in an SQLite file, created if missing and locked while open.

    Attributes:
        connections: its connections, as a context manager for each call.
    """

    def __init__(
        self,
        path: Path,
        durability: Literal["full", "process"] = "full",
        *,
        max_pages: int | None = None,
        max_dead: int = MAX_DEAD,
    ) -> None:
        """Prepare the store; `async with` opens it.

        Args:
            path: The database file; its folder is created if missing.
            durability: "full" flushes each commit to the disk, "process" leaves that to
                the operating system.
            max_pages: Maximum size of the file in pages of 4096 bytes; beyond it writes
                fail as on a full disk. None: no limit.
            max_dead: How many removed records may stay in the file, if that is more
                than the number of live ones.
        """
        self.path = path
        self.durability: Literal["full", "process"] = durability
        self.log = _Log(self, max_dead)
        self.results = _Results(self)
        self._max_pages = max_pages
        self._opened: Connections | None = None
        self._files: dict[Path, tuple[int, int] | None] = {}
        self.connections: Connections | Closed = Closed()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            async with AsyncExitStack() as stack:
                await self._open(stack)
                self._stack = stack.pop_all()
        except StoreHeld:
            raise
        except (StoreRefused, sqlite3.Error) as error:
            raise StoreRefused(f"{self.path}: {error}") from error
        except OSError as error:
            raise StoreRefused(f"{self.path}: {error.strerror}") from error
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.connections, self._opened = Closed(), None
        await self._stack.aclose()

    async def _open(self, stack: AsyncExitStack) -> None:
        """Open everything; the stack closes it in reverse order."""
        path, lock = await asyncio.to_thread(_lock, self.path)
        stack.callback(lock.release)
        await asyncio.to_thread(self._prepare, path, check_first=lock.unclean)
        lock.unclean = False
        # The last connection to close moves the write-ahead log into the file and
        # removes it; one that may only read cannot do that.
        writer = await stack.enter_async_context(_connect(path, "rw"))
        reader = await stack.enter_async_context(_connect(path, "ro"))
        level = "FULL" if self.durability == "full" else "NORMAL"
        await writer.execute(f"PRAGMA synchronous = {level}")
        await writer.execute(f"PRAGMA journal_size_limit = {MAX_WAL_BYTES}")
        await writer.execute("PRAGMA foreign_keys = ON")
        if self._max_pages is not None:
            await writer.execute(f"PRAGMA max_page_count = {self._max_pages}")
        self._files = dict.fromkeys((path, Path(f"{path}-wal"), lock.path))
        await self.is_lost()
        self.connections = self._opened = Connections(reader, writer)
        stack.push_async_callback(self._opened.finish)

    async def is_lost(self) -> bool:
        """Return whether one of our files was removed or replaced; see `RoomLog`.

        SQLite does not notice: it goes on writing to files without a name.
        """
        known = self._files
        now = await asyncio.to_thread(lambda: {one: _inode(one) for one in known})
        lost = [one for one in known if known[one] not in (None, now[one])]
        self._files = {one: known[one] or now[one] for one in known}
        if self._opened is not None:
            gone = f"{lost[0].name} was removed or replaced" if lost else ""
            self.connections = Closed(gone) if lost else self._opened
        return bool(lost)

    def _prepare(self, path: Path, *, check_first: bool) -> None:
        """Check the database, and bring it to the newest version."""
        uri = f"{path.as_uri()}?mode=rw"
        with closing(
            sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None)
        ) as connection:
            scripts = migrations()
            inspect(connection, len(scripts))  # before a foreign file could be changed
            if check_first:
                self._check(connection)
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise StoreRefused("its file system does not support write-ahead logs")
            migrate(connection, scripts)
            shrink(connection)

    def _check(self, connection: sqlite3.Connection) -> None:
        """Check the database for damage after a crash."""
        began = time.monotonic()
        check(connection)
        took_ms = round((time.monotonic() - began) * 1_000)
        extra = {"database": str(self.path), "ms": took_ms}
        text = "the last server did not shut down cleanly; the database is undamaged"
        _log.warning(text, extra=extra)


@asynccontextmanager
async def _connect(
    path: Path, mode: Literal["ro", "rw"]
) -> AsyncGenerator[aiosqlite.Connection, None]:
    """Open a connection in autocommit mode."""
    uri = f"{path.as_uri()}?mode={mode}"
    connecting = aiosqlite.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None)
    async with connecting as connection:
        yield connection


class _Log(RoomLog):
    """`RoomLog` in the tables `room` and `log`."""

    def __init__(self, store: SqliteStore, max_dead: int) -> None:
        self._store = store
        self._max_dead = max_dead
        self._dead = inf  # unknown: the last process may have left records

    async def append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        with self._store.connections as (_, writer):
            try:
                return await queries.append_all(writer, appends)
            except (sqlite3.DataError, sqlite3.IntegrityError) as error:
                raise ValueError(f"a record cannot be stored: {error}") from error

    async def read(self, room: str, after: int = 0) -> list[bytes]:
        with self._store.connections as (reader, _):
            return await queries.read(reader, room, after)

    async def length(self, room: str) -> int:
        with self._store.connections as (reader, _):
            return await queries.length(reader, room)

    async def rooms(self) -> list[str]:
        with self._store.connections as (reader, _):
            return await queries.rooms(reader)

    async def trim(self, room: str, position: int) -> None:
        with self._store.connections as (reader, writer):
            before, _ = await queries.unremoved(reader, room)
            await queries.trim(writer, room, position)
            after, live = await queries.unremoved(reader, room)
            self._dead += before - after
            await self._sweep_if_many(reader, writer, after + live)

    async def drop(self, room: str, *, now_ms: int = 0, reserve_ms: int = 0) -> None:
        with self._store.connections as (reader, writer):
            dead, live = await queries.unremoved(reader, room)
            await queries.drop(writer, room, now_ms, reserve_ms)
            self._dead += dead
            await self._sweep_if_many(reader, writer, live)

    async def _sweep_if_many(
        self, reader: aiosqlite.Connection, writer: aiosqlite.Connection, live: int
    ) -> None:
        """Delete removed records from the file in small parts, once there are many."""
        if self._dead <= max(self._max_dead, live):
            return
        self._dead, complete = 0, False
        end: int | None = 0
        try:
            while end is not None:
                end = await queries.sweep(reader, writer, end)
            complete = True
        finally:
            if not complete:  # the next drop starts again
                self._dead = inf

    async def is_lost(self) -> bool:
        return await self._store.is_lost()

    async def reserved_codes(self, now_ms: int) -> dict[str, int]:
        with self._store.connections as (reader, _):
            return await queries.reserved_codes(reader, now_ms)


class _Results:
    """`Results` in the tables `race` and `attempt`."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def store(self, race: StoredRace) -> None:
        with self._store.connections as (_, writer):
            try:
                await queries.insert_race(writer, race)
            except sqlite3.IntegrityError as error:
                raise ValueError(f"race {race.summary.id!r}: {error}") from error

    async def races(
        self,
        room: str | None = None,
        *,
        public_only: bool = False,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RaceSummary]:
        with self._store.connections as (reader, _):
            return await queries.select_races(reader, room, public_only, limit, before)

    async def prune(self, before_ms: int) -> int:
        pruned = 0
        with self._store.connections as (_, writer):
            while count := await queries.delete_races(writer, before_ms):
                pruned += count
        return pruned

    async def record(self, race_id: str) -> bytes | None:
        with self._store.connections as (reader, _):
            return await queries.select_record(reader, race_id)


def _inode(file: Path) -> tuple[int, int] | None:
    """Return what identifies a file whatever its name; None: there is none."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _lock(path: Path) -> tuple[Path, FileLock]:
    """Create and lock the file. Only its owner may read it: it contains secrets."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock.acquire(path)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        links = path.stat().st_nlink
        # A log that SQLite left behind also means a crash, and is copied with the file.
        log = Path(f"{path}-wal")
        lock.unclean = lock.unclean or (log.exists() and log.stat().st_size > 0)
        flush_folder(path.parent)
    except OSError:
        lock.release()
        raise
    if links > 1:
        lock.release()
        why = "it has another name (a hard link), by which a second server may use it"
        raise StoreRefused(f"{why}; remove one of the names")
    return path, lock
