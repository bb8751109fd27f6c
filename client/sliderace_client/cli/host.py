"""`sliderace host`: start a server, open a room, print the invitation, enter."""

import shlex
import signal
import sys
import threading
from _thread import interrupt_main
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import segno

from sliderace.protocol.messages import RulesPatch
from sliderace.protocol.room_code import format_code
from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.launch import Start
from sliderace_client.line_ui.answers import quoted, yes_or_no
from sliderace_client.line_ui.race import enter
from sliderace_client.line_ui.typed_input import typed_input
from sliderace_client.local_server import (
    AlreadyRunning,
    HostError,
    OwnServer,
    links,
    open_room,
    running_server,
    soon_running_server,
    waiting_room,
)
from sliderace_client.net.locate import (
    DEFAULT_PORT,
    ServerFile,
    join_command,
    read_server_file,
)
from sliderace_client.shared_ui.render import qr_rows
from sliderace_client.shared_ui.settings import Settings, remember_server
from sliderace_client.tui import run_app

__all__ = [
    "HostError",
    "HostOptions",
    "ServerHere",
    "host",
    "invitation",
    "server_here",
]

Say = Callable[[str], None]


POLL_S = 0.5
"""How soon a failed server is noticed, and Ctrl-C on Windows: it interrupts no wait."""
DEFAULT_BIND = "0.0.0.0"  # noqa: S104 - friends in the network must reach it


@dataclass(frozen=True, slots=True)
class HostOptions:
    """The options of `sliderace host`.

    Without `enter`, it only serves and waits; with `plain`, we enter in lines.
    """

    size: str
    name: str
    port: int
    bind: str
    public_url: str
    public: bool
    seed: str | None
    enter: bool
    friendly_timing: bool = False
    plain: bool = False


def host(options: HostOptions, settings: Settings, say: Say) -> int:
    """Host a room until the user ends it; return the exit code.

    Raises:
        HostError: the server or the room cannot be started, or the server died.
    """
    with server_here(
        say, bind=options.bind, port=options.port, public_url=options.public_url
    ) as here:
        if here.stays:
            return _on_running_server(options, settings, say, here.base)
        return _in_room(options, settings, say, here.base, here.at, failed=here.failed)


class ServerHere(NamedTuple):
    """A server of this user on this machine.

    Attributes:
        base: its base address.
        at: how others reach it.
        stays: it runs already, and outlives us.
        failed: set when our own cannot be restarted.
    """

    base: str
    at: ServerFile
    stays: bool
    failed: threading.Event


@contextmanager
def server_here(
    say: Say,
    *,
    bind: str = DEFAULT_BIND,
    port: int = DEFAULT_PORT,
    public_url: str = "",
) -> Generator[ServerHere]:
    """Use the server that runs here, or our own, which ends with the context.

    If our own fails for good, the main thread is interrupted.

    Args:
        say: shows a line.
        bind: where our own listens.
        port: its port, or the next free one.
        public_url: by which others reach it.

    Raises:
        HostError: it cannot be started, or has failed.
    """
    failed = threading.Event()

    def fail() -> None:
        failed.set()
        interrupt_main()

    base = running_server()
    server = OwnServer(
        bind=bind, port=port, public_url=public_url, say=say, on_failure=fail
    )
    try:
        try:
            if base is None:
                server.start()
        except AlreadyRunning:
            base = soon_running_server()
            if base is None:
                raise
        if base is not None:
            at = read_server_file() or ServerFile(0)
            yield ServerHere(base, at, True, failed)
        else:
            yield ServerHere(server.base, server.described, False, failed)
    except KeyboardInterrupt:
        if not failed.is_set():
            raise
    finally:
        server.stop()
    if failed.is_set():
        raise HostError(server.failure)


