"""A server whose logs are in SQLite, and its results and profiles in PostgreSQL."""

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from tests.e2e.daily_server import DAY, NOON_MS, SECRETS, WallClock, add_profile
from tests.e2e.protocol_client import (
    QUICK,
    ProtocolClient,
    connected,
    eventually,
    running_race,
)
from tests.e2e.test_daily import ANN, hello, race
from tests.e2e.test_http import ask
from tests.postgres import PostgresServer

from sliderace.protocol import messages as m
from sliderace.race.daily import DAY_MS
from sliderace_server.app import Server, running
from sliderace_server.registry.profile_service import FORGET_MS
from sliderace_server.settings import ServerSettings
from sliderace_server.storage import BoardQuery, open_results


def serving(
    folder: Path, url: str, wall_ms: int = NOON_MS
) -> AbstractAsyncContextManager[Server]:
    settings = ServerSettings(port=0, data=str(folder), results=url)
    return running(settings, clock=WallClock(wall_ms))


async def raced(client: ProtocolClient) -> m.Gains:
    """Race alone in a public room with Ann's profile."""
    enter = m.Create(name="Ann", rules=QUICK, public=True)
    await client.send(m.Hello(v=1, enter=enter, can=["gains"], profile=SECRETS["Ann"]))
    await client.until(m.Welcome)
    await client.send(m.Start(race=client.race))
    await client.until(m.BoardEvent)
    await client.phase("racing")
    await client.solve()
    return await client.until(m.Gains)


async def get(server: Server, target: str) -> Any:
    reply = await ask(server.port, target)
    assert reply.status == 200, reply.body
    return reply.json()


async def test_races_boards_daily_and_deletion(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = await postgres.empty_database()
    async with open_results(url) as shared:
        await add_profile(shared, "Ann", ANN)
        async with serving(tmp_path, url) as server:
            async with connected(server.port) as client:
                gains = await raced(client)
            assert (gains.counts, gains.place, gains.of) == (True, 1, 1)
            async with connected(server.port) as client:
                await client.send(hello())
                daily = (await race(client)).race
                assert (await client.until(m.Gains)).streak == 1
            races = (await get(server, "/api/races"))["races"]
            assert gains.race in [one["id"] for one in races]
            assert (await get(server, f"/api/races/{gains.race}"))["record"]
            for event in ("2x2", "3x3"):
                board = await get(server, f"/api/boards?event={event}")
                assert [row["name"] for row in board["top"]] == ["Ann"]
        query = BoardQuery("3x3", span="daily", day=DAY)
        assert (await shared.standings.board(query)).top[0].race == daily
        # On any other machine with the same database.
        await shared.standings.set_forget(ANN, NOON_MS + FORGET_MS)
        later_ms = NOON_MS + FORGET_MS + DAY_MS
        async with serving(tmp_path / "other", url, later_ms) as server:
            await eventually(lambda: not server.registry.profiles.sweeping)
            assert (await get(server, "/api/boards?event=3x3"))["top"] == []
            assert (await get(server, "/api/races"))["races"] == []
        assert await shared.standings.profile(ANN) is None


async def test_races_go_on_while_the_database_is_down(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """Their results arrive later, even if the server is restarted before."""
    url = await postgres.empty_database()
    raced: list[str] = []
    async with serving(tmp_path, url) as server:
        await asyncio.to_thread(postgres.stop)
        try:
            raced.append(await race_of_two(server))
            await eventually(lambda: "results_failing" in problems(server))
            reply = await ask(server.port, "/api/boards?event=2x2")
            assert reply.status == 503
        finally:
            await asyncio.to_thread(postgres.start)
        await eventually(lambda: server.registry.idle and not problems(server))
        assert await server.view.record(raced[0])
        await asyncio.to_thread(postgres.stop)
        try:
            raced.append(await race_of_two(server))
        except BaseException:
            await asyncio.to_thread(postgres.start)
            raise
    assert not server.registry.stored_everything
    await asyncio.to_thread(postgres.start)
    async with serving(tmp_path, url) as server:
        await eventually(lambda: server.registry.idle)
    async with open_results(url) as shared:
        assert {one.id for one in await shared.results.races()} == {*raced}


def problems(server: Server) -> list[str]:
    return list(server.view.health()["problems"])


async def race_of_two(server: Server) -> str:
    """Let two guests race; return the race."""
    async with running_race(server.port, 2, "2x2") as players:
        for player in players:
            await player.solve()
        return (await players[0].until(m.Results)).race
