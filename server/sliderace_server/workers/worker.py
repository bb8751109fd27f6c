"""A worker process: a server that gets its connections from the parent."""

import asyncio
import errno
import logging
import os
import socket
from collections import Counter
from collections.abc import Callable, Collection
from typing import cast

import msgspec
from msgspec.structs import replace

from sliderace.protocol.messages import Hello
from sliderace_server.http.routes import Answer, Request
from sliderace_server.limits import Kind, PerAddress, client_key
from sliderace_server.live_room.subscriber import Peer
from sliderace_server.registry.processes import Processes, Remote, Report
from sliderace_server.storage.placement import worker_of
from sliderace_server.websocket.connection import Connection
from sliderace_server.websocket.listener import Acceptor, Adopt

from .channel import (
    MAX_COUNTS,
    RECEIVED_AT_ONCE,
    Arrived,
    Channel,
    Counted,
    Ended,
    Message,
    PassedOn,
    Ready,
    Reported,
    Stop,
    parts_of,
)

__all__ = ["Workers"]

_log = logging.getLogger(__name__)

SILENT_S = 5.0
"""A worker that has not reported for so long hangs or keeps crashing."""
LOST_S = 1.0
"""Between two lines in the log about connections that are lost in a flood."""
COUNTS_S = 0.02
"""Counts are sent after this time, together. A worker admits about twenty joins in it,
and one message for each of them would cost some per cent of a join."""


