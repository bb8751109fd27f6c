"""The command line, each command in its own process."""

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
"""Time-out: some of these tests start a dozen interpreters one after the other."""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


QUICK = ("--count", "2", "--pace", "1", "--races", "1")


def is_alive(pid: int) -> bool:
    """Return whether a process is running."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that is not a child of ours."""
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            assert select([descriptor], [], [], WAIT_S)[0]
        finally:
            os.close(descriptor)


def test_a_race_can_be_hosted_watched_saved_and_verified(shell: Shell) -> None:
    with shell.running(*HOST) as host:
        code = code_of(host)
        assert any("Only this machine" in line for line in host.output)
        with shell.running("watch", f"{code[:3]}-{code[3:]}", "--plain") as watcher:
            watcher.wait_for("You are ")
            bots = shell.run("bot", code, *QUICK)
            assert bots.returncode == exit_codes.OK, bots.stderr
            assert "Go!" in bots.stdout
            watcher.wait_for("The race is over")
            assert watcher.wait_for(r"^ +(1st) ") == "1st"
        listed = shell.run("results", code)
        assert listed.returncode == exit_codes.OK
        race = re.findall(rf"{code}-[A-Z0-9]+-\d+", listed.stdout)[-1]
        assert shell.run("results").stdout == listed.stdout
        shown = shell.run("results", race)
        assert re.search(r"^1 +Bot \w+ \(bot\)", shown.stdout, re.MULTILINE)
        check_verify(shell, race)


def check_verify(shell: Shell, race: str) -> None:
    """Check that a race record verifies from any source, and a changed one does not."""
    host = f"127.0.0.1:{shell.server_state['port']}"
    link, code = f"http://{host}/api/races/{race}", race[:6]
    for named in (
        (race,),
        (race.lower(), "--server", host),
        (race, "--server", f"http://{host}/{code}"),
        (link,),
        (f"http://{host}/replay/{race}",),
        (f"http://{host}/{code}",),
        (f"{race}@{host}",),
        (f"{code[:3]}-{code[3:]}",),
    ):
        checked = shell.run("verify", *named)
        assert checked.returncode == exit_codes.OK, checked.stdout
        assert {line.split()[0] for line in checked.stdout.splitlines()} == {"ok"}
    record = get(link, "").body.decode()
    assert shell.run("verify", "-", typed=record).returncode == exit_codes.OK
    shown = shell.run("results", f"http://{host}/replay/{race}").stdout
    assert shown == shell.run("results", race).stdout
    assert race in shell.run("results", host).stdout
    unknown = shell.run("verify", "KWXTRB-AAAAAA-1")
    assert (unknown.returncode, unknown.stdout) == (exit_codes.UNKNOWN, "")
    steps = shell.run("verify", race, "--steps").stdout
    board = re.search(r"scramble +(\S.*)", steps)
    assert board is not None
    assert "1 2/3 0" in steps
    play = ("solo", "--no-intro", "--keys", "adws")
    solo = shell.run(*play, "--race", race, "--server", host, typed="q")
    assert board[1].replace("0", ".").split("/") == solo.stdout.splitlines()[2:4]
    check_promises(shell, link)


def check_promises(shell: Shell, link: str) -> None:
    """Check that `verify` compares a saved file with what the client saw."""
    file = json.loads(get(link, "").body)
    health: Any = get(
        f"http://127.0.0.1:{shell.server_state['port']}", "/healthz"
    ).json()
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


def test_ctrl_c_stops_host_and_its_server(shell: Shell) -> None:
    with shell.running(*HOST) as host:
        code_of(host)
        host.wait_for("Press Ctrl-C to stop")
        pid = shell.server_state["pid"]
        assert is_alive(pid)
        assert host.interrupt() == exit_codes.INTERRUPTED
    wait_until_gone(pid)
    assert shell.server_state == {}


def test_sigterm_stops_a_serving_host_without_an_error(shell: Shell) -> None:
    with shell.running(*HOST) as host:
        host.wait_for("Press Ctrl-C to stop")
        pid = shell.server_state["pid"]
        host.process.send_signal(signal.SIGTERM)
        assert host.wait_for_exit() == exit_codes.OK, host.output
        assert not any(line.startswith("sliderace: ") for line in host.output)
    wait_until_gone(pid)


def test_a_race_of_others_continues_when_the_host_command_ends(shell: Shell) -> None:
    board = ("--size", "3x3", "--seed", "long")
    with shell.running(*HOST, *board) as host:
        code = code_of(host)
        pid = shell.server_state["pid"]
        slow = ("--count", "2", "--pace", "5", "--races", "1")
        with shell.running("bot", code, *slow) as bots:
            bots.wait_for("Go!")
            assert host.interrupt() == exit_codes.INTERRUPTED
            host.wait_for("Others are still racing; the server stops after them.")
            bots.wait_for("The race is over")
            assert bots.wait_for_exit() == exit_codes.OK, bots.output
    wait_until_gone(pid)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, exit_codes.INTERRUPTED), (signal.SIGTERM, 143)]
)
def test_interrupted_bots_leave_the_room(shell: Shell, number: int, code: int) -> None:
    with shell.running(*HOST) as host:
        room = code_of(host)
        with shell.running("watch", room, "--plain") as watcher:
            watcher.wait_for("You are ")
            slow = ("--count", "2", "--pace", "600")
            with shell.running("bot", room, *slow) as bots:
                watcher.wait_for("Go!")
                bots.process.send_signal(number)
                for _ in range(2):
                    watcher.wait_for(r"^Bot \w+ left")
                assert bots.process.wait(WAIT_S) == code


