"""Logs that nobody needs any more, once the results of their races are stored."""

import logging

from sliderace_server.registry.codes_in_use import RESERVE_MS
from sliderace_server.registry.results_writer import ResultsWriter
from sliderace_server.registry.services import Services
from sliderace_server.storage import StorageUnavailable

__all__ = ["OldLogs"]

_log = logging.getLogger(__name__)

RETRY_S = 1.0
"""Pause while a room's log cannot be removed."""


class OldLogs:
    """Trims the logs of open rooms, and drops those of closed ones.

    Args:
        services: what all rooms share.
        results_writer: has the races that are not stored yet.
    """

    def __init__(self, services: Services, results_writer: ResultsWriter) -> None:
        self._services = services
        self._results_writer = results_writer
        self._trims: dict[str, int] = {}
        self._closed: set[str] = set()

    def trim(self, code: str, position: int) -> None:
        """Remove a log's records up to a position, as soon as possible."""
        self._trims[code] = position
        self.remove()

    def drop(self, code: str) -> None:
        """Remove the log of a closed room, as soon as possible."""
        self._trims.pop(code, None)
        self._closed.add(code)
        self.remove()

    def remove(self) -> None:
        """Remove what is no longer needed; call this when a race has been stored."""
        for code, position in list(self._trims.items()):
            if not self._results_writer.has_races_of(code):
                del self._trims[code]
                self._services.spawn(self._trim(code, position))
        for code in sorted(self._closed):
            if not self._results_writer.has_races_of(code):
                self._closed.discard(code)
                self._services.spawn(self._drop(code))

    async def _trim(self, code: str, position: int) -> None:
        try:
            await self._services.store.log.trim(code, position)
        except StorageUnavailable as error:  # the next checkpoint tries again
            _log.warning("cannot trim", extra={"room": code, "error": str(error)})

    async def _drop(self, code: str) -> None:
        log, clock = self._services.store.log, self._services.clock
        while True:
            try:
                await log.drop(code, now_ms=clock.wall_ms(), reserve_ms=RESERVE_MS)
            except StorageUnavailable:
                await clock.sleep(RETRY_S)
            else:
                return
