"""Connections to PostgreSQL. Only this module uses asyncpg.

Errors are converted to those of the ports. The next call replaces a broken connection.
"""
# ruff: noqa: ASYNC109 - asyncpg defines these parameters

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, Protocol, cast

import asyncpg  # type: ignore[import-untyped,import-not-found,unused-ignore]  # pyright: ignore[reportMissingTypeStubs]

from sliderace_server.storage.ports import StorageUnavailable, StoreRefused
from sliderace_server.storage.results_url import without_password

__all__ = ["Connection", "Connections", "Inconsistent"]

CONNECTIONS = 5
"""Of one process. By default, PostgreSQL allows a hundred, and calls are short."""
CONNECT_S = 5.0
"""How long to wait for a connection; a client's command waits for it."""
CALL_S = 5.0
"""How long to wait for a statement: longer than any takes on a loaded machine."""
LONG_S = 3_600.0
"""For statements that an operator waits for."""
OLDEST = 13
"""The oldest version that PostgreSQL's authors support; the tests use 15."""


class Inconsistent(ValueError):
    """The values contradict each other or stored rows."""


class Connection(Protocol):
    """A connection, as asyncpg defines it."""

    async def execute(
        self, query: str, *values: object, timeout: float | None = None
    ) -> str:
        """Execute a statement."""
        ...

    async def fetch(
        self, query: str, *values: object, timeout: float | None = None
    ) -> list[Sequence[Any]]:
        """Execute a statement; return its rows."""
        ...

    async def fetchval(self, query: str, *values: object) -> Any:  # noqa: ANN401
        """Execute a statement; return the first column of its first row, or None."""
        ...

    async def copy_records_to_table(
        self,
        table_name: str,
        *,
        records: Iterable[Sequence[object]],
        columns: Sequence[str],
        timeout: float | None = None,
    ) -> str:
        """Insert many rows."""
        ...

    async def cursor(self, query: str, *, timeout: float | None = None) -> "Cursor":
        """Execute a query within a transaction, to fetch its rows in parts."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """Do everything inside the context, or nothing."""
        ...


class Cursor(Protocol):
    """The rows of a query that have not been fetched yet."""

    async def fetch(
        self, n: int, *, timeout: float | None = None
    ) -> list[Sequence[Any]]:
        """Return the next rows; none at the end."""
        ...


class Connections:
    """A few connections to one database.

    Args:
        url: As in `postgresql://user:password@host/database`.
        oldest: The oldest version that is accepted.
    """

    def __init__(self, url: str, oldest: int = OLDEST) -> None:
        self._url = url
        self._oldest = oldest
        self._pool: Any = None

    @property
    def name(self) -> str:
        """The URL without a password, for messages."""
        return without_password(self._url)

    async def open(self) -> None:
        """Connect.

        Raises:
            StoreRefused: This is not possible, or PostgreSQL is too old.
        """
        try:
            # No prepared statements and no session settings: a connection pooler may
            # give us another session for each transaction.
            pool: Any = await asyncpg.create_pool(  # pyright: ignore[reportUnknownMemberType]
                self._url,
                min_size=0,  # otherwise the pool logs each failure to reconnect
                max_size=CONNECTIONS,
                statement_cache_size=0,
                timeout=CONNECT_S,
                command_timeout=CALL_S,
                reset=_no_reset,
            )
            async with pool.acquire() as connection:
                version = connection.get_server_version().major
        except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise StoreRefused(f"{self.name}: {_line(error)}") from error
        except OSError as error:
            raise StoreRefused(f"{self.name}: {_reason(error)}") from error
        except ValueError as error:  # its text may contain a part of the password
            text = "malformed URL; write special characters as codes, such as %23 for #"
            raise StoreRefused(f"{self.name}: {text}") from error
        self._pool = pool
        if version < self._oldest:
            await self.close()
            text = f"PostgreSQL {version} is too old, {self._oldest} or newer is needed"
            raise StoreRefused(f"{self.name}: {text}")

    async def close(self) -> None:
        """Complete the calls in progress, then disconnect."""
        pool, self._pool = self._pool, None
        if pool is not None:
            try:
                async with asyncio.timeout(CALL_S):
                    await pool.close()
            except (TimeoutError, OSError, asyncpg.PostgresError):
                pool.terminate()

    @asynccontextmanager
    async def call(self) -> AsyncGenerator[Connection, None]:
        """Provide a connection; each statement is a transaction."""
        if self._pool is None:
            raise StorageUnavailable("the store is closed")
        with _ports_errors():
            async with self._pool.acquire(timeout=CONNECT_S) as connection:
                yield cast("Connection", connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection, None]:
        """Provide a connection, and do everything inside the context or nothing."""
        async with self.call() as connection, connection.transaction():
            yield connection


async def _no_reset(_: object) -> None:
    """Do nothing: no call changes the session, and a reset takes time."""


@contextmanager
def _ports_errors() -> Generator[None, None, None]:
    """Convert the errors of asyncpg to those of the ports."""
    try:
        yield
    except (asyncpg.IntegrityConstraintViolationError, asyncpg.DataError) as error:
        raise Inconsistent(_line(error)) from error
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        if isinstance(error, ValueError):  # such as a number that is too large
            raise Inconsistent(_line(error)) from error
        raise StorageUnavailable(_line(error)) from error
    except OSError as error:  # includes TimeoutError
        raise StorageUnavailable(_reason(error)) from error


def _line(error: Exception) -> str:
    """Return the first line of an error of asyncpg; other lines are details."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _reason(error: OSError) -> str:
    """Return in one line why a connection failed."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    return " ".join((error.strerror or str(error)).split()) or type(error).__name__
