"""The composition root: builds a server from its parts and runs it.

Only this module chooses concrete clocks, stores and sockets, and only this module
catches unexpected exceptions: a failed task ends, but the server continues.
"""

import asyncio
import contextlib
import ipaddress
import logging
import os
import secrets
import shutil
import socket
import ssl
import sys
from collections import ChainMap
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from sliderace import __version__
from sliderace_server.clock import Clock, SystemClock, WatchedClock
from sliderace_server.cluster.node import Cluster
from sliderace_server.http.assets import Asset, load_page
from sliderace_server.http.host_check import HostCheck
from sliderace_server.http.proxy_headers import ClientAddresses
from sliderace_server.http.routes import Routes
from sliderace_server.limits import PerAddress
from sliderace_server.mdns import advertised, reachable
from sliderace_server.metrics import Metrics
from sliderace_server.pacing import LoadMeter
from sliderace_server.registry.chosen_rooms import ChosenRooms
from sliderace_server.registry.http_view import HttpView
from sliderace_server.registry.processes import OneProcess, Processes
from sliderace_server.registry.results_writer import ResultsWriter
from sliderace_server.registry.rooms import RoomRegistry
from sliderace_server.registry.services import Services, room_settings
from sliderace_server.registry.timer_wheel import TimerWheel
from sliderace_server.settings import ServerSettings, SettingsError
from sliderace_server.signing_key import KEY_FILE, ServerKey, load_key, new_key
from sliderace_server.storage import (
    Combined,
    Store,
    StoreRefused,
    open_results,
    open_store,
)
from sliderace_server.storage.log_writer import LogWriter
from sliderace_server.websocket import Acceptor, Listener
from sliderace_server.websocket.send_queue import EventFrames, Flusher
from sliderace_server.websocket.session import Session

__all__ = ["Server", "local_url", "running"]

_log = logging.getLogger(__name__)

HOME_DOMAINS = ("local", "lan", "internal", "home.arpa", "localdomain")
"""Domains of home networks. Nobody can register a name in them, so a request with such
a Host header is not DNS rebinding."""
FLUSH_MS = 5_000
"""Longest time to wait at shutdown until everything is stored."""
FLUSH_STEP_S = 0.01


@dataclass(frozen=True, slots=True)
class Server:
    """A running server.

    Args:
        port: the port it listens on.
        url: its public address, or else its address on this machine.
        operator_token: lets a client see what is private.
        registry: its rooms.
        chosen: those that it chooses for a person.
        view: what it shows over HTTP.
        metrics: its metrics.
    """

    port: int
    url: str
    operator_token: str
    registry: RoomRegistry
    chosen: ChosenRooms
    view: HttpView
    metrics: Metrics


