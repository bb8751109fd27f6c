"""HTTP routes: the web page, rooms, race records, health and metrics.

Requests and answers are plain data; `sliderace_server.websocket.listener` converts them
from and to the library's types.
"""

import hmac
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qs, unquote

from sliderace.protocol.room_code import parse_code
from sliderace.race.series import Series
from sliderace.texts import text
from sliderace_server.http.assets import INDEX, Asset
from sliderace_server.http.host_check import HostCheck
from sliderace_server.http.series_export import as_csv, as_json
from sliderace_server.storage import RaceSummary, StorageUnavailable

__all__ = [
    "SECURITY",
    "WEBSOCKET_PATH",
    "Answer",
    "Request",
    "Routes",
    "message",
    "races_listing",
]

WEBSOCKET_PATH = "/ws"
PAGE_SIZE = 50
"""Races in one answer of `/api/races`."""
RACE_ID = re.compile(r"[A-Z0-9-]{1,32}", re.ASCII)
"""Race ids that are redirected to their replay."""

SECURITY: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Sent with every answer. Browsers must not guess content types, nor send a room's link
to other sites as the referrer."""
_MISTYPED = re.compile("/[A-Za-z0-9-]{1,32}")
"""Perhaps a mistyped link to a room."""
_OF_A_ROOM: Sequence[Sequence[str]] = ([], ["series"], ["series.csv"])
"""Below `/api/rooms/CODE`."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src {connect}; worker-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy: an injected script would not run."""


@dataclass(frozen=True, slots=True)
class Request:
    """The relevant parts of an HTTP request.

    Args:
        method: in upper case.
        target: path and query as sent.
        host: the Host header, or empty.
        origin: the Origin header, or None.
        peer: IP address of the client; empty: it is exempt from limits.
        authorization: the Authorization header, or empty.
        etag: the If-None-Match header, or empty.
        gzip: whether the client accepts gzip.
        direct: the client itself is at the other end of the connection, on another
            machine.
    """

    method: str
    target: str
    host: str = ""
    origin: str | None = None
    peer: str = ""
    authorization: str = ""
    etag: str = ""
    gzip: bool = False
    direct: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer; HEAD requests get it without the body."""

    status: int
    body: bytes = b""
    type: str = "text/plain; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Rooms(Protocol):
    """Rooms and stored races, as the routes use them."""

    def health(self) -> Mapping[str, Any]:
        """Return the server's state for `/healthz`."""
        ...

    def public_rooms(self) -> Sequence[Mapping[str, Any]]:
        """Return the rooms that anyone may see."""
        ...

    def listing(self, code: str) -> Mapping[str, Any] | None:
        """Return an open room, or None."""
        ...

    def series(self, code: str) -> Series:
        """Return the series of an open room."""
        ...

    async def races(
        self, room: str | None, before: str | None, *, public_only: bool, limit: int
    ) -> Sequence[RaceSummary]:
        """Return stored races, the latest first.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        ...

    async def record(self, race_id: str) -> bytes | None:
        """Return a signed race record as JSON, or None.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        ...


class RateLimits(Protocol):
    """Rate limits per client address. Waits are in ms; 0: allowed now."""

    def request_wait(self, peer: str) -> int:
        """Count a request; return how long its address must wait."""
        ...

    def code_wait(self, peer: str) -> int:
        """Return how long this address must wait to try a room code."""
        ...

    def wrong_code(self, peer: str) -> None:
        """Count a room code that does not exist."""
        ...


