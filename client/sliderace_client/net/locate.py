"""Where is that room? From what people type to the server that has it.

``KWX-TRB`` alone is looked for at the given server, else on this machine, else in the
local network, else on the server used last; ``KWX-TRB@host:port`` and links say it.
"""

import asyncio
import json
import shlex
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from sliderace.protocol.room_code import format_code, parse_code
from sliderace_client.net.http import Unreachable, has_room
from sliderace_client.shared_ui.settings import data_dir, last_server

__all__ = [
    "DEFAULT_PORT",
    "EVERYWHERE",
    "NotFound",
    "Noted",
    "Place",
    "find",
    "here",
    "is_loopback",
    "join_command",
    "noted",
    "parse",
    "server_address",
]

DEFAULT_PORT = 8710
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to
"""Addresses that stand for all of this machine's."""


class NotFound(LookupError):
    """There is no such room where we looked; says so, and how to give the address."""


@dataclass(frozen=True, slots=True)
class Place:
    """A room on a server.

    Args:
        server: base address, ``http://host:port``; empty: to be found.
        code: six letters.
    """

    server: str
    code: str


def server_address(text: str) -> str:
    """The base address that somebody means.

    >>> server_address("192.0.2.7"), server_address("https://race.example.org/")
    ('http://192.0.2.7:8710', 'https://race.example.org')

    Raises:
        NotFound: the text is no address.
    """
    full = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(full)
        port = parts.port
    except ValueError:
        raise NotFound(f"{text!r} is not an address") from None
    schemes = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
    if not parts.hostname or parts.scheme not in schemes or parts.username:
        raise NotFound(f"{text!r} is not an address")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is None and "://" not in text:
        port = DEFAULT_PORT
    path = parts.path.rstrip("/")
    suffix = "" if port is None else f":{port}"
    return f"{schemes[parts.scheme]}://{host}{suffix}{path}"


def parse(text: str) -> Place:
    """Read ``CODE``, ``CODE@HOST[:PORT]`` or a link.

    >>> parse("kwx-trb@192.0.2.7")
    Place(server='http://192.0.2.7:8710', code='KWXTRB')
    >>> parse("https://race.example.org/KWXTRB")
    Place(server='https://race.example.org', code='KWXTRB')

    Raises:
        NotFound: it is none of these.
    """
    text = text.strip()
    server = ""
    if "@" in text:
        text, _, address = text.partition("@")
        server = server_address(address)
    elif "/" in text:
        link = text if "://" in text else f"http://{text}"
        base, _, text = link.split("?")[0].split("#")[0].rstrip("/").rpartition("/")
        server = server_address(base)
    code = parse_code(text)
    if code is None:
        raise NotFound(f"{text!r:.60} is not a room code; one looks like KWX-TRB")
    return Place(server, code)


def join_command(link: str, name: str = "") -> str:
    """The exact command that enters the room of a link from anywhere.

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


async def find(text: str, server: str = "", first: str = "") -> Place:
    """The server that has the room.

    Args:
        text: what was typed; see `parse`.
        server: where to look, and only there; empty: see this module.
        first: where to look before all else; empty: nowhere.

    Raises:
        NotFound: no server has it; or the text is no code.
    """
    place = parse(text)
    if place.server or server:
        base = place.server or server_address(server)
        if await _ask(base, place.code) is False:
            raise NotFound(f"{base} has no room {format_code(place.code)}")
        return Place(base, place.code)
    if first and await _has(base := server_address(first), place.code):
        return Place(base, place.code)
    for look in (_on_this_machine, _on_the_network, _used_last):
        if found := await look(place.code):
            return Place(found, place.code)
    raise NotFound(
        f"no server here or in the local network has the room "
        f"{format_code(place.code)}; give its address: {place.code}@HOST[:PORT]"
    )


async def _ask(server: str, code: str) -> bool | None:
    try:
        return await asyncio.to_thread(has_room, server, code)
    except Unreachable as error:
        raise NotFound(str(error)) from None


async def _has(server: str, code: str) -> bool:
    """Whether a server that may not even be there has the room."""
    try:
        return await _ask(server, code) is True
    except NotFound:
        return False


async def _on_this_machine(code: str) -> str | None:
    for server in await asyncio.to_thread(here):
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
    """Whether an address is one that only this machine reaches."""
    try:
        return ip_address(bind).is_loopback
    except ValueError:
        return bind == "localhost"


@dataclass(frozen=True, slots=True)
class Noted:
    """What a server on this machine wrote about itself; it may long be gone.

    Args:
        port: where it listens.
        bind: on which address; empty: unknown.
        url: by which address others reach it, as far as it knows.
    """

    port: int
    bind: str = ""
    url: str = ""

    @property
    def base(self) -> str:
        """The address to ask it at from this machine."""
        if self.bind in ("", "localhost", *EVERYWHERE):
            return f"http://127.0.0.1:{self.port}"
        return server_address(
            f"[{self.bind}]:{self.port}"
            if ":" in self.bind
            else f"{self.bind}:{self.port}"
        )


def noted(folder: Path | None = None) -> Noted | None:
    """Read ``server.json``; None where there is none, or it makes no sense."""
    path = (folder or data_dir()) / "server.json"
    try:
        found = json.loads(path.read_text("utf-8"))
        port, bind, url = found["port"], found.get("bind", ""), found.get("url", "")
        return Noted(int(port), str(bind), str(url))
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


def here(folder: Path | None = None) -> list[str]:
    """Addresses where a server of ours on this machine may answer, likeliest first."""
    addresses = [f"http://127.0.0.1:{DEFAULT_PORT}"]
    if (server := noted(folder)) and server.base not in addresses:
        addresses.insert(0, server.base)
    return addresses
