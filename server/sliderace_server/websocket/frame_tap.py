"""A WebSocket whose text frames bypass the library's parser.

Nearly all incoming data are unfragmented text frames of about a hundred bytes, and
pongs. This module takes them out of the byte stream and passes them on at once, because
the library's parser, queue and task wake-up would cost more than handling the slide
inside: without the tap, a server at saturation handles 0.5 to 0.6 times as many moves
per CPU second. Everything else goes to the library unchanged: handshakes, pings, close
frames, and whatever is fragmented, too large or malformed.

Rules:

- Data is processed in chunks of at most `CHUNK` bytes per turn of the loop, so that a
  client that sends many tiny frames at once does not block the others.
- While reading is paused (see `pause`), while the library's message queue is full, or
  while a chunk waits for its turn, incoming bytes collect in a buffer, and the
  transport stops reading.
- A complete request waits for admission control; it has `open_timeout_ms` to arrive,
  not counting that wait.
- Bytes after a request wait until it has been answered; the body of a request, which
  none needs, is discarded like the data after the end.
- Frames are tapped only at a frame boundary and while the library holds no earlier
  message, so messages are never reordered. After the first frame that is not plain, the
  library handles the rest of the connection.
- After both close frames, an HTTP response, a failure or `discard`, the rest is read
  ever more slowly and discarded: the peer gets the close code, its data costs little.

The tap overrides internals of one major version of websockets. With any other version
all data goes through the library, and only `data_received`, `process_event`, `request`
and `protocol.state` are used.
"""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame
from websockets.protocol import Event, State
from websockets.version import version

try:
    from websockets.speedups import apply_mask
except ImportError:  # the library's wheels for rare platforms have no C extension
    from websockets.utils import apply_mask

from sliderace_server.http.routes import Request
from sliderace_server.limits import Limits
from sliderace_server.websocket.admission import AdmissionQueue

__all__ = ["IGNORED", "SUPPORTED_MAJOR", "TappedWebSocket", "is_supported"]

SUPPORTED_MAJOR = 17
"""Version of websockets whose internals `taps_frames` relies on."""

CHUNK = 4_096
"""Bytes processed per turn of the loop; a quarter of a megabyte of tiny frames takes a
tenth of a second. Larger than any message that the limits allow."""
TEXT = 0x81
"""First byte of an unfragmented text frame without extensions (RFC 6455, 5.2)."""
PONG = 0x8A
"""First byte of a pong."""
CONTROL = (0x88, 0x89, PONG)
"""First bytes of close, ping and pong."""
DISCARD_S = 0.005
"""Before the second read of data that is discarded, each at most a quarter of a
megabyte; it doubles with each read, so a closing connection causes less than ten."""
MAX_DISCARD_S = 5.0
"""It doubles no further: by then a closing connection has been aborted, except one to
which a large answer is sent."""
HEAD_END = b"\r\n\r\n"
"""Ends a request without a body."""
BODY_HEADER = re.compile(
    rb"\r\n(Content-Length(?!:[ \t]*0[ \t]*(?:\r\n|$))|Transfer-Encoding):",
    re.IGNORECASE,
)
IGNORED = "x-ignored-"
"""Before the names of headers that announce a body: the library would drop the
connection, but we answer such a request and discard its body."""

TOO_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"Connection: close\r\nContent-Length: 0\r\n\r\n"
)

_OPEN = State.OPEN


def is_supported(release: str) -> bool:
    """Return whether frames may be tapped with this version of the library.

    >>> is_supported("17.4"), is_supported("18.0")
    (True, False)
    """
    return release.partition(".")[0] == str(SUPPORTED_MAJOR)


def _do_nothing() -> None:
    """Replace pausing and resuming on a closed connection."""


class BehindCallback(Protocol):
    """Called when a peer's unread bytes become too many, and few again."""

    def __call__(self, *, behind: bool) -> None:
        """Note it."""
        ...


class TapOwner(Protocol):
    """The listener, as a connection needs it."""

    limits: Limits
    admission: AdmissionQueue

    def opened(self, websocket: "TappedWebSocket") -> None:
        """Count a new TCP connection, or refuse it."""
        ...

    def closed(self, websocket: "TappedWebSocket") -> None:
        """Stop counting a TCP connection that has ended."""
        ...


