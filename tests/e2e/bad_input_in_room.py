"""Input of members: the other rows of docs/operating.md, see `bad_input`."""

import asyncio

from tests.e2e.bad_input import (
    BACK,
    Outcome,
    Setup,
    case,
    close_code,
    hello_outcome,
    refused_in_room,
    spectator_refused,
)
from tests.e2e.protocol_client import QUICK, connected, eventually
from tests.e2e.test_fanout import counted, peer_of
from websockets.protocol import State

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command
from sliderace_server.websocket.send_queue import text_frame

# --- frames ---------------------------------------------------------------------------


async def sent(setup: Setup, *frames: bytes) -> Outcome:
    """Return the close code after a member sent these bytes."""
    async with setup.spectator() as spectator:
        for frame in frames:
            if spectator.socket.state is State.OPEN:
                spectator.socket.transport.write(frame)
        return await close_code(spectator)


@case("a frame that breaks the protocol")
async def _(setup: Setup) -> Outcome:
    return await sent(setup, b"\xf1\x80\x00\x00\x00\x00")  # reserved bits


@case("a binary message")
async def _(setup: Setup) -> Outcome:
    return await sent(setup, b"\x82\x81\x00\x00\x00\x00x")


@case("text that is not UTF-8")
async def _(setup: Setup) -> Outcome:
    return await sent(setup, b"\x81\x82\x00\x00\x00\x00\xff\xfe")


@case("a message of more than 2 KiB")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator() as spectator:
        await spectator.send(" " * 2_049)
        return await close_code(spectator)


@case("a message of more than 2 KiB in many fragments")
async def _(setup: Setup) -> Outcome:
    middle = b"\x00\xc1\x00\x00\x00\x00" + b" " * 65
    return await sent(setup, b"\x01" + middle[1:], *[middle] * 40)


# --- messages -------------------------------------------------------------------------


def ping(value: str) -> str:
    return f'{{"t":"ping","id":{value}}}'


async def each(setup: Setup, *texts: str) -> Outcome:
    outcomes = {await spectator_refused(setup, text) for text in texts}
    assert len(outcomes) == 1, outcomes
    return outcomes.pop()


@case("text that is not JSON")
async def _(setup: Setup) -> Outcome:
    return await each(setup, "", "{", "null", "[]", "17", "\x00")


@case("JSON with a thousand levels")
async def _(setup: Setup) -> Outcome:
    return await each(setup, "[" * 1_024, '{"a":' * 400, ping("[" * 1_000))


@case("NaN, infinity, 1e999, fractions")
async def _(setup: Setup) -> Outcome:
    return await each(setup, *map(ping, ("NaN", "-Infinity", "1e999", "1.5", "1e2")))


@case("an integer of 40 digits")
async def _(setup: Setup) -> Outcome:
    return await each(setup, ping("9" * 40), ping("-" + "9" * 40), ping(str(2**53)))


@case("a lone surrogate")
async def _(setup: Setup) -> Outcome:
    return await each(setup, '"\\ud800"', ping('"\\udfff"'))


@case("an unknown command, or an unknown field outside `hello`")
async def _(setup: Setup) -> Outcome:
    return await each(setup, '{"t":"fly"}', '{"t":"ping","id":1,"more":2}')


@case("the type twice in a message")
async def _(setup: Setup) -> Outcome:
    return await spectator_refused(setup, '{"t":"ping","t":"leave","id":1}')


@case("another field twice in a message")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator() as spectator:
        await spectator.send('{"t":"ping","id":1,"id":2}')
        assert (await spectator.until(m.Pong)).id == 2
        return "the last one counts", "open"


@case("a second `hello`")
async def _(setup: Setup) -> Outcome:
    return await spectator_refused(setup, m.Hello(v=1, enter=m.Create(name="Again")))


