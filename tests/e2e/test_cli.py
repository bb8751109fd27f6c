"""The commands as people type them, each a process of its own."""

import json
import os
import re
import shlex
import signal
import socket
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any

import pytest
from tests.e2e.shell import HOST, WAIT_S, Shell, code_of

from sliderace_client import exit_codes
from sliderace_client.net.http import get

pytestmark = pytest.mark.timeout(60)
"""Some of these start a dozen interpreters, one after the other."""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


QUICK = ("--count", "2", "--tps", "100", "--races", "1")


def is_alive(pid: int) -> bool:
    """Whether a process runs (a child that was reaped does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that is not our child."""
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            assert select([descriptor], [], [], WAIT_S)[0]
        finally:
            os.close(descriptor)


def test_from_host_to_verified_results(shell: Shell) -> None:
    with shell.running(*HOST) as host:
        code = code_of(host)
        assert any("only this machine" in line for line in host.said)
        with shell.running("watch", f"{code[:3]}-{code[3:]}", "--plain") as watcher:
            watcher.line("You are ")
            bots = shell.run("bot", code, *QUICK)
            assert bots.returncode == exit_codes.OK, bots.stderr
            assert "Go!" in bots.stdout
            watcher.line("The race is over")
            assert watcher.line(r"^ +(1st) ") == "1st"
        listed = shell.run("results", code)
        assert listed.returncode == exit_codes.OK
        race = re.findall(rf"{code}-[A-Z0-9]+-\d+", listed.stdout)[-1]
        assert shell.run("results").stdout == listed.stdout
        shown = shell.run("results", race)
        assert re.search(r"^1 +Bot \w+ \(bot\)", shown.stdout, re.MULTILINE)
        check_verify(shell, race)


def check_verify(shell: Shell, race: str) -> None:
    """The record is right, whichever way it comes; one that was changed is not."""
    link = f"http://127.0.0.1:{shell.noted['port']}/api/races/{race}"
    code = race[:6]
    room = f"http://127.0.0.1:{shell.noted['port']}/{code}"
    for named in (race, race.lower(), link, room, code, f"{code[:3]}-{code[3:]}"):
        checked = shell.run("verify", named)
        assert checked.returncode == exit_codes.OK, checked.stdout
        assert {line.split()[0] for line in checked.stdout.splitlines()} == {"ok"}
    unknown = shell.run("verify", "KWXTRB-AAAAAA-1")
    assert (unknown.returncode, unknown.stdout) == (exit_codes.UNKNOWN, "")
    steps = shell.run("verify", race, "--steps").stdout
    board = re.search(r"scramble +(\S.*)", steps)
    assert board is not None
    assert "1 2/3 0" in steps
    solo = shell.run("solo", "--no-intro", "--keys", "adws", "--race", race, typed="q")
    assert board[1].replace("0", ".").split("/") == solo.stdout.splitlines()[2:4]
    check_promises(shell, link)


def check_promises(shell: Shell, link: str) -> None:
    """The saved file is held against what was shown before; a changed one is found."""
    file = json.loads(get(link, "").body)
    health: Any = get(f"http://127.0.0.1:{shell.noted['port']}", "/healthz").json()
    path = shell.home / "record.json"
    path.write_text(json.dumps(file, indent=1))
    known = ["--commitment", file["record"]["commitment"], "--key", health["key"]]
    assert shell.run("verify", str(path), *known).returncode == exit_codes.OK
    other = shell.run("verify", str(path), "--commitment", "0" * 64, "--key", "0" * 64)
    assert other.returncode == exit_codes.NOT_OK
    wrong = re.findall(r"^not ok +(\w+)", other.stdout, re.MULTILINE)
    assert wrong == ["key", "promise"]
    file["record"]["racers"][0]["stm"] += 1
    path.write_text(json.dumps(file))
    tampered = shell.run("verify", str(path))
    assert tampered.returncode == exit_codes.NOT_OK
    wrong = re.findall(r"^not ok +(\w+)", tampered.stdout, re.MULTILINE)
    assert wrong == ["signature", "counts"]


def test_ctrl_c_ends_host_and_its_server(shell: Shell) -> None:
    with shell.running(*HOST) as host:
        code_of(host)
        host.line("Ctrl-C ends it")
        pid = shell.noted["pid"]
        assert is_alive(pid)
        assert host.interrupt() == exit_codes.INTERRUPTED
    wait_until_gone(pid)
    assert shell.noted == {}


