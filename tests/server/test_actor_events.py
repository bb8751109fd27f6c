"""When an actor sends latencies, boards, progress and signals, without sockets."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import eventually
from tests.e2e.stores import FaultyStore
from tests.server.make_services import Tasks
from tests.server.recording_subscriber import (
    RecordingSubscriber,
    events_of,
    opened,
    three,
)

from sliderace.engine import Board, Direction, parse_slides
from sliderace.protocol import messages as m
from sliderace.race.log_records import Seat
from sliderace.race.state import FREEZE_MS
from sliderace.race.timing import Latency
from sliderace_server import room
from sliderace_server.pacing import LoadMeter
from sliderace_server.registry.actor import RoomActor
from sliderace_server.storage.memory import MemoryStore


async def test_board_is_sent_to_racers_by_latency_and_to_others_at_t0() -> None:
    clock = ManualClock()
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store, clock)
        ann, ben, eve = three(actor)
        ann.measure(Latency(90, 3, 9))
        ben.measure(Latency(700, 90, 9))
        actor.receive(ben.subscriber, m.Ready(actor.state.race.id))
        actor.receive(ann.subscriber, m.Start(actor.state.race.id))
        await eventually(lambda: actor.idle)
        clock.advance(5_000 - FREEZE_MS)
        await eventually(lambda: actor.idle)
        for wait, having in (
            (FREEZE_MS - 101, []),
            (1, [ben]),
            (54, [ben]),
            (1, [ben, ann]),
            (44, [ben, ann]),
            (1, [ben, ann, eve]),
        ):
            clock.advance(wait)
            have = [one for one in (ben, ann, eve) if one.has(m.BoardEvent)]
            assert have == having
        assert actor.state.phase == "racing"
        assert len(events_of(ann, m.BoardEvent)) == 1
        await eventually(lambda: actor.idle)
        actor.freeze()


async def test_resync_before_a_late_start_is_durable_reveals_no_board() -> None:
    clock = ManualClock()
    async with FaultyStore() as store, Tasks() as group:
        actor, ann = opened(group, store, clock), RecordingSubscriber()
        ann.measure(Latency(190, 3, 9))
        actor.subscribe(
            ann.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
        )
        await eventually(lambda: ann.following)
        actor.receive(ann.subscriber, m.Start(actor.state.race.id))
        await eventually(lambda: actor.idle)
        store.unblocked.clear()
        clock.advance(5_000 - FREEZE_MS)
        clock.stall(FREEZE_MS - 20)  # past her reveal; no timer has fired yet
        ann.events.clear()
        actor.resync(ann.subscriber, m.Resync())
        store.unblocked.set()
        await eventually(lambda: actor.idle)
        assert not ann.has(m.BoardEvent)
        [snapshot] = events_of(ann, m.Snapshot)
        assert isinstance(snapshot, m.Snapshot)
        assert snapshot.race.start is None
        assert actor.state.race.t0 == actor.now + FREEZE_MS
        actor.freeze()


async def test_latencies_are_sent_when_they_change_and_to_new_connections() -> None:
    clock = ManualClock()
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store, clock)
        ann, ben, eve = three(actor)
        await eventually(lambda: eve.following)
        clock.advance(2_000)
        assert not ann.has(m.LatencyEvent)
        ann.measure(Latency(23, 4, 8))
        ben.measure(Latency(80, 9, 4))
        clock.advance(2_000)
        sent = m.LatencyEvent([m.MemberLatency(1, 23, 4)])
        assert (
            events_of(ann, m.LatencyEvent) == events_of(eve, m.LatencyEvent) == [sent]
        )
        clock.advance(10_000)
        assert len(events_of(ann, m.LatencyEvent)) == 1
        ben.measure(Latency(80, 9, 5))
        clock.advance(2_000)
        assert events_of(ann, m.LatencyEvent)[-1] == m.LatencyEvent(
            [m.MemberLatency(2, 80, 9)]
        )
        again = RecordingSubscriber()
        actor.subscribe(again.subscriber, room.Connect(ben.member))
        await eventually(lambda: again.following)
        assert events_of(again, m.LatencyEvent) == [
            m.LatencyEvent([m.MemberLatency(1, 23, 4), m.MemberLatency(2, 80, 9)])
        ]
        actor.freeze()
        clock.advance(10_000)
        for one in (ann, again, eve):
            actor.unsubscribe(one.subscriber)


@contextlib.asynccontextmanager
async def racing(
    load_meter: LoadMeter | None = None, small_room: int = 16
) -> AsyncGenerator[tuple[RoomActor, ManualClock, list[RecordingSubscriber]], None]:
    """Start a race of Ann (the host) and Ben; Eve is a spectator."""
    clock = ManualClock()
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store, clock, load_meter, small_room)
        ann, ben, eve = three(actor)
        actor.receive(ben.subscriber, m.Ready(actor.state.race.id))
        actor.receive(ann.subscriber, m.Start(actor.state.race.id))
        await eventually(lambda: actor.idle)
        clock.advance(5_000 - FREEZE_MS)
        await eventually(lambda: actor.idle)
        clock.advance(FREEZE_MS)
        yield actor, clock, [ann, ben, eve]
        await eventually(lambda: actor.idle)
        actor.freeze()


async def progress_counts(load_meter: LoadMeter, small_room: int) -> tuple[int, int]:
    """Count a racer's and a spectator's progress events in a second of many slides."""
    async with racing(load_meter, small_room) as (actor, clock, (ann, ben, eve)):
        race = actor.state.race
        board = Board(race.size, race.board)
        for seq in range(1, 201):
            (direction, tiles), *_ = board.legal_slides()
            board.slide(direction, tiles)
            slides = m.Slides(race.id, 0, seq, [(direction, tiles, 5 * seq)])
            actor.slide(ann.subscriber, slides, clock.now_ms())
            await asyncio.sleep(0)
            clock.advance(5)
    return len(events_of(ben, m.Progress)), len(events_of(eve, m.Progress))


@pytest.mark.parametrize(
    ("small_room", "calm", "busy", "busier"),
    # The first immediately; in large rooms spectators wait 225 ms, at most 450.
    [
        (16, (1 + 100, 1 + 100), (1 + 10, 1 + 10), (1 + 6, 1 + 6)),
        (2, (20, 5), (10, 3), (7, 3)),
    ],
)
async def test_busy_server_sends_progress_less_often(
    small_room: int,
    calm: tuple[int, int],
    busy: tuple[int, int],
    busier: tuple[int, int],
) -> None:
    load_meter = LoadMeter()
    load_meter.measure(0, 0)
    assert await progress_counts(load_meter, small_room) == calm
    load_meter.measure(0.4, 1_000)
    assert await progress_counts(load_meter, small_room) == busy
    load_meter.measure(1.3, 2_000)
    assert await progress_counts(load_meter, small_room) == busier


async def test_racers_get_all_boards_when_the_race_ends_without_slides() -> None:
    async with racing() as (actor, clock, (ann, ben, _)):
        race = actor.state.race
        (direction, tiles), *_ = Board(race.size, race.board).legal_slides()
        slides = m.Slides(race.id, 0, 1, [(direction, tiles, 5)])
        actor.slide(ben.subscriber, slides, clock.now_ms())
        await eventually(lambda: ann.has(m.Progress))
        clock.advance(1_000)
        own = len(events_of(ann, m.BoardEvent))
        for one in (ann, ben):
            actor.receive(one.subscriber, m.Forfeit(race.id))
        clock.advance(4_000)  # no forfeit can be undone any more
        await eventually(lambda: ann.has(m.Results))
        shown = [
            e for e in events_of(ann, m.BoardEvent)[own:] if isinstance(e, m.BoardEvent)
        ]
        assert {(board.seat, board.seq) for board in shown} == {(0, 0), (1, 1)}


async def test_slide_is_never_older_than_the_previous_record() -> None:
    """Even if that record was written between their arrival and their turn."""
    async with racing() as (actor, clock, (ann, *_)):
        clock.advance(2_000)
        actor.beat()
        race, written = actor.state.race, actor.state.t
        assert written == actor.now
        direction, tiles = Board(race.size, race.board).legal_slides()[0]
        slides = m.Slides(race.id, 0, 1, [(direction, tiles, 5)])
        actor.slide(ann.subscriber, slides, clock.now_ms() - 3)
        assert [played.t for played in race.attempts[Seat(0)].slides] == [written]


async def test_member_who_sees_boards_gets_every_slide() -> None:
    async with racing() as (actor, clock, (ann, _, eve)):
        race = actor.state.race
        board = Board(race.size, race.board)
        for batch in (1, 3, 2):  # the first is sent immediately, the others together
            made: list[tuple[Direction, int, int]] = []
            seq = actor.state.race.attempts[Seat(0)].seq + 1
            for _ in range(batch):
                (direction, tiles), *_ = board.legal_slides()
                board.slide(direction, tiles)
                made.append((direction, tiles, 5))
            actor.slide(ann.subscriber, m.Slides(race.id, 0, seq, made), clock.now_ms())
            await asyncio.sleep(0)
        clock.advance(100)
        steps = [step for one in events_of(eve, m.Progress) for step in seats_in(one)]
        assert [(step.since, step.seq) for step in steps] == [(0, 1), (1, 6)]
        shown = Board(race.size, race.board)
        for step in steps:
            for direction, tiles in parse_slides(step.slides):
                shown.slide(direction, tiles)
        assert shown == board


def seats_in(event: m.Event) -> Sequence[m.SeatProgress]:
    assert isinstance(event, m.Progress)
    return event.p


async def test_answers_to_slides_are_sent_urgently() -> None:
    async with racing() as (actor, clock, members):
        ann, race = members[0], actor.state.race
        direction, tiles = Board(race.size, race.board).legal_slides()[0]
        slides = m.Slides(race.id, 0, 1, [(direction, tiles, 5)])
        actor.slide(ann.subscriber, slides, clock.now_ms())
        await eventually(lambda: actor.idle and ann.answers)
        actor.slide(ann.subscriber, slides, clock.now_ms())  # again
        gap = m.Slides(race.id, 0, 3, [(direction, tiles, 9)])
        actor.slide(ann.subscriber, gap, clock.now_ms())
        actor.receive(members[1].subscriber, m.Lock())
        actor.flush()
        ack = m.Ack(race.id, 1)
        assert ann.answers[:2] == [ack, ack]
        assert isinstance(ann.answers[2], m.Rejected)
        assert [type(one) for one in members[1].answers] == [m.Refused]


async def test_only_latencies_of_players_are_sent() -> None:
    clock = ManualClock()
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store, clock, small_room=2)
        ann, ben, eve = three(actor)
        await eventually(lambda: eve.following)
        for one in (ann, ben, eve):
            one.measure(Latency(23, 4, 8))
        clock.advance(2_000)
        latencies = [m.MemberLatency(1, 23, 4), m.MemberLatency(2, 23, 4)]
        assert events_of(eve, m.LatencyEvent) == [m.LatencyEvent(latencies)]
        ann.measure(Latency(80, 9, 5))
        clock.advance(1_900)
        assert len(events_of(eve, m.LatencyEvent)) == 1
        clock.advance(100)
        assert events_of(eve, m.LatencyEvent)[1:] == [
            m.LatencyEvent([m.MemberLatency(1, 80, 9)])
        ]
        actor.freeze()


async def test_only_the_host_gets_signals() -> None:
    async with racing() as (actor, clock, (ann, ben, eve)):
        board = Board(actor.state.race.size, actor.state.race.board)
        (direction, tiles), *_ = board.legal_slides()
        race = actor.state.race.id
        actor.receive(ben.subscriber, m.Slides(race, 0, 1, [(direction, tiles, 5)]))
        for one in (ann, ben):
            actor.receive(one.subscriber, m.Forfeit(race))
        clock.advance(3_000)
        await eventually(lambda: eve.has(m.Results))
        [sent] = events_of(ann, m.Signals)
        assert isinstance(sent, m.Signals)
        assert (sent.race, [one.seat for one in sent.signals]) == (race, [1])
        actor.receive(ann.subscriber, m.HandOver(2))
        await eventually(lambda: actor.idle)
        assert events_of(ben, m.Signals) == [sent]
        again = RecordingSubscriber()
        actor.subscribe(again.subscriber, room.Connect(ben.member))
        await eventually(lambda: again.following)
        assert events_of(again, m.Signals) == [sent]
        assert not eve.has(m.Signals)
        assert len(events_of(ann, m.Signals)) == 1
