"""Runs the program's commands, each in its own process."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.priority import prefer

__all__ = ["HOST", "WAIT_S", "Running", "Shell", "code_of"]

WAIT_S = 30.0
"""Longest wait for a line or an exit: a bot's race, or a busy machine."""


class Shell:
    """A user with a separate home folder.

    Args:
        home: the folder.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._env = os.environ | {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTHONDEVMODE": "",
            **{f"XDG_{kind}_HOME": str(home) for kind in ("CONFIG", "DATA", "STATE")},
        }
        for known in ("SLIDERACE_SERVER", "USER", "USERNAME"):
            self._env.pop(known, None)

    @property
    def server_state(self) -> dict[str, Any]:
        """The state file of this user's server."""
        path = self.home / "sliderace" / "server.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def run(self, *args: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command until it exits."""
        return subprocess.run(
            [sys.executable, "-m", "sliderace_client", *args],
            capture_output=True,
            text=True,
            input=typed,
            env=self._env,
            timeout=WAIT_S,
            check=False,
        )

    @contextmanager
    def running(self, *args: str) -> Generator["Running"]:
        """Run a command in the background; interrupt it at the end."""
        process = subprocess.Popen(
            [sys.executable, "-m", "sliderace_client", *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
            env=self._env,
            cwd=self.home,  # for the files that it saves
            start_new_session=True,
        )
        prefer(process)
        command = Running(process)
        try:
            yield command
        finally:
            command.interrupt()


class Running:
    """A running command."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.output: list[str] = []
        self._lines: Queue[str | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip())
        self._lines.put(None)
        self.process.stdout.close()

    def wait_for(self, pattern: str) -> str:
        """Wait for a line that matches; return its last group, or the whole match."""
        while True:
            try:
                line = self._lines.get(timeout=WAIT_S)
            except Empty:
                raise AssertionError([pattern, *self.output]) from None
            assert line is not None, [pattern, *self.output]
            self.output.append(line)
            if match := re.search(pattern, line):
                return match[match.lastindex or 0]

    def wait_for_exit(self) -> int:
        """Wait until it exits; return the exit code."""
        while (line := self._lines.get(timeout=WAIT_S)) is not None:
            self.output.append(line)
        return self.process.wait(WAIT_S)

    def type(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def interrupt(self) -> int:
        """Press Ctrl-C: interrupt the whole process group; return the exit code."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(WAIT_S)
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        return code


HOST = ("host", "--no-tui", "--size", "2x2", "--bind", "127.0.0.1", "--port", "0")


def code_of(host: Running) -> str:
    return host.wait_for(r"sliderace join ([A-Z]{6})@127\.0\.0\.1:\d+")
