"""The server is killed in a daily race; the try is neither lost nor given twice."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.chaos.server_process import ServerProcess
from tests.e2e.protocol_client import ProtocolClient, connected, solution

from sliderace.proof import canonical
from sliderace.proof.verify import verify
from sliderace.protocol import messages as m
from sliderace_client.net.http import get
from sliderace_client.net.signature import check_signature

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(100)]

SECRET = "5" * 32
DAILY = m.Hello(v=1, enter=m.Daily("3x3", "Ann"), can=["gains"], profile=SECRET)


async def keep(port: int) -> str:
    """Create a profile; return its id."""
    async with connected(port) as ann:
        await ann.send(m.Hello(v=1, enter=m.Me(), profile=SECRET))
        await ann.until(m.MeEvent)
        await ann.send(m.Keep("Ann"))
        profile = (await ann.until(m.MeEvent)).profile
        assert profile is not None
        return profile.id


async def enter(client: ProtocolClient) -> m.Welcome:
    await client.send(DAILY)
    return await client.until(m.Welcome)


async def test_kill_in_a_daily_race_gives_no_second_attempt(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, "--log-level", "error") as server:
        await keep(server.port)
        async with connected(server.port) as ann:
            code = (await enter(ann)).code
            await ann.until(m.BoardEvent)
            await ann.phase("racing")
            start, seat = ann.board, m.Resume(ann.code, ann.token)
            await ann.send(ann.slides(solution(ann.board)[:1]))
            await ann.acked(1)
            await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        # Another device without the token of the seat, then the first one again.
        async with connected(server.port) as phone:
            welcome = await enter(phone)
            assert (welcome.code, welcome.seq) == (code, 1)
        async with connected(server.port) as ann:
            await ann.send(m.Hello(v=1, enter=seat, can=["gains"]))
            await ann.until(m.Welcome)
            await ann.solve()
            results = await ann.until(m.Results)
            assert results.board == start
            assert (await ann.until(m.Gains)).streak == 1
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        async with connected(server.port) as again:
            # Its room still shows the results, and has no other race.
            await enter(again)
            snapshot = await again.until(m.Snapshot)
            assert snapshot.results
            await again.send(m.Rematch(snapshot.room.race))
            assert (await again.until(m.Refused)).code == "daily_done"
            await again.send(m.Leave())
            await again.closed()
        async with connected(server.port) as again:
            await again.send(DAILY)
            assert (await again.until(m.Refused)).code == "daily_done"
        reply = await asyncio.to_thread(get, server.url, results.record)
        assert reply.status == 403
        own = await asyncio.to_thread(get, server.url, results.record, token=SECRET)
        daily = await asyncio.to_thread(get, server.url, "/api/daily")
        found: Any = daily.json()
        anchor = str(found["events"]["3x3"]["anchor"])
        checks = verify(canonical.decode(own.body), check_signature, anchor=anchor)
        assert {check.verdict for check in checks} == {"ok"}
