"""More attacks: former hosts, invalid close frames, TLS byte by byte."""

import asyncio
import logging
import ssl
from pathlib import Path

import pytest
from tests.e2e.protocol_client import (
    RECEIVE_S,
    connected,
    log_problems,
    running_race,
    running_server,
)
from tests.e2e.test_bad_input import host_commands
from tests.e2e.test_base_path import make_certificate
from tests.e2e.test_socket import GENEROUS, HELLO, REQUEST, Wire, frame, ping, wire

from sliderace.protocol import messages as m
from sliderace_server.app import running
from sliderace_server.settings import ServerSettings


async def test_a_former_host_has_no_host_rights() -> None:
    """Neither one who handed over, nor a substitute after the host's return."""
    async with (
        running_server() as server,
        running_race(server.port, 2) as (ann, ben),
        connected(server.port, m.Join(code=ann.code, name="Eve", role="spectator")),
    ):
        await ann.send(m.HandOver(member=ben.member))
        await ann.until(m.RoomEvent, lambda event: event.room.host == ben.member)
        for command in host_commands(ben.member, ann.race):
            await ann.send(command)
            assert (await ann.until(m.Refused)).code == "not_host"
        await ben.until(m.RoomEvent, lambda event: event.room.host == ben.member)
        await ben.socket.close()
        await ann.until(m.RoomEvent, lambda event: event.room.host == ann.member)
        async with connected(server.port, m.Resume(code=ann.code, token=ben.token)):
            await ann.until(m.RoomEvent, lambda event: event.room.host == ben.member)
            for command in host_commands(ben.member, ann.race):
                await ann.send(command)
                assert (await ann.until(m.Refused)).code == "not_host"


@pytest.mark.parametrize(
    "payload",
    [
        *((code).to_bytes(2) for code in (0, 999, 1004, 1005, 1006, 1015, 2999, 5000)),
        b"\x03",
        b"\x03\xe8\xff\xfe",
        b"\x03\xe8" + b"\x1b]52;c;QQ==\x07" * 11,
    ],
    ids=repr,
)
async def test_an_invalid_close_frame_is_answered_without_an_error_in_the_log(
    payload: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with (
        running_server(GENEROUS) as server,
        wire(server.port) as one,
        wire(server.port) as other,
    ):
        await one.send(frame(payload, 0x88) + frame(ping(1)))
        assert await one.closed() in (1000, 1002, 1007)
        await other.send(frame(ping(2)))
        assert await other.pongs(1) == [2]
    assert log_problems(caplog) == []


async def test_single_bytes_over_tls_work(tmp_path: Path) -> None:
    cert = await asyncio.to_thread(make_certificate, tmp_path)
    trust = await asyncio.to_thread(ssl.create_default_context, cafile=str(cert))
    settings = ServerSettings(port=0, memory=True, tls_cert=str(cert), limits=GENEROUS)
    async with running(settings) as server:
        reader, writer = await asyncio.open_connection(
            "localhost", server.port, ssl=trust
        )
        one = Wire(reader, writer)
        data = REQUEST + frame(HELLO) + frame(ping(1)) + frame(ping(2), size=2)
        await one.send(data, [*range(1, len(data))])
        async with asyncio.timeout(RECEIVE_S):
            assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        assert await one.pongs(2) == [1, 2]
        writer.close()
