"""What attempts change in profiles, in PostgreSQL.

Several servers store races at the same time. Each locks the profiles of a race, in the
order of their ids, before it reads their totals, and until it has stored the new ones.
So no attempt is missing from a total.
"""

import json
from collections.abc import Sequence
from typing import Any

from sliderace_server.storage.folding import (
    Change,
    Owner,
    gains,
    lowest,
    ranked_times,
)
from sliderace_server.storage.ports import AttemptGains
from sliderace_server.storage.sql_rows import decode_tally, encode_tally
from sliderace_server.storage.standings import ALL_INPUTS, Tally

from .connections import Connection
from .leaderboards import places

__all__ = [
    "CHANGE",
    "changed_rows",
    "gains_of",
    "owners",
    "rows_json",
]

CHANGE = """
tallies AS (
    INSERT INTO tally SELECT one.* FROM stored,
        json_populate_recordset(NULL::tally, $1::json) AS one
    ON CONFLICT (profile, event) DO UPDATE SET tally = excluded.tally
), bests AS (
    INSERT INTO best SELECT one.* FROM stored,
        json_populate_recordset(NULL::best, $2::json) AS one
    ON CONFLICT (profile, event, kind, input, period) DO UPDATE SET
        value_ms = excluded.value_ms,
        race = excluded.race,
        started_ms = excluded.started_ms,
        used = excluded.used
    WHERE excluded.value_ms < best.value_ms
)
"""
"""Parts of a statement: they store `changed_rows` if the part `stored` has a row."""


def rows_json(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows for `json_populate_recordset`; missing columns are NULL."""
    return json.dumps(rows, ensure_ascii=False)


async def owners(
    db: Connection, event: str, profiles: Sequence[str]
) -> dict[str, Owner]:
    """Lock profiles until the end of the transaction; return those that exist.

    Args:
        db: A connection in a transaction.
        event: An event.
        profiles: Their ids.
    """
    query = """
        SELECT id, created_ms, hidden IS NOT NULL FROM profile
        WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE
        """
    locked = await db.fetch(query, profiles)
    # A separate statement sees what was stored while the first one waited for locks.
    # It locks its rows because of `recount`, which locks the table.
    query = """
        SELECT profile, tally FROM tally
        WHERE event = $1 AND profile = ANY($2) FOR NO KEY UPDATE
        """
    found = await db.fetch(query, event, profiles)
    tallies = {profile: decode_tally(tally) for profile, tally in found}
    return {
        profile: Owner(created_ms, hidden, tallies.get(profile, Tally()))
        for profile, created_ms, hidden in locked
    }


def changed_rows(event: str, found: Sequence[Change]) -> tuple[str, str]:
    """Return the rows of `tally` and `best` that attempts change, for `CHANGE`."""
    last = {one.profile: one.folded.tally for one in found}
    tallies = [
        {"profile": profile, "event": event, "tally": encode_tally(tally)}
        for profile, tally in last.items()
    ]
    bests = [
        {"profile": profile, "event": event, **best._asdict()}
        for profile in last
        for best in lowest(
            best
            for one in found
            if one.profile == profile and not one.owner.hidden
            for best in one.folded.bests
        )
    ]
    return rows_json(tallies), rows_json(bests)


async def gains_of(
    db: Connection, event: str, found: Sequence[Change]
) -> list[AttemptGains]:
    """Return the gains of attempts that have been stored in this transaction."""
    known, total = dict[int, int](), 0
    if any(one.attempt.counts and one.attempt.public for one in found):
        which = (event, "single", ALL_INPUTS, 0)
        known, total = await places(db, which, ranked_times(found))
    return gains(found, known, total)
