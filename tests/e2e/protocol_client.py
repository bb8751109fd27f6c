"""A minimal protocol client, and helpers to run servers and races."""

import asyncio
import contextlib
import inspect
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any, TypeVar

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event, encode_command
from sliderace.solve import solve
from sliderace_server.app import Server, running
from sliderace_server.limits import Limits
from sliderace_server.settings import ServerSettings

__all__ = [
    "QUICK",
    "Entry",
    "FastClock",
    "ProtocolClient",
    "connected",
    "eventually",
    "log_problems",
    "offset_of",
    "player_names",
    "rules",
    "running_race",
    "running_server",
    "solution",
]

RECEIVE_S = 8.0
"""Longest wait for an event; longer than any deadline of a quick race."""

QUICK = m.RulesPatch(size="2x2", countdown_ms=3_000)
"""The shortest race."""

E = TypeVar("E", bound=m.Event)
Entry = (
    m.Create
    | m.Open
    | m.Join
    | m.Resume
    | m.Redeem
    | m.Quick
    | m.Solo
    | m.Daily
    | m.Lobby
)
"""The ways to enter a room."""


def rules(size: str = "2x2", **more: int | bool | str) -> m.RulesPatch:
    """Return rules with the shortest countdown."""
    return m.RulesPatch(size=size, countdown_ms=3_000, **more)  # type: ignore[arg-type]


def offset_of(event: m.Event) -> int:
    """Return an event's offset in the stream; 0 if it has none."""
    return int(getattr(event, "o", 0))


def solution(board: str) -> list[tuple[str, int]]:
    """Return slides that solve a board."""
    return [slide for stage in solve(parse_board(board)) for slide in stage]


class FastClock:
    """A clock that runs ten times as fast, or by another factor."""

    boot = "test"
    stall_ms = 1 << 40  # a stall of the test would seem ten times as long

    def __init__(self, factor: float = 10) -> None:
        self.factor = factor

    def now_ms(self) -> int:
        return int(time.monotonic() * self.factor * 1_000)

    def wall_ms(self) -> int:
        return 1_700_000_000_000 + self.now_ms()

    def cpu_s(self) -> float:
        return 0.0  # never busy

    def later(self, seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        loop = asyncio.get_running_loop()
        return loop.call_later(seconds / self.factor, call)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.factor)


async def eventually(condition: Callable[[], object]) -> Any:
    """Run the loop until a condition holds; return its result."""
    async with asyncio.timeout(RECEIVE_S):
        while True:
            outcome: Any = condition()
            if inspect.isawaitable(outcome):
                outcome = await outcome
            if outcome:
                return outcome
            await asyncio.sleep(0)


def log_problems(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return warnings and errors in the log, except asyncio's about slow steps."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING
        and not (record.name == "asyncio" and record.msg.startswith("Executing "))
    ]


@contextlib.asynccontextmanager
async def running_server(
    limits: Limits | None = None, **settings: object
) -> AsyncGenerator[Server, None]:
    """Run a server in this process, on a free port, in memory."""
    parts = {
        "store": settings.pop("store", None),
        "clock": settings.pop("clock", FastClock()),
        "entropy": settings.pop("entropy", secrets.token_bytes),
        "processes": settings.pop("processes", None),
        "acceptor": settings.pop("acceptor", None),
    }
    server_settings = ServerSettings(
        port=0,
        memory=True,
        limits=limits or Limits(),
        **settings,  # type: ignore[arg-type]
    )
    async with running(server_settings, **parts) as server:  # type: ignore[arg-type]
        yield server


