"""A server whose profiles have attempts, and pages of their owners."""

import asyncio
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from playwright.sync_api import Page
from tests.browser.conftest import DESKTOP, Pages, start_server

from sliderace_server.registry.profile_codes import profile_id
from sliderace_server.registry.seat_tickets import hashed
from sliderace_server.storage import (
    DAY_MS,
    AttemptRow,
    ProfileRow,
    RaceSummary,
    StoredRace,
)
from sliderace_server.storage.sqlite.store import SqliteStore

__all__ = ["EQUAL", "HOSTILE", "MANY", "open_as", "secret_of", "stored_server"]

MANY = 1_000
"""Attempts of Zoë, the profile with the longest history."""
HOSTILE = "<b>Eve</b>\u202e\u200d  x"
EQUAL = "Wilhelmina Constance"
"""The name of two profiles."""
OTHERS = 110
"""Profiles with a place each, more than a leaderboard shows."""
INPUTS = ("keys", "touch", "click", None)
SEAT = "([key, secret]) => localStorage.setItem(key, secret)"


def secret_of(name: str) -> str:
    """Return the secret of a profile in this store."""
    return sha256(name.encode()).hexdigest()[:32]


def _attempt(profile: str, number: int, time_ms: int | None) -> AttemptRow:
    return AttemptRow(
        0,
        "Name",
        "dnf" if time_ms is None else "finished",
        1,
        time_ms,
        90 + number % 50,
        60,
        profile=profile,
        input=INPUTS[number % len(INPUTS)],  # type: ignore[arg-type]
        solve_ms=None if time_ms is None else time_ms - 300,
        first_ms=300,
        pauses=number % 3,
    )


async def _seed(path: Path) -> None:
    now_ms = int(time.time() * 1000)
    races = iter(range(10**6))

    async def create(name: str, key: str) -> str:
        profile = profile_id(secret_of(key))
        row = ProfileRow(profile, name, now_ms - 400 * DAY_MS)
        await store.standings.create_profile(row, hashed(secret_of(key)), "Firefox")
        return profile

    async def race(profile: str, ago_ms: int, ms: int | None, kind: str) -> None:
        number = next(races)
        summary = RaceSummary(
            f"KWXTRB-SA1B2C-{number}",
            "KWXTRB",
            now_ms - ago_ms,
            "4x4",
            True,
            (_attempt(profile, number, ms),),
            kind=kind,  # type: ignore[arg-type]
            md=38,
        )
        await store.results.store(StoredRace(summary, b"{}"))

    async with SqliteStore(path) as store:
        await create("Nobody", "none")
        await race(await create("One", "one"), 60_000, 12_345, "quick")
        lost = await create("Dan", "dnf")
        for n in range(20, 0, -1):
            await race(lost, n * DAY_MS, None, "solo")
        zoe = await create("Zoë", "many")
        for n in range(MANY, 0, -1):
            ms = None if n % 17 == 0 else 8_000 + n * 3_571 % 4_001
            await race(zoe, n * 7 * 3_600_000, ms, "daily" if n % 9 == 0 else "quick")
        await race(await create(HOSTILE, "hostile"), 60_000, 7_000, "quick")
        for key in ("equal 1", "equal 2"):
            await race(await create(EQUAL, key), 60_000, 7_100, "quick")
        for n in range(OTHERS):
            other = await create(f"Player {n}", f"player {n}")
            await race(other, 60_000, 20_000 + n, "quick")


@contextmanager
def stored_server(folder: Path) -> Generator[str]:
    """Start a server with stored profiles; return its address."""
    path = folder / "rooms.db"
    with ThreadPoolExecutor(1) as thread:  # Playwright's own loop runs in this one
        thread.submit(lambda: asyncio.run(_seed(path))).result()
    with start_server("--port", "0", "--database", str(path)) as server:
        yield server.url


def open_as(
    pages: Pages, key: str, query: str, size: tuple[int, int] = DESKTOP, **how: str
) -> Page:
    """Open a screen as the owner of a profile.

    Args:
        pages: opens it.
        key: see `secret_of`.
        query: the screen, such as `?statistics=4x4`.
        size: of the window.
        how: see `Pages.open`.
    """
    page = pages.open("/healthz", size, **how)  # type: ignore[arg-type]
    page.evaluate(SEAT, ["sliderace.profile./ws", secret_of(key)])
    page.goto(f"{pages.address}/{query}")
    return page
