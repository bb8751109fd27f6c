"""WebSocket frames of any shape, with and without the frame tap; admission."""

import asyncio
import contextlib
import gc
import json
import os
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from functools import partial
from random import Random
from types import MethodType
from typing import Any, cast
from weakref import WeakSet

import pytest
from tests.e2e.protocol_client import (
    RECEIVE_S,
    ProtocolClient,
    connected,
    eventually,
    running_server,
)
from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.version import version

from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command
from sliderace_server.app import Server
from sliderace_server.limits import Limits
from sliderace_server.registry.actor import RoomActor
from sliderace_server.websocket.admission import AdmissionQueue
from sliderace_server.websocket.connection import Connection
from sliderace_server.websocket.frame_tap import (
    DISCARD_S,
    MAX_DISCARD_S,
    SUPPORTED_MAJOR,
    TappedWebSocket,
    is_supported,
)

REQUEST = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    b"Sec-WebSocket-Version: 13\r\n\r\n"
)
HELLO = encode_command(m.Hello(v=1, enter=m.Create(name="Ann"))).encode()
PATIENT = 600_000
"""These clients do not answer the server's pings."""
GENEROUS = Limits(
    messages_per_s=100_000, messages_burst=100_000, ping_timeout_ms=PATIENT
)


def frame(
    payload: bytes, first: int = 0x81, *, masked: bool = True, size: int = 0
) -> bytes:
    """Return a client's frame; `size` forces a longer encoding of the length."""
    length = len(payload)
    bit = 0x80 if masked else 0
    if length < 126 and not size:
        head = bytes((first, bit | length))
    elif size == 8:
        head = bytes((first, bit | 127)) + length.to_bytes(8)
    else:
        head = bytes((first, bit | 126)) + length.to_bytes(2)
    if not masked:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(b ^ key[n & 3] for n, b in enumerate(payload))


def ping(number: int, spaces: int = 0) -> bytes:
    """Return a ping command, padded with spaces."""
    return encode_command(m.Ping(id=number)).encode() + b" " * spaces


class Wire:
    """A connection of raw bytes."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, data: bytes, cuts: list[int] | None = None) -> None:
        """Send data in pieces."""
        ends = [*(cuts or []), len(data)]
        for start, end in zip([0, *ends], ends, strict=False):
            self.writer.write(data[start:end])
            await self.writer.drain()
            await asyncio.sleep(0)

    async def receive(self) -> tuple[int, bytes]:
        """Return the next frame: opcode and payload."""
        async with asyncio.timeout(RECEIVE_S):
            head = await self.reader.readexactly(2)
            size = head[1]
            if size >= 126:
                size = int.from_bytes(
                    await self.reader.readexactly(2 if size == 126 else 8)
                )
            return head[0] & 15, await self.reader.readexactly(size)

    async def until(self, kind: str) -> dict[str, int]:
        """Return the next message of a kind."""
        while True:
            opcode, payload = await self.receive()
            if opcode == 1 and (event := json.loads(payload))["t"] == kind:
                return dict(event)

    async def pongs(self, count: int) -> list[int]:
        """Return the ids of the next pongs, in order."""
        return [(await self.until("pong"))["id"] for _ in range(count)]

    async def closed(self) -> int:
        """Return the code with which the server closes."""
        while True:
            opcode, payload = await self.receive()
            if opcode == 8:
                return int.from_bytes(payload[:2])


@contextlib.asynccontextmanager
async def wire(
    port: int, early: bytes = b"", *, hello: bool = True
) -> AsyncGenerator[Wire, None]:
    """Open a WebSocket and say hello; `early` is sent with the request."""
    async with raw(port) as one:
        await one.send(REQUEST + early)
        async with asyncio.timeout(RECEIVE_S):
            await one.reader.readuntil(b"\r\n\r\n")
        if hello and not early:
            await one.send(frame(HELLO))
            await one.until("snapshot")
        yield one


@contextlib.asynccontextmanager
async def raw(port: int) -> AsyncGenerator[Wire, None]:
    """Open a TCP connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Wire(reader, writer)
    finally:
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


