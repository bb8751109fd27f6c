"""A database that several worker processes share, with one log file for each."""

import asyncio
import os
from pathlib import Path

import pytest
from tests.server.test_storage_standings import ANN, BEN, create, race, row

from sliderace_server.storage import (
    StoreHeld,
    StoreRefused,
    backup,
    locked_for_workers,
    open_store,
    restore,
)
from sliderace_server.storage.placement import worker_of
from sliderace_server.storage.sqlite.log_files import log_files

CODES = ["KWXTRB", "BCDFGH", "TRBKWX", "HGFDCB", "WXKTBR", "ZZWKTB"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rooms.db"


def records(code: str) -> list[bytes]:
    return [f"{code} {n}".encode() for n in range(5)]


async def logs(path: Path, workers: int) -> dict[str, tuple[int, list[bytes]]]:
    """Return worker and records of all rooms, each in one file."""
    found: dict[str, tuple[int, list[bytes]]] = {}
    for worker in range(workers):
        where = (worker, workers) if workers > 1 else None
        async with open_store(f"sqlite:{path}", worker=where) as store:
            for code in await store.log.rooms():
                assert code not in found
                assert await store.log.length(code) == 5
                found[code] = worker, await store.log.read(code)
    return found


async def with_rooms(path: Path) -> None:
    async with open_store(f"sqlite:{path}") as store:
        for code in CODES:
            await store.log.append(code, 0, records(code)[:2])
            await store.log.append(code, 2, records(code)[2:])
        await store.log.trim(CODES[0], 3)
        await store.log.append("DROPPD", 0, [b"x"])
        await store.log.drop("DROPPD", now_ms=0, reserve_ms=1_000)


def test_each_room_is_in_the_log_of_its_worker_whatever_their_number(
    path: Path,
) -> None:
    asyncio.run(with_rooms(path))
    for workers in (2, 3, 2, 1):
        if workers > 1:
            with locked_for_workers(path, workers):
                found = asyncio.run(logs(path, workers))
        else:
            found = asyncio.run(logs(path, workers))
        for code in CODES:
            left = records(code)[3:] if code == CODES[0] else records(code)
            assert found[code] == (worker_of(code, workers), left)
        assert len(log_files(path)) == (workers if workers > 1 else 0)


def test_the_codes_of_closed_rooms_stay_reserved(path: Path) -> None:
    asyncio.run(with_rooms(path))
    with locked_for_workers(path, 2):
        worker = worker_of("DROPPD", 2)

        async def reserved() -> dict[str, int]:
            async with open_store(f"sqlite:{path}", worker=(worker, 2)) as store:
                return await store.log.reserved_codes(0)

        assert asyncio.run(reserved()) == {"DROPPD": 1_000}


def test_a_crash_between_copy_and_deletion_does_no_harm(path: Path) -> None:
    asyncio.run(with_rooms(path))
    before = path.read_bytes()
    with locked_for_workers(path, 2):
        pass
    path.write_bytes(before)  # as if nothing had been deleted
    for workers in (2, 3, 1):
        with locked_for_workers(path, workers):
            pass
    found = asyncio.run(logs(path, 1))
    assert sorted(found) == sorted(CODES)


def test_a_backup_contains_the_rooms_of_all_workers(path: Path) -> None:
    copy = path.with_name("copy.db")
    asyncio.run(with_rooms(path))
    with locked_for_workers(path, 2):
        backup(path, copy)
    assert len(log_files(path)) == 2
    restore(copy, path)
    assert log_files(path) == []
    assert sorted(asyncio.run(logs(path, 1))) == sorted(CODES)
    assert len([*path.parent.glob("rooms.db.replaced.worker-?")]) == 2


def test_a_damaged_log_file_is_named(path: Path) -> None:
    with locked_for_workers(path, 2):
        pass
    path.with_name("rooms.db.worker-1").write_bytes(b"no database" * 500)
    with (
        pytest.raises(StoreRefused, match=r"rooms\.db\.worker-1: "),
        locked_for_workers(path, 2),
    ):
        pass
    with pytest.raises(StoreRefused, match=r"rooms\.db\.worker-1: "):
        asyncio.run(logs(path, 1))


def test_only_one_server_holds_the_database(path: Path) -> None:
    with (
        locked_for_workers(path, 2),
        pytest.raises(StoreHeld, match=str(os.getpid())),
        locked_for_workers(path, 3),
    ):
        pass


def test_bests_are_right_though_two_processes_store_attempts(path: Path) -> None:
    """Their totals are the same as those of a recount."""
    with locked_for_workers(path, 2):
        asyncio.run(store_attempts(path))


async def store_attempts(path: Path) -> None:
    async with (
        open_store(f"sqlite:{path}", worker=(0, 2)) as one,
        open_store(f"sqlite:{path}", worker=(1, 2)) as two,
    ):
        await create(one, ANN, BEN)
        for n in range(0, 20, 2):
            await asyncio.gather(
                *(
                    store.results.store(
                        race(n + i, row(0, ANN, 9_000 - n), row(1, BEN, 8_000 + n))
                    )
                    for i, store in enumerate((one, two))
                )
            )
        stored = [await one.standings.tallies(who) for who in (ANN, BEN)]
        assert stored[0][0].attempts == 20
        assert await two.standings.recount() == 40
        assert [await two.standings.tallies(who) for who in (ANN, BEN)] == stored