class ProtocolClient:
    """One connection to a server."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.received: list[m.Event] = []
        self.frames: list[str | bytes] = []
        self.code = ""
        self.token = ""
        self.member = 0
        self.seat = -1
        self.race: str = ""
        self.epoch = 0
        self.offset = 0
        self.gen = 0
        self.seq = 0
        self.board = ""

    async def send(self, command: m.Command | str | bytes) -> None:
        """Send a command or any other message."""
        raw = command if isinstance(command, str | bytes) else encode_command(command)
        await self.socket.send(raw)

    async def receive(self) -> m.Event:
        """Return the next event."""
        async with asyncio.timeout(RECEIVE_S):
            frame = await self.socket.recv()
        event = decode_event(frame)
        self.frames.append(frame)
        self.received.append(event)
        self._note(event)
        return event

    async def until(
        self, kind: type[E], which: Callable[[E], object] = lambda _: True
    ) -> E:
        """Return the next event of a kind; earlier ones are only recorded."""
        while True:
            event = await self.receive()
            if isinstance(event, kind) and which(event):
                return event

    async def sees_ready(self, member: int) -> None:
        """Wait until a member is ready."""
        await self.until(
            m.MemberEvent, lambda e: e.member.id == member and e.member.ready
        )

    async def phase(self, *phases: str) -> m.PhaseEvent:
        """Return the next event with one of these phases."""
        return await self.until(m.PhaseEvent, lambda event: event.phase in phases)

    async def closed(self) -> int:
        """Return the code with which the server closes; record earlier events."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self.receive()
        assert self.socket.close_code is not None
        return self.socket.close_code

    def _note(self, event: m.Event) -> None:
        self.offset = offset_of(event) or self.offset
        match event:
            case m.Welcome():
                self.code, self.member, self.race = event.code, event.member, event.race
                self.seat = -1 if event.seat is None else event.seat
                self.token = event.token or self.token
                self.epoch, self.gen, self.seq = event.epoch, event.gen, event.seq
                self.board = event.board or ""
            case m.RoomEvent():
                if event.room.race != self.race:
                    self.race, self.seq, self.board = event.room.race, 0, ""
            case m.BoardEvent(seat=None):
                self.board = event.board
            case m.Rejected():
                self.gen, self.seq = event.gen, event.seq
            case _:
                pass

    def slides(self, moves: list[tuple[str, int]], **more: object) -> m.Slides:
        """Return a command with these slides, and count them as made."""
        command = m.Slides(
            race=self.race,
            gen=self.gen,
            seq=self.seq + 1,
            slides=[(d, k, 0) for d, k in moves],  # type: ignore[misc]
            **more,  # type: ignore[arg-type]
        )
        self.seq += len(moves)
        return command

    async def solve(self) -> None:
        """Solve the board, with one message per slide."""
        for move in solution(self.board):
            await self.send(self.slides([move]))

    async def acked(self, seq: int) -> None:
        """Wait until slides up to `seq` are durable."""
        await self.until(m.Ack, lambda ack: ack.seq >= seq)

    async def sync(self) -> "ProtocolClient":
        """Wait until the server has handled everything sent so far."""
        await self.send(m.Ping(id=7))
        await self.until(m.Pong)
        return self


@contextlib.asynccontextmanager
async def connected(
    port: int, enter: Entry | None = None, **how: object
) -> AsyncGenerator[ProtocolClient, None]:
    """Connect; with `enter` say hello and wait for the welcome."""
    url = f"ws://127.0.0.1:{port}/ws"
    async with connect(
        url,
        proxy=None,
        compression=None,
        ping_interval=None,
        close_timeout=1,
        max_queue=None,
        **how,  # type: ignore[arg-type]
    ) as socket:
        client = ProtocolClient(socket)
        if enter is not None:
            await client.send(m.Hello(v=1, enter=enter))
            await client.until(m.Welcome)
        yield client


@contextlib.asynccontextmanager
async def running_race(
    port: int, count: int = 2, size: str = "3x3", **more: object
) -> AsyncGenerator[list[ProtocolClient], None]:
    """Connect players and start a race; the first one is the host."""
    async with contextlib.AsyncExitStack() as stack:
        names = player_names(count)
        create = m.Create(name=next(names), rules=rules(size, **more))  # type: ignore[arg-type]
        players = [await stack.enter_async_context(connected(port, create))]
        for name in names:
            join = m.Join(code=players[0].code, name=name)
            players.append(await stack.enter_async_context(connected(port, join)))
        for player in players:
            await player.send(m.Ready(race=player.race))
            await players[0].sees_ready(player.member)
        await players[0].send(m.Start(race=players[0].race))
        for player in players:
            await player.until(m.BoardEvent)
        for player in players:  # with high latency the board arrives long before T0
            await player.phase("racing")
        yield players


def player_names(count: int) -> Iterator[str]:
    """Yield nicknames."""
    return (f"Player {number}" for number in range(1, count + 1))
