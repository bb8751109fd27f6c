"""Two real clients with different latency race; the faster player should win.

Everything happens in virtual time, so nothing else delays a player.
`python -m tests.simulation.latency` prints how many of 100 races the faster one won.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator
from dataclasses import replace
from random import Random

import detangle
from tests.e2e.protocol_client import solution
from tests.simulation.machine import Machine
from tests.simulation.run import CONFIG, STEPS, silence_logs

from sliderace.protocol import messages as m
from sliderace_client.net.connection import Client
from sliderace_server.app import running
from sliderace_server.limits import Limits
from sliderace_server.storage.memory import MemoryStore

DELAY_MS = 35.0
JITTER_MS = 10.0
"""A message takes 35 to 45 ms to and from the far player: an RTT of 80 ms."""
NEAR, FAR = "http://srv:80", "http://far:80"
NEAR_S = (0.0002, 0.001)
"""Delay of every other message in the simulated network, in seconds."""
SOLVE_MS = 400
GAP_MS = 50
RACES = 100
AT_ONCE = 20
"""Races that run at the same time."""


async def pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, rng: Random
) -> None:
    """Pass bytes on, in order, each piece after a delay."""
    loop = asyncio.get_running_loop()
    delayed: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def delay() -> None:
        while data := await reader.read(65_536):
            ms = DELAY_MS + rng.uniform(0, JITTER_MS)
            delayed.put_nowait((loop.time() + ms / 1_000, data))
        delayed.put_nowait((loop.time(), b""))

    async with asyncio.TaskGroup() as group:
        group.create_task(delay())
        while True:
            due, data = await delayed.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not data:
                break
            writer.write(data)
    writer.close()


@contextlib.asynccontextmanager
async def far_address(rng: Random) -> AsyncGenerator[str, None]:
    """Yield an address of the server for the far player."""

    async def connected(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        server_reader, server_writer = await asyncio.open_connection("srv", 80)
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(
                pump(reader, server_writer, rng), pump(server_reader, writer, rng)
            )

    async with await asyncio.start_server(connected, "far", 80):
        yield FAR


class SimulatedClient(Client):
    """Our client, in virtual time."""

    def now(self) -> int:
        return int(detangle.now() * 1_000)


class Sprinter:
    """A player who solves the board a given time after it is painted.

    Args:
        server: base address.
        code: room code.
        name: nickname.
        solve_ms: from the paint to the solving slide.
    """

    def __init__(self, server: str, code: str, name: str, solve_ms: int) -> None:
        self.client = SimulatedClient(
            server,
            m.Join(code, name),
            on_change=self._react,
            chance=lambda: 0.5,
            entropy=lambda size: detangle.randint(0, 2**31).to_bytes(size),
            checks=False,
        )
        self.over = asyncio.Event()
        self._solve_ms = solve_ms
        self._asked = self._painted = False

    def _react(self) -> None:
        view = self.client.view
        if view.results is not None or view.ended:
            self.over.set()
        elif not self._asked and len(view.members) == 2:
            self._asked = True
            self.client.ask(m.Ready(view.race))
        elif view.board is not None and not self._painted:
            self._painted = True
            self.client.painted()
            loop = asyncio.get_running_loop()
            loop.call_later(self._solve_ms / 1_000, self._solve, view.start or "")

    def _solve(self, board: str) -> None:
        for direction, count in solution(board):
            assert self.client.slide(direction, count)  # type: ignore[arg-type]


async def faster_wins(far: str, *, far_is_faster: bool) -> bool:
    """Run one race; return whether the player who was 50 ms faster won."""
    rules = m.RulesPatch(size="2x2", countdown_ms=3_000)
    opening = SimulatedClient(NEAR, m.Open(rules), entropy=bytes)
    await opening.run()
    code = opening.view.code
    slower = SOLVE_MS + GAP_MS
    times = (slower, SOLVE_MS) if far_is_faster else (SOLVE_MS, slower)
    players = [
        Sprinter(NEAR, code, "Near", times[0]),
        Sprinter(far, code, "Far", times[1]),
    ]
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(player.client.run()) for player in players]
        for player in players:
            async with asyncio.timeout(60):
                await player.over.wait()
        for run in runs:
            run.cancel()
    results = players[0].client.view.results
    assert results is not None
    assert all(player.client.view.faults == [] for player in players)
    first, second = results.standings
    return first.name == ("Far" if far_is_faster else "Near") and second.place == 2


async def _races() -> int:
    """Run all races; return in how many the faster player won."""
    machine, rng = Machine(), Random(5)  # noqa: S311 - the same delays each time

    async def serve() -> None:
        store = MemoryStore()
        limits = Limits(rooms_per_ip=RACES, rooms_per_hour=RACES)
        config = replace(CONFIG, public_url=FAR, limits=limits)
        async with running(
            config, store=store, clock=machine, entropy=machine.entropy, page={}
        ):
            await asyncio.get_running_loop().create_future()

    serving = detangle.spawn(serve(), host="srv")
    await asyncio.sleep(1)
    right = 0
    async with far_address(rng) as far:
        for first in range(0, RACES, AT_ONCE):
            right += sum(
                await asyncio.gather(
                    *(
                        faster_wins(far, far_is_faster=number % 2 == 0)
                        for number in range(first, first + AT_ONCE)
                    )
                )
            )
    serving.cancel()
    await asyncio.wait([serving])
    return right


def main() -> int:
    """Print in how many races the faster player won; return 1 on a failure."""
    silence_logs()
    net = detangle.NetConfig(latency=NEAR_S)
    config = detangle.SimConfig(max_steps=STEPS, net=net)
    strategy = detangle.RandomWalk(5)
    strategy.start(0)
    result = detangle.execute(_races, config=config, strategy=strategy)
    print(result.value if result.failure is None else result.failure.message)
    return int(result.failure is not None)


if __name__ == "__main__":
    sys.exit(main())
