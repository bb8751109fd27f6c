"""The server stands still around two finishes: the right player wins."""

import asyncio
import contextlib
import signal
import time
from pathlib import Path
from random import Random

import pytest
from tests.chaos.server_process import ServerProcess
from tests.e2e.protocol_client import ProtocolClient, connected, solution
from tests.tiers import TIER, TIERS

from sliderace.protocol import messages as m

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]

AT_ONCE = 10
"""Races that run at the same time: more would make the clients late."""
TRIES = 10
"""For each race that counts."""
QUIET = TIER is TIERS["full"]
"""The other tiers share the machine with other tests, which delay the clients."""
GAP_S = 0.1 if QUIET else 0.5
"""Between the two finishes."""
LATE_S = 0.4 * GAP_S
"""If the clients themselves are later than this, their timestamps are wrong, and the
races do not count: two such errors must stay below `GAP_S`."""
SETTLED_S = 0.3
"""Between the last slide before the stall and the stall."""
CONFIRMED_S = 4.0 if QUIET else 12.0


class Duel:
    """A race of two whose solving slides are sent `GAP_S` apart, around a stall."""

    def __init__(self, server: ServerProcess, chance: Random, stall_s: float) -> None:
        self.server = server
        self.ready = asyncio.Barrier(3)  # both racers, and who stops the server
        self.stopped = asyncio.Event()
        # On a busy machine, both finishes wait in the stall: then nothing but their
        # timestamps decides, and a slow server changes nothing.
        around = (
            (-GAP_S, stall_s + 0.05) if QUIET else (LATE_S, stall_s - GAP_S - LATE_S)
        )
        self.first_at_s = chance.uniform(*around)
        self.host_wins = chance.random() < 0.5
        self.solved_at = 0.0
        self.results: m.Results | None = None
        self.confirmed_at = 0.0

    async def run(self) -> None:
        async with contextlib.AsyncExitStack() as stack:
            create = m.Create(name="Ann", rules=m.RulesPatch(size="3x2"))
            port = self.server.port
            ann = await stack.enter_async_context(connected(port, create))
            join = m.Join(ann.code, "Ben")
            ben = await stack.enter_async_context(connected(port, join))
            for one in (ben, ann):
                await one.send(m.Ready(one.race))
            late_s = (0.0, GAP_S) if self.host_wins else (GAP_S, 0.0)
            await asyncio.gather(self.race(ann, late_s[0]), self.race(ben, late_s[1]))
            self.results = await ann.until(m.Results)
            self.confirmed_at = time.monotonic()

    async def race(self, one: ProtocolClient, late_s: float) -> None:
        """Make all slides but one; send the last one at its time around the stall."""
        await one.until(m.BoardEvent)
        painted = time.monotonic()
        await one.phase("racing")
        *most, last = solution(one.board)

        def stamp() -> int:
            return int((time.monotonic() - painted) * 1_000)

        made = [(way, tiles, stamp()) for way, tiles in most]
        if made:
            await one.send(m.Slides(one.race, one.gen, 1, made))  # type: ignore[arg-type]
            await one.until(m.Ack, lambda ack: ack.seq == len(made))
        await self.ready.wait()
        await self.stopped.wait()
        await asyncio.sleep(SETTLED_S + self.first_at_s + late_s)
        slide = (*last, stamp())
        await one.send(m.Slides(one.race, one.gen, len(made) + 1, [slide]))  # type: ignore[list-item]
        self.solved_at = max(self.solved_at, time.monotonic())

    def wrong(self, resumed_at: float) -> str:
        """Return what is wrong with the results; empty: nothing."""
        assert self.results is not None
        first, second = self.results.standings
        if first.place == second.place or (first.seat == 0) != self.host_wins:
            return f"the wrong winner: {first}, {second}"
        took_s = self.confirmed_at - max(self.solved_at, resumed_at)
        return f"confirmed after {took_s:.1f} s" if took_s > CONFIRMED_S else ""


@pytest.mark.parametrize("stall_s", [0.3, 1.0, 5.0] if QUIET else [1.0, 5.0])
async def test_right_player_wins_around_a_stall(tmp_path: Path, stall_s: float) -> None:
    chance, wrong = Random(f"{stall_s}"), list[str]()  # noqa: S311
    raced = tried = 0
    with ServerProcess(tmp_path, "--memory") as server:
        while raced < TIER.stalls:
            duels = [
                Duel(server, chance, stall_s)
                for _ in range(min(TIER.stalls - raced, AT_ONCE))
            ]
            tried += len(duels)
            assert tried <= TRIES * TIER.stalls, "the clients are always late"
            resumed_at, late_s = await race_all(duels, server, stall_s)
            if late_s <= LATE_S:
                raced += len(duels)
                wrong += filter(None, (duel.wrong(resumed_at) for duel in duels))
    assert wrong == []


async def race_all(
    duels: list[Duel], server: ServerProcess, stall_s: float
) -> tuple[float, float]:
    """Return when the server ran again, and how late this process was at most."""
    lateness = [0.0]

    async def watch() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            lateness.append(time.monotonic() - before - 0.005)

    async with asyncio.TaskGroup() as group:
        watching = group.create_task(watch())
        running = [group.create_task(duel.run()) for duel in duels]
        await asyncio.gather(*(duel.ready.wait() for duel in duels))
        for duel in duels:
            duel.stopped.set()
        await asyncio.sleep(SETTLED_S)
        server.signal(signal.SIGSTOP)
        await asyncio.sleep(stall_s)
        server.signal(signal.SIGCONT)
        resumed_at = time.monotonic()
        await asyncio.gather(*running)
        watching.cancel()
    return resumed_at, max(lateness)
