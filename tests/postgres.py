"""A real PostgreSQL server for tests, on this machine and in a temporary folder."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

__all__ = ["PASSWORD", "PostgresServer", "postgres_server"]

PASSWORD = "of the tests"
START_S = 30.0


class PostgresServer:
    """A PostgreSQL server that tests stop, kill and start again.

    Args:
        folder: an empty folder.
        programs: the folder of its programs.
        options: more options of the server.
        flush: flush commits to the disk, which tests do not need.
    """

    def __init__(
        self, folder: Path, programs: Path, *options: str, flush: bool = False
    ) -> None:
        self._folder = folder
        self._options = [*options, *([] if flush else ["-F"])]
        self._programs = programs
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: subprocess.Popen[bytes] | None = None
        self._log = folder / "log"
        self.port = _free_port()
        # PostgreSQL refuses to run as root.
        self._user = "nobody" if os.geteuid() == 0 else None
        if self._user:
            os.chown(folder, pwd.getpwnam(self._user).pw_uid, -1)
        password = folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        self._run(
            "initdb",
            *("--username=tests", f"--pwfile={password}", "--auth=scram-sha-256"),
            *("--locale=C.UTF-8", "--encoding=UTF8", "--no-sync"),
        )

    def _run(self, program: str, *options: str) -> None:
        data = str(self._folder / "data")
        command = [str(self._programs / program), "-D", data, *options]
        subprocess.run(command, user=self._user, check=True, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = ["-p", str(self.port), "-k", str(self._folder)]
        options += ["-c", "listen_addresses=127.0.0.1", *self._options]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._folder / "data", *options],
                user=self._user,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        # Ends it even if the tests are killed, which closes the pipe.
        watch = ["sh", "-c", f"cat; kill -QUIT {self._process.pid}"]
        quiet = subprocess.DEVNULL
        self._watch = subprocess.Popen(
            watch, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet
        )
        until = time.monotonic() + START_S
        while "ready to accept" not in (said := self._log.read_text()):
            assert self._process.poll() is None, said
            assert time.monotonic() < until, said
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop it; its clients are disconnected."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it and all its processes at once, without a last flush."""
        self._end(signal.SIGQUIT)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(START_S)
            self._process = None
        if self._watch is not None:
            self._watch.communicate()
            self._watch = None

    def cpu_s(self) -> float:
        """Return the CPU time of its processes that run now."""
        assert self._process is not None
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has ended
                _, parent, *more = stat.read_text().rpartition(")")[2].split()
                if int(parent) == self._process.pid:
                    ticks += int(more[9]) + int(more[10])
        return ticks / os.sysconf("SC_CLK_TCK")

    def url(self, database: str = "postgres", password: str = PASSWORD) -> str:
        """Return the URL of a database."""
        # A password and no TLS, so that asyncpg looks for no files.
        secret = password.replace(" ", "%20")
        place = f"tests:{secret}@127.0.0.1:{self.port}/{database}"
        return f"postgresql://{place}?sslmode=disable"

    async def execute(self, *statements: str) -> None:
        """Execute statements, one transaction each."""
        asyncpg = pytest.importorskip("asyncpg")
        connection = await asyncpg.connect(self.url())
        try:
            for one in statements:
                await connection.execute(one)
        finally:
            await connection.close()

    async def empty_database(self) -> str:
        """Delete everything in the database; return its URL."""
        # Much faster than a new database, which has 7 MB.
        await self.execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
        return self.url()


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as one:
        return int(one.getsockname()[1])


def _programs() -> Path:
    """Return the folder of PostgreSQL's programs, or skip."""
    pytest.importorskip("asyncpg")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        pytest.skip("needs postgresql, which is not installed")
    return Path(on_path or found[-1]).parent


@contextmanager
def postgres_server(
    *options: str, flush: bool = False
) -> Generator[PostgresServer, None, None]:
    """Run a server inside the context; see `PostgresServer`."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="sliderace-postgres-") as folder:
        server = PostgresServer(Path(folder), programs, *options, flush=flush)
        server.start()
        try:
            yield server
        finally:
            server.kill()
