"""A simulated year: what was added up race by race is what a recount finds."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.server.test_storage_results import RESULTS_ADAPTERS, results_store
from tests.tiers import TIER

from sliderace.protocol.messages import InputName, RoomKind
from sliderace_server.storage import (
    AttemptGains,
    AttemptRow,
    BoardQuery,
    ProfileRow,
    RaceSummary,
    ResultsStore,
    StoredRace,
)
from sliderace_server.storage.memory import MemoryStore
from sliderace_server.storage.sqlite import storing
from sliderace_server.storage.sqlite.store import Connection, SqliteStore, connect
from sliderace_server.storage.sqlite.storing import BestTimes
from sliderace_server.storage.standings import DAY_MS, KINDS, Span

FIRST_DAY = 20_454
"""1 January 2026."""
DAYS = 365
PROFILES = 40
EVENTS = ("3x3", "4x4", "4x4", "5x5")
KINDS_OF_ROOM: tuple[RoomKind, ...] = (
    "room",
    "room",
    "quick",
    "quick",
    "solo",
    "daily",
)
INPUTS: tuple[InputName | None, ...] = (
    "keys",
    "keys",
    "keys",
    "touch",
    "click",
    "mixed",
    None,
)
STATUSES = ("finished",) * 7 + ("dnf", "forfeited", "dns")
NEAR_MIDNIGHT_MS = 120_000


@dataclass
class Year:
    """The same random changes to several stores.

    Attributes:
        stores: the stores.
        chance: decides what happens.
        profiles: those that exist now.
        attempts: how many attempts of profiles there were.
    """

    stores: Sequence[ResultsStore]
    chance: random.Random
    profiles: list[str] = field(default_factory=list[str])
    attempts: int = 0
    created: int = 0
    races: int = 0
    guests: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    pruned_ms: int = 0

    async def live(self, attempts: int) -> None:
        """Let a year pass in which this many attempts are made."""
        while self.attempts < attempts:
            day = FIRST_DAY + self.attempts * DAYS // attempts
            near = self.chance.choice((0, self.chance.randrange(DAY_MS)))
            started = day * DAY_MS + near
            if not near:  # just before or after midnight
                spread = self.chance.randrange(-NEAR_MIDNIGHT_MS, NEAR_MIDNIGHT_MS)
                started += spread
            await self._race(started)
            if self.races % 90 == 0:
                await self._delete()
            match self.chance.randrange(100):
                case 0 | 1:
                    self.pruned_ms = started - 90 * DAY_MS
                    await self._all("results", "prune", self.pruned_ms)
                case 2:
                    profile = self.chance.choice(self.profiles)
                    reason = self.chance.choice((None, "a reason"))
                    await self._all("standings", "hide", profile, reason)
                case 3:
                    profile = self.chance.choice(self.profiles)
                    await self._all("standings", "rename_profile", profile, "Zoë")
                case number if number < 15:
                    await self._credit()
                case _:
                    pass

    async def _all(self, port: str, name: str, *values: object) -> Any:
        """Call a method of all stores; their answers must be equal."""
        first, *others = [
            await getattr(getattr(store, port), name)(*values) for store in self.stores
        ]
        for other in others:
            assert other == first, (name, values)
        return first

    async def _race(self, started_ms: int) -> None:
        chance = self.chance
        while len(self.profiles) < PROFILES:
            self.created += 1
            profile = f"P{self.created:07}"
            row = ProfileRow(profile, f"Name {self.created}", started_ms - 5)
            await self._all("standings", "create_profile", row, f"key {profile}", "x")
            self.profiles.append(profile)
        kind = chance.choice(KINDS_OF_ROOM)
        size = 1 if kind in ("solo", "daily") else chance.randint(1, 4)
        self.races += 1
        rows = tuple(self._row(seat) for seat in range(size))
        summary = RaceSummary(
            f"ROOM-{self.races}",
            f"ROOM{self.races % 9}",
            started_ms,
            chance.choice(EVENTS),
            kind == "quick" or (kind == "room" and chance.random() < 0.5),
            rows,
            kind=kind,
            md=30,
            day=started_ms // DAY_MS if kind == "daily" else 0,
        )
        await self._all("results", "store", StoredRace(summary, b"{}"))
        self.attempts += sum(row.profile is not None for row in rows)
        self.guests += [
            (summary.id, row.seat)
            for row in rows
            if row.profile is None and not row.bot
        ]

    def _row(self, seat: int) -> AttemptRow:
        chance = self.chance
        status = chance.choice(STATUSES)
        who = chance.random()
        return AttemptRow(
            seat,
            "Nick",
            status,
            None,
            round(chance.gauss(12_000, 3_000)) if status == "finished" else None,
            90,
            60,
            bot=who < 0.1,
            profile=chance.choice(self.profiles) if who > 0.2 else None,
            input=chance.choice(INPUTS),
            counts=chance.random() < 0.9,
        )

    async def _credit(self) -> None:
        """Credit a guest's attempt, sometimes an old one, sometimes twice."""
        if self.guests:
            race, seat = self.guests.pop(
                -self.chance.randint(1, min(9, len(self.guests)))
            )
            profile = self.chance.choice(self.profiles)
            gains = await self._all("standings", "credit", race, seat, profile)
            if self.chance.random() < 0.5:  # again
                await self._all("standings", "credit", race, seat, profile)
            self.attempts += gains is not None

    async def _delete(self) -> None:
        profile = self.profiles.pop(self.chance.randrange(len(self.profiles)))
        for race, _ in await self._all("standings", "races_with_others", profile):
            await self._all("standings", "replace_record", race, b'{"redacted":true}')
        await self._all("standings", "delete_profile", profile)


