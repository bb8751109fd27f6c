import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sliderace_client.net import locate, mdns
from sliderace_client.net.http import Unreachable, get, is_live
from sliderace_client.net.locate import (
    NotFound,
    Place,
    ServerFile,
    find,
    local_addresses,
    parse,
    read,
    read_server_file,
    server_address,
)
from sliderace_client.shared_ui.settings import remember_server


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("KWXTRB", Place("", "KWXTRB")),
        (" kwx-trb ", Place("", "KWXTRB")),
        ("kwx trb", Place("", "KWXTRB")),
        ("KWX-TRB@192.0.2.7", Place("http://192.0.2.7:8710", "KWXTRB")),
        ("kwxtrb@Race.local:80", Place("http://race.local:80", "KWXTRB")),
        ("KWXTRB@[::1]:8711", Place("http://[::1]:8711", "KWXTRB")),
        ("KWXTRB@[fe80::1%25eth0]", Place("http://[fe80::1%eth0]:8710", "KWXTRB")),
        ("KWXTRB@https://x.example", Place("https://x.example", "KWXTRB")),
        ("http://192.0.2.7:8710/KWXTRB", Place("http://192.0.2.7:8710", "KWXTRB")),
        ("192.0.2.7:8710/kwx-trb", Place("http://192.0.2.7:8710", "KWXTRB")),
        ("https://x.example/KWXTRB/", Place("https://x.example", "KWXTRB")),
        ("https://x.example/a/KWXTRB?x=1#y", Place("https://x.example/a", "KWXTRB")),
    ],
)
def test_all_forms_of_a_room_are_understood(text: str, place: Place) -> None:
    assert parse(text) == read(text) == place


RACE = "KWXTRB-SA1B2C-3"


@pytest.mark.parametrize(
    ("text", "server"),
    [
        (RACE, ""),
        ("kwxtrb-sa1b2c-3", ""),
        (f"{RACE}@192.0.2.7", "http://192.0.2.7:8710"),
        (f"192.0.2.7:9000/replay/{RACE}", "http://192.0.2.7:9000"),
        (f"http://192.0.2.7:9000/replay/{RACE}?t=3", "http://192.0.2.7:9000"),
        (f"https://x.example/a/replay/{RACE}", "https://x.example/a"),
        (f"https://x.example/api/races/{RACE}", "https://x.example"),
    ],
)
def test_all_forms_of_a_race_are_understood(text: str, server: str) -> None:
    assert read(text) == parse(text) == Place(server, "KWXTRB", RACE)


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("localhost", "http://localhost:8710"),
        ("192.0.2.7:80", "http://192.0.2.7:80"),
        ("::1", "http://[::1]:8710"),
        ("[::1]:9000", "http://[::1]:9000"),
        ("https://x.example/a/", "https://x.example/a"),
        ("wss://x.example", "https://x.example"),
    ],
)
def test_all_forms_of_a_server_are_understood(text: str, server: str) -> None:
    assert read(text) == Place(server)
    assert server_address(text) == server


@pytest.mark.parametrize(
    "text",
    ["KWX-TRB@h:1", f"{RACE}@h:1", "http://h:1/KWXTRB", f"http://h:1/replay/{RACE}"],
)
def test_link_or_code_with_host_names_its_server(text: str) -> None:
    assert server_address(text) == "http://h:1"


@pytest.mark.parametrize("text", ["", "KWXTRB", RACE, "http://", "a b", "h:x", "//"])
def test_text_without_a_server_is_not_found(text: str) -> None:
    with pytest.raises(NotFound):
        server_address(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "KWXTR", "LOVELY", "KWXTRB@", "KWXTRB@host:x", "KWXTRB@a@b/c"),
        *("http://", "http:///KWXTRB", "ftp://host/KWXTRB", "http://host", "@", "/"),
        *("http://u:p@host/KWXTRB", "http://[::1/KWXTRB", "KWXTRB@host:99999"),
    ],
)
def test_invalid_room_is_not_found(text: str) -> None:
    with pytest.raises(NotFound):
        parse(text)


@given(st.text(max_size=40))
def test_any_text_is_a_place_or_not_found(text: str) -> None:
    try:
        place = parse(text)
    except NotFound:
        return
    assert len(place.code) == 6


