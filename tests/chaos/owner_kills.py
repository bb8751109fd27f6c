"""Kill the node that serves a race, again and again.

    python tests/chaos/owner_kills.py 100 [SEED]

Each round is a race of three real clients on a board of 8x8 and a cluster of two
nodes. Each client connects through a proxy that prefers another node. The figures are
those of docs/reliability.md.
"""

import asyncio
import contextlib
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.chaos.node_processes import NodeProcesses, node_processes, proxied
from tests.chaos.race import Race, Racer, running_race
from tests.chaos.server_process import ServerProcess
from tests.postgres import postgres_server

__all__ = ["OwnerKills", "owner_killed_in_mid_race"]

A_ROUND = 10
"""Kills per race."""


@dataclass(frozen=True, slots=True)
class OwnerKills:
    """A race whose serving node was killed.

    Args:
        slides: how many slides were made; none was lost or duplicated.
        silent_s: for each kill and racer on another node, from the last ack before it
            to the first one after it.
        away_s: the same for racers on the node that was killed.
        usual_s: how long the pauses between two acks are without a kill.
    """

    slides: int
    silent_s: list[float]
    away_s: list[float]
    usual_s: list[float]


async def acks(racer: Racer, times: list[float]) -> None:
    """Note when slides are acknowledged."""
    while True:
        acked = racer.acked
        await racer.until(lambda before=acked: racer.acked != before)  # type: ignore[misc]
        times.append(time.monotonic())


async def owner_killed_in_mid_race(
    nodes: NodeProcesses, kills: int, size: str, seed: int
) -> OwnerKills:
    """Run a race of three and kill the node that serves it again and again.

    Raises:
        AssertionError: a promise was broken.
    """
    rng = random.Random(seed)  # noqa: S311
    silent: list[float] = []
    away: list[float] = []
    usual: list[float] = []
    order = list(nodes.nodes.values())
    async with contextlib.AsyncExitStack() as stack:
        through = [
            await stack.enter_async_context(proxied([*order[n:], *order[:n]]))
            for n in _places(order)
        ]
        async with running_race(nodes, 3, size, through) as race:  # type: ignore[arg-type]
            times: list[list[float]] = [[] for _ in race.racers]
            async with asyncio.TaskGroup() as group:
                noting = [
                    group.create_task(acks(racer, seen))
                    for racer, seen in zip(race.racers, times, strict=True)
                ]
                starting: list[asyncio.Task[dict[str, object]]] = []
                for _ in range(kills):
                    await race.moved(2)
                    await asyncio.sleep(rng.uniform(0.0, 0.5))
                    await asyncio.gather(*starting)
                    killed = await _kill(nodes, race, times, silent, away)
                    start = asyncio.to_thread(killed.start)
                    starting.append(group.create_task(start))
                for one in noting:
                    one.cancel()
            for seen in times:
                usual += [after - before for before, after in pairwise(seen)]
            slides = sum(len(one.made) for one in race.racers)
            await race.finish()
    return OwnerKills(slides, silent, away, usual)


async def _kill(
    nodes: NodeProcesses,
    race: Race,
    times: list[list[float]],
    silent: list[float],
    away: list[float],
) -> ServerProcess:
    """Kill the node that serves the race; return it once all racers have moved."""
    assert not all(play.done() for play in race.plays), "ended too soon"
    order = list(nodes.nodes.values())
    owner = await asyncio.to_thread(nodes.owner, race.code)
    here = [order[n] is owner for n in _places(order)]
    await asyncio.to_thread(owner.kill)
    killed, durable = time.monotonic(), race.acked()
    await race.back(durable)
    await race.moved(1)
    for was_here, seen in zip(here, times, strict=True):
        before = max((at for at in seen if at <= killed), default=killed)
        after = min(at for at in seen if at > killed)
        (away if was_here else silent).append(after - before)
    return owner


def _places(order: list[ServerProcess]) -> list[int]:
    """Return for each racer which node it connects to if all run."""
    return [n % len(order) for n in range(3)]


def summary(name: str, seconds: list[float]) -> str:
    """Return median, 95 % and maximum in ms."""
    ordered = sorted(seconds)
    if not ordered:
        return f"{name}: none"
    at = [ordered[round(share * (len(ordered) - 1))] for share in (0.5, 0.95, 1.0)]
    return f"{name}: " + ", ".join(f"{1_000 * one:.0f}" for one in at) + " ms"


async def _main(wanted: int, seed: int) -> None:
    silent: list[float] = []
    away: list[float] = []
    usual: list[float] = []
    done = slides = 0
    while done < wanted:
        kills = min(A_ROUND, wanted - done)
        with (
            tempfile.TemporaryDirectory() as folder,
            postgres_server() as postgres,
            node_processes(Path(folder), postgres.url()) as nodes,
        ):
            found = await owner_killed_in_mid_race(nodes, kills, "8x8", seed + done)
        done += kills
        slides += found.slides
        silent += found.silent_s
        away += found.away_s
        usual += found.usual_s
        print(f"{done} kills, {slides} slides, none lost or duplicated", flush=True)
    print("median, 95 %, longest")
    print(summary("silent on other nodes", silent))
    print(summary("away with the killed node", away))
    print(summary("pauses in all", usual))


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), seed=int([*sys.argv, "1"][2])))
