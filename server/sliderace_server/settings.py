"""Every setting of the server in one place, checked before anything starts.

A flag wins over the environment (``SLIDERACE_PORT``), that over the TOML file, that
over the default. What is wrong is said by the name of the setting and where it stood.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from platformdirs import user_data_path

from sliderace.protocol.limits import MAX_SEAT, MAX_UP_BYTES
from sliderace_server.http.proxy_headers import Network
from sliderace_server.limits import Limits
from sliderace_server.room.state import RoomLimits
from sliderace_server.typed_settings import typed

__all__ = ["ServerSettings", "SettingsError", "default_data", "load_settings"]

PREFIX = "SLIDERACE_"
"""Of the settings in the environment."""
MAY_BE_ZERO = {"spectators", "gather_ms", "failed_joins_per_s"}
"""Limits for which nothing at all is a sensible value."""


BASE_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*", re.ASCII)
"""Plain names: what a browser and a proxy would write in no other way."""


class SettingsError(ValueError):
    """A setting that cannot be used.

    Attributes:
        setting: its name, and where it was found.
    """

    def __init__(self, setting: str, text: str) -> None:
        super().__init__(f"{setting}: {text}")
        self.setting = setting


def _within(low: float, high: float, text: str) -> dict[str, object]:
    return {"low": low, "high": high, "text": text}


def _one_of(*choices: str, text: str) -> dict[str, object]:
    return {"choices": choices, "text": text}


def _free(text: str) -> dict[str, object]:
    return {"text": text}


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of one server; each may be a flag, a variable or a line of TOML.

    Raises:
        ConfigError: a value is out of its range, or two contradict each other.
    """

    # where
    bind: str = field(
        default="127.0.0.1",
        metadata=_free("address to listen on; 0.0.0.0 or :: for all"),
    )
    port: int = field(
        default=8710, metadata=_within(0, 65535, "port to listen on; 0 for any free")
    )
    public_url: str = field(
        default="", metadata=_free("address people use where a proxy stands before us")
    )
    base_path: str = field(
        default="", metadata=_free("path below which we are found, such as /race")
    )
    tls_cert: str = field(
        default="", metadata=_free("PEM file with our certificate and its chain")
    )
    tls_key: str = field(
        default="", metadata=_free("PEM file with its key, where it is another one")
    )
    hosts: tuple[str, ...] = field(
        default=(), metadata=_free("further host names we answer to; * for any")
    )
    trusted_proxies: tuple[str, ...] = field(
        default=(),
        metadata=_free("addresses or networks whose X-Forwarded-For is believed"),
    )
    advertise: bool = field(
        default=True, metadata=_free("let clients on the local network find us")
    )
    # what is kept
    data: str = field(
        default="", metadata=_free("folder for database, key and server.json")
    )
    database: str = field(
        default="", metadata=_free("SQLite file, instead of one in the data folder")
    )
    memory: bool = field(
        default=False, metadata=_free("keep nothing beyond this process")
    )
    durability: Literal["full", "process"] = field(
        default="full",
        metadata=_one_of(
            "full",
            "process",
            text="what an ack survives: full (loss of power) or process (our end)",
        ),
    )
    # how it runs
    log_level: str = field(
        default="info",
        metadata=_one_of(
            "debug", "info", "warning", "error", text="least level that is logged"
        ),
    )
    ready_fd: int = field(
        default=-1, metadata=_within(-1, 2**16, "descriptor that is told of our start")
    )
    until_eof: int = field(
        default=-1, metadata=_within(-1, 2**16, "end when this descriptor is closed")
    )
    lobby_ttl: float = field(
        default=600.0, metadata=_within(0.1, 86_400, "seconds an empty lobby is kept")
    )
    # fan-out
    small_room: int = field(
        default=16,
        metadata=_within(0, 1_000, "members up to whom the first move is told at once"),
    )
    player_tick: float = field(
        default=0.05,
        metadata=_within(0.01, 5, "seconds between two messages of progress"),
    )
    spectator_tick: float = field(
        default=0.225,
        metadata=_within(0.01, 5, "the same for spectators of large rooms"),
    )
    # what anybody may use: see `sliderace_server.limits`
    limits: Limits = field(
        default_factory=Limits, metadata=_free("NAME=VALUE, one of the limits")
    )

    def __post_init__(self) -> None:
        for setting in fields(self):
            _check(setting, getattr(self, setting.name))
        _check_limits(self.limits)
        if not self.bind.strip():
            raise SettingsError("bind", "must not be empty; 0.0.0.0 or :: for all")
        if self.memory and self.database:
            raise SettingsError("memory", "contradicts database")
        if self.tls_key and not self.tls_cert:
            raise SettingsError("tls_key", "needs tls_cert")
        self._check_public_url()
        self._check_base_path()
        self.proxies()

    def _check_public_url(self) -> None:
        if not self.public_url:
            return
        try:
            parts = urlsplit(self.public_url)
            _ = parts.port  # which is checked when it is asked for
        except ValueError as error:
            raise SettingsError("public_url", str(error)) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError("public_url", "must look like https://race.example.org")
        if parts.query or parts.fragment:
            raise SettingsError("public_url", "must not hold ? or #")

    def _check_base_path(self) -> None:
        told, own = self._told_path, self.base_path.rstrip("/")
        setting = "base_path" if own else "public_url"
        if told and own and told != own:
            raise SettingsError("base_path", f"public_url says {told}")
        if not BASE_PATH.fullmatch(own or told):
            raise SettingsError(setting, "its path must look like /race")

    @property
    def _told_path(self) -> str:
        """The path of `public_url`."""
        return urlsplit(self.public_url).path.rstrip("/")

    @property
    def base(self) -> str:
        """The path below which people find us, such as ``/race``; empty: the root."""
        return self.base_path.rstrip("/") or self._told_path

    @property
    def public_base(self) -> str:
        """Where people find us, as far as we were told: no slash at its end."""
        if not self.public_url:
            return ""
        parts = urlsplit(self.public_url)
        return f"{parts.scheme}://{parts.netloc}{self.base}"

    @property
    def scheme(self) -> str:
        """How our own port is spoken to."""
        return "https" if self.tls_cert else "http"

    def proxies(self) -> tuple[Network, ...]:
        """`trusted_proxies` as networks."""
        try:
            return tuple(ip_network(text) for text in self.trusted_proxies)
        except ValueError as error:
            raise SettingsError("trusted_proxies", str(error)) from None

    @property
    def data_path(self) -> Path:
        """The folder for what is kept."""
        return Path(self.data) if self.data else default_data()

    @property
    def store_url(self) -> str:
        """What `sliderace_server.storage.open_store` is asked for."""
        if self.memory:
            return "memory:"
        return f"sqlite:{self.database_path}"

    @property
    def database_path(self) -> Path:
        """The SQLite file, unless nothing is kept."""
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
    """The user's data folder for this program."""
    return user_data_path("sliderace", appauthor=False)


