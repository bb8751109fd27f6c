import json
import os
import sys
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.race.sample import ANCHOR, daily_record, sample_record, sealed

from sliderace.proof.verify import Check
from sliderace_client.cli.commands import run
from sliderace_client.net.http import Unreachable
from sliderace_client.race_records import (
    Unreadable,
    check_lines,
    load,
    race_lines,
    races_lines,
    replay_of,
    slidysim_lines,
    table,
    verdict_of,
)


class Answers(BaseHTTPRequestHandler):
    """Answers with what the test has prepared."""

    bodies: dict[str, bytes]

    def do_GET(self) -> None:
        body = self.bodies.get(self.path)
        self.send_response(404 if body is None else 200)
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def server() -> Generator[tuple[str, dict[str, bytes]]]:
    """Return a server's address and its prepared answers."""
    bodies: dict[str, bytes] = {}
    answers = type("These", (Answers,), {"bodies": bodies})
    with HTTPServer(("127.0.0.1", 0), answers) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}", bodies
        listening.shutdown()
        thread.join()


Served = tuple[str, dict[str, bytes]]


def test_columns_align_by_terminal_cells() -> None:
    assert table([["a", "b"], ["猫猫", "c"], ["", ""]]) == ["a     b", "猫猫  c", ""]


def test_the_worst_check_decides() -> None:
    good = Check("a", "ok", ())
    unknown = Check("b", "unknown", ())
    wrong = Check("c", "wrong", ())
    assert verdict_of([good, good]) == 0
    assert verdict_of([good, unknown]) == 2
    assert verdict_of([wrong, unknown]) == 1


def test_races_are_a_table(server: Served) -> None:
    base, bodies = server
    row = {"name": "Ann", "status": "finished", "place": 1, "time_ms": 62_007}
    lost = {"name": "Ben", "status": "dnf", "place": 2, "time_ms": None, "bot": True}
    race = {"id": "KWXTRB-A-1", "size": "4x4", "started_ms": 0, "attempts": [row, lost]}
    bodies["/api/races"] = json.dumps({"races": [race]}).encode()
    bodies["/api/races?room=KWXTRB"] = b'{"races": []}'
    head, line = races_lines(base)
    assert head.split() == ["when", "race", "size", "results"]
    assert line.endswith("KWXTRB-A-1  4x4   1. Ann 1:02.007, Ben (bot) DNF")
    assert races_lines(base, "KWXTRB") == ["No races yet."]


def test_results_are_folded_at_the_terminals_width(
    server: Served,
) -> None:
    base, bodies = server
    names = ("Bot Fox", "Bot Lynx", "Bot Otter", "Bot Raven")
    rows = [{"name": name, "status": "forfeited", "bot": True} for name in names]
    race = {"id": "KWXTRB-A-1", "size": "4x4", "started_ms": 0, "attempts": rows}
    bodies["/api/races"] = json.dumps({"races": [race]}).encode()
    (head, line), folded = races_lines(base), races_lines(base, width=80)
    margin = head.index("results")
    assert len(folded) > 2
    assert all(len(row) <= 80 for row in folded)
    assert all(row[:margin].isspace() for row in folded[2:])
    assert " ".join(row[margin:] for row in folded[1:]) == line[margin:]
    assert races_lines(base, width=margin) == [head, line]


@pytest.mark.parametrize(
    "races",
    [
        None,
        3,
        [3, "x", None],
        [{"started_ms": "x", "attempts": 3}],
        [{"started_ms": 1e300, "id": "\x1b[2J", "attempts": [{"name": ["\x07"]}]}],
    ],
)
def test_hostile_servers_text_is_cleaned(server: Served, races: Any) -> None:
    base, bodies = server
    bodies["/api/races"] = json.dumps({"races": races}).encode()
    text = "\n".join(races_lines(base))
    assert all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize("body", [None, b"", b"[]", b"{", b"<html>"])
def test_invalid_list_of_races_is_reported(server: Served, body: bytes | None) -> None:
    base, bodies = server
    if body is not None:
        bodies["/api/races"] = body
    with pytest.raises(Unreadable):
        races_lines(base)


