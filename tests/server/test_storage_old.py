"""A database of the first release is migrated, and its race continues."""

import asyncio
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from tests.e2e.protocol_client import connected, running_server, solution

from sliderace.protocol import messages as m
from sliderace_server.storage import StoreRefused, open_store
from sliderace_server.storage.sqlite.schema import inspect, migrations

OLD = Path(__file__).with_name("version_1.sql")
CODE, BOARD = "NWNTMB", "5 1 3/2 6 4/7 8 0"
ANN = "e50a4f999dbdb6f8a38243a74eb3a4ce"
BEN = "f1ae6fca214fdad54f9a8d0e37235a30"
RACE = "VFFRKB-S4BTGS-1"

RELEASED = (
    "d76d1685c3e9",
    "5ba6baa490e7",
    "a5f207204f57",
    "cc0f1afa6570",
    "849e0e117649",
)
"""The first digits of the SHA-256 of each released migration."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The database file of the first release."""
    path = tmp_path / "rooms.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OLD.read_text("utf-8"))
    return path


async def test_a_database_of_the_first_release_keeps_rooms_and_races(
    path: Path,
) -> None:
    async with running_server(store=open_store(f"sqlite:{path}")) as server:
        assert server.registry.health()["rooms"] == 1
        [race] = await server.registry.races(None, None, public_only=False, limit=9)
        assert (race.id, race.attempts[0].name) == (RACE, "Player 1")
        assert await server.registry.record(RACE)
        ann = m.Resume(code=CODE, token=ANN)
        async with connected(server.port, ann) as back:
            assert (back.seat, back.seq) == (0, 5)
            assert back.epoch > 1
            snapshot = await back.until(m.Snapshot)
            assert (snapshot.phase, snapshot.race.start) == ("racing", BOARD)
            await back.send(back.slides(solution(back.board)))
            done = await back.until(m.StandingEvent, lambda e: e.standing.place == 1)
            assert done.standing.stm > 5
        ben = m.Resume(code=CODE, token=BEN)
        async with connected(server.port, ben) as back:
            assert (back.seat, back.seq) == (1, 2)
    assert await asyncio.to_thread(version, path) == len(RELEASED)


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return inspect(db, len(migrations()))


def test_a_database_that_cannot_be_migrated_is_not_changed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE resting (something_else)")
        before = list(db.iterdump())
    store = open_store(f"sqlite:{path}")
    with pytest.raises(StoreRefused, match="already exists"):
        asyncio.run(store.__aenter__())
    with closing(sqlite3.connect(path)) as db:
        assert list(db.iterdump()) == before
    assert version(path) == 1


def test_a_released_migration_never_changes() -> None:
    digests = [sha256(script.encode()).hexdigest() for script in migrations()]
    for digest, begin in zip(digests, RELEASED, strict=True):
        assert digest.startswith(begin)


async def test_a_race_of_the_third_schema_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "rooms.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OLD.with_name("version_3.sql").read_text("utf-8"))
    ann = m.Resume(code="ZZJQTC", token="8ec3310a2dd286c495604f41a9e2980a")
    ben = m.Resume(code="ZZJQTC", token="595b2426f6185c844ac199b4c9ecddd4")
    for races_left in (1, 0):  # the second time it was written by this program
        async with running_server(store=open_store(f"sqlite:{path}")) as server:
            assert server.registry.health()["rooms"] == 1
            async with connected(server.port, ben) as back:
                assert (back.seat, back.seq) == (1, 2)
            async with connected(server.port, ann) as back:
                if races_left:
                    assert (back.seat, back.seq) == (0, 5)
                    await back.send(back.slides(solution(back.board)))
                    await back.until(m.StandingEvent, lambda e: e.standing.place == 1)
                else:
                    snapshot = await back.until(m.Snapshot)
                    assert snapshot.race.start == "6 4 3/2 5 7/8 0 1"
    assert await asyncio.to_thread(version, path) == len(RELEASED)
