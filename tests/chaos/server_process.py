"""The server as a process that tests start, stop and kill."""

import json
import os
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Self

from tests.server.sync_queries import asynchronous, run

from sliderace_server.storage.sqlite.log_files import log_files
from sliderace_server.storage.sqlite.queries import read

__all__ = ["ServerProcess"]

HERE = Path(__file__).parents[2]
START_S = 60.0
END_S = 10.0


class ServerProcess:
    """A server with its own folder; it keeps its port across restarts.

    Args:
        folder: where it keeps its database, `server.json` and log file.
        options: command-line options.
        program: the module that Python runs.
    """

    def __init__(
        self, folder: Path, *options: str, program: str = "sliderace_server"
    ) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.options = options
        self.program = program
        self.environment: dict[str, str] = {}
        self.port = 0
        self.log = folder / "server.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._pipe = -1

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self.running:
            self.kill()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> Path:
        """The path of its database."""
        if "--database" in self.options:
            return Path(self.options[self.options.index("--database") + 1])
        return self.folder / "sliderace.db"

    def log_of(self, room: str) -> list[bytes]:
        """Return a room's log, from the database or its worker's file; blocks."""
        for file in (self.database, *log_files(self.database)):
            with closing(sqlite3.connect(file)) as connection:
                if found := run(read(asynchronous(connection), room, 0)):
                    return found
        return []

    def workers(self) -> list[int]:
        """Return the process ids of its workers, as its log says."""
        started = r'"worker started" worker=(\d+) pid=(\d+)'
        latest = dict(re.findall(started, self.log.read_text()))
        return [int(latest[worker]) for worker in sorted(latest)]

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self, *more: str, until_eof: bool = False) -> dict[str, object]:
        """Start it and wait until it is ready; return its ready message.

        Args:
            more: more command-line options.
            until_eof: it ends when `close_pipe` is called.
        """
        ready_out, ready_in = os.pipe()
        pipe_out, pipe_in = os.pipe() if until_eof else (-1, -1)
        options = ["--data", str(self.folder), "--port", str(self.port)]
        options += ["--ready-fd", str(ready_in), "--no-advertise", *self.options, *more]
        if until_eof:
            options += ["--until-eof", str(pipe_out)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", self.program, *options],
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]),
                    **self.environment,
                },
                pass_fds=[fd for fd in (ready_in, pipe_out) if fd >= 0],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        os.close(ready_in)
        if until_eof:
            os.close(pipe_out)
            self._pipe = pipe_in
        with open(ready_out, "rb") as ready:  # noqa: PTH123
            ready_to_read, _, _ = select.select([ready], [], [], START_S)
            line = ready.readline() if ready_to_read else b""
        assert line, self.log.read_text()
        state: dict[str, object] = json.loads(line)
        self.port = int(str(state["port"]))
        return state

    def close_pipe(self) -> None:
        """Close the pipe that keeps it running (see `until_eof`)."""
        os.close(self._pipe)

    def kill(self) -> None:
        """Kill it, so that it can write nothing more."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(END_S)

    def signal(self, number: int = signal.SIGTERM) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def end(self) -> int:
        """Wait for its end; return the exit code."""
        assert self.process is not None
        return self.process.wait(END_S)

    def ends_within(self, seconds: float) -> bool:
        """Return whether it ends within so many seconds."""
        assert self.process is not None
        until = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < until:
            select.select([], [], [], 0.02)
        return self.process.poll() is not None
