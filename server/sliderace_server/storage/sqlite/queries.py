"""The statements of the SQLite store, to be run on aiosqlite's connections.

Every change is a single autocommitted statement, or a call of `storing`: one call to
the connection's thread, one flush of the disk. The connection is never inside a
transaction while the event loop takes its turn, so nothing waits for it.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import aiosqlite

from sliderace_server.storage.ports import Append, Conflict, RaceSummary
from sliderace_server.storage.sql_rows import ATTEMPT, SUMMARY, race_summaries

__all__ = [
    "CHAIN",
    "append_all",
    "drop",
    "length",
    "prune",
    "read",
    "reserved_codes",
    "rooms",
    "select_race",
    "select_races",
    "select_record",
    "sweep",
    "trim",
    "unremoved",
]

_APPEND = """
INSERT INTO log (room, before, start, count, sizes, records)
SELECT number, last, column2, column3, column4, column5
FROM (VALUES {rows}) CROSS JOIN room ON code = column1 AND room.records = column2
RETURNING room
"""
"""Appends to all logs that end where expected; a trigger then moves their ends. The
comparison is the whole compare-and-set."""
_CREATE = """
INSERT OR IGNORE INTO room (code, records) SELECT value, 0 FROM json_each(?)
"""
"""Creates rooms without records; their first append follows."""
_ROOM = attrgetter("room")
_NO_ROW = (None, None, None, None, None)
_MAX_ROWS = 4_096
"""Appends in one statement, with five parameters each; SQLite allows 32,766."""

CHAIN = """
WITH RECURSIVE chain (id, before, start, sizes, records, after) AS (
    SELECT id, before, start, sizes, log.records, max(:after, removed)
    FROM room JOIN log ON id = last WHERE code = :room
    UNION ALL
    SELECT log.id, log.before, log.start, log.sizes, log.records, after
    FROM chain JOIN log ON log.id = chain.before WHERE chain.start > after
)
SELECT start, sizes, records, after FROM chain
"""
"""A room's appends, the last one first, back to the one that contains a position."""

_SWEEP_ROWS = 1_000
"""Appends examined by one statement: about a millisecond of work."""
_PRUNED_AT_ONCE = 100
"""Races deleted by one statement; commits of rooms wait for it."""
_LAST_ID = (1 << 63) - 1
"""No row has a greater id."""


def _one_statement(appends: Sequence[Append]) -> tuple[str, list[object]] | None:
    """Return the statement and parameters for appends to logs that exist.

    None: they cannot be one statement, because a log is new or named twice, an append
    is empty, or they are too many.
    """
    count = len(appends)
    if count > 1 and len(set(map(_ROOM, appends))) != count:
        return None
    values: list[object] = []
    for room, expected, records in appends:
        if not (expected and records):
            return None
        values += (room, expected, *_packed(records))
    if not 0 < count <= _MAX_ROWS:
        return None
    rows = 1 << (count - 1).bit_length()
    values += _NO_ROW * (rows - count)
    return _append_statement(rows), values


def _packed(records: Sequence[bytes]) -> tuple[int, str, bytes]:
    """Return the number of records, their sizes, and all in one."""
    if len(records) == 1:
        return 1, str(len(records[0])), records[0]
    sizes = ",".join([str(len(record)) for record in records])
    return len(records), sizes, b"".join(records)


@cache
def _append_statement(count: int) -> str:
    """Return the statement for so many appends.

    The most frequent ones are padded to a power of two: SQLite's module keeps a
    hundred statements prepared.
    """
    return _APPEND.format(rows=", ".join(["(?, ?, ?, ?, ?)"] * count))


async def append_all(
    db: aiosqlite.Connection, appends: Sequence[Append]
) -> list[Conflict | None]:
    """Append records to logs; see `RoomLog.append_all`."""
    statement = _one_statement(appends)
    if statement is not None:  # nearly always
        return await _outcomes(db, appends, await db.execute_fetchall(*statement))
    new = [room for room, expected, records in appends if records and not expected]
    if new:
        await db.execute(_CREATE, (json.dumps(new, ensure_ascii=False),))
    conflicts: list[Conflict | None] = []
    for part in _parts(appends):
        conflicts += await (_append if part[0].records else _compare)(db, part)
    return conflicts


