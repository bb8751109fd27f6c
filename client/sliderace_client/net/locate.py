"""Find the server of a room, from what people type.

``KWX-TRB`` alone is looked up at the given server, or else on this machine, in the
local network and on the server used last. ``KWX-TRB@host:port`` and links name it.
"""

import asyncio
import json
import shlex
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from sliderace.protocol.room_code import format_code, parse_code
from sliderace.texts import text
from sliderace_client.net.http import Unreachable, has_room
from sliderace_client.shared_ui.settings import data_dir, last_server

__all__ = [
    "DEFAULT_PORT",
    "EVERYWHERE",
    "NotFound",
    "Place",
    "ServerFile",
    "find",
    "is_loopback",
    "join_command",
    "local_addresses",
    "operator_token",
    "parse",
    "read_server_file",
    "server_address",
]

DEFAULT_PORT = 8710
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to
"""Addresses that stand for all of this machine's."""


class NotFound(LookupError):
    """There is no such room or address; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Place:
    """A room on a server.

    Args:
        server: base address, ``http://host:port``; empty: not known yet.
        code: six letters.
    """

    server: str
    code: str


def server_address(typed: str) -> str:
    """Return the base address that a text means.

    >>> server_address("192.0.2.7"), server_address("https://race.example.org/")
    ('http://192.0.2.7:8710', 'https://race.example.org')

    Raises:
        NotFound: the text is no address.
    """
    full = typed if "://" in typed else f"http://{typed}"
    bad = NotFound(text("error.bad_address", typed=repr(typed)))
    try:
        parts = urlsplit(full)
        port = parts.port
    except ValueError:
        raise bad from None
    schemes = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
    if not parts.hostname or parts.scheme not in schemes or parts.username:
        raise bad
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is None and "://" not in typed:
        port = DEFAULT_PORT
    path = parts.path.rstrip("/")
    suffix = "" if port is None else f":{port}"
    return f"{schemes[parts.scheme]}://{host}{suffix}{path}"


def parse(typed: str) -> Place:
    """Read ``CODE``, ``CODE@HOST[:PORT]`` or a link.

    >>> parse("kwx-trb@192.0.2.7")
    Place(server='http://192.0.2.7:8710', code='KWXTRB')
    >>> parse("https://race.example.org/KWXTRB")
    Place(server='https://race.example.org', code='KWXTRB')

    Raises:
        NotFound: it is none of these.
    """
    room, server = typed.strip(), ""
    if "@" in room:
        room, _, address = room.partition("@")
        server = server_address(address)
    elif "/" in room:
        link = room if "://" in room else f"http://{room}"
        base, _, room = link.split("?")[0].split("#")[0].rstrip("/").rpartition("/")
        server = server_address(base)
    code = parse_code(room)
    if code is None:
        raise NotFound(text("error.bad_code", typed=f"{room!r:.60}"))
    return Place(server, code)


def join_command(link: str, name: str = "") -> str:
    """Return the command that enters the room of a link from anywhere.

    >>> join_command("http://192.0.2.7:8710/KWXTRB")
    'sliderace join KWXTRB@192.0.2.7:8710'
    >>> join_command("https://race.example.org/KWXTRB", "Keen Lynx")
    "sliderace join https://race.example.org/KWXTRB --name 'Keen Lynx'"
    """
    parts = urlsplit(link)
    plain = parts.scheme == "http" and parts.path.count("/") == 1 and parts.port
    where = f"{parts.path[1:]}@{parts.netloc}" if plain else link
    words = ["sliderace", "join", where, *(("--name", name) if name else ())]
    return shlex.join(words)


async def find(typed: str, server: str = "", first: str = "") -> Place:
    """Return the room's place on the server that has it.

    Args:
        typed: what the user typed; see `parse`.
        server: where to look, and only there; empty: see this module.
        first: where to look before everywhere else; empty: nowhere.

    Raises:
        NotFound: no server has it, or the text is no code.
    """
    place = parse(typed)
    if place.server or server:
        base = place.server or server_address(server)
        if await _ask(base, place.code) is False:
            code = format_code(place.code)
            raise NotFound(text("error.no_room_there", server=base, code=code))
        return Place(base, place.code)
    if first and await _has(base := server_address(first), place.code):
        return Place(base, place.code)
    for look in (_on_this_machine, _on_the_network, _used_last):
        if found := await look(place.code):
            return Place(found, place.code)
    code = format_code(place.code)
    raise NotFound(text("error.no_room", code=code, letters=place.code))


async def _ask(server: str, code: str) -> bool | None:
    try:
        return await asyncio.to_thread(has_room, server, code)
    except Unreachable as error:
        raise NotFound(str(error)) from None


async def _has(server: str, code: str) -> bool:
    """Whether a server has the room; False if it cannot be reached."""
    try:
        return await _ask(server, code) is True
    except NotFound:
        return False


async def _on_this_machine(code: str) -> str | None:
    for server in await asyncio.to_thread(local_addresses):
        if await _has(server, code):
            return server
    return None


async def _on_the_network(code: str) -> str | None:
    from sliderace_client.net.mdns import find_server  # noqa: PLC0415 - slow to load

    found = await find_server(lambda address: _has(f"http://{address}", code))
    return f"http://{found}" if found else None


async def _used_last(code: str) -> str | None:
    server = await asyncio.to_thread(last_server)
    return server if server and await _has(server, code) else None


def is_loopback(bind: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(bind).is_loopback
    except ValueError:
        return bind == "localhost"


@dataclass(frozen=True, slots=True)
class ServerFile:
    """A server's file about itself; the server may have ended long ago.

    Args:
        port: where it listens.
        bind: on which address; empty: unknown.
        url: the address by which others reach it, as far as it knows.
        operator_token: shows us what is private.
    """

    port: int
    bind: str = ""
    url: str = ""
    operator_token: str = ""

    @property
    def base(self) -> str:
        """Its base address for this machine."""
        if self.bind in ("", "localhost", *EVERYWHERE):
            return f"http://127.0.0.1:{self.port}"
        return server_address(
            f"[{self.bind}]:{self.port}"
            if ":" in self.bind
            else f"{self.bind}:{self.port}"
        )


def read_server_file(folder: Path | None = None) -> ServerFile | None:
    """Read ``server.json``; return None if there is none, or if it makes no sense."""
    path = (folder or data_dir()) / "server.json"
    try:
        found = json.loads(path.read_text("utf-8"))
        others = [str(found.get(n, "")) for n in ("bind", "url", "operator_token")]
        return ServerFile(int(found["port"]), *others)
    except (
        OSError,
        ValueError,
        ArithmeticError,
        LookupError,
        RecursionError,
        TypeError,
        AttributeError,
    ):
        return None


def operator_token(server: str, folder: Path | None = None) -> str:
    """Return the operator's token of a server of ours; empty if it is not ours."""
    known, parts = read_server_file(folder), urlsplit(server)
    here = known is not None and (
        known.base == server.rstrip("/")
        or (parts.port == known.port and is_loopback(parts.hostname or ""))
    )
    return known.operator_token if known and here else ""


def local_addresses(folder: Path | None = None) -> list[str]:
    """Return where a server of ours may run on this machine, the likeliest first."""
    addresses = [f"http://127.0.0.1:{DEFAULT_PORT}"]
    if (server := read_server_file(folder)) and server.base not in addresses:
        addresses.insert(0, server.base)
    return addresses
