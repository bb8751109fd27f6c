"""A server that is killed while people race at once, or alone."""

import asyncio
from pathlib import Path

import pytest
from tests.chaos.server_process import ServerProcess
from tests.e2e.protocol_client import connected

from sliderace.protocol import messages as m

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(120)]


async def test_a_quick_race_goes_on_after_a_killed_server(tmp_path: Path) -> None:
    """Its bots come back by themselves, and the room is still one of the server."""
    with ServerProcess(tmp_path) as server:
        async with connected(server.port, m.Quick("3x3", "Ann", 8_000)) as ann:
            await ann.phase("racing")
            await ann.until(m.Progress)
            await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        async with connected(server.port, m.Resume(ann.code, ann.token)) as again:
            snapshot = await again.until(m.Snapshot)
            assert (snapshot.room.kind, snapshot.room.host) == ("quick", None)
            assert sum(one.bot for one in snapshot.members) == 3
            await again.solve()
            await again.acked(again.seq)
            async with asyncio.timeout(60):
                results = await again.until(m.Results)
            bots = [row.status for row in results.standings if row.bot]
            assert bots == ["finished"] * 3
            # The next to come finds this room, not a new one.
            async with connected(server.port, m.Quick("3x3", "Ben", 8_000)) as ben:
                assert ben.code == again.code


async def test_a_race_alone_goes_on_after_a_killed_server(tmp_path: Path) -> None:
    solo = m.Solo("Ann", m.RulesPatch(size="3x3"))
    with ServerProcess(tmp_path) as server:
        async with connected(server.port, solo) as ann:
            await ann.phase("racing")
            await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        async with connected(server.port, m.Resume(ann.code, ann.token)) as again:
            snapshot = await again.until(m.Snapshot)
            assert (snapshot.room.kind, snapshot.room.locked) == ("solo", True)
            await again.solve()
            results = await again.until(m.Results)
            assert [row.status for row in results.standings] == ["finished"]
            await again.send(m.Rematch(again.race))
            await again.phase("countdown")