def test_a_second_host_uses_the_running_server(shell: Shell) -> None:
    with shell.running(*HOST) as first:
        one = code_of(first)
        port = shell.server_state["port"]
        with shell.running(*HOST) as second:
            second.wait_for(
                f"A server is already running here: http://127.0.0.1:{port}"
            )
            assert code_of(second) != one
        with shell.running(*HOST, "--bind", "127.0.0.2") as third:
            third.wait_for(
                "It listens where it did before; --bind 127.0.0.2 has no effect"
            )
        assert is_alive(shell.server_state["pid"])


def test_a_port_in_use_is_reported_and_the_next_one_used(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with shell.running(*HOST[:-1], str(port)) as host:
            used = int(host.wait_for(rf"Port {port} is taken; using (\d+)"))
            code_of(host)
            assert shell.server_state["port"] == used > port


def test_host_takes_one_number_as_the_side_of_a_square(shell: Shell) -> None:
    place = ("--bind", "127.0.0.1", "--port", "0")
    with shell.running("host", "--no-tui", "--size", "5", *place) as host:
        code = code_of(host)
        with shell.running("watch", code, "--plain") as watcher:
            watcher.wait_for("5x5")


def test_an_unusable_address_is_a_one_line_error(shell: Shell) -> None:
    ended = shell.run("host", "--no-tui", "--bind", "192.0.2.1")
    assert ended.returncode == exit_codes.FAILED
    assert ended.stderr.count("\n") == 1
    assert "192.0.2.1" in ended.stderr


def test_a_killed_server_is_restarted_on_its_port_with_its_rooms(shell: Shell) -> None:
    with shell.running(*HOST) as host:
        code = code_of(host)
        before = shell.server_state
        with shell.running("join", code, "--plain", "--name", "Ann") as ann:
            ann.wait_for("You are Ann")
            ann.type("ready")
            ann.wait_for("Ann is ready")
            os.kill(before["pid"], signal.SIGKILL)
            ann.wait_for("You are back")
            ann.type("unready")
            ann.wait_for("Ann is not ready")
        after = shell.server_state
        assert after["port"] == before["port"]
        assert after["pid"] != before["pid"]


@pytest.mark.parametrize(
    ("way", "there"), [("--no-tui", "Press Ctrl-C to stop"), ("--plain", "You are")]
)
def test_a_server_that_keeps_dying_ends_host_with_one_line(
    shell: Shell, way: str, there: str
) -> None:
    with shell.running("host", way, *HOST[2:]) as host:
        host.wait_for(there)
        killed: set[int] = set()
        while host.process.poll() is None:
            pid = shell.server_state.get("pid", 0)
            if pid and pid not in killed:
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)
        host.wait_for("The server died 6 times within a minute: no reason given")
        assert host.process.returncode == exit_codes.FAILED
        assert len(killed) == 6


def test_second_host_that_starts_at_once_opens_a_room_on_the_first(
    shell: Shell,
) -> None:
    host = ("host", "--no-tui", *HOST[2:])
    with shell.running(*host) as one, shell.running(*host) as two:
        for each in (one, two):
            each.wait_for("The first player to join is the host.")
        said = "\n".join(one.output + two.output)
        assert said.count("A server is already running here") == 1


def test_serve_passes_on_arguments_signals_and_exit_code(shell: Shell) -> None:
    asked = shell.run("serve", "--help")
    assert "Usage: sliderace serve [OPTIONS]" in asked.stdout
    for wrong in (["serve", "--nonsense"], ["backup"], ["admin", "prune"]):
        refused = shell.run(*wrong)
        assert refused.returncode == exit_codes.UNKNOWN
        assert len(refused.stderr.splitlines()) == 1
        command = " ".join(word for word in wrong if not word.startswith("-"))
        assert refused.stderr.endswith(f"See: sliderace {command} --help\n")
    with shell.running("serve", "--memory", "--port", "0") as serve:
        serve.wait_for("listening")
        serve.process.send_signal(signal.SIGTERM)
        assert serve.process.wait(WAIT_S) == 0


def test_a_second_start_takes_the_seat_that_is_not_in_use(
    shell: Shell,
) -> None:
    with shell.running(*HOST) as host:
        code = code_of(host)
        with shell.running("join", code, "--name", "Ann") as first:
            first.wait_for("You are Ann")
            first.type("ready")
            first.wait_for("Ann is ready")
            with shell.running("join", code, "--name", "Ann") as second:
                second.wait_for("You are Ann")
                second.type("ready")
                second.wait_for("Ann 2 is ready")
            first.type("q")
            assert first.process.wait(WAIT_S) == exit_codes.OK
        with shell.running("join", code, "--name", "Ann") as again:
            again.wait_for("You are Ann")
            again.type("nonsense")
            again.wait_for("nonsense")
            again.type("leave")
            again.wait_for("You left the room")
            assert again.process.wait(WAIT_S) == exit_codes.OK


def test_a_player_without_a_name_gets_their_seat_back(shell: Shell) -> None:
    with shell.running(*HOST) as host:
        code = code_of(host)
        with shell.running("join", code) as first:
            name = first.wait_for(r"You are ([\w ]+)\.")
            first.type("q")
            back = first.wait_for(r"come back with:  sliderace (join .+)")
        with shell.running(*shlex.split(back)) as again:
            assert again.wait_for(r"You are ([\w ]+)\.") == name
