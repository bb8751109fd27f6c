"""Log records of a room's members, settings and epochs.

The log also contains records of races, see `sliderace.race.log_records`. Types and
fields are permanent: a new meaning needs a new type. `t` is room time in ms.
"""

from dataclasses import dataclass
from typing import Literal

from sliderace.protocol.messages import InputName, LevelName, RoleName, RoomKind
from sliderace.protocol.room_code import RoomCode
from sliderace.race.log_records import RaceCreated, RaceRecord, Seat
from sliderace.race.series import OPEN, Format, Series
from sliderace_server.room.member_state import MemberState

__all__ = [
    "Alive",
    "BenchChanged",
    "Checkpoint",
    "Closed",
    "Connected",
    "Disconnected",
    "Entered",
    "EpochBegan",
    "Gone",
    "HostChanged",
    "HostStarted",
    "InputDeclared",
    "ListingChanged",
    "LockChanged",
    "MemberRecord",
    "MuteChanged",
    "NonceCommitted",
    "ProfileKnown",
    "ReadyChanged",
    "Record",
    "Renamed",
    "RoleChanged",
    "RoomOpened",
    "SeriesBegan",
    "Stalled",
    "StartPlanned",
    "TokenIssued",
    "WallClockSet",
]


@dataclass(frozen=True, slots=True)
class RoomOpened:
    """The first record of every log; an epoch and a race follow."""

    t: int
    code: RoomCode
    created_s: int
    """Unix seconds; part of every race id of this room."""
    public: bool
    kind: RoomKind = "room"
    day: int = 0
    """Of a daily room: days since 1970 in UTC."""


@dataclass(frozen=True, slots=True)
class EpochBegan:
    """A server took over the room; every recovery begins a new epoch."""

    t: int
    epoch: int
    """1 at first, later usually Unix ms; see `next_epoch`."""
    boot: str
    """Identifies the boot of the machine; empty if unknown."""
    mono_ms: int
    """The machine's monotonic time at `t`."""
    wall_ms: int
    """Unix time at `t`."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A new member joined, and is connected unless it is a bot of the server."""

    t: int
    member: int
    name: str
    role: RoleName
    bot: bool
    seat: Seat | None
    token_hash: str
    """SHA-256 of the seat token in hex; the token itself is not stored."""
    address: str = ""
    """A hash of the client's address, different in each room; empty: this machine."""
    level: LevelName | None = None
    """Of a bot of the server, which is not connected yet."""
    pace_ms: int | None = None
    """The same, instead of a level."""
    usual_ms: int | None = None
    """Of a person: what they usually need for this board."""


@dataclass(frozen=True, slots=True)
class ProfileKnown:
    """A member's attempts count for a profile from now on."""

    t: int
    member: int
    profile: str
    """Its public id; never its secret."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A member is no longer in the room."""

    t: int
    member: int
    why: Literal["left", "kicked", "timeout"]


@dataclass(frozen=True, slots=True)
class Connected:
    """A member connected again."""

    t: int
    member: int


@dataclass(frozen=True, slots=True)
class Disconnected:
    """A member lost the connection; they are still a member."""

    t: int
    member: int


@dataclass(frozen=True, slots=True)
class ReadyChanged:
    """A player is ready to race, or no longer."""

    t: int
    member: int
    on: bool


@dataclass(frozen=True, slots=True)
class NonceCommitted:
    """A player's client committed to a nonce for the race in preparation."""

    t: int
    member: int
    commitment: str
    """64 hex digits; the last one before the roster is frozen counts."""


@dataclass(frozen=True, slots=True)
class InputDeclared:
    """A racer declared how they slide in this race."""

    t: int
    seat: Seat
    input: InputName


@dataclass(frozen=True, slots=True)
class HostStarted:
    """The host starts the next countdown, so one racer is enough."""

    t: int


@dataclass(frozen=True, slots=True)
class StartPlanned:
    """An automatic start is planned for room time `at`; None: no longer."""

    t: int
    at: int | None


@dataclass(frozen=True, slots=True)
class HostChanged:
    """Another member acts as host, or becomes the owner of the role."""

    t: int
    host: int | None
    owner: int | None


@dataclass(frozen=True, slots=True)
class LockChanged:
    """The room was locked against new members, or unlocked."""

    t: int
    locked: bool


@dataclass(frozen=True, slots=True)
class ListingChanged:
    """The room became public or private."""

    t: int
    public: bool


@dataclass(frozen=True, slots=True)
class BenchChanged:
    """A player sits out but keeps the seat, or plays again."""

    t: int
    member: int
    on: bool


@dataclass(frozen=True, slots=True)
class RoleChanged:
    """A member became a player or a spectator; `idle`: by making no slides."""

    t: int
    member: int
    role: RoleName
    seat: Seat | None
    idle: bool = False


@dataclass(frozen=True, slots=True)
class Renamed:
    """A member changed their nickname."""

    t: int
    member: int
    name: str


@dataclass(frozen=True, slots=True)
class MuteChanged:
    """The host forbade a member to react, or allowed it again."""

    t: int
    member: int
    on: bool


@dataclass(frozen=True, slots=True)
class Closed:
    """The room was closed."""

    t: int
    why: Literal["host", "timeout"]


@dataclass(frozen=True, slots=True)
class Alive:
    """The server is alive although nothing else happens in the race."""

    t: int


@dataclass(frozen=True, slots=True)
class Stalled:
    """The server did nothing from `since` to `t`, but its connections survived."""

    t: int
    since: int
    """Room time at which it was last known to run."""


@dataclass(frozen=True, slots=True)
class WallClockSet:
    """The machine's wall clock was set; the monotonic clock is not affected."""

    t: int
    wall_ms: int
    """Unix time at the start of the epoch, by the wall clock of the moment of this
    record."""


@dataclass(frozen=True, slots=True)
class TokenIssued:
    """A member moved to another device, which got a new seat token."""

    t: int
    member: int
    token_hash: str
    """SHA-256 of it in hex. The previous token stays valid, older ones do not. The
    same token again: it has been used, so the previous one is no longer valid."""


@dataclass(frozen=True, slots=True)
class SeriesBegan:
    """The host began a series; see `sliderace.race.series.Series`."""

    t: int
    format: Format
    n: int
    by: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The whole room between two races: no earlier record is needed any more.

    It follows the record of a race that has just been created.
    """

    t: int
    code: RoomCode
    created_s: int
    public: bool
    locked: bool
    members: tuple[MemberState, ...]
    """In the order of entering."""
    last_member: int
    host: int | None
    owner: int | None
    race: RaceCreated
    number: int
    last_race: str
    epoch: EpochBegan
    hold_until: int
    offset: int
    empty_since: int | None
    active_at: int
    kicked: tuple[MemberState, ...] = ()
    """Whom the host keeps out."""
    series: Series = OPEN
    kind: RoomKind = "room"
    day: int = 0


MemberRecord = (
    RoomOpened
    | Checkpoint
    | EpochBegan
    | Entered
    | Gone
    | Connected
    | Disconnected
    | ReadyChanged
    | NonceCommitted
    | HostStarted
    | StartPlanned
    | HostChanged
    | LockChanged
    | ListingChanged
    | BenchChanged
    | RoleChanged
    | Renamed
    | MuteChanged
    | Closed
    | Alive
    | Stalled
    | WallClockSet
    | TokenIssued
    | SeriesBegan
    | ProfileKnown
    | InputDeclared
)
Record = MemberRecord | RaceRecord
