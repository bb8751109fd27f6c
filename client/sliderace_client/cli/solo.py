"""`sliderace solo`, and the menu in lines: how line mode reads and shows them."""
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

from sliderace_client import exit_codes
from sliderace_client.cli.console import (
    Failure,
    explained,
    is_terminal,
    load_settings,
    race_board,
    say,
    say_error,
    unreadable,
)
from sliderace_client.cli.options import likes_options, plain_option, server_option
from sliderace_client.line_ui.typed_input import typed

if TYPE_CHECKING:
    from sliderace.engine import Size
    from sliderace_client.line_ui.boards import Origin
    from sliderace_client.line_ui.own_keys import Keys
    from sliderace_client.line_ui.solo_session import Wanted
    from sliderace_client.line_ui.trace import Trace
    from sliderace_client.shared_ui.settings import Settings

__all__ = ["choose", "play", "solo"]

CLEAR = "\x1b[H\x1b[2J"
"""Cursor to the corner, then an empty screen: any terminal since the VT100."""
MAX_SHUFFLE = 100_000


@click.command()
@click.option("--size", metavar="N|WxH", help="2x2 to 10x10: 4, 5x3, 15-puzzle.")
@click.option("--seed", metavar="SEED", help="64 hex digits, or any text.")
@click.option("--scramble", metavar="BOARD", help='Such as "8 2 0/4 6 1/3 7 5".')
@click.option(
    "--shuffle",
    metavar="N",
    type=click.IntRange(1, MAX_SHUFFLE),
    help="Easy: N random moves from solved.",
)
@click.option("--race", metavar="ID|FILE", help="The board of a past race.")
@server_option
@likes_options
@plain_option
@click.option("--boxed", is_flag=True, help="Board with rules: |07|00|02|, if it fits.")
@click.option("--zero-based", is_flag=True, help="Tiles from 0, the gap blank.")
@click.option("--single", is_flag=True, help="One tile at a time.")
@click.option("--no-intro", is_flag=True, help="Begin at once.")
@click.option("--no-clear", is_flag=True, help="Do not redraw in place.")
@click.option("--trace", metavar="FILE", help="Write a JSON line for each input.")
def solo(
    size: str | None,
    seed: str | None,
    scramble: str | None,
    shuffle: int | None,
    race: str | None,
    server: str,
    likes: dict[str, str],
    plain: bool,
    boxed: bool,
    zero_based: bool,
    single: bool,
    no_intro: bool,
    no_clear: bool,
    trace: str | None,
) -> int:
    """Solve a board alone; without a network, too.

    On a screen; or line by line with --plain, where there is no screen, and with any
    option from --boxed on.
    """
    from sliderace_client.line_ui.board_text import Style
    from sliderace_client.line_ui.solo_session import Wanted

    settings = load_settings(likes)
    with explained(), unreadable():
        origin, shape = _board(size, seed, scramble, shuffle, race, server)
    for_lines = (boxed, zero_based, single, no_intro, no_clear, trace)
    if is_terminal() and not plain and not any(for_lines):
        return _on_screen(origin, shape, settings)
    wanted = Wanted(
        size=shape,
        keys=_keys(settings),
        ask_keys="own_keys" not in likes,
        intro=not no_intro,
        origin=origin,
        style=Style(boxed=boxed, zero_based=zero_based, rows=_rows()),
        single=single,
    )
    return play(wanted, settings, clear=not no_clear, trace=trace)


def _board(
    size: str | None,
    seed: str | None,
    scramble: str | None,
    shuffle: int | None,
    race: str | None,
    server: str,
) -> "tuple[Origin, Size | None]":
    """The first board's origin and size, as far as the flags say; raises if they clash.

    Raises:
        EngineError: a board, seed or size that cannot be.
    """
    from sliderace.engine import seed_from_text
    from sliderace_client.line_ui.answers import size_of_flag
    from sliderace_client.line_ui.boards import Origin, given

    shape = None if size is None else size_of_flag(size)
    whole = [
        flag for flag, text in (("--scramble", scramble), ("--race", race)) if text
    ]
    if scramble is not None and not scramble.strip():
        raise click.UsageError("--scramble: there is no board in it.")
    if whole and (len(whole) > 1 or seed or shuffle):
        raise click.UsageError(
            f"{whole[0]} is a whole board: give nothing else with it."
        )
    seed_from_text(seed or "")
    if not whole:
        return Origin(seed or "", shuffle or 0), shape
    board = given(scramble) if scramble else race_board(race or "", server)
    if shape not in (None, board.size):
        raise click.UsageError(f"{whole[0]} is a {board.size} board, not {shape}.")
    return Origin(board=board), board.size


