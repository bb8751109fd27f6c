"""What a room can be asked: by its door, its connections, its members, its clock."""

from collections.abc import Callable
from dataclasses import dataclass

from sliderace.protocol.messages import (
    Abort,
    Bench,
    CallTime,
    Close,
    Forfeit,
    HandOver,
    Kick,
    Leave,
    Lock,
    Nonce,
    Ready,
    Rematch,
    Role,
    RoleName,
    Settings,
    Slides,
    Start,
    Undo,
)
from sliderace.race.timing import Latency

__all__ = [
    "Ask",
    "Asked",
    "Beat",
    "Connect",
    "Disconnect",
    "Enter",
    "LockNotDurable",
    "MemberLatency",
    "RoomCommand",
    "SetWall",
    "Tick",
]

Asked = (
    Ready
    | Nonce
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
)
"""The commands of the wire that concern the room; the others are the session's."""


MemberLatency = Callable[[int], Latency]
"""What is known of a member's connection, by the member's id."""


@dataclass(frozen=True, slots=True)
class Enter:
    """Somebody new, already connected, wants to come in.

    Args:
        name: as typed.
        token_hash: hex SHA-256 of the new seat token.
        role: player or spectator.
        bot: a declared one.
        creator: the room was opened by this very command; its host, in any role.
    """

    name: str
    token_hash: str
    role: RoleName = "player"
    bot: bool = False
    creator: bool = False


@dataclass(frozen=True, slots=True)
class Connect:
    """A member has a live connection again.

    Args:
        member: who.
        token_hash: hex SHA-256 of a new seat token, for who comes from another device;
            empty: the tokens stay as they are.
    """

    member: int
    token_hash: str = ""


@dataclass(frozen=True, slots=True)
class Disconnect:
    """A member's current connection is lost."""

    member: int


@dataclass(frozen=True, slots=True)
class Ask:
    """A member says something.

    Args:
        member: who, as the session knows.
        message: what.
    """

    member: int
    message: Asked


@dataclass(frozen=True, slots=True)
class Tick:
    """The clock has come to `next_deadline`."""


@dataclass(frozen=True, slots=True)
class LockNotDurable:
    """The record `RaceLocked` is still not committed at `lock_check_at`."""


@dataclass(frozen=True, slots=True)
class Beat:
    """The server is well: to be noted in a race in which nothing else is."""


@dataclass(frozen=True, slots=True)
class SetWall:
    """The machine's wall clock was set, as `wall_set_to` tells.

    Args:
        wall_ms: Unix time at the begin of the epoch, by the clock as it is now.
    """

    wall_ms: int


RoomCommand = (
    Beat | SetWall | Enter | Connect | Disconnect | Ask | Tick | LockNotDurable
)
