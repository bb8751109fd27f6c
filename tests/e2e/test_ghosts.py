"""Members who join and vanish take nobody's place."""

import contextlib

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import connected, eventually, running_server

from sliderace.protocol import messages as m
from sliderace_server.app import Server
from sliderace_server.limits import Limits

PROXY = ("127.0.0.1",)
PATIENT = Limits(ping_timeout_ms=600_000)


def members_of(server: Server, code: str) -> int:
    listing = server.view.listing(code)
    assert listing is not None
    return int(listing["players"]) + int(listing["spectators"])


@pytest.mark.parametrize(("role", "count"), [("player", 15), ("spectator", 100)])
async def test_joins_that_are_dropped_at_once_take_nobodys_place(
    role: m.RoleName, count: int
) -> None:
    """Others get a place at once, and after 30 s the room is empty again."""
    clock = ManualClock()
    async with (
        running_server(PATIENT, clock=clock, trusted_proxies=PROXY) as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        for number in range(count):
            join = m.Join(code=ann.code, name=f"Eve {number}", role=role)
            headers = {"X-Forwarded-For": f"192.0.2.{number}"}
            async with connected(server.port, join, additional_headers=headers) as eve:
                eve.socket.transport.abort()
            await ann.until(m.MemberEvent, lambda e: not e.member.connected)
        join = m.Join(code=ann.code, name="Ben", role=role)
        async with connected(server.port, join) as ben:
            clock.advance(30_001)
            await ann.sync()
            await eventually(lambda: members_of(server, ann.code) == 2)
            assert ben.socket.close_code is None


async def test_one_address_cannot_take_all_places() -> None:
    headers = {"X-Forwarded-For": "192.0.2.7"}
    async with (
        running_server(trusted_proxies=PROXY) as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        contextlib.AsyncExitStack() as stack,
    ):
        for number in range(8):
            join = m.Join(code=ann.code, name=f"Eve {number}")
            one = connected(server.port, join, additional_headers=headers)
            await stack.enter_async_context(one)
        async with connected(server.port, additional_headers=headers) as eve:
            await eve.send(m.Hello(v=1, enter=m.Join(code=ann.code, name="Eve")))
            assert (await eve.until(m.Refused)).code == "room_full"
        async with connected(server.port, m.Join(code=ann.code, name="Ben")):
            pass
