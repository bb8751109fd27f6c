"""Results and profiles in a PostgreSQL database."""

import asyncio
from typing import Self

from sliderace_server.storage.ports import StorageError, StoreRefused

from .connections import OLDEST, Connections
from .results import PostgresResults
from .schema import migrate, migrations
from .standings import PostgresStandings

__all__ = ["PostgresStore"]


class PostgresStore:
    """A `ResultsStore` that several servers can use at the same time.

    Entering it upgrades the database to the newest version.

    Args:
        url: As in `postgresql://user:password@host/database`.
        oldest: The oldest version of PostgreSQL that is accepted.
    """

    def __init__(self, url: str, oldest: int = OLDEST) -> None:
        self.connections = Connections(url, oldest)
        self.results = PostgresResults(self.connections)
        self.standings = PostgresStandings(self.connections)

    async def __aenter__(self) -> Self:
        await self.connections.open()
        try:
            scripts = await asyncio.to_thread(migrations)
            await migrate(self.connections, scripts)
        except BaseException as error:
            await self.connections.close()
            if isinstance(error, StorageError):
                raise StoreRefused(f"{self.connections.name}: {error}") from error
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.connections.close()
