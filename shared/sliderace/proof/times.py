"""The times in a race record, computed again: ends, outages, official times.

The section "Times" of ``docs/race-record.md`` states these rules; the page's twin is
`core/proof/times.js`. A record does not say when a racer lost the connection, left or
gave up. So what depends on it is checked as far as any such moment could explain it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from sliderace.proof.record import Outages, WrittenFinish, WrittenRace, WrittenRacer
from sliderace.race.log_records import Seat
from sliderace.race.ranking import solve_time
from sliderace.race.state import HOLD_MS, RECONNECT_MS
from sliderace.race.timing import (
    MIN_SAMPLES,
    Latency,
    credit_ceiling,
    official_time,
    outage_overlap,
    solving_stamp,
)

__all__ = ["TimeFault", "time_fault"]


class TimeFault(NamedTuple):
    """The first fault among the times.

    Args:
        code: one of `sliderace.proof.verify.FINDINGS`, of the check `times`.
        seat: whose times; None: the race's.
    """

    code: str
    seat: Seat | None = None


def time_fault(race: WrittenRace) -> TimeFault | None:
    """Return the first fault among the times of a record; None: they are right."""
    moments = [*(moment for outage in race.outages for moment in outage), race.ended_ms]
    if moments != sorted(moments):
        return TimeFault("outages_out_of_order")
    if any(_during_outage(race, racer) for racer in race.racers):
        return TimeFault("slide_in_outage")
    grace = _grace(race)
    for racer in race.racers:
        if code := _racer_fault(race, racer, grace):
            return TimeFault(code, racer.seat)
    finishes = _finishes(race)
    if finishes and len(finishes) == len(race.racers):
        last = max(finish.arrival for finish in finishes)
        return None if race.ended_ms == last else TimeFault("end")
    return None


def _racer_fault(race: WrittenRace, racer: WrittenRacer, grace: "_Grace | None") -> str:
    start = _start(race, racer)
    if racer.slides:
        first, last = (start + racer.slides[n].received_ms for n in (0, -1))
        if last > race.ended_ms:
            return "slide_after_end"
        if first < 0:
            return "slide_before_start"
        if _too_late(race, start, last, grace):
            return "slide_too_late"
    if code := _outages_fault(race.outages, racer, start):
        return code
    if racer.status in ("dnf", "dns") and not _may_end(race, racer, grace):
        return "reason"
    if racer.finish is None or not racer.slides:
        return ""
    friendly = race.rules.friendly_timing
    return _finish_fault(racer, racer.finish, friendly=friendly)


def _start(race: WrittenRace, racer: WrittenRacer) -> int:
    """Return when the board was unlocked for a racer, since T0."""
    return race.rules.inspection_ms - racer.lead_ms


# --- When attempts end ---------------------------------------------------------------


class _Grace(NamedTuple):
    """When the grace time ends, since T0: within these bounds.

    It ends when first place is certain, at the earliest. An outage delays that by as
    much as the racers' absence, which a record does not state.
    """

    earliest: int
    latest: int


class _Arrival(NamedTuple):
    """When a solving slide arrived, since T0; of which racer, with which time."""

    arrival: int
    racer: int
    best: int


def _finishes(race: WrittenRace) -> list[_Arrival]:
    return [
        _Arrival(_start(race, one) + one.finish.g_ms, n, one.finish.official_ms)
        for n, one in enumerate(race.racers)
        if one.finish
    ]


def _grace(race: WrittenRace) -> _Grace | None:
    """Return the end of the grace time; None: nobody finished."""
    rules, starts = race.rules, [_start(race, racer) for racer in race.racers]
    finishes = _finishes(race)
    if not finishes:
        return None
    first = min(finishes).arrival
    absent = sum(up + RECONNECT_MS - down for down, up in race.outages if down < first)
    credit = credit_ceiling(friendly=rules.friendly_timing)
    ends: list[_Grace] = []
    for arrival, n, best in finishes:
        if arrival > first:
            continue
        until = arrival + rules.grace_for(best)
        if (limit := rules.time_limit_ms) is not None:
            until = min(until, max(starts) + limit)
        others = [*starts[:n], *starts[n + 1 :]]
        certain = max(others, default=0) + best + credit + 1
        latest = max(until, certain + absent, arrival + 1)  # that slide was in time
        ends.append(_Grace(max(until, certain), latest))
    # Several may have arrived in the same ms; any of them may have been first.
    return _Grace(min(end.earliest for end in ends), max(end.latest for end in ends))


def _too_late(race: WrittenRace, start: int, moment: int, grace: _Grace | None) -> bool:
    """Whether nobody could slide at this moment since T0 any more."""
    limit = race.rules.time_limit_ms
    ends = [] if limit is None else [start + limit]
    ends += [] if grace is None else [grace.latest]
    if not ends:
        return False
    end = min(ends)
    for down, up in race.outages:
        end = max(end, up + HOLD_MS) if down < end else end
    return moment >= end


def _may_end(race: WrittenRace, racer: WrittenRacer, grace: _Grace | None) -> bool:
    """Whether an attempt can have ended for the reason that the record states."""
    start, limit, ended = _start(race, racer), race.rules.time_limit_ms, race.ended_ms
    limited = None if limit is None else start + limit
    match racer.why:
        case "limit":
            in_grace = grace is not None and grace.latest < (limited or 0)
            return limited is not None and ended >= limited and not in_grace
        case "grace":
            in_limit = limited is not None and grace and grace.earliest >= limited
            return grace is not None and ended >= grace.earliest and not in_limit
        case "away":
            last = start + racer.slides[-1].received_ms if racer.slides else 0
            return ended >= max(0, last) + race.rules.away_ms
        case _:
            return True


# --- Outages -------------------------------------------------------------------------


def _during_outage(race: WrittenRace, racer: WrittenRacer) -> bool:
    """Whether a slide arrived while the server was down."""
    start = _start(race, racer)
    arrivals = [start + slide.received_ms for slide in racer.slides]
    return any(
        bisect_right(arrivals, down) < bisect_left(arrivals, up)
        for down, up in race.outages
    )


def _outages_fault(outages: Outages, racer: WrittenRacer, start: int) -> str:
    """Check that a racer's outages are all those before the racer's finish."""
    met = outages
    if racer.finish:
        arrival = start + racer.finish.g_ms
        met = tuple(outage for outage in outages if outage[0] < arrival)
    if len(racer.outages) < len(met):
        return "missing_outage"
    if len(racer.outages) > len(met):
        return "foreign_outage"
    pairs = zip(racer.outages, met, strict=True)
    same = all(_is_part(own, outage, start) for own, outage in pairs)
    return "" if same else "foreign_outage"


def _is_part(own: tuple[int, int], outage: tuple[int, int], start: int) -> bool:
    """Whether `own` is this outage for a racer: it ends when the racer is back."""
    down, up = outage[0] - start, outage[1] - start
    soonest, latest = max(0, up), max(0, up + RECONNECT_MS)
    return own[0] == max(0, down) and soonest <= own[1] <= latest


# --- Official times ------------------------------------------------------------------


def _finish_fault(racer: WrittenRacer, finish: WrittenFinish, *, friendly: bool) -> str:
    first, last = racer.slides[0], racer.slides[-1]
    latency = Latency(finish.rtt_ms, finish.jitter_ms, MIN_SAMPLES, finish.outage_ms)
    best = official_time(finish.g_ms, finish.e_ms, latency, friendly=friendly)
    stated = last.stamp_ms - first.stamp_ms
    solve_ms = solve_time(stated, first.received_ms, best)
    outage_ms = _overlap(racer, finish.g_ms)
    stamps = [slide.stamp_ms for slide in racer.slides]
    stamp = None if racer.approx else solving_stamp(stamps)
    holds = {
        "arrival": finish.g_ms == last.received_ms,
        "stamp": finish.e_ms == stamp,
        "outage": finish.outage_ms == outage_ms,
        "official": finish.official_ms == best,
        "credit": finish.credit_ms == finish.g_ms - best,
        "solve_time": finish.solve_ms == solve_ms,
    }
    return next((code for code, right in holds.items() if not right), "")


def _overlap(racer: WrittenRacer, g: int) -> int:
    arrivals = [slide.received_ms for slide in racer.slides]
    met: Iterable[tuple[int, int]] = (
        (down, min(end, g)) for down, end in racer.outages
    )
    return outage_overlap(arrivals, met, 0, g)
