"""What only a store in PostgreSQL does: several servers use it, and it may be down."""

import asyncio
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from tests.postgres import PASSWORD, PostgresServer
from tests.properties.test_profiles import ProfileMachine
from tests.server.test_storage_recount import Year, caches, seen
from tests.server.test_storage_standings import ANN, BEN, CAT, create, race, row

from sliderace_server.cli import main
from sliderace_server.storage import (
    AttemptGains,
    AttemptRow,
    Combined,
    StorageUnavailable,
    Store,
    StoredRace,
    StoreRefused,
    copy_results,
    without_password,
)
from sliderace_server.storage.memory import MemoryStore
from sliderace_server.storage.sqlite.store import SqliteStore

pytest.importorskip("asyncpg")
from sliderace_server.storage.postgresql.store import PostgresStore


@pytest.fixture
async def url(postgres: PostgresServer) -> str:
    return await postgres.empty_database()


@pytest.fixture
async def store(url: str) -> AsyncIterator[PostgresStore]:
    async with PostgresStore(url) as opened:
        yield opened


async def rows_of(store: Any, query: str, *values: object) -> list[tuple[object, ...]]:
    return [tuple(row) for row in await store.standings._rows(query, *values)]


# --- opening -------------------------------------------------------------------------


async def test_servers_that_start_at_once_migrate_the_database_once(url: str) -> None:
    async with AsyncExitStack() as stack:
        stores = [PostgresStore(url) for _ in range(4)]
        await asyncio.gather(*map(stack.enter_async_context, stores))
        await create(stores[0], ANN)
        assert await stores[3].standings.profile(ANN)
        versions = await rows_of(stores[1], "SELECT * FROM sliderace_version")
        assert versions == [(1,)]


@pytest.mark.parametrize(
    ("password", "database", "port", "reason"),
    [
        ("wrong", "postgres", 0, 'password authentication failed for user "tests"'),
        ("", "nowhere", 0, 'database "nowhere" does not exist'),
        ("", "postgres", 1, "nothing listens there"),
    ],
)
def test_an_unusable_database_is_reported_in_one_line(
    postgres: PostgresServer,
    tmp_path: Path,
    password: str,
    database: str,
    port: int,
    reason: str,
) -> None:
    url = postgres.url(database, **({"password": password} if password else {}))
    if port:
        url = url.replace(str(postgres.port), str(port))
    start = ["--data", str(tmp_path), "--port", "0", "--results", url]
    for command in (["recount", "--results", url], start):
        result = CliRunner().invoke(main, command)
        said = result.output.splitlines()[-1]
        place = f"postgresql://127.0.0.1:{port or postgres.port}/{database}"
        assert (result.exit_code, said) == (4, f"sliderace server: {place}: {reason}")
    assert not (tmp_path / "sliderace.db").exists()


@pytest.mark.parametrize("wrong", ["mysql://host/db", "sqlite:rooms.db", "host"])
def test_a_wrong_url_is_a_wrong_setting(wrong: str) -> None:
    result = CliRunner().invoke(main, ["--results", wrong])
    assert result.exit_code == 2
    assert "results: must look like postgresql://" in result.output
    result = CliRunner().invoke(main, ["copy", "sqlite:rooms.db", wrong])
    assert result.exit_code == 2
    assert "TARGET must look like postgresql://" in result.output


def test_results_cannot_be_combined_with_memory() -> None:
    result = CliRunner().invoke(main, ["--memory", "--results", "postgresql://h/d"])
    assert (result.exit_code, "memory: cannot" in result.output) == (2, True)


def test_a_malformed_url_does_not_show_a_password() -> None:
    url = "postgresql://u:secret@h:port/d"
    result = CliRunner().invoke(main, ["recount", "--results", url])
    assert result.exit_code == 4
    assert result.output.startswith(
        "sliderace server: postgresql://h:port/d: malformed URL; write special"
    )


async def test_an_old_server_or_a_newer_database_is_refused(url: str) -> None:
    with pytest.raises(StoreRefused, match=r": PostgreSQL \d+ is too old, 99 or newer"):
        await PostgresStore(url, oldest=99).__aenter__()
    async with PostgresStore(url) as store:
        await rows_of(store, "INSERT INTO sliderace_version VALUES (7)")
    with pytest.raises(
        StoreRefused, match="a newer sliderace wrote it: its version is 7"
    ):
        await PostgresStore(url).__aenter__()


async def test_a_failed_migration_changes_nothing(
    url: str, postgres: PostgresServer
) -> None:
    await postgres.execute("CREATE TABLE profile (id int)")
    with pytest.raises(StoreRefused, match='"profile" already exists'):
        await PostgresStore(url).__aenter__()
    await postgres.execute("DROP TABLE profile")
    async with PostgresStore(url):
        pass


