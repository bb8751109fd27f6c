"""The server's process: command line, signals, and reporting that it is ready."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from sliderace import __version__
from sliderace_server.app import Server, running
from sliderace_server.clock import Clock
from sliderace_server.http.routes import races_listing
from sliderace_server.logging import logging_to
from sliderace_server.settings import (
    ServerSettings,
    SettingsError,
    help_of,
    load_settings,
)
from sliderace_server.signing_key import BadKey
from sliderace_server.storage import (
    Results,
    ResultsStore,
    StorageError,
    StorageUnavailable,
    StoreHeld,
    backup,
    check_results_url,
    copy_results,
    hide,
    oldest_kept_ms,
    open_results,
    open_store,
    prune,
    restore,
)
from sliderace_server.websocket import CannotListen
from sliderace_server.workers.process import (
    STATE_FILE,
    loop_factory,
    reported,
    setting_errors,
    tune_garbage_collector,
)
from sliderace_server.workers.serve import serve_workers

__all__ = ["STATE_FILE", "command_line", "main", "run"]

T = TypeVar("T")
_log = logging.getLogger(__name__)

RACE_CHECK_S = 0.5
"""Before a stop: how often to check whether the last race has ended."""

EXIT_INTERRUPTED, EXIT_SETTINGS, EXIT_PORT, EXIT_STORAGE, EXIT_HELD = 1, 2, 3, 4, 5
EXIT_CODES = """\
Exit codes: 0 success; 1 stopped by a second signal; 2 wrong usage or settings; 3 cannot
listen on the port; 4 a file or the storage cannot be used; 5 another server uses it."""

PROGRAMS = {
    "backup": "sliderace",
    "restore": "sliderace",
    "prune": "sliderace admin",
    "races": "sliderace admin",
    "copy": "sliderace admin",
    "recount": "sliderace admin",
    "hide": "sliderace admin",
    "show": "sliderace admin",
}
"""What a person types before these commands; before any other: `sliderace serve`."""


def command_line(arguments: Sequence[str]) -> int:
    """Carry out a command line; return the exit code. An error is one line."""
    name = PROGRAMS.get(arguments[0] if arguments else "", "sliderace serve")
    try:
        code = main.main(arguments, prog_name=name, standalone_mode=False)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else name
        _fail(f"{error.format_message()} See: {path} --help", EXIT_SETTINGS)
    except click.Abort:
        return EXIT_INTERRUPTED
    except OSError as error:  # the output: nobody reads it, or the disk is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            _fail(f"cannot write stdout: {error.strerror}", EXIT_STORAGE)
        return 0
    return code if isinstance(code, int) else 0


def _setting_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add one option for every setting."""
    for setting in reversed(fields(ServerSettings)):
        command = _option(setting)(command)
    return command


def _option(setting: Field[Any]) -> Callable[..., Any]:
    name, text = setting.name, help_of(setting.name)
    flag = f"--{name.replace('_', '-')}"
    if name == "limits":
        return click.option("--limit", "limits", multiple=True, help=text)
    if isinstance(setting.default, bool):
        return click.option(f"{flag}/--no-{flag[2:]}", name, default=None, help=text)
    default = "" if setting.default in ("", (), -1) else f" [{setting.default}]"
    multiple = isinstance(setting.default, tuple)
    return click.option(
        flag,
        name,
        default=None,
        multiple=multiple,
        metavar="VALUE",
        help=text + default,
    )


_config_option = click.option(
    "--config", type=click.Path(path_type=Path), help="TOML file with settings"
)


