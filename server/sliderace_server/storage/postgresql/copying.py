"""Copy results and profiles from another database."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from sliderace_server.storage.ports import StoreRefused

from .connections import LONG_S, Connection, Connections
from .recount import recount

__all__ = ["Rows", "copy"]

Rows = Callable[[str, Sequence[str]], AsyncIterator[Sequence[Sequence[Any]]]]
"""Returns the given columns of a table of the source, in parts."""

TABLES: Mapping[str, tuple[str, str]] = {
    "race": (
        "id",
        "room started_ms size public record kind md sealed_until_ms day pruned",
    ),
    "attempt": (
        "race seat",
        """
        rank name bot status place time_ms stm mtm input counts solve_ms first_ms pauses
        profile event number started_ms public daily
        """,
    ),
    "profile": ("id", "name created_ms forget_at_ms hidden devices"),
    "profile_key": ("hash", "profile device name added_ms used_ms"),
    "daily": ("profile day event", "room"),
    "outage": ("began_ms", "ended_ms"),
    "alive": ("id", "at_ms latest_ms"),
}
"""Table -> its primary key and its other columns. Tallies and bests are recounted."""
FLAGS = {"public", "pruned", "bot", "counts"}
"""Columns that are 0 or 1 in SQLite."""
COUNTED = ("race", "attempt", "profile", "profile_key", "daily")
"""Tables that must have as many rows as the source; otherwise the copy is undone."""


async def copy(rows: Rows, connections: Connections) -> dict[str, int]:
    """Copy everything or nothing; the call may be repeated.

    Args:
        rows: The source.
        connections: To the target, which no server may be using.

    Returns:
        The number of rows per table, and under `counted` that of attempts in bests.

    Raises:
        StoreRefused: The target contains something that the source does not.
        StorageUnavailable: The connection failed.
    """
    async with connections.transaction() as db:
        lock = f"LOCK TABLE {', '.join(TABLES)} IN EXCLUSIVE MODE"
        await db.execute(lock)
        copied = {table: await _copy_table(rows, db, table) for table in TABLES}
        for table in COUNTED:
            found = await db.fetchval(f"SELECT count(*) FROM {table}")  # noqa: S608
            if found != copied[table]:
                text = f"it has {found} rows of {table!r}, the source {copied[table]}"
                raise StoreRefused(f"{text}; nothing was copied: use an empty database")
        return {**copied, "counted": await recount(db)}


async def _copy_table(rows: Rows, db: Connection, table: str) -> int:
    """Copy a table; return how many rows the source has."""
    key, others = (columns.split() for columns in TABLES[table])
    columns = [*key, *others]
    flags = [n for n, name in enumerate(columns) if name in FLAGS]
    # First into a temporary table: COPY cannot replace rows.
    await db.execute(f"CREATE TEMP TABLE copied (LIKE {table}) ON COMMIT DROP")
    count = 0
    async for part in rows(table, columns):
        count += len(part)
        records = [_with_flags(row, flags) for row in part]
        await db.copy_records_to_table(
            "copied", records=records, columns=columns, timeout=LONG_S
        )
    names = ", ".join(columns)
    values = ", ".join(f"{name} = excluded.{name}" for name in others)
    insert = f"""
        INSERT INTO {table} ({names}) SELECT {names} FROM copied
        ON CONFLICT ({", ".join(key)}) DO UPDATE SET {values}
        """  # noqa: S608 - constants
    await db.execute(insert, timeout=LONG_S)
    await db.execute("DROP TABLE copied")
    return count


def _with_flags(row: Sequence[Any], flags: Sequence[int]) -> Sequence[Any]:
    values = list(row)
    for n in flags:
        values[n] = None if row[n] is None else bool(row[n])
    return values