@contextlib.asynccontextmanager
async def running(
    settings: ServerSettings,
    *,
    store: Store | None = None,
    clock: Clock | None = None,
    entropy: Callable[[int], bytes] = os.urandom,
    page: Mapping[str, Asset] | None = None,
    processes: Processes | None = None,
    acceptor: Acceptor | None = None,
    operator_token: str = "",
) -> AsyncGenerator[Server, None]:
    """Run a server inside the context; then shut it down in an orderly way.

    The shutdown closes all connections with code 1012 and stores everything.

    Args:
        settings: the server's settings.
        store: the storage; None: as the settings say.
        clock: None: the machine's clock.
        entropy: returns that many random bytes.
        page: URL path -> file; None: the installed page.
        processes: those of the server; None: there is only one.
        acceptor: accepts connections in another process; None: this one listens.
        operator_token: the token of all processes; empty: a new one.

    Raises:
        CannotListen: the address is in use or does not belong to this machine.
        BadKey: the server's key cannot be read or created.
        SettingsError: the TLS certificate or key cannot be used.
        StorageError: the store cannot be opened or read.
    """
    # These read files, so not in the event loop.
    if clock is None:
        clock = await asyncio.to_thread(SystemClock)
    watched = WatchedClock(clock)
    if page is None:
        page = await asyncio.to_thread(load_page)
    tls = await asyncio.to_thread(_tls, settings)
    make_processes: Callable[[], Processes] = OneProcess
    if store is None:
        made, make_processes = await asyncio.to_thread(_store, settings)
        store = made
    async with store as opened, _running_tasks() as tasks:
        processes = processes or make_processes()
        # After the store is locked, so that no other server creates the key too.
        key = await asyncio.to_thread(_key, settings)
        metrics, load_meter = Metrics(), LoadMeter()
        loop = asyncio.get_running_loop()
        flusher = Flusher(loop.call_soon, loop.call_later, load_meter)
        log_writer = LogWriter(opened.log, flusher.flush, clock, metrics, load_meter)
        tasks.spawn_essential(log_writer.run())
        spawn = tasks.spawn
        results_writer = ResultsWriter(opened.results, spawn, watched)
        services = Services(
            settings=settings,
            room_settings=room_settings(settings, f"sliderace {__version__}"),
            clock=watched,
            store=opened,
            metrics=metrics,
            entropy=entropy,
            spawn=spawn,
            log_writer=log_writer,
            timers=TimerWheel(watched),
            store_race=results_writer.add,
            key=key,
            before_flush=flusher.before_flush,
            frame=EventFrames(metrics.counts["encoded"]).frame,
            load_meter=load_meter,
            processes=processes,
        )
        public, local = bool(settings.public_url), settings.loopback
        clients = ClientAddresses(settings.proxies(), public=public, local=local)
        if settings.public_url and settings.loopback and not settings.trusted_proxies:
            _log.warning("public_url without trusted_proxies: all players count as one")
        operator_token = operator_token or secrets.token_hex(16)
        limits = settings.limits
        if acceptor is not None:  # it counts the connections of all processes
            limits = replace(limits, connections_per_ip=sys.maxsize)
        addresses = PerAddress(limits)
        processes.share(addresses, watched.now_ms)
        registry = RoomRegistry(services, results_writer, addresses)
        registry.proxy_faults = clients.faults
        results_writer.stored = registry.stored
        results_writer.counted = registry.attempts.counted
        chosen = ChosenRooms(registry, results_writer, addresses)
        view = HttpView(registry, results_writer)
        routes = Routes(
            page,
            view,
            registry.profiles,
            opened,
            _host_check(settings),
            _RateLimits(addresses, watched),
            metrics.render,
            lambda code: _links(settings, listener.port, code),
            operator_token,
            lambda: _operator_view(settings, clients, registry, opened),
            processes.answer,
            settings.base,
        )
        cluster = processes if isinstance(processes, Cluster) else None
        if cluster is not None:
            await cluster.join(
                registry,
                watched,
                entropy,
                spawn,
                metrics,
                key.public,
                lambda peer: Session(registry, chosen, peer, OneProcess()),
                flusher.before_flush,
                routes.answer_here,
            )
        await registry.recover()
        listener = Listener(
            settings,
            routes,
            lambda peer: Session(registry, chosen, peer),
            watched,
            metrics,
            spawn,
            clients,
            addresses,
            flusher,
            tls,
            acceptor,
        )
        watched.on_stall.append(listener.forget_pings)
        async with listener.listening() as port, _advertised(settings, port):
            try:
                registry.bots.start(local_url(settings, port))
                registry.profiles.start()
                url = settings.public_base or local_url(settings, port)
                yield Server(port, url, operator_token, registry, chosen, view, metrics)
            finally:
                registry.profiles.stop()
                if cluster is not None:
                    cluster.drain()
                registry.freeze()
                if cluster is not None:  # the rooms leave first, then their clients
                    await _flush(registry)
                    await cluster.leave()
        await _flush(registry)


def _store(settings: ServerSettings) -> tuple[Store, Callable[[], Processes]]:
    """Return the store for the settings, and what makes `Processes` once it is open.

    Blocking: this imports libraries.
    """
    if not settings.cluster:
        url, results = settings.store_url, settings.results
        return open_store(url, settings.durability, results=results), OneProcess
    try:
        from sliderace_server.cluster.jetstream_store import (  # noqa: PLC0415 - optional
            JetStreamStore,
        )
    except ImportError as error:
        text = f"a cluster needs {error.name}: pip install 'sliderace[cluster]'"
        raise StoreRefused(text) from error
    place = settings.brokers(), settings.cluster_prefix, settings.node_name
    logs = JetStreamStore(*place, settings.cluster_credentials)
    return Combined(logs, open_results(settings.results)), logs.node


def _tls(settings: ServerSettings) -> ssl.SSLContext | None:
    """Return the certificate and key, if the server terminates TLS itself."""
    if not settings.tls_cert:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # Without a password the library would ask for one on the terminal.
        cert, key = settings.tls_cert, settings.tls_key or None
        context.load_cert_chain(cert, key, password="")
    except OSError as error:  # includes SSLError
        reason = error.strerror or str(error)
        files = " and ".join(filter(None, (settings.tls_cert, settings.tls_key)))
        raise SettingsError("tls_cert", f"{files}: {reason}") from None
    return context


def _key(settings: ServerSettings) -> ServerKey:
    """Return the key that signs race records; it lives as long as the records."""
    return new_key() if settings.memory else load_key(settings.data_path / KEY_FILE)


class _Tasks:
    """The server's tasks, all in one task group.

    Args:
        group: the group.
    """

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task; an exception in it is logged and ends only that task."""
        task = self.spawn_essential(_guarded(work))
        task.add_done_callback(lambda _: work.close())  # if it never began

    def spawn_essential(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task; an exception in it ends the server."""
        task = self._group.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def cancel(self) -> None:
        """Cancel all tasks."""
        for task in self._tasks:
            task.cancel()


