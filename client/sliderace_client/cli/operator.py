"""The operators' commands; each passes its arguments to the server's program."""

import os
import sys
from typing import NoReturn

import click

__all__ = ["admin", "backup", "restore", "serve"]


@click.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def serve(arguments: tuple[str, ...]) -> NoReturn:
    """Run a server until it is stopped; see: sliderace serve --help."""
    run_server(arguments)


@click.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def backup(arguments: tuple[str, ...]) -> NoReturn:
    """Copy a server's database; see: sliderace backup --help."""
    run_server(("backup", *arguments))


@click.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def restore(arguments: tuple[str, ...]) -> NoReturn:
    """Put a backup back in place; see: sliderace restore --help."""
    run_server(("restore", *arguments))


@click.group(no_args_is_help=False)
def admin() -> None:
    """Maintain a server's database."""


@admin.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def prune(arguments: tuple[str, ...]) -> NoReturn:
    """Delete old races; see: sliderace admin prune --help."""
    run_server(("prune", *arguments))


@admin.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def races(arguments: tuple[str, ...]) -> NoReturn:
    """Print stored races as JSON; see: sliderace admin races --help."""
    run_server(("races", *arguments))


@admin.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def recount(arguments: tuple[str, ...]) -> NoReturn:
    """Add up bests and totals again; see: sliderace admin recount --help."""
    run_server(("recount", *arguments))


@admin.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def copy(arguments: tuple[str, ...]) -> NoReturn:
    """Copy results to PostgreSQL; see: sliderace admin copy --help."""
    run_server(("copy", *arguments))


@admin.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def hide(arguments: tuple[str, ...]) -> NoReturn:
    """Hide a profile from leaderboards; see: sliderace admin hide --help."""
    run_server(("hide", *arguments))


@admin.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def show(arguments: tuple[str, ...]) -> NoReturn:
    """Show a hidden profile again; see: sliderace admin show --help."""
    run_server(("show", *arguments))


def run_server(arguments: tuple[str, ...]) -> NoReturn:
    """Replace this process by the server's program with these arguments."""
    command = [sys.executable, "-m", "sliderace_server", *arguments]
    sys.stdout.flush()
    if (
        os.name == "posix"
    ):  # in the same process, so that exit code and signals pass through
        os.execv(sys.executable, command)  # noqa: S606 - no shell is the point
    from sliderace_client.platform import run_in_place  # noqa: PLC0415 - slow to load

    raise SystemExit(run_in_place(command))
