"""Whoever enters with the secret of a profile races for it; guests can keep a time."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from tests.e2e.protocol_client import (
    Entry,
    ProtocolClient,
    connected,
    eventually,
    rules,
    running_server,
)
from tests.e2e.stores import FaultyStore

from sliderace.protocol import messages as m
from sliderace_server.app import Server
from sliderace_server.limits import Limits
from sliderace_server.logging import LogFormat
from sliderace_server.registry.seat_tickets import hashed
from sliderace_server.storage import (
    AttemptGains,
    ProfileRow,
    Standings,
    StorageUnavailable,
)

SECRET, OTHER = "5e" * 16, "07" * 16
ANN = "ANNSPRFL"


class HeldStandings:
    """Standings that wait or fail on request."""

    def __init__(self, store: FaultyStore) -> None:
        self.real = store.real.standings
        self.go = asyncio.Event()
        self.go.set()
        self.failures = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    async def identify(self, key_hash: str, now_ms: int) -> Any:
        await self.go.wait()
        self._fail()
        return await self.real.identify(key_hash, now_ms)

    async def credit(self, race: str, seat: int, profile: str) -> AttemptGains | None:
        self._fail()
        return await self.real.credit(race, seat, profile)

    def _fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise StorageUnavailable("busy")


@contextlib.asynccontextmanager
async def server_with_ann(
    limits: Limits | None = None,
) -> AsyncGenerator[tuple[Server, HeldStandings, FaultyStore]]:
    """Run a server that knows a profile."""
    store = FaultyStore()
    held = HeldStandings(store)
    store.standings = cast("Standings", held)
    async with running_server(limits, store=store) as server:
        row = ProfileRow(ANN, "Ann", 0)
        assert await held.real.create_profile(row, hashed(SECRET), "laptop")
        yield server, held, store


def hello(enter: Entry, secret: str = SECRET) -> m.Hello:
    return m.Hello(v=1, enter=enter, can=["gains"], profile=secret)


async def welcomed(client: ProtocolClient, say: m.Hello) -> m.Welcome:
    await client.send(say)
    return await client.until(m.Welcome)


def codes(client: ProtocolClient) -> list[str]:
    return [one.code for one in client.received if isinstance(one, m.Refused)]


async def solo_race(client: ProtocolClient) -> m.Results:
    """Race alone, as the host."""
    await client.send(m.Start(client.race))
    await client.until(m.BoardEvent)
    await client.phase("racing")
    await client.solve()
    return await client.until(m.Results)


# --- entering -------------------------------------------------------------------------


@pytest.mark.parametrize("enter", [m.Create("Ann"), m.Quick("3x3", "Ann")])
async def test_welcome_names_the_profile_of_a_secret(enter: Entry) -> None:
    async with server_with_ann() as (server, _, _), connected(server.port) as ann:
        welcome = await welcomed(ann, hello(enter))
        assert welcome.profile == ANN
        assert codes(ann) == []


async def test_whoever_has_an_unknown_secret_is_a_guest_and_is_told() -> None:
    async with server_with_ann() as (server, _, _), connected(server.port) as ann:
        welcome = await welcomed(ann, hello(m.Create("Ann"), OTHER))
        assert welcome.profile is None
        [refused] = [one for one in ann.received if isinstance(one, m.Refused)]
        assert (refused.of, refused.code, refused.field) == (
            "hello", "profile_unknown", "profile",
        )  # fmt: skip
        await ann.sync()
        async with connected(server.port, m.Join(ann.code, "Ben")) as ben:
            [welcome] = [one for one in ben.received if isinstance(one, m.Welcome)]
            assert welcome.profile is None
            assert codes(ben) == []


async def test_a_secret_of_31_digits_is_refused() -> None:
    async with running_server() as server, connected(server.port) as ann:
        await ann.send(
            '{"t":"hello","v":1,"enter":{"as":"create","name":"A"},"profile":"'
            + "5" * 31 + '"}'
        )  # fmt: skip
        refused = await ann.until(m.Refused)
        assert (refused.code, refused.field) == ("bad_message", "profile")
        assert await ann.closed() == 4500


async def test_the_profile_knows_how_fast_its_owner_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Tally:
        def __init__(self, event: str, pace_ms: int) -> None:
            self.event, self.pace_ms = event, pace_ms

    async def tallies(_: str) -> list[Tally]:
        return [Tally("4x4", 40_000), Tally("3x3", 7_000)]

    async with (
        server_with_ann() as (server, held, _),
        connected(server.port) as ann,
    ):
        monkeypatch.setattr(held.real, "tallies", tallies)
        await ann.send(hello(m.Quick("3x3", "Ann", 60_000)))
        snapshot = await ann.until(m.Snapshot)
        paces = [one.pace_ms for one in snapshot.members if one.bot]
        assert paces == [6_650, 7_700, 9_450]


# --- while the profile is looked up ---------------------------------------------------


async def test_messages_wait_until_the_profile_is_known() -> None:
    async with server_with_ann() as (server, held, _), connected(server.port) as ann:
        held.go.clear()
        await ann.send(hello(m.Create("Ann")))
        await ann.send(m.Ping(5))
        await ann.send(hello(m.Create("Again")))
        await ann.send(m.Slides("X", 0, 1, [("U", 1, 0)]))
        await ann.send(m.Ping(6))
        await eventually(lambda: server.metrics.counts["commands"]["ping"] == 2)
        held.go.set()
        assert (await ann.until(m.Pong)).id == 5
        assert (await ann.until(m.Pong)).id == 6
        await ann.until(m.Welcome)
        assert codes(ann)[0] == "bad_message", "a second hello"


async def test_too_many_messages_do_not_wait() -> None:
    async with (
        server_with_ann(Limits(messages_burst=3)) as (server, held, _),
        connected(server.port) as ann,
    ):
        held.go.clear()
        await ann.send(hello(m.Create("Ann")))
        for number in range(5):
            await ann.send(m.Ping(number))
        assert (await ann.until(m.Refused)).code == "rate"
        assert await ann.closed() == 4429
        held.go.set()
        await asyncio.sleep(0)
        assert server.view.health()["rooms"] == 0


async def test_a_connection_that_ends_meanwhile_enters_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with server_with_ann() as (server, held, _):
        async with connected(server.port) as ann:
            held.go.clear()
            await ann.send(hello(m.Create("Ann")))
            await eventually(lambda: server.metrics.counts["commands"]["hello"])
        await eventually(lambda: "disconnected" in caplog.messages)
        held.go.set()
        async with connected(server.port, m.Create("Ben")):
            assert server.view.health()["rooms"] == 1


async def test_a_member_enters_as_a_guest_while_profiles_cannot_be_read() -> None:
    async with server_with_ann() as (server, held, _), connected(server.port) as ann:
        held.failures = 1
        welcome = await welcomed(ann, hello(m.Create("Ann")))
        assert welcome.profile is None
        [refused] = [one for one in ann.received if isinstance(one, m.Refused)]
        assert (refused.code, refused.field) == ("storage_unavailable", "profile")
        assert refused.retry_ms > 0


async def test_a_bug_in_the_look_up_closes_the_connection(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server_with_ann() as (server, held, _), connected(server.port) as ann:

        async def identify(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(held, "identify", identify)
        await ann.send(hello(m.Create("Ann")))
        assert await ann.closed() == 1011
        assert "a task failed" in caplog.messages
        async with connected(server.port, m.Create("Ben")) as ben:
            await ben.sync()


# --- what an attempt changes ----------------------------------------------------------


async def test_a_racer_is_told_what_an_attempt_has_changed() -> None:
    async with server_with_ann() as (server, _, _), connected(server.port) as ann:
        create = m.Create("Ann", rules(), public=True)
        await welcomed(ann, hello(create))
        results = await solo_race(ann)
        gains = await ann.until(m.Gains)
        assert gains.race == results.race
        assert gains.counts
        assert [one.kind for one in gains.bests] == ["single"]
        assert gains.bests[0].value_ms == results.standings[0].time_ms
        assert (gains.place, gains.of) == (1, 1)


async def test_no_attempt_counts_while_an_earlier_one_goes_on_elsewhere() -> None:
    """Or bad ones could be left unfinished, and averages contain only good ones."""
    async with (
        server_with_ann() as (server, _, _),
        connected(server.port) as held,
        connected(server.port) as good,
    ):
        await welcomed(held, hello(m.Create("Ann", rules(limit_ms=0), public=True)))
        await held.send(m.Start(held.race))
        await held.phase("racing")
        await welcomed(good, hello(m.Create("Ann", rules(), public=True)))
        await solo_race(good)
        assert not (await good.until(m.Gains)).counts
        await held.send(m.Leave())
        await held.closed()
        before = good.race
        await good.send(m.Rematch(before))
        await good.until(m.RoomEvent, lambda one: one.room.race != before)
        await solo_race(good)
        gains = await good.until(m.Gains)
        assert gains.counts
        assert [one.value_ms for one in gains.bests]


async def test_a_client_that_does_not_know_gains_gets_none() -> None:
    async with server_with_ann() as (server, _, _), connected(server.port) as ann:
        await welcomed(ann, m.Hello(v=1, enter=m.Create("A", rules()), profile=SECRET))
        await solo_race(ann)
        await eventually(lambda: server.registry.idle)
        await ann.sync()
        assert not any(isinstance(one, m.Gains) for one in ann.received)


async def test_a_guest_can_keep_the_time_just_made() -> None:
    """With a new profile they resume their seat; the attempt then counts for it."""
    async with (
        server_with_ann() as (server, _, store),
        connected(server.port) as ann,
    ):
        await ann.send(m.Hello(v=1, enter=m.Create("Ann", rules())))
        await ann.until(m.Welcome)
        results = await solo_race(ann)
        await eventually(lambda: server.registry.idle)
        async with connected(server.port) as again:
            await again.send(hello(m.Resume(ann.code, ann.token)))
            gains = await again.until(m.Gains)
            assert gains.race == results.race
            tallies = await store.real.standings.tallies(ANN)
            assert [(one.event, one.attempts) for one in tallies] == [("2x2", 1)]


async def test_a_time_is_kept_even_if_it_is_stored_later() -> None:
    async with (
        server_with_ann() as (server, _, store),
        connected(server.port) as ann,
    ):
        store.results_unblocked.clear()
        await ann.send(m.Hello(v=1, enter=m.Create("Ann", rules())))
        await ann.until(m.Welcome)
        await solo_race(ann)
        async with connected(server.port) as again:
            await welcomed(again, hello(m.Resume(ann.code, ann.token)))
            store.results_unblocked.set()
            await again.until(m.Gains)


async def test_a_time_is_kept_even_if_the_server_is_killed_before() -> None:
    """The log says for which profile the attempt counts."""
    async with (
        server_with_ann() as (server, held, store),
        connected(server.port) as ann,
    ):
        await ann.send(m.Hello(v=1, enter=m.Create("Ann", rules())))
        await ann.until(m.Welcome)
        await solo_race(ann)
        await eventually(lambda: server.registry.idle)
        async with connected(server.port) as again:
            await welcomed(again, hello(m.Resume(ann.code, ann.token)))
            held.failures = 1 << 30
            await eventually(lambda: server.registry.idle)
    held.failures = 2
    async with running_server(store=store):
        tallies: list[Any] = []

        async def credited() -> bool:
            tallies[:] = await store.real.standings.tallies(ANN)
            return bool(tallies)

        await eventually(credited)
        assert tallies[0].attempts == 1


# --- secrets --------------------------------------------------------------------------


async def test_the_secret_of_a_profile_is_in_no_log_and_no_event(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with server_with_ann() as (server, _, store):
        rooms: list[str] = []
        for secret in (SECRET, OTHER):
            async with connected(server.port) as ann:
                rooms.append((await welcomed(ann, hello(m.Create("A"), secret))).code)
                await ann.sync()
                said = "".join(map(str, ann.frames))
                assert secret not in said
                assert hashed(secret) not in said
        records = [await store.real.log.read(code) for code in rooms]
    lines = [LogFormat().format(record) for record in caplog.records]
    for text in (*lines, *map(str, records)):
        for secret in (SECRET, OTHER):
            assert secret not in text
            assert hashed(secret) not in text
