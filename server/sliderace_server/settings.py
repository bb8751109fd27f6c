"""Every setting of the server, validated before anything starts.

A command-line option overrides an environment variable (``SLIDERACE_PORT``), which
overrides the TOML file, which overrides the default.
"""

import os
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address, ip_network
from pathlib import Path
from socket import gethostname
from typing import Annotated, Any, Literal, cast, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta
from msgspec.inspect import (
    BoolType,
    FloatType,
    IntType,
    LiteralType,
    Metadata,
    StrType,
    VarTupleType,
    type_info,
)
from platformdirs import user_data_path

from sliderace_server.http.proxy_headers import Network
from sliderace_server.limits import Limits
from sliderace_server.room.state import RoomLimits
from sliderace_server.storage import check_results_url, without_password

__all__ = [
    "ServerSettings",
    "SettingsError",
    "default_data",
    "help_of",
    "load_settings",
]

PREFIX = "SLIDERACE_"
"""Of the environment variables."""

MAX_WORKERS = 64
"""More than a game server has cores."""
BASE_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*", re.ASCII)
"""Only names that browsers and proxies never rewrite."""

SHARED = (
    "public_url",
    "base_path",
    "keep",
    "small_room",
    "player_tick",
    "spectator_tick",
)
"""Settings that should be the same at all nodes of a cluster, besides the limits: any
node may serve any room."""
CLUSTER_PREFIX = re.compile(r"[a-z0-9-]{1,20}")
NODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Both become parts of NATS subjects and stream names."""


class SettingsError(ValueError):
    """A setting that cannot be used.

    Attributes:
        setting: its name, and where it was given.
    """

    def __init__(self, setting: str, text: str) -> None:
        super().__init__(f"{setting}: {text}")
        self.setting = setting


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of one server.

    To add one, add a field: its type is also the type of the command-line option, of
    the environment variable and of the value in the TOML file.

    Raises:
        SettingsError: a value is out of range, or two values contradict each other.
    """

    # Network
    bind: Annotated[
        str, Meta(description="address to listen on; 0.0.0.0 or :: for all")
    ] = "127.0.0.1"
    port: Annotated[
        int, Meta(ge=0, le=65_535, description="port to listen on; 0 for any free one")
    ] = 8710
    public_url: Annotated[
        str, Meta(description="address that players use, if behind a proxy")
    ] = ""
    base_path: Annotated[
        str, Meta(description="path under which the server is reached, such as /race")
    ] = ""
    tls_cert: Annotated[
        str, Meta(description="PEM file with the server's certificate and its chain")
    ] = ""
    tls_key: Annotated[
        str, Meta(description="PEM file with the private key, if it is not in tls_cert")
    ] = ""
    hosts: Annotated[
        tuple[str, ...], Meta(description="more host names to accept; * for any")
    ] = ()
    trusted_proxies: Annotated[
        tuple[str, ...],
        Meta(description="addresses or networks whose X-Forwarded-For is trusted"),
    ] = ()
    advertise: Annotated[
        bool, Meta(description="let clients on the local network find this server")
    ] = True
    # Storage
    data: Annotated[
        str, Meta(description="folder for the database, the key and server.json")
    ] = ""
    database: Annotated[
        str, Meta(description="SQLite file, instead of one in the data folder")
    ] = ""
    results: Annotated[
        str,
        Meta(
            description="PostgreSQL database for results and profiles, instead of the "
            "SQLite file: postgresql://user:password@host/name"
        ),
    ] = ""
    memory: Annotated[
        bool, Meta(description="keep everything in memory; nothing survives the end")
    ] = False
    keep: Annotated[
        int, Meta(ge=0, description="days for which races are kept; 0: for ever")
    ] = 0
    durability: Annotated[
        Literal["full", "process"],
        Meta(
            description="what acknowledged moves survive: full (a power failure) or "
            "process (a crash of the server only)"
        ),
    ] = "full"
    # Cluster
    cluster: Annotated[
        str,
        Meta(description="NATS brokers of the cluster, such as nats://a:4222,b:4222"),
    ] = ""
    cluster_credentials: Annotated[
        str, Meta(description="credentials file for the brokers, made by nsc")
    ] = ""
    cluster_prefix: Annotated[
        str,
        Meta(description="name of the cluster, if several share the same brokers"),
    ] = "sr"
    node: Annotated[
        str, Meta(description="name of this node; default: the host name")
    ] = ""
    # Process
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="lowest level to log"),
    ] = "info"
    ready_fd: Annotated[
        int,
        Meta(ge=-1, le=65_536, description="file descriptor to report readiness to"),
    ] = -1
    until_eof: Annotated[
        int,
        Meta(ge=-1, le=65_536, description="stop when this file descriptor is closed"),
    ] = -1
    workers: Annotated[
        str,
        Meta(description="processes that share the rooms; auto: one per processor"),
    ] = "1"
    lobby_ttl: Annotated[
        float,
        Meta(ge=0.1, le=86_400.0, description="seconds that an empty lobby is kept"),
    ] = 600.0
    # Progress
    small_room: Annotated[
        int,
        Meta(ge=0, le=1_000, description="largest room that gets progress at once"),
    ] = 16
    player_tick: Annotated[
        float,
        Meta(ge=0.01, le=5.0, description="seconds between two progress messages"),
    ] = 0.05
    spectator_tick: Annotated[
        float,
        Meta(ge=0.01, le=5.0, description="the same for spectators of large rooms"),
    ] = 0.225
    limits: Annotated[
        Limits, Meta(description="NAME=VALUE; sets one of the limits")
    ] = field(default_factory=Limits)

    def __post_init__(self) -> None:
        for name, kind in _SETTINGS.items():
            _convert(getattr(self, name), kind, name)
        for name, value in _values(self.limits).items():
            _convert(value, (_LIMITS | _ROOM_LIMITS)[name], f"limit {name}")
        if not self.bind.strip():
            raise SettingsError("bind", "must not be empty; 0.0.0.0 or :: for all")
        if self.memory and self.database:
            raise SettingsError("memory", "cannot be combined with database")
        self._check_results()
        if self.tls_key and not self.tls_cert:
            raise SettingsError("tls_key", "needs tls_cert")
        self._check_workers()
        self._check_public_url()
        self._check_base_path()
        self._check_cluster()
        self.proxies()

    def _check_workers(self) -> None:
        allowed = ("auto", *map(str, range(1, MAX_WORKERS + 1)))
        if self.workers not in allowed:
            text = f"must be auto or an integer from 1 to {MAX_WORKERS}"
            raise SettingsError("workers", f"{text}, not {self.workers!r}")
        if self.worker_count == 1:
            return
        if self.memory:
            raise SettingsError("workers", "cannot be combined with memory")
        if self.tls_cert:
            raise SettingsError("workers", "cannot be combined with tls_cert")
        if sys.platform in ("win32", "darwin"):  # no Unix sockets for packets
            raise SettingsError("workers", "must be 1 on this system")

    @property
    def worker_count(self) -> int:
        """How many processes share the rooms; 1: there are no workers."""
        return (os.cpu_count() or 1) if self.workers == "auto" else int(self.workers)

    def _check_results(self) -> None:
        if not self.results:
            return
        if self.memory:
            raise SettingsError("memory", "cannot be combined with results")
        try:
            check_results_url(self.results)
        except ValueError as error:
            raise SettingsError("results", str(error)) from None

    def _check_public_url(self) -> None:
        if not self.public_url:
            return
        try:
            parts = urlsplit(self.public_url)
            _ = parts.port  # validated on access
        except ValueError as error:
            raise SettingsError("public_url", str(error)) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError("public_url", "must look like https://race.example.org")
        if parts.query or parts.fragment:
            raise SettingsError("public_url", "must not contain ? or #")

    def _check_base_path(self) -> None:
        public, own = self._public_path, self.base_path.rstrip("/")
        if public and own and public != own:
            raise SettingsError("base_path", f"differs from {public} in public_url")
        if not BASE_PATH.fullmatch(own or public):
            setting = "base_path" if own else "public_url"
            raise SettingsError(setting, "the path must look like /race")

    def _check_cluster(self) -> None:
        if not CLUSTER_PREFIX.fullmatch(self.cluster_prefix):
            raise SettingsError("cluster_prefix", "must be 1 to 20 of a-z, 0-9 and -")
        if self.node and not NODE.fullmatch(self.node):
            raise SettingsError("node", "must be 1 to 64 of A-Z, a-z, 0-9, _ and -")
        if not self.cluster:
            return
        if self.memory:
            raise SettingsError("memory", "cannot be combined with cluster")
        if self.worker_count > 1:
            raise SettingsError("workers", "cannot be combined with cluster")
        self.brokers()
        if not self.results:
            text = "needs results, such as postgresql://host/db"
            raise SettingsError("cluster", text)

    @property
    def _public_path(self) -> str:
        """The path of `public_url`."""
        return urlsplit(self.public_url).path.rstrip("/")

    @property
    def base(self) -> str:
        """The path under which clients reach us, such as ``/race``; empty: the root."""
        return self.base_path.rstrip("/") or self._public_path

    @property
    def public_base(self) -> str:
        """The public address without a final slash; empty if not set."""
        if not self.public_url:
            return ""
        parts = urlsplit(self.public_url)
        return f"{parts.scheme}://{parts.netloc}{self.base}"

    @property
    def scheme(self) -> str:
        """The URL scheme of our own port."""
        return "https" if self.tls_cert else "http"

    def proxies(self) -> tuple[Network, ...]:
        """Return `trusted_proxies` as networks."""
        try:
            return tuple(ip_network(text) for text in self.trusted_proxies)
        except ValueError as error:
            raise SettingsError("trusted_proxies", str(error)) from None

    def brokers(self) -> tuple[str, ...]:
        """Return the URLs in `cluster`; those without a scheme have the first one's."""
        scheme, separator, rest = self.cluster.partition("://")
        parts = [part.strip() for part in rest.split(",")]
        urls = [one if "://" in one else f"{scheme}://{one}" for one in parts]
        # With a slash, a part of the password may be the path, so quote no part.
        wrong = "must look like nats://a:4222,b:4222 (in passwords, %2F for /)"
        for url in urls:
            try:
                known = urlsplit(url)
                _ = known.port  # validated on access
            except ValueError:
                raise SettingsError("cluster", wrong) from None
            right = known.scheme in ("nats", "tls") and known.hostname
            rest = known.path or known.query or known.fragment
            if not separator or not right or rest:
                raise SettingsError("cluster", wrong)
        return tuple(urls)

    @property
    def node_name(self) -> str:
        """The name of this node."""
        return self.node or re.sub(r"[^A-Za-z0-9_-]", "-", gethostname())[:64] or "node"

    def changed_limits(self) -> dict[str, int]:
        """Return the limits that do not have their default."""
        defaults = _values(Limits())
        values = _values(self.limits)
        return {name: one for name, one in values.items() if one != defaults[name]}

    def shared(self) -> dict[str, str]:
        """Return the values that should be the same at all nodes of a cluster.

        Limits with their default are left out.
        """
        values = {name: getattr(self, name) for name in SHARED} | self.changed_limits()
        return {name: str(value) for name, value in values.items()}

    @property
    def data_path(self) -> Path:
        """The data folder."""
        return Path(self.data) if self.data else default_data()

    @property
    def store_url(self) -> str:
        """The URL for `sliderace_server.storage.open_store`."""
        if self.memory:
            return "memory:"
        return f"sqlite:{self.database_path}"

    @property
    def results_place(self) -> str:
        """Where results and profiles are, for messages."""
        if self.results:
            return without_password(self.results)
        return str(self.database_path)

    @property
    def database_path(self) -> Path:
        """The SQLite file, unless `memory` is set."""
        return Path(self.database or self.data_path / "sliderace.db")

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach us."""
        if self.bind == "localhost":
            return True
        try:
            return ip_address(self.bind).is_loopback
        except ValueError:
            return False


def default_data() -> Path:
    """Return the user's data folder for this program."""
    return user_data_path("sliderace", appauthor=False)


