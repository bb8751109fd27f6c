"""What a room tells of lines, boards, moves and signals, and when: without sockets."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import eventually
from tests.e2e.stores import FaultyStore
from tests.server.make_services import Tasks
from tests.server.recording_subscriber import Ear, heard, opened, three

from sliderace.engine import Board, Direction, parse_slides
from sliderace.protocol import messages as m
from sliderace.race.log_records import Seat
from sliderace.race.state import FREEZE_MS
from sliderace.race.timing import Latency
from sliderace_server import room
from sliderace_server.pacing import LoadMeter
from sliderace_server.registry.actor import RoomActor
from sliderace_server.storage.memory import MemoryStore


async def test_the_board_leaves_for_each_racer_by_its_line_and_for_others_at_t0() -> (
    None
):
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
            have = [ear for ear in (ben, ann, eve) if ear.has(m.BoardEvent)]
            assert have == having
        assert actor.state.phase == "racing"
        assert len(heard(ann, m.BoardEvent)) == 1
        await eventually(lambda: actor.idle)
        actor.freeze()


async def test_a_board_asked_for_before_a_late_lock_is_durable_is_not_told() -> None:
    clock = ManualClock()
    async with FaultyStore() as store, Tasks() as group:
        actor, ann = opened(group, store, clock), Ear()
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
        ann.heard.clear()
        actor.resync(ann.subscriber, m.Resync())
        store.unblocked.set()
        await eventually(lambda: actor.idle)
        assert not ann.has(m.BoardEvent)
        [snapshot] = heard(ann, m.Snapshot)
        assert isinstance(snapshot, m.Snapshot)
        assert snapshot.race.start is None
        assert actor.state.race.t0 == actor.now + FREEZE_MS
        actor.freeze()


async def test_lines_are_told_when_they_change_and_to_newcomers_at_once() -> None:
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
        told = m.LatencyEvent([m.MemberLatency(1, 23, 4)])
        assert heard(ann, m.LatencyEvent) == heard(eve, m.LatencyEvent) == [told]
        clock.advance(10_000)
        assert len(heard(ann, m.LatencyEvent)) == 1
        ben.measure(Latency(80, 9, 5))
        clock.advance(2_000)
        assert heard(ann, m.LatencyEvent)[-1] == m.LatencyEvent(
            [m.MemberLatency(2, 80, 9)]
        )
        again = Ear()
        actor.subscribe(again.subscriber, room.Connect(ben.member))
        await eventually(lambda: again.following)
        assert heard(again, m.LatencyEvent) == [
            m.LatencyEvent([m.MemberLatency(1, 23, 4), m.MemberLatency(2, 80, 9)])
        ]
        actor.freeze()
        clock.advance(10_000)
        for one in (ann, again, eve):
            actor.unsubscribe(one.subscriber)


@contextlib.asynccontextmanager
async def racing(
    load_meter: LoadMeter | None = None, small_room: int = 16
) -> AsyncGenerator[tuple[RoomActor, ManualClock, list[Ear]], None]:
    """Ann, who is the host, and Ben race from now on; Eve watches."""
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


async def told_in_a_second(load_meter: LoadMeter, small_room: int) -> tuple[int, int]:
    """How often a racer and a spectator hear of somebody who slides every 5 ms."""
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
    return len(heard(ben, m.Progress)), len(heard(eve, m.Progress))


@pytest.mark.parametrize(
    ("small_room", "calm", "busy", "busier"),
    # The first at once; in large rooms spectators are told per 225 ms, 450 at most.
    [
        (16, (1 + 100, 1 + 100), (1 + 10, 1 + 10), (1 + 6, 1 + 6)),
        (2, (20, 5), (10, 3), (7, 3)),
    ],
)
async def test_a_busy_server_tells_less_often_what_moved(
    small_room: int,
    calm: tuple[int, int],
    busy: tuple[int, int],
    busier: tuple[int, int],
) -> None:
    load_meter = LoadMeter()
    load_meter.measure(0, 0)
    assert await told_in_a_second(load_meter, small_room) == calm
    load_meter.measure(0.4, 1_000)
    assert await told_in_a_second(load_meter, small_room) == busy
    load_meter.measure(1.3, 2_000)
    assert await told_in_a_second(load_meter, small_room) == busier


async def test_racers_are_shown_all_boards_also_at_an_end_without_slides() -> None:
    async with racing() as (actor, clock, (ann, ben, _)):
        race = actor.state.race
        (direction, tiles), *_ = Board(race.size, race.board).legal_slides()
        slides = m.Slides(race.id, 0, 1, [(direction, tiles, 5)])
        actor.slide(ben.subscriber, slides, clock.now_ms())
        await eventually(lambda: ann.has(m.Progress))
        clock.advance(1_000)
        own = len(heard(ann, m.BoardEvent))
        for ear in (ann, ben):
            actor.receive(ear.subscriber, m.Forfeit(race.id))
        clock.advance(4_000)  # nobody can take it back any more
        await eventually(lambda: ann.has(m.Results))
        shown = [
            e for e in heard(ann, m.BoardEvent)[own:] if isinstance(e, m.BoardEvent)
        ]
        assert {(board.seat, board.seq) for board in shown} == {(0, 0), (1, 1)}


async def test_no_slide_is_older_than_what_was_written_before_it() -> None:
    """Where the start is put off between its arrival and its turn, or by any other."""
    async with racing() as (actor, clock, (ann, *_)):
        clock.advance(2_000)
        actor.beat()
        race, written = actor.state.race, actor.state.t
        assert written == actor.now
        direction, tiles = Board(race.size, race.board).legal_slides()[0]
        slides = m.Slides(race.id, 0, 1, [(direction, tiles, 5)])
        actor.slide(ann.subscriber, slides, clock.now_ms() - 3)
        assert [played.t for played in race.attempts[Seat(0)].slides] == [written]


async def test_who_sees_boards_is_told_every_slide_of_several() -> None:
    async with racing() as (actor, clock, (ann, _, eve)):
        race = actor.state.race
        board = Board(race.size, race.board)
        for batch in (1, 3, 2):  # the first is told at once, the others together
            made: list[tuple[Direction, int, int]] = []
            seq = actor.state.race.attempts[Seat(0)].seq + 1
            for _ in range(batch):
                (direction, tiles), *_ = board.legal_slides()
                board.slide(direction, tiles)
                made.append((direction, tiles, 5))
            actor.slide(ann.subscriber, m.Slides(race.id, 0, seq, made), clock.now_ms())
            await asyncio.sleep(0)
        clock.advance(100)
        steps = [step for one in heard(eve, m.Progress) for step in told_in(one)]
        assert [(step.since, step.seq) for step in steps] == [(0, 1), (1, 6)]
        shown = Board(race.size, race.board)
        for step in steps:
            for direction, tiles in parse_slides(step.slides):
                shown.slide(direction, tiles)
        assert shown == board


def told_in(event: m.Event) -> Sequence[m.SeatProgress]:
    assert isinstance(event, m.Progress)
    return event.p


async def test_what_is_said_of_slides_does_not_wait_behind_a_crowd() -> None:
    async with racing() as (actor, clock, ears):
        ann, race = ears[0], actor.state.race
        direction, tiles = Board(race.size, race.board).legal_slides()[0]
        slides = m.Slides(race.id, 0, 1, [(direction, tiles, 5)])
        actor.slide(ann.subscriber, slides, clock.now_ms())
        await eventually(lambda: actor.idle and ann.answers)
        actor.slide(ann.subscriber, slides, clock.now_ms())  # again
        gap = m.Slides(race.id, 0, 3, [(direction, tiles, 9)])
        actor.slide(ann.subscriber, gap, clock.now_ms())
        actor.receive(ears[1].subscriber, m.Lock())
        actor.flush()
        ack = m.Ack(race.id, 1)
        assert ann.answers[:2] == [ack, ack]
        assert isinstance(ann.answers[2], m.Rejected)
        assert [type(one) for one in ears[1].answers] == [m.Refused]


async def test_in_large_rooms_only_players_lines_are_told() -> None:
    clock = ManualClock()
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store, clock, small_room=2)
        ann, ben, eve = three(actor)
        await eventually(lambda: eve.following)
        for ear in (ann, ben, eve):
            ear.measure(Latency(23, 4, 8))
        clock.advance(2_000)
        lines = [m.MemberLatency(1, 23, 4), m.MemberLatency(2, 23, 4)]
        assert heard(eve, m.LatencyEvent) == [m.LatencyEvent(lines)]
        # The room is large by now: it is told less often.
        ann.measure(Latency(80, 9, 5))
        clock.advance(4_900)
        assert len(heard(eve, m.LatencyEvent)) == 1
        clock.advance(100)
        assert heard(eve, m.LatencyEvent)[1:] == [
            m.LatencyEvent([m.MemberLatency(1, 80, 9)])
        ]
        actor.freeze()


async def test_signals_are_for_the_host_alone() -> None:
    async with racing() as (actor, clock, (ann, ben, eve)):
        board = Board(actor.state.race.size, actor.state.race.board)
        (direction, tiles), *_ = board.legal_slides()
        race = actor.state.race.id
        actor.receive(ben.subscriber, m.Slides(race, 0, 1, [(direction, tiles, 5)]))
        for ear in (ann, ben):
            actor.receive(ear.subscriber, m.Forfeit(race))
        clock.advance(3_000)
        await eventually(lambda: eve.has(m.Results))
        [told] = heard(ann, m.Signals)
        assert isinstance(told, m.Signals)
        assert (told.race, [one.seat for one in told.signals]) == (race, [1])
        actor.receive(ann.subscriber, m.HandOver(2))
        await eventually(lambda: actor.idle)
        assert heard(ben, m.Signals) == [told]
        again = Ear()
        actor.subscribe(again.subscriber, room.Connect(ben.member))
        await eventually(lambda: again.following)
        assert heard(again, m.Signals) == [told]
        assert not eve.has(m.Signals)
        assert len(heard(ann, m.Signals)) == 1
