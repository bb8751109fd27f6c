"""`sliderace me`, our profile on a server, and `sliderace boards`, its leaderboards."""
# ruff: noqa: PLC0415 - only what a command needs is loaded

import re
import shlex
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.cli.console import (
    Failure,
    load_settings,
    own_name,
    parse_size,
    reporting_failures,
    run_async,
    say,
    server_for_results,
)
from sliderace_client.cli.options import server_option

if TYPE_CHECKING:
    from sliderace.protocol.messages import InputName, KindName, Profile
    from sliderace_client.leaderboards import Span
    from sliderace_client.net.profile_connection import ProfileConnection

__all__ = ["boards", "me"]

T = TypeVar("T")
WEEKS = 53
"""In the sentence on days: a year."""
DEVICE = r"[1-9]\d{0,14}"
"""The number of a device; the protocol has no larger ones."""
LISTED = 20
"""Attempts in the list."""


@contextmanager
def reporting_profile() -> Generator[None]:
    """Turn what cannot be done with a profile into one line and an exit code."""
    from sliderace_client.own_profile import ProfileError

    try:
        yield
    except ProfileError as error:
        raise Failure(str(error), error.exit_code) from None


def chosen_server(context: click.Context) -> str:
    """Return the server of `--server`, or the usual one.

    Raises:
        Failure: there is none.
    """
    with reporting_failures():
        server = server_for_results(context.obj["server"])
    if not server:
        raise Failure(text("me.no_server"), exit_codes.UNREACHABLE)
    return server


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run something that needs the profile."""
    with reporting_profile():
        return run_async(work)


async def with_owner(
    server: str, use: "Callable[[ProfileConnection], Awaitable[T]]"
) -> T:
    """Connect as the owner of our profile, and use that connection."""
    from sliderace_client.own_profile import owner

    async with owner(server) as mine:
        return await use(mine)


def show(context: click.Context, profile: "Profile", server: str) -> None:
    """Print a profile, as lines or as JSON."""
    from sliderace_client.shared_ui.profile_text import profile_lines

    if context.obj["json"]:
        print_json(profile)
        return
    for line in profile_lines(profile, server):
        say(line)


def print_json(value: object) -> None:
    """Print a message of the protocol as JSON."""
    import msgspec

    say(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


@click.group(invoke_without_command=True, help=text("cli.me.help"))
@server_option
@click.option("--json", "as_json", is_flag=True, help=text("cli.option.json"))
@click.pass_context
def me(context: click.Context, server: str, as_json: bool) -> None:
    """Show our profile, if there is no further command."""
    context.obj = {"server": server, "json": as_json}
    if context.invoked_subcommand is None:
        base = chosen_server(context)
        show(context, run(with_owner(base, _profile)), base)


async def _profile(mine: "ProfileConnection") -> "Profile":
    from sliderace_client.own_profile import profile_of

    return profile_of(mine)


@me.command(help=text("cli.me.keep"))
@click.argument("name", default="", metavar="[NAME]")
@click.pass_context
def keep(context: click.Context, name: str) -> None:
    """Create a profile."""
    from sliderace_client.own_profile import keep

    base = chosen_server(context)
    profile, _ = run(keep(base, own_name(name, load_settings(), ask=True)))
    show(context, profile, base)


@me.command(help=text("cli.me.rename"))
@click.argument("name")
@click.pass_context
def rename(context: click.Context, name: str) -> None:
    """Change the name of the profile."""
    from sliderace.protocol.codes import refusal_text

    base = chosen_server(context)
    if not name.strip():
        raise click.BadParameter(refusal_text("bad_name"), param_hint=repr(name))
    wanted = own_name(name, load_settings())

    async def change(mine: "ProfileConnection") -> "Profile":
        await mine.rename(wanted)
        return await _profile(mine)

    show(context, run(with_owner(base, change)), base)


@me.command(help=text("cli.me.ticket"))
@click.pass_context
def ticket(context: click.Context) -> None:
    """Print a ticket for another device."""
    from sliderace.protocol.profile_key import format_ticket
    from sliderace_client.local_server import address_for_others

    base = chosen_server(context)
    found = run(with_owner(base, lambda mine: mine.ticket()))
    if context.obj["json"]:
        print_json(found)
        return
    written = format_ticket(found.ticket)
    say(text("me.ticket", ticket=written, minutes=-(-found.in_ms // 60_000)))
    server = address_for_others(base)
    command = ["sliderace", "me", "--server", server, "claim", written]
    say(f"  {shlex.join(command)}")


@me.command(help=text("cli.me.claim"))
@click.argument("ticket")
@click.pass_context
def claim(context: click.Context, ticket: str) -> None:
    """Add this device to the profile of another one."""
    from sliderace_client.own_profile import claim

    base = chosen_server(context)
    profile, _ = run(claim(base, ticket))
    show(context, profile, base)


@me.command(help=text("cli.me.revoke"))
@click.argument("device")
@click.pass_context
def revoke(context: click.Context, device: str) -> None:
    """Remove a device."""
    if not re.fullmatch(DEVICE, device, re.ASCII):
        raise click.UsageError(text("me.no_device", typed=device))
    base = chosen_server(context)

    async def remove(mine: "ProfileConnection") -> "Profile | None":
        await mine.revoke(int(device))
        return mine.profile

    left = run(with_owner(base, remove))
    if left is None:
        say(text("me.this_device_removed"))
    else:
        show(context, left, base)


@me.command(help=text("cli.me.key"))
@click.option("--enter", is_flag=True, help=text("cli.me.enter"))
@click.pass_context
def key(context: click.Context, enter: bool) -> None:
    """Show the secret of this device, or enter one."""
    from sliderace.protocol.profile_key import format_key
    from sliderace_client.own_profile import own_key, use_key

    base = chosen_server(context)
    if enter:
        profile, _ = run(use_key(base, _typed_key()))
        show(context, profile, base)
        return
    with reporting_profile():
        secret = own_key(base)
    say(text("me.key_warning"))
    say(format_key(secret))


def _typed_key() -> str:
    """Return the key that the user types; it is not shown on the screen."""
    from sliderace_client.line_ui.typed_input import typed_input

    if typed_input().is_terminal:
        return str(click.prompt(text("me.key_prompt"), hide_input=True))
    return typed_input().read() or ""


@me.command(help=text("cli.me.export"))
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def export(context: click.Context, file: Path) -> None:
    """Store a ZIP file of everything that the server has."""
    from sliderace_client.own_profile import exported

    base = chosen_server(context)
    with reporting_profile():
        data = exported(base)
    try:
        file.write_bytes(data)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        failure = text("cli.cannot_write", path=file, why=why)
        raise Failure(failure, exit_codes.UNKNOWN) from None
    say(text("me.exported", path=file))


@me.command(help=text("cli.me.forget"))
@click.option("--cancel", is_flag=True, help=text("cli.me.cancel"))
@click.pass_context
def forget(context: click.Context, cancel: bool) -> None:
    """Delete the profile in 72 hours, or cancel that."""
    base = chosen_server(context)

    async def change(mine: "ProfileConnection") -> "Profile":
        await mine.forget(on=not cancel)
        return await _profile(mine)

    show(context, run(with_owner(base, change)), base)


@me.command(help=text("cli.me.stats"))
@click.argument("event", default="4x4", metavar="[SIZE]")
@click.pass_context
def stats(context: click.Context, event: str) -> None:
    """Print the statistics of an event in words and tables."""
    from datetime import UTC, datetime

    from sliderace_client.own_profile import whole_history
    from sliderace_client.shared_ui import statistics, statistics_text as words
    from sliderace_client.shared_ui.profile_text import aligned, moment_text

    size = str(parse_size(event))
    base = chosen_server(context)
    rows = run(with_owner(base, lambda mine: whole_history(mine, size)))
    if context.obj["json"]:
        print_json(rows)
        return
    today = int(datetime.now(UTC).timestamp() * 1000) // statistics.DAY_MS
    points = statistics.trend(rows)
    say(words.times_sentence(statistics.summary(points)))
    if not rows:
        return
    say(words.histogram_sentence(statistics.finished_times(points)))
    weeks = statistics.calendar(rows, today, WEEKS)
    say(words.calendar_sentence([day for week in weeks for day in week]))
    tables = (
        words.figure_cells(statistics.figures(rows)),
        words.attempt_cells(rows[:LISTED], moment_text),
    )
    for table in tables:
        say("")
        for line in aligned(table):
            say(line)


@click.command(help=text("cli.boards.help"))
@click.argument("event", default="4x4", metavar="[SIZE]")
@click.option("--kind", type=click.Choice(["single", "ao5", "ao12"]), default="single")
@click.option(
    "--span", type=click.Choice(["all", "month", "day", "daily"]), default="all"
)
@click.option(
    "--input",
    "used",
    type=click.Choice(["keys", "click", "hover", "touch", "typed", "mixed"]),
    help=text("cli.boards.input"),
)
@server_option
@click.option("--json", "as_json", is_flag=True, help=text("cli.option.json"))
@click.pass_context
def boards(
    context: click.Context,
    event: str,
    kind: "KindName",
    span: "Span",
    used: "InputName | None",
    server: str,
    as_json: bool,
) -> None:
    """Print a leaderboard."""
    from sliderace_client import leaderboards
    from sliderace_client.shared_ui.profile_text import aligned

    context.obj = {"server": server, "json": as_json}
    query = leaderboards.BoardQuery(str(parse_size(event)), kind, span, used)
    if query != leaderboards.usable(query):
        raise click.UsageError(text("cli.boards.no_daily"))
    base = chosen_server(context)
    with reporting_failures():
        board = leaderboards.fetch(base, query)
    if as_json:
        print_json(board)
        return
    say(leaderboards.title(query))
    say(leaderboards.total_text(board))
    if board.rows:
        say("")
        for line in aligned(leaderboards.row_cells(board.rows, board.own), left=(0, 1)):
            say(line)
