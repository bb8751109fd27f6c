"""Bots race over real connections, and all members agree on the results."""
# ruff: noqa: S311 - the same race each time

import asyncio
from collections.abc import Callable
from functools import partial
from random import Random
from threading import get_ident

import pytest
from tests.e2e.protocol_client import (
    FastClock,
    connected,
    eventually,
    rules,
    running_server,
)

from sliderace.engine import Size
from sliderace.protocol import messages as m
from sliderace.solve import LEVELS, Level, pace_range
from sliderace_client.bots.bot import ENOUGH, Bot, Skill, race_together
from sliderace_client.net.connection import Client, Ending
from sliderace_client.room.outcomes import End, Unreached
from sliderace_server.clock import SystemClock

HURRY = Skill("record", pace_ms=0)
"""The shortest pace: 4x4 in 1.2 s, below the limits of a seat."""


async def opened(server: str, **more: int | bool | str) -> str:
    """Open a room with quick rules; return its code."""
    client = Client(server, m.Open(rules(**more)))  # type: ignore[arg-type]
    ending = await client.run()
    assert client.view.link, ending
    return client.view.code


@pytest.mark.timeout(120)
async def test_eight_bots_and_twenty_spectators_agree_on_the_results() -> None:
    # Any faster, and thirty clients in one process answer pings too late.
    async with (
        running_server(clock=FastClock(2)) as server,
        asyncio.TaskGroup() as tasks,
    ):
        code = await opened(server.url, size="4x4", start="host")
        watchers = [watcher(server.url, code, number) for number in range(20)]
        watching = [tasks.create_task(each.run()) for each in watchers]
        host = Client(server.url, m.Join(code, "Host"))
        hosting = tasks.create_task(host.run())
        bots = [
            Bot(server.url, code, f"Bot {n}", skill=HURRY, races=1, rng=Random(n))
            for n in range(8)
        ]
        racing = [tasks.create_task(bot.run()) for bot in bots]
        everyone = [*watchers, host, *[bot.client for bot in bots]]
        await until(host, lambda: ready_bots(host) == 8)
        host.ask(m.Bench(host.view.me or 0))
        host.ask(m.Start(host.view.race))
        await asyncio.wait(racing)
        for client in everyone:
            await until(client, partial(has_results, client))
        received = [client.view.results for client in everyone]
        assert all(results == received[0] for results in received)
        assert received[0] is not None
        rows = received[0].standings
        assert [row.status for row in rows] == ["finished"] * 8
        seats = {bot.client.view.seat for bot in bots}
        assert {row.seat for row in rows} == seats
        assert all(row.bot for row in rows)
        times = [row.time_ms for row in rows]
        assert times == sorted(times)  # type: ignore[type-var]
        for client in everyone:
            assert client.view.faults == []
        for client in watchers:  # a large room sends them the last boards per tick
            await until(client, partial(sees_all_solved, client))
        for task in [*watching, hosting]:
            task.cancel()


def has_results(client: Client) -> bool:
    return client.view.results is not None


def sees_all_solved(client: Client) -> bool:
    return all(
        lane.board is not None and lane.board.is_solved
        for lane in client.view.lanes.values()
    )


def ready_bots(client: Client) -> int:
    return sum(member.ready for member in client.view.members.values())


def watcher(server: str, code: str, number: int) -> Client:
    return Client(server, m.Join(code, f"Watcher {number}", "spectator"))


async def until(client: Client, reached: Callable[[], bool]) -> None:
    """Wait until a condition on a client holds."""
    changed = asyncio.Event()
    before, client.on_change = client.on_change, changed.set
    try:
        while not reached():
            changed.clear()
            before()
            await changed.wait()
    finally:
        client.on_change = before
        before()


async def test_bots_leave_after_the_given_number_of_races() -> None:
    async with running_server() as server:
        code = await opened(server.url)
        endings = await race_together(server.url, code, 2, skill=HURRY, races=2)
        assert endings == [Ending(End.LEFT, welcomed=True)] * 2


