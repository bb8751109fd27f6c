"""Delete old races and make the database file smaller. Blocking."""

import json
import sqlite3
from contextlib import suppress
from pathlib import Path

from .backup import opened
from .file_lock import FileLock
from .opening import reporting
from .schema import migrate, migrations

__all__ = ["prune", "shrink"]

FREE_SHARE = 4
"""A file of which one page in four is free is rewritten at the next start."""
FREE_PAGES = 2_500
"""But not for less than ten megabytes."""


def prune(database: Path, before_ms: int) -> int:
    """Delete the races that started before a time, and shrink the file.

    Args:
        database: The database; no server may be using it.
        before_ms: Unix time in ms.

    Returns:
        How many races were deleted.

    Raises:
        StoreHeld: A running server uses the database.
        StoreRefused: There is no such database, or it cannot be written.
    """
    with reporting(f"cannot prune {database}"):
        lock = FileLock.acquire(database.resolve())
        try:
            with opened(database, "mode=rw") as connection:
                connection.execute("PRAGMA foreign_keys = ON")
                migrate(connection, migrations())
                old = "SELECT id FROM race WHERE started_ms < ? AND pruned = 0"
                races = [race for (race,) in connection.execute(old, (before_ms,))]
                insert = "INSERT INTO races_to_prune VALUES (?)"
                connection.execute(insert, (json.dumps(races),))
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            lock.release()
    return len(races)


def shrink(connection: sqlite3.Connection) -> None:
    """Rewrite a database if much of its file is free.

    Args:
        connection: A writing connection in autocommit mode.

    Nothing happens if the disk has no space for a copy.
    """
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    if free > max(FREE_PAGES, pages // FREE_SHARE):
        with suppress(sqlite3.OperationalError):
            connection.execute("VACUUM")
