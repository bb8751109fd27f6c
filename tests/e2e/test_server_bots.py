"""The bots of the server, in a real child process."""

import asyncio
import contextlib
import json
import os

import pytest
from tests.e2e.protocol_client import connected, eventually, rules, running_server

from sliderace.protocol import messages as m
from sliderace_client.line_ui import race as line_race
from sliderace_client.line_ui.own_keys import Keys
from sliderace_client.line_ui.typed_input import TypedInput
from sliderace_server.clock import SystemClock
from sliderace_server.limits import Limits

pytestmark = [pytest.mark.timeout(60)]


async def test_bots_of_three_levels_race_and_finish() -> None:
    """They race with one person, who only has to get ready, each in its own way."""
    levels: list[m.LevelName] = ["club", "record", "record"]
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
        signed = await server.view.record(results.race)
        assert signed is not None
        racers = json.loads(signed)["record"]["racers"]
        marked = [racer for racer in racers if racer["bot"]]
        ways = {json.dumps([s[0] for s in racer["slides"]]) for racer in marked}
        assert len(ways) == 3


async def test_the_bots_of_all_rooms_are_limited() -> None:
    two = m.Bots([m.BotWanted("club")] * 2)
    async with (
        running_server(Limits(total_bots=3)) as server,
        connected(server.port, m.Create("Ann")) as ann,
        connected(server.port, m.Create("Ben")) as ben,
    ):
        await ann.send(two)
        await ann.until(m.MemberEvent, lambda one: one.member.id == 3)
        await ben.send(two)
        refused = await ben.until(m.Refused)
        assert (refused.code, refused.field, refused.value) == (
            "too_many_bots", "want", "2",
        )  # fmt: skip
        assert refused.text == "want must be an integer from 0 to 1, not 2."
        await ann.send(m.Bots([]))
        await ann.until(m.Gone)
        await ann.until(m.Gone)
        await ben.send(two)
        await ben.until(m.MemberEvent, lambda one: one.member.id == 3)


async def test_a_server_without_bots_does_not_offer_them() -> None:
    async with (
        running_server(Limits(total_bots=0)) as server,
        connected(server.port, m.Create("Ann")) as ann,
    ):
        [welcome] = [one for one in ann.received if isinstance(one, m.Welcome)]
        assert "bots" not in welcome.features
        await ann.send(m.Bots([m.BotWanted("club")]))
        assert (await ann.until(m.Refused)).code == "too_many_bots"


async def test_an_unknown_client_can_race_with_bots() -> None:
    """A client that lists nothing in `can` gets only what the first set has."""
    async with (
        running_server(clock=await asyncio.to_thread(SystemClock)) as server,
        connected(server.port, m.Create("Ann", rules("2x2"))) as ann,
        connected(server.port) as ben,
    ):
        await ann.send(m.Bots([m.BotWanted("record")]))
        await ben.send(m.Hello(v=1, enter=m.Join(ann.code, "Ben")))
        snapshot = await ben.until(m.Snapshot)
        assert [one.bot for one in snapshot.members] == [False, True, False]
        for one in (ann, ben):
            await one.send(m.Ready(one.race))
        await ben.phase("racing")
        await ben.solve()
        await ann.send(m.Forfeit(ann.race))
        results = await ben.until(m.Results)
        assert {row.name for row in results.standings if row.status == "finished"} >= {
            "Ben"
        }


async def test_host_in_plain_mode_chooses_bots_by_typing() -> None:
    said: list[str] = []
    reading, writing = os.pipe()

    def type_line(line: str) -> None:
        os.write(writing, line.encode() + b"\n")

    def heard(words: str) -> bool:
        return any(words in line for line in said)

    async with running_server() as server, connected(server.port) as opener:
        await opener.send(m.Hello(v=1, enter=m.Open(rules("2x2"))))
        code = (await opener.until(m.Opened)).code
        playing = asyncio.create_task(
            line_race.race(
                f"http://127.0.0.1:{server.port}",
                m.Join(code, "Ann"),
                seat=None,
                typed=TypedInput(reading),
                say=said.append,
                keys=Keys(),
            )
        )
        await eventually(lambda: heard("You are Ann"))
        type_line("bots god")
        await eventually(lambda: heard("'god' is neither a level nor a pace"))
        type_line("bots record 1.5")
        await eventually(lambda: heard("· record joined (bot)"))
        await eventually(lambda: heard("· ~1.5 s joined (bot)"))
        type_line("bots 0.1")
        await eventually(lambda: heard("A bot needs a level or a pace"))
        type_line("bots none")
        await eventually(lambda: heard("· record left"))
        type_line("leave")
        await playing
    os.close(writing)
    os.close(reading)


async def test_bots_of_rooms_that_want_the_first_ones_at_once_all_come() -> None:
    """Also those that are wanted while the process starts."""
    async with (
        running_server(clock=await asyncio.to_thread(SystemClock)) as server,
        contextlib.AsyncExitStack() as stack,
    ):
        creates = [m.Create(f"Ann {number}") for number in range(4)]
        hosts = [
            await stack.enter_async_context(connected(server.port, create))
            for create in creates
        ]
        for host in hosts:
            await host.send(m.Bots([m.BotWanted("club")]))
        for host in hosts:
            await host.until(m.MemberEvent, lambda one: one.member.ready)
