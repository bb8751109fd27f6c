"""What the SQLite store reads and writes: functions of a connection, without asyncio.

Writing functions expect an open transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from .ports import Append, AttemptRow, Conflict, RaceSummary, StoredRace

__all__ = [
    "append_all",
    "drop",
    "insert_race",
    "read",
    "resting",
    "rooms",
    "select_races",
    "select_record",
]


LENGTHS = """
SELECT (SELECT max(position) FROM log WHERE room = value) FROM json_each(?)
"""
"""The lengths of several logs, in one statement, each by one look into the index."""


def append_all(
    connection: sqlite3.Connection, appends: Sequence[Append]
) -> list[Conflict | None]:
    """Add records to the logs of several rooms; see `RoomLog.append_all`.

    The lengths are asked of the file itself, inside the transaction: this is the whole
    compare-and-set, and after a failed commit there is no belief to correct.
    """
    rooms = json.dumps([append.room for append in appends])
    conflicts: list[Conflict | None] = []
    rows: list[tuple[str, int, bytes]] = []
    lengths = connection.execute(LENGTHS, (rooms,))
    for (room, expected, records), (length,) in zip(appends, lengths, strict=True):
        if (length or 0) != expected:
            conflicts.append(Conflict(room, expected, length or 0))
            continue
        conflicts.append(None)
        rows += [(room, n, record) for n, record in enumerate(records, expected + 1)]
    connection.executemany("INSERT INTO log VALUES (?, ?, ?)", rows)
    return conflicts


def read(connection: sqlite3.Connection, room: str, after: int) -> list[bytes]:
    """Return a room's records behind the first `after`."""
    query = "SELECT record FROM log WHERE room = ? AND position > ? ORDER BY position"
    return [record for (record,) in connection.execute(query, (room, after))]


def rooms(connection: sqlite3.Connection) -> list[str]:
    """Return the rooms that have records."""
    query = "SELECT DISTINCT room FROM log ORDER BY room"
    return [room for (room,) in connection.execute(query)]


def drop(connection: sqlite3.Connection, room: str, now_ms: int, rest_ms: int) -> None:
    """Remove a room's log, and let its code rest; see `RoomLog.drop`."""
    connection.execute("DELETE FROM log WHERE room = ?", (room,))
    connection.execute("DELETE FROM resting WHERE until_ms <= ?", (now_ms,))
    if rest_ms:
        insert = "INSERT OR REPLACE INTO resting VALUES (?, ?)"
        connection.execute(insert, (room, now_ms + rest_ms))


def resting(connection: sqlite3.Connection, now_ms: int) -> dict[str, int]:
    """Return the codes that rest, and how long; see `RoomLog.resting`."""
    query = "SELECT room, until_ms - ? FROM resting WHERE until_ms > ?"
    return dict(connection.execute(query, (now_ms, now_ms)))


def insert_race(connection: sqlite3.Connection, race: StoredRace) -> None:
    """Store a race unless its id is there.

    Raises:
        ValueError: It breaks a rule of the tables; nothing is changed.
    """
    connection.execute("SAVEPOINT race")
    try:
        _insert(connection, race)
    except (sqlite3.IntegrityError, OverflowError, UnicodeError) as error:
        connection.execute("ROLLBACK TO race")
        raise ValueError(f"race {race.summary.id!r}: {error}") from error
    finally:
        if connection.in_transaction:  # a full disk ends the whole transaction
            connection.execute("RELEASE race")


def _insert(connection: sqlite3.Connection, race: StoredRace) -> None:
    """Write a new race's rows."""
    s = race.summary
    row = (s.id, s.room, s.started_ms, s.size, s.public, race.record)
    insert = "INSERT INTO race VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"
    if not connection.execute(insert, row).rowcount:
        return
    rows = [
        (s.id, a.seat, n, a.name, a.bot, a.status, a.place, a.time_ms, a.stm, a.mtm)
        for n, a in enumerate(s.attempts)
    ]
    insert = "INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    connection.executemany(insert, rows)


def select_races(
    connection: sqlite3.Connection,
    room: str | None,
    public_only: bool,
    limit: int,
    before: str | None,
) -> list[RaceSummary]:
    """Find summaries; see `Results.races`."""
    query = """
        SELECT id, room, started_ms, size, public FROM race
        WHERE (:room IS NULL OR room = :room) AND (public OR NOT :public_only)
        AND (:before IS NULL OR (started_ms, id) <
            (SELECT started_ms, id FROM race WHERE id = :before))
        ORDER BY started_ms DESC, id DESC LIMIT :limit
        """
    wanted = {
        "room": room,
        "public_only": public_only,
        "limit": limit,
        "before": before,
    }
    return [
        RaceSummary(race, code, ms, size, bool(public), _attempts(connection, race))
        for race, code, ms, size, public in connection.execute(query, wanted)
    ]


def _attempts(connection: sqlite3.Connection, race: str) -> tuple[AttemptRow, ...]:
    """Read the lines of one race."""
    query = """
        SELECT seat, name, status, place, time_ms, stm, mtm, bot FROM attempt
        WHERE race = ? ORDER BY rank
        """
    rows = connection.execute(query, (race,))
    return tuple(
        AttemptRow(seat, name, status, place, time_ms, stm, mtm, bool(bot))
        for seat, name, status, place, time_ms, stm, mtm, bot in rows
    )


def select_record(connection: sqlite3.Connection, race: str) -> bytes | None:
    """Return the record of a race."""
    query = "SELECT record FROM race WHERE id = ?"
    row = connection.execute(query, (race,)).fetchone()
    return None if row is None else row[0]
