"""A store that blocks or fails on request."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Self, cast

from sliderace_server.storage import (
    Append,
    AttemptGains,
    Conflict,
    Durability,
    LogDamaged,
    RoomLog,
    Standings,
    StorageUnavailable,
    StoredRace,
)
from sliderace_server.storage.memory import MemoryStore

__all__ = ["FaultyStore"]


class FaultyStore:
    """A store in memory that blocks or fails on request.

    Attributes:
        unblocked: while cleared, appends wait.
        waiting: whether an append waits.
        full: if set, everything that stores fails, and everything about profiles.
        conflicting: rooms whose appends meet a conflict.
        damaged: rooms whose logs cannot be read.
        poisoned: a room whose appends raise an error that no store should raise.
        lost_answers: how many appends are stored but reported as failed.
        other_record: if set, stored instead of the records of such an append.
        reserved: called with a code that another process has reserved.
        late_record: if set, another process appends it once a log has been read.
        drops_fail: if set, logs cannot be dropped.
        results_unblocked: while cleared, storing a race waits.
        standings_unblocked: while cleared, everything about profiles waits.
        appends: room, position and record count of each append.
        reads: record count of each reading of a room's log.
        real: the store behind it.
    """

    durability: Durability = "none"

    def __init__(self) -> None:
        self.unblocked = asyncio.Event()
        self.unblocked.set()
        self.full = False
        self.conflicting: set[str] = set()
        self.damaged: set[str] = set()
        self.waiting = asyncio.Event()
        self.poisoned = ""
        self.lost_answers = 0
        self.other_record = b""
        self.reserved: Callable[[str, int], None] = lambda _code, _until_ms: None
        self.late_record = b""
        self.drops_fail = False
        self.results_unblocked = asyncio.Event()
        self.results_unblocked.set()
        self.standings_unblocked = asyncio.Event()
        self.standings_unblocked.set()
        self.appends: list[tuple[str, int, int]] = []
        self.reads: list[int] = []
        self.real = MemoryStore()
        self.log = FaultyLog(self)
        self.results = FaultyResults(self)
        self.standings = cast("Standings", FaultyStandings(self))

    async def __aenter__(self) -> Self:
        await self.real.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Keep everything for the next server."""


class FaultyLog(RoomLog):
    def __init__(self, store: FaultyStore) -> None:
        self._store = store

    async def append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        return [await self._append(*one) for one in appends]

    async def _append(
        self, room: str, expected: int, records: Sequence[bytes]
    ) -> Conflict | None:
        store = self._store
        if not store.unblocked.is_set():
            store.waiting.set()
            await store.unblocked.wait()
            store.waiting.clear()
        if room == store.poisoned:
            raise ZeroDivisionError
        if store.full:
            raise StorageUnavailable("the disk is full")
        if room in store.conflicting:
            return Conflict(room, expected, expected + 1)
        if store.lost_answers:
            store.lost_answers -= 1
            stored = [store.other_record] if store.other_record else records
            await store.real.log.append(room, expected, stored)
            raise StorageUnavailable("the answer is lost")
        (conflict,) = await store.real.log.append_all([Append(room, expected, records)])
        if conflict is not None:
            return conflict
        store.appends.append((room, expected, len(records)))
        return None

    async def read(self, room: str, after: int = 0) -> list[bytes]:
        if room in self._store.damaged:
            raise LogDamaged(f"the log of {room} is damaged")
        records = await self._store.real.log.read(room, after)
        self._store.reads.append(len(records))
        late, self._store.late_record = self._store.late_record, b""
        if late:
            end = await self.length(room)
            await self._store.real.log.append(room, end, [late])
        return records

    async def length(self, room: str) -> int:
        if room in self._store.damaged:
            raise LogDamaged(f"the log of {room} is damaged")
        return await self._store.real.log.length(room)

    async def rooms(self) -> list[str]:
        return await self._store.real.log.rooms()

    async def trim(self, room: str, position: int) -> None:
        if self._store.drops_fail:
            raise StorageUnavailable("the disk is busy")
        await self._store.real.log.trim(room, position)

    async def drop(self, room: str, *, now_ms: int = 0, reserve_ms: int = 0) -> None:
        if self._store.drops_fail:
            raise StorageUnavailable("the disk is busy")
        await self._store.real.log.drop(room, now_ms=now_ms, reserve_ms=reserve_ms)

    def on_reserved(self, call: Callable[[str, int], None]) -> None:
        self._store.reserved = call

    async def reserved_codes(self, now_ms: int) -> dict[str, int]:
        return await self._store.real.log.reserved_codes(now_ms)


class FaultyResults:
    def __init__(self, store: FaultyStore) -> None:
        self._store = store
        self.races = store.real.results.races
        self.record = store.real.results.record
        self.summary = store.real.results.summary
        self.prune = store.real.results.prune

    async def store(self, race: StoredRace) -> list[AttemptGains]:
        await self._store.results_unblocked.wait()
        if self._store.full:
            raise StorageUnavailable("the disk is full")
        return await self._store.real.results.store(race)


class FaultyStandings:
    def __init__(self, store: FaultyStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._store.real.standings, name)

        async def call(*values: Any, **named: Any) -> Any:
            await asyncio.sleep(0)  # as with a real store, others may run meanwhile
            await self._store.standings_unblocked.wait()
            if self._store.full:
                raise StorageUnavailable("the disk is full")
            return await real(*values, **named)

        return call
