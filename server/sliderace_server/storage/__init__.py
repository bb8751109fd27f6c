"""Storage of rooms and results: ports and their adapters."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .combined import Combined
from .memory import MemoryStore
from .ports import (
    DAY_MS,
    MAX_KEYS,
    Append,
    AttemptEntry,
    AttemptGains,
    AttemptRow,
    Board,
    BoardQuery,
    BoardRow,
    Conflict,
    Durability,
    EventTally,
    GainRow,
    KeyRow,
    LogDamaged,
    LogStore,
    ProfileRow,
    RaceSummary,
    Results,
    ResultsStore,
    RoomLog,
    Standings,
    StorageError,
    StorageUnavailable,
    Store,
    StoredRace,
    StoreHeld,
    StoreRefused,
    oldest_kept_ms,
)
from .results_url import check_results_url, without_password
from .sqlite.backup import backup, restore
from .sqlite.corrections import hide
from .sqlite.export import table_rows
from .sqlite.log_files import log_file
from .sqlite.pruning import prune
from .sqlite.store import SqliteStore, locked_for_workers

if TYPE_CHECKING:
    from .postgresql.store import PostgresStore

__all__ = [
    "DAY_MS",
    "MAX_KEYS",
    "Append",
    "AttemptEntry",
    "AttemptGains",
    "AttemptRow",
    "Board",
    "BoardQuery",
    "BoardRow",
    "Combined",
    "Conflict",
    "Durability",
    "EventTally",
    "GainRow",
    "KeyRow",
    "LogDamaged",
    "LogStore",
    "ProfileRow",
    "RaceSummary",
    "Results",
    "ResultsStore",
    "RoomLog",
    "Standings",
    "StorageError",
    "StorageUnavailable",
    "Store",
    "StoreHeld",
    "StoreRefused",
    "StoredRace",
    "backup",
    "check_results_url",
    "copy_results",
    "hide",
    "locked_for_workers",
    "oldest_kept_ms",
    "open_results",
    "open_store",
    "prune",
    "restore",
    "without_password",
]


def open_store(
    url: str,
    durability: Literal["full", "process"] = "full",
    worker: tuple[int, int] | None = None,
    results: str = "",
) -> Store:
    """Return the store for a URL, to be entered with `async with`.

    Args:
        url: `memory:`, or `sqlite:PATH` as in `sqlite:/var/lib/sliderace/rooms.db`.
        durability: What acknowledged appends survive; not used in memory.
        worker: Index of this worker process, and how many there are; they share the
            results, and their parent locks the database, see `locked_for_workers`.
        results: URL of results and profiles, see `open_results`; empty: they are in
            this store, too.

    Raises:
        StoreRefused: A URL is unknown.
    """
    kind, colon, place = url.partition(":")
    if kind == "memory" and colon and not place:
        store: Store = MemoryStore()
    elif kind == "sqlite" and place:
        path = Path(place)
        logs = log_file(path, *worker) if worker else None
        store = SqliteStore(path, durability, log_file=logs)
    else:
        raise StoreRefused(f"unknown store {url!r}; use memory: or sqlite:PATH")
    return Combined(store, open_results(results)) if results else store


def open_results(url: str) -> PostgresStore:
    """Return the store of results for a URL, to be entered with `async with`.

    Args:
        url: As in `postgresql://user:password@host/database`.

    Raises:
        StoreRefused: The packages that it needs are not installed.
    """
    try:
        from .postgresql.store import PostgresStore  # noqa: PLC0415 - optional
    except ImportError as error:
        text = f"PostgreSQL needs {error.name}: pip install 'sliderace[cluster]'"
        raise StoreRefused(text) from error
    return PostgresStore(url)


async def copy_results(database: Path, url: str) -> dict[str, int]:
    """Copy results and profiles to PostgreSQL; the call may be repeated.

    Args:
        database: The SQLite file; no server may be using it.
        url: See `open_results`; no server may be using that database either.

    Returns:
        The number of rows per table, and under `counted` that of attempts in bests.

    Raises:
        StoreRefused: One cannot be opened, or the target contains something else.
        StorageUnavailable: The connection failed; nothing was copied.
    """
    target = open_results(url)
    from .postgresql.copying import copy  # noqa: PLC0415 - optional

    async with SqliteStore(database) as source, target:
        return await copy(partial(table_rows, source), target.connections)
