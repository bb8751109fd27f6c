"""What the log of a room remembers of its races: facts, in order, never changed.

Types and fields are forever; a new meaning is a new type. `t` is the room's time in
ms (the machine's monotonic clock, carried through restarts). What must stay secret
until T0 is left out of `repr`, so that it cannot slip into a log line.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, NewType

from sliderace.race.rules import Rules

__all__ = [
    "CountdownBegan",
    "CountdownStopped",
    "DidNotFinish",
    "Finished",
    "ForfeitUndone",
    "Forfeited",
    "GraceBegan",
    "LoggedSlide",
    "NonceRevealed",
    "Postponed",
    "RaceAborted",
    "RaceCreated",
    "RaceEnded",
    "RaceLocked",
    "RaceRecord",
    "RaceStarted",
    "RacerDisconnected",
    "RacerReconnected",
    "RosterFrozen",
    "Seat",
    "Slid",
    "TimeCalled",
    "WinnerKnown",
]

Seat = NewType("Seat", int)
"""A racer's place, 0 ... 254; it is the holder's until he leaves the room."""

LoggedSlide = tuple[str, int, int]
"""Direction of the tiles, how many, the client's ms since the paint."""


@dataclass(frozen=True, slots=True)
class RaceCreated:
    """A race is prepared: its secret is stored before its commitment is shown."""

    t: int
    race: str
    rules: Rules
    secret: str = field(repr=False)
    """S, 64 hex digits."""
    commitment: str
    known_seed: str = field(default="", repr=False)
    """64 hex digits where the seed was given in advance, else empty."""


@dataclass(frozen=True, slots=True)
class CountdownBegan:
    """The race will start at `t0` (room time)."""

    t: int
    race: str
    t0: int


@dataclass(frozen=True, slots=True)
class CountdownStopped:
    """Too few are left, or the host called it off: back to the lobby."""

    t: int
    race: str
    why: str


@dataclass(frozen=True, slots=True)
class RosterFrozen:
    """Who races is fixed, and which nonces may go into the seed: 1.2 s before T0."""

    t: int
    race: str
    t0: int
    roster: tuple[Seat, ...]
    """Seats, ascending."""
    commitments: tuple[str, ...]
    """Per roster entry what binds its nonce, 64 hex digits; empty where it has none."""


@dataclass(frozen=True, slots=True)
class NonceRevealed:
    """A seat told the nonce that it committed to."""

    t: int
    race: str
    seat: Seat
    nonce: str = field(repr=False)
    """32 hex digits."""


@dataclass(frozen=True, slots=True)
class RaceLocked:
    """Seed and board are fixed: all nonces came, or the time for them is over."""

    t: int
    race: str
    t0: int
    seed: str = field(repr=False)
    board: tuple[int, ...] = field(repr=False)
    roster: tuple[Seat, ...]
    """Seats, ascending."""
    starts: tuple[int, ...]
    """s_i per roster entry: when the board is unlocked for that seat."""
    nonces: tuple[str, ...]
    """Per roster entry the nonce that went into the seed; empty: it was left out."""


@dataclass(frozen=True, slots=True)
class Postponed:
    """The lock was not durable in time: a new T0, for everybody alike."""

    t: int
    race: str
    t0: int
    starts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RaceStarted:
    """T0 has passed; the race runs."""

    t: int
    race: str


class Slid(NamedTuple):
    """Legal slides of one seat, numbered seq ... seq + len(slides) - 1.

    A tuple, unlike the others: one is made for nearly every message that comes in.
    """

    t: int
    race: str
    seat: Seat
    seq: int
    slides: tuple[LoggedSlide, ...]
    approx: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """The seat's board is solved. All times in ms; see `sliderace.race.timing`."""

    t: int
    race: str
    seat: Seat
    s: int
    """Room time of the scheduled reveal to this seat."""
    g: int
    """Receive time of the solving slide minus s."""
    e: int | None
    """The client's own stamp; None after a reload."""
    rtt: int
    """R: least round trip of the last minute; 0 when unknown."""
    jitter: int
    """M: median deviation of the round trips."""
    outage: int
    """Overlap of a failure of ours with the last interval."""
    official: int


@dataclass(frozen=True, slots=True)
class Forfeited:
    """The seat gave up; may be undone for 3 s."""

    t: int
    race: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class ForfeitUndone:
    """The seat races on."""

    t: int
    race: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class RacerDisconnected:
    """The seat's connection was lost at `t`."""

    t: int
    race: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class RacerReconnected:
    """The seat is connected again; a DNF for being away is lifted."""

    t: int
    race: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class DidNotFinish:
    """The seat is out: limit, grace, away, left, kicked, called."""

    t: int
    race: str
    seat: Seat
    why: str


@dataclass(frozen=True, slots=True)
class GraceBegan:
    """The first racer finished; the others have until `until` (room time)."""

    t: int
    race: str
    until: int


@dataclass(frozen=True, slots=True)
class TimeCalled:
    """The host ended the grace time; it lasts until `until`, when all is certain."""

    t: int
    race: str
    until: int


@dataclass(frozen=True, slots=True)
class WinnerKnown:
    """Nobody who still races can take the first place any more."""

    t: int
    race: str


@dataclass(frozen=True, slots=True)
class RaceEnded:
    """Nobody races any more; the secret is told."""

    t: int
    race: str


@dataclass(frozen=True, slots=True)
class RaceAborted:
    """The race was called off; it has no results."""

    t: int
    race: str
    why: str


RaceRecord = (
    RaceCreated
    | CountdownBegan
    | CountdownStopped
    | RosterFrozen
    | NonceRevealed
    | RaceLocked
    | Postponed
    | RaceStarted
    | Slid
    | Finished
    | Forfeited
    | ForfeitUndone
    | RacerDisconnected
    | RacerReconnected
    | DidNotFinish
    | GraceBegan
    | TimeCalled
    | WinnerKnown
    | RaceEnded
    | RaceAborted
)
