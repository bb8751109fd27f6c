"""Compute tallies and bests again, in PostgreSQL."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from sliderace_server.storage.folding import ATTEMPTS, counted
from sliderace_server.storage.sql_rows import encode_tally

from .connections import LONG_S, Connection

__all__ = ["add_bests", "recount"]

AT_ONCE = 50_000
"""Attempts in memory at once: about fifty megabytes."""
_ALL = ATTEMPTS.format(which="profile IS NOT NULL")
_ONE = ATTEMPTS.format(which="profile = $1")
TALLY = ("profile", "event", "tally")
BEST = (
    "profile",
    "event",
    "kind",
    "input",
    "period",
    "value_ms",
    "started_ms",
    "race",
    "used",
)


async def recount(db: Connection) -> int:
    """Compute all tallies and bests again; return how many attempts were counted.

    Until the end of the transaction, no race of a profile can be stored, but everything
    can be read.

    Args:
        db: A connection in a transaction.
    """
    await db.execute("LOCK TABLE tally IN EXCLUSIVE MODE", timeout=LONG_S)
    for table in ("tally", "best"):
        await db.execute(f"DELETE FROM {table}", timeout=LONG_S)  # noqa: S608 - constants
    query = "SELECT id FROM profile WHERE hidden IS NOT NULL"
    hidden = {profile for (profile,) in await db.fetch(query)}
    count = 0
    async for rows in _parts(db):
        tallies = list[Sequence[object]]()
        bests = list[Sequence[object]]()
        for profile, event, tally, found in counted(rows):
            count += tally.number
            tallies.append((profile, event, encode_tally(tally)))
            if profile not in hidden:
                bests += [(profile, event, *best[:7]) for best in found]
        await _insert(db, "tally", TALLY, tallies)
        await _insert(db, "best", BEST, bests)
    return count


async def add_bests(db: Connection, profile: str) -> None:
    """Add the bests of a profile that has none and is locked."""
    attempts = await db.fetch(_ONE, profile, timeout=LONG_S)
    bests = [
        (profile, event, *best[:7])
        for _, event, _, found in counted(attempts)
        for best in found
    ]
    await _insert(db, "best", BEST, bests)


async def _insert(
    db: Connection,
    table: str,
    columns: Sequence[str],
    records: Sequence[Sequence[object]],
) -> None:
    await db.copy_records_to_table(
        table, records=records, columns=columns, timeout=LONG_S
    )


async def _parts(db: Connection) -> AsyncGenerator[list[Sequence[Any]], None]:
    """Yield the attempts for `counted`; those of a profile in an event together."""
    cursor = await db.cursor(_ALL, timeout=LONG_S)
    rest = list[Sequence[Any]]()
    while rows := await cursor.fetch(AT_ONCE, timeout=LONG_S):
        rest += rows
        last = rest[-1][:2]
        at = len(rest)
        while at and rest[at - 1][:2] == last:
            at -= 1
        yield rest[:at]
        rest = rest[at:]
    yield rest
