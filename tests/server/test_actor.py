"""One room without sockets: the fence, and what its shell does by itself."""

import asyncio
from collections.abc import Sequence
from typing import Literal

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import eventually
from tests.e2e.stores import FaultyStore
from tests.server.make_services import Tasks
from tests.server.recording_subscriber import CODE, Ear, opened

from sliderace.engine import Board, format_board
from sliderace.protocol import messages as m
from sliderace.race.state import FREEZE_MS
from sliderace_server import room
from sliderace_server.registry.actor import RoomActor
from sliderace_server.storage import Append, Conflict
from sliderace_server.storage.memory import MemoryStore


def is_locked(actor: RoomActor) -> bool:
    """A question, so that a type checker does not take the answer for lasting."""
    return actor.state.locked


async def test_only_the_newest_connection_of_a_member_may_speak() -> None:
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store)
        old, new = Ear(), Ear()
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
        old.heard.clear()
        actor.receive(old.subscriber, m.Lock())
        actor.resync(old.subscriber, m.Resync())
        actor.resync(old.subscriber, m.Resync(seat=0))
        assert not is_locked(actor)
        assert old.heard == []
        actor.receive(new.subscriber, m.Lock())
        assert is_locked(actor)
        actor.unsubscribe(old.subscriber)
        assert actor.state.members[old.member].connected
        actor.unsubscribe(new.subscriber)
        assert not actor.state.members[old.member].connected
        await eventually(lambda: actor.idle)
        actor.freeze()


async def test_what_was_wanted_by_one_who_is_gone_is_forgotten() -> None:
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store)
        ear = Ear()
        actor.subscribe(
            ear.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
        )
        actor.unsubscribe(ear.subscriber)
        await eventually(lambda: actor.idle)
        assert ear.heard == []
        assert actor.live.connections == 0
        actor.freeze()


async def test_a_frozen_room_does_nothing_more() -> None:
    async with MemoryStore() as store, Tasks() as group:
        actor = opened(group, store)
        ear = Ear()
        actor.subscribe(
            ear.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
        )
        await eventually(lambda: actor.idle)
        actor.freeze()
        length = len(await store.log.read(CODE))
        actor.unsubscribe(ear.subscriber)
        actor.receive(ear.subscriber, m.Lock())
        assert actor.state.members[ear.member].connected
        assert len(await store.log.read(CODE)) == length


class Disk(MemoryStore):
    """A store with one append on its way at any time; `turn` lets it through."""

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
        """Let one append through."""
        await eventually(lambda: self.busy)
        done = self.done
        self.turns.release()
        await eventually(lambda: self.done > done)

    def flow(self) -> None:
        """Hold nothing more."""
        self.held = False
        self.turns.release()


def offsets(ear: Ear) -> list[int]:
    """Numbers of the stream that reached a connection since its last snapshot."""
    last = max(n for n, event in enumerate(ear.heard) if isinstance(event, m.Snapshot))
    return [o for event in ear.heard[last:] if (o := getattr(event, "o", 0))]


async def test_a_room_that_never_rests_lets_people_in_all_the_same() -> None:
    async with Disk() as store, Tasks() as group:
        actor, ann, ben = opened(group, store), Ear(), Ear()
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
            assert ben.heard == [] or n == 2
            actor.receive(ann.subscriber, m.Lock(on=n % 2 == 0))
            await store.turn()
        assert not actor.idle
        assert isinstance(ben.heard[0], m.Welcome)
        assert isinstance(ben.heard[1], m.Snapshot)
        ann.heard.clear()
        actor.resync(ann.subscriber, m.Resync())
        actor.resync(ann.subscriber, m.Resync())
        for n in range(3):
            actor.receive(ben.subscriber, m.Ready(actor.state.race.id, on=n % 2 == 0))
            await store.turn()
        assert not actor.idle
        assert [type(event) for event in ann.heard].count(m.Snapshot) == 1
        store.flow()
        await eventually(lambda: actor.idle)
        for ear in (ann, ben):
            heard = offsets(ear)
            assert heard == [*range(heard[0], actor.state.offset + 1)]
        actor.freeze()


@pytest.mark.parametrize("role", ["player", "spectator"])
async def test_a_start_while_a_welcome_waits_is_told_after_it(
    role: Literal["player", "spectator"],
) -> None:
    clock = ManualClock()
    async with Disk() as store, Tasks() as group:
        actor, ann, ben = opened(group, store, clock), Ear(), Ear()
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
        again = Ear()
        actor.unsubscribe(ben.subscriber)
        actor.subscribe(again.subscriber, room.Connect(ben.member))
        await eventually(lambda: store.busy)
        clock.advance(FREEZE_MS)
        assert actor.state.phase == "racing"
        board = Board(actor.state.race.size, actor.state.race.board)
        (direction, tiles), *_ = board.legal_slides()
        move = (direction, tiles, 5)
        actor.receive(ann.subscriber, m.Slides(actor.state.race.id, 0, 1, [move]))
        assert again.heard == []
        await store.turn()
        await eventually(lambda: again.heard)
        kinds = [type(event) for event in again.heard]
        assert kinds == [m.Welcome, m.Snapshot, m.BoardEvent, m.Progress]
        _, snapshot, start, progress = again.heard
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
        heard = offsets(again)
        assert heard == [*range(heard[0], actor.state.offset + 1)]
        actor.freeze()


async def test_a_stalled_loop_starts_no_race_whose_lock_is_not_durable() -> None:
    clock = ManualClock()
    async with FaultyStore() as store, Tasks() as group:
        actor, ear = opened(group, store, clock), Ear()
        actor.subscribe(
            ear.subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
        )
        await eventually(lambda: ear.following)
        actor.receive(ear.subscriber, m.Start(actor.state.race.id))
        await eventually(lambda: actor.idle)
        store.unblocked.clear()
        clock.advance(5_000 - FREEZE_MS)
        assert actor.state.race.frozen
        clock.stall(FREEZE_MS + 40)
        actor.receive(ear.subscriber, m.Lock())
        assert actor.state.phase == "countdown"
        assert actor.state.race.t0 == actor.now + FREEZE_MS
        clock.advance(FREEZE_MS - 200)
        assert not ear.has(m.BoardEvent)
        store.unblocked.set()
        await eventually(lambda: actor.idle)
        clock.advance(200)
        assert ear.has(m.BoardEvent)
        await eventually(lambda: actor.idle)
        actor.freeze()
