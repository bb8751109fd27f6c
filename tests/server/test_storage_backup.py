"""Backup, also while a server writes, and restore."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sliderace_server.storage import StoreHeld, StoreRefused, restore
from sliderace_server.storage.sqlite.backup import backup
from sliderace_server.storage.sqlite.store import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rooms.db"


async def length(path: Path, room: str = "KWXTRB") -> int:
    async with SqliteStore(path) as store:
        return len(await store.log.read(room))


async def write_one(path: Path) -> None:
    async with SqliteStore(path) as store:
        await store.log.append("KWXTRB", 0, [b"one"])


async def test_a_backup_can_be_made_while_a_server_writes(
    path: Path, tmp_path: Path
) -> None:
    target = tmp_path / "copy.db"
    ended = asyncio.Event()
    async with SqliteStore(path) as store, asyncio.TaskGroup() as group:

        async def write(room: str) -> None:
            position = 0
            while not ended.is_set() or position < 50:
                batch = [b"x" * 500, b"y"]  # together, or not at all
                await store.log.append(room, position, batch)
                position += 2

        for room in ("BBBBBB", "CCCCCC"):
            group.create_task(write(room))
        await store.log.append("KWXTRB", 0, [b"acknowledged before"])
        await asyncio.to_thread(backup, path, target)
        ended.set()
    async with SqliteStore(target) as copy:
        assert await copy.log.read("KWXTRB") == [b"acknowledged before"]
        for room in ("BBBBBB", "CCCCCC"):
            assert len(await copy.log.read(room)) % 2 == 0
    assert target.stat().st_mode & 0o777 == 0o600


async def test_restore_replaces_the_database_and_keeps_the_old_one(
    path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    async with SqliteStore(path) as store:
        await store.log.append("KWXTRB", 0, [b"one"])
        await asyncio.to_thread(backup, path, copy)
        await store.log.append("KWXTRB", 1, [b"two"])
        with pytest.raises(StoreHeld):
            await asyncio.to_thread(restore, copy, path)
    await asyncio.to_thread(restore, copy, path)
    assert await length(path) == 1
    assert await length(tmp_path / "rooms.db.replaced") == 2
    with pytest.raises(StoreRefused, match="exists already"):
        await asyncio.to_thread(restore, copy, path)
    assert await length(path) == 1


async def test_restore_moves_the_old_write_ahead_log_away(
    path: Path, tmp_path: Path
) -> None:
    """After a crash the old write-ahead log exists, with newer pages."""
    copy = tmp_path / "copy.db"
    async with SqliteStore(path) as store:
        await store.log.append("KWXTRB", 0, [b"one"])
        await asyncio.to_thread(backup, path, copy)
        await store.log.append("KWXTRB", 1, [b"two"] * 9)
        wal = Path(f"{path}-wal").read_bytes()
    Path(f"{path}-wal").write_bytes(wal)
    await asyncio.to_thread(restore, copy, path)
    assert not Path(f"{path}-wal").exists()
    assert Path(f"{path}.replaced-wal").read_bytes() == wal
    assert await length(path) == 1


async def test_records_of_dropped_rooms_belong_to_no_room_after_a_restore(
    path: Path, tmp_path: Path
) -> None:
    """The copy contains the numbers of dropped rooms, which are not reused."""
    copy = tmp_path / "copy.db"
    async with SqliteStore(path) as store:
        await store.log.drop("ZZZZZZ")  # the first one sweeps, the next ones do not
        await store.log.append("KWXTRB", 0, [b"old"] * 3)
        await store.log.append("KWXTRB", 3, [b"old"])
        await store.log.drop("KWXTRB")
        await asyncio.to_thread(backup, path, copy)
    fresh = tmp_path / "new" / "rooms.db"
    await asyncio.to_thread(restore, copy, fresh)
    Path(f"{fresh}.lock").write_text("1")  # checked at the start, as after a crash
    async with SqliteStore(fresh) as store:
        assert await store.log.rooms() == []
        for room in ("KWXTRB", "BCDFGH"):
            await store.log.append(room, 0, [b"new"])
    Path(f"{fresh}.lock").write_text("1")
    async with SqliteStore(fresh) as store:
        await store.log.drop("ZZZZZZ")
        for room in ("KWXTRB", "BCDFGH"):
            assert await store.log.read(room) == [b"new"]


def test_a_backup_can_be_restored_on_a_new_machine(path: Path, tmp_path: Path) -> None:
    asyncio.run(write_one(path))
    backup(path, tmp_path / "copy.db")  # with no server running
    fresh = tmp_path / "new" / "rooms.db"
    restore(tmp_path / "copy.db", fresh)
    assert asyncio.run(length(fresh)) == 1
    assert fresh.stat().st_mode & 0o777 == 0o600


def test_restoring_an_invalid_file_changes_nothing(path: Path, tmp_path: Path) -> None:
    asyncio.run(write_one(path))
    before = path.read_bytes()
    for name, content in {
        "missing": None,
        "empty": b"",
        "notes": b"milk, eggs\n" * 400,
        "half": before[: len(before) // 2],
    }.items():
        copy = tmp_path / name
        if content is not None:
            copy.write_bytes(content)
        with pytest.raises(StoreRefused, match=f"cannot replace .* with .*{name}"):
            restore(copy, path)
    with closing(sqlite3.connect(tmp_path / "photos.db")) as other:
        other.execute("CREATE TABLE photo (name)")
    with pytest.raises(StoreRefused, match="database of another program"):
        restore(tmp_path / "photos.db", path)
    assert path.read_bytes() == before


def test_a_backup_overwrites_nothing_and_leaves_no_partial_file(
    path: Path, tmp_path: Path
) -> None:
    target = tmp_path / "copy.db"
    with pytest.raises(StoreRefused, match="there is no file"):
        backup(path, target)
    asyncio.run(write_one(path))
    target.write_text("important")
    with pytest.raises(StoreRefused, match="exists already"):
        backup(path, target)
    assert target.read_text() == "important"
    with pytest.raises(StoreRefused, match="No such file"):
        backup(path, tmp_path / "nowhere" / "copy.db")
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"copy.db", "rooms.db", "rooms.db.lock"}
