"""The one connection that writes: jobs in, one commit for all that wait.

A job is a function of the connection, done in the connection's own thread.
"""

from __future__ import annotations

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
"""How long to wait for a backup or a shell that writes to the file."""

MAX_BATCH = 5000
"""Writes in one commit: some 20 ms of work, so that the first of them is not kept."""


class Thread:
    """An SQLite connection in a thread of its own, and whole jobs for it.

    aiosqlite calls one method at a time in its thread and has no public way to run a
    function there, and a hop per statement would cost more than the disk. But sqlite3
    lets us choose the connection's class, and in autocommit mode its `commit` has
    nothing else to do than to take the next job from a tray.
    """

    def __init__(
        self, connection: aiosqlite.Connection, tray: deque[Job[None]]
    ) -> None:
        self._connection = connection
        self._tray = tray

    @classmethod
    async def start(cls, uri: str) -> Self:
        """Open a connection; sqlite3.Error if there is none to be had."""
        tray = deque[Job[None]]()

        class Connection(sqlite3.Connection):
            def commit(self) -> None:
                tray.popleft()(self)

        connection = await aiosqlite.connect(
            uri,
            uri=True,
            timeout=BUSY_S,
            isolation_level=None,  # autocommit: BEGIN and COMMIT are ours to say
            factory=Connection,
        )
        return cls(connection, tray)

    async def run(self, job: Job[T]) -> T:
        """Run a job behind those asked for before: one hop to the thread and back."""
        results: list[T] = []
        self._tray.append(lambda connection: results.append(job(connection)))
        await self._connection.commit()
        return results[0]

    async def close(self) -> None:
        """Close the connection behind the jobs asked for, and end the thread."""
        await self._connection.close()


class Writer:
    """The one task that writes."""

    def __init__(self, thread: Thread) -> None:
        self.commits = 0
        self._thread = thread
        self._waiting = deque[tuple[Job[object], asyncio.Future[None]]]()
        self._wake = asyncio.Event()
        self._closing = False
        # In no TaskGroup, since that would cancel it: only `close` ends it.
        self._task = asyncio.create_task(self._run(), name="sqlite writer")

    async def write(self, job: Job[object]) -> None:
        """Have a job done in the next transaction; return when that is committed.

        Raises:
            Refusal: The job raised it, and has changed nothing.
            StorageUnavailable: The transaction failed, or the store is closed.
        """
        if self._closing or self._task.done():
            raise StorageUnavailable("the store is closed")
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((job, done))
        self._wake.set()
        await done

    async def close(self) -> None:
        """Commit what waits and end the task; a cancelled caller waits for it too."""
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
                _tell(done, StorageUnavailable("the store is closed"))

    async def _commit(self) -> None:
        """Do what waits in one transaction.

        The thread tells who asked for it, as soon as that is done: to wait for this
        task first would take two more turns of the loop.
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
            except Exception as error:  # noqa: BLE001 - a job's mistake ends no writer
                outcomes = [error for _ in jobs]
            loop.call_soon_threadsafe(self._told, outcomes)

        await self._thread.run(commit)

    def _told(self, outcomes: Sequence[Exception | None]) -> None:
        """Tell who asked."""
        for outcome in outcomes:
            _, done = self._waiting.popleft()
            _tell(done, outcome)


def _tell(done: asyncio.Future[None], outcome: Exception | None) -> None:
    """Resolve a future unless who waited for it has gone."""
    if done.done():
        return
    if outcome is None:
        done.set_result(None)
    else:
        done.set_exception(outcome)


def _transaction(
    connection: sqlite3.Connection, jobs: Sequence[Job[object]]
) -> list[Exception | None]:
    """Do jobs in one transaction; one that refuses leaves the others alone."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        outcomes = [_outcome(connection, job) for job in jobs]
        connection.execute("COMMIT")
    finally:
        connection.rollback()  # does nothing behind a COMMIT
    return outcomes


def _outcome(connection: sqlite3.Connection, job: Job[object]) -> Exception | None:
    """Do one job; return why it refused, None if it did not."""
    try:
        job(connection)
    except queries.Refusal as refusal:
        return refusal
    return None