def _types_of(settings: type) -> dict[str, Any]:
    """Return the type of each field, with its range, except of nested settings."""
    nested = ("limits", "room")
    hints = get_type_hints(settings, include_extras=True)
    return {
        one.name: hints[one.name] for one in fields(settings) if one.name not in nested
    }


_SETTINGS = _types_of(ServerSettings)
_LIMITS = _types_of(Limits)
_ROOM_LIMITS = _types_of(RoomLimits)


def _values(limits: Limits) -> dict[str, int]:
    """Return all limits, those of rooms too, by name."""
    server = {name: getattr(limits, name) for name in _LIMITS}
    return server | {name: getattr(limits.room, name) for name in _ROOM_LIMITS}


def help_of(setting: str) -> str:
    """Return what a setting does, for operators."""
    hint = get_type_hints(ServerSettings, include_extras=True)[setting]
    return str(next(meta.description for meta in hint.__metadata__))


def load_settings(
    options: Mapping[str, Any], environ: Mapping[str, str], file: Path | None = None
) -> ServerSettings:
    """Return the settings in force.

    Args:
        options: setting -> value, of the options on the command line.
        environ: the environment variables.
        file: a TOML file; None: the one that ``SLIDERACE_CONFIG`` names, if any.

    Raises:
        SettingsError: a setting is unknown, malformed, out of range, or contradicts
            another.
    """
    if file is None and (named := environ.get(f"{PREFIX}CONFIG")):
        file = Path(named)
    table = {} if file is None else _read_toml(file)
    source = "" if file is None else f" in {file.name}"
    if type(table.get("workers")) is int:  # a number, without quotation marks
        table["workers"] = str(table["workers"])
    table_limits = table.pop("limits", {})
    if not isinstance(table_limits, dict):
        raise SettingsError(f"limits{source}", f"must be a table, not {table_limits!r}")
    variables = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in environ.items()
        if name.startswith(PREFIX)
    }
    values = {
        **_convert_all(table, _SETTINGS, lambda name: f"{name}{source}"),
        **_convert_all(
            {name: variables[name] for name in _SETTINGS if name in variables},
            _SETTINGS,
            lambda name: f"{PREFIX}{name.upper()}",
        ),
        **_convert_all(
            {name: value for name, value in options.items() if name != "limits"},
            _SETTINGS,
            lambda name: f"--{name.replace('_', '-')}",
        ),
    }
    prefix = "limit_"
    limits = {
        **_convert_limits(
            cast("dict[str, Any]", table_limits), lambda name: f"limit {name}{source}"
        ),
        **_convert_limits(
            {
                name.removeprefix(prefix): value
                for name, value in variables.items()
                if name.startswith(prefix)
            },
            lambda name: f"{PREFIX}LIMIT_{name.upper()}",
        ),
        **_convert_limits(options.get("limits", {}), lambda name: f"--limit {name}"),
    }
    if "lobby_ttl" in values:
        limits["lobby_ttl_ms"] = round(values["lobby_ttl"] * 1_000)
    room = {name: limits.pop(name) for name in _ROOM_LIMITS if name in limits}
    return ServerSettings(**values, limits=Limits(**limits, room=RoomLimits(**room)))


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise SettingsError("config", f"{file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError("config", f"{file}: {error}") from None


def _convert_all(
    values: Mapping[str, object], kinds: Mapping[str, Any], place: Callable[[str], str]
) -> dict[str, Any]:
    """Convert values from outside to the types of their settings.

    Args:
        values: setting -> value.
        kinds: setting -> type.
        place: returns the name of a setting for an error message.
    """
    for name in values:
        if name not in kinds:
            raise SettingsError(place(name), "unknown setting")
    return {
        name: _convert(value, kinds[name], place(name))
        for name, value in values.items()
    }


def _convert_limits(
    values: Mapping[str, object], place: Callable[[str], str]
) -> dict[str, Any]:
    return _convert_all(values, _LIMITS | _ROOM_LIMITS, place)


_WORDS = {"yes": True, "no": False}


def _convert(value: object, kind: Any, place: str) -> Any:  # noqa: ANN401
    converted = value
    if isinstance(value, str):
        match _base(kind):
            case VarTupleType():
                converted = [part for part in map(str.strip, value.split(",")) if part]
            case BoolType():
                converted = _WORDS.get(value.lower(), value)
            case IntType() | FloatType():
                converted = value.strip()
            case _:
                pass
    try:
        return msgspec.convert(converted, kind, strict=False)
    except msgspec.ValidationError:
        raise SettingsError(
            place, f"must be {_expected(kind)}, not {value!r}"
        ) from None


def _base(kind: Any) -> msgspec.inspect.Type:  # noqa: ANN401
    base = type_info(kind)
    return base.type if isinstance(base, Metadata) else base


def _expected(kind: Any) -> str:  # noqa: ANN401
    """Describe a type and its range."""
    match _base(kind):
        case IntType(ge=low, le=high):
            return f"an integer{_range(low, high)}"
        case FloatType(ge=low, le=high):
            return f"a number{_range(low, high)}"
        case BoolType():
            return "true or false"
        case LiteralType(values=values):
            return f"one of {', '.join(map(str, values))}"
        case VarTupleType():
            return "a list of texts"
        case StrType():
            return "a text"
        case other:
            raise TypeError(other)


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return ""
    return f", {low:g} or more" if high is None else f" from {low:g} to {high:g}"
