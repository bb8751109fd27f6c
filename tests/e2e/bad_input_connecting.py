"""Plain HTTP and hello: the first rows of docs/operating.md, see `bad_input`."""

import asyncio
from dataclasses import replace
from secrets import token_bytes

from tests.e2e.bad_input import (
    Outcome,
    Setup,
    case,
    close_code,
    first_message,
    hello_outcome,
    spectator_refused,
)
from tests.e2e.protocol_client import QUICK, ProtocolClient, connected, eventually
from tests.e2e.test_http import ask

from sliderace.protocol import messages as m
from sliderace_server.registry.seat_tickets import hashed
from sliderace_server.storage import (
    AttemptRow,
    ProfileRow,
    RaceSummary,
    StoredRace,
)

WRONG = "0" * 32
"""A token that no member has."""
SECRET = "5e" * 16
"""The secret of a profile."""


# --- plain HTTP -----------------------------------------------------------------------


async def http(
    setup: Setup, target: str = "/", method: str = "GET", **h: str
) -> Outcome:
    reply = await ask(setup.server.port, target, method, **h)
    return f"HTTP {reply.status}", "-"


async def raw(setup: Setup, data: bytes) -> Outcome:
    """Send raw bytes; return the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", setup.server.port)
    writer.write(data)
    async with asyncio.timeout(15):
        try:
            answer = await reader.read()
        except ConnectionResetError:
            answer = b""
    writer.close()
    return f"HTTP {answer.split()[1].decode()}" if answer else "cut", "-"


@case("a Host header that names another server")
async def _(setup: Setup) -> Outcome:
    return await http(setup, Host="rebound.example")


@case("an Origin of another site, or `null`")
async def _(setup: Setup) -> Outcome:
    for target in ("/healthz", "/ws"):
        assert (await http(setup, target, Origin="null"))[0] == "HTTP 403"
    return await http(setup, "/ws", Origin="https://evil.example")


@case("a method other than GET and HEAD")
async def _(setup: Setup) -> Outcome:
    return await http(setup, method="POST")


@case("a path outside the page's folder")
async def _(setup: Setup) -> Outcome:
    return await http(setup, "/..%2f..%2fpyproject.toml")


@case("a request of more than 16 KiB")
async def _(setup: Setup) -> Outcome:
    return await raw(
        setup, b"GET / HTTP/1.1\r\n" + (b"X: " + b"y" * 4_000 + b"\r\n") * 5
    )


@case("a header line of more than 8 KiB")
async def _(setup: Setup) -> Outcome:
    return await raw(setup, b"GET / HTTP/1.1\r\nX: " + b"y" * 9_000 + b"\r\n\r\n")


@case("bytes that are not HTTP")
async def _(setup: Setup) -> Outcome:
    return await raw(setup, b"\x16\x03\x01 what is this?\r\n\r\n")


@case("a request that is not complete in time", "hurried")
async def _(setup: Setup) -> Outcome:
    return await raw(setup, b"GET / HTTP/1.1\r\nHost: localhost\r\n")


@case("too many requests from an address", "paged")
async def _(setup: Setup) -> Outcome:
    async def one() -> Outcome:
        return await http(setup, "/healthz", X_Forwarded_For="192.0.2.1")

    async def refused() -> Outcome | None:
        replies = await asyncio.gather(*(one() for _ in range(9)))
        return next((reply for reply in replies if reply[0] != "HTTP 200"), None)

    return await eventually(refused)  # type: ignore[no-any-return]


@case("too many connections from an address", "rationed")
async def _(setup: Setup) -> Outcome:
    async with asyncio.TaskGroup() as tasks:
        enough = asyncio.Event()

        async def stay() -> None:
            async with setup.new_connection("192.0.2.2") as one:
                await one.send(m.Hello(1, m.Join(setup.ann.code, "X", "spectator")))
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
        outcome = await http(setup, "/healthz", X_Forwarded_For="192.0.2.2")
        enough.set()
    return outcome


@case("a leaderboard that does not exist")
async def _(setup: Setup) -> Outcome:
    return await http(setup, "/api/boards?event=4x4&kind=ao7")


@case("the race record of another player's daily race, on its day")
async def _(setup: Setup) -> Outcome:
    row = AttemptRow(0, "X", "finished", 1, 9_000, 90, 60)
    race = RaceSummary("DAILY", "ZZZZZZ", 0, "4x4", False, (row,), kind="daily")
    sealed = replace(race, day=1, sealed_until_ms=1 << 50)
    await setup.store.real.results.store(StoredRace(sealed, b"{}"))
    return await http(setup, "/api/races/DAILY")


@case("too many wrong codes from an address, over HTTP", "rationed")
async def _(setup: Setup) -> Outcome:
    async def guess(number: int) -> Outcome:
        address = f"2001:db8::{number}"  # all of one /64
        return await http(setup, "/api/rooms/BBBBBB", X_Forwarded_For=address)

    tries = iter(range(1, 99))

    async def refused() -> Outcome | None:
        outcome = await guess(next(tries))
        return outcome if outcome[0] != "HTTP 404" else None

    return await eventually(refused)  # type: ignore[no-any-return]


# --- hello ----------------------------------------------------------------------------


@case("no `hello` in time", "hurried")
async def _(setup: Setup) -> Outcome:
    async with setup.new_connection() as mute:
        return (await mute.until(m.Refused)).code, str(await mute.closed())


@case("another message before `hello`")
async def _(setup: Setup) -> Outcome:
    return await first_message(setup, m.Ping(id=1), "")


@case("a `hello` that does not parse")
async def _(setup: Setup) -> Outcome:
    return await first_message(setup, '{"t":"hello","v":1,"enter":{"as":"ghost"}}', "")


@case("a `hello` with another version")
async def _(setup: Setup) -> Outcome:
    return await first_message(setup, m.Hello(v=2, enter=m.Create(name="X")), "")


@case("text that is not a room code")
async def _(setup: Setup) -> Outcome:
    return await hello_outcome(setup, m.Join(code="nonsense", name="X"))


@case("a room code that no room has")
async def _(setup: Setup) -> Outcome:
    return await hello_outcome(setup, m.Join(code="BBBBBB", name="X"))


@case("an unknown token")
async def _(setup: Setup) -> Outcome:
    return await hello_outcome(setup, m.Resume(code=setup.ann.code, token=WRONG))


@case("a token of another room")
async def _(setup: Setup) -> Outcome:
    async with connected(setup.server.port, m.Create(name="Cat", rules=QUICK)) as cat:
        resume = m.Resume(code=cat.code, token=setup.ben.token)
        outcome = await hello_outcome(setup, resume)
        await cat.send(m.Close())
        await cat.closed()
    return outcome


async def ticket_of(member: ProtocolClient) -> str:
    await member.send(m.Transfer())
    return (await member.until(m.Ticket)).ticket


@case("an unknown ticket")
async def _(setup: Setup) -> Outcome:
    return await hello_outcome(setup, m.Redeem(code=setup.ann.code, ticket=WRONG))


@case("a ticket of another room")
async def _(setup: Setup) -> Outcome:
    async with connected(setup.server.port, m.Create(name="Cat", rules=QUICK)) as cat:
        redeem = m.Redeem(code=setup.ann.code, ticket=await ticket_of(cat))
        outcome = await hello_outcome(setup, redeem)
        await cat.send(m.Close())
        await cat.closed()
    return outcome


@case("a used ticket")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator() as spectator:
        redeem = m.Redeem(code=spectator.code, ticket=await ticket_of(spectator))
        async with connected(setup.server.port, redeem) as phone:
            assert await spectator.closed() == 4503
            outcome = await hello_outcome(setup, redeem)
            await phone.sync()
            await phone.send(m.Leave())
            await phone.closed()
    return outcome


@case("a nickname with nothing left after cleaning")
async def _(setup: Setup) -> Outcome:
    return await hello_outcome(setup, m.Join(setup.ann.code, "\u202e\u200b\x1b\x07"))


@case("a nickname with letters of two scripts")
async def _(setup: Setup) -> Outcome:
    mixed = "\u0410nn"
    created = await hello_outcome(setup, m.Create(name=mixed))
    assert created == await hello_outcome(setup, m.Join(setup.ann.code, mixed))
    return created


@case("a nickname of 21 characters (wide ones count as two)")
async def _(setup: Setup) -> Outcome:
    created = await hello_outcome(setup, m.Create(name="x" * 21))
    assert created == await hello_outcome(setup, m.Join(setup.ann.code, "\u732b" * 11))
    return created


@case("a rule outside its range")
async def _(setup: Setup) -> Outcome:
    return await hello_outcome(setup, m.Open(rules=m.RulesPatch(countdown_ms=1)))


@case("a room that is full", "small")
async def _(setup: Setup) -> Outcome:
    join = m.Join(setup.ann.code, "Third")
    async with connected(setup.server.port, join) as third:
        outcome = await hello_outcome(setup, m.Join(setup.ann.code, "Fourth"))
        await third.send(m.Leave())
        await third.closed()
    return outcome


@case("a usual time of 1 ms")
async def _(setup: Setup) -> Outcome:
    return await hello_outcome(setup, m.Quick("3x3", "X", pace_ms=1))


@case("a secret of a profile with 31 digits")
async def _(setup: Setup) -> Outcome:
    enter = '{"as":"create","name":"X"}'
    hello = f'{{"t":"hello","v":1,"enter":{enter},"profile":"{"5" * 31}"}}'
    return await first_message(setup, hello, "")


@case("an unknown secret of a profile")
async def _(setup: Setup) -> Outcome:
    """They enter as a guest."""
    join = m.Join(setup.ann.code, "Guest", "spectator")
    async with setup.new_connection() as guest:
        await guest.send(m.Hello(v=1, enter=join, profile=WRONG))
        refused = await guest.until(m.Refused)
        await guest.until(m.Welcome)
        await guest.sync()
        await guest.send(m.Leave())
        await guest.closed()
        return refused.code, "open"


@case("managing a profile without a secret")
async def _(setup: Setup) -> Outcome:
    return await first_message(setup, m.Hello(v=1, enter=m.Me()), "")


async def owner_refused(
    setup: Setup, command: m.Command, *before: m.Command, address: str = ""
) -> Outcome:
    """Return the refusal of an owner's command; the connection must stay open."""
    async with setup.new_connection(address) as owner:
        secret = token_bytes(16).hex()
        await owner.send(m.Hello(v=1, enter=m.Me(), profile=secret))
        await owner.until(m.MeEvent)
        for one in before:
            await owner.send(one)
            await owner.receive()
        await owner.send(command)
        refused = await owner.until(m.Refused)
        await owner.sync()
        return refused.code, "open"


