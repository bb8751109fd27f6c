"""The commands, their options, and the module that carries out each one.

A command loads only the modules that it needs, so that ``--help`` answers at once.
"""
# ruff: noqa: PLC0415 - see above

import errno
import io
import os
import sys
from pathlib import Path
from typing import Literal, NoReturn

import click

from sliderace import __version__
from sliderace.engine import Size
from sliderace.solve import LEVELS, pace_range
from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.cli.console import (
    Failure,
    columns,
    enter_in_lines,
    find_room,
    is_full_screen,
    load_settings,
    own_name,
    parse_hash,
    parse_hash_start,
    parse_hex,
    parse_size,
    reporting_failures,
    reporting_unreadable,
    run_until_signalled,
    say,
    say_error,
    server_for_results,
    suggested_name,
    usual_server,
)
from sliderace_client.cli.me import boards, me
from sliderace_client.cli.operator import admin, backup, restore, serve
from sliderace_client.cli.options import (
    name_option,
    plain_option,
    preference_options,
    server_option,
    size_option,
)
from sliderace_client.cli.play import daily, race
from sliderace_client.cli.solo import choose, solo
from sliderace_client.line_ui.typed_input import typed_input
from sliderace_client.platform import lead_nowhere

__all__ = ["main", "run"]

PACE_RANGE_S = tuple(ms / 1000 for ms in pace_range(Size(2, 2)))
"""What `--pace` accepts. The minimum is higher on larger boards; bots raise a pace that
is below it."""
SHOWS = ("results", "me", "boards")
"""Commands that print something, and lead back to the menu in lines."""
OUTPUT_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
"""A full or failing output, or one that is open only for reading."""


