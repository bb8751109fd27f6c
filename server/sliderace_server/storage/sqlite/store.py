"""A store in an SQLite file, with one writing and one reading connection.

Each connection is aiosqlite's and has its own thread, which executes calls in order.
Every change is a separate commit. The log writer makes one call for all rooms, so one
flush of the disk serves thousands of records. The reading connection sees only
committed data.
"""

import asyncio
import json
import logging
import os
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from functools import partial
from math import inf
from pathlib import Path
from typing import Concatenate, Literal, NoReturn, ParamSpec, Self, TypeVar

import aiosqlite

from sliderace_server.storage.folding import DELETED
from sliderace_server.storage.ports import (
    MAX_KEYS,
    Append,
    AttemptGains,
    Board,
    BoardQuery,
    Conflict,
    ProfileRow,
    RaceSummary,
    RoomLog,
    StorageUnavailable,
    StoredRace,
    StoreRefused,
)
from sliderace_server.storage.sql_standings import SINGLE_RACES, SqlStandings

from . import queries, standings_queries, storing
from .corrections import recount, set_hidden
from .file_lock import FileLock, flush_folder
from .log_files import distribute
from .opening import open_database, reporting
from .pruning import shrink
from .schema import check, inspect, migrate, migrations

__all__ = ["Connection", "SqliteStore", "connect", "locked_for_workers"]

_log = logging.getLogger(__name__)

CACHE_KIB = 16_384
"""Pages that a connection may keep: a leaderboard of 50,000 profiles has four
megabytes, twice as much as SQLite keeps by default."""

MAX_DEAD = 20_000
"""Removed records that may stay in the file, about two megabytes. Deleting them at once
would write almost one page per record."""

DELETED_AT_ONCE = 100
"""Races deleted by one statement; commits of rooms wait for it."""

MAX_WAL_BYTES = 64 << 20
"""Size to which the write-ahead log's file is truncated after a burst."""


P = ParamSpec("P")
T = TypeVar("T")


class Connection(aiosqlite.Connection):
    """A connection that also calls functions in its thread."""

    async def call(
        self,
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *values: P.args,
        **options: P.kwargs,
    ) -> T:
        """Call a function with the connection; it completes even if we are cancelled.

        Args:
            work: The function; it must leave no transaction open.
            values: Its other arguments.
            options: The same by name.
        """
        call = partial(work, self._conn, *values, **options)
        result: T = await self._execute(call)  # type: ignore[no-untyped-call]
        return result


class Connections:
    """The open connections of a store, as a context manager for each call.

    Errors of SQLite become `StorageUnavailable`.

    Args:
        reader: the reading connection.
        writer: the writing one.
    """

    def __init__(self, reader: Connection, writer: Connection) -> None:
        self._both = reader, writer
        self._calls = 0
        self._idle = asyncio.Event()

    def __enter__(self) -> tuple[Connection, Connection]:
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
        best_times: a cache that only the thread of the writing connection uses.
    """

    def __init__(
        self,
        path: Path,
        durability: Literal["full", "process"] = "full",
        *,
        max_pages: int | None = None,
        max_dead: int = MAX_DEAD,
        log_file: Path | None = None,
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
            log_file: A file with the logs of this process, one of several that use the
                database; their parent has prepared it, see `locked_for_workers`. None:
                the logs are in the database, which only this process uses.
        """
        self.path = path
        self._log_store: SqliteStore | None = None
        self.durability: Literal["full", "process"] = durability
        self.log = _Log(self, max_dead)
        if log_file is not None:
            self._log_store = SqliteStore(log_file, durability)
            self.log = self._log_store.log
            self.log.results_store = self
        self.standings = _Standings(self)
        self.results = _Results(self)
        self.best_times = storing.BestTimes()
        self._max_pages = max_pages
        self._opened: Connections | None = None
        self._files: dict[Path, tuple[int, int] | None] = {}
        self.connections: Connections | Closed = Closed()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        with reporting(str(self.path)):
            async with AsyncExitStack() as stack:
                await self._open(stack)
                self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.connections, self._opened = Closed(), None
        await self._stack.aclose()

    async def _open(self, stack: AsyncExitStack) -> None:
        """Open everything; the stack closes it in reverse order."""
        path = await asyncio.to_thread(self.path.resolve)
        if self._log_store is None:
            lock = await asyncio.to_thread(_lock_and_prepare, self.path, 1)
            stack.callback(lock.release)
        else:
            await stack.enter_async_context(self._log_store)
        # The last connection to close moves the write-ahead log into the file and
        # removes it; one that may only read cannot do that.
        writer = await stack.enter_async_context(connect(path, "rw"))
        reader = await stack.enter_async_context(connect(path, "ro"))
        level = "FULL" if self.durability == "full" else "NORMAL"
        await writer.execute(f"PRAGMA synchronous = {level}")
        await writer.execute(f"PRAGMA journal_size_limit = {MAX_WAL_BYTES}")
        await writer.execute("PRAGMA foreign_keys = ON")
        if self._max_pages is not None:
            await writer.execute(f"PRAGMA max_page_count = {self._max_pages}")
        files = (path, Path(f"{path}-wal"), Path(f"{path}.lock"))
        self._files = dict.fromkeys(files)
        await self.is_lost()
        # A restored backup may have other profiles.
        self.best_times = storing.BestTimes()
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


