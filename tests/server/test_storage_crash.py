"""Power failures, torn writes and crashes."""

import asyncio
import logging
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.server.test_storage_recount import caches
from tests.server.test_storage_sqlite import read_all
from tests.server.test_storage_standings import ANN, BEN, create, race, row

from sliderace_server.storage import (
    BoardQuery,
    StorageUnavailable,
    StoreRefused,
    backup,
    restore,
)
from sliderace_server.storage.sqlite.store import SqliteStore

FRAME = 4_096 + 24
"""A page in the write-ahead log, with its header."""
HEADER = 32
"""The header of the write-ahead log."""


def image(path: Path, to: Path) -> Path:
    """Copy the files as a power failure now would leave them."""
    to.mkdir()
    for side in ("", "-wal"):
        shutil.copyfile(f"{path}{side}", f"{to / path.name}{side}")
    return to / path.name


def wal_of(path: Path) -> Path:
    return Path(f"{path}-wal")


async def test_a_power_failure_loses_nothing_acknowledged(
    tmp_path: Path,
) -> None:
    """The disk has every acknowledged record, whatever follows it in the file.

    What follows: a commit that was never acknowledged, cut off at any byte, or torn:
    only some of its sectors were written.
    """
    chance = random.Random(6)  # noqa: S311
    path = tmp_path / "rooms.db"
    async with SqliteStore(path) as store:
        for acked in range(1, 13):
            record = b"%d" % acked * chance.randint(1, 6_000)
            await store.log.append("KWXTRB", acked - 1, [record])
            disk = image(path, tmp_path / f"acked-{acked}")
            flushed = wal_of(disk).stat().st_size
            await store.log.append(f"ROOM{acked}", 0, [b"not flushed"] * 20)
            unflushed = wal_of(path).read_bytes()[flushed:]
            await asyncio.to_thread(_check_tails, disk, unflushed, acked, chance)


def _check_tails(
    disk: Path, unflushed: bytes, acked: int, chance: random.Random
) -> None:
    whole = wal_of(disk).read_bytes()
    cut = chance.randrange(len(unflushed) + 1)
    torn = bytearray(unflushed)
    for at in range(0, len(torn), 512):
        if chance.random() < 0.3:
            torn[at : at + 512] = bytes(len(torn[at : at + 512]))
    garbage = chance.randbytes(2 * FRAME)
    for number, tail in enumerate((b"", unflushed[:cut], bytes(torn), garbage)):
        folder = disk.parent / str(number)
        folder.mkdir()
        shutil.copyfile(disk, folder / disk.name)
        wal_of(folder / disk.name).write_bytes(whole + tail)
        stored = asyncio.run(read_all(folder / disk.name))
        assert len(stored["KWXTRB"]) == acked
        assert all(r.startswith(b"%d" % n) for n, r in enumerate(stored["KWXTRB"], 1))
        extra = stored.get(f"ROOM{acked}", [])
        assert extra in ([], [b"not flushed"] * 20)  # all of a commit, or nothing


STRACE = shutil.which("strace")

WRITER = """
import asyncio, os, sys
from pathlib import Path
from sliderace_server.storage.sqlite.store import SqliteStore

async def main():
    async with SqliteStore(Path(sys.argv[1]), sys.argv[2]) as store:
        for n in range(5):
            os.write(1, b"asked\\n")
            await store.log.append("KWXTRB", n, [b"record"])
            os.write(1, b"acked\\n")

asyncio.run(main())
"""


@pytest.mark.skipif(STRACE is None, reason="strace is not installed")
@pytest.mark.parametrize(
    ("durability", "flushes"), [("full", True), ("process", False)]
)
def test_an_append_is_flushed_before_it_is_acknowledged(
    tmp_path: Path, durability: str, flushes: bool
) -> None:
    trace = tmp_path / "trace"
    calls = "trace=pwrite64,fdatasync,fsync,write"
    command = [str(STRACE), "-f", "-o", str(trace), "-e", calls, sys.executable, "-c"]
    done = subprocess.run(
        [*command, WRITER, str(tmp_path / "rooms.db"), durability],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
    )
    if done.returncode and b"ptrace" in done.stderr:
        pytest.skip("not allowed here: tracing a process")
    assert not done.returncode, done.stderr
    *appends, _ = trace.read_text().split('"asked')[2:]  # the first one makes the log
    assert len(appends) == 3
    for append in appends:
        asked = append.split('"acked')[0]
        written, *_ = asked.rpartition("pwrite64(")
        assert written
        assert ("sync(" in asked.rpartition("pwrite64(")[2]) == flushes