async def seen(
    store: ResultsStore, profiles: Sequence[str], every: int = 1
) -> dict[str, object]:
    """Return everything that a store says about profiles and leaderboards.

    Args:
        store: the store.
        profiles: the profiles.
        every: only each profile and leaderboard of so many.
    """
    standings = store.standings
    found: dict[str, object] = {}
    for one in profiles[::every]:
        found[one] = (
            await standings.profile(one),
            await standings.tallies(one),
            await standings.tallies(one, public_only=True),
            [await standings.history(one, event, None, 9_999) for event in set(EVENTS)],
        )
    days = range(FIRST_DAY, FIRST_DAY + DAYS, 91)
    per_day: tuple[Span, ...] = ("month", "day", "daily")
    spans: list[tuple[Span, int]] = [("all", 0), *product(per_day, days)]
    boards = [*product(set(EVENTS), KINDS, set(INPUTS), spans)]
    for event, kind, slid, (span, day) in boards[::every]:
        query = BoardQuery(event, kind, slid, span, day)
        board = await standings.board(query, profiles[3], limit=10)
        if board.total:
            found[str(query)] = board
    return found


CACHES = (
    "SELECT profile, event, tally FROM tally ORDER BY 1, 2",
    """
    SELECT profile, event, kind, input, period, value_ms, race, started_ms, used
    FROM best ORDER BY 1, 2, 3, 4, 5
    """,
)


async def caches(store: Any) -> list[list[tuple[object, ...]]]:
    """Return the rows of the caches in a database."""
    return [[tuple(row) for row in await store.standings._rows(one)] for one in CACHES]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("adapter", "attempts"),
    # An answer of PostgreSQL takes a millisecond, and three in a debugged event loop.
    [("sqlite", TIER.attempts), ("postgresql", max(300, TIER.attempts // 6))],
)
async def test_a_recount_finds_what_was_added_up_in_a_year(
    adapter: str, attempts: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    memory = MemoryStore()
    database = await results_store(adapter, tmp_path, request)
    every = 9 if adapter == "postgresql" else 1
    async with memory, database:
        year = Year((memory, database), random.Random(3))  # noqa: S311
        await year.live(attempts)
        before = await seen(memory, year.profiles, every)
        assert await seen(database, year.profiles, every) == before
        rows = await caches(database)
        counted = [await store.standings.recount() for store in (memory, database)]
        assert counted[0] == counted[1] > attempts / 2
        assert await caches(database) == rows
        for store in (memory, database):
            assert await seen(store, year.profiles, every) == before
    assert year.created > PROFILES  # some were deleted
    assert year.pruned_ms
    assert len(rows[1]) > attempts / 2


async def test_several_processes_may_store_races_of_the_same_profiles(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rooms.db"
    memory, sqlite = MemoryStore(), SqliteStore(path, "process")
    async with memory, sqlite:
        year = Year((memory, sqlite), random.Random(9))  # noqa: S311
        await year.live(1)  # creates the profiles
        async with connect(path, "rw") as one, connect(path, "rw") as two:
            processes = [(one, BestTimes()), (two, BestTimes())]
            sqlite.results.store = processes_store(processes)  # type: ignore[method-assign]
            await year.live(120)  # the gains of each race are compared
        rows = await caches(sqlite)
        await sqlite.standings.recount()
        assert await caches(sqlite) == rows


def processes_store(processes: list[tuple[Connection, BestTimes]]) -> Any:
    """Return a method that lets another process store each race."""

    async def store(race: StoredRace) -> list[AttemptGains]:
        processes.reverse()
        connection, places = processes[0]
        return await connection.call(storing.store, places, race)

    return store


@pytest.mark.parametrize("adapter", RESULTS_ADAPTERS)
async def test_a_recount_repairs_the_caches(
    adapter: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    async with await results_store(adapter, tmp_path, request) as store:
        year = Year((store,), random.Random(8))  # noqa: S311
        await year.live(60)
        before = await seen(store, year.profiles, 9)
        standings: Any = store.standings
        if adapter == "memory":
            for one in standings._profiles.values():
                one.tallies, one.bests = {}, {}
        else:
            await standings._change("UPDATE best SET value_ms = 1")
            await standings._change("DELETE FROM tally")
        assert await seen(store, year.profiles, 9) != before
        await store.standings.recount()
        assert await seen(store, year.profiles, 9) == before
