"""Blocking calls, which the app runs in threads."""

import re
from collections.abc import Callable
from typing import Any, TypeGuard, cast
from urllib.parse import urlsplit

from sliderace.protocol.messages import RulesPatch
from sliderace.texts import text
from sliderace_client.launch import Start
from sliderace_client.local_server import (
    AlreadyRunning,
    OwnServer,
    WaitingRoom,
    links,
    open_room,
    running_server,
    soon_running_server,
    waiting_room,
)
from sliderace_client.net.http import Unreachable, get
from sliderace_client.net.locate import (
    NotFound,
    ServerFile,
    is_loopback,
    read_server_file,
    server_address,
)
from sliderace_client.race_records import PastRaces, Unreadable, listed_races
from sliderace_client.shared_ui.settings import Settings, last_server, remember_server

__all__ = [
    "RoomOpener",
    "only_here",
    "past_races",
    "room_links",
    "usual_server",
    "waiting",
]

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

    def open(
        self, name: str, size: str, settings: Settings, room: str | None = None
    ) -> Start | WaitingRoom:
        """Open a room.

        Args:
            name: nickname.
            size: of the board.
            settings: the user's.
            room: code of one that is open already; empty: a new one; None: a new one,
                unless others wait for us in an old one.

        Returns:
            How to enter it, or the old one.

        Raises:
            HostError: the server cannot be started, or refuses the room.
        """
        base = self._running()
        server = self._server
        where = server.described if server else read_server_file() or ServerFile(0)
        if room is None and (waiting := waiting_room(base)):
            return waiting
        code = room or open_room(base, RulesPatch(size=size))
        remember_server(base)
        found = tuple(links(base, code, where.bind, where.url))
        ends = self._server is not None
        return Start(
            "host",
            base,
            code,
            name,
            links=found,
            settings=settings,
            named=not room,
            ends=ends,
        )

    def server(self, typed: str) -> tuple[str, bool]:
        """Return a server to race on, and whether it ends with us.

        Args:
            typed: its address; empty: the one of this machine, which is started if it
                does not run.

        Raises:
            HostError: it cannot be started.
            NotFound: that is not an address.
        """
        base = server_address(typed) if typed else self._running()
        return base, self._server is not None and base == self._server.base

    def _running(self) -> str:
        """Return the address of a server of this user, and start one if there is none.

        Raises:
            HostError: it cannot be started.
        """
        if self._server is not None:
            return self._server.base
        if base := running_server():
            return base
        try:
            return self._start_server().base
        except AlreadyRunning:
            if base := soon_running_server():
                return base
            raise

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


def waiting() -> WaitingRoom | None:
    """Return a room where others wait for us, on our server or on the one used last."""
    servers = dict.fromkeys([running_server() or "", last_server()])
    rooms = (waiting_room(server) for server in servers if server)
    return next((room for room in rooms if room), None)


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


def usual_server(typed: str) -> str:
    """Return the base address of a server to ask; empty: none is known.

    Args:
        typed: address in the settings; empty: that of this machine, if it runs, or the
            one used last.
    """
    try:
        return server_address(typed) if typed else running_server() or last_server()
    except NotFound:
        return ""
