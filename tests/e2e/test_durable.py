"""Only durable events are sent: acks, stream, welcomes, recoveries."""

import asyncio
import contextlib

import pytest
from tests.e2e.protocol_client import (
    QUICK,
    ProtocolClient,
    connected,
    eventually,
    offset_of,
    running_race,
    running_server,
    solution,
)
from tests.e2e.stores import FaultyStore

from sliderace.protocol import messages as m
from sliderace.race.log_records import Slid
from sliderace_server.registry.codes_in_use import draw
from sliderace_server.room.log_records import Alive
from sliderace_server.storage.record_codec import decode, encode


async def no_rooms(store: FaultyStore) -> bool:
    return not await store.log.rooms()


def received(client: ProtocolClient, *kinds: type) -> list[m.Event]:
    return [event for event in client.received if isinstance(event, kinds)]


async def test_an_ack_waits_for_the_disk_and_progress_does_not() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 2, "3x3") as (ann, ben),
    ):
        await ben.sync()
        store.unblocked.clear()
        first, *rest = solution(ann.board)
        await ann.send(ann.slides([first]))
        await ben.until(m.Progress, lambda e: any(s.seat == ann.seat for s in e.p))
        await store.waiting.wait()
        ann.received.clear()
        await ann.send(ann.slides(rest))
        await ann.sync()
        assert not received(ann, m.Ack, m.StandingEvent)
        assert not received(ben, m.StandingEvent)
        store.unblocked.set()
        await ann.acked(ann.seq)
        await ben.until(m.StandingEvent)


async def test_records_collect_while_an_append_is_in_progress() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 2, "3x3") as (ann, _),
    ):
        store.unblocked.clear()
        moves = solution(ann.board)[:9]
        await ann.send(ann.slides(moves[:1]))
        await store.waiting.wait()
        for move in moves[1:]:
            await ann.send(ann.slides([move]))
        await ann.sync()
        before = len(store.appends)
        store.unblocked.set()
        await ann.acked(ann.seq)
        sizes = [size for _, _, size in store.appends[before:]]
        assert sizes == [1, 8]


async def test_events_are_sent_in_order_after_their_commit() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
    ):
        await ann.until(m.Snapshot)
        store.unblocked.clear()
        await ann.send(m.Lock())
        await ann.send(m.Lock(on=False))
        await ann.sync()
        assert not received(ann, m.RoomEvent)
        store.unblocked.set()
        first = await ann.until(m.RoomEvent)
        second = await ann.until(m.RoomEvent)
        assert (first.room.locked, second.room.locked) == (True, False)
        assert second.o == first.o + 1


async def test_a_welcome_waits_until_the_seat_is_durable() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        connected(server.port) as ben,
    ):
        store.unblocked.clear()
        await ben.send(m.Hello(v=1, enter=m.Join(code=ann.code, name="Ben")))
        await store.waiting.wait()
        await ben.send(m.Ping(id=1))
        assert isinstance(await ben.receive(), m.Pong)
        assert not ben.received[:-1]
        store.unblocked.set()
        welcome = await ben.until(m.Welcome)
        assert welcome.token
        snapshot = await ben.until(m.Snapshot)
        assert [one.name for one in snapshot.members] == ["Ann", "Ben"]


async def test_a_resume_contains_only_durable_slides() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 1, "3x3") as (ann,),
        connected(server.port) as again,
    ):
        await ann.sync()
        store.unblocked.clear()
        await ann.send(ann.slides(solution(ann.board)[:3]))
        await store.waiting.wait()
        resume = m.Resume(code=ann.code, token=ann.token)
        await again.send(m.Hello(v=1, enter=resume))
        assert await ann.closed() == 4503
        await again.send(m.Ping(id=1))
        assert isinstance(await again.receive(), m.Pong)
        store.unblocked.set()
        assert (await again.until(m.Welcome)).seq == 3


async def test_a_full_disk_stops_acks_but_not_the_race() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 2) as (ann, ben),
    ):
        await ben.sync()
        store.full = True
        await ann.solve()
        done = await ben.until(m.Progress, lambda e: e.p[0].high == 1000)
        assert done.p[0].seat == ann.seat
        assert server.view.health()["status"] == "degraded"
        async with connected(server.port) as late:
            await late.send(m.Hello(v=1, enter=m.Create(name="Late")))
            event = await late.until(m.Refused)
            assert (event.code, await late.closed()) == ("storage_unavailable", 1013)
        for enter in (m.Join(ann.code, "Late"), m.Redeem(ann.code, "0" * 32)):
            async with connected(server.port) as late:
                await late.send(m.Hello(v=1, enter=enter))
                event = await late.until(m.Refused)
                assert event.retry_ms > 0
                refused = (event.code, await late.closed())
                assert refused == ("storage_unavailable", 1013)
        assert not received(ann, m.StandingEvent)
        store.full = False
        await ann.acked(ann.seq)
        await ben.solve()
        await ben.until(m.Results)
        assert server.view.health()["status"] == "ok"


