"""What `sliderace host` does: a server, a room, an invitation, and in we go."""

import signal
import sys
import threading
from _thread import interrupt_main
from collections.abc import Callable
from dataclasses import dataclass

import segno

from sliderace.protocol.messages import RulesPatch
from sliderace.protocol.room_code import format_code
from sliderace_client import exit_codes
from sliderace_client.launch import Start
from sliderace_client.line_ui.race import enter
from sliderace_client.line_ui.typed_input import typed
from sliderace_client.local_server import (
    HostError,
    OwnServer,
    links,
    open_room,
    running,
)
from sliderace_client.net.locate import Noted, join_command, noted
from sliderace_client.shared_ui.render import qr_rows
from sliderace_client.shared_ui.settings import Settings, remember_server
from sliderace_client.tui import run_app

__all__ = ["Asked", "HostError", "host", "invitation"]

Say = Callable[[str], None]


LOOK_S = 0.5
"""How soon Ctrl-C is heard where it wakes nobody."""
DEFAULT_BIND = "0.0.0.0"  # noqa: S104 - friends in the network shall reach it


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of `sliderace host`.

    Without `tui` it only serves and waits; with `plain` we are in the room in lines.
    """

    size: str
    name: str
    port: int
    bind: str
    public_url: str
    public: bool
    seed: str | None
    tui: bool
    friendly_timing: bool = False
    plain: bool = False


def host(asked: Asked, settings: Settings, say: Say) -> int:
    """Host a room until the user ends it; the exit code.

    Raises:
        HostError: the server or the room cannot be had, or cannot be kept up.
    """
    base = running()
    if base is not None:
        say(f"A server is already running here: {base}")
        known = noted()
        if asked.bind != DEFAULT_BIND and (known is None or known.bind != asked.bind):
            say(f"It listens where it did before: --bind {asked.bind} has no effect.")
        return _in_room(asked, settings, say, base, known or Noted(0), stays=True)
    failed = threading.Event()

    def fail() -> None:
        failed.set()
        interrupt_main()

    server = OwnServer(
        bind=asked.bind,
        port=asked.port,
        public_url=asked.public_url,
        say=say,
        on_failure=fail,
    )
    code = exit_codes.INTERRUPTED
    try:
        server.start()
        code = _in_room(asked, settings, say, server.base, server.noted, ended=failed)
    except KeyboardInterrupt:
        if not failed.is_set():
            raise
    finally:
        server.stop()
    if failed.is_set():
        raise HostError(server.failure)
    return code


def _in_room(
    asked: Asked,
    settings: Settings,
    say: Say,
    base: str,
    at: Noted,
    *,
    stays: bool = False,
    ended: threading.Event | None = None,
) -> int:
    """Open a room, invite to it, and be there; `stays`: the server outlives us."""
    rules = RulesPatch(size=asked.size, friendly_timing=asked.friendly_timing or None)
    code = open_room(base, rules, public=asked.public, seed=asked.seed)
    remember_server(base)
    found = links(base, code, at.bind, at.url)
    for line in invitation(code, found, base):
        say(line)
    drawn = sys.stdout.isatty() and shows_blocks(sys.stdout.encoding)
    if found and drawn and not asked.plain:
        for line in qr_lines(found[0]):
            say(line)
    if not asked.tui:
        return _wait(say, ended or threading.Event())
    start = Start(
        "host",
        base,
        code,
        asked.name,
        links=tuple(found),
        settings=settings,
        back=join_command(f"{base}/{code}", asked.name) if stays else "",
    )
    return enter(start, typed(), say) if asked.plain else run_app(start)


def invitation(code: str, found: list[str], base: str) -> list[str]:
    """What to tell friends: links, the code, and the exact command.

    Args:
        code: the room's.
        found: links others can use, best first; empty: only this machine can join.
        base: the server's address for this machine.
    """
    shown = format_code(code)
    if not found:
        return [
            "",
            f"Room {shown}. No network was found: only this machine can join.",
            f"  {base}/{code}",
            f"  {join_command(f'{base}/{code}')}",
            "",
        ]
    return [
        "",
        f"Room {shown}. Friends open {'one of these' if found[1:] else 'this'}:",
        *(f"  {link}" for link in found),
        "or type:",
        f"  {join_command(found[0])}",
        "",
    ]


def qr_lines(link: str) -> list[str]:
    """The link as a QR code: black on white, whatever the terminal's colours are."""
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


def _wait(say: Say, ended: threading.Event) -> int:
    """Serve until Ctrl-C, or until the server cannot be kept up."""
    say("The first player to join is the host. Ctrl-C ends it.")

    def end(_number: int, _frame: object) -> None:
        ended.set()

    before = signal.signal(signal.SIGTERM, end)
    try:
        while not ended.wait(LOOK_S):  # Ctrl-C interrupts no wait on Windows
            pass
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)
    return exit_codes.OK
