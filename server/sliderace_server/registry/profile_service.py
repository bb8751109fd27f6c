"""The profiles of a server, as their owners manage them, and their deletion.

Commands run one after the other, whoever sends them, because some of them read before
they write: two devices that remove each other must not leave a profile without any.
Nothing here is on the path of a race.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Any, cast

import msgspec

from sliderace.proof.signed import redacted
from sliderace.protocol.messages import (
    Claim,
    Device,
    DeviceTicket,
    Event,
    EventBests,
    Forget,
    History,
    HistoryEvent,
    HistoryRow,
    Keep,
    Me,
    MeEvent,
    Profile,
    Rename,
    Revoke,
    StatusName,
    Ticket,
)
from sliderace.protocol.profile_key import parse_ticket
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.clock import Timer
from sliderace_server.http.profile_export import ProfileExport
from sliderace_server.http.routes import Profiles
from sliderace_server.limits import PerAddress
from sliderace_server.registry.daily_races import DailyRaces
from sliderace_server.registry.processes import PROFILES
from sliderace_server.registry.profile_codes import (
    DEVICE_TICKET_MS,
    DeviceTickets,
    profile_id,
)
from sliderace_server.registry.seat_tickets import hashed
from sliderace_server.registry.services import Services
from sliderace_server.storage import (
    MAX_KEYS,
    AttemptEntry,
    ProfileRow,
    RaceSummary,
    StorageUnavailable,
)

__all__ = ["FORGET_MS", "Asker", "ProfileCommand", "ProfileService"]

_log = logging.getLogger(__name__)

FORGET_MS = 259_200_000
"""72 hours until a profile is deleted: its owner can still stop a thief."""
SWEEP_S = 60.0
"""How often the profiles that are due are deleted."""
HISTORY_ROWS = 100
"""Attempts in one answer: about 12 KB, a fifth of the largest message."""

EXPORT_ROWS = 500
"""Attempts that an export reads at a time."""

ProfileCommand = Me | Keep | Rename | DeviceTicket | Claim | Revoke | Forget | History


@dataclass(frozen=True, slots=True)
class Asker:
    """The device that sends commands.

    Args:
        secret: 32 hex digits.
        device: what it calls itself.
        address: its IP address; empty on this machine.
    """

    secret: str = field(repr=False)
    device: str
    address: str


class ProfileService(Profiles):
    """Carries out the commands of owners, and deletes profiles that are due.

    Args:
        services: what all rooms share.
        addresses: limits per client address.
        daily: the daily race.

    Attributes:
        sweeping: profiles are being deleted.
    """

    def __init__(
        self, services: Services, addresses: PerAddress, daily: DailyRaces
    ) -> None:
        self._services = services
        self._clock = services.clock
        self._standings = services.store.standings
        self._addresses = addresses
        self._daily = daily
        self._tickets = DeviceTickets()
        self._one_at_a_time = asyncio.Lock()
        self._one_export = asyncio.Lock()
        self._timer: Timer | None = None
        self.sweeping = False

    # --- commands --------------------------------------------------------------------

    async def execute(self, asker: Asker, command: ProfileCommand) -> Event | Refusal:
        """Carry out a command; return the answer."""
        async with self._one_at_a_time:
            try:
                return await self._execute(asker, command)
            except StorageUnavailable:
                return Refusal("storage_unavailable", retry_ms=5_000)

    async def _execute(self, asker: Asker, command: ProfileCommand) -> Event | Refusal:
        found = await self._identify(asker)
        if isinstance(command, Me):
            return await self._view(asker)
        if isinstance(command, Keep | Claim):
            if found is not None:
                return Refusal("profile_exists")
            if isinstance(command, Keep):
                return await self._keep(asker, command.name)
            return await self._claim(asker, command.ticket)
        if found is None:
            return Refusal("profile_unknown")
        profile, _ = found
        match command:
            case Rename(name):
                return await self._rename(asker, profile, name)
            case DeviceTicket():
                return await self._ticket(profile)
            case Revoke(device):
                return await self._revoke(asker, profile, device)
            case Forget(on):
                return await self._forget(asker, profile, on)
            case History(event, before):
                return await self._history(profile, event, before)

    async def _identify(self, asker: Asker) -> tuple[ProfileRow, int] | None:
        """Return profile and id of the device; None if it is due for deletion."""
        now_ms = self._clock.wall_ms()
        found = await self._standings.identify(hashed(asker.secret), now_ms)
        return None if found is None or _is_due(found[0], now_ms) else found

    async def _view(self, asker: Asker) -> MeEvent:
        found = await self._identify(asker)
        return MeEvent(None if found is None else await self._shown(*found))

    async def _shown(self, profile: ProfileRow, device: int | None = None) -> Profile:
        keys = await self._standings.keys(profile.id)
        daily = await self._daily.state(profile.id)
        return Profile(
            id=profile.id,
            name=profile.name,
            created_ms=profile.created_ms,
            devices=[
                Device(key.id, key.name, key.added_ms, key.used_ms, key.id == device)
                for key in keys
            ],
            bests=await self._bests(profile.id),
            streak=daily.streak,
            day=daily.date,
            dailies=daily.events,
            forget_at_ms=profile.forget_at_ms,
        )

    async def _bests(
        self, profile: str, *, public_only: bool = False
    ) -> list[EventBests]:
        tallies = await self._standings.tallies(profile, public_only=public_only)
        return [EventBests(*astuple(tally)) for tally in tallies]

    async def _keep(self, asker: Asker, typed: str) -> Event | Refusal:
        name = room.chosen_name(typed)
        if isinstance(name, Refusal):
            return name
        now_ms = self._clock.now_ms()
        if wait := self._addresses.profile_wait(asker.address, now_ms):
            return Refusal("too_many_profiles", retry_ms=wait)
        row = ProfileRow(profile_id(asker.secret), name, self._clock.wall_ms())
        key = hashed(asker.secret)
        if not await self._standings.create_profile(row, key, asker.device):
            return Refusal("profile_exists")  # the secret was removed, or is unlucky
        self._addresses.profile_created(asker.address, now_ms)
        _log.info("profile created", extra={"profile": row.id})
        return await self._view(asker)

    async def _rename(
        self, asker: Asker, profile: ProfileRow, typed: str
    ) -> Event | Refusal:
        name = room.chosen_name(typed)
        if isinstance(name, Refusal):
            return name
        await self._standings.rename_profile(profile.id, name)
        return await self._view(asker)

    async def _ticket(self, profile: ProfileRow) -> Event | Refusal:
        if len(await self._standings.keys(profile.id)) >= MAX_KEYS:
            return Refusal("too_many_devices")
        entropy, now_ms = self._services.entropy(32), self._clock.now_ms()
        ticket = self._tickets.issue(profile.id, entropy, now_ms)
        return Ticket(ticket, DEVICE_TICKET_MS)

    async def _claim(self, asker: Asker, typed: str) -> Event | Refusal:
        now_ms = self._clock.now_ms()
        if wait := self._addresses.claim_wait(asker.address, now_ms):
            return Refusal("too_many_tries", retry_ms=wait)
        wrong = Refusal("bad_ticket", "ticket", typed)
        if (letters := parse_ticket(typed)) is None:
            return wrong
        if (profile := self._tickets.redeem(letters, now_ms)) is None:
            self._addresses.failed_claim(asker.address, now_ms)
            return wrong
        key, wall_ms = hashed(asker.secret), self._clock.wall_ms()
        if not await self._standings.add_key(profile, key, asker.device, wall_ms):
            return Refusal("too_many_devices")
        _log.info("device added", extra={"profile": profile})
        return await self._view(asker)

    async def _revoke(
        self, asker: Asker, profile: ProfileRow, device: int
    ) -> Event | Refusal:
        keys = await self._standings.keys(profile.id)
        if device not in [key.id for key in keys]:
            return Refusal("device_unknown", "device", str(device))
        if len(keys) == 1:
            return Refusal("last_device")
        # A thief may have requested a ticket before losing the device.
        self._tickets.void(profile.id)
        await self._standings.revoke_key(profile.id, device)
        _log.info("device removed", extra={"profile": profile.id})
        return await self._view(asker)

    async def _forget(self, asker: Asker, profile: ProfileRow, on: bool) -> Event:
        at_ms = profile.forget_at_ms or self._clock.wall_ms() + FORGET_MS
        await self._standings.set_forget(profile.id, at_ms if on else None)
        _log.info("to be deleted", extra={"profile": profile.id, "on": on})
        return await self._view(asker)

    async def _history(
        self, profile: ProfileRow, event: str, before: str | None
    ) -> Event:
        rows = await self._standings.history(
            profile.id, event, before, HISTORY_ROWS + 1
        )
        page = [_history_row(row) for row in rows[:HISTORY_ROWS]]
        return HistoryEvent(event, page, len(rows) > HISTORY_ROWS)

    # --- for sessions and HTTP -------------------------------------------------------

    async def owner(self, secret: str) -> str | None:  # noqa: D102
        found = await self._standings.identify(hashed(secret), self._clock.wall_ms())
        return None if found is None else found[0].id

    async def pace_of(self, profile: str, event: str) -> int | None:
        """Return what a profile usually needs, in ms; None: no attempts.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        tallies = await self._standings.tallies(profile)
        return next((one.pace_ms for one in tallies if one.event == event), None)

    async def public(self, profile: str) -> Mapping[str, Any] | None:  # noqa: D102
        found = await self._standings.profile(profile)
        if found is None or _is_due(found, self._clock.wall_ms()):
            return None
        bests = await self._bests(profile, public_only=True)
        return {
            "id": found.id,
            "name": found.name,
            "bests": msgspec.to_builtins(bests),
        }

    async def own(self, profile: str) -> bytes | None:  # noqa: D102
        found = await self._standings.profile(profile)
        return None if found is None else msgspec.json.encode(await self._shown(found))

    async def export(self, profile: str) -> bytes:  # noqa: D102
        async with self._one_export:  # each needs much memory
            attempts = await self._attempts(profile)
            file = ProfileExport()
            races = {entry.race: entry for _, entry in attempts}
            for entry in races.values():
                if file.is_full:
                    break
                record = await self._services.store.results.record(entry.race)
                if record is not None:
                    # In a thread: compressing takes longer than a slide may wait.
                    await asyncio.to_thread(
                        file.add_record, entry.race, entry.started_ms, record
                    )
            return await asyncio.to_thread(file.finish, attempts)

    async def _attempts(self, profile: str) -> list[tuple[str, AttemptEntry]]:
        """Return event and attempt of all attempts, the latest first."""
        found: list[tuple[str, AttemptEntry]] = []
        for tally in await self._standings.tallies(profile):
            before: str | None = None
            while rows := await self._standings.history(
                profile, tally.event, before, EXPORT_ROWS
            ):
                found += [(tally.event, row) for row in rows]
                before = rows[-1].race
        return sorted(found, key=lambda one: one[1].started_ms, reverse=True)

    async def have_left(self, race: RaceSummary) -> bool:
        """Return whether all people in a race had profiles that are deleted now.

        Their race is deleted too, and must not come back from the log of its room.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        people = [row.profile for row in race.attempts if not row.bot]
        if None in people:
            return False
        found = [await self._standings.profile(one or "") for one in people]
        return bool(people) and not any(found)

    # --- deletion --------------------------------------------------------------------

    def start(self) -> None:
        """Delete the profiles that are due, now and then regularly."""
        self._timer = self._clock.later(SWEEP_S, self.start)
        if not self.sweeping and self._services.processes.serves(PROFILES):
            self.sweeping = True
            self._services.spawn(self._sweep())

    def stop(self) -> None:
        """Begin no more deletions; one that is interrupted continues at the start."""
        if self._timer is not None:
            self._timer.cancel()

    async def _sweep(self) -> None:
        try:
            now_ms = self._clock.wall_ms()
            for profile in await self._standings.due_to_forget(now_ms):
                await self._delete(profile)
        except StorageUnavailable as error:  # the next sweep tries again
            _log.warning("cannot delete profiles", extra={"error": str(error)})
        finally:
            self.sweeping = False

    async def _delete(self, profile: str) -> None:
        """Delete a profile, after its name is in no race record any more."""
        done = set[tuple[str, int]]()
        while left := [
            one
            for one in await self._standings.races_with_others(profile)
            if one not in done  # races that were stored meanwhile
        ]:
            for race, seat in left:
                await self._redact(race, seat)
            done.update(left)
        await self._standings.delete_profile(profile)
        self._tickets.void(profile)
        _log.info("profile deleted", extra={"profile": profile})

    async def _redact(self, race: str, seat: int) -> None:
        """Take a name out of a race record, if there is one, and sign it again."""
        record = await self._services.store.results.record(race)
        if record is None:
            return
        key = self._services.key
        # In a thread: a long record takes longer than a slide may wait.
        changed = await asyncio.to_thread(
            redacted, record, {seat}, key.public, key.sign
        )
        await self._standings.replace_record(race, changed)


def _is_due(profile: ProfileRow, now_ms: int) -> bool:
    return profile.forget_at_ms is not None and profile.forget_at_ms <= now_ms


def _history_row(entry: AttemptEntry) -> HistoryRow:
    row = entry.row
    return HistoryRow(
        race=entry.race,
        started_ms=entry.started_ms,
        kind=entry.kind,
        status=cast("StatusName", row.status),
        time_ms=row.time_ms,
        solve_ms=row.solve_ms,
        stm=row.stm,
        mtm=row.mtm,
        md=entry.md,
        first_ms=row.first_ms,
        pauses=row.pauses,
        input=row.input,
        counts=row.counts,
    )
