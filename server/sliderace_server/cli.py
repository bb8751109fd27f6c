"""The server's process: its command line, its signals, and whom it tells what."""

import asyncio
import contextlib
import gc
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, NoReturn

import click

from sliderace import __version__
from sliderace_server.app import Server, running
from sliderace_server.clock import Clock
from sliderace_server.logging import logging_to
from sliderace_server.settings import (
    ServerSettings,
    SettingsError,
    help_of,
    load_settings,
)
from sliderace_server.signing_key import BadKey
from sliderace_server.storage import StorageError, restore
from sliderace_server.storage.sqlite.backup import backup
from sliderace_server.websocket import CannotListen

__all__ = ["STATE_FILE", "main", "run"]

_log = logging.getLogger(__name__)

STATE_FILE = "server.json"
"""In the data folder, while a server runs: where it is. Whether it lives, /healthz
tells."""
STDERR = 2
LOOK_S = 0.5
"""Between looks whether the last race of others has ended."""

GC_THRESHOLDS = (5_000, 5, 100)
"""New objects before a look at the young ones, such looks before one at the middle
ones, those before one at all.

A look at all stops a server of two thousand connections for some forty milliseconds,
and finds little: connections that have ended undo their circles themselves."""

EXIT_HURRY, EXIT_CONFIG, EXIT_PORT, EXIT_STORAGE = 1, 2, 3, 4
EXITS = """\
Exit codes: 0 done; 1 ended in a hurry; 2 wrong usage or settings; 3 the port cannot be
had; 4 a file or the storage cannot be used."""


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """One option for every setting."""
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
    shown = "" if setting.default in ("", (), -1) else f" [{setting.default}]"
    many = isinstance(setting.default, tuple)
    return click.option(
        flag, name, default=None, multiple=many, metavar="VALUE", help=text + shown
    )


_toml = click.option(
    "--config", type=click.Path(path_type=Path), help="TOML file with settings"
)


def _where(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say where everything is kept."""
    kept = [one for one in fields(ServerSettings) if one.name in ("data", "database")]
    for setting in reversed(kept):
        command = _option(setting)(command)
    return command


@click.group(
    epilog=EXITS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@_toml
@_options
@click.version_option(__version__, prog_name="sliderace server")
@click.pass_context
def main(
    context: click.Context,
    /,
    config: Path | None,
    limits: tuple[str, ...],
    **options: object,
) -> None:
    """Serve races: rooms, the page and the results, on one port.

    Every option is also a variable (SLIDERACE_PORT) and a line of the TOML file.
    """
    if context.invoked_subcommand is not None:
        return
    given = {name: value for name, value in options.items() if value not in (None, ())}
    try:
        flags = {**given, "limits": dict(map(_pair, limits))}
        settings = load_settings(flags, os.environ, config)
    except SettingsError as error:
        _stop(str(error), EXIT_CONFIG)
    with logging_to(sys.stderr, settings.log_level):
        _serve(settings)


@main.command("backup", epilog=EXITS)
@click.argument("file", type=click.Path(path_type=Path))
@_toml
@_where
def copy_out(file: Path, config: Path | None, **options: object) -> None:
    """Copy the database to FILE, while a server runs on it or not.

    The key that signs race records is a file of its own beside the database.
    """
    database = _database(config, options)
    with _told_apart():
        backup(database, file)
    click.echo(f"{database} is copied to {file}")


@main.command("restore", epilog=EXITS)
@click.argument("file", type=click.Path(path_type=Path))
@_toml
@_where
def copy_in(file: Path, config: Path | None, **options: object) -> None:
    """Put a copy that `backup` made in the place of the database.

    No server may be running on it. What was there is kept as DATABASE.replaced.
    """
    database = _database(config, options)
    with _told_apart():
        restore(file, database)
    click.echo(f"{file} is now {database}")


def _database(file: Path | None, options: Mapping[str, object]) -> Path:
    """The file that a server with these settings keeps everything in."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        config = load_settings(given, os.environ, file)
    except SettingsError as error:
        _stop(str(error), EXIT_CONFIG)
    return config.database_path


@contextlib.contextmanager
def _told_apart() -> Generator[None, None, None]:
    """A file that cannot be used is one line and an exit code."""
    try:
        yield
    except StorageError as error:
        _stop(str(error), EXIT_STORAGE)


def _serve(config: ServerSettings) -> None:
    """Run until the end; a trouble is one line and an exit code of its own."""
    try:
        with asyncio.Runner(loop_factory=_new_loop(config)) as actor:
            actor.run(run(config))
    except asyncio.CancelledError:
        _log.error("ended in a hurry")  # not `_stop`: perhaps nobody reads
        sys.exit(EXIT_HURRY)
    except SettingsError as error:
        _stop(str(error), EXIT_CONFIG)
    except CannotListen as error:
        _stop(f"cannot listen on {config.bind} port {config.port}: {error}", EXIT_PORT)
    except (StorageError, BadKey, OSError) as error:
        _stop(str(error), EXIT_STORAGE)


def _new_loop(config: ServerSettings) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The faster loop of the extra `fast`, where it is there; else Python's own.

    Not where we are announced by mDNS: zeroconf closes its sockets under that loop, and
    now and then that ends the process (libuv: `fd > STDERR_FILENO`).
    """
    if config.advertise and not config.loopback:
        return None
    try:
        from uvloop import new_event_loop  # noqa: PLC0415 - it may be missing
    except ImportError:
        return None
    return new_event_loop


def _spare_the_collector() -> None:
    """Look for garbage seldom: what five thousand connections hold takes long."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise SettingsError("--limit", f"{text!r} is not NAME=VALUE")
    return name.strip(), value.strip()


def _stop(text: str, code: int) -> NoReturn:
    click.echo(f"sliderace server: {text}", err=True)
    sys.exit(code)


def _hear(
    loop: asyncio.AbstractEventLoop, number: int, heard: Callable[[], object]
) -> None:
    """Call `heard` in the loop for a signal, also where the loop takes no handlers."""
    try:
        loop.add_signal_handler(number, heard)
    except NotImplementedError:  # on Windows Python takes them

        def told(_number: int, _frame: object) -> None:
            loop.call_soon_threadsafe(heard)

        signal.signal(number, told)


def _read_up(descriptor: int, ended: Callable[[], object]) -> None:
    """Read until the end comes, then say so."""
    with contextlib.suppress(OSError):
        while os.read(descriptor, 4_096):
            pass
    ended()


class _End:
    """Why the process ends: a signal asked for it, or whom it runs for is gone."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.asked = asyncio.Event()

    @contextlib.contextmanager
    def signals(self) -> Generator[None, None, None]:
        """The first signal ends us in good order, the second at once."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def heard() -> None:
            if self.asked.is_set() and task is not None:
                task.cancel()
            self.asked.set()
            self.begun.set()

        wanted = (signal.SIGTERM, signal.SIGINT)
        for number in wanted:
            _hear(loop, number, heard)
        try:
            yield
        finally:
            with contextlib.suppress(NotImplementedError):
                for number in wanted:
                    loop.remove_signal_handler(number)

    @contextlib.contextmanager
    def eof(self, descriptor: int) -> Generator[None, None, None]:
        """The end of a pipe means that nobody wants us any more."""
        if descriptor < 0:
            yield
            return
        with _named("until_eof", descriptor):
            os.fstat(descriptor)
        loop = asyncio.get_running_loop()

        def heard() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended before
                loop.call_soon_threadsafe(self.begun.set)

        # A thread: the loop of Windows cannot wait for a pipe.
        threading.Thread(target=_read_up, args=(descriptor, heard), daemon=True).start()
        yield

    async def come(self, server: Server) -> None:
        """Wait for it; races of others are seen to their end, unless a signal came."""
        await self.begun.wait()
        while server.registry.racing and not self.asked.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.asked.wait(), LOOK_S)


