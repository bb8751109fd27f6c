"""`sliderace solo` and the menu in line mode: input and output of the sessions."""
# ruff: noqa: PLC0415 - only what a command needs is loaded

import os
import shutil
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from io import RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.cli.console import (
    Failure,
    accepted,
    is_full_screen,
    load_settings,
    own_name,
    parse_size,
    race_board,
    reporting_failures,
    reporting_unreadable,
    say,
    say_error,
)
from sliderace_client.cli.options import (
    name_option,
    plain_option,
    preference_options,
    server_option,
)
from sliderace_client.line_ui.typed_input import typed_input

if TYPE_CHECKING:
    from sliderace.engine import Size
    from sliderace_client.line_ui.boards import Origin
    from sliderace_client.line_ui.own_keys import Keys
    from sliderace_client.line_ui.solo_session import Trace, Wanted
    from sliderace_client.shared_ui.settings import Settings

__all__ = ["choose", "play", "solo"]

CLEAR = "\x1b[H\x1b[2J"
"""Cursor to the corner, then clear: every terminal since the VT100 knows it."""
MAX_SHUFFLE = 100_000


@click.command(help=text("cli.solo.help"))
@click.option("--size", metavar="N|WxH", help=text("cli.solo.size"))
@click.option("--seed", metavar="SEED", help=text("cli.option.seed"))
@click.option("--scramble", metavar="BOARD", help=text("cli.solo.scramble"))
@click.option(
    "--shuffle",
    metavar="N",
    type=click.IntRange(1, MAX_SHUFFLE),
    help=text("cli.solo.shuffle"),
)
@click.option("--race", metavar="RACE|LINK|CODE|FILE|-", help=text("cli.solo.race"))
@click.option("--practice", is_flag=True, help=text("cli.solo.practice"))
@name_option
@server_option
@preference_options
@plain_option
@click.option("--blank", is_flag=True, help=text("cli.solo.blank"))
@click.option("--boxed", is_flag=True, help=text("cli.solo.boxed"))
@click.option("--zero-based", is_flag=True, help=text("cli.solo.zero_based"))
@click.option("--single", is_flag=True, help=text("cli.solo.single"))
@click.option("--no-intro", is_flag=True, help=text("cli.solo.no_intro"))
@click.option("--no-clear", is_flag=True, help=text("cli.solo.no_clear"))
@click.option("--trace", metavar="FILE", help=text("cli.solo.trace"))
def solo(
    size: str | None,
    seed: str | None,
    scramble: str | None,
    shuffle: int | None,
    race: str | None,
    practice: bool,
    name: str,
    server: str,
    preferences: dict[str, str],
    plain: bool,
    blank: bool,
    boxed: bool,
    zero_based: bool,
    single: bool,
    no_intro: bool,
    no_clear: bool,
    trace: str | None,
) -> int:
    """Solve a board alone, on a full screen or in lines."""
    from sliderace_client.line_ui.answers import DEFAULT_SIZE
    from sliderace_client.line_ui.board_text import Style
    from sliderace_client.line_ui.solo_session import Wanted

    settings = load_settings(preferences)
    with reporting_failures(), reporting_unreadable():
        origin, shape = _board(size, seed, scramble, shuffle, race, server)
    for_lines = (boxed, zero_based, single, no_intro, no_clear, trace)
    for_practice = (practice, seed, scramble, shuffle, race, blank, *for_lines)
    if not any(for_practice) and (base := _server(server, settings)):
        return _ranked(base, str(shape or DEFAULT_SIZE), name, settings, plain=plain)
    if is_full_screen() and not plain and not any(for_lines):
        return _on_full_screen(origin, shape, settings)
    wanted = Wanted(
        size=shape,
        keys=_keys(settings),
        ask_keys="own_keys" not in preferences,
        intro=not no_intro,
        origin=origin,
        style=Style(boxed=boxed, zero_based=zero_based, rows=_rows(), blank=blank),
        single=single,
    )
    return play(wanted, settings, clear=not no_clear, trace=trace)


