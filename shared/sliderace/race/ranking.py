"""Rank racers: one order for screens, results and the race record.

Finishers come first, by official time; then racers who are still racing; then DNF by
best progress, then by when they reached it, then by fewer moves; then forfeits by the
same order; DNS last. Equals share a place (1, 1, 3). A DNF is a status, never a time.

If the official times of two neighbours differ by less than the jitter of their
connections, they are in a *photo finish*: the order stands, but does not show who was
faster.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from sliderace.race.log_records import Seat
from sliderace.race.state import Attempt, Race, Status
from sliderace.race.timing import jitter_allowance

__all__ = ["MAX_TPS", "Row", "plausible", "rank", "solve_time", "standings"]

MAX_TPS = 200
"""More tiles per second than anybody can move in a whole solve: record solvers reach
149 in their best second, and 405 in five."""

_ORDER: dict[Status, int] = {
    "finished": 0,
    "racing": 1,
    "dnf": 2,
    "forfeited": 3,
    "dns": 4,
}
_WITHOUT_PLACE = ("racing", "dns")


@dataclass(frozen=True, slots=True)
class Row:
    """One racer in the ranking.

    Attributes:
        seat: the racer's seat.
        status: ``racing`` only while the race runs.
        why: reason of ``dnf`` and ``dns``: limit, grace, away, left, kicked, called.
        time_ms: official time; None unless finished.
        solve_ms: first to last slide, see `solve_time`; None unless finished.
        credit_ms: time of arrival minus official time.
        stm: moves in the single-tile metric.
        mtm: moves in the multi-tile metric.
        high: best progress, in thousandths.
        high_ms: when it was first reached, since the board was unlocked.
        outage_ms: part of the credit that is for outages of the server.
        jitter_ms: M, as it counted; 0 unless finished.
        place: 1, 1, 3 ...; provisional while the race runs; None while racing, and for
            DNS.
        photo: whether this is a photo finish with a neighbour.
    """

    seat: Seat
    status: Status
    why: str
    time_ms: int | None
    solve_ms: int | None
    credit_ms: int
    stm: int
    mtm: int
    high: int
    high_ms: int
    outage_ms: int = 0
    jitter_ms: int = 0
    place: int | None = None
    photo: bool = False


def standings(race: Race) -> list[Row]:
    """Return the racers of a race, best first; empty before the draw."""
    return rank(_row(attempt) for attempt in race.attempts.values())


def rank(rows: Iterable[Row]) -> list[Row]:
    """Return the rows in order, with places and photo finishes.

    Args:
        rows: in any order; their `place` and `photo` are ignored.
    """
    ordered = sorted(rows, key=lambda row: (_key(row), row.seat))
    placed: list[Row] = []
    for n, row in enumerate(ordered, 1):
        place: int | None = n
        if row.status in _WITHOUT_PLACE:
            place = None
        elif placed and _key(placed[-1]) == _key(row):
            place = placed[-1].place
        placed.append(replace(row, place=place, photo=False))
    for n, (one, other) in enumerate(pairwise(placed)):
        if _is_photo(one, other):
            placed[n] = replace(placed[n], photo=True)
            placed[n + 1] = replace(other, photo=True)
    return placed


def _is_photo(one: Row, other: Row) -> bool:
    if one.time_ms is None or other.time_ms is None:
        return False
    allowance = jitter_allowance(max(one.jitter_ms, other.jitter_ms))
    return abs(one.time_ms - other.time_ms) < allowance


def _key(row: Row) -> tuple[int, ...]:
    order = _ORDER[row.status]
    if row.time_ms is not None:
        return order, row.time_ms
    return order, -row.high, row.high_ms, row.stm


def _row(attempt: Attempt) -> Row:
    finish, slides = attempt.finish, attempt.slides
    time_ms = solve_ms = None
    credit_ms = outage_ms = jitter_ms = 0
    if finish is not None:
        time_ms, credit_ms = finish.official, finish.g - finish.official
        outage_ms, jitter_ms = finish.outage, finish.jitter
        first, last = slides[0], slides[-1]
        solve_ms = solve_time(
            last.stamp - first.stamp, first.t - attempt.unlocks_at, finish.official
        )
    return Row(
        seat=attempt.seat,
        status=attempt.status,
        why=attempt.why,
        time_ms=time_ms,
        solve_ms=solve_ms,
        credit_ms=credit_ms,
        stm=attempt.stm,
        mtm=attempt.mtm,
        high=attempt.high,
        high_ms=attempt.high_at - attempt.unlocks_at,
        outage_ms=outage_ms,
        jitter_ms=jitter_ms,
    )


def solve_time(stated: int, first: int, official: int) -> int:
    """Return the time from first to last slide, in ms.

    The client states it, but the first slide was made before it arrived, and the last
    one at the official time.

    Args:
        stated: from first to last slide by the client's timestamps.
        first: arrival of the first slide, since the board was unlocked.
        official: the official time.
    """
    return min(max(0, stated, official - first), official)


def plausible(solve_ms: int | None, stm: int) -> int | None:
    """Return a solve time that can be shown; None if nobody can be so fast.

    Nothing bounds it if all slides arrived at once.

    Args:
        solve_ms: see `Row`.
        stm: tiles moved in this time.

    >>> plausible(230, 46), plausible(229, 46), plausible(0, 1)
    (230, None, None)
    """
    return solve_ms if solve_ms and stm * 1_000 <= MAX_TPS * solve_ms else None
