"""A store whose logs and results are in different stores."""

from contextlib import AsyncExitStack
from typing import Self

from .ports import Durability, LogStore, Results, ResultsStore, RoomLog, Standings

__all__ = ["Combined"]


class Combined:
    """A `Store` with the logs of one store and the results of another.

    Args:
        logs: the store of the logs.
        results: the store of finished races and profiles.
    """

    def __init__(self, logs: LogStore, results: ResultsStore) -> None:
        self.logs, self._parts = logs, (results, logs)
        self._stack = AsyncExitStack()
        self.log: RoomLog = logs.log
        self.results: Results = results.results
        self.standings: Standings = results.standings

    @property
    def durability(self) -> Durability:
        """What acknowledged appends survive."""
        return self.logs.durability

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for part in self._parts:
                await stack.enter_async_context(part)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stack.aclose()
