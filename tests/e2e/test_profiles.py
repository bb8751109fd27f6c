"""Profiles over real sockets: devices, tickets, deletion, and what is refused."""

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.owners import Owner, owning, secret_of
from tests.e2e.protocol_client import (
    FastClock,
    ProtocolClient,
    connected,
    eventually,
    rules,
    running_race,
)
from tests.e2e.stores import FaultyStore

from sliderace.proof import canonical
from sliderace.proof.verify import verify
from sliderace.protocol import messages as m
from sliderace_client.net.signature import check_signature
from sliderace_server.app import Server, running
from sliderace_server.registry.profile_service import FORGET_MS
from sliderace_server.settings import ServerSettings
from sliderace_server.storage import MAX_KEYS
from sliderace_server.websocket.profile_session import MAX_WAITING

HOME, AWAY = "192.0.2.1", "192.0.2.2"
MINUTE_MS = 60_000


@contextlib.asynccontextmanager
async def profile_server(
    clock: ManualClock | FastClock | None = None, store: FaultyStore | None = None
) -> AsyncGenerator[tuple[Server, FaultyStore], None]:
    """Run a server whose clients may say from which address they come."""
    settings = ServerSettings(port=0, memory=True, trusted_proxies=("127.0.0.1",))
    store = store or FaultyStore()
    async with running(settings, store=store, clock=clock or ManualClock()) as server:
        yield server, store


@contextlib.asynccontextmanager
async def an_owner(port: int, device: str = "laptop") -> AsyncGenerator[Owner, None]:
    """Create Ann's profile."""
    async with owning(port, device) as owner:
        await owner.profile(m.Keep("Ann"))
        yield owner


async def devices_of(owner: Owner) -> list[tuple[int, str, bool]]:
    """Return id and name of each device, and whether it is this one."""
    profile = await owner.profile(m.Forget(on=False))
    return [(one.id, one.name, one.current) for one in profile.devices]


# --- keeping --------------------------------------------------------------------------


async def test_a_profile_is_created_and_recognised() -> None:
    async with profile_server() as (server, _):
        async with owning(server.port, "laptop") as owner:
            assert owner.first is None
            created = await owner.profile(m.Keep("  Ann\t"))
            assert (created.name, created.forget_at_ms) == ("Ann", None)
            assert len(created.id) == 8
        async with owning(server.port, "laptop") as again:
            assert again.first == created


async def test_a_device_has_one_profile() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        assert await ann.refused(m.Keep("Other")) == "profile_exists"
        async with an_owner(server.port, "other") as other:
            ticket = await other.ticket()
        assert await ann.refused(m.Claim(ticket)) == "profile_exists"


@pytest.mark.parametrize(
    ("typed", "code"),
    [("", "bad_name"), ("\u202e", "bad_name"), ("猫" * 11, "long_name")],
)
async def test_a_name_must_be_fit_to_show(typed: str, code: str) -> None:
    async with profile_server() as (server, _):
        async with owning(server.port, "laptop") as nobody:
            assert await nobody.refused(m.Keep(typed)) == code
        async with an_owner(server.port) as ann:
            assert await ann.refused(m.Rename(typed)) == code
            assert (await ann.profile(m.Forget(on=False))).name == "Ann"


async def test_a_profile_can_be_renamed() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        assert (await ann.profile(m.Rename("Zoë"))).name == "Zoë"


async def test_two_hundred_profiles_from_one_address_are_too_many() -> None:
    clock = ManualClock()
    async with profile_server(clock) as (server, _):
        created = 0
        for number in range(200):
            async with owning(server.port, f"device {number}", HOME) as owner:
                answer = await owner.ask(m.Keep("Ann"))
            created += isinstance(answer, m.MeEvent)
            if isinstance(answer, m.Refused):
                assert (answer.code, answer.retry_ms) == (
                    "too_many_profiles",
                    86_400_000 // 5,
                )
        assert created == 5
        async with owning(server.port, "elsewhere", AWAY) as other:
            await other.profile(m.Keep("Ben"))


# --- a second device ------------------------------------------------------------------


