"""The queries of the SQLite store: functions of a connection, without asyncio.

Writing functions expect an open transaction.
"""

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
    "reserved_codes",
    "rooms",
    "select_races",
    "select_record",
    "sweep",
    "trim",
]


class Refusal(ValueError):
    """A job failed and has changed nothing; other jobs may still be committed."""


ENDS = """
SELECT coalesce((SELECT max(id) FROM log), 0),
    json_group_array(json_array(key, number, records, last))
FROM json_each(?) LEFT JOIN room ON code = value
"""
"""Selects the id of the last append, and the ends of several rooms' logs in any order.
"""
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
"""Selects a room's appends, the last one first, back to the one with a position."""

CHUNKS = (64, 32, 16, 8, 4, 2, 1)
"""Rows per statement: few different statements, so that SQLite caches all of them, and
few calls for any number of rows."""

SWEEP_ROWS = 1_000
"""Appends that one job of a sweep checks: about a millisecond of work."""
LAST_ID = (1 << 63) - 1
"""The greatest id that SQLite supports."""


def append_all(
    connection: sqlite3.Connection, appends: Sequence[Append]
) -> list[Conflict | None]:
    """Append records to several logs; see `RoomLog.append_all`.

    The lengths are read inside the transaction. That is the whole compare-and-set: no
    cached length could be wrong after a failed commit.
    """
    rooms = json.dumps([append.room for append in appends])
    conflicts: list[Conflict | None] = []
    rows: list[tuple[int, int, int | None, int, int, str, bytes]] = []
    ends: dict[str, tuple[int, str, int, int]] = {}
    last, known = connection.execute(ENDS, (rooms,)).fetchone()
    for (room, expected, records), end in zip(appends, _sorted(known), strict=True):
        # If a room is twice in one call, its second append follows the first.
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
    """Return index, room number, records and last append, in the order requested."""
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

    Each call releases Python's lock, and the event loop may then hold it for up to
    5 ms. `executemany` does so for each row, which made commits slow.
    """
    at = 0
    for size in CHUNKS:
        while len(rows) - at >= size:
            values = [value for row in rows[at : at + size] for value in row]
            connection.execute(_with_rows(statement, size, len(rows[at])), values)
            at += size


@cache
def _with_rows(statement: str, rows: int, columns: int) -> str:
    """Return an `INSERT` with placeholders for this many rows."""
    placeholders = ", ".join([f"({', '.join('?' * columns)})"] * rows)
    return statement.format(rows=placeholders)


def read(connection: sqlite3.Connection, room: str, after: int) -> list[bytes]:
    """Return a room's records after position `after`; see `RoomLog.read`."""
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

    They stay in the file until `sweep` deletes them.

    Returns:
        Their number.
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
    connection: sqlite3.Connection, room: str, now_ms: int, reserve_ms: int
) -> tuple[int, int]:
    """Remove a room's log, and reserve its code; see `RoomLog.drop`.

    Its records stay in the file until `sweep` deletes them.

    Returns:
        Their number, and the number of records of all other rooms.
    """
    query = "SELECT coalesce(sum(records - removed), 0) FROM room"
    row = connection.execute(f"{query} WHERE code = ?", (room,)).fetchone()
    connection.execute("DELETE FROM room WHERE code = ?", (room,))
    (others,) = connection.execute(query).fetchone()
    connection.execute("DELETE FROM resting WHERE until_ms <= ?", (now_ms,))
    if reserve_ms:
        insert = "INSERT OR REPLACE INTO resting VALUES (?, ?)"
        connection.execute(insert, (room, now_ms + reserve_ms))
    return row[0], others


def sweep(
    connection: sqlite3.Connection, after: int, rows: int = SWEEP_ROWS
) -> int | None:
    """Delete removed records in one chunk of the log.

    Args:
        connection: In a transaction.
        after: Id of the append before the chunk; 0 for the first chunk.
        rows: How many appends to check.

    Returns:
        `after` for the next chunk; None: this was the last one.
    """
    query = "SELECT id FROM log WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?"
    row = connection.execute(query, (after, rows - 1)).fetchone()
    end = row[0] if row else None
    # A simple upper bound: with an OR, SQLite would scan to the end of the log.
    dead = """
        DELETE FROM log WHERE id > ? AND id <= ? AND NOT EXISTS
        (SELECT 1 FROM room WHERE number = log.room AND removed < start + count)
        """
    connection.execute(dead, (after, LAST_ID if end is None else end))
    return end


def reserved_codes(connection: sqlite3.Connection, now_ms: int) -> dict[str, int]:
    """Return the reserved codes, and how long; see `RoomLog.reserved_codes`."""
    query = "SELECT room, until_ms - ? FROM resting WHERE until_ms > ?"
    return dict(connection.execute(query, (now_ms, now_ms)))


def insert_race(connection: sqlite3.Connection, race: StoredRace) -> None:
    """Store a race, unless its id is stored already.

    Raises:
        Refusal: It violates a constraint of the tables; nothing is changed.
    """
    connection.execute("SAVEPOINT race")
    try:
        _insert(connection, race)
    except (sqlite3.IntegrityError, OverflowError, UnicodeError) as error:
        connection.execute("ROLLBACK TO race")
        raise Refusal(f"race {race.summary.id!r}: {error}") from error
    finally:
        if connection.in_transaction:  # a full disk aborts the whole transaction
            connection.execute("RELEASE race")


def _insert(connection: sqlite3.Connection, race: StoredRace) -> None:
    """Insert the rows of a new race."""
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
    """Return summaries; see `Results.races`."""
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
    """Return the attempts of a race."""
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
    """Return a race record."""
    query = "SELECT record FROM race WHERE id = ?"
    row = connection.execute(query, (race,)).fetchone()
    return None if row is None else row[0]