async def test_a_newcomer_who_cannot_be_stored_is_refused_at_once() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        store.full = True
        async with connected(server.port) as ben:
            await ben.send(m.Hello(v=1, enter=m.Join(ann.code, "Ben")))
            event = await ben.until(m.Refused)
            assert (event.code, await ben.closed()) == ("storage_unavailable", 1013)
        store.full = False
        await ann.until(m.Gone)
        async with connected(server.port, m.Join(ann.code, "Ben")):
            joined = await ann.until(m.MemberEvent)
            assert joined.member.name == "Ben"


async def test_a_room_that_cannot_be_stored_is_refused() -> None:
    store = FaultyStore()
    async with running_server(store=store) as server, connected(server.port) as ann:
        store.full = True
        await ann.send(m.Hello(v=1, enter=m.Create(name="Ann")))
        event = await ann.until(m.Refused)
        assert (event.code, await ann.closed()) == ("storage_unavailable", 1013)
        assert server.view.health()["rooms"] == 0


async def test_a_start_whose_lock_is_not_durable_is_postponed() -> None:
    store, slow = FaultyStore(), m.RulesPatch(size="2x2", countdown_ms=10_000)
    async with (
        running_server(store=store) as server,
        connected(server.port, m.Create(name="Ann", rules=slow)) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        for one in (ann, ben):
            await one.send(m.Ready(race=one.race))
        await ann.phase("countdown")
        store.unblocked.clear()
        await store.waiting.wait()
        await eventually(lambda: server.metrics.counts["postponed"][""])
        await ann.sync()
        assert not received(ann, m.BoardEvent)
        store.unblocked.set()
        postponed = await ann.until(m.PhaseEvent, lambda e: e.why == "postponed")
        assert postponed.in_ms is not None
        await ann.until(m.BoardEvent)
        await ben.until(m.BoardEvent)
        assert ann.board == ben.board


async def test_a_server_that_lost_the_log_gives_up_the_room() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 2) as (ann, ben),
    ):
        store.conflicting.add(ann.code)
        await ann.send(ann.slides(solution(ann.board)[:1]))
        assert await ann.closed() == 1012
        assert await ben.closed() == 1012
        assert not received(ann, m.Ack)
        assert server.metrics.counts["steps_down"][""] == 1


async def test_another_server_on_the_same_log_continues_the_race() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as first,
        running_race(first.port, 2, "3x3") as (ann, ben),
    ):
        moves = solution(ann.board)
        await ann.send(ann.slides(moves[:5]))
        await ann.acked(5)
    async with running_server(store=store) as second:
        enter = m.Resume(
            code=ann.code, token=ann.token, epoch=ann.epoch, offset=ann.offset
        )
        async with connected(second.port, enter) as again:
            assert (again.seat, again.seq, again.race) == (ann.seat, 5, ann.race)
            assert again.epoch > ann.epoch
            snapshot = await again.until(m.Snapshot)
            assert snapshot.phase == "racing"
            assert snapshot.race.start == ann.board
            await again.send(again.slides(moves[5:]))
            await again.acked(len(moves))
            told_ = await again.until(m.StandingEvent, lambda e: e.standing.place == 1)
            assert told_.standing.status == "finished"
            other = m.Resume(code=ben.code, token=ben.token)
            async with connected(second.port, other) as back:
                await back.solve()
                results = await back.until(m.Results)
                assert [row.status for row in results.standings] == ["finished"] * 2


async def test_a_room_whose_log_grows_during_recovery_is_given_up() -> None:
    """Nothing is appended to records that this server has not read."""
    store = FaultyStore()
    async with (
        running_server(store=store) as first,
        connected(first.port, m.Create(name="Ann")) as ann,
    ):
        await ann.sync()
    store.late_record = encode(Alive(1))
    async with running_server(store=store) as second:
        await eventually(lambda: second.metrics.counts["steps_down"][""] == 1)
        assert (await store.log.read(ann.code))[-1] == encode(Alive(1))


async def test_at_shutdown_connections_are_closed_and_members_can_come_back() -> None:
    async with contextlib.AsyncExitStack() as stack:
        async with running_server() as server:
            ann = await stack.enter_async_context(
                connected(server.port, m.Create(name="Ann"))
            )
            await ann.sync()
        assert await ann.closed() == 1012
        assert isinstance(ann.received[-1], m.Refused)
        assert ann.received[-1].code == "shutting_down"


