"""Races that ended reach the store, one after the other, whatever happens."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from tests.e2e.protocol_client import FastClock

from sliderace_server.registry.results_writer import ResultsWriter
from sliderace_server.storage import RaceSummary, StorageUnavailable, StoredRace


def race(number: int, room: str = "KWXTRB") -> StoredRace:
    race_id = f"{room}-S0-{number}"
    summary = RaceSummary(race_id, room, 0, "4x4", False, ())
    return StoredRace(summary, race_id.encode())


class Shelf:
    """Results that fail as often as they are told to."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.stored: list[str] = []

    async def store(self, race: StoredRace) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.stored.append(race.summary.id)

    async def races(self, *_: object, **__: object) -> list[RaceSummary]:
        return []

    async def record(self, race_id: str) -> bytes | None:
        return race_id.encode() if race_id in self.stored else None


async def kept(shelf: Shelf, *races: StoredRace) -> list[str]:
    told: list[str] = []
    async with asyncio.TaskGroup() as group:

        def spawn(work: Coroutine[Any, Any, None]) -> None:
            group.create_task(work)

        results_writer = ResultsWriter(shelf, spawn, FastClock())
        results_writer.stored = lambda race: told.append(race.summary.id)
        for one in races:
            results_writer.keep(one)
        assert results_writer.record(races[0].summary.id) == races[0].record
        assert results_writer.has_races_of("KWXTRB")
        states = [results_writer.idle]
    states.append(results_writer.idle)
    assert states == [False, True]
    assert results_writer.record(races[0].summary.id) is None
    assert not results_writer.has_races_of("KWXTRB")
    return told


async def test_each_is_stored_once_in_order() -> None:
    shelf = Shelf()
    told = await kept(shelf, race(1), race(2), race(1))
    assert told == shelf.stored == ["KWXTRB-S0-1", "KWXTRB-S0-2"]


async def test_while_the_storage_fails_nothing_is_lost() -> None:
    shelf = Shelf(StorageUnavailable("full"), StorageUnavailable("full"))
    await kept(shelf, race(1), race(2))
    assert shelf.stored == ["KWXTRB-S0-1", "KWXTRB-S0-2"]


async def test_one_that_cannot_be_stored_keeps_no_other_waiting() -> None:
    shelf = Shelf(ValueError("unfit"))
    await kept(shelf, race(1), race(2))
    assert shelf.stored == ["KWXTRB-S0-2"]
