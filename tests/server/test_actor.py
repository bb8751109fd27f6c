"""The actor of a room, without sockets: the fence, pending welcomes, freezing."""

import asyncio
from collections.abc import Sequence
from typing import Literal

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import eventually
from tests.e2e.stores import FaultyStore
from tests.server.make_services import Tasks
from tests.server.recording_subscriber import CODE, RecordingSubscriber, opened

from sliderace.engine import Board, format_board
from sliderace.protocol import messages as m
from sliderace.race.state import FREEZE_MS
from sliderace_server import room
from sliderace_server.registry.actor import RoomActor
from sliderace_server.storage import Append, Conflict
from sliderace_server.storage.memory import MemoryStore


def is_locked(actor: RoomActor) -> bool:
    """Return the value so that the type checker does not narrow it."""
    return actor.state.locked


async def test_only_the_newest_connection_of_a_member_is_accepted() -> None:
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store)
        old, new = RecordingSubscriber(), RecordingSubscriber()
        assert (
            actor.subscribe(
                old.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
            )
            is None
        )
        await eventually(lambda: old.following)
        actor.subscribe(new.subscriber, room.Connect(old.member))
        await eventually(lambda: new.following)
        await eventually(lambda: old.codes == [4503])
        old.events.clear()
        actor.receive(old.subscriber, m.Lock())
        actor.resync(old.subscriber, m.Resync())
        actor.resync(old.subscriber, m.Resync(seat=0))
        assert not is_locked(actor)
        assert old.events == []
        actor.receive(new.subscriber, m.Lock())
        assert is_locked(actor)
        actor.unsubscribe(old.subscriber)
        assert actor.state.members[old.member].connected
        actor.unsubscribe(new.subscriber)
        assert not actor.state.members[old.member].connected
        await eventually(lambda: actor.idle)
        actor.freeze()


async def test_connection_that_ended_before_its_welcome_is_sent_nothing() -> None:
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store)
        member = RecordingSubscriber()
        actor.subscribe(
            member.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
        )
        actor.unsubscribe(member.subscriber)
        await eventually(lambda: actor.idle)
        assert member.events == []
        assert actor.live.connections == 0
        actor.freeze()


async def test_frozen_room_ignores_commands() -> None:
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store)
        member = RecordingSubscriber()
        actor.subscribe(
            member.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
        )
        await eventually(lambda: actor.idle)
        actor.freeze()
        length = len(await store.log.read(CODE))
        actor.unsubscribe(member.subscriber)
        actor.receive(member.subscriber, m.Lock())
        assert actor.state.members[member.member].connected
        assert len(await store.log.read(CODE)) == length


