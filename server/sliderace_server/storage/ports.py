"""Storage ports: an append-only log per room, and the results of races.

Adapters are chosen by URL (see `open_store`), and one test suite checks all of them.
Records are opaque bytes here; see `record_codec`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, Self

from sliderace.protocol.messages import InputName, KindName, RoomKind
from sliderace_server.storage.standings import DAY_MS, Span

__all__ = [
    "ALIVE_GAP_MS",
    "AROUND",
    "DAY_MS",
    "KEY_USE_MS",
    "MAX_KEYS",
    "Append",
    "AttemptEntry",
    "AttemptGains",
    "AttemptRow",
    "Board",
    "BoardQuery",
    "BoardRow",
    "Conflict",
    "Durability",
    "EventTally",
    "GainRow",
    "KeyRow",
    "LogDamaged",
    "LogStore",
    "ProfileRow",
    "RaceSummary",
    "Results",
    "ResultsStore",
    "RoomLog",
    "Span",
    "Standings",
    "StorageError",
    "StorageUnavailable",
    "Store",
    "StoreHeld",
    "StoreRefused",
    "StoredRace",
    "event_order",
    "oldest_kept_ms",
]

Durability = Literal["full", "process", "none"]
"""What acknowledged appends survive.

`full`: a power failure. `process`: a crash of the server, but not of the machine.
`none`: nothing.
"""


class StorageError(Exception):
    """Base class of all errors that a store raises."""


class StoreRefused(StorageError):
    """The store cannot be opened; the text is one line for operators."""


class StoreHeld(StoreRefused):
    """Another running server uses this store.

    Attributes:
        pid: Its process id, or None if unknown.
    """

    def __init__(self, text: str, pid: int | None) -> None:
        super().__init__(text)
        self.pid = pid


class Conflict(StorageError):
    """A room's log does not have the expected length: another process wrote to it.

    Nothing of the append was stored. The caller must give up the room.

    Attributes:
        room: The room's code.
        expected: The expected number of records.
        actual: The number of records in the log.
    """

    def __init__(self, room: str, expected: int, actual: int) -> None:
        super().__init__(f"log of {room} holds {actual} records, not {expected}")
        self.room = room
        self.expected = expected
        self.actual = actual


class StorageUnavailable(StorageError):
    """The disk is full or failing, or the store is closed or cannot be reached.

    The call may be retried. Probably nothing was stored; if an append did succeed,
    retrying it causes a `Conflict`, and `read` returns its records. The text is the
    storage's own error message.
    """


class LogDamaged(StorageUnavailable):
    """The log of one room cannot be read, but those of other rooms can.

    Retrying is useless until somebody repairs the log.
    """


class Append(NamedTuple):
    """Records to append to a room's log.

    Attributes:
        room: The room's code.
        expected: The number of records already in the log; 0 for a new room.
        records: The new records, oldest first.
    """

    room: str
    expected: int
    records: Sequence[bytes]


class RoomLog(Protocol):
    """An append-only log for each room.

    Positions count the records of a room from its beginning, removed ones included.
    """

    async def append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        """Append records to several logs; each append is stored completely or not.

        Returns once they are as durable as `Store.durability` says. Cancelling the
        caller does not undo an append.

        Args:
            appends: At most one per room.

        Returns:
            For each append None if it was stored, or the conflict; a conflict does not
            affect the other appends.

        Raises:
            StorageUnavailable: It is unknown which ones were stored; the same appends
                may be retried.
            ValueError: A record can never be stored, such as one that is too large;
                other appends may be stored.
        """
        ...

    async def append(self, room: str, expected: int, records: Sequence[bytes]) -> None:
        """Append records to one log, like `append_all`.

        Raises:
            Conflict: The log does not end at position `expected`.
            StorageUnavailable: See `append_all`.
            ValueError: See `append_all`.
        """
        (conflict,) = await self.append_all([Append(room, expected, records)])
        if conflict is not None:
            raise conflict

    async def read(self, room: str, after: int = 0) -> list[bytes]:
        """Return a room's records after position `after`, oldest first.

        Removed records are missing; an unknown room has none.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...

    async def length(self, room: str) -> int:
        """Return the position at which a room's log ends; 0 for an unknown room.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...

    async def is_lost(self) -> bool:
        """Return whether somebody has removed the storage while it is in use.

        Appends raise `StorageUnavailable` then, because nothing would survive.
        """
        return False

    async def examine(self) -> Mapping[str, Any] | None:
        """Return what `sliderace doctor` needs to know; None: nothing."""
        return None

    async def rooms(self) -> list[str]:
        """Return the codes of all rooms with records, sorted.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...

    async def trim(self, room: str, position: int) -> None:
        """Remove a room's records up to a position; its last record always stays.

        Raises:
            StorageUnavailable: As in `append`; the same call may be retried.
        """
        ...

    async def drop(self, room: str, *, now_ms: int = 0, reserve_ms: int = 0) -> None:
        """Delete a room's log, if any, and reserve its code for some time.

        Args:
            room: The room's code.
            now_ms: Unix time; reservations that have ended by then are deleted.
            reserve_ms: How long `reserved_codes` returns the code.

        Raises:
            StorageUnavailable: The call may be retried.
        """
        ...

    def on_reserved(self, call: Callable[[str, int], None]) -> None:  # noqa: ARG002
        """Call a function whenever any process reserves a code.

        Args:
            call: Called with the code, and until when it is reserved, in Unix ms.
        """
        return

    async def reserved_codes(self, now_ms: int) -> dict[str, int]:
        """Return code -> remaining ms, for the reserved codes of deleted rooms.

        Args:
            now_ms: Unix time.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One racer's result in a stored race.

    Attributes:
        seat: The racer's seat, 0 ... 254.
        name: The nickname during the race.
        status: "finished", "dnf", "forfeited" or "dns".
        place: 1 for the winner; equal times share a place. None: no place.
        time_ms: Official time; None unless finished.
        stm: Number of moved tiles (single-tile metric).
        mtm: Number of maximal runs in one direction (multi-tile metric).
        bot: Whether the racer was declared as a bot.
        profile: Id of the racer's profile; None: a guest.
        input: How they slid, as their client declared it.
        counts: Whether the attempt counts towards bests and averages.
        solve_ms: From the first to the last slide; None unless finished.
        first_ms: Until the first slide; None: there was none.
        pauses: Gaps between slides of more than five times their median.
    """

    seat: int
    name: str
    status: str
    place: int | None
    time_ms: int | None
    stm: int
    mtm: int
    bot: bool = False
    profile: str | None = None
    input: InputName | None = None
    counts: bool = True
    solve_ms: int | None = None
    first_ms: int | None = None
    pauses: int = 0


