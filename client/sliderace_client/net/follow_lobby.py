"""Follow the list of a server's live rooms."""

import asyncio
import random
from collections.abc import Callable

from sliderace.protocol.messages import Hello, Lobby, Refused, Rooms
from sliderace.protocol.version import VERSION
from sliderace_client.net.connection import backoff, open_session
from sliderace_client.net.http import Unreachable
from sliderace_client.room.entry import CLIENT

__all__ = ["TRIES", "follow_lobby"]

TRIES = 3
"""Attempts to connect in a row; then the server is probably gone."""


async def follow_lobby(
    server: str, *, begin: Callable[[], object], take: Callable[[Rooms], object]
) -> None:
    """Follow the list until the server refuses that or cannot be reached any more.

    Args:
        server: base address.
        begin: called when a list begins: the next message holds all rooms.
        take: called with each message.
    """
    hello = Hello(v=VERSION, enter=Lobby(), client=CLIENT, can=["rooms"])
    tries = 0
    while tries < TRIES:
        try:
            async with open_session(server, hello) as session:
                begin()
                while True:
                    match await session.receive():
                        case Rooms() as rooms:
                            tries = 0
                            take(rooms)
                        case Refused():
                            return
                        case _:
                            pass
        except Unreachable:
            await asyncio.sleep(backoff(tries, random.SystemRandom().random()))
            tries += 1
