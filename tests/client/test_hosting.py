import re
import socket
from pathlib import Path

import pytest

from sliderace_client import local_server
from sliderace_client.cli.host import invitation, qr_lines, shows_blocks
from sliderace_client.local_server import (
    HostError,
    address_for_others,
    clean_line,
    free_port,
    links,
)
from sliderace_client.net.locate import parse

BASE = "http://127.0.0.1:8710"
LAN = "http://192.0.2.7:8710/KWXTRB"


def test_invitation_without_a_network_is_for_this_machine_only() -> None:
    text = "\n".join(invitation("KWXTRB", [], BASE))
    assert "Room KWX-TRB" in text
    assert "Only this machine can join" in text
    assert f"{BASE}/KWXTRB" in text
    assert "sliderace join KWXTRB@127.0.0.1:8710" in text


@pytest.mark.parametrize(
    ("link", "command"),
    [
        (LAN, "sliderace join KWXTRB@192.0.2.7:8710"),
        (
            "https://race.example.org/KWXTRB",
            "sliderace join https://race.example.org/KWXTRB",
        ),
        ("http://x.example/a/KWXTRB", "sliderace join http://x.example/a/KWXTRB"),
        ("http://[2001:db8::7]:8710/KWXTRB", "'KWXTRB@[2001:db8::7]:8710'"),
    ],
)
def test_invitation_has_all_links_the_code_and_the_exact_command(
    link: str, command: str
) -> None:
    lines = invitation("KWXTRB", [link, "http://198.51.100.9:8710/KWXTRB"], BASE)
    text = "\n".join(lines)
    assert "Room KWX-TRB" in text
    assert link in text
    assert "http://198.51.100.9:8710/KWXTRB" in text
    assert command in text
    [typed] = re.findall(r"sliderace join '?([^'\n]+)", text)
    assert parse(typed) == parse(link)


def test_a_qr_code_is_black_on_white_and_square() -> None:
    lines = qr_lines(LAN)[:-1]
    rows = [re.sub("\x1b\\[[0-9;]*m", "", line).removeprefix("  ") for line in lines]
    assert len({len(row) for row in rows}) == 1
    assert abs(len(rows[0]) - 2 * len(rows)) <= 1
    assert set("".join(rows)) == set(" ▀▄█")
    assert all("38;5;16;48;5;231m" in line for line in lines)


def test_half_blocks_need_a_suitable_encoding() -> None:
    assert shows_blocks("utf-8")
    assert not shows_blocks("ascii")
    assert not shows_blocks("no such encoding")


def test_links_lead_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        local_server, "lan_addresses", lambda: ["192.0.2.7", "198.51.100.9"]
    )
    two = [LAN, "http://198.51.100.9:8710/KWXTRB"]
    assert links(BASE, "KWXTRB", "0.0.0.0") == two
    assert links(BASE, "KWXTRB", "::") == two
    assert links(BASE, "KWXTRB", "127.0.0.1") == []
    assert links(BASE, "KWXTRB", "::1") == []
    assert links(BASE, "KWXTRB", "localhost") == []
    assert links(BASE, "KWXTRB") == []
    assert links("http://192.0.2.7:8710", "KWXTRB", "192.0.2.7") == [LAN]
    assert links(BASE, "KWXTRB", "127.0.0.1", "https://x.example") == [
        "https://x.example/KWXTRB"
    ]
    assert links(BASE, "KWXTRB", "127.0.0.1", BASE) == []


def test_another_device_is_told_an_address_that_it_can_reach(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(local_server, "lan_addresses", lambda: ["192.0.2.7"])
    assert address_for_others(BASE) == BASE
    folder = tmp_path / "sliderace"
    folder.mkdir()
    (folder / "server.json").write_text('{"port": 8710, "bind": "0.0.0.0"}')
    assert address_for_others(BASE) == "http://192.0.2.7:8710"
    assert address_for_others("http://192.0.2.9:8710") == "http://192.0.2.9:8710"
    (folder / "server.json").write_text('{"port": 8710, "bind": "127.0.0.1"}')
    assert address_for_others(BASE) == BASE


def test_next_free_port_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert free_port("127.0.0.1", port) > port
    assert free_port("127.0.0.1", port) == port
    assert free_port("127.0.0.1", 0) == 0


def test_listening_on_another_machines_address_fails() -> None:
    with pytest.raises(HostError, match=r"Cannot listen on 192\.0\.2\.1"):
        free_port("192.0.2.1", 8710)


def test_log_line_is_cleaned() -> None:
    assert clean_line("\x1b[2Jgone\x07" + "x" * 500) == ("[2Jgone " + "x" * 192)