@case("an unknown ticket for a device")
async def _(setup: Setup) -> Outcome:
    return await owner_refused(setup, m.Claim("BBBB-BBBB"))


@case("a sixth ticket after five wrong ones from an address")
async def _(setup: Setup) -> Outcome:
    claim = m.Claim("BBBB-BBBB")
    return await owner_refused(setup, claim, *[claim] * 5, address="192.0.2.30")


@case("a sixth profile from an address")
async def _(setup: Setup) -> Outcome:
    async def create() -> Outcome:
        return await owner_refused(
            setup, m.Keep("X"), m.Keep("X"), address="192.0.2.31"
        )

    outcomes = [await create() for _ in range(6)]
    assert outcomes[:5] == [("profile_exists", "open")] * 5
    return outcomes[5]


@case("a room's command where a profile is managed")
async def _(setup: Setup) -> Outcome:
    return await owner_refused(setup, m.Leave())


@case("a command about a profile in a room")
async def _(setup: Setup) -> Outcome:
    return await spectator_refused(setup, m.Keep("X"))


@case("a room that is locked")
async def _(setup: Setup) -> Outcome:
    await setup.ann.send(m.Lock())
    await setup.ann.until(m.RoomEvent, lambda event: event.room.locked)
    outcome = await hello_outcome(setup, m.Join(setup.ann.code, "X"))
    await setup.ann.send(m.Lock(on=False))
    await setup.ann.until(m.RoomEvent, lambda event: not event.room.locked)
    return outcome


