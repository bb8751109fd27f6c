"""`Results` in PostgreSQL."""
# ruff: noqa: D102 - the port describes the methods

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sliderace_server.storage.folding import Change, changes
from sliderace_server.storage.ports import (
    AttemptGains,
    RaceSummary,
    Results,
    StoredRace,
)
from sliderace_server.storage.sql_rows import (
    ATTEMPT,
    SUMMARY,
    owner_columns,
    race_summaries,
    race_values,
)

from .changes import (
    CHANGE,
    changed_rows,
    gains_of,
    owners,
    rows_json,
)
from .connections import Connection, Connections

__all__ = ["PostgresResults"]

PRUNED_AT_ONCE = 100
"""Races that one transaction prunes and meanwhile locks."""

_STORE = f"""
WITH stored AS (
    INSERT INTO race VALUES ($4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    ON CONFLICT DO NOTHING RETURNING id
), attempts AS (
    INSERT INTO attempt SELECT one.* FROM stored,
        json_populate_recordset(NULL::attempt, $3::json) AS one
), {CHANGE}
SELECT count(*) FROM stored
"""  # noqa: S608 - a constant


class PostgresResults(Results):
    """`Results` in the tables `race` and `attempt`.

    Args:
        connections: to the database.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def store(self, race: StoredRace) -> list[AttemptGains]:
        summary, event = race.summary, race.summary.size
        profiles = [one.profile for one in summary.attempts if one.profile]
        try:
            if not profiles:
                async with self._connections.call() as db:
                    await _insert(db, race, [])
                    return []
            async with self._connections.transaction() as db:
                found = changes(summary, await owners(db, event, profiles))
                new = await _insert(db, race, found)
                return await gains_of(db, event, found) if new else []
        except ValueError as error:
            raise ValueError(f"race {summary.id!r}: {error}") from error

    async def races(
        self,
        room: str | None = None,
        *,
        public_only: bool = False,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RaceSummary]:
        more, values = "", [*filter(None, (room, before))]
        if room:
            more += "AND room = $2 "
        if public_only:
            more += "AND public "
        if before:
            earlier = f"SELECT started_ms, id FROM race WHERE id = ${len(values) + 1}"  # noqa: S608
            more += f"AND (started_ms, id) < ({earlier})"
        order = "ORDER BY started_ms DESC, id DESC LIMIT $1"
        return await self._select(f"NOT pruned {more} {order}", limit, *values)

    async def _select(self, where: str, *values: object) -> list[RaceSummary]:
        query = f"SELECT {SUMMARY} FROM race WHERE {where}"  # noqa: S608 - constants
        theirs = f"""
            SELECT race, {ATTEMPT} FROM attempt WHERE race = ANY($1) ORDER BY race, rank
            """  # noqa: S608 - a constant
        async with self._connections.call() as db:
            races = await db.fetch(query, *values)
            attempts = await db.fetch(theirs, [race for race, *_ in races])
        return race_summaries(races, attempts)

    async def prune(self, before_ms: int) -> int:
        pruned = 0
        while count := await self._prune(before_ms):
            pruned += count
        return pruned

    async def _prune(self, before_ms: int) -> int:
        """Prune a few races; return how many."""
        old = """
            SELECT id FROM race WHERE started_ms < $1 AND NOT pruned
            ORDER BY started_ms LIMIT $2 FOR UPDATE
            """
        async with self._connections.transaction() as db:
            found = await db.fetch(old, before_ms, PRUNED_AT_ONCE)
            races = [race for (race,) in found]
            for change in (
                "DELETE FROM attempt WHERE race = ANY($1) AND profile IS NULL",
                """
                DELETE FROM race WHERE id = ANY($1)
                AND NOT EXISTS (SELECT 1 FROM attempt WHERE race = race.id)
                """,
                "UPDATE race SET record = '', pruned = true WHERE id = ANY($1)",
            ):
                await db.execute(change, races)
        return len(races)

    async def summary(self, race_id: str) -> RaceSummary | None:
        found = await self._select("id = $1 AND NOT pruned", race_id)
        return found[0] if found else None

    async def record(self, race_id: str) -> bytes | None:
        query = "SELECT record FROM race WHERE id = $1"
        async with self._connections.call() as db:
            record: bytes | None = await db.fetchval(query, race_id)
        return record or None  # a pruned race has none


async def _insert(db: Connection, race: StoredRace, found: Sequence[Change]) -> bool:
    """Insert a race and what it changes in profiles; False: it is stored already."""
    one = race.summary
    owned = {change.seat: owner_columns(one.size, change) for change in found}
    rows = [
        {**asdict(row), "race": one.id, "rank": rank, **owned.get(row.seat, GUEST)}
        for rank, row in enumerate(one.attempts)
    ]
    values = (*changed_rows(one.size, found), rows_json(rows), *race_values(race))
    return bool(await db.fetchval(_STORE, *values))


GUEST: dict[str, Any] = {"profile": None}
"""See `owner_columns`."""