async def test_a_profile_moves_to_a_second_device() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        ticket = await ann.ticket()
        async with owning(server.port, "phone") as phone:
            typed = f" {ticket[:4].lower()}-{ticket[4:]} "
            there = await phone.profile(m.Claim(typed))
            assert (there.id, there.name) == (
                (await ann.profile(m.Forget(on=False))).id,
                "Ann",
            )
            assert await devices_of(phone) == [(1, "laptop", False), (2, "phone", True)]
            await phone.profile(m.Revoke(1))
            assert await devices_of(phone) == [(2, "phone", True)]
        assert await ann.refused(m.Rename("Thief")) == "profile_unknown"
        async with owning(server.port, "laptop") as former:
            assert former.first is None


async def test_a_ticket_is_valid_once_and_for_five_minutes() -> None:
    clock = ManualClock()
    async with profile_server(clock) as (server, _):
        async with an_owner(server.port) as ann:
            used = await ann.ticket()
            async with owning(server.port, "phone") as phone:
                await phone.profile(m.Claim(used))
            late = await ann.ticket()
        clock.advance(300_000)
        async with owning(server.port, "thief", AWAY) as thief:
            for ticket in (used, late):
                assert await thief.refused(m.Claim(ticket)) == "bad_ticket"
        async with owning(server.port, "laptop") as ann:
            assert [one[1] for one in await devices_of(ann)] == ["laptop", "phone"]


async def test_a_ticket_of_another_server_or_of_before_a_restart_is_invalid() -> None:
    store = FaultyStore()
    async with (
        profile_server(store=store) as (server, _),
        an_owner(server.port) as ann,
    ):
        tickets = [await ann.ticket()]
    async with profile_server() as (other, _), an_owner(other.port, "other") as ben:
        tickets += [await ben.ticket(), "BBBBBBBB", "nonsense", ""]
    async with (
        profile_server(store=store) as (server, _),
        owning(server.port, "phone") as phone,
    ):
        for ticket in tickets:
            assert await phone.refused(m.Claim(ticket)) == "bad_ticket"
        assert await phone.refused(m.Rename("Ann")) == "profile_unknown"


async def test_five_wrong_tickets_from_an_address_are_the_last() -> None:
    """Then even the right one is refused, until it is void."""
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        ticket = await ann.ticket()
        async with owning(server.port, "guesser", AWAY) as guesser:
            for _ in range(5):
                assert await guesser.refused(m.Claim("BBBBBBBB")) == "bad_ticket"
            assert await guesser.refused(m.Claim(ticket)) == "too_many_tries"
        async with owning(server.port, "phone", HOME) as phone:
            await phone.profile(m.Claim(ticket))


async def test_five_wrong_tries_for_a_ticket_from_many_addresses_void_it() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        ticket = await ann.ticket()
        wrong = ticket[:-1] + ("B" if ticket[-1] != "B" else "C")
        for number in range(5):
            async with owning(server.port, "guesser", f"198.51.100.{number}") as one:
                assert await one.refused(m.Claim(wrong)) == "bad_ticket"
        async with owning(server.port, "phone", HOME) as phone:
            assert await phone.refused(m.Claim(ticket)) == "bad_ticket"


async def test_a_removed_device_gets_back_with_no_ticket_of_before() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        ticket = await ann.ticket()
        async with owning(server.port, "stolen") as stolen:
            await stolen.profile(m.Claim(ticket))
            later = await stolen.ticket()
            await ann.profile(m.Revoke(2))
            assert await stolen.refused(m.DeviceTicket()) == "profile_unknown"
        async with owning(server.port, "another of the thief") as another:
            assert await another.refused(m.Claim(later)) == "bad_ticket"


async def test_a_device_can_remove_itself_but_not_the_last_one() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        assert await ann.refused(m.Revoke(1)) == "last_device"
        assert await ann.refused(m.Revoke(2)) == "device_unknown"
        ticket = await ann.ticket()
        async with owning(server.port, "phone") as phone:
            await phone.profile(m.Claim(ticket))
            answer = await ann.ask(m.Revoke(1))
            assert answer == m.MeEvent(None)
            assert await phone.refused(m.Revoke(2)) == "last_device"
        # The id follows from the first secret, so that one is not used again.
        assert await ann.refused(m.Keep("Ann")) == "profile_exists"


