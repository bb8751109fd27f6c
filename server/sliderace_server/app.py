"""One whole server, put together from its parts.

The composition root: here concrete clocks, stores and sockets are chosen, and here
alone an unforeseen exception is caught, so that one room's misfortune is not
everybody's.
"""

import asyncio
import contextlib
import ipaddress
import logging
import secrets
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sliderace import __version__
from sliderace_server.clock import Clock, SystemClock
from sliderace_server.http.assets import Asset, load_page
from sliderace_server.http.host_check import HostCheck
from sliderace_server.http.routes import Routes
from sliderace_server.limits import PerAddress
from sliderace_server.live_room.services import Services, Spawn
from sliderace_server.load import LoadMeter
from sliderace_server.mdns import advertised, reachable
from sliderace_server.metrics import Metrics
from sliderace_server.registry.results_writer import ResultsWriter
from sliderace_server.registry.rooms import RoomRegistry
from sliderace_server.settings import ServerSettings, SettingsError
from sliderace_server.signing_key import KEY_FILE, ServerKey, kept_key, new_key
from sliderace_server.storage import Store, open_store
from sliderace_server.storage.log_writer import LogWriter
from sliderace_server.websocket import Listener
from sliderace_server.websocket.send_queue import SLICE_BY_LOAD, Flusher, text_frame
from sliderace_server.websocket.session import Session

__all__ = ["Server", "running"]

_log = logging.getLogger(__name__)

HOME_DOMAINS = ("local", "lan", "internal", "home.arpa", "localdomain")
"""Of home networks; nobody can own a name in them and point it at us."""
FLUSH_MS = 5_000
"""Longest wait for the disk at the end."""
FLUSH_STEP_S = 0.01


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is running.

    Args:
        port: where it listens.
        url: where a browser on this clock finds it, or the public address.
        registry: its rooms.
        metrics: its counts.
    """

    port: int
    url: str
    registry: RoomRegistry
    metrics: Metrics


@contextlib.asynccontextmanager
async def running(
    config: ServerSettings,
    *,
    store: Store | None = None,
    clock: Clock | None = None,
    entropy: Callable[[int], bytes] = secrets.token_bytes,
    page: Mapping[str, Asset] | None = None,
) -> AsyncGenerator[Server, None]:
    """A server, as long as the context lasts; then it ends in good order.

    At the end everybody is told with close code 1012, and what happened is flushed.

    Args:
        config: the settings.
        store: where to keep things; None: what the settings say.
        clock: the machine's; None: the real one.
        entropy: that many random bytes.
        page: URL path -> file; None: the installed page.

    Raises:
        CannotListen: the address is not ours, or in use.
        BadKey: the server's key cannot be read or made.
        ConfigError: certificate and key cannot be used.
        StorageError: the store cannot be opened or read.
    """
    # Both read files.
    if clock is None:
        clock = await asyncio.to_thread(SystemClock)
    if page is None:
        page = await asyncio.to_thread(load_page)
    tls = await asyncio.to_thread(_tls, config)
    async with (
        store or open_store(config.store_url, config.durability) as opened,
        _tasks() as spawn,
    ):
        # Only now: whoever holds the store is alone.
        key = await asyncio.to_thread(_key, config)
        metrics, load_meter = Metrics(), LoadMeter()
        loop = asyncio.get_running_loop()
        flusher = Flusher(
            loop.call_soon,
            loop.call_later,
            lambda: SLICE_BY_LOAD[load_meter.factor - 1],
        )
        results_writer = ResultsWriter(opened.results, spawn, clock)
        services = Services(
            config=config,
            room_limits=config.limits.room,
            told_limits=config.limits.told,
            clock=clock,
            store=opened,
            metrics=metrics,
            entropy=entropy,
            spawn=spawn,
            log_writer=LogWriter(
                opened.log, spawn, flusher.flush, clock, metrics, load_meter
            ),
            keep=results_writer.keep,
            version=f"sliderace {__version__}",
            key=key,
            before_flush=flusher.before_flush,
            text_frame=text_frame,
            load_meter=load_meter,
        )
        addresses = PerAddress(config.limits)
        registry = RoomRegistry(services, results_writer, addresses)
        results_writer.stored = registry.stored
        await registry.recover()
        site = Routes(
            page,
            registry,
            _host_check(config),
            _Tries(addresses, clock),
            metrics.render,
            lambda code: _links(config, listener.port, code),
            config.base,
        )
        listener = Listener(
            config,
            site,
            lambda peer: Session(registry, peer),
            clock,
            metrics,
            spawn,
            addresses,
            flusher,
            tls,
        )
        async with listener.listening() as port, _announced(config, port):
            try:
                yield Server(port, _url(config, port), registry, metrics)
            finally:
                registry.freeze()
        await _flush(registry)


def _tls(config: ServerSettings) -> ssl.SSLContext | None:
    """Certificate and key, if the port is to speak TLS itself."""
    if not config.tls_cert:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # An empty password: nobody is there to type one.
        context.load_cert_chain(config.tls_cert, config.tls_key or None, password="")
    except OSError as error:  # SSLError is one
        why = error.strerror or str(error)
        files = " and ".join(filter(None, (config.tls_cert, config.tls_key)))
        raise SettingsError("tls_cert", f"{files}: {why}") from None
    return context


def _key(config: ServerSettings) -> ServerKey:
    """What signs the records: for as long as what it signs is kept."""
    return new_key() if config.memory else kept_key(config.data_path / KEY_FILE)


@contextlib.asynccontextmanager
async def _tasks() -> AsyncGenerator[Spawn, None]:
    """Where every task of the server belongs; the end of the context is theirs."""
    failure: Exception | None = None
    async with asyncio.TaskGroup() as group:
        tasks: set[asyncio.Task[None]] = set()

        def spawn(work: Coroutine[Any, Any, None]) -> None:
            task = group.create_task(_guarded(work))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        try:
            yield spawn
        except Exception as error:  # noqa: BLE001 - the group would wrap it
            failure = error
        for task in tasks:
            task.cancel()
    if failure is not None:
        raise failure


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    """Let a task's mistake end that task, not the server."""
    try:
        await work
    except Exception:  # noqa: BLE001 - said above
        _log.exception("a task failed")


