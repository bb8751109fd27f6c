"""A room member's network connection, re-established until the room ends.

The rules, from a connection's point of view:

- `connect`, send `hello`, then run a reader and a writer. The reader hands every event
  to the model; the writer carries out the model's outputs, wakes up when the model has
  something to do (`next_due`) and after every event and command.
- When a connection ends, the model decides from the close code whether it is over. If
  it is not, we wait (`backoff`, or as long as the server asked for) and connect again.
- While the model is in doubt whether the connection is alive (`room.liveness`), we open
  a second one. Its first message ends the first one. If it fails, the first one is
  lost, unless it has answered in the meantime.
- A server that never let us in is tried only a few times, or not at all if it cannot be
  reached. Once we have been in, we try for `patience` seconds, or forever.
- An output interrupted by a close is carried out after it: tokens are never lost.

The only module of the client that uses websockets.
"""

import asyncio
import os
import random
import ssl
import time
from asyncio import FIRST_COMPLETED
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, assert_never
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from sliderace.engine import Direction
from sliderace.proof.record import WrittenRace
from sliderace.protocol import messages as m
from sliderace.protocol.codec import ProtocolError, decode_event, encode_command
from sliderace.protocol.limits import MAX_DOWN_BYTES
from sliderace.protocol.room_code import parse_code
from sliderace.protocol.version import SUBPROTOCOL
from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.net.http import Unreachable, reason
from sliderace_client.net.record_check import check_record, fetch_record
from sliderace_client.net.seats import SeatFile
from sliderace_client.room.entry import CLIENT, WayIn
from sliderace_client.room.model import RoomModel
from sliderace_client.room.outcomes import BadMessage, End, Ended, Unreached
from sliderace_client.room.outputs import (
    CheckRecord,
    Forget,
    Keep,
    Note,
    Output,
    Send,
)
from sliderace_client.room.view import RoomView

__all__ = ["Client", "Ending", "Session", "backoff", "open_session", "socket_url"]

