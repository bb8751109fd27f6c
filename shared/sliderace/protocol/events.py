"""Events: everything a server sends. A closed list."""

from typing import Literal

from msgspec import Struct

from sliderace.protocol.parts import (
    Gain,
    HistoryRow,
    Limits,
    Member,
    MemberLatency,
    PhaseName,
    Profile,
    RaceView,
    Room,
    RoomRow,
    SeatNonce,
    SeatProgress,
    SeatSignals,
    SeriesTable,
    Standing,
)

__all__ = [
    "Ack",
    "BoardEvent",
    "Closed",
    "Event",
    "Gains",
    "Gone",
    "HistoryEvent",
    "LatencyEvent",
    "MeEvent",
    "MemberEvent",
    "Opened",
    "PhaseEvent",
    "Pong",
    "Progress",
    "Reacted",
    "Refused",
    "Rejected",
    "Results",
    "RoomEvent",
    "Rooms",
    "RosterEvent",
    "SeriesEvent",
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
    """You are in the room.

    A `snapshot` follows or, after `resume`, the events that you missed.
    """

    v: int
    server: str
    """Name and version of the server program."""
    code: str
    member: int
    """Your id."""
    seat: int | None
    """Your seat; null for spectators."""
    token: str | None
    """The secret with which you `resume`. It is sent once: keep it. Null after
    `resume`."""
    epoch: int
    gen: int
    """Always 0: every connection starts again."""
    race: str
    seq: int
    """Your last slide of this race that is stored; send later ones again."""
    board: str | None
    """Your board after slide `seq`, while you race; else null."""
    limits: Limits
    features: list[str] = []
    """What this server can do beyond the first set; see [how the protocol
    grows](#how-the-protocol-grows)."""
    profile: str | None = None
    """Public id of your profile; null: you are a guest, or the server does not know the
    secret that you sent."""


class Opened(_Event, frozen=True, tag="opened"):
    """The answer to `open`: the room exists, and nobody is in it yet.

    The server closes the connection with 1000.
    """

    code: str
    link: str
    """Where people join: show it, send it, draw it as a QR code."""


class Snapshot(_Event, frozen=True, tag="snapshot"):
    """Everything you may know about the room, up to and including offset `o`."""

    o: int
    epoch: int
    room: Room
    members: list[Member]
    phase: PhaseName
    in_ms: int | None
    race: RaceView
    """The race, as far as you may know it."""
    results: "Results | None" = None
    """Only in the phase `results`."""
    series: SeriesTable | None = None
    """The score of the series; null if the server lacks the feature `series`."""


class MemberEvent(_Event, frozen=True, tag="member"):
    """A member joined or changed."""

    o: int
    member: Member
    """The member; replaces what you know about this id."""
    why: Literal[
        "joined",
        "ready",
        "unready",
        "connected",
        "disconnected",
        "benched",
        "unbenched",
        "role",
        "idle",
        "renamed",
        "muted",
        "unmuted",
    ]


class Gone(_Event, frozen=True, tag="gone"):
    """A member left the room."""

    o: int
    member: int
    why: Literal["left", "kicked", "timeout"]


class RoomEvent(_Event, frozen=True, tag="room"):
    """The room changed. If `room.race` is new, nobody is ready.

    In a room that starts by the clock, players stay ready after a race.
    """

    o: int
    room: Room
    why: Literal["settings", "host", "lock", "race"]


class PhaseEvent(_Event, frozen=True, tag="phase"):
    """A new phase of the race; see [a race](#a-race)."""

    o: int
    race: str
    phase: PhaseName
    in_ms: int | None
    roster: list[int] = []
    """Seats that race; empty before the roster is fixed."""
    why: str = ""
    """Of `lobby`: `host`, `unready` or `too_few` (also when a planned rematch ends
    with fewer than two ready players); of `countdown`: empty or
    `postponed`; of `aborted`: `host`, `nobody_left` or `outage`."""


class RosterEvent(_Event, frozen=True, tag="roster"):
    """The roster is fixed. If you committed to a nonce, send `nonce` at once."""

    o: int
    race: str
    roster: list[int]
    """Seats that race, ascending."""
    nonce_commitments: list[str | None]
    """One per seat of `roster`; null if the client committed to none."""


class StandingEvent(_Event, frozen=True, tag="standing"):
    """A racer finished, is out, gave up or races again."""

    o: int
    race: str
    standing: Standing
    """How this racer stands now; the place may still change unless it is `final`.

    If a later finisher has a better time, the standings of the others are not sent
    again. Until the results, a finisher's place is 1 + the number of finishers with a
    smaller `time_ms`."""


class WinnerEvent(_Event, frozen=True, tag="winner"):
    """The first place is final: nobody who still races can take it."""

    o: int
    race: str
    seats: list[int]
    """The winner, or several with equal times."""


class Results(_Event, frozen=True, tag="results"):
    """The race is over. The server reveals its secret."""

    o: int
    race: str
    standings: list[Standing]
    board: str
    """The scramble."""
    seed: str
    """64 hex digits."""
    secret: str | None
    """The secret behind `commitment`, 64 hex digits; null if the seed was known in
    advance."""
    nonces: list[SeatNonce]
    """One per seat of the roster, ascending."""
    friendly_timing: bool
    """The room gave extra credit for latency."""
    record: str
    """Path of the race record on this server, `/api/races/ID`."""


class Closed(_Event, frozen=True, tag="closed"):
    """The room is closed: for good, or until its host is back.

    After `host_ended` the connection is closed with 1012. The host has ended the server
    on their machine. If they start it again, the room and your seat are as before.
    """

    o: int
    """`host_ended` has no offset of its own and repeats the last one."""
    why: Literal["host", "timeout", "host_ended"]


class Progress(_Event, frozen=True, tag="progress"):
    """The newest state of some racers; provisional."""

    race: str
    p: list[SeatProgress]
    """One entry per seat that has moved."""


class LatencyEvent(_Event, frozen=True, tag="lines"):
    """The latency of some players, as the server measures it."""

    lines: list[MemberLatency]
    """Players whose latency changed; one is missing until it is known."""


class Reacted(_Event, frozen=True, tag="reacted"):
    """A member reacts: show the reaction beside their name for 3 seconds.

    The server does not store it, so no snapshot contains it.
    """

    member: int
    id: int
    """Number of the reaction."""


class Signals(_Event, frozen=True, tag="signals"):
    """To the host, after a race: statistics of each solve. They are not a verdict."""

    race: str
    signals: list[SeatSignals]
    """One per racer with at least one slide, in the order of the results."""


class SeriesEvent(_Event, frozen=True, tag="series"):
    """The score of the series, if you list `series` in `can`.

    The server sends it after each `results`, at the beginning of a series, and after a
    `welcome` without a snapshot. It replaces what you know of the series.
    """

    table: SeriesTable


class Rooms(_Event, frozen=True, tag="rooms"):
    """The live public rooms: at first all, then those that changed."""

    rows: list[RoomRow]
    """Rooms that are new or changed."""
    gone: list[str] = []
    """Codes of rooms that are no longer in the list."""


class MeEvent(_Event, frozen=True, tag="me"):
    """The answer to `me`, `keep`, `rename`, `claim`, `revoke` and `forget`."""

    profile: Profile | None
    """Your profile; null: the server knows no profile with this secret. Send `keep`
    or `claim`."""


class HistoryEvent(_Event, frozen=True, tag="history"):
    """The answer to `history`."""

    event: str
    rows: list[HistoryRow]
    """Latest first."""
    more: bool = False
    """There are earlier attempts."""


class Gains(_Event, frozen=True, tag="gains"):
    """What a race changed, to a racer with a profile, once the race is stored."""

    race: str
    counts: bool
    """The attempt counts."""
    bests: list[Gain] = []
    place: int | None = None
    """Place of the best single among all profiles; null if the event is not ranked
    here, or if this race was private."""
    of: int = 0
    """How many profiles have a place."""
    streak: int = 0
    """Daily streak in days; 0 unless this was a daily race."""


class BoardEvent(_Event, frozen=True, tag="board"):
    """A board: the scramble when it is revealed, or the answer to `resync`."""

    race: str
    seat: int | None
    """Null: the scramble, the same for everyone."""
    seq: int
    board: str
    """The board after slide `seq`."""
    in_ms: int = 0
    """Until the board is unlocked (inspection)."""


class Ack(_Event, frozen=True, tag="ack"):
    """All your slides up to `seq` are stored."""

    race: str
    seq: int


class Rejected(_Event, frozen=True, tag="rejected"):
    """Your slides were refused: continue from this board with the new `gen`."""

    race: str
    gen: int
    """Send this with all further slides."""
    seq: int
    """Your last slide that counts; the next one is `seq` + 1."""
    code: str
    board: str | None
    """Your board after slide `seq`; null if you do not race."""


class Refused(_Event, frozen=True, tag="refused"):
    """Your command was refused; it has changed nothing."""

    of: str
    """Type of the command; empty if it could not be read."""
    code: str
    text: str
    """The reason in English."""
    field: str = ""
    """Path of the field at fault, if there is one."""
    value: str = ""
    """The value at fault, shortened."""
    retry_ms: int = 0
    """When to try again; 0: do not."""


class Ticket(_Event, frozen=True, tag="ticket"):
    """The answer to `transfer`: what another device needs to take your seat.

    In `me`, the answer to `ticket`: eight letters that add another device.
    """

    ticket: str
    """Valid for one `redeem` or `claim`. A new request or a server restart voids it."""
    in_ms: int
    """Until it expires."""


class Pong(_Event, frozen=True, tag="pong"):
    """The answer to `ping`."""

    id: int
    """The `id` of the `ping`."""


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
    | Reacted
    | Signals
    | SeriesEvent
    | BoardEvent
    | Ack
    | Rejected
    | Refused
    | Ticket
    | Pong
    | Rooms
    | MeEvent
    | HistoryEvent
    | Gains
)