async def run(config: ServerSettings, clock: Clock | None = None) -> None:
    """Run a server until a signal, or the end of its pipe, ends it.

    Args:
        config: the settings.
        clock: the machine's; None: the real one.
    """
    end = _End()
    with end.signals(), end.eof(config.until_eof):
        async with running(config, clock=clock) as server:
            _spare_the_collector()
            with _told(config, server):
                await end.come(server)
            _log.info("stopping")
    _log.info("stopped")


@contextlib.contextmanager
def _told(config: ServerSettings, server: Server) -> Generator[None, None, None]:
    """Tell where we are: everybody through a file, our parent through a pipe."""
    told = {
        "port": server.port,
        "url": server.url,
        "pid": os.getpid(),
        "bind": config.bind,
        "public_url": config.public_base,
        "version": __version__,
    }
    line = json.dumps(told) + "\n"
    loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
    frozen = gc.get_freeze_count()
    _log.info("listening", extra={**told, "loop": loop, "frozen": frozen})
    with _state_file(config, line):
        if config.ready_fd >= 0:
            standard = config.ready_fd <= STDERR  # never to be another file's
            with (
                _named("ready_fd", config.ready_fd),
                contextlib.suppress(BrokenPipeError),
                os.fdopen(config.ready_fd, "w", closefd=not standard) as pipe,
            ):
                pipe.write(line)
        yield


@contextlib.contextmanager
def _named(setting: str, descriptor: int) -> Generator[None, None, None]:
    """Trouble with a descriptor is trouble with its setting."""
    try:
        yield
    except OSError as error:
        raise SettingsError(setting, f"{descriptor}: {error.strerror}") from None


@contextlib.contextmanager
def _state_file(config: ServerSettings, line: str) -> Generator[None, None, None]:
    if config.memory and not config.data:
        yield
        return
    path = config.data_path / STATE_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(line, "utf-8")
    fresh.replace(path)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if path.read_text("utf-8") == line:
                path.unlink()
