"""The daily race on real sockets: one attempt per profile, event and day."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.daily_server import (
    DAY,
    NOON_MS,
    SECRETS,
    WallClock,
    add_profile,
    daily_server,
)
from tests.e2e.protocol_client import ProtocolClient, connected, eventually, solution
from tests.e2e.stores import FaultyStore
from tests.e2e.test_http import ask
from tests.race.sample import toy_check
from websockets.exceptions import ConnectionClosed

from sliderace.engine import Size, format_board, scramble
from sliderace.proof import canonical
from sliderace.proof.verify import verify
from sliderace.protocol import messages as m
from sliderace.race.daily import (
    DAY_MS,
    FIRST_DAY,
    LAST_DAY,
    DailyEvent,
    daily_seed,
    day_start_ms,
    sealed_until_ms,
)
from sliderace.texts import text
from sliderace_client.net.profiles import KeptProfile, keep, server_key
from sliderace_client.net.signature import check_signature
from sliderace_client.race_records import Unreadable, load, race_of
from sliderace_server.app import Server, running
from sliderace_server.settings import ServerSettings

ANN, BEN = "BCDFGHJK", "LMNPQRST"
MIDNIGHT_MS = day_start_ms(DAY + 1)
CAN = ["gains"]


def hello(name: str = "Ann", event: DailyEvent = "3x3") -> m.Hello:
    return m.Hello(v=1, enter=m.Daily(event, name), can=CAN, profile=SECRETS[name])


async def enter(
    client: ProtocolClient, name: str = "Ann", event: DailyEvent = "3x3"
) -> m.Welcome:
    await client.send(hello(name, event))
    return await client.until(m.Welcome)


async def refused(
    client: ProtocolClient, name: str = "Ann", event: DailyEvent = "3x3"
) -> str:
    await client.send(hello(name, event))
    refusal = await client.until(m.Refused)
    assert refusal.of == "hello"
    await client.closed()
    return refusal.code


async def race(client: ProtocolClient) -> m.Results:
    """Wait for the board and solve it; return the results."""
    if not client.board:
        await client.until(m.BoardEvent)
        await client.phase("racing")
    await client.solve()
    return await client.until(m.Results)


def board_of(server: Server, event: DailyEvent, day: int) -> str:
    seed = daily_seed(server.registry.daily.secret(event, day), event, day)
    return format_board(scramble(seed, Size.parse(event)))


async def test_everybody_gets_the_daily_board_once() -> None:
    async with (
        daily_server() as (server, _store),
        connected(server.port) as ann,
        connected(server.port) as ben,
    ):
        assert "daily" in (await enter(ann)).features
        snapshot = await ann.until(m.Snapshot)
        assert (snapshot.room.kind, snapshot.room.day) == ("daily", "2026-11-30")
        results = await race(ann)
        assert results.board == board_of(server, "3x3", DAY)
        gains = await ann.until(m.Gains)
        assert (gains.race, gains.counts, gains.streak) == (results.race, True, 1)
        await enter(ben, "Ben")
        assert (await race(ben)).board == results.board
        for name in ("Ann", "Ben"):
            assert await left_and_refused(server.port, name) == "daily_done"
        # Another event of the day has another board and another try.
        async with connected(server.port) as other:
            await enter(other, "Ann", "4x4")
            assert (await race(other)).board == board_of(server, "4x4", DAY)
            assert (await other.until(m.Gains)).streak == 1
        assert (await server.registry.daily.state(ANN)).events == ["3x3", "4x4"]


async def left_and_refused(port: int, name: str) -> str:
    """Look at the results again, leave them, and try once more."""
    async with connected(port) as client:
        await enter(client, name)
        assert (await client.until(m.Snapshot)).results
        await client.send(m.Leave())
        await client.closed()
    async with connected(port) as again:
        return await refused(again, name)


async def test_guest_is_told_that_it_needs_a_profile() -> None:
    async with daily_server() as (server, _):
        for secret in (None, "0" * 32):
            async with connected(server.port) as guest:
                daily = m.Daily("3x3", "Ann")
                await guest.send(m.Hello(v=1, enter=daily, profile=secret))
                assert await guest.closed() == 4500
                codes = [e.code for e in guest.received if isinstance(e, m.Refused)]
                assert codes == ["profile_unknown"]


async def test_bad_names_and_other_events_use_up_no_attempt() -> None:
    async with daily_server() as (server, store):
        async with connected(server.port) as ann:
            bad = m.Hello(v=1, enter=m.Daily("3x3", "\x07"), profile=SECRETS["Ann"])
            await ann.send(bad)
            assert (await ann.until(m.Refused)).code == "bad_name"
        async with connected(server.port) as ann:
            text = hello().enter
            assert isinstance(text, m.Daily)
            await ann.send(
                '{"t":"hello","v":1,"enter":{"as":"daily","event":"6x6","name":"A"},'
                f'"profile":"{SECRETS["Ann"]}"}}'
            )
            refusal = await ann.until(m.Refused)
            assert (refusal.code, refusal.field) == ("bad_message", "enter.event")
            assert "3x3, 4x4, 5x5" in refusal.text
        assert await store.standings.dailies(ANN, 0) == []


async def test_another_device_continues_the_same_attempt() -> None:
    async with (
        daily_server() as (server, _),
        connected(server.port) as laptop,
        connected(server.port) as phone,
    ):
        await enter(laptop)
        await laptop.until(m.BoardEvent)
        await laptop.phase("racing")
        start = laptop.board
        await laptop.send(laptop.slides([await first_slide(laptop)]))
        await laptop.acked(1)
        welcome = await enter(phone)
        assert (welcome.seq, welcome.race) == (1, laptop.race)
        assert welcome.board != start
        assert await laptop.closed() == 4503
        await phone.solve()
        results = await phone.until(m.Results)
        assert results.board == start
        assert results.standings[0].status == "finished"


async def first_slide(client: ProtocolClient) -> tuple[str, int]:
    return solution(client.board)[0]


async def test_three_devices_at_once_get_one_attempt() -> None:
    """One of them has the seat in the end; the others are told so."""
    async with daily_server() as (server, store), contextlib.AsyncExitStack() as stack:
        devices = [
            await stack.enter_async_context(connected(server.port)) for _ in range(3)
        ]
        ends = await asyncio.gather(*map(end_of, devices))
        assert sorted(ends) == ["4503", "4503", "finished"]
        assert len(await store.standings.dailies(ANN, 0)) == 1
        await eventually(store.results.races)
        assert len(await store.results.races()) == 1


async def end_of(device: ProtocolClient) -> str:
    """Enter and race; return the close code, or how the attempt ended."""
    try:
        await enter(device)
        results = await race(device)
    except ConnectionClosed:
        return str(device.socket.close_code)
    return results.standings[0].status


async def test_attempt_is_given_back_if_the_board_was_never_sent() -> None:
    async with daily_server() as (server, store):
        async with connected(server.port) as ann:
            first = await enter(ann)
            await ann.send(m.Leave())
            await ann.closed()
        await eventually(lambda: no_tries(store))
        async with connected(server.port) as ann:
            again = await enter(ann)
            assert again.code != first.code
            await race(ann)


async def no_tries(store: FaultyStore) -> bool:
    return not await store.standings.dailies(ANN, 0)


async def test_attempt_is_used_up_once_the_board_was_sent() -> None:
    async with daily_server() as (server, store):
        async with connected(server.port) as ann:
            await enter(ann)
            await ann.until(m.BoardEvent)
            await ann.send(m.Leave())
            await ann.closed()
        await eventually(store.results.races)
        async with connected(server.port) as ann:
            assert await refused(ann) == "daily_done"
        assert (await server.registry.daily.state(ANN)).events == ["3x3"]


async def test_claim_without_a_room_does_not_cost_the_attempt() -> None:
    """The server was killed between the claim and the first record of the room."""
    async with daily_server() as (server, store):
        await store.standings.claim_daily(ANN, "3x3", DAY, "ZZZZZZ")
        async with connected(server.port) as ann:
            assert (await enter(ann)).code != "ZZZZZZ"
            await race(ann)


async def test_profile_races_alone_in_one_room_at_a_time() -> None:
    async with (
        daily_server() as (server, store),
        connected(server.port) as ann,
        connected(server.port) as second,
        connected(server.port) as third,
        connected(server.port) as fourth,
    ):
        await enter(ann, "Ann", "3x3")
        assert await refused(second, "Ann", "4x4") == "busy"
        assert len(await store.standings.dailies(ANN, 0)) == 1
        solo = m.Hello(v=1, enter=m.Solo("Ann"), profile=SECRETS["Ann"])
        await third.send(solo)
        assert (await third.until(m.Refused)).code == "busy"
        await race(ann)
        await enter(fourth, "Ann", "4x4")


async def test_nobody_else_enters_or_watches() -> None:
    async with (
        daily_server() as (server, _),
        connected(server.port) as ann,
    ):
        code = (await enter(ann)).code
        await ann.until(m.BoardEvent)
        for role in ("player", "spectator"):
            async with connected(server.port) as ben:
                join = m.Join(code, "Ben", role)
                await ben.send(m.Hello(v=1, enter=join, profile=SECRETS["Ben"]))
                assert (await ben.until(m.Refused)).code == "room_locked"
        assert code not in (await ask(server.port, "/api/rooms")).body.decode()


# --- Midnight, restarts and clocks ----------------------------------------------------


async def test_new_day_has_a_new_board_and_a_new_attempt() -> None:
    clock = WallClock()
    async with (
        daily_server(clock) as (server, _),
        connected(server.port) as ann,
        connected(server.port) as again,
    ):
        await enter(ann)
        first = await race(ann)
        clock.set(MIDNIGHT_MS + 1_000)
        await enter(again)
        second = await race(again)
        assert second.board == board_of(server, "3x3", DAY + 1) != first.board
        assert (await again.until(m.Gains)).streak == 2


async def test_race_across_midnight_belongs_to_the_day_of_its_board() -> None:
    clock = WallClock()
    async with (
        daily_server(clock) as (server, store),
        connected(server.port) as ann,
        connected(server.port) as ben,
    ):
        clock.set(MIDNIGHT_MS - 4_000)
        await enter(ann)
        await ann.until(m.BoardEvent)
        await ann.phase("racing")
        clock.set(MIDNIGHT_MS + 60_000)
        results = await race(ann)
        assert results.board == board_of(server, "3x3", DAY)
        await eventually(lambda: store.results.summary(results.race))
        summary = await store.results.summary(results.race)
        assert summary is not None
        assert (summary.day, summary.kind) == (DAY, "daily")
        await enter(ben, "Ben")
        assert (await race(ben)).board == board_of(server, "3x3", DAY + 1)


async def test_record_stays_sealed_while_anybody_races_on_its_board() -> None:
    """A failure of the server, or a clock that is set, may prolong a race."""
    clock = WallClock()
    async with (
        daily_server(clock) as (server, store),
        connected(server.port) as ann,
        connected(server.port) as ben,
    ):
        await enter(ann)
        results = await race(ann)
        await eventually(lambda: store.results.record(results.race))
        await enter(ben, "Ben")
        await ben.until(m.BoardEvent)
        await ben.phase("racing")
        clock.set(sealed_until_ms(DAY, "3x3") + 1)
        found = await ask(server.port, results.record)
        assert (found.status, found.json()["error"]) == (403, "sealed")
        daily = (await ask(server.port, "/api/daily")).json()
        assert daily["events"]["3x3"]["date"] == "2026-11-29"
        await race(ben)
        assert (await ask(server.port, results.record)).status == 200
        daily = (await ask(server.port, "/api/daily")).json()
        assert daily["events"]["3x3"]["date"] == "2026-11-30"


async def test_clock_a_day_ahead_and_back_brings_no_day_again() -> None:
    clock = WallClock()
    async with daily_server(clock) as (server, _), contextlib.AsyncExitStack() as stack:

        async def board() -> str:
            client = await stack.enter_async_context(connected(server.port))
            await enter(client)
            return (await race(client)).board

        assert await board() == board_of(server, "3x3", DAY)
        clock.set(NOON_MS + DAY_MS)
        assert await board() == board_of(server, "3x3", DAY + 1)
        clock.set(NOON_MS)
        # It is still the day after, whose try is used up.
        client = await stack.enter_async_context(connected(server.port))
        await enter(client)
        results = (await client.until(m.Snapshot)).results
        assert results
        assert results.board == board_of(server, "3x3", DAY + 1)


@contextlib.asynccontextmanager
async def restartable(
    folder: Path, store: FaultyStore, clock: WallClock
) -> AsyncGenerator[Server]:
    """Run a server whose key survives its restart."""
    settings = ServerSettings(port=0, data=str(folder))
    async with running(settings, store=store, clock=clock) as server:
        yield server


@pytest.fixture
async def store() -> FaultyStore:
    one = FaultyStore()
    await one.real.__aenter__()
    await add_profile(one, "Ann", ANN)
    await add_profile(one, "Ben", BEN)
    return one


async def test_restart_just_before_midnight_continues_the_attempt(
    store: FaultyStore, tmp_path: Path
) -> None:
    clock = WallClock(MIDNIGHT_MS - 60_000)
    async with (
        restartable(tmp_path, store, clock) as server,
        connected(server.port) as ann,
    ):
        await enter(ann)
        await ann.until(m.BoardEvent)
        await ann.phase("racing")
        start, seat = ann.board, m.Resume(ann.code, ann.token)
        clock.set(MIDNIGHT_MS - 1_000)
    clock.set(MIDNIGHT_MS + 500)
    async with (
        restartable(tmp_path, store, clock) as server,
        connected(server.port, seat) as ann,
        connected(server.port) as ben,
    ):
        assert ann.board == start
        await ann.solve()
        results = await ann.until(m.Results)
        assert results.board == start == board_of(server, "3x3", DAY)
        await enter(ben, "Ben")
        assert (await race(ben)).board == board_of(server, "3x3", DAY + 1)


async def test_restart_in_the_race_does_not_give_a_second_attempt(
    store: FaultyStore, tmp_path: Path
) -> None:
    clock = WallClock()
    async with (
        restartable(tmp_path, store, clock) as server,
        connected(server.port) as ann,
    ):
        await enter(ann)
        await ann.until(m.BoardEvent)
        await ann.phase("racing")
        start, code = ann.board, ann.code
    async with (
        restartable(tmp_path, store, clock) as server,
        connected(server.port) as ann,
    ):
        # Even without the token of the seat: from another device, for example.
        welcome = await enter(ann)
        assert (welcome.code, welcome.board) == (code, start)
        await ann.solve()
        await ann.until(m.Results)
        await ann.send(m.Leave())
        await ann.closed()
        async with connected(server.port) as again:
            assert await refused(again) == "daily_done"


# --- The record -----------------------------------------------------------------------


async def test_record_of_a_daily_race_leads_to_the_anchor() -> None:
    clock = WallClock()
    async with (
        daily_server(clock) as (server, store),
        connected(server.port) as ann,
    ):
        anchor = server.registry.daily.anchor("3x3")
        assert (await ask(server.port, "/api/daily")).json()["events"]["3x3"][
            "anchor"
        ] == anchor
        await enter(ann)
        results = await race(ann)
        await eventually(lambda: store.results.record(results.race))
        secret = {"Authorization": f"Bearer {SECRETS['Ann']}"}
        file = canonical.decode((await ask(server.port, results.record, **secret)).body)
        checks = verify(file, check_signature, anchor=anchor)
        assert {check.verdict for check in checks} == {"ok"}
        assert {check.name for check in checks} >= {"signature", "seed", "anchor"}
        wrong = verify(file, toy_check, anchor="0" * 64)
        assert [c.name for c in wrong if c.verdict == "wrong"] == [
            "signature",
            "anchor",
        ]


# --- Secrets --------------------------------------------------------------------------


async def test_daily_board_reaches_nobody_but_its_racers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Every way on which a record or a board could leave the server is tried."""
    caplog.set_level("DEBUG", "sliderace_server")
    clock = WallClock()
    async with (
        daily_server(clock) as (server, store),
        connected(server.port) as ann,
        contextlib.AsyncExitStack() as stack,
    ):
        watcher = await stack.enter_async_context(connected(server.port))
        await watcher.send(m.Hello(v=1, enter=m.Lobby(), can=["rooms"]))
        await watcher.until(m.Rooms)
        code = (await enter(ann)).code
        await ann.until(m.BoardEvent)
        await ann.phase("racing")
        seen = [await everything(server, code, "", stack)]
        results = await race(ann)
        await eventually(lambda: store.results.record(results.race))
        for _ in range(2):  # with the room, and once it is closed
            seen.append(await everything(server, code, results.race, stack))
            if not ann.socket.close_code:
                await ann.send(m.Leave())
                await ann.closed()
        await watcher.sync()
        seen += [str(frame) for frame in watcher.frames]
        assert code not in seen[-1]
        secret = server.registry.daily.secret("3x3", DAY).hex()
        secrets = {secret, results.seed, results.board}
        record = await store.results.record(results.race)
        assert record is not None
        assert all(one in record.decode() for one in secrets)
        told = "\n".join(seen)
        ours = [one for one in caplog.records if one.name.startswith("sliderace")]
        logged = "\n".join(str(vars(one)) for one in ours)
        for one in secrets:
            assert one not in told
            assert one not in logged


