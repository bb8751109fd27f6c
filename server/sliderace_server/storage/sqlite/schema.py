"""The database schema: numbered migrations, and checks of a file.

`migrations/NNNN_what.sql` upgrades a database from version NNNN - 1 to NNNN; the
version is the file's `user_version`. A released migration never changes.
"""

import sqlite3
from collections.abc import Iterator
from importlib import resources

from sliderace_server.storage.ports import StoreRefused

from .opening import transaction

__all__ = ["APPLICATION_ID", "check", "inspect", "migrate", "migrations", "statements"]

APPLICATION_ID = int.from_bytes(b"SlRc")
"""In the file's header; `file` and SQLite's tools show it."""

_GAPS = """
SELECT code FROM room LEFT JOIN log ON log.id = last
WHERE room.records > 0
AND (log.room IS NOT number OR log.start + log.count IS NOT room.records)
UNION ALL
SELECT code FROM room JOIN log AS one ON one.room = number
LEFT JOIN log AS other ON other.id = one.before
WHERE one.start > {removed}
AND (other.room IS NOT number OR other.start + other.count IS NOT one.start)
UNION ALL
SELECT code FROM room JOIN log ON log.room = number
WHERE log.start + log.count > {removed}
GROUP BY number HAVING sum(log.count) != room.records - min(log.start)
UNION ALL
SELECT code FROM room JOIN log ON log.room = number
WHERE NOT json_valid('[' || sizes || ']') OR (log.count, length(log.records)) IS NOT
    (SELECT count(*), total(value) FROM json_each('[' || sizes || ']'))
LIMIT 1
"""
"""Selects a damaged room: its last append is not the one in its row, an append does not
start where the previous one ends, there are appends outside this chain, or an append
does not have as many records or bytes as it says. Removed
records may be missing."""
GAPS = (
    ("removed", _GAPS.format(removed="removed")),
    ("number", _GAPS.format(removed="0")),
)
"""A column of `room` -> the query for databases that have it: the database of a crashed
server may be older than this release."""
OLD_GAPS = "SELECT room FROM log GROUP BY room HAVING count(*) != max(position)"
"""The same for databases before migration 3."""


def migrations() -> list[str]:
    """Return the SQL of all migrations, starting with the one to version 1.

    Raises:
        ValueError: The file names are not numbered 1, 2, 3 ...
    """
    folder = resources.files("sliderace_server.storage.sqlite") / "migrations"
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")),
        key=lambda file: file.name,
    )
    numbers = [int(file.name.partition("_")[0]) for file in files]
    if numbers != list(range(1, len(files) + 1)):
        raise ValueError(f"migrations are numbered {numbers}")
    return [file.read_text(encoding="utf-8") for file in files]


def statements(script: str) -> Iterator[str]:
    """Split an SQL script into statements; `executescript` would commit in between.

    Raises:
        ValueError: The last statement is incomplete.
    """
    statement = ""
    *parts, rest = script.split(";")
    for part in parts:
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement or rest.strip():
        raise ValueError(f"incomplete statement: {statement + rest!r}")


def inspect(connection: sqlite3.Connection, newest: int) -> int:
    """Return the version of a database, 0 if it is empty.

    Args:
        connection: Any connection to it; nothing is written.
        newest: The latest version that this program knows.

    Raises:
        StoreRefused: It belongs to another program, or its version is newer.
        sqlite3.Error: It cannot be read, or is not a database.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if owner != APPLICATION_ID and (owner or version or tables):
        raise StoreRefused("it is the database of another program")
    if version > newest:
        raise StoreRefused(
            f"a newer sliderace wrote it: its version is {version}, "
            f"this program supports up to {newest}"
        )
    return int(version)


def check(connection: sqlite3.Connection) -> None:
    """Check a database for damage: every page, and every room's log.

    This reads the whole file.

    Raises:
        StoreRefused: The database is damaged.
        sqlite3.Error: It cannot be read.
    """
    (verdict, *_) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    gaps = OLD_GAPS if _columns(connection, "log") else "SELECT 1 WHERE false"
    columns = _columns(connection, "room")
    gaps = next((query for column, query in GAPS if column in columns), gaps)
    if verdict == "ok" and (row := connection.execute(gaps).fetchone()):
        verdict = f"records of room {row[0]} are missing"
    if verdict == "ok" and connection.execute("PRAGMA foreign_key_check").fetchone():
        verdict = "a race is missing"
    if verdict != "ok":
        damage = " ".join(verdict.split())
        raise StoreRefused(f"it is damaged: {damage}; restore a backup")


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    query = "SELECT name FROM pragma_table_info(?)"
    return {name for (name,) in connection.execute(query, (table,))}


def migrate(connection: sqlite3.Connection, scripts: list[str]) -> None:
    """Upgrade a database to the newest version, or leave it unchanged.

    Args:
        connection: A writing connection in autocommit mode.
        scripts: All migrations, see `migrations`.

    Raises:
        StoreRefused: See `inspect`.
        sqlite3.Error: A migration failed; nothing is changed.
    """
    with transaction(connection):
        version = inspect(connection, len(scripts))
        for number, script in enumerate(scripts[version:], version + 1):
            for statement in statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
