"""Workers and their parent are killed, stopped and changed in number in mid-race."""

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.chaos.race import running_race
from tests.chaos.server_process import ServerProcess
from tests.e2e.protocol_client import eventually

from sliderace_server.storage.placement import worker_of

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]


async def test_nothing_is_lost_whichever_process_is_killed(tmp_path: Path) -> None:
    """Nor if the number of workers changes. All of this happens in one race.

    The rooms of a killed worker continue in its successor, and the next server waits
    until the workers of a killed parent have released the database.
    """
    with ServerProcess(tmp_path, "--workers", "2") as server:
        async with running_race(server, count=2, size="4x4") as race:

            async def back_after(change: Callable[[], object]) -> None:
                await race.moved(2)
                durable = race.acked()
                await asyncio.to_thread(change)
                await race.back(durable)

            def kill_worker() -> None:
                os.kill(server.workers()[worker_of(race.code, 2)], signal.SIGKILL)

            def restart(workers: int, end: Callable[[], object]) -> None:
                end()
                server.start("--workers", str(workers))

            def stop() -> None:
                server.signal()
                assert server.end() == 0

            async def away() -> None:
                for one in race.racers:
                    await one.until(lambda o=one: not o.online())  # type: ignore[misc]

            await race.moved(2)
            durable = race.acked()
            kill_worker()
            await away()
            await race.back(durable)
            await back_after(lambda: restart(2, server.kill))
            await back_after(lambda: restart(3, stop))
            await back_after(lambda: restart(1, stop))
            record = (await race.finish())["record"]
        assert len(record["outages"]) >= 4


async def test_the_end_of_the_pipe_waits_for_the_races_of_all_workers(
    tmp_path: Path,
) -> None:
    server = ServerProcess(tmp_path, "--workers", "2")
    server.start(until_eof=True)
    try:
        async with running_race(server, count=2, size="3x3") as race:
            server.close_pipe()
            await race.moved(3)
            await race.finish()
        assert await asyncio.to_thread(server.end) == 0
    finally:
        if server.running:
            server.kill()


async def test_a_worker_that_hangs_is_a_problem_until_a_second_signal_kills_it(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path, "--workers", "2") as server:
        pids = server.workers()
        os.kill(pids[1], signal.SIGSTOP)
        await eventually(lambda: "worker_silent" in problems(server))
        server.signal()
        assert not server.ends_within(0.5)
        server.signal()
        assert server.end() == 1
        for pid in pids:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)


def problems(server: ServerProcess) -> list[str]:
    """Return what the first worker reports."""
    with urlopen(f"{server.url}/healthz", timeout=3) as answer:  # noqa: S310
        found: list[str] = json.load(answer)["problems"]
        return found