@contextlib.asynccontextmanager
async def _running_tasks() -> AsyncGenerator[_Tasks, None]:
    """Run tasks inside the context; its end cancels them."""
    failure: Exception | None = None
    async with asyncio.TaskGroup() as group:
        tasks = _Tasks(group)
        try:
            yield tasks
        except Exception as error:  # noqa: BLE001 - the group would wrap it in a group
            failure = error
        tasks.cancel()
    if failure is not None:
        raise failure


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    """Log an exception of a task, which would otherwise end the task group."""
    try:
        await work
    except Exception:  # noqa: BLE001 - see above
        _log.exception("a task failed")


async def _flush(registry: RoomRegistry) -> None:
    """Wait until everything is stored, for a bounded time."""
    clock = registry.services.clock
    until = clock.now_ms() + FLUSH_MS
    while not registry.idle and clock.now_ms() < until:
        await clock.sleep(FLUSH_STEP_S)
    if not registry.idle:
        registry.stored_everything = False
        _log.error("shut down before everything was stored")


@contextlib.asynccontextmanager
async def _advertised(
    settings: ServerSettings, port: int
) -> AsyncGenerator[None, None]:
    # Clients that find a server by mDNS use plain HTTP at the root path.
    if settings.loopback or not settings.advertise or settings.tls_cert:
        yield
        return
    bind = "" if settings.bind == "::" else settings.bind
    async with advertised(port, secrets.token_hex(4), bind):
        yield


async def _operator_view(
    settings: ServerSettings,
    clients: ClientAddresses,
    registry: RoomRegistry,
    store: Store,
) -> Mapping[str, Any]:
    """Return what `sliderace doctor` needs to know of the set-up."""
    reports = registry.services.processes.reports()
    faults = [clients.faults, *(report.proxy_faults for report in reports)]
    return {
        "proxy_faults": dict(ChainMap(*faults)),
        "changed_limits": sorted(settings.changed_limits()),
        "clock_steps": registry.clock_steps,
        "skew_ms": registry.services.processes.skew_ms(),
        "other_settings": registry.services.processes.other_settings(),
        "disk_free_mb": await asyncio.to_thread(_disk_free_mb, settings),
        "brokers": await store.log.examine(),
    }


def _disk_free_mb(settings: ServerSettings) -> int | None:
    """Return the free space of the database's disk; None if its folder was removed."""
    if settings.memory:
        return None
    try:
        return shutil.disk_usage(settings.database_path.parent).free // 1_000_000
    except FileNotFoundError:  # its folder was removed, which /healthz reports
        return None


def _host_check(settings: ServerSettings) -> HostCheck:
    """Accept this machine's names and those in the settings."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    public = urlsplit(settings.public_url)
    hosts = {"localhost", name, short, settings.bind.lower()}
    hosts |= {f"{short}.{domain}" for domain in HOME_DOMAINS}
    hosts |= {host.lower() for host in settings.hosts}
    if public.hostname:
        hosts.add(public.hostname)
    origin = f"{public.scheme}://{public.netloc}".lower() if public.netloc else ""
    return HostCheck(origin, frozenset(hosts))


def _links(settings: ServerSettings, port: int, code: str) -> list[str]:
    """Return links for other machines; none if they cannot connect.

    Args:
        settings: the server's.
        port: it listens on.
        code: of the room; empty: the links lead to the start page.
    """
    if settings.public_base:
        return [f"{settings.public_base}/{code}"]
    bind = "" if settings.bind == "::" else settings.bind
    addresses = [] if settings.loopback else reachable(bind)
    places = (f"{settings.scheme}://{address}:{port}" for address in addresses)
    return [f"{place}{settings.base}/{code}" for place in places]


def local_url(settings: ServerSettings, port: int) -> str:
    """Return the address of this server on this machine."""
    host = settings.bind
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(host)
        if address.is_unspecified:
            host = "127.0.0.1"
        elif address.version == 6:
            host = f"[{address}]"
    return f"{settings.scheme}://{host}:{port}{settings.base}"


class _RateLimits:
    """The limits per address that `Routes` uses, with a clock."""

    def __init__(self, addresses: PerAddress, clock: Clock) -> None:
        self._addresses = addresses
        self._clock = clock

    def request_wait(self, peer: str, cost: int = 1) -> int:
        """Count a request as so many; return how many ms to wait, or 0."""
        return self._addresses.page_wait(peer, self._clock.now_ms(), cost)

    def code_wait(self, peer: str) -> int:
        """Return how many ms this address must wait to try a room code, or 0."""
        return self._addresses.try_wait(peer, self._clock.now_ms())

    def wrong_code(self, peer: str) -> None:
        """Count a room code that does not exist."""
        self._addresses.failed_try(peer, self._clock.now_ms())
