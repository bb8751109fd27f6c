"""Every message of `sliderace.v1`: what a client may say and what a server answers.

One message is one JSON object in one WebSocket text frame; the field ``t`` names its
type. *Commands* go up, *events* come down. Both lists are closed: an unknown type or
field is refused. Limits stand in the types. Integers ending in ``_ms`` are
milliseconds; instants are relative to the moment of sending, never wall clock.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from sliderace.protocol import limits
from sliderace.race.rules import Rules

__all__ = [
    "Abort",
    "Ack",
    "Bench",
    "BoardEvent",
    "CallTime",
    "Close",
    "Closed",
    "Command",
    "Create",
    "Event",
    "Forfeit",
    "Gone",
    "HandOver",
    "Hello",
    "Hidden",
    "Join",
    "Kick",
    "Lane",
    "Leave",
    "Limits",
    "Lock",
    "Member",
    "MemberEvent",
    "Open",
    "Opened",
    "PhaseEvent",
    "Ping",
    "Pong",
    "Progress",
    "RaceView",
    "Ready",
    "Refused",
    "Rejected",
    "Rematch",
    "Results",
    "Resume",
    "Resync",
    "Role",
    "Room",
    "RoomEvent",
    "RulesPatch",
    "Settings",
    "Slides",
    "Snapshot",
    "Standing",
    "StandingEvent",
    "Start",
    "Step",
    "Undo",
    "Welcome",
]

Int = Annotated[int, Meta(ge=0, le=limits.MAX_INTEGER)]
"""Any whole number on the wire: what JavaScript holds exactly."""
Ms = Int
Seat = Annotated[int, Meta(ge=0, le=limits.MAX_SEAT)]
MemberId = Annotated[int, Meta(ge=1, le=limits.MAX_INTEGER)]
Permille = Annotated[int, Meta(ge=0, le=1000)]
Code = Annotated[str, Meta(min_length=1, max_length=limits.MAX_CODE)]
"""A room code as typed: case, spaces and dashes are ignored."""
RaceId = Annotated[str, Meta(pattern=r"^[A-Z0-9-]{1,32}\Z")]
Token = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
Name = Annotated[str, Meta(max_length=limits.MAX_NAME_TEXT)]
"""A nickname as typed; the server cleans it and makes it unique."""
Slide = tuple[
    Literal["U", "D", "L", "R"],
    Annotated[int, Meta(ge=1, le=limits.MAX_SIDE - 1)],
    Ms,
]
"""Direction the tiles travel, how many tiles, ms since the board was painted."""
RoleName = Literal["player", "spectator"]
PhaseName = Literal[
    "lobby", "countdown", "racing", "grace", "results", "aborted", "closed"
]
StatusName = Literal["racing", "finished", "dnf", "forfeited", "dns"]


# --- Commands: client to server ------------------------------------------------------


class _Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t"):
    """Base of all commands; the tag is the class name in lower case."""


class _Enter(Struct, frozen=True, forbid_unknown_fields=True, tag_field="as"):
    """Base of the ways into a room."""


class RulesPatch(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Rules to change; what is absent stays. Ranges: `sliderace.race.rules.Rules`."""

    size: Annotated[str, Meta(pattern=r"^(?:[2-9]|10)x(?:[2-9]|10)\Z")] | None = None
    start: Literal["ready", "host", "every"] | None = None
    every_ms: Int | None = None
    countdown_ms: Int | None = None
    inspection_ms: Int | None = None
    limit_ms: Annotated[int, Meta(ge=-1, le=limits.MAX_INTEGER)] | None = None
    grace_ms: Annotated[int, Meta(ge=-1, le=limits.MAX_INTEGER)] | None = None
    away_ms: Int | None = None
    open_boards: bool | None = None
    spectator_delay_ms: Int | None = None


class Create(_Enter, frozen=True, tag="create"):
    """Open a room and enter it as its host."""

    name: Name
    rules: RulesPatch = RulesPatch()
    public: bool = False
    seed: Annotated[str, Meta(max_length=limits.MAX_SEED_TEXT)] | None = None
    """A seed known in advance: such a room makes no fairness claim."""
    role: RoleName = "player"


class Open(_Enter, frozen=True, tag="open"):
    """Open a room without entering it; the first player to join is its host."""

    rules: RulesPatch = RulesPatch()
    public: bool = False
    seed: Annotated[str, Meta(max_length=limits.MAX_SEED_TEXT)] | None = None


class Join(_Enter, frozen=True, tag="join"):
    """Enter a room by its code."""

    code: Code
    name: Name
    role: RoleName = "player"
    bot: bool = False
    """A declared bot: welcome, and labelled everywhere."""