class Disk(MemoryStore):
    """A store that holds each append until `turn` releases it."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = asyncio.Semaphore(0)
        self.held = False
        self.busy = False
        self.done = 0
        self._append = self.log.append_all
        self.log.append_all = self._hold  # type: ignore[method-assign]

    async def _hold(self, appends: Sequence[Append]) -> list[Conflict | None]:
        self.busy = True
        if self.held:
            await self.turns.acquire()
        conflicts = await self._append(appends)
        self.busy = False
        self.done += 1
        return conflicts

    async def turn(self) -> None:
        """Release one append."""
        await eventually(lambda: self.busy)
        done = self.done
        self.turns.release()
        await eventually(lambda: self.done > done)

    def flow(self) -> None:
        """Release all appends from now on."""
        self.held = False
        self.turns.release()


def offsets(member: RecordingSubscriber) -> list[int]:
    """Return the offsets that a connection received since its last snapshot."""
    last = max(
        n for n, event in enumerate(member.events) if isinstance(event, m.Snapshot)
    )
    return [o for event in member.events[last:] if (o := getattr(event, "o", 0))]


async def test_busy_room_sends_welcomes_and_snapshots() -> None:
    async with Disk() as store, Tasks() as group:
        actor, ann, ben = (
            opened(group, store),
            RecordingSubscriber(),
            RecordingSubscriber(),
        )
        actor.subscribe(
            ann.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
        )
        await eventually(lambda: actor.idle)
        store.held = True
        actor.receive(ann.subscriber, m.Lock())
        await eventually(lambda: store.busy)
        actor.receive(ann.subscriber, m.Lock(on=False))
        actor.subscribe(ben.subscriber, room.Enter("Ben", "1" * 64), token="t")
        for n in range(3):
            assert ben.events == [] or n == 2
            actor.receive(ann.subscriber, m.Lock(on=n % 2 == 0))
            await store.turn()
        assert not actor.idle
        assert isinstance(ben.events[0], m.Welcome)
        assert isinstance(ben.events[1], m.Snapshot)
        ann.events.clear()
        actor.resync(ann.subscriber, m.Resync())
        actor.resync(ann.subscriber, m.Resync())
        for n in range(3):
            actor.receive(ben.subscriber, m.Ready(actor.state.race.id, on=n % 2 == 0))
            await store.turn()
        assert not actor.idle
        assert [type(event) for event in ann.events].count(m.Snapshot) == 1
        store.flow()
        await eventually(lambda: actor.idle)
        for member in (ann, ben):
            events = offsets(member)
            assert events == [*range(events[0], actor.state.offset + 1)]
        actor.freeze()


@pytest.mark.parametrize("role", ["player", "spectator"])
async def test_start_during_a_pending_welcome_is_sent_after_it(
    role: Literal["player", "spectator"],
) -> None:
    clock = ManualClock()
    async with Disk() as store, Tasks() as group:
        actor, ann, ben = (
            opened(group, store, clock),
            RecordingSubscriber(),
            RecordingSubscriber(),
        )
        actor.subscribe(
            ann.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
        )
        await eventually(lambda: ann.following)
        actor.subscribe(ben.subscriber, room.Enter("Ben", "1" * 64, role), token="t")
        await eventually(lambda: actor.idle)
        actor.receive(ben.subscriber, m.Ready(actor.state.race.id))
        actor.receive(ann.subscriber, m.Start(actor.state.race.id))
        clock.advance(5_000 - FREEZE_MS)
        await eventually(lambda: actor.idle)
        store.held = True
        again = RecordingSubscriber()
        actor.unsubscribe(ben.subscriber)
        actor.subscribe(again.subscriber, room.Connect(ben.member))
        await eventually(lambda: store.busy)
        clock.advance(FREEZE_MS)
        assert actor.state.phase == "racing"
        board = Board(actor.state.race.size, actor.state.race.board)
        (direction, tiles), *_ = board.legal_slides()
        move = (direction, tiles, 5)
        actor.receive(ann.subscriber, m.Slides(actor.state.race.id, 0, 1, [move]))
        assert again.events == []
        await store.turn()
        await eventually(lambda: again.events)
        kinds = [type(event) for event in again.events]
        assert kinds == [m.Welcome, m.Snapshot, m.BoardEvent, m.Progress]
        _, snapshot, start, progress = again.events
        assert isinstance(snapshot, m.Snapshot)
        assert (snapshot.phase, snapshot.race.start) == ("countdown", None)
        assert snapshot.in_ms == 0
        assert isinstance(start, m.BoardEvent)
        assert start.board == format_board(board)
        assert isinstance(progress, m.Progress)
        (step,) = progress.p
        assert (step.seq, step.since) == (1, 0 if role == "spectator" else -1)
        store.flow()
        await eventually(lambda: actor.idle)
        events = offsets(again)
        assert events == [*range(events[0], actor.state.offset + 1)]
        actor.freeze()


async def test_stalled_loop_starts_no_race_that_is_not_durable() -> None:
    clock = ManualClock()
    async with FaultyStore() as store, Tasks() as group:
        actor, member = opened(group, store, clock), RecordingSubscriber()
        actor.subscribe(
            member.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
        )
        await eventually(lambda: member.following)
        actor.receive(member.subscriber, m.Start(actor.state.race.id))
        await eventually(lambda: actor.idle)
        store.unblocked.clear()
        clock.advance(5_000 - FREEZE_MS)
        assert actor.state.race.frozen
        clock.stall(FREEZE_MS + 40)
        actor.receive(member.subscriber, m.Lock())
        assert actor.state.phase == "countdown"
        assert actor.state.race.t0 == actor.now + FREEZE_MS
        clock.advance(FREEZE_MS - 200)
        assert not member.has(m.BoardEvent)
        store.unblocked.set()
        await eventually(lambda: actor.idle)
        clock.advance(200)
        assert member.has(m.BoardEvent)
        await eventually(lambda: actor.idle)
        actor.freeze()
