"""The server process: command line, reports and shutdown."""

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from tests.chaos.server_process import ServerProcess
from tests.e2e.protocol_client import connected, running_race

from sliderace.protocol import messages as m
from sliderace_server.cli import STATE_FILE, main
from sliderace_server.signing_key import KEY_FILE, load_key
from sliderace_server.storage import (
    AttemptRow,
    BoardQuery,
    ProfileRow,
    RaceSummary,
    StoredRace,
    open_store,
)


def health(server: ServerProcess) -> dict[str, object]:
    with urlopen(f"{server.url}/healthz", timeout=3) as answer:  # noqa: S310
        return json.load(answer)  # type: ignore[no-any-return]


def test_a_server_reports_its_address_and_leaves_no_state_file(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    reported = server.start()
    try:
        assert reported["pid"] == server.process.pid  # type: ignore[union-attr]
        assert reported["url"] == server.url
        assert json.loads((tmp_path / STATE_FILE).read_text()) == reported
        assert health(server)["durability"] == "full"
        server.signal(signal.SIGTERM)
        assert server.end() == 0
    finally:
        server.__exit__()
    assert not (tmp_path / STATE_FILE).exists()
    assert "trace=" not in server.log.read_text()


def test_the_signing_key_survives_a_restart_and_is_unique(tmp_path: Path) -> None:
    keys: list[object] = []
    for folder in ("one", "one", "two"):
        (tmp_path / folder).mkdir(exist_ok=True)
        with ServerProcess(tmp_path / folder) as server:
            keys.append(health(server)["key"])
    assert keys[0] == keys[1] != keys[2]
    assert keys[0] == load_key(tmp_path / "one" / KEY_FILE).public


def test_with_memory_the_signing_key_is_not_stored(tmp_path: Path) -> None:
    keys: list[object] = []
    for _ in range(2):
        with ServerProcess(tmp_path, "--memory") as server:
            keys.append(health(server)["key"])
    assert keys[0] != keys[1]
    assert not (tmp_path / KEY_FILE).exists()


def test_a_broken_key_file_is_an_error_at_the_start(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_text("no key")
    result = CliRunner().invoke(main, ["--port", "0", "--data", str(tmp_path)])
    assert result.exit_code == 4
    assert result.output.splitlines()[-1].endswith("not a readable PEM key")


def test_a_backup_over_a_file_fails_with_the_documented_exit_code(
    tmp_path: Path,
) -> None:
    there = tmp_path / "copy.db"
    there.touch()
    result = CliRunner().invoke(main, ["backup", str(there), "--data", str(tmp_path)])
    assert "that file exists already" in result.output
    for command in ([], ["backup"], ["restore"]):
        reported = CliRunner().invoke(main, [*command, "--help"]).output.split()
        meaning = f"{result.exit_code} a file or the storage cannot be used"
        assert meaning in " ".join(reported)
    assert not there.read_bytes()


def test_ctrl_c_stops_the_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, "--memory") as server:
        server.signal(signal.SIGINT)
        assert server.end() == 0


async def test_the_first_signal_closes_connections_and_stores_everything(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path) as server:
        async with connected(server.port, m.Create(name="Ann")) as ann:
            await ann.sync()
            server.signal(signal.SIGTERM)
            assert await ann.closed() == 1012
        assert await asyncio.to_thread(server.end) == 0
        await asyncio.to_thread(server.start)
        resume = m.Resume(code=ann.code, token=ann.token)
        async with connected(server.port, resume) as again:
            assert again.member == ann.member
        written = server.log.read_text()
        assert ann.code in written
        assert ann.token not in written


async def test_a_stalled_peer_does_not_delay_the_shutdown(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, "--memory") as server:
        async with connected(server.port, m.Create(name="Ann")) as ann:
            await ann.sync()
            ann.socket.transport.pause_reading()
            server.signal(signal.SIGTERM)
            assert await asyncio.to_thread(server.end) == 0
            ann.socket.transport.abort()


def test_the_server_stops_when_its_parent_closes_the_pipe(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, "--memory") as server:
        server.kill()
        server.start(until_eof=True)
        assert not server.ends_within(0.3)
        server.close_pipe()
        assert server.end() == 0


async def test_members_hear_that_the_host_has_ended_the_game(tmp_path: Path) -> None:
    """Their seats stay: the host may start the server again."""
    server = ServerProcess(tmp_path)
    await asyncio.to_thread(lambda: server.start(until_eof=True))
    try:
        async with connected(server.port, m.Create(name="Ann")) as ann:
            await ann.until(m.Snapshot)
            server.close_pipe()
            closed = await ann.until(m.Closed)
            assert closed.why == "host_ended"
            assert await ann.closed() == 1012
        assert await asyncio.to_thread(server.end) == 0
        await asyncio.to_thread(server.start)
        resume = m.Resume(code=ann.code, token=ann.token)
        async with connected(server.port, resume) as again:
            assert again.member == ann.member
            server.signal(signal.SIGTERM)
            refused = await again.until(m.Refused)
            assert refused.code == "shutting_down"
    finally:
        server.__exit__()


async def test_a_race_is_finished_after_the_parent_closes_the_pipe(
    tmp_path: Path,
) -> None:
    server = ServerProcess(tmp_path, "--memory")
    await asyncio.to_thread(lambda: server.start(until_eof=True))
    try:
        async with running_race(server.port, 2, "3x3") as (ann, ben):
            server.close_pipe()
            assert not await asyncio.to_thread(server.ends_within, 1.0)
            await ann.solve()
            await ben.solve()
            await ben.until(m.Results)
            assert await asyncio.to_thread(server.end) == 0
    finally:
        server.__exit__()


def test_a_port_in_use_is_a_one_line_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = CliRunner().invoke(main, ["--memory", "--port", str(port)])
    assert result.exit_code == 3
    assert result.output.startswith(
        f"sliderace server: cannot listen on 127.0.0.1 port {port}: "
    )
    assert result.output.count("\n") == 1


def test_a_second_server_on_the_same_database_is_refused(tmp_path: Path) -> None:
    with ServerProcess(tmp_path):
        other = ["--data", str(tmp_path), "--port", "0"]
        result = CliRunner().invoke(main, other)
    assert result.exit_code == 5
    assert result.output.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            ["--port", "99999"],
            "--port: must be an integer from 0 to 65535, not '99999'",
        ),
        (["--port", "x"], "--port: must be an integer from 0 to 65535, not 'x'"),
        (
            ["--durability", "none"],
            "--durability: must be one of full, process, not 'none'",
        ),
        (["--limit", "players"], "--limit: must be NAME=VALUE, not 'players'"),
        (["--limit", "fun=1"], "--limit fun: unknown setting"),
        (["--config", "/nowhere.toml"], "config: /nowhere.toml: No such file"),
    ],
)
def test_an_error_names_the_invalid_setting(options: list[str], text: str) -> None:
    result = CliRunner().invoke(main, options)
    assert result.exit_code == 2
    assert result.output.startswith(f"sliderace server: {text}")
    assert result.output.count("\n") == 1


