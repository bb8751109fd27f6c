"""The results writer: stores finished races with their signed race records."""

import logging
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

from sliderace.engine import Board
from sliderace.proof.record import Player, build
from sliderace.proof.signed import seal
from sliderace.race.daily import sealed_until_ms
from sliderace.race.ranking import Row, standings
from sliderace.race.state import Attempt, PlayedSlide
from sliderace_server.clock import Clock
from sliderace_server.room import RoomState
from sliderace_server.room.state import Racer
from sliderace_server.signing_key import ServerKey
from sliderace_server.storage import (
    AttemptGains,
    AttemptRow,
    RaceSummary,
    Results,
    StorageUnavailable,
    StoredRace,
)
from sliderace_server.storage.log_writer import Spawn

__all__ = ["ResultsWriter", "started_ms", "stored_race"]

_log = logging.getLogger(__name__)

PAUSE = 5
"""An interval of more than this many medians is a pause: the player thought."""
RETRY_S = 1.0
"""Pause between retries; until results are stored, the room's log has them."""


def stored_race(state: RoomState, software: str, key: ServerKey) -> StoredRace:
    """Return a room's finished race, with its signed race record.

    Args:
        state: the room, in the phase `results`.
        software: program and version, for the race record.
        key: the server's signing key.
    """
    race = state.race
    players = {seat: Player(one.name, one.bot) for seat, one in state.racers.items()}
    record = build(
        race, players, started_ms=started_ms(state), software=software, day=state.day
    )
    attempts = tuple(_attempt(state, row) for row in standings(race))
    summary = RaceSummary(
        race.id,
        state.code,
        started_ms(state),
        race.rules.size,
        state.public,
        attempts,
        kind=state.kind,
        md=Board(race.size, race.board).md,
        sealed_until_ms=sealed_until_ms(state.day, race.rules.size) if state.day else 0,
        day=state.day,
    )
    return StoredRace(summary, seal(record, key.public, key.sign))


def started_ms(state: RoomState) -> int:
    """Return when a room's race started, in Unix ms."""
    # Room time continues through restarts, so the epoch's clocks date any moment.
    return state.epoch.wall_ms + state.race.t0 - state.epoch.t


def _attempt(state: RoomState, row: Row) -> AttemptRow:
    racer, attempt = state.racers[row.seat], state.race.attempts[row.seat]
    return AttemptRow(
        seat=row.seat,
        name=racer.name,
        status=row.status,
        place=row.place,
        time_ms=row.time_ms,
        stm=row.stm,
        mtm=row.mtm,
        bot=racer.bot,
        profile=racer.profile,
        input=racer.input,
        counts=_counts(state, row, racer),
        solve_ms=row.solve_ms,
        first_ms=_first_ms(attempt),
        pauses=pauses_of(attempt.slides),
    )


def _counts(state: RoomState, row: Row, racer: Racer) -> bool:
    """Return whether an attempt can be compared with any other of its event.

    The server must not have disturbed it. A racer who never saw the board has made no
    attempt, and one who came late may have come because the board is easy. After a
    reload the official time is never better than it would have been, and it is only the
    client that says so: it counts, or racers could withdraw bad times.
    """
    rules, attempt = state.race.rules, state.race.attempts[row.seat]
    known = bool(state.race.known_seed) and state.kind != "daily"
    if row.status == "dns" or attempt.late:
        return False
    if racer.bot or known or rules.friendly_timing or rules.inspection_ms:
        return False
    if row.time_ms is None:
        return not attempt.outages
    return not row.outage_ms


def _first_ms(attempt: Attempt) -> int | None:
    """Return the time until the first slide, which was made before it arrived."""
    if not attempt.slides:
        return None
    first = attempt.slides[0]
    return min(first.stamp, first.t - attempt.unlocks_at)


def pauses_of(slides: Sequence[PlayedSlide]) -> int:
    """Return how many intervals between slides exceed `PAUSE` times their median.

    >>> pauses_of([PlayedSlide("U", 1, stamp, 0) for stamp in (0, 100, 200, 800)])
    1
    """
    gaps = [max(0, later.stamp - one.stamp) for one, later in pairwise(slides)]
    longest = PAUSE * median(gaps or [0])
    return sum(gap > longest for gap in gaps)


class ResultsWriter:
    """Stores finished races one after the other, and retries failures.

    Args:
        results: the port that stores them.
        spawn: starts a task that belongs to the server's task group.
        clock: for the pauses between retries.

    Attributes:
        stored: called with each race that has been stored, and with what its attempts
            changed in profiles.
        counted: returns a race with what counts of it, before it is stored.
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
        self.stored: Callable[[StoredRace, Sequence[AttemptGains]], None] = (
            lambda _race, _gains: None
        )
        self.counted: Callable[[StoredRace], StoredRace] = lambda race: race
        self._pending: dict[str, StoredRace] = {}
        self._storing = False
        self.failing = False

    @property
    def idle(self) -> bool:
        """Whether everything is stored."""
        return not self._pending

    def race(self, race_id: str) -> StoredRace | None:
        """Return a race that is not stored yet, or None."""
        return self._pending.get(race_id)

    def has_races_of(self, code: str) -> bool:
        """Return whether the room has races that are not stored yet."""
        return any(race.summary.room == code for race in self._pending.values())

    def add(self, race: StoredRace) -> None:
        """Store a race; adding it twice stores it once."""
        self._pending[race.summary.id] = self.counted(race)
        if not self._storing:
            self._storing = True
            self._spawn(self._store())

    async def _store(self) -> None:
        try:
            while self._pending:
                race = next(iter(self._pending.values()))
                gains: Sequence[AttemptGains] = ()
                try:
                    gains = await self._results.store(race)
                except StorageUnavailable as error:
                    if not self.failing:  # a database may be away for hours
                        extra = {"error": str(error)}
                        _log.warning("cannot store results", extra=extra)
                    self.failing = True
                    await self._clock.sleep(RETRY_S)
                    continue
                except ValueError as error:  # it would block all others
                    extra = {"race": race.summary.id, "error": str(error)}
                    _log.error("invalid results are not stored", extra=extra)
                if self.failing:
                    self.failing = False
                    _log.info("results can be stored again")
                del self._pending[race.summary.id]
                self.stored(race, gains)
        finally:
            self._storing = False
