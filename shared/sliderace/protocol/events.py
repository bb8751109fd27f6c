"""Events: what a server answers and tells. A closed list."""

from typing import Literal

from msgspec import Struct

from sliderace.protocol.fields import PhaseName
from sliderace.protocol.parts import (
    Limits,
    Member,
    MemberLatency,
    RaceView,
    Room,
    SeatNonce,
    SeatProgress,
    SeatSignals,
    Standing,
)

__all__ = [
    "Ack",
    "BoardEvent",
    "Closed",
    "Event",
    "Gone",
    "LatencyEvent",
    "MemberEvent",
    "Opened",
    "PhaseEvent",
    "Pong",
    "Progress",
    "Refused",
    "Rejected",
    "Results",
    "RoomEvent",
    "RosterEvent",
    "Signals",
    "Snapshot",
    "StandingEvent",
    "Ticket",
    "Welcome",
    "WinnerEvent",
]


class _Event(Struct, frozen=True, tag_field="t"):
    """Base of all events."""


class Welcome(_Event, frozen=True, tag="welcome"):
    """You are in. Followed by a `snapshot`, or by the events you missed."""

    v: int
    server: str
    """Program and version."""
    code: str
    """Six letters."""
    member: int
    """Your id."""
    seat: int | None
    """Yours; none for spectators."""
    token: str | None
    """Secret that proves your seat; given once, keep it. None on a `resume`."""
    epoch: int
    gen: int
    """0: of the slides on this connection."""
    race: str
    seq: int
    """Your last durable slide in this race; later ones must be sent again."""
    board: str | None
    """Your board after `seq`, while you race."""
    limits: Limits
    features: list[str] = []
    """What this server can do beyond the first set; see [how the protocol
    grows](#how-the-protocol-grows)."""


class Opened(_Event, frozen=True, tag="opened"):
    """The room stands; nobody is in it yet. The connection is closed with 1000."""

    code: str
    link: str
    """Where people join: to be shown, sent, drawn as a QR code."""


class Snapshot(_Event, frozen=True, tag="snapshot"):
    """Everything you may know, up to and including offset `o`."""

    o: int
    epoch: int
    room: Room
    members: list[Member]
    phase: PhaseName
    in_ms: int | None
    """Until this phase ends by itself (start, time limit, grace, next lobby)."""
    race: RaceView
    """The race as far as you may know it."""
    results: "Results | None" = None
    """In the phase `results`."""


class MemberEvent(_Event, frozen=True, tag="member"):
    """Somebody came, or changed; replaces what you knew of that id."""

    o: int
    member: Member
    """As it is now."""
    why: Literal[
        "joined",
        "ready",
        "unready",
        "connected",
        "disconnected",
        "benched",
        "unbenched",
        "role",
    ]


class Gone(_Event, frozen=True, tag="gone"):
    """Somebody left the room."""

    o: int
    member: int
    """Whose id."""
    why: Literal["left", "kicked", "timeout"]


class RoomEvent(_Event, frozen=True, tag="room"):
    """The room changed. When `room.race` is new, nobody is ready."""

    o: int
    room: Room
    why: Literal["settings", "host", "lock", "race"]


class PhaseEvent(_Event, frozen=True, tag="phase"):
    """The race moved on. Every phase names its race."""

    o: int
    race: str
    phase: PhaseName
    in_ms: int | None
    """Until this phase ends by itself."""
    roster: list[int] = []
    """Seats that race, once they are frozen."""
    why: str = ""
    """Of `lobby`: host, unready, too_few; of `countdown`: postponed; of `aborted`:
    host, nobody_left, outage."""


class RosterEvent(_Event, frozen=True, tag="roster"):
    """Who races is fixed; who committed to a nonce answers with `nonce` at once."""

    o: int
    race: str
    roster: list[int]
    """Seats, ascending."""
    nonce_commitments: list[str | None]
    """Per seat of `roster`; none where its client gave none."""


class StandingEvent(_Event, frozen=True, tag="standing"):
    """A racer finished, gave up, came back or is out."""

    o: int
    race: str
    standing: Standing
    """As it is now; places are provisional until the results."""


class WinnerEvent(_Event, frozen=True, tag="winner"):
    """Nobody who still races can take the first place any more: it is final."""

    o: int
    race: str
    seats: list[int]
    """The winner's; several share the same millisecond."""


class Results(_Event, frozen=True, tag="results"):
    """The race is over and its secret is told."""

    o: int
    race: str
    standings: list[Standing]
    board: str
    """The scramble."""
    seed: str
    """64 hex digits: of the scramble."""
    secret: str | None
    """S of the commitment; none where the seed was known in advance."""
    nonces: list[SeatNonce]
    """Every seat of the roster, ascending."""
    friendly_timing: bool
    """More credit was given where a line was poor."""
    record: str
    """Path of the race record on this server, `/api/races/<id>`."""


class Closed(_Event, frozen=True, tag="closed"):
    """The room is no more."""

    o: int
    why: Literal["host", "timeout"]


class Progress(_Event, frozen=True, tag="progress"):
    """The newest state of some seats; provisional, without an offset."""

    race: str
    p: list[SeatProgress]
    """The seats that have moved."""


class LatencyEvent(_Event, frozen=True, tag="lines"):
    """How far away some members are, as the server measured; without an offset."""

    lines: list[MemberLatency]
    """Those that changed; a line that is not known yet is not told."""


class Signals(_Event, frozen=True, tag="signals"):
    """To the host alone, after a race: what each solve looks like. No verdict."""

    race: str
    signals: list[SeatSignals]
    """One a racer who slid at least once, in the order of the results."""


class BoardEvent(_Event, frozen=True, tag="board"):
    """A board: yours or everyone's at the reveal, or one seat's after a resync."""

    race: str
    seat: int | None
    """None: the start board of the race."""
    seq: int
    """After that slide."""
    board: str
    """Board text."""
    in_ms: int = 0
    """Until it is unlocked (inspection)."""


class Ack(_Event, frozen=True, tag="ack"):
    """All your slides up to `seq` are durable."""

    race: str
    seq: int


class Rejected(_Event, frozen=True, tag="rejected"):
    """A slide was refused: take this board, and number on from `seq` + 1 with `gen`."""

    race: str
    gen: int
    """Number your next slides with it."""
    seq: int
    """Your last slide that counts."""
    code: str
    """Why: one of the refusals."""
    board: str | None
    """Your board after `seq`; none where you do not race."""


class Refused(_Event, frozen=True, tag="refused"):
    """A command was refused and changed nothing."""

    of: str
    """Type of the command, or empty where it could not be read."""
    code: str
    """One of `sliderace.protocol.codes`."""
    text: str
    """The same in English, for a person."""
    field: str = ""
    """The field at fault, where there is one."""
    value: str = ""
    """The offending value, shortened."""
    retry_ms: int = 0
    """When to try again; 0: not by itself."""


class Ticket(_Event, frozen=True, tag="ticket"):
    """To you alone: what another device needs to take your seat over."""

    ticket: str
    """Good for one `redeem`; asking again or a restart of the server ends it."""
    in_ms: int
    """Until it is worth nothing."""


class Pong(_Event, frozen=True, tag="pong"):
    """Answer to `ping`."""

    id: int


Event = (
    Welcome
    | Opened
    | Snapshot
    | MemberEvent
    | Gone
    | RoomEvent
    | PhaseEvent
    | RosterEvent
    | StandingEvent
    | WinnerEvent
    | Results
    | Closed
    | Progress
    | LatencyEvent
    | Signals
    | BoardEvent
    | Ack
    | Rejected
    | Refused
    | Ticket
    | Pong
)
