"""What one process of a server leaves to another one, and how reports are combined."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Collection
from urllib.request import urlopen

from tests.e2e.daily_server import SECRETS, daily_server
from tests.e2e.protocol_client import (
    ProtocolClient,
    connected,
    eventually,
    rules,
    running_server,
)

from sliderace.protocol import messages as m
from sliderace_server.app import Server
from sliderace_server.http.routes import Answer, Request
from sliderace_server.live_room.subscriber import Peer
from sliderace_server.registry.processes import OneProcess, Remote, Report

ELSEWHERE = "KWXTRB"
ROW = m.RoomRow("KWXTRB", "4x4", "room", 1, 0, "lobby", 0, None, False)


class OtherProcess(Remote):
    """Notes what it gets, and answers with a pong."""

    def __init__(self) -> None:
        self.hello: m.Hello | None = None
        self.received: list[m.Command] = []
        self.peer: Peer | None = None
        self.ended = asyncio.Event()

    def receive(self, command: m.Command) -> None:
        self.received.append(command)

    def end(self) -> None:
        self.ended.set()


class TwoProcesses(OneProcess):
    """Another process is the home of some keys.

    Args:
        *keys: these.
    """

    def __init__(self, *keys: str) -> None:
        self.keys = keys
        self.other = OtherProcess()
        self.looking = asyncio.Event()
        self.looking.set()
        self.theirs = Report()

    def serves(self, key: str) -> bool:
        return key not in self.keys

    async def home(self, key: str) -> str | None:
        await self.looking.wait()
        return "other" if key in self.keys else None

    def pass_on(self, peer: Peer, home: str, hello: m.Hello) -> Remote | None:
        assert home == "other"
        self.other.peer, self.other.hello = peer, hello
        return self.other

    async def answer(self, code: str, request: Request) -> Answer | None:
        return Answer(200, request.target.encode()) if code in self.keys else None

    def reports(self) -> Collection[Report]:
        return [self.theirs]


@contextlib.asynccontextmanager
async def two(*keys: str) -> AsyncGenerator[tuple[Server, TwoProcesses]]:
    processes = TwoProcesses(*keys)
    async with running_server(processes=processes) as server:
        yield server, processes


async def passed_on(
    client: ProtocolClient, processes: TwoProcesses, hello: m.Hello
) -> None:
    """Say hello, and wait until the other process has got a later command."""
    await client.send(hello)
    await client.send(m.Ping(1))
    await eventually(lambda: m.Ping(1) in processes.other.received)
    assert processes.other.hello == hello
    assert client.received == []


async def test_a_connection_is_passed_on_with_all_its_commands() -> None:
    async with two(ELSEWHERE) as (server, processes), connected(server.port) as client:
        await passed_on(client, processes, m.Hello(v=1, enter=m.Join(ELSEWHERE, "Ann")))
        await client.send(m.Leave())
        await client.send(m.Hello(v=1, enter=m.Lobby()))
        assert (await client.until(m.Refused)).code == "bad_message"
        assert processes.other.received == [m.Ping(1), m.Leave()]
        await client.socket.close()
        await asyncio.wait_for(processes.other.ended.wait(), 5)


async def test_commands_wait_until_the_home_is_known() -> None:
    """It turns out to be this process, which executes them."""
    async with (
        two("quick 4x4") as (server, processes),
        connected(server.port) as client,
    ):
        processes.looking.clear()
        await client.send(m.Hello(v=1, enter=m.Quick("4x4", "Ann")))
        await client.send(m.Ping(1))
        processes.keys = ()
        processes.looking.set()
        await client.until(m.Welcome)
        assert m.Pong(1) in client.received
        assert processes.other.hello is None


async def test_a_client_may_leave_while_its_home_is_looked_up() -> None:
    async with two(ELSEWHERE) as (server, processes), connected(server.port) as client:
        processes.looking.clear()
        await client.send(m.Hello(v=1, enter=m.Join(ELSEWHERE, "Ann")))
        await client.socket.close()
        processes.looking.set()
        async with connected(server.port, m.Create("Ben")) as other:
            await other.sync()
        assert processes.other.hello is None


async def test_a_solo_player_is_passed_on_once_their_profile_is_known() -> None:
    processes = TwoProcesses("alone BCDFGHJK")
    async with daily_server(processes=processes) as (server, _):
        async with connected(server.port) as client:
            daily = m.Daily("4x4", "Ann")
            hello = m.Hello(v=1, enter=daily, profile=SECRETS["Ann"])
            await passed_on(client, processes, hello)
        async with connected(server.port) as client:
            solo = m.Solo("Ben", rules())
            await client.send(m.Hello(v=1, enter=solo, profile=SECRETS["Ben"]))
            await client.until(m.Welcome)


async def test_requests_about_a_room_are_answered_by_its_process() -> None:
    async with two(ELSEWHERE) as (server, _):
        url = f"http://127.0.0.1:{server.port}"

        def body(path: str) -> bytes:
            with urlopen(url + path) as answer:  # noqa: S310 - ours
                return bytes(answer.read())

        for path in (
            f"/api/rooms/{ELSEWHERE}/series",
            f"/api/races/{ELSEWHERE}-2",
            f"/api/races?room={ELSEWHERE.lower()}",
        ):
            assert (await asyncio.to_thread(body, path)).decode() == path
        assert json.loads(await asyncio.to_thread(body, "/api/rooms")) == {
            "rooms": [],
            "links": [],
        }


async def test_reports_of_other_processes_are_part_of_the_answers() -> None:
    async with two() as (server, processes):
        processes.theirs = Report(
            rows=[ROW],
            listings=[{"code": ELSEWHERE}],
            raced_on=[("4x4", 20_000)],
            alone={"ANN": ELSEWHERE},
            rooms=3,
            connections=4,
            bots=server.registry.services.settings.limits.total_bots,
            problems=["storage_lost"],
            proxy_faults={"untrusted": "10.0.0.1"},
            samples={"races ": 5.0},
        )
        chosen, view = server.chosen, server.view
        health = view.health()
        assert (health["rooms"], health["connections"]) == (3, 4)
        assert (health["status"], health["problems"]) == ("degraded", ["storage_lost"])
        assert view.public_rooms() == [{"code": ELSEWHERE}]
        assert chosen.races_alone("ANN")
        assert not chosen.races_alone("BEN")
        assert b"sliderace_races_total 5.0" in server.metrics.render()[1]
        async with connected(server.port) as watcher:
            await watcher.send(m.Hello(v=1, enter=m.Lobby(), can=["rooms"]))
            assert (await watcher.until(m.Rooms)).rows == [ROW]
        async with connected(server.port, m.Create("Ann")) as ann:
            await ann.send(m.Bots([m.BotWanted(pace_ms=60_000)]))
            assert (await ann.until(m.Refused)).code == "too_many_bots"


async def test_a_process_reports_its_own_rooms() -> None:
    reports: list[Callable[[], Report]] = []

    class Reporting(OneProcess):
        def report(self, current: Callable[[], Report]) -> None:
            reports.append(current)

    async with (
        running_server(processes=Reporting()) as server,
        connected(server.port, m.Create("Ann", public=True)) as ann,
        connected(server.port, m.Create("Ben")),
    ):
        report = reports[0]()
        assert [row.code for row in report.rows] == [ann.code]
        assert [row["code"] for row in report.listings] == [ann.code]
        assert (report.rooms, report.connections, report.bots) == (2, 2, 0)
        assert (report.racing, report.problems) == (False, [])
        assert report.samples["connections "] == 2
