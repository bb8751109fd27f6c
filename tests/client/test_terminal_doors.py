"""What the full-screen client does outside of its screen."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from sliderace_client.api import Unreachable
from sliderace_client.terminal.doors import save_record

RECORD = b'{"race": "KWXTRB-SA1B2C-1"}'


class Records(BaseHTTPRequestHandler):
    """Has one record, under one path."""

    def do_GET(self) -> None:
        known = self.path == "/api/races/1"
        self.send_response(200 if known else 404)
        self.end_headers()
        self.wfile.write(RECORD if known else b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


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


def test_a_record_is_stored_as_it_is(server: str, folder: Path) -> None:
    target = save_record(server, "KWXTRB-SA1B2C-1", "/api/races/1")
    assert target == folder / "sliderace-KWXTRB-SA1B2C-1.json"
    assert target.read_bytes() == RECORD


@pytest.mark.parametrize("race", ["../../x", "/etc/passwd", "A/../../B", "\x1b[2J", ""])
def test_a_hostile_race_id_names_no_file_elsewhere(
    server: str, folder: Path, race: str
) -> None:
    target = save_record(server, race, "/api/races/1")
    assert target.parent == folder
    assert target.name.isprintable()
    assert sorted(folder.parent.iterdir()) == [folder]


def test_what_the_server_does_not_have_is_not_stored(server: str, folder: Path) -> None:
    with pytest.raises(Unreachable, match="no record"):
        save_record(server, "KWXTRB-SA1B2C-1", "/api/races/2")
    assert list(folder.iterdir()) == []