def _parts(appends: Sequence[Append]) -> list[list[Append]]:
    """Split appends into statements: each room once, and empty appends apart."""
    parts: list[list[Append]] = []
    rooms: set[str] = set()
    for append in appends:
        together = parts and bool(append.records) == bool(parts[-1][0].records)
        if not together or append.room in rooms or len(rooms) == _MAX_ROWS:
            parts.append([])
            rooms = set()
        parts[-1].append(append)
        rooms.add(append.room)
    return parts


async def _append(
    db: aiosqlite.Connection, appends: Sequence[Append]
) -> list[Conflict | None]:
    """Append to different logs, which may be new."""
    values: list[object] = []
    for room, expected, records in appends:
        values += (room, expected, *_packed(records))
    statement = _append_statement(len(appends))
    return await _outcomes(db, appends, await db.execute_fetchall(statement, values))


async def _outcomes(
    db: aiosqlite.Connection, appends: Sequence[Append], stored: Iterable[sqlite3.Row]
) -> list[Conflict | None]:
    """Return the conflicts, given the numbers of the rooms that were appended to."""
    numbers = set(stored)
    if len(numbers) == len(appends):
        return [None] * len(appends)
    ends = await _ends(db, appends)
    conflicts: list[Conflict | None] = []
    for room, expected, _ in appends:
        number, actual = ends.get(room, (0, 0))
        stored_now = (number,) in numbers
        conflicts.append(None if stored_now else Conflict(room, expected, actual))
    return conflicts


async def _compare(
    db: aiosqlite.Connection, appends: Sequence[Append]
) -> list[Conflict | None]:
    """Compare the ends of logs without appending."""
    ends = await _ends(db, appends)
    conflicts: list[Conflict | None] = []
    for room, expected, _ in appends:
        _, actual = ends.get(room, (0, 0))
        conflict = None if actual == expected else Conflict(room, expected, actual)
        conflicts.append(conflict)
    return conflicts


async def _ends(
    db: aiosqlite.Connection, appends: Sequence[Append]
) -> dict[str, tuple[int, int]]:
    """Return the numbers of rooms, and where their logs end."""
    query = """
        SELECT code, number, records FROM room
        WHERE code IN (SELECT value FROM json_each(?))
        """
    codes = json.dumps([append.room for append in appends], ensure_ascii=False)
    found = await db.execute_fetchall(query, (codes,))
    return {code: (number, records) for code, number, records in found}


async def read(db: aiosqlite.Connection, room: str, after: int) -> list[bytes]:
    """Return a room's records after a position."""
    wanted = {"room": room, "after": after}
    appends = list(await db.execute_fetchall(CHAIN, wanted))
    found: list[bytes] = []
    skipped = 0
    for start, sizes, records, from_position in reversed(appends):
        if not found:
            skipped = max(0, from_position - start)
        at = 0
        for size in map(int, sizes.split(",")):
            found.append(records[at : at + size])
            at += size
    return found[skipped:]


async def length(db: aiosqlite.Connection, room: str) -> int:
    """Return the position at which a room's log ends."""
    query = "SELECT records FROM room WHERE code = ?"
    return int(await _value(db, query, (room,)) or 0)


async def rooms(db: aiosqlite.Connection) -> list[str]:
    """Return the rooms that have records."""
    query = "SELECT code FROM room WHERE records > 0 ORDER BY code"
    return [room for (room,) in await db.execute_fetchall(query)]


async def unremoved(db: aiosqlite.Connection, room: str) -> tuple[int, int]:
    """Return how many records a room and all other rooms have in the file."""
    query = """
        SELECT coalesce(sum(records - removed) FILTER (WHERE code = ?1), 0),
        coalesce(sum(records - removed) FILTER (WHERE code != ?1), 0) FROM room
        """
    ((own, others),) = await db.execute_fetchall(query, (room,))
    return own, others


async def trim(db: aiosqlite.Connection, room: str, position: int) -> None:
    """Remove a room's records up to a position, but not its last one.

    They stay on their pages, between those of other rooms, until they are swept.
    """
    update = (
        "UPDATE room SET removed = max(removed, min(?, records - 1)) WHERE code = ?"
    )
    await db.execute(update, (position, room))


async def drop(
    db: aiosqlite.Connection, room: str, now_ms: int, reserve_ms: int
) -> None:
    """Remove a room's log and reserve its code; see `RoomLog.drop`.

    Its records stay on their pages, between those of other rooms, until they are swept.
    """
    insert = "INSERT INTO room_to_drop VALUES (?, ?, ?)"
    await db.execute(insert, (room, now_ms, now_ms + reserve_ms))


