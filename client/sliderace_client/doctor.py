"""What is right and what is wrong with a server's set-up. Blocking."""

import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from sliderace.race.daily import LAST_DAY, date_text, day_of
from sliderace.texts import text
from sliderace_client.net.http import Reply, Unreachable, get
from sliderace_client.net.locate import is_loopback, operator_token, read_server_file

__all__ = [
    "Finding",
    "daily_finding",
    "encryption_finding",
    "examine",
    "reply_findings",
    "set_up_findings",
]

RENEW_DAYS = 14
"""A certificate that ends sooner should have been renewed."""
MIN_FREE_MB = 500
"""A busy evening writes a few megabytes; backups and SQLite's own copies need more."""
MAX_SKEW_MS = 250
"""Between the clocks of two nodes; with more, a node does not start."""
YEAR_DAYS = 365
"""How long before the last board of the daily race a later version must be there."""
MISDIRECTED = 421
DAY_S = 86_400


class Finding(NamedTuple):
    """One line: what is right, or what is wrong and how to fix it."""

    ok: bool
    line: str


def examine(server: str = "") -> list[Finding]:
    """Check a running server.

    Args:
        server: its address as players use it; empty: our own server.
    """
    known = read_server_file()
    base = server or (known.url or known.base if known else "")
    if not base:
        return [_wrong("no_server")]
    key: object = None
    try:
        reply = get(base, "/healthz")
        key = _health(reply).get("key")
        found = [*reply_findings(base, reply)]
        features = _health(reply).get("features")
        if isinstance(features, list) and "daily" in features:
            found.append(daily_finding(day_of(round(time.time() * 1_000))))
        found.append(encryption_finding(base, _certificate_days(base)))
    except OSError as error:  # mostly Unreachable
        found = [_wrong("unreachable", why=str(error))]
    view = _view(known.base, key) if known else None
    return [*found, *(set_up_findings(view) if view else [_ok("no_view")])]


def _health(reply: Reply) -> Mapping[str, Any]:
    health = reply.json()
    return cast("dict[str, Any]", health) if isinstance(health, dict) else {}


def _view(base: str, key: object) -> Mapping[str, Any] | None:
    """Return what only the operator may see of our own server, if it runs.

    Args:
        base: its address.
        key: public key of the server that we examine, which may be another server;
            None: unknown.
    """
    try:
        health = _health(get(base, "/healthz", token=operator_token(base)))
    except Unreachable:
        return None
    view: Mapping[str, Any] | None = health.get("operator")
    return view if key in (None, health.get("key")) else None


def reply_findings(base: str, reply: Reply) -> Iterator[Finding]:
    """Yield what the answer of `/healthz` says.

    Args:
        base: the server's address.
        reply: the answer.
    """
    if reply.status == MISDIRECTED:
        yield _wrong("host_refused", host=urlsplit(base).hostname or base)
        return
    health = reply.json()
    if not isinstance(health, dict) or "status" not in health:
        yield _wrong("not_ours", server=base, status=reply.status)
        return
    yield _ok("reachable", server=base)
    problems = cast("dict[str, list[str]]", health).get("problems") or []
    for problem in problems:
        yield _wrong(f"problem_{problem}")
    if not problems:
        yield _ok("healthy")


def daily_finding(today: int) -> Finding:
    """Return whether there will be boards for the daily race a year from now.

    Args:
        today: days since 1970 in UTC.
    """
    enough = LAST_DAY - today >= YEAR_DAYS
    return (_ok if enough else _wrong)("daily", date=date_text(LAST_DAY))


def _certificate_days(base: str) -> int | None:
    """Return for how many days the server's certificate is valid; None: it has none."""
    parts = urlsplit(base)
    if parts.scheme != "https":
        return None
    place = parts.hostname or "", parts.port or 443
    context = ssl.create_default_context()
    with (
        socket.create_connection(place, timeout=3) as connection,
        context.wrap_socket(connection, server_hostname=place[0]) as secure,
    ):
        ends = str((secure.getpeercert() or {})["notAfter"])
    return int((ssl.cert_time_to_seconds(ends) - time.time()) // DAY_S)


def encryption_finding(base: str, days: int | None) -> Finding:
    """Return whether players use TLS, and for how long its certificate is valid.

    Args:
        base: the server's address.
        days: for how many more days its certificate is valid; None: there is none.
    """
    if days is not None:
        return (_ok if days >= RENEW_DAYS else _wrong)("certificate", days=days)
    return _ok("near") if _is_near(urlsplit(base).hostname or "") else _wrong("no_tls")


def _is_near(host: str) -> bool:
    """Return whether an address is on this machine or a local network."""
    try:
        return ip_address(host).is_private
    except ValueError:
        return is_loopback(host) or host.endswith(".local") or "." not in host


def set_up_findings(view: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what the server's own view of its set-up says.

    Args:
        view: the value of `operator` in `/healthz`.
    """
    faults = cast("dict[str, str]", view["proxy_faults"])
    for fault, address in faults.items():
        yield _wrong(f"proxy_{fault}", address=address)
    if not faults:
        yield _ok("proxy")
    names = ", ".join(view["changed_limits"])
    yield _ok("limits_changed", names=names) if names else _ok("limits")
    if (free := view["disk_free_mb"]) is not None:
        yield (_ok if free >= MIN_FREE_MB else _wrong)("disk", mb=free)
    if brokers := view.get("brokers"):
        yield from broker_findings(brokers)
    steps = view["clock_steps"]
    yield _wrong("clock_set", times=steps) if steps else _ok("clock")
    if (skew := view.get("skew_ms")) is not None:
        say = _ok if skew <= MAX_SKEW_MS else _wrong
        yield say("skew", ms=skew, most=MAX_SKEW_MS)
    if (others := view.get("other_settings")) is not None:
        names = ", ".join(others)
        yield _wrong("settings", names=names) if names else _ok("settings")


def broker_findings(view: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what a node of a cluster says about its brokers.

    Args:
        view: the value of `brokers` in its view of its set-up.
    """
    versions = cast("dict[str, str | None]", view["versions"])
    for place, version in versions.items():
        if version is None:
            yield _wrong("broker_down", place=place)
        else:
            yield _ok("broker", place=place, version=version)
    faults = cast("dict[str, str]", view["faults"])
    for stream, fault in faults.items():
        yield _wrong(f"stream_{fault}", stream=stream)
    if not faults:
        yield _ok("streams", count=view["streams"])


def _ok(key: str, **values: str | int) -> Finding:
    return Finding(ok=True, line=text(f"doctor.ok.{key}", **values))


def _wrong(key: str, **values: str | int) -> Finding:
    return Finding(ok=False, line=text(f"doctor.wrong.{key}", **values))
