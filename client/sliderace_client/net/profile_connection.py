"""A connection on which the owner of a profile manages it: `enter me`.

    async with profile_connection(server, secret) as mine:
        if mine.profile is not None:
            await mine.rename("Ann")
            page = await mine.history("4x4")

`create` and `add_this_device` make a new secret and store it on this device.
"""

import asyncio
import platform
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sliderace.protocol import messages as m
from sliderace.protocol.codes import refusal_text
from sliderace.protocol.version import EVENTS, VERSION
from sliderace.texts import text
from sliderace_client.net.connection import Session, open_session
from sliderace_client.net.http import Unreachable, reason
from sliderace_client.net.profiles import (
    KeptProfile,
    drop,
    is_secure,
    keep,
    kept,
    new_secret,
    server_key,
)
from sliderace_client.room.entry import CLIENT

__all__ = [
    "ProfileConnection",
    "ProfileRefused",
    "add_this_device",
    "create",
    "profile_connection",
]

DEVICE = f"{CLIENT}, {platform.system()}"[:40]
"""How a server names this device, so that its owner can tell it from others."""
ANSWER_S = 10.0
"""For each answer: the server may wait for its storage."""
SECRETS = 3
"""Secrets to try: ours may be one that was removed from its profile, and a new one may
have the id of another profile."""

E = TypeVar("E", bound=m.Event)


class ProfileRefused(Exception):
    """The server refuses a command.

    Attributes:
        refused: the answer; its `text` is for the user.
    """

    def __init__(self, refused: m.Refused) -> None:
        super().__init__(refused.text)
        self.refused = refused


class ProfileConnection:
    """A connection on which a profile is managed; see `profile_connection`.

    Commands are sent one after the other. Each may raise `ProfileRefused`, or
    `Unreachable` if the connection is lost; then open another one.

    Attributes:
        profile: as the server last told; None: it knows no profile with this secret.
    """

    def __init__(self, server: str, session: Session) -> None:
        self.profile: m.Profile | None = None
        self._server = server
        self._session = session
        self._one_at_a_time = asyncio.Lock()

    async def keep(self, name: str) -> None:
        """Create a profile with the secret of this connection."""
        await self._ask(m.Keep(name), m.MeEvent)

    async def rename(self, name: str) -> None:
        """Change the name, on leaderboards too."""
        await self._ask(m.Rename(name), m.MeEvent)

    async def claim(self, ticket: str) -> None:
        """Add this device to the profile that a ticket is for.

        Args:
            ticket: as typed.
        """
        await self._ask(m.Claim(ticket), m.MeEvent)

    async def revoke(self, device: int) -> None:
        """Remove a device; if it is this one, `profile` becomes None."""
        await self._ask(m.Revoke(device), m.MeEvent)

    async def forget(self, *, on: bool = True) -> None:
        """Delete the profile in 72 hours; with `on` false, do not."""
        await self._ask(m.Forget(on), m.MeEvent)

    async def ticket(self) -> m.Ticket:
        """Return a new ticket, which adds one device within five minutes."""
        return await self._ask(m.DeviceTicket(), m.Ticket)

    async def history(self, event: str, before: str | None = None) -> m.HistoryEvent:
        """Return attempts of an event, the latest first.

        Args:
            event: size of the board, as in `4x4`.
            before: id of a race; only attempts before it.
        """
        return await self._ask(m.History(event, before), m.HistoryEvent)

    async def _ask(self, command: m.Command, answer: type[E]) -> E:
        """Send a command; return its answer."""
        async with self._one_at_a_time:
            await self._session.send(command)
            return await self.answer(answer)

    async def answer(self, answer: type[E]) -> E:
        """Wait for an answer of this type."""
        try:
            async with asyncio.timeout(ANSWER_S):
                while True:
                    event = await self._session.receive()
                    if isinstance(event, m.Refused):
                        raise ProfileRefused(event)
                    if isinstance(event, m.MeEvent):
                        self.profile = event.profile
                    if isinstance(event, answer):
                        return event
        except TimeoutError as error:
            raise _no_answer(self._server, error) from None


def _no_answer(server: str, error: Exception) -> Unreachable:
    return Unreachable(text("error.unreachable", server=server, why=reason(error)))


