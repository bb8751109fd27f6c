"""Our profile on a server, as the clients use it: every error is one sentence."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from urllib.parse import quote

from sliderace.engine import IllegalSlide
from sliderace.proof.record import WrittenRace
from sliderace.protocol.messages import HistoryRow, Profile
from sliderace.protocol.profile_key import parse_key
from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.net.http import Unreachable, get
from sliderace_client.net.profile_connection import (
    ProfileConnection,
    ProfileRefused,
    add_this_device,
    create,
    profile_connection,
)
from sliderace_client.net.profiles import (
    KeptProfile,
    is_secure,
    keep as keep_secret,
    kept,
    secret_for,
    server_key,
)
from sliderace_client.net.record_check import fetch_record
from sliderace_client.room.pace_curve import curve_in
from sliderace_client.shared_ui.wording import refused

__all__ = [
    "ProfileError",
    "better_curve",
    "claim",
    "exported",
    "keep",
    "own_key",
    "own_secret",
    "owner",
    "profile_of",
    "use_key",
    "whole_history",
]

MAX_ATTEMPTS = 5_000
"""Of an event; more take seconds to load and to draw."""


class ProfileError(Exception):
    """Something about the profile is not possible; the message is for the user.

    Attributes:
        exit_code: of a command that fails with it.
        is_guest: we have no profile there, so we could create one.
    """

    def __init__(self, message: str, exit_code: int, *, is_guest: bool = False) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.is_guest = is_guest


@contextmanager
def _reporting() -> Generator[None]:
    """Turn expected exceptions into a `ProfileError`."""
    try:
        yield
    except ProfileRefused as error:
        raise ProfileError(refused(error.refused), exit_codes.REFUSED) from None
    except Unreachable as error:
        raise ProfileError(str(error), exit_codes.UNREACHABLE) from None
    except OSError as error:
        why = text("profile.cannot_store", why=error.strerror or error)
        raise ProfileError(why, exit_codes.UNKNOWN) from None


def own_secret(server: str) -> str | None:
    """Return the secret to enter rooms of a server with; None: we are a guest.

    This blocks. A server that cannot be reached is not a reason to fail here.
    """
    try:
        return secret_for(server)
    except Unreachable:
        return None


async def keep(server: str, name: str) -> tuple[Profile, str]:
    """Create our profile on a server, unless we have one.

    Returns:
        The profile, and its secret on this device.

    Raises:
        ProfileError: that is not possible.
    """
    with _reporting():
        profile = await create(server, name)
        return profile, await asyncio.to_thread(_secret, server)


async def claim(server: str, ticket: str) -> tuple[Profile, str]:
    """Add this device to the profile of another one.

    Args:
        server: base address.
        ticket: as typed.

    Returns:
        As `keep`.

    Raises:
        ProfileError: that is not possible.
    """
    with _reporting():
        profile = await add_this_device(server, ticket)
        return profile, await asyncio.to_thread(_secret, server)


async def use_key(server: str, typed: str) -> tuple[Profile, str]:
    """Use a profile here whose key somebody has written down.

    Args:
        server: base address.
        typed: the key.

    Returns:
        As `keep`.

    Raises:
        ProfileError: that is not a key, or the server does not know it.
    """
    secret = parse_key(typed)
    if secret is None:
        raise ProfileError(text("profile.no_key"), exit_codes.UNKNOWN)
    with _reporting():
        key = await asyncio.to_thread(server_key, server)
        async with profile_connection(server, secret) as mine:
            profile = mine.profile
        if profile is None:
            raise ProfileError(text("profile.wrong_key"), exit_codes.REFUSED)
        ours = KeptProfile(secret, profile.id, profile.name, tls=is_secure(server))
        await asyncio.to_thread(keep_secret, key, ours)
        return profile, secret


def own_key(server: str) -> str:
    """Return the secret of our profile on a server, to be shown to its owner.

    This blocks.

    Raises:
        ProfileError: there is none, or the server cannot be reached.
    """
    with _reporting():
        return _secret(server)


def exported(server: str) -> bytes:
    """Return a ZIP file of all that a server has of our profile. This blocks.

    Raises:
        ProfileError: we have no profile there, or the server does not answer.
    """
    with _reporting():
        known = kept(server_key(server))
        path = f"/api/profiles/{known.id if known else ''}/export"
        reply = get(server, path, token=_secret(server))
    if reply.status != HTTPStatus.OK:
        raise ProfileError(text("profile.not_known", server=server), exit_codes.REFUSED)
    return reply.body


def _secret(server: str) -> str:
    secret = secret_for(server)
    if secret is None:
        why = text("profile.none", server=server)
        raise ProfileError(why, exit_codes.REFUSED, is_guest=True)
    return secret


async def better_curve(
    server: str, event: str, than_ms: int | None
) -> list[int] | None:
    """Return the curve of our best attempt on a server; None: it has no better one.

    Args:
        server: base address.
        event: size of the board.
        than_ms: time of the best attempt that we know; None: we know none.
    """
    try:
        async with owner(server) as mine:
            bests = profile_of(mine).bests
        best = next((one for one in bests if one.event == event and one.race), None)
        if best is None or best.single_ms is None:
            return None
        if than_ms is not None and than_ms <= best.single_ms:
            return None
        path = f"/api/races/{quote(best.race, safe='')}"
        secret = await asyncio.to_thread(own_secret, server)
        record = await asyncio.to_thread(fetch_record, server, path, token=secret or "")
        if not isinstance(record, WrittenRace):
            return None
        return curve_in(record, best.single_ms)
    except (ProfileError, IllegalSlide):
        return None


@asynccontextmanager
async def owner(server: str) -> AsyncGenerator[ProfileConnection]:
    """Connect to a server as the owner of our profile there.

    Raises:
        ProfileError: we have none there, or a command on the connection fails.
    """
    with _reporting():
        secret = await asyncio.to_thread(_secret, server)
        async with profile_connection(server, secret) as mine:
            if mine.profile is None:
                why = text("profile.not_known", server=server)
                raise ProfileError(why, exit_codes.REFUSED, is_guest=True)
            yield mine


async def whole_history(mine: ProfileConnection, event: str) -> list[HistoryRow]:
    """Return the attempts of an event, the latest first: at most `MAX_ATTEMPTS`."""
    rows: list[HistoryRow] = []
    before: str | None = None
    while len(rows) < MAX_ATTEMPTS:
        page = await mine.history(event, before)
        rows += page.rows
        if not page.more or not page.rows:
            break
        before = page.rows[-1].race
    return rows


def profile_of(mine: ProfileConnection) -> Profile:
    """Return the profile of a connection of `owner`.

    Raises:
        ProfileError: the server has just removed it, or this device.
    """
    if mine.profile is None:
        raise ProfileError(text("profile.gone"), exit_codes.REFUSED)
    return mine.profile
