"""What messages are made of: bounded values, and the objects inside events.

``docs/protocol.md`` is generated from the docstrings here and in `commands` and
`events`: they address the author of a client.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from sliderace.protocol import limits
from sliderace.race.rules import Rules
from sliderace.race.series import Format

__all__ = [
    "AnyRaceId",
    "BotWanted",
    "Code",
    "Device",
    "DeviceTicketText",
    "EventBests",
    "EventName",
    "Gain",
    "HistoryRow",
    "InputName",
    "Int",
    "KindName",
    "Lane",
    "LevelName",
    "Limits",
    "Member",
    "MemberId",
    "MemberLatency",
    "Ms",
    "Name",
    "Nonce",
    "NonceCommitment",
    "PhaseName",
    "Profile",
    "RaceId",
    "RaceView",
    "RoleName",
    "Room",
    "RoomKind",
    "RoomRow",
    "Seat",
    "SeatNonce",
    "SeatProgress",
    "SeatSignals",
    "Secret",
    "SeedText",
    "SeriesRow",
    "SeriesTable",
    "Signal",
    "Slide",
    "Standing",
    "StatusName",
    "Token",
]

# --- Values --------------------------------------------------------------------------

Int = Annotated[int, Meta(ge=0, le=limits.MAX_INTEGER)]
Ms = Int
Seat = Annotated[int, Meta(ge=0, le=limits.MAX_SEAT)]
MemberId = Annotated[int, Meta(ge=1, le=limits.MAX_INTEGER)]
Code = Annotated[str, Meta(min_length=1, max_length=limits.MAX_CODE)]
"""A room code as typed, with spaces and dashes."""
RaceId = Annotated[str, Meta(pattern=r"^[A-Z0-9-]{1,32}\Z")]
AnyRaceId = Annotated[str, Meta(min_length=1, max_length=32)]
"""`RaceId` without its pattern, for the most frequent command: matching the pattern
would take as long as decoding the rest of the message, and an id that is not that of
the current race is refused anyway."""
Token = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
Nonce = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
"""16 random bytes, hex."""
NonceCommitment = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""See `sliderace.engine.nonce_commitment`."""
Name = Annotated[str, Meta(max_length=limits.MAX_NAME_TEXT)]
"""A nickname as typed."""
EventName = Annotated[str, Meta(pattern=r"^(?:[2-9]|10)x(?:[2-9]|10)\Z")]
"""What makes results comparable: the size of the board, as in `4x4`."""
Secret = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
"""128 random bits that your program generated: a profile's secret on one device."""
DeviceTicketText = Annotated[str, Meta(max_length=limits.MAX_CODE)]
"""Eight letters as typed, with spaces and dashes."""
SeedText = Annotated[str, Meta(max_length=limits.MAX_SEED_TEXT)]
Slide = tuple[
    Literal["U", "D", "L", "R"],
    Annotated[int, Meta(ge=1, le=limits.MAX_SIDE - 1)],
    Ms,
]
"""Direction, number of tiles, ms since the client painted the board."""
RoleName = Literal["player", "spectator"]
LevelName = Literal[
    "newcomer",
    "beginner",
    "casual",
    "club",
    "strong",
    "expert",
    "master",
    "record",
]
PhaseName = Literal[
    "lobby", "countdown", "racing", "grace", "results", "aborted", "closed"
]
StatusName = Literal["racing", "finished", "dnf", "forfeited", "dns"]
RoomKind = Literal["room", "quick", "solo", "daily"]
"""`room`: opened by a host; `quick`: a public room of the server; `solo` and `daily`:
for one player alone."""
InputName = Literal["keys", "click", "hover", "touch", "typed", "mixed"]
KindName = Literal["single", "ao5", "ao12"]

# --- Objects in events ---------------------------------------------------------------


class Limits(Struct, frozen=True):
    """The limits of your connection."""

    messages_per_s: int
    """Messages of any kind."""
    messages_burst: int
    """Messages at once."""
    tiles_per_s: int
    """Tiles that your slides move; `R2` moves two."""
    tiles_burst: int
    """Tiles at once."""
    slides_per_message: int
    """Slides in one message, at most."""
    gather_ms: int
    """How long to collect slides into one message; see [slides](#slides-in-a-race)."""
    message_bytes: int
    """Size of one message, at most, in UTF-8."""