@asynccontextmanager
async def profile_connection(
    server: str, secret: str, tls: ssl.SSLContext | None = None
) -> AsyncGenerator[ProfileConnection, None]:
    """Connect to a server to manage the profile with a secret.

    Args:
        server: base address, ``http://host:port``.
        secret: 32 hex digits.
        tls: how to check the server; None: as usual.

    Raises:
        ProfileRefused: the server refuses.
        Unreachable: there is no connection.
    """
    hello = m.Hello(VERSION, m.Me(), DEVICE, can=[*EVENTS], profile=secret)
    async with open_session(server, hello, tls) as session:
        connection = ProfileConnection(server, session)
        await connection.answer(m.MeEvent)
        yield connection


async def create(
    server: str,
    name: str,
    folder: Path | None = None,
    tls: ssl.SSLContext | None = None,
) -> m.Profile:
    """Create a profile on a server, and store its secret on this device.

    If we have a secret there that the server does not know any more, such as after it
    restored a backup, that one is used again.

    Args:
        server: base address, ``http://host:port``.
        name: as typed.
        folder: where the secrets are; default: the user's data folder.
        tls: how to check the server; None: as usual.

    Raises:
        ProfileRefused: the server refuses; nothing new is stored.
        Unreachable: there is no connection. If it was lost before the answer, the
            secret stays stored: the profile may exist.
        OSError: the secret cannot be stored.
    """
    profile, _ = await _enter_new(server, folder, tls, lambda mine: mine.keep(name))
    return profile


async def add_this_device(
    server: str,
    ticket: str,
    folder: Path | None = None,
    tls: ssl.SSLContext | None = None,
) -> m.Profile:
    """Add this device to the profile of another one, and store the new secret here.

    Args:
        server: base address, ``http://host:port``.
        ticket: as typed.
        folder: where the secrets are; default: the user's data folder.
        tls: how to check the server; None: as usual.

    Raises:
        ProfileRefused: the server refuses; nothing new is stored.
        Unreachable: see `create`.
        OSError: the secret cannot be stored.
    """
    profile, is_new = await _enter_new(
        server, folder, tls, lambda mine: mine.claim(ticket)
    )
    if not is_new:  # with a new secret, the one of this profile would be lost
        exists = refusal_text("profile_exists")
        raise ProfileRefused(m.Refused("claim", "profile_exists", exists))
    return profile


async def _enter_new(
    server: str,
    folder: Path | None,
    tls: ssl.SSLContext | None,
    command: Callable[[ProfileConnection], Awaitable[None]],
) -> tuple[m.Profile, bool]:
    """Make this device one of a profile's; the secret is stored before it is used.

    Returns:
        The profile, and whether the command made this device one of its devices.
    """
    key = await asyncio.to_thread(server_key, server)
    before = await asyncio.to_thread(kept, key, folder)
    if before is not None and not before.may_go_to(server):
        raise Unreachable(text("error.profile_needs_tls"))
    ours = before or KeptProfile(new_secret(), tls=is_secure(server))
    tries = 1
    while True:
        await asyncio.to_thread(keep, key, ours, folder)
        try:
            profile, is_new = await _entered(server, ours.secret, tls, command)
        except ProfileRefused as error:
            if before is None:
                await asyncio.to_thread(drop, key, folder)
            else:
                await asyncio.to_thread(keep, key, before, folder)
            if error.refused.code != "profile_exists" or tries == SECRETS:
                raise
            ours = KeptProfile(new_secret(), tls=is_secure(server))
            tries += 1
        else:
            known = replace(ours, id=profile.id, name=profile.name)
            await asyncio.to_thread(keep, key, known, folder)
            return profile, is_new


async def _entered(
    server: str,
    secret: str,
    tls: ssl.SSLContext | None,
    command: Callable[[ProfileConnection], Awaitable[None]],
) -> tuple[m.Profile, bool]:
    """Return the profile with a secret; if there is none, send the command first."""
    async with profile_connection(server, secret, tls) as mine:
        is_new = mine.profile is None
        if is_new:
            await command(mine)
        if mine.profile is None:
            raise _no_answer(server, ValueError())
        return mine.profile, is_new
