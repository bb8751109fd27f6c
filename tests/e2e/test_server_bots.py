"""The bots of the server, in a real child process."""

import asyncio

import pytest
from tests.e2e.protocol_client import connected, rules, running_server

from sliderace.protocol import messages as m
from sliderace_server.clock import SystemClock

pytestmark = [pytest.mark.timeout(60)]


async def test_bots_of_three_levels_race_and_finish() -> None:
    """They race with one person, who only has to get ready, each in its own way."""
    levels: list[m.LevelName] = ["casual", "expert", "record"]
    async with (
        running_server(clock=await asyncio.to_thread(SystemClock)) as server,
        connected(server.port, m.Create("Ann", rules("3x3"))) as ann,
    ):
        await ann.send(m.Bots([m.BotWanted(level) for level in levels]))
        for _ in levels:
            event = await ann.until(m.MemberEvent, lambda one: one.member.ready)
            assert event.member.bot
        await ann.send(m.Ready(ann.race))
        await ann.phase("racing")
        await ann.send(m.Forfeit(ann.race))
        results = await ann.until(m.Results)
        bots = [row for row in results.standings if row.bot]
        assert [row.status for row in bots] == ["finished"] * 3
        assert all(row.name.startswith("⚙ ") for row in bots)
