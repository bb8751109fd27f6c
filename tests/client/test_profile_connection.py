"""Managing a profile, against a server that follows a script."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.client.test_connection import Peer, Script, address
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from sliderace.protocol import messages as m
from sliderace_client.net import profile_connection as tested
from sliderace_client.net.http import Unreachable
from sliderace_client.net.profile_connection import (
    ProfileConnection,
    ProfileRefused,
    add_this_device,
    create,
    profile_connection,
)
from sliderace_client.net.profiles import KeptProfile, keep, kept

KEY = "a" * 64
SECRET = "5e" * 16
ANN = m.Profile("KWXTRBDF", "Ann", 1, [m.Device(1, "here", 1, 1, current=True)], [])
EXISTS = m.Refused("keep", "profile_exists", "It exists.")


@contextlib.asynccontextmanager
async def server(*scripts: Script) -> AsyncGenerator[str]:
    """Follow one script for each WebSocket connection, in order; show a key."""
    left = list(scripts)

    async def follow(socket: ServerConnection) -> None:
        await left.pop(0)(Peer(socket))

    def answer(connection: ServerConnection, request: Request) -> Response | None:
        if request.path != "/healthz":
            return None
        body = json.dumps({"key": KEY})
        return connection.respond(200, body)

    async with serve(
        follow,
        "127.0.0.1",
        0,
        subprotocols=[Subprotocol("sliderace.v1")],
        process_request=answer,
    ) as listening:
        yield address(listening)
    assert left == []


async def hello(peer: Peer, profile: m.Profile | None = None) -> str:
    """Take the hello of an owner; return the secret."""
    first = await peer.hear()
    assert isinstance(first, m.Hello)
    assert first.enter == m.Me()
    await peer.say(m.MeEvent(profile))
    return first.profile or ""


async def test_each_command_gets_its_answer() -> None:
    heard: list[m.Command] = []
    page = m.HistoryEvent("4x4", [], more=False)

    async def script(peer: Peer) -> None:
        assert await hello(peer, ANN) == SECRET
        for answer in (
            m.MeEvent(replace_name("Zoë")),
            m.Ticket("KWXTRBDF", 300_000),
            m.MeEvent(ANN),
            page,
            m.MeEvent(None),
        ):
            heard.append(await peer.hear())
            await peer.say(answer)

    async with server(script) as url, profile_connection(url, SECRET) as mine:
        assert shown(mine) == ANN
        await mine.rename("Zoë")
        assert shown(mine) == replace_name("Zoë")
        assert (await mine.ticket()).ticket == "KWXTRBDF"
        await mine.forget(on=False)
        assert await mine.history("4x4", "KWXTRB-SA1B2C-3") == page
        await mine.revoke(1)
        assert shown(mine) is None
    assert heard == [
        m.Rename("Zoë"),
        m.DeviceTicket(),
        m.Forget(on=False),
        m.History("4x4", "KWXTRB-SA1B2C-3"),
        m.Revoke(1),
    ]


def shown(mine: ProfileConnection) -> m.Profile | None:
    return mine.profile  # mypy does not know that a command changes it


def replace_name(name: str) -> m.Profile:
    return m.Profile(ANN.id, name, ANN.created_ms, ANN.devices, ANN.bests)


async def test_a_refusal_is_raised_and_the_connection_stays() -> None:
    async def script(peer: Peer) -> None:
        await hello(peer, ANN)
        await peer.hear()
        await peer.say(m.Refused("rename", "bad_name", "Not that."))
        await peer.hear()
        await peer.say(m.MeEvent(ANN))

    async with server(script) as url, profile_connection(url, SECRET) as mine:
        with pytest.raises(ProfileRefused, match=r"Not that\.") as caught:
            await mine.rename("\u200b")
        assert caught.value.refused.code == "bad_name"
        await mine.rename("Ann")


async def test_a_lost_connection_is_reported() -> None:
    async def gone(peer: Peer) -> None:
        await hello(peer, ANN)
        await peer.socket.close(1012)

    async def rubbish(peer: Peer) -> None:
        await hello(peer, ANN)
        await peer.hear()
        await peer.socket.send("{")

    async with server(gone, rubbish) as url:
        for _ in range(2):
            async with profile_connection(url, SECRET) as mine:
                with pytest.raises(Unreachable):
                    await mine.ticket()


async def test_a_server_that_does_not_answer_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tested, "ANSWER_S", 0.05)

    async def silent(peer: Peer) -> None:
        await peer.socket.wait_closed()

    async with server(silent) as url:
        with pytest.raises(Unreachable):
            async with profile_connection(url, SECRET):
                raise AssertionError


async def test_an_unreachable_server_is_reported() -> None:
    with pytest.raises(Unreachable):
        async with profile_connection("http://127.0.0.1:9", SECRET):
            raise AssertionError


# --- with a new secret ----------------------------------------------------------------


async def on_disk(folder: Path) -> KeptProfile | None:
    return await asyncio.to_thread(kept, KEY, folder)


async def test_a_new_secret_is_stored_before_it_is_used(tmp_path: Path) -> None:
    stored: list[KeptProfile | None] = []

    async def script(peer: Peer) -> None:
        secret = await hello(peer)
        assert await peer.hear() == m.Keep("Ann")
        stored.append(await on_disk(tmp_path))
        assert stored == [KeptProfile(secret)]
        await peer.say(m.MeEvent(ANN))

    async with server(script) as url:
        assert await create(url, "Ann", tmp_path) == ANN
    [before], after = stored, await on_disk(tmp_path)
    assert before is not None
    assert after == replace(before, id=ANN.id, name="Ann")


async def test_a_ticket_adds_this_device(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        await hello(peer)
        assert await peer.hear() == m.Claim("kwxt-rbdf")
        await peer.say(m.MeEvent(ANN))

    async with server(script) as url:
        assert await add_this_device(url, "kwxt-rbdf", tmp_path) == ANN
    assert (found := await on_disk(tmp_path)) is not None
    assert found.name == "Ann"


async def test_a_device_with_a_profile_keeps_it_and_uses_no_ticket(
    tmp_path: Path,
) -> None:
    old = KeptProfile(SECRET, ANN.id, "Ann")
    await asyncio.to_thread(keep, KEY, old, tmp_path)

    async def script(peer: Peer) -> None:
        await hello(peer, ANN)
        await peer.socket.wait_closed()

    async with server(script) as url:
        with pytest.raises(ProfileRefused) as caught:
            await add_this_device(url, "kwxt-rbdf", tmp_path)
    assert caught.value.refused.code == "profile_exists"
    assert await on_disk(tmp_path) == old


async def test_a_refused_new_secret_is_not_kept(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        await hello(peer)
        await peer.hear()
        await peer.say(m.Refused("claim", "bad_ticket", "No."))

    async with server(script) as url:
        with pytest.raises(ProfileRefused):
            await add_this_device(url, "kwxt-rbdf", tmp_path)
    assert await on_disk(tmp_path) is None


async def test_a_secret_that_the_server_has_forgotten_is_used_again(
    tmp_path: Path,
) -> None:
    """Its backup is older than the profile: nobody is locked out."""
    old = KeptProfile(SECRET, "KWXTRBDF", "Ann")
    await asyncio.to_thread(keep, KEY, old, tmp_path)

    async def script(peer: Peer) -> None:
        assert await hello(peer) == SECRET
        await peer.hear()
        await peer.say(m.MeEvent(ANN))

    async def known(peer: Peer) -> None:
        assert await hello(peer, ANN) == SECRET

    async with server(script, known) as url:
        assert await create(url, "Ann", tmp_path) == ANN
        assert await create(url, "Ann", tmp_path) == ANN, "nothing is created twice"
    assert await on_disk(tmp_path) == old


async def test_a_secret_that_was_removed_is_replaced(tmp_path: Path) -> None:
    old = KeptProfile(SECRET, "KWXTRBDF", "Ann")
    await asyncio.to_thread(keep, KEY, old, tmp_path)
    secrets: list[str] = []

    async def removed(peer: Peer) -> None:
        secrets.append(await hello(peer))
        await peer.hear()
        await peer.say(EXISTS)

    async def new(peer: Peer) -> None:
        secrets.append(await hello(peer))
        await peer.hear()
        await peer.say(m.MeEvent(ANN))

    async with server(removed, new) as url:
        await create(url, "Ann", tmp_path)
    assert secrets[0] == SECRET != secrets[1]
    assert (found := await on_disk(tmp_path)) is not None
    assert found.secret == secrets[1]


async def test_refused_three_times_the_old_secret_stays(tmp_path: Path) -> None:
    old = KeptProfile(SECRET, "KWXTRBDF", "Ann")
    await asyncio.to_thread(keep, KEY, old, tmp_path)

    async def removed(peer: Peer) -> None:
        await hello(peer)
        await peer.hear()
        await peer.say(EXISTS)

    async with server(removed, removed, removed) as url:
        with pytest.raises(ProfileRefused):
            await create(url, "Ann", tmp_path)
    assert await on_disk(tmp_path) == old


async def test_a_lost_answer_keeps_the_secret(tmp_path: Path) -> None:
    """The profile may exist."""

    async def script(peer: Peer) -> None:
        await hello(peer)
        await peer.hear()
        await peer.socket.close(1011)

    async def strange(peer: Peer) -> None:
        await hello(peer)
        await peer.hear()
        await peer.say(m.MeEvent(None))

    async with server(script, strange) as url:
        for _ in range(2):
            with pytest.raises(Unreachable):
                await create(url, "Ann", tmp_path)
    assert await on_disk(tmp_path) is not None


async def test_a_secret_made_over_tls_does_not_go_out_without_it(
    tmp_path: Path,
) -> None:
    old = KeptProfile(SECRET, "KWXTRBDF", "Ann", tls=True)
    await asyncio.to_thread(keep, KEY, old, tmp_path)
    async with server() as url:
        with pytest.raises(Unreachable, match="https"):
            await create(url, "Ann", tmp_path)
    assert await on_disk(tmp_path) == old
