"""The command line: what each command takes, and which part carries it out.

Only what a command needs is loaded, so that ``--help`` answers at once.
"""
# ruff: noqa: PLC0415 - see above

import io
import os
import sys
from typing import Literal, NoReturn

import click

from sliderace import __version__
from sliderace_client import exit_codes
from sliderace_client.cli.console import (
    Failure,
    any_server,
    awaited_or_told,
    columns,
    digits_of,
    enter_plain,
    explained,
    first_digits_of,
    found,
    hex_of,
    is_terminal,
    load_settings,
    own_name,
    say,
    say_error,
    server_for_results,
    size_of,
    unreadable,
)
from sliderace_client.cli.operator import backup, restore, serve
from sliderace_client.cli.options import (
    likes_options,
    name_option,
    plain_option,
    server_option,
    size_option,
)
from sliderace_client.cli.solo import choose, solo
from sliderace_client.line_ui.typed_input import typed

__all__ = ["main", "run"]


def main() -> NoReturn:
    """Run the command line of this process."""
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    """Carry out a command line.

    Args:
        args: without the program's name.

    Returns:
        The exit code; what went wrong has been said in one line.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(args, prog_name="sliderace", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "sliderace"
        say_error(f"{error.format_message()} See: {path} --help")
        return error.exit_code
    except Failure as error:
        say_error(error.message)
        return error.code
    except click.ClickException as error:
        say_error(error.format_message())
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return exit_codes.INTERRUPTED
    except BrokenPipeError:  # who read our output went away; nobody is left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exit_codes.OK
    return code if isinstance(code, int) else exit_codes.OK


@click.group(
    invoke_without_command=True,
    epilog=exit_codes.EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.version_option(__version__, "-V", "--version", prog_name="sliderace")
@click.pass_context
def cli(context: click.Context) -> int | None:
    """Race friends, live, on the same sliding-tile puzzle.

    Without a command it opens a menu.
    """
    if context.invoked_subcommand is None:
        return menu() if is_terminal() else menu_in_lines()
    return None


def menu() -> int:
    """Open the full-screen client's menu."""
    from sliderace_client.launch import Start
    from sliderace_client.shared_ui.settings import load
    from sliderace_client.tui import run_app

    name = own_name("", load_settings())
    settings, _ = load()  # the name may have been drawn just now
    return run_app(Start("menu", name=name, settings=settings))


def menu_in_lines() -> int:
    """Offer the menu line by line until something was played, or nothing is wanted."""
    while True:
        chosen = choose()
        if isinstance(chosen, int):
            return chosen
        code = run(chosen)
        if chosen[0] != "results" and code in (exit_codes.OK, exit_codes.INTERRUPTED):
            return code


@cli.command()
@size_option
@name_option
@click.option("--port", type=click.IntRange(0, 65535), default=8710, show_default=True)
@click.option(
    "--bind",
    metavar="ADDR",
    default="0.0.0.0",  # noqa: S104 - friends in the network shall reach it
    show_default=True,
    help="Address to listen on; 127.0.0.1: only this machine.",
)
@click.option("--public-url", metavar="URL", default="", help="What others use.")
@click.option("--public", is_flag=True, help="List the room for everybody.")
@click.option("--seed", metavar="S", help="A seed known in advance: no fairness claim.")
@click.option(
    "--friendly-timing", is_flag=True, help="Up to 100 ms more credit for poor lines."
)
@likes_options
@plain_option
@click.option("--no-tui", is_flag=True, help="Serve; the first to join is the host.")
def host(
    size: str,
    name: str,
    port: int,
    bind: str,
    public_url: str,
    public: bool,
    seed: str | None,
    friendly_timing: bool,
    likes: dict[str, str],
    plain: bool,
    no_tui: bool,
) -> int:
    """Open a room on a server of your own, and enter it as its host."""
    from sliderace_client.cli import host

    settings = load_settings(likes)
    with explained():
        asked = host.Asked(
            size=str(size_of(size)),
            name=own_name(name, settings),
            port=port,
            bind=bind,
            public_url=public_url,
            public=public,
            seed=seed,
            friendly_timing=friendly_timing,
            tui=not no_tui and (plain or typed().is_terminal),
            plain=plain or not is_terminal(),
        )
        try:
            return host.host(asked, settings, say)
        except host.HostError as error:
            raise Failure(str(error), exit_codes.FAILED) from None


@cli.command()
@click.argument("room")
@name_option
@server_option
@likes_options
@plain_option
def join(room: str, name: str, server: str, likes: dict[str, str], plain: bool) -> int:
    """Race in a room.

    ROOM is a code (KWX-TRB), CODE@HOST[:PORT] or a link. A bare code is looked for on
    this machine, in the local network and on the server used last.
    """
    return enter(room, name, server, likes, plain=plain, role="player")


@cli.command()
@click.argument("room")
@name_option
@server_option
@likes_options
@plain_option
def watch(room: str, name: str, server: str, likes: dict[str, str], plain: bool) -> int:
    """Watch a room; ROOM as in join."""
    return enter(room, name, server, likes, plain=plain, role="spectator")