class Resume(_Enter, frozen=True, tag="resume"):
    """Take one's seat again after a lost connection, a reload or a restart."""

    code: Code
    token: Token
    epoch: Int = 0
    """The epoch last seen; 0 asks for a snapshot."""
    offset: Int = 0
    """The last stream offset seen in that epoch."""


class Hello(_Command, frozen=True, tag="hello"):
    """The first message of every connection, within 3 seconds."""

    v: Annotated[int, Meta(ge=1, le=65535)]
    """Protocol version; see the version rule."""
    enter: Create | Open | Join | Resume
    client: Annotated[str, Meta(max_length=40)] = ""
    """Program and version, for the server's log."""


class Ready(_Command, frozen=True, tag="ready"):
    """Say that you will race (or no longer)."""

    race: RaceId
    on: bool = True


class Start(_Command, frozen=True, tag="start"):
    """Host: begin the countdown with everyone who is ready."""

    race: RaceId


class Abort(_Command, frozen=True, tag="abort"):
    """Host: call off the countdown or the race; back to the lobby."""

    race: RaceId


class Slides(_Command, frozen=True, tag="slides"):
    """Slides on your own board, in order."""

    race: RaceId
    gen: Int
    """The series these belong to: 0 in `welcome`, then as `rejected` says."""
    seq: Annotated[int, Meta(ge=1, le=limits.MAX_INTEGER)]
    """Number of the first slide; your slides are numbered 1, 2, 3 ..."""
    slides: Annotated[list[Slide], Meta(min_length=1, max_length=limits.MAX_SLIDES)]
    approx: bool = False
    """The times were counted from a snapshot (after a reload), not from the paint."""


class Forfeit(_Command, frozen=True, tag="forfeit"):
    """Give up this race; may be undone for 3 seconds."""

    race: RaceId


class Undo(_Command, frozen=True, tag="undo"):
    """Take a forfeit back within its 3 seconds."""

    race: RaceId


class CallTime(_Command, frozen=True, tag="call_time"):
    """Host: end the grace time now."""

    race: RaceId


class Rematch(_Command, frozen=True, tag="rematch"):
    """From the results back to the lobby, ready for the next race."""

    race: RaceId


class Settings(_Command, frozen=True, tag="settings"):
    """Host, in the lobby: change rules; a new race id, and nobody is ready."""

    rules: RulesPatch = RulesPatch()
    public: bool | None = None
    seed: Annotated[str, Meta(max_length=limits.MAX_SEED_TEXT)] | None = None


class Role(_Command, frozen=True, tag="role"):
    """Become a player or a spectator, between races."""

    role: RoleName


class Kick(_Command, frozen=True, tag="kick"):
    """Host: send somebody out; that connection is closed with 4501."""

    member: MemberId


class Bench(_Command, frozen=True, tag="bench"):
    """Sit out with the seat kept: oneself, or (host) any player."""

    member: MemberId
    on: bool = True


class Lock(_Command, frozen=True, tag="lock"):
    """Host: no new members (or again)."""

    on: bool = True


class HandOver(_Command, frozen=True, tag="hand_over"):
    """Host: make another player the host."""

    member: MemberId


class Leave(_Command, frozen=True, tag="leave"):
    """Leave the room for good; the seat is given up."""


class Close(_Command, frozen=True, tag="close"):
    """Host: close the room for everyone."""


class Resync(_Command, frozen=True, tag="resync"):
    """Ask for the truth again: one seat's board, or (no seat) a snapshot."""

    seat: Seat | None = None


class Ping(_Command, frozen=True, tag="ping"):
    """A probe, answered by `pong` with the same id."""

    id: Int


Command = (
    Hello
    | Ready
    | Start
    | Abort
    | Slides
    | Forfeit
    | Undo
    | CallTime
    | Rematch
    | Settings
    | Role
    | Kick
    | Bench
    | Lock
    | HandOver
    | Leave
    | Close
    | Resync
    | Ping
)


# --- Parts of events -----------------------------------------------------------------


class Limits(Struct, frozen=True):
    """What a client must keep to; it is slowed down, then closed, beyond."""

    messages_per_s: int
    messages_burst: int
    tiles_per_s: int
    tiles_burst: int
    slides_per_message: int
    gather_ms: int
    """After the first slide, gather for this long; the solving slide never waits."""
    message_bytes: int


class Room(Struct, frozen=True):
    """The room's own facts."""

    code: str
    """Six letters; shown as KWX-TRB."""
    public: bool
    locked: bool
    host: int | None
    """Member id."""
    rules: Rules
    race: str
    """Id of the race being prepared, run or shown."""
    commitment: str
    """Hex SHA-256 that binds the server to its secret before anybody is ready."""
    seed_known: bool
    """The seed was given in advance: no fairness claim."""


