"""What the server asks of a store: an append-only log per room, and the results.

The adapters are chosen by URL (`sliderace_server.storage.open_store`) and all pass one
contract suite. A store sees records as bytes; what they mean is the recorder's affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, Self

__all__ = [
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
]

Durability = Literal["full", "process", "none"]
"""What an acknowledged append survives.

`full`: loss of power. `process`: the end of this process, by SIGKILL too, but not a
crash of the machine. `none`: nothing.
"""


class StorageError(Exception):
    """Base of everything a store raises."""


class StoreRefused(StorageError):
    """The store cannot be opened; the text is one line for the operator."""


class StoreHeld(StoreRefused):
    """Another live server holds this store.

    Attributes:
        pid: That server's process id, or None when it could not be read.
    """

    def __init__(self, text: str, pid: int | None) -> None:
        super().__init__(text)
        self.pid = pid


class Conflict(StorageError):
    """The log of a room is not as long as its writer believes: somebody else wrote.

    Nothing of the append was stored. The writer must step down from this room.

    Attributes:
        room: The room's code.
        expected: How many records the writer believed to be there.
        actual: How many records there are.
    """

    def __init__(self, room: str, expected: int, actual: int) -> None:
        super().__init__(f"log of {room} holds {actual} records, not {expected}")
        self.room = room
        self.expected = expected
        self.actual = actual


class StorageUnavailable(StorageError):
    """The disk is full or failing, or the store is closed or out of reach.

    Nothing was stored, as far as anybody knows: an answer may be lost on its way. The
    same call may be tried again. Where an append did arrive, the second one meets a
    `Conflict`, and `read` shows the very records. The text says what the storage said.
    """


class Append(NamedTuple):
    """Records for the end of a room's log.

    Attributes:
        room: The room's code.
        expected: The number of records already in the log, 0 for a new room.
        records: What to add, oldest first.
    """

    room: str
    expected: int
    records: Sequence[bytes]


class RoomLog(Protocol):
    """An append-only log of opaque records for each room."""

    async def append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        """Store records at the end of several logs: of each append all, or nothing.

        Returns when they are as durable as the store's `durability` says. A caller
        that is cancelled meanwhile does not take the records back.

        Args:
            appends: At most one for each room.

        Returns:
            For each append None, or why nothing of it was stored: the log does not
            hold exactly `expected` records. The others are stored all the same.

        Raises:
            StorageUnavailable: All of it or nothing was stored; the same appends may be
                retried, see there.
        """
        ...

    async def append(self, room: str, expected: int, records: Sequence[bytes]) -> None:
        """Store records at the end of one room's log, as `append_all` does.

        Raises:
            Conflict: The log does not hold exactly `expected` records.
            StorageUnavailable: As in `append_all`.
        """
        (conflict,) = await self.append_all([Append(room, expected, records)])
        if conflict is not None:
            raise conflict

    async def read(self, room: str, after: int = 0) -> list[bytes]:
        """Return the records of a room behind the first `after`, oldest first.

        An unknown room has no records.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...

    async def rooms(self) -> list[str]:
        """Return the codes of all rooms that have records, in alphabetical order.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...

    async def drop(self, room: str, *, now_ms: int = 0, rest_ms: int = 0) -> None:
        """Forget a room's log and let its code rest; an unknown room is no error.

        Args:
            room: The room's code.
            now_ms: Unix time; who has rested until then is forgotten, too.
            rest_ms: For how long `resting` shall name the code.

        Raises:
            StorageUnavailable: As in `append`; the same call may be retried.
        """
        ...

    async def resting(self, now_ms: int) -> dict[str, int]:
        """Return the codes that rest, and for how many ms from `now_ms` on.

        Args:
            now_ms: Unix time.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One racer's line in a stored race.

    Attributes:
        seat: The racer's seat, 0 ... 254.
        name: The nickname at the race.
        status: How it ended: "finished", "dnf", "forfeited" or "dns".
        place: 1 for the winner; equal times share a place. None without a place.
        time_ms: Official time; None unless finished.
        stm: Tiles moved.
        mtm: Maximal runs in one direction.
        bot: Whether a declared bot sat there.
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
        started_ms: When it started, in milliseconds of Unix time.
        size: Width and height, as in "4x4".
        public: Whether the room was listed publicly.
        attempts: One line per racer, in the order of the standings.
    """

    id: str
    room: str
    started_ms: int
    size: str
    public: bool
    attempts: tuple[AttemptRow, ...]


@dataclass(frozen=True, slots=True)
class StoredRace:
    """A race that ended: its summary, and its signed record as JSON text in bytes."""

    summary: RaceSummary
    record: bytes


class Results(Protocol):
    """The races that ended."""

    async def store(self, race: StoredRace) -> None:
        """Store a race; a race whose id is stored already is left as it is.

        Raises:
            ValueError: The race makes no sense, as a time without a finish does not.
            StorageUnavailable: Nothing was stored; the same call may be retried.
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
            limit: At most so many, 1 or more.
            before: Only races behind the one with this id, for the next page; none
                if no such race is stored.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...

    async def record(self, race_id: str) -> bytes | None:
        """Return a race's record as JSON text, None if no such race is stored.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        ...


class Store(Protocol):
    """A log and results that live and end together: an async context manager.

    Entering opens it and may raise `StoreRefused`; leaving finishes the appends that
    were asked for and closes it. Calls on a store that is not open raise
    `StorageUnavailable`.
    """

    @property
    def log(self) -> RoomLog:
        """The logs of the rooms."""
        ...

    @property
    def results(self) -> Results:
        """The races that ended."""
        ...

    @property
    def durability(self) -> Durability:
        """What an acknowledged append survives."""
        ...

    async def __aenter__(self) -> Self:
        """Open the store.

        Raises:
            StoreRefused: It cannot be opened; the text says why.
        """
        ...

    async def __aexit__(self, *exc: object) -> None:
        """Finish what was asked for, then close."""
        ...
