"""Commands about profiles without sockets: what happens if they come at once."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from tests.e2e.owners import secret_of
from tests.e2e.stores import FaultyStore
from tests.server.make_services import Tasks, make_services

from sliderace.protocol import messages as m
from sliderace.race.refusal import Refusal
from sliderace_server.limits import PerAddress
from sliderace_server.registry.daily_races import DailyRaces
from sliderace_server.registry.profile_service import Asker, ProfileService


def asker(device: str) -> Asker:
    return Asker(secret_of(device), device, "")


@contextlib.asynccontextmanager
async def a_service() -> AsyncGenerator[tuple[ProfileService, FaultyStore], None]:
    store = FaultyStore()
    async with store, Tasks() as tasks:
        services = make_services(store, tasks)
        daily = DailyRaces(store.standings, services.key, services.clock.wall_ms)
        addresses = PerAddress(services.settings.limits)
        yield ProfileService(services, addresses, daily), store


async def a_profile(service: ProfileService, *devices: str) -> None:
    """Create a profile with devices."""
    first, *others = devices
    await service.execute(asker(first), m.Keep("Ann"))
    for device in others:
        ticket = await service.execute(asker(first), m.DeviceTicket())
        assert isinstance(ticket, m.Ticket)
        answer = await service.execute(asker(device), m.Claim(ticket.ticket))
        assert isinstance(answer, m.MeEvent)


async def test_two_devices_that_remove_each_other_leave_one() -> None:
    async with a_service() as (service, _):
        await a_profile(service, "laptop", "phone")
        answers = await asyncio.gather(
            service.execute(asker("laptop"), m.Revoke(2)),
            service.execute(asker("phone"), m.Revoke(1)),
        )
        assert isinstance(answers[0], m.MeEvent)
        assert answers[1] == Refusal("profile_unknown")


async def test_a_ticket_that_two_devices_use_at_once_adds_one() -> None:
    async with a_service() as (service, _):
        await a_profile(service, "laptop")
        ticket = await service.execute(asker("laptop"), m.DeviceTicket())
        assert isinstance(ticket, m.Ticket)
        claim = m.Claim(ticket.ticket)
        answers = await asyncio.gather(
            *(service.execute(asker(one), claim) for one in ("phone", "tablet"))
        )
        assert sum(isinstance(one, m.MeEvent) for one in answers) == 1
        assert Refusal("bad_ticket", "ticket", ticket.ticket) in answers


async def test_a_failed_command_does_not_block_the_next_one() -> None:
    async with a_service() as (service, store):
        await a_profile(service, "laptop")
        store.full = True
        answer = await service.execute(asker("laptop"), m.Rename("X"))
        assert answer == Refusal("storage_unavailable", retry_ms=5_000)
        store.full = False
        answer = await service.execute(asker("laptop"), m.Rename("Zoë"))
        assert isinstance(answer, m.MeEvent)
        assert answer.profile is not None
        assert answer.profile.name == "Zoë"