# --- Crashes -------------------------------------------------------------------------

CRASH = """
import asyncio, os, sys
from pathlib import Path
from sliderace_server.storage.sqlite.store import SqliteStore

async def main():
    async with SqliteStore(Path(sys.argv[1])) as store:
        for start in range(0, 50, 2):
            await store.log.append("KWXTRB", start, [bytes(1_000)] * 2)
        os._exit(9)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def _once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crashed") / "rooms.db"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", CRASH, str(path)]
    assert subprocess.run(command, env=environment, check=False).returncode == 9
    return path


@pytest.fixture
def crashed(_once: Path, tmp_path: Path) -> Path:
    """A database whose server crashed."""
    for side in ("", "-wal", ".lock"):
        shutil.copyfile(f"{_once}{side}", tmp_path / f"rooms.db{side}")
    return tmp_path / "rooms.db"


async def opened(path: Path) -> None:
    """Open a store and close it; if opening fails, no thread may remain."""
    async with SqliteStore(path):
        pass


def damage(path: Path) -> None:
    """Overwrite the root page of the log."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'log'"
        (page,) = db.execute(query).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4_096)
        file.write(b"\xff" * 4_096)


async def test_after_a_crash_the_file_is_checked_and_a_warning_logged(
    crashed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with SqliteStore(crashed) as store:
        assert len(await store.log.read("KWXTRB")) == 50
    warning = "did not shut down cleanly"
    assert warning in caplog.text
    caplog.clear()
    async with SqliteStore(crashed):
        pass
    assert warning not in caplog.text


@pytest.mark.parametrize("sign", ["lock", "wal"])
async def test_a_crash_is_detected_by_the_lock_file_or_the_log_file(
    crashed: Path, sign: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    if sign == "lock":
        with closing(sqlite3.connect(crashed)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    else:
        crashed.with_name("rooms.db.lock").unlink()
    async with SqliteStore(crashed):
        assert "did not shut down cleanly" in caplog.text


async def test_a_damaged_file_is_refused_until_it_is_restored(
    crashed: Path, tmp_path: Path
) -> None:
    whole = image(crashed, tmp_path / "whole")
    damage(crashed)
    for _ in range(2):
        with pytest.raises(StoreRefused, match="it is damaged"):
            await opened(crashed)
    shutil.copyfile(whole, crashed)
    shutil.copyfile(wal_of(whole), wal_of(crashed))
    async with SqliteStore(crashed) as store:
        assert len(await store.log.read("KWXTRB")) == 50


@pytest.mark.parametrize(
    "hole",
    [
        "DELETE FROM log WHERE start = 8",
        "DELETE FROM log WHERE start = 0",
        "DELETE FROM log WHERE start = (SELECT max(start) FROM log)",
        "UPDATE log SET before = NULL WHERE start = 8",
        "UPDATE log SET before = id WHERE start = 8",
        "UPDATE log SET count = 1 WHERE start = 8",
        "UPDATE room SET records = 49",
        "UPDATE room SET last = 1",
        """INSERT INTO log SELECT 99, room, before, start, count, sizes, records
        FROM log WHERE start = 8""",
        "UPDATE log SET sizes = '2000' WHERE start = 8",
        "UPDATE log SET sizes = '1000,999' WHERE start = 8",
        "UPDATE log SET sizes = '1000,1000,' WHERE start = 8",
        "UPDATE log SET records = x'00' WHERE start = 8",
    ],
)
async def test_missing_records_are_detected_as_damage(crashed: Path, hole: str) -> None:
    with closing(sqlite3.connect(crashed, isolation_level=None)) as db:
        db.execute(hole)
    with pytest.raises(StoreRefused, match="records of room KWXTRB are missing"):
        await opened(crashed)


async def test_attempts_without_their_race_are_detected_as_damage(
    crashed: Path,
) -> None:
    with closing(sqlite3.connect(crashed, isolation_level=None)) as db:
        insert = """
            INSERT INTO attempt (race, seat, rank, name, bot, status, stm, mtm)
                VALUES ('A', 0, 0, 'Ann', 0, 'dnf', 0, 0)
            """
        db.execute(insert)
    with pytest.raises(StoreRefused, match="a race is missing"):
        await opened(crashed)


# --- Profiles ------------------------------------------------------------------------

RACES = 12
"""Races of two profiles whose storing is interrupted."""


async def store_races(store: SqliteStore, first: int, count: int) -> None:
    for number in range(first, first + count):
        rows = (row(0, ANN, 9_000 - number), row(1, BEN, 8_000 + number))
        await store.results.store(race(number, *rows))


async def check_caches(path: Path) -> int:
    """Check that a recount changes nothing; return the number of races."""
    async with SqliteStore(path) as store:
        races = await store.results.races(limit=10_000)
        before = await caches(store)
        counted = await store.standings.recount()
        assert counted == 2 * len(races)
        assert await caches(store) == before
        for profile in (ANN, BEN):
            tallies = await store.standings.tallies(profile)
            assert sum(one.attempts for one in tallies) == len(races)
        return len(races)


async def test_a_power_failure_leaves_races_and_tallies_consistent(
    tmp_path: Path,
) -> None:
    """Whichever part of the last commit is on the disk."""
    chance = random.Random(9)  # noqa: S311
    path = tmp_path / "rooms.db"
    async with SqliteStore(path) as store:
        await create(store, ANN, BEN)
        for stored in range(1, RACES):
            await store_races(store, stored, 1)
            disk = image(path, tmp_path / f"stored-{stored}")
            flushed = wal_of(disk).stat().st_size
            await store_races(store, RACES + stored, 1)
            whole = wal_of(path).read_bytes()
            cut = chance.randrange(flushed, len(whole) + 1)
            wal_of(disk).write_bytes(whole[:cut])
            found = await asyncio.to_thread(asyncio.run, check_caches(disk))
            assert found in (2 * stored - 1, 2 * stored)


KILLED = """
import asyncio, sys
from pathlib import Path
from sliderace_server.storage.sqlite.store import SqliteStore
from tests.server.test_storage_crash import create, store_races, ANN, BEN

async def main():
    async with SqliteStore(Path(sys.argv[1])) as store:
        await create(store, ANN, BEN)
        for number in range(10_000):
            await store_races(store, number, 1)
            print(number + 1, flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("killed_after", [1, 8, 21])
def test_a_server_killed_while_storing_leaves_no_race_without_its_tallies(
    tmp_path: Path, killed_after: int
) -> None:
    path = tmp_path / "rooms.db"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED, str(path)]
    acknowledged = 0
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=environment, text=True
    ) as child:
        assert child.stdout is not None
        for line in child.stdout:
            acknowledged = int(line) if line.endswith("\n") else acknowledged
            if acknowledged == killed_after:
                child.kill()  # what the pipe still holds was acknowledged too
    assert acknowledged >= killed_after
    found = asyncio.run(check_caches(path))
    assert found - acknowledged in (0, 1)  # one in flight


async def test_a_store_that_fails_or_is_cancelled_leaves_no_wrong_tally(
    tmp_path: Path,
) -> None:
    """What is kept in memory is read again."""
    path = tmp_path / "rooms.db"
    async with SqliteStore(path, max_pages=60) as store:
        await create(store, ANN, BEN)
        await store_races(store, 1, 3)
        large = replace(race(4, row(0, ANN, 1), row(1, BEN)), record=bytes(300_000))
        with pytest.raises(StorageUnavailable, match="full"):
            await store.results.store(large)
        await store_races(store, 5, 1)
        for number in range(6, 10):
            storing = asyncio.create_task(store_races(store, number, 1))
            for _ in range(number - 6):
                await asyncio.sleep(0)
            storing.cancel()
            await asyncio.wait([storing])
            await store_races(store, 10 + number, 1)
    assert await check_caches(path) >= 8


async def test_backup_and_restore_keep_profiles(tmp_path: Path) -> None:
    path, copy = tmp_path / "rooms.db", tmp_path / "copy.db"
    async with SqliteStore(path) as store:
        await create(store, ANN, BEN)
        await store_races(store, 1, 3)
        before = await store.standings.board(BoardQuery("4x4"))
        await asyncio.to_thread(backup, path, copy)
        await store_races(store, 4, 3)
    await asyncio.to_thread(restore, copy, path)
    async with store:  # it must not remember what came after the backup
        assert await store.standings.board(BoardQuery("4x4")) == before
        found = await store.standings.identify(f"key of {ANN}", 0)
        assert found is not None
        await store_races(store, 9, 1)
    assert await check_caches(path) == 4
