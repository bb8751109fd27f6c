"""The logs of rooms: one file per worker process, next to the database. Blocking.

With one process, all logs are in the database itself.
"""

import re
import sqlite3
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path

from sliderace_server.storage.placement import worker_of
from sliderace_server.storage.ports import StoreRefused

from .opening import open_database, transaction
from .queries import CHAIN

__all__ = ["collect", "distribute", "log_file", "log_files"]

SUFFIXES = ("", "-wal", "-shm", ".lock")
"""The endings of the files of a database."""


def log_file(database: Path, worker: int, workers: int) -> Path:
    """Return the file with the logs of a worker's rooms.

    Args:
        database: the database.
        worker: index of the worker.
        workers: how many there are.
    """
    return database if workers == 1 else Path(f"{database}.worker-{worker}")


def log_files(database: Path) -> list[Path]:
    """Return the files of all workers that exist, also of earlier runs."""
    name = re.compile(rf"{re.escape(database.name)}\.worker-\d+")
    return [file for file in database.parent.iterdir() if name.fullmatch(file.name)]


def distribute(database: Path, workers: int, prepare: Callable[[Path], None]) -> None:
    """Move each room's log to the file of its worker, as their number may have changed.

    A log is copied and committed first, then deleted from its old file. After a crash
    it may be in both files, but the two are equal, because no room runs meanwhile.

    Args:
        database: the database; no other process may be using it.
        workers: how many workers there will be.
        prepare: makes a file a database of this release.

    Raises:
        StoreRefused: a file cannot be used.
        sqlite3.Error: a file cannot be read or written; call it again.
    """
    files = [log_file(database, worker, workers) for worker in range(workers)]
    sources = log_files(database)
    if workers > 1:
        sources = [database, *sources]
        sources += [file for file in files if file not in sources]
    for file in sources:
        if file != database:
            with _naming(file):
                prepare(file)
    for source in sources:
        for worker, target in enumerate(files):
            if source != target:
                collect(source, target, worker, workers)
        if source not in (database, *files):  # empty now
            for suffix in SUFFIXES:
                Path(f"{source}{suffix}").unlink(missing_ok=True)


@contextmanager
def _naming(file: Path) -> Generator[None, None, None]:
    """Add the file's name to errors, which otherwise seem to be the database's."""
    try:
        yield
    except (StoreRefused, sqlite3.Error) as error:
        raise StoreRefused(f"{file.name}: {error}") from error


def collect(source: Path, target: Path, worker: int, workers: int) -> None:
    """Move the logs and the reserved codes of a worker's rooms to another file."""
    with (
        closing(open_database(source)) as old,
        closing(open_database(target)) as new,
    ):
        _move(old, new, worker, workers)


def _move(
    old: sqlite3.Connection, new: sqlite3.Connection, worker: int, workers: int
) -> None:
    """See `collect`."""
    query = "SELECT code, number, removed FROM room"
    rooms = [one for one in old.execute(query) if worker_of(one[0], workers) == worker]
    query = "SELECT room, until_ms FROM resting"
    codes = [one for one in old.execute(query) if worker_of(one[0], workers) == worker]
    if not (rooms or codes):
        return
    with transaction(new):
        there = {code for (code,) in new.execute("SELECT code FROM room")}
        for code, _, removed in rooms:
            if code not in there:
                chain = old.execute(CHAIN, {"room": code, "after": 0}).fetchall()
                _copy(new, code, removed, reversed(chain))
        new.executemany("INSERT OR REPLACE INTO resting VALUES (?, ?)", codes)
    with transaction(old):
        rests = [one[:1] for one in codes]
        old.executemany("DELETE FROM log WHERE room = ?", [one[1:2] for one in rooms])
        old.executemany("DELETE FROM room WHERE code = ?", [one[:1] for one in rooms])
        old.executemany("DELETE FROM resting WHERE room = ?", rests)


def _copy(
    new: sqlite3.Connection,
    code: str,
    removed: int,
    appends: Iterable[tuple[int, str, bytes, int]],
) -> None:
    insert = "INSERT INTO room (code, records, removed) VALUES (?, 0, ?)"
    number = new.execute(insert, (code, removed)).lastrowid
    before: int | None = None
    for start, sizes, records, _ in appends:
        values = (number, before, start, sizes.count(",") + 1, sizes, records)
        insert = """
            INSERT INTO log (room, before, start, count, sizes, records)
            VALUES (?, ?, ?, ?, ?, ?)
            """
        before = new.execute(insert, values).lastrowid
