"""Connections that arrive: accepted, and read until the worker is known.

Rules:

- A connection waits here until its request is complete, for `open_timeout_ms` at most.
- An address with too many connections is refused here. A worker refuses requests for
  all other reasons.
- Nothing here blocks: sockets are read with `MSG_DONTWAIT`, which saves a system call.
"""

import contextlib
import errno
import logging
import os
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from sliderace_server.http.proxy_headers import ClientAddresses, is_loopback
from sliderace_server.limits import PerAddress
from sliderace_server.settings import ServerSettings

from .channel import Arrived, most_files
from .routing import parse_head, worker_for

__all__ = ["Arrivals", "PassOn"]

_log = logging.getLogger(__name__)

TOO_MANY = (
    b"HTTP/1.1 429 Too Many Requests\r\n"
    b"Connection: close\r\nContent-Length: 0\r\nRetry-After: 10\r\n\r\n"
)
HEAD_END = b"\r\n\r\n"
ACCEPTED_AT_ONCE = 64
READ_BYTES = 20_480
"""Read at once. Requests are rarely longer; the rest stays in the socket."""
ACCEPT_PAUSE_S = 0.2
"""Pause when the process cannot open more files."""
RESERVED_FILES = 16
"""Not for connections, so that a flood cannot prevent the start of a worker."""

PassOn = Callable[[int, Arrived, int], None]
"""Passes a connection to the worker of an index, with its descriptor."""


class _Arriving:
    """A connection whose request is not complete yet."""

    __slots__ = ("address", "data", "deadline", "sock")

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self.sock = sock
        self.address = ""  # for which it is counted; empty: not yet
        self.data = bytearray()
        self.deadline = deadline


class Arrivals:
    """The connections that arrive at the parent.

    Args:
        settings: the server's settings.
        selector: the parent's; it calls what is registered with each socket.
        listeners: the sockets on which the parent listens.
        addresses: counts the connections of each address.
        pass_on: see `PassOn`.
    """

    def __init__(
        self,
        settings: ServerSettings,
        selector: selectors.BaseSelector,
        listeners: Sequence[socket.socket],
        addresses: PerAddress,
        pass_on: PassOn,
    ) -> None:
        self._base = settings.base
        self._workers = settings.worker_count
        self._limits = settings.limits
        self._selector = selector
        self._listeners = listeners
        self._addresses = addresses
        self._pass_on = pass_on
        self._arriving = deque[_Arriving]()  # and some that have been passed on
        public = bool(settings.public_url)
        self._clients = ClientAddresses(settings.proxies(), public=public)

    def start(self) -> None:
        """Begin to accept connections."""
        for sock in self._listeners:
            self._selector.register(sock, selectors.EVENT_READ, self._accept)

    def stop(self) -> None:
        """Listen no more, and close the connections that wait."""
        for sock in self._listeners:
            with contextlib.suppress(KeyError):
                self._selector.unregister(sock)
            sock.close()
        while self._arriving:
            self._forget(self._arriving.popleft())

    def close(self) -> None:
        """Close all sockets, in another process than the one that uses them."""
        for sock in self._listeners:
            sock.close()
        for one in self._arriving:
            one.sock.close()

    def deadline(self) -> float | None:
        """Return when the next connection has waited for too long; None: none waits."""
        while self._arriving and self._arriving[0].sock.fileno() < 0:  # passed on
            self._arriving.popleft()
        return self._arriving[0].deadline if self._arriving else None

    def expire(self, now: float) -> None:
        """Close the connections that have waited for too long."""
        while self._arriving and self._arriving[0].deadline <= now:
            self._forget(self._arriving.popleft())

    def _accept(self, listener: socket.socket, _: int) -> None:
        usable = most_files() - RESERVED_FILES
        deadline = time.monotonic() + self._limits.open_timeout_ms / 1_000
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                sock, peer = listener.accept()
            except BlockingIOError:
                return
            except OSError as error:  # too many open files, or it has ended already
                if not isinstance(error, ConnectionError):
                    _pause_accepting(error.strerror)
                return
            if sock.fileno() >= usable:
                sock.close()
                _pause_accepting(os.strerror(errno.EMFILE))
                return
            address = str(peer[0])
            one = _Arriving(sock, deadline)
            exempt = is_loopback(address) or self._clients.trusts(address)
            if exempt or self._count(one, address):
                self._read(one, address, new=True)

    def _count(self, one: _Arriving, address: str) -> bool:
        """Count a connection, or refuse it."""
        if self._addresses.connect(address):
            one.address = address
            return True
        with contextlib.suppress(OSError):
            if not one.data:  # unread data would turn our answer into a reset
                one.sock.recv(READ_BYTES, socket.MSG_DONTWAIT)
        with contextlib.suppress(OSError):
            one.sock.send(TOO_MANY, socket.MSG_DONTWAIT)
        one.sock.close()
        return False

    def _forget(self, one: _Arriving) -> None:
        """Close a connection whose request has not arrived."""
        if one.sock.fileno() < 0:
            return  # passed on
        with contextlib.suppress(KeyError):
            self._selector.unregister(one.sock)
        one.sock.close()
        if one.address:
            self._addresses.disconnect(one.address)

    def _read(self, one: _Arriving, direct: str, *_: object, new: bool = False) -> None:
        """Read a request; pass it on once it is complete."""
        try:
            data = one.sock.recv(READ_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            data = None
        except OSError:
            data = b""
        if data:
            begin = max(0, len(one.data) - len(HEAD_END))  # small pieces stay cheap
            one.data += data
            complete = one.data.find(HEAD_END, begin) >= 0
            if complete or len(one.data) > self._limits.head_bytes:
                if not new:
                    self._selector.unregister(one.sock)
                try:
                    self._pass(one, direct)
                except Exception:  # noqa: BLE001 - a request must not stop the server
                    _log.exception("cannot pass a connection to a worker")
                    self._forget(one)
                return
        elif data is not None:
            self._forget(one)
            return
        if new:
            self._arriving.append(one)
            again = partial(self._read, one, direct)
            self._selector.register(one.sock, selectors.EVENT_READ, again)

    def _pass(self, one: _Arriving, direct: str) -> None:
        """Pass a complete request to its worker."""
        data = bytes(one.data)
        one.data.clear()  # it may stay in a queue until its deadline
        head = parse_head(data.partition(HEAD_END)[0])
        address = one.address
        if not address:
            path = head.target.partition("?")[0]
            address = self._clients.client(direct, path, head.headers, head.forwarded)
            if not self._count(one, address):
                return
        worker = worker_for(head.target, self._base, address, self._workers)
        self._pass_on(worker, Arrived(address, data), one.sock.detach())


def _pause_accepting(error: str | None) -> None:
    _log.warning("cannot accept", extra={"error": error})
    time.sleep(ACCEPT_PAUSE_S)
