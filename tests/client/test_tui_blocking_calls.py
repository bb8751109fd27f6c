"""The blocking calls of the full-screen client: race records and links."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.client.offline import OfflineClient, running_app, screen, settle

from sliderace_client.local_server import WaitingRoom
from sliderace_client.net.http import Unreachable
from sliderace_client.net.seats import claim
from sliderace_client.race_records import save_record
from sliderace_client.shared_ui.settings import remember_server
from sliderace_client.tui.blocking_calls import room_links, waiting

RECORD = b'{"race": "KWXTRB-SA1B2C-1"}'
LAN = "http://192.0.2.7:8710/KWXTRB"
LINKS = [LAN, 7, "javascript:x", "http://\x1b[2J", "https://race.example.org/KWXTRB"]
ROOM = json.dumps({"code": "KWXTRB", "players": 3, "links": LINKS}).encode()


class Records(BaseHTTPRequestHandler):
    """A server with one race record and one room."""

    def do_GET(self) -> None:
        body = {"/api/races/1": RECORD, "/api/rooms/KWXTRB": ROOM}.get(self.path, b"")
        self.send_response(200 if body else 404)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Records) as listening:
        thread = Thread(target=listening.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    inner = tmp_path / "here"
    inner.mkdir()
    monkeypatch.chdir(inner)
    return inner


def test_race_record_is_stored_unchanged(server: str, folder: Path) -> None:
    target = save_record(server, "KWXTRB-SA1B2C-1", "/api/races/1")
    assert target == folder / "sliderace-KWXTRB-SA1B2C-1.json"
    assert target.read_bytes() == RECORD


@pytest.mark.parametrize("race", ["../../x", "/etc/passwd", "A/../../B", "\x1b[2J", ""])
def test_hostile_race_id_names_no_file_elsewhere(
    server: str, folder: Path, race: str
) -> None:
    target = save_record(server, race, "/api/races/1")
    assert target.parent == folder
    assert target.name.isprintable()
    assert sorted(folder.parent.iterdir()) == [folder]


def test_missing_race_record_is_not_stored(server: str, folder: Path) -> None:
    with pytest.raises(Unreachable, match="no record"):
        save_record(server, "KWXTRB-SA1B2C-1", "/api/races/2")
    assert list(folder.iterdir()) == []


def test_hostile_links_of_a_room_are_dropped(server: str) -> None:
    assert room_links(server, "KWXTRB") == (LAN, "https://race.example.org/KWXTRB")
    assert room_links(server, "BBBBBB") == ()
    assert room_links("http://127.0.0.1:9", "KWXTRB") == ()


def test_room_where_others_wait_is_found(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only one where we have a seat that no other client uses."""
    for kind in ("DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path))
    assert waiting() is None
    remember_server(server)
    assert waiting() is None
    seat = claim("KWXTRB", "Ann")
    assert seat is not None
    seat.keep("ab" * 16, "Ann")
    assert waiting() is None
    seat.release()
    assert waiting() == WaitingRoom(server, "KWXTRB", 2)


async def test_lobby_replaces_a_loopback_link_by_one_for_others(
    server: str,
) -> None:
    async with running_app(OfflineClient(), (80, 30), server=server) as pilot:
        for worker in list(pilot.app.workers):
            if worker.group == "links":
                await worker.wait()
        await settle(pilot)
        text = screen(pilot)
    assert LAN in text
    assert "sliderace join KWXTRB@192.0.2.7:8710" in text
    assert "127.0.0.1" not in text


async def test_lobby_says_that_only_this_machine_can_join() -> None:
    async with running_app(
        OfflineClient(), (80, 30), server="http://127.0.0.1:9"
    ) as pilot:
        text = screen(pilot)
    assert "sliderace join KWX-TRB" in text
    assert "only this machine can join" in text
