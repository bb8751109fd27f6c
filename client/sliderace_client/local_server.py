"""Our own server: a child process that is restarted when it dies.

Rules for the child process:

- It is ready when it has written its port into its pipe; it gets `START_S` for that.
- If its port is taken at the first start, the next free one is used; a restart uses the
  same port and file again.
- It is restarted whenever it ends while we do not want it to, but at most `RESTARTS`
  times within `RESTARTS_S`; then that is the failure.
- It has its own session, so Ctrl-C reaches only us. It ends when we close its pipe, or
  die, and no race of other people is running.

Blocking, with a thread that watches the child: the full-screen client owns the main
thread and its event loop.
"""

import asyncio
import errno
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, cast

from sliderace.protocol.messages import Open, RulesPatch
from sliderace.texts import text
from sliderace_client.net import locate
from sliderace_client.net.connection import Client
from sliderace_client.net.http import Unreachable, features, get, is_live
from sliderace_client.net.locate import (
    EVERYWHERE,
    NotFound,
    ServerFile,
    is_loopback,
    server_address,
)
from sliderace_client.net.mdns import lan_addresses
from sliderace_client.net.seats import kept_rooms
from sliderace_client.platform import detached_flags
from sliderace_client.shared_ui import wording
from sliderace_client.shared_ui.settings import state_dir

__all__ = [
    "AlreadyRunning",
    "HostError",
    "OwnServer",
    "WaitingRoom",
    "address_for_others",
    "links",
    "open_room",
    "running_server",
    "server_in_use",
    "soon_running_server",
    "waiting_room",
]

HELD = 5
"""Exit code of a server whose data another server uses."""
START_S = 15.0
"""A server that is not ready within this time counts as failed."""
STOP_S = 2.0
"""Time for the child to write its data and end, once its pipe is closed."""
RESTARTS = 5
RESTARTS_S = 60.0
"""If it dies more often than that within this time, it is not restarted again."""
PORTS_TRIED = 50
ROOMS_TRIED = 5
"""Of how many of our last rooms the server is asked whether they are still open."""
LOG_LINE = 200
"""Characters of a log line that are shown."""


class HostError(RuntimeError):
    """Our server cannot be started or kept running; the message is for the user."""


class AlreadyRunning(HostError):
    """Another server uses our data, perhaps one that is just starting."""


def running_server() -> str | None:
    """Return the address of our own server, if one of this user is live here."""
    server = locate.read_server_file()
    return server.base if server and is_live(server.base) else None


def soon_running_server() -> str | None:
    """Return the same, but wait a moment for a server that is just starting."""
    for _ in range(STARTING_TRIES):
        if (base := running_server()) is not None:
            return base
        time.sleep(STARTING_S)
    return None


def free_port(bind: str, port: int) -> int:
    """Return `port`, or the next one that is free.

    Raises:
        HostError: none is free, or the address is not this machine's.
    """
    for candidate in range(port, min(port + PORTS_TRIED, 65536)):
        if candidate == 0 or _is_free(bind, candidate):
            return candidate
    raise HostError(text("host.no_port", port=port))


def _is_free(bind: str, port: int) -> bool:
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            bind, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, proto) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return False
        why = text("host.cannot_listen", address=bind, why=error.strerror)
        raise HostError(why) from None
    return True


def open_room(
    server: str,
    rules: RulesPatch,
    *,
    public: bool = False,
    seed: str | None = None,
) -> str:
    """Open a room on a server, without entering it.

    Returns:
        Its code.

    Raises:
        HostError: the server refuses, or cannot be reached.
    """
    client = Client(server, Open(rules, public=public, seed=seed))
    ending = asyncio.run(client.run())
    if not client.view.link:
        raise HostError(wording.ending(ending.why))
    return client.view.code


def server_in_use(typed: str) -> tuple[str, frozenset[str]]:
    """Return the base address of a server that answers, and what it can do.

    Args:
        typed: its address; empty: the server of this machine.

    Returns:
        An empty address if it does not answer.
    """
    try:
        base = server_address(typed) if typed else running_server()
        return (base, features(base)) if base else ("", frozenset())
    except (NotFound, Unreachable):
        return "", frozenset()


class WaitingRoom(NamedTuple):
    """A room where others are, and where we have a seat.

    Attributes:
        server: base address.
        code: the room's six letters.
        others: how many other players are there.
    """

    server: str
    code: str
    others: int


def waiting_room(server: str) -> WaitingRoom | None:
    """Return our last hosted room that is open on a server, with others in it."""
    for code in kept_rooms()[:ROOMS_TRIED]:
        with suppress(Unreachable, TypeError, LookupError, ValueError):
            listing = cast("dict[str, Any]", get(server, f"/api/rooms/{code}").json())
            others = int(listing["players"]) - 1
            if others > 0 and listing.get("kind", "room") == "room":
                return WaitingRoom(server, code, others)
    return None


def links(base: str, code: str, bind: str = "", public: str = "") -> list[str]:
    """Return where others can enter the room, best first; empty: only this machine can.

    Args:
        base: the server's address for ourselves.
        code: the room's.
        bind: where the server listens; on all addresses there is a link for each.
        public: base address by which its operator says others reach it, or empty.
    """
    found = [public] if public not in ("", base) else []
    if bind in EVERYWHERE:
        port = base.rpartition(":")[2]
        found += [f"http://{address}:{port}" for address in lan_addresses()]
    elif bind and not is_loopback(bind):
        found.append(base)
    return [f"{server}/{code}" for server in dict.fromkeys(found)]