@case("repeated requests for a ticket")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator() as spectator:
        for _ in range(3):
            await spectator.send(m.Transfer())
        *early, last = [(await spectator.until(m.Ticket)).ticket for _ in range(3)]
        for ticket in early:
            redeem = m.Redeem(code=spectator.code, ticket=ticket)
            assert await hello_outcome(setup, redeem) == ("bad_ticket", "4500")
        await spectator.sync()
        redeem = m.Redeem(code=spectator.code, ticket=last)
        async with connected(setup.server.port, redeem) as phone:
            assert await spectator.closed() == 4503
            await phone.send(m.Leave())
            await phone.closed()
    return "the last one counts", "open"


@case("a host's command from another member")
async def _(setup: Setup) -> Outcome:
    commands: list[m.Command] = [m.Kick(setup.ben.member), m.Close(), m.Lock()]
    commands.append(m.Bots([m.BotWanted("club")]))
    return await each(setup, *(encode_command(command) for command in commands))


@case("a host's command in a quick room")
async def _(setup: Setup) -> Outcome:
    commands: list[m.Command] = [m.Settings(), m.Start("X"), m.Kick(1), m.Bots([])]
    async with connected(setup.server.port, m.Quick("3x3", "Quick")) as quick:
        outcomes = {await refused_in_room(quick, one) for one in (*commands, m.Lock())}
        await quick.send(m.Leave())
        await quick.closed()
    assert len(outcomes) == 1, outcomes
    return outcomes.pop()


@case("a command about another race")
async def _(setup: Setup) -> Outcome:
    return await spectator_refused(setup, m.Ready("OTHER-S0-1"))


@case("a bot of the level `god`")
async def _(setup: Setup) -> Outcome:
    god = '{"t":"bots","want":[{"level":"club"},{"level":"god"}]}'
    return await refused_in_room(setup.ann, god)


@case("a bot without level and pace")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Bots([m.BotWanted()]))


@case("a bot with a pace of 1 ms")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Bots([m.BotWanted(pace_ms=1)]))


@case("seven bots")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Bots([m.BotWanted("club")] * 7))


@case("other bots during a race")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Bots([m.BotWanted("club")]))


@case("a series of no wins")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Series("first", 0))


@case("a series of 51 races")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Series("points", 51))


@case("a series that begins during a race")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Series("ao5"))


@case("a nickname of 21 characters in `rename` or `keep`")
async def _(setup: Setup) -> Outcome:
    return await spectator_refused(setup, m.Rename("x" * 21))


@case("a new nickname during a race")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Rename("Zoë"))


@case("reaction 17")
async def _(setup: Setup) -> Outcome:
    return await spectator_refused(setup, '{"t":"react","id":17}')


@case("a reaction while racing")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.React(9))


@case("a fourth reaction in two seconds")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator() as eve:
        for _ in range(3):
            await eve.send(m.React(9))
        return await refused_in_room(eve, m.React(9))


@case("a reaction of a muted member")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator() as eve:
        await setup.ann.send(m.Mute(eve.member))
        await eve.until(m.MemberEvent, lambda event: event.member.muted)
        return await refused_in_room(eve, m.React(9))


@case("an unknown member")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Kick(member=99))


@case("the board of an unknown seat")
async def _(setup: Setup) -> Outcome:
    return await spectator_refused(setup, m.Resync(seat=200))


@case("a rival's board during a race")
async def _(setup: Setup) -> Outcome:
    return await refused_in_room(setup.ann, m.Resync(seat=setup.ben.seat))


# --- slides ---------------------------------------------------------------------------


@case("slides from a spectator")
async def _(setup: Setup) -> Outcome:
    return await spectator_refused(setup, m.Slides(setup.ann.race, 0, 1, [("L", 1, 0)]))


@case("an illegal slide")
async def _(setup: Setup) -> Outcome:
    legal = parse_board(setup.ann.board).legal_slides()
    wrong = next((d, k) for k in (1, 2) for d in "UDLR" if (d, k) not in legal)
    return await refused_in_room(setup.ann, setup.ann.slides([wrong]))


@case("a slide after a missing one")
async def _(setup: Setup) -> Outcome:
    legal = parse_board(setup.ann.board).legal_slides()[0]
    setup.ann.seq += 1
    return await refused_in_room(setup.ann, setup.ann.slides([legal]))


