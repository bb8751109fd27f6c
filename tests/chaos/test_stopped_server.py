"""Clients recover from a server that is stopped, ended or cannot store anything."""

import asyncio
import json
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.chaos.race import Race, Racer, running_race
from tests.chaos.server_process import ServerProcess
from tests.e2e.protocol_client import connected

from sliderace.protocol import messages as m

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]


@pytest.mark.slow
async def test_race_survives_a_stopped_and_an_ended_server(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path) as server:
        async with running_race(server, size="6x6") as race:
            await race.moved(3)
            server.signal(signal.SIGSTOP)
            durable = race.acked()
            await asyncio.sleep(4)
            server.signal(signal.SIGCONT)
            await race.moved(1)
            await race.back(durable)

            server.signal(signal.SIGTERM)
            assert await asyncio.to_thread(server.end) == 0
            durable = race.acked()
            assert not (tmp_path / "sliderace.db-wal").exists()  # flushed, closed
            await asyncio.to_thread(server.start)
            await race.back(durable)
            record = await race.finish()
        said = await asyncio.to_thread(server.log.read_text)
    outages = record["record"]["outages"]
    stall = max(outages, key=lambda one: one[1] - one[0])
    assert stall[1] - stall[0] >= 3_500  # of 4 s
    assert any(down >= stall[1] for down, _ in outages)  # the restart
    assert "did not shut down cleanly" not in said


@pytest.mark.slow
async def test_full_disk_delays_acks_but_not_the_race(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    disk = tmp_path / "disk"
    await asyncio.to_thread(mount, disk)
    request.addfinalizer(lambda: subprocess.run(["umount", disk], check=True))
    ballast = disk / "ballast"

    def fill(_: ServerProcess) -> None:
        with pytest.raises(OSError, match="No space"):
            ballast.write_bytes(bytes(16 << 20))

    await _cannot_store(tmp_path, disk / "rooms.db", fill, lambda _: ballast.unlink())


async def test_file_size_limit_delays_acks_but_not_the_race(
    tmp_path: Path,
) -> None:
    """The same on machines that forbid mounting: the process hits a file size limit."""
    await _cannot_store(
        tmp_path,
        tmp_path / "rooms.db",
        _forbid_growth,
        lambda one: _limit_files(one, resource.RLIM_INFINITY),
    )


async def test_solve_that_was_never_stored_counts_after_a_kill(tmp_path: Path) -> None:
    """The client sends it again with its own time, which the outage covers."""
    rules = m.RulesPatch(size="3x3", countdown_ms=3_000)
    with ServerProcess(tmp_path) as server:
        host = Racer(server.url, m.Create(name="Host", rules=rules))
        async with asyncio.TaskGroup() as group:
            group.create_task(host.client.run())
            await host.until(host.entered)
            view = host.client.view
            host.client.ask(m.Start(view.race))
            await host.until(lambda: view.racing and view.phase == "racing")
            await asyncio.to_thread(_forbid_growth, server)
            await _until_failing(server, failing=True)
            host.pace = 0.005
            await host.play()
            stamp = host.made[-1][2]
            await _is_refused_a_room(server)  # it still runs
            assert host.acked == 0
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            await host.until(host.done)
            host.client.ask(m.Leave())
        assert view.results is not None
        [row] = view.results.standings
        assert row.time_ms == stamp
        assert row.outage_ms > 0
        assert not view.faults


def _limit_files(server: ServerProcess, most: int) -> None:
    """Let no file of a server grow beyond so many bytes."""
    assert server.process is not None
    kind = resource.RLIMIT_FSIZE
    resource.prlimit(server.process.pid, kind, (most, resource.RLIM_INFINITY))


def _forbid_growth(server: ServerProcess) -> None:
    """Let the server store nothing more."""
    _limit_files(server, Path(f"{server.database}-wal").stat().st_size)


async def _cannot_store(
    folder: Path,
    database: Path,
    fill: Callable[[ServerProcess], None],
    free: Callable[[ServerProcess], None],
) -> None:
    """Race while nothing can be stored; afterwards everything must be stored."""
    with ServerProcess(folder, "--database", str(database)) as server:
        async with running_race(server, count=2, size="6x6") as race:
            await race.moved(3)
            await asyncio.to_thread(fill, server)
            await _until_failing(server, failing=True)
            durable, made = race.acked(), [len(one.made) for one in race.racers]
            await _is_refused_a_room(server)
            for one, before in zip(race.racers, made, strict=True):
                await one.until(lambda o=one, b=before: len(o.made) > b + 5)  # type: ignore[misc]
                assert one.acked <= before
            await asyncio.to_thread(free, server)
            await _until_failing(server, failing=False)
            await _check_end(race, durable)


async def _check_end(race: Race, durable: list[int]) -> None:
    await race.back(durable)
    outages = (await race.finish())["record"]["outages"]
    assert len(outages) <= await race.stalls()


async def _is_refused_a_room(server: ServerProcess) -> None:
    async with asyncio.timeout(30), connected(server.port) as late:
        await late.send(m.Hello(v=1, enter=m.Create(name="Late")))
        assert (await late.until(m.Refused)).code == "storage_unavailable"


async def _until_failing(server: ServerProcess, *, failing: bool) -> None:
    """Wait until /healthz reports the state."""

    def wait() -> None:
        status = ""
        while (status == "degraded") != failing or not status:
            time.sleep(0.02)
            with urlopen(f"{server.url}/healthz", timeout=9) as answer:  # noqa: S310
                status = json.load(answer)["status"]

    await asyncio.to_thread(wait)


def mount(folder: Path) -> None:
    """Mount a small file system at a new folder, or skip the test.

    It has room for the write-ahead log, which grows to 4 MiB.
    """
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not allowed here: mounting a file system")
