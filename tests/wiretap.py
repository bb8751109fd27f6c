"""Our own client; what passes on its wire is written down for the checker."""

import os
from collections.abc import AsyncIterator, Callable
from typing import cast

from tests.checker import Heard, Seen, Sent
from websockets.asyncio.client import ClientConnection

from sliderace.engine import format_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_command, decode_event
from sliderace_client.net.connection import Client
from sliderace_client.net.seats import SeatFile

__all__ = ["Tap", "Tapped"]


class Tap:
    """A client's socket that notes what passes.

    Args:
        socket: the real one.
        seen: the member's side of the story.
        heard: what came in on this device.
    """

    def __init__(
        self, socket: ClientConnection, seen: Seen, heard: list[Heard]
    ) -> None:
        self.socket = socket
        self._seen = seen
        self._heard = heard
        self._sent: dict[str, Sent] = {}

    @property
    def close_code(self) -> int | None:
        return self.socket.close_code

    async def close(self, code: int = 1000) -> None:
        await self.socket.close(code)

    async def send(self, text: str) -> None:
        """Send a command; slides are noted."""
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
            self._seen.sent.append(self._sent[race])
        return self._sent[race]

    def _note(self, event: m.Event) -> None:
        seen = self._seen
        match event:
            case m.Welcome():
                seen.member = event.member
                self._of(event.race, event.seq)
                self._heard.append(("welcome", event.epoch, 0))
            case m.Snapshot():
                self._heard.append(("snapshot", event.epoch, event.o))
            case m.Ack():
                seen.acked[event.race] = max(seen.acked.get(event.race, 0), event.seq)
            case m.Rejected():
                self._of(event.race, 0).rejected(event.seq)
            case _:
                if offset := getattr(event, "o", 0):
                    self._heard.append(("event", 0, offset))


class Tapped(Client):
    """A client on one device.

    Args:
        server: base address.
        enter: how to enter.
        seen: the person's side of the story; it goes from device to device.
        seat: where to keep the seat's token.
        on_change: called after anything changed.
        chance: random numbers, 0 ... 1; None: its own.
        entropy: that many random bytes.
        checks: compare race records with what we saw and sent.
    """

    def __init__(
        self,
        server: str,
        enter: m.Create | m.Join,
        seen: Seen,
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
        self.seen = seen
        self.heard: list[Heard] = []
        seen.heard.append(self.heard)
        self.socket: ClientConnection | None = None

    def tap(self, socket: ClientConnection) -> Tap:
        """What the client talks through."""
        return Tap(socket, self.seen, self.heard)

    async def _talk(self, socket: ClientConnection) -> int:
        self.socket = socket
        try:
            return await super()._talk(cast("ClientConnection", self.tap(socket)))
        finally:
            self.socket = None
            self.note_board()

    def note_board(self) -> None:
        """Write down what this device believes of the board that was acked."""
        attempt = self.view.attempt
        if attempt is None:
            return
        seq = self.seen.acked.get(attempt.race, 0)
        board = attempt.after(seq)
        if board is not None and seq <= attempt.acked:
            self.seen.boards.append((attempt.race, seq, format_board(board)))
