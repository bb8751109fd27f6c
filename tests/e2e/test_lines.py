"""Two real clients over different lines: who was faster wins, whatever the line."""

import asyncio
import contextlib
import gc
from collections.abc import AsyncGenerator, Iterator
from random import Random

import pytest
from tests.e2e.talk import FastClock, a_server, solution

from sliderace.protocol import messages as m
from sliderace_client.connection import Client

WAY_MS = 35.0
JITTER_MS = 10.0
"""Each way takes 35 to 45 ms: a round trip of about 80 ms that is never twice the
same."""
SOLVE_MS = 400
GAP_MS = 50
SLACK_MS = 10
"""A race counts where the players kept to their script so well, by their own clocks:
a machine that was busy elsewhere makes another race of it, with another gap."""
STALL_MS = 20
"""Nor does a race count in which the process that is server, line and players in one
stood still for so long: that delays what has already been sent, on either line."""
RACES = 100
RIGHT = 95
AT_ONCE = 20
"""Races that run beside each other, begun one after the other: two players each, on
the same processor as the server."""


async def pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, rng: Random
) -> None:
    """Pass on what comes, in order, each piece after its delay."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def take() -> None:
        while data := await reader.read(65_536):
            delay = WAY_MS + rng.uniform(0, JITTER_MS)
            pieces.put_nowait((loop.time() + delay / 1_000, data))
        pieces.put_nowait((loop.time(), b""))

    async with asyncio.TaskGroup() as group:
        group.create_task(take())
        while True:
            due, data = await pieces.get()
            await asyncio.sleep(due - loop.time())
            if not data:
                break
            writer.write(data)
    writer.close()


@contextlib.asynccontextmanager
async def a_long_line(port: int, rng: Random) -> AsyncGenerator[str, None]:
    """An address behind which the server is far away."""

    ended: list[asyncio.Task[None] | None] = []

    async def connected(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        ended.append(asyncio.current_task())
        there, back = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(pump(reader, back, rng), pump(there, writer, rng))

    proxy = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with proxy:
        yield f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
        await asyncio.gather(*(task for task in ended if task))


class Sprinter:
    """A player who solves the board a given time after it was painted.

    Args:
        server: base address.
        code: the room.
        name: nickname.
        solve_ms: from the paint to the solving slide.
    """

    def __init__(self, server: str, code: str, name: str, solve_ms: int) -> None:
        self.client = Client(
            server, m.Join(code, name), on_change=self._look, chance=lambda: 0.5
        )
        self.over = asyncio.Event()
        self._solve_ms = solve_ms
        self._asked = False
        self.painted_at: float | None = None

    def _look(self) -> None:
        model = self.client.model
        if model.results is not None or model.ended:
            self.over.set()
        elif not self._asked and len(model.members) == 2:
            self._asked = True
            self.client.ask(m.Ready(model.race))
        elif model.board is not None and self.painted_at is None:
            self.client.painted()
            loop = asyncio.get_running_loop()
            self.painted_at = loop.time()
            loop.call_later(self._solve_ms / 1_000, self._solve, model.start or "")

    @property
    def solved_ms(self) -> int:
        """How long it truly took, from the paint to the solving slide."""
        attempt = self.client.model.attempt
        assert attempt is not None
        return attempt.slides[-1][2]

    def _solve(self, board: str) -> None:
        for direction, count in solution(board):
            assert self.client.slide(direction, count)  # type: ignore[arg-type]


class Stalls:
    """When the loop that all of this runs in came back late to what was due."""

    EVERY_S = 0.005

    def __init__(self) -> None:
        self._late: list[float] = []

    async def watch(self) -> None:
        """Look for stalls until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            await asyncio.sleep(self.EVERY_S)
            if loop.time() - began - self.EVERY_S > STALL_MS / 1_000:
                self._late.append(loop.time())

    def since(self, moment: float) -> bool:
        """Whether there was one after `moment`, in seconds of the loop's clock."""
        return bool(self._late) and self._late[-1] > moment


async def faster_wins(
    near: str, far: str, stalls: Stalls, *, far_is_faster: bool
) -> bool | None:
    """Run one race: did who was truly faster come first? None: it does not count."""
    opening = Client(near, m.Open(m.RulesPatch(size="2x2", countdown_ms=3_000)))
    await opening.run()
    code = opening.model.code
    slower = SOLVE_MS + GAP_MS
    times = (slower, SOLVE_MS) if far_is_faster else (SOLVE_MS, slower)
    players = [
        Sprinter(near, code, "Near", times[0]),
        Sprinter(far, code, "Far", times[1]),
    ]
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(player.client.run()) for player in players]
        for player in players:
            async with asyncio.timeout(30):
                await player.over.wait()
        for run in runs:
            run.cancel()
    results = players[0].client.model.results
    assert results is not None
    assert all(player.client.model.proof == [] for player in players)
    painted_at = players[0].painted_at
    assert painted_at is not None
    if stalls.since(painted_at):
        return None
    lead = players[0].solved_ms - players[1].solved_ms
    if abs((lead if far_is_faster else -lead) - GAP_MS) > SLACK_MS:
        return None
    first, second = results.standings
    return first.name == ("Far" if far_is_faster else "Near") and second.place == 2


@pytest.fixture
def calm() -> Iterator[None]:
    """What thousands of tests left behind is not searched for garbage meanwhile.

    That takes half a second at a time, for server and players alike.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("calm")
async def test_the_faster_player_wins_over_any_line() -> None:
    rng = Random(5)  # noqa: S311 - the same lines each time
    stalls = Stalls()
    watching = asyncio.create_task(stalls.watch())
    right: list[bool] = []
    async with (
        a_server(clock=FastClock(1)) as server,
        a_long_line(server.port, rng) as far,
    ):

        async def races(number: int) -> None:
            await asyncio.sleep(number / AT_ONCE * 2)
            far_is_faster = number % 2 == 0
            while len(right) < RACES:
                one = await faster_wins(
                    server.url, far, stalls, far_is_faster=far_is_faster
                )
                if one is not None:
                    right.append(one)
                    far_is_faster = not far_is_faster

        async with asyncio.TaskGroup() as group:
            for number in range(AT_ONCE):
                group.create_task(races(number))
    watching.cancel()
    assert sum(right[:RACES]) >= RIGHT