def _keys(settings: "Settings") -> "Keys":
    """The keys of the settings; the usual ones where these cannot be."""
    from sliderace_client.line_ui.answers import Refusal
    from sliderace_client.line_ui.own_keys import Keys, keys_of

    usual = Keys(gap=settings.keys == "gap")
    own = keys_of(settings.own_keys, usual)
    if isinstance(own, Refusal):
        say_error(f"the setting own_keys: {own.text}")
        return usual
    return own


def _on_screen(origin: "Origin", shape: "Size | None", settings: "Settings") -> int:
    """Play on the full screen."""
    from sliderace.engine import format_board
    from sliderace_client.launch import Start
    from sliderace_client.line_ui.answers import DEFAULT_SIZE
    from sliderace_client.line_ui.boards import made
    from sliderace_client.tui import run_app

    size = shape or DEFAULT_SIZE
    seed = origin.seed or os.urandom(32).hex()
    board = made(replace(origin, seed=seed), size)
    whole = format_board(board) if origin.board or origin.shuffle else ""
    start = Start("solo", size=str(size), seed=origin.seed, board=whole)
    return run_app(replace(start, settings=settings))


# --- Lines ---------------------------------------------------------------------------


class Lines:
    """What is shown and asked, line by line.

    Args:
        clear: where one sits at a terminal, a new page replaces the old one.
    """

    def __init__(self, *, clear: bool = False) -> None:
        self._typed = typed()
        self._asked = False
        self._pages = clear and self._typed.is_terminal and _can_clear()

    def show(
        self, lines: Iterable[str], prompt: str = "", *, page: bool = False
    ) -> None:
        """Say this and ask that."""
        if self._asked:  # nobody's typing has ended that line
            say("")
        self._asked = False
        if page and self._pages:
            click.echo(CLEAR, nl=False)
        for line in lines:
            say(line)
        if prompt and self._typed.is_terminal:
            self._asked = True
            click.echo(prompt, nl=False)
        elif prompt:
            say(prompt.rstrip())

    def read(self) -> str | None:
        """What is typed; None at the end of it. Ctrl-C raises KeyboardInterrupt."""
        line = self._typed.read()
        self._asked = self._asked and line is None
        return line


def _rows() -> int:
    """Rows of the terminal; 0 where there is none."""
    return shutil.get_terminal_size().lines if sys.stdout.isatty() else 0


def _can_clear() -> bool:
    from sliderace_client.platform import clears

    return sys.stdout.isatty() and clears(os.environ)


def play(
    wanted: "Wanted", settings: "Settings", *, clear: bool, trace: str | None
) -> int:
    """Play line by line; the exit code: leaving is no failure."""
    from sliderace_client.line_ui.solo_session import Session

    session, lines = Session(wanted, os.urandom), Lines(clear=clear)
    with ExitStack() as files:
        file = files.enter_context(_opened(trace)) if trace else None
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
                    file = _traced(reply.trace, file)
                if reply.keys is not None:
                    settings = _remembered(reply.keys, settings)
        except KeyboardInterrupt:
            lines.show(session.leave().lines)
            return exit_codes.INTERRUPTED
    lines.show(reply.lines)
    return exit_codes.OK


def _opened(trace: str) -> RawIOBase:
    """The file for the trace, unbuffered: each line is there at once."""
    try:
        return Path(trace).open("wb", buffering=0)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Failure(f"cannot write {trace}: {why}", exit_codes.UNKNOWN) from None


def _traced(trace: "Trace", file: RawIOBase) -> RawIOBase | None:
    """Write a line of the trace; None where no more can be written."""
    from sliderace_client.line_ui.trace import written

    try:
        file.write(written(trace).encode() + b"\n")
    except OSError as error:
        say_error(f"the trace ends here: {error.strerror}")
        return None
    return file


def _remembered(keys: "Keys", settings: "Settings") -> "Settings":
    """Keep the keys for the next time; where that cannot be, they hold for now."""
    from sliderace_client.shared_ui.settings import keep

    what = "gap" if keys.gap else "tile"
    kept = replace(settings, own_keys=keys.chars or "arrows", keys=what)
    if kept != settings:
        with suppress(OSError):
            keep(settings, kept)
    return kept


# --- The menu ------------------------------------------------------------------------


def choose() -> list[str] | int:
    """Show the menu; the command line that was chosen, or an exit code."""
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
