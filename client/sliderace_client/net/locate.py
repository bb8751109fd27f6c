"""Find the server of a room or a race, from what people type.

`read` understands every form of it, wherever it is typed. ``KWX-TRB`` alone is looked
up at the given server, or else on this machine, in the local network and on the server
used last.
"""

import asyncio
import json
import re
import shlex
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from urllib.parse import urlsplit

from sliderace.protocol.room_code import LENGTH as ROOM_CODE, format_code, parse_code
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
    "is_own",
    "join_command",
    "local_addresses",
    "operator_token",
    "parse",
    "read",
    "read_server_file",
    "server_address",
]

DEFAULT_PORT = 8710
_RACE = re.compile(r"[A-Z]+-[A-Z0-9]+-[0-9]+")
_HOST = re.compile(r"[^\s/@?#]+")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to
"""Addresses that stand for all of this machine's."""


class NotFound(LookupError):
    """There is no such room or address; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Place:
    """A server, a room on it or a race in that room, as far as they are known.

    Args:
        server: base address, ``http://host:port``; empty: not known yet.
        code: six letters; empty: no room.
        race: id of a race, such as ``KWXTRB-SA1B2C-3``; empty: none.
    """

    server: str = ""
    code: str = ""
    race: str = ""


def server_address(typed: str) -> str:
    """Return the base address of the server that a text names; see `read`.

    >>> server_address("192.0.2.7"), server_address("https://race.example.org/")
    ('http://192.0.2.7:8710', 'https://race.example.org')
    >>> server_address("KWX-TRB@192.0.2.7:80")
    'http://192.0.2.7:80'

    Raises:
        NotFound: it names none.
    """
    server = read(typed).server
    if not server:
        raise _no_address(typed)
    return server


def parse(typed: str) -> Place:
    """Return the room that a text names; that of a race is the room it was run in.

    >>> parse("kwx-trb@192.0.2.7")
    Place(server='http://192.0.2.7:8710', code='KWXTRB', race='')

    Raises:
        NotFound: it names none.
    """
    is_word = not re.search("[@/:.]", typed)
    place = _named(typed.strip()) if is_word else read(typed)
    if place is None or not place.code:
        raise NotFound(text("error.bad_code", typed=f"{typed.strip()!r:.60}"))
    return place


def read(typed: str) -> Place:
    """Read anything that names a server, a room or a race.

    That is ``HOST``, ``HOST:PORT``, a room's ``CODE``, the id of a race, a code or an
    id with ``@HOST[:PORT]``, or any link to a server, a room, a race or a replay.

    >>> read("https://race.example.org/replay/KWXTRB-SA1B2C-3").race
    'KWXTRB-SA1B2C-3'
    >>> read("localhost:8711")
    Place(server='http://localhost:8711', code='', race='')

    Raises:
        NotFound: it is none of these.
    """
    typed = typed.strip()
    name, at, address = typed.partition("@")
    if at and "/" not in name:
        if (place := _named(name)) is None:
            raise NotFound(text("error.bad_code", typed=f"{name!r:.60}"))
        return replace(place, server=_base(address))
    if "/" not in typed:
        return _named(typed) or Place(_base(typed))
    link = re.sub("(?<![:/])/+$", "", typed.split("?")[0].split("#")[0])
    front, _, last = link.rpartition("/")
    place = None if front.endswith((":", ":/")) else _named(last)
    if place is None:
        return Place(_base(link))
    for folder in _FOLDERS[bool(place.race)]:
        front = front.removesuffix(folder)
    return replace(place, server=_base(front))


_FOLDERS = (("/api/rooms",), ("/replay", "/api/races"))
"""Where the pages of a room and of a race are, below the base address."""


def _named(typed: str) -> Place | None:
    """Return the room or the race that this is the code or the id of."""
    if code := parse_code(typed):
        return Place(code=code)
    race = typed.upper()
    code = parse_code(race[:ROOM_CODE])
    if code and _RACE.fullmatch(race):
        return Place(code=code, race=race)
    return None


def _base(address: str) -> str:
    """Return the base address of `HOST`, `HOST:PORT` or a link to a server."""
    schemes = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
    full = address if "://" in address else f"http://{_bracketed(address)}"
    try:
        parts = urlsplit(full)
        port = parts.port
    except ValueError:
        raise _no_address(address) from None
    host = parts.hostname or ""
    if not _HOST.fullmatch(host) or parts.scheme not in schemes or "@" in parts.netloc:
        raise _no_address(address)
    if ":" in host:  # a link's IPv6 zone has %25 for its % (RFC 6874)
        host = f"[{host.replace('%25', '%')}]"
    if port is None and "://" not in address:
        port = DEFAULT_PORT
    suffix = "" if port is None else f":{port}"
    return f"{schemes[parts.scheme]}://{host}{suffix}{parts.path.rstrip('/')}"


def _bracketed(address: str) -> str:
    """Put an IPv6 address in brackets."""
    try:
        return f"[{IPv6Address(address)}]"
    except ValueError:
        return address


def _no_address(typed: str) -> NotFound:
    return NotFound(text("error.bad_address", typed=f"{typed!r:.60}"))


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
        NotFound: no server has it, or the text is not a code.
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


def is_own(server: str, folder: Path | None = None) -> bool:
    """Return whether this is where a server of ours runs, or would run."""
    parts = urlsplit(server)
    addresses = map(urlsplit, local_addresses(folder))
    return is_loopback(parts.hostname or "") and any(
        parts.port == own.port for own in addresses
    )


def local_addresses(folder: Path | None = None) -> list[str]:
    """Return where a server of ours may run on this machine, the likeliest first."""
    addresses = [f"http://127.0.0.1:{DEFAULT_PORT}"]
    if (server := read_server_file(folder)) and server.base not in addresses:
        addresses.insert(0, server.base)
    return addresses
