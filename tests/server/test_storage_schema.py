"""Migrations: numbered, atomic, and only of our own files."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.sync_queries import asynchronous, run

from sliderace_server.storage.ports import Append, StoreRefused
from sliderace_server.storage.sqlite import queries
from sliderace_server.storage.sqlite.schema import (
    APPLICATION_ID,
    check,
    inspect,
    migrate,
    migrations,
    statements,
)

NEWEST = len(migrations())


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def dump(db: sqlite3.Connection) -> list[str]:
    return list(db.iterdump())


@pytest.mark.parametrize("version", range(NEWEST + 1))
def test_every_version_migrates_to_the_newest(
    db: sqlite3.Connection, version: int
) -> None:
    migrate(db, migrations()[:version])
    migrate(db, migrations())
    assert inspect(db, NEWEST) == NEWEST
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    migrate(fresh, migrations())
    assert dump(db) == dump(fresh)
    fresh.close()


def test_a_second_migration_changes_nothing(db: sqlite3.Connection) -> None:
    migrate(db, migrations())
    before = dump(db)
    migrate(db, migrations())
    assert dump(db) == before


def test_the_file_has_our_application_id(db: sqlite3.Connection) -> None:
    migrate(db, migrations())
    assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_a_failing_migration_changes_nothing(db: sqlite3.Connection) -> None:
    migrate(db, migrations())
    before = dump(db)
    broken = "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1);"
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrate(db, [*migrations(), broken])
    assert not db.in_transaction
    assert dump(db) == before
    assert inspect(db, NEWEST) == NEWEST


def append(db: sqlite3.Connection, new: Append) -> None:
    assert run(queries.append_all(asynchronous(db), [new])) == [None]


LOGS = {
    "BBBBBB": [b"one"],
    "CCCCCC": [b"", b"two", b"x" * 5_000, b""],
    "DDDDDD": [b"%d" % n for n in range(2_000)],
}


def old(db: sqlite3.Connection, logs: dict[str, list[bytes]], version: int = 2) -> None:
    """Make a database with one log table per room position, as before version 3."""
    migrate(db, migrations()[:version])
    for room, records in logs.items():
        rows = [(room, position, record) for position, record in enumerate(records, 1)]
        db.executemany("INSERT INTO log VALUES (?, ?, ?)", rows)


@pytest.mark.parametrize("version", [1, 2])
def test_migration_keeps_every_record_of_an_old_log(
    db: sqlite3.Connection, version: int
) -> None:
    old(db, LOGS, version)
    check(db)
    migrate(db, migrations())
    check(db)
    assert run(queries.rooms(asynchronous(db))) == sorted(LOGS)
    for room, records in LOGS.items():
        for after in (0, 1, len(records) - 1, len(records)):
            assert run(queries.read(asynchronous(db), room, after)) == records[after:]
        assert run(
            queries.append_all(asynchronous(db), [Append(room, len(records), [b"new"])])
        ) == [None]
        assert run(queries.read(asynchronous(db), room, 0)) == [*records, b"new"]
    append(db, Append("FFFFFF", 0, [b"x"]))
    run(queries.drop(asynchronous(db), "CCCCCC", 0, 0))
    run(queries.sweep(asynchronous(db), asynchronous(db), 0, 10_000))
    check(db)
    assert run(queries.rooms(asynchronous(db))) == ["BBBBBB", "DDDDDD", "FFFFFF"]


def test_an_old_log_may_be_empty(db: sqlite3.Connection) -> None:
    old(db, {})
    migrate(db, migrations())
    assert run(queries.append_all(asynchronous(db), [Append("BBBBBB", 0, [b"x"])])) == [
        None
    ]
    check(db)


def test_a_migration_on_a_full_disk_changes_nothing(db: sqlite3.Connection) -> None:
    old(db, LOGS)
    before = dump(db)
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        migrate(db, migrations())
    assert not db.in_transaction
    assert dump(db) == before
    db.execute(f"PRAGMA max_page_count = {10 * pages}")
    migrate(db, migrations())
    assert run(queries.read(asynchronous(db), "CCCCCC", 0)) == LOGS["CCCCCC"]


def test_missing_records_of_an_old_log_are_detected_as_damage(
    db: sqlite3.Connection,
) -> None:
    old(db, LOGS)
    db.execute("DELETE FROM log WHERE room = 'DDDDDD' AND position = 7")
    with pytest.raises(StoreRefused, match="records of room DDDDDD are missing"):
        check(db)


def test_two_servers_migrate_once(tmp_path: Path) -> None:
    one = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    two = sqlite3.connect(tmp_path / "x.db", isolation_level=None, timeout=0)
    one.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        migrate(two, migrations())
    one.rollback()
    migrate(one, migrations())
    migrate(two, migrations())
    one.close()
    two.close()


def test_a_newer_version_is_refused(db: sqlite3.Connection) -> None:
    migrate(db, migrations())
    db.execute(f"PRAGMA user_version = {NEWEST + 1}")
    before = dump(db)
    with pytest.raises(StoreRefused, match="a newer sliderace wrote it"):
        migrate(db, migrations())
    assert dump(db) == before


@pytest.mark.parametrize(
    "sign",
    ["CREATE TABLE photo (x)", "PRAGMA user_version = 1", "PRAGMA application_id = 7"],
)
def test_another_programs_database_is_refused(
    db: sqlite3.Connection, sign: str
) -> None:
    db.execute(sign)
    with pytest.raises(StoreRefused, match="database of another program"):
        migrate(db, migrations())
    assert "log" not in str(dump(db))


def test_only_finished_attempts_have_a_time(db: sqlite3.Connection) -> None:
    migrate(db, migrations())
    race = "INSERT INTO race (id, room, started_ms, size, public, record) VALUES "
    db.execute(f"{race} ('A', 'R', 0, '4x4', 0, x'')")
    insert = """
        INSERT INTO attempt
            (race, seat, rank, name, bot, status, place, time_ms, stm, mtm)
            VALUES ('A', 0, 0, 'Ann', 0, ?, NULL, ?, 0, 0)
        """
    for status, time_ms in [("dnf", 0), ("dns", 1), ("finished", None), ("won", 5)]:
        with pytest.raises(sqlite3.IntegrityError):
            db.execute(insert, (status, time_ms))
    db.execute(insert, ("dnf", None))


def test_dropping_a_room_reads_no_codes_that_stay_reserved(
    db: sqlite3.Connection,
) -> None:
    migrate(db, migrations())
    query = "SELECT sql FROM sqlite_master WHERE name = 'drop_room'"
    ((trigger,),) = db.execute(query)
    (delete,) = re.findall("DELETE FROM resting [^;]*", trigger)
    plan = re.sub(r"new\.\w+", "?", f"EXPLAIN QUERY PLAN {delete}")
    steps = [step for *_, step in db.execute(plan, (1, "R"))]
    assert any("USING COVERING INDEX resting_until" in step for step in steps)
    assert not [step for step in steps if step.startswith("SCAN")]


def test_a_script_is_split_into_statements() -> None:
    script = (
        "-- a; comment\nCREATE TABLE x (y);\n\n"
        "CREATE TRIGGER t AFTER INSERT ON x BEGIN\n DELETE FROM x;\n SELECT 1;\nEND;\n"
        "INSERT INTO x VALUES (';'); SELECT 2;\n"
    )
    found = [text.split()[-1] for text in statements(script)]
    assert found == ["(y);", "END;", "(';');", "2;"]
    for unfinished in ("SELECT 1;\nSELECT 2", "SELECT 1; SELECT ';"):
        with pytest.raises(ValueError, match="incomplete"):
            list(statements(unfinished))
