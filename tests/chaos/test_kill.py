"""The server is killed in mid-race; the clients reconnect and nothing is lost."""

import asyncio
from pathlib import Path

import pytest
from tests.chaos.kills import killed_in_mid_race
from tests.chaos.race import Racer
from tests.chaos.server_process import ServerProcess
from tests.tiers import TIER

from sliderace.protocol import messages as m

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]


async def test_kills_in_mid_race_lose_nothing(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        killed = await killed_in_mid_race(server, TIER.kills, size="6x6", seed=2)
    assert killed.kills == TIER.kills


async def test_player_who_solves_during_an_outage_is_credited(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path) as server:
        rules = m.RulesPatch(size="3x3", countdown_ms=3_000)
        host = Racer(server.url, m.Create(name="Host", rules=rules))
        async with asyncio.TaskGroup() as group:
            group.create_task(host.client.run())
            await host.until(host.entered)
            view = host.client.view
            host.client.ask(m.Start(view.race))
            await host.until(lambda: view.racing and view.phase == "racing")
            await asyncio.to_thread(server.kill)
            await host.until(lambda: not host.online())
            host.pace = 0.005
            await host.play()
            assert view.attempt is not None
            stamp = view.attempt.slides[-1][2]
            await asyncio.sleep(1)
            await asyncio.to_thread(server.start)
            await host.until(host.done)
            host.client.ask(m.Leave())
        assert view.results is not None
        [row] = view.results.standings
        assert row.time_ms == stamp
        assert row.outage_ms > 1_000
        assert (
            row.credit_ms >= row.outage_ms - stamp
        )  # part of it may be before the last slide
        assert not view.faults
