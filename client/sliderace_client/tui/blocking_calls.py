"""Blocking calls, which the app runs in threads."""

import re
from collections.abc import Callable
from typing import Any, TypeGuard, cast
from urllib.parse import urlsplit

from sliderace.protocol.messages import RulesPatch
from sliderace.texts import text
from sliderace_client.launch import Start
from sliderace_client.local_server import OwnServer, links, open_room, running_server
from sliderace_client.net.http import Unreachable, get
from sliderace_client.net.locate import ServerFile, is_loopback, read_server_file
from sliderace_client.race_records import PastRaces, Unreadable, listed_races
from sliderace_client.shared_ui.settings import Settings, last_server, remember_server

__all__ = ["RoomOpener", "only_here", "past_races", "room_links"]

MAX_LINKS, MAX_LINK = 8, 200
"""More links than a screen shows, and longer than one that people type."""


class RoomOpener:
    """Opens rooms on this machine, and starts a server of our own if there is none.

    Args:
        say: called from another thread with messages for the user.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._server: OwnServer | None = None

    def open(self, name: str, size: str, settings: Settings) -> Start:
        """Open a room.

        Args:
            name: nickname.
            size: of the board.
            settings: the user's.

        Returns:
            How to enter it.

        Raises:
            HostError: the server cannot be started, or refuses the room.
        """
        base = None if self._server else running_server()
        if base is None:
            server = self._server or self._start_server()
            base, where = server.base, server.described
        else:
            where = read_server_file() or ServerFile(0)
        code = open_room(base, RulesPatch(size=size))
        remember_server(base)
        found = tuple(links(base, code, where.bind, where.url))
        ends = self._server is not None
        return Start(
            "host", base, code, name, links=found, settings=settings, ends=ends
        )

    def _start_server(self) -> OwnServer:
        server = OwnServer(say=self._say, on_failure=self._on_failure)
        server.start()
        self._server = server
        return server

    def _on_failure(self) -> None:
        if self._server is not None:
            self._say(self._server.failure)

    def close(self) -> None:
        """Stop the server, if one was started."""
        if self._server is not None:
            self._server.stop()


def only_here(address: str) -> bool:
    """Return whether only this machine reaches an address or link.

    >>> only_here("http://127.0.0.1:8710/KWXTRB"), only_here("http://192.0.2.7:8710")
    (True, False)
    """
    return is_loopback(urlsplit(address).hostname or "")


def room_links(server: str, code: str) -> tuple[str, ...]:
    """Return where others find a room, best first, as its server says; empty: nowhere.

    Args:
        server: base address.
        code: the room's six letters.
    """
    try:
        body = get(server, f"/api/rooms/{code}").json()
    except Unreachable:
        return ()
    value = (
        cast("dict[str, Any]", body).get("links") if isinstance(body, dict) else None
    )
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return tuple([link for link in listed if _is_link(link)][:MAX_LINKS])


def _is_link(value: object) -> TypeGuard[str]:
    """Return whether a value from a server is a link that can be shown and typed."""
    return (
        isinstance(value, str)
        and len(value) <= MAX_LINK
        and re.fullmatch(r"https?://[!-~]+", value) is not None
    )


def past_races() -> PastRaces:
    """Return the races of this machine's server, else of the one used last.

    If neither runs, those in the file of this machine's server are returned.
    """
    why = ""
    for server in dict.fromkeys([running_server() or last_server(), ""]):
        try:
            if races := listed_races(server):
                return PastRaces(races, server)
        except (Unreachable, Unreadable) as error:
            why = why or str(error)
    return PastRaces(why=why or text("races.none"))
