"""What comes in at the door: the first rows of docs/operating.md, see `bad_input`."""

import asyncio

from tests.e2e.bad_input import (
    Outcome,
    Stage,
    at_the_door,
    case,
    closed_with,
    entering,
)
from tests.e2e.protocol_client import QUICK, ProtocolClient, connected, eventually
from tests.e2e.test_http import ask

from sliderace.protocol import messages as m

WRONG = "0" * 32
"""A token that nobody has."""


# --- plain HTTP -----------------------------------------------------------------------


async def http(
    stage: Stage, target: str = "/", method: str = "GET", **h: str
) -> Outcome:
    reply = await ask(stage.server.port, target, method, **h)
    return f"HTTP {reply.status}", "-"


async def raw(stage: Stage, data: bytes) -> Outcome:
    """What comes back for these bytes until the connection ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", stage.server.port)
    writer.write(data)
    async with asyncio.timeout(15):
        try:
            answer = await reader.read()
        except ConnectionResetError:
            answer = b""
    writer.close()
    return f"HTTP {answer.split()[1].decode()}" if answer else "cut", "-"


@case("a Host header that names another server")
async def _(stage: Stage) -> Outcome:
    return await http(stage, Host="rebound.example")


@case("an Origin of another site, or `null`")
async def _(stage: Stage) -> Outcome:
    for target in ("/healthz", "/ws"):
        assert (await http(stage, target, Origin="null"))[0] == "HTTP 403"
    return await http(stage, "/ws", Origin="https://evil.example")


@case("a method other than GET and HEAD")
async def _(stage: Stage) -> Outcome:
    return await http(stage, method="POST")


@case("a path outside the page's folder")
async def _(stage: Stage) -> Outcome:
    return await http(stage, "/..%2f..%2fpyproject.toml")


@case("a request of more than 16 KiB")
async def _(stage: Stage) -> Outcome:
    return await raw(
        stage, b"GET / HTTP/1.1\r\n" + (b"X: " + b"y" * 4_000 + b"\r\n") * 5
    )


@case("a header line of more than 8 KiB")
async def _(stage: Stage) -> Outcome:
    return await raw(stage, b"GET / HTTP/1.1\r\nX: " + b"y" * 9_000 + b"\r\n\r\n")


@case("bytes that are not HTTP")
async def _(stage: Stage) -> Outcome:
    return await raw(stage, b"\x16\x03\x01 what is this?\r\n\r\n")


@case("a request that is not complete in time", "hurried")
async def _(stage: Stage) -> Outcome:
    return await raw(stage, b"GET / HTTP/1.1\r\nHost: localhost\r\n")


@case("too many requests from an address", "paged")
async def _(stage: Stage) -> Outcome:
    async def one() -> Outcome:
        return await http(stage, "/healthz", X_Forwarded_For="192.0.2.1")

    async def refused() -> Outcome | None:
        replies = await asyncio.gather(*(one() for _ in range(9)))
        return next((reply for reply in replies if reply[0] != "HTTP 200"), None)

    return await eventually(refused)  # type: ignore[no-any-return]


@case("too many connections from an address", "rationed")
async def _(stage: Stage) -> Outcome:
    async with asyncio.TaskGroup() as tasks:
        enough = asyncio.Event()

        async def stay() -> None:
            async with stage.stranger("192.0.2.2") as one:
                await one.send(m.Hello(1, m.Join(stage.ann.code, "X", "spectator")))
                await one.until(m.Welcome)
                there.release()
                await enough.wait()
                await one.send(m.Leave())
                await one.closed()

        there = asyncio.Semaphore(0)
        for _ in range(20):
            tasks.create_task(stay())
        for _ in range(20):
            await there.acquire()
        outcome = await http(stage, "/healthz", X_Forwarded_For="192.0.2.2")
        enough.set()
    return outcome


@case("too many wrong codes from an address, over HTTP", "rationed")
async def _(stage: Stage) -> Outcome:
    async def guess(number: int) -> Outcome:
        address = f"2001:db8::{number}"  # all of one /64
        return await http(stage, "/api/rooms/BBBBBB", X_Forwarded_For=address)

    tries = iter(range(1, 99))

    async def refused() -> Outcome | None:
        outcome = await guess(next(tries))
        return outcome if outcome[0] != "HTTP 404" else None

    return await eventually(refused)  # type: ignore[no-any-return]


# --- hello ----------------------------------------------------------------------------


@case("no `hello` in time", "hurried")
async def _(stage: Stage) -> Outcome:
    async with stage.stranger() as mute:
        return (await mute.until(m.Refused)).code, str(await mute.closed())


@case("another message before `hello`")
async def _(stage: Stage) -> Outcome:
    return await at_the_door(stage, m.Ping(id=1), "")


@case("a `hello` that does not parse")
async def _(stage: Stage) -> Outcome:
    return await at_the_door(stage, '{"t":"hello","v":1,"enter":{"as":"ghost"}}', "")


@case("a `hello` with another version")
async def _(stage: Stage) -> Outcome:
    return await at_the_door(stage, m.Hello(v=2, enter=m.Create(name="X")), "")


@case("text that is not a room code")
async def _(stage: Stage) -> Outcome:
    return await entering(stage, m.Join(code="nonsense", name="X"))


@case("a room code that no room has")
async def _(stage: Stage) -> Outcome:
    return await entering(stage, m.Join(code="BBBBBB", name="X"))


@case("an unknown token")
async def _(stage: Stage) -> Outcome:
    return await entering(stage, m.Resume(code=stage.ann.code, token=WRONG))


@case("a token of another room")
async def _(stage: Stage) -> Outcome:
    async with connected(stage.server.port, m.Create(name="Cat", rules=QUICK)) as cat:
        resume = m.Resume(code=cat.code, token=stage.ben.token)
        outcome = await entering(stage, resume)
        await cat.send(m.Close())
        await cat.closed()
    return outcome


async def ticket_of(member: ProtocolClient) -> str:
    await member.send(m.Transfer())
    return (await member.until(m.Ticket)).ticket


@case("an unknown ticket")
async def _(stage: Stage) -> Outcome:
    return await entering(stage, m.Redeem(code=stage.ann.code, ticket=WRONG))


@case("a ticket of another room")
async def _(stage: Stage) -> Outcome:
    async with connected(stage.server.port, m.Create(name="Cat", rules=QUICK)) as cat:
        redeem = m.Redeem(code=stage.ann.code, ticket=await ticket_of(cat))
        outcome = await entering(stage, redeem)
        await cat.send(m.Close())
        await cat.closed()
    return outcome


@case("a used ticket")
async def _(stage: Stage) -> Outcome:
    async with stage.eve() as eve:
        redeem = m.Redeem(code=eve.code, ticket=await ticket_of(eve))
        async with connected(stage.server.port, redeem) as phone:
            assert await eve.closed() == 4503
            outcome = await entering(stage, redeem)
            await phone.sync()
            await phone.send(m.Leave())
            await phone.closed()
    return outcome


@case("a nickname with nothing left after cleaning")
async def _(stage: Stage) -> Outcome:
    return await entering(stage, m.Join(stage.ann.code, "\u202e\u200b\x1b\x07"))


@case("a rule outside its range")
async def _(stage: Stage) -> Outcome:
    return await entering(stage, m.Open(rules=m.RulesPatch(countdown_ms=1)))


@case("a room that is full", "small")
async def _(stage: Stage) -> Outcome:
    join = m.Join(stage.ann.code, "Third")
    async with connected(stage.server.port, join) as third:
        outcome = await entering(stage, m.Join(stage.ann.code, "Fourth"))
        await third.send(m.Leave())
        await third.closed()
    return outcome


@case("a room that is locked")
async def _(stage: Stage) -> Outcome:
    await stage.ann.send(m.Lock())
    await stage.ann.until(m.RoomEvent, lambda event: event.room.locked)
    outcome = await entering(stage, m.Join(stage.ann.code, "X"))
    await stage.ann.send(m.Lock(on=False))
    await stage.ann.until(m.RoomEvent, lambda event: not event.room.locked)
    return outcome


@case("too many rooms from an address", "rationed")
async def _(stage: Stage) -> Outcome:
    async with stage.stranger("192.0.2.4") as opener:
        await opener.send(m.Hello(v=1, enter=m.Open()))
        await opener.until(m.Opened)
        await opener.closed()
    return await entering(stage, m.Open(), "192.0.2.4")


@case("too many wrong codes from an address", "rationed")
async def _(stage: Stage) -> Outcome:
    wrong = m.Resume(code=stage.ann.code, token=WRONG)
    outcome = ("bad_token", "4500")
    while outcome == ("bad_token", "4500"):
        outcome = await entering(stage, wrong, "192.0.2.5")
    return outcome


@case("too many wrong tickets from an address", "rationed")
async def _(stage: Stage) -> Outcome:
    wrong = m.Redeem(code=stage.ann.code, ticket=WRONG)
    for _ in range(2):
        outcome = await entering(stage, wrong, "192.0.2.6")
        assert outcome == ("bad_ticket", "4500")
    return await entering(stage, wrong, "192.0.2.6")


@case("joining and leaving all the time", "small")
async def _(stage: Stage) -> Outcome:
    async with stage.eve() as eve:
        resume = m.Resume(code=eve.code, token=eve.token)
        await eve.socket.close()
        for _ in range(9):
            async with connected(stage.server.port, resume):
                pass
        async with connected(stage.server.port, resume):
            return await entering(stage, resume)


@case("a new room while the disk is full", "small")
async def _(stage: Stage) -> Outcome:
    stage.store.full = True
    outcome = await entering(stage, m.Create(name="Cat"))
    stage.store.full = False
    return outcome


@case("a bug in the server")
async def _(stage: Stage) -> Outcome:
    stage.broken[0] = True
    async with stage.stranger() as talker:
        await talker.send(m.Hello(v=1, enter=m.Join(stage.ann.code, "X")))
        outcome = await closed_with(talker)
    stage.broken[0] = False
    return outcome
