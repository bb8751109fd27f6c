"""One room without sockets: the fence, and what its shell does by itself."""

import asyncio

from tests.e2e.clocks import HandClock
from tests.e2e.stores import MoodyStore
from tests.e2e.talk import eventually
from tests.server.works import works_with

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event
from sliderace.protocol.room_code import RoomCode
from sliderace.race.state import LOCK_MS
from sliderace_server import room
from sliderace_server.clock import Clock
from sliderace_server.runner import Runner
from sliderace_server.storage import Store
from sliderace_server.storage.memory import MemoryStore
from sliderace_server.works import Peer

CODE = RoomCode("KWXTRB")


class Ear:
    """A connection that keeps what it is sent, and will not go when it is told to."""

    def __init__(self) -> None:
        self.peer: Peer = self
        self.id = 1
        self.address = ""
        self.host = ""
        self.member = 0
        self.gen = 0
        self.following = False
        self.sees = False
        self.shown = ""
        self.heard: list[m.Event] = []
        self.codes: list[int] = []

    def post(self, frame: bytes) -> None:
        head = 2 if frame[1] < 126 else 4
        self.heard.append(decode_event(frame[head:]))

    def post_snapshot(self, frame: bytes) -> None:
        self.post(frame)

    def close(self, code: int, reason: str = "") -> None:
        raise AssertionError(f"rooms dismiss, they close nothing: {code} {reason}")

    def burst(self) -> None:
        """A line that needs no measuring."""

    def dismissed(self, code: int) -> None:
        self.codes.append(code)

    def has(self, kind: type) -> bool:
        return any(isinstance(event, kind) for event in self.heard)


def opened(
    group: asyncio.TaskGroup, store: Store, clock: Clock | None = None
) -> Runner:
    works = works_with(store, group, clock=clock)
    epoch = room.first_epoch("test", works.clock.now_ms(), works.clock.wall_ms())
    asked = m.Create(name="Ann")
    records = room.open_room(CODE, 1_700_000_000, asked, epoch, bytes(32))
    return Runner(works, room.fold(records), 0, records, lambda _: None)


def is_locked(runner: Runner) -> bool:
    """A question, so that a type checker does not take the answer for lasting."""
    return runner.state.locked


async def test_only_the_newest_connection_of_a_member_may_speak() -> None:
    async with MemoryStore() as store, asyncio.TaskGroup() as group:
        runner = opened(group, store)
        old, new = Ear(), Ear()
        assert runner.enter(old, room.Enter("Ann", "0" * 64, creator=True), "t") is None
        await eventually(lambda: old.following)
        runner.resume(new, old.member, (0, 0))
        await eventually(lambda: new.following)
        assert old.codes == [4503]
        old.heard.clear()
        runner.ask(old, m.Lock())
        runner.show(old)
        runner.show_board(old, 0)
        assert not is_locked(runner)
        assert old.heard == []
        runner.ask(new, m.Lock())
        assert is_locked(runner)
        runner.lost(old)
        assert runner.state.members[old.member].connected
        runner.lost(new)
        assert not runner.state.members[old.member].connected
        await eventually(lambda: runner.idle)
        runner.freeze()


async def test_what_was_wanted_by_one_who_is_gone_is_forgotten() -> None:
    async with MemoryStore() as store, asyncio.TaskGroup() as group:
        runner = opened(group, store)
        ear = Ear()
        runner.enter(ear, room.Enter("Ann", "0" * 64, creator=True), "t")
        runner.lost(ear)
        await eventually(lambda: runner.idle)
        assert ear.heard == []
        assert runner.connections == 0
        runner.freeze()


async def test_a_frozen_room_does_nothing_more() -> None:
    async with MemoryStore() as store, asyncio.TaskGroup() as group:
        runner = opened(group, store)
        ear = Ear()
        runner.enter(ear, room.Enter("Ann", "0" * 64, creator=True), "t")
        await eventually(lambda: runner.idle)
        runner.freeze()
        length = len(await store.log.read(CODE))
        runner.lost(ear)
        runner.ask(ear, m.Lock())
        assert runner.state.members[ear.member].connected
        assert len(await store.log.read(CODE)) == length


async def test_a_stalled_loop_starts_no_race_whose_lock_is_not_durable() -> None:
    clock = HandClock()
    async with MoodyStore() as store, asyncio.TaskGroup() as group:
        runner, ear = opened(group, store, clock), Ear()
        runner.enter(ear, room.Enter("Ann", "0" * 64, creator=True), "t")
        await eventually(lambda: ear.following)
        runner.ask(ear, m.Start(runner.state.race.id))
        await eventually(lambda: runner.idle)
        store.flowing.clear()
        clock.advance(5_000 - LOCK_MS)
        assert runner.state.race.locked
        clock.stall(LOCK_MS + 40)
        runner.ask(ear, m.Lock())
        assert runner.state.phase == "countdown"
        assert runner.state.race.t0 == runner.now + LOCK_MS
        clock.advance(LOCK_MS - 200)
        assert not ear.has(m.BoardEvent)
        store.flowing.set()
        await eventually(lambda: runner.idle)
        clock.advance(200)
        assert ear.has(m.BoardEvent)
        await eventually(lambda: runner.idle)
        runner.freeze()
