"""The log writer: one queue and one group commit for the logs of all rooms.

Rules:

- A room's records are appended in order, one append at a time; records that arrive
  meanwhile wait for the next commit. One commit contains the waiting records of all
  rooms.
- Every append names the position at which the room's log ends (compare-and-set). A
  conflict means that another writer has the log: the room loses it, and nothing more is
  written.
- While the storage fails, the same commit is retried, with pauses: all logs are in one
  file, so what fails for one room fails for all. A failed commit may have succeeded all
  the same: then the retry causes a conflict, and the log shows whether the records are
  ours.
- After any other error, such as a record that can never be stored, the appends are
  retried room by room, and a room whose append fails again loses its log.
- After each commit the log writer reports to every room how far its log is durable, and
  then flushes everything that the rooms send.
- The busier the server is, the longer the interval between two commits.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from sliderace_server.clock import Clock
from sliderace_server.metrics import Metrics
from sliderace_server.pacing import LoadMeter
from sliderace_server.storage.ports import (
    Append,
    Conflict,
    LogDamaged,
    RoomLog,
    StorageUnavailable,
)

__all__ = ["LogEnd", "LogOwner", "LogWriter", "Spawn"]

_log = logging.getLogger(__name__)

RETRY_S = (0.1, 0.25, 0.5, 1.0, 2.0)
"""Pauses while the storage fails; the last one is repeated."""

Spawn = Callable[[Coroutine[Any, Any, None]], None]
"""Starts a task that belongs to the server's task group."""


class LogOwner(Protocol):
    """The running room that a log belongs to."""

    def committed(self, position: int, now: int) -> None:
        """Note that the log is durable up to a position, at `now` ms."""
        ...

    def append_failed(self) -> None:
        """Note that the log cannot be written now."""
        ...

    def log_lost(self) -> None:
        """Note that nothing more can be written to the log."""
        ...


class LogEnd:
    """The end of one room's log: what is durable, and what is pending.

    Attributes:
        durable: position up to which the log is durable.
        closed: whether the log accepts no more records.
    """

    __slots__ = ("_code", "_owner", "_writer", "batch", "closed", "durable", "waiting")

    def __init__(
        self, writer: "LogWriter", owner: LogOwner, code: str, position: int
    ) -> None:
        self._writer = writer
        self._owner = owner
        self._code = code
        self.durable = position
        self.closed = False
        self.waiting: list[bytes] = []
        self.batch: list[bytes] = []

    @property
    def idle(self) -> bool:
        """Whether nothing is pending."""
        return not (self.waiting or self.batch)

    def append(self, records: Sequence[bytes]) -> None:
        """Write records with the next commit, unless the log is closed."""
        if not self.closed:
            if not (self.waiting or self.batch):
                self._writer.enqueue(self)
            self.waiting += records

    def close(self) -> None:
        """Discard pending and later records."""
        self.closed = True
        self.waiting, self.batch = [], []

    def lose(self, reason: str) -> None:
        """Give up the log: another writer has it, or its content is unknown."""
        if not self.closed:
            self.close()
            self._writer.metrics.count("steps_down")
            extra = {"room": self._code, "reason": reason}
            _log.error("gave up a room", extra=extra)
            self._owner.log_lost()

    # --- for the log writer ----------------------------------------------------------

    def take(self) -> Append:
        """Return the append for the next commit."""
        self.batch, self.waiting = self.waiting, []
        return Append(self._code, self.durable, self.batch)

    def failed(self) -> None:
        """Note that the commit failed."""
        self._owner.append_failed()

    def stored(self, now: int) -> None:
        """Note that the batch is durable, at `now` ms of the machine's clock."""
        if self.closed:
            return
        self.durable += len(self.batch)
        self.batch = []
        if self.waiting:
            self._writer.enqueue(self)
        whole = False
        try:
            self._owner.committed(self.durable, now)
            whole = True
        finally:
            if not whole:
                self.lose("an error in the room")


