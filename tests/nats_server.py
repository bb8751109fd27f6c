"""Real brokers (nats-server) on this machine: one, or a cluster of three."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import pytest

__all__ = ["Brokers", "brokers", "nats_server"]

START_S = 20.0
END_S = 10.0
CONFIG = """
server_name: n{number}
listen: 127.0.0.1:{port}
jetstream {{ store_dir: "{folder}" }}
{cluster}
{more}
"""
CLUSTER = """
cluster {{ name: test, listen: 127.0.0.1:{port}, routes: [{routes}] }}
"""


def nats_server() -> str:
    """Return the path of nats-server, or skip."""
    # Debian installs it in a folder that is only in the path of root.
    found = shutil.which("nats-server") or shutil.which("/usr/sbin/nats-server")
    if found is None:
        pytest.skip("needs nats-server, which is not installed")
    return found


class Brokers:
    """Brokers that tests start, stop and kill; they keep ports and data.

    Args:
        folder: Where they keep their data.
        count: 1 or 3.
        more: More lines of their configuration, such as users.
        jetstream: Whether they have it.

    Attributes:
        urls: Their addresses.
        more: As the argument; used with the next start.
    """

    def __init__(
        self, folder: Path, count: int = 1, more: str = "", *, jetstream: bool = True
    ) -> None:
        self.folder = folder
        self.more = more
        self._program = nats_server()
        self._ports = _free_ports(2 * count)
        self._jetstream = jetstream
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * count
        self.urls = [f"nats://127.0.0.1:{port}" for port in self._ports[:count]]

    def __enter__(self) -> Self:
        for number in range(len(self.urls)):
            self._launch(number)
        for number in range(len(self.urls)):
            self._wait(number)
        return self

    def __exit__(self, *exc: object) -> None:
        for number, process in enumerate(self._processes):
            if process is not None:
                self.kill(number)

    @property
    def pids(self) -> list[int]:
        """Their process ids."""
        return [one.pid for one in self._processes if one is not None]

    def start(self, number: int = 0) -> None:
        """Start a broker and wait until it listens."""
        self._launch(number)
        self._wait(number)

    def _launch(self, number: int) -> None:
        folder = self.folder / f"n{number}"
        folder.mkdir(parents=True, exist_ok=True)
        count = len(self.urls)
        routes = [f"nats://127.0.0.1:{port}" for port in self._ports[count:]]
        values = {"port": self._ports[count + number], "routes": ", ".join(routes)}
        text = CONFIG.format(
            number=number,
            port=self._ports[number],
            folder=folder,
            cluster=CLUSTER.format(**values) if count > 1 else "",
            more=self.more,
        )
        if not self._jetstream:
            text = text.replace("jetstream {", "#")
        config = folder / "nats.conf"
        config.write_text(text)
        with (folder / "log").open("ab") as log:
            self._processes[number] = subprocess.Popen(
                # Before the tests: no request may wait for 2 s on a busy machine.
                ["nice", "-n", "-10", self._program, "-c", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _wait(self, number: int) -> None:
        until = time.monotonic() + START_S
        while not _listens(self._ports[number]):
            process = self._processes[number]
            assert process is not None
            assert process.poll() is None, self.log(number)
            assert time.monotonic() < until, self.log(number)
            time.sleep(0.01)

    def log(self, number: int = 0) -> str:
        """Return what a broker has logged."""
        return (self.folder / f"n{number}" / "log").read_text()

    def reload(self, more: str) -> None:
        """Replace the additional lines of the configuration while they run."""
        for number, process in enumerate(self._processes):
            config = self.folder / f"n{number}" / "nats.conf"
            config.write_text(config.read_text().replace(self.more, more))
            if process is not None:
                self.send(number, signal.SIGHUP)
        self.more = more

    def send(self, number: int, what: signal.Signals) -> None:
        """Send a signal to a broker."""
        process = self._processes[number]
        assert process is not None
        process.send_signal(what)

    def pause(self, number: int = 0) -> None:
        """Let a broker stand still until `resume`."""
        self.send(number, signal.SIGSTOP)
        process = self._processes[number]
        assert process is not None
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)  # it takes a moment

    def resume(self, number: int = 0) -> None:
        """Let a broker continue."""
        self.send(number, signal.SIGCONT)

    def stop(self, number: int = 0) -> None:
        """Stop a broker in an orderly way."""
        self._end(number, signal.SIGTERM)

    def kill(self, number: int = 0) -> None:
        """Kill a broker."""
        self._end(number, signal.SIGKILL)

    def _end(self, number: int, how: signal.Signals) -> None:
        self.send(number, how)
        process, self._processes[number] = self._processes[number], None
        assert process is not None
        process.wait(END_S)


@contextmanager
def brokers(count: int = 1, more: str = "") -> Generator[Brokers, None, None]:
    """Run brokers in a temporary folder."""
    with (
        TemporaryDirectory(prefix="nats-") as folder,
        Brokers(Path(folder), count, more) as running,
    ):
        yield running


def _free_ports(count: int) -> list[int]:
    """Return unused ports; each broker must know those of the others beforehand."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            return connection.recv(4) == b"INFO"
    except OSError:
        return False