@pytest.fixture(params=[True, False], ids=["direct", "library"])
def direct(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """With and without the frame tap."""
    monkeypatch.setattr(TappedWebSocket, "taps_frames", request.param)
    return bool(request.param)


both = pytest.mark.usefixtures("direct")


def test_the_tap_supports_this_version_of_the_library() -> None:
    why = (
        f"websockets {version}: all data goes through the library now, which costs "
        "several times as much. Check what `TappedWebSocket` overrides, then raise "
        "SUPPORTED_MAJOR."
    )
    assert is_supported(version), why
    assert is_supported(f"{SUPPORTED_MAJOR}.0")
    assert not is_supported(f"{SUPPORTED_MAJOR + 1}.0")
    for used in ("data_received", "eof_received", "process_event"):
        assert callable(getattr(ServerConnection, used)), why


async def test_the_internals_that_the_tap_uses_exist() -> None:
    """Otherwise the overrides in `TappedWebSocket` would have no effect."""
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        socket = _socket_of(server, ann)
        assert {"pause", "resume"} <= vars(socket.recv_messages).keys()
        inside = vars(socket.protocol).keys()
        assert {"parser", "parser_exc", "eof_sent", "select_subprotocol"} <= inside
        assert isinstance(socket.protocol.state, State)
        assert socket.request is not None


def _socket_of(server: Server, client: ProtocolClient) -> TappedWebSocket:
    actor = server.registry.find(client.code, "")
    assert isinstance(actor, RoomActor)
    subscribers = actor.live._subscribers  # pyright: ignore[reportPrivateUsage]
    (subscriber,) = subscribers.current.values()
    return cast("Connection", subscriber.peer)._websocket  # pyright: ignore[reportPrivateUsage]


@both
@pytest.mark.parametrize("seed", range(4))
async def test_frames_may_arrive_in_any_pieces(seed: int) -> None:
    chance = Random(seed)  # noqa: S311 - no secret
    data = b""
    for number in range(40):
        message = ping(number, chance.choice([0, 1, 90, 125, 600]))
        match chance.randrange(4):
            case 0:
                data += frame(b"", 0x89) + frame(message)
            case 1 if seed:  # the library handles everything after this
                data += frame(message[:5], 0x01) + frame(b"x" * 9, 0x89)
                data += frame(message[5:], 0x80)
            case _:
                data += frame(message, size=2 if len(message) > 125 else 0)
    cuts = sorted(chance.sample(range(1, len(data)), 30))
    every = [*range(1, len(data))] if seed == 0 else cuts
    async with running_server(GENEROUS) as server, wire(server.port) as one:
        await one.send(data, every)
        assert await one.pongs(40) == [*range(40)]


@both
@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (frame(ping(9), masked=False), 1002),
        (frame(ping(9), 0xC1), 1002),
        (frame(ping(9), 0x83), 1002),
        (frame(b"x" * 126, 0x89), 1002),
        (frame(b"x" * 126, 0x8A), 1002),
        (frame(ping(9, 4_000)), 1009),
        (frame(ping(9, 70_000), size=8), 1009),
        (frame(b'{"t":"\xff\xfe"}'), 1007),
        (frame(ping(9), 0x82), 1007),
        (frame((1000).to_bytes(2), 0x88), 1000),
    ],
    ids=[
        *("unmasked", "reserved-bit", "unknown", "long-ping", "long-pong"),
        *("too-large", "huge", "not-utf8", "binary", "close"),
    ],
)
async def test_malformed_frames_get_the_same_close_codes(bad: bytes, code: int) -> None:
    async with running_server(GENEROUS) as server, wire(server.port) as one:
        await one.send(frame(ping(1)))
        assert await one.pongs(1) == [1]
        await one.send(bad)
        assert await one.closed() == code


@both
async def test_frames_sent_with_the_request_are_not_lost() -> None:
    early = frame(HELLO) + frame(ping(1))
    async with running_server(GENEROUS) as server, wire(server.port, early) as one:
        assert await one.pongs(1) == [1]
        await one.send(frame(ping(2)))
        assert await one.pongs(1) == [2]


@both
async def test_messages_in_the_library_s_queue_are_not_overtaken() -> None:
    limits = Limits(messages_per_s=50, messages_burst=2, ping_timeout_ms=PATIENT)
    pings = [frame(ping(n)) for n in range(20)]
    async with running_server(limits) as server, wire(server.port, hello=False) as one:
        await one.send(frame(HELLO) + b"".join(pings[:10]))
        assert await one.pongs(1) == [0]
        for late in pings[10:]:
            await one.send(late)
        assert await one.pongs(19) == [*range(1, 20)]


