"""What members say: the other rows of docs/operating.md, see `bad_input`."""

import asyncio

from tests.e2e.bad_input import (
    BACK,
    Outcome,
    Stage,
    answered,
    case,
    closed_with,
    entering,
    goes_on,
)
from tests.e2e.protocol_client import QUICK, connected, eventually
from tests.e2e.test_fanout import counted, peer_of
from websockets.protocol import State

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command
from sliderace_server.websocket.send_queue import text_frame

# --- frames ---------------------------------------------------------------------------


async def sent(stage: Stage, *frames: bytes) -> Outcome:
    """How a member's connection is closed after these bytes."""
    async with stage.eve() as eve:
        for frame in frames:
            if eve.socket.state is State.OPEN:
                eve.socket.transport.write(frame)
        return await closed_with(eve)


@case("a frame that breaks the protocol")
async def _(stage: Stage) -> Outcome:
    return await sent(stage, b"\xf1\x80\x00\x00\x00\x00")  # reserved bits


@case("a binary message")
async def _(stage: Stage) -> Outcome:
    return await sent(stage, b"\x82\x81\x00\x00\x00\x00x")


@case("text that is not UTF-8")
async def _(stage: Stage) -> Outcome:
    return await sent(stage, b"\x81\x82\x00\x00\x00\x00\xff\xfe")


@case("a message of more than 2 KiB")
async def _(stage: Stage) -> Outcome:
    async with stage.eve() as eve:
        await eve.send(" " * 2_049)
        return await closed_with(eve)


@case("a message of more than 2 KiB in many fragments")
async def _(stage: Stage) -> Outcome:
    middle = b"\x00\xc1\x00\x00\x00\x00" + b" " * 65
    return await sent(stage, b"\x01" + middle[1:], *[middle] * 40)


# --- messages -------------------------------------------------------------------------


def ping(value: str) -> str:
    return f'{{"t":"ping","id":{value}}}'


async def each(stage: Stage, *texts: str) -> Outcome:
    outcomes = {await answered(stage, text) for text in texts}
    assert len(outcomes) == 1, outcomes
    return outcomes.pop()


@case("text that is not JSON")
async def _(stage: Stage) -> Outcome:
    return await each(stage, "", "{", "null", "[]", "17", "\x00")


@case("JSON with a thousand levels")
async def _(stage: Stage) -> Outcome:
    return await each(stage, "[" * 1_024, '{"a":' * 400, ping("[" * 1_000))


@case("NaN, infinity, 1e999, fractions")
async def _(stage: Stage) -> Outcome:
    return await each(stage, *map(ping, ("NaN", "-Infinity", "1e999", "1.5", "1e2")))


@case("an integer of 40 digits")
async def _(stage: Stage) -> Outcome:
    return await each(stage, ping("9" * 40), ping("-" + "9" * 40), ping(str(2**53)))


@case("a lone surrogate")
async def _(stage: Stage) -> Outcome:
    return await each(stage, '"\\ud800"', ping('"\\udfff"'))


@case("an unknown command, or an unknown field")
async def _(stage: Stage) -> Outcome:
    return await each(stage, '{"t":"fly"}', '{"t":"ping","id":1,"more":2}')


@case("the type twice in a message")
async def _(stage: Stage) -> Outcome:
    return await answered(stage, '{"t":"ping","t":"leave","id":1}')


@case("another field twice in a message")
async def _(stage: Stage) -> Outcome:
    async with stage.eve() as eve:
        await eve.send('{"t":"ping","id":1,"id":2}')
        assert (await eve.until(m.Pong)).id == 2
        return "the last one counts", "open"


@case("a second `hello`")
async def _(stage: Stage) -> Outcome:
    return await answered(stage, m.Hello(v=1, enter=m.Create(name="Again")))


@case("repeated requests for a ticket")
async def _(stage: Stage) -> Outcome:
    async with stage.eve() as eve:
        for _ in range(3):
            await eve.send(m.Transfer())
        *early, last = [(await eve.until(m.Ticket)).ticket for _ in range(3)]
        for ticket in early:
            redeem = m.Redeem(code=eve.code, ticket=ticket)
            assert await entering(stage, redeem) == ("bad_ticket", "4500")
        await eve.sync()
        redeem = m.Redeem(code=eve.code, ticket=last)
        async with connected(stage.server.port, redeem) as phone:
            assert await eve.closed() == 4503
            await phone.send(m.Leave())
            await phone.closed()
    return "the last one counts", "open"


@case("a host's command from another member")
async def _(stage: Stage) -> Outcome:
    commands: list[m.Command] = [m.Kick(stage.ben.member), m.Close(), m.Lock()]
    return await each(stage, *(encode_command(command) for command in commands))


@case("a command about another race")
async def _(stage: Stage) -> Outcome:
    return await answered(stage, m.Ready("OTHER-S0-1"))


