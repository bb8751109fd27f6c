"""Any history of devices, races and deletions leaves profiles as a simple model says.

The model is a dictionary of profiles. After each step every device sees what the model
says, and the names in races and race records are those that it says.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import event, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.e2e.clocks import ManualClock
from tests.e2e.owners import secret_of
from tests.e2e.protocol_client import eventually
from tests.race.sample import finished_record
from tests.server.make_services import Tasks, make_services

from sliderace.proof import canonical
from sliderace.proof.signed import seal
from sliderace.protocol import messages as m
from sliderace.race.refusal import Refusal
from sliderace_server.limits import PerAddress
from sliderace_server.registry.daily_races import DailyRaces
from sliderace_server.registry.profile_codes import DEVICE_TICKET_MS, profile_id
from sliderace_server.registry.profile_service import (
    FORGET_MS,
    Asker,
    ProfileCommand,
    ProfileService,
)
from sliderace_server.storage import AttemptRow, RaceSummary, Store, StoredRace
from sliderace_server.storage.memory import MemoryStore

T = TypeVar("T")
DEVICES = st.sampled_from(["laptop", "phone", "tablet", "desktop"])
NAMES = st.sampled_from(["Ann", "Ben", "Zoë"])
TIMES = st.integers(1_000, 9_000)
SIZE = "2x2"


@dataclass
class Owned:
    """A profile of the model.

    Attributes:
        name: its name.
        devices: device -> number.
        last: number of the device that was added last.
        times: race -> time of the attempt that it made or was credited.
        uncounted: races whose attempt it was credited later than its first one.
        forget_at: when it is to be deleted.
    """

    name: str
    devices: dict[str, int]
    last: int = 1
    times: dict[str, int] = field(default_factory=dict[str, int])
    uncounted: set[str] = field(default_factory=set[str])
    forget_at: int | None = None


class Calendar(ManualClock):
    """A clock whose date can jump while nothing else happens."""

    shift_ms = 0

    def wall_ms(self) -> int:
        return super().wall_ms() + self.shift_ms


def asker(device: str) -> Asker:
    return Asker(secret_of(device), device, "")


class ProfileMachine(RuleBasedStateMachine):
    """A service and its model."""

    @initialize()
    def start(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.clock = Calendar()
        self.store, self.tasks = self.new_store(), Tasks()
        self.profiles: dict[str, Owned] = {}
        self.raced = 0
        self.tickets: dict[str, tuple[str, int]] = {}
        self.seats: dict[str, list[tuple[str, str | None]]] = {}
        self.service = self.do(self.begin())
        for device in ("laptop", "phone"):  # else most histories have no profile
            self.keep(device, "Ann")

    def new_store(self) -> Store:
        return MemoryStore()

    async def begin(self) -> ProfileService:
        await self.store.__aenter__()
        services = make_services(self.store, self.tasks, clock=self.clock)
        self.key = services.key
        daily = DailyRaces(self.store.standings, services.key, services.clock.wall_ms)
        addresses = PerAddress(services.settings.limits)
        return ProfileService(services, addresses, daily)

    def teardown(self) -> None:
        if hasattr(self, "loop"):
            self.do(self.tasks.__aexit__())
            self.do(self.store.__aexit__())
            self.loop.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def ask(self, device: str, command: ProfileCommand) -> m.Event | Refusal:
        return self.do(self.service.execute(asker(device), command))

    def owner(self, device: str) -> str | None:
        """Return the profile of a device in the model."""
        found = [id_ for id_, one in self.profiles.items() if device in one.devices]
        assert len(found) < 2
        return found[0] if found else None

    # --- owners ----------------------------------------------------------------------

    @rule(device=DEVICES, name=NAMES)
    def keep(self, device: str, name: str) -> None:
        answer, new = self.ask(device, m.Keep(name)), profile_id(secret_of(device))
        if self.owner(device) is not None or new in self.profiles:
            assert answer == Refusal("profile_exists")
            return
        assert isinstance(answer, m.MeEvent)
        self.profiles[new] = Owned(name, {device: 1})
        event("kept")

    @rule(device=DEVICES)
    def ticket(self, device: str) -> None:
        answer, owner = self.ask(device, m.DeviceTicket()), self.owner(device)
        if owner is None:
            assert answer == Refusal("profile_unknown")
            return
        assert isinstance(answer, m.Ticket)
        self.tickets[owner] = answer.ticket, self.clock.now_ms() + answer.in_ms

    @rule(device=DEVICES, which=st.integers(0, 3))
    def claim(self, device: str, which: int) -> None:
        if not self.tickets:
            return
        profile = sorted(self.tickets)[which % len(self.tickets)]
        ticket, until = self.tickets[profile]
        answer = self.ask(device, m.Claim(ticket))
        if self.owner(device) is not None:
            assert answer == Refusal("profile_exists")
            return
        del self.tickets[profile]
        if self.clock.now_ms() >= until:
            assert answer == Refusal("bad_ticket", "ticket", ticket)
            return
        assert isinstance(answer, m.MeEvent)
        owned = self.profiles[profile]
        owned.last += 1
        owned.devices[device] = owned.last
        assert self.ask(device, m.Claim(ticket)) == Refusal("profile_exists")
        event("claimed")

    @rule(device=DEVICES, number=st.integers(1, 4))
    def revoke(self, device: str, number: int) -> None:
        answer, owner = self.ask(device, m.Revoke(number)), self.owner(device)
        if owner is None:
            assert answer == Refusal("profile_unknown")
            return
        owned = self.profiles[owner]
        removed = [one for one, n in owned.devices.items() if n == number]
        if not removed:
            assert answer == Refusal("device_unknown", "device", str(number))
        elif len(owned.devices) == 1:
            assert answer == Refusal("last_device")
        else:
            assert isinstance(answer, m.MeEvent)
            del owned.devices[removed[0]]
            self.tickets.pop(owner, None)
            event("revoked itself" if removed == [device] else "revoked")

    @rule(device=DEVICES, name=NAMES)
    def rename(self, device: str, name: str) -> None:
        answer, owner = self.ask(device, m.Rename(name)), self.owner(device)
        if owner is None:
            assert answer == Refusal("profile_unknown")
        else:
            self.profiles[owner].name = name

    @rule(device=DEVICES, on=st.booleans())
    def forget(self, device: str, on: bool) -> None:
        answer, owner = self.ask(device, m.Forget(on)), self.owner(device)
        if owner is None:
            assert answer == Refusal("profile_unknown")
            return
        owned = self.profiles[owner]
        at_ms = owned.forget_at or self.clock.wall_ms() + FORGET_MS
        owned.forget_at = at_ms if on else None

    # --- races -----------------------------------------------------------------------

    @rule(device=DEVICES, other=st.none() | DEVICES, alone=st.booleans(), times=TIMES)
    def race(self, device: str, other: str | None, alone: bool, times: int) -> None:
        """Race as people with profiles or as guests; a deleted one is a guest."""
        self.raced += 1
        race = f"KWXTRB-SA1B2C-{self.raced}"
        devices = [device] if alone else [device, other]
        owners = [self.owner(one) if one else None for one in devices]
        if owners == owners[::-1] and len(owners) == 2:
            owners[1] = None  # nobody races twice
        ids = [one or profile_id("0" * 32) for one in owners]
        names = ["first", "second"][: len(devices)]
        record: dict[str, Any] = {**finished_record(), "race": race}
        record["racers"] = record["racers"][: len(devices)]
        for racer, name in zip(record["racers"], names, strict=True):
            racer["name"] = name
        rows = tuple(
            AttemptRow(n, name, "finished", n + 1, times + n, 4, 4, profile=owner)
            for n, (name, owner) in enumerate(zip(names, ids, strict=True))
        )
        started = self.clock.wall_ms()
        summary = RaceSummary(race, "KWXTRB", started, SIZE, True, rows)
        file = seal(record, self.key.public, self.key.sign)
        self.do(self.store.results.store(StoredRace(summary, file)))
        self.seats[race] = list(zip(names, owners, strict=True))
        for seat, owner in enumerate(owners):
            if owner is not None:
                self.profiles[owner].times[race] = times + seat

    @rule(device=DEVICES, which=st.integers(0, 9), seat=st.integers(0, 1))
    def credit(self, device: str, which: int, seat: int) -> None:
        """Keep a guest's time, perhaps twice, perhaps that of somebody else."""
        owner = self.owner(device)
        if owner is None or not self.seats:
            return
        race = sorted(self.seats)[which % len(self.seats)]
        seats = self.seats[race]
        if seat < len(seats) and race in self.profiles[owner].times:
            return  # nobody races twice
        gains = self.do(self.store.standings.credit(race, seat, owner))
        if seat >= len(seats) or seats[seat][1] is not None:
            assert gains is None
            return
        assert gains is not None
        races = self.do(self.store.results.races(limit=999))
        (summary,) = [one for one in races if one.id == race]
        seats[seat] = seats[seat][0], owner
        time_ms = summary.attempts[seat].time_ms
        assert time_ms is not None
        if self.profiles[owner].times:
            self.profiles[owner].uncounted.add(race)
        self.profiles[owner].times[race] = time_ms
        event("credited")

    # --- time ------------------------------------------------------------------------

    @rule(ms=st.sampled_from([1_000, DEVICE_TICKET_MS - 1, DEVICE_TICKET_MS]))
    def wait(self, ms: int) -> None:
        self.clock.advance(ms)
        self.sweep()

    @rule(device=DEVICES)
    def insist_on_deletion(self, device: str) -> None:
        """Ask twice: the second time delays nothing."""
        self.forget(device, True)
        self.clock.shift_ms += FORGET_MS // 2
        self.forget(device, True)
        self.days_pass(FORGET_MS // 2)

    @rule(ms=st.sampled_from([FORGET_MS // 2, FORGET_MS - 1, FORGET_MS]))
    def days_pass(self, ms: int) -> None:
        self.clock.shift_ms += ms
        self.sweep()

    def sweep(self) -> None:
        """Delete what is due: a restart does it, and so does every minute."""
        self.do(self._sweep())
        now = self.clock.wall_ms()
        for profile, owned in list(self.profiles.items()):
            if owned.forget_at is not None and owned.forget_at <= now:
                self._delete(profile)

    async def _sweep(self) -> None:
        self.service.start()
        self.service.stop()
        await eventually(lambda: not self.service.sweeping)

    def _delete(self, profile: str) -> None:
        del self.profiles[profile]
        self.tickets.pop(profile, None)
        for race, seats in list(self.seats.items()):
            if all(owner == profile for _, owner in seats):
                del self.seats[race]
            else:
                self.seats[race] = [
                    ("deleted", None) if owner == profile else (name, owner)
                    for name, owner in seats
                ]
        event("deleted")

    # --- what must be true -----------------------------------------------------------

    @invariant()
    def every_device_sees_its_profile(self) -> None:
        for device in ("laptop", "phone", "tablet", "desktop"):
            answer, owner = self.ask(device, m.Me()), self.owner(device)
            assert isinstance(answer, m.MeEvent)
            shown = answer.profile
            if owner is None:
                assert shown is None
                continue
            owned = self.profiles[owner]
            assert shown is not None
            assert (shown.id, shown.name) == (owner, owned.name)
            assert shown.forget_at_ms == owned.forget_at
            assert {one.name: one.id for one in shown.devices} == owned.devices
            assert [one.name for one in shown.devices if one.current] == [device]
            times = owned.times
            counted = [times[race] for race in times if race not in owned.uncounted]
            assert [one.attempts for one in shown.bests] == [len(counted)] * bool(times)
            if times:
                assert shown.bests[0].single_ms == min(counted)
            page = self.ask(device, m.History(SIZE))
            assert isinstance(page, m.HistoryEvent)
            assert {row.race: row.time_ms for row in page.rows} == times

    @invariant()
    def races_and_records_have_the_names_of_the_model(self) -> None:
        races = self.do(self.store.results.races(limit=999))
        assert {one.id for one in races} == self.seats.keys()
        for race in races:
            rows = [(row.name, row.profile) for row in race.attempts]
            assert rows == self.seats[race.id]
            file: Any = canonical.decode(
                self.do(self.store.results.record(race.id)) or b""
            )
            names = [racer["name"] for racer in file["record"]["racers"]]
            assert names == [name for name, _ in rows]
            assert file["record"].get("redacted", False) == ("deleted" in names)


EXAMPLES = max(8, settings().max_examples // 10)
"""Each step asks a real store in an event loop of its own."""
ProfileMachine.TestCase.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=25
)
TestProfiles = ProfileMachine.TestCase