async def test_a_profile_has_sixteen_devices_at_most() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        for number in range(2, MAX_KEYS):
            ticket = await ann.ticket()
            async with owning(server.port, f"device {number}") as device:
                await device.profile(m.Claim(ticket))
        tickets = [await ann.ticket()]
        async with owning(server.port, "the last") as last:
            await last.profile(m.Claim(tickets[0]))
        assert await ann.refused(m.DeviceTicket()) == "too_many_devices"
        assert len(await devices_of(ann)) == MAX_KEYS


# --- what is refused ------------------------------------------------------------------


async def test_a_stranger_can_only_keep_and_claim() -> None:
    async with (
        profile_server() as (server, _),
        owning(server.port, "laptop") as nobody,
    ):
        for command in (
            m.Rename("X"),
            m.DeviceTicket(),
            m.Revoke(1),
            m.Forget(),
            m.History("4x4"),
        ):
            assert await nobody.refused(command) == "profile_unknown"


async def test_commands_of_rooms_are_refused_and_those_of_profiles_in_rooms() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        for command in (
            m.Ready("A-1"),
            m.Leave(),
            m.Slides("A-1", 0, 1, [("U", 1, 0)]),
        ):
            assert await ann.refused(command) == "not_here"
        async with connected(server.port, m.Create("Ben")) as ben:
            for mine in (m.Keep("Ben"), m.DeviceTicket(), m.History("4x4")):
                await ben.send(mine)
                assert (await ben.until(m.Refused)).code == "not_here"
            await ben.sync()


@pytest.mark.parametrize("secret", ["", "0" * 31, "0" * 33, "A" * 32, "0" * 32 + "\n"])
async def test_a_malformed_secret_is_refused(secret: str) -> None:
    async with profile_server() as (server, _), connected(server.port) as client:
        await client.send(m.Hello(1, m.Me(), profile=secret))
        refused = await client.until(m.Refused)
        assert (refused.of, refused.code, refused.field) == (
            "hello",
            "bad_message",
            "profile",
        )
        assert await client.closed() == 4500


async def test_without_a_secret_there_is_no_profile_to_manage() -> None:
    async with profile_server() as (server, _), connected(server.port) as client:
        await client.send(m.Hello(1, m.Me()))
        refused = await client.until(m.Refused)
        assert (refused.code, refused.field) == ("bad_message", "profile")
        assert await client.closed() == 4500


async def test_a_second_hello_and_rubbish_are_refused_and_close_nothing() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        again = m.Hello(1, m.Me(), profile=secret_of("other"))
        assert await ann.refused(again) == "bad_message"
        await ann.client.send('{"t":"keep"}')
        assert (await ann.client.until(m.Refused)).code == "bad_message"
        await ann.profile(m.Rename("Still Ann"))


# --- storage --------------------------------------------------------------------------


async def test_while_the_storage_fails_commands_are_refused() -> None:
    async with profile_server() as (server, store), an_owner(server.port) as ann:
        store.full = True
        for command in (m.Rename("X"), m.Forget(), m.History("4x4"), m.Revoke(1)):
            answer = await ann.ask(command)
            assert isinstance(answer, m.Refused)
            assert (answer.code, answer.retry_ms) == ("storage_unavailable", 5_000)
        async with connected(server.port) as other:
            await other.send(m.Hello(1, m.Me(), profile=secret_of("phone")))
            assert (await other.until(m.Refused)).code == "storage_unavailable"
            assert await other.closed() == 1013
        store.full = False
        assert (await ann.profile(m.Rename("Zoë"))).name == "Zoë"


async def test_commands_run_in_order_and_too_many_at_once_are_refused() -> None:
    async with profile_server() as (server, store), an_owner(server.port) as ann:
        store.standings_unblocked.clear()
        for number in range(MAX_WAITING + 10):
            await ann.client.send(m.Rename(f"Ann {number}"))
        refused = await ann.client.until(m.Refused)
        assert (refused.of, refused.code) == ("rename", "rate")
        store.standings_unblocked.set()
        for _ in range(MAX_WAITING):
            await ann.client.until(m.MeEvent)
        await ann.client.sync()
        done = [
            int(one.profile.name.split()[1])
            for one in ann.client.received
            if isinstance(one, m.MeEvent) and one.profile and one.profile.name != "Ann"
        ]
        assert done == sorted(set(done))
        assert len(done) >= MAX_WAITING


