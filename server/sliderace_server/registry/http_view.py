"""What HTTP shows: health, open rooms, race records and the daily race."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from sliderace import __version__
from sliderace.protocol.version import VERSION
from sliderace.race.series import Series
from sliderace_server import room
from sliderace_server.http.routes import Rooms
from sliderace_server.registry.results_writer import ResultsWriter
from sliderace_server.registry.rooms import RoomRegistry

__all__ = ["HttpView"]

STILL_RACED_MS = 10_000
"""Pause before the next look at a record that is sealed because somebody, whom the
server kept waiting, still races on its board."""


class HttpView(Rooms):
    """The server as HTTP shows it, which includes its other processes.

    Args:
        registry: the rooms of this process.
        results_writer: has the races that are not stored yet.
    """

    def __init__(self, registry: RoomRegistry, results_writer: ResultsWriter) -> None:
        self._registry = registry
        self._services = registry.services
        self._results = registry.services.store.results
        self._results_writer = results_writer
        self._began_ms = self._services.clock.now_ms()

    def health(self) -> Mapping[str, Any]:  # noqa: D102
        services, registry = self._services, self._registry
        others = services.processes.reports()
        theirs = chain.from_iterable(report.problems for report in others)
        problems = list(dict.fromkeys([*registry.problems(), *theirs]))
        status = "degraded" if problems else "ok"
        return {
            "server": "sliderace",
            "status": "stopping" if registry.stopping else status,
            "problems": problems,
            "version": __version__,
            "protocol": VERSION,
            "durability": services.store.durability,
            "key": services.key.public,
            "features": [*services.room_settings.features],
            "rooms": len(registry.rooms) + sum(one.rooms for one in others),
            "connections": registry.connections()
            + sum(one.connections for one in others),
            "uptime_s": (services.clock.now_ms() - self._began_ms) // 1_000,
        }

    def public_rooms(self) -> Sequence[Mapping[str, Any]]:  # noqa: D102
        others = (one.listings for one in self._services.processes.reports())
        return [*self._registry.listings(), *chain.from_iterable(others)]

    def listing(self, code: str) -> Mapping[str, Any] | None:  # noqa: D102
        actor = self._registry.rooms.get(code)
        return None if actor is None else room.listing(actor.state)

    def series(self, code: str) -> Series:  # noqa: D102
        return self._registry.rooms[code].state.series

    async def record(self, race_id: str) -> bytes | None:  # noqa: D102
        pending = self._results_writer.race(race_id)
        return pending.record if pending else await self._results.record(race_id)

    async def sealed_ms(self, race_id: str, profile: str | None) -> int:  # noqa: D102
        pending, results = self._results_writer.race(race_id), self._results
        race = pending.summary if pending else await results.summary(race_id)
        if race is None or not race.sealed_until_ms:
            return 0
        if profile and any(row.profile == profile for row in race.attempts):
            return 0
        if self._is_raced_on(race.size, race.day):
            return STILL_RACED_MS
        return max(0, race.sealed_until_ms - await self._registry.daily.now_ms())

    async def today(self) -> int:  # noqa: D102
        return await self._registry.daily.today()

    async def daily_view(self, profile: str | None) -> Mapping[str, Any]:  # noqa: D102
        return await self._registry.daily.view(profile, self._is_raced_on)

    def _is_raced_on(self, event: str, day: int) -> bool:
        """Return whether somebody still races on the board of a day."""
        others = (report.raced_on for report in self._services.processes.reports())
        return (event, day) in chain(self._registry.raced_on(), *others)
