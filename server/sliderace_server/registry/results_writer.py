"""The results writer: stores finished races with their signed race records."""

import logging
from collections.abc import Callable

from sliderace.proof.record import Player, build
from sliderace.proof.signed import seal
from sliderace.race.ranking import Row, standings
from sliderace_server.clock import Clock
from sliderace_server.room import RoomState
from sliderace_server.room.state import Racer
from sliderace_server.signing_key import ServerKey
from sliderace_server.storage import (
    AttemptRow,
    RaceSummary,
    Results,
    StorageUnavailable,
    StoredRace,
)
from sliderace_server.storage.log_writer import Spawn

__all__ = ["ResultsWriter", "stored_race"]

_log = logging.getLogger(__name__)

RETRY_S = 1.0
"""Pause between retries; until results are stored, the room's log has them."""


def stored_race(state: RoomState, software: str, key: ServerKey) -> StoredRace:
    """Return a room's finished race, with its signed race record.

    Args:
        state: the room, in the phase `results`.
        software: program and version, for the race record.
        key: the server's signing key.
    """
    race, epoch = state.race, state.epoch
    # Room time continues through restarts, so the epoch's clocks date any moment.
    started_ms = epoch.wall_ms + race.t0 - epoch.t
    players = {seat: Player(one.name, one.bot) for seat, one in state.racers.items()}
    record = build(race, players, started_ms=started_ms, software=software)
    attempts = tuple(_attempt(row, state.racers[row.seat]) for row in standings(race))
    summary = RaceSummary(
        race.id, state.code, started_ms, race.rules.size, state.public, attempts
    )
    return StoredRace(summary, seal(record, key.public, key.sign))


def _attempt(row: Row, racer: Racer) -> AttemptRow:
    return AttemptRow(
        seat=row.seat,
        name=racer.name,
        status=row.status,
        place=row.place,
        time_ms=row.time_ms,
        stm=row.stm,
        mtm=row.mtm,
        bot=racer.bot,
    )


class ResultsWriter:
    """Stores finished races one after the other, and retries failures.

    Args:
        results: the port that stores them.
        spawn: starts a task that belongs to the server's task group.
        clock: for the pauses between retries.

    Attributes:
        stored: called with each race that has been stored.
        failing: a race could not be stored; it is tried again.
    """

    def __init__(
        self,
        results: Results,
        spawn: Spawn,
        clock: Clock,
    ) -> None:
        self._results = results
        self._spawn = spawn
        self._clock = clock
        self.stored: Callable[[StoredRace], None] = lambda _: None
        self._pending: dict[str, StoredRace] = {}
        self._storing = False
        self.failing = False

    @property
    def idle(self) -> bool:
        """Whether everything is stored."""
        return not self._pending

    def record(self, race_id: str) -> bytes | None:
        """Return the race record of a race that is not stored yet, or None."""
        race = self._pending.get(race_id)
        return None if race is None else race.record

    def has_races_of(self, code: str) -> bool:
        """Return whether the room has races that are not stored yet."""
        return any(race.summary.room == code for race in self._pending.values())

    def add(self, race: StoredRace) -> None:
        """Store a race; adding it twice stores it once."""
        self._pending[race.summary.id] = race
        if not self._storing:
            self._storing = True
            self._spawn(self._store())

    async def _store(self) -> None:
        try:
            while self._pending:
                race = next(iter(self._pending.values()))
                try:
                    await self._results.store(race)
                except StorageUnavailable as error:
                    self.failing = True
                    _log.warning("cannot store results", extra={"error": str(error)})
                    await self._clock.sleep(RETRY_S)
                    continue
                except ValueError as error:  # it would block all others
                    extra = {"race": race.summary.id, "error": str(error)}
                    _log.error("invalid results are not stored", extra=extra)
                self.failing = False
                del self._pending[race.summary.id]
                self.stored(race)
        finally:
            self._storing = False
