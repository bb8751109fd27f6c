"""One room without sockets: the fence, and what its shell does by itself."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest
from tests.e2e.clocks import HandClock
from tests.e2e.stores import MoodyStore
from tests.e2e.talk import eventually
from tests.server.works import works_with

from sliderace.engine import Board, format_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event
from sliderace.protocol.room_code import RoomCode
from sliderace.race.state import LOCK_MS
from sliderace.race.timing import UNMEASURED, Line
from sliderace_server import room
from sliderace_server.clock import Clock
from sliderace_server.runner import Runner
from sliderace_server.storage import Append, Conflict, Store
from sliderace_server.storage.memory import MemoryStore
from sliderace_server.tempo import Tempo
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
        self.answers: list[m.Event] = []
        self.codes: list[int] = []
        self.measured = UNMEASURED

    def post(self, frame: bytes) -> None:
        head = 2 if frame[1] < 126 else 4
        self.heard.append(decode_event(frame[head:]))

    def post_first(self, frame: bytes) -> None:
        self.post(frame)
        self.answers.append(self.heard[-1])

    def post_progress(self, frame: bytes) -> bool:
        self.post(frame)
        return True

    def caught_up(self) -> bool:
        return True

    def post_snapshot(self, frame: bytes) -> None:
        self.post(frame)

    def close(self, code: int, reason: str = "") -> None:
        raise AssertionError(f"rooms dismiss, they close nothing: {code} {reason}")

    def burst(self) -> None:
        """A line that needs no measuring."""

    def line(self) -> Line:
        return self.measured

    def dismissed(self, code: int) -> None:
        self.codes.append(code)

    def has(self, kind: type) -> bool:
        return any(isinstance(event, kind) for event in self.heard)


def opened(
    group: asyncio.TaskGroup,
    store: Store,
    clock: Clock | None = None,
    tempo: Tempo | None = None,
    small_room: int = 16,
) -> Runner:
    works = works_with(store, group, clock=clock)
    config = replace(works.config, small_room=small_room)
    works = replace(works, config=config, tempo=tempo or works.tempo)
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
        runner.resume(new, room.Connect(old.member))
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
    async with Disk() as store, asyncio.TaskGroup() as group:
        runner, ann, ben = opened(group, store), Ear(), Ear()
        runner.enter(ann, room.Enter("Ann", "0" * 64, creator=True), "t")
        await eventually(lambda: runner.idle)
        store.held = True
        runner.ask(ann, m.Lock())
        await eventually(lambda: store.busy)
        runner.ask(ann, m.Lock(on=False))
        runner.enter(ben, room.Enter("Ben", "1" * 64), "t")
        for n in range(3):
            assert ben.heard == [] or n == 2
            runner.ask(ann, m.Lock(on=n % 2 == 0))
            await store.turn()
        assert not runner.idle
        assert isinstance(ben.heard[0], m.Welcome)
        assert isinstance(ben.heard[1], m.Snapshot)
        ann.heard.clear()
        runner.show(ann)
        runner.show(ann)
        for n in range(3):
            runner.ask(ben, m.Ready(runner.state.race.id, on=n % 2 == 0))
            await store.turn()
        assert not runner.idle
        assert [type(event) for event in ann.heard].count(m.Snapshot) == 1
        store.flow()
        await eventually(lambda: runner.idle)
        for ear in (ann, ben):
            heard = offsets(ear)
            assert heard == [*range(heard[0], runner.state.offset + 1)]
        runner.freeze()


@pytest.mark.parametrize("role", ["player", "spectator"])
async def test_a_start_while_a_welcome_waits_is_told_after_it(
    role: Literal["player", "spectator"],
) -> None:
    clock = HandClock()
    async with Disk() as store, asyncio.TaskGroup() as group:
        runner, ann, ben = opened(group, store, clock), Ear(), Ear()
        runner.enter(ann, room.Enter("Ann", "0" * 64, creator=True), "t")
        await eventually(lambda: ann.following)
        runner.enter(ben, room.Enter("Ben", "1" * 64, role), "t")
        await eventually(lambda: runner.idle)
        runner.ask(ben, m.Ready(runner.state.race.id))
        runner.ask(ann, m.Start(runner.state.race.id))
        clock.advance(5_000 - LOCK_MS)
        await eventually(lambda: runner.idle)
        store.held = True
        again = Ear()
        runner.lost(ben)
        runner.resume(again, room.Connect(ben.member))
        await eventually(lambda: store.busy)
        clock.advance(LOCK_MS)
        assert runner.state.phase == "racing"
        board = Board(runner.state.race.size, runner.state.race.board)
        (direction, tiles), *_ = board.legal_slides()
        move = (direction, tiles, 5)
        runner.ask(ann, m.Slides(runner.state.race.id, 0, 1, [move]))
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
        await eventually(lambda: runner.idle)
        heard = offsets(again)
        assert heard == [*range(heard[0], runner.state.offset + 1)]
        runner.freeze()


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


# --- lines, reveal, signals ----------------------------------------------------------


def three(runner: Runner) -> list[Ear]:
    """Ann, who is host, Ben, and Eve, who watches."""
    ears = [Ear(), Ear(), Ear()]
    runner.enter(ears[0], room.Enter("Ann", "0" * 64, creator=True), "t")
    runner.enter(ears[1], room.Enter("Ben", "1" * 64), "t")
    runner.enter(ears[2], room.Enter("Eve", "2" * 64, "spectator"), "t")
    return ears


def heard(ear: Ear, kind: type[m.Event]) -> list[m.Event]:
    return [event for event in ear.heard if isinstance(event, kind)]


async def test_the_board_leaves_for_each_racer_by_its_line_and_for_others_at_t0() -> (
    None
):
    clock = HandClock()
    async with MemoryStore() as store, asyncio.TaskGroup() as group:
        runner = opened(group, store, clock)
        ann, ben, eve = three(runner)
        ann.measured, ben.measured = Line(90, 3, 9), Line(700, 90, 9)
        runner.ask(ben, m.Ready(runner.state.race.id))
        runner.ask(ann, m.Start(runner.state.race.id))
        await eventually(lambda: runner.idle)
        clock.advance(5_000 - LOCK_MS)
        await eventually(lambda: runner.idle)
        for wait, having in (
            (LOCK_MS - 101, []),
            (1, [ben]),
            (54, [ben]),
            (1, [ben, ann]),
            (44, [ben, ann]),
            (1, [ben, ann, eve]),
        ):
            clock.advance(wait)
            have = [ear for ear in (ben, ann, eve) if ear.has(m.BoardEvent)]
            assert have == having
        assert runner.state.phase == "racing"
        assert len(heard(ann, m.BoardEvent)) == 1
        await eventually(lambda: runner.idle)
        runner.freeze()


async def test_a_board_asked_for_before_a_late_lock_is_durable_is_not_told() -> None:
    clock = HandClock()
    async with MoodyStore() as store, asyncio.TaskGroup() as group:
        runner, ann = opened(group, store, clock), Ear()
        ann.measured = Line(190, 3, 9)
        runner.enter(ann, room.Enter("Ann", "0" * 64, creator=True), "t")
        await eventually(lambda: ann.following)
        runner.ask(ann, m.Start(runner.state.race.id))
        await eventually(lambda: runner.idle)
        store.flowing.clear()
        clock.advance(5_000 - LOCK_MS)
        clock.stall(LOCK_MS - 20)  # past her reveal; no timer has fired yet
        ann.heard.clear()
        runner.show(ann)
        store.flowing.set()
        await eventually(lambda: runner.idle)
        assert not ann.has(m.BoardEvent)
        [snapshot] = heard(ann, m.Snapshot)
        assert isinstance(snapshot, m.Snapshot)
        assert snapshot.race.start is None
        assert runner.state.race.t0 == runner.now + LOCK_MS
        runner.freeze()


async def test_lines_are_told_when_they_change_and_to_newcomers_at_once() -> None:
    clock = HandClock()
    async with MemoryStore() as store, asyncio.TaskGroup() as group:
        runner = opened(group, store, clock)
        ann, ben, eve = three(runner)
        await eventually(lambda: eve.following)
        clock.advance(2_000)
        assert not ann.has(m.Lines)
        ann.measured, ben.measured = Line(23, 4, 8), Line(80, 9, 4)
        clock.advance(2_000)
        told = m.Lines([m.LineOf(1, 23, 4)])
        assert heard(ann, m.Lines) == heard(eve, m.Lines) == [told]
        clock.advance(10_000)
        assert len(heard(ann, m.Lines)) == 1
        ben.measured = Line(80, 9, 5)
        clock.advance(2_000)
        assert heard(ann, m.Lines)[-1] == m.Lines([m.LineOf(2, 80, 9)])
        again = Ear()
        runner.resume(again, room.Connect(ben.member))
        await eventually(lambda: again.following)
        assert heard(again, m.Lines) == [
            m.Lines([m.LineOf(1, 23, 4), m.LineOf(2, 80, 9)])
        ]
        runner.freeze()
        clock.advance(10_000)
        for one in (ann, again, eve):
            runner.lost(one)


async def race_begun(runner: Runner, clock: HandClock, host: Ear, guest: Ear) -> None:
    """Both race, from now on."""
    runner.ask(guest, m.Ready(runner.state.race.id))
    runner.ask(host, m.Start(runner.state.race.id))
    await eventually(lambda: runner.idle)
    clock.advance(5_000 - LOCK_MS)
    await eventually(lambda: runner.idle)
    clock.advance(LOCK_MS)


async def told_in_a_second(tempo: Tempo, small_room: int) -> tuple[int, int]:
    """How often a racer and a spectator hear of somebody who slides every 5 ms."""
    clock = HandClock()
    async with MemoryStore() as store, asyncio.TaskGroup() as group:
        runner = opened(group, store, clock, tempo, small_room)
        ann, ben, eve = three(runner)
        await race_begun(runner, clock, ann, ben)
        race = runner.state.race
        board = Board(race.size, race.board)
        for seq in range(1, 201):
            (direction, tiles), *_ = board.legal_slides()
            board.slide(direction, tiles)
            runner.slide(ann, m.Slides(race.id, 0, seq, [(direction, tiles, 5 * seq)]))
            await asyncio.sleep(0)
            clock.advance(5)
        await eventually(lambda: runner.idle)
        runner.freeze()
    return len(heard(ben, m.Progress)), len(heard(eve, m.Progress))


@pytest.mark.parametrize(
    ("small_room", "calm", "busy", "busier"),
    # The first at once; in large rooms spectators are told per 225 ms, 450 at most.
    [
        (16, (1 + 20, 1 + 20), (1 + 10, 1 + 10), (1 + 6, 1 + 6)),
        (2, (20, 5), (10, 3), (7, 3)),
    ],
)
async def test_a_busy_server_tells_less_often_what_moved(
    small_room: int,
    calm: tuple[int, int],
    busy: tuple[int, int],
    busier: tuple[int, int],
) -> None:
    tempo = Tempo()
    tempo.note(0, 0)
    assert await told_in_a_second(tempo, small_room) == calm
    tempo.note(0.3, 1_000)
    assert await told_in_a_second(tempo, small_room) == busy
    tempo.note(1.2, 2_000)
    assert await told_in_a_second(tempo, small_room) == busier


async def test_what_is_said_of_slides_does_not_wait_behind_a_crowd() -> None:
    clock = HandClock()
    async with MemoryStore() as store, asyncio.TaskGroup() as group:
        runner = opened(group, store, clock)
        ann, ben, _ = three(runner)
        await race_begun(runner, clock, ann, ben)
        race = runner.state.race
        (direction, tiles), *_ = Board(race.size, race.board).legal_slides()
        slides = m.Slides(race.id, 0, 1, [(direction, tiles, 5)])
        runner.slide(ann, slides)
        await eventually(lambda: runner.idle and ann.answers)
        runner.slide(ann, slides)  # again
        runner.slide(ann, m.Slides(race.id, 0, 3, [(direction, tiles, 9)]))
        ack = m.Ack(race.id, 1)
        assert ann.answers[:2] == [ack, ack]
        assert isinstance(ann.answers[2], m.Rejected)
        runner.freeze()


async def test_in_large_rooms_only_players_lines_are_told() -> None:
    clock = HandClock()
    async with MemoryStore() as store, asyncio.TaskGroup() as group:
        runner = opened(group, store, clock, small_room=2)
        ann, ben, eve = three(runner)
        await eventually(lambda: eve.following)
        for ear in (ann, ben, eve):
            ear.measured = Line(23, 4, 8)
        clock.advance(2_000)
        lines = [m.LineOf(1, 23, 4), m.LineOf(2, 23, 4)]
        assert heard(eve, m.Lines) == [m.Lines(lines)]
        runner.freeze()


async def test_signals_are_for_the_host_alone() -> None:
    clock = HandClock()
    async with MemoryStore() as store, asyncio.TaskGroup() as group:
        runner = opened(group, store, clock)
        ann, ben, eve = three(runner)
        await race_begun(runner, clock, ann, ben)
        board = Board(runner.state.race.size, runner.state.race.board)
        (direction, tiles), *_ = board.legal_slides()
        race = runner.state.race.id
        runner.ask(ben, m.Slides(race, 0, 1, [(direction, tiles, 5)]))
        for ear in (ann, ben):
            runner.ask(ear, m.Forfeit(race))
        clock.advance(3_000)
        await eventually(lambda: eve.has(m.Results))
        [told] = heard(ann, m.Signals)
        assert isinstance(told, m.Signals)
        assert (told.race, [one.seat for one in told.signals]) == (race, [1])
        runner.ask(ann, m.HandOver(2))
        await eventually(lambda: runner.idle)
        assert heard(ben, m.Signals) == [told]
        again = Ear()
        runner.resume(again, room.Connect(ben.member))
        await eventually(lambda: again.following)
        assert heard(again, m.Signals) == [told]
        assert not eve.has(m.Signals)
        assert len(heard(ann, m.Signals)) == 1
        runner.freeze()
