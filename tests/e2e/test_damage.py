"""A database that is damaged, removed or shared is noticed and reported."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.chaos.server_process import ServerProcess
from tests.e2e.protocol_client import (
    ProtocolClient,
    connected,
    eventually,
    running_race,
    running_server,
)

from sliderace.protocol import messages as m
from sliderace_server.app import Server
from sliderace_server.storage import StoreRefused
from sliderace_server.storage.sqlite.store import SqliteStore

PAGE = 4_096


def damage_results(database: Path) -> None:
    """Overwrite the first page of each index of the table of races."""
    with closing(sqlite3.connect(database)) as connection:
        query = """
            SELECT rootpage FROM sqlite_master
            WHERE type = 'index' AND tbl_name = 'race'
            """
        pages = [page for (page,) in connection.execute(query)]
    assert pages
    content = bytearray(database.read_bytes())
    for page in pages:
        content[(page - 1) * PAGE : page * PAGE] = b"\xa5" * PAGE
    database.write_bytes(content)


async def problems(server: Server, *expected: str) -> bool:
    health = server.view.health()
    assert health["status"] == ("degraded" if health["problems"] else "ok")
    return list(health["problems"]) == [*expected]


async def test_results_that_cannot_be_stored_are_reported(tmp_path: Path) -> None:
    database = tmp_path / "rooms.db"
    async with SqliteStore(database):
        pass
    await asyncio.to_thread(damage_results, database)
    async with (
        running_server(store=SqliteStore(database)) as server,
        running_race(server.port, 1) as (ann,),
    ):
        assert await problems(server)
        await ann.solve()
        await ann.until(m.Results)
        await eventually(lambda: problems(server, "results_failing"))
        registry = server.registry
        assert registry.stored_everything
    assert not registry.stored_everything


@pytest.mark.slow
@pytest.mark.timeout(60)
async def test_the_exit_code_says_that_something_was_not_stored(tmp_path: Path) -> None:
    def stopped() -> int:
        server.signal()
        return server.end()

    server = ServerProcess(tmp_path, "--log-level", "warning")
    await asyncio.to_thread(server.start)
    assert await asyncio.to_thread(stopped) == 0
    await asyncio.to_thread(damage_results, server.database)
    await asyncio.to_thread(server.start)
    async with running_race(server.port, 1) as (ann,):
        await ann.solve()
        await ann.until(m.Results)
        assert await asyncio.to_thread(stopped) == 4
    assert "stopped before everything was stored" in server.log.read_text()


@pytest.mark.parametrize("suffix", ["", "-wal", ".lock"])
@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
async def test_a_file_that_is_removed_or_replaced_while_in_use_is_noticed(
    tmp_path: Path, suffix: str, replaced: bool
) -> None:
    """SQLite would go on writing to a file without a name, and acknowledge it."""
    database = tmp_path / "rooms.db"
    file, aside = Path(f"{database}{suffix}"), tmp_path / "aside"
    async with (
        running_server(store=SqliteStore(database)) as server,
        running_race(server.port, 2) as (ann, ben),
    ):
        await eventually(lambda: problems(server))
        await asyncio.to_thread(file.rename, aside)
        if replaced:  # by an equal copy, as a restore by hand may do
            await asyncio.to_thread(shutil.copy, aside, file)
        async with asyncio.timeout(5):
            await eventually(lambda: problems(server, "storage_lost"))
        async with connected(server.port) as late:
            await late.send(m.Hello(v=1, enter=m.Create(name="Late")))
            assert (await late.until(m.Refused)).code == "storage_unavailable"
        await not_acked(ann, ben)
        await asyncio.to_thread(aside.rename, file)
        await ann.acked(ann.seq)
        await eventually(lambda: problems(server))


async def not_acked(ann: ProtocolClient, ben: ProtocolClient) -> None:
    """Solve; the others see it, but no ack may come."""
    ann.received.clear()
    await ann.solve()
    await ben.until(m.Progress, lambda event: event.p[0].high == 1_000)
    await ann.sync()
    assert not [event for event in ann.received if isinstance(event, m.Ack)]


async def test_a_database_with_a_second_name_is_refused(tmp_path: Path) -> None:
    database, other = tmp_path / "rooms.db", tmp_path / "other.db"
    async with SqliteStore(database):
        await asyncio.to_thread(other.hardlink_to, database)
        with pytest.raises(StoreRefused, match="hard link"):
            await SqliteStore(other).__aenter__()
    await asyncio.to_thread(other.unlink)
    async with SqliteStore(database):
        pass
