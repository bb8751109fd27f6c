"""What the SQLite store reads and writes: functions of a connection, without asyncio.

Writing functions expect an open transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from functools import cache

from sliderace_server.storage.ports import (
    Append,
    AttemptRow,
    Conflict,
    RaceSummary,
    StoredRace,
)

__all__ = [
    "Refusal",
    "append_all",
    "drop",
    "insert_race",
    "length",
    "read",
    "resting",
    "rooms",
    "select_races",
    "select_record",
    "sweep",
    "trim",
]


class Refusal(ValueError):
    """A job cannot be done, and has changed nothing: others may still be committed."""


ENDS = """
SELECT coalesce((SELECT max(id) FROM log), 0),
    json_group_array(json_array(key, number, records, last))
FROM json_each(?) LEFT JOIN room ON code = value
"""
"""The last append of all, and where the logs of several rooms end, in any order."""
INTO_LOG = "INSERT INTO log VALUES {rows}"
INTO_ROOM = """
INSERT INTO room (number, code, records, last) VALUES {rows}
ON CONFLICT (number) DO UPDATE SET records = excluded.records, last = excluded.last
"""

CHAIN = """
WITH RECURSIVE chain (id, before, start, sizes, records) AS (
    SELECT id, before, start, sizes, log.records FROM room JOIN log ON id = last
    WHERE code = :room
    UNION ALL
    SELECT log.id, log.before, log.start, log.sizes, log.records
    FROM chain JOIN log ON log.id = chain.before WHERE chain.start > :after
)
SELECT start, sizes, records FROM chain
"""
"""A room's appends, the last one first, back to the one that holds a position."""

CHUNKS = (64, 32, 16, 8, 4, 2, 1)
"""Rows of one statement: few kinds of it, so that SQLite keeps them all, and few
statements for any number of rows."""

SWEEP_ROWS = 1_000
"""Appends looked at in one job: about a millisecond of work."""
LAST_ID = (1 << 63) - 1
"""No row has a greater one."""


def append_all(
    connection: sqlite3.Connection, appends: Sequence[Append]
) -> list[Conflict | None]:
    """Add records to the logs of several rooms; see `RoomLog.append_all`.

    The lengths are asked of the file itself, inside the transaction: this is the whole
    compare-and-set, and after a failed commit there is no belief to correct.
    """
    rooms = json.dumps([append.room for append in appends])
    conflicts: list[Conflict | None] = []
    rows: list[tuple[int, int, int | None, int, int, str, bytes]] = []
    ends: dict[str, tuple[int, str, int, int]] = {}
    last, known = connection.execute(ENDS, (rooms,)).fetchone()
    for (room, expected, records), end in zip(appends, _sorted(known), strict=True):
        # Twice in one call: the second one stands behind the first.
        now = ends.get(room)
        number, length, before = (now[0], *now[2:]) if now else end[1:]
        if (length or 0) != expected:
            conflicts.append(Conflict(room, expected, length or 0))
            continue
        conflicts.append(None)
        if not records:
            continue
        last += 1
        count = len(records)
        number = number or _new_room(connection, room, count, last)
        sizes = ",".join([str(len(record)) for record in records])
        rows.append((last, number, before, expected, count, sizes, b"".join(records)))
        ends[room] = (number, room, expected + count, last)
    _insert_rows(connection, INTO_LOG, rows)
    _insert_rows(connection, INTO_ROOM, list(ends.values()))
    return conflicts


def _sorted(known: str) -> list[tuple[int, int | None, int | None, int | None]]:
    """Place in the question, number, records, last append: in the question's order."""
    return sorted(json.loads(known))


def _new_room(
    connection: sqlite3.Connection, code: str, records: int, last: int
) -> int:
    insert = "INSERT INTO room (code, records, last) VALUES (?, ?, ?)"
    return connection.execute(insert, (code, records, last)).lastrowid or 0


def _insert_rows(
    connection: sqlite3.Connection, statement: str, rows: Sequence[tuple[object, ...]]
) -> None:
    """Insert rows with few calls.

    Each call lets go of Python's lock, and where the loop takes it meanwhile, it keeps
    it for up to 5 ms: `executemany`, which does so for each row, made commits slow.
    """
    at = 0
    for size in CHUNKS:
        while len(rows) - at >= size:
            values = [value for row in rows[at : at + size] for value in row]
            connection.execute(_filled(statement, size, len(rows[at])), values)
            at += size