@case("more tiles than a race allows", "small")
async def _(setup: Setup) -> Outcome:
    ann = setup.ann
    direction, _ = parse_board(ann.board).legal_slides()[0]
    moves = [(direction, 1), (BACK[direction], 1)] * 30
    for _ in range(6):
        await ann.send(ann.slides(moves))
    await ann.acked(ann.seq)
    return await refused_in_room(ann, ann.slides(moves))


# --- too much, too late --------------------------------------------------------------


@case("toggling ready forever", "small")
async def _(setup: Setup) -> Outcome:
    rules = m.RulesPatch(size="2x2")
    async with connected(setup.server.port, m.Create(name="Cat", rules=rules)) as cat:
        for number in range(20):
            await cat.send(m.Ready(cat.race, on=number % 2 == 0))
        outcome = await refused_in_room(cat, m.Ready(cat.race))
        await cat.send(m.Close())
        await cat.closed()
    return outcome


async def flood(setup: Setup, frame: bytes) -> Outcome:
    async with setup.spectator() as spectator:
        closed = asyncio.create_task(spectator.closed())
        while not closed.done():
            if spectator.socket.state is State.OPEN:
                spectator.socket.transport.write(frame)
            await setup.server.registry.services.clock.sleep(0.02)
        refused = [
            event.code for event in spectator.received if isinstance(event, m.Refused)
        ]
        return refused[-1], str(await closed)


@case("endless messages", "flooded")
async def _(setup: Setup) -> Outcome:
    return await flood(setup, b"\x81\x93\x00\x00\x00\x00" + b'{"t":"ping","id":1}')


@case("endless pings", "flooded")
async def _(setup: Setup) -> Outcome:
    return await flood(setup, b"\x89\x80\x00\x00\x00\x00")


@case("slides from a replaced connection")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator() as spectator:
        resume = m.Resume(code=spectator.code, token=spectator.token)
        async with connected(setup.server.port, resume) as again:
            spectator.socket.transport.write(b"\x81\x93\x00\x00\x00\x00" + b" " * 19)
            outcome = await close_code(spectator)
            await again.sync()
            await again.send(m.Leave())
            await again.closed()
        return outcome


@case("anything from a kicked member")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator("Gus") as spectator:
        await setup.ann.send(m.Kick(spectator.member))
        return await close_code(spectator)


@case("a kicked member who comes back")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator("Gil") as spectator:
        await setup.ann.send(m.Kick(spectator.member))
        await spectator.closed()
        outcome = ("kicked", "4501")
        resume = m.Resume(code=setup.ann.code, token=spectator.token)
        assert await hello_outcome(setup, resume) == outcome
        join = m.Join(code=setup.ann.code, name="Gil")
        assert await hello_outcome(setup, join) == outcome
    return outcome


@case("anything in a closed room")
async def _(setup: Setup) -> Outcome:
    async with connected(setup.server.port, m.Create(name="Cat", rules=QUICK)) as cat:
        await cat.send(m.Close())
        return await close_code(cat)


@case("a peer that does not read")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator("Mute") as mute:
        mute.socket.transport.pause_reading()
        before = counted(setup.server, "aborted")
        peer = peer_of(setup.server, mute.code, mute.member)

        def cut() -> bool:
            peer.send(text_frame(b" " * 60_000))
            return counted(setup.server, "aborted") == before + 1

        await eventually(cut)
        mute.socket.transport.abort()
        await mute.socket.wait_closed()
    return "cut", "-"


@case("a peer that does not answer pings", "pinged")
async def _(setup: Setup) -> Outcome:
    async with setup.spectator("Mute") as mute:
        member = mute.member
        mute.socket.transport.pause_reading()
        await asyncio.wait_for(
            setup.ann.until(
                m.MemberEvent,
                lambda e: e.why == "disconnected" and e.member.id == member,
            ),
            15,
        )
        mute.socket.transport.abort()
        await mute.socket.wait_closed()
    return "cut", "-"