async def test_bots_leave_if_what_they_announce_cannot_be_written() -> None:
    """As with `bot CODE | head -1`; the error is raised as it is, once."""
    notes: list[object] = []

    def full(note: object) -> None:
        notes.append(note)
        raise BrokenPipeError

    async with running_server() as server, asyncio.TaskGroup() as tasks:
        code = await opened(server.url, start="host")
        host = Client(server.url, m.Join(code, "Host"))
        hosting = tasks.create_task(host.run())
        await until(host, lambda: host.view.welcomed)
        with pytest.raises(BrokenPipeError):
            await race_together(server.url, code, 2, on_note=full)
        assert len(notes) == 1
        await until(host, lambda: len(host.view.members) == 1)
        hosting.cancel()


async def test_a_bot_whose_races_are_done_ignores_the_end_of_the_server() -> None:
    """The bot handles the results late, after the server has stopped."""
    async with asyncio.TaskGroup() as tasks:
        async with running_server() as server:
            code = await opened(server.url)
            bots = [Bot(server.url, code, n, skill=HURRY, races=1) for n in "AB"]
            slow = bots[0].client
            look = slow.on_change

            def looks() -> None:
                if not (slow.view.done and slow.view.online):
                    look()

            slow.on_change = looks
            racing = [tasks.create_task(bot.run()) for bot in bots]
            await racing[1]
            await eventually(lambda: has_results(slow))
        ending = await racing[0]
        assert ending == ENOUGH


async def test_bots_plan_beside_the_event_loop() -> None:
    """Planning for a large board takes longer than a frame."""
    threads: set[int] = set()

    class Noted(Random):
        def random(self) -> float:
            threads.add(get_ident())
            return super().random()

    async with running_server() as server:
        code = await opened(server.url, size="2x2")
        bots = [Bot(server.url, code, n, races=1, rng=Noted(n)) for n in "AB"]
        await asyncio.gather(*[bot.run() for bot in bots])
    assert threads
    assert get_ident() not in threads


def test_a_bot_is_as_good_as_asked() -> None:
    size = Size(3, 3)
    assert Skill().on(size) is LEVELS["club"]
    assert Skill("expert").on(size) is LEVELS["expert"]
    assert Skill(pace_ms=950).on(size) == LEVELS["master"].at_pace(size, 950)
    assert Skill("casual", 950).on(size) == LEVELS["casual"].at_pace(size, 950)


def test_a_pace_is_moved_into_the_range_of_its_board() -> None:
    """The host may choose a larger board after the bots have come."""
    least, most = pace_range(Size(10, 10))
    for pace_ms, meant in ((1, least), (10**8, most)):
        level = Skill(pace_ms=pace_ms).on(Size(10, 10))
        assert round(level.target_ms(Size(10, 10))) == meant


async def test_a_bot_reports_an_unknown_room() -> None:
    async with running_server() as server:
        [ending] = await race_together(server.url, "BBBBBB", 1, races=1)
        assert isinstance(ending.why, m.Refused)
        assert ending.why.code == "room_unknown"


async def test_a_bot_without_a_server_fails_at_once() -> None:
    async with running_server() as server:
        url = server.url
    endings = await race_together(url, "KWXTRB", 2, races=1)
    assert all(isinstance(ending.why, Unreached) for ending in endings)


class SlowFirst(Skill):
    """Hours on a 3x3 board, as quick as can be on others."""

    def on(self, size: Size) -> Level:
        slow = Skill(pace_ms=pace_range(size)[1])
        return (slow if size == Size(3, 3) else HURRY).on(size)


async def test_a_bot_that_ponders_as_a_race_ends_is_ready_for_the_next() -> None:
    quick: dict[str, int | str] = {"grace_ms": 0, "start": "host"}
    async with (
        running_server(clock=await asyncio.to_thread(SystemClock)) as server,
        connected(server.port, m.Create("Ann", rules("3x3", **quick))) as ann,
    ):
        bot = Bot(server.url, ann.code, "Bot", skill=SlowFirst(), races=2)
        playing = asyncio.create_task(bot.run())
        await ann.sees_ready(2)
        await ann.send(m.Start(ann.race))
        await ann.phase("racing")
        await ann.solve()
        await ann.until(m.Results)
        await ann.send(m.Rematch(ann.race))
        await ann.until(m.RoomEvent)
        await ann.send(m.Settings(m.RulesPatch(size="2x2")))
        await ann.until(m.RoomEvent)
        await ann.sees_ready(2)
        await ann.send(m.Start(ann.race))
        await ann.phase("racing")
        await ann.send(m.Forfeit(ann.race))
        results = await ann.until(m.Results)
        assert [row.status for row in results.standings if row.bot] == ["finished"]
        await playing