BACKOFF_S = (0.25, 8.0)
"""First and longest pause before a reconnect. We wait a random part of it, so that the
clients of a restarted server do not all come at once."""
BACKOFF_RACE_S = 2.0
"""The longest pause during a race: after an outage the server credits 3 s for it."""
OPEN_S = 5.0
"""For connecting and the handshake, and then for the answer to `hello`."""
CLOSE_S = 1.0
"""Longest wait for the answer to a close."""
PATIENCE_S = 60.0
"""Without a person who could end it, a client tries to reconnect for so long."""
FIRST_TRIES = 3
"""How often to try a busy server again before we have ever been in."""
RECORD_S = (0.5, 5.0)
"""Pauses before requests for a race record: it is stored after the results are sent."""
GOING_AWAY = 1001
"""Close code of a client that ends and may be back (RFC 6455)."""
LOST = 1006
"""Close code of a connection that broke or was never established (RFC 6455)."""
REPLACED = 4503
"""Close code of a connection when its seat has a newer one."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Why our stay in the room ended.

    Args:
        why: the reason.
        welcomed: we have been in it at all.
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


@dataclass(frozen=True, slots=True)
class _Opened:
    """A connection on which the server has answered our `hello`."""

    socket: ClientConnection
    first: str | bytes


def backoff(tries: int, chance: float, *, in_race: bool = False) -> float:
    """Return the seconds to wait before a reconnect.

    Args:
        tries: how many have failed in a row, from 0.
        chance: random, 0 ... 1.
        in_race: whether a race is running.
    """
    first, longest = BACKOFF_S
    if in_race:
        longest = BACKOFF_RACE_S
    return chance * min(longest, first * 2.0 ** min(tries, 16))


def socket_url(server: str, hello: m.Hello | None = None) -> str:
    """Return the WebSocket address of a server.

    Args:
        server: base address.
        hello: the first message. If it names a room, so does the address: a server with
            several processes then connects us to the one that serves the room.

    >>> socket_url("http://192.0.2.7:8710")
    'ws://192.0.2.7:8710/ws'
    """
    parts = urlsplit(server)
    scheme = "wss" if parts.scheme in ("https", "wss") else "ws"
    code = parse_code(getattr(hello.enter, "code", "")) if hello else None
    room = f"?room={code}" if code else ""
    return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}/ws{room}"


async def _connected(
    server: str, how: Mapping[str, Any], hello: m.Hello
) -> ClientConnection:
    return await connect(
        socket_url(server, hello),
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        compression=None,
        proxy=None,
        user_agent_header=CLIENT,
        open_timeout=OPEN_S,
        close_timeout=CLOSE_S,
        max_size=MAX_DOWN_BYTES,
        **how,
    )


class Session:
    """A connection that is in no room.

    Args:
        server: base address.
        socket: the open connection.
    """

    def __init__(self, server: str, socket: ClientConnection) -> None:
        self._server, self._socket = server, socket

    async def send(self, command: m.Command) -> None:
        """Send a command.

        Raises:
            Unreachable: the connection is closed.
        """
        try:
            await self._socket.send(encode_command(command))
        except ConnectionClosed as error:
            raise self._closed(error) from None

    async def receive(self) -> m.Event:
        """Wait for the next event.

        Raises:
            Unreachable: the connection is closed, or the server sent an invalid
                message.
        """
        try:
            return decode_event(await self._socket.recv())
        except ProtocolError as error:
            raise Unreachable(_unusable(self._server, error)) from None
        except ConnectionClosed as error:
            raise self._closed(error) from None

    def _closed(self, error: ConnectionClosed) -> Unreachable:
        return Unreachable(_unusable(self._server, error))


@asynccontextmanager
async def open_session(
    server: str, hello: m.Hello, tls: ssl.SSLContext | None = None
) -> AsyncGenerator[Session]:
    """Connect to a server without entering a room.

    Args:
        server: base address.
        hello: the first message.
        tls: how to check the server; None: as usual.

    Raises:
        Unreachable: that is not possible; the message is for the user.
    """
    try:
        how = {} if tls is None else {"ssl": tls}
        socket = await _connected(server, how, hello)
    except (OSError, TimeoutError, InvalidHandshake, InvalidURI) as error:
        raise Unreachable(_unusable(server, error)) from None
    try:
        session = Session(server, socket)
        await session.send(hello)
        yield session
    finally:
        await socket.close(GOING_AWAY)


def _unusable(server: str, error: Exception) -> str:
    """Return in a sentence why a server cannot be used."""
    return text("error.unreachable", server=server, why=reason(error))


def _result(second: asyncio.Task[_Opened | None] | None) -> _Opened | None:
    """Return the connection that this task has opened, if it has."""
    if second is None or not second.done() or second.cancelled():
        return None
    return second.result()


class Client:
    """A member of a room, over the network.

    Args:
        server: base address, ``http://host:port``.
        enter: how to enter.
        profile: secret of our profile on this server; None: we are a guest.
        seat: where to keep the seat's token; the caller releases it.
        claim: returns where to keep it, given the code of a room that the server has
            chosen and our name; None: nowhere.
        on_change: called after anything has changed.
        on_note: called with every announcement for the user.
        patience: seconds to try to reconnect, at least once; None: forever.
        chance: returns random numbers, 0 ... 1; None: the system's.
        entropy: returns that many random bytes.
        checks: whether to compare race records with what we saw and sent.
        headers: more headers of the handshake.
        tls: how to check the server; None: as usual.

    Attributes:
        model: the room's state machine.
        notes: the latest announcements, newest last.
    """

    def __init__(
        self,
        server: str,
        enter: WayIn,
        *,
        seat: SeatFile | None = None,
        profile: str | None = None,
        claim: Callable[[str, str], SeatFile | None] | None = None,
        on_change: Callable[[], None] = lambda: None,
        on_note: Callable[[Note], None] = lambda _: None,
        patience: float | None = None,
        chance: Callable[[], float] | None = None,
        entropy: Callable[[int], bytes] = os.urandom,
        checks: bool = True,
        headers: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.server = server
        token = seat.token if seat else None
        self.model = RoomModel(enter, entropy=entropy, token=token, profile=profile)
        self._profile = profile or ""
        self.notes: deque[Note] = deque(maxlen=100)
        self._name = "" if isinstance(enter, m.Open | m.Resume) else enter.name
        self._seat, self._claim = seat, claim
        self._claimed: SeatFile | None = None
        self.on_change = on_change
        self.on_note = on_note
        self.patience = patience
        self._checks = checks
        self._headers = headers
        self._tls: dict[str, Any] = {} if tls is None else {"ssl": tls}
        self._checking: asyncio.Task[None] | None = None
        self._tasks: asyncio.TaskGroup | None = None
        self._chance = chance or random.SystemRandom().random
        self._wake = asyncio.Event()
        self._todo: deque[Output] = deque()
        self._trouble: Unreached | None = None
        self._doubt = asyncio.Event()
        self._opening = False
        self._hellos = 0
        self._tries = 0
        self._away_since = 0

    @property
    def view(self) -> RoomView:
        """The member's view of the room."""
        return self.model.view

    def now(self) -> int:
        """Return the clock that the model uses, in ms."""
        return time.monotonic_ns() // 1_000_000

    # --- Actions of the player -------------------------------------------------------

    def slide(
        self, direction: Direction, count: int = 1, by: m.InputName | None = None
    ) -> bool:
        """Slide; see `RoomModel.slide`."""
        return self._changed(self.model.slide(direction, count, self.now(), by))

    def slide_cell(self, cell: int) -> bool:
        """Slide the tile in a cell; see `RoomModel.slide_cell`."""
        return self._changed(self.model.slide_cell(cell, self.now()))

    def slide_tile(self, tile: int) -> bool:
        """Slide a tile; see `RoomModel.slide_tile`."""
        return self._changed(self.model.slide_tile(tile, self.now()))

    def ask(self, command: m.Command) -> bool:
        """Send a command; see `RoomModel.ask`."""
        return self._changed(self.model.ask(command, self.now()))

    def use_profile(self, secret: str) -> None:
        """Use this profile from now on; see `RoomModel.use_profile`."""
        self._profile = secret
        self.model.use_profile(secret)
        self._wake.set()

    def painted(self) -> None:
        """Note that our board is on the screen."""
        self.model.painted(self.now())

    def _changed(self, done: bool) -> bool:
        if done:
            self._wake.set()
            self.on_change()
        return done

    # --- The connection --------------------------------------------------------------

    async def run(self) -> Ending:
        """Stay in the room until our stay ends.

        Network trouble never raises. Cancel it to go away; the seat stays ours.
        """
        async with asyncio.TaskGroup() as self._tasks:
            try:
                return await self._reconnect()
            finally:
                self._stop_checking()
                if self._claimed is not None:
                    await asyncio.to_thread(self._claimed.release)

    async def _reconnect(self) -> Ending:
        self._away_since = self.now()
        while True:
            await self._lost(await self._connection())
            if self.view.ended or self._gives_up():
                return self._ending()
            in_race = self.view.in_race
            pause = backoff(self._tries, self._chance(), in_race=in_race)
            await asyncio.sleep(max(pause, self.model.retry_ms / 1000))
            self._tries += 1

    async def _lost(self, code: int) -> None:
        """Tell the model that there is no connection any more."""
        if self.view.online:
            self._tries, self._away_since = 0, self.now()
        self.model.lost(code)
        await self._carry_out(None)
        self.on_change()

    def _gives_up(self) -> bool:
        """Whether to stop trying."""
        if not self.view.welcomed:
            return self._trouble is not None or self._tries >= FIRST_TRIES
        if self.patience is None or not self._tries:
            return False
        return self.now() - self._away_since >= self.patience * 1000

    def _ending(self) -> Ending:
        why = self.view.ended or self._trouble or End.CONNECTION_LOST
        return Ending(why, self.view.welcomed)

    async def _connection(self) -> int:
        """Run a connection and those that take over; return the last close code."""
        opened = await self._open()
        while isinstance(opened, _Opened):
            opened = await self._talk(opened)
        return opened

    async def _connect(self) -> ClientConnection:
        # The model sees to keepalive.
        how = {"ping_interval": None, "additional_headers": self._headers, **self._tls}
        return await _connected(self.server, how, self.model.hello())

    async def _open(self) -> _Opened | int:
        """Connect and say `hello`; return the connection, or its close code."""
        self._trouble = None
        try:
            socket = await self._connect()
        except (OSError, TimeoutError, InvalidHandshake, InvalidURI) as error:
            self._trouble = Unreached(self.server, reason(error))
            return LOST
        first: str | bytes | None = None
        try:
            if self.view.online and not self.model.in_doubt:
                return LOST  # the connection in use has answered
            async with asyncio.timeout(OPEN_S):
                await socket.send(encode_command(self.model.hello()))
                self._hellos += 1
                first = await socket.recv()
            return _Opened(socket, first)
        except TimeoutError as error:
            self._trouble = Unreached(self.server, reason(error))
            return LOST
        except ConnectionClosed:
            return socket.close_code or LOST
        finally:
            if first is None:
                await socket.close(GOING_AWAY)

    async def _talk(self, opened: _Opened) -> _Opened | int:
        """Use a connection until it ends.

        Returns:
            The connection that takes over, or the close code.
        """
        socket, hellos = opened.socket, self._hellos
        second: asyncio.Task[_Opened | None] | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                reading = tasks.create_task(self._read(opened))
                writing = tasks.create_task(self._write(socket))
                second = tasks.create_task(self._second())
                await asyncio.wait({reading, second}, return_when=FIRST_COMPLETED)
                writing.cancel()
                if self._opening and not self.view.ended:
                    await self._lost(LOST)
                    if not self.view.ended:
                        await asyncio.wait({second})
                reading.cancel()
                second.cancel()
        except asyncio.CancelledError:
            await socket.close(GOING_AWAY)
            if next_one := _result(second):
                await next_one.socket.close(GOING_AWAY)
            raise
        if socket.close_code is None:
            socket.transport.abort()  # nobody would answer a close
        await self._carry_out(None)
        if next_one := _result(second):
            if not self.model.left:
                return next_one
            with suppress(ConnectionClosed):  # the first `leave` may be lost
                await next_one.socket.send(encode_command(m.Leave()))
            await next_one.socket.close()
        code = socket.close_code or LOST
        return LOST if code == REPLACED and self._hellos > hellos else code

    async def _second(self) -> _Opened | None:
        """Open a second connection when the one in use is in doubt; None: it failed."""
        while True:
            await self._doubt.wait()
            self._opening = True
            try:
                opened = await self._open()
            finally:
                self._opening = False
            if isinstance(opened, _Opened):
                return opened
            if self.model.in_doubt or not self.view.online:
                return None

    async def _read(self, opened: _Opened) -> None:
        """Take events until the connection or the room ends."""
        socket = opened.socket
        with suppress(ConnectionClosed):
            await self._take(socket, opened.first, first=True)
            async for frame in socket:
                await self._take(socket, frame)

    async def _take(
        self, socket: ClientConnection, frame: str | bytes, *, first: bool = False
    ) -> None:
        try:
            event = decode_event(frame)
        except ProtocolError as error:
            self.model.broken(BadMessage(str(error)))
        else:
            if first and self.view.online:
                self._tries, self._away_since = 0, self.now()
                self.model.taken_over(event)
            self.model.receive(event, self.now())
        self._wake.set()
        self.on_change()
        if self.view.ended:
            await socket.close()

    async def _write(self, socket: ClientConnection) -> None:
        """Carry out what the model wants done, whenever it is due."""
        with suppress(ConnectionClosed):
            while True:
                self._wake.clear()
                overdue = self.view.overdue
                await self._carry_out(socket)
                if self.view.overdue != overdue:
                    self.on_change()
                due = self.model.next_due()
                wait = None if due is None else max(0, due - self.now()) / 1000
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._wake.wait()

    async def _carry_out(self, socket: ClientConnection | None) -> None:
        """Carry out the model's outputs; an interrupted one is done again."""
        self._todo.extend(self.model.poll(self.now()))
        if self.model.in_doubt:
            self._doubt.set()
        else:
            self._doubt.clear()
        while self._todo:
            await self._do(self._todo[0], socket)
            self._todo.popleft()

    async def _do(self, out: Output, socket: ClientConnection | None) -> None:
        match out:
            case Send():
                if socket is not None:
                    await socket.send(encode_command(out.command))
                    if isinstance(out.command, m.Leave):
                        await socket.close()
            case Keep():
                await self._keep(out)
            case Forget():
                if self._seat is not None:
                    await asyncio.to_thread(self._seat.forget)
            case CheckRecord():
                self._stop_checking()
                if self._checks and self._tasks is not None:
                    self._checking = self._tasks.create_task(self._check(out))
            case Note():
                self.notes.append(out)
                self.on_note(out)
            case _:
                assert_never(out)

    async def _keep(self, out: Keep) -> None:
        """Store the token of our seat, where there is a place for it."""
        if self._seat is None and self._claim is not None:
            self._seat = await asyncio.to_thread(self._claim, out.code, self._name)
            self._claimed = self._seat
        if self._seat is not None:
            with suppress(OSError):
                await asyncio.to_thread(self._seat.keep, out.token, self._name)

    def _stop_checking(self) -> None:
        if self._checking is not None:
            self._checking.cancel()

    def race_record(self, results: m.Results) -> WrittenRace | None:
        """Return the record of a race; None if the server has none. This blocks.

        Args:
            results: of the race.
        """
        found = fetch_record(self.server, results.record, token=self._profile)
        return found if isinstance(found, WrittenRace) else None

    async def _check(self, check: CheckRecord) -> None:
        """Fetch a race record and compare it with the evidence."""
        results, faults = check.results, None
        for pause in RECORD_S:
            if faults is None:
                await asyncio.sleep(pause)
                faults = await asyncio.to_thread(
                    check_record,
                    self.server,
                    results,
                    check.evidence,
                    token=self._profile,
                )
        self.model.record_checked(results.race, faults)
        self._wake.set()
        self.on_change()
