"""Two real clients over different lines: who was faster wins, whatever the line."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
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
        self._asked = self._painted = False

    def _look(self) -> None:
        model = self.client.model
        if model.results is not None or model.ended:
            self.over.set()
        elif not self._asked and len(model.members) == 2:
            self._asked = True
            self.client.ask(m.Ready(model.race))
        elif model.board is not None and not self._painted:
            self._painted = True
            self.client.painted()
            loop = asyncio.get_running_loop()
            loop.call_later(self._solve_ms / 1_000, self._solve, model.start or "")

    def _solve(self, board: str) -> None:
        for direction, count in solution(board):
            assert self.client.slide(direction, count)  # type: ignore[arg-type]


async def faster_wins(near: str, far: str, *, far_is_faster: bool) -> bool:
    """Run one race; whether who was truly faster came first."""
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
    first, second = results.standings
    assert second.time_ms is not None
    return first.name == ("Far" if far_is_faster else "Near") and second.place == 2


@pytest.mark.timeout(180)
async def test_the_faster_player_wins_over_any_line() -> None:
    rng = Random(5)  # noqa: S311 - the same lines each time
    turns = asyncio.Semaphore(AT_ONCE)
    async with (
        a_server(clock=FastClock(1)) as server,
        a_long_line(server.port, rng) as far,
    ):

        async def race(number: int) -> bool:
            async with turns:
                await asyncio.sleep(number % AT_ONCE / AT_ONCE * 2)
                return await faster_wins(server.url, far, far_is_faster=number % 2 == 0)

        right = await asyncio.gather(*(race(number) for number in range(RACES)))
    assert sum(right) >= RIGHT
