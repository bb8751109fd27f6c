"""Kill a server in mid-race, again and again: `python tests/chaos/kills.py 500 [SEED]`.

Each round is a race of three real clients on a board of 8x8, with as many kills as it
lasts. What it says in the end stands in docs/reliability.md.
"""

import asyncio
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":  # as a script it finds the tests' own parts
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.chaos.race import running_race
from tests.chaos.server_process import ServerProcess

__all__ = ["Killed", "killed_in_mid_race"]

A_ROUND = 25
"""Kills in a race of 8x8, which takes a player some 1,100 slides, five in a second."""


@dataclass(frozen=True, slots=True)
class Killed:
    """What became of a race.

    Args:
        kills: how often its server was killed.
        slides: how many were made, none of them lost or doubled.
        down_ms: how long the server was away, from its last sign of life on, in ms.
    """

    kills: int
    slides: int
    down_ms: tuple[int, ...]


async def killed_in_mid_race(
    server: ServerProcess, kills: int, size: str, seed: int
) -> Killed:
    """Run a race of three, and kill its server while they slide.

    Raises:
        AssertionError: a promise was broken.
    """
    chance = random.Random(seed)  # noqa: S311
    async with running_race(server, size=size) as race:
        for _ in range(kills):
            await asyncio.sleep(chance.uniform(0.2, 0.9))
            assert not all(play.done() for play in race.plays), "solved too soon"
            await asyncio.to_thread(server.kill)
            durable = race.acked()
            await asyncio.sleep(chance.uniform(0.0, 0.3))
            await asyncio.to_thread(server.start)
            await race.back(durable)
        record = (await race.finish())["record"]
    assert len(record["outages"]) == kills
    return Killed(
        kills,
        sum(len(racer["slides"]) for racer in record["racers"]),
        tuple(up - down for down, up in record["outages"]),
    )


async def _main(wanted: int, seed: int) -> None:
    began, done, slides = time.monotonic(), 0, 0
    down: list[int] = []
    while done < wanted:
        kills = min(A_ROUND, wanted - done)
        with (
            tempfile.TemporaryDirectory() as folder,
            ServerProcess(Path(folder)) as server,
        ):
            killed = await killed_in_mid_race(server, kills, "8x8", seed + done)
        done += killed.kills
        slides += killed.slides
        down += killed.down_ms
        print(f"{done} kills, {slides} slides, none lost or doubled", flush=True)
    down.sort()
    took_s = round(time.monotonic() - began)
    print(
        f"{took_s} s; away for {down[len(down) // 2]} ms (median), {down[-1]} ms (max)"
    )


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), seed=int([*sys.argv, "1"][2])))
