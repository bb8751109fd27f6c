"""How the daily race stands: which boards of today are still open to us."""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, cast

from sliderace.protocol.messages import HistoryRow, Profile
from sliderace.race.daily import EVENTS, date_text, day_of
from sliderace.texts import text
from sliderace_client.net.http import Unreachable, get
from sliderace_client.own_profile import ProfileError, own_secret, owner
from sliderace_client.shared_ui.wording import duration, status

__all__ = ["DailyStatus", "daily_status", "state_text", "status_lines", "title_text"]

State = Literal["open", "running", "done"]


class DailyStatus(NamedTuple):
    """The daily race of today.

    Attributes:
        date: in UTC, as in `2026-11-30`.
        minutes: until the next boards.
        streak: days in a row on which we raced.
        begun: events that we have raced on today, or are racing on.
        results: our attempts of today that are over, by event.
        has_profile: the server knows us; nobody else can race.
    """

    date: str
    minutes: int
    streak: int = 0
    begun: frozenset[str] = frozenset()
    results: Mapping[str, HistoryRow] = {}
    has_profile: bool = False

    def state(self, event: str) -> State:
        """Return how the race of an event stands."""
        if event in self.results:
            return "done"
        return "running" if event in self.begun else "open"


async def daily_status(server: str) -> DailyStatus:
    """Ask a server how the daily race of today stands.

    Args:
        server: base address.

    Raises:
        Unreachable: it does not answer, or does not know daily races.
    """
    date, minutes = await asyncio.to_thread(_today, server)
    if await asyncio.to_thread(own_secret, server) is None:
        return DailyStatus(date, minutes)
    try:
        async with owner(server) as mine:
            profile = mine.profile
            if profile is None:
                return DailyStatus(date, minutes)
            begun = _begun(profile, date)
            histories = {event: await mine.history(event) for event in begun}
    except ProfileError:
        return DailyStatus(date, minutes)
    results = {
        event: row
        for event, history in histories.items()
        for row in reversed(history.rows)
        if row.kind == "daily" and date_text(day_of(row.started_ms)) == date
    }
    return DailyStatus(date, minutes, profile.streak, begun, results, True)


def _begun(profile: Profile, date: str) -> frozenset[str]:
    """Return the events of today that the profile has begun."""
    return frozenset(profile.dailies) if profile.day == date else frozenset()


def _today(server: str) -> tuple[str, int]:
    body: Any = get(server, "/api/daily").json()
    answer = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    date, ends_ms = answer.get("date"), answer.get("ends_ms")
    if not isinstance(date, str) or not isinstance(ends_ms, int):
        raise Unreachable(text("error.no_daily", server=server))
    return date[:10], ends_ms // 60_000


def state_text(daily: DailyStatus, event: str) -> str:
    """Return in a few words how the race of an event stands."""
    row = daily.results.get(event)
    if row is None:
        return text(f"daily.{daily.state(event)}")
    if row.time_ms is None:
        return status(row.status)
    return text("daily.done", time=duration(row.time_ms))


def title_text(daily: DailyStatus) -> str:
    """Return of which day the boards are, and when the next ones come."""
    hours, minutes = divmod(daily.minutes, 60)
    key = "daily.title" if hours else "daily.title_minutes"
    return text(key, date=daily.date, hours=hours, minutes=minutes)


def status_lines(daily: DailyStatus) -> list[str]:
    """Return how the race of each event stands, a line each."""
    lines = [title_text(daily)]
    lines += [f"  {event}  {state_text(daily, event)}" for event in EVENTS]
    if daily.streak:
        lines.append(text("gains.streak", count=daily.streak))
    return lines
