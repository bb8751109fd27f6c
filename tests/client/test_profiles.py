"""The secrets of our profiles on this device."""

import asyncio
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.client.test_connection import address
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from sliderace_client.net import profiles
from sliderace_client.net.http import Unreachable
from sliderace_client.net.profiles import (
    KeptProfile,
    drop,
    keep,
    kept,
    new_secret,
    secret_for,
    server_key,
)
from sliderace_client.platform import lock

KEY, OTHER = "a" * 64, "b" * 64
ANN = KeptProfile("5ec7e7" * 5 + "00", "KWXTRBDF", "Ann", tls=True)


def test_a_secret_has_128_bits() -> None:
    assert new_secret(lambda count: bytes(range(count))) == bytes(range(16)).hex()
    assert new_secret() != new_secret()


def test_a_profile_is_kept_by_the_key_of_its_server(tmp_path: Path) -> None:
    assert kept(KEY, tmp_path) is None
    keep(KEY, ANN, tmp_path)
    keep(OTHER, replace(ANN, name="Ben"), tmp_path)
    assert kept(KEY, tmp_path) == ANN
    drop(OTHER, tmp_path)
    drop(OTHER, tmp_path)
    assert (kept(KEY, tmp_path), kept(OTHER, tmp_path)) == (ANN, None)


def test_the_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    folder, before = tmp_path / "new", os.umask(0)
    try:
        keep(KEY, ANN, folder)
        keep(OTHER, ANN, folder)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {"profiles.json": 0o600, "profiles.lock": 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_secret_is_in_no_repr() -> None:
    assert ANN.secret not in repr(ANN)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "[" * 100_000, "\ud800".encode("utf-8", "surrogatepass")]
)
def test_a_damaged_file_is_put_aside(content: str | bytes, tmp_path: Path) -> None:
    file = tmp_path / "profiles.json"
    data = content if isinstance(content, bytes) else content.encode()
    file.write_bytes(data)
    assert kept(KEY, tmp_path) is None
    keep(KEY, ANN, tmp_path)
    assert kept(KEY, tmp_path) == ANN
    assert (tmp_path / "profiles.json.damaged").read_bytes() == data


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        {},
        {"secret": 7},
        {"secret": "5EC7E7" * 5 + "00"},
        {"secret": ANN.secret + "\n"},
    ],
)
def test_entries_that_make_no_sense_are_ignored(entry: Any, tmp_path: Path) -> None:
    good = {"secret": ANN.secret, "id": 7, "later": True}
    values = {KEY: entry, OTHER: good, "no key": good}
    (tmp_path / "profiles.json").write_text(json.dumps(values))
    assert kept(KEY, tmp_path) is None
    assert kept("no key", tmp_path) is None
    assert kept(OTHER, tmp_path) == KeptProfile(ANN.secret, "7")


def test_processes_that_store_at_once_lose_nothing(tmp_path: Path) -> None:
    keys = [f"{n:064x}" for n in range(20)]

    def store(key: str) -> None:
        keep(key, ANN, tmp_path)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(store, keys))
    assert [kept(key, tmp_path) for key in keys] == [ANN] * 20


def test_a_process_that_keeps_the_lock_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiles, "LOCK_S", 0.0)
    file = os.open(tmp_path / "profiles.lock", os.O_RDWR | os.O_CREAT)
    lock(file)
    with pytest.raises(OSError, match=r".*"):
        keep(KEY, ANN, tmp_path)
    os.close(file)
    keep(KEY, ANN, tmp_path)


# --- for a server ---------------------------------------------------------------------


def healthz(body: bytes) -> Any:
    def answer(connection: ServerConnection, request: Request) -> Response:
        assert request.path == "/healthz"
        return connection.respond(200, body.decode())

    async def never(_: ServerConnection) -> None:
        raise AssertionError

    return serve(never, "127.0.0.1", 0, process_request=answer)


async def asked(body: bytes, folder: Path) -> str | None:
    """Return the secret for a server that answers this to `/healthz`."""
    async with healthz(body) as listening:
        return await asyncio.to_thread(secret_for, address(listening), folder)


async def test_a_secret_is_found_by_the_key_that_the_server_shows(
    tmp_path: Path,
) -> None:
    await asyncio.to_thread(keep, KEY, replace(ANN, tls=False), tmp_path)
    assert await asked(json.dumps({"key": KEY}).encode(), tmp_path) == ANN.secret
    assert await asked(json.dumps({"key": OTHER}).encode(), tmp_path) is None
    for body in (b"", b"[]", b"{}", b'{"key": 7}', b'{"key": "../x"}'):
        with pytest.raises(Unreachable):
            await asked(body, tmp_path)


async def test_a_secret_made_over_tls_is_not_sent_without_it(tmp_path: Path) -> None:
    """Anybody can show the key of another server, and listen on an open network."""
    await asyncio.to_thread(keep, KEY, ANN, tmp_path)
    assert await asked(json.dumps({"key": KEY}).encode(), tmp_path) is None
    assert ANN.may_go_to("https://race.example.org")


def test_without_any_profile_no_server_is_asked(tmp_path: Path) -> None:
    assert secret_for("http://127.0.0.1:9", tmp_path) is None
    with pytest.raises(Unreachable):
        server_key("http://127.0.0.1:9")
