"""A store in memory: for tests, and for servers run with `--memory`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, dropwhile, islice
from typing import Self

from sliderace_server.storage.standings import Best, Tally, days_down, period

from .folding import (
    DELETED,
    Change,
    Owner,
    change,
    changes,
    credited,
    event_tallies,
    placed,
    ranked,
)
from .ports import (
    ALIVE_GAP_MS,
    AROUND,
    KEY_USE_MS,
    MAX_KEYS,
    Append,
    AttemptEntry,
    AttemptGains,
    AttemptRow,
    Board,
    BoardQuery,
    BoardRow,
    Conflict,
    Durability,
    EventTally,
    KeyRow,
    ProfileRow,
    RaceSummary,
    RoomLog,
    Standings,
    StorageUnavailable,
    StoredRace,
    event_order,
)

__all__ = ["MemoryStore"]


class MemoryStore:
    """A store in dictionaries; nothing survives the object."""

    durability: Durability = "none"

    def __init__(self) -> None:
        self.log = _Log(self)
        races: dict[str, StoredRace] = {}
        self.standings = _Standings(self.check, races)
        self.results = _Results(self, races)
        self._open = False

    def check(self) -> None:
        """Raise StorageUnavailable unless the store is open."""
        if not self._open:
            raise StorageUnavailable("the store is closed")

    async def __aenter__(self) -> Self:
        self._open = True
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._open = False


class _Log(RoomLog):
    """Room logs as lists."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._rooms: dict[str, list[bytes]] = {}
        self._removed: dict[str, int] = {}
        self._reserved: dict[str, int] = {}

    async def append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        self._store.check()
        return [self._append(*one) for one in appends]

    def _append(
        self, room: str, expected: int, records: Sequence[bytes]
    ) -> Conflict | None:
        actual = self._length(room)
        if actual != expected:
            return Conflict(room, expected, actual)
        if records:
            self._rooms.setdefault(room, []).extend(records)
        return None

    def _length(self, room: str) -> int:
        return self._removed.get(room, 0) + len(self._rooms.get(room, ()))

    async def read(self, room: str, after: int = 0) -> list[bytes]:
        self._store.check()
        return self._rooms.get(room, [])[max(0, after - self._removed.get(room, 0)) :]

    async def length(self, room: str) -> int:
        self._store.check()
        return self._length(room)

    async def rooms(self) -> list[str]:
        self._store.check()
        return sorted(self._rooms)

    async def trim(self, room: str, position: int) -> None:
        self._store.check()
        before = self._removed.get(room, 0)
        count = min(position, self._length(room) - 1) - before
        if count > 0:
            del self._rooms[room][:count]
            self._removed[room] = before + count

    async def drop(self, room: str, *, now_ms: int = 0, reserve_ms: int = 0) -> None:
        self._store.check()
        self._rooms.pop(room, None)
        self._removed.pop(room, None)
        if reserve_ms:
            self._reserved[room] = now_ms + reserve_ms

    async def reserved_codes(self, now_ms: int) -> dict[str, int]:
        self._store.check()
        left = {room: until - now_ms for room, until in self._reserved.items()}
        return {room: ms for room, ms in left.items() if ms > 0}


class _Results:
    """Races in a dictionary by id."""

    def __init__(self, store: MemoryStore, races: dict[str, StoredRace]) -> None:
        self._store = store
        self._races = races
        self._pruned: set[str] = set()

    async def prune(self, before_ms: int) -> int:
        self._store.check()
        races = [one.summary for one in self._races.values()]
        old = {one.id for one in races if one.started_ms < before_ms} - self._pruned
        for race in self._store.standings.prune(old):
            del self._races[race]
        self._pruned |= old
        return len(old)

    async def store(self, race: StoredRace) -> list[AttemptGains]:
        self._store.check()
        known = race.summary.id in self._races
        return [] if known else self._store.standings.store(race)

    async def races(
        self,
        room: str | None = None,
        *,
        public_only: bool = False,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RaceSummary]:
        self._store.check()
        races = self._races.values()
        summaries = (one.summary for one in races if one.summary.id not in self._pruned)
        latest = sorted(summaries, key=lambda s: (s.started_ms, s.id), reverse=True)
        rest = iter(latest)
        if before is not None:
            rest = islice(dropwhile(lambda s: s.id != before, latest), 1, None)
        wanted = (
            s
            for s in rest
            if (room is None or s.room == room) and (s.public or not public_only)
        )
        return list(islice(wanted, limit))

    async def summary(self, race_id: str) -> RaceSummary | None:
        self._store.check()
        race = None if race_id in self._pruned else self._races.get(race_id)
        return race.summary if race else None

    async def record(self, race_id: str) -> bytes | None:
        self._store.check()
        race = self._races.get(race_id)
        return race.record or None if race else None  # a pruned race has none


