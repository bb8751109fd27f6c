"""Backup of a database, also while a server runs, and restore. Blocking."""

import os
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from sliderace_server.storage.ports import StoreRefused

from .file_lock import FileLock, flush_folder
from .log_files import collect, log_files
from .opening import open_database, reporting
from .schema import check, inspect, migrations

__all__ = ["backup", "opened", "restore"]

FILE_SUFFIXES = ("-wal", "-shm", "")
"""The files of a database; the database itself is moved last."""
STANDALONE = "mode=ro&immutable=1"
"""How to open a file that nobody writes and that has no write-ahead log."""


def backup(database: Path, target: Path) -> None:
    """Copy a database as it is now; a server may be using it.

    The copy is a single file, checked, flushed, and readable only by its owner. It also
    contains the logs that worker processes have in other files.

    Args:
        database: The database.
        target: The copy; must not exist.

    Raises:
        StoreRefused: There is no such database, or the copy failed; then no copy is
            left behind.
    """
    with reporting(f"cannot copy {database} to {target}"):
        if target.exists():
            raise StoreRefused("that file exists already")
        part = target.with_name(f"{target.name}.part")
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            # Not read-only: if no server runs, SQLite must create the log's index.
            with opened(database, "mode=rw") as connection:
                connection.execute("VACUUM INTO ?", (str(part),))
            for file in log_files(database):
                _add_logs(file, part)
            _finish(part, target)
        finally:
            part.unlink(missing_ok=True)


def _add_logs(file: Path, part: Path) -> None:
    """Add the logs in a worker's file to the copy of its database."""
    logs = part.with_name(f"{part.name}.logs")
    os.close(os.open(logs, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        with opened(file, "mode=rw") as connection:
            connection.execute("VACUUM INTO ?", (str(logs),))
        collect(logs, part, 0, 1)
    finally:
        logs.unlink(missing_ok=True)


def restore(copy: Path, database: Path) -> None:
    """Replace a database with a backup; no server may be using it.

    The old database is kept as `….replaced`, with all its files.

    Args:
        copy: A file made by `backup`; it is not changed.
        database: The database; need not exist.

    Raises:
        StoreHeld: A running server uses the database.
        StoreRefused: The backup is missing or damaged, or `….replaced` already exists.
            Nothing is changed.
    """
    with reporting(f"cannot replace {database} with {copy}"):
        with opened(copy, STANDALONE) as connection:
            check(connection)
        database = database.resolve()
        database.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock.acquire(database)
        try:
            _replace(copy, database)
            lock.unclean = False
        finally:
            lock.release()


def _replace(copy: Path, database: Path) -> None:
    part, replaced = Path(f"{database}.part"), Path(f"{database}.replaced")
    if any(Path(f"{replaced}{suffix}").exists() for suffix in FILE_SUFFIXES):
        raise StoreRefused(f"{replaced.name} exists already; move it elsewhere first")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        shutil.copyfile(copy, part)
        # SQLite would apply an old write-ahead log to the new file, and the rooms of
        # workers would come back with the next start.
        for one in (*log_files(database), database):
            end = one.name.removeprefix(database.name)
            for suffix in FILE_SUFFIXES:
                old = Path(f"{one}{suffix}")
                if old.exists():
                    old.replace(f"{replaced}{end}{suffix}")
        _finish(part, database)
    finally:
        part.unlink(missing_ok=True)


def _finish(part: Path, target: Path) -> None:
    """Flush a copy, check it, and give it its name."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    with opened(part, STANDALONE) as connection:
        check(connection)
    part.replace(target)
    flush_folder(target.parent)


@contextmanager
def opened(path: Path, options: str) -> Generator[sqlite3.Connection, None, None]:
    """Open a database of this program."""
    if not path.is_file():
        raise StoreRefused(f"there is no file {path.name}")
    with closing(open_database(path, options)) as connection:
        if not inspect(connection, len(migrations())):
            raise StoreRefused(f"{path.name} is empty")
        yield connection