def test_the_server_says_which_packages_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    for name in [*sys.modules]:
        if name.startswith("sliderace_server.storage.postgresql"):
            monkeypatch.delitem(sys.modules, name)
    result = CliRunner().invoke(
        main, ["--data", str(tmp_path), "--results", "postgresql://h/d"]
    )
    assert (result.exit_code, result.output.splitlines()[-1]) == (
        4,
        "sliderace server: PostgreSQL needs asyncpg: pip install 'sliderace[cluster]'",
    )


ALONE = """
import asyncio, sys
from sliderace_server.app import running
from sliderace_server.settings import ServerSettings

async def run():
    async with running(ServerSettings(port=0, data=sys.argv[1]), page={}):
        pass

asyncio.run(run())
assert "aiosqlite" in sys.modules
assert "asyncpg" not in sys.modules
"""


def test_without_the_setting_nothing_of_postgresql_is_loaded(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", ALONE, tmp_path], check=True)


# --- several servers ------------------------------------------------------------------


async def test_totals_of_two_servers_that_store_at_once_equal_a_recount(
    url: str,
) -> None:
    """Races of the same people, each stored by both. In between, times of guests are
    kept, everything is counted again, and people are hidden, shown and deleted."""
    chance = random.Random(4)  # noqa: S311
    people = [ANN, BEN, CAT]
    async with PostgresStore(url) as one, PostgresStore(url) as two:
        await create(one, *people, "DELETEDD")
        races: list[StoredRace] = []
        for number in range(24):
            chance.shuffle(people)
            times = [chance.randrange(5_000, 9_000) for _ in range(4)]
            rows = [row(n, who, times[n]) for n, who in enumerate(people)]
            last = row(3, "DELETEDD" if number % 2 else None, times[3])
            races.append(race(number, *rows, last))
        work: list[Coroutine[Any, Any, object]] = [
            store.results.store(each) for each in races for store in (one, two)
        ]
        for number, who in zip((0, 2, 4), people, strict=True):
            work.append(two.standings.credit(f"KWXTRB-S0-{number}", 3, who))
        work += [two.standings.recount() for _ in range(6)]
        work.append(one.standings.delete_profile("DELETEDD"))
        work += [two.standings.hide(CAT, why) for why in ("why", None)]
        chance.shuffle(work)
        answers = await asyncio.gather(*work)
        kept = sum(isinstance(answer, AttemptGains) for answer in answers)
        added_up = await caches(one)
        assert await one.standings.recount() == 3 * 24 + kept
        assert await caches(one) == added_up
        for who in people:
            numbers = "SELECT number FROM attempt WHERE profile = $1 ORDER BY 1"
            counted = [number for (number,) in await rows_of(one, numbers, who)]
            assert counted == [*range(1, len(counted) + 1)]
        gone = "SELECT * FROM attempt WHERE profile = 'DELETEDD'"
        assert await rows_of(one, gone) == []
        assert len(await one.results.races(limit=99)) == 24


async def test_a_race_that_many_servers_store_is_stored_once(url: str) -> None:
    async with PostgresStore(url) as one, PostgresStore(url) as two:
        await create(one, ANN)
        each = race(1, row(0, ANN))
        stores = (one, two) * 4
        gains = await asyncio.gather(*(store.results.store(each) for store in stores))
        assert sorted(map(len, gains)) == [0] * 7 + [1]
        assert [one.attempts for one in await two.standings.tallies(ANN)] == [1]


async def test_two_servers_add_no_more_devices_than_one(url: str) -> None:
    async with PostgresStore(url) as one, PostgresStore(url) as two:
        await create(one, ANN)
        added = await asyncio.gather(
            *(
                store.standings.add_key(ANN, f"key {n} {store}", "x", 1)
                for n in range(12)
                for store in (one, two)
            )
        )
        assert sum(added) == 15
        ids = [key.id for key in await one.standings.keys(ANN)]
        assert ids == [*range(1, 17)]


def test_any_history_leaves_profiles_as_a_simple_model_says(
    postgres: PostgresServer,
) -> None:
    class Machine(ProfileMachine):
        def new_store(self) -> Store:
            url = asyncio.run(postgres.empty_database())
            return Combined(MemoryStore(), PostgresStore(url))

    few = settings(max_examples=2, stateful_step_count=25)
    run_state_machine_as_test(Machine, settings=few)


# --- faults ---------------------------------------------------------------------------


async def test_calls_fail_while_the_database_is_down_and_then_work_again(
    postgres: PostgresServer, store: PostgresStore
) -> None:
    await create(store, ANN)
    await asyncio.to_thread(postgres.stop)
    try:
        for _ in range(2):
            with pytest.raises(StorageUnavailable):
                await store.results.store(race(1, row(0, ANN)))
            with pytest.raises(StorageUnavailable):
                await store.standings.profile(ANN)
    finally:
        await asyncio.to_thread(postgres.start)
    assert len(await store.results.store(race(1, row(0, ANN)))) == 1


@pytest.mark.parametrize(
    "bad",
    [
        AttemptRow(0, "Ann", "won", 1, 5, 0, 0),
        AttemptRow(0, "Ann", "dnf", None, 5, 0, 0),
        AttemptRow(0, "Ann \ud800", "dns", None, None, 0, 0),
        AttemptRow(0, "Ann \0", "dns", None, None, 0, 0),
        AttemptRow(0, "Ann", "dns", None, None, 1 << 64, 0),
    ],
)
async def test_an_invalid_race_is_not_stored(
    store: PostgresStore, bad: AttemptRow
) -> None:
    await create(store, ANN)
    for one in (bad, replace(bad, profile=ANN)):
        with pytest.raises(ValueError, match="race 'KWXTRB-S0-1'"):
            await store.results.store(race(1, one))
    assert await store.results.races() == []
    assert await store.standings.tallies(ANN) == []
    with pytest.raises(ValueError, match="race 'KWXTRB-S0-1'"):
        await store.results.store(race(1, md=1 << 64))


# --- copying --------------------------------------------------------------------------


async def test_a_copy_of_a_year_is_equal_and_may_be_repeated(
    url: str, tmp_path: Path
) -> None:
    path = tmp_path / "rooms.db"
    async with SqliteStore(path, "process") as source:
        year = Year((source,), random.Random(3))  # noqa: S311
        await year.live(300)
        await source.standings.claim_daily(year.profiles[0], "4x4", 20_500, "ROOM")
        for hour in (0, 9):
            await source.standings.note_alive(hour * 3_600_000)
        before = await seen(source, year.profiles, 9)
        added_up = await caches(source)
        races = await source.results.races(limit=999)
        days = await source.standings.down_days(0)
        counted = await source.standings.recount()
    for _ in range(2):
        copied = await copy_results(path, url)
        assert copied["race"] >= len(races)
        assert copied["counted"] == counted
        async with PostgresStore(url) as target:
            assert await seen(target, year.profiles, 9) == before
            assert await caches(target) == added_up
            assert await target.results.races(limit=999) == races
            assert await target.results.record(races[0].id) == b"{}"
            assert await target.standings.down_days(0) == days == [0]
            first = year.profiles[0]
            assert await target.standings.dailies(first, 0) == [(20_500, "4x4", "ROOM")]
            assert len(await target.standings.keys(first)) == 1
    async with PostgresStore(url) as target:
        await target.results.store(race(1))
        held = await caches(target)
    with pytest.raises(StoreRefused, match=r"rows of 'race'.*nothing was copied"):
        await copy_results(path, url)
    async with PostgresStore(url) as target:
        assert len(await target.results.races(limit=999)) == len(races) + 1
        assert await caches(target) == held


def test_the_commands_of_operators_work_with_postgresql(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = asyncio.run(postgres.empty_database())
    path, place = tmp_path / "rooms.db", without_password(url)
    assert PASSWORD not in place

    async def fill() -> None:
        async with SqliteStore(path) as source:
            await create(source, ANN)
            await source.results.store(race(1, row(0, ANN)))
            await source.results.store(race(2, row(0, None), at_ms=5))

    def said(*command: str) -> list[str]:
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        return result.output.splitlines()

    asyncio.run(fill())
    assert said("copy", f"sqlite:{path}", url) == [
        "Races: 2",
        "Attempts: 2",
        "Profiles: 1",
        "Devices of profiles: 1",
        "Used attempts of daily races: 0",
        "Attempts of profiles that were counted: 1",
    ]
    results = ("--results", url)
    assert said("recount", *results) == [f"Counted 1 attempt in {place}"]
    assert said("prune", "--keep", "999", *results) == [f"Deleted 1 race from {place}"]
    assert "KWXTRB-S0-1" in said("races", *results)[0]
    assert said("races", "KWXTRB-S0-1", *results) == ["{}"]
    assert said("hide", ANN, "why", *results) == [
        f"Profile {ANN} is on no leaderboard now."
    ]
    assert said("show", ANN, *results) == [f"Profile {ANN} is on leaderboards again."]
    unknown = CliRunner().invoke(main, ["show", "XXXXXXXX", *results])
    assert (unknown.exit_code, unknown.output) == (
        4,
        f"sliderace server: there is no profile XXXXXXXX in {place}\n",
    )
    backup = said("backup", str(tmp_path / "copy"), "--database", str(path), *results)
    assert backup[1] == f"Results and profiles are in {place}: copy them with pg_dump."
    missing = CliRunner().invoke(main, ["copy", f"sqlite:{path}.no", url])
    assert (missing.exit_code, "no such file" in missing.output) == (4, True)
