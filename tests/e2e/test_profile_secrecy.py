"""The secret of a profile leaves the server nowhere; everything is searched for it."""

import asyncio
import base64
import contextlib
import logging
from collections.abc import AsyncGenerator, Iterable
from hashlib import sha256
from http.client import HTTPConnection
from typing import Any

import pytest
from tests.e2e.owners import owning, secret_of
from tests.e2e.protocol_client import ProtocolClient, connected, eventually, rules
from tests.e2e.test_http import ask
from tests.e2e.test_profiles import Calendar, an_owner, profile_server
from tests.e2e.test_secrecy import as_logged
from websockets.asyncio.client import connect

from sliderace.protocol import messages as m
from sliderace_client.net.http import get
from sliderace_client.net.profile_connection import profile_connection
from sliderace_server.app import Server
from sliderace_server.registry.profile_service import FORGET_MS

DEVICES = ("laptop", "phone", "stranger")
SECRETS = [secret_of(device) for device in DEVICES]


def spellings() -> list[str]:
    """Return the possible spellings of secrets and their hashes, in lower case."""
    found = [*SECRETS, *(sha256(one.encode()).hexdigest() for one in SECRETS)]
    for text in found[:]:
        raw = bytes.fromhex(text)
        codes = [base64.b64encode(raw), base64.urlsafe_b64encode(raw)]
        found += [code.decode().rstrip("=") for code in codes]
        found += [repr(raw)[2:-1], ", ".join(map(str, raw))]
        found += ["-".join(text[n : n + 4] for n in range(0, len(text), 4))]
    return [one.lower() for one in found]


def assert_clean(texts: Iterable[str]) -> None:
    hidden = spellings()
    for text in texts:
        small = text.lower()
        assert not [one for one in hidden if one in small], text[:200]


@contextlib.asynccontextmanager
async def player(
    port: int, enter: m.Create | m.Join | m.Resume, device: str
) -> AsyncGenerator[ProtocolClient, None]:
    """Enter a room with the profile of a device."""
    async with connected(port) as client:
        hello = m.Hello(1, enter, device, can=["gains"], profile=secret_of(device))
        await client.send(hello)
        await client.until(m.Welcome)
        yield client


async def race(*players: ProtocolClient) -> str:
    """Race; return the id of the race."""
    for one in players:
        await one.send(m.Ready(one.race))
    for one in players:
        await one.until(m.BoardEvent)
        await one.phase("racing")
    for one in players:
        await one.solve()
    (race,) = {(await one.until(m.Results)).race for one in players}
    return race


async def pages(server: Server, *paths: str) -> list[str]:
    """Fetch what anybody can fetch, and what owners can."""
    found: list[str] = []
    for secret in (None, *SECRETS):
        headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        for path in paths:
            reply = await ask(server.port, path, **headers)
            found += [str(reply.body, "latin-1"), str(reply.headers)]
    return found


async def test_no_log_metric_record_page_or_event_contains_a_secret(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even one that the server does not know, nor the hash that it stores."""
    caplog.set_level(logging.DEBUG, "sliderace_server")
    monkeypatch.setattr(logging.getLogger("websockets"), "disabled", True)
    clock, texts = Calendar(), list[str]()
    async with (
        profile_server(clock) as (server, store),
        an_owner(server.port) as ann,
        owning(server.port, "phone") as phone,
        owning(server.port, "stranger") as stranger,
    ):
        profile = await ann.profile(m.Rename("Zoë"))
        ticket = await ann.ticket()
        assert await stranger.refused(m.Claim("BBBBBBBB")) == "bad_ticket"
        assert await stranger.refused(m.Revoke(1)) == "profile_unknown"
        await phone.profile(m.Claim(ticket))
        create = m.Create("Zoë", rules("2x2"), public=True)
        async with (
            player(server.port, create, "laptop") as host,
            player(server.port, m.Join(host.code, "Other"), "stranger") as guest,
            connected(server.port, m.Join(host.code, "Eve", "spectator")) as eve,
        ):
            raced = await race(host, guest)
            await eventually(lambda: store.real.results.record(raced))
            await host.until(m.Gains)
            texts += [str(f) for one in (host, guest, eve) for f in one.frames]
            resume = m.Resume(host.code, host.token)
            async with player(server.port, resume, "laptop") as again:
                await again.sync()
                texts += map(str, again.frames)
            code = host.code
        answer = await ann.ask(m.History("2x2"))
        assert isinstance(answer, m.HistoryEvent)
        assert [row.race for row in answer.rows] == [raced]
        store.full = True
        assert await ann.refused(m.Forget()) == "storage_unavailable"
        store.full = False
        await phone.profile(m.Forget())
        paths = (
            "/",
            "/healthz",
            "/metrics",
            "/api/rooms",
            f"/api/rooms/{code}",
            "/api/races",
            f"/api/races/{raced}",
            f"/api/profiles/{profile.id}",
            f"/api/profiles/{profile.id}/export",
            "/api/boards?event=2x2",
            "/api/daily",
        )
        texts += await pages(server, *paths)
        owners = (ann, phone, stranger)
        texts += [str(frame) for one in owners for frame in one.client.frames]
        clock.shift_ms = FORGET_MS
        server.registry.profiles.stop()
        server.registry.profiles.start()
        await eventually(lambda: not server.registry.profiles.sweeping)
        texts += await pages(server, *paths)
        texts.append(repr(server.registry.profiles))
    lines = as_logged(caplog)
    for event in ("profile created", "device added", "profile deleted"):
        assert event in lines
    texts += [lines, caplog.text]
    assert_clean(texts)
    with pytest.raises(AssertionError):
        assert_clean([*texts, f"profile={SECRETS[1]}"])


async def test_a_secret_is_sent_in_no_url(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would log it."""
    asked: list[str] = []

    def connecting(url: str, **how: Any) -> connect:
        asked.append(url)
        return connect(url, **how)

    class Connection(HTTPConnection):
        def request(self, method: str, url: str, **more: Any) -> None:  # type: ignore[override]
            asked.append(url)
            super().request(method, url, **more)

    client = "sliderace_client.net"
    monkeypatch.setattr(f"{client}.connection.connect", connecting)
    monkeypatch.setattr(f"{client}.http.HTTPConnection", Connection)
    async with profile_server() as (server, _):
        url = f"http://127.0.0.1:{server.port}"
        async with profile_connection(url, SECRETS[0]) as mine:
            await mine.keep("Ann")
            assert mine.profile is not None
            path = f"/api/profiles/{mine.profile.id}"
        reply = await asyncio.to_thread(get, url, path, 3.0, SECRETS[0])
        assert reply.status == 200
    assert len(asked) == 2
    assert_clean(asked)