def test_a_race_of_others_goes_on_when_the_host_ends(shell: Shell) -> None:
    board = ("--size", "3x3", "--seed", "long")  # 46 slides for a bot
    with shell.running(*HOST, *board) as host:
        code = code_of(host)
        pid = shell.noted["pid"]
        slow = ("--count", "2", "--tps", "10", "--races", "1")
        with shell.running("bot", code, *slow) as bots:
            bots.line("Go!")
            assert host.interrupt() == exit_codes.INTERRUPTED
            host.line("Others are still racing: the server ends after them.")
            bots.line("The race is over")
            assert bots.ends() == exit_codes.OK, bots.said
    wait_until_gone(pid)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, exit_codes.INTERRUPTED), (signal.SIGTERM, 143)]
)
def test_bots_that_are_stopped_leave_the_room(
    shell: Shell, number: int, code: int
) -> None:
    with shell.running(*HOST) as host:
        room = code_of(host)
        with shell.running("watch", room, "--plain") as watcher:
            watcher.line("You are ")
            slow = ("--count", "2", "--tps", "0.1")
            with shell.running("bot", room, *slow) as bots:
                watcher.line("Go!")
                bots.process.send_signal(number)
                for _ in range(2):
                    watcher.line(r"^Bot \w+ left")
                assert bots.process.wait(WAIT_S) == code


def test_a_second_host_uses_the_server_that_is_there(shell: Shell) -> None:
    with shell.running(*HOST) as first:
        one = code_of(first)
        port = shell.noted["port"]
        with shell.running(*HOST) as second:
            second.line(f"A server is already running here: http://127.0.0.1:{port}")
            assert code_of(second) != one
        with shell.running(*HOST, "--bind", "127.0.0.2") as third:
            third.line("It listens where it did before: --bind 127.0.0.2 has no effect")
        assert is_alive(shell.noted["pid"])


def test_a_port_that_is_taken_is_said_and_the_next_one_used(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with shell.running(*HOST[:-1], str(port)) as host:
            used = int(host.line(rf"Port {port} is taken; using (\d+)"))
            code_of(host)
            assert shell.noted["port"] == used > port


def test_an_address_that_is_not_ours_is_one_line(shell: Shell) -> None:
    ended = shell.run("host", "--no-tui", "--bind", "192.0.2.1")
    assert ended.returncode == exit_codes.FAILED
    assert ended.stderr.count("\n") == 1
    assert "192.0.2.1" in ended.stderr


def test_a_killed_server_comes_back_on_its_port_with_its_rooms(shell: Shell) -> None:
    with shell.running(*HOST) as host:
        code = code_of(host)
        before = shell.noted
        with shell.running("join", code, "--plain", "--name", "Ann") as ann:
            ann.line("You are Ann")
            ann.type("ready")
            ann.line("Ann is ready")
            os.kill(before["pid"], signal.SIGKILL)
            ann.line("You are back")
            ann.type("unready")
            ann.line("Ann is not ready")
        after = shell.noted
        assert after["port"] == before["port"]
        assert after["pid"] != before["pid"]


@pytest.mark.parametrize(
    ("way", "there"), [("--no-tui", "Ctrl-C ends it"), ("--plain", "You are")]
)
def test_a_server_that_cannot_be_kept_up_ends_it_with_one_line(
    shell: Shell, way: str, there: str
) -> None:
    with shell.running("host", way, *HOST[2:]) as host:
        host.line(there)
        killed: set[int] = set()
        while host.process.poll() is None:
            pid = shell.noted.get("pid", 0)
            if pid and pid not in killed:
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)
        host.line("the server died 6 times within a minute")
        assert host.process.returncode == exit_codes.FAILED
        assert len(killed) == 6


def test_serve_hands_over_arguments_signals_and_exit_code(shell: Shell) -> None:
    asked = shell.run("serve", "--help")
    assert "Usage: sliderace serve [OPTIONS]" in asked.stdout
    assert shell.run("serve", "--nonsense").returncode == exit_codes.UNKNOWN
    with shell.running("serve", "--memory", "--port", "0") as serve:
        serve.line("listening")
        serve.process.send_signal(signal.SIGTERM)
        assert serve.process.wait(WAIT_S) == 0


def test_two_seats_of_one_user_and_the_second_start_takes_the_left_one(
    shell: Shell,
) -> None:
    with shell.running(*HOST) as host:
        code = code_of(host)
        with shell.running("join", code, "--name", "Ann") as first:
            first.line("You are Ann")
            first.type("ready")
            first.line("Ann is ready")
            with shell.running("join", code, "--name", "Ann") as second:
                second.line("You are Ann")
                second.type("ready")
                second.line("Ann 2 is ready")
            first.type("q")
            assert first.process.wait(WAIT_S) == exit_codes.OK
        with shell.running("join", code, "--name", "Ann") as again:
            again.line("You are Ann")
            again.type("nonsense")
            again.line("nonsense")
            again.type("leave")
            again.line("You left the room")
            assert again.process.wait(WAIT_S) == exit_codes.OK


def test_who_has_no_name_finds_the_seat_again_and_is_told_how(shell: Shell) -> None:
    with shell.running(*HOST) as host:
        code = code_of(host)
        with shell.running("join", code) as first:
            name = first.line(r"You are ([\w ]+)\.")
            first.type("q")
            back = first.line(r"come back with:  sliderace (join .+)")
        with shell.running(*shlex.split(back)) as again:
            assert again.line(r"You are ([\w ]+)\.") == name