def test_record_is_loaded_by_link_or_id(
    server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    base, bodies = server
    bodies["/api/races/KWXTRB-A-1"] = b'{"a": 1}'
    assert load(f"{base}/api/races/KWXTRB-A-1", "") == {"a": 1}
    assert load("kwxtrb-a-1", base) == {"a": 1}
    with pytest.raises(Unreadable, match="has no race"):
        load("KWXTRB-A-2", base)
    with pytest.raises(Unreadable, match=f"no race KWXTRB-A-1 in {tmp_path}"):
        load("KWXTRB-A-1", "")
    with pytest.raises(Unreadable, match="no such file"):
        load("nowhere.json", "")


def test_code_stands_for_the_rooms_last_race(server: Served) -> None:
    base, bodies = server
    races = {"races": [{"id": "QSQXWD-A-2"}, {"id": "QSQXWD-A-1"}]}
    bodies["/api/races?room=QSQXWD"] = json.dumps(races).encode()
    bodies["/api/races/QSQXWD-A-2"] = b'{"a": 2}'
    host = base.removeprefix("http://")
    for text in ("QSQ-XWD", "qsqxwd", f"{base}/QSQXWD"):
        assert load(text, base) == load(text, host) == {"a": 2}
    for text in (f"QSQ-XWD@{host}", f"QSQXWD-A-2@{host}", f"{base}/replay/QSQXWD-A-2"):
        assert load(text, "") == {"a": 2}
    bodies["/api/races?room=KWXTRB"] = b'{"races": []}'
    with pytest.raises(Unreadable, match="no race of the room KWX-TRB yet"):
        load("KWX-TRB", base)


def test_server_that_does_not_run_and_is_not_ours_is_reported() -> None:
    with pytest.raises(Unreachable, match=r"Cannot reach http://127.0.0.1:9"):
        load("KWXTRB-A-1", "http://127.0.0.1:9")
    with pytest.raises(Unreachable, match=r"Cannot reach [^.]*\.invalid: [^.]*\.$"):
        races_lines("http://nowhere.invalid")


def test_status_is_shown_in_words(server: Served) -> None:
    base, bodies = server
    rows = [{"name": "Ann", "status": "forfeited"}, {"name": "Ben", "status": "dns"}]
    race = {"id": "KWXTRB-A-1", "size": "4x4", "started_ms": 0, "attempts": rows}
    bodies["/api/races"] = json.dumps({"races": [race]}).encode()
    assert races_lines(base)[1].endswith("Ann gave up, Ben did not start")


def test_table_of_something_else_is_refused() -> None:
    with pytest.raises(Unreadable, match="not a race record"):
        race_lines({"format": "nothing"})


def test_results_show_photo_finish_and_outage_credit() -> None:
    head, _, _, ann, _, _, dan, eva, *_ = race_lines(sealed(sample_record()))
    assert head == "KWXTRB-SA1B2C-3, 3x2"
    assert ann.endswith("photo finish")
    assert dan.endswith("900 ms for an outage")
    assert eva.endswith("stopped by the host")
    head, *_ = race_lines(sealed(sample_record(friendly=True)))
    assert head.endswith("friendly timing")


@pytest.mark.parametrize(
    ("anchor", "words"),
    [
        ([], "Without the anchor that the server published"),
        (["--anchor", ANCHOR], "The secret of 2026-11-30 leads to the anchor"),
        (["--anchor", "0" * 64], "does not lead to the anchor"),
    ],
)
def test_daily_board_is_checked_against_the_anchor(
    anchor: list[str],
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(sealed(daily_record())), "utf-8")
    assert run(["verify", str(path), *anchor]) == 1  # nobody signed it
    lines = capsys.readouterr().out.splitlines()
    assert any(" anchor " in line and words in line for line in lines), lines


def test_checks_name_seats_that_were_left_out_of_the_draw() -> None:
    lines, verdict = check_lines(sealed(sample_record()))
    assert verdict == 1  # nobody signed it
    at = next(n for n, line in enumerate(lines) if " nonces " in line)
    verdict_and_name, *more = lines[at : at + 3]
    assert verdict_and_name.split()[:2] == ["ok", "nonces"]
    assert [line.strip() for line in more] == [
        "Committed to a nonce but left out: seat 2.",
        "Did not commit to a nonce: seat 4, 5, 6.",
    ]
    assert len({len(line) - len(line.lstrip()) for line in more}) == 1


def test_replay_link_leads_to_the_records_server() -> None:
    file = sealed(sample_record())
    assert replay_of(file, "http://pc:8710/") == (
        "http://pc:8710/replay/KWXTRB-SA1B2C-3"
    )


def test_only_solves_have_a_slidysim_link() -> None:
    lines = slidysim_lines(sealed(sample_record()))
    names = [racer["name"] for racer in sample_record()["racers"] if racer["finish"]]
    assert [line.partition(": ")[0] for line in lines] == names
    assert all(": https://slidysim.github.io/replay?r=" in line for line in lines)