# --- deletion -------------------------------------------------------------------------


class Calendar(FastClock):
    """A clock whose date a test sets.

    Attributes:
        shift_ms: added to the date.
    """

    shift_ms = 0

    def wall_ms(self) -> int:
        return super().wall_ms() + self.shift_ms


async def raced(port: int, store: FaultyStore, count: int, profile: str) -> str:
    """Let players race; credit the first one's attempt to a profile."""
    async with running_race(port, count, "2x2") as players:
        for one in players:
            await one.solve()
        results = await players[0].until(m.Results)
        seat = players[0].seat
    await eventually(lambda: store.real.results.record(results.race))
    assert await store.standings.credit(results.race, seat, profile) is not None
    return results.race


async def names_in(store: FaultyStore, race: str) -> tuple[list[str], list[str]]:
    """Return the names in the race record and in the list of races, sorted."""
    file: Any = canonical.decode(await store.real.results.record(race) or b"")
    checks = verify(file, check_signature)
    assert {check.verdict for check in checks} == {"ok"}
    record: dict[str, Any] = file["record"]
    (listed,) = [one for one in await store.results.races() if one.id == race]
    names = [racer["name"] for racer in record["racers"]]
    assert record.get("redacted", False) == ("deleted" in names)
    return sorted(names), sorted(row.name for row in listed.attempts)


async def test_a_profile_is_deleted_after_72_hours_and_a_restart() -> None:
    clock, store = Calendar(), FaultyStore()
    async with (
        profile_server(clock, store) as (server, _),
        an_owner(server.port) as ann,
    ):
        profile = (await ann.profile(m.Rename("Ann"))).id
        together = await raced(server.port, store, 2, profile)
        alone = await raced(server.port, store, 1, profile)
        before = clock.wall_ms()
        asked = await ann.profile(m.Forget())
        assert asked.forget_at_ms is not None
        assert before <= asked.forget_at_ms - FORGET_MS <= clock.wall_ms()
        assert await ann.profile(m.Forget()) == asked, "asking again delays nothing"
        ticket = await ann.ticket()
    clock.shift_ms = FORGET_MS - 10 * MINUTE_MS
    async with profile_server(clock, store) as (server, _):
        await eventually(lambda: not server.registry.profiles.sweeping)
        async with owning(server.port, "laptop") as ann:
            assert ann.first is not None
            assert ann.first.forget_at_ms == asked.forget_at_ms
        both = ["Player 1", "Player 2"]
        assert await names_in(store, together) == (both, both)
    clock.shift_ms = FORGET_MS + MINUTE_MS
    async with profile_server(clock, store) as (server, _):
        await eventually(lambda: not server.registry.profiles.sweeping)
        without = ["Player 2", "deleted"]
        assert await names_in(store, together) == (without, without)
        assert await store.results.record(alone) is None
        assert await store.standings.profile(profile) is None
        async with owning(server.port, "laptop") as ann:
            assert ann.first is None
            assert await ann.refused(m.Claim(ticket)) == "bad_ticket"
            assert (await ann.profile(m.Keep("Ann"))).bests == []


async def test_any_device_may_cancel_the_deletion() -> None:
    clock, store = Calendar(), FaultyStore()
    async with (
        profile_server(clock, store) as (server, _),
        an_owner(server.port) as ann,
    ):
        ticket = await ann.ticket()
        async with owning(server.port, "phone") as phone:
            await phone.profile(m.Claim(ticket))
            assert (await phone.profile(m.Forget())).forget_at_ms
            assert (await ann.profile(m.Forget(on=False))).forget_at_ms is None
    clock.shift_ms = 2 * FORGET_MS
    async with profile_server(clock, store) as (server, _):
        await eventually(lambda: not server.registry.profiles.sweeping)
        async with owning(server.port, "phone") as phone:
            assert phone.first is not None


