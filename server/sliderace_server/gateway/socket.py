"""A connection of the library, with a tap: read in small pieces, or not at all."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame
from websockets.protocol import Event

__all__ = ["Socket"]

PIECE = 4_096
"""Bytes given to the library in one turn of the loop. It parses whatever it is given
in one go, and a quarter of a megabyte of tiny frames takes it a tenth of a second."""


class Door(Protocol):
    """Who counts connections."""

    def opened(self, socket: "Socket") -> None:
        """A TCP connection was accepted."""
        ...

    def closed(self, socket: "Socket") -> None:
        """A TCP connection has ended."""
        ...


class Socket(ServerConnection):
    """A connection that also tells of its control frames and of its end.

    Attributes:
        door: who is told of the beginning and the end.
        counted: the address that it counts for.
        frames: who is told of each frame, once the handshake is done.
    """

    door: Door
    counted: str | None = None
    frames: Callable[[Frame], None] | None = None
    _full = False
    _held = False
    _feeding = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection before anything is read from it."""
        super().connection_made(transport)
        self._inflow = bytearray()
        # The library pauses and resumes when its queue of messages is full or not.
        self.recv_messages.pause = self._queue_is_full
        self.recv_messages.resume = self._queue_has_room
        self.door.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        self._inflow.clear()
        super().connection_lost(exc)
        self.door.closed(self)

    def data_received(self, data: bytes) -> None:
        """Bytes came in."""
        self._inflow += data
        if not self._feeding:
            self._feed()

    def eof_received(self) -> None:
        """No more bytes will come."""
        rest = bytes(self._inflow)
        self._inflow.clear()
        if rest:
            super().data_received(rest)
        super().eof_received()

    def process_event(self, event: Event) -> None:
        """Hear frames that never become a message."""
        super().process_event(event)
        if self.frames is not None and isinstance(event, Frame):
            self.frames(event)

    def hold(self) -> None:
        """Read nothing more, until `go_on`."""
        self._held = True
        self.transport.pause_reading()

    def go_on(self) -> None:
        """Read again."""
        self._held = False
        self._read_on()

    def _queue_is_full(self) -> None:
        self._full = True
        self.transport.pause_reading()

    def _queue_has_room(self) -> None:
        self._full = False
        self._read_on()

    def _read_on(self) -> None:
        if self._full or self._held or self._feeding:
            return
        if self._inflow:
            self._feeding = True
            self.loop.call_soon(self._feed)
        else:
            self.transport.resume_reading()

    def _feed(self) -> None:
        """Give the library the next piece, unless somebody wants to wait."""
        self._feeding = False
        if self._full or self._held or not self._inflow:
            return
        piece = bytes(self._inflow[:PIECE])
        del self._inflow[:PIECE]
        if self._inflow:
            self.transport.pause_reading()
        super().data_received(piece)
        self._read_on()
