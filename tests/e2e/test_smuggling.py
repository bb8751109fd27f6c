"""Request smuggling: at most one answer, and no error in the log."""

import asyncio
import contextlib
import logging

import pytest
from tests.e2e.protocol_client import RECEIVE_S, log_problems, running_server

from sliderace_server.websocket.frame_tap import TappedWebSocket

HOST = b"Host: localhost\r\n"
NEXT = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
SOCKET = (
    b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
)


def get(target: bytes, headers: bytes = b"", method: bytes = b"GET") -> bytes:
    return method + b" " + target + b" HTTP/1.1\r\n" + HOST + headers + b"\r\n"


TRIES: dict[str, tuple[bytes, int]] = {
    "two requests": (get(b"/") + NEXT, 200),
    "a request and rubbish": (get(b"/") + b"\xff" * 9_000, 200),
    "a socket and a request": (get(b"/ws", SOCKET) + NEXT, 101),
    "a refused socket and frames": (
        get(b"/ws", SOCKET + b"Origin: null\r\n") + b"\x81\x80abcd" * 20,
        403,
    ),
    "a length": (get(b"/", b"Content-Length: 30\r\n") + NEXT, 200),
    "chunks": (get(b"/", b"Transfer-Encoding: chunked\r\n") + b"0\r\n\r\n" + NEXT, 200),
    "a body": (get(b"/", b"Content-Length: 5\r\n", b"POST") + b"hello", 405),
    "a long body": (
        get(b"/", b"content-length:99999\r\n", b"PUT") + b"x" * 99_999,
        405,
    ),
    "a socket and a body": (
        get(b"/ws", SOCKET + b"Content-Length: 5\r\n") + b"\x81\x80abcd",
        400,
    ),
    "a socket and an empty body": (get(b"/ws", SOCKET + b"Content-Length: 0\r\n"), 101),
    "a socket and chunks": (
        get(b"/ws", SOCKET + b"TRANSFER-ENCODING: chunked\r\n") + b"0\r\n\r\n",
        400,
    ),
    "a length twice": (get(b"/", b"Content-Length: 0\r\nContent-Length: 9\r\n"), 200),
    "no carriage returns": (b"GET / HTTP/1.1\nHost: localhost\n\n", 0),
    "a folded header": (get(b"/", b"A: b\r\n c\r\n"), 0),
    "a space before the colon": (get(b"/", b"A : b\r\n"), 0),
    "a NUL in a header": (get(b"/", b"A: \0\r\n"), 0),
    "an escape in a header": (get(b"/", b"X-Forwarded-For: \x1b[31m\r\n"), 0),
    "a host of two": (get(b"/", b"Host: evil.example\r\n"), 421),
    "a host of somebody": (b"GET / HTTP/1.1\r\nHost: a@localhost\r\n\r\n", 421),
    "a policy for a host": (b"GET / HTTP/1.1\r\nHost: localhost;x\r\n\r\n", 421),
    "another address": (get(b"http://evil.example/"), 404),
    "a NUL in a path": (get(b"/style.css%00"), 404),
    "lines in a path": (get(b"/%0d%0aSet-Cookie:x"), 404),
    "lines in a replay": (get(b"/replay/A%0d%0aX:1"), 404),
    "half a surrogate": (get(b"/api/races/%ed%a0%80"), 404),
    "a tunnel": (get(b"evil.example:80", method=b"CONNECT"), 405),
    "options": (get(b"*", method=b"OPTIONS"), 405),
    "two keys": (get(b"/ws", SOCKET + SOCKET.splitlines(keepends=True)[2]), 400),
    "another HTTP": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0),
}


@pytest.fixture(params=[True, False], ids=["direct", "library"])
def direct(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the frame tap."""
    monkeypatch.setattr(TappedWebSocket, "taps_frames", request.param)


@pytest.mark.usefixtures("direct")
@pytest.mark.parametrize("cut", [False, True], ids=["whole", "in two"])
async def test_a_request_gets_at_most_one_answer(
    caplog: pytest.LogCaptureFixture, *, cut: bool
) -> None:
    with caplog.at_level(logging.WARNING):
        async with running_server() as server:
            for name, (data, status) in TRIES.items():
                received = await _tell(server.port, data, cut=cut)
                assert received.count(b"HTTP/1.1 ") == bool(status), name
                assert received[9:12] == (b"%d" % status if status else b""), name
                assert b"Set-Cookie" not in received, name
            assert b" 200 OK" in await _tell(server.port, NEXT)
    assert log_problems(caplog) == [], "bad requests are not errors of the server"


@pytest.mark.usefixtures("direct")
async def test_endless_garbage_causes_no_error_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The first line is refused, and the rest exceeds any request's length."""
    with caplog.at_level(logging.WARNING, "sliderace_server"):
        async with running_server() as server:
            for _ in range(3):
                reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
                writer.write(b"rubbish\r\n\r\n")
                async with asyncio.timeout(RECEIVE_S):
                    await reader.read()
                for _ in range(20):
                    if not writer.is_closing():  # uvloop raises if it is
                        writer.write(b"x" * 1_000)
                    await asyncio.sleep(0)
                writer.transport.abort()
            assert b" 200 OK" in await _tell(server.port, NEXT)
    assert [text for text in log_problems(caplog) if "send() raised" not in text] == []


@pytest.mark.usefixtures("direct")
async def test_half_closed_connections_cause_no_error_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With and without data after the request."""
    with caplog.at_level(logging.WARNING):
        async with running_server() as server:
            for data in (b"", NEXT[:20], NEXT, NEXT + NEXT, get(b"/ws", SOCKET) + NEXT):
                await _tell(server.port, data, end=True)
            assert b" 200 OK" in await _tell(server.port, NEXT)
    assert log_problems(caplog) == []


async def _tell(
    port: int, data: bytes, *, cut: bool = False, end: bool = False
) -> bytes:
    """Send data, perhaps cut within the end of the head; return the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    middle = data.find(b"\r\n\r\n") + 2 if cut else 0
    for piece in (data[:middle], data[middle:]):
        writer.write(piece)
        with contextlib.suppress(OSError):
            await writer.drain()
        await asyncio.sleep(0.01 if cut else 0)
    if end:
        writer.write_eof()
    received = b""
    async with asyncio.timeout(RECEIVE_S):
        with contextlib.suppress(OSError):
            while piece := await reader.read(65_536):
                received += piece
    writer.transport.abort()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return received
