"""The Python client keeps a profile, moves it to another device and loses none."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from tests.e2e.protocol_client import FastClock, connected, eventually, rules
from tests.e2e.stores import FaultyStore
from tests.e2e.test_profiles import Calendar, race

from sliderace.proof import canonical
from sliderace.proof.verify import verify
from sliderace.protocol import messages as m
from sliderace_client.net.connection import Client
from sliderace_client.net.http import get
from sliderace_client.net.profile_connection import (
    add_this_device,
    create,
    profile_connection,
)
from sliderace_client.net.profiles import secret_for
from sliderace_client.net.signature import check_signature
from sliderace_server.app import running
from sliderace_server.registry.profile_service import FORGET_MS
from sliderace_server.settings import ServerSettings


@contextlib.asynccontextmanager
async def a_server(data: Path, store: FaultyStore) -> AsyncGenerator[str, None]:
    """Run a server that keeps its key; yield its address."""
    settings = ServerSettings(port=0, data=str(data))
    async with running(settings, store=store, clock=FastClock()) as server:
        yield f"http://127.0.0.1:{server.port}"


async def profile_in_a_room(server: str, folder: Path) -> str | None:
    """Open a room with the profile of this device; return the one that it has there."""
    secret = await asyncio.to_thread(secret_for, server, folder)
    assert secret is not None
    client = Client(server, m.Create("Ann"), profile=secret, checks=False)
    staying = asyncio.create_task(client.run())
    await eventually(lambda: client.view.myself)
    assert client.view.ended is None
    client.ask(m.Leave())
    await staying
    return client.view.profile


async def test_a_profile_moves_to_a_second_device_and_the_first_gives_it_up(
    tmp_path: Path,
) -> None:
    laptop, phone = tmp_path / "laptop", tmp_path / "phone"
    async with a_server(tmp_path / "server", FaultyStore()) as server:
        profile = await create(server, "Ann", laptop)
        secret = await asyncio.to_thread(secret_for, server, laptop)
        assert await profile_in_a_room(server, laptop) == profile.id
        async with profile_connection(server, secret or "") as mine:
            ticket = await mine.ticket()
            moved = await add_this_device(server, ticket.ticket, phone)
            assert (moved.id, len(moved.devices)) == (profile.id, 2)
            assert await profile_in_a_room(server, phone) == profile.id
            await mine.revoke(1)
            assert mine.profile is None
        assert await profile_in_a_room(server, phone) == profile.id
        assert await profile_in_a_room(server, laptop) is None, "now a guest"


async def test_after_a_restored_backup_nobody_is_locked_out(tmp_path: Path) -> None:
    """The server has its key, but does not know the profile."""
    data, device = tmp_path / "server", tmp_path / "laptop"
    async with a_server(data, FaultyStore()) as server:
        profile = await create(server, "Ann", device)
    async with a_server(data, FaultyStore()) as server:
        assert await profile_in_a_room(server, device) is None, "a guest can race"
        again = await create(server, "Ann", device)
        assert again.id == profile.id
        assert await profile_in_a_room(server, device) == profile.id


async def test_a_profile_in_a_database_is_deleted_and_its_records_signed_again(
    tmp_path: Path,
) -> None:
    """With the files of a real server: SQLite, and the key that signs records."""
    clock, settings = Calendar(), ServerSettings(port=0, data=str(tmp_path / "server"))
    device = tmp_path / "laptop"
    async with running(settings, clock=clock) as server:
        url = f"http://127.0.0.1:{server.port}"
        profile = await create(url, "Ann", device)
        secret = await asyncio.to_thread(secret_for, url, device) or ""
        hello = m.Hello(1, m.Create("Ann", rules("2x2")), profile=secret)
        async with connected(server.port) as ann:
            await ann.send(hello)
            await ann.until(m.Welcome)
            async with connected(server.port, m.Join(ann.code, "Ben")) as ben:
                together = await race(ann, ben)
                await ben.send(m.Leave())
                await ben.closed()
            await ann.send(m.Rematch(together))
            await ann.until(m.RoomEvent, lambda one: one.room.race != together)
            await ann.send(m.Start(ann.race))
            await ann.until(m.BoardEvent)
            await ann.phase("racing")
            await ann.solve()
            alone = (await ann.until(m.Results)).race
            await eventually(lambda: server.registry.idle)
            await ann.send(m.Leave())
        async with profile_connection(url, secret) as mine:
            page = await mine.history("2x2")
            assert [row.race for row in page.rows] == [alone, together]
            await mine.forget()
    clock.shift_ms = FORGET_MS + 60_000
    async with running(settings, clock=clock) as server:
        url = f"http://127.0.0.1:{server.port}"
        key = server.registry.services.key.public
        await eventually(lambda: not server.registry.profiles.sweeping)
        assert await server.view.record(alone) is None
        file: Any = canonical.decode(await server.view.record(together) or b"")
        checks = verify(file, check_signature, key=key)
        assert {check.verdict for check in checks} == {"ok"}
        names = sorted(racer["name"] for racer in file["record"]["racers"])
        assert (names, file["record"]["redacted"]) == (["Ben", "deleted"], True)
        reply = await asyncio.to_thread(get, url, f"/api/profiles/{profile.id}")
        assert reply.status == 404
        async with profile_connection(url, secret) as mine:
            assert mine.profile is None
