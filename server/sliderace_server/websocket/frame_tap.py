"""A connection of the library, read in small pieces, or not at all.

Nearly all that comes in are whole text frames of a hundred bytes, and pongs. They are
taken out here and handed on at once; the library's parser, queue and task wake-up would
cost more than the slide inside. All else goes to the library unchanged: the handshake,
pings, the end, and whatever is fragmented, too large or wrong. This overrides
internals of one major version; with any other, everything goes through the library, of
which only `data_received`, `process_event`, `request` and `protocol.state` are used.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame
from websockets.protocol import Event, State
from websockets.version import version

try:
    from websockets.speedups import apply_mask
except ImportError:  # the library's wheels for rare platforms have no C
    from websockets.utils import apply_mask

from sliderace_server.limits import Limits
from sliderace_server.websocket.admission import AdmissionQueue

__all__ = ["KNOWN_MAJOR", "Socket", "is_known"]

KNOWN_MAJOR = 17
"""Of websockets: whatever is used behind `direct` is that of this version."""

PIECE = 4_096
"""Bytes looked at in one turn of the loop: a quarter of a megabyte of tiny frames takes
a tenth of a second. Larger than any message that is let in."""
TEXT = 0x81
"""First byte of a whole text frame without extensions (RFC 6455, section 5.2)."""
PONG = 0x8A
"""Likewise of a pong."""
CONTROL = (0x88, 0x89, PONG)
"""Likewise of close, ping and pong."""
REST_S = 0.005
"""Between two looks at what is dropped, each a quarter of a megabyte at most."""
HEAD_END = b"\r\n\r\n"
"""Ends a request without a body."""


def _nothing() -> None:
    """Neither pause nor resume: the connection is gone."""


def is_known(release: str) -> bool:
    """Whether text frames may be taken from under this version of the library.

    >>> is_known("17.4"), is_known("18.0")
    (True, False)
    """
    return release.partition(".")[0] == str(KNOWN_MAJOR)


_OPEN = State.OPEN

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

    @property
    def admission(self) -> AdmissionQueue:
        """Where requests wait for their turn."""
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
        direct: whether the library's insides are known: text frames may be taken from
            under it.
        counted: the address that it counts for.
        unread: bytes of a large plain answer that count for it, too.
        frames: who is told of each frame of the library, once the handshake is done.
        texts: who takes text messages, as UTF-8 that nobody has checked.
        pongs: who takes the payloads of pongs; the library asks for none.
    """

    door: Door
    direct = is_known(version)
    counted: str | None = None
    unread = 0
    frames: Callable[[Frame], None] | None = None
    texts: Callable[[bytes], None] | None = None
    pongs: Callable[[bytes], None] | None = None
    _framed = False  # what comes next begins with a frame, and the library waits for it
    _in_line = False
    _tail = b""
    _queued = 0
    _full = False
    _held = False
    _feeding = False
    _head = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection before anything is read from it."""
        super().connection_made(transport)
        self._inflow = bytearray()
        self._wait_for_a_request()
        if self.direct:
            # The library pauses and resumes when its queue of messages is full or not.
            self.recv_messages.pause = self._queue_is_full
            self.recv_messages.resume = self._queue_has_room
        self.door.opened(self)

    def _wait_for_a_request(self) -> None:
        """Not for ever, as who sends one byte by byte would like."""
        patience = self.door.limits.open_timeout_ms / 1_000
        self._no_request = self.loop.call_later(patience, self._overdue)

    def _overdue(self) -> None:
        if self._in_line and self._inflow.endswith(HEAD_END):
            self._wait_for_a_request()  # it is our own line that takes so long
        elif self.request is None:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        self._no_request.cancel()
        self._inflow.clear()
        super().connection_lost(exc)
        self.door.closed(self)
        if self.direct:
            self._come_apart()

    def _come_apart(self) -> None:
        """Undo circles of references, else a flood's connections outlive it."""
        self.recv_messages.pause = self.recv_messages.resume = _nothing
        self.protocol.parser.close()
        vars(self.protocol).pop("select_subprotocol", None)

    def data_received(self, data: bytes) -> None:
        """Bytes came in."""
        busy = self._feeding or self._held or self._full or self._inflow
        if (
            self._framed  # nearly always
            and not busy
            and self.protocol.state is _OPEN
            and len(data) <= PIECE
        ):
            size = len(data) - 6
            if (
                0 <= size < 126
                and data[0] == TEXT
                and data[1] == 0x80 | size
                and not self._queued
                and self.texts is not None
            ):  # nearly always, too
                self.texts(apply_mask(data[6:], data[2:6]))
                return
            data = data[self._take(data) :]
            if not data:
                return
        if self.request is None:
            self._receive_head(data)
            return
        if self.protocol.state is State.CONNECTING:
            self._wait_for_the_answer(data)
            return
        if self._failed():
            # The library would drop it, after a copy or two. Unread it would cost the
            # peer our close code, and there is no hurry.
            self.transport.pause_reading()
            self.loop.call_later(REST_S, self._read_on)
            return
        self._inflow += data
        if not self._feeding:
            self._feed()

    def _receive_head(self, data: bytes) -> None:
        """A piece of a request: with the first one and the last one it asks for a turn.

        If each of them did, who sends bytes one by one would hold up all others.
        """
        first = self._head == 0
        self._head += len(data)
        if self._head > self.door.limits.head_bytes:
            with suppress(RuntimeError):  # the library has answered, and said no more
                self.transport.write(TOO_LONG)
            self.transport.close()
            return
        self._inflow += data
        whole = HEAD_END in self._tail + self._inflow
        if (first or whole) and not self._in_line:
            self._in_line = True
            self.door.admission.come(self._enter)

    def _failed(self) -> bool:
        """Whether the library drops all that follows."""
        return self.direct and self.protocol.parser_exc is not None

    def _wait_for_the_answer(self, data: bytes) -> None:
        """Keep what is behind a request until that is answered; a page's is the end."""
        if not (self.direct and self.protocol.eof_sent):
            self._inflow += data
        if len(self._inflow) > PIECE:
            self.transport.pause_reading()

    def _enter(self) -> bool:
        """Have the request read: it is our turn. False: there is none any more."""
        self._in_line = False
        if not self._inflow:
            return False
        if not self._feeding:
            self._feed()
        return True

    def eof_received(self) -> None:
        """No more bytes will come."""
        # Whose request still waits hears no answer any more: none is worked out.
        shaken = self.protocol.state is not State.CONNECTING
        rest = bytes(self._inflow) if shaken else b""
        self._inflow.clear()
        if rest:
            self._framed = False
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

    def answered(self) -> None:
        """A message that came through the library has been dealt with."""
        self._queued = max(0, self._queued - 1)

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
        """Take the next piece, unless somebody wants to wait."""
        self._feeding = False
        if self._failed():
            self._inflow.clear()
            self.transport.resume_reading()
            return
        if self._held:
            self.transport.pause_reading()  # also where the library has resumed
        if self._full or self._held or not self._inflow:
            return
        if self.request is not None and self.protocol.state is State.CONNECTING:
            if len(self._inflow) <= PIECE:
                self.transport.resume_reading()
            return
        piece = bytes(self._inflow[:PIECE])
        taken = self._take(piece) if self._framed else self._give(piece)
        del self._inflow[:taken]
        if taken == 0:  # a part of a frame: the rest is still to come
            self.transport.resume_reading()
            return
        if self._inflow:
            self.transport.pause_reading()
        self._read_on()

    def _give(self, piece: bytes) -> int:
        """Let the library have it, but for what is behind a request."""
        if self.request is None:
            piece = self._head_of(piece)
            super().data_received(piece)
            self._framed = self.direct and self.request is not None
        else:
            super().data_received(piece)
        return len(piece)

    def _head_of(self, piece: bytes) -> bytes:
        """A piece as far as a request goes.

        The library would take the rest for frames, and fail, before it has answered.
        """
        seen = self._tail + piece
        if (end := seen.find(HEAD_END)) >= 0:
            piece = piece[: end + len(HEAD_END) - len(self._tail)]
        self._tail = seen[1 - len(HEAD_END) :]
        return piece

    def _take(self, data: bytes) -> int:
        """Take whole frames from the front, while nobody wants to wait.

        Returns:
            How many bytes were taken; the rest is the beginning of a frame, or waits.
        """
        at, end = 0, len(data)
        while end - at >= 6 and not (self._held or self._full):
            first, size, body = data[at], data[at + 1] & 0x7F, at + 6
            if size == 126 and end - at >= 8:
                size, body = data[at + 2] << 8 | data[at + 3], at + 8
                known = 126 <= size <= self.door.limits.up_bytes
            else:
                known = size < 126
                if size == 126:
                    break
            masked = data[at + 1] & 0x80
            if not (known and masked and (first == TEXT or first in CONTROL)):
                self._framed = False  # from here on the library judges alone
                return at + self._give(data[at:])
            if body + size > end:
                break
            take = None
            if first == TEXT and not self._queued:
                take = self.texts
            elif first == PONG and body == at + 6:
                take = self.pongs
            if take is not None:
                if self.protocol.state is _OPEN:
                    payload, key = data[body : body + size], data[body - 4 : body]
                    take(apply_mask(payload, key))
            else:
                self._queued += first == TEXT
                super().data_received(data[at : body + size])
            at = body + size
        return at
