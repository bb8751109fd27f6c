"""Plain HTTP questions to a server: is it there, has it that room, what was raced.

Blocking, and short: coroutines ask from a thread.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

__all__ = ["Reply", "Unreachable", "get", "has_room", "is_live"]

MAX_BYTES = 16 * 1024 * 1024
"""A record of 16 racers with 20,000 slides each is well below."""


class Unreachable(OSError):
    """No answer of a sliderace server came from that address."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Args:
        status: of HTTP.
        body: as sent.
    """

    status: int
    body: bytes

    def json(self) -> object:
        """The body as JSON; None where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


def get(server: str, path: str, timeout: float = 3.0) -> Reply:
    """Ask `server` for `path`; redirections are not followed, proxies not used.

    Args:
        server: base address, ``http://host:port``.
        path: begins with ``/``.
        timeout: seconds for each step.

    Raises:
        Unreachable: no answer came.
    """
    parts = urlsplit(server)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        connection = kind(parts.hostname or "", parts.port, timeout=timeout)
        try:
            connection.request("GET", parts.path.rstrip("/") + path)
            answer = connection.getresponse()
            body = answer.read(MAX_BYTES + 1)
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        raise Unreachable(f"cannot reach {server}: {reason(error)}") from None
    if len(body) > MAX_BYTES:
        raise Unreachable(f"{server} sent too much")
    return Reply(answer.status, body)


def reason(error: BaseException) -> str:
    """Why something failed, in a few words."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
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


def has_room(server: str, code: str, timeout: float = 2.0) -> bool | None:
    """Whether `server` has that room; None where it cannot be told.

    Raises:
        Unreachable: no answer came.
    """
    status = get(server, f"/api/rooms/{code}", timeout).status
    return {200: True, 404: False}.get(status)