@pytest.mark.parametrize(
    ("bind", "base"),
    [
        ("0.0.0.0", "http://127.0.0.1:9000"),
        ("", "http://127.0.0.1:9000"),
        ("::", "http://127.0.0.1:9000"),
        ("192.0.2.7", "http://192.0.2.7:9000"),
        ("::1", "http://[::1]:9000"),
    ],
)
def test_server_file_gives_the_local_address(
    tmp_path: Path, bind: str, base: str
) -> None:
    (tmp_path / "server.json").write_text(json.dumps({"port": 9000, "bind": bind}))
    assert read_server_file(tmp_path) == ServerFile(9000, bind)
    assert local_addresses(tmp_path) == [base, "http://127.0.0.1:8710"]


NONSENSE = [None, "", "[]", "{}", '{"port": "x"}', '{"port": 1e400}', "3", "[" * 5000]


@pytest.mark.parametrize("text", NONSENSE)
def test_damaged_server_file_counts_as_missing(
    tmp_path: Path, text: str | None
) -> None:
    if text is not None:
        (tmp_path / "server.json").write_text(text)
    assert read_server_file(tmp_path) is None
    assert local_addresses(tmp_path) == ["http://127.0.0.1:8710"]


# --- Asking --------------------------------------------------------------------------


@asynccontextmanager
async def rooms(*codes: str) -> AsyncGenerator[str]:
    """A server that only reports which rooms it has."""

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        known = request == "/healthz" or request.rpartition("/")[2] in codes
        status = "200 OK" if known else "404 Not Found"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide all servers but those of the test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(locate, "DEFAULT_PORT", 9)
    monkeypatch.setattr(mdns, "lan_addresses", list[str])


@pytest.mark.usefixtures("alone")
async def test_only_the_given_server_is_asked() -> None:
    async with rooms("KWXTRB") as one, rooms("BBBBBB") as other:
        await asyncio.to_thread(remember_server, other)
        assert await find("KWX-TRB", one) == Place(one, "KWXTRB")
        assert await find(f"{one}/KWXTRB", other) == Place(one, "KWXTRB")
        with pytest.raises(NotFound, match="has no room BBB-BBB"):
            await find("BBBBBB", one)


@pytest.mark.usefixtures("alone")
async def test_unreachable_server_is_named() -> None:
    async with rooms() as gone:
        pass
    with pytest.raises(NotFound, match="Cannot reach"):
        await find("KWXTRB", gone)


@pytest.mark.usefixtures("alone")
async def test_this_machine_comes_before_the_server_used_last(tmp_path: Path) -> None:
    async with rooms("KWXTRB") as here_, rooms("KWXTRB", "BBBBBB") as last:
        port = int(here_.rpartition(":")[2])
        note = tmp_path / "sliderace" / "server.json"
        await asyncio.to_thread(remember_server, last)
        await asyncio.to_thread(note.write_text, json.dumps({"port": port}))
        assert await find("KWXTRB") == Place(here_, "KWXTRB")
        assert await find("BBBBBB") == Place(last, "BBBBBB")
        with pytest.raises(NotFound, match="CCCCCC@HOST") as caught:
            await find("CCCCCC")
        assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("alone")
async def test_the_network_comes_before_the_server_used_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with rooms("KWXTRB") as near, rooms("KWXTRB") as last:
        await asyncio.to_thread(remember_server, last)

        async def answers(
            has_room: Callable[[str], Awaitable[bool]],
        ) -> str | None:
            address = near.rpartition("/")[2]
            return address if await has_room(address) else None

        monkeypatch.setattr(mdns, "find_server", answers)
        assert await find("KWXTRB") == Place(near, "KWXTRB")


async def test_only_a_sliderace_server_is_live() -> None:
    async with rooms() as url:
        assert await asyncio.to_thread(is_live, url)
    assert not await asyncio.to_thread(is_live, url)


@pytest.mark.parametrize("server", ["http://", "http://host:x", "http://127.0.0.1:9"])
def test_no_answer_is_unreachable(server: str) -> None:
    with pytest.raises(Unreachable):
        get(server, "/healthz")
