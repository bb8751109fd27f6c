"""What events are made of: the room, its members, a race and how it stands."""

from msgspec import Struct

from sliderace.protocol.fields import RoleName, StatusName
from sliderace.race.rules import Rules

__all__ = [
    "Lane",
    "Limits",
    "Member",
    "MemberLatency",
    "RaceView",
    "Room",
    "SeatNonce",
    "SeatProgress",
    "SeatSignals",
    "Signal",
    "Standing",
]


class Limits(Struct, frozen=True):
    """What a client must keep to; it is slowed down, then closed, beyond."""

    messages_per_s: int
    """Messages from you, of any kind."""
    messages_burst: int
    """So many at once."""
    tiles_per_s: int
    """Tiles that your slides move: `R2` moves two."""
    tiles_burst: int
    """So many at once."""
    slides_per_message: int
    """At most."""
    gather_ms: int
    """After the first slide, gather for this long; the solving slide never waits."""
    message_bytes: int
    """At most, in UTF-8."""


class Room(Struct, frozen=True):
    """The room's own facts."""

    code: str
    """Six letters; shown as KWX-TRB."""
    public: bool
    """Listed for everybody."""
    locked: bool
    """Nobody new may enter."""
    host: int | None
    """Member id."""
    rules: Rules
    """Of the race."""
    race: str
    """Id of the race being prepared, run or shown."""
    commitment: str
    """Hex SHA-256 that binds the server to its secret before anybody is ready."""
    seed_known: bool
    """The seed was given in advance: no fairness claim."""


class Member(Struct, frozen=True):
    """Somebody in the room."""

    id: int
    """1, 2, 3 ... in the order of entering; never used again."""
    name: str
    """Cleaned and unique; clean it again before you show it."""
    role: RoleName
    seat: int | None
    """Players have one; spectators do not."""
    ready: bool
    """Will race."""
    connected: bool
    """Has a live connection."""
    benched: bool
    """Sits out."""
    bot: bool
    """A declared bot."""


class Standing(Struct, frozen=True):
    """How one racer stands, or stood at the end. Ranking: `sliderace.race.ranking`."""

    seat: int
    member: int
    """Who raced from that seat; may have left since."""
    name: str
    bot: bool
    """A declared bot."""
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
    """Tiles moved."""
    mtm: int
    """Maximal runs in one direction."""
    high: int
    """High-water progress in permille."""
    why: str = ""
    """For a DNF: limit, grace, away, left, kicked, called."""
    final: bool = False
    """This place can no longer be lost; in the results: all of them."""
    photo: bool = False
    """A photo finish: so close to a neighbour that the line may have decided."""
    outage_ms: int = 0
    """Part of the credit: for a failure of the server."""


class SeatNonce(Struct, frozen=True):
    """One seat's part in the draw of the board."""

    seat: int
    commitment: str | None
    """As listed in `roster`; none where its client gave none."""
    nonce: str | None
    """As it went into the seed; none: left out."""


class MemberLatency(Struct, frozen=True, array_like=True):
    """One member's line in `lines`: a JSON array of three."""

    member: int
    """Whose."""
    rtt_ms: int
    """R: the least round trip of the last minute."""
    jitter_ms: int
    """M: the median distance of the round trips from their median."""


class Signal(Struct, frozen=True):
    """One figure of a solve, beside what is known of human record solvers."""

    name: str
    """first_ms, tps_milli, peak, cv_milli, pauses, longest_ms or m_md_milli."""
    value: int | None
    """None: too few slides for it."""
    low: int | None
    """The least that was seen of humans; none: says nothing here."""
    high: int | None
    """The most; likewise."""
    note: str
    """Where the range comes from, or why there is none."""
    outside: bool
    """No human record solve looks like that. Proves nothing."""


class SeatSignals(Struct, frozen=True):
    """The figures of one racer; see `sliderace.proof.signals`."""

    seat: int
    signals: list[Signal]
    """In a fixed order."""


class Lane(Struct, frozen=True):
    """One racer's place in the race, in snapshots."""

    seat: int
    seq: int
    high: int
    """High-water progress in permille."""
    stm: int
    status: StatusName
    board: str | None
    """Board text, for those who may see it."""


class RaceView(Struct, frozen=True):
    """The race as far as its reader may know it."""

    id: str
    """The current race."""
    roster: list[int]
    """Seats that race; empty before the lock."""
    elapsed_ms: int | None
    """Since your board was unlocked (spectators: since T0); none before."""
    start: str | None
    """The scrambled board, from your reveal on."""
    lanes: list[Lane]
    """One a racer."""
    standings: list[Standing]
    nonce_commitments: list[str | None] = []
    """Per seat of `roster`, once it is frozen."""


class SeatProgress(Struct, frozen=True, array_like=True):
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
