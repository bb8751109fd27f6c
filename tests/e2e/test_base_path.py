"""A server under a base path, and with its own TLS, for both clients."""

import datetime
import ssl
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.e2e.protocol_client import ProtocolClient, connected, running_server
from tests.e2e.test_http import ask
from websockets.asyncio.client import connect

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event, encode_command
from sliderace_client.net.connection import socket_url
from sliderace_server.app import running
from sliderace_server.settings import ServerSettings, SettingsError


def make_certificate(folder: Path) -> Path:
    """Create a certificate for this machine, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), 1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    form = serialization.PrivateFormat.PKCS8
    file = folder / "both.pem"
    file.write_bytes(
        key.private_bytes(pem, form, serialization.NoEncryption())
        + made.public_bytes(pem)
    )
    return file


@pytest.fixture(scope="module")
def cert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("tls"))


async def test_the_server_answers_under_its_base_path_and_at_the_root() -> None:
    async with (
        running_server(base_path="/race") as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        assert server.url.endswith("/race")
        for path in ("/", "/app/app.js", f"/{ann.code}", "/api/rooms"):
            below = await ask(server.port, f"/race{path}")
            root = await ask(server.port, path)
            assert (below.status, below.body) == (200, root.body)
        assert (await ask(server.port, "/race/healthz")).status == 200
        away = await ask(server.port, "/race")
        assert (away.status, away.headers["location"]) == (308, "/race/")
        for path in (
            "/racecar/healthz",
            "/race/race/",
            "/race//etc/passwd",
            "/race/../app.js",
        ):
            assert (await ask(server.port, path)).status == 404
        url = socket_url(f"http://127.0.0.1:{server.port}/race")
        async with connect(url, proxy=None) as socket:
            hello = m.Hello(v=1, enter=m.Join(code=ann.code, name="Ben"))
            await socket.send(encode_command(hello))
            assert isinstance(decode_event(await socket.recv()), m.Welcome)


async def test_links_contain_the_public_address_and_base_path() -> None:
    public = "https://race.example/race"
    async with (
        running_server(public_url=public) as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        found = (await ask(server.port, f"/race/api/rooms/{ann.code}")).json()
        assert found["links"] == [f"{public}/{ann.code}"]
        listed = (await ask(server.port, "/race/api/rooms")).json()
        assert listed["links"] == [f"{public}/"]
        own = await ask(server.port, "/race/", Origin="https://race.example")
        assert own.status == 200


async def test_with_a_certificate_http_and_websocket_use_tls(cert: Path) -> None:
    settings = ServerSettings(port=0, memory=True, tls_cert=str(cert))
    trust = ssl.create_default_context(cafile=str(cert))
    async with running(settings) as server:
        assert server.url.startswith("https://")
        url = socket_url(server.url)
        assert url.startswith("wss://")
        async with connect(url, proxy=None, ssl=trust) as socket:
            hello = m.Hello(v=1, enter=m.Open())
            await socket.send(encode_command(hello))
            opened = decode_event(await socket.recv())
            assert isinstance(opened, m.Opened)
            assert opened.link.startswith("https://127.0.0.1:")
            await socket.wait_closed()
            assert socket.close_code == 1000
        with pytest.raises(ssl.SSLCertVerificationError):
            async with connect(url, proxy=None):
                raise AssertionError("it trusts whom it does not know")
        assert server.view.health()["rooms"] == 1


async def test_with_a_certificate_bots_of_the_server_can_connect(cert: Path) -> None:
    settings = ServerSettings(port=0, memory=True, tls_cert=str(cert))
    trust = ssl.create_default_context(cafile=str(cert))
    async with (
        running(settings) as server,
        connect(socket_url(server.url), proxy=None, ssl=trust) as socket,
    ):
        ann = ProtocolClient(socket)
        await ann.send(m.Hello(v=1, enter=m.Create("Ann")))
        await ann.until(m.Welcome)
        await ann.send(m.Bots([m.BotWanted("club")]))
        await ann.sees_ready(2)


@pytest.mark.parametrize("text", ["", "-----BEGIN CERTIFICATE-----"])
async def test_an_invalid_certificate_is_an_error_at_the_start(
    tmp_path: Path, text: str
) -> None:
    for file in (tmp_path / "cert.pem", tmp_path / "missing.pem"):
        (tmp_path / "cert.pem").write_text(text)
        settings = ServerSettings(port=0, memory=True, tls_cert=str(file))
        with pytest.raises(SettingsError, match=r"tls_cert: .*pem: "):
            async with running(settings):
                raise AssertionError("it runs")
