"""The SQLite store's queries on a plain connection, without a thread or event loop."""

import sqlite3
from collections.abc import Coroutine
from typing import Any, TypeVar, cast

import aiosqlite

__all__ = ["asynchronous", "run"]

T = TypeVar("T")


class _Immediate:
    """A connection whose coroutines never wait."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    async def execute(self, sql: str, values: Any = ()) -> sqlite3.Cursor:
        return self._db.execute(sql, values)

    async def execute_fetchall(self, sql: str, values: Any = ()) -> list[Any]:
        return self._db.execute(sql, values).fetchall()


def asynchronous(db: sqlite3.Connection) -> aiosqlite.Connection:
    """Wrap a connection for the store's queries."""
    return cast("aiosqlite.Connection", _Immediate(db))


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as end:
        return cast("T", end.value)
    raise AssertionError("it waits")
