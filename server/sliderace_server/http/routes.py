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

from sliderace.protocol.room_code import RoomCode, parse_code
from sliderace.race.series import Series
from sliderace.texts import text
from sliderace_server.http.assets import INDEX, Asset
from sliderace_server.http.board_query import BadParameter, board_json, board_query
from sliderace_server.http.host_check import HostCheck
from sliderace_server.http.series_export import as_csv, as_json
from sliderace_server.storage import RaceSummary, ResultsStore, StorageUnavailable

__all__ = [
    "SECURITY",
    "WEBSOCKET_PATH",
    "Answer",
    "Profiles",
    "Request",
    "Rooms",
    "Routes",
    "message",
    "races_listing",
    "room_of",
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
_SECRET = re.compile("[0-9a-f]{32}", re.ASCII)
"""The secret of a profile."""
BOARD_COST = 10
"""A leaderboard counts as so many requests, as it takes up to 5 ms."""
EXPORT_COST = 300
"""An export counts as so many requests, as it reads every race of a profile."""
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
    """Open rooms, race records and the daily race, as the routes use them.

    The asynchronous methods may raise `StorageUnavailable`.
    """

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

    async def record(self, race_id: str) -> bytes | None:
        """Return a signed race record as JSON, or None."""
        ...

    async def sealed_ms(self, race_id: str, profile: str | None) -> int:
        """Return for how many more ms a race record is secret; 0: it is not.

        Args:
            race_id: the race.
            profile: who asks; its racers may always read it.
        """
        ...

    async def today(self) -> int:
        """Return today, in days since 1970 in UTC."""
        ...

    async def daily_view(self, profile: str | None) -> Mapping[str, Any]:
        """Return the daily race of today, and what a profile has done in it."""
        ...


class Profiles(Protocol):
    """Profiles, as the routes use them; each method may raise `StorageUnavailable`."""

    async def owner(self, secret: str) -> str | None:
        """Return the public id of the profile with a secret, or None."""
        ...

    async def public(self, profile: str) -> Mapping[str, Any] | None:
        """Return id, name, and bests on leaderboards; None: there is none."""
        ...

    async def own(self, profile: str) -> bytes | None:
        """Return a profile as its owner sees it, as JSON; None: there is none."""
        ...

    async def export(self, profile: str) -> bytes:
        """Return all attempts of a profile and their race records, as a ZIP file."""
        ...


class RateLimits(Protocol):
    """Rate limits per client address. Waits are in ms; 0: allowed now."""

    def request_wait(self, peer: str, cost: int = 1) -> int:
        """Count a request as so many; return how long its address must wait."""
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
        rooms: rooms and race records.
        profiles: the profiles.
        store: the stored races and the leaderboards.
        host_check: accepted hosts and origins.
        rate_limits: limits per address.
        metrics: returns the content type and body of `/metrics`.
        links: room code, or nothing -> links to that room or to the start page, the
            best first.
        operator_token: who sends it may see private data.
        operator_view: returns the server's set-up, for `sliderace doctor`.
        elsewhere: room code, request -> the answer of the process that serves the room;
            None: this process must answer.
        base: path under which clients reach us, such as ``/race``; empty: the root. The
            root is answered too, because a proxy may strip the path.
    """

    def __init__(
        self,
        page: Mapping[str, Asset],
        rooms: Rooms,
        profiles: Profiles,
        store: ResultsStore,
        host_check: HostCheck,
        rate_limits: RateLimits,
        metrics: Callable[[], tuple[str, bytes]],
        links: Callable[[str], Sequence[str]],
        operator_token: str,
        operator_view: Callable[[], Awaitable[Mapping[str, Any]]],
        elsewhere: Callable[[str, Request], Awaitable[Answer | None]],
        base: str = "",
    ) -> None:
        self._page = page
        self._rooms = rooms
        self._profiles = profiles
        self._store = store
        self._host_check = host_check
        self._rate_limits = rate_limits
        self._metrics = metrics
        self._links = links
        self._operator_view = operator_view
        self._elsewhere = elsewhere
        self._operator = operator_token.encode()
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
            code = room_of(unquote(path), query)
            if code and (answer := await self._elsewhere(code, request)):
                return answer
            return await self._route(request, unquote(path), query)
        except StorageUnavailable:
            return message(503, "http.storage_unavailable")

    async def answer_here(self, request: Request) -> Answer:
        """Return the answer to a request that another process has accepted."""
        path, _, query = request.target.partition("?")
        try:
            return await self._route(request, unquote(self._strip_base(path)), query)
        except StorageUnavailable:
            return message(503, "http.storage_unavailable")

    def _is_operator(self, request: Request) -> bool:
        """Return whether a request has the operator's token.

        An address would not do: it may be that of a proxy.
        """
        given = _bearer_token(request).encode(errors="replace")
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
                rooms = list(self._rooms.public_rooms())
                return _json({"rooms": rooms, "links": list(self._links(""))})
            case ["api", "rooms", code, *rest] if rest in _OF_A_ROOM:
                return self._room(request, code, *rest)
            case ["api", "races"]:
                return await self._races(request, query)
            case ["api", "races", race_id]:
                return await self._record(request, race_id)
            case ["api", "profiles", profile]:
                return await self._profile(request, profile)
            case ["api", "profiles", profile, "export"]:
                return await self._export(request, profile)
            case ["api", "boards"]:
                return await self._board(request, query)
            case ["api", "daily"]:
                owner = await self._owner(request)
                return _json(await self._rooms.daily_view(owner))
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
        before = parameters.get("before")
        races = await self._store.results.races(
            room, public_only=public_only, limit=PAGE_SIZE, before=before
        )
        if room is not None and not races and not self._rooms.listing(room):
            self._rate_limits.wrong_code(request.peer)
        return _json(races_listing(races))

    async def _record(self, request: Request, race_id: str) -> Answer:
        record = await self._rooms.record(race_id)
        if record is None:
            return _json({"error": "race_unknown"}, 404)
        owner = await self._owner(request)
        if sealed_ms := await self._rooms.sealed_ms(race_id, owner):
            return _json({"error": "sealed", "retry_ms": sealed_ms}, 403)
        name = f'attachment; filename="{_filename(race_id)}.json"'
        headers = {"Content-Disposition": name, "Cache-Control": "no-cache"}
        return Answer(200, record, "application/json", headers)

    async def _board(self, request: Request, query: str) -> Answer:
        if wait := self._rate_limits.request_wait(request.peer, BOARD_COST):
            return _too_many("http.too_many_requests", wait)
        wanted = board_query(query, await self._rooms.today())
        if isinstance(wanted, BadParameter):
            return _json(wanted.json(), 400)
        owner = await self._owner(request)
        board = await self._store.standings.board(wanted, owner)
        return _json(board_json(wanted, board, owner))

    async def _profile(self, request: Request, profile: str) -> Answer:
        """Return a profile: all of it to its owner, some of it to anyone."""
        if not request.authorization:
            found = await self._profiles.public(profile)
            return _no_profile(404) if found is None else _json(found)
        if await self._owner(request) != profile:
            return _no_profile(403)
        own = await self._profiles.own(profile)
        if own is None:
            return _no_profile(404)
        return Answer(200, own, "application/json", {"Cache-Control": "no-store"})

    async def _export(self, request: Request, profile: str) -> Answer:
        if wait := self._rate_limits.request_wait(request.peer, EXPORT_COST):
            return _too_many("http.too_many_requests", wait)
        if await self._owner(request) != profile:
            return _no_profile(403)
        name = f'attachment; filename="sliderace-{profile}.zip"'
        headers = {"Content-Disposition": name, "Cache-Control": "no-store"}
        body = await self._profiles.export(profile)
        return Answer(200, body, "application/zip", headers)

    async def _owner(self, request: Request) -> str | None:
        """Return the profile whose secret a request contains, or None: a guest."""
        secret = _bearer_token(request)
        return await self._profiles.owner(secret) if _SECRET.fullmatch(secret) else None


def _bearer_token(request: Request) -> str:
    """Return the token of the Authorization header; empty: there is none."""
    scheme, _, token = request.authorization.partition(" ")
    return token.strip(" ") if scheme.lower() == "bearer" else ""  # RFC 9110, 11.1


def room_of(path: str, query: str) -> RoomCode | None:
    """Return the code of the room that a request is about, or None.

    Args:
        path: without the base path, and without escapes.
        query: what follows the question mark.

    >>> room_of("/api/races/KWXTRB-2", ""), room_of("/ws", "room=kwxtrb")
    ('KWXTRB', 'KWXTRB')
    """
    match path.split("/")[1:]:
        case ["api", "rooms", code, *_]:
            return parse_code(code)
        case ["api", "races", race]:
            return parse_code(race.partition("-")[0])
        case ["api", "races"] | ["ws"]:
            rooms = parse_qs(query).get("room", [""])
            return parse_code(rooms[-1])
        case _:
            return None


def message(status: int, key: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Return a plain-text answer with a text of the catalogue."""
    return Answer(status, f"{text(key)}\n".encode(), headers=headers or {})


def _no_profile(status: int) -> Answer:
    return _json({"error": "profile_unknown"}, status)


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