class Room(Struct, frozen=True):
    """The room and its settings."""

    code: str
    """Six letters; show them as `KWX-TRB`."""
    public: bool
    locked: bool
    """New members cannot enter."""
    host: int | None
    """Id of the member who is host."""
    rules: Rules
    """Rules of this race."""
    race: str
    """Id of the race that is being prepared, run or shown."""
    commitment: str
    """Commitment of the server to its secret; see [the draw](#the-draw)."""
    seed_known: bool
    """The seed was given in advance: the race makes no claim of fairness."""
    kind: RoomKind = "room"
    day: str = ""
    """Of a `daily` room: the date in UTC, as in `2026-11-30`."""


class RoomRow(Struct, frozen=True, omit_defaults=True):
    """A public room in the list of live rooms."""

    code: str
    event: str
    """Size of the board, as in `4x4`."""
    kind: RoomKind
    people: int
    """Connected players and spectators, without bots."""
    bots: int
    phase: PhaseName
    age_ms: int
    """Time since this phase began."""
    pace_ms: int | None = None
    """Median of the times that its players usually need; null if unknown."""
    locked: bool = False
    """New members cannot enter."""


class Device(Struct, frozen=True, omit_defaults=True):
    """A device that can use a profile."""

    id: int
    """1, 2, 3 ... in the order in which they were added."""
    name: str
    """What the device called itself when it was added. Clean it before you show it."""
    added_ms: int
    """Unix time."""
    used_ms: int
    """Unix time of the last use, exact to an hour."""
    current: bool = False
    """This is the device that asks."""


class EventBests(Struct, frozen=True, omit_defaults=True):
    """What a profile has done in one event."""

    event: str
    attempts: int
    """Attempts that count."""
    finished: int
    """How many of them were finished."""
    single_ms: int | None = None
    ao5_ms: int | None = None
    ao12_ms: int | None = None
    """Best average of twelve; null if there is none yet."""
    race: str = ""
    """Id of the race of the best time."""
    pace_ms: int | None = None
    """Median of the latest attempts."""


class Profile(Struct, frozen=True, omit_defaults=True):
    """A profile, as its owner sees it."""

    id: str
    """Eight letters; show them only to tell equal names apart."""
    name: str
    created_ms: int
    """Unix time."""
    devices: list[Device]
    """Those that can use this profile."""
    bests: list[EventBests]
    """One per event with attempts, by size."""
    streak: int = 0
    """Days in a row, up to today or yesterday, with a daily race."""
    day: str = ""
    """Today's date in UTC, as in `2026-11-30`."""
    dailies: list[str] = []
    """Events whose daily race of today is done or running."""
    forget_at_ms: int | None = None
    """Unix time at which the profile will be deleted; null: it will not."""


class HistoryRow(Struct, frozen=True, array_like=True):
    """One attempt of a profile: a JSON array."""

    race: str
    started_ms: int
    """Unix time."""
    kind: RoomKind
    """Kind of the room."""
    status: StatusName
    time_ms: int | None
    """Official time; null unless finished."""
    solve_ms: int | None
    """From the first to the last slide; null unless finished."""
    stm: int
    mtm: int
    md: int
    """Manhattan distance of the scramble."""
    first_ms: int | None
    """Until the first slide; null if there was none."""
    pauses: int
    """Intervals between slides that are longer than five times their median."""
    input: InputName | None
    """As the client declared it."""
    counts: bool
    """Counts towards bests and averages."""


class Gain(Struct, frozen=True, omit_defaults=True):
    """A new best."""

    kind: KindName
    """A single time or an average."""
    value_ms: int
    before_ms: int | None = None
    """The previous best; null: this is the first."""


class Member(Struct, frozen=True, omit_defaults=True):
    """A member of the room."""

    id: int
    """1, 2, 3 ... in the order of entering; never reused."""
    name: str
    """Nickname, cleaned and unique. Clean it again before you show it."""
    role: RoleName
    seat: int | None
    """Null for spectators."""
    ready: bool
    """Will race."""
    connected: bool
    """Has an open connection."""
    benched: bool
    """Sits out and keeps the seat."""
    bot: bool
    """Is a declared bot."""
    level: str | None = None
    """Only for bots of the server: how strong it is; null if it has a pace."""
    pace_ms: int | None = None
    """Only for bots of the server: the median time that it aims at."""
    muted: bool = False
    """Is not allowed to react; see [reactions](#reactions)."""


