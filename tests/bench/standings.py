"""Measure profiles and leaderboards: `python -m tests.bench standings`.

`standings-postgresql` does the same with a PostgreSQL server of its own, except for the
start of a server. CPU time is that of this process, without PostgreSQL's.

A database gets a year of races in SQL and then its tallies and bests by a recount.
SLIDERACE_ATTEMPTS sets how many attempts (one million); a twentieth as many profiles
made them, in sessions of eight races on average, four profiles in a race. Then this
measures every kind of leaderboard, profiles, and storing races of four profiles and of
four guests in turn. The server's start is compared with one on an empty database.
"""

import asyncio
import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import count, product
from pathlib import Path
from statistics import median
from typing import Any

from tests.server.room_fixture import LIMITS, RoomHarness

from sliderace.protocol import messages as m
from sliderace.solve.solver import solve
from sliderace_server.app import running
from sliderace_server.registry.results_writer import stored_race
from sliderace_server.room import RoomState
from sliderace_server.settings import ServerSettings
from sliderace_server.signing_key import new_key
from sliderace_server.storage import BoardQuery, ResultsStore, StoredRace
from sliderace_server.storage.sqlite.store import SqliteStore
from sliderace_server.storage.standings import DAY_MS, KINDS, Span

__all__ = [
    "ATTEMPTS",
    "Figures",
    "asked",
    "figures_of",
    "profile_names",
    "recounted",
    "year",
]

ATTEMPTS = int(os.environ.get("SLIDERACE_ATTEMPTS", "1000000"))
FIRST_DAY = 20_454
"""1 January 2026."""
DAYS = 365
RACERS = 4
PLAYING = 64
"""Profiles that play at the same time."""
SESSION = 8
"""Races in a session."""
RECORD = bytes(5_000)
EVENTS = ("4x4",) * 12 + ("3x3",) * 5 + ("5x5",) * 3
INPUTS = ("keys",) * 9 + ("touch",) * 6 + ("click",) * 3 + ("hover", "mixed")
LISTED: tuple[m.InputName | None, ...] = (None, "keys", "touch", "hover")
STARTS = 15
SAMPLES = 400

Figures = dict[str, Any]


def figures_of(attempts: int = ATTEMPTS) -> Figures:
    """Fill a database, and return all figures."""
    with tempfile.TemporaryDirectory(prefix="sliderace-bench-") as folder:
        path = Path(folder) / "full" / "sliderace.db"
        return asyncio.run(_measured(path, attempts))


async def _measured(path: Path, attempts: int) -> Figures:
    profiles = profile_names(attempts)
    async with SqliteStore(path):
        pass
    empty = path.with_name("empty") / path.name
    found: Figures = {"attempts": attempts, "profiles": len(profiles)}
    found["fill_s"] = _seconds(lambda: _fill(path, profiles, attempts))
    async with SqliteStore(path) as store:
        found |= await recounted(store, attempts)
        found["file_mib"] = round(path.stat().st_size / 2**20)
        found |= await asked(store, profiles)
    starts = [(await _start(empty), await _start(path)) for _ in range(STARTS)]
    for name, times in zip(("empty", "full"), zip(*starts, strict=True), strict=True):
        for clock, values in zip(("", "cpu_"), zip(*times, strict=True), strict=True):
            found[f"start_{name}_{clock}ms"] = round(median(values) * 1e3, 1)
    return found


