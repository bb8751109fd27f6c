"""The contract of results, checked for every adapter."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.server.test_storage import ADAPTERS, CAT, race, url

from sliderace_server.storage import (
    ResultsStore,
    StoredRace,
    open_results,
    open_store,
)

RESULTS_ADAPTERS = [*ADAPTERS, "postgresql"]


async def results_store(
    adapter: str, folder: Path, request: pytest.FixtureRequest
) -> ResultsStore:
    """Return an empty store of results."""
    if adapter == "postgresql":
        server = request.getfixturevalue("postgres")
        return open_results(await server.empty_database())
    return open_store(url(adapter, folder))


@pytest.fixture(params=RESULTS_ADAPTERS)
async def store(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[ResultsStore]:
    async with await results_store(request.param, tmp_path, request) as opened:
        yield opened


async def test_a_stored_race_can_be_read(store: ResultsStore) -> None:
    stored = race("KWXTRB-1-1", 1_700_000_000_000)
    await store.results.store(stored)
    assert await store.results.races() == [stored.summary]
    assert await store.results.record("KWXTRB-1-1") == stored.record
    assert await store.results.record("KWXTRB-1-2") is None
    assert await store.results.summary("KWXTRB-1-1") == stored.summary
    assert await store.results.summary("KWXTRB-1-2") is None


async def test_a_race_keeps_its_day_and_until_when_its_record_is_sealed(
    store: ResultsStore,
) -> None:
    summary = replace(
        race("KWXTRB-1-1").summary,
        kind="daily",
        md=41,
        sealed_until_ms=1_700_000_000_000,
        day=20_787,
    )
    await store.results.store(StoredRace(summary, b"{}"))
    assert await store.results.summary("KWXTRB-1-1") == summary
    assert await store.results.races() == [summary]


async def test_a_race_is_stored_once(store: ResultsStore) -> None:
    first = race("KWXTRB-1-1")
    await store.results.store(first)
    other = replace(first.summary, size="3x3", attempts=(CAT,))
    await store.results.store(StoredRace(other, b"{}"))
    assert await store.results.races() == [first.summary]
    assert await store.results.record("KWXTRB-1-1") == first.record


async def test_races_are_listed_latest_first(store: ResultsStore) -> None:
    for id_, started, room in [("B", 2, "X"), ("A", 2, "Y"), ("C", 1, "X")]:
        await store.results.store(race(id_, started, room))
    public = replace(race("D", 3).summary, public=True)
    await store.results.store(StoredRace(public, b"{}"))

    async def ids(**wanted: object) -> list[str]:
        found = await store.results.races(**wanted)  # type: ignore[arg-type]
        return [summary.id for summary in found]

    assert await ids() == ["D", "B", "A", "C"]
    assert await ids(room="X") == ["B", "C"]
    assert await ids(room="nowhere") == []
    assert await ids(public_only=True) == ["D"]
    assert await ids(limit=2) == ["D", "B"]
    assert await ids(limit=2, before="B") == ["A", "C"]
    assert await ids(room="X", before="A") == ["C"]
    assert await ids(before="C") == []
    assert await ids(before="unknown") == []


async def test_old_races_can_be_deleted(store: ResultsStore) -> None:
    """Any number of them; the newer ones stay."""
    for number in range(250):
        await store.results.store(race(f"R-{number}", started_ms=number))
    assert await store.results.prune(248) == 248
    assert await store.results.prune(248) == 0
    assert [one.id for one in await store.results.races()] == ["R-249", "R-248"]
    assert await store.results.record("R-1") is None
    assert await store.results.summary("R-1") is None
