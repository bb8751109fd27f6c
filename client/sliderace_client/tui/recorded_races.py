"""Races that are over, for the screens: their list, their records, and replays."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Literal

from sliderace.proof.record import WrittenRace
from sliderace.protocol.messages import Results
from sliderace.texts import text
from sliderace_client.net.http import Unreachable
from sliderace_client.race_records import (
    Unreadable,
    check_lines,
    load,
    race_of,
    save_record,
)
from sliderace_client.room.outputs import Level
from sliderace_client.tui.blocking_calls import past_races
from sliderace_client.tui.screens.past_races import PastRacesScreen
from sliderace_client.tui.screens.room_screen import RoomClient

__all__ = ["RecordedRaces"]

PAUSES_S = (0.1, 0.5, 2.0)
"""Before each request: a server stores a record just after it has sent the results."""
Work = Callable[[], Coroutine[None, None, None]]


class RecordedRaces:
    """Fetches what the screens ask for, in threads.

    Args:
        run: runs work beside the screen.
        say: shows a line of news.
        on_change: called when something that was requested has arrived.
    """

    def __init__(
        self,
        run: Callable[[Work], object],
        say: Callable[[str, Level], object],
        on_change: Callable[[], object],
    ) -> None:
        self._run, self._say, self._on_change = run, say, on_change
        self._race = ""
        self._record: WrittenRace | Literal["awaited", "missing"] = "missing"

    def record(
        self, client: RoomClient, results: Results
    ) -> WrittenRace | Literal["awaited", "missing"]:
        """Return the record of the race of these results, if it is loaded.

        Args:
            client: fetches it.
            results: of the last race; the record of another race is forgotten.
        """
        if self._race != results.race:
            self._race, self._record = results.race, "awaited"
            self._run(partial(self._fetch, client, results))
        return self._record

    async def _fetch(self, client: RoomClient, results: Results) -> None:
        found: WrittenRace | None = None
        for pause in PAUSES_S:
            if found is None:
                await asyncio.sleep(pause)
                found = await asyncio.to_thread(client.race_record, results)
        if self._race == results.race:
            self._record = "missing" if found is None else found
            self._on_change()

    def save(self, server: str, results: Results) -> None:
        """Store a race record in the current folder, and say where."""
        self._run(partial(self._save, server, results.race, results.record))

    async def _save(self, server: str, race: str, path: str) -> None:
        try:
            target = await asyncio.to_thread(save_record, server, race, path)
        except Unreachable as error:
            self._say(str(error), "bad")
        except OSError as error:
            self._say(text("room.cannot_save", why=error.strerror), "bad")
        else:
            self._say(text("tui.results.saved", file=target), "info")

    def list_in(self, screen: PastRacesScreen) -> None:
        """Show the list of past races in a screen once it has arrived."""
        self._run(partial(self._list, screen))

    async def _list(self, screen: PastRacesScreen) -> None:
        screen.show_races(await asyncio.to_thread(past_races))

    def watch(
        self,
        server: str,
        race: str,
        show: Callable[[WrittenRace], object],
        fail: Callable[[str], object],
    ) -> None:
        """Load the record of a past race, and show it.

        Args:
            server: base address; empty: this machine's.
            race: its id.
            show: called with the record.
            fail: called with a sentence if there is none.
        """
        self._run(partial(self._watch, server, race, show, fail))

    def verify(
        self,
        server: str,
        race: str,
        show: Callable[[Sequence[str]], object],
        fail: Callable[[str], object],
    ) -> None:
        """Load the record of a past race, and check it.

        Args:
            server: base address; empty: this machine's.
            race: its id.
            show: called with a line for each finding.
            fail: called with a sentence if there is no record.
        """
        self._run(partial(self._verify, server, race, show, fail))

    async def _verify(
        self,
        server: str,
        race: str,
        show: Callable[[Sequence[str]], object],
        fail: Callable[[str], object],
    ) -> None:
        try:
            file = await asyncio.to_thread(load, race, server)
        except (Unreachable, Unreadable) as error:
            fail(str(error))
        else:
            lines, _ = await asyncio.to_thread(check_lines, file)
            show(lines)

    async def _watch(
        self,
        server: str,
        race: str,
        show: Callable[[WrittenRace], object],
        fail: Callable[[str], object],
    ) -> None:
        try:
            found = race_of(await asyncio.to_thread(load, race, server))
        except (Unreachable, Unreadable) as error:
            fail(str(error))
        else:
            show(found)
