"""Rooms that the server chooses for a person: to race now, alone, or the daily race."""

import msgspec

from sliderace.protocol.messages import Daily, EventName, Open, RulesPatch, Solo
from sliderace.protocol.room_code import RoomCode
from sliderace.race.daily import FIRST_DAY, LAST_DAY, DailyEvent, daily_seed
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.limits import PerAddress
from sliderace_server.registry import matchmaking
from sliderace_server.registry.actor import RoomActor
from sliderace_server.registry.results_writer import ResultsWriter
from sliderace_server.registry.rooms import RoomRegistry

__all__ = ["ChosenRooms"]

SOLO_COUNTDOWN_MS = 1_500
"""Enough for the draw of the board; whoever races alone is ready."""


class ChosenRooms:
    """Finds or opens the room for a person who names none.

    Args:
        registry: the rooms of this process.
        results_writer: has the races that are not stored yet.
        addresses: limits per client address.
    """

    def __init__(
        self,
        registry: RoomRegistry,
        results_writer: ResultsWriter,
        addresses: PerAddress,
    ) -> None:
        self._registry = registry
        self._services = registry.services
        self._daily = registry.daily
        self._results_writer = results_writer
        self._addresses = addresses

    def refusal(self, address: str) -> Refusal | None:
        """Count an entry to race at once or alone; return why it is refused, or None.

        Args:
            address: the client's; empty on this machine.
        """
        if self._registry.stopping:
            return Refusal("shutting_down")
        if self._registry.failing:
            return Refusal("storage_unavailable", retry_ms=5_000)
        wait = self._addresses.quick_wait(address, self._services.clock.now_ms())
        return Refusal("rate", retry_ms=wait) if wait else None

    def quick(self, event: EventName, usual_ms: int) -> RoomActor | None:
        """Return the quick room that suits a person best, or None.

        Args:
            event: size of the board.
            usual_ms: what the person usually needs.
        """
        rooms = ((actor.state, actor.now) for actor in self._registry.quick.values())
        chosen = matchmaking.choose(rooms, event, usual_ms)
        return None if chosen is None else self._registry.quick[chosen.code]

    def open_quick(
        self, event: EventName, usual_ms: int, address: str
    ) -> RoomActor | Refusal:
        """Open a quick room for a person, with its bots; see `quick`.

        Args:
            event: size of the board.
            usual_ms: what the person usually needs.
            address: the client's; empty on this machine.
        """
        rules = matchmaking.rules_for(event, usual_ms)
        actor = self._registry.open_as(Open(rules, public=True), "quick")
        if isinstance(actor, RoomActor):
            actor.opener = address
            self._registry.bots.match(actor, usual_ms)
        return actor

    def open_solo(self, asked: Solo, profile: str | None) -> RoomActor | Refusal:
        """Open a room for one player.

        Args:
            asked: the command that opens it.
            profile: the player's, which can have one such room at a time.
        """
        if profile is not None and self.races_alone(profile):
            return Refusal("busy")
        rules = msgspec.structs.replace(
            asked.rules, start="every", countdown_ms=SOLO_COUNTDOWN_MS
        )
        return self._registry.open_as(Open(rules, seed=asked.seed), "solo")

    def races_alone(self, profile: str) -> bool:
        """Return whether a profile has a live room for one player.

        A daily room that shows its results is none: it has no other race. Nor is a room
        that its player has left without a word; its race ends as a DNF.
        """
        reports = self._services.processes.reports()
        return profile in self._registry.profiles_alone() or any(
            profile in report.alone for report in reports
        )

    async def daily(
        self, asked: Daily, profile: str, address: str
    ) -> RoomActor | Refusal:
        """Return the room in which a profile races on the daily board.

        There is one per event and day. It is opened if there is none yet, or if the one
        that was opened before has ended before its board was drawn.

        Args:
            asked: the command that opens it.
            profile: the player's public id.
            address: the client's; empty on this machine.

        Raises:
            StorageUnavailable: it is not known whether the attempt is used up.
        """
        name = room.chosen_name(asked.name)
        if isinstance(name, Refusal):
            return name
        if refusal := self.refusal(address):
            return refusal
        async with self._daily.entering(profile):  # one device after the other
            day = await self._daily.today()
            if not FIRST_DAY <= day <= LAST_DAY:
                return Refusal("unavailable")
            code = self._registry.new_code()
            try:
                return await self._claim_daily(asked.event, profile, day, code)
            finally:
                if code not in self._registry.rooms:
                    self._registry.codes.discard(code)

    async def _claim_daily(
        self, event: DailyEvent, profile: str, day: int, code: RoomCode
    ) -> RoomActor | Refusal:
        """Open the daily room of a profile with a code, unless there is one."""
        rooms = self._registry.rooms
        while (used := await self._daily.claim(profile, event, day, code)) != code:
            if used is None:  # the profile has just been deleted
                return Refusal("profile_unknown")
            if used in rooms:
                return rooms[used]
            if self._registry.is_unavailable(used):
                return Refusal("storage_unavailable", retry_ms=5_000)
            if self._services.processes.takes_over:
                elsewhere = await self._services.processes.home(used)
                if used in rooms:  # this process has just taken it over
                    return rooms[used]
                if elsewhere is not None:
                    return Refusal("busy")
            # Another process may have it if the number of processes has changed.
            reports = self._services.processes.reports()
            if any(used in report.alone.values() for report in reports):
                return Refusal("busy")
            if await self._is_done(used, day):
                return Refusal("daily_done", "event", event)
            await self._daily.release(profile, event, day, used)
        if self._registry.stopping or self.races_alone(profile):
            await self._daily.give_back(code)
            return Refusal("shutting_down" if self._registry.stopping else "busy")
        secret = self._daily.secret(event, day)
        rules = RulesPatch(size=event, start="every", countdown_ms=SOLO_COUNTDOWN_MS)
        opened = Open(rules, seed=daily_seed(secret, event, day).hex())
        return self._registry.open_with(code, opened, "daily", day, secret)

    async def _is_done(self, code: str, day: int) -> bool:
        """Return whether the daily race of a room that has ended was run."""
        if self._results_writer.has_races_of(code):
            return True
        races = await self._services.store.results.races(code, limit=1)
        return any(race.day == day for race in races)
