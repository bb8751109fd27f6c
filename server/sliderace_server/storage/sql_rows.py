"""The rows that all SQL adapters select, and how to convert them."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from sliderace_server.storage.standings import Tally

from .folding import Change
from .ports import AttemptRow, RaceSummary, StoredRace

__all__ = [
    "ATTEMPT",
    "PROFILE",
    "SUMMARY",
    "attempt_row",
    "decode_tally",
    "encode_tally",
    "owner_columns",
    "race_summaries",
    "race_values",
    "race_with_attempt",
]

PROFILE = "profile.id, profile.name, created_ms, forget_at_ms"
"""The columns of a `ProfileRow`."""
SUMMARY = """
    race.id, room, race.started_ms, size, race.public, kind, md, sealed_until_ms, day
"""
"""The columns of a race, for `race_summaries`."""
_SUMMARY_COLUMNS = SUMMARY.count(",") + 1
ATTEMPT = """
    seat, attempt.name, status, place, time_ms, stm, mtm, bot, profile, input, counts,
    solve_ms, first_ms, pauses
"""
"""The columns of an attempt, for `attempt_row`."""

decode_tally = msgspec.json.Decoder(Tally).decode
"""Return the tally in the column of this name."""
_encode = msgspec.json.Encoder().encode


def encode_tally(tally: Tally) -> str:
    """Return a tally for the column of this name."""
    return _encode(tally).decode()


def owner_columns(event: str, one: Change) -> dict[str, Any]:
    """Return the columns that only attempts of profiles have."""
    attempt = one.attempt
    return {
        "profile": one.profile,
        "event": event,
        "number": one.folded.tally.number,
        "started_ms": attempt.started_ms,
        "public": attempt.public,
        "daily": attempt.daily,
    }


def race_values(race: StoredRace) -> tuple[object, ...]:
    """Return the columns of a race, in the order of those of its table."""
    summary = race.summary
    return (
        summary.id,
        summary.room,
        summary.started_ms,
        summary.size,
        summary.public,
        race.record,
        summary.kind,
        summary.md,
        summary.sealed_until_ms,
        summary.day,
    )


def race_summaries(
    races: Sequence[Sequence[Any]], attempts: Iterable[Sequence[Any]]
) -> list[RaceSummary]:
    """Return the races in the columns `SUMMARY`.

    Args:
        races: These columns of each race.
        attempts: Race and `ATTEMPT` of each of their attempts, in the order of ranks.
    """
    found: dict[str, list[AttemptRow]] = {race: [] for race, *_ in races}
    for race, *values in attempts:
        found[race].append(attempt_row(values))
    return [_race_summary(values, found[values[0]]) for values in races]


def race_with_attempt(values: Sequence[Any]) -> RaceSummary:
    """Return a race with only the attempt in the columns `SUMMARY` and `ATTEMPT`."""
    attempt = attempt_row(values[_SUMMARY_COLUMNS:])
    return _race_summary(values[:_SUMMARY_COLUMNS], [attempt])


def _race_summary(values: Sequence[Any], attempts: Iterable[AttemptRow]) -> RaceSummary:
    race, room, started_ms, size, public, *more = values
    rows = tuple(attempts)
    return RaceSummary(race, room, started_ms, size, bool(public), rows, *more)


def attempt_row(values: Sequence[Any]) -> AttemptRow:
    """Return the attempt in the columns `ATTEMPT`."""
    seat, name, status, place, time_ms, stm, mtm, bot, profile, slid, *more = values
    counts, solve_ms, first_ms, pauses = more
    return AttemptRow(
        seat,
        name,
        status,
        place,
        time_ms,
        stm,
        mtm,
        bool(bot),
        profile,
        slid,
        bool(counts),
        solve_ms,
        first_ms,
        pauses,
    )
