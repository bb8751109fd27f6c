"""A real terminal: a tmux pane whose screen tests can read."""

import os
import select
import shlex
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["TmuxPane", "tmux_pane"]

AGAIN_S = 1.5
TIMEOUT_S = 30.0
"""Longest wait for a text; a busy machine starts Python slowly."""
ROOT = Path(__file__).parents[2]
PROMPT = "pane>"


class TmuxPane:
    """A shell in a tmux pane.

    Args:
        folder: for its socket, its home and the program's files.
        columns: width of the pane.
        rows: height of the pane.
        env: additional environment variables.
    """

    def __init__(
        self, folder: Path, columns: int, rows: int, env: dict[str, str]
    ) -> None:
        self.folder = folder
        self._socket = str(folder / "tmux")
        paths = (str(ROOT / part) for part in ("shared", "server", "client"))
        known = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PYTHONPATH": os.pathsep.join(paths),
            "TERM": "tmux-256color",
            "LANG": "C.UTF-8",
            "PS1": PROMPT,
        }
        shell = ["env", "-i", *(f"{k}={v}" for k, v in (known | env).items())]
        shell += ["bash", "--norc", "--noprofile"]
        size = ("-x", str(columns), "-y", str(rows))
        self.tmux("-f", os.devnull, "new-session", "-d", *size, shlex.join(shell))
        fifo = folder / "output"
        os.mkfifo(fifo)
        self._output = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        self.tmux("pipe-pane", "-o", f"cat > {shlex.quote(str(fifo))}")
        self.keys(f"cd {shlex.quote(str(folder))}; clear", "Enter")
        self.until(PROMPT)

    def tmux(self, *words: str) -> str:
        """Run a tmux command."""
        done = subprocess.run(
            ["tmux", "-S", self._socket, *words],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def close(self) -> None:
        self.tmux("kill-server")
        os.close(self._output)

    def run(self, *arguments: str) -> None:
        """Run a command of the program, which then prints its exit code."""
        command = shlex.join([sys.executable, "-m", "sliderace_client", *arguments])
        self.keys(f"clear; {command}; echo ended=$?", "Enter")

    def keys(self, *keys: str) -> None:
        """Press keys, or type text."""
        self.tmux("send-keys", *keys)

    def screen(self) -> str:
        """Return the text on the screen."""
        return self.tmux("capture-pane", "-p")

    def until(self, *texts: str, key: str = "") -> str:
        """Wait until one of these texts is shown; return the screen.

        Args:
            texts: the texts.
            key: pressed now, and again whenever nothing was shown for a while.
        """
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            if key:
                self.keys(key)
            while True:
                screen = self.screen()
                if any(text in screen for text in texts):
                    return screen
                left = deadline - time.monotonic()
                if left < 0:
                    raise AssertionError(f"none of {texts} is shown:\n{screen}")
                # The screen may change whenever the pane writes output.
                wait = min(left, AGAIN_S) if key else left
                if not select.select([self._output], [], [], wait)[0]:
                    break
                os.read(self._output, 1 << 16)

    def state(self) -> str:
        """Return the modes of screen, mouse and keyboard, to be restored."""
        flags = ("alternate_on", "mouse_any_flag", "cursor_flag", "keypad_flag")
        modes = self.tmux(
            "display-message", "-p", " ".join(f"#{{{flag}}}" for flag in flags)
        )
        tty = self.tmux("display-message", "-p", "#{pane_tty}").strip()
        with Path(tty).open() as terminal:
            stty = subprocess.run(
                ["stty", "-g"],
                check=True,
                capture_output=True,
                text=True,
                stdin=terminal,
            )
        return modes + stty.stdout

    def state_at_prompt(self) -> str:
        """Wait until the shell shows its prompt again; return the `state`."""
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            state = self.state()
            modes, stty = state.split("\n", 1)
            reads = not int(stty.split(":")[3], 16) & termios.ICANON
            if (reads and modes.startswith("0")) or time.monotonic() > deadline:
                return state


@contextmanager
def tmux_pane(
    folder: Path, columns: int = 80, rows: int = 24, **env: str
) -> Generator[TmuxPane]:
    """Open a terminal; skip the test if tmux is not installed."""
    if shutil.which("tmux") is None:
        pytest.skip("needs tmux, which is not installed")
    pane = TmuxPane(folder, columns, rows, env)
    try:
        yield pane
    finally:
        pane.close()
