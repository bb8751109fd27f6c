"""What a race changes in the profiles of its racers; the same for all adapters."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from sliderace_server.storage.standings import (
    DAY_MS,
    Attempt,
    Best,
    Folded,
    Tally,
    fold,
    pace,
)

from .ports import (
    AttemptGains,
    AttemptRow,
    BoardRow,
    EventTally,
    GainRow,
    RaceSummary,
    event_order,
)

__all__ = [
    "ATTEMPTS",
    "DELETED",
    "Change",
    "Owner",
    "change",
    "changes",
    "counted",
    "credited",
    "event_tallies",
    "gains",
    "lowest",
    "placed",
    "ranked",
    "ranked_times",
]

DELETED = "deleted"
"""Name of a deleted profile in races with others."""


class Owner(NamedTuple):
    """A profile whose attempt is stored.

    Attributes:
        created_ms: When it was created, in Unix ms.
        hidden: Whether it is on no leaderboard.
        tally: What it has done in the event of the race.
    """

    created_ms: int
    hidden: bool
    tally: Tally


class Change(NamedTuple):
    """An attempt of a profile, and what it changes.

    Attributes:
        profile: Id of the profile.
        seat: Of the attempt.
        attempt: The attempt.
        owner: The profile before it.
        folded: What it changes.
    """

    profile: str
    seat: int
    attempt: Attempt
    owner: Owner
    folded: Folded


def change(race: RaceSummary, row: AttemptRow, profile: str, owner: Owner) -> Change:
    """Return what one attempt of a race changes in a profile."""
    daily = race.day if race.kind == "daily" else None
    if daily is not None and owner.created_ms >= daily * DAY_MS:
        daily = None  # only profiles older than the day are on its leaderboard
    attempt = Attempt(
        race.id,
        race.started_ms,
        row.time_ms,
        row.input,
        counts=row.counts and not row.bot,
        public=race.kind != "room" or race.public,
        daily=daily,
    )
    return Change(profile, row.seat, attempt, owner, fold(owner.tally, attempt))


def changes(race: RaceSummary, owners: Mapping[str, Owner]) -> list[Change]:
    """Return what a race changes.

    Args:
        race: The race.
        owners: The profiles in it that exist.
    """
    known = dict(owners)
    found: list[Change] = []
    for row in race.attempts:
        if row.profile is not None and row.profile in known:
            one = change(race, row, row.profile, known[row.profile])
            found.append(one)
            tally = one.folded.tally
            known[row.profile] = known[row.profile]._replace(tally=tally)
    return found


def credited(
    race: RaceSummary, row: AttemptRow, profile: str, owner: Owner
) -> Change | None:
    """Return what the attempt of a guest changes in the profile that keeps it.

    It counts only if it is the profile's first one of the event: otherwise people could
    race as guests, and keep only their good attempts. An attempt that the profile has
    already changes nothing. None: it is a bot's or another profile's.
    """
    if row.bot or row.profile not in (None, profile):
        return None
    if row.profile is not None:
        one = change(race, row, profile, owner)
        return one._replace(folded=Folded(owner.tally))
    counts = row.counts and not owner.tally.number
    return change(race, replace(row, counts=counts), profile, owner)


def ranked(times: list[int], found: Sequence[Change]) -> list[AttemptGains]:
    """Return the gains of attempts that have been stored.

    Args:
        times: The best time of each visible profile in the event, in order. This is
            brought up to date.
        found: The attempts and what they changed.
    """
    for one in found:
        before = one.owner.tally.public.bests[0]
        after = one.folded.tally.public.bests[0]
        if not one.owner.hidden and after is not None and after != before:
            # The race is stored: damaged caches must not fail it now.
            at = len(times) if before is None else bisect_left(times, before)
            if times[at : at + 1] == [before]:
                del times[at]
            insort(times, after)
    best = {value: bisect_left(times, value) + 1 for value in ranked_times(found)}
    return gains(found, best, len(times))


def ranked_times(found: Sequence[Change]) -> list[int]:
    """Return the best times of visible profiles after attempts of theirs, in order."""
    last = {one.profile: one for one in found}
    times = (
        one.folded.tally.public.bests[0]
        for one in last.values()
        if not one.owner.hidden
    )
    return sorted({time for time in times if time is not None})


def gains(
    found: Sequence[Change], places: Mapping[int, int], total: int
) -> list[AttemptGains]:
    """Return the gains of attempts that have been stored.

    Args:
        found: The attempts and what they changed.
        places: The place of each of `ranked_times` on the leaderboard.
        total: Number of profiles on it.
    """
    last = {one.profile: one for one in found}
    rows: list[AttemptGains] = []
    for one in found:
        place, of = None, 0
        if one.attempt.counts and one.attempt.public:
            best = last[one.profile].folded.tally.public.bests[0]
            of = total
            if best is not None and not one.owner.hidden:
                place = places[best]
        bests = tuple(GainRow(*gain) for gain in one.folded.gains)
        row = AttemptGains(one.profile, one.seat, one.attempt.counts, bests, place, of)
        rows.append(row)
    return rows


# --- Counting again ------------------------------------------------------------------

ATTEMPTS = """
SELECT profile, event,
    race, started_ms, time_ms, input, counts AND NOT bot, public, daily
FROM attempt WHERE {which} ORDER BY profile, event, number
"""
"""The query for `counted`, in SQL."""


def counted(
    rows: Iterable[Sequence[Any]],
) -> Iterator[tuple[str, str, Tally, list[Best]]]:
    """Yield profile, event, tally and bests of each profile's attempts in an event.

    Args:
        rows: all attempts, see `ATTEMPTS`.
    """
    for (profile, event), attempts in groupby(rows, key=lambda row: (row[0], row[1])):
        tally, bests = Tally(), list[Best]()
        for _, _, *attempt in attempts:
            tally, _, candidates = fold(tally, Attempt(*attempt))
            bests += candidates
        yield profile, event, tally, lowest(bests)


def lowest(bests: Iterable[Best]) -> list[Best]:
    """Return the best for each leaderboard, the first of equal ones; in order."""
    found: dict[tuple[str, str, int], Best] = {}
    for best in bests:
        known = found.get(best[:3])
        if known is None or best.value_ms < known.value_ms:
            found[best[:3]] = best
    return [found[key] for key in sorted(found)]


# --- Totals --------------------------------------------------------------------------


def event_tallies(
    tallies: Mapping[str, Tally], *, public_only: bool
) -> list[EventTally]:
    """Return tallies by event as the port reports them; see `Standings.tallies`."""
    found: list[EventTally] = []
    for event in sorted(tallies, key=event_order):
        totals = tallies[event].public if public_only else tallies[event].own
        if totals.attempts or not public_only:
            single_ms, ao5_ms, ao12_ms = totals.bests
            row = EventTally(
                event=event,
                attempts=totals.attempts,
                finished=totals.finished,
                single_ms=single_ms,
                ao5_ms=ao5_ms,
                ao12_ms=ao12_ms,
                race=totals.race,
                pace_ms=pace(totals),
            )
            found.append(row)
    return found


# --- Leaderboards --------------------------------------------------------------------


def placed(rows: Iterable[Sequence[Any]]) -> tuple[BoardRow, ...]:
    """Return the first rows of a leaderboard with their places; equal rows share one.

    Args:
        rows: the columns of a `BoardRow` except its place, in order.
    """
    found: list[BoardRow] = []
    for place, row in enumerate(rows, 1):
        equal = found and found[-1].value_ms == row[2]
        found.append(BoardRow(found[-1].place if equal else place, *row))
    return tuple(found)