# --- Profiles and leaderboards --------------------------------------------------------

_Leaderboard = tuple[str, str, str, int]
"""Event, kind, input and period."""


@dataclass
class _Profile:
    """A profile and everything that belongs to it.

    Attributes:
        row: the profile.
        keys: hash of each key -> its device.
        devices: number of the last device.
        hidden: why it is on no leaderboard.
        tallies: event -> what it has done.
        bests: leaderboard -> its best.
        attempts: event -> race and seat of each attempt, in the order of storing.
        daily: event and day -> the room of the attempt.
    """

    row: ProfileRow
    keys: dict[str, KeyRow] = field(default_factory=dict[str, KeyRow])
    devices: int = 0
    hidden: str | None = None
    tallies: dict[str, Tally] = field(default_factory=dict[str, Tally])
    bests: dict[_Leaderboard, Best] = field(default_factory=dict[_Leaderboard, Best])
    attempts: dict[str, list[tuple[str, int]]] = field(
        default_factory=dict[str, list[tuple[str, int]]]
    )
    daily: dict[tuple[str, int], str] = field(
        default_factory=dict[tuple[str, int], str]
    )


class _Standings(Standings):
    """`Standings` in dictionaries.

    Args:
        check: raises StorageUnavailable unless the store is open.
        races: the stored races by id.
    """

    def __init__(self, check: Callable[[], None], races: dict[str, StoredRace]) -> None:
        self._check = check
        self._races = races
        self._profiles: dict[str, _Profile] = {}
        self._alive_ms = self._latest_ms = 0
        self._outages: list[tuple[int, int]] = []

    # --- profiles --------------------------------------------------------------------

    async def create_profile(
        self, profile: ProfileRow, key_hash: str, device: str
    ) -> bool:
        self._check()
        if profile.id in self._profiles or self._by_key(key_hash) is not None:
            return False
        self._profiles[profile.id] = _Profile(profile)
        return await self.add_key(profile.id, key_hash, device, profile.created_ms)

    def _by_key(self, key_hash: str) -> _Profile | None:
        owners = (one for one in self._profiles.values() if key_hash in one.keys)
        return next(owners, None)

    async def identify(
        self, key_hash: str, now_ms: int
    ) -> tuple[ProfileRow, int] | None:
        self._check()
        profile = self._by_key(key_hash)
        if profile is None:
            return None
        key = profile.keys[key_hash]
        if now_ms >= key.used_ms + KEY_USE_MS:
            profile.keys[key_hash] = replace(key, used_ms=now_ms)
        return profile.row, key.id

    async def profile(self, profile: str) -> ProfileRow | None:
        self._check()
        found = self._profiles.get(profile)
        return found.row if found else None

    async def keys(self, profile: str) -> list[KeyRow]:
        self._check()
        found = self._profiles.get(profile)
        return sorted(found.keys.values(), key=lambda key: key.id) if found else []

    async def add_key(
        self, profile: str, key_hash: str, device: str, now_ms: int
    ) -> bool:
        self._check()
        found = self._profiles.get(profile)
        known = self._by_key(key_hash) is not None
        if found is None or known or len(found.keys) >= MAX_KEYS:
            return False
        found.devices += 1
        found.keys[key_hash] = KeyRow(found.devices, device, now_ms, now_ms)
        return True

    async def revoke_key(self, profile: str, device: int) -> bool:
        self._check()
        found = self._profiles.get(profile)
        hashes = (
            [k for k, key in found.keys.items() if key.id == device] if found else ()
        )
        for one in hashes:
            del self._profiles[profile].keys[one]
        return bool(hashes)

    async def rename_profile(self, profile: str, name: str) -> None:
        self._check()
        if found := self._profiles.get(profile):
            found.row = replace(found.row, name=name)

    async def set_forget(self, profile: str, at_ms: int | None) -> None:
        self._check()
        if found := self._profiles.get(profile):
            found.row = replace(found.row, forget_at_ms=at_ms)

    async def due_to_forget(self, now_ms: int) -> list[str]:
        self._check()
        rows = [one.row for one in self._profiles.values()]
        due = [
            (one.forget_at_ms, one.id) for one in rows if one.forget_at_ms is not None
        ]
        return [profile for at_ms, profile in sorted(due) if at_ms <= now_ms]

    async def races_with_others(self, profile: str) -> list[tuple[str, int]]:
        self._check()
        return sorted(
            (race, seat)
            for race, seat in self._attempts_of(profile)
            if not _alone(self._races[race].summary, profile)
        )

    def _races_of(self, profile: str) -> list[StoredRace]:
        own = {race for race, _ in self._attempts_of(profile)}
        return [self._races[race] for race in sorted(own)]

    def _attempts_of(self, profile: str) -> list[tuple[str, int]]:
        found = self._profiles.get(profile)
        return list(chain.from_iterable(found.attempts.values())) if found else []

    async def replace_record(self, race: str, record: bytes) -> None:
        self._check()
        if found := self._races.get(race):
            self._races[race] = replace(found, record=record)

    async def delete_profile(self, profile: str) -> None:
        self._check()
        for race in self._races_of(profile):
            if _alone(race.summary, profile):
                del self._races[race.summary.id]
                continue
            for row in race.summary.attempts:
                if row.profile == profile:
                    self._set(race.summary.id, row.seat, profile=None, name=DELETED)
        self._profiles.pop(profile, None)

    def _set(self, race: str, seat: int, **values: str | bool | None) -> None:
        """Change a stored attempt."""
        found = self._races[race]
        rows = tuple(
            replace(row, **values) if row.seat == seat else row  # type: ignore[arg-type]
            for row in found.summary.attempts
        )
        summary = replace(found.summary, attempts=rows)
        self._races[race] = replace(found, summary=summary)

    # --- attempts --------------------------------------------------------------------

    def store(self, race: StoredRace) -> list[AttemptGains]:
        """Store a new race; see `Results.store`."""
        summary = race.summary
        rows = tuple(
            row if row.profile in self._profiles else replace(row, profile=None)
            for row in summary.attempts
        )
        self._races[summary.id] = replace(race, summary=replace(summary, attempts=rows))
        owners = {
            row.profile: self._owner(row.profile, summary.size)
            for row in rows
            if row.profile is not None
        }
        return self._apply(summary.size, changes(summary, owners))

    def _owner(self, profile: str, event: str) -> Owner:
        found = self._profiles[profile]
        tally = found.tallies.get(event, Tally())
        return Owner(found.row.created_ms, found.hidden is not None, tally)

    def _apply(self, event: str, found: Sequence[Change]) -> list[AttemptGains]:
        times = self._times(event)
        for one in found:
            self._profiles[one.profile].attempts.setdefault(event, []).append(
                (one.attempt.race, one.seat)
            )
            self._apply_one(event, one)
        return ranked(times, found)

    def _apply_one(self, event: str, one: Change) -> None:
        profile = self._profiles[one.profile]
        profile.tallies[event] = one.folded.tally
        for best in one.folded.bests:
            key = event, best.kind, best.input, best.period
            known = profile.bests.get(key)
            if known is None or best.value_ms < known.value_ms:
                profile.bests[key] = best

    def _times(self, event: str) -> list[int]:
        return [row.value_ms for row in self._rows((event, "single", "", 0))]

    async def tallies(
        self, profile: str, *, public_only: bool = False
    ) -> list[EventTally]:
        self._check()
        found = self._profiles.get(profile)
        return event_tallies(found.tallies if found else {}, public_only=public_only)

    async def history(
        self, profile: str, event: str, before: str | None, limit: int
    ) -> list[AttemptEntry]:
        self._check()
        found = self._profiles.get(profile)
        own = found.attempts.get(event, []) if found else []
        races = [race for race, _ in own]
        end = (
            len(own)
            if before is None
            else (races.index(before) if before in races else 0)
        )
        return [self._entry(*one) for one in reversed(own[max(0, end - limit) : end])]

    def _entry(self, race: str, seat: int) -> AttemptEntry:
        summary = self._races[race].summary
        (row,) = (row for row in summary.attempts if row.seat == seat)
        return AttemptEntry(race, summary.started_ms, summary.kind, summary.md, row)

    async def credit(self, race: str, seat: int, profile: str) -> AttemptGains | None:
        self._check()
        found = self._races.get(race)
        rows = found.summary.attempts if found else ()
        row = next((row for row in rows if row.seat == seat), None)
        if not found or row is None or profile not in self._profiles:
            return None
        event = found.summary.size
        one = credited(found.summary, row, profile, self._owner(profile, event))
        if one is None:
            return None
        if row.profile is not None:
            return ranked(self._times(event), [one])[0]
        self._set(race, seat, profile=profile, counts=one.attempt.counts)
        return self._apply(event, [one])[0]

    # --- leaderboards ----------------------------------------------------------------

    def _rows(self, board: _Leaderboard) -> tuple[BoardRow, ...]:
        found = [
            (best.value_ms, best.started_ms, one.row.id, one.row.name, best)
            for one in self._profiles.values()
            if one.hidden is None and (best := one.bests.get(board))
        ]
        return placed(
            (profile, name, value, best.race, started, best.used)
            for value, started, profile, name, best in sorted(found)
        )

    async def board(
        self, query: BoardQuery, profile: str | None = None, limit: int = 100
    ) -> Board:
        self._check()
        number = period(query.span, query.day)
        rows = self._rows((query.event, query.kind, query.input or "", number))
        own = [n for n, row in enumerate(rows) if row.profile == profile]
        around = rows[max(0, own[0] - AROUND) : own[0] + AROUND + 1] if own else ()
        return Board(len(rows), rows[:limit], around)

    async def hide(self, profile: str, reason: str | None) -> bool:
        self._check()
        if found := self._profiles.get(profile):
            found.hidden = reason
        return found is not None

    async def recount(self) -> int:
        self._check()
        count = 0
        for profile, found in self._profiles.items():
            found.tallies, found.bests = {}, {}
            for event, attempts in found.attempts.items():
                for race, seat in attempts:
                    entry, summary = self._entry(race, seat), self._races[race].summary
                    owner = self._owner(profile, event)
                    self._apply_one(event, change(summary, entry.row, profile, owner))
                    count += 1
        return count

    def prune(self, races: Iterable[str]) -> list[str]:
        """Delete guests' attempts of races; return the races that are to be deleted."""
        empty: list[str] = []
        for race in races:
            found = self._races[race]
            rows = tuple(row for row in found.summary.attempts if row.profile)
            summary = replace(found.summary, attempts=rows)
            self._races[race] = replace(found, summary=summary, record=b"")
            if not rows:
                empty.append(race)
        return empty

    # --- days ------------------------------------------------------------------------

    async def claim_daily(self, profile: str, event: str, day: int, room: str) -> str:
        self._check()
        if profile not in self._profiles:
            raise ValueError(f"unknown profile {profile!r}")
        return self._profiles[profile].daily.setdefault((event, day), room)

    async def release_daily(
        self, profile: str, event: str, day: int, room: str
    ) -> None:
        self._check()
        found = self._profiles.get(profile)
        if found and found.daily.get((event, day)) == room:
            del found.daily[event, day]

    async def dailies(self, profile: str, since: int) -> list[tuple[int, str, str]]:
        self._check()
        found = self._profiles.get(profile)
        used = found.daily.items() if found else ()
        rows = [(day, event, room) for (event, day), room in used if day >= since]
        return sorted(rows, key=lambda row: (-row[0], event_order(row[1])))

    async def note_alive(self, now_ms: int) -> int:
        self._check()
        if self._alive_ms and now_ms - self._alive_ms > ALIVE_GAP_MS:
            self._outages.append((self._alive_ms, now_ms))
        self._alive_ms = now_ms
        self._latest_ms = max(self._latest_ms, now_ms)
        return self._latest_ms

    async def down_days(self, since: int) -> list[int]:
        self._check()
        return [day for day in days_down(self._outages) if day >= since]


def _alone(race: RaceSummary, profile: str) -> bool:
    """Return whether no other person raced; bots do not count."""
    return all(_own_or_bot(row, profile) for row in race.attempts)


def _own_or_bot(row: AttemptRow, profile: str) -> bool:
    return row.bot or row.profile == profile
