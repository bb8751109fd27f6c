"""Runs a server with several workers."""

import os
import secrets
import socket
from collections.abc import Callable, Coroutine, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from sliderace_server.app import local_url, running
from sliderace_server.http.assets import Asset, load_page
from sliderace_server.settings import ServerSettings
from sliderace_server.signing_key import KEY_FILE, load_key
from sliderace_server.storage import StorageUnavailable, locked_for_workers, open_store
from sliderace_server.workers.process import STDERR, reported, tune_garbage_collector

from .listening import listening_sockets
from .parent import Parent
from .worker import Workers

__all__ = ["InProcess", "serve_workers"]

Work = Callable[[], Coroutine[Any, Any, None]]
InProcess = Callable[[ServerSettings, int, Work], int]
"""Runs the work of a worker in its process, given its settings and its index; returns
the exit code."""


def serve_workers(settings: ServerSettings, in_process: InProcess) -> int:
    """Serve until stopped; return the exit code.

    Args:
        settings: the server's settings.
        in_process: see `InProcess`.

    Raises:
        CannotListen: the address is in use or does not belong to this machine.
        BadKey: the server's key cannot be read or created.
        SettingsError: a descriptor cannot be used.
        StorageError: the store cannot be opened or read.
    """
    # The path of the database is also that of the workers' log files.
    path = settings.database_path.resolve()
    with locked_for_workers(path, settings.worker_count):
        load_key(settings.data_path / KEY_FILE)  # or each worker would create one
        page = load_page()
        listeners = listening_sockets(settings)
        port = int(listeners[0].getsockname()[1])
        token = secrets.token_hex(16)

        def run_worker(index: int, sock: socket.socket) -> int:
            for descriptor in (settings.ready_fd, settings.until_eof):
                if descriptor > STDERR:  # else its reader would wait for the workers
                    with suppress(OSError):
                        os.close(descriptor)
            advertise = settings.advertise and index == 0
            own = replace(settings, database=str(path), advertise=advertise)
            work = partial(_work, own, index, sock, port, token, page)
            return in_process(own, index, work)

        with closing(Parent(settings, listeners, run_worker)) as parent:
            tune_garbage_collector()  # before the first fork, so that memory is shared
            code = parent.start()
            if code is None:
                url = settings.public_base or local_url(settings, port)
                count = settings.worker_count
                with reported(settings, port, url, token, workers=count):
                    code = parent.run(settings.until_eof)
            return code


async def _work(
    settings: ServerSettings,
    index: int,
    sock: socket.socket,
    port: int,
    token: str,
    page: Mapping[str, Asset],
) -> None:
    """Serve what the parent passes to this worker, until the parent stops it."""
    count = settings.worker_count
    workers = Workers(index, count, sock, port)
    url, results = settings.store_url, settings.results
    async with running(
        settings,
        store=open_store(url, settings.durability, (index, count), results),
        page=page,
        processes=workers,
        acceptor=workers,
        operator_token=token,
    ) as server:
        tune_garbage_collector()
        await workers.stop_requested.wait()
        server.registry.host_ended = workers.host_ended
    if not server.registry.stored_everything:
        raise StorageUnavailable("stopped before everything was stored")