async def sweep(
    reading: aiosqlite.Connection,
    writing: aiosqlite.Connection,
    after: int,
    rows: int = _SWEEP_ROWS,
) -> int | None:
    """Delete removed records in a stretch of the log.

    Args:
        reading: the reading connection.
        writing: the writing one.
        after: id of the append before the stretch, 0 for the first one.
        rows: how many appends to examine.

    Returns:
        The id after which to continue; None: this was the last stretch.
    """
    query = "SELECT id FROM log WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?"
    end: int | None = await _value(reading, query, (after, rows - 1))
    # One plain bound: with an OR in it, SQLite would walk on to the end of the log.
    delete = """
        DELETE FROM log WHERE id > ? AND id <= ? AND NOT EXISTS
        (SELECT 1 FROM room WHERE number = log.room AND removed < start + count)
        """
    await writing.execute(delete, (after, _LAST_ID if end is None else end))
    return end


async def reserved_codes(db: aiosqlite.Connection, now_ms: int) -> dict[str, int]:
    """Return the reserved codes and their remaining times; see `RoomLog`."""
    query = "SELECT room, until_ms - ? FROM resting WHERE until_ms > ?"
    found = await db.execute_fetchall(query, (now_ms, now_ms))
    return {str(room): int(ms) for room, ms in found}


async def prune(
    reading: aiosqlite.Connection, writing: aiosqlite.Connection, before_ms: int
) -> int:
    """Prune a few of the races that started before a time; return how many."""
    query = """
        SELECT id FROM race WHERE started_ms < ? AND pruned = 0
        ORDER BY started_ms LIMIT ?
        """
    found = await reading.execute_fetchall(query, (before_ms, _PRUNED_AT_ONCE))
    races = [race for (race,) in found]
    if races:
        insert = "INSERT INTO races_to_prune VALUES (?)"
        await writing.execute(insert, (json.dumps(races),))
    return len(races)


_SUMMARY = f"SELECT {SUMMARY} FROM race"  # noqa: S608 - a constant


async def select_races(
    db: aiosqlite.Connection,
    room: str | None,
    public_only: bool,
    limit: int,
    before: str | None,
) -> list[RaceSummary]:
    """Return summaries; see `Results.races`."""
    query = f"""
        {_SUMMARY} WHERE pruned = 0
        AND (:room IS NULL OR room = :room) AND (public OR NOT :public_only)
        AND (:before IS NULL OR (started_ms, id) <
            (SELECT started_ms, id FROM race WHERE id = :before))
        ORDER BY started_ms DESC, id DESC LIMIT :limit
        """  # noqa: S608 - a constant
    wanted = {
        "room": room,
        "public_only": public_only,
        "limit": limit,
        "before": before,
    }
    return await _summaries(db, await db.execute_fetchall(query, wanted))


async def select_race(db: aiosqlite.Connection, race: str) -> RaceSummary | None:
    """Return the summary of a race."""
    query = f"{_SUMMARY} WHERE id = ? AND pruned = 0"
    found = await _summaries(db, await db.execute_fetchall(query, (race,)))
    return found[0] if found else None


async def _summaries(
    db: aiosqlite.Connection, races: Iterable[sqlite3.Row]
) -> list[RaceSummary]:
    """Return the summaries of selected races."""
    query = f"""
        SELECT race, {ATTEMPT} FROM attempt
        WHERE race IN (SELECT value FROM json_each(?)) ORDER BY race, rank
        """  # noqa: S608 - a constant
    found = [*races]
    ids = json.dumps([race for race, *_ in found])
    return race_summaries(found, await db.execute_fetchall(query, (ids,)))


async def select_record(db: aiosqlite.Connection, race: str) -> bytes | None:
    """Return the record of a race."""
    query = "SELECT record FROM race WHERE id = ?"
    record: bytes | None = await _value(db, query, (race,))
    return record or None  # a pruned race has none


async def _value(
    db: aiosqlite.Connection, query: str, values: tuple[object, ...]
) -> Any:  # noqa: ANN401 - a column
    """Return the first column of the only row; None: no row."""
    return next((row[0] for row in await db.execute_fetchall(query, values)), None)
