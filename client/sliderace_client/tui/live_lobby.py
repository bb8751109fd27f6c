"""The live rooms of the server in use, while the menu is shown."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Protocol

from sliderace.protocol.messages import Rooms
from sliderace_client.local_server import server_in_use
from sliderace_client.net.follow_lobby import follow_lobby
from sliderace_client.room.live_rooms import LiveRooms

__all__ = ["LiveLobby"]

AGAIN_S = 3.0
"""How soon a server that has just been started is noticed."""


class Runs(Protocol):
    """Runs work beside the screen."""

    def __call__(
        self,
        work: Callable[[], Coroutine[None, None, None]],
        group: str,
        *,
        exclusive: bool = False,
    ) -> None:
        """Run it; in an exclusive group it ends the one before."""
        ...


class LiveLobby:
    """Follows the list of live rooms.

    Args:
        run: runs work beside the screen.
        server: returns the server of the settings; empty: the one of this machine.
        now: returns monotonic ms.
        on_change: called when something has changed.

    Attributes:
        server: base address of the server in use; empty: none answers.
        features: what it can do.
        rooms: its live rooms.
    """

    def __init__(
        self,
        run: Runs,
        server: Callable[[], str],
        now: Callable[[], int],
        on_change: Callable[[], object],
    ) -> None:
        self._run, self._server = run, server
        self._now, self._on_change = now, on_change
        self.server = ""
        self.features: frozenset[str] = frozenset()
        self.rooms = LiveRooms()

    def follow(self) -> None:
        """Follow the list from now on."""
        self._run(self._follow, "lobby", exclusive=True)

    def stop(self) -> None:
        """Follow it no longer."""
        self._run(self._begin, "lobby", exclusive=True)

    async def _follow(self) -> None:
        while True:
            found = await asyncio.to_thread(server_in_use, self._server())
            self.server, self.features = found
            self._on_change()
            if "lobby" in self.features:
                await follow_lobby(self.server, begin=self._clear, take=self._take)
            await self._begin()
            await asyncio.sleep(AGAIN_S)

    async def _begin(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.rooms = LiveRooms()
        self._on_change()

    def _take(self, rooms: Rooms) -> None:
        self.rooms.receive(rooms, self._now())
        self._on_change()
