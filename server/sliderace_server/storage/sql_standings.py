"""The methods of `Standings` that are the same in all SQL adapters."""
# ruff: noqa: D102 - the port describes the methods

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from sliderace_server.storage.standings import days_down

from .folding import event_tallies
from .ports import (
    DAY_MS,
    KEY_USE_MS,
    AttemptEntry,
    EventTally,
    KeyRow,
    ProfileRow,
    Standings,
    event_order,
)
from .sql_rows import ATTEMPT, PROFILE, attempt_row, decode_tally

__all__ = ["SINGLE_RACES", "SqlStandings"]

SINGLE_RACES = """
SELECT race FROM attempt AS own WHERE profile = $1
AND NOT EXISTS (SELECT 1 FROM attempt AS other WHERE other.race = own.race
    AND NOT other.bot AND (other.profile IS NULL OR other.profile != $1))
"""
"""The races of profile $1 in which no other person raced; bots do not count."""


class SqlStandings(Standings):
    """`Standings` in the tables `profile`, `attempt`, `tally`, `best` and so on.

    Adapters add what differs. Statements contain their values as $1, $2 and so on.
    """

    @abstractmethod
    async def _rows(self, query: str, *values: object) -> Sequence[Sequence[Any]]:
        """Return the rows of a query."""

    @abstractmethod
    async def _change(self, statement: str, *values: object) -> Sequence[Sequence[Any]]:
        """Execute a statement that changes something; return its rows.

        Raises:
            ValueError: The values contradict stored rows.
        """

    # --- profiles --------------------------------------------------------------------

    async def identify(
        self, key_hash: str, now_ms: int
    ) -> tuple[ProfileRow, int] | None:
        query = f"""
            SELECT used_ms, device, {PROFILE} FROM profile_key
            JOIN profile ON profile.id = profile WHERE hash = $1
            """  # noqa: S608 - a constant
        found = await self._rows(query, key_hash)
        if not found:
            return None
        used_ms, device, *row = found[0]
        if now_ms >= used_ms + KEY_USE_MS:
            update = "UPDATE profile_key SET used_ms = $1 WHERE hash = $2"
            await self._change(update, now_ms, key_hash)
        return ProfileRow(*row), device

    async def profile(self, profile: str) -> ProfileRow | None:
        query = f"SELECT {PROFILE} FROM profile WHERE id = $1"  # noqa: S608 - a constant
        rows = await self._rows(query, profile)
        return ProfileRow(*rows[0]) if rows else None

    async def keys(self, profile: str) -> list[KeyRow]:
        query = """
            SELECT device, name, added_ms, used_ms FROM profile_key
            WHERE profile = $1 ORDER BY device
            """
        return [KeyRow(*row) for row in await self._rows(query, profile)]

    async def revoke_key(self, profile: str, device: int) -> bool:
        delete = """
            DELETE FROM profile_key WHERE profile = $1 AND device = $2 RETURNING device
            """
        return bool(await self._change(delete, profile, device))

    async def rename_profile(self, profile: str, name: str) -> None:
        await self._change("UPDATE profile SET name = $1 WHERE id = $2", name, profile)

    async def set_forget(self, profile: str, at_ms: int | None) -> None:
        update = "UPDATE profile SET forget_at_ms = $1 WHERE id = $2"
        await self._change(update, at_ms, profile)

    async def due_to_forget(self, now_ms: int) -> list[str]:
        query = """
            SELECT id FROM profile WHERE forget_at_ms <= $1 ORDER BY forget_at_ms, id
            """
        return [profile for (profile,) in await self._rows(query, now_ms)]

    async def races_with_others(self, profile: str) -> list[tuple[str, int]]:
        query = f"""
            SELECT race, seat FROM attempt WHERE profile = $1
            AND race NOT IN ({SINGLE_RACES}) ORDER BY race, seat
            """  # noqa: S608 - a constant
        return [(race, seat) for race, seat in await self._rows(query, profile)]

    async def replace_record(self, race: str, record: bytes) -> None:
        await self._change("UPDATE race SET record = $1 WHERE id = $2", record, race)

    # --- attempts --------------------------------------------------------------------

    async def tallies(
        self, profile: str, *, public_only: bool = False
    ) -> list[EventTally]:
        query = "SELECT event, tally FROM tally WHERE profile = $1"
        rows = await self._rows(query, profile)
        tallies = {event: decode_tally(tally) for event, tally in rows}
        return event_tallies(tallies, public_only=public_only)

    async def history(
        self, profile: str, event: str, before: str | None, limit: int
    ) -> list[AttemptEntry]:
        query = f"""
            SELECT race, attempt.started_ms, kind, md, {ATTEMPT}
            FROM attempt JOIN race ON race.id = race
            WHERE profile = $1 AND event = $2
            AND (CAST($3 AS text) IS NULL OR number < (SELECT min(number) FROM attempt
                WHERE race = $3 AND profile = $1 AND event = $2))
            ORDER BY number DESC LIMIT $4
            """  # noqa: S608 - a constant
        found = await self._rows(query, profile, event, before, limit)
        return [
            AttemptEntry(race, started_ms, kind, md, attempt_row(row))
            for race, started_ms, kind, md, *row in found
        ]

    # --- days ------------------------------------------------------------------------

    async def claim_daily(self, profile: str, event: str, day: int, room: str) -> str:
        insert = """
            INSERT INTO daily (profile, event, day, room) VALUES ($1, $2, $3, $4)
            ON CONFLICT (profile, day, event) DO UPDATE SET room = daily.room
            RETURNING room
            """
        try:
            ((used,),) = await self._change(insert, profile, event, day, room)
        except ValueError as error:
            raise ValueError(f"unknown profile {profile!r}") from error
        return str(used)

    async def release_daily(
        self, profile: str, event: str, day: int, room: str
    ) -> None:
        delete = """
            DELETE FROM daily
            WHERE profile = $1 AND event = $2 AND day = $3 AND room = $4
            """
        await self._change(delete, profile, event, day, room)

    async def dailies(self, profile: str, since: int) -> list[tuple[int, str, str]]:
        query = "SELECT day, event, room FROM daily WHERE profile = $1 AND day >= $2"
        rows = [
            (day, event, room)
            for day, event, room in await self._rows(query, profile, since)
        ]
        return sorted(rows, key=lambda row: (-row[0], event_order(row[1])))

    async def down_days(self, since: int) -> list[int]:
        query = "SELECT began_ms, ended_ms FROM outage WHERE ended_ms >= $1"
        outages = [
            (began, ended) for began, ended in await self._rows(query, since * DAY_MS)
        ]
        return [day for day in days_down(outages) if day >= since]
