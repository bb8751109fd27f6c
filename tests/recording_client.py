"""Our own client, which records what it sends and receives for the log checker."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from typing import cast

from tests.log_checker import Observed, Received, Sent
from websockets.asyncio.client import ClientConnection

from sliderace.engine import format_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_command, decode_event
from sliderace_client.net.connection import Client
from sliderace_client.net.seats import SeatFile

__all__ = ["RecordingClient", "RecordingSocket"]


class RecordingSocket:
    """A client's socket that records what passes through it.

    Args:
        socket: the real socket.
        observed: where to record; shared by all devices of the member.
        received: where to record what this device receives.
    """

    def __init__(
        self, socket: ClientConnection, observed: Observed, received: list[Received]
    ) -> None:
        self.socket = socket
        self._observed = observed
        self._received = received
        self._sent: dict[str, Sent] = {}

    @property
    def close_code(self) -> int | None:
        return self.socket.close_code

    @property
    def transport(self) -> asyncio.Transport:
        return self.socket.transport

    async def close(self, code: int = 1000) -> None:
        await self.socket.close(code)

    async def recv(self) -> str | bytes:
        frame = await self.socket.recv()
        self._note(decode_event(frame))
        return frame

    async def send(self, text: str) -> None:
        """Send a command; record its slides."""
        command = decode_command(text)
        if isinstance(command, m.Slides):
            self.note_slides(command)
        await self.socket.send(text)

    def note_slides(self, command: m.Slides) -> None:
        self._of(command.race, 0).add(command.seq, command.slides)

    async def __aiter__(self) -> AsyncIterator[str | bytes]:
        async for frame in self.socket:
            self._note(decode_event(frame))
            yield frame

    def _of(self, race: str, base: int) -> Sent:
        if race not in self._sent:
            self._sent[race] = Sent(race, base)
            self._observed.sent.append(self._sent[race])
        return self._sent[race]

    def _note(self, event: m.Event) -> None:
        observed = self._observed
        match event:
            case m.Welcome():
                observed.member = event.member
                self._of(event.race, event.seq)
                self._received.append(("welcome", event.epoch, 0))
            case m.Snapshot():
                self._received.append(("snapshot", event.epoch, event.o))
            case m.Ack():
                observed.acked[event.race] = max(
                    observed.acked.get(event.race, 0), event.seq
                )
            case m.Rejected():
                self._of(event.race, 0).rejected(event.seq)
            case _:
                if offset := getattr(event, "o", 0):
                    self._received.append(("event", 0, offset))


class RecordingClient(Client):
    """A client on one device.

    Args:
        server: base address.
        enter: how to enter the room.
        observed: where to record; shared by all devices of the member.
        seat: where to keep the seat's token.
        on_change: called after anything changes.
        chance: returns a random number, 0 ... 1; None: the client's own.
        entropy: returns as many random bytes as asked for.
        checks: whether to compare race records with what was sent and received.
    """

    def __init__(
        self,
        server: str,
        enter: m.Create | m.Join,
        observed: Observed,
        *,
        seat: SeatFile | None = None,
        on_change: Callable[[], None] = lambda: None,
        chance: Callable[[], float] | None = None,
        entropy: Callable[[int], bytes] = os.urandom,
        checks: bool = True,
    ) -> None:
        super().__init__(
            server,
            enter,
            seat=seat,
            on_change=on_change,
            chance=chance,
            entropy=entropy,
            checks=checks,
        )
        self.observed = observed
        self.received: list[Received] = []
        observed.received.append(self.received)
        self.socket: ClientConnection | None = None

    def recording_socket(self, socket: ClientConnection) -> RecordingSocket:
        """Return the socket through which the client talks."""
        return RecordingSocket(socket, self.observed, self.received)

    async def _connect(self) -> ClientConnection:
        self.socket = await super()._connect()
        return cast("ClientConnection", self.recording_socket(self.socket))

    async def _lost(self, code: int) -> None:
        self.socket = None
        await super()._lost(code)
        self.note_board()

    def note_board(self) -> None:
        """Record this device's own board after the last acknowledged slide."""

        attempt = self.view.attempt
        if attempt is None:
            return
        seq = self.observed.acked.get(attempt.race, 0)
        board = attempt.after(seq)
        if board is not None and seq <= attempt.acked:
            self.observed.boards.append((attempt.race, seq, format_board(board)))
