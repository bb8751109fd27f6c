"""Messages between the parent and a worker, with descriptors of sockets.

Each message is one packet of a pair of Unix sockets, so it arrives completely or not
at all. Messages that the other side cannot take yet wait in a queue.
"""

import contextlib
import errno
import os
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterator

import msgspec

from sliderace_server.limits import Kind

__all__ = [
    "MAX_COUNTS",
    "RECEIVED_AT_ONCE",
    "Arrived",
    "Channel",
    "Counted",
    "Ended",
    "Message",
    "PassedOn",
    "Ready",
    "Reported",
    "Stop",
    "most_files",
    "parts_of",
]

MAX_BYTES = 49_152
"""In one packet. The data of a connection whose worker is not known yet fit into it."""
PART_BYTES = 32_768
"""In one part of a report; reports may be longer than a packet."""
MAX_WAITING = 1_024
"""Connections that wait for a worker; more would wait for too long."""
WAITING_SHARE = 4
"""And at most one in so many of the files that a process may open, or a worker that
hangs would use up those that the connections of other workers need."""
RECEIVED_AT_ONCE = 16
"""Messages. With more, a flood of connections would delay everything else."""
MAX_COUNTS = 500
"""In one message. An address has at most 50 characters, so they fit into a packet."""


class Arrived(msgspec.Struct, frozen=True, tag=1, array_like=True):
    """To a worker, with a descriptor: a connection.

    Args:
        address: the address for which the parent counts it.
        data: what was read from it.
        answered: whether another worker has answered its request.
    """

    address: str
    data: bytes
    answered: bool = False


class PassedOn(msgspec.Struct, frozen=True, tag=2, array_like=True):
    """From a worker, with a descriptor: a connection that another worker must serve."""

    worker: int
    address: str
    data: bytes


class Ended(msgspec.Struct, frozen=True, tag=3, array_like=True):
    """From a worker: a connection of an address has ended."""

    address: str


class Ready(msgspec.Struct, frozen=True, tag=4, array_like=True):
    """From a worker: its rooms have continued, and it takes connections."""


class Reported(msgspec.Struct, frozen=True, tag=5, array_like=True):
    """A part of a worker's report; the parent passes it to all others.

    Args:
        worker: whose report it is.
        part: a part of the encoded report.
        last: whether this is the last part.
    """

    worker: int
    part: bytes
    last: bool


class Counted(msgspec.Struct, frozen=True, tag=7, array_like=True):
    """From a worker: what clients did; the parent passes it to all others.

    Args:
        counts: what each client did, and how often; see `PerAddress.count_client`.
    """

    counts: list[tuple[Kind, str, int]]


class Stop(msgspec.Struct, frozen=True, tag=6, array_like=True):
    """To a worker: stop now.

    Args:
        host_ended: whether the process that started the server has ended.
    """

    host_ended: bool


Message = Arrived | PassedOn | Ended | Ready | Reported | Counted | Stop
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Message).decode


class Channel:
    """One end of a pair of sockets. No method blocks.

    Args:
        dropped: called with each message whose descriptor had to be closed, because too
            many are in flight.

    Attributes:
        sock: this end, while the other side exists.
        events: the events for which this end is registered in a selector.
    """

    def __init__(self, dropped: Callable[[Message], None]) -> None:
        self.sock: socket.socket | None = None
        self.events = 0
        self._dropped = dropped
        self._waiting = deque[tuple[bytes, int]]()

    @property
    def blocked(self) -> bool:
        """Whether messages wait; call `flush` once the socket can be written."""
        return bool(self._waiting)

    def waiting(self) -> list[Message]:
        """Return the messages with a descriptor that wait."""
        return [_decode(data) for data, descriptor in self._waiting if descriptor >= 0]

    def send(self, message: Message, descriptor: int = -1) -> None:
        """Send a message, now or later.

        Args:
            message: the message.
            descriptor: to be sent with it, and then closed here; -1: none.
        """
        waiting = len(self._waiting)
        if descriptor >= 0 and waiting and waiting >= _max_waiting():
            os.close(descriptor)
            self._dropped(message)
        else:
            self._waiting.append((_encode(message), descriptor))
            self.flush()

    def flush(self) -> None:
        """Send the messages that wait, as far as the other side takes them."""
        while self._waiting and self.sock is not None:
            data, descriptor = self._waiting[0]
            dropped = False
            try:
                if descriptor < 0:
                    self.sock.send(data)
                else:
                    socket.send_fds(self.sock, [data], [descriptor])
            except OSError as error:
                # Too many descriptors are in flight: the limit is the number of files
                # that this process may open. Drop this one.
                if error.errno != errno.ETOOMANYREFS:
                    return  # also if the other side has ended: its successor gets them
                dropped = True
            self._waiting.popleft()
            if descriptor >= 0:
                os.close(descriptor)
            if dropped:
                self._dropped(_decode(data))

    def receive(self, limit: int = sys.maxsize) -> Iterator[tuple[Message, int]]:
        """Yield what has arrived, each with its descriptor.

        It is -1 if there is none, or if this process cannot open any more files.

        Args:
            limit: how many messages to yield at most; the others stay in the socket.

        Raises:
            EOFError: the other side has ended.
        """
        while self.sock is not None and limit > 0:
            limit -= 1
            try:
                data, descriptors, _, _ = socket.recv_fds(self.sock, MAX_BYTES, 1)
            except BlockingIOError:
                return
            except OSError as error:
                raise EOFError from error
            if not data:
                raise EOFError
            yield _decode(data), descriptors[0] if descriptors else -1

    def connect(self, sock: socket.socket) -> None:
        """Connect to a new process, which gets the messages that wait."""
        sock.setblocking(False)
        self.sock = sock
        self.flush()

    def disconnect(self) -> None:
        """Close this end, because the process has ended."""
        if self.sock is not None:
            self.sock.close()
        self.sock, self.events = None, 0

    def close(self) -> None:
        """Close this end, and the descriptors that wait."""
        self.disconnect()
        for _, descriptor in self._waiting:
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._waiting.clear()


def _max_waiting() -> int:
    return min(MAX_WAITING, most_files() // WAITING_SHARE)


def most_files() -> int:
    """Return how many files this process may have open."""
    import resource  # noqa: PLC0415 - not on Windows

    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if most == resource.RLIM_INFINITY else most


def parts_of(worker: int, report: bytes) -> Iterator[Reported]:
    """Yield the messages of a report."""
    for at in range(0, len(report) or 1, PART_BYTES):
        part = report[at : at + PART_BYTES]
        yield Reported(worker, part, at + PART_BYTES >= len(report))
