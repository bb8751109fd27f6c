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
from tests.chaos.race import Race, running_race
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
            ballast.write_bytes(bytes(4 << 20))

    await _cannot_store(tmp_path, disk / "rooms.db", fill, lambda _: ballast.unlink())


async def test_file_size_limit_delays_acks_but_not_the_race(
    tmp_path: Path,
) -> None:
    """The same on machines that forbid mounting: the process hits a file size limit."""

    def limit(server: ServerProcess, most: int) -> None:
        assert server.process is not None
        kind = resource.RLIMIT_FSIZE
        resource.prlimit(server.process.pid, kind, (most, resource.RLIM_INFINITY))

    database = tmp_path / "rooms.db"

    def fill(server: ServerProcess) -> None:
        limit(server, Path(f"{database}-wal").stat().st_size)

    await _cannot_store(
        tmp_path, database, fill, lambda one: limit(one, resource.RLIM_INFINITY)
    )


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
    async with connected(server.port) as late:
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
    """Mount a small file system at a new folder, or skip the test."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not allowed here: mounting a file system")