class BotWanted(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One bot of the server: a level or a pace, not both."""

    level: LevelName | None = None
    """How strong it is."""
    pace_ms: Int | None = None
    """The median time that it aims at: at most 4 hours, and at least 300 ms times the
    square root of the number of cells."""


class Standing(Struct, frozen=True):
    """How one racer stands, or stood at the end of the race."""

    seat: int
    member: int
    """Id of the racer, who may have left since."""
    name: str
    """Nickname of the racer. Clean it again before you show it."""
    bot: bool
    """Is a declared bot."""
    status: StatusName
    place: int | None
    """1, 1, 3 ...; null while racing, and for `dns`."""
    time_ms: int | None
    """Official time; null unless finished."""
    solve_ms: int | None
    """From the first to the last slide by the racer's own clock, within what the
    server measured; null unless finished."""
    credit_ms: int
    """Time of arrival minus official time."""
    stm: int
    mtm: int
    """Moves in the multi-tile metric: runs in one direction."""
    high: int
    why: str = ""
    """Reason of a DNF or DNS: `limit`, `grace`, `away`, `left`, `kicked` or
    `called`."""
    final: bool = False
    """This place can no longer change. True for all in `results`."""
    photo: bool = False
    """Photo finish: so close to a neighbour that latency may have decided."""
    outage_ms: int = 0
    """Part of the credit that is for a failure of the server."""


class SeatNonce(Struct, frozen=True):
    """One seat's part in the draw of the board."""

    seat: int
    commitment: str | None
    """As listed in `roster`; null if the client committed to none."""
    nonce: str | None
    """As it went into the seed; null if it was left out."""


class MemberLatency(Struct, frozen=True, array_like=True):
    """The latency of one member's connection: a JSON array of three."""

    member: int
    rtt_ms: int
    """Shortest round trip of the last minute."""
    jitter_ms: int
    """Median deviation of the round trips from their median."""


class Signal(Struct, frozen=True):
    """One figure of a solve, next to the range of human record solvers."""

    name: str
    """`first_ms`, `tps_milli`, `peak`, `cv_milli`, `pauses`, `longest_ms` or
    `m_md_milli`."""
    value: int | None
    """Null if there are too few slides."""
    low: int | None
    """Lowest value of humans; null if unknown, or not meaningful here."""
    high: int | None
    """Highest value of humans, likewise."""
    note: str
    """Where the range comes from, or why there is none, in English."""
    outside: bool
    """No human record solve has such a value. This proves nothing."""


class SeatSignals(Struct, frozen=True):
    """The figures of one racer's solve."""

    seat: int
    signals: list[Signal]
    """Always the same figures in the same order."""


class SeriesRow(Struct, frozen=True, array_like=True):
    """One racer's score in a series: a JSON array of ten."""

    place: int
    """1, 1, 3 ...; people come first, then bots, with places of their own."""
    member: int
    """Id of the racer, who may have left since."""
    name: str
    """Nickname of the racer. Clean it again before you show it."""
    bot: bool
    """Is a declared bot."""
    races: int
    """Races they started."""
    wins: int
    points: int
    """How many racers they beat, over all races."""
    best_ms: int | None
    """Their best time; null if they have not finished any race."""
    average_ms: int | None
    """Their average; null if it is a DNF, if the format has none, or if it needs more
    races."""
    average_dnf: bool = False
    """Their average is a DNF."""


class SeriesTable(Struct, frozen=True):
    """The score of a series; see [a series](#a-series)."""

    format: Format
    n: int
    """How many wins or races end it; 0 if the format has no such number."""
    by: int
    """How many wins the winner of `first` must be ahead."""
    races: int
    """Races so far."""
    over: bool
    """The series is decided. The next race begins a new one of the same format."""
    rows: list[SeriesRow]
    """Best first: at most 64 racers, including those who left."""


class Lane(Struct, frozen=True):
    """The state of one racer in a snapshot."""

    seat: int
    seq: int
    high: int
    stm: int
    status: StatusName
    board: str | None
    """Board after slide `seq`; null if you may not see it."""


class RaceView(Struct, frozen=True):
    """The race, as far as you may know it."""

    id: str
    """Id of the race."""
    roster: list[int]
    """Seats that race; empty before the roster is fixed."""
    elapsed_ms: int | None
    """Time since your board was unlocked (spectators: since the start); null
    before."""
    start: str | None
    """The scramble; null while you may not see it."""
    lanes: list[Lane]
    """One per racer."""
    standings: list[Standing]
    nonce_commitments: list[str | None] = []
    """As in `roster`; empty before the roster is fixed."""


class SeatProgress(Struct, frozen=True, array_like=True):
    """The state of one seat in `progress`: a JSON array of six."""

    seat: int
    seq: int
    high: int
    stm: int
    since: int = -1
    """Number of the slide before the first of `slides`; -1 if you may not see
    boards."""
    slides: str = ""
    """The slides after `since`, one token (`R2`) per slide."""