async def everything(
    server: Server, code: str, race_id: str, stack: contextlib.AsyncExitStack
) -> str:
    """Ask for all that others may see; return all answers."""
    port, answers = server.port, list[str]()
    paths = [
        "/healthz",
        "/metrics",
        "/api/rooms",
        f"/api/rooms/{code}",
        f"/api/rooms/{code}/series",
        f"/api/rooms/{code}/series.csv",
        "/api/races",
        f"/api/races?room={code}",
        f"/api/races/{race_id or f'{code}-0-1'}",
        f"/replay/{race_id}",
        "/api/boards?event=3x3",
        "/api/boards?event=3x3&daily=1",
        "/api/daily",
        f"/api/profiles/{ANN}",
        f"/api/profiles/{ANN}/export",
    ]
    owners = (None, SECRETS["Ben"], server.operator_token)
    for path in paths:
        for owner in owners:
            headers = {"Authorization": f"Bearer {owner}"} if owner else {}
            reply = await ask(port, path, **headers)
            answers.append(f"{reply.headers}{reply.body.decode('latin-1')}")
            if race_id and path.endswith(race_id) and "/api/" in path:
                assert reply.status == 403
    entries: list[m.Join | m.Resume | m.Redeem | m.Me] = [
        m.Join(code, "Ben"),
        m.Join(code, "Ben", "spectator"),
        m.Resume(code, "0" * 32),
        m.Redeem(code, "0" * 32),
        m.Me(),
    ]
    for entry in entries:
        client = await stack.enter_async_context(connected(port))
        await client.send(m.Hello(v=1, enter=entry, can=CAN, profile=SECRETS["Ben"]))
        if isinstance(entry, m.Me):
            await client.until(m.MeEvent)
            await client.send(m.History("3x3"))
            assert (await client.until(m.HistoryEvent)).rows == []
        else:
            await client.closed()
        answers += [str(frame) for frame in client.frames]
    return "\n".join(answers)


