"""What the program does outside of its screen; blocking, so done in threads."""

import re
from collections.abc import Callable
from typing import Any, TypeGuard, cast
from urllib.parse import urlsplit

from sliderace.protocol.messages import RulesPatch
from sliderace_client.launch import Start
from sliderace_client.local_server import OwnServer, links, open_room, running
from sliderace_client.net.http import Unreachable, get
from sliderace_client.net.locate import Noted, is_loopback, noted
from sliderace_client.race_records import Unreadable, races_lines
from sliderace_client.shared_ui.settings import Settings, last_server, remember_server

__all__ = ["Host", "only_here", "past_races", "room_links"]

MAX_LINKS, MAX_LINK = 8, 200
"""More links than a screen shows, and longer than one that is typed."""


class Host:
    """Opens rooms on this machine, on a server of our own if need be.

    Args:
        say: told what the user should know, from another thread.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._server: OwnServer | None = None

    def open(self, name: str, size: str, settings: Settings) -> Start:
        """Open a room; how to enter it.

        Raises:
            HostError: the server or the room cannot be had.
        """
        base = None if self._server else running()
        if base is None:
            server = self._server or self._started()
            base, where = server.base, server.noted
        else:
            where = noted() or Noted(0)
        code = open_room(base, RulesPatch(size=size))
        remember_server(base)
        found = tuple(links(base, code, where.bind, where.url))
        return Start("host", base, code, name, links=found, settings=settings)

    def _started(self) -> OwnServer:
        server = OwnServer(say=self._say, on_failure=self._failed)
        server.start()
        self._server = server
        return server

    def _failed(self) -> None:
        if self._server is not None:
            self._say(self._server.failure)

    def close(self) -> None:
        """Stop the server, if one was started."""
        if self._server is not None:
            self._server.stop()


def only_here(address: str) -> bool:
    """Whether an address or link leads to this machine from this machine alone.

    >>> only_here("http://127.0.0.1:8710/KWXTRB"), only_here("http://192.0.2.7:8710")
    (True, False)
    """
    return is_loopback(urlsplit(address).hostname or "")


def room_links(server: str, code: str) -> tuple[str, ...]:
    """Where others find the room, as its server says, best first; none: nowhere."""
    try:
        body = get(server, f"/api/rooms/{code}").json()
    except Unreachable:
        return ()
    told = cast("dict[str, Any]", body).get("links") if isinstance(body, dict) else None
    listed = cast("list[object]", told) if isinstance(told, list) else []
    found = [link for link in listed if _is_link(link)]
    return tuple(found[:MAX_LINKS])


def _is_link(text: object) -> TypeGuard[str]:
    """Whether a stranger's value is a link that can be shown and typed."""
    return (
        isinstance(text, str)
        and len(text) <= MAX_LINK
        and re.fullmatch(r"https?://[!-~]+", text) is not None
    )


def past_races() -> list[str]:
    """The races stored on this machine's server, else on the one used last; lines."""
    server = running() or last_server()
    if not server:
        return ["There is no server here, and none was used before."]
    try:
        return races_lines(server)
    except (Unreachable, Unreadable) as error:
        return [str(error)]