class Routes:
    """Answers all requests except those for the WebSocket.

    Args:
        page: URL path -> file of the web page.
        rooms: rooms and races.
        host_check: accepted hosts and origins.
        rate_limits: limits per address.
        metrics: returns the content type and body of `/metrics`.
        links: room code -> links to that room, the best first.
        operator_token: who sends it may see private data.
        operator_view: returns the server's set-up, for `sliderace doctor`.
        base: path under which clients reach us, such as ``/race``; empty: the root. The
            root is answered too, because a proxy may strip the path.
    """

    def __init__(
        self,
        page: Mapping[str, Asset],
        rooms: Rooms,
        host_check: HostCheck,
        rate_limits: RateLimits,
        metrics: Callable[[], tuple[str, bytes]],
        links: Callable[[str], Sequence[str]],
        operator_token: str,
        operator_view: Callable[[], Awaitable[Mapping[str, Any]]],
        base: str = "",
    ) -> None:
        self._page = page
        self._rooms = rooms
        self._host_check = host_check
        self._rate_limits = rate_limits
        self._metrics = metrics
        self._links = links
        self._operator_view = operator_view
        self._operator = f"Bearer {operator_token}".encode()
        self._base = base

    async def answer(self, request: Request) -> Answer | None:
        """Return the answer; None: the request may become a WebSocket."""
        if wait := self._rate_limits.request_wait(request.peer):
            return _too_many("http.too_many_requests", wait)
        if not self._host_check.accepts_host(request.host):
            return message(421, "http.wrong_host")
        if not self._host_check.accepts_origin(request.origin, request.host):
            return message(403, "http.wrong_origin")
        path, _, query = request.target.partition("?")
        if self._base and path == self._base:  # or relative links would be wrong
            return Answer(308, headers={"Location": f"{path}/"})
        path = self._strip_base(path)
        if path == WEBSOCKET_PATH:
            return None
        if request.method not in ("GET", "HEAD"):
            return message(405, "http.wrong_method", {"Allow": "GET, HEAD"})
        try:
            return await self._route(request, unquote(path), query)
        except StorageUnavailable:
            return message(503, "http.storage_unavailable")

    def _is_operator(self, request: Request) -> bool:
        """Return whether a request has the operator's token.

        An address would not do: it may be that of a proxy.
        """
        given = request.authorization.encode(errors="replace")
        return hmac.compare_digest(given, self._operator)

    def _strip_base(self, path: str) -> str:
        """Return a path without the base path, if it has it."""
        has_base = self._base and path.startswith(f"{self._base}/")
        return path.removeprefix(self._base) if has_base else path

    async def _route(self, request: Request, path: str, query: str) -> Answer:
        match path.split("/")[1:]:
            case ["healthz"]:
                health = {**self._rooms.health()}
                if self._is_operator(request):
                    health["operator"] = await self._operator_view()
                return _json(health, 503 if health["status"] == "stopping" else 200)
            case ["metrics"]:
                kind, body = self._metrics()
                return Answer(200, body, kind, {"Cache-Control": "no-store"})
            case ["api", "rooms"]:
                return _json({"rooms": list(self._rooms.public_rooms())})
            case ["api", "rooms", code, *rest] if rest in _OF_A_ROOM:
                return self._room(request, code, *rest)
            case ["api", "races"]:
                return await self._races(request, query)
            case ["api", "races", race_id]:
                return await self._record(race_id)
            case ["replay", race_id] if RACE_ID.fullmatch(race_id):
                # Relative, so that it works under any base path.
                location = {"Location": f"../?replay={race_id}"}
                return Answer(302, headers=location | {"Cache-Control": "no-cache"})
            case _:
                return self._file(request, path)

    def _file(self, request: Request, path: str) -> Answer:
        status = 200
        if path == "/" or parse_code(path[1:]):
            path = INDEX
        elif path not in self._page and _MISTYPED.fullmatch(path):
            path, status = INDEX, 404  # the page shows the error
        if (asset := self._page.get(path)) is None:
            return message(404, "http.not_found")
        # Revalidated on each use, so that a new release is seen at once.
        headers = {"ETag": asset.etag, "Cache-Control": "no-cache"}
        headers["Content-Security-Policy"] = self.policy(request.host)
        headers["Vary"] = "Accept-Encoding"
        if self._host_check.public.startswith("https:"):
            # Over plain HTTP browsers ignore it and log a warning.
            headers["Cross-Origin-Opener-Policy"] = "same-origin"
        if request.etag == asset.etag and status == 200:
            return Answer(304, b"", asset.type, headers)
        if request.gzip and asset.gzipped:
            headers["Content-Encoding"] = "gzip"
            return Answer(status, asset.gzipped, asset.type, headers)
        return Answer(status, asset.body, asset.type, headers)

    def policy(self, host: str) -> str:
        """Return the page's content security policy.

        Args:
            host: the Host header, which `HostCheck` has accepted. In some browsers
                ``'self'`` does not include WebSockets of the own host, so it is named.
        """
        connect = (
            f"'self' ws://{host} wss://{host}" if _is_header_safe(host) else "'self'"
        )
        return POLICY.format(connect=connect)

    def _room(self, request: Request, code_text: str, part: str = "") -> Answer:
        if wait := self._rate_limits.code_wait(request.peer):
            return _too_many("refusal.too_many_tries", wait)
        code = parse_code(code_text)
        found = self._rooms.listing(code) if code else None
        if found is None:
            self._rate_limits.wrong_code(request.peer)
            return _json({"error": "room_unknown"}, 404)
        if not part:
            return _json({**found, "links": list(self._links(found["code"]))})
        series = self._rooms.series(found["code"])
        if part == "series":
            return _json(as_json(series))
        name = f'attachment; filename="{found["code"]}-series.csv"'
        headers = {"Content-Disposition": name, "Cache-Control": "no-store"}
        body = as_csv(series).encode("utf-8-sig")  # or Excel would guess the encoding
        return Answer(200, body, "text/csv; charset=utf-8", headers)

    async def _races(self, request: Request, query: str) -> Answer:
        parameters = {key: values[-1] for key, values in parse_qs(query).items()}
        room = None
        if "room" in parameters:
            room = parse_code(parameters["room"])
            if room is None:
                return _json({"error": "bad_code"}, 400)
            if wait := self._rate_limits.code_wait(request.peer):
                return _too_many("refusal.too_many_tries", wait)
        # A private room's code is its key: without it, only the operator may see them.
        public_only = room is None and not self._is_operator(request)
        races = await self._rooms.races(
            room, parameters.get("before"), public_only=public_only, limit=PAGE_SIZE
        )
        if room is not None and not races and not self._rooms.listing(room):
            self._rate_limits.wrong_code(request.peer)
        return _json(races_listing(races))

    async def _record(self, race_id: str) -> Answer:
        record = await self._rooms.record(race_id)
        if record is None:
            return _json({"error": "race_unknown"}, 404)
        name = f'attachment; filename="{_filename(race_id)}.json"'
        headers = {"Content-Disposition": name, "Cache-Control": "no-cache"}
        return Answer(200, record, "application/json", headers)


