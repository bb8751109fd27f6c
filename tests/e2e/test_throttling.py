"""Throttling: each connection is read at its rate, until its last byte."""

import asyncio
import contextlib
from collections import Counter

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import running_server
from tests.e2e.test_socket import Wire, frame, wire

from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command
from sliderace_server.limits import Limits
from sliderace_server.websocket.frame_tap import TappedWebSocket
from sliderace_server.websocket.session import Session

WRONG_VERSION = encode_command(m.Hello(v=2, enter=m.Create(name="Ann"))).encode()
PING = frame(b"", 0x89)
EMPTY_FRAGMENT = frame(b"", 0x00)
TEXT = frame(b"{}")
CHUNK = 700
"""Frames that the library may get at once before it is stopped."""


class Peer:
    """A connection that only records how it is closed."""

    id, address, host = 1, "", "localhost"

    def __init__(self) -> None:
        self.closed: list[int] = []

    def send(self, frame: bytes) -> None:
        """Do nothing."""

    send_urgent = send_snapshot = send

    def dismiss(self, code: int) -> None:
        """Do nothing."""

    def measure_latency(self) -> None:
        """Do nothing."""

    def close(self, code: int, reason: str = "") -> None:  # noqa: ARG002
        self.closed.append(code)


def ms_until_closed(
    session: Session, peer: Peer, clock: ManualClock, every_ms: int, late_ms: int
) -> int:
    """Send a message per interval, or when it is read; wake up late after 8 s."""
    began = due = clock.now_ms()
    while not peer.closed and clock.now_ms() < began + 60_000:
        clock.advance(max(0, due - clock.now_ms()))
        due += every_ms
        clock.advance(round(session.throttle() * 1_000))
        if clock.now_ms() > began + 8_000:
            clock.advance(late_ms)
            late_ms = 0
    return clock.now_ms() - began


@pytest.mark.parametrize("every_ms", [3, 10])
@pytest.mark.parametrize("late_ms", [0, 200])
async def test_a_flood_is_closed_after_ten_seconds(every_ms: int, late_ms: int) -> None:
    """One late wake-up of the server in between does not restart the count."""
    clock = ManualClock()
    async with running_server(clock=clock) as server:
        session = Session(server.registry, server.chosen, peer := Peer())
        burst_ms = 120 * 1_000 / (1_000 / every_ms - 60)
        took = ms_until_closed(session, peer, clock, every_ms, late_ms)
        assert 9_900 <= took - burst_ms <= 10_700
        assert peer.closed == [4429]


async def test_a_client_that_falls_silent_for_a_second_does_not_flood() -> None:
    clock = ManualClock()
    async with running_server(clock=clock) as server:
        session = Session(server.registry, server.chosen, peer := Peer())
        for _ in range(20):
            for _ in range(130):
                clock.advance(round(session.throttle() * 1_000))
            clock.advance(1_500)
        assert peer.closed == []


@pytest.mark.parametrize("burst", [1, 2, 3])
async def test_a_flood_ends_with_a_small_burst_too(burst: int) -> None:
    clock, limits = ManualClock(), Limits(messages_per_s=10, messages_burst=burst)
    async with running_server(limits, clock=clock) as server:
        session = Session(server.registry, server.chosen, peer := Peer())
        for _ in range(20):
            for _ in range(burst + 1):
                clock.advance(round(session.throttle() * 1_000))
            clock.advance(1_500)
            session.throttle()
        assert peer.closed == []
        took = ms_until_closed(session, peer, clock, 50, 0)
        assert 9_900 <= took <= 10_700


async def test_many_frames_in_one_chunk_do_not_delay_the_end_of_a_flood() -> None:
    clock = ManualClock()
    async with running_server(clock=clock) as server:
        session = Session(server.registry, server.chosen, peer := Peer())
        for _ in range(2):
            waits = [session.throttle() for _ in range(CHUNK)]
            clock.advance(round(max(waits) * 1_000))
        assert session.throttle() == 0
        assert peer.closed == [4429]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the messages and frames that are handled, and all reads."""
    counts = Counter[str]()
    throttle, receive = Session.throttle, TappedWebSocket.data_received

    def throttling(session: Session) -> float:
        counts["handled"] += 1
        return throttle(session)

    def receiving(websocket: TappedWebSocket, data: bytes) -> None:
        counts["reads"] += 1
        receive(websocket, data)

    monkeypatch.setattr(Session, "throttle", throttling)
    monkeypatch.setattr(TappedWebSocket, "data_received", receiving)
    return counts


async def flood(one: Wire, data: bytes) -> None:
    """Send without end, and read nothing, until the server ends the connection."""
    with contextlib.suppress(OSError):
        while True:
            one.writer.write(data * 100)
            await one.writer.drain()
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    "data", [PING, EMPTY_FRAGMENT, TEXT], ids=("pings", "fragments", "texts")
)
async def test_a_closing_connection_is_still_throttled(
    counted: Counter[str], data: bytes
) -> None:
    limits = Limits()
    async with running_server(limits) as server, wire(server.port, hello=False) as one:
        await one.send(frame(WRONG_VERSION))
        assert await one.closed() == 4504
        await flood(one, data)
    assert counted["handled"] <= limits.messages_burst + CHUNK
    assert counted["reads"] < 50


@pytest.mark.parametrize(
    "last", [frame(b"\x03\xe8", 0x88), frame(b"x", 0x83)], ids=("closed", "malformed")
)
async def test_what_follows_the_end_is_read_slowly(
    counted: Counter[str], last: bytes
) -> None:
    """After the peer's close frame, or a malformed one."""
    async with running_server() as server, wire(server.port) as one:
        await one.send(last)
        await one.closed()
        await flood(one, TEXT)
    assert counted["handled"] <= CHUNK
    assert counted["reads"] < 50


async def test_what_follows_an_answered_request_is_read_slowly(
    counted: Counter[str],
) -> None:
    async with running_server() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        await flood(Wire(reader, writer), TEXT)
        writer.transport.abort()
    assert counted["reads"] < 50