def main() -> NoReturn:
    """Run the command line of this process."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by >&-: it may lead nowhere
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    """Carry out a command line.

    Args:
        args: without the program's name.

    Returns:
        The exit code; an error has been printed in one line.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(args, prog_name="sliderace", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "sliderace"
        say_error(text("cli.see_help", error=error.format_message(), command=path))
        return error.exit_code
    except Failure as error:
        say_error(error.message)
        return error.code
    except click.ClickException as error:
        say_error(error.format_message())
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return exit_codes.INTERRUPTED
    except BrokenPipeError:  # nobody reads our output any more
        lead_nowhere(sys.stdout)
        return exit_codes.OK
    except OSError as error:
        say_error(_refusal(error))
        return exit_codes.UNKNOWN
    return code if isinstance(code, int) else exit_codes.OK


def _refusal(error: OSError) -> str:
    """Return what the system refused; if it was the output, drop the rest of it."""
    why = error.strerror or str(error)
    if error.filename is not None:
        return text("cli.cannot_use", path=error.filename, why=why)
    if error.errno in OUTPUT_FAULTS:
        lead_nowhere(sys.stdout)
        return text("cli.cannot_write", path="stdout", why=why)
    return text("cli.system", why=why)


@click.group(
    invoke_without_command=True,
    help=text("cli.help"),
    epilog=text("cli.exit_codes"),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.version_option(__version__, "-V", "--version", prog_name="sliderace")
@click.pass_context
def cli(context: click.Context) -> int | None:
    """Open a menu if there is no command."""
    if context.invoked_subcommand is None:
        return menu() if is_full_screen() else menu_in_lines()
    return None


def menu() -> int:
    """Open the full-screen client's menu."""
    from sliderace_client.launch import Start
    from sliderace_client.tui import run_app

    settings = load_settings()
    return run_app(Start("menu", name=suggested_name(settings), settings=settings))


def menu_in_lines() -> int:
    """Offer the menu in lines until a game is over or the user leaves."""
    while True:
        chosen = choose()
        if isinstance(chosen, int):
            return chosen
        code = run(chosen)
        shows = chosen[0] in SHOWS or chosen == ["daily", "--plain"]
        if not shows and code in (exit_codes.OK, exit_codes.INTERRUPTED):
            return code


@cli.command(help=text("cli.host.help"))
@size_option
@name_option
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8710,
    show_default=True,
    help=text("cli.host.port"),
)
@click.option(
    "--bind",
    metavar="ADDR",
    default="0.0.0.0",  # noqa: S104 - friends in the network must reach it
    show_default=True,
    help=text("cli.host.bind"),
)
@click.option(
    "--public-url", metavar="URL", default="", help=text("cli.host.public_url")
)
@click.option("--public", is_flag=True, help=text("cli.host.public"))
@click.option("--seed", metavar="S", help=text("cli.host.seed"))
@click.option("--friendly-timing", is_flag=True, help=text("cli.host.friendly_timing"))
@preference_options
@plain_option
@click.option("--no-tui", is_flag=True, help=text("cli.host.no_tui"))
def host(
    size: str,
    name: str,
    port: int,
    bind: str,
    public_url: str,
    public: bool,
    seed: str | None,
    friendly_timing: bool,
    preferences: dict[str, str],
    plain: bool,
    no_tui: bool,
) -> int:
    """Open a room on our own server, and enter it as its host."""
    from sliderace_client.cli import host

    settings = load_settings(preferences)
    enters = not no_tui and (plain or typed_input().is_terminal)
    with reporting_failures():
        options = host.HostOptions(
            size=str(parse_size(size)),
            name=own_name(name, settings, ask=enters),
            port=port,
            bind=bind,
            public_url=public_url,
            public=public,
            seed=seed,
            friendly_timing=friendly_timing,
            enter=enters,
            plain=plain or not is_full_screen(),
        )
        try:
            return host.host(options, settings, say)
        except host.HostError as error:
            raise Failure(str(error), exit_codes.FAILED) from None


@cli.command(help=text("cli.join.help"))
@click.argument("room")
@name_option
@server_option
@preference_options
@plain_option
def join(
    room: str, name: str, server: str, preferences: dict[str, str], plain: bool
) -> int:
    """Enter a room as a player."""
    return enter(room, name, server, preferences, plain=plain, role="player")


@cli.command(help=text("cli.watch.help"))
@click.argument("room")
@name_option
@server_option
@preference_options
@plain_option
def watch(
    room: str, name: str, server: str, preferences: dict[str, str], plain: bool
) -> int:
    """Enter a room as a spectator."""
    return enter(room, name, server, preferences, plain=plain, role="spectator")


def enter(
    room: str,
    name: str,
    server: str,
    preferences: dict[str, str],
    *,
    plain: bool,
    role: Literal["player", "spectator"],
) -> int:
    """Enter a room, on a full screen or in lines."""
    from sliderace_client.launch import Start
    from sliderace_client.net.locate import join_command

    settings = load_settings(preferences)
    nickname = own_name(name, settings, ask=True)
    place = find_room(room, server)
    link = f"{place.server}/{place.code}"
    start = Start(
        "join" if role == "player" else "watch",
        place.server,
        place.code,
        nickname,
        role,
        settings=settings,
        named=bool(name),
        back=join_command(link, name) if role == "player" else "",
    )
    if plain or not is_full_screen():
        return enter_in_lines(start)
    from sliderace_client.tui import run_app

    return run_app(start)


def checked_pace(_: object, __: object, pace_s: float | None) -> float | None:
    """Return the value of `--pace` if it is in range."""
    least, most = PACE_RANGE_S
    if pace_s is None or least <= pace_s <= most:
        return pace_s
    raise click.BadParameter(
        text("cli.bot.bad_pace", pace=pace_s, least=least, most=most)
    )


@cli.command(help=text("cli.bot.help"))
@click.argument("room")
@click.option(
    "--count",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help=text("cli.bot.count"),
)
@click.option("--level", type=click.Choice(list(LEVELS)), help=text("cli.bot.level"))
@click.option(
    "--pace",
    metavar="SECONDS",
    type=float,
    callback=checked_pace,
    help=text("cli.bot.pace"),
)
@click.option("--races", type=click.IntRange(1), help=text("cli.bot.races"))
@server_option
def bot(
    room: str,
    count: int,
    level: str | None,
    pace: float | None,
    races: int | None,
    server: str,
) -> int:
    """Let bots race in a room."""
    from sliderace_client.bots.bot import Skill, race_together
    from sliderace_client.room.outcomes import End
    from sliderace_client.shared_ui import wording

    place = find_room(room, server)
    endings = run_until_signalled(
        race_together(
            place.server,
            place.code,
            count,
            skill=Skill(level or "", pace and pace * 1000),
            races=races,
            on_note=lambda note: say(wording.news(note.news)),
        )
    )
    for ending in endings:
        if ending.why is not End.LEFT:
            say(wording.ending(ending.why))
    return max(ending.exit_code for ending in endings)


@cli.command(help=text("cli.results.help"))
@click.argument("what", default="", metavar="[SERVER|CODE|RACE|LINK|FILE]")
@click.option("--slidysim", is_flag=True, help=text("cli.results.slidysim"))
@server_option
def results(what: str, slidysim: bool, server: str) -> None:
    """Print stored races, or one of them."""
    from sliderace_client import race_records
    from sliderace_client.net.locate import Place, read

    with reporting_failures(), reporting_unreadable():
        in_file = race_records.is_in_file(what)
        place = read(what) if what and not in_file else Place()
        base = place.server or server_for_results(server)
        if in_file or place.race:
            file = race_records.load(what, base)
            lines = race_records.race_lines(file)
            if base:
                link = race_records.replay_of(file, base)
                lines += ["", text("cli.results.replay", link=link)]
            if slidysim:
                lines += race_records.slidysim_lines(file)
        else:
            lines = race_records.races_lines(base, place.code, columns())
    for line in lines:
        say(line)


@cli.command(help=text("cli.doctor.help"))
@click.argument("url", default="", metavar="[URL]")
def doctor(url: str) -> int:
    """Check the set-up of a running server."""
    from sliderace_client.doctor import examine
    from sliderace_client.net.locate import server_address

    with reporting_failures():
        findings = examine(server_address(url) if url else "")
    for ok, line in findings:
        say(text("cli.doctor.ok" if ok else "cli.doctor.wrong", finding=line))
    return exit_codes.OK if all(one.ok for one in findings) else exit_codes.NOT_OK


@cli.command(help=text("cli.verify.help"))
@click.argument("what", metavar="FILE|-|LINK|CODE|RACE")
@click.option("--commitment", metavar="C", help=text("cli.verify.commitment"))
@click.option("--key", metavar="K", help=text("cli.verify.key"))
@click.option("--anchor", metavar="A", help=text("cli.verify.anchor"))
@click.option("--steps", is_flag=True, help=text("cli.verify.steps"))
@server_option
def verify(
    what: str,
    commitment: str | None,
    key: str | None,
    anchor: str | None,
    steps: bool,
    server: str,
) -> int:
    """Check a race record; the verdict is the exit code."""
    from sliderace_client import race_records

    promised = parse_hash_start("--commitment", commitment)
    known, fixed = parse_hash("--key", key), parse_hash("--anchor", anchor)
    with reporting_failures(), reporting_unreadable():
        file = race_records.load(what, server or usual_server())
        if steps:
            for line in race_records.step_lines(file):
                say(line)
    lines, verdict = race_records.check_lines(file, known, promised, fixed)
    for line in lines:
        say(line)
    return verdict


@cli.command(help=text("cli.scramble.help"))
@size_option
@click.option("--race-id", metavar="R", help=text("cli.scramble.race_id"))
@click.option("--secret", metavar="S", help=text("cli.scramble.secret"))
@click.option(
    "--nonce", "nonces", metavar="HEX", multiple=True, help=text("cli.scramble.nonce")
)
@click.option("--seed", metavar="SEED", help=text("cli.option.seed"))
@click.option(
    "--count",
    metavar="N",
    type=click.IntRange(1, 10_000),
    help=text("cli.scramble.count"),
)
def scramble(
    size: str,
    race_id: str | None,
    secret: str | None,
    nonces: tuple[str, ...],
    seed: str | None,
    count: int | None,
) -> None:
    """Print commitment (of a secret), seed and board; or random ones."""
    import secrets

    from sliderace import engine

    whole = (secret is None) == (race_id is None) and (secret is not None or not nonces)
    if not whole or (seed is not None and secret is not None):
        raise click.UsageError(text("cli.scramble.either"))
    if count is not None and (seed is not None or secret is not None):
        raise click.UsageError(text("cli.scramble.one_board"))
    lines: list[str] = []
    with reporting_failures():
        shape = parse_size(size)
        for _ in range((count or 1) - 1):
            drawn = secrets.token_bytes(32)
            say(drawn.hex())
            say(engine.format_board(engine.scramble(drawn, shape)))
        if seed is not None:
            drawn = engine.seed_from_text(seed)
        elif secret is None:
            drawn = secrets.token_bytes(32)
        else:
            race, bound = race_id or "", parse_hex("--secret", secret or "")
            numbered = [
                (seat, parse_hex("--nonce", nonce)) for seat, nonce in enumerate(nonces)
            ]
            lines.append(engine.commitment(race, shape, bound))
            drawn = engine.seed_of(race, shape, bound, numbered)
    lines += [drawn.hex(), engine.format_board(engine.scramble(drawn, shape))]
    for line in lines:
        say(line)


for command in (
    admin,
    backup,
    boards,
    daily,
    me,
    race,
    restore,
    serve,
    solo,
):
    cli.add_command(command)
