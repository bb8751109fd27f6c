"""Messages, exit codes and parsing of arguments, shared by the commands."""
# ruff: noqa: PLC0415 - only what a command needs is loaded

import errno
import os
import re
import stat
import sys
from collections.abc import Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.platform import lead_nowhere

if TYPE_CHECKING:
    from sliderace.engine import Board, Size
    from sliderace_client.launch import Start
    from sliderace_client.line_ui.answers import Refusal
    from sliderace_client.net.locate import Place
    from sliderace_client.shared_ui.settings import Settings

__all__ = [
    "Failure",
    "accepted",
    "columns",
    "enter_in_lines",
    "find_room",
    "is_full_screen",
    "load_settings",
    "own_name",
    "parse_hash",
    "parse_hash_start",
    "parse_hex",
    "parse_size",
    "race_board",
    "reporting_failures",
    "reporting_unreadable",
    "run_async",
    "run_until_signalled",
    "say",
    "say_error",
    "server_for_results",
    "suggested_name",
    "usual_server",
]

T = TypeVar("T")

HASH_BYTES = 32
"""Of a commitment, and of a public key."""
_HASH_START = re.compile(r"[0-9a-f]{16,64}")
"""Enough digits of a commitment: a server cannot try 2^64 secrets."""


class Failure(click.ClickException):
    """A failure in one line, with its exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def say_error(message: str) -> None:
    """Print one line on stderr; a full disk under it must not hide the exit code."""
    try:
        click.echo("sliderace: " + " ".join(message.split()), err=True)
    except OSError:
        lead_nowhere(sys.stderr)


def say(line: str) -> None:
    """Print one line on stdout, and flush it even into a pipe."""
    click.echo(line)


@contextmanager
def reporting_failures() -> Generator[None]:
    """Turn expected exceptions into one line and an exit code."""
    from sliderace.engine import BadSeed
    from sliderace_client.net.http import Unreachable
    from sliderace_client.net.locate import NotFound

    try:
        yield
    except (NotFound, Unreachable) as error:
        raise Failure(str(error), exit_codes.UNREACHABLE) from None
    except BadSeed:
        raise click.UsageError(text("cli.bad_seed")) from None


@contextmanager
def reporting_unreadable() -> Generator[None]:
    """Turn an unreadable race record into one line and an exit code."""
    from sliderace_client.race_records import Unreadable

    try:
        yield
    except Unreadable as error:
        raise Failure(str(error), exit_codes.UNKNOWN) from None


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end."""
    import asyncio

    return asyncio.run(work)