class Member(Struct, frozen=True):
    """Somebody in the room."""

    id: int
    name: str
    role: RoleName
    seat: int | None
    """Players have one; spectators do not."""
    ready: bool
    connected: bool
    benched: bool
    bot: bool


class Standing(Struct, frozen=True):
    """How one racer stands, or stood at the end. Ranking: DESIGN of the rules."""

    seat: int
    member: int
    name: str
    bot: bool
    status: StatusName
    place: int | None
    """1, 1, 3 ...; none while racing or for DNS."""
    time_ms: int | None
    """Official time; none unless finished."""
    solve_ms: int | None
    """Own first to last slide."""
    credit_ms: int
    """Receive time minus official time."""
    stm: int
    mtm: int
    high: int
    """High-water progress in permille."""
    why: str = ""
    """For a DNF: limit, grace, away, left, kicked, called."""


class Lane(Struct, frozen=True):
    """One racer's place in the race, in snapshots."""

    seat: int
    seq: int
    high: int
    stm: int
    status: StatusName
    board: str | None
    """Board text, for those who may see it."""


class RaceView(Struct, frozen=True):
    """The race as far as its reader may know it."""

    id: str
    roster: list[int]
    """Seats that race; empty before the lock."""
    elapsed_ms: int | None
    """Since your board was unlocked (spectators: since T0); none before."""
    start: str | None
    """The scrambled board, from your reveal on."""
    lanes: list[Lane]
    standings: list[Standing]


# --- Events: server to client --------------------------------------------------------


class _Event(Struct, frozen=True, tag_field="t"):
    """Base of all events."""


class Welcome(_Event, frozen=True, tag="welcome"):
    """You are in. Followed by a `snapshot`, or by the events you missed."""

    v: int
    server: str
    """Program and version."""
    code: str
    member: int
    seat: int | None
    token: str | None
    """Secret that proves your seat; given once, keep it. None on a resume."""
    epoch: int
    gen: int
    race: str
    seq: int
    """Your last durable slide in this race; later ones must be sent again."""
    board: str | None
    """Your board after `seq`, while you race."""
    limits: Limits


class Opened(_Event, frozen=True, tag="opened"):
    """The room stands; nobody is in it yet. The connection is closed with 1000."""

    code: str
    link: str


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
    results: "Results | None" = None


class MemberEvent(_Event, frozen=True, tag="member"):
    """Somebody came, or changed; replaces what you knew of that id."""

    o: int
    member: Member
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


class StandingEvent(_Event, frozen=True, tag="standing"):
    """A racer finished, gave up, came back or is out."""

    o: int
    race: str
    standing: Standing


class Results(_Event, frozen=True, tag="results"):
    """The race is over and its secret is told."""

    o: int
    race: str
    standings: list[Standing]
    board: str
    seed: str
    secret: str | None
    """S of the commitment; none where the seed was known in advance."""
    record: str
    """Path of the race record on this server, `/api/races/<id>`."""


class Closed(_Event, frozen=True, tag="closed"):
    """The room is no more."""

    o: int
    why: Literal["host", "timeout"]


class Hidden(_Event, frozen=True, tag="hidden"):
    """Something you may not see yet happened; only its place in the stream."""

    o: int


class Step(Struct, frozen=True, array_like=True):
    """One seat in `progress`: a JSON array of six."""

    seat: int
    seq: int
    high: int
    """High-water progress in permille."""
    stm: int
    since: int = -1
    """-1 where you may not see boards; else `slides` are those numbered since+1 ...
    seq. If `since` is not the seq you hold, ask ``resync`` for that seat."""
    slides: str = ""
    """Solution text, one token (`R2`) a slide."""


class Progress(_Event, frozen=True, tag="progress"):
    """The newest state of some seats; provisional, without an offset."""

    race: str
    p: list[Step]


class BoardEvent(_Event, frozen=True, tag="board"):
    """A board: yours or everyone's at the reveal, or one seat's after a resync."""

    race: str
    seat: int | None
    """None: the start board of the race."""
    seq: int
    board: str
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
    seq: int
    code: str
    board: str | None


class Refused(_Event, frozen=True, tag="refused"):
    """A command was refused and changed nothing."""

    of: str
    """Type of the command, or empty where it could not be read."""
    code: str
    """One of `sliderace.protocol.codes`."""
    text: str
    """The same in English, for a person."""
    field: str = ""
    value: str = ""
    """The offending value, shortened."""
    retry_ms: int = 0
    """When to try again; 0: not by itself."""


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
    | StandingEvent
    | Results
    | Closed
    | Hidden
    | Progress
    | BoardEvent
    | Ack
    | Rejected
    | Refused
    | Pong
)