def message(status: int, key: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Return a plain-text answer with a text of the catalogue."""
    return Answer(status, f"{text(key)}\n".encode(), headers=headers or {})


def _too_many(key: str, wait_ms: int) -> Answer:
    return message(429, key, {"Retry-After": str(-(-wait_ms // 1_000))})


def races_listing(races: Sequence[RaceSummary]) -> dict[str, Any]:
    """Return the answer of `/api/races`, as JSON values."""
    return {"races": [_summary(race) for race in races]}


def _summary(race: RaceSummary) -> dict[str, Any]:
    return {
        "id": race.id,
        "room": race.room,
        "started_ms": race.started_ms,
        "size": race.size,
        "public": race.public,
        "record": f"/api/races/{race.id}",
        "attempts": [
            {
                "seat": row.seat,
                "name": row.name,
                "status": row.status,
                "place": row.place,
                "time_ms": row.time_ms,
                "stm": row.stm,
                "mtm": row.mtm,
                "bot": row.bot,
            }
            for row in race.attempts
        ],
    }


def _json(value: Mapping[str, Any], status: int = 200) -> Answer:
    body = json.dumps(value, separators=(",", ":")).encode()
    headers = {"Cache-Control": "no-store"}
    return Answer(status, body, "application/json", headers)


def _filename(race_id: str) -> str:
    return "".join(c for c in race_id if c.isascii() and (c.isalnum() or c == "-"))


def _is_header_safe(host: str) -> bool:
    return bool(host) and all(
        c.isascii() and (c.isalnum() or c in ".-:[]") for c in host
    )
