"""The records about races in a room's log.

Types and fields are permanent; a new meaning needs a new type. `t` is room time in ms
(the machine's monotonic clock, continued across restarts). Whatever is secret before T0
is left out of `repr`, so that it cannot get into a log file.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, NewType

from sliderace.race.rules import Rules

__all__ = [
    "BoardDrawn",
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
"""A player's number in the room, 0 ... 254; theirs until they leave the room."""

LoggedSlide = tuple[str, int, int]
"""Direction, number of tiles, client's timestamp (ms since it painted the board)."""


@dataclass(frozen=True, slots=True)
class RaceCreated:
    """A race was created. This is stored before its commitment is shown."""

    t: int
    race: str
    rules: Rules
    secret: str = field(repr=False)
    """S, 64 hex digits."""
    commitment: str
    known_seed: str = field(default="", repr=False)
    """64 hex digits if the seed was given in advance, else empty."""


@dataclass(frozen=True, slots=True)
class CountdownBegan:
    """The countdown began; the race starts at `t0` (room time)."""

    t: int
    race: str
    t0: int


@dataclass(frozen=True, slots=True)
class CountdownStopped:
    """The countdown was stopped: back to the lobby."""

    t: int
    race: str
    why: str


@dataclass(frozen=True, slots=True)
class RosterFrozen:
    """The roster and the commitments to nonces are fixed, 1.2 s before T0."""

    t: int
    race: str
    t0: int
    roster: tuple[Seat, ...]
    """Seats, ascending."""
    commitments: tuple[str, ...]
    """Per roster entry the commitment to its nonce, 64 hex digits; empty: none."""


@dataclass(frozen=True, slots=True)
class NonceRevealed:
    """A seat revealed the nonce that it had committed to."""

    t: int
    race: str
    seat: Seat
    nonce: str = field(repr=False)
    """32 hex digits."""


@dataclass(frozen=True, slots=True)
class BoardDrawn:
    """Seed and board are fixed."""

    t: int
    race: str
    t0: int
    seed: str = field(repr=False)
    board: tuple[int, ...] = field(repr=False)
    roster: tuple[Seat, ...]
    """Seats, ascending."""
    starts: tuple[int, ...]
    """Per roster entry the room time at which the board is unlocked for that seat."""
    nonces: tuple[str, ...]
    """Per roster entry the nonce that went into the seed; empty: left out."""


@dataclass(frozen=True, slots=True)
class Postponed:
    """T0 moved, and all starts equally."""

    t: int
    race: str
    t0: int
    starts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RaceStarted:
    """T0 has passed."""

    t: int
    race: str


class Slid(NamedTuple):
    """A seat made legal slides, numbered seq ... seq + len(slides) - 1.

    Unlike the other records this is a tuple, which is faster to create: one is created
    for nearly every incoming message.
    """

    t: int
    race: str
    seat: Seat
    seq: int
    slides: tuple[LoggedSlide, ...]
    approx: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """A seat solved its board. Times are in ms; see `sliderace.race.timing`."""

    t: int
    race: str
    seat: Seat
    s: int
    """Room time at which the board was unlocked for this seat."""
    g: int
    """Arrival of the solving slide, since `s`."""
    e: int | None
    """The client's timestamp of the solving slide; None after a reload."""
    rtt: int
    """The effective R."""
    jitter: int
    """The effective M."""
    outage: int
    """How much of the last interval outages of the server cover."""
    official: int
    """The official time."""


@dataclass(frozen=True, slots=True)
class Forfeited:
    """A seat gave up; this can be undone for 3 s."""

    t: int
    race: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class ForfeitUndone:
    """A seat undid its forfeit."""

    t: int
    race: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class RacerDisconnected:
    """A seat's connection was lost."""

    t: int
    race: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class RacerReconnected:
    """A seat is connected again; this lifts a DNF for being away."""

    t: int
    race: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class DidNotFinish:
    """A seat's attempt ended: limit, grace, away, left, kicked, called."""

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
    """The host called time: the grace time ends when the winner is certain."""

    t: int
    race: str
    until: int


@dataclass(frozen=True, slots=True)
class WinnerKnown:
    """No remaining racer can take first place."""

    t: int
    race: str


@dataclass(frozen=True, slots=True)
class RaceEnded:
    """Nobody races any more; the secret is revealed."""

    t: int
    race: str


@dataclass(frozen=True, slots=True)
class RaceAborted:
    """The race was cancelled; it has no results."""

    t: int
    race: str
    why: str


RaceRecord = (
    RaceCreated
    | CountdownBegan
    | CountdownStopped
    | RosterFrozen
    | NonceRevealed
    | BoardDrawn
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
