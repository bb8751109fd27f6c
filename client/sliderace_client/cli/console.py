"""Between the command line and the parts: words for the user, and what he means."""
# ruff: noqa: PLC0415 - only what a command needs is loaded

import os
import re
import sys
from collections.abc import Coroutine, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from sliderace_client import exit_codes

if TYPE_CHECKING:
    from sliderace.engine import Board, Size
    from sliderace_client.launch import Start
    from sliderace_client.net.locate import Place
    from sliderace_client.shared_ui.settings import Settings

__all__ = [
    "Failure",
    "any_server",
    "awaited",
    "awaited_or_told",
    "columns",
    "digits_of",
    "enter_plain",
    "explained",
    "first_digits_of",
    "found",
    "hex_of",
    "is_terminal",
    "load_settings",
    "own_name",
    "race_board",
    "say",
    "say_error",
    "server_for_results",
    "size_of",
    "unreadable",
]

T = TypeVar("T")

HASH_BYTES = 32
"""Of a commitment, and of a public key."""
_FIRST_DIGITS = re.compile(r"[0-9a-f]{16,64}")
"""So many of a commitment bind a server well enough: it cannot try 2^64 secrets."""


class Failure(click.ClickException):
    """What went wrong, in one line, and the exit code for it."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


def say_error(text: str) -> None:
    """One line on stderr."""
    click.echo("sliderace: " + " ".join(text.split()), err=True)


def say(text: str) -> None:
    """One line on stdout, at once even into a pipe."""
    click.echo(text)


@contextmanager
def explained() -> Generator[None]:
    """Turn what the parts raise into one line and an exit code."""
    from sliderace.engine import EngineError
    from sliderace_client.net.http import Unreachable
    from sliderace_client.net.locate import NotFound

    try:
        yield
    except (NotFound, Unreachable) as error:
        raise Failure(str(error), exit_codes.UNREACHABLE) from None
    except EngineError as error:
        raise click.UsageError(f"{error}.") from None


def awaited(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end."""
    import asyncio

    return asyncio.run(work)


def awaited_or_told(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; a signal to end cancels it, as Ctrl-C does.

    Raises:
        SystemExit: there was a signal; with the code that shells expect for it.
    """
    import asyncio

    from sliderace_client.platform import hear

    told: list[int] = []

    async def listening() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None  # noqa: S101 - we run in one

        def end(number: int) -> None:
            told.append(number)
            task.cancel()

        hear(end, loop, ("SIGTERM", "SIGHUP", "SIGBREAK"))
        return await work

    try:
        return asyncio.run(listening())
    except asyncio.CancelledError:
        raise SystemExit(128 + told[0]) from None


def is_terminal() -> bool:
    """Whether a full screen can be shown."""
    streams: tuple[TextIO | None, ...] = (sys.stdin, sys.stdout)  # None: closed
    return all(stream is not None and stream.isatty() for stream in streams) and (
        os.environ.get("TERM") != "dumb"
    )


def columns() -> int:
    """Columns of the terminal; 0 where the output is none."""
    import shutil

    shown: TextIO | None = sys.stdout  # None: closed
    if shown is None or not shown.isatty():
        return 0
    return shutil.get_terminal_size().columns


def load_settings(likes: Mapping[str, str] | None = None) -> "Settings":
    """The user's settings; what cannot be used of them is said.

    Args:
        likes: of `likes_options`: they win.
    """
    from sliderace_client.line_ui.answers import Refusal
    from sliderace_client.line_ui.own_keys import Keys, keys_of
    from sliderace_client.shared_ui.settings import load

    settings, complaints = load()
    for complaint in complaints:
        say_error(complaint)
    likes = dict(likes or {})
    if "own_keys" in likes:
        own = keys_of(likes["own_keys"], Keys())
        if isinstance(own, Refusal):
            raise click.BadParameter(own.text, param_hint="--keys")
        likes["own_keys"] = own.chars or "arrows"
    return replace(settings, **likes)


def own_name(name: str, settings: "Settings") -> str:
    """The nickname to go by; one that had to be drawn is kept for the next time."""
    from sliderace.protocol.names import clean_name
    from sliderace_client.shared_ui.settings import drawn_name, keep, nickname

    if not name:
        known = nickname(settings)
        if known:
            return known
        drawn = drawn_name(int.from_bytes(os.urandom(4), "big") / 2**32)
        with suppress(OSError):  # then it is drawn again the next time
            keep(settings, replace(settings, name=drawn))
        return drawn
    clean = clean_name(name)
    if clean is None:
        raise click.BadParameter("that nickname cannot be shown.", param_hint="--name")
    return clean


def size_of(text: str) -> "Size":
    """A board size; raises `EngineError`."""
    from sliderace.engine import Size

    return Size.parse(text.lower())


def hex_of(option: str, text: str) -> bytes:
    """The bytes of hex digits."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise click.BadParameter("must be hex digits.", param_hint=option) from None


def digits_of(option: str, text: str | None) -> str:
    """A hash or a key, as records write it; empty only where it was not given."""
    if text is None:
        return ""
    value = hex_of(option, text)
    if len(value) != HASH_BYTES:
        raise click.BadParameter("must be 64 hex digits.", param_hint=option)
    return value.hex()


def first_digits_of(option: str, text: str | None) -> str:
    """A hash or its first digits, with an ellipsis or spaces; empty: not given."""
    digits = "".join((text or "").lower().rstrip(".\u2026").split())
    if text is not None and not _FIRST_DIGITS.fullmatch(digits):
        raise click.BadParameter("must be 16 to 64 hex digits.", param_hint=option)
    return digits


def found(room: str, server: str) -> "Place":
    """Where the room is; the server is remembered for the next time."""
    from sliderace_client.net.locate import find
    from sliderace_client.shared_ui.settings import load, remember_server

    with explained():
        place = awaited(find(room, server, load()[0].server))
    remember_server(place.server)
    return place


@contextmanager
def unreadable() -> Generator[None]:
    """Say in one line that a record cannot be read."""
    from sliderace_client.race_records import Unreadable

    try:
        yield
    except Unreadable as error:
        raise Failure(str(error), exit_codes.UNKNOWN) from None


def any_server() -> str:
    """The server of the settings, else a live one here, else the one used last."""
    from sliderace_client.net.http import is_live
    from sliderace_client.net.locate import here
    from sliderace_client.shared_ui.settings import last_server, load

    return load()[0].server or next(filter(is_live, here()), "") or last_server()


def server_for_results(server: str) -> str:
    """The server to ask for races; raises `NotFound`."""
    from sliderace_client.net.locate import NotFound, server_address

    base = server or any_server()
    base = server_address(base) if base else ""
    if not base:
        raise NotFound(
            "no server is running here; sliderace serve (or host) brings its past races"
            " back, --server names another"
        )
    return base


def race_board(race: str, server: str) -> "Board":
    """The start board of a past race."""
    from sliderace_client import race_records

    return race_records.board_of(race_records.load(race, server or any_server()))


def enter_plain(start: "Start") -> int:
    """Enter a room line by line."""
    from sliderace_client.line_ui.race import enter
    from sliderace_client.line_ui.typed_input import typed

    return enter(start, typed(), say)
