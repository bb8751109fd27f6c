"""The writing connection: one task commits all waiting jobs in one transaction.

Rules:

- A job is a function of the connection; it runs in the connection's thread.
- Jobs that arrive while a commit runs are part of the next one, which starts when the
  last one is done. No timer is involved.
- All jobs of a commit succeed or fail together, except that a job that raises `Refusal`
  fails alone and must have changed nothing.
- `close` commits everything that waits, even if its caller is cancelled.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Self, TypeVar

import aiosqlite

from sliderace_server.storage.ports import StorageUnavailable

from . import queries

__all__ = ["Job", "Thread", "Writer"]

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], T]

BUSY_S = 5.0
"""How long to wait for another program that writes to the file."""

MAX_BATCH = 5000
"""Jobs in one commit: about 20 ms of work, so that the first one does not wait long."""


class Thread:
    """An SQLite connection in its own thread, which runs jobs.

    aiosqlite calls one method of the connection at a time and has no public way to run
    a function in its thread; a round trip per statement would cost more than the disk.
    But we can choose the connection's class, and in autocommit mode `commit` has
    nothing to do, so ours runs the next job.
    """

    def __init__(
        self, connection: aiosqlite.Connection, jobs: deque[Job[None]]
    ) -> None:
        self._connection = connection
        self._jobs = jobs

    @classmethod
    async def start(cls, uri: str) -> Self:
        """Open a connection.

        Raises:
            sqlite3.Error: The database cannot be opened.
        """
        jobs = deque[Job[None]]()

        class Connection(sqlite3.Connection):
            def commit(self) -> None:
                jobs.popleft()(self)

        connection = await aiosqlite.connect(
            uri,
            uri=True,
            timeout=BUSY_S,
            isolation_level=None,  # autocommit: we execute BEGIN and COMMIT
            factory=Connection,
        )
        return cls(connection, jobs)

    async def run(self, job: Job[T]) -> T:
        """Run a job after earlier ones; return its result."""
        results: list[T] = []
        self._jobs.append(lambda connection: results.append(job(connection)))
        await self._connection.commit()
        return results[0]

    async def close(self) -> None:
        """Close the connection after all jobs, and end the thread."""
        await self._connection.close()


class Writer:
    """The task that commits jobs.

    Attributes:
        commits: number of transactions so far.
    """

    def __init__(self, thread: Thread) -> None:
        self.commits = 0
        self._thread = thread
        self._waiting = deque[tuple[Job[object], asyncio.Future[None]]]()
        self._wake = asyncio.Event()
        self._closing = False
        # Not in a TaskGroup, which would cancel it: only `close` ends it.
        self._task = asyncio.create_task(self._run(), name="sqlite writer")

    async def write(self, job: Job[object]) -> None:
        """Run a job in the next transaction; return when it is committed.

        Raises:
            Refusal: The job raised it and changed nothing.
            StorageUnavailable: The transaction failed, or the store is closed.
        """
        if self._closing or self._task.done():
            raise StorageUnavailable("the store is closed")
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((job, done))
        self._wake.set()
        await done

    async def close(self) -> None:
        """Commit all waiting jobs and end the task, even if the caller is cancelled."""
        self._closing = True
        self._wake.set()
        interruption: asyncio.CancelledError | None = None
        while not self._task.done():
            try:
                await asyncio.wait([self._task])
            except asyncio.CancelledError as error:
                interruption = error
        if interruption:
            raise interruption
        self._task.result()

    async def _run(self) -> None:
        try:
            while self._waiting or not self._closing:
                await self._wake.wait()
                self._wake.clear()
                while self._waiting:
                    await self._commit()
        finally:
            for _, done in self._waiting:
                _resolve(done, StorageUnavailable("the store is closed"))

    async def _commit(self) -> None:
        """Run the waiting jobs in one transaction.

        The thread resolves their futures directly: through this task it would take two
        more turns of the loop.
        """
        jobs = [job for job, _ in islice(self._waiting, MAX_BATCH)]
        loop = asyncio.get_running_loop()

        def commit(connection: sqlite3.Connection) -> None:
            outcomes: Sequence[Exception | None]
            try:
                outcomes = _transaction(connection, jobs)
                self.commits += 1  # in this thread alone
            except sqlite3.Error as error:
                outcomes = [StorageUnavailable(str(error)) for _ in jobs]
            except Exception as error:  # noqa: BLE001 - the writer must go on
                outcomes = [error for _ in jobs]
            loop.call_soon_threadsafe(self._resolve_first, outcomes)

        await self._thread.run(commit)

    def _resolve_first(self, outcomes: Sequence[Exception | None]) -> None:
        """Resolve the futures of the first waiting jobs."""
        for outcome in outcomes:
            _, done = self._waiting.popleft()
            _resolve(done, outcome)


def _resolve(done: asyncio.Future[None], outcome: Exception | None) -> None:
    """Resolve a future unless it was cancelled."""
    if done.done():
        return
    if outcome is None:
        done.set_result(None)
    else:
        done.set_exception(outcome)


def _transaction(
    connection: sqlite3.Connection, jobs: Sequence[Job[object]]
) -> list[Exception | None]:
    """Run jobs in one transaction; a job that raises `Refusal` fails alone."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        outcomes = [_outcome(connection, job) for job in jobs]
        connection.execute("COMMIT")
    finally:
        connection.rollback()  # no effect after the COMMIT
    return outcomes


def _outcome(connection: sqlite3.Connection, job: Job[object]) -> Exception | None:
    """Run a job; return its `Refusal`, if any."""
    try:
        job(connection)
    except queries.Refusal as refusal:
        return refusal
    return None
