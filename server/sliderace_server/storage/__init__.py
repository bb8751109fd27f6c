"""Storage of rooms and results: ports and their adapters."""

from pathlib import Path
from typing import Literal

from .memory import MemoryStore
from .ports import (
    DAY_MS,
    Append,
    AttemptRow,
    Conflict,
    Durability,
    RaceSummary,
    Results,
    RoomLog,
    StorageError,
    StorageUnavailable,
    Store,
    StoredRace,
    StoreHeld,
    StoreRefused,
    oldest_kept_ms,
)
from .sqlite.backup import backup, restore
from .sqlite.pruning import prune
from .sqlite.store import SqliteStore

__all__ = [
    "DAY_MS",
    "Append",
    "AttemptRow",
    "Conflict",
    "Durability",
    "RaceSummary",
    "Results",
    "RoomLog",
    "StorageError",
    "StorageUnavailable",
    "Store",
    "StoreHeld",
    "StoreRefused",
    "StoredRace",
    "backup",
    "oldest_kept_ms",
    "open_store",
    "prune",
    "restore",
]


def open_store(url: str, durability: Literal["full", "process"] = "full") -> Store:
    """Return the store for a URL, to be entered with `async with`.

    Args:
        url: `memory:`, or `sqlite:PATH` as in `sqlite:/var/lib/sliderace/rooms.db`.
        durability: What acknowledged appends survive; not used in memory.

    Raises:
        StoreRefused: The URL is unknown.
    """
    kind, colon, place = url.partition(":")
    if kind == "memory" and colon and not place:
        return MemoryStore()
    if kind == "sqlite" and place:
        return SqliteStore(Path(place), durability)
    raise StoreRefused(f"unknown store {url!r}; use memory: or sqlite:PATH")
