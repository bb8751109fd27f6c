"""Store races and what they change in profiles, each race in one transaction.

The functions block, and take a writing connection in autocommit mode. A transaction
reads everything on which its changes depend, so several processes can write.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from sliderace_server.storage.folding import (
    Change,
    Owner,
    changes,
    credited,
    ranked,
)
from sliderace_server.storage.ports import (
    AttemptGains,
    AttemptRow,
    RaceSummary,
    StoredRace,
)
from sliderace_server.storage.sql_rows import (
    ATTEMPT,
    SUMMARY,
    decode_tally,
    encode_tally,
    owner_columns,
    race_values,
    race_with_attempt,
)
from sliderace_server.storage.standings import UNKNOWN, Best, Tally

from .opening import transaction

__all__ = [
    "BestTimes",
    "add_bests",
    "credit",
    "remove_bests",
    "set_tallies",
    "store",
]

decode_values = msgspec.json.Decoder(list[int]).decode

_RACE = """
INSERT INTO race
(id, room, started_ms, size, public, record, kind, md, sealed_until_ms, day)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
"""
_ATTEMPT = """
INSERT INTO attempt
(race, rank, seat, name, status, place, time_ms, stm, mtm, bot, input, counts,
solve_ms, first_ms, pauses, profile, event, number, started_ms, public, daily)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_CREDIT = """
UPDATE attempt SET profile = ?, event = ?, number = ?, started_ms = ?, public = ?,
    daily = ?, counts = ? WHERE race = ? AND seat = ?
"""
_OWNERS = """
SELECT id, created_ms, hidden IS NOT NULL, tally FROM profile
LEFT JOIN tally ON tally.profile = profile.id AND event = ?
WHERE profile.id IN (SELECT value FROM json_each(?))
"""
_TALLY = """
INSERT INTO tally (profile, event, tally) VALUES (?, ?, ?)
ON CONFLICT (profile, event) DO UPDATE SET tally = excluded.tally
"""
_KNOWN_BEST = """
SELECT value_ms FROM best
WHERE event = ? AND kind = ? AND input = ? AND period = ? AND profile = ?
"""
_REMOVE_BEST = """
DELETE FROM best
WHERE event = ? AND kind = ? AND input = ? AND period = ? AND value_ms = ?
AND profile = ?
"""
_ADD_BEST = """
INSERT INTO {table}
(event, kind, input, period, value_ms, started_ms, race, used, profile)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_TIMES = """
SELECT json_group_array(value_ms) FROM (SELECT value_ms FROM best
    WHERE event = ? AND kind = 'single' AND input = '' AND period = 0
    ORDER BY value_ms)
"""
"""One text instead of fifty thousand rows, which would block the event loop."""
_OF_NOBODY = (None,) * 6


class BestTimes:
    """A cache of all best times of each event, because counting rows takes too long.

    It is read again after another connection has changed the database.
    """

    def __init__(self) -> None:
        self._version = 0
        self._times: dict[str, list[int]] = {}

    def times(self, db: sqlite3.Connection, event: str) -> list[int]:
        """Return the times in order; the caller updates them, in a transaction."""
        (version,) = db.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._times.clear()
            self._version = version
        if event not in self._times:
            (times,) = db.execute(_TIMES, (event,)).fetchone()
            self._times[event] = decode_values(times)
        return self._times[event]


def store(
    db: sqlite3.Connection, best_times: BestTimes, race: StoredRace
) -> list[AttemptGains]:
    """Store a race; see `Results.store`.

    Raises:
        ValueError: A number is too large for the database.
        sqlite3.IntegrityError: The race is inconsistent.
    """
    summary = race.summary
    event = summary.size
    try:
        with transaction(db):
            if not db.execute(_RACE, race_values(race)).rowcount:
                return []
            owners = _owners(db, event, [row.profile for row in summary.attempts])
            found = changes(summary, owners)
            times = best_times.times(db, event) if found else []
            owned = {one.seat: owner_columns(event, one).values() for one in found}
            rows = [
                (summary.id, rank, *_row(one), *owned.get(one.seat, _OF_NOBODY))
                for rank, one in enumerate(summary.attempts)
            ]
            db.executemany(_ATTEMPT, rows)
            _apply(db, event, found)
    except OverflowError as error:
        raise ValueError(f"race {summary.id!r}: a number is too large") from error
    return ranked(times, found)


def credit(
    db: sqlite3.Connection, best_times: BestTimes, race: str, seat: int, profile: str
) -> AttemptGains | None:
    """Give a guest's attempt to a profile; see `Standings.credit`."""
    with transaction(db):
        found = _attempt_of(db, race, seat)
        if found is None:
            return None
        event, (row,) = found.size, found.attempts
        owner = _owners(db, event, [profile]).get(profile)
        one = owner and credited(found, row, profile, owner)
        if one is None:
            return None
        times = best_times.times(db, event)
        if row.profile is None:
            more = (one.attempt.counts, race, seat)
            db.execute(_CREDIT, (*owner_columns(event, one).values(), *more))
            _apply(db, event, [one])
    return ranked(times, [one])[0]


