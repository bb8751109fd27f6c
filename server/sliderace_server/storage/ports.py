"""Storage ports: an append-only log per room, and the results of races.

Adapters are chosen by URL (see `open_store`), and one test suite checks all of them.
Records are opaque bytes here; see `record_codec`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, Self

__all__ = [
    "DAY_MS",
    "Append",
    "AttemptRow",
    "Conflict",
    "Durability",
    "RaceSummary",
    "Results",
    "RoomLog",
    "StorageError",
    "StorageUnavailable",
    "Store",
    "StoreHeld",
    "StoreRefused",
    "StoredRace",
    "oldest_kept_ms",
]

DAY_MS = 86_400_000

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
            StorageUnavailable: Either all or none were stored; the same appends may be
                retried.
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
    """

    seat: int
    name: str
    status: str
    place: int | None
    time_ms: int | None
    stm: int
    mtm: int
    bot: bool = False


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
    """

    id: str
    room: str
    started_ms: int
    size: str
    public: bool
    attempts: tuple[AttemptRow, ...]


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

    async def store(self, race: StoredRace) -> None:
        """Store a race, unless one with this id is stored already.

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

        Raises:
            StorageUnavailable: Some may be deleted; the call may be repeated.
        """
        ...

    async def record(self, race_id: str) -> bytes | None:
        """Return a race record as JSON; None if no such race is stored.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...


class Store(Protocol):
    """Logs and results in one place; an async context manager.

    Entering opens the store and may raise `StoreRefused`. Leaving completes the appends
    in progress and closes it. Calls on a closed store raise `StorageUnavailable`.
    """

    @property
    def log(self) -> RoomLog:
        """The logs of the rooms."""
        ...

    @property
    def results(self) -> Results:
        """The finished races."""
        ...

    @property
    def durability(self) -> Durability:
        """What acknowledged appends survive."""
        ...

    async def __aenter__(self) -> Self:
        """Open the store.

        Raises:
            StoreRefused: The store cannot be opened.
        """
        ...

    async def __aexit__(self, *exc: object) -> None:
        """Complete the calls in progress, then close the store."""
        ...
