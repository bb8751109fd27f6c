"""A store in an SQLite file, with one writing and one reading connection.

Writes are committed together (see `writer_thread`): a single write waits for one disk
flush, and under load one flush serves thousands. The reading connection sees what is
committed.
"""

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from math import inf
from pathlib import Path
from typing import Literal, Self, TypeVar

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
from .schema import check, inspect, migrate, migrations
from .writer_thread import Job, Thread, Writer

__all__ = ["SqliteStore"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

MAX_DEAD = 20_000
"""Removed records that may stay in the file, about two megabytes. Deleting them at once
would write almost one page per record."""

MAX_WAL_BYTES = 64 << 20
"""Size of the write-ahead log's file that is kept after a burst."""


class SqliteStore:
    """A `Store` in an SQLite file, created if missing and locked while open."""

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
            max_dead: How many removed records may stay in the file. Up to as many as
                there are live ones may stay in any case.
        """
        self.path = path
        self.durability: Literal["full", "process"] = durability
        self.log = _Log(self, max_dead)
        self.results = _Results(self)
        self._max_pages = max_pages
        self._reader: Thread | None = None
        self._writer: Writer | None = None
        self._stack = AsyncExitStack()

    @property
    def commits(self) -> int:
        """The number of transactions since the store was opened."""
        return self._writer.commits if self._writer else 0

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
        self._reader = None
        await self._stack.aclose()

    async def _open(self, stack: AsyncExitStack) -> None:
        """Open everything; the stack closes it in reverse order."""
        path, lock = await asyncio.to_thread(_lock, self.path)
        stack.callback(lock.release)
        writing = await Thread.start(f"{path.as_uri()}?mode=rw")
        stack.push_async_callback(writing.close)
        if lock.unclean:
            await writing.run(self._check)
            lock.unclean = False
        await writing.run(self._prepare)
        self._writer = Writer(writing)
        stack.push_async_callback(self._writer.close)
        self._reader = await Thread.start(f"{path.as_uri()}?mode=ro")
        stack.push_async_callback(self._reader.close)

    def _check(self, connection: sqlite3.Connection) -> None:
        """Check the database for damage after a crash."""
        began = time.monotonic()
        inspect(connection, len(migrations()))
        check(connection)
        took_ms = round((time.monotonic() - began) * 1_000)
        extra = {"database": str(self.path), "ms": took_ms}
        text = "the last server did not shut down cleanly; the database is undamaged"
        _log.warning(text, extra=extra)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Check and set up the database."""
        scripts = migrations()
        inspect(connection, len(scripts))  # before a foreign file could be changed
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StoreRefused("its file system does not support write-ahead logs")
        level = "FULL" if self.durability == "full" else "NORMAL"
        connection.execute(f"PRAGMA synchronous = {level}")
        connection.execute(f"PRAGMA journal_size_limit = {MAX_WAL_BYTES}")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection, scripts)
        if self._max_pages is not None:
            connection.execute(f"PRAGMA max_page_count = {self._max_pages}")

    async def read(self, job: Job[T]) -> T:
        """Run a query on the reading connection."""
        if self._reader is None:
            raise StorageUnavailable("the store is closed")
        try:
            return await self._reader.run(job)
        except sqlite3.Error as error:
            raise StorageUnavailable(str(error)) from error

    async def write(self, job: Job[object]) -> None:
        """Run a job in the next commit, and wait for the commit."""
        if self._writer is None:
            raise StorageUnavailable("the store is closed")
        await self._writer.write(job)


class _Log(RoomLog):
    """`RoomLog` in the tables `room` and `log`."""

    def __init__(self, store: SqliteStore, max_dead: int) -> None:
        self._store = store
        self._max_dead = max_dead
        self._dead = inf  # unknown: the last process may have left records

    async def append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        conflicts: list[Conflict | None] = []
        await self._store.write(
            lambda db: conflicts.extend(queries.append_all(db, appends))
        )
        return conflicts

    async def read(self, room: str, after: int = 0) -> list[bytes]:
        return await self._store.read(lambda db: queries.read(db, room, after))

    async def length(self, room: str) -> int:
        return await self._store.read(lambda db: queries.length(db, room))

    async def rooms(self) -> list[str]:
        return await self._store.read(queries.rooms)

    async def trim(self, room: str, position: int) -> None:
        counts: list[int] = []
        await self._store.write(
            lambda db: counts.append(queries.trim(db, room, position))
        )
        self._dead += counts[0]
        if self._dead > self._max_dead:
            await self._sweep()

    async def drop(self, room: str, *, now_ms: int = 0, reserve_ms: int = 0) -> None:
        counts: list[tuple[int, int]] = []
        await self._store.write(
            lambda db: counts.append(queries.drop(db, room, now_ms, reserve_ms))
        )
        dead, live = counts[0]
        self._dead += dead
        if self._dead > max(self._max_dead, live):
            await self._sweep()

    async def _sweep(self) -> None:
        """Delete removed records from the file, one chunk per commit."""
        self._dead, complete = 0, False
        ends: list[int | None] = [0]
        try:
            while ends[-1] is not None:
                await self._store.write(
                    lambda db: ends.append(queries.sweep(db, ends[-1] or 0))
                )
            complete = True
        finally:
            if not complete:  # the next drop starts again
                self._dead = inf

    async def reserved_codes(self, now_ms: int) -> dict[str, int]:
        return await self._store.read(lambda db: queries.reserved_codes(db, now_ms))


class _Results:
    """`Results` in the tables `race` and `attempt`."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def store(self, race: StoredRace) -> None:
        await self._store.write(lambda db: queries.insert_race(db, race))

    async def races(
        self,
        room: str | None = None,
        *,
        public_only: bool = False,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RaceSummary]:
        return await self._store.read(
            lambda db: queries.select_races(db, room, public_only, limit, before)
        )

    async def record(self, race_id: str) -> bytes | None:
        return await self._store.read(lambda db: queries.select_record(db, race_id))


def _lock(path: Path) -> tuple[Path, FileLock]:
    """Create and lock the file. Only its owner may read it: it contains secrets."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock.acquire(path)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        # A log that SQLite left behind also means a crash, and is copied with the file.
        log = Path(f"{path}-wal")
        lock.unclean = lock.unclean or (log.exists() and log.stat().st_size > 0)
        flush_folder(path.parent)
    except OSError:
        lock.release()
        raise
    return path, lock