def _on_running_server(
    options: HostOptions, settings: Settings, say: Say, base: str
) -> int:
    """Host a room on a server of this user that runs already."""
    say(text("host.already_running", server=base))
    known = read_server_file()
    bind = options.bind
    if bind != DEFAULT_BIND and (known is None or known.bind != bind):
        say(text("host.bind_ignored", bind=bind))
    at = known or ServerFile(0)
    return _in_room(options, settings, say, base, at, stays=True)


def _in_room(
    options: HostOptions,
    settings: Settings,
    say: Say,
    base: str,
    at: ServerFile,
    *,
    stays: bool = False,
    failed: threading.Event | None = None,
) -> int:
    """Open a room, print the invitation, and enter; `stays`: the server outlives us."""
    code = old = _old_room(base, say, ask=options.enter)
    if not code:
        rules = RulesPatch(
            size=options.size, friendly_timing=options.friendly_timing or None
        )
        code = open_room(base, rules, public=options.public, seed=options.seed)
    remember_server(base)
    found = links(base, code, at.bind, at.url)
    for line in invitation(code, found, base):
        say(line)
    draws = sys.stdout.isatty() and shows_blocks(sys.stdout.encoding)
    if found and draws and not options.plain:
        for line in qr_lines(found[0]):
            say(line)
    if not options.enter:
        return _wait(say, failed or threading.Event())
    start = Start(
        "host",
        base,
        code,
        options.name,
        links=tuple(found),
        settings=settings,
        named=not old,
        back=join_command(f"{base}/{code}", options.name) if stays else _command(),
        ends=not stays,
    )
    return enter(start, typed_input(), say) if options.plain else run_app(start)


def _old_room(base: str, say: Say, *, ask: bool) -> str:
    """Return the code of our old room if others wait there and the user returns.

    Where nobody can be asked, the command that returns is shown.
    """
    typed, found = typed_input(), waiting_room(base)
    if found is None:
        return ""
    code, others = found.code, found.others
    if not ask or not typed.is_terminal:
        say(text("host.still_open", code=format_code(code), count=others))
        say(f"  {join_command(f'{base}/{code}')}")
        return ""
    while True:
        say(text("host.go_back", code=format_code(code), count=others))
        typed_line = (typed.read() or "").strip()
        answer = yes_or_no(typed_line) if typed_line else True
        if answer is not None:
            return code if answer else ""
        say(text("solo.yes_or_no", typed=quoted(typed_line)))


def _command() -> str:
    """Return the command that the user has typed."""
    return shlex.join(["sliderace", *sys.argv[1:]])


def invitation(code: str, found: list[str], base: str) -> list[str]:
    """Return what friends need: links, the code, and the exact command.

    Args:
        code: the room's.
        found: links that others can use, best first; empty: only this machine can join.
        base: the server's address for this machine.
    """
    written = format_code(code)
    if not found:
        link = f"{base}/{code}"
        return [
            "",
            text("host.room_local", code=written),
            f"  {link}",
            f"  {join_command(link)}",
            "",
        ]
    return [
        "",
        text("host.room_link", code=written, count=len(found)),
        *(f"  {link}" for link in found),
        text("host.or_type"),
        f"  {join_command(found[0])}",
        "",
    ]


def qr_lines(link: str) -> list[str]:
    """Return the link as a QR code, black on white whatever the terminal's colours."""
    code = segno.make(link, error="l", micro=False)
    rows = qr_rows([list(row) for row in code.matrix_iter(border=2)])
    return [*(f"  \x1b[38;5;16;48;5;231m{row}\x1b[0m" for row in rows), ""]


def shows_blocks(encoding: str) -> bool:
    """Whether an output of that encoding can show half blocks."""
    try:
        "▀▄█".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _wait(say: Say, failed: threading.Event) -> int:
    """Serve until Ctrl-C, SIGTERM or the server's failure."""
    stopped = threading.Event()

    def stop(_number: int, _frame: object) -> None:
        stopped.set()

    before = signal.signal(signal.SIGTERM, stop)
    say(text("host.first_is_host"))
    try:
        while not failed.is_set() and not stopped.wait(POLL_S):
            pass
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)
    return exit_codes.OK