@dataclass(frozen=True, slots=True)
class RaceSummary:
    """A stored race without its record.

    Attributes:
        id: The race's id, as in `KWXTRB-SA1B2C-3`.
        room: The room's code.
        started_ms: When it started, in Unix ms.
        size: Width and height, as in "4x4".
        public: Whether the room was public.
        attempts: One row per racer, in the order of the standings.
        kind: Kind of the room.
        md: Manhattan distance of the scramble.
        sealed_until_ms: Until this Unix time only the racers may read the race record;
            0: it is not sealed.
        day: Day of a daily race, since 1970 in UTC; otherwise 0.
    """

    id: str
    room: str
    started_ms: int
    size: str
    public: bool
    attempts: tuple[AttemptRow, ...]
    kind: RoomKind = "room"
    md: int = 0
    sealed_until_ms: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True)
class StoredRace:
    """A finished race: its summary and its signed race record as JSON."""

    summary: RaceSummary
    record: bytes


def oldest_kept_ms(now_ms: int, days: int) -> int:
    """Return the Unix time before which `Results.prune` deletes races.

    Args:
        now_ms: Unix time.
        days: How many days races are kept.
    """
    return now_ms - days * DAY_MS


class Results(Protocol):
    """The finished races."""

    async def store(self, race: StoredRace) -> list[AttemptGains]:
        """Store a race, unless one with this id is stored already.

        What its attempts change in profiles and leaderboards is stored with it. An
        attempt whose profile does not exist (any more) is stored as a guest's.

        Returns:
            One for each attempt of a profile; none if the race was stored already.

        Raises:
            ValueError: The race is inconsistent, such as a time without a finish.
            StorageUnavailable: Nothing was stored; the call may be retried.
        """
        ...

    async def races(
        self,
        room: str | None = None,
        *,
        public_only: bool = False,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RaceSummary]:
        """Return stored races, the latest start first.

        Args:
            room: Only races of the room with this code.
            public_only: Only races of public rooms.
            limit: The maximum number, 1 or more.
            before: Only races after the one with this id in this order, for the next
                page; none if no such race is stored.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...

    async def prune(self, before_ms: int) -> int:
        """Delete the races that started before a Unix time; return how many.

        Attempts of profiles stay, because bests and averages come from them, but their
        race is in no list any more and has no record.

        Raises:
            StorageUnavailable: Some may be deleted; the call may be repeated.
        """
        ...

    async def summary(self, race_id: str) -> RaceSummary | None:
        """Return a race without its record; None if no such race is stored.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...

    async def record(self, race_id: str) -> bytes | None:
        """Return a race record as JSON; None if no such race is stored.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...


MAX_KEYS = 16
"""Devices of a profile: more than anybody has, and a list that fits on a screen."""
KEY_USE_MS = 3_600_000
"""How exactly `KeyRow.used_ms` is known: a write per connection would be a waste."""
ALIVE_GAP_MS = 15 * 60_000
"""A longer time between two calls of `Standings.note_alive` is an outage; calls are ten
minutes apart."""
AROUND = 2
"""Neighbours in `Board.around`, on each side."""


def event_order(event: str) -> tuple[int, str]:
    """Return the sort key of an event: by number of cells."""
    width, _, height = event.partition("x")
    return int(width) * int(height), event


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A device of a profile.

    Attributes:
        id: 1, 2, 3 ... per profile.
        name: What the device called itself.
        added_ms: Unix time.
        used_ms: Unix time of the last use, not exact.
    """

    id: int
    name: str
    added_ms: int
    used_ms: int


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A profile.

    Attributes:
        id: Eight letters.
        name: Its name.
        created_ms: Unix time.
        forget_at_ms: When it will be deleted; None: not asked for.
    """

    id: str
    name: str
    created_ms: int
    forget_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class EventTally:
    """What a profile has done in one event; see `EventBests` of the protocol."""

    event: str
    attempts: int
    finished: int
    single_ms: int | None
    ao5_ms: int | None
    ao12_ms: int | None
    race: str
    pace_ms: int | None


@dataclass(frozen=True, slots=True)
class AttemptEntry:
    """An attempt of a profile: its race without the others, and its row."""

    race: str
    started_ms: int
    kind: RoomKind
    md: int
    row: AttemptRow


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """Which leaderboard.

    Attributes:
        event: Size of the board.
        kind: A single time or an average.
        input: Only attempts with this input; None: all.
        span: All time, or the month or day of `day`, or the daily race of `day`, which
            has only single times.
        day: Days since 1970 in UTC.
    """

    event: str
    kind: KindName = "single"
    input: InputName | None = None
    span: Span = "all"
    day: int = 0


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A line of a leaderboard.

    Attributes:
        place: 1, 1, 3 ...
        profile: Id of the profile.
        name: Its name.
        value_ms: Time or average.
        race: The race of the time, or the last one of the average.
        started_ms: Unix time of that race.
        input: How they slid; `mixed` for an average of several ways.
    """

    place: int
    profile: str
    name: str
    value_ms: int
    race: str
    started_ms: int
    input: InputName | None


