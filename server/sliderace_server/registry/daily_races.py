"""The daily race of a server: which day it is, the secrets of its boards, and streaks.

See `sliderace.race.daily` for the chain of secrets.
"""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from sliderace.race.daily import (
    DAYS,
    EVENTS,
    FIRST_DAY,
    LAST_DAY,
    DailyEvent,
    chain,
    date_text,
    day_of,
    day_start_ms,
    last_open_day,
    latest_ms,
)
from sliderace.race.rules import default_limit_ms
from sliderace_server.signing_key import ServerKey
from sliderace_server.storage import Standings
from sliderace_server.storage.standings import streak

__all__ = ["DailyRaces", "DailyState"]


class DailyState(NamedTuple):
    """What a profile has done in daily races.

    Attributes:
        streak: days in a row with a daily race, up to today or yesterday.
        date: today's date in UTC, as in ``2026-11-30``.
        events: the events whose attempt of today is used up, in the order of `EVENTS`.
    """

    streak: int
    date: str
    events: list[str]


class DailyRaces:
    """The days and boards of a server.

    Args:
        standings: remembers the latest time, and who has used up which attempt.
        key: the server's key, from which all boards follow.
        wall_ms: returns the Unix time by the wall clock.
    """

    def __init__(
        self, standings: Standings, key: ServerKey, wall_ms: Callable[[], int]
    ) -> None:
        self._standings = standings
        self._root = key.secret("daily/v1")
        self._wall_ms = wall_ms
        self._noted_ms = 0
        self._chains: dict[str, list[bytes]] = {}
        self._tries: dict[str, tuple[str, DailyEvent, int]] = {}
        self._entering: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    # --- time ------------------------------------------------------------------------

    async def note_alive(self) -> None:
        """Note that the server runs; call this at its start and every ten minutes.

        Raises:
            StorageUnavailable: nothing was noted.
        """
        noted_ms = await self._standings.note_alive(self._wall_ms())
        self._noted_ms = max(self._noted_ms, noted_ms)

    async def now_ms(self) -> int:
        """Return the Unix time that counts for daily races; its day never goes back.

        A new day is noted before anybody learns of it, so that not even a restart after
        the clock was set back brings the day before again.

        Raises:
            StorageUnavailable: a new day cannot be noted.
        """
        if day_of(self._wall_ms()) > day_of(self._noted_ms):
            await self.note_alive()
        return latest_ms(self._wall_ms(), self._noted_ms)

    async def today(self) -> int:
        """Return today, in days since 1970 in UTC; see `now_ms`."""
        return day_of(await self.now_ms())

    # --- boards ----------------------------------------------------------------------

    def secret(self, event: DailyEvent, day: int) -> bytes:
        """Return the secret of a day's board.

        Args:
            event: the event.
            day: `FIRST_DAY` ... `LAST_DAY`.
        """
        return self._chain(event)[day - FIRST_DAY + 1]

    def anchor(self, event: DailyEvent) -> str:
        """Return the anchor of an event, 64 hex digits."""
        return self._chain(event)[0].hex()

    def _chain(self, event: DailyEvent) -> list[bytes]:
        if event not in self._chains:
            self._chains[event] = chain(self._root, event)
        return self._chains[event]

    async def view(
        self, profile: str | None, is_raced_on: Callable[[str, int], bool]
    ) -> dict[str, Any]:
        """Return the daily race as JSON values.

        Args:
            profile: whose attempts are stated; None: nobody's.
            is_raced_on: whether somebody still races on the board of an event and day,
                whose secret must then stay one.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        now_ms = await self.now_ms()
        today = day_of(now_ms)
        events: dict[str, Any] = {}
        for event in EVENTS:
            day = min(last_open_day(event, now_ms), LAST_DAY)
            while is_raced_on(event, day):
                day -= 1
            events[event] = {
                "anchor": self.anchor(event),
                "limit_ms": default_limit_ms(*map(int, event.split("x"))),
                "date": date_text(day) if day >= FIRST_DAY else None,
                "secret": self.secret(event, day).hex() if day >= FIRST_DAY else None,
            }
        return {
            "date": date_text(today),
            "ends_ms": day_start_ms(today + 1) - now_ms,
            "last_date": date_text(LAST_DAY),
            "events": events,
            "own": (await self.state(profile))._asdict() if profile else None,
        }

    # --- attempts --------------------------------------------------------------------

    def entering(self, profile: str) -> asyncio.Lock:
        """Return the lock under which a profile uses up its attempts."""
        return self._entering.setdefault(profile, asyncio.Lock())

    async def claim(
        self, profile: str, event: DailyEvent, day: int, room: str
    ) -> str | None:
        """Use up an attempt.

        Returns:
            The code of the room that has it, maybe an earlier one; None: there is no
            such profile.

        Raises:
            StorageUnavailable: nothing was used up.
        """
        try:
            used = await self._standings.claim_daily(profile, event, day, room)
        except ValueError:
            return None
        if used == room:
            self._tries[room] = profile, event, day
        return used

    async def release(
        self, profile: str, event: DailyEvent, day: int, room: str
    ) -> None:
        """Give back an attempt whose board was never sent.

        Raises:
            StorageUnavailable: it is still used up; the next entry tries again.
        """
        await self._standings.release_daily(profile, event, day, room)
        self._tries.pop(room, None)

    async def give_back(self, room: str) -> None:
        """Give back the attempt of a room, if it was used up since the server started.

        Raises:
            StorageUnavailable: see `release`.
        """
        if used := self._tries.get(room):
            await self.release(*used, room)

    # --- profiles --------------------------------------------------------------------

    async def state(self, profile: str) -> DailyState:
        """Return what a profile has done in daily races.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        today = await self.today()
        used = await self._standings.dailies(profile, today - DAYS)
        down = await self._standings.down_days(today - DAYS)
        events = {event for day, event, _ in used if day == today}
        return DailyState(
            streak({day for day, _, _ in used}, set(down), today),
            date_text(today),
            [event for event in EVENTS if event in events],
        )
