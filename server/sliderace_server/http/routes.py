"""Plain HTTP on the race's port: the page, its files, results, health and figures.

Requests and answers here are data; the gateway turns them into what its library wants.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qs, unquote

from sliderace.protocol.room_code import parse_code
from sliderace_server.http.assets import INDEX, Asset
from sliderace_server.http.host_check import HostCheck
from sliderace_server.storage import RaceSummary, StorageUnavailable

__all__ = ["SOCKET", "Answer", "Inside", "Request", "Routes"]

SOCKET = "/ws"
"""Where the race itself is spoken."""
PAGE_SIZE = 50
"""Races in one answer of `/api/races`."""
RACE_ID = re.compile(r"[A-Z0-9-]{1,32}", re.ASCII)
"""What may stand in the address of a replay."""

SECURITY: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Sent with every answer: no guessing of types, no link of a room told to others."""
_MISTYPED = re.compile("/[A-Za-z0-9-]{1,32}")
"""What was meant to be the link of a room, perhaps."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src {connect}; worker-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A page that was tricked into holding a script would still not run it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, as far as it matters.

    Args:
        method: in capitals.
        target: path and query as sent.
        host: the Host header, or empty.
        origin: the Origin header, or None.
        peer: address of the client.
        local: it comes from this very machine, through no proxy.
        etag: the If-None-Match header, or empty.
        packs: it understands gzip.
    """

    method: str
    target: str
    host: str = ""
    origin: str | None = None
    peer: str = ""
    local: bool = False
    etag: str = ""
    packs: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; HEAD gets the same without the body."""

    status: int
    body: bytes = b""
    type: str = "text/plain; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Inside(Protocol):
    """What the site asks about rooms and races."""

    def health(self) -> Mapping[str, Any]:
        """The server's state for `/healthz`."""
        ...

    def public_rooms(self) -> Sequence[Mapping[str, Any]]:
        """Rooms that anybody may see."""
        ...

    def listing(self, code: str) -> Mapping[str, Any] | None:
        """A live room, or None."""
        ...

    async def races(
        self, room: str | None, before: str | None, *, public_only: bool, limit: int
    ) -> Sequence[RaceSummary]:
        """Stored races, the latest first.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        ...

    async def record(self, race_id: str) -> bytes | None:
        """A race's signed record as JSON, or None.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        ...


class Tries(Protocol):
    """Bounds what one address may ask."""

    def page(self, peer: str) -> int:
        """0: this address may have another answer, else in how many ms."""
        ...

    def may_try(self, peer: str) -> int:
        """0: this address may try another room code, else in how many ms."""
        ...

    def failed(self, peer: str) -> None:
        """This address named a room that does not exist."""
        ...