@case("a room for one player")
async def _(setup: Setup) -> Outcome:
    async with connected(setup.server.port, m.Solo("Alone")) as alone:
        outcome = await hello_outcome(setup, m.Join(alone.code, "X"))
        await alone.send(m.Leave())
        await alone.closed()
    return outcome


@case("a second room for one player, with the same profile")
async def _(setup: Setup) -> Outcome:
    row = ProfileRow("XXXXXXXX", "X", 0)
    standings = setup.store.real.standings
    assert await standings.create_profile(row, hashed(SECRET), "laptop")
    hello = m.Hello(v=1, enter=m.Solo("X"), profile=SECRET)
    async with setup.new_connection() as alone:
        await alone.send(hello)
        await alone.until(m.Welcome)
        outcome = await first_message(setup, hello, "")
        await alone.send(m.Leave())
        await alone.closed()
    return outcome


@case("a daily race without a profile")
async def _(setup: Setup) -> Outcome:
    return await hello_outcome(setup, m.Daily("3x3", "X"))


@case("a daily race in 6x6")
async def _(setup: Setup) -> Outcome:
    enter = '{"as":"daily","event":"6x6","name":"X"}'
    return await first_message(setup, f'{{"t":"hello","v":1,"enter":{enter}}}', "")


@case("a daily race before 2026 or after 2036-01-08")
async def _(setup: Setup) -> Outcome:
    row = ProfileRow("YYYYYYYY", "Y", 0)
    standings, secret = setup.store.real.standings, "6" * 32
    assert await standings.create_profile(row, hashed(secret), "laptop")
    hello = m.Hello(v=1, enter=m.Daily("3x3", "X"), profile=secret)
    return await first_message(setup, hello, "")


