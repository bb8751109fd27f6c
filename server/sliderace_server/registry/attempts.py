"""What the attempts of races mean for profiles: which count, for whom, who is told."""

import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sliderace.protocol.messages import Gain, Gains
from sliderace.protocol.room_code import RoomCode
from sliderace_server.registry.actor import RoomActor
from sliderace_server.registry.daily_races import DailyRaces
from sliderace_server.registry.results_writer import started_ms
from sliderace_server.registry.services import Services
from sliderace_server.room import RoomState
from sliderace_server.storage import (
    AttemptGains,
    RaceSummary,
    StorageUnavailable,
    StoredRace,
)

__all__ = ["Attempts"]

RETRY_S = 1.0
"""Pause while an attempt cannot be credited."""


class Attempts:
    """The attempts in the rooms of this process.

    Args:
        services: what all rooms share.
        rooms: code -> open room.
        daily: the daily race.
    """

    def __init__(
        self, services: Services, rooms: Mapping[str, RoomActor], daily: DailyRaces
    ) -> None:
        self._services = services
        self._rooms = rooms
        self._daily = daily

    def counted(self, race: StoredRace) -> StoredRace:
        """Return a race without what does not count because of other rooms.

        Whoever leaves a bad attempt unfinished, and races on elsewhere, would have an
        average without it. A daily race is exempt, as nobody can have many.
        """
        summary = race.summary
        if summary.kind == "daily" or not any(row.profile for row in summary.attempts):
            return race
        since = [self.busy(), *(one.busy for one in self._services.processes.reports())]
        busy = {
            profile
            for part in since
            for profile, began_ms in part.items()
            if began_ms < summary.started_ms
        }
        attempts = tuple(
            replace(row, counts=row.counts and row.profile not in busy)
            for row in summary.attempts
        )
        return replace(race, summary=replace(summary, attempts=attempts))

    def busy(self) -> dict[str, int]:
        """Return profile -> beginning of the first race in which it still races."""
        busy: dict[str, int] = {}
        for state in (actor.state for actor in self._rooms.values()):
            for seat, racer in state.racers.items() if state.race.running else ():
                if racer.profile and state.race.attempts[seat].status == "racing":
                    began_ms, before = started_ms(state), busy.get(racer.profile)
                    busy[racer.profile] = min(began_ms, before or began_ms)
        return busy

    def stored(self, race: StoredRace, gains: Sequence[AttemptGains]) -> None:
        """Tell racers what a race that is stored now has changed, and credit guests.

        Args:
            race: the race.
            gains: what its attempts changed in profiles.
        """
        summary = race.summary
        for one in gains:
            if summary.day:
                self._services.spawn(self._tell_daily_gains(summary, one))
            else:
                self._tell_gains(summary.room, summary.id, one)
        if actor := self._rooms.get(summary.room):
            seats = [row.seat for row in summary.attempts if not row.profile]
            guests = {(summary.id, seat) for seat in seats}
            members = actor.state.members.values()
            self.credit(
                actor.state, *(one.id for one in members if one.raced in guests)
            )

    def credit(self, state: RoomState, *members: int) -> None:
        """Let the last attempts of members count for profiles that have become known.

        If an attempt is not stored yet, `stored` does this.
        """
        attempts = [
            (*one.raced, one.profile)
            for one in map(state.members.__getitem__, members)
            if one.raced is not None and one.profile is not None
        ]
        if attempts:
            self._services.spawn(self._credit(state.code, attempts))

    async def _credit(
        self, code: RoomCode, attempts: Sequence[tuple[str, int, str]]
    ) -> None:
        """Let attempts of guests count for their profiles; repeating this is safe."""
        standings, clock = self._services.store.standings, self._services.clock
        waiting = deque(attempts)
        while waiting:
            try:
                gains = await standings.credit(*waiting[0])
            except StorageUnavailable:
                await clock.sleep(RETRY_S)
                continue
            race, _, _ = waiting.popleft()
            if gains is not None:
                self._tell_gains(code, race, gains)

    async def _tell_daily_gains(self, race: RaceSummary, gains: AttemptGains) -> None:
        """Tell the racer of a daily race what it has changed, and their streak."""
        streak = 0
        with contextlib.suppress(StorageUnavailable):
            streak = (await self._daily.state(gains.profile)).streak
        self._tell_gains(race.room, race.id, gains, streak)

    def _tell_gains(
        self, code: str, race: str, gains: AttemptGains, streak: int = 0
    ) -> None:
        """Tell the racer what an attempt has changed, if they are still there."""
        if actor := self._rooms.get(code):
            bests = [Gain(one.kind, one.value_ms, one.before_ms) for one in gains.bests]
            place, of = gains.place, gains.total
            event = Gains(race, gains.counts, bests, place, of, streak)
            actor.tell_gains(gains.profile, event)
