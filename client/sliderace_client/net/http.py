"""Plain HTTP requests to a server: is it there, and does it have a room?

Blocking but short; coroutines call them in a thread.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import cast
from urllib.parse import urlsplit

from sliderace.texts import text

__all__ = ["Reply", "Unreachable", "features", "get", "has_room", "is_live", "reason"]

MAX_BYTES = 16 * 1024 * 1024
"""A race record with 16 racers of 20,000 slides each is well below."""


class Unreachable(OSError):
    """No sliderace server answered at that address; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Args:
        status: HTTP status.
        body: as sent.
    """

    status: int
    body: bytes

    def json(self) -> object:
        """Return the body as JSON; None if it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


def get(server: str, path: str, timeout: float = 3.0, token: str = "") -> Reply:
    """Request `path` from `server`; no redirections, no proxies.

    Args:
        server: base address, ``http://host:port``.
        path: begins with ``/``.
        timeout: seconds for each step.
        token: the operator's token, for what is private.

    Raises:
        Unreachable: no answer came, or too long a one.
    """
    parts = urlsplit(server)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        connection = kind(parts.hostname or "", parts.port, timeout=timeout)
        try:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            connection.request("GET", parts.path.rstrip("/") + path, headers=headers)
            answer = connection.getresponse()
            body = answer.read(MAX_BYTES + 1)
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        why = text("error.unreachable", server=server, why=reason(error))
        raise Unreachable(why) from None
    if len(body) > MAX_BYTES:
        raise Unreachable(text("error.too_long", server=server))
    return Reply(answer.status, body)


def reason(error: BaseException) -> str:
    """Return why a connection failed, in a few words, mostly the system's."""
    if isinstance(error, TimeoutError):
        return text("error.no_answer")
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__


def is_live(server: str, timeout: float = 1.0) -> bool:
    """Whether a sliderace server answers there."""
    try:
        health = get(server, "/healthz", timeout)
    except Unreachable:
        return False
    return health.status == 200 and isinstance(health.json(), Mapping)


def features(server: str, timeout: float = 2.0) -> frozenset[str]:
    """Return what a server can do beyond the first set of the protocol.

    Raises:
        Unreachable: no sliderace server answered.
    """
    health = get(server, "/healthz", timeout).json()
    if not isinstance(health, Mapping):
        why = text("error.not_sliderace")
        raise Unreachable(text("error.unreachable", server=server, why=why))
    listed = cast("Mapping[str, object]", health).get("features")
    names = cast("list[object]", listed) if isinstance(listed, list) else []
    return frozenset(name for name in names if isinstance(name, str))


def has_room(server: str, code: str, timeout: float = 2.0) -> bool | None:
    """Return whether `server` has that room; None if its answer does not say.

    Raises:
        Unreachable: no answer came.
    """
    status = get(server, f"/api/rooms/{code}", timeout).status
    return {200: True, 404: False}.get(status)
