"""The best attempt of our profile races along, whichever device made it."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace
from tests.client.test_connection import Peer, address
from tests.client.test_profile_connection import ANN, KEY, SECRET, hello
from tests.race.sample import sample_record
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from sliderace.proof.reading import read
from sliderace.proof.signed import seal
from sliderace.protocol import messages as m
from sliderace_client.net.profiles import KeptProfile, keep
from sliderace_client.own_profile import better_curve

RECORD = sample_record()
WRITTEN = read(RECORD)
TIME = next(one.finish.official_ms for one in WRITTEN.racers if one.finish)
BEST = m.EventBests("3x3", 1, 1, TIME, race=WRITTEN.race)


@pytest.fixture
def owner() -> None:
    keep(KEY, KeptProfile(SECRET, ANN.id, "Ann"))


@asynccontextmanager
async def server(*, sealed: bool = True, body: bytes = b"") -> AsyncGenerator[str]:
    """Show a key, a profile, and a record that only its owner may read."""

    async def follow(socket: ServerConnection) -> None:
        await hello(Peer(socket), replace(ANN, bests=[BEST]))
        await socket.wait_closed()

    def answer(connection: ServerConnection, request: Request) -> Response | None:
        if request.path == "/healthz":
            return connection.respond(200, json.dumps({"key": KEY}))
        if request.path == f"/api/races/{WRITTEN.race}":
            owns = request.headers.get("Authorization") == f"Bearer {SECRET}"
            status = 200 if owns or not sealed else 403
            whole = body or seal(RECORD, "0" * 64, lambda _: bytes(64))
            return connection.respond(status, whole.decode())
        return None

    async with serve(
        follow,
        "127.0.0.1",
        0,
        subprotocols=[Subprotocol("sliderace.v1")],
        process_request=answer,
    ) as listening:
        yield address(listening)


@pytest.mark.usefixtures("owner")
async def test_better_attempt_is_read_from_its_record() -> None:
    async with server() as url:
        for than in (None, TIME + 1):
            curve = await better_curve(url, "3x3", than)
            assert curve is not None
            assert curve[-1] == TIME


@pytest.mark.usefixtures("owner")
async def test_there_is_none_if_ours_is_as_good_or_the_record_is_unusable() -> None:
    async with server() as url:
        assert await better_curve(url, "3x3", TIME) is None
        assert await better_curve(url, "4x4", None) is None
    async with server(body=b"{}") as url:
        assert await better_curve(url, "3x3", None) is None
    assert await better_curve("http://127.0.0.1:1", "3x3", None) is None


async def test_guest_has_none() -> None:
    async with server() as url:
        assert await better_curve(url, "3x3", None) is None