def _storage_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say where the database is."""
    names = ("data", "database", "results")
    stored = [one for one in fields(ServerSettings) if one.name in names]
    for setting in reversed(stored):
        command = _option(setting)(command)
    return command


@click.group(
    epilog=EXIT_CODES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@_config_option
@_setting_options
@click.version_option(__version__, prog_name="sliderace server")
@click.pass_context
def main(
    context: click.Context,
    /,
    config: Path | None,
    limits: tuple[str, ...],
    **options: object,
) -> None:
    """Run the race server: rooms, web page and results, all on one port.

    Every option can also be set as an environment variable (--port as SLIDERACE_PORT)
    or in a TOML file (port = 8710).
    """
    if context.invoked_subcommand is not None:
        return
    given = {name: value for name, value in options.items() if value not in (None, ())}
    try:
        given["limits"] = dict(map(_limit, limits))
        settings = load_settings(given, os.environ, config)
    except SettingsError as error:
        _fail(str(error), EXIT_SETTINGS)
    with logging_to(sys.stderr, settings.log_level):
        _serve(settings)


@main.command("backup", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(path_type=Path))
@_config_option
@_storage_options
def backup_command(file: Path, config: Path | None, **options: object) -> None:
    """Copy the database to FILE; the server may be running.

    The copy does not contain the key that signs race records: it is a separate file
    next to the database.
    """
    settings = _settings(config, options)
    database = settings.database_path
    with _storage_errors():
        backup(database, file)
    click.echo(f"Copied {database} to {file}")
    if settings.results:
        place = settings.results_place
        click.echo(f"Results and profiles are in {place}: copy them with pg_dump.")


@main.command("restore", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(path_type=Path))
@_config_option
@_storage_options
def restore_command(file: Path, config: Path | None, **options: object) -> None:
    """Replace the database with FILE, a copy made by `backup`.

    Stop the server first. The old database is kept as DATABASE.replaced.
    """
    database = _settings(config, options).database_path
    with _storage_errors():
        restore(file, database)
    click.echo(f"Restored {database} from {file}")


@main.command("prune", epilog=EXIT_CODES)
@click.option(
    "--keep",
    type=click.IntRange(1),
    required=True,
    metavar="DAYS",
    help="Keep the races of the last DAYS days.",
)
@_config_option
@_storage_options
def prune_command(keep: int, config: Path | None, **options: object) -> None:
    """Delete old races, and make the database file smaller.

    Stop the server first, unless its results are in PostgreSQL; a running server does
    the same with --keep DAYS.
    """
    settings = _settings(config, options)
    before_ms = oldest_kept_ms(time.time_ns() // 1_000_000, keep)
    with _storage_errors():
        if settings.results:
            count = _query(settings, lambda store: store.results.prune(before_ms))
        else:
            count = prune(settings.database_path, before_ms)
    place = settings.results_place
    click.echo(f"Deleted {count} race{'' if count == 1 else 's'} from {place}")


@main.command("races", epilog=EXIT_CODES)
@click.argument("race", default="")
@click.option("--room", metavar="CODE", help="List only the races of this room.")
@_config_option
@_storage_options
def races_command(
    race: str, room: str | None, config: Path | None, **options: object
) -> None:
    """Print the latest stored races, or the record of RACE, as JSON.

    Stop the server first, unless its results are in PostgreSQL. A running server
    returns the same under /api/races.
    """
    settings = _settings(config, options)
    found: bytes | None = None if race else json.dumps(races_listing([])).encode()
    if settings.results or settings.database_path.is_file():
        with _storage_errors():
            found = _query(settings, lambda store: _stored(store.results, race, room))
    if found is None:
        _fail(f"there is no race {race} in {settings.results_place}", EXIT_STORAGE)
    click.echo(found)


async def _stored(results: Results, race: str, room: str | None) -> bytes | None:
    """Return a race record or a list of races; None: there is no such race."""
    if race:
        return await results.record(race)
    return json.dumps(races_listing(await results.races(room))).encode()


@main.command("recount", epilog=EXIT_CODES)
@_config_option
@_storage_options
def recount_command(config: Path | None, **options: object) -> None:
    """Add up all bests and totals of profiles again, from their attempts.

    Stop the server first, unless its results are in PostgreSQL. This changes nothing
    unless the database was damaged or edited.
    """
    settings = _settings(config, options)
    place = settings.results_place
    if not settings.results and not settings.database_path.is_file():
        _fail(f"cannot count in {place}: there is no such file", EXIT_STORAGE)
    with _storage_errors():
        count = _query(settings, lambda store: store.standings.recount())
    click.echo(f"Counted {count} attempt{'' if count == 1 else 's'} in {place}")


@main.command("copy", epilog=EXIT_CODES)
@click.argument("source")
@click.argument("target")
def copy_command(source: str, target: str) -> None:
    """Copy results and profiles from SQLite to PostgreSQL.

    SOURCE is sqlite:PATH, TARGET is postgresql://user:password@host/database. First
    stop the servers that use them. You can repeat a copy. It is refused if TARGET
    contains anything that SOURCE does not.
    """
    kind, _, path = source.partition(":")
    if kind != "sqlite" or not path:
        raise click.UsageError("SOURCE must look like sqlite:PATH.")
    try:
        check_results_url(target)
    except ValueError as error:
        raise click.UsageError(f"TARGET {error}.") from None
    if not Path(path).is_file():
        _fail(f"cannot copy {path}: there is no such file", EXIT_STORAGE)
    with _storage_errors():
        copied = asyncio.run(copy_results(Path(path), target))
    for table, what in COPIED.items():
        click.echo(f"{what}: {copied[table]:,}")
    click.echo(f"Attempts of profiles that were counted: {copied['counted']:,}")


COPIED = {
    "race": "Races",
    "attempt": "Attempts",
    "profile": "Profiles",
    "profile_key": "Devices of profiles",
    "daily": "Used attempts of daily races",
}
"""Table -> what its rows are."""


@main.command("hide", epilog=EXIT_CODES)
@click.argument("profile")
@click.argument("reason")
@_config_option
@_storage_options
def hide_command(
    profile: str, reason: str, config: Path | None, **options: object
) -> None:
    """Hide PROFILE from all leaderboards; the server may be running.

    PROFILE is the id of a profile, eight letters. The database keeps REASON.
    """
    if not reason.strip():
        raise click.UsageError("REASON must not be empty.")
    _hide(profile, reason, config, options)
    click.echo(f"Profile {profile} is on no leaderboard now.")


@main.command("show", epilog=EXIT_CODES)
@click.argument("profile")
@_config_option
@_storage_options
def show_command(profile: str, config: Path | None, **options: object) -> None:
    """Show PROFILE on leaderboards again, after `hide`; the server may be running."""
    _hide(profile, None, config, options)
    click.echo(f"Profile {profile} is on leaderboards again.")


def _hide(
    profile: str, reason: str | None, config: Path | None, options: Mapping[str, object]
) -> None:
    settings = _settings(config, options)
    with _storage_errors():
        if settings.results:
            known = _query(
                settings, lambda store: store.standings.hide(profile, reason)
            )
        else:
            known = hide(settings.database_path, profile, reason)
        if not known:
            place = settings.results_place
            _fail(f"there is no profile {profile} in {place}", EXIT_STORAGE)


def _settings(file: Path | None, options: Mapping[str, object]) -> ServerSettings:
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return load_settings(given, os.environ, file)
    except SettingsError as error:
        _fail(str(error), EXIT_SETTINGS)


def _query(
    settings: ServerSettings, query: Callable[[ResultsStore], Coroutine[Any, Any, T]]
) -> T:
    """Open the store of results, and return the result of a query."""

    async def answer() -> T:
        async with store as opened:
            return await query(opened)

    store: ResultsStore = (
        open_results(settings.results)
        if settings.results
        else open_store(settings.store_url)
    )
    return asyncio.run(answer())


@contextlib.contextmanager
def _storage_errors() -> Generator[None, None, None]:
    try:
        yield
    except StorageError as error:
        _fail(str(error), EXIT_STORAGE)


def _serve(settings: ServerSettings) -> None:
    """Run until stopped; report an error as one line and an exit code."""
    with _exit_codes(settings):
        if settings.worker_count > 1:
            sys.exit(serve_workers(settings, _serve_as_worker))
        with asyncio.Runner(loop_factory=loop_factory(settings)) as runner:
            runner.run(run(settings))


def _serve_as_worker(
    settings: ServerSettings, index: int, work: Callable[[], Coroutine[Any, Any, None]]
) -> int:
    """Run a worker in this new process; return its exit code."""
    with logging_to(sys.stderr, settings.log_level, worker=index):
        try:
            with (
                _exit_codes(settings),
                asyncio.Runner(loop_factory=loop_factory(settings)) as runner,
            ):
                runner.run(work())
        except SystemExit as error:
            return int(error.code or 0)
        return 0


@contextlib.contextmanager
def _exit_codes(settings: ServerSettings) -> Generator[None, None, None]:
    """Report an error as one line and an exit code."""
    try:
        yield
    except asyncio.CancelledError:
        _log.error("stopped by a second signal")  # not `_fail`: stderr may block
        sys.exit(EXIT_INTERRUPTED)
    except SettingsError as error:
        _fail(str(error), EXIT_SETTINGS)
    except CannotListen as error:
        place = f"{settings.bind} port {settings.port}"
        _fail(f"cannot listen on {place}: {error}", EXIT_PORT)
    except StoreHeld as error:
        _fail(str(error), EXIT_HELD)
    except (StorageError, BadKey, OSError) as error:
        _fail(str(error), EXIT_STORAGE)


def _limit(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise SettingsError("--limit", f"must be NAME=VALUE, not {text!r}")
    return name.strip(), value.strip()


def _fail(text: str, code: int) -> NoReturn:
    click.echo(f"sliderace server: {text}", err=True)
    sys.exit(code)


def _on_signal(
    loop: asyncio.AbstractEventLoop, number: int, call: Callable[[], object]
) -> None:
    """Call a function in the loop on a signal, on Windows too."""
    try:
        loop.add_signal_handler(number, call)
    except NotImplementedError:  # Windows

        def handler(_number: int, _frame: object) -> None:
            loop.call_soon_threadsafe(call)

        signal.signal(number, handler)


def _read_to_end(descriptor: int, ended: Callable[[], object]) -> None:
    """Read until end of file, then call a function."""
    with contextlib.suppress(OSError):
        while os.read(descriptor, 4_096):
            pass
    ended()


class _Stop:
    """When to stop: on a signal, or when the parent process closes its pipe.

    After the end of the pipe, races in progress are finished first. The first signal
    stops the server in an orderly way but at once, the second cancels that.

    Attributes:
        host_ended: the parent process, `sliderace host`, has ended.
    """

    def __init__(self) -> None:
        self.host_ended = False
        self._requested = asyncio.Event()
        self._signaled = asyncio.Event()

    @contextlib.contextmanager
    def on_signals(self) -> Generator[None, None, None]:
        """Handle SIGTERM and SIGINT inside the context."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def signaled() -> None:
            if self._signaled.is_set() and task is not None:
                task.cancel()
            self._signaled.set()
            self._requested.set()

        numbers = (signal.SIGTERM, signal.SIGINT)
        for number in numbers:
            _on_signal(loop, number, signaled)
        try:
            yield
        finally:
            with contextlib.suppress(NotImplementedError):
                for number in numbers:
                    loop.remove_signal_handler(number)

    @contextlib.contextmanager
    def on_eof(self, descriptor: int) -> Generator[None, None, None]:
        """Watch a pipe for its end; -1: no pipe."""
        if descriptor < 0:
            yield
            return
        with setting_errors("until_eof", descriptor):
            os.fstat(descriptor)
        loop = asyncio.get_running_loop()

        def at_end() -> None:
            self.host_ended = True
            self._requested.set()

        def ended() -> None:
            with contextlib.suppress(RuntimeError):  # the loop may be closed
                loop.call_soon_threadsafe(at_end)

        # In a thread, because the event loop of Windows cannot wait for a pipe.
        thread = threading.Thread(
            target=_read_to_end, args=(descriptor, ended), daemon=True
        )
        thread.start()
        yield

    async def wait(self, server: Server) -> None:
        """Wait until it is time to stop."""
        await self._requested.wait()
        while server.registry.racing and not self._signaled.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._signaled.wait(), RACE_CHECK_S)


async def run(settings: ServerSettings, clock: Clock | None = None) -> None:
    """Run a server until a signal or the end of its pipe stops it.

    Args:
        settings: the server's settings.
        clock: for tests; None: the machine's clock.
    """
    stop = _Stop()
    with stop.on_signals(), stop.on_eof(settings.until_eof):
        async with running(settings, clock=clock) as server:
            tune_garbage_collector()
            loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
            token = server.operator_token
            with reported(settings, server.port, server.url, token, loop=loop):
                await stop.wait(server)
            server.registry.host_ended = stop.host_ended
            _log.info("stopping")
    if not server.registry.stored_everything:
        raise StorageUnavailable("stopped before everything was stored")
    _log.info("stopped")
