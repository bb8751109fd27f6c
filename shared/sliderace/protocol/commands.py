"""Commands: everything a client can send. A closed list; the types state the limits."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from sliderace.protocol import limits
from sliderace.protocol.parts import (
    AnyRaceId,
    BotWanted,
    Code,
    DeviceTicketText,
    EventName,
    InputName,
    Int,
    MemberId,
    Name,
    Nonce as NonceText,
    NonceCommitment,
    RaceId,
    RoleName,
    Seat,
    Secret,
    SeedText,
    Slide,
    Token,
)
from sliderace.race.daily import DailyEvent
from sliderace.race.series import LENGTHS, Format

__all__ = [
    "Abort",
    "Bench",
    "Bots",
    "CallTime",
    "Claim",
    "Close",
    "Command",
    "Create",
    "Daily",
    "DeviceTicket",
    "Forfeit",
    "Forget",
    "HandOver",
    "Hello",
    "History",
    "Input",
    "Join",
    "Keep",
    "Kick",
    "Leave",
    "Lobby",
    "Lock",
    "Me",
    "Mute",
    "Nonce",
    "Open",
    "Ping",
    "Quick",
    "React",
    "Ready",
    "Redeem",
    "Rematch",
    "Rename",
    "Resume",
    "Resync",
    "Revoke",
    "Role",
    "RulesPatch",
    "Series",
    "Settings",
    "Slides",
    "Solo",
    "Start",
    "Transfer",
    "Undo",
]


class _Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t"):
    """Base of all commands."""


class _Enter(Struct, frozen=True, forbid_unknown_fields=True, tag_field="as"):
    """Base of the ways into a room."""


class RulesPatch(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Rules to change; `sliderace.race.rules.Rules` states ranges and meaning."""

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


# --- Ways into a room ----------------------------------------------------------------


class Create(_Enter, frozen=True, tag="create"):
    """Create a room and enter it as its host."""

    name: Name
    rules: RulesPatch = RulesPatch()
    public: bool = False
    seed: SeedText | None = None
    role: RoleName = "player"


class Open(_Enter, frozen=True, tag="open"):
    """Create a room without entering it.

    The server answers with `opened` and closes the connection. The first player who
    joins becomes host, unless it is a bot.
    """

    rules: RulesPatch = RulesPatch()
    public: bool = False
    seed: SeedText | None = None


class Join(_Enter, frozen=True, tag="join"):
    """Enter a room by its code."""

    code: Code
    name: Name
    role: RoleName = "player"
    bot: bool = False
    """You are a bot. Bots are welcome, and marked as such everywhere."""


class Resume(_Enter, frozen=True, tag="resume"):
    """Take your seat back after a lost connection, a reload or a server restart."""

    code: Code
    token: Token
    """The token of your first `welcome`."""
    epoch: Int = 0
    """The epoch you last saw; 0 requests a snapshot."""
    offset: Int = 0
    """The last offset you saw in that epoch."""


class Redeem(_Enter, frozen=True, tag="redeem"):
    """Move a seat from another device to this one, with a ticket.

    `welcome` brings a token of your own. The connection of the other device is closed
    with 4503.
    """

    code: Code
    ticket: Token
    """From the event `ticket`, which the other device got for `transfer`."""


class Quick(_Enter, frozen=True, tag="quick", omit_defaults=True):
    """Enter a public room of the server at once, with people of your speed.

    If there is none, the server opens one. Bots fill it up to four racers.
    """

    event: EventName
    name: Name
    pace_ms: Int | None = None
    """What you usually need for this event; a profile with attempts overrides it."""


class Solo(_Enter, frozen=True, tag="solo", omit_defaults=True):
    """Open a room for yourself alone: the first race starts at once.

    `rematch` deals the next board at once. During a race, `forfeit` ends it first, and
    cannot be undone.
    """

    name: Name
    rules: RulesPatch = RulesPatch()
    seed: SeedText | None = None


class Daily(_Enter, frozen=True, tag="daily"):
    """Race on the daily board, once. This needs a profile.

    If your race on it is running, on any device, you return to it.
    """

    event: DailyEvent
    name: Name


class Lobby(_Enter, frozen=True, tag="lobby"):
    """Watch the list of live rooms; you are in no room. The answer is `rooms`."""


