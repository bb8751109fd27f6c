"""Where the server keeps its rooms and results: ports, and an adapter per URL."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from .memory import MemoryStore
from .ports import (
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
)
from .sqlite.backup import backup, restore
from .sqlite.store import SqliteStore

__all__ = [
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
    "open_store",
    "restore",
]


def open_store(url: str, durability: Literal["full", "process"] = "full") -> Store:
    """Choose a store by its URL; the result is to be entered with `async with`.

    Args:
        url: `memory:`, or `sqlite:PATH` as in `sqlite:/var/lib/sliderace/rooms.db`.
        durability: What an acknowledged append must survive; in memory nothing does.

    Raises:
        StoreRefused: No store has such a URL.
    """
    kind, colon, place = url.partition(":")
    if kind == "memory" and colon and not place:
        return MemoryStore()
    if kind == "sqlite" and place:
        return SqliteStore(Path(place), durability)
    raise StoreRefused(f"{url!r} names no store; use memory: or sqlite:PATH")
