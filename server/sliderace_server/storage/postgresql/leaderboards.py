"""Leaderboards in PostgreSQL."""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from sliderace_server.storage.folding import placed
from sliderace_server.storage.ports import AROUND, Board, BoardQuery, BoardRow
from sliderace_server.storage.standings import period

from .connections import Connection

__all__ = ["board", "places"]

_ON_BOARD = "event = $1 AND kind = $2 AND input = $3 AND period = $4"
_COUNT = f"(SELECT count(*) FROM best WHERE {_ON_BOARD} {{between}})"  # noqa: S608
_OWN = f"""
SELECT value_ms, started_ms, profile FROM best WHERE {_ON_BOARD} AND profile = $5
"""  # noqa: S608 - a constant
_ROWS = f"""
SELECT best.profile, profile.name, value_ms, race, started_ms, used
FROM best JOIN profile ON profile.id = best.profile
WHERE {_ON_BOARD} {{near}}
ORDER BY value_ms {{desc}}, started_ms {{desc}}, best.profile {{desc}} LIMIT $5
"""  # noqa: S608 - constants
_TOP = _ROWS.format(near="", desc="")
_NEAR = "AND (value_ms, started_ms, best.profile) {sign} ($6, $7, $8)"
_BEFORE = _ROWS.format(near=_NEAR.format(sign="<"), desc="DESC")
_AFTER = _ROWS.format(near=_NEAR.format(sign=">="), desc="")


async def places(
    db: Connection, which: Sequence[object], values: Sequence[int]
) -> tuple[dict[int, int], int]:
    """Return the place of each value on a leaderboard, and its number of rows.

    Args:
        db: A connection.
        which: Event, kind, input and period of the leaderboard.
        values: In order, each once.
    """
    (counts,) = await db.fetch(_counts(len(values)), *which, *values)
    *below, total = accumulate(counts)
    return {value: 1 + n for value, n in zip(values, below, strict=True)}, total


@cache
def _counts(values: int) -> str:
    """Return the query that counts the rows below and between values.

    It counts each row once, because counting is the most expensive part of an answer.
    """
    limits = [f"${n}" for n in range(5, 5 + values)]
    above = ["", *(f"AND value_ms >= {limit}" for limit in limits)]
    below = [*(f"AND value_ms < {limit}" for limit in limits), ""]
    counts = (
        _COUNT.format(between=f"{low} {high}")
        for low, high in zip(above, below, strict=True)
    )
    return f"SELECT {', '.join(counts)}"


async def board(
    db: Connection, query: BoardQuery, profile: str | None, limit: int
) -> Board:
    """Return a leaderboard; see `Standings.board`."""
    number = period(query.span, query.day)
    which = (query.event, query.kind, query.input or "", number)
    top = await db.fetch(_TOP, *which, limit)
    own = await db.fetch(_OWN, *which, profile) if profile else []
    near = list[Sequence[Any]]()
    if own:
        before = await db.fetch(_BEFORE, *which, AROUND, *own[0])
        after = await db.fetch(_AFTER, *which, AROUND + 1, *own[0])
        near = [*reversed(before), *after]
        if all(one != profile for one, *_ in near):
            near = []  # it has moved meanwhile
    values = sorted({value for _, _, value, *_ in near})
    known, total = await places(db, which, values)
    around = tuple(BoardRow(known[row[2]], *row) for row in near)
    return Board(total, placed(top), around)
