"""Which worker gets a connection, as its request says."""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from sliderace.protocol.room_code import RoomCode
from sliderace_server.http.routes import room_of
from sliderace_server.limits import client_key
from sliderace_server.storage.placement import worker_of

__all__ = ["MAX_TARGET", "Head", "parse_head", "worker_for"]


FORWARDED = "x-forwarded-for"
NAMES = re.compile(r"\r\n([^\r\n:]*):")
MAX_HEADERS = 128
"""In a head; a worker refuses more."""
MAX_LINES = MAX_HEADERS + 1
MAX_TARGET = 512
"""Characters. A longer target names no room; to parse it would take milliseconds, in
which nobody could connect."""
MAX_TARGETS = 1_024
"""Remembered: all members of a room request the same one."""


class Head(NamedTuple):
    """The head of an HTTP request.

    Attributes:
        target: path and query.
        headers: the names of its headers.
        forwarded: its X-Forwarded-For headers.
    """

    target: str
    headers: list[str]
    forwarded: list[str]


def parse_head(head: bytes) -> Head:
    r"""Return the parts of a head that routing needs; a worker refuses a malformed one.

    >>> parse_head(b"GET /ws HTTP/1.1\r\nX-Forwarded-For: 1.2.3.4")
    Head(target='/ws', headers=['x-forwarded-for'], forwarded=['1.2.3.4'])
    """
    text = head.decode("latin-1")
    _, _, rest = text.partition("\r\n")[0].partition(" ")
    names = NAMES.findall(text.lower())[:MAX_HEADERS]
    forwarded = []
    if FORWARDED in names:  # rarely, so that a request without a proxy is cheap
        lines = (line.partition(":") for line in text.split("\r\n", MAX_LINES))
        forwarded = [
            value.strip() for name, _, value in lines if name.lower() == FORWARDED
        ]
    return Head(rest.rpartition(" ")[0] or rest, names, forwarded)


def worker_for(target: str, base: str, address: str, workers: int) -> int:
    """Return the index of the worker that gets a request.

    Requests for a room go to its worker. All other requests from one address go to the
    same worker, because most limits apply to each worker.

    Args:
        target: path and query.
        base: the path under which clients reach the server; a proxy may strip it.
        address: the client's.
        workers: how many there are.
    """
    code = _room_in(target, base) if len(target) <= MAX_TARGET else None
    return worker_of(code or client_key(address), workers)


@lru_cache(MAX_TARGETS)
def _room_in(target: str, base: str) -> RoomCode | None:
    """Return the room that a target names."""
    path, _, query = target.partition("?")
    if base and path.startswith(f"{base}/"):
        path = path.removeprefix(base)
    return room_of(unquote(path), query)
