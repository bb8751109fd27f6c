"""The measured servers, each in a process on the first core."""

import atexit
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
UNLIMITED = {
    "messages_per_s": 1_000_000,
    "messages_burst": 1_000_000,
    "tiles_per_s": 1_000_000,
    "tiles_burst": 1_000_000,
    "max_tiles": 100_000_000,
    "ping_timeout_ms": 60_000,
    "spectators": 10_000,
    "players": 255,
    "lobby_records": 1_000_000,
}
"""Limits above what hundreds of players at one address need."""
CORES = sorted(os.sched_getaffinity(0))
KINDS = ("product", "plain")
PEERS = {
    "ws": ["ws@8"],
    "socket.io": ["socket.io@4"],
    "colyseus": ["@colyseus/core@0.16", "@colyseus/ws-transport@0.16"],
}
"""Servers on Node.js -> their packages. Colyseus 0.16 is the last for Node.js 20."""
TICK_HZ = os.sysconf("SC_CLK_TCK")


def pin(core: int, process: int = 0) -> None:
    """Pin a process (0: this one) to one core, if there are several."""
    if len(CORES) > core:
        os.sched_setaffinity(process, {CORES[core]})


def free_port() -> int:
    """Return an unused port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class PeersMissing(Exception):
    """The servers on Node.js cannot be installed."""


@dataclass
class Usage:
    """What a process uses."""

    pid: int

    @property
    def cpu_s(self) -> float:
        """CPU seconds that it has used so far, in all threads."""
        return sum(map(int, self._stat()[11:13])) / TICK_HZ

    @property
    def memory_kib(self) -> int:
        """Its resident memory."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def children(self) -> "list[Usage]":
        """Return the processes that it has started."""
        others = (
            int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()
        )
        found: list[Usage] = []
        for pid in others:
            with contextlib.suppress(OSError):  # it has just ended
                other = Usage(pid)
                if int(other._stat()[1]) == self.pid:
                    found.append(other)
        return found

    def _stat(self) -> list[str]:
        stat = Path(f"/proc/{self.pid}/stat").read_text()
        return stat.rpartition(")")[2].split()


@dataclass
class Process:
    """A running server."""

    kind: str
    port: int
    process: "subprocess.Popen[bytes]"
    arguments: Sequence[str] = field(default_factory=tuple)

    @property
    def cpu_s(self) -> float:
        """CPU seconds that it has used so far, in all threads."""
        return Usage(self.process.pid).cpu_s

    @property
    def memory_kib(self) -> int:
        """Its resident memory."""
        return Usage(self.process.pid).memory_kib

    def children(self) -> list[Usage]:
        """Return the processes that it has started."""
        return Usage(self.process.pid).children()

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Restart it with the same port and data."""
        self.process = _start(self.arguments)
        _reach(self.port, self.process)


def command(kind: str, port: int, folder: str, more: Sequence[str]) -> list[str]:
    """Return the command line of a server."""
    if kind in PEERS:
        script = ROOT / "tests" / "bench" / "peers" / f"{kind}.mjs"
        return ["node", str(script), f"--modules={_modules()}", *more, str(port)]
    if kind != "product":
        return [sys.executable, "-m", "tests.bench.plain", *more, str(port)]
    limits = [f"--limit={name}={value}" for name, value in UNLIMITED.items()]
    start = [sys.executable, "-m", "sliderace_server", f"--port={port}"]
    return [*start, f"--data={folder}", "--log-level=warning", *limits, *more]


@cache
def _modules() -> str:
    """Let npm install the peers' packages; return the folder, which exit removes.

    Raises:
        PeersMissing: there is no Node.js or npm, or npm cannot install them.
    """
    if not (shutil.which("node") and (npm := shutil.which("npm"))):
        raise PeersMissing("node and npm are not installed")
    folder = tempfile.mkdtemp(prefix="sliderace-peers-")
    atexit.register(shutil.rmtree, folder)
    Path(folder, "package.json").write_text("{}")  # or npm takes a folder above
    packages = [one for names in PEERS.values() for one in names]
    flags = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    done = subprocess.run(
        [npm, "install", *flags, *packages],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise PeersMissing(f"npm cannot install their packages: {done.stderr[-500:]}")
    return folder


def peers() -> Sequence[str]:
    """Install the peers; return their kinds.

    Raises:
        PeersMissing: they cannot be installed.
    """
    _modules()
    return tuple(PEERS)


@contextlib.contextmanager
def serving(kind: str, more: Sequence[str] = ()) -> Generator[Process]:
    """Run a server of one of `KINDS` or `PEERS`."""
    with tempfile.TemporaryDirectory(prefix="sliderace-bench-") as folder:
        port = free_port()
        arguments = command(kind, port, folder, more)
        server = Process(kind, port, _start(arguments), arguments)
        try:
            _reach(port, server.process)
            yield server
        finally:
            server.kill()


def _start(arguments: Sequence[str]) -> "subprocess.Popen[bytes]":
    path = ":".join(["shared", "server", "client"])
    return subprocess.Popen(
        arguments,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "NODE_ENV": "production"},
        stdin=subprocess.DEVNULL,
        # Before it starts threads.
        preexec_fn=lambda: pin(0),  # noqa: PLW1509 - we have one thread
    )


def _reach(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the server listens."""
    until = time.monotonic() + 20
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(0.01)
    raise RuntimeError("the server does not listen")
