"""The server's process: command line, signals, and reporting that it is ready."""

import asyncio
import contextlib
import gc
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, NoReturn

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
    StorageError,
    StorageUnavailable,
    StoreHeld,
    backup,
    oldest_kept_ms,
    open_store,
    prune,
    restore,
)
from sliderace_server.websocket import CannotListen

__all__ = ["STATE_FILE", "command_line", "main", "run"]

_log = logging.getLogger(__name__)

STATE_FILE = "server.json"
"""In the data folder while a server runs: its port and address. A killed server leaves
it behind, so ask /healthz whether the server is alive."""
STDERR = 2
RACE_CHECK_S = 0.5
"""Before a stop: how often to check whether the last race has ended."""

GC_THRESHOLDS = (5_000, 5, 100)
"""For `gc.set_threshold`: fewer collections than by default. A full collection stops a
server with two thousand connections for about 40 ms and finds little, because closed
connections break their own reference cycles."""

EXIT_INTERRUPTED, EXIT_SETTINGS, EXIT_PORT, EXIT_STORAGE, EXIT_HELD = 1, 2, 3, 4, 5
EXIT_CODES = """\
Exit codes: 0 success; 1 stopped by a second signal; 2 wrong usage or settings; 3 cannot
listen on the port; 4 a file or the storage cannot be used; 5 another server uses it."""

PROGRAMS = {
    "backup": "sliderace",
    "restore": "sliderace",
    "prune": "sliderace admin",
    "races": "sliderace admin",
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
    stored = [one for one in fields(ServerSettings) if one.name in ("data", "database")]
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
    database = _database(config, options)
    with _storage_errors():
        backup(database, file)
    click.echo(f"Copied {database} to {file}")


@main.command("restore", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(path_type=Path))
@_config_option
@_storage_options
def restore_command(file: Path, config: Path | None, **options: object) -> None:
    """Replace the database with FILE, a copy made by `backup`.

    Stop the server first. The old database is kept as DATABASE.replaced.
    """
    database = _database(config, options)
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

    Stop the server first; a running server does the same with --keep DAYS.
    """
    database = _database(config, options)
    with _storage_errors():
        count = prune(database, oldest_kept_ms(time.time_ns() // 1_000_000, keep))
    click.echo(f"Deleted {count} race{'' if count == 1 else 's'} from {database}")


@main.command("races", epilog=EXIT_CODES)
@click.argument("race", default="")
@click.option("--room", metavar="CODE", help="List only the races of this room.")
@_config_option
@_storage_options
def races_command(
    race: str, room: str | None, config: Path | None, **options: object
) -> None:
    """Print the latest stored races, or the record of RACE, as JSON.

    Stop the server first; a running one answers the same under /api/races.
    """
    database = _database(config, options)
    found: bytes | None = None if race else json.dumps(races_listing([])).encode()
    if database.is_file():
        with _storage_errors():
            found = asyncio.run(_stored(database, race, room))
    if found is None:
        _fail(f"there is no race {race} in {database}", EXIT_STORAGE)
    click.echo(found)


async def _stored(database: Path, race: str, room: str | None) -> bytes | None:
    """Return a race record or a list of races; None: there is no such race."""
    async with open_store(f"sqlite:{database}") as store:
        if race:
            return await store.results.record(race)
        races = await store.results.races(room)
    return json.dumps(races_listing(races)).encode()


def _database(file: Path | None, options: Mapping[str, object]) -> Path:
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return load_settings(given, os.environ, file).database_path
    except SettingsError as error:
        _fail(str(error), EXIT_SETTINGS)


@contextlib.contextmanager
def _storage_errors() -> Generator[None, None, None]:
    try:
        yield
    except StorageError as error:
        _fail(str(error), EXIT_STORAGE)


def _serve(settings: ServerSettings) -> None:
    """Run until stopped; report an error as one line and an exit code."""
    try:
        with asyncio.Runner(loop_factory=_loop_factory(settings)) as runner:
            runner.run(run(settings))
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


def _loop_factory(
    settings: ServerSettings,
) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's factory if the extra `fast` is installed; None: Python's own.

    With mDNS we use Python's own loop: zeroconf closes its sockets under uvloop, which
    sometimes aborts the process (libuv: `fd > STDERR_FILENO`).
    """
    if settings.advertise and not settings.loopback:
        return None
    try:
        from uvloop import new_event_loop  # noqa: PLC0415 - optional
    except ImportError:
        return None
    return new_event_loop


def _tune_garbage_collector() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


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
        with _setting_errors("until_eof", descriptor):
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
            _tune_garbage_collector()
            with _reported(settings, server):
                await stop.wait(server)
            server.registry.host_ended = stop.host_ended
            _log.info("stopping")
    if not server.registry.stored_everything:
        raise StorageUnavailable("stopped before everything was stored")
    _log.info("stopped")


@contextlib.contextmanager
def _reported(settings: ServerSettings, server: Server) -> Generator[None, None, None]:
    """Report the port and address: in the state file and to the parent process."""
    state = {
        "port": server.port,
        "url": server.url,
        "pid": os.getpid(),
        "bind": settings.bind,
        "public_url": settings.public_base,
        "version": __version__,
    }
    line = json.dumps({**state, "operator_token": server.operator_token}) + "\n"
    loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
    frozen = gc.get_freeze_count()
    _log.info("listening", extra={**state, "loop": loop, "frozen": frozen})
    with _state_file(settings, line):
        if settings.ready_fd >= 0:
            # Keep 0 to 2 open, or the next file that we open would take the number.
            standard = settings.ready_fd <= STDERR
            with (
                _setting_errors("ready_fd", settings.ready_fd),
                contextlib.suppress(BrokenPipeError),
                os.fdopen(settings.ready_fd, "w", closefd=not standard) as pipe,
            ):
                pipe.write(line)
        yield


@contextlib.contextmanager
def _setting_errors(setting: str, descriptor: int) -> Generator[None, None, None]:
    """Report a failure with a file descriptor as an error of its setting."""
    try:
        yield
    except OSError as error:
        raise SettingsError(setting, f"{descriptor}: {error.strerror}") from None


@contextlib.contextmanager
def _state_file(settings: ServerSettings, line: str) -> Generator[None, None, None]:
    if settings.memory and not settings.data:
        yield
        return
    path = settings.data_path / STATE_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    # Only its owner may read it: it contains the operator's token.
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(line)
    new.replace(path)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if path.read_text("utf-8") == line:
                path.unlink()