class Me(_Enter, frozen=True, tag="me"):
    """Manage the profile whose secret is in `profile`; you are in no room.

    The answer is `me`.
    """


# --- Commands ------------------------------------------------------------------------


class Hello(
    _Command,
    frozen=True,
    tag="hello",
    forbid_unknown_fields=False,
    omit_defaults=True,
):
    """Open the session: the first message of every connection, within 3 seconds.

    This is the only command in which the server ignores unknown fields.
    """

    v: Annotated[int, Meta(ge=1, le=65535)]
    enter: Create | Open | Join | Resume | Redeem | Quick | Solo | Daily | Lobby | Me
    """How you enter a room."""
    client: Annotated[str, Meta(max_length=40)] = ""
    """Name and version of your program, for the server's log."""
    can: Annotated[
        list[Annotated[str, Meta(max_length=limits.MAX_FEATURE_TEXT)]],
        Meta(max_length=limits.MAX_FEATURES),
    ] = []
    """Event types that you understand beyond the first set; see [how the protocol
    grows](#how-the-protocol-grows)."""
    profile: Secret | None = None
    """The secret of your profile on this device; see [profiles](#profiles). Attempts
    in this room then count for it."""


class Ready(_Command, frozen=True, tag="ready"):
    """Declare that you will race or, with `on` false, that you will not.

    If you are ready already, this only replaces your nonce commitment.
    """

    race: RaceId
    on: bool = True
    nonce_commitment: NonceCommitment | None = None
    """Commits you to a nonce for this race and seat; see [the draw](#the-draw)."""


class Nonce(_Command, frozen=True, tag="nonce"):
    """Reveal your nonce, as soon as `roster` arrives."""

    race: RaceId
    nonce: NonceText
    """If it is late or does not match your commitment, it is left out of the seed."""


class Start(_Command, frozen=True, tag="start"):
    """Host: start the countdown for everyone who is ready."""

    race: RaceId


class Abort(_Command, frozen=True, tag="abort"):
    """Host: cancel the countdown or the race. The room returns to the lobby."""

    race: RaceId


class Slides(_Command, frozen=True, tag="slides"):
    """Slide tiles on your own board; see [slides](#slides-in-a-race)."""

    race: AnyRaceId
    gen: Int
    """0 after `welcome`, then the `gen` of the last `rejected`."""
    seq: Annotated[int, Meta(ge=1, le=limits.MAX_INTEGER)]
    """Number of the first slide. Your slides of a race are numbered 1, 2, 3 ..."""
    slides: Annotated[list[Slide], Meta(min_length=1, max_length=limits.MAX_SLIDES)]
    """Per slide: direction, number of tiles, ms since you painted the board."""
    approx: bool = False
    """The times count from a snapshot's `elapsed_ms`, because you did not paint the
    start board on this connection (after a reload)."""


class Forfeit(_Command, frozen=True, tag="forfeit"):
    """Give up this race. You can `undo` this for 3 seconds."""

    race: RaceId


class Undo(_Command, frozen=True, tag="undo"):
    """Undo your `forfeit`."""

    race: RaceId


class CallTime(_Command, frozen=True, tag="call_time"):
    """Host: end the grace time, as soon as the first place is certain."""

    race: RaceId


class Rematch(_Command, frozen=True, tag="rematch"):
    """Leave the results for the next lobby, and be ready there."""

    race: RaceId


class Settings(_Command, frozen=True, tag="settings"):
    """Host, in the lobby: change the room.

    If rules or seed change, the race gets a new id, and nobody is ready any more.
    """

    rules: RulesPatch = RulesPatch()
    public: bool | None = None
    seed: SeedText | None = None
    """A seed known in advance, as in `create`; an empty text removes it."""


class Series(_Command, frozen=True, tag="series", omit_defaults=True):
    """Host, in the lobby or with the results: begin [a series](#a-series).

    If the current series has the same format and no race yet, nothing changes.
    """

    format: Format
    n: Annotated[int, Meta(ge=0, le=LENGTHS["points"][1])] = 0
    """Of `first`: wins, 1 to 20. Of `points`: races, 1 to 50. Other formats ignore
    it."""
    by: Annotated[int, Meta(ge=1, le=2)] = 1
    """Of `first`: how many wins the winner must be ahead."""


