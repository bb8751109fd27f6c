"""The statements about leaderboards; see `queries`."""

import json
from collections.abc import Mapping
from typing import Any

import aiosqlite

from sliderace_server.storage.folding import placed
from sliderace_server.storage.ports import AROUND, Board, BoardQuery, BoardRow
from sliderace_server.storage.sql_rows import decode_tally
from sliderace_server.storage.standings import UNKNOWN, period

__all__ = ["board"]

_ON_BOARD = "event = :event AND kind = :kind AND input = :input AND period = :period"
_COUNT = f"(SELECT count(*) FROM best WHERE {_ON_BOARD} {{better}})"  # noqa: S608
_TOTAL = _COUNT.format(better="")
_BETTER = "AND value_ms < :first"
_BETWEEN = "AND value_ms >= :first AND value_ms < json_each.value"
_PLACES = f"""
SELECT value, 1 + {_COUNT.format(better=_BETTER)} + {_COUNT.format(better=_BETWEEN)}
FROM json_each(:values)
"""  # noqa: S608 - constants
"""The place of each value. Only that of the first one needs a long count."""
_ROWS = f"""
SELECT best.profile, profile.name, value_ms, race, started_ms, used {{more}}
FROM best JOIN profile ON profile.id = best.profile WHERE {_ON_BOARD} {{near}}
ORDER BY value_ms {{desc}}, started_ms {{desc}}, best.profile {{desc}} LIMIT :limit
"""  # noqa: S608 - constants
_NEAR = """
AND (value_ms, started_ms, best.profile) {sign} (:own_ms, :own_started_ms, :profile)
"""
_OWN = f"""
SELECT value_ms, started_ms FROM best
WHERE {_ON_BOARD} AND value_ms BETWEEN :least AND :most AND profile = :profile
"""  # noqa: S608 - constants
_MOST = (1 << 63) - 1
"""No value is greater."""


async def board(
    db: aiosqlite.Connection, query: BoardQuery, profile: str | None, limit: int
) -> Board:
    """Return a leaderboard; see `Standings.board`."""
    number = period(query.span, query.day)
    wanted = {
        "event": query.event,
        "kind": query.kind,
        "input": query.input or "",
        "period": number,
        "profile": profile,
        "limit": max(1, limit),
    }
    top = _ROWS.format(more=f", {_TOTAL}", near="", desc="")
    rows = [*await db.execute_fetchall(top, wanted)]
    if not rows:
        return Board(0, ())
    best = placed(row for *row, _ in rows[:limit])
    around: tuple[BoardRow, ...] = ()
    if profile and (own := await _own(db, query, wanted)):
        around = await _around(db, wanted, *own)
    return Board(rows[0][-1], best, around)


async def _own(
    db: aiosqlite.Connection, query: BoardQuery, wanted: Mapping[str, Any]
) -> tuple[int, int] | None:
    """Return value and start of a profile's row; None: it is not there, or hidden."""
    select = "SELECT tally FROM tally WHERE profile = :profile AND event = :event"
    for (tally,) in await db.execute_fetchall(select, wanted):
        board = query.kind, query.input or "", wanted["period"]
        value = decode_tally(tally).listed_best(*board)
        if value is not None:
            # An unknown one is looked for in the whole leaderboard.
            least, most = (0, _MOST) if value == UNKNOWN else (value, value)
            limits = {**wanted, "least": least, "most": most}
            for value_ms, started_ms in await db.execute_fetchall(_OWN, limits):
                return value_ms, started_ms
    return None


async def _around(
    db: aiosqlite.Connection, wanted: Mapping[str, Any], own_ms: int, started_ms: int
) -> tuple[BoardRow, ...]:
    """Return the rows around a profile, and its own."""
    wanted = {**wanted, "own_ms": own_ms, "own_started_ms": started_ms}
    sides = (("<", "DESC", AROUND), (">=", "", AROUND + 1))
    found: list[tuple[Any, ...]] = []
    for sign, desc, limit in sides:
        query = _ROWS.format(more="", near=_NEAR.format(sign=sign), desc=desc)
        rows = await db.execute_fetchall(query, {**wanted, "limit": limit})
        found += [tuple(row) for row in rows]
        if desc:
            found.reverse()
    if all(profile != wanted["profile"] for profile, *_ in found):
        return ()  # it has moved meanwhile
    values = [value for _, _, value, *_ in found]
    wanted = {**wanted, "first": values[0], "values": json.dumps(values)}
    rows = await db.execute_fetchall(_PLACES, wanted)
    places = {int(value): int(place) for value, place in rows}
    return tuple(BoardRow(places[row[2]], *row) for row in found)