async def test_results_not_stored_before_a_restart_are_stored_after_it() -> None:
    store = FaultyStore()
    store.results_unblocked.clear()
    async with (
        running_server(store=store) as first,
        running_race(first.port, 1) as (ann,),
    ):
        await ann.solve()
        await ann.until(m.Results)
    assert await store.results.record(ann.race) is None
    store.results_unblocked.set()
    async with running_server(store=store) as second:
        await eventually(lambda: store.results.record(ann.race))
        assert second.view.health()["rooms"] == 1


async def test_an_abandoned_room_is_dropped_once_its_results_are_stored() -> None:
    store = FaultyStore()
    async with running_server(store=store, lobby_ttl=600.0) as server:
        async with connected(server.port, m.Create(name="Ann")) as ann:
            await ann.until(m.Snapshot)
            assert await store.log.rooms() == [ann.code]
            await ann.send(m.Close())
            assert await ann.closed() == 4502
            assert [type(e) for e in ann.received][-1] is m.Closed
        await eventually(lambda: no_rooms(store))
        async with connected(server.port) as late:
            enter = m.Resume(code=ann.code, token=ann.token)
            await late.send(m.Hello(v=1, enter=enter))
            assert (await late.until(m.Refused)).code == "room_unknown"


async def test_a_code_is_not_reused_after_a_restart() -> None:
    store, codes = FaultyStore(), set[str]()
    for left_open in (False, True, False):
        async with (
            running_server(
                store=store, entropy=bytes
            ) as server,  # the same random codes each time
            connected(server.port, m.Create(name="Ann")) as ann,
        ):
            assert ann.code not in codes
            codes.add(ann.code)
            if left_open:  # its log exists
                store.drops_fail = True
            await ann.send(m.Close())
            assert await ann.closed() == 4502
            if not left_open:
                await eventually(lambda: no_rooms(store))
        store.drops_fail = False


async def test_a_code_that_another_process_reserves_is_not_used() -> None:
    code = next(draw(bytes(32)))  # the one that this server would use
    for reserved in (False, True):
        store = FaultyStore()
        async with running_server(store=store, entropy=bytes) as server:
            if reserved:
                clock = server.registry.services.clock
                store.reserved(code, clock.wall_ms() + 1_000_000)
            async with connected(server.port, m.Create(name="Ann")) as ann:
                assert (ann.code != code) == reserved


async def test_a_log_of_another_release_is_not_changed_and_reported() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        await ann.sync()
    async with store:
        log = await store.log.read(ann.code)
        newer = b'[1,"of_another_release",0]'
        await store.log.append(ann.code, len(log), [newer])
    async with running_server(store=store) as server:
        health = server.view.health()
        assert (health["status"], health["rooms"]) == ("degraded", 0)
        assert (await store.log.read(ann.code))[-1] == newer


@pytest.mark.parametrize(
    "misfit",
    [
        b'[1,"gone",5,77,"left"]',
        b'[1,"room_opened",0,"KWXTRB",1700000000,false]',
        b'[1,"slid",9,"X",7,1,[],false]',
        b'[1,"race_ended",9,"X"]',
    ],
)
async def test_a_damaged_room_does_not_affect_the_recovery_of_others(
    misfit: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Create(name="Ben")) as ben,
    ):
        await ann.sync()
        await ben.sync()
    async with store:
        log = await store.log.read(ann.code)
        await store.log.append(ann.code, len(log), [misfit])
    async with running_server(store=store) as server:
        health = server.view.health()
        assert (health["status"], health["rooms"]) == ("degraded", 1)
        resume = m.Resume(code=ben.code, token=ben.token)
        async with connected(server.port, resume) as again:
            assert again.code == ben.code
        async with connected(server.port) as again:  # who keeps her seat
            enter = m.Resume(code=ann.code, token=ann.token)
            await again.send(m.Hello(v=1, enter=enter))
            refused = await again.until(m.Refused)
            assert refused.code == "storage_unavailable"
        assert (await store.log.read(ann.code))[-1] == misfit
    assert "cannot recover: its log is damaged" in caplog.text


@pytest.mark.parametrize("offset", [0, 1])
async def test_after_a_short_absence_a_member_gets_the_missed_events(
    offset: int,
) -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        await ben.until(m.Snapshot)
        ben.socket.transport.abort()
        await ann.until(m.MemberEvent, lambda e: e.why == "disconnected")
        await ann.send(m.Lock())
        await ann.until(m.RoomEvent)
        enter = m.Resume(
            code=ben.code, token=ben.token, epoch=ben.epoch, offset=ben.offset - offset
        )
        async with connected(server.port, enter) as again:
            events = [await again.receive() for _ in range(3 + offset)]
            assert not [e for e in events if isinstance(e, m.Snapshot)]
            offsets = [offset_of(event) for event in events]
            first = ben.offset - offset + 1
            assert offsets == list(range(first, first + len(events)))