@dataclass(frozen=True, slots=True)
class Board:
    """The best rows of a leaderboard, and those around one profile.

    Attributes:
        total: Number of profiles on it.
        top: The best rows.
        around: The profile's own row and its neighbours; empty without one.
    """

    total: int
    top: tuple[BoardRow, ...]
    around: tuple[BoardRow, ...] = ()


@dataclass(frozen=True, slots=True)
class GainRow:
    """A new best; `before_ms` is None if it is the first."""

    kind: KindName
    value_ms: int
    before_ms: int | None


@dataclass(frozen=True, slots=True)
class AttemptGains:
    """What an attempt changed in a profile.

    Attributes:
        profile: Id of the profile.
        seat: Of the attempt.
        counts: Whether the attempt counts.
        bests: New bests.
        place: Place on the leaderboard of all times; None: it is not ranked.
        total: Profiles on that leaderboard.
    """

    profile: str
    seat: int
    counts: bool
    bests: tuple[GainRow, ...]
    place: int | None
    total: int


class Standings(Protocol):
    """Profiles, what they have done, and the leaderboards.

    Every method may raise `StorageUnavailable`. Secrets arrive as SHA-256 in hex.
    """

    async def create_profile(
        self, profile: ProfileRow, key_hash: str, device: str
    ) -> bool:
        """Create a profile with one device; False: id or key exists already."""
        ...

    async def identify(
        self, key_hash: str, now_ms: int
    ) -> tuple[ProfileRow, int] | None:
        """Return the profile with a key, and the device's id; note the use."""
        ...

    async def profile(self, profile: str) -> ProfileRow | None:
        """Return a profile by its id; None: there is none."""
        ...

    async def keys(self, profile: str) -> list[KeyRow]:
        """Return the devices of a profile, the oldest first."""
        ...

    async def add_key(
        self, profile: str, key_hash: str, device: str, now_ms: int
    ) -> bool:
        """Add a device; False: the key exists already, or there are too many."""
        ...

    async def revoke_key(self, profile: str, device: int) -> bool:
        """Remove a device; False: the profile has no such device."""
        ...

    async def rename_profile(self, profile: str, name: str) -> None:
        """Change the name, on leaderboards too; earlier races keep the old one."""
        ...

    async def set_forget(self, profile: str, at_ms: int | None) -> None:
        """Set when a profile will be deleted; None: never."""
        ...

    async def due_to_forget(self, now_ms: int) -> list[str]:
        """Return the profiles that are to be deleted by now."""
        ...

    async def races_with_others(self, profile: str) -> list[tuple[str, int]]:
        """Return (race, seat) of a profile's attempts in races with others."""
        ...

    async def replace_record(self, race: str, record: bytes) -> None:
        """Replace the race record of a stored race."""
        ...

    async def delete_profile(self, profile: str) -> None:
        """Delete a profile, its devices, bests and the races that it raced alone.

        In races with others its name becomes `deleted`.
        """
        ...

    async def tallies(
        self, profile: str, *, public_only: bool = False
    ) -> list[EventTally]:
        """Return what a profile has done, one per event with attempts, by size.

        Args:
            profile: Id of the profile.
            public_only: Only what counts on the leaderboards.
        """
        ...

    async def history(
        self, profile: str, event: str, before: str | None, limit: int
    ) -> list[AttemptEntry]:
        """Return attempts, the latest first, that are earlier than a race."""
        ...

    async def credit(self, race: str, seat: int, profile: str) -> AttemptGains | None:
        """Give a guest's attempt to a profile.

        It counts only if it is the profile's first one of its event. Repeating it
        changes nothing. None: there is no such attempt, or it is taken.
        """
        ...

    async def board(
        self, query: BoardQuery, profile: str | None = None, limit: int = 100
    ) -> Board:
        """Return a leaderboard, with the lines around a profile."""
        ...

    async def hide(self, profile: str, reason: str | None) -> bool:
        """Hide a profile from all leaderboards, or show it again (None).

        Returns:
            Whether there is such a profile.
        """
        ...

    async def recount(self) -> int:
        """Compute all bests and totals again from the attempts; return how many."""
        ...

    async def claim_daily(self, profile: str, event: str, day: int, room: str) -> str:
        """Use up the attempt of a day; return the room that has it."""
        ...

    async def release_daily(
        self, profile: str, event: str, day: int, room: str
    ) -> None:
        """Give back an attempt whose board was never sent."""
        ...

    async def dailies(self, profile: str, since: int) -> list[tuple[int, str, str]]:
        """Return (day, event, room) of attempts used up since a day, latest first."""
        ...

    async def note_alive(self, now_ms: int) -> int:
        """Note that the server runs; called at its start, then every ten minutes.

        A gap since the last call is downtime, which breaks nobody's streak.

        Args:
            now_ms: Unix time by the wall clock.

        Returns:
            The latest time that was ever noted, this one included: days do not come
            again after the wall clock was set back.
        """
        ...

    async def down_days(self, since: int) -> list[int]:
        """Return the days since a day with more than an hour of downtime."""
        ...


class Openable(Protocol):
    """A store as an async context manager.

    Calls on a closed store raise `StorageUnavailable`.
    """

    async def __aenter__(self) -> Self:
        """Open the store.

        Raises:
            StoreRefused: The store cannot be opened.
        """
        ...

    async def __aexit__(self, *exc: object) -> None:
        """Complete the calls in progress, then close the store."""
        ...


class LogStore(Openable, Protocol):
    """Logs in one place."""

    @property
    def log(self) -> RoomLog:
        """The logs of the rooms."""
        ...

    @property
    def durability(self) -> Durability:
        """What acknowledged appends survive."""
        ...


class ResultsStore(Openable, Protocol):
    """Results in one place."""

    @property
    def results(self) -> Results:
        """The finished races."""
        ...

    @property
    def standings(self) -> Standings:
        """Profiles and leaderboards."""
        ...


class Store(LogStore, ResultsStore, Protocol):
    """Logs and results."""
