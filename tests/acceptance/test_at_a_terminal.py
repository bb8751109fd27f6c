"""Line mode at a real terminal; every byte that it writes is checked."""

import os
import pty
import select
import subprocess
import sys
import termios
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sliderace_client.cli.solo import CLEAR

pytestmark = pytest.mark.timeout(60)
PATIENCE_S = 15.0
PAGE = CLEAR.encode()
BOARD = ("--no-intro", "--keys", "adws", "--scramble", "1 2 3/4 5 6/0 7 8")
MOVE = b"reset, exit, help: "


class Terminal:
    """A program at a terminal; its output is kept."""

    def __init__(self, process: subprocess.Popen[bytes], own: int) -> None:
        self.process = process
        self._own = own
        self.sent = b""
        self._seen = 0

    def until(self, text: bytes) -> bytes:
        """Read until this text appears; return the output since the last call."""
        while (at := self.sent.find(text, self._seen)) < 0:
            assert select.select([self._own], [], [], PATIENCE_S)[0], self.sent
            try:
                self.sent += os.read(self._own, 4096)
            except OSError:  # the other end is closed
                raise AssertionError(self.sent) from None
        since = self.sent[self._seen : at + len(text)]
        self._seen = at + len(text)
        return since

    def type(self, keys: bytes) -> None:
        os.write(self._own, keys)

    def ends(self) -> int:
        """Wait for the good-bye on its own line; return the exit code."""
        self.until(b"\nGood-bye.\r\n")
        return self.process.wait(PATIENCE_S)


@contextmanager
def at_terminal(home: Path, *args: str, term: str | None) -> Generator[Terminal]:
    """Run the program at a terminal; check that it restores the terminal's state."""
    own, its = pty.openpty()
    before = termios.tcgetattr(its)
    env = os.environ | {f"XDG_{kind}_HOME": str(home) for kind in ("CONFIG", "DATA")}
    env |= {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_STATE_HOME": str(home)}
    env.pop("TERM", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "sliderace_client", *args],
        stdin=its,
        stdout=its,
        stderr=its,
        env=env | ({} if term is None else {"TERM": term}),
        start_new_session=True,
        preexec_fn=take_terminal,  # noqa: PLW1509 - no test here has threads
    )
    try:
        yield Terminal(process, own)
        assert termios.tcgetattr(its) == before
    finally:
        process.kill()
        process.wait()
        os.close(own)
        os.close(its)


def take_terminal() -> None:
    """Make the terminal control our session, so that Ctrl-C reaches us."""
    os.close(os.open(os.ttyname(0), os.O_RDWR))


@pytest.mark.parametrize("term", ["dumb", None])
def test_dumb_terminal_gets_plain_lines(tmp_path: Path, term: str | None) -> None:
    # Without TERM, --plain selects line mode.
    args = ("solo", *BOARD) if term else ("solo", "--plain", *BOARD)
    with at_terminal(tmp_path, *args, term=term) as terminal:
        terminal.until(MOVE)
        terminal.type(b"7\n")
        assert b"Moved 7\r\n" in terminal.until(MOVE)
        terminal.type(b"q\n")
        assert terminal.ends() == 0
        assert b"\x1b" not in terminal.sent


def test_each_board_replaces_the_last_one_at_a_terminal(tmp_path: Path) -> None:
    with at_terminal(tmp_path, "solo", "--plain", *BOARD, term="vt100") as terminal:
        assert terminal.until(MOVE).startswith(PAGE)
        terminal.type(b"7\n")
        assert PAGE + b"Moved 7\r\n" in terminal.until(MOVE)
        terminal.type(b"zap\n")
        assert PAGE not in terminal.until(MOVE)
        terminal.type(b"8\n")
        assert PAGE + b"Moved 8\r\n" in terminal.until(b"quit: ")
        terminal.type(b"x\n")
        assert terminal.ends() == 0
        assert b"\x1b" not in terminal.sent.replace(PAGE, b"")


def test_no_clear_never_clears(tmp_path: Path) -> None:
    args = ("solo", "--plain", "--no-clear", *BOARD)
    with at_terminal(tmp_path, *args, term="vt100") as terminal:
        terminal.until(MOVE)
        terminal.type(b"7\n")
        terminal.until(MOVE)
        terminal.type(b"q\n")
        assert terminal.ends() == 0
        assert b"\x1b" not in terminal.sent


WAY = (
    (b"start: ", b"\n"),
    (b"(Enter: 4): ", b"3\n"),
    (b"a d w s): ", b"\n"),
    (MOVE, b"reset\n"),
    (b"reset? (y/n): ", b"y\n"),
    (b"b back: ", b"b\n"),
    (MOVE, b"exit\n"),
    (b"game? (y/n): ", b"y\n"),
)
"""Each question, and the answer that leads to the next one."""


@pytest.mark.parametrize("last", range(len(WAY)))
@pytest.mark.parametrize(("key", "code"), [(b"\x03", 130), (b"\x04", 0)])
def test_ctrl_c_is_exit_code_130_and_ctrl_d_0_at_every_question(
    tmp_path: Path, last: int, key: bytes, code: int
) -> None:
    with at_terminal(tmp_path, "solo", term="dumb") as terminal:
        for question, answer in WAY[:last]:
            terminal.until(question)
            terminal.type(answer)
        terminal.until(WAY[last][0])
        terminal.type(key)
        assert terminal.ends() == code


@pytest.mark.parametrize(("key", "code"), [(b"\x03", 130), (b"\x04", 0), (b"q\n", 0)])
def test_menu_works_at_a_dumb_terminal(tmp_path: Path, key: bytes, code: int) -> None:
    with at_terminal(tmp_path, term="dumb") as terminal:
        assert b"s  solo" in terminal.until(b"help): ")
        terminal.type(key)
        assert terminal.ends() == code
        assert b"\x1b" not in terminal.sent


def test_line_mode_option_chooses_lines(tmp_path: Path) -> None:
    with at_terminal(tmp_path, "solo", "--boxed", term="vt100") as terminal:
        assert b"|01|02|03|04|" in terminal.until(b"start: ")
        terminal.type(b"q\n")
        assert terminal.ends() == 0


def test_the_first_start_asks_for_a_nickname_and_later_ones_do_not(
    tmp_path: Path,
) -> None:
    joining = ("join", "KWXTRB@127.0.0.1:1", "--plain")
    question = b"Your nickname, which the others see (Enter: "
    with at_terminal(tmp_path, *joining, term="dumb") as terminal:
        terminal.until(question)
        terminal.type("\u0410nn\n".encode())
        assert b"letters of one alphabet" in terminal.until(question)
        terminal.type("Zoë\n".encode())
        terminal.until(b"127.0.0.1:1")
        assert terminal.process.wait(PATIENCE_S) == 3
    assert 'name = "Zoë"' in (tmp_path / "sliderace" / "settings.toml").read_text()
    with at_terminal(tmp_path, *joining, term="dumb") as terminal:
        terminal.until(b"127.0.0.1:1")
        assert question not in terminal.sent
        assert terminal.process.wait(PATIENCE_S) == 3