@pytest.mark.parametrize("setting", ["until_eof", "ready_fd"])
def test_an_error_names_the_invalid_file_descriptor(setting: str) -> None:
    flag = f"--{setting.replace('_', '-')}"
    options = ["--memory", "--port", "0", "--log-level", "error", flag, "65000"]
    result = CliRunner().invoke(main, options)
    assert result.exit_code == 2
    text = "65000: Bad file descriptor"
    assert result.output == f"sliderace server: {setting}: {text}\n"


def test_an_error_names_the_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder, database = tmp_path / "file" / "data", tmp_path / "x.db"
    options = ["--data", str(folder), "--database", str(database), "--port", "0"]
    result = subprocess.run(  # in-process it would be reported for blocking
        [sys.executable, "-m", "sliderace_server", *options, "--log-level", "error"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=15,
        check=False,
    )
    assert result.returncode == 4
    assert str(folder) in result.stderr
    assert "listen" not in result.stderr


def test_help_lists_every_setting() -> None:
    output = CliRunner().invoke(main, ["--help"]).output
    for flag in (
        "--bind",
        "--public-url",
        "--trusted-proxies",
        "--limit",
        "--until-eof",
    ):
        assert flag in output


def test_prune_is_a_command(tmp_path: Path) -> None:
    data = ["--data", str(tmp_path)]
    with ServerProcess(tmp_path) as server:
        refused = CliRunner().invoke(main, ["prune", "--keep", "1", *data])
        assert (refused.exit_code, "uses" in refused.output) == (4, True)
        server.signal()
        assert server.end() == 0
    database, now = tmp_path / "sliderace.db", time.time_ns() // 1_000_000

    async def store_two() -> None:
        async with open_store(f"sqlite:{database}") as store:
            for days, code in enumerate(("KWXTRB", "BCDFGH"), 1):
                started = now - days * 86_400_000 + 3_600_000
                summary = RaceSummary(f"{code}-A-1", code, started, "4x4", False, ())
                await store.results.store(StoredRace(summary, bytes(1_000_000)))

    asyncio.run(store_two())
    before = database.stat().st_size
    for said in ("Deleted 1 race", "Deleted 0 races"):
        pruned = CliRunner().invoke(main, ["prune", "--keep", "1", *data])
        assert pruned.output == f"{said} from {database}\n"
        assert database.stat().st_size < before - 900_000
    listed = json.loads(CliRunner().invoke(main, ["races", *data]).output)
    assert [race["id"] for race in listed["races"]] == ["KWXTRB-A-1"]
    assert CliRunner().invoke(main, ["prune", *data]).exit_code == 2


def test_stored_races_are_printed_while_no_server_runs(tmp_path: Path) -> None:
    data, runner = ["--data", str(tmp_path)], CliRunner()
    nothing = runner.invoke(main, ["races", *data])
    assert (nothing.exit_code, json.loads(nothing.output)) == (0, {"races": []})
    assert list(tmp_path.iterdir()) == [], "asking creates no file"
    rows = (AttemptRow(0, "Ann", "finished", 1, 9_000, 30, 20),)

    async def store_two() -> None:
        async with open_store(f"sqlite:{tmp_path / 'sliderace.db'}") as store:
            for code in ("KWXTRB", "BCDFGH"):
                summary = RaceSummary(f"{code}-A-1", code, 5, "4x4", False, rows)
                await store.results.store(StoredRace(summary, b'{"record":1}'))

    asyncio.run(store_two())

    def races(*arguments: str) -> tuple[int, str]:
        result = runner.invoke(main, ["races", *arguments, *data])
        return result.exit_code, result.output

    code, listed = races()
    first, second = json.loads(listed)["races"]
    assert (code, first["id"], second["id"]) == (0, "KWXTRB-A-1", "BCDFGH-A-1")
    assert first["attempts"][0]["name"] == "Ann"
    _, one = races("--room", "BCDFGH")
    assert [race["id"] for race in json.loads(one)["races"]] == ["BCDFGH-A-1"]
    assert races("KWXTRB-A-1") == (0, '{"record":1}\n')
    code, why = races("KWXTRB-A-9")
    assert (code, "no race KWXTRB-A-9" in why) == (4, True)


def test_backup_and_restore_are_commands(tmp_path: Path) -> None:
    copy, data = tmp_path / "copy.db", ["--data", str(tmp_path / "data")]
    with ServerProcess(tmp_path / "data") as server:
        reported = CliRunner().invoke(main, ["backup", str(copy), *data])
        assert (reported.exit_code, copy.exists()) == (0, True), reported.output
        refused = CliRunner().invoke(main, ["restore", str(copy), *data])
        assert refused.exit_code == 4
        assert server.process is not None
        assert f"process id {server.process.pid}" in refused.output
    restored = CliRunner().invoke(main, ["restore", str(copy), *data])
    assert (restored.exit_code, restored.output.splitlines()[-1]) == (
        0,
        f"Restored {tmp_path / 'data' / 'sliderace.db'} from {copy}",
    )
    again = CliRunner().invoke(main, ["backup", str(copy), *data])
    assert (again.exit_code, len(again.output.splitlines())) == (4, 1)
    wrong = CliRunner().invoke(main, ["backup", str(copy), "--config", "nowhere.toml"])
    assert wrong.exit_code == 2


PROFILE = "BCDFGHJK"


async def store_profile(database: Path) -> None:
    """Store a profile with one attempt."""
    async with open_store(f"sqlite:{database}") as store:
        row = ProfileRow(PROFILE, "Ann", 1)
        assert await store.standings.create_profile(row, "key", "phone")
        rows = (AttemptRow(0, "Ann", "finished", 1, 9_000, 30, 20, profile=PROFILE),)
        summary = RaceSummary("KWXTRB-A-1", "KWXTRB", 5, "4x4", True, rows)
        await store.results.store(StoredRace(summary, b"{}"))


async def ranked(database: Path) -> int:
    """Return how many profiles are on the leaderboard."""
    async with open_store(f"sqlite:{database}") as store:
        return (await store.standings.board(BoardQuery("4x4"))).total


def test_a_profile_is_hidden_and_shown_also_while_a_server_runs(
    tmp_path: Path,
) -> None:
    data, database = ["--data", str(tmp_path)], tmp_path / "sliderace.db"
    asyncio.run(store_profile(database))
    runner = CliRunner()
    with ServerProcess(tmp_path) as server:
        done = runner.invoke(main, ["hide", PROFILE, "used a program", *data])
        assert done.output == f"Profile {PROFILE} is on no leaderboard now.\n"
        server.signal()
        assert server.end() == 0
    assert asyncio.run(ranked(database)) == 0
    done = runner.invoke(main, ["show", PROFILE, *data])
    assert done.output == f"Profile {PROFILE} is on leaderboards again.\n"
    assert asyncio.run(ranked(database)) == 1
    for wrong in (["hide", PROFILE, " "], ["hide", PROFILE], ["show"]):
        assert runner.invoke(main, [*wrong, *data]).exit_code == 2
    unknown = runner.invoke(main, ["show", "XXXXXXXX", *data])
    assert (unknown.exit_code, unknown.output) == (
        4,
        f"sliderace server: there is no profile XXXXXXXX in {database}\n",
    )


def test_recount_is_a_command(tmp_path: Path) -> None:
    data, database = ["--data", str(tmp_path)], tmp_path / "sliderace.db"
    runner = CliRunner()
    missing = runner.invoke(main, ["recount", *data])
    assert (missing.exit_code, "no such file" in missing.output) == (4, True)
    asyncio.run(store_profile(database))
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("DELETE FROM best")
    assert asyncio.run(ranked(database)) == 0
    counted = runner.invoke(main, ["recount", *data])
    assert counted.output == f"Counted 1 attempt in {database}\n"
    assert asyncio.run(ranked(database)) == 1
    with ServerProcess(tmp_path):
        refused = runner.invoke(main, ["recount", *data])
        assert (refused.exit_code, "uses" in refused.output) == (4, True)
