"""Bad input of every kind, each tried on a server where two players race.

A trial returns the answer and how the connection ended, in the words of
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

__all__ = ["CASES", "Outcome", "Setup", "case", "race_setup"]

Outcome = tuple[str, str]
BACK = {"U": "D", "D": "U", "L": "R", "R": "L"}

PATIENT = Limits(ping_timeout_ms=60_000)
"""Long enough for a busy machine, where clients answer pings late."""
GROUPS = {
    "plain": PATIENT,
    "hurried": replace(PATIENT, open_timeout_ms=1_000, hello_timeout_ms=1_000),
    "rationed": replace(
        PATIENT,
        connections_per_ip=20,
        rooms_per_ip=1,
        quick_burst=1,
        lobbies_per_ip=1,
        failed_joins_per_10_min=2,
    ),
    "paged": replace(PATIENT, pages_per_s=1, pages_burst=4),
    "small": replace(
        PATIENT,
        messages_per_s=500,
        room=RoomLimits(players=3, spectators=6, max_tiles=400, lobby_records=20),
    ),
    "flooded": replace(PATIENT, messages_per_s=5, messages_burst=60, flood_ms=1_000),
    "pinged": Limits(ping_timeout_ms=20_000),
}
"""Name -> limits of its server; time runs ten times as fast, except handshakes."""


@dataclass
class Setup:
    """A server; Ann, who may misbehave; Ben, who must not be affected."""

    server: Server
    ann: ProtocolClient
    ben: ProtocolClient
    store: FaultyStore
    entropy_fails: list[bool] = field(default_factory=lambda: [False])

    async def check_undisturbed(self) -> None:
        """Make Ben slide a tile back and forth; check that both slides are acked."""
        direction, tiles = parse_board(self.ben.board).legal_slides()[0]
        to_and_fro = [(direction, tiles), (BACK[direction], tiles)]
        await self.ben.send(self.ben.slides(to_and_fro))
        await self.ben.acked(self.ben.seq)

    async def check_finish(self) -> None:
        """Make Ben solve the board; check that no message is refused."""
        await self.ben.solve()
        await self.ben.acked(self.ben.seq)
        mine = self.ben.seat
        received = await self.ben.until(
            m.StandingEvent, lambda e: e.standing.seat == mine
        )
        assert received.standing.status == "finished"
        bad = [e for e in self.ben.received if isinstance(e, m.Refused | m.Rejected)]
        assert not bad

    @contextlib.asynccontextmanager
    async def new_connection(
        self, address: str = ""
    ) -> AsyncGenerator[ProtocolClient, None]:
        """Open a connection, perhaps from another address."""
        headers = {"X-Forwarded-For": address} if address else {}
        async with connected(self.server.port, additional_headers=headers) as client:
            yield client

    @contextlib.asynccontextmanager
    async def spectator(
        self, name: str = "Eve"
    ) -> AsyncGenerator[ProtocolClient, None]:
        """Join a spectator, who leaves at the end of the context."""
        join = m.Join(code=self.ann.code, name=name, role="spectator")
        async with connected(self.server.port, join) as spectator:
            yield spectator
            if spectator.socket.close_code is None:
                await spectator.send(m.Leave())
                await spectator.closed()


Trial = Callable[[Setup], Awaitable[Outcome]]


@dataclass(frozen=True)
class Case:
    """One row of the table: its trial, and the group of limits."""

    group: str
    try_it: Trial


CASES: dict[str, Case] = {}
"""Bad input -> its trial, in the order of docs/operating.md."""


def case(bad: str, group: str = "plain") -> Callable[[Trial], Trial]:
    """Register a function as the trial of a row."""

    def add(trial: Trial) -> Trial:
        assert bad not in CASES
        CASES[bad] = Case(group, trial)
        return trial

    return add


@contextlib.asynccontextmanager
async def race_setup(group: str) -> AsyncGenerator[Setup, None]:
    """Start a race on a server with the limits of a group."""
    entropy_fails, store = [False], FaultyStore()

    def entropy(count: int) -> bytes:
        if entropy_fails[0] and count == 16:
            raise RuntimeError("a bug in the server")
        return secrets.token_bytes(count)

    settings = ServerSettings(
        port=0, memory=True, limits=GROUPS[group], trusted_proxies=("127.0.0.1",)
    )
    async with (
        running(settings, store=store, clock=FastClock(), entropy=entropy) as server,
        running_race(server.port, 2, "3x3", limit_ms=0) as (ann, ben),
    ):
        yield Setup(server, ann, ben, store, entropy_fails)


async def spectator_refused(setup: Setup, command: m.Command | str) -> Outcome:
    """Return the refusal of a spectator's command; the connection must stay open."""
    async with setup.spectator() as spectator:
        return await refused_in_room(spectator, command)


async def refused_in_room(
    member: ProtocolClient, command: m.Command | str | bytes
) -> Outcome:
    """Return the refusal of a member's command; the connection must stay open."""
    await member.send(command)
    event = await member.receive()
    while not isinstance(event, m.Refused | m.Rejected):
        event = await member.receive()
    await member.sync()
    return event.code, "open"


async def first_message(setup: Setup, hello: m.Command | str, address: str) -> Outcome:
    """Return the refusal of a first message, and the close code."""
    async with setup.new_connection(address) as client:
        await client.send(hello)
        return (await client.until(m.Refused)).code, str(await client.closed())


async def hello_outcome(setup: Setup, enter: Entry, address: str = "") -> Outcome:
    """Return the refusal of a hello, and the close code."""
    return await first_message(setup, m.Hello(v=1, enter=enter), address)


async def close_code(member: ProtocolClient) -> Outcome:
    """Return the close code."""
    return "-", str(await asyncio.wait_for(member.closed(), 15))