class Routes:
    """Answers every request that is not for the race's socket.

    Args:
        page: the page's files.
        inside: rooms and races.
        host_check: names and origins that are let in.
        tries: bounds per address.
        metrics: content type and body of `/metrics`.
        links: a room's code -> where people find it, the best first.
        base: path below which people find us, such as ``/race``; empty: the root.
            A proxy may take it away or leave it, so the root answers as well.
    """

    def __init__(
        self,
        page: Mapping[str, Asset],
        inside: Inside,
        host_check: HostCheck,
        tries: Tries,
        metrics: Callable[[], tuple[str, bytes]],
        links: Callable[[str], Sequence[str]],
        base: str = "",
    ) -> None:
        self._page = page
        self._inside = inside
        self._host_check = host_check
        self._tries = tries
        self._metrics = metrics
        self._links = links
        self._base = base

    async def answer(self, request: Request) -> Answer | None:
        """The answer, or None where the race's socket is wanted and allowed."""
        if wait := self._tries.page(request.peer):
            return _too_many("Too many requests.", wait)
        if not self._host_check.knows_host(request.host):
            return Answer(421, b"This server has another name.\n")
        if not self._host_check.knows_origin(request.origin, request.host):
            return Answer(403, b"Pages of other sites may not do that.\n")
        path, _, query = request.target.partition("?")
        if self._base and path == self._base:  # what is relative would go astray
            return Answer(308, headers={"Location": f"{path}/"})
        path = self._below(path)
        if path == SOCKET:
            return None
        if request.method not in ("GET", "HEAD"):
            return Answer(405, b"Only GET and HEAD.\n", headers={"Allow": "GET, HEAD"})
        try:
            return await self._route(request, unquote(path), query)
        except StorageUnavailable:
            return Answer(503, b"The storage cannot be read.\n")

    def _below(self, path: str) -> str:
        """A path without the base, if it has it."""
        below = self._base and path.startswith(f"{self._base}/")
        return path.removeprefix(self._base) if below else path

    async def _route(self, request: Request, path: str, query: str) -> Answer:
        match path.split("/")[1:]:
            case ["healthz"]:
                health = self._inside.health()
                return _json(health, 503 if health["status"] == "stopping" else 200)
            case ["metrics"]:
                kind, body = self._metrics()
                return Answer(200, body, kind, {"Cache-Control": "no-store"})
            case ["api", "rooms"]:
                return _json({"rooms": list(self._inside.public_rooms())})
            case ["api", "rooms", code]:
                return self._room(request, code)
            case ["api", "races"]:
                return await self._races(request, query)
            case ["api", "races", race_id]:
                return await self._record(race_id)
            case ["replay", race_id] if RACE_ID.fullmatch(race_id):
                # Relative, so that it holds below any path; there the page's own
                # relative links hold, too.
                there = {"Location": f"../?replay={race_id}"}
                return Answer(302, headers=there | {"Cache-Control": "no-cache"})
            case _:
                return self._file(request, path)

    def _file(self, request: Request, path: str) -> Answer:
        status = 200
        if path == "/" or parse_code(path[1:]):
            path = INDEX
        elif path not in self._page and _MISTYPED.fullmatch(path):
            path, status = INDEX, 404  # the page says so, and knows the way home
        if (asset := self._page.get(path)) is None:
            return Answer(404, b"There is nothing here.\n")
        # Always asked again, answered from memory: a new release is seen at once.
        headers = {"ETag": asset.etag, "Cache-Control": "no-cache"}
        headers["Content-Security-Policy"] = self.policy(request.host)
        headers["Vary"] = "Accept-Encoding"
        if self._host_check.public.startswith("https:"):
            # Over plain HTTP browsers ignore it and complain to whoever looks.
            headers["Cross-Origin-Opener-Policy"] = "same-origin"
        if request.etag == asset.etag and status == 200:
            return Answer(304, b"", asset.type, headers)
        if request.packs and asset.packed:
            headers["Content-Encoding"] = "gzip"
            return Answer(status, asset.packed, asset.type, headers)
        return Answer(status, asset.body, asset.type, headers)

    def policy(self, host: str) -> str:
        """The page's content security policy.

        Args:
            host: a Host header that `Doors` knows. Some browsers do not count a
                WebSocket of one's own host as ``'self'``, so it is named.
        """
        connect = f"'self' ws://{host} wss://{host}" if _is_plain(host) else "'self'"
        return POLICY.format(connect=connect)

    def _room(self, request: Request, text: str) -> Answer:
        if wait := self._tries.may_try(request.peer):
            return _too_many("Too many wrong codes.", wait)
        code = parse_code(text)
        found = self._inside.listing(code) if code else None
        if found is None:
            self._tries.failed(request.peer)
            return _json({"error": "room_unknown"}, 404)
        return _json({**found, "links": list(self._links(found["code"]))})

    async def _races(self, request: Request, query: str) -> Answer:
        asked = {key: values[-1] for key, values in parse_qs(query).items()}
        room = None
        if "room" in asked:
            room = parse_code(asked["room"])
            if room is None:
                return _json({"error": "bad_code"}, 400)
            if wait := self._tries.may_try(request.peer):
                return _too_many("Too many wrong codes.", wait)
        # A private room's code is its key: without it only whoever sits at this
        # machine sees that room's races.
        public_only = room is None and not request.local
        races = await self._inside.races(
            room, asked.get("before"), public_only=public_only, limit=PAGE_SIZE
        )
        if room is not None and not races and self._inside.listing(room) is None:
            self._tries.failed(request.peer)
        return _json({"races": [_summary(race) for race in races]})

    async def _record(self, race_id: str) -> Answer:
        record = await self._inside.record(race_id)
        if record is None:
            return _json({"error": "race_unknown"}, 404)
        name = f'attachment; filename="{_filename(race_id)}.json"'
        headers = {"Content-Disposition": name, "Cache-Control": "no-cache"}
        return Answer(200, record, "application/json", headers)


def _too_many(text: str, wait_ms: int) -> Answer:
    headers = {"Retry-After": str(-(-wait_ms // 1_000))}
    return Answer(429, f"{text}\n".encode(), headers=headers)


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


def _is_plain(host: str) -> bool:
    return bool(host) and all(
        c.isascii() and (c.isalnum() or c in ".-:[]") for c in host
    )
