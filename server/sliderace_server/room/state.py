"""The state of a room.

Only `sliderace_server.room.apply` changes it.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from msgspec import Meta

from sliderace.protocol.limits import MAX_BOTS, MAX_SEAT
from sliderace.protocol.messages import InputName, PhaseName, RoomKind
from sliderace.protocol.room_code import RoomCode
from sliderace.race.log_records import Seat
from sliderace.race.rules import Rules
from sliderace.race.series import OPEN, Series
from sliderace.race.state import Race
from sliderace_server.room.log_records import EpochBegan
from sliderace_server.room.member_state import MemberState

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
"""Placeholders until the second and third record of a log are applied."""
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class RoomLimits:
    """The limits of a room that operators may set. Times in ms.

    Args:
        players: members with a seat.
        spectators: members without a seat.
        bots: players that are bots of the server; 0: none.
        players_per_ip: players from one address, unless it is the host's.
        spectators_per_ip: likewise spectators.
        lobby_ttl_ms: a lobby with nobody connected is closed after this time.
        race_ttl_ms: likewise a running race, but not before its away limit.
        results_ttl_ms: likewise a room that shows results.
        room_ttl_ms: any room is closed after this time without activity.
        member_ttl_ms: a member who is disconnected for this long, and not in a running
            race, is removed.
        newcomer_ttl_ms: the same for a member who lost the connection in the first
            seconds and has not come back.
        away_grace_ms: a host who is disconnected for this long is replaced until they
            return; a ready player who is disconnected for less still races.
        rematch_ms: a rematch starts this long after the first player is ready.
        max_tiles: tiles that one seat may move in one race.
        lobby_records: log records that one member may cause between two races, or
            toggling "ready" would fill the disk. All joins share one such quota.
    """

    players: Annotated[int, Meta(ge=1, le=MAX_SEAT + 1)] = 16
    spectators: NonNegative = 100
    bots: Annotated[int, Meta(ge=0, le=MAX_BOTS)] = 6
    players_per_ip: Positive = 8
    spectators_per_ip: Positive = 50
    lobby_ttl_ms: Positive = 600_000
    race_ttl_ms: Positive = 120_000
    results_ttl_ms: Positive = 900_000
    room_ttl_ms: Positive = 21_600_000
    member_ttl_ms: Positive = 600_000
    newcomer_ttl_ms: Positive = 30_000
    away_grace_ms: Positive = 20_000
    rematch_ms: Positive = 30_000
    max_tiles: Positive = 20_000
    lobby_records: Positive = 1_000


class Racer(NamedTuple):
    """The member who races from a seat; results also name members who left.

    Attributes:
        back: the member that a racer who left has entered as again; their result counts
            for that one in the series.
        profile: public id of the profile for which this attempt counts.
        input: how they slide, as they declared it.
    """

    member: int
    name: str
    bot: bool
    back: int | None = None
    profile: str | None = None
    input: InputName | None = None


@dataclass(slots=True)
class RoomState:
    """A room.

    Attributes:
        code: six letters.
        created_s: when it was opened, in Unix seconds.
        public: whether it is listed for everyone.
        kind: who opened it and for whom, see `RoomOpened`.
        day: of a daily room: days since 1970 in UTC.
        locked: whether new members are refused.
        members: id -> member, in order of joining.
        last_member: the highest id so far.
        host: who acts as host.
        owner: who becomes host again on return; differs from `host` while away.
        race: the race that is being prepared, run or shown.
        number: number of races that were prepared.
        last_race: id of the race whose results led to this lobby, or empty.
        replaced: whether this race replaced one that was never run (new settings).
        racers: seat of the roster -> who races.
        left: seat -> why its racer left between the roster freeze and the draw.
        host_started: whether the host started the countdown.
        start_at: room time of a planned start.
        start_expired: too few were ready at a planned start; the next player who gets
            ready plans another.
        epoch: when the current server took over the room.
        hold_until: no deadline fires before this room time.
        offset: number of the last event in the stream.
        empty_since: room time since which nobody is connected, but for bots of the
            server.
        active_at: room time of the last activity of a member.
        acted_at: the same without slides in the current race.
        kicked: former members whom the host keeps out, at most `MAX_KICKED`.
        series: the score of this room's races.
        t: room time of the last record.
        phase_since: room time at which this phase began.
        closed: why the room is closed, or empty.
    """

    code: RoomCode
    created_s: int
    public: bool
    kind: RoomKind = "room"
    day: int = 0
    locked: bool = False
    members: dict[int, MemberState] = field(default_factory=dict[int, MemberState])
    last_member: int = 0
    host: int | None = None
    owner: int | None = None
    race: Race = field(default_factory=lambda: _NO_RACE)
    number: int = 0
    last_race: str = ""
    replaced: bool = False
    racers: dict[Seat, Racer] = field(default_factory=dict[Seat, Racer])
    left: dict[Seat, str] = field(default_factory=dict[Seat, str])
    host_started: bool = False
    start_at: int | None = None
    start_expired: bool = False
    epoch: EpochBegan = _NO_EPOCH
    hold_until: int = 0
    offset: int = 0
    empty_since: int | None = 0
    active_at: int = 0
    acted_at: int = 0
    kicked: tuple[MemberState, ...] = ()
    series: Series = OPEN
    t: int = 0
    phase_since: int = 0
    closed: str = ""

    @property
    def phase(self) -> PhaseName:
        """The phase of the race, or "closed"."""
        return "closed" if self.closed else self.race.phase

    @property
    def alone(self) -> bool:
        """Whether the room is for one player, and nobody else may enter."""
        return self.kind in ("solo", "daily")

    @property
    def between_races(self) -> bool:
        """Whether seats and roles may change, because no roster is frozen."""
        return not self.race.frozen or self.race.phase == "results"

    def active(self) -> list[MemberState]:
        """Return the active players in order of joining."""
        return [member for member in self.members.values() if member.active]

    def free_seat(self) -> Seat:
        """Return the lowest free seat; a roster's seats are free only in the lobby."""
        taken: set[int] = {*self.race.roster, *self._seats()}
        return Seat(next(n for n in range(len(taken) + 1) if n not in taken))

    def copy(self) -> "RoomState":
        """Return a copy to which all records except slides may be applied."""
        copied = copy.copy(self)
        copied.members = dict(self.members)
        copied.racers = dict(self.racers)
        copied.race = copy.copy(self.race)
        attempts = self.race.attempts.items()
        copied.race.attempts = {seat: copy.copy(one) for seat, one in attempts}
        return copied

    def _seats(self) -> Iterator[Seat]:
        seats = (member.seat for member in self.members.values())
        return (seat for seat in seats if seat is not None)


def race_id(code: str, created_s: int, number: int) -> str:
    """Return a race id, CODE-T-N: room, its opening time in base 36, race number.

    >>> race_id("KWXTRB", 1_700_000_000, 3)
    'KWXTRB-S44WE8-3'
    """
    digits = ""
    while created_s:
        created_s, digit = divmod(created_s, 36)
        digits = _DIGITS[digit] + digits
    return f"{code}-{digits or '0'}-{number}"
