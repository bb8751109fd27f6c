"""Kill a server in mid-race, again and again: `python tests/chaos/kills.py 500 [SEED]`.

Each round is a race of three real clients on a board of 8x8. The figures are those of
docs/reliability.md.
"""

import asyncio
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.chaos.race import running_race
from tests.chaos.server_process import ServerProcess

__all__ = ["KilledRace", "killed_in_mid_race"]

A_ROUND = 25
"""Kills per race; a race on 8x8 takes some 1,100 slides at five per second."""


@dataclass(frozen=True, slots=True)
class KilledRace:
    """A race whose server was killed.

    Args:
        kills: how often its server was killed.
        slides: how many slides were made; none was lost or duplicated.
        down_ms: how long each outage was, from the last log record on.
    """

    kills: int
    slides: int
    down_ms: tuple[int, ...]


async def killed_in_mid_race(
    server: ServerProcess, kills: int, size: str, seed: int
) -> KilledRace:
    """Run a race of three and kill its server again and again.

    Raises:
        AssertionError: a promise was broken.
    """
    rng = random.Random(seed)  # noqa: S311
    async with running_race(server, size=size) as race:
        for _ in range(kills):
            await asyncio.sleep(rng.uniform(0.2, 0.9))
            assert not all(play.done() for play in race.plays), "ended too soon"
            await asyncio.to_thread(server.kill)
            durable = race.acked()
            await asyncio.sleep(rng.uniform(0.0, 0.3))
            await asyncio.to_thread(server.start)
            await race.back(durable)
        record = (await race.finish())["record"]
    assert len(record["outages"]) >= kills  # a busy machine stalls, too
    return KilledRace(
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
        print(f"{done} kills, {slides} slides, none lost or duplicated", flush=True)
    down.sort()
    took_s = round(time.monotonic() - began)
    print(
        f"{took_s} s; down for {down[len(down) // 2]} ms (median), {down[-1]} ms (max)"
    )


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), seed=int([*sys.argv, "1"][2])))
