"""One room without sockets: the fence, and what its shell does by itself."""

import asyncio

from tests.e2e.talk import eventually
from tests.server.works import works_with

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event
from sliderace.protocol.room_code import RoomCode
from sliderace_server import room
from sliderace_server.runner import Runner
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


def opened(group: asyncio.TaskGroup, store: MemoryStore) -> Runner:
    works = works_with(store, group)
    epoch = room.first_epoch("test", works.clock.now_ms(), works.clock.wall_ms())
    asked = m.Create(name="Ann")
    records = room.open_room(CODE, 1_700_000_000, asked, epoch, bytes(32))
    return Runner(works, room.fold(records), 0, records, lambda _: None)


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
        assert not runner.state.locked
        assert old.heard == []
        runner.ask(new, m.Lock())
        assert runner.state.locked
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