def _server(typed: str, settings: "Settings") -> str:
    """Return the server where boards count; empty: there is none, so we practise.

    A pipe gets practice unless it names a server: a script must not depend on whether
    one happens to run.

    Raises:
        Failure: the server that was named does not offer that.
    """
    from sliderace_client.local_server import server_in_use
    from sliderace_client.net.locate import server_address
    from sliderace_client.net.offers import FEATURES, NotOffered, check_offer

    if typed:
        with reporting_failures():
            base = server_address(typed)
            try:
                check_offer(base, "ranked")
            except NotOffered as error:
                raise Failure(str(error), exit_codes.REFUSED) from None
            return base
    if not typed_input().is_terminal:
        return ""
    base, offered = server_in_use(settings.server)
    return base if FEATURES["ranked"] in offered else ""


def _ranked(
    server: str, size: str, name: str, settings: "Settings", *, plain: bool
) -> int:
    """Play alone in a room of our own, where every board counts."""
    from sliderace_client.cli.play import run_start
    from sliderace_client.launch import Start

    nickname = own_name(name, settings, ask=True)
    start = Start("ranked", server, name=nickname, size=size, settings=settings)
    return run_start(start, plain=plain)


def _board(
    size: str | None,
    seed: str | None,
    scramble: str | None,
    shuffle: int | None,
    race: str | None,
    server: str,
) -> "tuple[Origin, Size | None]":
    """Return the first board's origin and size, as far as the flags give them.

    Raises:
        UsageError: an impossible board or size, or flags that contradict each other.
        BadSeed: the seed is not valid text.
    """
    from sliderace.engine import seed_from_text
    from sliderace_client.line_ui.boards import Origin, parse_given

    shape = None if size is None else parse_size(size)
    whole = [
        flag for flag, value in (("--scramble", scramble), ("--race", race)) if value
    ]
    if scramble is not None and not scramble.strip():
        raise click.UsageError(text("cli.solo.empty_scramble"))
    if whole and (len(whole) > 1 or seed or shuffle):
        raise click.UsageError(text("cli.solo.whole_board", flag=whole[0]))
    seed_from_text(seed or "")
    if not whole:
        return Origin(seed or "", shuffle or 0), shape
    given = parse_given(scramble) if scramble else race_board(race or "", server)
    board = accepted(given)
    if shape not in (None, board.size):
        raise click.UsageError(
            text("cli.solo.other_size", flag=whole[0], size=board.size, wanted=shape)
        )
    return Origin(board=board), board.size


def _keys(settings: "Settings") -> "Keys":
    """Return the keys of the settings; the usual ones if those cannot be used."""
    from sliderace_client.line_ui.answers import Refusal
    from sliderace_client.line_ui.own_keys import Keys, keys_of

    usual = Keys(gap=settings.keys == "gap")
    own = keys_of(settings.own_keys, usual)
    if isinstance(own, Refusal):
        say_error(text("cli.bad_own_keys", why=own.text))
        return usual
    return own


def _on_full_screen(
    origin: "Origin", shape: "Size | None", settings: "Settings"
) -> int:
    """Play on the full screen."""
    from sliderace.engine import format_board
    from sliderace_client.launch import Start
    from sliderace_client.line_ui.answers import DEFAULT_SIZE
    from sliderace_client.line_ui.boards import board_from
    from sliderace_client.tui import run_app

    size = shape or DEFAULT_SIZE
    seed = origin.seed or os.urandom(32).hex()
    board = board_from(replace(origin, seed=seed), size)
    whole = format_board(board) if origin.board or origin.shuffle else ""
    start = Start("solo", size=str(size), seed=origin.seed, board=whole)
    return run_app(replace(start, settings=settings))


# --- Lines ---------------------------------------------------------------------------


