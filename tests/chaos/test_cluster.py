"""Nodes of a cluster are killed, stalled and stopped in mid-race; nothing is lost."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncGenerator, Generator

import pytest
from tests.chaos.node_processes import NodeProcesses, node_processes, proxied
from tests.chaos.owner_kills import owner_killed_in_mid_race
from tests.chaos.race import Race, running_race
from tests.chaos.server_process import ServerProcess
from tests.postgres import PostgresServer
from tests.tiers import TIER

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(200)]


@pytest.fixture(scope="module")
def nodes(
    tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer
) -> Generator[NodeProcesses]:
    """Two nodes that all tests share."""
    results = asyncio.run(postgres.empty_database())
    with node_processes(tmp_path_factory.mktemp("nodes"), results) as running:
        yield running


@contextlib.asynccontextmanager
async def race_of_two(
    nodes: NodeProcesses,
) -> AsyncGenerator[tuple[Race, ServerProcess, ServerProcess]]:
    """Start a race; yield it with the node that serves it and the other node.

    The racers connect to different nodes as long as both run.
    """
    order = list(nodes.nodes.values())
    async with (
        proxied(order) as first,
        proxied(order[::-1]) as second,
        running_race(nodes, 2, "5x5", [first, second]) as race,  # type: ignore[arg-type]
    ):
        await race.moved(3)
        owner = await asyncio.to_thread(nodes.owner, race.code)
        (other,) = (node for node in order if node is not owner)
        yield race, owner, other


async def test_a_race_survives_the_death_of_its_node(nodes: NodeProcesses) -> None:
    found = await owner_killed_in_mid_race(nodes, TIER.owner_kills, "6x6", seed=3)
    assert found.slides > 0


async def test_a_node_that_stalled_gives_its_rooms_up(
    nodes: NodeProcesses,
) -> None:
    async with race_of_two(nodes) as (race, owner, other):
        owner.signal(signal.SIGSTOP)
        durable = race.acked()
        elsewhere = race.racers[1 if owner is nodes.nodes["n0"] else 0]
        before = elsewhere.acked
        await elsewhere.until(lambda: elsewhere.acked > before + 2)
        owner.signal(signal.SIGCONT)
        await race.back(durable)
        await race.moved(2)
        assert await asyncio.to_thread(nodes.owner, race.code) is other
        await race.finish()
    said = await asyncio.to_thread(owner.log.read_text)
    assert "gave up a room" in said


@pytest.mark.slow
async def test_a_race_goes_on_while_broker_and_database_restart(
    nodes: NodeProcesses, postgres: PostgresServer
) -> None:
    """The node that serves it is killed while the database is down."""
    async with race_of_two(nodes) as (race, owner, _):
        await asyncio.to_thread(nodes.broker.kill)
        durable, made = race.acked(), [len(one.made) for one in race.racers]
        for one, slides in zip(race.racers, made, strict=True):
            await one.until(lambda o=one, s=slides: len(o.made) > s + 3)  # type: ignore[misc]
        await asyncio.to_thread(nodes.broker.start)
        await race.back(durable)
        await race.moved(2)

        await asyncio.to_thread(postgres.stop)
        await asyncio.to_thread(owner.kill)
        durable = race.acked()
        await race.back(durable)
        await race.moved(2)
        await asyncio.to_thread(postgres.start)
        await asyncio.to_thread(owner.start)
        await race.finish()


@pytest.mark.slow
async def test_an_upgrade_of_one_node_after_the_other_ends_no_race(
    nodes: NodeProcesses,
) -> None:
    async with race_of_two(nodes) as (race, owner, other):
        owner.signal(signal.SIGTERM)
        assert await asyncio.to_thread(owner.end) == 0
        await race.moved(2)
        assert await asyncio.to_thread(nodes.owner, race.code) is other
        await asyncio.to_thread(owner.start)
        other.signal(signal.SIGTERM)
        assert await asyncio.to_thread(other.end) == 0
        await race.moved(2)
        assert await asyncio.to_thread(nodes.owner, race.code) is owner
        await asyncio.to_thread(other.start)
        await race.finish()
