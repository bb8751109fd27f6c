"""A database of the first release is migrated, and its race continues."""

import asyncio
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from tests.e2e.protocol_client import connected, running_server, solution

from sliderace.protocol import messages as m
from sliderace_server.storage import ProfileRow, StoreRefused, open_store
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
    "42f83e09dbd2",
    "4bfa71edddea",
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
        assert server.view.health()["rooms"] == 1
        [race] = await server.registry.services.store.results.races()
        assert (race.id, race.attempts[0].name) == (RACE, "Player 1")
        assert await server.view.record(RACE)
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


FIFTH_TABLES = {
    "room": "number, code, records, last, removed",
    "log": "id, room, before, start, count, sizes, records",
    "race": "id, room, started_ms, size, public, record",
    "attempt": "race, seat, rank, name, bot, status, place, time_ms, stm, mtm",
    "resting": "room, until_ms",
}
"""The columns of the fifth schema."""


def fifth(tmp_path: Path) -> Path:
    """Return a database of the fifth schema, in mid-race after another race."""
    path = tmp_path / "rooms.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OLD.with_name("version_5.sql").read_text("utf-8"))
        db.execute("INSERT INTO resting VALUES ('BCDFGH', 1700000000000)")
        db.commit()
    return path


def rows_of(path: Path) -> list[list[tuple[object, ...]]]:
    """Return everything that a database of the fifth schema contains."""
    with closing(sqlite3.connect(path)) as db:
        queries = [
            f"SELECT {columns} FROM {table} ORDER BY 1, 2"  # noqa: S608 - constants
            for table, columns in FIFTH_TABLES.items()
        ]
        return [db.execute(query).fetchall() for query in queries]


async def open_and_close(path: Path) -> None:
    async with open_store(f"sqlite:{path}"):
        pass


def test_a_migration_of_the_fifth_schema_loses_nothing(tmp_path: Path) -> None:
    """A second start changes nothing, and the older program says why it refuses."""
    path = fifth(tmp_path)
    before = rows_of(path)
    assert all(before)
    asyncio.run(open_and_close(path))
    assert rows_of(path) == before
    with closing(sqlite3.connect(path)) as db:
        migrated = list(db.iterdump())
        with pytest.raises(StoreRefused) as caught:
            inspect(db, 5)
    assert str(caught.value) == (
        "a newer sliderace wrote it: its version is 7, this program supports up to 5"
    )
    asyncio.run(open_and_close(path))
    with closing(sqlite3.connect(path)) as db:
        assert list(db.iterdump()) == migrated


async def test_a_race_of_the_fifth_schema_is_continued_with_a_profile(
    tmp_path: Path,
) -> None:
    """Its earlier race is listed, and a guest's attempt in it can be credited."""
    path = await asyncio.to_thread(fifth, tmp_path)
    ann = m.Resume(code="MPCHNW", token="15b1120dbf9b50b80c3560b5d0472038")
    ben = m.Resume(code="MPCHNW", token="07009b5e8e6a21ad83a451e233ad1161")
    async with running_server(store=open_store(f"sqlite:{path}")) as server:
        [race] = await server.registry.services.store.results.races()
        assert race.id == "MPCHNW-S45YWE-1"
        assert [one.status for one in race.attempts] == ["finished", "finished"]
        assert await server.view.record(race.id)
        async with connected(server.port, ben) as back:
            assert (back.seat, back.seq) == (1, 2)
        async with connected(server.port, ann) as back:
            assert (back.seat, back.seq) == (0, 5)
            await back.send(back.slides(solution(back.board)))
            await back.until(m.StandingEvent, lambda e: e.standing.place == 1)
    async with open_store(f"sqlite:{path}") as store:
        profile = ProfileRow("BCDFGHJK", "Ann", 1)
        assert await store.standings.create_profile(profile, "key", "phone")
        gains = await store.standings.credit(race.id, 0, profile.id)
        assert gains is not None
        assert not gains.counts  # nobody knows how it was made
        page = await store.standings.history(profile.id, "3x3", None, 9)
        assert [one.race for one in page] == [race.id]
        assert await store.standings.recount() == 1


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
            assert server.view.health()["rooms"] == 1
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
