"""What the screens of the profile ask of the server, in use beside the screen."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TypeVar

from sliderace.protocol.messages import Profile, Ticket
from sliderace.protocol.profile_key import parse_key
from sliderace.texts import text
from sliderace_client import own_profile
from sliderace_client.leaderboards import fetch
from sliderace_client.local_server import address_for_others
from sliderace_client.net.http import Unreachable
from sliderace_client.net.profile_connection import ProfileConnection
from sliderace_client.own_profile import ProfileError, owner
from sliderace_client.room.outputs import Level
from sliderace_client.tui.screens.leaderboards_screen import LeaderboardsScreen
from sliderace_client.tui.screens.profile_screen import ProfileScreen
from sliderace_client.tui.screens.statistics_screen import StatisticsScreen

__all__ = ["ProfileRequests"]

T = TypeVar("T")
Work = Callable[[], Coroutine[None, None, None]]


class ProfileRequests:
    """Asks the server; the answers go to the screens.

    Args:
        run: runs work beside the screen.
        say: shows a line of news.
        find: returns the server in use; empty: there is none. It blocks.
        show_ticket: shows a ticket of a server.
        show_key: shows a secret.
    """

    def __init__(
        self,
        run: Callable[[Work], object],
        say: Callable[[str, Level], object],
        find: Callable[[], str],
        show_ticket: Callable[[Ticket, str], object],
        show_key: Callable[[str], object],
    ) -> None:
        self._run, self._say, self._find = run, say, find
        self._tell_ticket, self._tell_key = show_ticket, show_key
        self._screen: ProfileScreen | None = None
        self.server = ""

    # --- The profile ------------------------------------------------------------------

    def show_in(self, screen: ProfileScreen) -> None:
        """Show our profile in a screen, which takes all later answers."""
        self._screen = screen
        self._run(self._show)

    async def _show(self) -> None:
        self.server = await asyncio.to_thread(self._find)
        if not self.server:
            self._fail(text("me.no_server"))
            return
        await self._with_owner(_profile)

    async def _with_owner(
        self, use: Callable[[ProfileConnection], Awaitable[Profile | None]]
    ) -> None:
        """Use a connection, and show the profile that it returns."""
        try:
            async with owner(self.server) as mine:
                self._shown(await use(mine))
        except ProfileError as error:
            if error.is_guest and self._screen is not None:
                self._screen.show_guest(str(error), self.server)
            else:
                self._fail(str(error))

    def _shown(self, profile: Profile | None) -> None:
        screen = self._screen
        if screen is None:
            return
        if profile is None:
            screen.show_guest(text("me.this_device_removed"), self.server)
        else:
            screen.show_profile(profile, self.server)

    def _fail(self, why: str) -> None:
        if self._screen is not None:
            self._screen.fail(why)

    def keep(self, name: str) -> None:
        """Create a profile."""
        self._run(partial(self._enter, lambda: own_profile.keep(self.server, name)))

    def claim(self, typed: str) -> None:
        """Add this device to a profile, with a ticket or a key."""
        enter = own_profile.use_key if parse_key(typed) else own_profile.claim
        self._run(partial(self._enter, lambda: enter(self.server, typed)))

    async def _enter(self, enter: Callable[[], Awaitable[tuple[Profile, str]]]) -> None:
        try:
            profile, _ = await enter()
        except ProfileError as error:
            self._fail(str(error))
        else:
            self._shown(profile)
            self._say(text("profile.kept", name=profile.name), "good")

    def rename(self, name: str) -> None:
        """Change the name."""
        self._change(lambda mine: mine.rename(name))

    def revoke(self, device: int) -> None:
        """Remove a device."""
        self._change(lambda mine: mine.revoke(device))

    def forget(self, *, on: bool) -> None:
        """Delete the profile in 72 hours, or cancel that."""
        self._change(lambda mine: mine.forget(on=on))

    def _change(self, command: Callable[[ProfileConnection], Awaitable[None]]) -> None:
        async def change(mine: ProfileConnection) -> Profile | None:
            await command(mine)
            return mine.profile

        self._run(partial(self._with_owner, change))

    def show_ticket(self) -> None:
        """Show a ticket for another device."""

        async def ask(mine: ProfileConnection) -> Profile | None:
            server = await asyncio.to_thread(address_for_others, self.server)
            self._tell_ticket(await mine.ticket(), server)
            return mine.profile

        self._run(partial(self._with_owner, ask))

    def show_key(self) -> None:
        """Show the secret."""
        self._run(self._show_key)

    async def _show_key(self) -> None:
        try:
            secret = await asyncio.to_thread(own_profile.own_key, self.server)
        except ProfileError as error:
            self._fail(str(error))
        else:
            self._tell_key(secret)

    def export(self, file: str) -> None:
        """Save everything that the server has about us in a file."""
        self._run(partial(self._export, file))

    async def _export(self, file: str) -> None:
        try:
            path = await asyncio.to_thread(self._store, file)
        except ProfileError as error:
            self._fail(str(error))
        except (OSError, ValueError, RuntimeError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            self._fail(text("cli.cannot_write", path=file, why=why))
        else:
            self._say(text("me.exported", path=path), "info")

    def _store(self, file: str) -> Path:
        path = Path(file).expanduser()
        path.write_bytes(own_profile.exported(self.server))
        return path

    # --- The history ------------------------------------------------------------------

    def show_history(self, screen: StatisticsScreen, event: str) -> None:
        """Show all attempts of an event in a screen."""
        self._run(partial(self._load, screen, event))

    async def _load(self, screen: StatisticsScreen, event: str) -> None:
        try:
            async with owner(self.server) as mine:
                rows = await own_profile.whole_history(mine, event)
        except ProfileError as error:
            screen.fail(str(error))
        else:
            screen.show_history(rows)

    # --- Leaderboards -----------------------------------------------------------------

    def show_leaderboard(self, screen: LeaderboardsScreen) -> None:
        """Show the leaderboard of a screen's query in it."""
        self._run(partial(self._load_leaderboard, screen))

    async def _load_leaderboard(self, screen: LeaderboardsScreen) -> None:
        query = screen.wanted
        self.server = await asyncio.to_thread(self._find)
        if not self.server:
            screen.fail(text("me.no_server"))
            return
        try:
            board = await asyncio.to_thread(fetch, self.server, query)
        except Unreachable as error:
            screen.fail(str(error))
        else:
            screen.show_board(query, board, self.server)


async def _profile(mine: ProfileConnection) -> Profile | None:
    return mine.profile