def profile_names(attempts: int) -> list[str]:
    return [f"P{number:07}" for number in range(max(PLAYING, attempts // 20))]


async def recounted(store: ResultsStore, attempts: int) -> Figures:
    began = now()
    assert await store.standings.recount() == attempts
    wall, cpu = since(began)
    return {"recount_s": round(wall, 1), "recount_cpu_s": round(cpu, 1)}


async def asked(store: ResultsStore, profiles: Sequence[str]) -> Figures:
    chance = random.Random(3)  # noqa: S311
    found = await _boards(store, profiles, chance)
    found |= await _profiles(store, profiles, chance)
    return found | await _storing(store, profiles, chance)


Spent = tuple[float, float]
"""Seconds by the clock, and of CPU time of all threads."""


def now() -> Spent:
    """Return both clocks."""
    return time.perf_counter(), time.process_time()


def since(began: Spent) -> Spent:
    """Return what has passed."""
    wall, cpu = now()
    return wall - began[0], cpu - began[1]


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return round(time.perf_counter() - began, 1)


# --- filling -------------------------------------------------------------------------


def _fill(path: Path, profiles: Sequence[str], attempts: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA cache_size = -200000")
        db.execute("BEGIN")
        insert = "INSERT INTO profile (id, name, created_ms) VALUES (?, ?, 0)"
        db.executemany(insert, [(one, f"Name {one}") for one in profiles])
        races: list[tuple[object, ...]] = []
        rows: list[tuple[object, ...]] = []
        for race, racers in year(profiles, attempts):
            races.append(race)
            rows += racers
            if len(races) == 10_000:
                _insert(db, races, rows)
                races, rows = [], []
        _insert(db, races, rows)
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _insert(
    db: sqlite3.Connection,
    races: Sequence[tuple[object, ...]],
    rows: Sequence[tuple[object, ...]],
) -> None:
    insert = "INSERT INTO race VALUES (?, ?, ?, ?, 1, ?, 'quick', 38, 0, 0, 0)"
    db.executemany(insert, races)
    insert = """
        INSERT INTO attempt
        (race, seat, rank, name, bot, status, place, time_ms, stm, mtm, input, counts,
        solve_ms, first_ms, pauses, profile, event, number, started_ms, public)
        VALUES (?, ?, ?, 'Name', 0, ?, ?, ?, 150, 90, ?, ?, ?, 400, 2, ?, ?, ?, ?, ?)
        """
    db.executemany(insert, rows)


def _paces(profiles: Sequence[str]) -> dict[str, float]:
    """Return the usual time of each profile in ms."""
    chance = random.Random(5)  # noqa: S311
    return {one: chance.lognormvariate(9.6, 0.5) for one in profiles}


def _time(pace: float, chance: random.Random) -> int:
    return round(pace * chance.lognormvariate(0, 0.2))


def year(
    profiles: Sequence[str], attempts: int
) -> Iterator[tuple[tuple[object, ...], list[tuple[object, ...]]]]:
    """Yield the races of a year, with their attempts."""
    chance = random.Random(4)  # noqa: S311
    numbers: dict[tuple[str, str], int] = {}
    paces = _paces(profiles)
    # A tenth of the profiles makes half of the attempts.
    regular = profiles[: len(profiles) // 10]

    def player() -> tuple[str, str]:
        one = chance.choice(regular if chance.random() < 0.5 else profiles)
        return one, chance.choice(EVENTS)

    playing = [player() for _ in range(PLAYING)]
    races = attempts // RACERS
    for number in range(races):
        started = int((FIRST_DAY + number * DAYS / races) * DAY_MS)
        event = chance.choice(playing)[1]
        ready = [n for n, one in enumerate(playing) if one[1] == event]
        while len(ready) < RACERS:
            ready.append(chance.choice([n for n in range(PLAYING) if n not in ready]))
        race = f"KWXTRB-S{number:06}-1"
        rows: list[tuple[object, ...]] = []
        for seat, n in enumerate(chance.sample(ready, RACERS)):
            who = playing[n][0]
            nth = numbers[who, event] = numbers.get((who, event), 0) + 1
            finished = chance.random() < 0.9
            ms = _time(paces[who], chance) if finished else None
            place, solve_ms = (seat + 1, ms and ms - 400) if finished else (None, None)
            status = "finished" if finished else "dnf"
            slid = INPUTS[hash(who) % len(INPUTS)]
            counts, public = chance.random() < 0.97, chance.random() < 0.9
            row = (race, seat, seat, status, place, ms, slid, counts, solve_ms)
            rows.append((*row, who, event, nth, started, public))
            if chance.random() < 1 / SESSION:
                playing[n] = player()
        yield (race, "KWXTRB", started, event, RECORD), rows


# --- reading -------------------------------------------------------------------------


async def _spent(calls: Iterator[Callable[[], Awaitable[object]]]) -> list[Spent]:
    times: list[Spent] = []
    for call in calls:
        began = now()
        await call()
        times.append(since(began))
    return times


def _quantiles(name: str, times: Sequence[Spent]) -> Figures:
    """Return median and 99th percentile by the clock, and of CPU time."""
    found: Figures = {}
    for clock, values in zip(("", "cpu_"), zip(*times, strict=True), strict=True):
        ordered = sorted(values)
        p99 = ordered[int(len(ordered) * 0.99)]
        both = (("p50", median(ordered)), ("p99", p99))
        found |= {f"{name}_{clock}{q}_ms": round(one * 1e3, 2) for q, one in both}
    return found


async def _boards(
    store: ResultsStore, profiles: Sequence[str], chance: random.Random
) -> Figures:
    """Measure every leaderboard, each with a random profile's own rows."""
    found: Figures = {}
    spans: tuple[Span, ...] = ("all", "month", "day")
    for span, kind in product(spans, KINDS):
        queries = [
            BoardQuery(event, kind, slid, span, FIRST_DAY + chance.randrange(DAYS))
            for event, slid in product(sorted(set(EVENTS)), LISTED)
            for _ in range(SAMPLES // 12)
        ]
        look = store.standings.board
        calls = [partial(look, one, chance.choice(profiles)) for one in queries]
        found |= _quantiles(f"board_{span}_{kind}", await _spent(iter(calls)))
    board = await store.standings.board(BoardQuery("4x4"))
    return {**found, "on_largest_board": board.total}


async def _profiles(
    store: ResultsStore, profiles: Sequence[str], chance: random.Random
) -> Figures:
    async def look(profile: str) -> None:
        await store.standings.tallies(profile)
        await store.standings.history(profile, "4x4", None, 50)

    calls = [partial(look, one) for one in chance.choices(profiles, k=SAMPLES)]
    return _quantiles("profile", await _spent(iter(calls)))


# --- storing -------------------------------------------------------------------------


def _finished() -> RoomState:
    """Return a room whose four racers have solved a 4x4 board."""
    harness = RoomHarness(
        m.RulesPatch(size="4x4"), public=True, limits=replace(LIMITS, max_tiles=20_000)
    )
    members = [harness.enter(name) for name in ("Ann", "Ben", "Cat", "Dan")]
    harness.start_race(*members)
    stages = solve(harness.board(members[0]))
    path: list[Any] = [slide for stage in stages for slide in stage]
    for first in range(0, len(path), 4):
        harness.now += 500
        for one in members:
            slides = [
                (d, n, 120 * k) for k, (d, n) in enumerate(path[first : first + 4])
            ]
            harness.ask(one, m.Slides(harness.race, 0, first + 1, slides))
    harness.to_phase("results")
    return harness.state


async def _storing(
    store: ResultsStore, profiles: Sequence[str], chance: random.Random
) -> Figures:
    """Measure storing races of profiles and of guests in turn."""
    state, key, numbers = _finished(), new_key(), count()
    state.kind = "quick"
    stored: dict[str, list[Spent]] = {"guests": [], "profiles": []}
    whole: dict[str, list[Spent]] = {"guests": [], "profiles": []}
    paces, playing = _paces(profiles), chance.sample(profiles, 16)
    started_ms = (FIRST_DAY + DAYS - 1) * DAY_MS
    for number in range(2 * SAMPLES):
        who = "profiles" if number % 2 else "guests"
        if not number % (4 * SESSION):  # some go, others come
            playing[:8] = chance.sample(profiles, 8)
        began = now()
        made = stored_race(state, "bench", key)
        building = since(began)
        racers = chance.sample(playing, RACERS)
        rows = tuple(
            replace(
                row,
                time_ms=_time(paces[profile], chance),
                profile=profile if number % 2 else None,
                input="keys",
            )
            for row, profile in zip(made.summary.attempts, racers, strict=True)
        )
        summary = replace(
            made.summary,
            id=f"KWXTRB-T{next(numbers)}-1",
            attempts=rows,
            started_ms=started_ms + number * 1_000,
        )
        race = StoredRace(summary, made.record)
        began = now()
        gains = await store.results.store(race)
        storing = since(began)
        assert len(gains) == number % 2 * RACERS
        stored[who].append(storing)
        whole[who].append((building[0] + storing[0], building[1] + storing[1]))
    found: Figures = {"record_bytes": len(stored_race(state, "bench", key).record)}
    for name, times in (("store", stored), ("build_and_store", whole)):
        for n, clock in enumerate(("wall", "cpu")):
            guests, theirs = (
                median(one[n] for one in times[who]) * 1e3
                for who in ("guests", "profiles")
            )
            found[f"{name}_{clock}_ms"] = [round(guests, 3), round(theirs, 3)]
            found[f"{name}_{clock}_ratio"] = round(theirs / guests, 3)
    return found


async def _start(path: Path) -> Spent:
    """Return how long a server's start takes."""
    settings = ServerSettings(port=0, data=str(path.parent))
    began = now()
    async with running(settings, page={}):
        return since(began)
