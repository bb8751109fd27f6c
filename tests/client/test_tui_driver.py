"""Terminals that disappear, stall, lack features or send anything."""

import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Generator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from typing import TextIO

import pytest

ROOT = Path(__file__).parents[2]
PARTS = os.pathsep.join(str(ROOT / part) for part in ("shared", "server", "client"))
pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize(
    ("term", "known"), [("xterm-256color", True), ("dumb", False), ("none", False)]
)
def test_terminfo_says_whether_erasing_takes_the_background(
    term: str, known: bool
) -> None:
    code = (
        "from sliderace_client.tui.terminal_io import driver\n"
        "print(driver.erases_in_colour())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"TERM": term, "PYTHONPATH": PARTS},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(known)


class Solo:
    """The program in a pseudo-terminal that is not its controlling one: no SIGHUP."""

    def __init__(self, folder: Path, errors: TextIO | None = None, **env: str) -> None:
        self.ours, theirs = pty.openpty()
        ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        known = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONPATH": PARTS}
        self.program = subprocess.Popen(
            [sys.executable, "-m", "sliderace_client", "solo", "--size", "3x3"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs if errors is None else errors,
            env={"PATH": os.environ["PATH"]} | home | known | env,
            start_new_session=True,
        )
        os.close(theirs)

    def until(self, word: bytes) -> bytes:
        received = b""
        while word not in received:
            assert select.select([self.ours], [], [], 30)[0], received
            received += os.read(self.ours, 1 << 16)
        return received

    def close(self) -> None:
        if self.ours >= 0:
            os.close(self.ours)
        self.ours = -1


@contextmanager
def solo(folder: Path, errors: TextIO | None = None, **env: str) -> Generator[Solo]:
    one = Solo(folder, errors, **env)
    try:
        yield one
    finally:
        one.close()
        if one.program.poll() is None:
            one.program.kill()
        one.program.wait()


def test_terminal_lost_without_a_signal_ends_the_program(
    tmp_path: Path,
) -> None:
    with solo(tmp_path) as one:
        one.until(b"new board")
        one.close()
        assert one.program.wait(30) == 128 + signal.SIGHUP


def test_terminal_that_stops_reading_does_not_block_the_program(tmp_path: Path) -> None:
    with solo(tmp_path) as one:
        one.until(b"new board")
        for _ in range(400):  # each repaints the board, and nothing is read
            os.write(one.ours, b"im")
        os.write(one.ours, b"\x03")
        assert one.program.wait(30) == 130


def test_screen_is_not_written_to_a_redirected_stderr(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as errors, solo(tmp_path, errors) as one:
        one.until(b"new board")
        os.write(one.ours, b"q")
        assert one.program.wait(30) == 0
    assert log.read_text() == ""


def test_invalid_bytes_and_split_sequences_are_harmless(tmp_path: Path) -> None:
    with solo(tmp_path) as one:
        one.until(b"new board")
        for part in (b"\xff\xe9\x80", b"\x1b", b"[", b"A", b"\x1b[999;", b"99~", b"?"):
            os.write(one.ours, part)
        one.until(b"esc")
        os.write(one.ours, b"\x03")
        one.until(b"?1049l")
        assert one.program.wait(30) == 130


def test_half_a_character_waits_for_its_rest(tmp_path: Path) -> None:
    """Slow connections split characters, and Latin-1 bytes look like halves."""
    with solo(tmp_path) as one:
        one.until(b"new board")
        for part in (b"\xc3", b"\xa9", b"\xe9", b"?"):
            os.write(one.ours, part)
            time.sleep(0.2)  # so that they are read one by one; not necessary to pass
        one.until(b"esc")
        os.write(one.ours, b"\x03")
        one.until(b"?1049l")
        assert one.program.wait(30) == 130


def test_terminal_without_unicode_gets_ascii(tmp_path: Path) -> None:
    encoding = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with solo(tmp_path, None, PYTHONIOENCODING="latin-1", **encoding) as one:
        shown = one.until(b"new board")
        assert all(byte < 0x80 for byte in shown)
        os.write(one.ours, b"q")
        assert one.program.wait(30) == 0


# --- Keys and signals -----------------------------------------------------------------


def test_key_pressed_twice_in_a_row_counts_twice(tmp_path: Path) -> None:
    with solo(tmp_path) as one:
        one.until(b"new board")
        os.write(one.ours, b"+")
        os.write(one.ours, b"+")
        one.until(b"5x5")


def test_arrow_key_in_two_parts_does_not_end_the_game(tmp_path: Path) -> None:
    """Only a pause makes the parts two keys; then the game asks."""
    with solo(tmp_path) as one:
        one.until(b"new board")
        os.write(one.ours, b"\x1b")
        time.sleep(0.3)
        os.write(one.ours, b"[D?")
        one.until(b"esc")
        os.write(one.ours, b"\x1b")
        one.until(b"new board")
        os.write(one.ours, b"\x1b")
        one.until(b"Stop")
        os.write(one.ours, b"y")
        assert one.program.wait(30) == 0


def test_keys_of_the_kitty_protocol_do_not_end_the_program(tmp_path: Path) -> None:
    with solo(tmp_path) as one:
        one.until(b"new board")
        for key in (
            b"\x1b[1;1:1A",
            b"\x1b[97;1:1u",
            b"\x1b[1114112u",
            b"\x1b[57441;2u",
        ):
            os.write(one.ours, key)
        os.write(one.ours, b"\x1b[63;1:1;63u")
        one.until(b"esc")
        os.write(one.ours, b"\x1b[99;5u")
        assert one.program.wait(30) == 130


def modes(shown: bytes) -> dict[bytes, bool]:
    """Return which of a terminal's modes are on."""
    return {
        mode: shown.rfind(b"\x1b[?%sh" % mode) > shown.rfind(b"\x1b[?%sl" % mode)
        for mode in (b"1049", b"1000", b"1003", b"1006", b"2004", b"25")
    }


RESTORED = {
    b"1049": False,
    b"1000": False,
    b"1003": False,
    b"1006": False,
    b"2004": False,
    b"25": True,
}


@pytest.mark.parametrize("key", [b"\x1a", b""])
def test_suspended_program_restores_the_terminal_and_comes_back(
    tmp_path: Path, key: bytes
) -> None:
    """By Ctrl-Z, or by a signal."""
    with solo(tmp_path) as one:
        shown = one.until(b"new board")
        before = termios.tcgetattr(one.ours)
        if key:
            os.write(one.ours, key)
        else:
            one.program.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(one.program.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        shown += one.until(b"?1004l")
        assert modes(shown) == RESTORED
        assert termios.tcgetattr(one.ours)[3] & termios.ECHO
        one.program.send_signal(signal.SIGCONT)
        shown = one.until(b"new board")
        assert modes(shown)[b"1049"]
        assert termios.tcgetattr(one.ours)[3] == before[3]
        os.write(one.ours, b"q")
        assert one.program.wait(30) == 0


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP])
def test_signal_that_ends_the_program_restores_the_terminal(
    tmp_path: Path, number: signal.Signals
) -> None:
    with solo(tmp_path) as one:
        shown = one.until(b"new board")
        one.program.send_signal(number)
        shown += one.until(b"?1004l")
        assert modes(shown) == RESTORED
        assert one.program.wait(30) == 128 + number


def test_setting_changed_just_before_the_end_is_stored(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as errors, solo(tmp_path, errors) as one:
        one.until(b"new board")
        os.write(one.ours, b"i\x03")
        assert one.program.wait(30) == 130
    assert log.read_text() == ""
    (stored,) = tmp_path.rglob("settings.toml")
    assert "picture" in stored.read_text()
