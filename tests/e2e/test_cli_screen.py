"""`sliderace host` in a pseudo-terminal."""

import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pytest
from tests.e2e.shell import HOST, Shell, code_of

from sliderace_client import exit_codes

pytestmark = pytest.mark.timeout(60)
WAIT_S = 20.0


class Screen:
    """A command in a pseudo-terminal; records everything it draws."""

    def __init__(
        self,
        home: Path,
        *args: str,
        program: tuple[str, ...] = ("-m", "sliderace_client"),
    ) -> None:
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (40, 100))
        self.before = termios.tcgetattr(self.slave)
        self.drawn = b""
        self._more = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        paths = {f"XDG_{kind}_HOME": str(home) for kind in ("CONFIG", "DATA", "STATE")}
        self.process = subprocess.Popen(
            [sys.executable, *program, *args],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            env=os.environ
            | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm-256color"}
            | paths,
        )

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self.master, 65536)
            except OSError:  # the terminal is gone
                return
            with self._more:
                self.drawn += data
                self._more.notify_all()

    def shows(self, wanted: bytes) -> None:
        """Wait until some bytes have been drawn."""
        with self._more:
            assert self._more.wait_for(lambda: wanted in self.drawn, WAIT_S), wanted

    def close(self) -> None:
        """Stop the command if it is still running."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)


IN, OUT = b"\x1b[?1049h", b"\x1b[?1049l"
"""Switches to the alternate screen, which full-screen programs use."""


@pytest.mark.parametrize(
    ("end", "code"), [("key", exit_codes.INTERRUPTED), ("signal", 128 + signal.SIGTERM)]
)
def test_host_shows_the_lobby_and_restores_the_terminal(
    tmp_path: Path, end: str, code: int
) -> None:
    place = ("--bind", "127.0.0.1", "--port", "0")
    screen = Screen(tmp_path, "host", "--name", "Ann", *place)
    try:
        screen.shows(b"sliderace join ")
        screen.shows(IN)
        screen.shows("♛".encode())
        if end == "key":
            os.write(screen.master, b"\x03")
        else:
            screen.process.terminate()
        assert screen.process.wait(WAIT_S) == code
        screen.shows(OUT)
        assert screen.drawn.rindex(OUT) > screen.drawn.rindex(IN)
        assert termios.tcgetattr(screen.slave) == screen.before
        assert not (tmp_path / "sliderace" / "server.json").exists()
    finally:
        screen.close()


def test_host_comes_back_to_the_friends_who_wait(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    again = ("host", "--bind", "127.0.0.1", "--port", port, "--name", "Ann")
    first = Screen(tmp_path, *again)
    try:
        first.shows("♛".encode())
        code = re.findall(rb"sliderace join ([A-Z]{6})@", first.drawn)[0].decode()
        joining = ("join", f"{code}@127.0.0.1:{port}", "--plain", "--name", "Ben")
        (tmp_path / "ben").mkdir()
        with Shell(tmp_path / "ben").running(*joining) as ben:
            ben.wait_for("You are Ben")
            first.shows(b"Ben")
            os.write(first.master, b"q")
            first.shows(b"1 other has to wait for you")
            os.write(first.master, b"y")
            assert first.process.wait(WAIT_S) == exit_codes.OK
            first.shows(f"come back with:  sliderace {shlex.join(again)}".encode())
            ben.wait_for("The host has ended the game.")
            second = Screen(tmp_path, *again)
            try:
                room = f"{code[:3]}-{code[3:]}"
                asked = f"Your room {room} is still open with 1 other player. Go back?"
                second.shows(asked.encode())
                os.write(second.master, b"\n")
                ben.wait_for("You are back")
                second.shows("♛".encode())
                second.shows(b"Ben")
                assert code.encode() in second.drawn.rpartition(asked.encode())[2]
                os.write(second.master, b"\x03")
                assert second.process.wait(WAIT_S) == exit_codes.INTERRUPTED
            finally:
                second.close()
    finally:
        first.close()


def test_options_set_keys_and_colours_of_the_full_screen(tmp_path: Path) -> None:
    board = ("--scramble", "1 2 3/4 5 6/7 0 8")
    screen = Screen(tmp_path, "solo", *board, "--keys", "1234", "--colours", "never")
    try:
        screen.shows(b"new board")
        os.write(screen.master, b"1")
        screen.shows(b"solved in")
        assert b"38;2;" not in screen.drawn  # a colour of 16 million
        os.write(screen.master, b"q")
        assert screen.process.wait(WAIT_S) == exit_codes.OK
    finally:
        screen.close()


FAULTY = """
import sys
from sliderace_client.cli.commands import run
from sliderace_client.tui.screens.solo import SoloScreen
class Fault(Exception): pass
def fail(page):
    secret = "5e" * 16
    raise Fault("a fault of ours")
SoloScreen._again = fail
sys.exit(run(sys.argv[1:]))
"""


def test_an_internal_error_restores_the_terminal_and_is_reported(
    tmp_path: Path,
) -> None:
    screen = Screen(tmp_path, "solo", program=("-c", FAULTY))
    try:
        screen.shows(b"new board")
        os.write(screen.master, b"r")
        assert screen.process.wait(WAIT_S) not in (
            exit_codes.OK,
            exit_codes.INTERRUPTED,
        )
        screen.shows(OUT)
        screen.shows(b"a fault of ours")
        assert b"5e5e5e5e" not in screen.drawn, "values may be secret"
        assert screen.drawn.rindex(b"a fault of ours") > screen.drawn.rindex(OUT)
        assert termios.tcgetattr(screen.slave) == screen.before
    finally:
        screen.close()


FULL = """
import os
from sliderace_client.__main__ import main
os.dup2(os.open("/dev/full", os.O_WRONLY), 2)
main()
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_errors_do_not_change_the_exit_code_of_the_full_screen(
    tmp_path: Path,
) -> None:
    with Shell(tmp_path).running(*HOST) as host:
        screen = Screen(tmp_path, "join", code_of(host), program=("-c", FULL))
        try:
            screen.shows("♛".encode())
            os.write(screen.master, b"\x03")  # it would show how to come back
            assert screen.process.wait(WAIT_S) == exit_codes.INTERRUPTED
            screen.shows(OUT)
        finally:
            screen.close()
