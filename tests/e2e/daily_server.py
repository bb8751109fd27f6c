"""Servers on which people with profiles race on the daily board."""

import contextlib
from collections.abc import AsyncGenerator
from hashlib import sha256

from tests.e2e.protocol_client import FastClock, running_server
from tests.e2e.stores import FaultyStore

from sliderace.race.daily import DAY_MS, day_start_ms, parse_date
from sliderace_server.app import Server
from sliderace_server.limits import Limits
from sliderace_server.storage import ProfileRow, ResultsStore

__all__ = ["DAY", "NOON_MS", "SECRETS", "WallClock", "add_profile", "daily_server"]

DAY = parse_date("2026-11-30")
NOON_MS = day_start_ms(DAY) + DAY_MS // 2
SECRETS = {name: name[0].lower().encode().hex() * 16 for name in ("Ann", "Ben")}
"""Name -> secret of the profile of that name."""


class WallClock(FastClock):
    """A fast clock whose wall clock a test sets.

    Args:
        wall_ms: Unix time now.
        factor: how many times as fast as real time it runs.
    """

    def __init__(self, wall_ms: int = NOON_MS, factor: float = 10) -> None:
        super().__init__(factor)
        self.set(wall_ms)

    def set(self, wall_ms: int) -> None:
        """Set the wall clock; the monotonic clock is not affected."""
        self._offset_ms = wall_ms - self.now_ms()

    def wall_ms(self) -> int:
        return self.now_ms() + self._offset_ms


async def add_profile(
    store: FaultyStore | ResultsStore,
    name: str,
    id_: str,
    created_ms: int = NOON_MS - 30 * DAY_MS,
) -> None:
    """Create a profile with the secret of `SECRETS`."""
    key_hash = sha256(SECRETS[name].encode()).hexdigest()
    row = ProfileRow(id_, name, created_ms)
    assert await store.standings.create_profile(row, key_hash, "phone")


@contextlib.asynccontextmanager
async def daily_server(
    clock: WallClock | None = None,
    store: FaultyStore | None = None,
    limits: Limits | None = None,
    **more: object,
) -> AsyncGenerator[tuple[Server, FaultyStore]]:
    """Run a server on which Ann and Ben have profiles."""
    used = store or FaultyStore()
    async with running_server(
        limits, clock=clock or WallClock(), store=used, **more
    ) as server:
        if store is None:
            await add_profile(used, "Ann", "BCDFGHJK")
            await add_profile(used, "Ben", "LMNPQRST")
        yield server, used