class Role(_Command, frozen=True, tag="role"):
    """Become a player or a spectator, between races."""

    role: RoleName


class Rename(_Command, frozen=True, tag="rename"):
    """Change your nickname; racers cannot do so from `roster` until `results`."""

    name: Name


class Kick(_Command, frozen=True, tag="kick"):
    """Host: remove a member and close their connection with 4501.

    They stay out, and get the refusal `kicked` and 4501, until the host unlocks the
    room: with their seat token, and with the same name from the same address.
    """

    member: MemberId


class Bench(_Command, frozen=True, tag="bench"):
    """Make a player sit out; they keep their seat.

    Players can bench themselves, the host can bench any player.
    """

    member: MemberId
    on: bool = True


class Bots(_Command, frozen=True, tag="bots"):
    """Host, between races: choose the bots of the server that are in the room.

    Bots that are in the room and in the list stay; the others leave or enter.
    See [bots of the server](#bots-of-the-server).
    """

    want: Annotated[list[BotWanted], Meta(max_length=limits.MAX_BOTS)]
    """All bots that are wanted; the server allows 6, or the limit that its operator
    sets."""


class Lock(_Command, frozen=True, tag="lock"):
    """Host: lock the room, so that no new members can enter."""

    on: bool = True


class React(_Command, frozen=True, tag="react"):
    """Show the others one of the [reactions](#reactions)."""

    id: Annotated[int, Meta(ge=1, le=limits.REACTIONS)]
    """Number of the reaction."""


class Mute(_Command, frozen=True, tag="mute"):
    """Host: refuse the reactions of a member."""

    member: MemberId
    on: bool = True


class HandOver(_Command, frozen=True, tag="hand_over"):
    """Host: make another player the host."""

    member: MemberId
    """The new host: a player who is not a bot."""


class Transfer(_Command, frozen=True, tag="transfer"):
    """Request a ticket that moves your seat to another device; see `redeem`."""


class Input(_Command, frozen=True, tag="input"):
    """Racer: declare how you slide in this race, and again when that changes.

    It says on which leaderboard the attempt counts.
    """

    race: RaceId
    input: InputName


class Keep(_Command, frozen=True, tag="keep"):
    """In `me`: create a profile with the secret of your `hello`."""

    name: Name


class DeviceTicket(_Command, frozen=True, tag="ticket"):
    """In `me`: request a ticket that adds another device to your profile."""


class Claim(_Command, frozen=True, tag="claim"):
    """In `me`, with a new secret: add this device to a profile.

    Wrong tickets can make the right one void; see [profiles](#profiles).
    """

    ticket: DeviceTicketText


class Revoke(_Command, frozen=True, tag="revoke"):
    """In `me`: remove a device from your profile. Its secret is no longer valid."""

    device: Int


class Forget(_Command, frozen=True, tag="forget"):
    """In `me`: delete the profile in 72 hours or, with `on` false, cancel that."""

    on: bool = True


class History(_Command, frozen=True, tag="history", omit_defaults=True):
    """In `me`: request attempts of an event, the latest first."""

    event: EventName
    before: RaceId | None = None
    """Only attempts before this race, for the next page."""


class Leave(_Command, frozen=True, tag="leave"):
    """Leave the room for good and give up your seat."""


class Close(_Command, frozen=True, tag="close"):
    """Host: close the room for everyone. A running race ends first, with results."""


class Resync(_Command, frozen=True, tag="resync"):
    """Request the current state: the board of one seat, or a snapshot."""

    seat: Seat | None = None
    """Null requests a snapshot."""


class Ping(_Command, frozen=True, tag="ping"):
    """Measure your round trip: the server answers with `pong`."""

    id: Int
    """Any number; `pong` repeats it."""


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
    | Series
    | Role
    | Rename
    | Kick
    | Bench
    | Bots
    | Lock
    | React
    | Mute
    | HandOver
    | Transfer
    | Leave
    | Close
    | Resync
    | Ping
    | Input
    | Keep
    | DeviceTicket
    | Claim
    | Revoke
    | Forget
    | History
)
