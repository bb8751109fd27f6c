"""A broker that cannot be used causes an error of one line, and nothing else."""

import asyncio
import json
import re
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.cluster.nats_credentials import credentials
from tests.e2e.test_base_path import make_certificate
from tests.nats_server import Brokers

from sliderace_server.cluster.connection import connected
from sliderace_server.storage import StorageUnavailable, StoreRefused


async def refusal(*urls: str) -> str:
    with pytest.raises(StoreRefused) as error:
        async with connected(urls):
            pass
    return re.sub(r":\d+", ":PORT", str(error.value))


async def test_unreachable_brokers_are_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"nats://127.0.0.1:{unused.getsockname()[1]}"
        text = await refusal(url, "nats://no-such-host.invalid:4222")
    places = "127.0.0.1:PORT, no-such-host.invalid:PORT"
    assert text.startswith(f"cannot use NATS at {places}: ")


@asynccontextmanager
async def answering(*lines: str) -> AsyncGenerator[str, None]:
    """A server that sends a line at once, and the next one after each line it gets."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for line in lines:
            writer.write(line.encode() + b"\r\n")
            await writer.drain()
            if line == lines[-1]:
                break
            while not (await reader.readline()).startswith((b"PING", b"")):
                pass
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_another_kind_of_server_is_refused() -> None:
    async with answering("220 mail.example.org ESMTP") as url:
        text = await refusal(url)
    assert text.startswith("cannot use NATS at 127.0.0.1:PORT: ")


async def test_an_old_version_is_refused() -> None:
    info = {"server_id": "x", "version": "2.8.4", "headers": True, "max_payload": 1}
    async with answering(f"INFO {json.dumps(info)}", "PONG") as url:
        text = await refusal(url)
    place = "NATS at 127.0.0.1:PORT"
    assert text == f"{place} has version 2.8; sliderace needs 2.9 or later"


async def test_a_broker_without_jetstream_is_refused(tmp_path: Path) -> None:
    with Brokers(tmp_path, jetstream=False) as plain:
        text = await refusal(*plain.urls)
    assert text == (
        "cannot use JetStream of NATS at 127.0.0.1:PORT: "
        "it is not enabled; start nats-server with -js"
    )


async def test_wrong_credentials_are_refused(tmp_path: Path) -> None:
    """The line does not contain the password."""
    more = 'authorization { user: ann, password: "s3cret" }'
    with Brokers(tmp_path, more=more) as guarded:
        (url,) = guarded.urls
        place = url.removeprefix("nats://")
        for wrong in (url, f"nats://ann:guess@{place}"):
            text = await refusal(wrong)
            assert text == "cannot use NATS at 127.0.0.1:PORT: Authorization Violation"
        async with connected([f"nats://ann:s3cret@{place}"]) as connection:
            assert connection.brokers == 1


async def test_a_user_who_may_not_use_jetstream_is_refused(tmp_path: Path) -> None:
    allowed = 'publish: ["sr.>"], subscribe: [">"]'
    user = f"{{user: ann, password: s3cret, permissions: {{ {allowed} }} }}"
    with Brokers(tmp_path, more=f"authorization {{ users: [{user}] }}") as guarded:
        (url,) = guarded.urls
        text = await refusal(url.replace("//", "//ann:s3cret@"))
    assert 'permissions violation for publish to "$js.api.info' in text.lower()


async def test_a_file_with_credentials_is_used(tmp_path: Path) -> None:
    file = tmp_path / "node.creds"
    with Brokers(tmp_path / "broker", more=credentials(file)) as guarded:
        async with connected(guarded.urls, credentials=str(file)) as connection:
            assert (await connection.ask("$JS.API.INFO")).data
        assert "Authorization Violation" in await refusal(*guarded.urls)


async def test_brokers_may_use_tls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their certificate must be from an authority that this machine trusts."""
    cert = make_certificate(tmp_path)
    more = f'tls {{ cert_file: "{cert}", key_file: "{cert}" }}'
    with Brokers(tmp_path / "broker", more=more) as secure:
        urls = [url.replace("nats://", "tls://") for url in secure.urls]
        assert "certificate verify failed" in await refusal(*urls)
        monkeypatch.setenv("SSL_CERT_FILE", str(cert))
        async with connected(urls) as connection:
            assert (await connection.ask("$JS.API.INFO")).data


async def test_a_missing_file_with_credentials_is_refused(broker: Brokers) -> None:
    with pytest.raises(StoreRefused, match="No such file"):
        async with connected(broker.urls, credentials="/nowhere/x.creds"):
            pass


async def test_a_request_without_a_responder_fails_at_once(broker: Brokers) -> None:
    async with connected(broker.urls) as connection:
        with pytest.raises(StorageUnavailable, match="no leader"):
            await connection.ask("nobody.here", within_s=60)
        with pytest.raises(ValueError, match="too large"):
            await connection.ask("nobody.here", bytes(2_000_000))
        waiting = await connection.send("$SYS.nobody", within_s=0.01)
        with pytest.raises(StorageUnavailable):
            await waiting
    with pytest.raises(StorageUnavailable, match="no connection"):
        await connection.ask("nobody.here")


def test_a_server_alone_never_imports_the_packages_of_a_cluster() -> None:
    program = (
        "import asyncio, sys\n"
        "from sliderace_server import cli\n"
        "from sliderace_server.app import running\n"
        "from sliderace_server.settings import ServerSettings\n"
        "async def main():\n"
        "    async with running(ServerSettings(memory=True, port=0)): pass\n"
        "asyncio.run(main())\n"
        "print([one for one in ('nats', 'asyncpg', 'nkeys') if one in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
