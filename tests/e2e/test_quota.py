"""Quotas of log records: cheap commands cannot fill the disk."""

from dataclasses import replace

from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import QUICK, ProtocolClient, connected, running_server
from tests.e2e.stores import FaultyStore

from sliderace.protocol import messages as m
from sliderace_server.app import Server
from sliderace_server.limits import CONNECT_RECORDS, NEW_MEMBERS_SHARE, Limits
from sliderace_server.room import RoomLimits

QUOTA = 20
LIMITS = Limits(messages_per_s=2_000, room=RoomLimits(lobby_records=QUOTA))


def written(server: Server) -> int:
    return server.metrics.counts["records"].total()


async def refusals(client: ProtocolClient, *commands: m.Command) -> list[str]:
    """Return the refusal of each command, in order."""
    client.received.clear()
    for command in commands:
        await client.send(command)
    await client.sync()
    return [event.code for event in client.received if isinstance(event, m.Refused)]


def to_and_fro(client: ProtocolClient, times: int) -> list[m.Command]:
    return [m.Ready(client.race, on=number % 2 == 0) for number in range(times)]


async def test_a_member_s_records_between_two_races_are_limited() -> None:
    store = FaultyStore()
    async with (
        running_server(LIMITS, store=store) as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
        connected(server.port, m.Join(code=ann.code, name="Eve")) as eve,
    ):
        before = written(server)
        asked = to_and_fro(eve, 5 * QUOTA)
        assert await refusals(eve, *asked) == ["rate"] * (4 * QUOTA)
        assert written(server) - before <= QUOTA
        # Others are not affected, and after a race all quotas are reset.
        for one in (ann, ben):
            await one.send(m.Ready(race=one.race))
            await ann.sees_ready(one.member)
        await ann.send(m.Start(race=ann.race))
        for one in (ann, ben):
            await one.until(m.BoardEvent)
            await one.solve()
        await eve.until(m.Results)
        await ann.send(m.Rematch(race=ann.race))
        await eve.until(m.RoomEvent)
        assert await refusals(eve, m.Ready(eve.race)) == []


async def test_a_member_over_quota_may_still_leave_and_be_kicked() -> None:
    async with (
        running_server(LIMITS) as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
        connected(server.port, m.Join(code=ann.code, name="Eve")) as eve,
    ):
        locks: list[m.Command] = [m.Lock(on=n % 2 == 0) for n in range(QUOTA + 1)]
        assert await refusals(ann, *locks) == ["rate"]
        await refusals(ben, *to_and_fro(ben, QUOTA))
        await ben.send(m.Leave())
        assert await ben.closed() == 1000
        await ann.send(m.Kick(member=eve.member))
        assert await eve.closed() == 4501
        await ann.send(m.Close())
        assert await ann.closed() == 4502


async def test_connects_and_disconnects_are_limited_too() -> None:
    async with (
        running_server(LIMITS) as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        await ben.socket.close()
        codes = list[int]()
        for _ in range(QUOTA // 2 + 1):
            async with connected(server.port) as again:
                resume = m.Resume(code=ann.code, token=ben.token)
                await again.send(m.Hello(v=1, enter=resume))
                if isinstance(await again.receive(), m.Refused):
                    codes.append(await again.closed())
        assert codes == [4429]
        await ann.sync()


async def join_and_leave(port: int, code: str, address: str = "") -> tuple[str, int]:
    """Join and leave; return the refusal, if any, and the close code."""
    headers = {"X-Forwarded-For": address} if address else {}
    async with connected(port, additional_headers=headers) as new:
        await new.send(m.Hello(v=1, enter=m.Join(code=code, name="New")))
        first = await new.receive()
        if isinstance(first, m.Refused):
            return first.code, await new.closed()
        await new.send(m.Leave())
        return "", await new.closed()


async def test_an_address_that_joins_and_leaves_keeps_nobody_else_out() -> None:
    limits = replace(LIMITS, joins_burst=QUOTA, joins_per_min=1)
    async with (
        running_server(
            limits, trusted_proxies=("127.0.0.1",), clock=ManualClock()
        ) as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
    ):
        for _ in range(QUOTA):
            outcome = await join_and_leave(server.port, ann.code, "192.0.2.7")
            assert outcome == ("", 1000)
        outcome = await join_and_leave(server.port, ann.code, "192.0.2.7")
        assert outcome == ("rate", 4429)
        assert await join_and_leave(server.port, ann.code, "192.0.2.8") == ("", 1000)


async def test_all_joins_together_have_only_a_high_ceiling() -> None:
    limits = replace(LIMITS, room=RoomLimits(lobby_records=CONNECT_RECORDS))
    async with (
        running_server(limits) as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
    ):
        for _ in range(NEW_MEMBERS_SHARE):
            assert await join_and_leave(server.port, ann.code) == ("", 1000)
        assert await join_and_leave(server.port, ann.code) == ("rate", 4429)
