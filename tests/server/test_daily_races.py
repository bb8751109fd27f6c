"""The days, boards and streaks of a server's daily race."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from sliderace.race.daily import (
    DAY_MS,
    EVENTS,
    FIRST_DAY,
    LAST_DAY,
    anchor_of,
    day_start_ms,
)
from sliderace_server.registry.daily_races import DailyRaces, DailyState
from sliderace_server.signing_key import ServerKey, new_key
from sliderace_server.storage import ProfileRow
from sliderace_server.storage.memory import MemoryStore

DAY = 20_787
NOON_MS = day_start_ms(DAY) + DAY_MS // 2
HOUR_MS = 3_600_000


@dataclass
class Clock:
    ms: int = NOON_MS

    def __call__(self) -> int:
        return self.ms


class Server:
    """A server that can be restarted: storage and key outlive it."""

    def __init__(self, store: MemoryStore, key: ServerKey) -> None:
        self.store = store
        self.key = key
        self.clock = Clock()
        self.daily = DailyRaces(store.standings, key, self.clock)

    async def restart(self) -> None:
        self.daily = DailyRaces(self.store.standings, self.key, self.clock)
        await self.daily.note_alive()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with MemoryStore() as store:
        one = Server(store, new_key())
        await one.restart()
        row = ProfileRow("BCDFGHJK", "Ann", day_start_ms(DAY - 100))
        await store.standings.create_profile(row, "0" * 64, "phone")
        yield one


async def race(server: Server, day: int, event: str = "3x3") -> None:
    await server.store.standings.claim_daily("BCDFGHJK", event, day, f"ROOM{day}")


async def test_day_changes_at_midnight(server: Server) -> None:
    server.clock.ms = day_start_ms(DAY + 1) - 1
    assert await server.daily.today() == DAY
    server.clock.ms += 1
    assert await server.daily.today() == DAY + 1


async def test_day_stays_the_same_after_the_clock_is_set_back(server: Server) -> None:
    server.clock.ms += DAY_MS
    assert await server.daily.today() == DAY + 1
    server.clock.ms -= 3 * DAY_MS
    assert await server.daily.today() == DAY + 1
    server.clock.ms += 4 * DAY_MS
    assert await server.daily.today() == DAY + 2


async def test_day_stays_the_same_after_a_restart_with_the_clock_set_back(
    server: Server,
) -> None:
    """It was noted when somebody learned of it, not only every ten minutes."""
    server.clock.ms += DAY_MS
    assert await server.daily.today() == DAY + 1
    server.clock.ms -= DAY_MS
    await server.restart()
    assert await server.daily.today() == DAY + 1


async def test_day_that_nobody_has_seen_is_forgotten(server: Server) -> None:
    server.clock.ms += DAY_MS
    server.clock.ms -= DAY_MS
    await server.restart()
    assert await server.daily.today() == DAY


async def test_restart_just_before_midnight_changes_nothing(server: Server) -> None:
    server.clock.ms = day_start_ms(DAY + 1) - 1_000
    before = await server.daily.today()
    await server.restart()
    assert await server.daily.today() == before == DAY
    server.clock.ms += 1_000
    assert await server.daily.today() == DAY + 1


async def test_secrets_lead_to_the_anchors_and_survive_a_restart(
    server: Server,
) -> None:
    for event in EVENTS:
        anchor = server.daily.anchor(event)
        for day in (FIRST_DAY, DAY, LAST_DAY):
            secret = server.daily.secret(event, day)
            assert anchor_of(secret, event, day).hex() == anchor
            again = DailyRaces(server.store.standings, server.key, server.clock)
            assert again.secret(event, day) == secret
    assert len({server.daily.anchor(event) for event in EVENTS}) == 3


async def test_another_key_has_other_boards(server: Server) -> None:
    other = DailyRaces(server.store.standings, new_key(), server.clock)
    assert other.anchor("3x3") != server.daily.anchor("3x3")


async def test_state_says_streak_date_and_used_attempts(server: Server) -> None:
    assert await server.daily.state("BCDFGHJK") == DailyState(0, "2026-11-30", [])
    for day in (DAY - 1, DAY - 2):
        await race(server, day)
    await race(server, DAY, "5x5")
    await race(server, DAY, "3x3")
    found = await server.daily.state("BCDFGHJK")
    assert found == DailyState(3, "2026-11-30", ["3x3", "5x5"])
    server.clock.ms += DAY_MS
    assert await server.daily.state("BCDFGHJK") == DailyState(3, "2026-12-01", [])


async def test_long_downtime_breaks_no_streak(server: Server) -> None:
    await race(server, DAY)
    for _ in range(20):
        server.clock.ms += HOUR_MS // 6
        await server.daily.note_alive()
    server.clock.ms = day_start_ms(DAY + 2) - 2 * HOUR_MS  # down from 15:20 to 22:00
    await server.restart()
    await race(server, DAY + 2)
    server.clock.ms += 3 * HOUR_MS
    assert (await server.daily.state("BCDFGHJK")).streak == 2