@both
async def test_throttled_messages_stay_in_order() -> None:
    limits = Limits(messages_per_s=300, messages_burst=5, ping_timeout_ms=PATIENT)
    async with running_server(limits) as server, wire(server.port) as one:
        await one.send(b"".join(frame(ping(n)) for n in range(100)))
        assert await one.pongs(100) == [*range(100)]
        assert server.metrics.counts["throttled"].total() > 10


async def test_unfragmented_texts_and_pongs_bypass_the_library(direct: bool) -> None:
    received: list[Opcode] = []
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        socket = _socket_of(server, ann)
        original = cast("Callable[[Frame], None]", socket.on_frame)

        def receive(frame: Frame) -> None:
            received.append(frame.opcode)
            original(frame)

        socket.on_frame = receive
        before = sum(server.metrics.rtt_seconds.counts)
        await ann.sync()
        await eventually(lambda: sum(server.metrics.rtt_seconds.counts) > before + 1)
    assert (Opcode.TEXT not in received) == direct
    assert (Opcode.PONG not in received) == direct


async def test_data_after_a_too_large_frame_is_discarded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The data is neither copied nor given to the failed parser."""
    given, fed = Counter[bool](), Counter[bool]()
    receive, feed = ServerProtocol.receive_data, TappedWebSocket._process_buffer  # pyright: ignore[reportPrivateUsage]

    def receiving(protocol: ServerProtocol, data: bytes) -> None:
        given[protocol.parser_exc is not None] += len(data)
        receive(protocol, data)

    def feeding(one: TappedWebSocket) -> None:
        fed[one.protocol.parser_exc is not None] += 1
        feed(one)

    monkeypatch.setattr(ServerProtocol, "receive_data", receiving)
    monkeypatch.setattr(TappedWebSocket, "_process_buffer", feeding)
    async with running_server(GENEROUS) as server, wire(server.port) as one:
        await one.send(frame(b"x" * 1_000_000, size=8))
        assert await one.closed() == 1009
        with contextlib.suppress(OSError):
            while await one.reader.read(65_536):
                pass
    assert given[True] == 0, "bytes to a failed parser"
    assert fed[True] <= 1, "what arrived with the frame's head"


@both
async def test_requests_wait_for_admission(monkeypatch: pytest.MonkeyPatch) -> None:
    line: list[MethodType] = []

    def come(_: AdmissionQueue, enter: MethodType) -> None:
        line.append(enter)

    def whole(enter: MethodType) -> bool:
        inflow = cast("TappedWebSocket", enter.__self__)._buffer  # pyright: ignore[reportPrivateUsage]
        return inflow.endswith(b"\r\n\r\n")

    def been(count: int) -> bool:
        return len(line) == count

    monkeypatch.setattr(AdmissionQueue, "enqueue", come)
    async with running_server(GENEROUS) as server, contextlib.AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(raw(server.port)) for _ in "123"]
        for one in lines:
            await one.send(REQUEST[:50])
        for count, one in enumerate(lines, 1):
            await one.send(REQUEST[50:])
            await eventually(partial(been, count))
        assert all(map(whole, line))
        assert server.metrics.counts["connections"].total() == 0
        first, second, third = lines
        assert line[0]()
        async with asyncio.timeout(RECEIVE_S):
            assert (await first.reader.readline()).startswith(b"HTTP/1.1 101 ")
        second.writer.transport.abort()
        third.writer.write_eof()
        async with asyncio.timeout(RECEIVE_S):
            assert await third.reader.read() == b"", "no answer could be delivered"
        await eventually(lambda: not whole(line[1]))
        assert [enter() for enter in line[1:]] == [False, False]
        assert cast("TappedWebSocket", line[2].__self__).request is None


@both
async def test_a_request_with_data_behind_it_may_wait_for_admission_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line: list[Callable[[], bool]] = []
    timers: list[TappedWebSocket] = []
    start = TappedWebSocket._start_request_timer  # pyright: ignore[reportPrivateUsage]

    def starting(one: TappedWebSocket) -> None:
        timers.append(one)
        start(one)

    def wait(_: AdmissionQueue, enter: Callable[[], bool]) -> None:
        line.append(enter)

    monkeypatch.setattr(AdmissionQueue, "enqueue", wait)
    monkeypatch.setattr(TappedWebSocket, "_start_request_timer", starting)
    limits = replace(GENEROUS, open_timeout_ms=50)
    async with running_server(limits) as server, raw(server.port) as one:
        await one.send(REQUEST + frame(HELLO) + frame(ping(1)))
        await eventually(lambda: timers[2:])
        assert line[0]()
        await one.reader.readuntil(b"\r\n\r\n")
        line[1]()  # the hello
        assert await one.pongs(1) == [1]


async def test_discarding_again_does_not_delay_the_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each frame of a flood that the library has parsed asks for it."""
    timers: list[tuple[float, asyncio.TimerHandle]] = []
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        socket, loop = _socket_of(server, ann), asyncio.get_running_loop()
        call_later = loop.call_later

        def noted(
            delay: float, call: Callable[..., object], *args: Any, **more: Any
        ) -> asyncio.TimerHandle:
            timer = call_later(delay, call, *args, **more)
            if call == socket.transport.resume_reading:
                timers.append((delay, timer))
            return timer

        monkeypatch.setattr(loop, "call_later", noted)
        for _ in range(1_000):
            socket.discard()
        assert [delay for delay, _ in timers] == [DISCARD_S]
        for _ in range(1_000):
            socket.data_received(b"x")
        assert max(delay for delay, _ in timers) == MAX_DISCARD_S
        assert [one for _, one in timers if not one.cancelled()] == [timers[-1][1]]
        socket.transport.abort()
        await eventually(timers[-1][1].cancelled)


