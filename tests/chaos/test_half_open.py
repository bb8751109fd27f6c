"""A connection that only looks alive costs nobody a race.

The last slides of a race are made while a connection swallows everything, and nobody
closes it. Then the client must open another one by itself.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.chaos.proxy import Proxy, proxied
from tests.chaos.race import Race, Racer, running_race
from tests.chaos.server_process import ServerProcess

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(60)]

CONFIRMED_MS = 12_000
"""From the last slide to the confirmed finish, at most, if new connections work.

A second connection opens after 3 s, see `tests/client/test_liveness.py`. The remaining
time is for a machine that stalls; without the second connection it takes 24 s.
"""
LAST = 5
"""The network fails before each of so many last slides."""


@contextlib.asynccontextmanager
async def race_of_two(server: ServerProcess) -> AsyncGenerator[tuple[Proxy, Race]]:
    """Yield a race on 3x3 boards; the second racer finishes after the first one.

    The first one is behind the proxy.
    """
    async with (
        proxied(server.port) as (proxy, address),
        running_race(server, 2, "3x3", [address, server.url]) as race,
    ):
        first, second = race.racers
        first.pace = 0.05

        async def wait_for_the_first(_left: int) -> None:
            await second.until(lambda: finished(second, first) is not None)

        second.before_slide = wait_for_the_first
        yield proxy, race


def finished(observer: Racer, racer: Racer) -> int | None:
    """Return the official time of a racer, once the observer knows it."""
    lane = observer.client.view.lanes.get(racer.client.view.seat or 0)
    return lane.time_ms if lane else None


async def confirmed(racer: Racer) -> int:
    """Wait until the racer's own finish is confirmed; return the ms since the slide."""
    await racer.until(lambda: finished(racer, racer) is not None)
    attempt = racer.client.view.attempt
    assert attempt is not None
    return racer.client.now() - attempt.zero - attempt.slides[-1][2]


async def check(race: Race) -> None:
    """Check the whole race: the first one has won, and nothing was lost."""
    first, _second = race.racers
    record = await race.finish()
    [winner] = [one for one in record["record"]["racers"] if one["place"] == 1]
    assert winner["seat"] == first.client.view.seat
    assert winner["finish"]["e_ms"] == first.made[-1][2]


async def swallow(server: ServerProcess, last: int) -> None:
    """Let the old connection swallow everything from one of the last slides on."""
    async with race_of_two(server) as (proxy, race):
        first = race.racers[0]

        async def fail(left: int) -> None:
            if left == last:
                proxy.swallow()

        first.before_slide = fail
        assert await confirmed(first) <= CONFIRMED_MS
        assert proxy.connections >= 2
        await check(race)


async def test_finish_is_confirmed_by_a_second_connection(tmp_path: Path) -> None:
    """The old connection is a black hole from one of the last slides on."""
    with ServerProcess(tmp_path) as server:
        async with asyncio.TaskGroup() as cases:
            for last in range(1, LAST + 1):
                cases.create_task(swallow(server, last))


async def stall(server: ServerProcess, seconds: float) -> None:
    """Stop the whole network for some time during the last slides; nothing is lost."""
    async with race_of_two(server) as (proxy, race):
        first = race.racers[0]
        flowing = proxy.conditions.flowing
        loop = asyncio.get_running_loop()

        async def fail(left: int) -> None:
            if left == LAST:
                flowing.clear()
                loop.call_later(seconds, flowing.set)

        first.before_slide = fail
        assert await confirmed(first) <= seconds * 1_000 + CONFIRMED_MS
        await check(race)


@pytest.mark.slow
async def test_stalled_network_loses_nothing(tmp_path: Path) -> None:
    """New connections stall, too; all go on when the network does."""
    with ServerProcess(tmp_path) as server:
        async with asyncio.TaskGroup() as cases:
            for seconds in (3.0, 10.0):
                cases.create_task(stall(server, seconds))


@pytest.mark.slow
async def test_dead_connection_is_replaced_while_the_player_thinks(
    tmp_path: Path,
) -> None:
    """Nothing is sent, so only the silence tells; the next slides arrive at once."""
    with ServerProcess(tmp_path) as server:
        async with race_of_two(server) as (proxy, race):
            first = race.racers[0]

            def replaced() -> bool:
                return proxy.connections >= 2 and not first.client.model.in_doubt

            async def think(left: int) -> None:
                if left == LAST:
                    proxy.swallow()
                    await first.until(replaced)

            first.before_slide = think
            assert await confirmed(first) <= CONFIRMED_MS
            await check(race)