class LogWriter:
    """Appends the records of all rooms; `run` does the work.

    Args:
        log: the logs of all rooms.
        flush: flushes the send queues after a commit.
        clock: for pauses and intervals.
        metrics: counters.
        load_meter: sets the interval between commits.

    Attributes:
        failing: the last commit failed; it is repeated until it succeeds.
    """

    def __init__(
        self,
        log: RoomLog,
        flush: Callable[[], None],
        clock: Clock,
        metrics: Metrics,
        load_meter: LoadMeter,
    ) -> None:
        self.metrics = metrics
        self._log = log
        self._flush = flush
        self._clock = clock
        self._load_meter = load_meter
        self.failing = False
        self._queue: list[LogEnd] = []
        self._wake: asyncio.Future[None] | None = None

    def open(self, owner: LogOwner, code: str, position: int) -> LogEnd:
        """Open a room's log, which ends at `position`."""
        return LogEnd(self, owner, code, position)

    def enqueue(self, end: LogEnd) -> None:
        """Include this log in the next commit."""
        self._queue.append(end)
        wake, self._wake = self._wake, None
        if wake is not None and not wake.done():
            wake.set_result(None)

    async def run(self) -> None:
        """Commit pending records until cancelled; then all rooms lose their logs."""
        clock, began = self._clock, 0
        ends: list[LogEnd] = []
        appends: list[Append] = []
        try:
            while True:
                if not self._queue:
                    self._wake = asyncio.get_running_loop().create_future()
                    await self._wake
                now = clock.now_ms()
                pause = began + self._load_meter.commit_interval_ms - now
                if began and pause > 0:
                    await clock.sleep(pause / 1_000)
                    now = clock.now_ms()
                began = now
                ends, appends = [], []
                for end in self._queue:
                    if not end.closed:
                        ends.append(end)
                        appends.append(end.take())
                self._queue = []
                await self._commit(ends, appends, now)
        finally:
            self._wake = None
            for end in (*ends, *self._queue):
                if not end.idle:
                    end.lose("its log could not be written")
            self._queue.clear()

    async def _commit(
        self,
        ends: Sequence[LogEnd],
        appends: Sequence[Append],
        began: int,
        *,
        again: bool = False,
    ) -> None:
        """Append until it is known what is stored; then report to the rooms.

        Args:
            ends: the logs.
            appends: what to append to each.
            began: when the commit began, ms.
            again: whether these appends may be stored already.
        """
        failures = 0
        while ends:
            try:
                conflicts = await self._log.append_all(appends)
                if failures or again:
                    conflicts = [
                        conflict and await self._real_conflict(append, conflict)
                        for append, conflict in zip(appends, conflicts, strict=True)
                    ]
            except StorageUnavailable as error:
                self.metrics.count("commit_failures")
                self.failing = True
                if not failures:  # also to those that wait behind this commit
                    self._report_failure((*ends, *self._queue), error)
                pause = RETRY_S[min(failures, len(RETRY_S) - 1)]
                failures += 1
                await self._clock.sleep(pause)
                both = zip(ends, appends, strict=True)
                left = [(end, append) for end, append in both if not end.closed]
                ends = [end for end, _ in left]
                appends = [append for _, append in left]
                began = self._clock.now_ms()
            except Exception:  # noqa: BLE001 - what is stored is unknown
                _log.exception("a commit failed")
                await self._commit_singly(ends, appends)
                return
            else:
                self._report(ends, appends, conflicts, began)
                return
        self.failing = False  # nobody waits any more, and only a commit can find out

    async def _commit_singly(
        self, ends: Sequence[LogEnd], appends: Sequence[Append]
    ) -> None:
        """Retry a failed commit room by room; rooms that fail lose their logs."""
        if len(ends) == 1:
            ends[0].lose("its log could not be written")
            return
        for end, append in zip(ends, appends, strict=True):
            if not end.closed:
                now = self._clock.now_ms()
                await self._commit([end], [append], now, again=True)

    async def _real_conflict(
        self, append: Append, conflict: Conflict
    ) -> Conflict | None:
        """Return the conflict, or None if the log contains our records after all."""
        try:
            found = await self._log.read(append.room, append.expected)
        except LogDamaged:
            return conflict
        return None if found == append.records else conflict

    def _report(
        self,
        ends: Sequence[LogEnd],
        appends: Sequence[Append],
        conflicts: Sequence[Conflict | None],
        began: int,
    ) -> None:
        """Report to all rooms how far their logs are durable."""
        rooms = records = 0
        for append, conflict in zip(appends, conflicts, strict=True):
            if conflict is None:
                rooms += 1
                records += len(append.records)
        now = self._clock.now_ms()
        self.failing = False
        self.metrics.committed((now - began) / 1_000, rooms, records)
        for end, conflict in zip(ends, conflicts, strict=True):
            try:
                if conflict is None:
                    end.stored(now)
                else:
                    end.lose("another writer has it")
            except Exception:  # noqa: BLE001 - it must not stop the other rooms
                _log.exception("a room failed after a commit")
        self._flush_all()

    def _report_failure(
        self, ends: Sequence[LogEnd], error: StorageUnavailable
    ) -> None:
        affected = [one for one in ends if not one.closed]
        extra = {"rooms": len(affected), "error": str(error)}
        _log.error("cannot store", extra=extra)
        for end in affected:
            try:
                end.failed()
            except Exception:  # noqa: BLE001 - it must not stop the other rooms
                _log.exception("a room failed after a failed commit")
        self._flush_all()

    def _flush_all(self) -> None:
        try:
            self._flush()
        except Exception:  # noqa: BLE001 - the log writer must go on
            _log.exception("a flush failed")
