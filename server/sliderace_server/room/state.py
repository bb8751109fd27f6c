"""A room as it stands: a fold over its records, see `sliderace_server.room.apply`.

The state may be read by anybody and is changed by `apply` alone.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from msgspec import Meta

from sliderace.protocol.limits import MAX_SEAT
from sliderace.protocol.messages import PhaseName, RoleName
from sliderace.protocol.room_code import RoomCode
from sliderace.race.log_records import Seat
from sliderace.race.rules import Rules
from sliderace.race.state import Race
from sliderace_server.room.log_records import EpochBegan

__all__ = [
    "MemberState",
    "NonNegative",
    "Positive",
    "Racer",
    "RoomLimits",
    "RoomState",
    "race_id",
]

Positive = Annotated[int, Meta(ge=1)]
NonNegative = Annotated[int, Meta(ge=0)]
"""Ranges of limits; `sliderace_server.settings` checks them."""

_NO_RACE = Race("", rules=Rules(), secret="", commitment="")
_NO_EPOCH = EpochBegan(0, 0, "", 0, 0)
"""They stand in until the second and third record of a log."""
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class RoomLimits:
    """The figures of a room that its operator may set. Times in ms.

    Args:
        players: seats.
        spectators: members without a seat.
        lobby_ttl_ms: a lobby without any live socket is closed after this long.
        race_ttl_ms: the same for a running race, but not before its away limit.
        results_ttl_ms: the same for results on show.
        room_ttl_ms: any room is closed this long after anybody last did anything.
        member_ttl_ms: a member away for this long loses the seat, between races.
        away_grace_ms: a host away for this long is represented; a ready player away
            for less still races.
        rematch_ms: a rematch starts this long after the first who is ready.
        max_tiles: what one seat may move in one race.
        lobby_records: what one member may write into the room's log between two races:
            ready, not ready, and so on for ever would fill the disk. Newcomers share
            one such quota.
    """

    players: Annotated[int, Meta(ge=1, le=MAX_SEAT + 1)] = 16
    spectators: NonNegative = 100
    lobby_ttl_ms: Positive = 600_000
    race_ttl_ms: Positive = 120_000
    results_ttl_ms: Positive = 900_000
    room_ttl_ms: Positive = 21_600_000
    member_ttl_ms: Positive = 600_000
    away_grace_ms: Positive = 20_000
    rematch_ms: Positive = 30_000
    max_tiles: Positive = 20_000
    lobby_records: Positive = 1_000


class Racer(NamedTuple):
    """Who raced from a seat: the results name also those who left since."""

    member: int
    name: str
    bot: bool


@dataclass(frozen=True, slots=True)
class MemberState:
    """Somebody in the room.

    Attributes:
        id: 1, 2, 3 ... in the order of entering; never used again.
        name: cleaned, and unlike any other in the room.
        role: players have a seat, spectators none.
        seat: fixed while its holder has it.
        bot: declared as one.
        token_hash: hex SHA-256 of the seat token.
        former_hash: likewise, of the device that the seat was on before: good as well,
            so that a welcome that gets lost loses no seat; or empty.
        ready: will race.
        benched: sits out.
        connected: has a live connection.
        since: room time of the last coming, or of the going where not connected.
        nonce_commitment: 64 hex digits for the race in preparation, or empty.
        nonces: how many commitments there were for it.
    """

    id: int
    name: str
    role: RoleName
    seat: Seat | None
    bot: bool
    token_hash: str
    former_hash: str = ""
    ready: bool = False
    benched: bool = False
    connected: bool = True
    since: int = 0
    nonce_commitment: str = ""
    nonces: int = 0

    @property
    def plays(self) -> bool:
        """A player who does not sit out."""
        return self.role == "player" and not self.benched

    @property
    def active(self) -> bool:
        """One who is here to play: whom an automatic start waits for."""
        return self.plays and self.connected


@dataclass(slots=True)
class RoomState:
    """One room.

    Attributes:
        code: six letters.
        created_s: Unix seconds of its opening.
        public: listed for everybody.
        locked: nobody new may enter.
        members: by id, in the order of entering.
        last_member: the highest id given so far.
        host: who acts as host.
        owner: whose the role is; differs from `host` while that member is away.
        race: the race being prepared, run or shown.
        number: how many races were prepared.
        last_race: id of the race whose results led to this lobby, else empty.
        remade: this race replaced one that was never run (settings).
        racers: who races from which seat of the roster.
        left: why racers left between the freezing of the roster and the draw.
        host_started: the countdown is the host's word.
        start_at: room time of a planned start.
        epoch: who has the room, and since when.
        hold_until: before this room time no deadline fires.
        offset: number of the last event in the stream.
        empty_since: room time since which nobody is connected.
        active_at: room time at which anybody last did anything.
        t: room time of the last record.
        closed: why the room is no more, else empty.
    """

    code: RoomCode
    created_s: int
    public: bool
    locked: bool = False
    members: dict[int, MemberState] = field(default_factory=dict[int, MemberState])
    last_member: int = 0
    host: int | None = None
    owner: int | None = None
    race: Race = field(default_factory=lambda: _NO_RACE)
    number: int = 0
    last_race: str = ""
    remade: bool = False
    racers: dict[Seat, Racer] = field(default_factory=dict[Seat, Racer])
    left: dict[Seat, str] = field(default_factory=dict[Seat, str])
    host_started: bool = False
    start_at: int | None = None
    epoch: EpochBegan = _NO_EPOCH
    hold_until: int = 0
    offset: int = 0
    empty_since: int | None = 0
    active_at: int = 0
    t: int = 0
    closed: str = ""

    @property
    def phase(self) -> PhaseName:
        """Where the room is."""
        return "closed" if self.closed else self.race.phase

    @property
    def between_races(self) -> bool:
        """No roster is fixed: seats and roles may change."""
        return not self.race.locked or self.race.phase == "results"

    def active(self) -> list[MemberState]:
        """The players who are here and do not sit out, in the order of entering."""
        return [member for member in self.members.values() if member.active]

    def free_seat(self) -> Seat:
        """The lowest free one; a roster's seats are free again only in the lobby."""
        taken: set[int] = {*self.race.roster, *self._seats()}
        return Seat(next(n for n in range(len(taken) + 1) if n not in taken))

    def sketch(self) -> "RoomState":
        """A copy to apply anything to but slides."""
        sketch = copy.copy(self)
        sketch.members = dict(self.members)
        sketch.racers = dict(self.racers)
        sketch.race = copy.copy(self.race)
        attempts = self.race.attempts.items()
        sketch.race.attempts = {seat: copy.copy(one) for seat, one in attempts}
        return sketch

    def _seats(self) -> Iterator[Seat]:
        seats = (member.seat for member in self.members.values())
        return (seat for seat in seats if seat is not None)


def race_id(code: str, created_s: int, number: int) -> str:
    """CODE-T-N: the room, its opening in Unix seconds base 36, the race's number.

    >>> race_id("KWXTRB", 1_700_000_000, 3)
    'KWXTRB-S44WE8-3'
    """
    digits = ""
    while created_s:
        created_s, digit = divmod(created_s, 36)
        digits = _DIGITS[digit] + digits
    return f"{code}-{digits or '0'}-{number}"
