"""Open a database, change it in one transaction, and report errors. Blocking."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sliderace_server.storage.ports import StoreHeld, StoreRefused

__all__ = ["open_database", "reporting", "transaction"]

BUSY_S = 5.0
"""How long to wait for another program that writes to the file."""


def open_database(path: Path, options: str = "mode=rw") -> sqlite3.Connection:
    """Open a database in autocommit mode.

    Args:
        path: The database.
        options: The options in SQLite's URI.

    Raises:
        sqlite3.Error: There is none, or it cannot be opened.
    """
    uri = f"{path.resolve().as_uri()}?{options}"
    return sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None)


@contextmanager
def transaction(db: sqlite3.Connection) -> Generator[None, None, None]:
    """Make all changes within it, or none."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        db.rollback()  # no effect after the COMMIT


@contextmanager
def reporting(what: str) -> Generator[None, None, None]:
    """Convert errors to `StoreRefused` with one line: what failed, and why."""
    try:
        yield
    except StoreHeld:
        raise
    except (StoreRefused, sqlite3.Error) as error:
        raise StoreRefused(f"{what}: {error}") from error
    except OSError as error:
        raise StoreRefused(f"{what}: {error.strerror}") from error