def _row(row: AttemptRow) -> tuple[object, ...]:
    """Return the columns of every attempt."""
    return (
        row.seat,
        row.name,
        row.status,
        row.place,
        row.time_ms,
        row.stm,
        row.mtm,
        row.bot,
        row.input,
        row.counts,
        row.solve_ms,
        row.first_ms,
        row.pauses,
    )


def _owners(
    db: sqlite3.Connection, event: str, profiles: Sequence[str | None]
) -> dict[str, Owner]:
    """Return those of the profiles that exist."""
    if not any(profiles):
        return {}
    return {
        profile: Owner(
            created_ms, bool(hidden), decode_tally(tally) if tally else Tally()
        )
        for profile, created_ms, hidden, tally in db.execute(
            _OWNERS, (event, json.dumps(profiles))
        )
    }


def _attempt_of(db: sqlite3.Connection, race: str, seat: int) -> RaceSummary | None:
    """Return a race with only one of its attempts; None: there is no such attempt."""
    query = f"""
        SELECT {SUMMARY}, {ATTEMPT} FROM attempt JOIN race ON race.id = race
        WHERE race = ? AND seat = ?
        """  # noqa: S608 - a constant
    found = db.execute(query, (race, seat)).fetchone()
    return race_with_attempt(found) if found else None


# --- Tallies and bests ---------------------------------------------------------------


def _apply(db: sqlite3.Connection, event: str, found: Sequence[Change]) -> None:
    """Write what attempts change in their profiles."""
    set_tallies(db, [(one.profile, event, one.folded.tally) for one in found])
    for one in found:
        bests = () if one.owner.hidden else one.folded.bests
        new = [_known(db, event, one.profile, best) for best in bests]
        new = [it for it in new if it.before is None or it.value_ms < it.before]
        old = [it._replace(value_ms=it.before) for it in new if it.before is not None]
        remove_bests(db, event, one.profile, old)
        add_bests(db, event, one.profile, new)


def _known(db: sqlite3.Connection, event: str, profile: str, best: Best) -> Best:
    """Find out what its profile has on the leaderboard, if that is unknown."""
    if best.before != UNKNOWN:
        return best
    found = db.execute(_KNOWN_BEST, (event, *best[:3], profile)).fetchone()
    return best._replace(before=found and found[0])


def set_tallies(
    db: sqlite3.Connection, tallies: Iterable[tuple[str, str, Tally]]
) -> None:
    """Write tallies of profiles in events."""
    values = [(profile, event, encode_tally(one)) for profile, event, one in tallies]
    db.executemany(_TALLY, values)


def remove_bests(
    db: sqlite3.Connection, event: str, profile: str, bests: Iterable[Best]
) -> None:
    """Remove a profile's bests from leaderboards, if they are there."""
    rows = [(event, *best[:4], profile) for best in bests]
    if rows:
        db.executemany(_REMOVE_BEST, rows)


def add_bests(
    db: sqlite3.Connection,
    event: str,
    profile: str,
    bests: Iterable[Best],
    table: str = "best",
) -> None:
    """Add a profile's bests to leaderboards on which it is not yet."""
    rows = [(event, *best[:7], profile) for best in bests]
    if rows:
        db.executemany(_ADD_BEST.format(table=table), rows)