class Lines:
    """Shows lines and reads answers.

    Args:
        clear: at a terminal, a new page replaces the old one.
    """

    def __init__(self, *, clear: bool = False) -> None:
        self._input = typed_input()
        self._prompted = False
        self._pages = clear and self._input.is_terminal and _can_clear()

    def show(
        self, lines: Iterable[str], prompt: str = "", *, page: bool = False
    ) -> None:
        """Show lines, then a prompt."""
        if self._prompted:  # nothing was typed to end the prompt's line
            say("")
        self._prompted = False
        if page and self._pages:
            click.echo(CLEAR, nl=False)
        for line in lines:
            say(line)
        if prompt and self._input.is_terminal:
            self._prompted = True
            click.echo(prompt, nl=False)
        elif prompt:
            say(prompt.rstrip())

    def read(self) -> str | None:
        """Return a typed line; None at the end. Ctrl-C raises KeyboardInterrupt."""
        line = self._input.read()
        self._prompted = self._prompted and line is None
        return line


def _rows() -> int:
    """Return the terminal's rows; 0 if the output is not a terminal."""
    return shutil.get_terminal_size().lines if sys.stdout.isatty() else 0


def _can_clear() -> bool:
    from sliderace_client.platform import can_clear

    return sys.stdout.isatty() and can_clear(os.environ)


def play(
    wanted: "Wanted", settings: "Settings", *, clear: bool, trace: str | None
) -> int:
    """Play line by line; return the exit code."""
    from sliderace_client.line_ui.solo_session import Session

    session, lines = Session(wanted, os.urandom), Lines(clear=clear)
    with ExitStack() as files:
        file = files.enter_context(_open_trace(trace)) if trace else None
        try:
            reply = session.begin()
            while reply.prompt:
                lines.show(reply.lines, reply.prompt, page=reply.page)
                line = lines.read()
                if line is None:
                    reply = session.leave()
                    break
                reply = session.feed(line, time.monotonic_ns() // 1_000_000)
                if file is not None:
                    file = _write_trace(reply.trace, file)
                if reply.keys is not None:
                    settings = _store_keys(reply.keys, settings)
        except KeyboardInterrupt:
            lines.show(session.leave().lines)
            return exit_codes.INTERRUPTED
    lines.show(reply.lines)
    return exit_codes.OK


def _open_trace(trace: str) -> RawIOBase:
    """Open the file for the trace, unbuffered: each line is there at once."""
    try:
        return Path(trace).open("wb", buffering=0)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        failure = text("cli.cannot_write", path=trace, why=why)
        raise Failure(failure, exit_codes.UNKNOWN) from None


def _write_trace(trace: "Trace", file: RawIOBase) -> RawIOBase | None:
    """Write a line of the trace; return None if no more can be written."""
    from sliderace_client.line_ui.solo_session import trace_line

    try:
        file.write(trace_line(trace).encode() + b"\n")
    except OSError as error:
        say_error(text("cli.trace_ends", why=error.strerror))
        return None
    return file


def _store_keys(keys: "Keys", settings: "Settings") -> "Settings":
    """Store the keys for the next time, if that is possible."""
    from sliderace_client.shared_ui.settings import keep

    what = "gap" if keys.gap else "tile"
    kept = replace(settings, own_keys=keys.chars or "arrows", keys=what)
    if kept != settings:
        with suppress(OSError):
            keep(settings, kept)
    return kept


# --- The menu ------------------------------------------------------------------------


def choose() -> list[str] | int:
    """Show the menu; return the command line that was chosen, or an exit code."""
    from sliderace_client.line_ui.menu import Menu

    menu, lines = Menu(), Lines()
    choice = menu.begin()
    try:
        while not choice.command:
            lines.show(choice.lines, choice.prompt)
            if not choice.prompt:
                return exit_codes.OK
            line = lines.read()
            choice = menu.leave() if line is None else menu.feed(line)
    except KeyboardInterrupt:
        lines.show(menu.leave().lines)
        return exit_codes.INTERRUPTED
    return list(choice.command)
