"""A room's log: one append in flight, later records gather, nothing is skipped."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sliderace.protocol.messages import Event
from sliderace_server.recorder import encode
from sliderace_server.room import Record
from sliderace_server.storage import Conflict, StorageUnavailable
from sliderace_server.works import Works

__all__ = ["Entry", "Scribe"]

_log = logging.getLogger(__name__)

RETRY_S = (0.1, 0.25, 0.5, 1.0, 2.0)
"""Pauses while the disk fails; the last one again and again."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record on its way to the log.

    Args:
        record: what happened; already applied.
        offset: its place in the room's stream, or None.
        event: what the stream says of it, or None.
    """

    record: Record
    offset: int | None
    event: Event | None


class Scribe:
    """Writes one room's records down, in order.

    Args:
        works: the store, and the tasks.
        code: the room.
        position: records already in its log.
        committed: told of each batch that has become durable.
        failed: told when the disk begins to fail.
        lost: told that another writer has this room; nothing more is written.
    """

    def __init__(
        self,
        works: Works,
        code: str,
        position: int,
        committed: Callable[[Sequence[Entry]], None],
        failed: Callable[[], None],
        lost: Callable[[], None],
    ) -> None:
        self._works = works
        self._code = code
        self._committed = committed
        self._tell_failed = failed
        self._lost = lost
        self._gathered: list[Entry] = []
        self._writing = False
        self._stopped = False
        self.applied = position
        self.durable = position
        self.failing = False

    @property
    def idle(self) -> bool:
        """Whether everything that happened is durable."""
        return self.durable == self.applied or self._stopped

    def add(self, entry: Entry) -> None:
        """Take a record; it is written soon."""
        self.applied += 1
        self._gathered.append(entry)
        if not self._writing and not self._stopped:
            self._writing = True
            self._works.spawn(self._write())

    def stop(self) -> None:
        """Write nothing more."""
        self._stopped = True
        self._gathered.clear()

    async def _write(self) -> None:
        whole = False
        try:
            while self._gathered and not self._stopped:
                batch, self._gathered = self._gathered, []
                if not await self._append(batch):
                    break
                self.durable += len(batch)
                self._committed(batch)
            whole = True
        finally:
            self._writing = False
            if not whole and not self._stopped:
                # Never write what comes after something that may be missing.
                self._step_down("its log could not be written")

    async def _append(self, batch: list[Entry]) -> bool:
        works, attempt = self._works, 0
        data = [encode(entry.record) for entry in batch]
        began = works.clock.now_ms()
        while True:
            try:
                await works.store.log.append(self._code, self.durable, data)
            except StorageUnavailable as error:
                self._failed(error)
                if self._stopped:
                    return False
                await works.clock.sleep(RETRY_S[min(attempt, len(RETRY_S) - 1)])
                attempt += 1
            except Conflict:
                if not attempt or not await self._arrived(data):
                    self._step_down("another writer has it")
                    return False
                break
            else:
                break
        self.failing = False
        works.metrics.commit_seconds.add((works.clock.now_ms() - began) / 1_000)
        works.metrics.count("commits")
        works.metrics.count("records", by=len(batch))
        return True

    async def _arrived(self, data: Sequence[bytes]) -> bool:
        """Whether an append that was called a failure had reached the log after all."""
        works = self._works
        while not self._stopped:
            try:
                found = await works.store.log.read(self._code, self.durable)
            except StorageUnavailable as error:
                self._failed(error)
                await works.clock.sleep(RETRY_S[-1])
            else:
                return found == data
        return False

    def _failed(self, error: StorageUnavailable) -> None:
        self._works.metrics.count("commit_failures")
        if not self.failing:
            self.failing = True
            _log.error("cannot store", extra={"room": self._code, "error": str(error)})
            self._tell_failed()

    def _step_down(self, reason: str) -> None:
        self.stop()
        self._works.metrics.count("steps_down")
        _log.error("gave up a room", extra={"room": self._code, "reason": reason})
        self._lost()
