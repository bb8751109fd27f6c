"""`sliderace race` and `sliderace daily`: rooms that a server chooses or opens."""
# ruff: noqa: PLC0415 - only what a command needs is loaded

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.cli.console import (
    Failure,
    enter_in_lines,
    is_full_screen,
    load_settings,
    own_name,
    parse_size,
    reporting_failures,
    run_async,
    say,
)
from sliderace_client.cli.options import (
    name_option,
    plain_option,
    preference_options,
    server_option,
)
from sliderace_client.line_ui.typed_input import typed_input

if TYPE_CHECKING:
    from sliderace.solve import Feel
    from sliderace_client.launch import Start
    from sliderace_client.net.offers import Offer
    from sliderace_client.shared_ui.settings import Settings

__all__ = ["daily", "offering_server", "race", "run_start"]


@click.command(help=text("cli.race.help"))
@click.argument("size", default="", metavar="[SIZE]")
@name_option
@server_option
@preference_options
@plain_option
def race(
    size: str, name: str, server: str, preferences: dict[str, str], plain: bool
) -> int:
    """Race people of one's speed, or bots, at once."""
    from sliderace_client.launch import Start

    settings = load_settings(preferences)
    wanted = str(parse_size(size or settings.size))
    nickname = own_name(name, settings, ask=True)
    settings = replace(settings, name=settings.name or nickname)
    pace_ms, settings = _usual(wanted, settings)
    with offering_server("race", server or settings.server) as (base, ends):
        start = Start(
            "race",
            base,
            name=nickname,
            size=wanted,
            pace_ms=pace_ms,
            settings=settings,
            ends=ends,
        )
        return run_start(start, plain=plain)


@click.command(help=text("cli.daily.help"))
@click.argument("size", default="", metavar="[SIZE]")
@name_option
@server_option
@preference_options
@plain_option
def daily(
    size: str, name: str, server: str, preferences: dict[str, str], plain: bool
) -> int:
    """Race on the daily board, or show how the daily race stands."""
    from sliderace.race.daily import EVENTS
    from sliderace_client.daily_status import daily_status, status_lines
    from sliderace_client.launch import Start

    settings = load_settings(preferences)
    event = str(parse_size(size)) if size else ""
    if event and event not in EVENTS:
        sizes = ", ".join(EVENTS)
        raise click.UsageError(text("daily.no_event", typed=event, events=sizes))
    with offering_server("daily", server or settings.server) as (base, ends):
        found = run_async(daily_status(base))
        if not event or found.state(event) == "done":
            for line in status_lines(found):
                say(line)
            if not event:
                say(text("daily.how"))
            return exit_codes.OK
        nickname = own_name(name, settings, ask=True)
        if not found.has_profile:
            _create_profile(base, nickname, event, ends=ends)
        start = Start(
            "daily", base, name=nickname, size=event, settings=settings, ends=ends
        )
        return run_start(start, plain=plain)


def _create_profile(server: str, name: str, event: str, *, ends: bool) -> None:
    """Create the profile that the daily race needs, if the user wants one.

    Args:
        server: base address.
        name: the user's.
        event: on which they want to race.
        ends: the server ends with us.

    Raises:
        Failure: they do not, cannot be asked, or the server refuses.
    """
    from sliderace_client.line_ui.answers import quoted, yes_or_no
    from sliderace_client.own_profile import ProfileError, keep

    if ends:
        needs = text("daily.needs_answer", event=event)
    else:
        needs = text("daily.needs_profile", server=server)
    if not typed_input().is_terminal:
        raise Failure(needs, exit_codes.REFUSED)
    say(text("daily.why_profile"))
    answer = None
    while answer is None:
        click.echo(text("daily.create_question", name=name) + " ", nl=False)
        line = typed_input().read()
        typed = "n" if line is None else line.strip()
        answer = yes_or_no(typed) if typed else True
        if answer is None:
            say(text("solo.yes_or_no", typed=quoted(typed)))
    if not answer:
        raise Failure(needs, exit_codes.REFUSED)
    try:
        run_async(keep(server, name))
    except ProfileError as error:
        raise Failure(str(error), error.exit_code) from None


@contextmanager
def offering_server(offer: "Offer", typed: str) -> Generator[tuple[str, bool]]:
    """Find a server that offers something, or start our own.

    Args:
        offer: what is wanted.
        typed: its address; empty: that of this machine, or our own.

    Yields:
        Its base address, and whether it ends with us.

    Raises:
        Failure: there is none.
    """
    from sliderace_client.cli.host import HostError, server_here
    from sliderace_client.net.locate import server_address
    from sliderace_client.net.offers import NotOffered, check_offer
    from sliderace_client.shared_ui.settings import remember_server

    def check(base: str) -> None:
        try:
            check_offer(base, offer)
        except NotOffered as error:
            raise Failure(str(error), exit_codes.REFUSED) from None
        remember_server(base)

    with reporting_failures():
        if typed:
            base = server_address(typed)
            check(base)
            yield base, False
            return
        try:
            with server_here(say) as here:
                check(here.base)
                yield here.base, not here.stays
        except HostError as error:
            raise Failure(str(error), exit_codes.FAILED) from None


def run_start(start: "Start", *, plain: bool) -> int:
    """Enter a room, on a full screen or in lines; return the exit code."""
    if plain or not is_full_screen():
        return enter_in_lines(start)
    from sliderace_client.tui import run_app

    return run_app(start)


def _usual(size: str, settings: "Settings") -> "tuple[int | None, Settings]":
    """Return what the user usually needs; ask them at a terminal if that is unknown.

    Returns:
        The ms, if known, and the settings with the answer, which is stored.
    """
    from contextlib import suppress

    from sliderace_client.shared_ui.recent_times import usual_ms
    from sliderace_client.shared_ui.settings import keep

    known = usual_ms(size, settings)
    if known is not None or not typed_input().is_terminal:
        return known, settings
    answered = replace(settings, feel=_asked_feel())
    with suppress(OSError):
        keep(settings, answered)
    return usual_ms(size, answered), answered


def _asked_feel() -> "Feel":
    """Ask how fast the user is until the answer is understood; Enter: new to it."""
    from sliderace_client.line_ui.answers import Refusal, feel_of, feel_question

    for line in feel_question():
        say(line)
    while True:
        click.echo(text("feel.prompt") + " ", nl=False)
        found = feel_of(typed_input().read() or "")
        if not isinstance(found, Refusal):
            return found
        say(found.text)
