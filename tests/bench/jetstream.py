"""Measure room logs in JetStream: `python -m tests.bench jetstream`.

One process writes to one broker (`r1`), or to three with three copies of each message
(`r3`), all on this machine. A message has two slides, as one player sends them.
`node` is CPU time of the process, `brokers` that of all brokers together.
"""

import asyncio
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any

from tests.bench.servers import Usage
from tests.nats_server import Brokers, brokers

from sliderace_server.cluster.connection import connected
from sliderace_server.cluster.jetstream_log import JetStreamLog
from sliderace_server.storage import Append, StorageUnavailable

__all__ = ["figures_of"]

RECORD = b'[1,"slid",1234567,3,17,[["L",1,45678]]]'
RECORDS = 2
ROOMS = 100
"""Rooms that share the streams, and their commits."""
RACE = 300
"""Messages of each room: those of a race of four on 4x4."""
PACE = 10.0
"""Messages per second of each room, for the latency: four players in mid-race."""
SAMPLES = 20

Figures = dict[str, Any]


class Spent:
    """The cost of a part of the benchmark, once it has ended."""

    wall_us = node_us = brokers_us = 0.0


def figures_of(seconds: float) -> Figures:
    """Return all figures, for one copy and for three."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    found: Figures = {"rooms": ROOMS}
    for copies in (1, 3):
        with brokers(copies) as some:
            figures = asyncio.run(Bench(some).figures(seconds))
        found |= {f"r{copies}_{name}": value for name, value in figures.items()}
    return found


class Bench:
    """The measurements on some brokers."""

    def __init__(self, some: Brokers) -> None:
        self._brokers = some
        self._log = JetStreamLog()
        self._ends = {f"ROOM{number}": 0 for number in range(ROOMS)}

    async def figures(self, seconds: float) -> Figures:
        """Return all figures."""
        async with (
            connected(self._brokers.urls) as connection,
            self._log.opened(connection),
        ):
            await self._commit(*self._ends)
            found = await self._appends()
            found |= await self._latency(seconds)
            return found | await self._reads() | await self._removals()

    async def _commit(self, *rooms: str) -> None:
        """Append a message to each room."""
        appends = [Append(one, self._ends[one], [RECORD] * RECORDS) for one in rooms]
        while True:
            try:
                assert not any(await self._log.append_all(appends))
                break
            except StorageUnavailable:  # three brokers elect leaders at first
                await asyncio.sleep(0.1)
        for one in rooms:
            self._ends[one] += RECORDS

    @contextmanager
    def _spent(self) -> Generator[Spent, None, None]:
        """Measure what happens inside the context."""
        spent, usages = Spent(), [Usage(pid) for pid in self._brokers.pids]
        busy = sum(one.cpu_s for one in usages)
        wall, cpu = time.perf_counter(), time.process_time()
        yield spent
        spent.wall_us = (time.perf_counter() - wall) * 1e6
        spent.node_us = (time.process_time() - cpu) * 1e6
        spent.brokers_us = (sum(one.cpu_s for one in usages) - busy) * 1e6

    async def _appends(self) -> Figures:
        """As fast as possible; a commit has one message of each room."""
        with self._spent() as spent:
            for _ in range(RACE):
                await self._commit(*self._ends)
        count = RACE * ROOMS
        states = [one.state for one in await self._log.streams() if one]
        size = sum(one.bytes for one in states) / sum(one.messages for one in states)
        return {
            "message_bytes": round(size),
            "appends_s": round(count / spent.wall_us * 1e6),
            "append_node_us": round(spent.node_us / count, 1),
            "append_brokers_us": round(spent.brokers_us / count, 1),
        }

    async def _latency(self, seconds: float) -> Figures:
        """At a steady pace; each message is a commit of its own."""
        times: list[float] = []
        began = time.perf_counter() + 0.1

        async def play(number: int, room: str) -> None:
            for turn in range(round(seconds * PACE)):
                due = began + (turn + number / ROOMS) / PACE
                await asyncio.sleep(due - time.perf_counter())
                await self._commit(room)
                times.append((time.perf_counter() - due) * 1e3)

        with self._spent() as spent:
            await asyncio.gather(*(play(*one) for one in enumerate(self._ends)))
        parts = quantiles(times, n=1_000)
        return {
            "paced_s": round(ROOMS * PACE),
            "paced_node_us": round(spent.node_us / len(times), 1),
            "paced_brokers_us": round(spent.brokers_us / len(times), 1),
            "append_p50_ms": round(parts[499], 2),
            "append_p99_ms": round(parts[989], 2),
            "append_p999_ms": round(parts[998], 2),
        }

    async def _reads(self) -> Figures:
        """Read whole rooms, as a takeover does."""
        times: list[float] = []
        with self._spent() as spent:
            for room in [*self._ends][:SAMPLES]:
                began = time.perf_counter()
                assert len(await self._log.read(room)) == self._ends[room]
                times.append((time.perf_counter() - began) * 1e3)
        return {
            "read_messages": self._ends["ROOM0"] // RECORDS,
            "read_ms": round(median(times), 1),
            "read_max_ms": round(max(times), 1),
            "read_node_ms": round(spent.node_us / SAMPLES / 1e3, 1),
            "read_brokers_ms": round(spent.brokers_us / SAMPLES / 1e3, 1),
        }

    async def _removals(self) -> Figures:
        """Trim rooms twice, since the second trim deletes; then drop them."""
        found: Figures = {}
        rooms = [*self._ends][:SAMPLES]
        for name, part in (("find", 0.5), ("trim", 0.9)):
            with self._spent() as spent:
                for room in rooms:
                    await self._log.trim(room, int(self._ends[room] * part))
            found |= self._per_room(name, spent)
            await self._commit(*rooms)
        with self._spent() as spent:
            for room in rooms:
                await self._log.drop(room, now_ms=1, reserve_ms=1)
        return found | self._per_room("drop", spent)

    def _per_room(self, name: str, spent: Spent) -> Figures:
        return {
            f"{name}_ms": round(spent.wall_us / SAMPLES / 1e3, 2),
            f"{name}_node_us": round(spent.node_us / SAMPLES),
            f"{name}_brokers_us": round(spent.brokers_us / SAMPLES),
        }
