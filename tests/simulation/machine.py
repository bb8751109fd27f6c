"""A simulated machine that may fail at any moment: clocks, randomness and storage."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import detangle

from sliderace_server.clock import STALL_MS
from sliderace_server.storage import (
    Append,
    AttemptGains,
    Conflict,
    Durability,
    RaceSummary,
    RoomLog,
    StorageUnavailable,
    StoredRace,
)
from sliderace_server.storage.memory import MemoryStore

__all__ = ["Disk", "Machine", "Process"]

SLOW = 0.04
"""Share of slow commits."""
SLOW_S = 3.0
"""Longest duration of a slow commit."""
FAST_S = 0.02
"""Longest duration of any other."""
LOST_ANSWER = 0.01
"""Share of commits that succeed and report a failure."""
WALL_MS = 1_700_000_000_000


@dataclass(slots=True)
class Disk:
    """What was committed; it outlives every process.

    Attributes:
        logs: room -> records that were not removed.
        removed: room -> how many were removed before these.
        written: room -> all records, removed ones too: what the checker reads.
        races: race id -> the stored race.
        reserved_codes: code of a closed room -> when it may be used again.
        failing_until: virtual time until which every write fails.
        unsure_until: virtual time until which each write fails, but may be stored.
        silent_until: virtual time until which nothing can be read.
        results_failing_until: virtual time until which results cannot be stored.
        began: room -> virtual time at which the start of its race was committed.
        raced_s: for how many seconds races have run, regardless of the number of
            players.
        commits: how many appends were committed.
        conflicts: how many were refused, because another writer was faster.
        takeovers: how many rooms were continued in a new epoch.
        writers: room -> the process that began its latest epoch.
        failed: room in a race -> virtual time at which its process failed.
        restored_s: for how many seconds such rooms were without a process.
        broken: broken promises.
    """

    logs: dict[str, list[bytes]] = field(default_factory=dict[str, list[bytes]])
    removed: dict[str, int] = field(default_factory=dict[str, int])
    written: dict[str, list[bytes]] = field(default_factory=dict[str, list[bytes]])
    races: dict[str, StoredRace] = field(default_factory=dict[str, StoredRace])
    reserved_codes: dict[str, int] = field(default_factory=dict[str, int])
    failing_until: float = 0.0
    unsure_until: float = 0.0
    silent_until: float = 0.0
    results_failing_until: float = 0.0
    began: dict[str, float] = field(default_factory=dict[str, float])
    raced_s: float = 0.0
    commits: int = 0
    conflicts: int = 0
    takeovers: int = 0
    writers: dict[str, "Process"] = field(default_factory=dict[str, "Process"])
    failed: dict[str, float] = field(default_factory=dict[str, float])
    restored_s: list[float] = field(default_factory=list[float])
    broken: list[str] = field(default_factory=list[str])

    def commit(self, process: "Process", append: Append) -> Conflict | None:
        """Append if the log has the expected length."""
        room, expected, records = append
        if self.length(room) != expected:
            stored = self.written.get(room, [])[expected:][: len(records)]
            self.conflicts += stored != list(records)
            return Conflict(room, expected, self.length(room))
        self.logs.setdefault(room, []).extend(records)
        self.written.setdefault(room, []).extend(records)
        self.commits += 1
        for record in records:
            self._measure(process, room, record)
        self.failed.pop(room, None)  # its process was only slow
        return None

    def store(self, race: StoredRace) -> None:
        """Store a race once; all processes must agree on its record."""
        stored = self.races.setdefault(race.summary.id, race)
        if stored.record != race.record:
            self.broken.append(f"two records of {race.summary.id}")

    def note_failure(self, process: "Process") -> None:
        """Note that a process fails now."""
        for room, writer in self.writers.items():
            if writer is process and room in self.began:
                self.failed.setdefault(room, detangle.now())

    def length(self, room: str) -> int:
        """Return the position at which a room's log ends."""
        return self.removed.get(room, 0) + len(self.logs.get(room, []))

    def trim(self, room: str, position: int) -> None:
        """Remove records up to a position."""
        if room in self.logs:
            count = position - self.removed.get(room, 0)
            del self.logs[room][:count]
            self.removed[room] = position

    def drop(self, room: str) -> None:
        """Remove a room's log."""
        for kept in (self.logs, self.removed, self.written):
            kept.pop(room, None)

    def _measure(self, process: "Process", room: str, record: bytes) -> None:
        now = detangle.now()
        if b'"epoch_began"' in record:
            self.takeovers += room in self.writers
            self.writers[room] = process
            if (since := self.failed.pop(room, None)) is not None:
                self.restored_s.append(now - since)
        elif b'"race_started"' in record:
            self.began[room] = now
        elif b'"race_ended"' in record or b'"race_aborted"' in record:
            self.raced_s += now - self.began.pop(room, now)