class Workers(Processes, Acceptor):
    """The other workers, as one of them sees them through the parent.

    Args:
        index: of this worker.
        count: how many workers there are.
        sock: its end of the channel to the parent.
        port: the port on which the parent listens.

    Attributes:
        stop_requested: set when the parent wants it to stop, or has ended.
        host_ended: whether the reason is that the process that started the server has
            ended.
    """

    def __init__(self, index: int, count: int, sock: socket.socket, port: int) -> None:
        self.port = port
        self.stop_requested = asyncio.Event()
        self.host_ended = False
        self._index = index
        self._count = count
        self._sock = sock
        self._channel = Channel(self._dropped)
        self._channel.connect(sock)
        self._loop = asyncio.get_running_loop()
        self._adopt: Adopt | None = None
        self._parts: dict[int, bytes] = {}
        self._reports: dict[int, Report] = {}
        self._reported_at: dict[int, float] = {}
        self._counts = Counter[tuple[Kind, str]]()
        self._lost_line_at = 0.0

    # --- the channel -----------------------------------------------------------------

    def start(self, adopt: Adopt) -> None:
        """Begin to adopt connections."""
        self._adopt = adopt
        self._loop.add_reader(self._sock, self._receive)
        self._send(Ready())

    def stop(self) -> None:
        """Adopt no more connections; close those that arrive."""
        self._adopt = None

    def _send(self, message: Message, fd: int = -1) -> None:
        self._channel.send(message, fd)
        if self._channel.blocked and self._channel.sock is not None:
            self._loop.add_writer(self._sock, self._flush)

    def _dropped(self, message: Message) -> None:
        """Note that a connection could not be passed on and has been closed."""
        if isinstance(message, PassedOn):
            self.disconnected(message.address)

    def _flush(self) -> None:
        self._channel.flush()
        if not self._channel.blocked:
            self._loop.remove_writer(self._sock)

    def _receive(self) -> None:
        try:
            for message, descriptor in self._channel.receive(RECEIVED_AT_ONCE):
                match message:
                    case Arrived(address) if descriptor < 0:
                        self._lost(address)
                    case Arrived():
                        self._arrived(message, socket.socket(fileno=descriptor))
                    case Reported():
                        self._reported(message)
                    case Counted(counts):
                        now = self._now_ms()
                        for kind, client, amount in counts:
                            self._addresses.count_client(kind, client, amount, now)
                    case Stop(host_ended):
                        self.host_ended = host_ended
                        self.stop_requested.set()
                    case _:
                        pass
        except EOFError:
            _log.error("the parent process has ended")
            self._loop.remove_reader(self._sock)
            self._loop.remove_writer(self._sock)
            self._channel.disconnect()
            self.stop_requested.set()

    def _lost(self, address: str) -> None:
        """Note that a connection is lost, because too many files are open."""
        self.disconnected(address)
        now = self._loop.time()
        if now >= self._lost_line_at:
            self._lost_line_at = now + LOST_S
            error = os.strerror(errno.EMFILE)
            _log.warning("cannot accept", extra={"error": error})

    def _arrived(self, message: Arrived, sock: socket.socket) -> None:
        if self._adopt is None:
            sock.close()
            return
        sock.setblocking(False)
        self._adopt(sock, message.data, message.answered, message.address)

    def disconnected(self, address: str) -> None:
        """Tell the parent that a connection of an address has ended."""
        self._send(Ended(address))

    # --- keys ------------------------------------------------------------------------

    def serves(self, key: str) -> bool:
        """Return whether this worker is the home of a key."""
        return worker_of(key, self._count) == self._index

    async def home(self, key: str) -> str | None:
        """Return the worker that is the home of a key; None: this one."""
        return None if self.serves(key) else str(worker_of(key, self._count))

    def owns(self, code: str) -> bool:
        """Return whether a new room of this worker may have a code."""
        return self.serves(code)

    def place(self, address: str) -> str | None:
        """Let one worker open all rooms of an address: it counts them.

        Requests that name no room arrive there anyway.
        """
        worker = worker_of(client_key(address), self._count)
        return str(worker) if address and worker != self._index else None

    def pass_on(self, peer: Peer, home: str, hello: Hello) -> Remote | None:  # noqa: ARG002
        """Pass a connection to another worker, with all that was read from it."""
        connection = cast("Connection", peer)
        if (detached := connection.detach()) is None:
            connection.close(1012)  # the client reconnects
        else:
            descriptor, data, address = detached
            self._send(PassedOn(int(home), address, data), descriptor)
        return None

    async def answer(self, code: str, request: Request) -> Answer | None:  # noqa: ARG002
        """Return None: the parent has passed the request to the right worker."""
        return None

    # --- limits per address ----------------------------------------------------------

    def share(self, addresses: PerAddress, now_ms: Callable[[], int]) -> None:
        """Let all workers count together what addresses do."""
        self._addresses, self._now_ms = addresses, now_ms
        addresses.on_count = self._counted

    def _counted(self, kind: Kind, client: str, amount: int) -> None:
        if not self._counts:
            self._loop.call_later(COUNTS_S, self._send_counts)
        self._counts[kind, client] += amount

    def _send_counts(self) -> None:
        counts = [(*one, amount) for one, amount in self._counts.items()]
        self._counts.clear()
        for at in range(0, len(counts), MAX_COUNTS):
            self._send(Counted(counts[at : at + MAX_COUNTS]))

    # --- reports ---------------------------------------------------------------------

    def report(self, current: Callable[[], Report]) -> None:
        """Send a report to the other workers, unless messages still wait."""
        if not self._channel.blocked:
            for part in parts_of(self._index, msgspec.msgpack.encode(current())):
                self._send(part)

    def reports(self) -> Collection[Report]:
        """Return the latest report of each other worker; add a problem if it is old."""
        since = self._loop.time() - SILENT_S
        return [
            report
            if self._reported_at[worker] > since
            else replace(report, problems=[*report.problems, "worker_silent"])
            for worker, report in self._reports.items()
        ]

    def _reported(self, message: Reported) -> None:
        data = self._parts.pop(message.worker, b"") + message.part
        if not message.last:
            self._parts[message.worker] = data
        else:
            self._reports[message.worker] = msgspec.msgpack.decode(data, type=Report)
            self._reported_at[message.worker] = self._loop.time()
