"""The wire: one room, one connection at a time, kept up until the room is over for us.

The only module of the client that knows websockets.
"""

import asyncio
import os
import random
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from sliderace.engine import Direction
from sliderace.protocol import messages as m
from sliderace.protocol.codec import ProtocolError, decode_event, encode_command
from sliderace.protocol.limits import MAX_DOWN_BYTES
from sliderace.protocol.version import SUBPROTOCOL
from sliderace_client import exit_codes
from sliderace_client.net.http import reason
from sliderace_client.net.record_check import look_into
from sliderace_client.net.seats import SeatFile
from sliderace_client.room.fold import (
    CLIENT,
    Check,
    Forget,
    Keep,
    Model,
    Note,
    Out,
    Send,
)
from sliderace_client.room.outcomes import BadMessage, End, Ended, Unreached

__all__ = ["Client", "Ending", "backoff", "socket_url"]

BACKOFF_S = (0.25, 8.0)
"""First and longest pause before coming back; a random part of it is waited, so that
the clients of a restarted server do not all come at once."""
OPEN_S = 5.0
"""For connecting and the handshake."""
PING_S = 10.0
PONG_S = 8.0
"""A connection that is dead without saying so is noticed within 18 s."""
CLOSE_S = 1.0
"""Longest wait for a peer to answer a close."""
FIRST_TRIES = 3
"""How often to come back to a server that is busy before we ever were in."""
RECORD_S = (0.5, 5.0)
"""Pauses before a race record is asked for: it is stored after the results are told."""
GOING_AWAY = 1001
"""Close code of a client that ends, and may be back (RFC 6455)."""
LOST = 1006
"""Close code of a connection that broke, or never came to be (RFC 6455)."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the room is over for us.

    Args:
        why: the reason.
        welcomed: whether we were in it at all.
    """

    why: Ended
    welcomed: bool

    @property
    def exit_code(self) -> int:
        """The exit code of a process that was in the room."""
        match self.why:
            case End.CONNECTION_LOST | Unreached():
                return exit_codes.UNREACHABLE
            case m.Refused() as refused:
                missing = refused.code in ("room_unknown", "bad_code")
                return exit_codes.UNREACHABLE if missing else exit_codes.REFUSED
            case _:
                return exit_codes.OK


def backoff(tries: int, chance: float) -> float:
    """Seconds to wait before coming back.

    Args:
        tries: failed ones in a row, from 0.
        chance: random, 0 ... 1.
    """
    first, longest = BACKOFF_S
    return chance * min(longest, first * 2.0 ** min(tries, 16))


def socket_url(server: str) -> str:
    """Where the race is spoken on a server.

    >>> socket_url("http://192.0.2.7:8710")
    'ws://192.0.2.7:8710/ws'
    """
    parts = urlsplit(server)
    scheme = "wss" if parts.scheme in ("https", "wss") else "ws"
    return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}/ws"