async def test_unreadable_storage_costs_no_attempt() -> None:
    async with daily_server() as (server, store):
        await store.real.__aexit__()
        async with connected(server.port) as ann:
            assert await refused(ann) == "storage_unavailable"
            assert ann.socket.close_code == 1013
        await store.real.__aenter__()
        assert await no_tries(store)
        async with connected(server.port) as ann:
            await enter(ann)


async def test_after_the_last_board_there_is_none() -> None:
    for wall_ms in (day_start_ms(LAST_DAY + 1), day_start_ms(FIRST_DAY) - 60_000):
        async with daily_server(WallClock(wall_ms)) as (server, store):
            async with connected(server.port) as ann:
                assert await refused(ann) == "unavailable"
            assert await no_tries(store)
            assert (await ask(server.port, "/api/daily")).status == 200


async def test_terminal_says_that_the_record_of_somebody_else_is_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator's token opens nothing; the secret of the profile does."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    async with (
        daily_server() as (server, store),
        connected(server.port) as ann,
    ):
        await enter(ann)
        results = await race(ann)
        await eventually(lambda: store.results.record(results.race))
        url = f"http://127.0.0.1:{server.port}"
        found = await asyncio.to_thread(loaded, results.race, url)
        assert found == text("race_record.sealed", race=results.race)
        key = await asyncio.to_thread(server_key, url)
        await asyncio.to_thread(keep, key, KeptProfile(SECRETS["Ann"], ANN, "Ann"))
        assert await asyncio.to_thread(loaded, results.race, url) == results.race


def loaded(race_id: str, server: str) -> str:
    """Return the id in a race record that the terminal loads, or why it cannot."""
    try:
        return race_of(load(race_id, server)).race
    except Unreadable as fault:
        return str(fault)
