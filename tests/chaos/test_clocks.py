"""Times stay right when clocks are set and machines reboot in mid-race."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from tests.chaos.race import running_race
from tests.chaos.server_process import ServerProcess

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]

HOUR_MS = 3_600_000
MIN_MS = 50
"""Every server takes longer to start."""


async def test_setting_the_wall_clock_changes_no_time(
    tmp_path: Path,
) -> None:
    """It is set by hours while the server runs, during an outage and before a reboot.

    This never counts as time that passed, and no outage is negative.
    """
    wall = tmp_path / "wall"
    server = ServerProcess(tmp_path, program="tests.chaos.server_with_clocks")

    def set_wall(offset_ms: int) -> None:
        # Overwritten in place with equal length: a reader sees the old or new value.
        descriptor = os.open(wall, os.O_WRONLY | os.O_CREAT, 0o600)
        os.pwrite(descriptor, f"{offset_ms:<12}".encode(), 0)
        os.close(descriptor)

    def until_seen(times: int) -> None:
        while server.log.read_text().count("the wall clock was set") < times:
            time.sleep(0.02)

    def start(boot: str, mono_ms: int) -> None:
        server.environment |= {"CLOCKS_BOOT": boot, "CLOCKS_MONO_MS": str(mono_ms)}
        server.start()

    set_wall(0)
    server.environment = {"CLOCKS_WALL": str(wall)}
    await asyncio.to_thread(start, "first", 0)
    try:
        async with running_race(server, count=2, size="6x6") as race:
            await race.moved(3)
            set_wall(HOUR_MS)
            await asyncio.to_thread(until_seen, 1)
            server.kill()
            durable = race.acked()
            set_wall(-HOUR_MS)
            await asyncio.to_thread(start, "first", 0)
            await race.back(durable)

            set_wall(3 * HOUR_MS)
            await asyncio.to_thread(until_seen, 2)
            server.kill()
            durable = race.acked()
            await asyncio.to_thread(start, "second", -40_000)
            await race.back(durable)
            record = (await race.finish())["record"]
    finally:
        server.kill()
    outages = [up - down for down, up in record["outages"]]
    assert all(outage < HOUR_MS / 2 for outage in outages)
    restarts = [outage for outage in outages if outage > MIN_MS]
    assert len(restarts) >= 2, "both restarts, and perhaps stalls of a busy machine"
    for racer in record["racers"]:
        arrivals = [slide[3] for slide in racer["slides"]]
        assert arrivals == sorted(arrivals)
        assert racer["finish"]["g_ms"] < HOUR_MS / 2
