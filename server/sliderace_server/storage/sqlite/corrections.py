"""Corrections by an operator: hide a profile, or compute bests again. Blocking."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sliderace_server.storage.folding import ATTEMPTS, counted

from .backup import opened
from .opening import open_database, reporting, transaction
from .storing import add_bests, remove_bests, set_tallies

__all__ = ["hide", "recount", "set_hidden"]

CACHE_KIB = 65_536
"""Pages of the new rows that are kept in memory until they are complete."""

_ALL = ATTEMPTS.format(which="profile IS NOT NULL")
_ONE = ATTEMPTS.format(which="profile = ?")
_HIDDEN = "SELECT id FROM profile WHERE hidden IS NOT NULL"
_SORT = """
INSERT INTO best SELECT * FROM counted
ORDER BY event, period, kind, input, value_ms, started_ms, profile
"""


def hide(database: Path, profile: str, reason: str | None) -> bool:
    """Hide a profile from all leaderboards, or show it again; a server may be running.

    Args:
        database: The database.
        profile: Id of the profile.
        reason: Why; None: show it.

    Returns:
        Whether there is such a profile.

    Raises:
        StoreRefused: There is no such database, or it cannot be written.
    """
    with reporting(f"cannot change {database}"), opened(database, "mode=rw") as db:
        return set_hidden(db, profile, reason)


def set_hidden(db: sqlite3.Connection, profile: str, reason: str | None) -> bool:
    """Do the same on a writing connection in autocommit mode."""
    with transaction(db):
        update = "UPDATE profile SET hidden = ? WHERE id = ?"
        known = db.execute(update, (reason, profile)).rowcount
        for _, event, _, bests in counted(db.execute(_ONE, (profile,))):
            remove_bests(db, event, profile, bests)
            if reason is None:
                add_bests(db, event, profile, bests)
    return bool(known)


def recount(database: Path) -> int:
    """Compute all tallies and bests again, in one transaction.

    Returns:
        How many attempts were counted.

    Raises:
        sqlite3.Error: The database cannot be written; nothing is changed.
    """
    with closing(open_database(database)) as db:
        db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        with transaction(db):
            return _recount(db)


def _recount(db: sqlite3.Connection) -> int:
    for table in ("tally", "best"):
        db.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
    # A table in the order of its key is written several times faster in that order.
    db.execute("CREATE TEMP TABLE counted AS SELECT * FROM best")
    hidden = {one for (one,) in db.execute(_HIDDEN)}
    count = 0
    for profile, event, tally, bests in counted(db.execute(_ALL)):
        count += tally.number
        set_tallies(db, [(profile, event, tally)])
        if profile not in hidden:
            add_bests(db, event, profile, bests, table="counted")
    db.execute(_SORT)
    db.execute("DROP TABLE counted")
    return count