@case("an unknown member")
async def _(stage: Stage) -> Outcome:
    return await goes_on(stage.ann, m.Kick(member=99))


@case("the board of an unknown seat")
async def _(stage: Stage) -> Outcome:
    return await answered(stage, m.Resync(seat=200))


@case("a rival's board during a race")
async def _(stage: Stage) -> Outcome:
    return await goes_on(stage.ann, m.Resync(seat=stage.ben.seat))


# --- slides ---------------------------------------------------------------------------


@case("slides from a spectator")
async def _(stage: Stage) -> Outcome:
    return await answered(stage, m.Slides(stage.ann.race, 0, 1, [("L", 1, 0)]))


@case("an illegal slide")
async def _(stage: Stage) -> Outcome:
    legal = parse_board(stage.ann.board).legal_slides()
    wrong = next((d, k) for k in (1, 2) for d in "UDLR" if (d, k) not in legal)
    return await goes_on(stage.ann, stage.ann.slides([wrong]))


@case("a slide after a missing one")
async def _(stage: Stage) -> Outcome:
    legal = parse_board(stage.ann.board).legal_slides()[0]
    stage.ann.seq += 1
    return await goes_on(stage.ann, stage.ann.slides([legal]))


@case("more tiles than a race allows", "small")
async def _(stage: Stage) -> Outcome:
    ann = stage.ann
    direction, _ = parse_board(ann.board).legal_slides()[0]
    moves = [(direction, 1), (BACK[direction], 1)] * 30
    for _ in range(6):
        await ann.send(ann.slides(moves))
    await ann.acked(ann.seq)
    return await goes_on(ann, ann.slides(moves))


# --- too much, and what comes too late ------------------------------------------------


@case("toggling ready forever", "small")
async def _(stage: Stage) -> Outcome:
    rules = m.RulesPatch(size="2x2")
    async with connected(stage.server.port, m.Create(name="Cat", rules=rules)) as cat:
        for number in range(20):
            await cat.send(m.Ready(cat.race, on=number % 2 == 0))
        outcome = await goes_on(cat, m.Ready(cat.race))
        await cat.send(m.Close())
        await cat.closed()
    return outcome


async def flood(stage: Stage, frame: bytes) -> Outcome:
    async with stage.eve() as eve:
        closed = asyncio.create_task(eve.closed())
        while not closed.done():
            if eve.socket.state is State.OPEN:
                eve.socket.transport.write(frame)
            await stage.server.registry.services.clock.sleep(0.02)
        refused = [event.code for event in eve.received if isinstance(event, m.Refused)]
        return refused[-1], str(await closed)


@case("endless messages", "flooded")
async def _(stage: Stage) -> Outcome:
    return await flood(stage, b"\x81\x93\x00\x00\x00\x00" + b'{"t":"ping","id":1}')


@case("endless pings", "flooded")
async def _(stage: Stage) -> Outcome:
    return await flood(stage, b"\x89\x80\x00\x00\x00\x00")


@case("slides from a replaced connection")
async def _(stage: Stage) -> Outcome:
    async with stage.eve() as eve:
        resume = m.Resume(code=eve.code, token=eve.token)
        async with connected(stage.server.port, resume) as again:
            eve.socket.transport.write(b"\x81\x93\x00\x00\x00\x00" + b" " * 19)
            outcome = await closed_with(eve)
            await again.sync()
            await again.send(m.Leave())
            await again.closed()
        return outcome


@case("anything from a kicked member")
async def _(stage: Stage) -> Outcome:
    async with stage.eve() as eve:
        await stage.ann.send(m.Kick(eve.member))
        return await closed_with(eve)


@case("anything in a closed room")
async def _(stage: Stage) -> Outcome:
    async with connected(stage.server.port, m.Create(name="Cat", rules=QUICK)) as cat:
        await cat.send(m.Close())
        return await closed_with(cat)


@case("a peer that does not read")
async def _(stage: Stage) -> Outcome:
    async with stage.eve("Mute") as mute:
        mute.socket.transport.pause_reading()
        before = counted(stage.server, "aborted")
        peer = peer_of(stage.server, mute.code, mute.member)

        def cut() -> bool:
            peer.send(text_frame(b" " * 60_000))
            return counted(stage.server, "aborted") == before + 1

        await eventually(cut)
        mute.socket.transport.abort()
        await mute.socket.wait_closed()
    return "cut", "-"


@case("a peer that does not answer pings", "pinged")
async def _(stage: Stage) -> Outcome:
    async with stage.eve("Mute") as mute:
        member = mute.member
        mute.socket.transport.pause_reading()
        await asyncio.wait_for(
            stage.ann.until(
                m.MemberEvent,
                lambda e: e.why == "disconnected" and e.member.id == member,
            ),
            15,
        )
        mute.socket.transport.abort()
        await mute.socket.wait_closed()
    return "cut", "-"
