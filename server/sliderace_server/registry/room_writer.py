"""A room's log: one append in flight, later records gather, nothing is skipped."""

import logging
from collections.abc import Callable, Mapping

from sliderace.protocol.messages import Ack
from sliderace.race.log_records import Slid
from sliderace_server.live_room.services import Services
from sliderace_server.room import Record
from sliderace_server.storage import Append, Conflict, StorageUnavailable
from sliderace_server.storage.record_codec import encode

__all__ = ["RoomWriter"]

_log = logging.getLogger(__name__)

RETRY_S = (0.1, 0.25, 0.5, 1.0, 2.0)
"""Pauses while the disk fails; the last one again and again."""


class RoomWriter:
    """Writes one room's records down, in order.

    The courier takes them to the log with those of all other rooms. While the disk
    fails, each room goes on alone, with its own pauses.

    Args:
        services: the store, the courier, and the tasks.
        code: the room.
        position: records already in its log.
        committed: told of each batch that has become durable: member -> up to where
            this makes its slides so.
        failed: told when the disk begins to fail.
        lost: told that another writer has this room; nothing more is written.
    """

    def __init__(
        self,
        services: Services,
        code: str,
        position: int,
        committed: Callable[[Mapping[int, Ack]], None],
        failed: Callable[[], None],
        lost: Callable[[], None],
    ) -> None:
        self._services = services
        self._code = code
        self._committed = committed
        self._tell_failed = failed
        self._lost = lost
        self._gathered: list[bytes] = []
        self._batch: list[bytes] = []
        self._acks: dict[int, Ack] = {}
        self._acks_of_batch: dict[int, Ack] = {}
        self._writing = False
        self._stopped = False
        self.applied = position
        self.durable = position
        self.failing = False

    @property
    def idle(self) -> bool:
        """Whether everything that happened is durable."""
        return self.durable == self.applied or self._stopped

    def add(self, record: Record) -> None:
        """Take a record; it is written soon, unless nothing is written any more."""
        if self._stopped:
            return
        self.applied += 1
        try:
            # Now, while it is at hand: later it would have to be fetched from memory.
            data = encode(record)
        except Exception:
            self.give_up()
            raise
        self._gathered.append(data)
        if not self._writing:
            self._writing = True
            self._services.log_writer.collect(self)

    def slid(self, slid: Slid, member: int) -> None:
        """Take slides, and whom to tell once they are durable."""
        if not self._stopped:
            self._acks[member] = Ack(slid.race, slid.seq + len(slid.slides) - 1)
            self.add(slid)

    def stop(self) -> None:
        """Write nothing more."""
        self._stopped = True
        self._gathered.clear()
        self._acks.clear()

    # --- what the courier asks and tells ---------------------------------------------

    def take(self) -> Append:
        """All that gathered; nothing, where the room has been given up meanwhile."""
        self._batch, self._gathered = self._gathered, []
        self._acks_of_batch, self._acks = self._acks, {}
        return Append(self._code, self.durable, self._batch)

    def told(self, conflict: Conflict | None) -> None:
        """The batch is durable, or another writer has the room."""
        if conflict is None or not self._batch:
            self._stored()
        else:
            self._step_down("another writer has it")

    def alone(self, error: StorageUnavailable | None) -> None:
        """Nobody knows whether the batch is stored: insist, apart from all others."""
        self._services.spawn(self._insist(error))

    def give_up(self) -> None:
        """Never write what comes after something that may be missing."""
        if not self._stopped:
            self._step_down("its log could not be written")

    # --- what comes of it ------------------------------------------------------------

    def _stored(self) -> None:
        whole = False
        try:
            self.failing = False
            self.durable += len(self._batch)
            self._committed(self._acks_of_batch)
            whole = True
        finally:
            self._writing = bool(self._gathered) and not self._stopped
            if not whole:
                self.give_up()
            elif self._writing:
                self._services.log_writer.collect(self)

    async def _insist(self, error: StorageUnavailable | None) -> None:
        """Append the batch again and again, until it is known to be stored."""
        services, attempt = self._services, 0
        whole = False
        try:
            while True:
                if error is not None:
                    self._failed(error)
                    await services.clock.sleep(RETRY_S[min(attempt, len(RETRY_S) - 1)])
                    attempt += 1
                if self._stopped or (error := await self._again()) is None:
                    break
            whole = True
        finally:
            if not whole:
                self.give_up()

    async def _again(self) -> StorageUnavailable | None:
        """Append the batch once more.

        Returns:
            Why nobody knows whether it is stored; None: it is, or never will be.
        """
        log, clock = self._services.store.log, self._services.clock
        began = clock.now_ms()
        try:
            try:
                await log.append(self._code, self.durable, self._batch)
            except Conflict:
                # What was called a failure may have reached the log after all.
                found = await log.read(self._code, self.durable)
                if found != self._batch:
                    self._step_down("another writer has it")
                    return None
        except StorageUnavailable as error:
            return error
        took = (clock.now_ms() - began) / 1_000
        self._services.metrics.committed(took, 1, len(self._batch))
        self._stored()
        return None

    def _failed(self, error: StorageUnavailable) -> None:
        self._services.metrics.count("commit_failures")
        if not self.failing:
            self.failing = True
            _log.error("cannot store", extra={"room": self._code, "error": str(error)})
            self._tell_failed()

    def _step_down(self, reason: str) -> None:
        self.stop()
        self._services.metrics.count("steps_down")
        _log.error("gave up a room", extra={"room": self._code, "reason": reason})
        self._lost()