async def test_a_profile_that_is_due_cannot_be_kept_any_more() -> None:
    """Else its names might be gone already, but not the rest."""
    clock = Calendar()
    async with profile_server(clock) as (server, store), an_owner(server.port) as ann:
        await ann.profile(m.Forget())
        store.full = True  # the sweep cannot delete it
        clock.shift_ms = FORGET_MS
        store.full = False
        assert await ann.refused(m.Forget(on=False)) == "profile_unknown"


async def test_a_failed_deletion_is_tried_again() -> None:
    clock, store = Calendar(), FaultyStore()
    async with (
        profile_server(clock, store) as (server, _),
        an_owner(server.port) as ann,
    ):
        profile = await ann.profile(m.Forget())
    clock.shift_ms = 2 * FORGET_MS
    store.full = True
    async with profile_server(clock, store) as (server, _):
        await eventually(lambda: not server.registry.profiles.sweeping)
        store.full = False
        assert await store.standings.profile(profile.id) is not None
        server.registry.profiles.stop()
        server.registry.profiles.start()
        await eventually(lambda: not server.registry.profiles.sweeping)
        assert await store.standings.profile(profile.id) is None


async def test_after_a_restored_backup_the_owner_can_keep_again() -> None:
    """The backup is older than the profile: nobody is locked out."""
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        before = await ann.profile(m.Rename("Ann"))
    async with (
        profile_server() as (restored, _),
        owning(restored.port, "laptop") as ann,
    ):
        assert ann.first is None
        assert (await ann.profile(m.Keep("Ann"))).id == before.id


async def test_a_room_goes_on_while_the_profile_of_a_member_is_deleted() -> None:
    """The member is a guest from then on; earlier records lose the name."""
    clock = Calendar()
    async with profile_server(clock) as (server, store):
        async with an_owner(server.port) as ann:
            await ann.profile(m.Forget())
        async with connected(server.port) as host:
            create = m.Create("Ann", rules("2x2"))
            await host.send(m.Hello(1, create, profile=secret_of("laptop")))
            await host.until(m.Welcome)
            async with connected(server.port, m.Join(host.code, "Ben")) as ben:
                first = await race(host, ben)
                await eventually(lambda: store.real.results.record(first))
                clock.shift_ms = FORGET_MS
                server.registry.profiles.stop()
                server.registry.profiles.start()
                await eventually(lambda: not server.registry.profiles.sweeping)
                assert (await names_in(store, first))[0] == ["Ben", "deleted"]
                second = await race(host, ben)
                await eventually(lambda: store.real.results.record(second))
        assert (await names_in(store, second))[0] == ["Ann", "Ben"]
        (latest, _) = await store.results.races()
        assert [row.profile for row in latest.attempts] == [None, None]


async def test_a_deleted_race_does_not_come_back_from_the_log_of_its_room() -> None:
    """A recovery stores races that are missing, unless their owners are gone."""
    clock, store = Calendar(), FaultyStore()
    async with (
        profile_server(clock, store) as (server, _),
        an_owner(server.port) as owner,
        connected(server.port) as ann,
    ):
        create = m.Create("Ann", rules("2x2"))
        await ann.send(m.Hello(1, create, profile=secret_of("laptop")))
        await ann.until(m.Welcome)
        await ann.send(m.Start(ann.race))
        await ann.until(m.BoardEvent)
        await ann.phase("racing")
        await ann.solve()
        alone = (await ann.until(m.Results)).race
        await eventually(lambda: server.registry.idle)
        await owner.profile(m.Forget())
    clock.shift_ms = FORGET_MS
    for _ in range(2):
        async with profile_server(clock, store) as (server, _):
            await eventually(lambda: not server.registry.profiles.sweeping)
            await eventually(lambda: server.registry.idle)
            assert server.view.health()["rooms"] == 1, "its log has the race"
            assert await server.view.record(alone) is None


async def race(*players: ProtocolClient) -> str:
    """Race in the lobby or after results; return the id of the race."""
    for one in players:
        command = m.Rematch(one.race) if one.board else m.Ready(one.race)
        await one.send(command)
    if players[0].board:
        for one in players:
            await one.until(m.RoomEvent)
    for one in players:
        await one.until(m.BoardEvent)
        await one.phase("racing")
        await one.solve()
    (race,) = {(await one.until(m.Results)).race for one in players}
    return race