class TappedWebSocket(ServerConnection):
    """A server connection of the library with a tap for text frames and pongs.

    Attributes:
        listener: counts connections and admits requests.
        taps_frames: whether this version of the library is supported.
        counted_address: the address that this connection is counted for.
        parsed_request: the relevant parts of its HTTP request, once it has been read.
        large_answer_bytes: bytes of a large HTTP response that are counted for it.
        passed_on: whether another process serves it now.
        on_frame: called with each frame of the library, after the handshake.
        on_text: called with the payload of each tapped text message; it may be invalid
            UTF-8.
        on_pong: called with the payload of each tapped pong.
        on_behind: called when the peer has left much unread, and when it has caught up.
    """

    listener: TapOwner
    taps_frames = is_supported(version)
    counted_address: str | None = None
    parsed_request: Request | None = None
    large_answer_bytes = 0
    passed_on = False
    on_frame: Callable[[Frame], None] | None = None
    on_text: Callable[[bytes], None] | None = None
    on_pong: Callable[[bytes], None] | None = None
    on_behind: "BehindCallback | None" = None
    _at_frame_start = False  # of the next byte; the library has no partial frame
    _awaiting_admission = False
    _ignores_body = False
    _queued_texts = 0  # messages received by the library, not handled yet
    _queue_full = False
    _paused = False
    _processing_scheduled = False
    _discarding = False
    _discard_s = DISCARD_S
    _discard_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection before anything is read from it."""
        super().connection_made(transport)
        self._buffer = bytearray()
        self._start_request_timer()
        if self.taps_frames:
            # The library calls these when its message queue is full and when it is not.
            self.recv_messages.pause = self._pause_for_queue
            self.recv_messages.resume = self._resume_for_queue
        self.listener.opened(self)

    def _start_request_timer(self) -> None:
        timeout = self.listener.limits.open_timeout_ms / 1_000
        self._request_timer = self.loop.call_later(timeout, self._request_timed_out)

    def _request_timed_out(self) -> None:
        if self._awaiting_admission:
            self._start_request_timer()  # it is complete
        elif self.request is None:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        self._request_timer.cancel()
        if self._discard_timer is not None:
            self._discard_timer.cancel()
        self._buffer.clear()
        super().connection_lost(exc)
        self.listener.closed(self)
        if self.taps_frames:
            self._break_cycles()

    def _break_cycles(self) -> None:
        """Remove reference cycles, or memory stays in use long after a flood."""
        self.recv_messages.pause = self.recv_messages.resume = _do_nothing
        self.protocol.parser.close()
        vars(self.protocol).pop("select_subprotocol", None)

    def data_received(self, data: bytes) -> None:
        """Process incoming bytes, or buffer them."""
        if (  # nearly always
            self._at_frame_start
            and not (
                self._processing_scheduled
                or self._paused
                or self._queue_full
                or self._buffer
            )
            and self.protocol.state is _OPEN
        ):
            size = len(data) - 6
            if (  # nearly always: exactly one short text frame
                0 <= size < 126
                and data[0] == TEXT
                and data[1] == 0x80 | size
                and not self._queued_texts
                and self.on_text is not None
            ):
                self.on_text(apply_mask(data[6:], data[2:6]))
                return
            if size < CHUNK:
                data = data[self._take_frames(data) :]
                if not data:
                    return
        if self.request is None:
            self._receive_head(data)
            return
        if self.protocol.state is State.CONNECTING:
            self._buffer_until_answered(data)
            return
        if self._discarding or self._has_said_all():
            self._read_later()
            return
        self._buffer += data
        if not self._processing_scheduled:
            self._process_buffer()

    def _receive_head(self, data: bytes) -> None:
        """Buffer a request; ask for admission once it is complete."""
        before = len(self._buffer)
        self._buffer += data
        limit = self.listener.limits.head_bytes
        if self._awaiting_admission:
            if len(self._buffer) > limit:
                self.transport.pause_reading()
            return
        end = self._buffer.find(HEAD_END, max(0, before - len(HEAD_END)))
        if (end if end >= 0 else len(self._buffer)) > limit:
            with suppress(RuntimeError):  # the library has answered and sent EOF
                self.transport.write(TOO_LONG)
            self.transport.close()
        elif end >= 0:
            head = bytes(self._buffer[:end])
            renamed = BODY_HEADER.sub(rb"\r\n" + IGNORED.encode() + rb"\1:", head)
            self._ignores_body = renamed != head
            if self._ignores_body:
                self._buffer = bytearray(renamed + HEAD_END)
            self._awaiting_admission = True
            self.listener.admission.enqueue(self._admit)

    def _has_said_all(self) -> bool:
        """Return whether the library discards all further data."""
        protocol = self.protocol
        return self.taps_frames and (
            protocol.eof_sent or protocol.parser_exc is not None
        )

    def _buffer_until_answered(self, data: bytes) -> None:
        """Buffer what follows a request, unless its answer ends the connection."""
        if self._has_said_all() or self._ignores_body:
            self._read_later()
            return
        self._buffer += data
        if len(self._buffer) > CHUNK:
            self.transport.pause_reading()

    def _admit(self) -> bool:
        """Process the request. Return False if there is none left."""
        self._awaiting_admission = False
        if not self._buffer:
            return False
        # The library would parse the rest as frames before it has answered, and fail.
        head, end, self._buffer = self._buffer.partition(HEAD_END)
        super().data_received(bytes(head + end))
        self._at_frame_start = self.taps_frames and self.request is not None
        self._continue_reading()
        return True

    def eof_received(self) -> None:
        """Pass the remaining bytes to the library, then the end of the stream."""
        # A request that still awaits admission is discarded: its client would not
        # receive an answer.
        after_handshake = self.protocol.state is not State.CONNECTING
        rest = bytes(self._buffer) if after_handshake else b""
        self._buffer.clear()
        if rest:
            self._at_frame_start = False
            super().data_received(rest)
        super().eof_received()

    def process_event(self, event: Event) -> None:
        """Report frames that the library has parsed, including control frames."""
        super().process_event(event)
        self._request_timer.cancel()
        if self.on_frame is not None and isinstance(event, Frame):
            self.on_frame(event)

    def pause_writing(self) -> None:
        """Note that the transport buffers more than `write_limit` bytes."""
        super().pause_writing()
        if self.on_behind is not None:
            self.on_behind(behind=True)

    def resume_writing(self) -> None:
        """Note that the transport has sent most of its buffer."""
        super().resume_writing()
        if self.on_behind is not None:
            self.on_behind(behind=False)

    def settle(self) -> None:
        """Note that this process serves the connection."""

    def detach(self) -> tuple[int, bytes, str] | None:
        """Give the connection up for another process; None: it cannot be passed on."""
        return None

    def pause(self) -> None:
        """Process no more frames until `resume`."""
        self._paused = True
        self.transport.pause_reading()

    def resume(self) -> None:
        """Process frames again, unless they are discarded."""
        if not self._discarding:
            self._paused = False
            self._continue_reading()

    def discard(self) -> None:
        """Discard all that the peer sends from now on, even its close frame."""
        if self._discarding:
            return
        self.pause()
        self._discarding = True
        self._buffer.clear()
        self._read_later()

    def _read_later(self) -> None:
        """Wait longer each time before reading data that nobody needs.

        It must be read, or the peer would not receive our close code.
        """
        self.transport.pause_reading()
        if self._discard_timer is not None:
            self._discard_timer.cancel()
        self._discard_timer = self.loop.call_later(
            self._discard_s, self.transport.resume_reading
        )
        self._discard_s = min(2 * self._discard_s, MAX_DISCARD_S)

    def message_handled(self) -> None:
        """Note that a message from the library's queue has been handled."""
        self._queued_texts = max(0, self._queued_texts - 1)

    def _pause_for_queue(self) -> None:
        self._queue_full = True
        self.transport.pause_reading()

    def _resume_for_queue(self) -> None:
        self._queue_full = False
        self._continue_reading()

    def _continue_reading(self) -> None:
        if self._queue_full or self._paused or self._processing_scheduled:
            return
        if self._buffer:
            self._processing_scheduled = True
            self.loop.call_soon(self._process_buffer)
        else:
            self.transport.resume_reading()

    def _process_buffer(self) -> None:
        """Process the next chunk of the buffer, unless reading is paused."""
        self._processing_scheduled = False
        if self._has_said_all():
            self._buffer.clear()
            self.transport.resume_reading()
            return
        if self._paused:
            self.transport.pause_reading()  # the library may have resumed it
        if self._queue_full or self._paused or not self._buffer:
            return
        if self.request is not None and self.protocol.state is State.CONNECTING:
            if len(self._buffer) <= CHUNK:
                self.transport.resume_reading()
            return
        chunk = bytes(self._buffer[:CHUNK])
        if self._at_frame_start:
            done = self._take_frames(chunk)
        else:
            super().data_received(chunk)
            done = len(chunk)
        del self._buffer[:done]
        if done == 0:  # an incomplete frame
            self.transport.resume_reading()
            return
        if self._buffer:
            self.transport.pause_reading()
        self._continue_reading()

    def _take_frames(self, data: bytes) -> int:
        """Process complete frames at the start of `data` until reading is paused.

        Returns:
            How many bytes were processed.
        """
        at, end = 0, len(data)
        while end - at >= 6 and not (self._paused or self._queue_full):
            first, size, body = data[at], data[at + 1] & 0x7F, at + 6
            if size == 126 and end - at >= 8:
                size, body = data[at + 2] << 8 | data[at + 3], at + 8
                plain = 126 <= size <= self.listener.limits.up_bytes
            else:
                plain = size < 126
                if size == 126:
                    break
            masked = data[at + 1] & 0x80
            if not (plain and masked and (first == TEXT or first in CONTROL)):
                self._at_frame_start = False  # the library handles all further data
                super().data_received(data[at:])
                return end
            if body + size > end:
                break
            handler = None
            if first == TEXT and not self._queued_texts:
                handler = self.on_text
            elif first == PONG and body == at + 6:
                handler = self.on_pong
            if handler is not None:
                payload, key = data[body : body + size], data[body - 4 : body]
                handler(apply_mask(payload, key))
            else:
                self._queued_texts += first == TEXT
                super().data_received(data[at : body + size])
            at = body + size
        return at