@pytest.mark.parametrize(("epoch", "offset"), [(0, 0), (99, 1), (1, 99)])
async def test_after_any_other_absence_a_member_gets_a_snapshot(
    epoch: int, offset: int
) -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        enter = m.Resume(code=ann.code, token=ann.token, epoch=epoch, offset=offset)
        async with connected(server.port, enter) as again:
            assert isinstance(await again.receive(), m.Snapshot)


async def test_a_racer_who_reconnects_gets_no_boards_of_others() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 2, "3x3") as (ann, ben),
    ):
        await ben.send(ben.slides(solution(ben.board)[:4]))
        await ben.acked(4)
        enter = m.Resume(
            code=ann.code, token=ann.token, epoch=ann.epoch, offset=ann.offset
        )
        async with connected(server.port, enter) as again:
            assert again.board == ann.board
            progress = await again.until(m.Progress)
            steps = {step.seat: step for step in progress.p}
            assert (steps[ben.seat].seq, steps[ben.seat].since) == (4, -1)
            assert not received(again, m.Snapshot)


async def test_events_in_a_snapshot_are_not_sent_again() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
        connected(server.port) as again,
    ):
        await ben.sync()
        ben.socket.transport.abort()
        await ann.until(m.MemberEvent, lambda e: e.why == "disconnected")
        store.unblocked.clear()
        resume = m.Resume(code=ben.code, token=ben.token)
        await again.send(m.Hello(v=1, enter=resume))
        await store.waiting.wait()
        for on in (True, False, True):
            await ann.send(m.Lock(on=on))
        await ann.sync()
        store.unblocked.set()
        snapshot = await again.until(m.Snapshot)
        assert not snapshot.room.locked
        events = [await again.until(m.RoomEvent) for _ in range(3)]
        assert [event.room.locked for event in events] == [True, False, True]
        await again.sync()
        later = again.received[again.received.index(snapshot) + 1 :]
        first = snapshot.o + 1
        assert [o for o in map(offset_of, later) if o] == [*range(first, first + 3)]


async def test_results_are_stored_only_once_the_end_is_durable() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 1) as (ann,),
    ):
        await ann.sync()
        store.unblocked.clear()
        await ann.solve()
        await ann.sync()
        assert await store.results.record(ann.race) is None
        store.unblocked.set()
        await ann.until(m.Results)


async def test_a_log_is_kept_until_its_results_are_stored() -> None:
    store = FaultyStore()
    store.results_unblocked.clear()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 1) as (ann,),
    ):
        await ann.solve()
        await ann.until(m.Results)
        await ann.send(m.Close())
        assert await ann.closed() == 4502
        for _ in range(20):
            await asyncio.sleep(0)
        assert await store.log.rooms() == [ann.code]
    store.results_unblocked.set()
    async with running_server(store=store):
        await eventually(lambda: no_rooms(store))
        assert await store.results.record(ann.race)


async def test_the_shutdown_waits_for_the_disk() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 1, "3x3") as (ann,),
    ):
        await ann.sync()
        store.unblocked.clear()
        await ann.send(ann.slides(solution(ann.board)[:4]))
        await store.waiting.wait()
        asyncio.get_running_loop().call_later(0.2, store.unblocked.set)
    records = [decode(line) for line in await _logged(store, ann.code)]
    assert [r.seq for r in records if isinstance(r, Slid)] == [1]


async def _logged(store: FaultyStore, code: str) -> list[bytes]:
    async with store:
        return await store.log.read(code)


async def test_a_countdown_event_sent_late_has_less_time_left() -> None:
    store, slow = FaultyStore(), m.RulesPatch(size="2x2", countdown_ms=10_000)
    async with (
        running_server(store=store) as server,
        connected(server.port, m.Create(name="Ann", rules=slow)) as ann,
    ):
        clock = server.registry.services.clock
        await ann.sync()
        store.unblocked.clear()
        await ann.send(m.Start(race=ann.race))
        await store.waiting.wait()
        await clock.sleep(1.0)
        store.unblocked.set()
        told_ = await ann.phase("countdown")
        assert told_.in_ms is not None
        assert 0 < told_.in_ms <= 9_000


async def test_the_late_end_of_a_replaced_connection_is_ignored() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        resume = m.Resume(code=ben.code, token=ben.token)
        async with connected(server.port, resume) as again:
            assert await ben.closed() == 4503
            await again.sync()
            await ann.sync()
            assert not [
                e
                for e in ann.received
                if isinstance(e, m.MemberEvent) and e.why == "disconnected"
            ]


async def test_the_log_of_a_quiet_race_has_keep_alive_records() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 2, "3x3") as (ann, _),
    ):

        async def beats() -> int:
            log = [decode(line) for line in await store.log.read(ann.code)]
            return sum(isinstance(record, Alive) for record in log)

        async def enough() -> bool:
            return await beats() >= 3

        await eventually(enough)
        await ann.solve()
