"""Old races can be deleted, and the file shrinks."""

import asyncio
from pathlib import Path

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import FastClock, eventually, running_server
from tests.server.test_storage import race
from tests.server.test_storage_old import fifth
from tests.server.test_storage_standings import ANN, create, race as profile_race, row

from sliderace_server.storage import StoredRace, StoreHeld, StoreRefused, prune
from sliderace_server.storage.memory import MemoryStore
from sliderace_server.storage.sqlite import pruning
from sliderace_server.storage.sqlite.store import SqliteStore

RECORD = bytes(100_000)
DAY_MS = 86_400_000


async def store_races(path: Path, count: int) -> None:
    async with SqliteStore(path) as store:
        for number in range(count):
            summary = race(f"R-{number}", started_ms=number).summary
            await store.results.store(StoredRace(summary, RECORD))


async def test_pruning_makes_the_file_smaller(tmp_path: Path) -> None:
    path = tmp_path / "rooms.db"
    await store_races(path, 20)
    before = path.stat().st_size
    assert await asyncio.to_thread(prune, path, 18) == 18
    assert path.stat().st_size < before / 4
    async with SqliteStore(path) as store:
        assert len(await store.results.races()) == 2
        with pytest.raises(StoreHeld):
            await asyncio.to_thread(prune, path, 99)


async def test_pruning_a_stopped_server_keeps_what_profiles_did(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rooms.db"
    async with SqliteStore(path) as store:
        await create(store, ANN)
        for number in range(6):
            rows = (row(0, ANN, 9_000 - number), row(1, None))
            await store.results.store(profile_race(number, *rows, at_ms=number))
        await store.results.store(race("R-1", started_ms=1))
        before = await store.standings.tallies(ANN)
    assert await asyncio.to_thread(prune, path, 5) == 6
    assert await asyncio.to_thread(prune, path, 5) == 0
    async with SqliteStore(path) as store:
        assert len(await store.results.races()) == 1
        assert len(await store.standings.history(ANN, "4x4", None, 9)) == 6
        assert await store.standings.recount() == 6
        assert await store.standings.tallies(ANN) == before


async def test_a_database_of_an_older_program_can_be_pruned(tmp_path: Path) -> None:
    path = await asyncio.to_thread(fifth, tmp_path)
    assert await asyncio.to_thread(prune, path, 1 << 50) == 1
    async with SqliteStore(path) as store:
        assert await store.results.races() == []
        assert len(await store.log.rooms()) == 1


async def test_a_missing_database_cannot_be_pruned(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match="there is no file"):
        await asyncio.to_thread(prune, tmp_path / "none.db", 0)


async def test_a_file_with_much_free_space_is_rewritten_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "FREE_PAGES", 10)
    path = tmp_path / "rooms.db"
    await store_races(path, 20)
    before = path.stat().st_size
    async with SqliteStore(path) as store:
        await store.results.prune(18)
    assert path.stat().st_size == before
    async with SqliteStore(path):
        pass
    assert path.stat().st_size < before / 4


@pytest.mark.parametrize(("keep", "left"), [(0, 2), (10, 1)])
async def test_a_server_deletes_the_races_that_are_too_old(
    keep: int, left: int
) -> None:
    clock, store = FastClock(), MemoryStore()
    async with store:
        for number, days in enumerate((9, 11)):
            started = clock.wall_ms() - days * DAY_MS
            await store.results.store(race(f"R-{number}", started_ms=started))
    async with running_server(store=store, clock=clock, keep=keep) as server:
        await eventually(lambda: _count_is(store, left))
        assert server.view.health()["status"] == "ok"


async def test_a_running_server_deletes_old_races_once_a_day() -> None:
    clock, store = ManualClock(), MemoryStore()
    started = clock.wall_ms() - 10 * DAY_MS + DAY_MS // 4
    async with store:
        await store.results.store(race("R-1", started_ms=started))
    async with running_server(store=store, clock=clock, keep=10):
        await _pass_time(clock, 0)
        for _ in range(2):  # too old after a quarter of a day, but that is not yet seen
            await _pass_time(clock, DAY_MS // 3)
            assert await _count_is(store, 1)
        await _pass_time(clock, DAY_MS // 3)
        await eventually(lambda: _count_is(store, 0))


async def _pass_time(clock: ManualClock, ms: int) -> None:
    """Let time pass, and a heartbeat after it; run what that started."""
    clock.stall(ms)
    clock.advance(1_000)
    for _ in range(9):
        await asyncio.sleep(0)


async def _count_is(store: MemoryStore, count: int) -> bool:
    return len(await store.results.races()) == count
