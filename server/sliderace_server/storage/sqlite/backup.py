"""A copy of the database while a server runs, and a copy put in its place. Blocking."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from sliderace_server.storage.ports import StoreHeld, StoreRefused

from .file_lock import Hold, flush_folder
from .schema import check, inspect, migrations

__all__ = ["backup", "restore"]

SIDE_FILES = ("-wal", "-shm", "")
"""What SQLite keeps beside a database; the database itself is moved last."""
WHOLE = "mode=ro&immutable=1"
"""How to read a file that nobody writes and nothing belongs to, on any medium."""


def backup(database: Path, target: Path) -> None:
    """Copy a database as it is at this moment; a server may be running on it.

    The copy is one whole file, checked, flushed, and for its owner's eyes only.

    Args:
        database: the database.
        target: where to; nothing may be there.

    Raises:
        StoreRefused: There is no such database, or the copy cannot be made; then
            nothing is left of it.
    """
    with _explained(f"cannot copy {database} to {target}"):
        if target.exists():
            raise StoreRefused("that file is there already")
        part = target.with_name(f"{target.name}.part")
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            # Not read-only: where no server runs, SQLite must make a log's index.
            with _reading(database, "mode=rw") as connection:
                connection.execute("VACUUM INTO ?", (str(part),))
            _finish(part, target)
        finally:
            part.unlink(missing_ok=True)


def restore(copy: Path, database: Path) -> None:
    """Put a backup in the place of a database; no server may be running on it.

    What was there is kept as `….replaced`, with all its parts.

    Args:
        copy: what `backup` made; it stays as it is.
        database: where the server looks for it; it need not exist.

    Raises:
        StoreHeld: A live server holds the database.
        StoreRefused: The backup is missing, damaged, or no backup; or what is to be
            replaced was replaced before, and still lies there. Nothing is changed.
    """
    with _explained(f"cannot put {copy} in the place of {database}"):
        with _reading(copy, WHOLE) as connection:
            check(connection)
        database = database.resolve()
        database.parent.mkdir(parents=True, exist_ok=True)
        held = Hold.take(database)
        try:
            _replace(copy, database)
            held.unclean = False
        finally:
            held.release()


def _replace(copy: Path, database: Path) -> None:
    part, aside = Path(f"{database}.part"), Path(f"{database}.replaced")
    if any(Path(f"{aside}{side}").exists() for side in SIDE_FILES):
        raise StoreRefused(f"{aside.name} is still there; move it elsewhere first")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        shutil.copyfile(copy, part)
        for side in SIDE_FILES:
            # A write-ahead log that is left behind would be played into the new file.
            old = Path(f"{database}{side}")
            if old.exists():
                old.replace(f"{aside}{side}")
        _finish(part, database)
    finally:
        part.unlink(missing_ok=True)


def _finish(part: Path, target: Path) -> None:
    """Flush a copy, look whether it is whole, and give it its name."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    with _reading(part, WHOLE) as connection:
        check(connection)
    part.replace(target)
    flush_folder(target.parent)


@contextmanager
def _reading(path: Path, how: str) -> Generator[sqlite3.Connection, None, None]:
    """A connection to a database of ours."""
    if not path.is_file():
        raise StoreRefused(f"there is no file {path.name}")
    uri = f"{path.resolve().as_uri()}?{how}"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        if not inspect(connection, len(migrations())):
            raise StoreRefused(f"{path.name} is empty")
        yield connection


@contextmanager
def _explained(what: str) -> Generator[None, None, None]:
    """Say in one line what could not be done, and why."""
    try:
        yield
    except StoreHeld:
        raise
    except (StoreRefused, sqlite3.Error) as error:
        raise StoreRefused(f"{what}: {error}") from error
    except OSError as error:
        raise StoreRefused(f"{what}: {error.strerror}") from error