async def _flush(registry: RoomRegistry) -> None:
    """Wait until everything is stored, but not for ever."""
    clock = registry.services.clock
    until = clock.now_ms() + FLUSH_MS
    while not registry.idle and clock.now_ms() < until:
        await clock.sleep(FLUSH_STEP_S)
    if not registry.idle:
        _log.error("ended before everything was stored")


@contextlib.asynccontextmanager
async def _announced(config: ServerSettings, port: int) -> AsyncGenerator[None, None]:
    # Who finds us by mDNS asks in plain HTTP, at the root.
    if config.loopback or not config.advertise or config.tls_cert:
        yield
        return
    bind = "" if config.bind == "::" else config.bind
    async with advertised(port, secrets.token_hex(4), bind):
        yield


def _host_check(config: ServerSettings) -> HostCheck:
    """The names of this clock: what people here type, and what they were told."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    public = urlsplit(config.public_url)
    hosts = {"localhost", name, short, config.bind.lower()}
    hosts |= {f"{short}.{domain}" for domain in HOME_DOMAINS}
    hosts |= {host.lower() for host in config.hosts}
    if public.hostname:
        hosts.add(public.hostname)
    origin = f"{public.scheme}://{public.netloc}".lower() if public.netloc else ""
    return HostCheck(origin, frozenset(hosts))


def _links(config: ServerSettings, port: int, code: str) -> list[str]:
    """Where people elsewhere find a room; none where only this machine is let in."""
    if config.public_base:
        return [f"{config.public_base}/{code}"]
    bind = "" if config.bind == "::" else config.bind
    addresses = [] if config.loopback else reachable(bind)
    places = (f"{config.scheme}://{address}:{port}" for address in addresses)
    return [f"{place}{config.base}/{code}" for place in places]


def _url(config: ServerSettings, port: int) -> str:
    if config.public_base:
        return config.public_base
    host = config.bind
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(host)
        if address.is_unspecified:
            host = "127.0.0.1"
        elif address.version == 6:
            host = f"[{address}]"
    return f"{config.scheme}://{host}:{port}{config.base}"


class _Tries:
    """`PerAddress` with a clock, as the site wants it."""

    def __init__(self, addresses: PerAddress, clock: Clock) -> None:
        self._addresses = addresses
        self._clock = clock

    def page(self, peer: str) -> int:
        """0, or how long this address must wait for another answer, in ms."""
        return self._addresses.page_wait(peer, self._clock.now_ms())

    def may_try(self, peer: str) -> int:
        """0, or how long this address must wait to try another code, in ms."""
        return self._addresses.try_wait(peer, self._clock.now_ms())

    def failed(self, peer: str) -> None:
        """This address named a room that does not exist."""
        self._addresses.failed_try(peer, self._clock.now_ms())