@cache
def _filled(statement: str, rows: int, columns: int) -> str:
    """An `INSERT` with the places of so many rows."""
    places = ", ".join([f"({', '.join('?' * columns)})"] * rows)
    return statement.format(rows=places)


def read(connection: sqlite3.Connection, room: str, after: int) -> list[bytes]:
    """Return a room's records behind the first `after`."""
    found: list[bytes] = []
    query = "SELECT removed FROM room WHERE code = ?"
    removed = connection.execute(query, (room,)).fetchone()
    after = max(after, removed[0] if removed else 0)
    appends = connection.execute(CHAIN, {"room": room, "after": after}).fetchall()
    start = appends[-1][0] if appends else 0
    for _, sizes, records in reversed(appends):
        at = 0
        for size in map(int, sizes.split(",")):
            found.append(records[at : at + size])
            at += size
    return found[max(0, after - start) :]


def length(connection: sqlite3.Connection, room: str) -> int:
    """Return where a room's log ends; see `RoomLog.length`."""
    query = "SELECT records FROM room WHERE code = ?"
    row = connection.execute(query, (room,)).fetchone()
    return row[0] if row else 0


def trim(connection: sqlite3.Connection, room: str, position: int) -> int:
    """Remove a room's records up to a position; see `RoomLog.trim`.

    They stay on their pages, among those of others, until they are swept away.

    Returns:
        How many they are.
    """
    query = "SELECT removed, min(?, records - 1) FROM room WHERE code = ?"
    row = connection.execute(query, (position, room)).fetchone()
    if row is None or row[1] <= row[0]:
        return 0
    update = "UPDATE room SET removed = ? WHERE code = ?"
    connection.execute(update, (row[1], room))
    return int(row[1] - row[0])


def rooms(connection: sqlite3.Connection) -> list[str]:
    """Return the rooms that have records."""
    query = "SELECT code FROM room ORDER BY code"
    return [room for (room,) in connection.execute(query)]


def drop(
    connection: sqlite3.Connection, room: str, now_ms: int, rest_ms: int
) -> tuple[int, int]:
    """Remove a room's log, and let its code rest; see `RoomLog.drop`.

    Its records stay on their pages, among those of others, until they are swept away.

    Returns:
        How many they are, and how many records all other rooms have.
    """
    query = "SELECT coalesce(sum(records - removed), 0) FROM room"
    row = connection.execute(f"{query} WHERE code = ?", (room,)).fetchone()
    connection.execute("DELETE FROM room WHERE code = ?", (room,))
    (others,) = connection.execute(query).fetchone()
    connection.execute("DELETE FROM resting WHERE until_ms <= ?", (now_ms,))
    if rest_ms:
        insert = "INSERT OR REPLACE INTO resting VALUES (?, ?)"
        connection.execute(insert, (room, now_ms + rest_ms))
    return row[0], others


def sweep(
    connection: sqlite3.Connection, after: int, rows: int = SWEEP_ROWS
) -> int | None:
    """Remove what dropped rooms left, in a stretch of the log.

    Args:
        connection: in a transaction.
        after: id of the append before the stretch, 0 for the first one.
        rows: how many appends to look at.

    Returns:
        Behind which id to go on; None: this was the last stretch.
    """
    query = "SELECT id FROM log WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?"
    row = connection.execute(query, (after, rows - 1)).fetchone()
    end = row[0] if row else None
    # One plain bound: with an OR in it, SQLite would walk on to the end of the log.
    dead = """
        DELETE FROM log WHERE id > ? AND id <= ? AND NOT EXISTS
        (SELECT 1 FROM room WHERE number = log.room AND removed < start + count)
        """
    connection.execute(dead, (after, LAST_ID if end is None else end))
    return end


def resting(connection: sqlite3.Connection, now_ms: int) -> dict[str, int]:
    """Return the codes that rest, and how long; see `RoomLog.resting`."""
    query = "SELECT room, until_ms - ? FROM resting WHERE until_ms > ?"
    return dict(connection.execute(query, (now_ms, now_ms)))


def insert_race(connection: sqlite3.Connection, race: StoredRace) -> None:
    """Store a race unless its id is there.

    Raises:
        Refusal: It breaks a rule of the tables; nothing is changed.
    """
    connection.execute("SAVEPOINT race")
    try:
        _insert(connection, race)
    except (sqlite3.IntegrityError, OverflowError, UnicodeError) as error:
        connection.execute("ROLLBACK TO race")
        raise Refusal(f"race {race.summary.id!r}: {error}") from error
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
