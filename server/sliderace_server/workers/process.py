"""How a server process sets itself up and reports that it is ready."""

import asyncio
import contextlib
import gc
import json
import logging
import os
from collections.abc import Callable, Generator

from sliderace import __version__
from sliderace_server.settings import ServerSettings, SettingsError

__all__ = [
    "STATE_FILE",
    "loop_factory",
    "reported",
    "setting_errors",
    "tune_garbage_collector",
]

_log = logging.getLogger(__name__)

STATE_FILE = "server.json"
"""In the data folder while a server runs: its port and address. A killed server leaves
it behind, so ask /healthz whether the server is alive."""
STDERR = 2
GC_THRESHOLDS = (5_000, 5, 100)
"""For `gc.set_threshold`: fewer collections than by default. A full collection stops a
server with two thousand connections for about 40 ms and finds little, because closed
connections break their own reference cycles."""


def loop_factory(
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


def tune_garbage_collector() -> None:
    """Let the garbage collector ignore what exists now, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


@contextlib.contextmanager
def reported(
    settings: ServerSettings, port: int, url: str, token: str, **more: object
) -> Generator[None, None, None]:
    """Report where the server is: in the state file and to the parent process.

    Args:
        settings: the server's settings.
        port: the port on which it listens.
        url: its address.
        token: the operator's token.
        **more: more fields for the line in the log.
    """
    state = {
        "port": port,
        "url": url,
        "pid": os.getpid(),
        "bind": settings.bind,
        "public_url": settings.public_base,
        "version": __version__,
    }
    line = json.dumps({**state, "operator_token": token}) + "\n"
    frozen = gc.get_freeze_count()
    _log.info("listening", extra={**state, **more, "frozen": frozen})
    with _state_file(settings, line):
        if settings.ready_fd >= 0:
            # Keep 0 to 2 open, or the next file that we open would take the number.
            standard = settings.ready_fd <= STDERR
            with (
                setting_errors("ready_fd", settings.ready_fd),
                contextlib.suppress(BrokenPipeError),
                os.fdopen(settings.ready_fd, "w", closefd=not standard) as pipe,
            ):
                pipe.write(line)
        yield


@contextlib.contextmanager
def setting_errors(setting: str, descriptor: int) -> Generator[None, None, None]:
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