class Process:
    """The store of one server process; a crash loses what it has not committed.

    Args:
        disk: where it writes.
    """

    durability: Durability = "full"

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.dead = False
        self.log = _Log(self)
        self.results = _Results(self)
        self._profiles = MemoryStore()  # nobody in the simulation has a profile
        self.standings = self._profiles.standings

    async def __aenter__(self) -> Self:
        await self._profiles.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Nothing to close."""

    async def write(self, *commits: Callable[[], object]) -> None:
        """Wait for the disk, then commit, unless the process dies first.

        Raises:
            StorageUnavailable: all, some or none of it is stored.
        """
        slow = detangle.flip(SLOW)
        await asyncio.sleep(detangle.uniform(0.0005, SLOW_S if slow else FAST_S))
        await self.alive()
        if detangle.now() < self.disk.failing_until:
            raise StorageUnavailable("the disk fails")
        unsure_s = self.disk.unsure_until - detangle.now()
        for commit in commits:
            if unsure_s <= 0 or detangle.flip(0.5):
                commit()
        if unsure_s > 0:
            await asyncio.sleep(min(unsure_s, detangle.uniform(0.0, SLOW_S)))
            raise StorageUnavailable("no answer")
        if detangle.flip(LOST_ANSWER):
            raise StorageUnavailable("the answer is lost")
        if detangle.flip(0.3):  # the process may die before it learns the outcome
            await asyncio.sleep(detangle.uniform(0.0005, FAST_S))
            await self.alive()

    async def read(self) -> None:
        """Wait as long as a read of a log takes.

        Raises:
            StorageUnavailable: nothing can be read now.
        """
        await asyncio.sleep(detangle.uniform(0.0002, FAST_S))
        await self.alive()
        if detangle.now() < self.disk.silent_until:
            raise StorageUnavailable("no answer")

    async def alive(self) -> None:
        """Return if the process is alive; wait forever if it was killed."""
        if self.dead:
            await asyncio.get_running_loop().create_future()


class _Log(RoomLog):
    def __init__(self, process: Process) -> None:
        self._process = process

    async def append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        conflicts: list[Conflict | None] = []
        process, disk = self._process, self._process.disk

        def commit(append: Append) -> None:
            conflicts.append(disk.commit(process, append))

        await process.write(*(partial(commit, append) for append in appends))
        return conflicts

    async def read(self, room: str, after: int = 0) -> list[bytes]:
        await self._process.read()
        disk = self._process.disk
        removed = disk.removed.get(room, 0)
        return disk.logs.get(room, [])[max(0, after - removed) :]

    async def length(self, room: str) -> int:
        await self._process.read()
        return self._process.disk.length(room)

    async def trim(self, room: str, position: int) -> None:
        await self._process.write(lambda: self._process.disk.trim(room, position))

    async def rooms(self) -> list[str]:
        await self._process.read()
        return sorted(self._process.disk.logs)

    async def drop(self, room: str, *, now_ms: int = 0, reserve_ms: int = 0) -> None:
        self._process.disk.reserved_codes[room] = now_ms + reserve_ms
        await self._process.write(lambda: self._process.disk.drop(room))

    async def reserved_codes(self, now_ms: int) -> dict[str, int]:
        reserved_codes = self._process.disk.reserved_codes.items()
        return {
            code: until - now_ms for code, until in reserved_codes if until > now_ms
        }


class _Results:
    def __init__(self, process: Process) -> None:
        self._process = process

    async def store(self, race: StoredRace) -> list[AttemptGains]:
        disk = self._process.disk
        if detangle.now() < disk.results_failing_until:
            raise StorageUnavailable("the database is down")
        await self._process.write(lambda: disk.store(race))
        return []

    async def races(
        self,
        room: str | None = None,
        *,
        public_only: bool = False,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RaceSummary]:
        raise NotImplementedError((room, public_only, limit, before))

    async def prune(self, before_ms: int) -> int:
        raise NotImplementedError(before_ms)

    async def summary(self, race_id: str) -> RaceSummary | None:
        race = self._process.disk.races.get(race_id)
        return None if race is None else race.summary

    async def record(self, race_id: str) -> bytes | None:
        race = self._process.disk.races.get(race_id)
        return None if race is None else race.record


class Machine:
    """Clocks and randomness of the server; they outlive its processes."""

    stall_ms = STALL_MS

    def __init__(self) -> None:
        self.boot = "boot 1"
        self._boots = 1
        self._began = -1_000.0
        self._wall_step_ms = 0
        self._draws = 0

    def now_ms(self) -> int:
        return int((detangle.now() - self._began) * 1_000)

    def wall_ms(self) -> int:
        return WALL_MS + int(detangle.now() * 1_000) + self._wall_step_ms

    def cpu_s(self) -> float:
        return 0.0  # never busy

    def later(self, seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, call)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def entropy(self, size: int) -> bytes:
        """Return bytes that never repeat and are the same in every replay."""
        self._draws += 1
        drawn = self._draws.to_bytes(8) + detangle.randint(0, 2**31).to_bytes(8)
        return (drawn * (size // 16 + 1))[:size]

    def step_wall(self, ms: int) -> None:
        """Move the wall clock by so many ms."""
        self._wall_step_ms += ms

    def reboot(self) -> None:
        """Start another boot: the monotonic clock restarts."""
        self._boots += 1
        self.boot = f"boot {self._boots}"
        self._began = detangle.now() - 5.0
