"""After an older backup is restored in mid-race, clients resend what it lacks."""

import asyncio
from pathlib import Path

import pytest
from tests.chaos.race import running_race
from tests.chaos.server_process import ServerProcess

from sliderace_server.storage.sqlite.backup import backup, restore

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]


async def test_race_continues_from_an_older_backup(tmp_path: Path) -> None:
    """Clients keep all slides of a race and resend those that the server lacks."""
    copy = tmp_path / "copy"
    with ServerProcess(tmp_path) as server:
        async with running_race(server, count=2, size="5x5") as race:
            await race.moved(3)
            await asyncio.to_thread(backup, server.database, copy)
            await race.moved(5)
            for undo in (False, True):  # first in an epoch that the backup lacks
                durable = race.acked()
                await asyncio.to_thread(server.kill)
                if undo:
                    await asyncio.to_thread(restore, copy, server.database)
                await asyncio.to_thread(server.start)
                for one, slides in zip(race.racers, durable, strict=True):
                    await one.until(lambda o=one, n=slides: o.acked >= n)  # type: ignore[misc]
            for one in race.racers:
                one.client.observed.restored()
            record = await race.finish()
    assert (
        len(record["record"]["outages"]) == 1
    )  # the backup does not know the other one