@contextmanager
def locked_for_workers(path: Path, workers: int) -> Generator[None, None, None]:
    """Lock a database for worker processes that are started inside the context.

    It stays locked until all of them have ended, even if this process is killed.

    Args:
        path: The database file.
        workers: How many there will be.

    Raises:
        StoreHeld: Another server uses it.
        StoreRefused: It cannot be used.
    """
    with reporting(str(path)):
        lock = _lock_and_prepare(path, workers)
    try:
        yield
    finally:
        lock.release()


@asynccontextmanager
async def connect(
    path: Path, mode: Literal["ro", "rw"]
) -> AsyncGenerator[Connection, None]:
    """Open a connection in autocommit mode."""
    opening = partial(open_database, path, f"mode={mode}")
    connection = Connection(opening, iter_chunk_size=64)
    async with connection:
        await connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        yield connection


class _Log(RoomLog):
    """`RoomLog` in the tables `room` and `log`.

    Attributes:
        results_store: The store of the results, if it is a separate one.
    """

    results_store: SqliteStore | None = None

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
        lost = self.results_store is not None and await self.results_store.is_lost()
        return await self._store.is_lost() or lost

    async def reserved_codes(self, now_ms: int) -> dict[str, int]:
        with self._store.connections as (reader, _):
            return await queries.reserved_codes(reader, now_ms)


