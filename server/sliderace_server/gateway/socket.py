"""A connection of the library, with a tap: read in small pieces, or not at all."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame
from websockets.protocol import Event

from sliderace_server.limits import Limits

__all__ = ["Socket"]

PIECE = 4_096
"""Bytes given to the library in one turn of the loop. It parses whatever it is given
in one go, and a quarter of a megabyte of tiny frames takes it a tenth of a second."""


TOO_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"Connection: close\r\nContent-Length: 0\r\n\r\n"
)


class Door(Protocol):
    """Who counts connections."""

    @property
    def limits(self) -> Limits:
        """The server's."""
        ...

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
        unread: bytes of a large plain answer that count for it, too.
        frames: who is told of each frame, once the handshake is done.
    """

    door: Door
    counted: str | None = None
    unread = 0
    frames: Callable[[Frame], None] | None = None
    _full = False
    _held = False
    _feeding = False
    _head = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection before anything is read from it."""
        super().connection_made(transport)
        self._inflow = bytearray()
        # Who sends a request byte by byte would keep us waiting for ever.
        patience = self.door.limits.open_timeout_ms / 1_000
        self._no_request = self.loop.call_later(patience, self.transport.abort)
        # The library pauses and resumes when its queue of messages is full or not.
        self.recv_messages.pause = self._queue_is_full
        self.recv_messages.resume = self._queue_has_room
        self.door.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        self._no_request.cancel()
        self._inflow.clear()
        super().connection_lost(exc)
        self.door.closed(self)

    def data_received(self, data: bytes) -> None:
        """Bytes came in."""
        if self.request is None:
            self._head += len(data)
            if self._head > self.door.limits.head_bytes:
                self.transport.write(TOO_LONG)
                self.transport.close()
                return
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
        self._no_request.cancel()
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
