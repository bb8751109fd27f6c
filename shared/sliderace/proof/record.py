"""The race record: one JSON object from which anyone can verify a race.

`build` writes it, and `sliderace.proof.reading` parses it without trusting it.
``docs/race-record.md`` explains every field. Times are ms since T0, or since the board
was unlocked for that racer; room time is not published.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sliderace.engine import Board, format_board
from sliderace.race.daily import date_text
from sliderace.race.log_records import Seat
from sliderace.race.ranking import Row, standings
from sliderace.race.rules import Rules
from sliderace.race.state import Attempt, Race, Status

__all__ = [
    "DELETED",
    "FORMAT",
    "VERSION",
    "Outages",
    "Player",
    "WrittenDaily",
    "WrittenFinish",
    "WrittenRace",
    "WrittenRacer",
    "WrittenSlide",
    "build",
    "redact",
]

FORMAT = "sliderace/race-record"
VERSION = 1
"""Readers refuse other versions."""


DELETED = "deleted"
"""The name of a racer whose profile was deleted."""

Outages = tuple[tuple[int, int], ...]
"""(from, until) of each outage, in ms, in order."""


class Player(NamedTuple):
    """The facts about a racer that the race itself does not contain.

    Args:
        name: the cleaned nickname.
        bot: whether this is a declared bot.
    """

    name: str
    bot: bool = False


class WrittenSlide(NamedTuple):
    """One slide of a record.

    Args:
        direction: the way the tiles moved.
        tiles: number of tiles.
        stamp_ms: the client's timestamp, since it painted the board.
        received_ms: arrival at the server, since the board was unlocked.
    """

    direction: str
    tiles: int
    stamp_ms: int
    received_ms: int


@dataclass(frozen=True, slots=True)
class WrittenFinish:
    """The times of a finisher; see `sliderace.race.timing`."""

    g_ms: int
    e_ms: int | None
    rtt_ms: int
    jitter_ms: int
    outage_ms: int
    official_ms: int
    credit_ms: int
    solve_ms: int
    photo: bool


@dataclass(frozen=True, slots=True)
class WrittenRacer:
    """One racer of a record."""

    seat: Seat
    name: str
    bot: bool
    nonce_commitment: str | None
    nonce: str | None
    lead_ms: int
    status: Status
    why: str
    place: int | None
    finish: WrittenFinish | None
    stm: int
    mtm: int
    high: int
    high_ms: int
    approx: bool
    outages: Outages
    slides: tuple[WrittenSlide, ...]


@dataclass(frozen=True, slots=True)
class WrittenDaily:
    """What fixed the board of a daily race; see `sliderace.race.daily`."""

    date: str
    secret: str


@dataclass(frozen=True, slots=True)
class WrittenRace:
    """A complete record; the fields with a default are optional."""

    format: str
    version: int
    software: str
    race: str
    started_ms: int
    ended_ms: int
    rules: Rules
    seed_known: bool
    commitment: str
    secret: str | None
    seed: str
    board: Board
    outages: Outages
    racers: tuple[WrittenRacer, ...]
    daily: WrittenDaily | None = None
    redacted: bool = False


def redact(record: dict[str, Any], seats: Collection[int]) -> None:
    """Take the names of some racers out of a record, which then says so.

    Args:
        record: what `build` returned, or the same from a file.
        seats: whose names; the others stay.
    """
    for racer in record["racers"]:
        if racer["seat"] in seats:
            racer["name"] = DELETED
    record["redacted"] = True


def build(
    race: Race,
    players: Mapping[Seat, Player],
    *,
    started_ms: int,
    software: str,
    day: int = 0,
) -> dict[str, object]:
    """Return the record of a race that has ended.

    Args:
        race: a race in the phase ``results``.
        players: seat -> player, for every seat of the roster.
        started_ms: T0 by the wall clock, Unix time in ms; for information only.
        software: program and version.
        day: of a daily race, whose secret is that of the day: days since 1970.

    Returns:
        The record as JSON values.

    Raises:
        ValueError: the race has no results.
        KeyError: a seat has no player.
    """
    if race.phase != "results" or race.ended_at is None:
        raise ValueError(f"race {race.id} has no results")
    known = bool(race.known_seed)
    record: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "software": software,
        "race": race.id,
        "started_ms": started_ms,
        "ended_ms": race.ended_at - race.t0,
        "rules": asdict(race.rules),
        "seed_known": known,
        "commitment": race.commitment,
        "secret": None if known else race.secret,
        "seed": race.seed,
        "board": format_board(Board(race.size, race.board)),
        "outages": [[down - race.t0, up - race.t0] for down, up in _outages(race)],
        "racers": [
            _racer(race, race.attempts[row.seat], row, players[row.seat])
            for row in standings(race)
        ],
    }
    if day:
        record["daily"] = {"date": date_text(day), "secret": race.secret}
    return record


def _outages(race: Race) -> list[tuple[int, int]]:
    """Return the outages while somebody raced, in room time."""
    attempts = race.attempts.values()
    return sorted({(one.down, one.up) for racer in attempts for one in racer.outages})


def _racer(race: Race, attempt: Attempt, row: Row, player: Player) -> dict[str, object]:
    seat, start = attempt.seat, attempt.unlocks_at
    return {
        "seat": seat,
        "name": player.name,
        "bot": player.bot,
        "nonce_commitment": race.commitments.get(seat),
        "nonce": race.nonces.get(seat),
        "lead_ms": race.t0 + race.rules.inspection_ms - start,
        "status": row.status,
        "why": row.why,
        "place": row.place,
        "finish": _finish(attempt, row),
        "stm": row.stm,
        "mtm": row.mtm,
        "high": row.high,
        "high_ms": row.high_ms,
        "approx": attempt.approx,
        "outages": [
            [max(0, one.down - start), max(0, one.end - start)]
            for one in attempt.outages
        ],
        "slides": [
            [slide.direction, slide.tiles, slide.stamp, slide.t - start]
            for slide in attempt.slides
        ],
    }


def _finish(attempt: Attempt, row: Row) -> dict[str, object] | None:
    if (finish := attempt.finish) is None:
        return None
    return {
        "g_ms": finish.g,
        "e_ms": finish.e,
        "rtt_ms": finish.rtt,
        "jitter_ms": finish.jitter,
        "outage_ms": finish.outage,
        "official_ms": finish.official,
        "credit_ms": row.credit_ms,
        "solve_ms": row.solve_ms,
        "photo": row.photo,
    }
