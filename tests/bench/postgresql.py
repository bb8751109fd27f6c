"""Measure profiles and leaderboards in PostgreSQL: see `tests.bench.standings`."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from tests.bench.standings import (
    ATTEMPTS,
    Figures,
    asked,
    now,
    profile_names,
    recounted,
    since,
    year,
)
from tests.postgres import PostgresServer, postgres_server

from sliderace_server.storage import AttemptRow, BoardQuery, RaceSummary, StoredRace
from sliderace_server.storage.postgresql.connections import Connection
from sliderace_server.storage.postgresql.store import PostgresStore
from sliderace_server.storage.standings import DAY_MS

__all__ = ["figures_of"]

CALLS = 200
"""The server's CPU time is known to 10 ms."""


def figures_of(attempts: int = ATTEMPTS) -> Figures:
    """Fill a database of a new PostgreSQL server, and return all figures."""
    with postgres_server("-c", "shared_buffers=128MB", flush=True) as server:
        return asyncio.run(_measured(server, attempts))


async def _measured(server: PostgresServer, attempts: int) -> Figures:
    profiles = profile_names(attempts)
    found: Figures = {"attempts": attempts, "profiles": len(profiles)}
    async with PostgresStore(await server.empty_database()) as store:
        began = now()
        async with store.connections.call() as db:
            await _fill(db, profiles, attempts)
            found["fill_s"] = round(since(began)[0], 1)
            found |= await recounted(store, attempts)
            await db.execute("VACUUM ANALYZE", timeout=600)  # as PostgreSQL itself soon
            size = await db.fetchval("SELECT pg_database_size(current_database())")
        found["database_mib"] = round(size / 2**20)
        found |= await asked(store, profiles)
        chance = random.Random(6)  # noqa: S311
        query = BoardQuery("4x4")
        began_s = server.cpu_s()
        for profile in chance.sample(profiles, CALLS):
            await store.standings.board(query, profile)
        found["largest_board_server_cpu_ms"] = _per_call(server, began_s, CALLS)
        began_s = server.cpu_s()
        for profile in chance.sample(profiles, CALLS):
            await store.standings.tallies(profile)
            await store.standings.history(profile, "4x4", None, 50)
        found["profile_server_cpu_ms"] = _per_call(server, began_s, CALLS)
        summary = RaceSummary("KWXTRB-U0-1", "KWXTRB", DAY_MS, "4x4", True, ())
        for who in ("guests", "profiles"):
            began_s = server.cpu_s()
            for number in range(CALLS):
                racers = chance.sample(profiles, 4)
                rows = tuple(
                    AttemptRow(seat, "Name", "finished", seat + 1, 90_000, 90, 60)
                    for seat in range(4)
                )
                if who == "profiles":
                    rows = tuple(
                        replace(row, profile=one)
                        for row, one in zip(rows, racers, strict=True)
                    )
                one = replace(summary, id=f"{who}-{number}", attempts=rows)
                await store.results.store(StoredRace(one, bytes(8_000)))
            found[f"store_{who}_server_cpu_ms"] = _per_call(server, began_s, CALLS)
        return found


def _per_call(server: PostgresServer, began_s: float, calls: int) -> float:
    return round((server.cpu_s() - began_s) / calls * 1e3, 2)


async def _fill(db: Connection, profiles: Sequence[str], attempts: int) -> None:
    names = [(one, f"Name {one}", 0) for one in profiles]
    columns = ("id", "name", "created_ms")
    await db.copy_records_to_table("profile", records=names, columns=columns)
    races_of_year = year(profiles, attempts)
    while part := [*islice(races_of_year, 10_000)]:
        races = [(*race, True, "quick", 38, 0, 0) for race, _ in part]
        await db.copy_records_to_table("race", records=races, columns=RACE)
        rows = [
            (*row, "Name", False, 150, 90, 400, 2)
            for _, racers in part
            for row in racers
        ]
        await db.copy_records_to_table("attempt", records=rows, columns=ATTEMPT)


RACE = (
    *("id", "room", "started_ms", "size", "record", "public"),
    *("kind", "md", "sealed_until_ms", "day"),
)
ATTEMPT = (
    *("race", "seat", "rank", "status", "place", "time_ms", "input", "counts"),
    *("solve_ms", "profile", "event", "number", "started_ms", "public"),
    *("name", "bot", "stm", "mtm", "first_ms", "pauses"),
)