def _check_limits(limits: Limits) -> None:
    for part in (limits, limits.room):
        for limit in fields(part):
            value = getattr(part, limit.name)
            least = 0 if limit.name in MAY_BE_ZERO else 1
            if isinstance(value, int) and value < least:
                raise SettingsError(f"limit {limit.name}", f"must be {least} or more")
    if limits.up_bytes > MAX_UP_BYTES:
        raise SettingsError("limit up_bytes", f"must be {MAX_UP_BYTES} or less")
    if limits.room.players > MAX_SEAT + 1:
        raise SettingsError("limit players", f"must be {MAX_SEAT + 1} or less")


def _check(setting: Field[Any], value: object) -> None:
    meta = setting.metadata
    if isinstance(value, int | float) and "low" in meta:
        low, high = meta["low"], meta["high"]
        if not low <= value <= high:
            raise SettingsError(setting.name, f"must be {low} ... {high}, not {value}")
    if "choices" in meta and value not in meta["choices"]:
        choices = ", ".join(meta["choices"])
        raise SettingsError(setting.name, f"must be one of {choices}, not {value!r}")


def _limits(pairs: object, where: str) -> Callable[[Limits], Limits]:
    """What changes the limits that are named in `pairs`, a mapping."""
    if not isinstance(pairs, Mapping):
        raise SettingsError(where.removesuffix(":"), f"{pairs!r} is not a table")
    named = cast("Mapping[str, object]", pairs)
    changes = {name: _limit(name, value, where) for name, value in named.items()}

    def change(limits: Limits) -> Limits:
        room = {name: changes[name] for name in changes.keys() & _ROOM_LIMITS}
        own = {name: changes[name] for name in changes.keys() - _ROOM_LIMITS}
        return replace(limits, **own, room=replace(limits.room, **room))

    return change


