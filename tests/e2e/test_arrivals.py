"""Connections that arrive at the parent of several workers."""

import selectors
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from sliderace_server.limits import Limits, PerAddress
from sliderace_server.settings import ServerSettings
from sliderace_server.workers.arrivals import Arrivals
from sliderace_server.workers.channel import Arrived
from sliderace_server.workers.listening import listening_sockets

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
STRANGER = "203.0.113.7"


class FromAfar:
    """A socket that listens; each client seems to be a stranger."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.fileno, self.close = sock.fileno, sock.close

    def accept(self) -> tuple[socket.socket, tuple[str, int]]:
        return self.sock.accept()[0], (STRANGER, 1)


class Listening:
    """Arrivals on a port of their own, and what they pass on."""

    def __init__(self, **limits: Any) -> None:
        settings = ServerSettings(
            bind="127.0.0.1",
            port=0,
            data="unused",
            workers="2",
            limits=Limits(**limits),
        )
        (self.listener,) = listening_sockets(settings)
        self.passed: list[tuple[Arrived, socket.socket]] = []
        self.addresses = PerAddress(settings.limits)
        self.selector = selectors.DefaultSelector()
        self.arrivals = Arrivals(
            settings,
            self.selector,
            [FromAfar(self.listener)],  # type: ignore[list-item]
            self.addresses,
            self._pass_on,
        )
        self.arrivals.start()

    def _pass_on(self, _: int, message: Arrived, descriptor: int) -> None:
        self.passed.append((message, socket.socket(fileno=descriptor)))

    def connect(self, request: bytes) -> socket.socket:
        """Connect, and send a request."""
        client = socket.create_connection(self.listener.getsockname(), 5)
        client.sendall(request)
        return client

    def turn(self) -> None:
        """Handle what happens next."""
        for key, events in self.selector.select(5):
            key.data(key.fileobj, events)

    def close(self) -> None:
        self.arrivals.stop()
        for _, sock in self.passed:
            sock.close()
        self.selector.close()


@pytest.fixture
def listening() -> Iterator[Listening]:
    one = Listening(connections_per_ip=2)
    yield one
    one.close()


def test_a_request_that_is_there_is_passed_on_in_the_turn_that_accepts_it(
    listening: Listening,
) -> None:
    with listening.connect(REQUEST):
        listening.turn()
        assert [message for message, _ in listening.passed] == [
            Arrived(STRANGER, REQUEST)
        ]
        assert listening.arrivals.deadline() is None


def test_a_client_that_sends_nothing_yet_is_not_accepted(listening: Listening) -> None:
    """So each connection costs one wake-up; the kernel waits for a second."""
    with listening.connect(b"") as silent, listening.connect(REQUEST):
        listening.turn()
        assert [message.data for message, _ in listening.passed] == [REQUEST]
        assert listening.arrivals.deadline() is None
        silent.sendall(REQUEST)
        listening.turn()
        assert [message.data for message, _ in listening.passed] == [REQUEST] * 2


def test_a_refused_client_reads_why_although_its_request_had_arrived(
    listening: Listening,
) -> None:
    with listening.connect(REQUEST), listening.connect(REQUEST):
        while len(listening.passed) < 2:
            listening.turn()
        with listening.connect(REQUEST) as third:
            listening.turn()
            assert third.recv(4_096).startswith(b"HTTP/1.1 429 ")
            assert third.recv(4_096) == b""


def test_half_a_request_ends_at_its_deadline_and_does_not_count_any_more(
    listening: Listening,
) -> None:
    with listening.connect(REQUEST[:-2]) as slow:
        listening.turn()
        deadline = listening.arrivals.deadline()
        assert deadline is not None
        assert deadline - time.monotonic() <= 3
        assert len(listening.addresses) == 1
        listening.arrivals.expire(deadline - 0.001)
        assert len(listening.addresses) == 1
        listening.arrivals.expire(deadline)
        assert slow.recv(1) == b""
    assert len(listening.addresses) == 0
    assert listening.passed == []
