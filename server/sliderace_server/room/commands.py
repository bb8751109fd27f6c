"""Commands to a room: from its members, their connections and the clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sliderace.protocol.messages import (
    Abort,
    Bench,
    Bots,
    BotWanted,
    CallTime,
    Close,
    Forfeit,
    HandOver,
    Input,
    Kick,
    Leave,
    Lock,
    Mute,
    Nonce,
    Ready,
    Rematch,
    Rename,
    Role,
    RoleName,
    Series,
    Settings,
    Slides,
    Start,
    Undo,
)
from sliderace.race.timing import Latency

__all__ = [
    "Connect",
    "Disconnect",
    "Enter",
    "KeepAlive",
    "LockNotDurable",
    "MemberCommand",
    "MemberLatency",
    "RoomCommand",
    "SetBots",
    "SetWallClock",
    "Stall",
    "Tick",
    "WireCommand",
]

WireCommand = (
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
    | Series
    | Input
    | Role
    | Rename
    | Kick
    | Bench
    | Bots
    | Lock
    | Mute
    | HandOver
    | Leave
    | Close
)
"""Commands of the protocol that a room handles; sessions handle the others."""


MemberLatency = Callable[[int], Latency]
"""Member id -> latency of the member's connection."""


@dataclass(frozen=True, slots=True)
class Enter:
    """A new, connected member joins.

    Args:
        name: as typed.
        token_hash: SHA-256 of the new seat token, in hex.
        role: player or spectator.
        bot: declared as a bot.
        creator: this member created the room, so they are the host in either role.
        address: a hash of the client's address; empty: this machine.
        profile: public id of their profile; None: a guest.
        usual_ms: what they usually need for this board; None: unknown.
    """

    name: str
    token_hash: str
    role: RoleName = "player"
    bot: bool = False
    creator: bool = False
    address: str = ""
    profile: str | None = None
    usual_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Connect:
    """A member is connected again.

    Args:
        member: the member's id.
        token_hash: SHA-256 of a new seat token in hex, if they use another device;
            empty: they keep their token.
        resumed_with: SHA-256 of the token with which they resumed, or empty.
        profile: public id of their profile; None: a guest.
    """

    member: int
    token_hash: str = ""
    resumed_with: str = ""
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Disconnect:
    """A member lost the current connection."""

    member: int


@dataclass(frozen=True, slots=True)
class MemberCommand:
    """A command that a member sent.

    Args:
        member: the member's id, which the session has checked.
        message: the command.
        token_hashes: of `Bots`: SHA-256 of the seat tokens of the next members.
    """

    member: int
    message: WireCommand
    token_hashes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SetBots:
    """The server chooses the bots of a room that has no host.

    Args:
        want: all bots that the room should have.
        token_hashes: SHA-256 of the seat tokens of the next members.
    """

    want: Sequence[BotWanted]
    token_hashes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Tick:
    """The time that `next_deadline` returned has come."""


@dataclass(frozen=True, slots=True)
class LockNotDurable:
    """At `lock_check_at` the record `BoardDrawn` is not durable yet."""


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """The server is alive: append `Alive` if a race has no other records."""


@dataclass(frozen=True, slots=True)
class SetWallClock:
    """The machine's wall clock was set.

    Args:
        wall_ms: the result of `wall_clock_step`.
    """

    wall_ms: int


@dataclass(frozen=True, slots=True)
class Stall:
    """The server did nothing for a while; execute this before anything else.

    Args:
        since: room time at which it was last known to run.
    """

    since: int


RoomCommand = (
    KeepAlive
    | SetWallClock
    | Stall
    | Enter
    | Connect
    | Disconnect
    | MemberCommand
    | SetBots
    | Tick
    | LockNotDurable
)
