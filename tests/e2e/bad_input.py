"""Bad input of every kind, each tried on a stage where two others race.

A trial answers with what came back and how it ended, in the words of
docs/operating.md: `("bad_message", "open")`, `("HTTP 421", "-")`, `("cut", "-")`.
"""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field, replace

from tests.e2e.protocol_client import (
    Entry,
    FastClock,
    ProtocolClient,
    connected,
    running_race,
)
from tests.e2e.stores import FaultyStore

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace_server.app import Server, running
from sliderace_server.limits import Limits
from sliderace_server.room import RoomLimits
from sliderace_server.settings import ServerSettings

__all__ = ["CASES", "Outcome", "Stage", "case", "on_stage"]

Outcome = tuple[str, str]
BACK = {"U": "D", "D": "U", "L": "R", "R": "L"}

PATIENT = Limits(ping_timeout_ms=60_000)
"""A busy machine answers our pings late; that is not what is tried here."""
GROUPS = {
    "plain": PATIENT,
    "hurried": replace(PATIENT, open_timeout_ms=1_000, hello_timeout_ms=1_000),
    "rationed": replace(
        PATIENT,
        connections_per_ip=20,
        rooms_per_ip=1,
        failed_joins_per_min=2,
    ),
    "paged": replace(PATIENT, pages_per_s=1, pages_burst=1),
    "small": replace(
        PATIENT,
        messages_per_s=500,
        room=RoomLimits(players=3, spectators=6, max_tiles=400, lobby_records=20),
    ),
    "flooded": replace(PATIENT, messages_per_s=5, messages_burst=60, flood_ms=1_000),
    "pinged": Limits(ping_timeout_ms=20_000),
}
"""Name -> what its server allows. Times pass ten times as fast, but for handshakes."""


@dataclass
class Stage:
    """A server; Ann, who may be bad; Ben, whom nothing may disturb."""

    server: Server
    ann: ProtocolClient
    ben: ProtocolClient
    store: FaultyStore
    broken: list[bool] = field(default_factory=lambda: [False])

    async def untouched(self) -> None:
        """Ben slides to and fro: both are durable at once, and nothing was refused."""
        direction, tiles = parse_board(self.ben.board).legal_slides()[0]
        to_and_fro = [(direction, tiles), (BACK[direction], tiles)]
        await self.ben.send(self.ben.slides(to_and_fro))
        await self.ben.acked(self.ben.seq)

    async def finished(self) -> None:
        """Ben solves his board."""
        await self.ben.solve()
        await self.ben.acked(self.ben.seq)
        mine = self.ben.seat
        told = await self.ben.until(m.StandingEvent, lambda e: e.standing.seat == mine)
        assert told.standing.status == "finished"
        bad = [e for e in self.ben.received if isinstance(e, m.Refused | m.Rejected)]
        assert not bad

    @contextlib.asynccontextmanager
    async def stranger(self, address: str = "") -> AsyncGenerator[ProtocolClient, None]:
        """A connection that has said nothing, perhaps from another address."""
        headers = {"X-Forwarded-For": address} if address else {}
        async with connected(self.server.port, additional_headers=headers) as talker:
            yield talker

    @contextlib.asynccontextmanager
    async def eve(self, name: str = "Eve") -> AsyncGenerator[ProtocolClient, None]:
        """Somebody who watches, until the end of the context."""
        join = m.Join(code=self.ann.code, name=name, role="spectator")
        async with connected(self.server.port, join) as eve:
            yield eve
            if eve.socket.close_code is None:
                await eve.send(m.Leave())
                await eve.closed()


Trial = Callable[[Stage], Awaitable[Outcome]]


@dataclass(frozen=True)
class Case:
    """One row of the table: how it is tried, and on which stage."""

    group: str
    try_it: Trial


CASES: dict[str, Case] = {}
"""What is bad -> its trial, in the order of docs/operating.md."""


def case(bad: str, group: str = "plain") -> Callable[[Trial], Trial]:
    """Tell that a function tries this row."""

    def add(trial: Trial) -> Trial:
        assert bad not in CASES
        CASES[bad] = Case(group, trial)
        return trial

    return add


@contextlib.asynccontextmanager
async def on_stage(group: str) -> AsyncGenerator[Stage, None]:
    """A race has just begun, on a server with the limits of a group."""
    broken, store = [False], FaultyStore()

    def entropy(count: int) -> bytes:
        if broken[0] and count == 16:
            raise RuntimeError("a bug in the server")
        return secrets.token_bytes(count)

    config = ServerSettings(
        port=0, memory=True, limits=GROUPS[group], trusted_proxies=("127.0.0.1",)
    )
    async with (
        running(config, store=store, clock=FastClock(), entropy=entropy) as server,
        running_race(server.port, 2, "3x3", limit_ms=0) as (ann, ben),
    ):
        yield Stage(server, ann, ben, store, broken)


async def answered(stage: Stage, command: m.Command | str) -> Outcome:
    """How a member who watches is answered, who goes on then."""
    async with stage.eve() as eve:
        return await goes_on(eve, command)


async def goes_on(member: ProtocolClient, command: m.Command | str | bytes) -> Outcome:
    """What a command is refused with; and the connection is still there."""
    await member.send(command)
    event = await member.receive()
    while not isinstance(event, m.Refused | m.Rejected):
        event = await member.receive()
    await member.sync()
    return event.code, "open"


async def at_the_door(stage: Stage, hello: m.Command | str, address: str) -> Outcome:
    """How a first message is answered, and what the connection is closed with."""
    async with stage.stranger(address) as talker:
        await talker.send(hello)
        return (await talker.until(m.Refused)).code, str(await talker.closed())


async def entering(stage: Stage, enter: Entry, address: str = "") -> Outcome:
    """The same for a hello."""
    return await at_the_door(stage, m.Hello(v=1, enter=enter), address)


async def closed_with(member: ProtocolClient) -> Outcome:
    """The close code alone."""
    return "-", str(await asyncio.wait_for(member.closed(), 15))
