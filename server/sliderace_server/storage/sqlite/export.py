"""Read whole tables of an SQLite store, for a copy."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from .store import SqliteStore

__all__ = ["table_rows"]

AT_ONCE = 1_000
"""Rows in memory at once: a race record may have 50 kB."""


async def table_rows(
    store: SqliteStore, table: str, columns: Sequence[str]
) -> AsyncGenerator[Sequence[Sequence[Any]], None]:
    """Yield all rows of a table in parts; nothing may be stored meanwhile.

    Args:
        store: An open store.
        table: Its name.
        columns: The names of the columns.
    """
    query = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - constants
    with store.connections as (reader, _):
        async with reader.execute(query) as cursor:
            while rows := [tuple(row) for row in await cursor.fetchmany(AT_ONCE)]:
                yield rows