@case("too many watchers of the list of rooms from an address", "rationed")
async def _(setup: Setup) -> Outcome:
    async with setup.new_connection("192.0.2.8") as watcher:
        await watcher.send(m.Hello(v=1, enter=m.Lobby()))
        await watcher.until(m.Rooms)
        return await hello_outcome(setup, m.Lobby(), "192.0.2.8")


@case("too many rooms from an address", "rationed")
async def _(setup: Setup) -> Outcome:
    async with setup.new_connection("192.0.2.4") as opener:
        await opener.send(m.Hello(v=1, enter=m.Open()))
        await opener.until(m.Opened)
        await opener.closed()
    return await hello_outcome(setup, m.Open(), "192.0.2.4")


@case("too many wrong codes from an address", "rationed")
async def _(setup: Setup) -> Outcome:
    wrong = m.Resume(code=setup.ann.code, token=WRONG)
    outcome = ("bad_token", "4500")
    while outcome == ("bad_token", "4500"):
        outcome = await hello_outcome(setup, wrong, "192.0.2.5")
    return outcome


@case("too many wrong tickets from an address", "rationed")
async def _(setup: Setup) -> Outcome:
    wrong = m.Redeem(code=setup.ann.code, ticket=WRONG)
    for _ in range(2):
        outcome = await hello_outcome(setup, wrong, "192.0.2.6")
        assert outcome == ("bad_ticket", "4500")
    return await hello_outcome(setup, wrong, "192.0.2.6")


@case("joining and leaving all the time", "small")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator() as spectator:
        resume = m.Resume(code=spectator.code, token=spectator.token)
        await spectator.socket.close()
        for _ in range(9):
            async with connected(setup.server.port, resume):
                pass
        async with connected(setup.server.port, resume):
            return await hello_outcome(setup, resume)


@case("racing at once again and again", "rationed")
async def _(setup: Setup) -> Outcome:
    outcome: Outcome = ("", "")
    for name in ("Once", "Again"):
        async with setup.new_connection("192.0.2.7") as client:
            await client.send(m.Hello(v=1, enter=m.Quick("3x3", name)))
            event = await client.receive()
            if isinstance(event, m.Refused):
                outcome = event.code, str(await client.closed())
    return outcome


@case("a new room while the disk is full", "small")
async def _(setup: Setup) -> Outcome:
    setup.store.full = True
    outcome = await hello_outcome(setup, m.Create(name="Cat"))
    setup.store.full = False
    return outcome


@case("a bug in the server")
async def _(setup: Setup) -> Outcome:
    setup.entropy_fails[0] = True
    async with setup.new_connection() as client:
        await client.send(m.Hello(v=1, enter=m.Join(setup.ann.code, "X")))
        outcome = await close_code(client)
    setup.entropy_fails[0] = False
    return outcome