def address_for_others(server: str) -> str:
    """Return the address at which another device reaches a server.

    Our own server's usual address works only on this machine.
    """
    at = locate.read_server_file() if locate.is_own(server) else None
    found = links(server, "", at.bind, at.url) if at else []
    return found[0].removesuffix("/") if found else server


_NO_ERROR = re.compile(r"\S+Z (debug|info|warning) ")
"""A line of the server's log that does not say why it failed."""


STARTING_TRIES, STARTING_S = 12, 0.25
"""Three seconds: a server starts within one."""


class OwnServer:
    """A server process of ours, restarted when it dies.

    Args:
        bind: address to listen on.
        port: port wanted; if it is taken, the next free one.
        public_url: the address that people use if a proxy stands in front of it.
        say: called with messages for the user, one line each.
        on_failure: called, from another thread, when the server cannot be restarted.

    Attributes:
        port: where it listens.
        failure: why it could not be restarted, or empty.
    """

    def __init__(
        self,
        *,
        bind: str = "0.0.0.0",  # noqa: S104 - friends in the network must reach it
        port: int = locate.DEFAULT_PORT,
        public_url: str = "",
        say: Callable[[str], None] = lambda _: None,
        on_failure: Callable[[], None] = lambda: None,
    ) -> None:
        self.bind = bind
        self.port = port
        self.public_url = public_url
        self.failure = ""
        self._say = say
        self._on_failure = on_failure
        self._log = state_dir() / "server.log"
        self._log_start = 0
        self._stopping = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def described(self) -> ServerFile:
        """Its address, in the form that it writes to its server file."""
        return ServerFile(self.port, self.bind, self.public_url.rstrip("/"))

    @property
    def base(self) -> str:
        """Its address for ourselves."""
        return self.described.base

    def start(self) -> None:
        """Start it, and return when it is ready.

        Raises:
            AlreadyRunning: another server uses our data.
            HostError: it cannot be started.
        """
        wanted = self.port
        self.port = free_port(self.bind, wanted)
        if self.port != wanted:
            self._say(text("host.port_taken", port=wanted, used=self.port))
        self._spawn()
        self._watcher.start()

    def stop(self, wait_s: float = STOP_S) -> None:
        """Let it end; a race that others are still running is finished first.

        Args:
            wait_s: how long to wait for its end, in seconds.
        """
        self._stopping.set()
        process = self._process
        if process is None:
            return
        self._close_pipe()
        try:
            process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self._say(text("host.still_racing"))

    def _close_pipe(self) -> None:
        """Close the pipe, which tells the child to end."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _spawn(self) -> None:
        command = [
            *(sys.executable, "-m", "sliderace_server"),
            *("--bind", self.bind, "--port", str(self.port)),
            *(("--public-url", self.public_url) if self.public_url else ()),
            # Windows lets a child inherit no other descriptors.
            *("--ready-fd", "1", "--until-eof", "0"),
        ]
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            with self._log.open("ab") as log:
                self._log_start = log.tell()
                self._process = process = subprocess.Popen(  # noqa: S603 - ours
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    start_new_session=True,
                    creationflags=detached_flags(),
                )
        except OSError as error:
            why = f"{error.filename}: {error.strerror}"
            raise HostError(text("host.cannot_start", why=why)) from None
        self._await_ready(process)

    def _await_ready(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        late = threading.Timer(START_S, process.kill)
        late.start()
        with process.stdout as pipe:
            line = pipe.readline()
        late.cancel()
        try:
            self.port = int(json.loads(line)["port"])
        except (ValueError, LookupError, TypeError):
            self._close_pipe()
            why = text("host.not_started", why=self._last_log())
            if _end_of(process) == HELD:
                raise AlreadyRunning(why) from None
            raise HostError(why) from None

    def _last_log(self) -> str:
        """Return the child's last error, and where the log is."""
        try:
            with self._log.open("rb") as log:
                log.seek(self._log_start)
                lines = log.read().decode("utf-8", "replace").split("\n")
        except OSError:
            lines = []
        written = [line for line in lines if line.strip() and not _NO_ERROR.match(line)]
        if not written:
            return text("host.no_reason", path=self._log)
        return text("host.last_log", line=clean_line(written[-1]), path=self._log)

    def _watch(self) -> None:
        """Restart it on the same port and file whenever it dies."""
        deaths: deque[float] = deque(maxlen=RESTARTS + 1)
        while self._process is not None:
            self._process.wait()
            if self._stopping.is_set():
                return
            deaths.append(time.monotonic())
            if len(deaths) > RESTARTS and deaths[-1] - deaths[0] < RESTARTS_S:
                break
            self._close_pipe()
            with suppress(HostError):  # the restart failed too, and counts
                self._spawn()
        self.failure = text("host.died", times=len(deaths), why=self._last_log())
        self._on_failure()


def _end_of(process: subprocess.Popen[bytes]) -> int:
    """Return the exit code of a process that should end; otherwise it is killed."""
    try:
        return process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def clean_line(line: str) -> str:
    """Return a line of a log, safe for a terminal and not too long."""
    shown = "".join(char if char.isprintable() else " " for char in line)
    return shown.strip()[:LOG_LINE]
