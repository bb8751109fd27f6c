"""The server is killed ten times in mid-race; nobody does anything, nothing is lost."""

import asyncio
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from tests.chaos.process import ServerProcess

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace.race.verify import verify
from sliderace_client.connection import Client
from sliderace_client.keys import check_signature
from sliderace_client.solver import solve

KILLS = 10
PLAYERS = 3

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(120)]


class Racer:
    """The real client, whose player solves the board at a steady pace."""

    def __init__(self, server: str, enter: m.Create | m.Join) -> None:
        self.changed = asyncio.Event()
        self.pace = 0.1
        self.client = Client(server, enter, on_change=self.changed.set)

    @property
    def acked(self) -> int:
        """Slides that the server called durable."""
        attempt = self.client.model.attempt
        return attempt.acked if attempt else 0

    @property
    def made(self) -> list[tuple[str, int]]:
        attempt = self.client.model.attempt
        return [(d, k) for d, k, _ in attempt.slides] if attempt else []

    def entered(self) -> bool:
        return self.client.model.room is not None

    def online(self) -> bool:
        return self.client.model.online

    def done(self) -> bool:
        return self.client.model.results is not None

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            self.changed.clear()
            await self.changed.wait()

    async def play(self) -> None:
        """Solve, whether the server is there or not."""
        client, model = self.client, self.client.model
        await self.until(lambda: model.board is not None and model.racing)
        client.painted()
        assert model.start is not None
        for stage in solve(parse_board(model.start)):
            for direction, count in stage:
                await asyncio.sleep(self.pace)
                await self.until(lambda: model.racing)
                assert client.slide(direction, count)


async def test_ten_kills_in_mid_race_lose_nothing(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        rules = m.RulesPatch(size="6x6", countdown_ms=3_000)
        host = Racer(server.url, m.Create(name="Host", rules=rules))
        racers = [host]
        async with asyncio.TaskGroup() as group:
            group.create_task(host.client.run())
            await host.until(host.entered)
            room = host.client.model.room
            assert room is not None
            for number in range(1, PLAYERS):
                one = Racer(server.url, m.Join(code=room.code, name=f"P{number}"))
                racers.append(one)
                group.create_task(one.client.run())
                await one.until(one.entered)
            for one in racers:
                assert one.client.ask(m.Ready(one.client.model.race))
            plays = [group.create_task(one.play()) for one in racers]
            await host.until(lambda: host.client.model.racing)
            chance = random.Random(2)  # noqa: S311
            for _ in range(KILLS):
                await asyncio.sleep(chance.uniform(0.2, 0.9))
                await asyncio.to_thread(server.kill)
                acked = [one.acked for one in racers]
                await asyncio.sleep(chance.uniform(0.0, 0.3))
                await asyncio.to_thread(server.start)
                for one, durable in zip(racers, acked, strict=True):
                    await one.until(one.online)
                    assert one.acked >= durable
            for one in racers:
                one.pace = 0.005
            await asyncio.gather(*plays)
            for one in racers:
                await one.until(one.done)
            results = [one.client.model.results for one in racers]
            made = {one.client.model.seat: one.made for one in racers}
            for one in racers:
                one.client.ask(m.Leave())
        assert results[0] is not None
        assert [row.status for row in results[0].standings] == ["finished"] * PLAYERS
        assert all(result == results[0] for result in results)
        assert all(not one.client.model.proof for one in racers)
        file = await asyncio.to_thread(_get, f"{server.url}{results[0].record}")
        checks = verify(file, check_signature)
        assert {check.verdict for check in checks} == {"ok"}
        assert len(file["record"]["outages"]) == KILLS
        for racer in file["record"]["racers"]:
            stored = [(slide[0], slide[1]) for slide in racer["slides"]]
            assert stored == made[racer["seat"]]


async def test_who_solves_while_the_server_is_down_does_not_pay_for_it(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path) as server:
        rules = m.RulesPatch(size="3x3", countdown_ms=3_000)
        host = Racer(server.url, m.Create(name="Host", rules=rules))
        async with asyncio.TaskGroup() as group:
            group.create_task(host.client.run())
            await host.until(host.entered)
            model = host.client.model
            host.client.ask(m.Start(model.race))
            await host.until(lambda: model.racing and model.phase == "racing")
            await asyncio.to_thread(server.kill)
            await host.until(lambda: not host.online())
            host.pace = 0.005
            await host.play()
            assert model.attempt is not None
            stamp = model.attempt.slides[-1][2]
            await asyncio.sleep(1)
            await asyncio.to_thread(server.start)
            await host.until(host.done)
            host.client.ask(m.Leave())
        assert model.results is not None
        [row] = model.results.standings
        assert row.time_ms == stamp
        assert row.outage_ms > 1_000
        assert row.credit_ms >= row.outage_ms - 260
        assert not model.proof


def _get(url: str) -> dict[str, Any]:
    with urlopen(url, timeout=3) as answer:  # noqa: S310
        return json.load(answer)  # type: ignore[no-any-return]
