"""A server behind nginx and Caddy with the files of server/deploy, for both clients.

The tests change only addresses, ports and the certificate in these files.
"""

import asyncio
import contextlib
import logging
import re
import socket
import ssl
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import HTTPRedirectHandler, build_opener

import pytest
from tests.e2e.protocol_client import (
    QUICK,
    FastClock,
    ProtocolClient,
    eventually,
    running_server,
)
from tests.e2e.test_base_path import make_certificate
from websockets.asyncio.client import connect

from sliderace.protocol import messages as m
from sliderace_client.net import http
from sliderace_client.net.connection import Client, socket_url
from sliderace_client.net.locate import find
from sliderace_client.room.outcomes import End

pytestmark = pytest.mark.timeout(60)

DEPLOY = Path(__file__).parents[2] / "server" / "deploy"
HTTP = """\
daemon off; master_process off; error_log stderr; pid {folder}/pid; events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/1; proxy_temp_path {folder}/2;
    fastcgi_temp_path {folder}/3; uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
    {server}
}}
"""


@dataclass
class Routes:
    """A running proxy.

    Args:
        base: what people see, such as ``https://localhost:443/race``.
        origin: the same without its path.
    """

    base: str
    origin: str


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def for_nginx(text: str, folder: Path, cert: Path, port: int, behind: int) -> list[str]:
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
    text = re.sub(r"listen \[::\].*\n", "", text)
    text = re.sub(r"server_name .*;", "server_name localhost;", text)
    text = re.sub(r"(ssl_certificate\w*) .*;", rf"\1 {cert};", text)
    file = folder / "nginx.conf"
    text = text.replace("127.0.0.1:8710", f"127.0.0.1:{behind}")
    file.write_text(HTTP.format(folder=folder, server=text))
    return ["-p", str(folder), "-e", "stderr", "-c", str(file)]


def for_caddy(text: str, folder: Path, cert: Path, port: int, behind: int) -> list[str]:
    tls = f"https://localhost:{port} {{\n\tbind 127.0.0.1\n\ttls {cert} {cert}"
    text = re.sub(r"^\S+ \{$", tls, text, flags=re.MULTILINE)
    text = text.replace("127.0.0.1:8710", f"127.0.0.1:{behind}")
    file = folder / "Caddyfile"
    file.write_text("{\n\tadmin off\n\tauto_https off\n}\n" + text)
    return ["run", "--config", str(file), "--adapter", "caddyfile"]


@contextlib.asynccontextmanager
async def proxied(
    program: str, name: str, folder: Path, behind: int, port: int
) -> AsyncGenerator[Routes, None]:
    """Run a proxy with one of our files."""
    prepare = for_nginx if "nginx" in name else for_caddy
    text = (DEPLOY / name).read_text()
    arguments = prepare(text, folder, folder / "both.pem", port, behind)
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with (folder / "proxy.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            program, *arguments, stdin=DEVNULL, stdout=log, stderr=log, env=home
        )

    async def listens() -> bool:
        assert process.returncode is None, (folder / "proxy.log").read_text()
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return True
        return False

    try:
        async with asyncio.timeout(30):
            while not await listens():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), 0.05)
        path = "/race" if "-path" in name else ""
        origin = f"https://localhost:{port}"
        yield Routes(origin + path, origin)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@pytest.mark.parametrize(
    "name", ["nginx.conf", "nginx-path.conf", "Caddyfile", "Caddyfile-path"]
)
async def test_both_clients_race_behind_a_proxy(
    name: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    program = request.getfixturevalue("nginx" if "nginx" in name else "caddy")
    caplog.set_level(logging.DEBUG, "sliderace_server")
    cert = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    port = free_port()
    path = "/race" if "-path" in name else ""
    async with (
        running_server(
            clock=FastClock(3),  # pings pass through the proxy
            public_url=f"https://localhost:{port}{path}",
            trusted_proxies=("127.0.0.1",),
        ) as server,
        proxied(program, name, tmp_path, server.port, port) as site,
    ):
        await looks_like_the_page(site)
        await races(site)
        received = {
            getattr(record, "address", "127.0.0.1") for record in caplog.records
        }
        assert received <= {"127.0.0.1", "::1"}


async def get(site: Routes, path: str) -> http.Reply:
    return await asyncio.to_thread(http.get, site.base, path)


async def looks_like_the_page(site: Routes) -> None:
    """Fetch the page and its files as a browser does."""
    page = await get(site, "/KWXTRB")
    assert page.status == 200
    named = re.findall(r'(?:href|src)="([^":]+)"', page.body.decode())
    assert "main.js" in named
    for file in ("main.js", "styles/base.css", "ui/parts/board-view.js"):
        assert (await get(site, f"/{file}")).status == 200
    assert (await get(site, "/healthz")).status == 200
    assert (await get(site, "/metrics")).status in (403, 404)
    if site.base != site.origin:
        assert await asyncio.to_thread(lands, site.base) == f"{site.base}/"


def lands(url: str) -> str:
    """Return the final address after redirects."""
    with build_opener(HTTPRedirectHandler).open(url, timeout=10) as answer:
        return str(answer.geturl())


async def races(site: Routes) -> None:
    """Race one player by WebSocket, with a forged address, and one in the terminal."""
    trust = await asyncio.to_thread(ssl.create_default_context)
    lie = {"X-Forwarded-For": "203.0.113.9"}
    async with connect(
        socket_url(site.base),
        proxy=None,
        ssl=trust,
        origin=site.origin,  # type: ignore[arg-type]
        additional_headers=lie,
    ) as page:
        ann = ProtocolClient(page)
        await ann.send(m.Hello(v=1, enter=m.Create(name="Ann", rules=QUICK)))
        await ann.until(m.Welcome)
        place = await find(f"{site.base}/{ann.code}")
        listing: Any = (await get(site, f"/api/rooms/{ann.code}")).json()
        assert listing["links"] == [f"{site.base}/{ann.code}"]
        terminal = Client(place.server, m.Join(code=place.code, name="Ben"))
        running = asyncio.create_task(terminal.run())
        await eventually(lambda: terminal.view.welcomed)
        await ann.send(m.Ready(race=ann.race))
        terminal.ask(m.Ready(race=ann.race))
        await ann.until(m.BoardEvent)
        await ann.phase("racing")  # with high latency the board arrives long before T0
        await ann.solve()
        received = await ann.until(m.StandingEvent)
        assert (received.standing.name, received.standing.status) == ("Ann", "finished")
        await ann.send(m.Close())
        assert await ann.closed() == 4502
        assert (await running).why is End.CLOSED_BY_HOST
