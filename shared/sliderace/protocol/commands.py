"""Commands: what a client may say. A closed list, with the limits in its types."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from sliderace.protocol import limits
from sliderace.protocol.fields import (
    AnyRaceId,
    Code,
    Int,
    MemberId,
    Name,
    Nonce as NonceText,
    NonceCommitment,
    RaceId,
    RoleName,
    Seat,
    Slide,
    Token,
)

__all__ = [
    "Abort",
    "Bench",
    "CallTime",
    "Close",
    "Command",
    "Create",
    "Forfeit",
    "HandOver",
    "Hello",
    "Join",
    "Kick",
    "Leave",
    "Lock",
    "Nonce",
    "Open",
    "Ping",
    "Ready",
    "Redeem",
    "Rematch",
    "Resume",
    "Resync",
    "Role",
    "RulesPatch",
    "Settings",
    "Slides",
    "Start",
    "Transfer",
    "Undo",
]


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
    friendly_timing: bool | None = None


class Create(_Enter, frozen=True, tag="create"):
    """Open a room and enter it as its host."""

    name: Name
    rules: RulesPatch = RulesPatch()
    public: bool = False
    seed: Annotated[str, Meta(max_length=limits.MAX_SEED_TEXT)] | None = None
    """A seed known in advance: such a room makes no fairness claim."""
    role: RoleName = "player"


class Open(_Enter, frozen=True, tag="open"):
    """Open a room without entering it; its host is the first who joins to play.

    A bot is never host.
    """

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
    """The one of your first `welcome`."""
    epoch: Int = 0
    """The epoch last seen; 0 asks for a snapshot."""
    offset: Int = 0
    """The last stream offset seen in that epoch."""


class Redeem(_Enter, frozen=True, tag="redeem"):
    """Take one's seat over from another device, with the ticket of a `transfer`."""

    code: Code
    ticket: Token
    """What the other device was told: good once, and not for long."""


class Hello(
    _Command,
    frozen=True,
    tag="hello",
    forbid_unknown_fields=False,
    omit_defaults=True,
):
    """The first message of every connection, within 3 seconds.

    This is the only command in which the server ignores unknown fields.
    """

    v: Annotated[int, Meta(ge=1, le=65535)]
    """Protocol version; see the version rule."""
    enter: Create | Open | Join | Resume | Redeem
    """How you come in."""
    client: Annotated[str, Meta(max_length=40)] = ""
    """Program and version, for the server's log."""
    can: Annotated[
        list[Annotated[str, Meta(max_length=limits.MAX_FEATURE_TEXT)]],
        Meta(max_length=limits.MAX_FEATURES),
    ] = []
    """Event types that you understand beyond the first set; see [how the protocol
    grows](#how-the-protocol-grows)."""


class Ready(_Command, frozen=True, tag="ready"):
    """Say that you will race (or no longer).

    Said again, it only replaces the nonce commitment.
    """

    race: RaceId
    on: bool = True
    nonce_commitment: NonceCommitment | None = None
    """Your part in the draw of the board, for this race and your seat; see `nonce`."""


class Nonce(_Command, frozen=True, tag="nonce"):
    """The nonce behind your commitment: the answer to `roster`, at once."""

    race: RaceId
    nonce: NonceText
    """A wrong or late one is left out of the seed, and listed as left out."""


class Start(_Command, frozen=True, tag="start"):
    """Host: begin the countdown with everyone who is ready."""

    race: RaceId


class Abort(_Command, frozen=True, tag="abort"):
    """Host: call off the countdown or the race; back to the lobby."""

    race: RaceId


class Slides(_Command, frozen=True, tag="slides"):
    """Slides on your own board, in order."""

    race: AnyRaceId
    gen: Int
    """The series these belong to: 0 in `welcome`, then as `rejected` says."""
    seq: Annotated[int, Meta(ge=1, le=limits.MAX_INTEGER)]
    """Number of the first slide; your slides are numbered 1, 2, 3 ..."""
    slides: Annotated[list[Slide], Meta(min_length=1, max_length=limits.MAX_SLIDES)]
    """Each: direction the tiles travel, how many, ms since the board was painted."""
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
    """Whom."""


class Bench(_Command, frozen=True, tag="bench"):
    """Sit out with the seat kept: oneself, or (host) any player."""

    member: MemberId
    """Who sits out."""
    on: bool = True


class Lock(_Command, frozen=True, tag="lock"):
    """Host: no new members (or again)."""

    on: bool = True


class HandOver(_Command, frozen=True, tag="hand_over"):
    """Host: make another player the host."""

    member: MemberId
    """The new host: a player, no bot."""


class Transfer(_Command, frozen=True, tag="transfer"):
    """Ask for a ticket that takes your seat to another device, see `redeem`."""


class Leave(_Command, frozen=True, tag="leave"):
    """Leave the room for good; the seat is given up."""


class Close(_Command, frozen=True, tag="close"):
    """Host: close the room for everyone. A race that runs ends first, with results."""


class Resync(_Command, frozen=True, tag="resync"):
    """Ask for the truth again: one seat's board, or (no seat) a snapshot."""

    seat: Seat | None = None
    """Whose board; none: everything."""


class Ping(_Command, frozen=True, tag="ping"):
    """A probe, answered by `pong` with the same id."""

    id: Int


Command = (
    Hello
    | Ready
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
    | Transfer
    | Leave
    | Close
    | Resync
    | Ping
)
