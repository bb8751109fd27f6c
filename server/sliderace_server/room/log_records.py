"""What the log of a room remembers of its members, its door and its epochs.

Beside these it holds the records of its races, `sliderace.race.log_records`. Types and
fields are forever; a new meaning is a new type. `t` is room time in ms.
"""

from dataclasses import dataclass
from typing import Literal

from sliderace.protocol.messages import RoleName
from sliderace.protocol.room_code import RoomCode
from sliderace.race.log_records import RaceRecord, Seat

__all__ = [
    "Alive",
    "Benched",
    "Closed",
    "Connected",
    "Disconnected",
    "DoorChanged",
    "Entered",
    "EpochBegan",
    "Gone",
    "HostChanged",
    "HostStarted",
    "ListingChanged",
    "MemberRecord",
    "NonceCommitted",
    "Readied",
    "Record",
    "RoleChanged",
    "RoomOpened",
    "StartPlanned",
    "TokenGiven",
    "WallSet",
]


@dataclass(frozen=True, slots=True)
class RoomOpened:
    """The first record of every log; an epoch and a race follow."""

    t: int
    code: RoomCode
    created_s: int
    """Unix seconds; part of every race id of this room."""
    public: bool


@dataclass(frozen=True, slots=True)
class EpochBegan:
    """A server has the room now; every recovery begins a new epoch."""

    t: int
    epoch: int
    """1, 2, 3 ..."""
    boot: str
    """Names this run of the machine; empty where the system tells none."""
    mono_ms: int
    """The machine's monotonic clock at `t`."""
    wall_ms: int
    """Unix time at `t`."""


@dataclass(frozen=True, slots=True)
class Entered:
    """Somebody new is in the room, and connected."""

    t: int
    member: int
    name: str
    role: RoleName
    bot: bool
    seat: Seat | None
    token_hash: str
    """Hex SHA-256 of the seat token; the token itself is stored nowhere."""


@dataclass(frozen=True, slots=True)
class Gone:
    """Somebody is out of the room for good."""

    t: int
    member: int
    why: Literal["left", "kicked", "timeout"]


@dataclass(frozen=True, slots=True)
class Connected:
    """A member is back."""

    t: int
    member: int


@dataclass(frozen=True, slots=True)
class Disconnected:
    """A member's connection is lost; not a leave."""

    t: int
    member: int


@dataclass(frozen=True, slots=True)
class Readied:
    """A player will race, or not."""

    t: int
    member: int
    on: bool


@dataclass(frozen=True, slots=True)
class NonceCommitted:
    """A player's client bound itself to a nonce for the race in preparation."""

    t: int
    member: int
    commitment: str
    """64 hex digits; the last one before the roster is frozen counts."""


@dataclass(frozen=True, slots=True)
class HostStarted:
    """The coming countdown is the host's word: it may start a lone racer."""

    t: int


@dataclass(frozen=True, slots=True)
class StartPlanned:
    """The room will start by itself at `at` (room time), or no longer."""

    t: int
    at: int | None


@dataclass(frozen=True, slots=True)
class HostChanged:
    """Who acts as host, and whose the role is (who gets it back on return)."""

    t: int
    host: int | None
    owner: int | None


@dataclass(frozen=True, slots=True)
class DoorChanged:
    """Whether anybody new may enter."""

    t: int
    locked: bool


@dataclass(frozen=True, slots=True)
class ListingChanged:
    """Whether the room is listed for everybody."""

    t: int
    public: bool


@dataclass(frozen=True, slots=True)
class Benched:
    """A player sits out with the seat kept, or plays again."""

    t: int
    member: int
    on: bool


@dataclass(frozen=True, slots=True)
class RoleChanged:
    """A member plays or watches from now on."""

    t: int
    member: int
    role: RoleName
    seat: Seat | None


@dataclass(frozen=True, slots=True)
class Closed:
    """The room is no more."""

    t: int
    why: Literal["host", "timeout"]


@dataclass(frozen=True, slots=True)
class Alive:
    """The server still has the room, though nothing happens in its race."""

    t: int


@dataclass(frozen=True, slots=True)
class WallSet:
    """The machine's wall clock was set; its monotonic clock goes on as before."""

    t: int
    wall_ms: int
    """Unix time at the begin of the epoch, by the wall clock as it is set now."""


@dataclass(frozen=True, slots=True)
class TokenGiven:
    """A member has gone to another device, which has a token of its own."""

    t: int
    member: int
    token_hash: str
    """Hex SHA-256 of it. The last one before stays good; older ones do not."""


MemberRecord = (
    RoomOpened
    | EpochBegan
    | Entered
    | Gone
    | Connected
    | Disconnected
    | Readied
    | NonceCommitted
    | HostStarted
    | StartPlanned
    | HostChanged
    | DoorChanged
    | ListingChanged
    | Benched
    | RoleChanged
    | Closed
    | Alive
    | WallSet
    | TokenGiven
)
Record = MemberRecord | RaceRecord
