"""No slide is lost when the network delays, splits, stalls, cuts or drops bytes."""

import asyncio
import contextlib
from pathlib import Path

import pytest
from tests.chaos.proxy import Conditions, proxied
from tests.chaos.race import running_race
from tests.chaos.server_process import ServerProcess

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]


async def test_delays_single_bytes_and_cuts_lose_no_slide(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        async with contextlib.AsyncExitStack() as stack:
            networks = [Conditions(), Conditions(0.06, 0.04), Conditions(pieces=1)]
            proxies = [
                await stack.enter_async_context(proxied(server.port, one, seed))
                for seed, one in enumerate(networks)
            ]
            addresses = [address for _, address in proxies]
            race = await stack.enter_async_context(
                running_race(server, size="4x4", through=addresses)
            )
            for reset in (True, False, True):
                await race.moved(2)
                durable = race.acked()
                for proxy, _ in proxies:
                    proxy.cut(reset=reset)
                await race.racers[0].until(lambda: not race.racers[0].online())
                await race.back(durable)
            outages = (await race.finish())["record"]["outages"]
            assert len(outages) <= await race.stalls()  # none is of the network
    assert all(proxy.connections >= 2 for proxy, _ in proxies)


@pytest.mark.slow
async def test_stalled_and_half_open_connections_lose_no_slides(tmp_path: Path) -> None:
    """Nothing reports a half-open connection: both sides must detect it."""
    with ServerProcess(tmp_path) as server:
        async with (
            proxied(server.port) as (stalling, one),
            proxied(server.port) as (silent, two),
            running_race(server, size="4x4", through=[server.url, one, two]) as race,
        ):
            steady, staller, lost = race.racers
            await race.moved(2)
            durable = race.acked()
            stalling.conditions.flowing.clear()
            silent.conditions.silent = True
            before = steady.acked
            await steady.until(lambda: steady.acked >= before + 5)  # not held up
            await asyncio.sleep(1)
            stalling.conditions.flowing.set()
            await lost.until(lambda: not lost.online())
            silent.conditions.silent = False
            await race.back(durable)
            assert staller.acked >= durable[1]
            await race.finish()
    assert silent.connections >= 2