@both
async def test_a_hello_waits_for_admission(monkeypatch: pytest.MonkeyPatch) -> None:
    line: list[Callable[[], bool]] = []
    come = AdmissionQueue.enqueue

    def wait(admission: AdmissionQueue, enter: Callable[[], bool]) -> None:
        if isinstance(enter, MethodType):
            come(admission, enter)  # a request
        else:
            line.append(enter)

    lost: list[TappedWebSocket] = []
    end = TappedWebSocket.connection_lost

    def losing(one: TappedWebSocket, exc: Exception | None) -> None:
        end(one, exc)
        lost.append(one)

    monkeypatch.setattr(AdmissionQueue, "enqueue", wait)
    monkeypatch.setattr(TappedWebSocket, "connection_lost", losing)
    data = REQUEST + frame(HELLO) + frame(ping(1))
    async with (
        running_server(GENEROUS) as server,
        raw(server.port) as gone,
        raw(server.port) as one,
    ):
        await gone.send(data)
        await eventually(lambda: line)
        gone.writer.transport.abort()
        await eventually(lambda: lost)
        await one.send(data)
        await eventually(lambda: line[1:])
        assert server.view.health()["rooms"] == 0
        assert line[1]()
        await one.reader.readuntil(b"\r\n\r\n")
        assert await one.pongs(1) == [1]
        line[0]()
        await one.send(frame(ping(2)))
        assert await one.pongs(1) == [2]
        assert server.view.health()["rooms"] == 1, "a disconnected client opens no room"


@both
async def test_a_request_sent_byte_by_byte_is_admitted_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = Counter[str]()
    come = AdmissionQueue.enqueue

    def counted(admission: AdmissionQueue, enter: Callable[[], bool]) -> None:
        turns["all"] += 1
        come(admission, enter)

    monkeypatch.setattr(AdmissionQueue, "enqueue", counted)
    async with running_server(GENEROUS) as server, raw(server.port) as one:
        await one.send(REQUEST, [*range(1, len(REQUEST))])
        async with asyncio.timeout(RECEIVE_S):
            assert (await one.reader.readline()).startswith(b"HTTP/1.1 101 ")
    assert turns["all"] == 1


async def test_a_closed_connection_leaves_no_reference_cycles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise a flood would leave thousands of objects for garbage collection."""
    made, left = Counter[str](), WeakSet[TappedWebSocket | ServerProtocol]()
    begin = TappedWebSocket.connection_made

    def beginning(one: TappedWebSocket, transport: asyncio.BaseTransport) -> None:
        begin(one, transport)
        made["all"] += 1
        left.update((one, one.protocol))

    monkeypatch.setattr(TappedWebSocket, "connection_made", beginning)
    gc.disable()
    try:
        async with running_server(GENEROUS) as server:
            for _ in range(5):
                async with raw(server.port) as one:
                    await one.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    async with asyncio.timeout(RECEIVE_S):
                        assert (await one.reader.read()).startswith(b"HTTP/1.1 200 ")
            await eventually(lambda: not left)
            assert made["all"] == 5
    finally:
        gc.enable()