def enter(
    room: str,
    name: str,
    server: str,
    likes: dict[str, str],
    *,
    plain: bool,
    role: Literal["player", "spectator"],
) -> int:
    """Enter a room, on the screen or line by line."""
    from sliderace_client.launch import Start
    from sliderace_client.net.locate import join_command

    settings = load_settings(likes)
    goes_by = own_name(name, settings)
    place = found(room, server)
    kind: Literal["join", "watch"] = "join" if role == "player" else "watch"
    start = Start(
        kind,
        place.server,
        place.code,
        goes_by,
        role,
        settings=settings,
        named=bool(name),
        back=join_command(f"{place.server}/{place.code}", name)
        if role == "player"
        else "",
    )
    if plain or not is_terminal():
        return enter_plain(start)
    from sliderace_client.tui import run_app

    return run_app(start)


@cli.command()
@click.argument("room")
@click.option("--count", type=click.IntRange(1, 64), default=1, show_default=True)
@click.option(
    "--tps",
    type=click.FloatRange(0.1, 160),
    default=3.0,
    show_default=True,
    help="Tiles per second, on average.",
)
@click.option("--races", type=click.IntRange(1), help="Leave after so many; else stay.")
@server_option
def bot(room: str, count: int, tps: float, races: int | None, server: str) -> int:
    """Let declared bots race in a room; ROOM as in join."""
    from sliderace_client.bots.bot import race_together
    from sliderace_client.room.outcomes import End
    from sliderace_client.shared_ui import wording

    place = found(room, server)
    endings = awaited_or_told(
        race_together(
            place.server,
            place.code,
            count,
            tps=tps,
            races=races,
            on_note=lambda note: say(wording.news(note.news)),
        )
    )
    for ending in endings:
        if ending.why is not End.LEFT:
            say(wording.ending(ending.why))
    return max(ending.exit_code for ending in endings)


@cli.command()
@click.argument("what", default="", metavar="[CODE|RACE]")
@click.option(
    "--slidysim", is_flag=True, help="Of one race: each solve as a link to slidysim."
)
@server_option
def results(what: str, slidysim: bool, server: str) -> None:
    """Show stored races, a room's, or one and where to watch it."""
    from sliderace.protocol.room_code import parse_code
    from sliderace_client import race_records

    with explained(), unreadable():
        base = server_for_results(server)
        code = parse_code(what) if what else ""
        if code is None:
            file = race_records.load(what, base)
            lines = race_records.race_lines(file)
            lines += ["", f"Watch it again: {race_records.replay_of(file, base)}"]
            if slidysim:
                lines += race_records.slidysim_lines(file)
        else:
            lines = race_records.races_lines(base, code, columns())
    for line in lines:
        say(line)


@cli.command()
@click.argument("what", metavar="FILE|LINK|CODE|RACE")
@click.option(
    "--commitment",
    metavar="C",
    help="As the lobby showed it; its first 16 digits or more.",
)
@click.option("--key", metavar="K", help="As the server's /healthz shows it.")
@click.option("--steps", is_flag=True, help="Show every move and board.")
@server_option
def verify(
    what: str, commitment: str | None, key: str | None, steps: bool, server: str
) -> int:
    """Check a race record again.

    Signature, seed, board, every move, times and places. CODE is a room's: its last
    race.

    Exit code 0: all is right; 1: something is not; 2: it cannot be read, or something
    cannot be known.
    """
    from sliderace_client import race_records

    promised = first_digits_of("--commitment", commitment)
    known = digits_of("--key", key)
    with explained(), unreadable():
        file = race_records.load(what, server or any_server())
        if steps:
            for line in race_records.step_lines(file):
                say(line)
    lines, verdict = race_records.check_lines(file, known, promised)
    for line in lines:
        say(line)
    return verdict


@cli.command()
@size_option
@click.option("--race-id", metavar="R", help="Such as KWXTRB-SA1B2C-3.")
@click.option("--secret", metavar="S", help="64 hex digits.")
@click.option(
    "--nonce", "nonces", metavar="HEX", multiple=True, help="By seat, ascending."
)
@click.option("--seed", metavar="SEED", help="64 hex digits, or any text.")
def scramble(
    size: str,
    race_id: str | None,
    secret: str | None,
    nonces: tuple[str, ...],
    seed: str | None,
) -> None:
    """Print commitment (of a secret), seed and board, one a line."""
    from sliderace import engine

    if (seed is None) == (secret is None) or (secret is None) != (race_id is None):
        raise click.UsageError("give --race-id and --secret, or --seed.")
    lines: list[str] = []
    with explained():
        shape = size_of(size)
        if seed is not None:
            drawn = engine.seed_from_text(seed)
        else:
            race, bound = race_id or "", hex_of("--secret", secret or "")
            numbered = [(n, hex_of("--nonce", text)) for n, text in enumerate(nonces)]
            lines.append(engine.commitment(race, shape, bound))
            drawn = engine.seed_of(race, shape, bound, numbered)
    lines += [drawn.hex(), engine.format_board(engine.scramble(drawn, shape))]
    for line in lines:
        say(line)


for command in (backup, restore, serve, solo):
    cli.add_command(command)
