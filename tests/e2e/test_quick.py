"""Race now: a board within seconds of the click, with bots until there are people."""

import asyncio
import contextlib
import time

import pytest
from tests.e2e.protocol_client import (
    ProtocolClient,
    connected,
    eventually,
    running_server,
)
from tests.e2e.test_http import ask

from sliderace.protocol import messages as m
from sliderace_server.app import Server
from sliderace_server.clock import SystemClock
from sliderace_server.limits import Limits
from sliderace_server.registry import bot_process
from sliderace_server.registry.actor import RoomActor
from sliderace_server.room import server_bots

pytestmark = [pytest.mark.timeout(60)]

CLICK_TO_BOARD_S = 10


def quick(name: str = "Ann", pace_ms: int | None = 8_000) -> m.Quick:
    return m.Quick("3x3", name, pace_ms)


async def board(client: ProtocolClient, enter: m.Quick) -> float:
    """Enter, wait for the board, and return how long that took, in seconds."""
    began = time.monotonic()
    await client.send(m.Hello(v=1, enter=enter))
    await client.until(m.BoardEvent)
    return time.monotonic() - began


def racers(client: ProtocolClient) -> int:
    rosters = [one for one in client.received if isinstance(one, m.RosterEvent)]
    return len(rosters[-1].roster)


def bots_of(server: Server, code: str) -> list[int]:
    """Return the paces of the bots in a room."""
    actor = server.registry.find(code, "")
    assert isinstance(actor, RoomActor)
    return [one.pace_ms or 0 for one in server_bots(actor.state)]


async def refusal(server: Server, enter: m.Quick) -> m.Refused:
    async with connected(server.port) as client:
        await client.send(m.Hello(v=1, enter=enter))
        return await client.until(m.Refused)


async def test_a_board_arrives_within_ten_seconds_of_the_click() -> None:
    """Cold: the process of the bots has to start first. Then warm."""
    async with running_server(clock=await asyncio.to_thread(SystemClock)) as server:
        for _ in range(2):
            async with connected(server.port) as ann:
                assert await board(ann, quick()) < CLICK_TO_BOARD_S
                assert racers(ann) == 4
                assert bots_of(server, ann.code) == [7_600, 8_800, 10_800]
                [welcome] = [one for one in ann.received if isinstance(one, m.Welcome)]
                assert "quick" in welcome.features
                await ann.send(m.Leave())
                await ann.closed()


async def test_people_of_one_speed_meet_and_a_bot_leaves_for_each() -> None:
    async with (
        running_server() as server,
        connected(server.port, quick("Ann")) as ann,
        connected(server.port, quick("Ben", 9_000)) as ben,
        connected(server.port, quick("Cat", 40_000)) as cat,
    ):
        assert ann.code == ben.code != cat.code
        await eventually(lambda: len(bots_of(server, ann.code)) == 2)
        snapshot = await ben.until(m.Snapshot)
        assert snapshot.room.kind == "quick"
        assert snapshot.room.host is None
        await ben.send(m.Bots([]))
        assert (await ben.until(m.Refused)).code == "not_host"
        reply = await ask(server.port, f"/api/rooms/{ann.code}")
        assert b'"public":true' in reply.body


async def test_a_race_starts_alone_if_no_bots_can_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bot_process, "MODULE", "sliderace_client.missing")
    async with running_server() as server, connected(server.port) as ann:
        assert await board(ann, quick()) < CLICK_TO_BOARD_S
        assert racers(ann) == 1
        await eventually(lambda: server.registry.bots.process.refusal() is not None)
        async with connected(server.port) as ben:
            await board(ben, quick("Ben", 40_000))
            assert bots_of(server, ben.code) == []


@pytest.mark.parametrize(
    "limits", [Limits(total_bots=0), Limits(total_bots=3)], ids=["none", "used"]
)
async def test_a_race_starts_alone_if_all_bots_are_used_up(limits: Limits) -> None:
    async with (
        running_server(limits) as server,
        connected(server.port, quick("Ann")) as ann,
        connected(server.port) as ben,
    ):
        assert len(bots_of(server, ann.code)) == limits.total_bots
        await board(ben, quick("Ben", 40_000))
        assert racers(ben) == 1


async def test_one_address_does_not_use_up_all_bots() -> None:
    """Rooms beyond its share have none; their races start all the same."""
    limits = Limits(total_bots=18)
    async with (
        running_server(limits, trusted_proxies=("127.0.0.1",)) as server,
        contextlib.AsyncExitStack() as stack,
    ):
        bots: list[int] = []
        for host, sides in ((7, range(4, 10)), (8, range(3, 4))):
            for side in sides:
                client = await stack.enter_async_context(
                    connected(
                        server.port,
                        m.Quick(f"{side}x3", "Ann"),
                        additional_headers={"X-Forwarded-For": f"192.0.2.{host}"},
                    )
                )
                bots.append(len(bots_of(server, client.code)))
        assert bots == [3] * 5 + [0, 3]


async def test_bad_requests_to_race_at_once_are_explained() -> None:
    async with running_server() as server:
        refused = await refusal(server, quick(pace_ms=1))
        assert (refused.code, refused.field, refused.value) == (
            "bad_message", "enter.pace_ms", "1",
        )  # fmt: skip
        assert refused.text == (
            "enter.pace_ms must be an integer from 900 to 14400000, not 1."
        )
        assert (await refusal(server, quick("\u200b"))).code == "bad_name"
        assert len(server.view.public_rooms()) == 0


async def test_racing_at_once_again_and_again_is_refused() -> None:
    """Here the limit is not lifted for this machine, as behind a proxy."""
    limits = Limits(quick_burst=2)
    async with running_server(limits, public_url="http://race.example") as server:
        entered = [await entry_code(server) for _ in range(3)]
    assert entered == ["welcome", "welcome", "rate"]


async def entry_code(server: Server) -> str:
    async with connected(server.port) as client:
        await client.send(m.Hello(v=1, enter=quick()))
        event = await client.receive()
        if isinstance(event, m.Refused):
            assert event.retry_ms > 0
            assert await client.closed() == 4429
            return event.code
        return str(event.__struct_config__.tag)


async def test_a_full_room_for_an_address_is_no_obstacle() -> None:
    """A class races from one address: others of it get a room of their own."""
    limits = Limits()
    limits = Limits(room=type(limits.room)(players_per_ip=1))
    async with (
        running_server(limits, public_url="http://race.example") as server,
        connected(server.port, quick("Ann")) as ann,
        connected(server.port, quick("Ben")) as ben,
    ):
        assert ann.code != ben.code


async def test_health_lists_what_the_server_can_do() -> None:
    async with running_server() as server:
        reply = await ask(server.port, "/healthz")
        assert b'"features":["bots","series","reactions","quick"' in reply.body
