"""A store in memory: for tests, and for servers run with `--memory`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, islice
from typing import Self

from .ports import (
    Append,
    Conflict,
    Durability,
    RaceSummary,
    RoomLog,
    StorageUnavailable,
    StoredRace,
)

__all__ = ["MemoryStore"]


class MemoryStore:
    """A store in dictionaries; nothing survives the object."""

    durability: Durability = "none"

    def __init__(self) -> None:
        self.log = _Log(self)
        self.results = _Results(self)
        self._open = False

    def check(self) -> None:
        """Raise StorageUnavailable unless the store is open."""
        if not self._open:
            raise StorageUnavailable("the store is closed")

    async def __aenter__(self) -> Self:
        self._open = True
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._open = False


class _Log(RoomLog):
    """Room logs as lists."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._rooms: dict[str, list[bytes]] = {}
        self._removed: dict[str, int] = {}
        self._reserved: dict[str, int] = {}

    async def append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        self._store.check()
        return [self._append(*one) for one in appends]

    def _append(
        self, room: str, expected: int, records: Sequence[bytes]
    ) -> Conflict | None:
        actual = self._length(room)
        if actual != expected:
            return Conflict(room, expected, actual)
        if records:
            self._rooms.setdefault(room, []).extend(records)
        return None

    def _length(self, room: str) -> int:
        return self._removed.get(room, 0) + len(self._rooms.get(room, ()))

    async def read(self, room: str, after: int = 0) -> list[bytes]:
        self._store.check()
        return self._rooms.get(room, [])[max(0, after - self._removed.get(room, 0)) :]

    async def length(self, room: str) -> int:
        self._store.check()
        return self._length(room)

    async def rooms(self) -> list[str]:
        self._store.check()
        return sorted(self._rooms)

    async def trim(self, room: str, position: int) -> None:
        self._store.check()
        before = self._removed.get(room, 0)
        count = min(position, self._length(room) - 1) - before
        if count > 0:
            del self._rooms[room][:count]
            self._removed[room] = before + count

    async def drop(self, room: str, *, now_ms: int = 0, reserve_ms: int = 0) -> None:
        self._store.check()
        self._rooms.pop(room, None)
        self._removed.pop(room, None)
        if reserve_ms:
            self._reserved[room] = now_ms + reserve_ms

    async def reserved_codes(self, now_ms: int) -> dict[str, int]:
        self._store.check()
        left = {room: until - now_ms for room, until in self._reserved.items()}
        return {room: ms for room, ms in left.items() if ms > 0}


class _Results:
    """Races in a dictionary by id."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._races: dict[str, StoredRace] = {}

    async def prune(self, before_ms: int) -> int:
        self._store.check()
        races = self._races.values()
        old = [one.summary.id for one in races if one.summary.started_ms < before_ms]
        for race in old:
            del self._races[race]
        return len(old)

    async def store(self, race: StoredRace) -> None:
        self._store.check()
        self._races.setdefault(race.summary.id, race)

    async def races(
        self,
        room: str | None = None,
        *,
        public_only: bool = False,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RaceSummary]:
        self._store.check()
        summaries = (race.summary for race in self._races.values())
        latest = sorted(summaries, key=lambda s: (s.started_ms, s.id), reverse=True)
        rest = iter(latest)
        if before is not None:
            rest = islice(dropwhile(lambda s: s.id != before, latest), 1, None)
        wanted = (
            s
            for s in rest
            if (room is None or s.room == room) and (s.public or not public_only)
        )
        return list(islice(wanted, limit))

    async def record(self, race_id: str) -> bytes | None:
        self._store.check()
        race = self._races.get(race_id)
        return None if race is None else race.record