class Client:
    """A member of a room, over the network.

    Args:
        server: base address, ``http://host:port``.
        enter: how to enter.
        seat: where to keep the seat's token; None: nowhere.
        on_change: called after anything changed.
        on_note: called with everything to tell the user.
        patience: seconds to try to come back; None: for ever.
        chance: random numbers, 0 ... 1; None: its own.
        entropy: that many random bytes.
        checks: compare race records with what we saw and sent.

    Attributes:
        model: all there is to see.
        notes: the latest notes, newest last.
    """

    def __init__(
        self,
        server: str,
        enter: m.Create | m.Open | m.Join,
        *,
        seat: SeatFile | None = None,
        on_change: Callable[[], None] = lambda: None,
        on_note: Callable[[Note], None] = lambda _: None,
        patience: float | None = None,
        chance: Callable[[], float] | None = None,
        entropy: Callable[[int], bytes] = os.urandom,
        checks: bool = True,
    ) -> None:
        self.server = server
        token = seat.token if seat else None
        self.model = Model(enter, entropy=entropy, token=token)
        self.notes: deque[Note] = deque(maxlen=100)
        self._name = "" if isinstance(enter, m.Open) else enter.name
        self._seat = seat
        self.on_change = on_change
        self.on_note = on_note
        self._patience = patience
        self._checks = checks
        self._looking: asyncio.Task[None] | None = None
        self._tasks: asyncio.TaskGroup | None = None
        self._chance = chance or random.SystemRandom().random
        self._wake = asyncio.Event()
        self._wanted: deque[Out] = deque()
        self._trouble: Unreached | None = None

    def now(self) -> int:
        """The clock that the model counts by, in ms."""
        return time.monotonic_ns() // 1_000_000

    # --- What the player does --------------------------------------------------------

    def slide(self, direction: Direction, count: int = 1) -> bool:
        """Slide; see `Model.slide`."""
        return self._did(self.model.slide(direction, count, self.now()))

    def slide_cell(self, cell: int) -> bool:
        """Slide the tile in a cell; see `Model.slide_cell`."""
        return self._did(self.model.slide_cell(cell, self.now()))

    def slide_tile(self, tile: int) -> bool:
        """Slide a tile; see `Model.slide_tile`."""
        return self._did(self.model.slide_tile(tile, self.now()))

    def ask(self, command: m.Command) -> bool:
        """Send a command; see `Model.ask`."""
        return self._did(self.model.ask(command, self.now()))

    def painted(self) -> None:
        """The own board is on the screen for the first time."""
        self.model.painted(self.now())

    def _did(self, done: bool) -> bool:
        if done:
            self._wake.set()
            self.on_change()
        return done

    # --- The connection --------------------------------------------------------------

    async def run(self) -> Ending:
        """Be in the room until it is over for us.

        Network trouble never raises. Cancel it to go away; the seat stays ours.
        """
        async with asyncio.TaskGroup() as self._tasks:
            try:
                return await self._live()
            finally:
                self._look_no_more()

    async def _live(self) -> Ending:
        tries, since = 0, self.now()
        while True:
            code = await self._connection()
            if self.model.online:
                tries, since = 0, self.now()
            self.model.lost(code)
            await self._carry_out(None)
            self.on_change()
            if self.model.ended or self._gives_up(tries, since):
                return self._ending()
            pause = backoff(tries, self._chance())
            await asyncio.sleep(max(pause, self.model.retry_ms / 1000))
            tries += 1

    def _gives_up(self, tries: int, since: int) -> bool:
        """Whether to stop: nobody waits for a server that was never there."""
        if not self.model.welcomed:
            return self._trouble is not None or tries >= FIRST_TRIES
        waited = self.now() - since
        return self._patience is not None and waited > self._patience * 1000

    def _ending(self) -> Ending:
        why = self.model.ended or self._trouble or End.CONNECTION_LOST
        return Ending(why, self.model.welcomed)

    async def _connection(self) -> int:
        """One connection from handshake to close; its close code."""
        try:
            self._trouble = None
            async with connect(
                socket_url(self.server),
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                proxy=None,
                user_agent_header=CLIENT,
                open_timeout=OPEN_S,
                ping_interval=PING_S,
                ping_timeout=PONG_S,
                close_timeout=CLOSE_S,
                max_size=MAX_DOWN_BYTES,
            ) as socket:
                return await self._talk(socket)
        except (OSError, TimeoutError, InvalidHandshake, InvalidURI) as error:
            self._trouble = Unreached(self.server, reason(error))
            return LOST

    async def _talk(self, socket: ClientConnection) -> int:
        try:
            await socket.send(encode_command(self.model.hello()))
            async with asyncio.TaskGroup() as tasks:
                writing = tasks.create_task(self._write(socket))
                try:
                    await self._read(socket)
                finally:
                    writing.cancel()
        except ConnectionClosed:
            pass
        except asyncio.CancelledError:
            await socket.close(GOING_AWAY)
            raise
        return socket.close_code or LOST

    async def _read(self, socket: ClientConnection) -> None:
        """Fold events until the connection ends, or the room does for us."""
        with suppress(ConnectionClosed):
            async for frame in socket:
                try:
                    event = decode_event(frame)
                except ProtocolError as error:
                    self.model.broken(BadMessage(str(error)))
                else:
                    self.model.receive(event, self.now())
                self._wake.set()
                self.on_change()
                if self.model.ended:
                    await socket.close()

    async def _write(self, socket: ClientConnection) -> None:
        """Carry out what the model wants, when it wants it."""
        with suppress(ConnectionClosed):
            while True:
                self._wake.clear()
                await self._carry_out(socket)
                due = self.model.next_due()
                wait = None if due is None else max(0, due - self.now()) / 1000
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._wake.wait()

    async def _carry_out(self, socket: ClientConnection | None) -> None:
        """Do what the model wants done; what is cut off by a close is done after it."""
        self._wanted.extend(self.model.poll(self.now()))
        while self._wanted:
            await self._do(self._wanted[0], socket)
            self._wanted.popleft()

    async def _do(self, out: Out, socket: ClientConnection | None) -> None:
        match out:
            case Send():
                if socket is not None:
                    await socket.send(encode_command(out.command))
                    if isinstance(out.command, m.Leave):
                        await socket.close()
            case Keep():
                if self._seat is not None:
                    with suppress(OSError):
                        await asyncio.to_thread(self._seat.keep, out.token, self._name)
            case Forget():
                if self._seat is not None:
                    await asyncio.to_thread(self._seat.forget)
            case Check():
                self._look_no_more()
                if self._checks and self._tasks is not None:
                    self._looking = self._tasks.create_task(self._look_into(out))
            case Note():
                self.notes.append(out)
                self.on_note(out)
            case _:
                assert_never(out)

    def _look_no_more(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    async def _look_into(self, check: Check) -> None:
        """Compare a race record with what we kept, or say that it cannot be had."""
        results, found = check.results, None
        for pause in RECORD_S:
            if found is None:
                await asyncio.sleep(pause)
                found = await asyncio.to_thread(
                    look_into, self.server, results, check.kept
                )
        self.model.checked(results.race, found)
        self._wake.set()
        self.on_change()