def _limit(name: str, value: object, where: str) -> int:
    if name not in _ROOM_LIMITS | _OWN_LIMITS:
        raise SettingsError(f"{where} {name}", "there is no such limit")
    try:
        return int(typed(int, value))
    except ValueError as error:
        raise SettingsError(f"{where} {name}", str(error)) from None


_ROOM_LIMITS = {limit.name for limit in fields(RoomLimits)}
_OWN_LIMITS = {limit.name for limit in fields(Limits)} - {"room"}


def load_settings(
    flags: Mapping[str, Any], environ: Mapping[str, str], file: Path | None = None
) -> ServerSettings:
    """The settings in force.

    Args:
        flags: setting -> value, of those that were given on the command line.
        environ: the environment.
        file: a TOML file, or None for the one that ``SLIDERACE_CONFIG`` names, if any.

    Raises:
        ConfigError: a setting is unknown, malformed, out of range or contradictory.
    """
    if file is None and (named := environ.get(f"{PREFIX}CONFIG")):
        file = Path(named)
    values: dict[str, Any] = {}
    limits = Limits()
    if file is not None:
        table = _toml(file)
        limits = _limits(table.pop("limits", {}), f"limits in {file.name}:")(limits)
        for name, value in table.items():
            values[name] = _typed(name, value, f"{name} in {file.name}")
    for name in _SETTINGS:
        if (variable := f"{PREFIX}{name.upper()}") in environ:
            values[name] = _typed(name, environ[variable], variable)
    limits = _limits(_limits_of(environ), "limit")(limits)
    for name, value in flags.items():
        if name != "limits":
            values[name] = _typed(name, value, f"--{name.replace('_', '-')}")
    limits = _limits(flags.get("limits", {}), "--limit")(limits)
    if "lobby_ttl" in values:
        _check(_SETTINGS["lobby_ttl"], values["lobby_ttl"])
        ttl = round(values["lobby_ttl"] * 1_000)
        limits = replace(limits, room=replace(limits.room, lobby_ttl_ms=ttl))
    return ServerSettings(**values, limits=limits)


def _limits_of(environ: Mapping[str, str]) -> dict[str, str]:
    """``SLIDERACE_LIMIT_PLAYERS=8`` and its like."""
    prefix = f"{PREFIX}LIMIT_"
    return {
        name.removeprefix(prefix).lower(): value
        for name, value in environ.items()
        if name.startswith(prefix)
    }


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise SettingsError("config", f"{file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError("config", f"{file}: {error}") from None


def _typed(name: str, value: object, where: str) -> object:
    """A value from outside as the type of its setting."""
    if name not in _SETTINGS:
        raise SettingsError(where, "there is no such setting")
    try:
        default: object = _SETTINGS[name].default
        return typed(type(default), value)
    except ValueError as error:
        raise SettingsError(where, str(error)) from None


_SETTINGS = {one.name: one for one in fields(ServerSettings) if one.name != "limits"}
