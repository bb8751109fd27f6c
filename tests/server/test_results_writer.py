"""Finished races are stored, one after the other, despite failures."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

import pytest
from tests.e2e.protocol_client import FastClock

from sliderace_server.registry.results_writer import ResultsWriter
from sliderace_server.storage import (
    AttemptGains,
    RaceSummary,
    StorageUnavailable,
    StoredRace,
)

GAINS = AttemptGains("KWXTRBCD", 0, True, (), 1, 1)


def race(number: int, room: str = "KWXTRB") -> StoredRace:
    race_id = f"{room}-S0-{number}"
    summary = RaceSummary(race_id, room, 0, "4x4", False, ())
    return StoredRace(summary, race_id.encode())


class FlakyResults:
    """Results that raise the given errors first."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.stored: list[str] = []

    async def store(self, race: StoredRace) -> list[AttemptGains]:
        if self.errors:
            raise self.errors.pop(0)
        self.stored.append(race.summary.id)
        return [GAINS]

    async def races(self, *_: object, **__: object) -> list[RaceSummary]:
        return []

    async def prune(self, before_ms: int) -> int:
        return 0 * before_ms

    async def summary(self, race_id: str) -> RaceSummary | None:
        raise KeyError(race_id)

    async def record(self, race_id: str) -> bytes | None:
        return race_id.encode() if race_id in self.stored else None


async def stored_by(results: FlakyResults, *races: StoredRace) -> list[str]:
    """Store races; return the ids that are reported as stored."""
    stored: list[str] = []
    async with asyncio.TaskGroup() as group:

        def spawn(work: Coroutine[Any, Any, None]) -> None:
            group.create_task(work)

        results_writer = ResultsWriter(results, spawn, FastClock())
        results_writer.stored = lambda race, gains: stored.append(
            f"{race.summary.id} {len(gains)}"
        )
        for one in races:
            results_writer.add(one)
        assert results_writer.race(races[0].summary.id) == races[0]
        assert results_writer.has_races_of("KWXTRB")
        states = [results_writer.idle]
    states.append(results_writer.idle)
    assert states == [False, True]
    assert results_writer.race(races[0].summary.id) is None
    assert not results_writer.has_races_of("KWXTRB")
    return stored


async def test_each_race_is_stored_once_in_order() -> None:
    results = FlakyResults()
    stored = await stored_by(results, race(1), race(2), race(1))
    assert results.stored == ["KWXTRB-S0-1", "KWXTRB-S0-2"]
    assert stored == ["KWXTRB-S0-1 1", "KWXTRB-S0-2 1"]  # each with its gains


async def test_failing_storage_loses_no_results_and_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    results = FlakyResults(StorageUnavailable("full"), StorageUnavailable("full"))
    await stored_by(results, race(1), race(2))
    assert results.stored == ["KWXTRB-S0-1", "KWXTRB-S0-2"]
    warnings = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert [one.message for one in warnings] == ["cannot store results"]


async def test_invalid_results_do_not_block_others() -> None:
    results = FlakyResults(ValueError("unfit"))
    await stored_by(results, race(1), race(2))
    assert results.stored == ["KWXTRB-S0-2"]
