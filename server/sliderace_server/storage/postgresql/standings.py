"""`Standings` in PostgreSQL."""
# ruff: noqa: D102 - the port describes the methods

from collections.abc import Sequence
from typing import Any

from sliderace_server.storage.folding import DELETED, credited
from sliderace_server.storage.ports import (
    ALIVE_GAP_MS,
    MAX_KEYS,
    AttemptGains,
    Board,
    BoardQuery,
    ProfileRow,
)
from sliderace_server.storage.sql_rows import (
    ATTEMPT,
    SUMMARY,
    owner_columns,
    race_with_attempt,
)
from sliderace_server.storage.sql_standings import SINGLE_RACES, SqlStandings

from .changes import (
    CHANGE,
    changed_rows,
    gains_of,
    owners,
)
from .connections import LONG_S, Connection, Connections, Inconsistent
from .leaderboards import board
from .recount import add_bests, recount

__all__ = ["PostgresStandings"]

_LOCK = "SELECT id FROM profile WHERE id = $1 FOR UPDATE"
"""Locks a profile until the end of the transaction."""
_CREDIT = f"""
WITH stored AS (
    UPDATE attempt SET
        counts = $5, profile = $6, event = $7, number = $8, started_ms = $9,
        public = $10, daily = $11
    WHERE race = $3 AND seat = $4 RETURNING race
), {CHANGE}
SELECT count(*) FROM stored
"""  # noqa: S608 - a constant


class PostgresStandings(SqlStandings):
    """`Standings` in the tables `profile`, `attempt`, `tally`, `best` and so on.

    Args:
        connections: to the database.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def _rows(self, query: str, *values: object) -> Sequence[Sequence[Any]]:
        async with self._connections.call() as db:
            return await db.fetch(query, *values)

    async def _change(self, statement: str, *values: object) -> Sequence[Sequence[Any]]:
        return await self._rows(statement, *values)

    # --- profiles --------------------------------------------------------------------

    async def create_profile(
        self, profile: ProfileRow, key_hash: str, device: str
    ) -> bool:
        insert = "INSERT INTO profile (id, name, created_ms) VALUES ($1, $2, $3)"
        try:
            async with self._connections.transaction() as db:
                await db.execute(insert, profile.id, profile.name, profile.created_ms)
                await _add_key(db, profile.id, key_hash, device, profile.created_ms)
        except Inconsistent:
            return False
        return True

    async def add_key(
        self, profile: str, key_hash: str, device: str, now_ms: int
    ) -> bool:
        count = "SELECT count(*) FROM profile_key WHERE profile = $1"
        try:
            async with self._connections.transaction() as db:
                if not await db.fetch(_LOCK, profile):
                    return False
                if await db.fetchval(count, profile) >= MAX_KEYS:
                    return False
                await _add_key(db, profile, key_hash, device, now_ms)
        except Inconsistent:
            return False
        return True

    async def delete_profile(self, profile: str) -> None:
        strip = """
            UPDATE attempt SET name = $2, profile = NULL, event = NULL, number = NULL,
                started_ms = NULL, public = NULL, daily = NULL
            WHERE profile = $1
            """
        async with self._connections.transaction() as db:
            await db.fetch(_LOCK, profile)
            await db.execute("DELETE FROM tally WHERE profile = $1", profile)
            await db.execute("DELETE FROM best WHERE profile = $1", profile)
            races = [race for (race,) in await db.fetch(SINGLE_RACES, profile)]
            delete = "DELETE FROM race WHERE id = ANY($1)"
            await db.execute(delete, races, timeout=LONG_S)
            await db.execute(strip, profile, DELETED, timeout=LONG_S)
            # This also deletes its devices and daily attempts.
            await db.execute("DELETE FROM profile WHERE id = $1", profile)

    # --- attempts --------------------------------------------------------------------

    async def credit(self, race: str, seat: int, profile: str) -> AttemptGains | None:
        query = f"""
            SELECT {SUMMARY}, {ATTEMPT} FROM attempt JOIN race ON race.id = race
            WHERE race = $1 AND seat = $2 FOR UPDATE OF attempt
            """  # noqa: S608 - constants
        async with self._connections.transaction() as db:
            event = await db.fetchval("SELECT size FROM race WHERE id = $1", race)
            owner = (await owners(db, event or "", [profile])).get(profile)
            found = await db.fetch(query, race, seat)
            if owner is None or not found:
                return None
            summary = race_with_attempt(found[0])
            (row,) = summary.attempts
            one = credited(summary, row, profile, owner)
            if one is None:
                return None
            if row.profile is None:
                values = (race, seat, one.attempt.counts)
                more = owner_columns(event, one).values()
                await db.execute(_CREDIT, *changed_rows(event, [one]), *values, *more)
            return (await gains_of(db, event, [one]))[0]

    # --- leaderboards ----------------------------------------------------------------

    async def board(
        self, query: BoardQuery, profile: str | None = None, limit: int = 100
    ) -> Board:
        async with self._connections.call() as db:
            return await board(db, query, profile, limit)

    async def hide(self, profile: str, reason: str | None) -> bool:
        update = "UPDATE profile SET hidden = $1 WHERE id = $2 RETURNING id"
        async with self._connections.transaction() as db:
            # Locks the profile, so that no attempt of it is stored meanwhile.
            await owners(db, "", [profile])
            known = bool(await db.fetch(update, reason, profile))
            await db.execute("DELETE FROM best WHERE profile = $1", profile)
            if reason is None:
                await add_bests(db, profile)
            return known

    async def recount(self) -> int:
        async with self._connections.transaction() as db:
            return await recount(db)

    # --- days ------------------------------------------------------------------------

    async def note_alive(self, now_ms: int) -> int:
        first = "INSERT INTO alive VALUES (1, $1, $1) ON CONFLICT DO NOTHING"
        outage = f"""
            INSERT INTO outage SELECT at_ms, $1 FROM alive
            WHERE $1 - at_ms > {ALIVE_GAP_MS} ON CONFLICT DO NOTHING
            """  # noqa: S608 - a constant
        update = """
            UPDATE alive SET at_ms = $1, latest_ms = greatest(latest_ms, $1)
            RETURNING latest_ms
            """
        async with self._connections.transaction() as db:
            await db.execute(first, now_ms)
            await db.execute("SELECT at_ms FROM alive FOR UPDATE")
            await db.execute(outage, now_ms)
            return int(await db.fetchval(update, now_ms))


async def _add_key(
    db: Connection, profile: str, key_hash: str, device: str, now_ms: int
) -> None:
    """Add a device to a profile that this transaction has locked."""
    insert = """
        WITH owner AS (
            UPDATE profile SET devices = devices + 1 WHERE id = $1
            RETURNING id, devices
        )
        INSERT INTO profile_key SELECT $2, id, devices, $3, $4, $4 FROM owner
        """
    await db.execute(insert, profile, key_hash, device, now_ms)
