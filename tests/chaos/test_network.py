"""Real clients on lines that delay, chop, stall, break and go silent: no slide lost."""

import asyncio
import contextlib
from pathlib import Path

import pytest
from tests.chaos.proxy import Latency, proxied
from tests.chaos.race import running_race
from tests.chaos.server_process import ServerProcess

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]


async def test_a_slow_line_in_single_bytes_and_one_that_breaks(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        async with contextlib.AsyncExitStack() as stack:
            lines = [Latency(), Latency(0.06, 0.04), Latency(pieces=1)]
            proxies = [
                await stack.enter_async_context(proxied(server.port, line, seed))
                for seed, line in enumerate(lines)
            ]
            host_check = [address for _, address in proxies]
            race = await stack.enter_async_context(
                running_race(server, size="4x4", through=host_check)
            )
            for reset in (True, False, True):
                await race.moved(2)
                durable = race.acked()
                for proxy, _ in proxies:
                    proxy.cut(reset=reset)
                await race.racers[0].until(lambda: not race.racers[0].online())
                await race.back(durable)
            record = await race.finish()
    assert all(proxy.connections >= 2 for proxy, _ in proxies)
    assert not record["record"]["outages"]


async def test_a_line_that_stalls_and_one_that_goes_silent(tmp_path: Path) -> None:
    """Nobody is told that a silent line is dead: both sides must notice alone."""
    with ServerProcess(tmp_path) as server:
        async with (
            proxied(server.port) as (stalling, one),
            proxied(server.port) as (silent, two),
            running_race(server, size="4x4", through=[server.url, one, two]) as race,
        ):
            steady, staller, lost = race.racers
            await race.moved(2)
            durable = race.acked()
            stalling.line.flowing.clear()
            silent.line.silent = True
            before = steady.acked
            await steady.until(lambda: steady.acked >= before + 5)  # not held up
            await asyncio.sleep(1)
            stalling.line.flowing.set()
            await lost.until(lambda: not lost.online())
            silent.line.silent = False
            await race.back(durable)
            assert staller.acked >= durable[1]
            await race.finish()
    assert silent.connections >= 2