def run_until_signalled(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; a signal to end cancels it, as Ctrl-C does.

    Raises:
        SystemExit: there was a signal; with the code that shells expect for it.
    """
    import asyncio

    from sliderace_client.platform import handle_signals

    signals: list[int] = []

    async def run() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None  # noqa: S101 - we run in one

        def end(number: int) -> None:
            signals.append(number)
            task.cancel()

        handle_signals(end, loop, ("SIGTERM", "SIGHUP", "SIGBREAK"))
        return await work

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:
        raise SystemExit(128 + signals[0]) from None


def is_full_screen() -> bool:
    """Whether a full screen can be shown."""
    streams: tuple[TextIO | None, ...] = (sys.stdin, sys.stdout)  # None: closed
    return all(stream is not None and stream.isatty() for stream in streams) and (
        os.environ.get("TERM") != "dumb"
    )


def columns() -> int:
    """Return the terminal's columns; 0 if the output is not a terminal."""
    import shutil

    output: TextIO | None = sys.stdout  # None: closed
    if output is None or not output.isatty():
        return 0
    return shutil.get_terminal_size().columns


def load_settings(preferences: Mapping[str, str] | None = None) -> "Settings":
    """Return the user's settings; report those that cannot be used.

    Args:
        preferences: from `preference_options`: they win.
    """
    from sliderace_client.line_ui.answers import Refusal
    from sliderace_client.line_ui.own_keys import Keys, keys_of
    from sliderace_client.shared_ui.pictures import BUILT_IN
    from sliderace_client.shared_ui.settings import load

    settings, complaints = load()
    for complaint in complaints:
        say_error(complaint)
    given = dict(preferences or {})
    if "own_keys" in given:
        own = keys_of(given["own_keys"], Keys())
        if isinstance(own, Refusal):
            raise click.BadParameter(own.text, param_hint="--keys")
        given["own_keys"] = own.chars or "arrows"
    picture = given.get("picture", "none")
    known = picture in ("", "none", *BUILT_IN)
    why = "" if known else _why_no_file(picture)
    if why:
        message = text("picture.cannot_read", name=picture, why=why)
        raise click.BadParameter(message, param_hint="--picture")
    return replace(settings, **given)


def _why_no_file(path: str) -> str:
    """Return why this is not a file; empty if it is one. ``~`` is a home folder."""
    try:
        mode = Path(path).expanduser().stat().st_mode
    except OSError as error:
        return str(error.strerror)
    except (RuntimeError, ValueError):  # nobody has that name; a null character
        return os.strerror(errno.ENOENT)
    if stat.S_ISREG(mode):
        return ""
    return os.strerror(errno.EISDIR if stat.S_ISDIR(mode) else errno.ENOENT)


def own_name(name: str, settings: "Settings", *, ask: bool = False) -> str:
    """Return the nickname to use.

    Args:
        name: given for this start; empty: none, so the one of the settings is used.
        settings: the user's. If they have no name, a random one is stored.
        ask: at a terminal, ask for a name if the settings have none, and store it.
    """
    from sliderace.protocol.codes import refusal_text
    from sliderace.protocol.names import typed_fault, typed_name
    from sliderace_client.line_ui.typed_input import typed_input
    from sliderace_client.shared_ui.settings import nickname, remember_name

    if not name:
        known = nickname(settings)
        found = suggested_name(settings)
        asks = ask and not settings.name and typed_input().is_terminal
        if asks:
            found = _asked_name(found)
        if asks or not known:
            remember_name(settings, found)
        return found
    if fault := typed_fault(name):
        raise click.BadParameter(refusal_text(fault), param_hint=repr(name))
    return typed_name(name)


def suggested_name(settings: "Settings") -> str:
    """Return the nickname of the settings or of the login, else a random one."""
    from sliderace_client.shared_ui.settings import nickname, random_name

    chance = int.from_bytes(os.urandom(4), "big") / 2**32
    return nickname(settings) or random_name(chance)


def _asked_name(suggestion: str) -> str:
    """Ask for a nickname until it can be used; Enter takes the suggestion."""
    from sliderace.protocol.codes import refusal_text
    from sliderace.protocol.names import typed_fault, typed_name
    from sliderace_client.line_ui.typed_input import typed_input

    while True:
        click.echo(text("cli.name.question", name=suggestion) + " ", nl=False)
        typed = typed_input().read()
        if not typed or not typed.strip():
            return suggestion
        fault = typed_fault(typed)
        if not fault:
            return typed_name(typed)
        say(refusal_text(fault))


def parse_size(typed: str) -> "Size":
    """Return a board size."""
    from sliderace_client.line_ui.answers import size_of

    return accepted(size_of(typed))


def accepted(answer: "T | Refusal") -> T:
    """Return the value of an option."""
    from sliderace_client.line_ui.answers import Refusal

    if isinstance(answer, Refusal):
        raise click.UsageError(answer.text)
    return answer


def parse_hex(option: str, typed: str) -> bytes:
    """Return the bytes of hex digits."""
    try:
        return bytes.fromhex(typed)
    except ValueError:
        raise click.BadParameter(text("cli.not_hex"), param_hint=option) from None


def parse_hash(option: str, typed: str | None) -> str:
    """Return a hash or a key as records write it; empty only if it was not given."""
    if typed is None:
        return ""
    value = parse_hex(option, typed)
    if len(value) != HASH_BYTES:
        raise click.BadParameter(text("cli.not_a_hash"), param_hint=option)
    return value.hex()


def parse_hash_start(option: str, typed: str | None) -> str:
    """Return a hash or its first digits; an ellipsis and spaces are dropped."""
    digits = "".join((typed or "").lower().rstrip(".\u2026").split())
    if typed is not None and not _HASH_START.fullmatch(digits):
        raise click.BadParameter(text("cli.not_a_hash_start"), param_hint=option)
    return digits


def find_room(room: str, server: str) -> "Place":
    """Return where the room is; the server is remembered for the next time.

    Args:
        room: as typed; ``-``: it is the next line of standard input.
        server: where to look, and only there; empty: everywhere.
    """
    from sliderace_client.line_ui.typed_input import typed_input
    from sliderace_client.net.locate import find
    from sliderace_client.shared_ui.settings import load, remember_server

    with reporting_failures():
        typed = typed_input().read() or "" if room == "-" else room
        place = run_async(find(typed, server, load()[0].server))
    remember_server(place.server)
    return place


def usual_server() -> str:
    """Return the server of the settings, else a live one here, else the last one.

    It is empty if there is none, or only one of this machine that does not run.
    """
    from urllib.parse import urlsplit

    from sliderace_client.net.http import is_live
    from sliderace_client.net.locate import is_loopback, local_addresses
    from sliderace_client.shared_ui.settings import last_server, load

    last = last_server()
    if last and is_loopback(urlsplit(last).hostname or "") and not is_live(last):
        last = ""  # it was ours
    return load()[0].server or next(filter(is_live, local_addresses()), "") or last


def server_for_results(server: str) -> str:
    """Return the server to ask for races; empty: our own, which does not run.

    Raises:
        NotFound: that is not an address.
    """
    from sliderace_client.net.locate import server_address

    base = server or usual_server()
    return base and server_address(base)


def race_board(race: str, server: str) -> "Board":
    """Return the start board of a past race."""
    from sliderace_client import race_records

    return race_records.board_of(race_records.load(race, server or usual_server()))


def enter_in_lines(start: "Start") -> int:
    """Enter a room line by line; return the exit code."""
    from sliderace_client.line_ui.race import enter
    from sliderace_client.line_ui.typed_input import typed_input

    return enter(start, typed_input(), say)
