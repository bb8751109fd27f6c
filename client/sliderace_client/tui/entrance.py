"""The ways into a room: by its code, as a new one, or back to one where others wait."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Literal, Protocol

from sliderace.protocol.messages import RoleName
from sliderace.texts import text
from sliderace_client.launch import Start
from sliderace_client.local_server import HostError, WaitingRoom
from sliderace_client.net.http import Unreachable
from sliderace_client.net.locate import NotFound, find, join_command
from sliderace_client.net.offers import Offer, check_offer
from sliderace_client.room.outputs import Level
from sliderace_client.shared_ui.settings import Settings, remember_server
from sliderace_client.tui.blocking_calls import RoomOpener, waiting

__all__ = ["Entrance"]

Work = Callable[[], Coroutine[None, None, None]]


class Host(Protocol):
    """The part of the program that an entrance uses."""

    settings: Settings

    @property
    def nickname(self) -> str:
        """The user's nickname."""
        ...

    def say(self, content: str, level: Level = "info") -> None:
        """Show a line of news for a while."""
        ...

    def say_from_thread(self, content: str) -> None:
        """Show a line of news; called from another thread."""
        ...

    def repaint(self) -> None:
        """Show everything as it is now."""
        ...

    def enter_room(self, start: Start) -> None:
        """Enter a room, and show it."""
        ...


class Runs(Protocol):
    """Runs work beside the screen."""

    def __call__(self, work: Work, group: str, *, exclusive: bool = False) -> None:
        """Run it; in an exclusive group it ends the one before."""
        ...


class Entrance:
    """Finds and opens rooms, and enters them.

    Args:
        program: enters the rooms.
        run: runs work beside the screen.
        ask_to_return: asks whether the host goes back to an old room; it calls the
            given function with that room's code, or with an empty one for a new room.

    Attributes:
        waiting: a room where others wait for the user, if one is known.
    """

    def __init__(
        self,
        program: Host,
        run: Runs,
        ask_to_return: Callable[[WaitingRoom, Callable[[str], object]], object],
    ) -> None:
        self._program, self._run = program, run
        self._ask_to_return = ask_to_return
        self._rooms = RoomOpener(program.say_from_thread)
        self.waiting: WaitingRoom | None = None

    def close(self) -> None:
        """Stop our server, if one was started. This blocks."""
        self._rooms.close()

    # --- By its code ------------------------------------------------------------------

    def join(self, address: str, name: str, role: RoleName) -> None:
        """Find the room that the user means and enter it.

        Args:
            address: a code, a code with a server, or a link.
            name: nickname.
            role: race or watch.
        """
        self._run(partial(self._find, address, name, role), "find", exclusive=True)

    async def _find(self, address: str, name: str, role: RoleName) -> None:
        self._program.say(text("tui.room.finding", address=address))
        try:
            place = await find(address, first=self._program.settings.server)
        except NotFound as error:
            self._program.say(str(error), "bad")
            return
        back = ""
        if role == "player":
            back = join_command(f"{place.server}/{place.code}", name)
        kind: Literal["watch", "join"] = "watch" if role == "spectator" else "join"
        start = Start(kind, place.server, place.code, name, role, back=back)
        self._program.enter_room(start)

    # --- Back to one where others wait ------------------------------------------------

    def look_for_rooms(self) -> None:
        """Find out whether others wait for the user in a room."""
        self._run(self._look, "waiting", exclusive=True)

    async def _look(self) -> None:
        self.waiting = await asyncio.to_thread(waiting)
        self._program.repaint()

    def go_back(self) -> None:
        """Return to the room where others wait for the user."""
        if (room := self.waiting) is not None:
            name = self._program.nickname
            back = join_command(f"{room.server}/{room.code}", name)
            start = Start("join", room.server, room.code, name, named=False, back=back)
            self._program.enter_room(start)

    # --- One that the server chooses --------------------------------------------------

    def find_server(self, offer: Offer) -> str:
        """Return the server to race on, which is started if need be. This blocks.

        Args:
            offer: what it must offer.

        Raises:
            HostError: it cannot be started.
            NotFound: the settings hold no address.
            Unreachable: it does not answer, or does not offer that.
        """
        base, _ = self._rooms.server(self._program.settings.server)
        check_offer(base, offer)
        return base

    def play(
        self, offer: Offer, name: str, size: str, pace_ms: int | None = None
    ) -> None:
        """Enter a room that a server chooses or opens for us.

        The server is that of the settings, or else that of this machine, which is
        started if it does not run.

        Args:
            offer: kind of the room.
            name: nickname.
            size: of the board.
            pace_ms: what the user usually needs; None: unknown.
        """
        start = Start(offer, name=name, size=size, pace_ms=pace_ms)
        self._run(partial(self._play, offer, start), "find", exclusive=True)

    async def _play(self, offer: Offer, start: Start) -> None:
        program, typed = self._program, self._program.settings.server
        program.say(text(f"tui.room.finding_{offer}"))
        try:
            base, ends = await asyncio.to_thread(self._rooms.server, typed)
            await asyncio.to_thread(check_offer, base, offer)
        except (HostError, NotFound, Unreachable) as error:
            program.say(str(error), "bad")
            return
        await asyncio.to_thread(remember_server, base)
        settings = program.settings
        program.enter_room(replace(start, server=base, ends=ends, settings=settings))

    # --- As a new one -----------------------------------------------------------------

    def host(self, name: str, size: str, room: str | None = None) -> None:
        """Open a room on this machine and enter it.

        Args:
            name: nickname.
            size: of the board.
            room: see `RoomOpener.open`.
        """
        self._run(partial(self._open, name, size, room), "find", exclusive=True)

    async def _open(self, name: str, size: str, room: str | None) -> None:
        program = self._program
        program.say(text("tui.room.opening"))
        opening = partial(self._rooms.open, name, size, program.settings, room)
        try:
            opened = await asyncio.to_thread(opening)
        except HostError as error:
            program.say(str(error), "bad")
            return
        if isinstance(opened, Start):
            program.enter_room(opened)
        else:
            self._ask_to_return(opened, partial(self.host, name, size))