class _Results:
    """`Results` in the tables `race` and `attempt`."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def store(self, race: StoredRace) -> list[AttemptGains]:
        with self._store.connections as (_, writer):
            try:
                return await writer.call(storing.store, self._store.best_times, race)
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
        with self._store.connections as (reader, writer):
            while count := await queries.prune(reader, writer, before_ms):
                pruned += count
        return pruned

    async def summary(self, race_id: str) -> RaceSummary | None:
        with self._store.connections as (reader, _):
            return await queries.select_race(reader, race_id)

    async def record(self, race_id: str) -> bytes | None:
        with self._store.connections as (reader, _):
            return await queries.select_record(reader, race_id)


class _Standings(SqlStandings):
    """`Standings` in the tables `profile`, `attempt`, `tally`, `best` and so on."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def _rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        with self._store.connections as (reader, _):
            return [*await reader.execute_fetchall(query, _numbered(values))]

    async def _change(self, statement: str, *values: object) -> list[sqlite3.Row]:
        with self._store.connections as (_, writer):
            try:
                numbered = _numbered(values)
                return [*await writer.execute_fetchall(statement, numbered)]
            except sqlite3.IntegrityError as error:
                raise ValueError(str(error)) from error

    # --- profiles --------------------------------------------------------------------

    async def create_profile(
        self, profile: ProfileRow, key_hash: str, device: str
    ) -> bool:
        values = (profile.id, profile.name, profile.created_ms, key_hash, device)
        insert = "INSERT INTO profile_to_create VALUES ($1, $2, $3, $4, $5)"
        try:
            await self._change(insert, *values)
        except ValueError:
            return False
        return True

    async def add_key(
        self, profile: str, key_hash: str, device: str, now_ms: int
    ) -> bool:
        insert = """
            INSERT INTO profile_key SELECT $1, id, devices + 1, $2, $3, $3 FROM profile
            WHERE id = $4 AND
                (SELECT count(*) FROM profile_key WHERE profile = profile.id) < $5
            ON CONFLICT DO NOTHING RETURNING device
            """
        values = (key_hash, device, now_ms, profile, MAX_KEYS)
        return bool(await self._change(insert, *values))

    async def delete_profile(self, profile: str) -> None:
        await self.hide(profile, DELETED)
        await self._change("INSERT INTO profile_to_strip VALUES ($1)", profile)
        races = [race for (race,) in await self._rows(SINGLE_RACES, profile)]
        delete = "DELETE FROM race WHERE id IN (SELECT value FROM json_each($1))"
        for first in range(0, len(races), DELETED_AT_ONCE):
            some = json.dumps(races[first : first + DELETED_AT_ONCE])
            await self._change(delete, some)
        insert = "INSERT INTO profile_to_delete VALUES ($1, $2)"
        await self._change(insert, profile, DELETED)

    # --- attempts --------------------------------------------------------------------

    async def credit(self, race: str, seat: int, profile: str) -> AttemptGains | None:
        with self._store.connections as (_, writer):
            best_times = self._store.best_times
            return await writer.call(storing.credit, best_times, race, seat, profile)

    # --- leaderboards ----------------------------------------------------------------

    async def board(
        self, query: BoardQuery, profile: str | None = None, limit: int = 100
    ) -> Board:
        with self._store.connections as (reader, _):
            return await standings_queries.board(reader, query, profile, limit)

    async def hide(self, profile: str, reason: str | None) -> bool:
        with self._store.connections as (_, writer):
            self._store.best_times = storing.BestTimes()
            return await writer.call(set_hidden, profile, reason)

    async def recount(self) -> int:
        with self._store.connections:
            return await asyncio.to_thread(recount, self._store.path)

    # --- days ------------------------------------------------------------------------

    async def note_alive(self, now_ms: int) -> int:
        insert = """
            INSERT INTO alive VALUES (1, $1, $1) ON CONFLICT DO UPDATE SET
            at_ms = $1, latest_ms = max(latest_ms, $1) RETURNING latest_ms
            """
        ((latest_ms,),) = await self._change(insert, now_ms)
        return int(latest_ms)


def _numbered(values: Sequence[object]) -> dict[str, object]:
    """Return values for $1, $2 and so on."""
    return {str(number): value for number, value in enumerate(values, 1)}


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


def _lock_and_prepare(path: Path, workers: int) -> FileLock:
    """Lock a database, prepare it, and distribute the logs of its rooms."""
    path, lock = _lock(path)
    try:
        _prepare(path, check_first=lock.unclean)
        distribute(path, workers, _prepare)
    except BaseException:
        lock.release()
        raise
    lock.unclean = False
    return lock


def _prepare(path: Path, *, check_first: bool = False) -> None:
    """Check a database, and bring it to the newest version."""
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with closing(open_database(path)) as connection:
        scripts = migrations()
        inspect(connection, len(scripts))  # before a foreign file could be changed
        if check_first:
            _check(connection, path)
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StoreRefused("its file system does not support write-ahead logs")
        migrate(connection, scripts)
        shrink(connection)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Check a database for damage after a crash."""
    began = time.monotonic()
    check(connection)
    took_ms = round((time.monotonic() - began) * 1_000)
    text = "the last server did not shut down cleanly; the database is undamaged"
    _log.warning(text, extra={"database": str(path), "ms": took_ms})
