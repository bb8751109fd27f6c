"""Recovery of a room that has raced: what is read of its log, and what it becomes."""

import contextlib
import sys
from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import eventually, solution
from tests.e2e.stores import FaultyStore
from tests.server.make_services import Tasks, make_services
from tests.server.recording_subscriber import RecordingSubscriber

from sliderace.engine import Board, format_board
from sliderace.protocol import messages as m
from sliderace.race.log_records import Slid
from sliderace_server import room
from sliderace_server.limits import PerAddress
from sliderace_server.registry.actor import RoomActor
from sliderace_server.registry.results_writer import ResultsWriter
from sliderace_server.registry.rooms import RoomRegistry
from sliderace_server.room.log_records import Checkpoint, RoomOpened, Stalled
from sliderace_server.storage.record_codec import decode

RULES = m.RulesPatch(size="2x2")


@contextlib.asynccontextmanager
async def running_rooms(
    store: FaultyStore, clock: ManualClock
) -> AsyncGenerator[RoomRegistry, None]:
    """Recover all rooms of a store and run them; the end of the context is a crash."""
    async with store, Tasks() as group:
        services = make_services(store, group, clock=clock)
        results_writer = ResultsWriter(store.results, services.spawn, clock)
        services = replace(services, store_race=results_writer.add)
        addresses = PerAddress(services.settings.limits)
        registry = RoomRegistry(services, results_writer, addresses)
        results_writer.stored = registry.stored
        group.create_task(services.log_writer.run())
        await registry.recover()
        yield registry


class Host:
    """A room whose only member starts one race after the other."""

    def __init__(self, registry: RoomRegistry, clock: ManualClock) -> None:
        create = m.Create(name="Ann", rules=RULES)
        actor = registry.open(create, "")
        assert isinstance(actor, RoomActor)
        self.actor, self.registry, self.clock = actor, registry, clock
        self.me = RecordingSubscriber()
        enter = room.Enter("Ann", "0" * 64, creator=True)
        actor.subscribe(self.me.subscriber, enter, token="t")

    async def stored(self) -> None:
        """Wait until everything is stored."""
        await eventually(lambda: self.registry.idle)

    def slides(self, count: int | None = None) -> m.Slides:
        """Return the first slides of a solution, or all."""
        race = self.actor.state.race
        moves = solution(format_board(Board(race.size, race.board)))[:count]
        slides = [(way, tiles, 5) for way, tiles in moves]
        return m.Slides(race.id, self.me.subscriber.gen, 1, slides)  # type: ignore[arg-type]

    async def start(self) -> None:
        """Start a race."""
        await self.stored()
        self.ask(m.Start(self.actor.state.race.id))
        while self.actor.state.phase != "racing":
            await self.stored()
            self.clock.advance(500)

    async def race(self) -> None:
        """Race once, and create the next race."""
        await self.start()
        self.ask(self.slides())
        assert self.actor.state.phase == "results"
        self.ask(m.Rematch(self.actor.state.race.id))
        await self.stored()

    def ask(self, command: room.WireCommand | m.Slides) -> None:
        self.me.events.clear()
        self.actor.receive(self.me.subscriber, command)


async def recovered(store: FaultyStore, clock: ManualClock, crashed: Host) -> None:
    """Recover a room, and check that it is what it was before the crash."""
    store.reads.clear()
    async with running_rooms(store, clock) as registry:
        actor = registry.find(crashed.actor.code, "")
        assert isinstance(actor, RoomActor)
        before = crashed.actor.state
        assert actor.state == room.apply(before.copy(), actor.state.epoch)
        await eventually(lambda: registry.idle)


async def test_a_recovery_reads_at_most_two_races_even_after_500() -> None:
    store, clock = FaultyStore(), ManualClock()
    async with running_rooms(store, clock) as registry:
        host = Host(registry, clock)
        await host.stored()
        lengths = [await store.log.length(host.actor.code)]
        for _ in range(500):
            await host.race()
            lengths.append(await store.log.length(host.actor.code))
        await host.start()
        host.ask(host.slides(1))
        await host.stored()
    await recovered(store, clock, host)
    longest = max(after - before for before, after in pairwise(lengths))
    assert store.reads == [store.reads[0]]
    assert store.reads[0] <= 2 * longest


@pytest.mark.parametrize("first", ["slides", "timer", "return"])
async def test_rooms_learn_of_a_stall_before_anything_else(first: str) -> None:
    """Whatever the event loop does first after a stall."""
    store, clock = FaultyStore(), ManualClock()
    async with running_rooms(store, clock) as registry:
        host = Host(registry, clock)
        await host.start()
        await host.stored()
        clock.advance(20)
        made = await store.log.length(host.actor.code)
        clock.stall(1_000)
        if first == "timer":
            host.actor.wake()
        elif first == "return":
            connect = room.Connect(host.me.member)
            host.actor.subscribe(RecordingSubscriber().subscriber, connect)
        else:
            host.ask(host.slides(1))
        await host.stored()
        log = [decode(line) for line in await store.log.read(host.actor.code, made)]
        stalled = log[0]
        assert isinstance(stalled, Stalled)
        assert stalled.t == host.actor.now
        assert 1_000 <= stalled.t - stalled.since <= 1_050
        assert len(log) == (2 if first == "slides" else 1)
    await recovered(store, clock, host)


async def test_a_room_that_fails_at_a_heartbeat_or_stall_does_not_affect_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("a bug")

    store, clock = FaultyStore(), ManualClock()
    async with running_rooms(store, clock) as registry:
        bad, host = Host(registry, clock), Host(registry, clock)
        await host.start()
        await host.stored()
        made = await store.log.length(host.actor.code)
        monkeypatch.setattr(bad.actor.live, "beat", fail)
        monkeypatch.setattr(bad.actor.live, "stalled", fail)
        clock.advance(room.KEEP_ALIVE_MS + 100)
        clock.stall(1_000)
        clock.advance(room.KEEP_ALIVE_MS + 100)
        await host.stored()
        log = [decode(line) for line in await store.log.read(host.actor.code, made)]
        kinds = [type(record).__name__ for record in log]
        assert kinds == ["Alive", "Stalled", "Alive"]
    assert caplog.text.count("a bug") >= 3


async def test_a_room_survives_a_night_in_which_its_machine_was_asleep() -> None:
    store, clock = FaultyStore(), ManualClock()
    async with running_rooms(store, clock) as registry:
        host = Host(registry, clock)
        await host.stored()
        clock.advance(2_000)
        clock.stall(12 * 3_600_000)
        clock.advance(100)
        host.ask(m.Lock())
        clock.advance(60_000)
        assert not host.actor.state.closed
        assert host.actor.state.locked


async def test_a_crash_between_checkpoint_and_trim_loses_nothing() -> None:
    store, clock = FaultyStore(), ManualClock()
    store.drops_fail = True
    async with running_rooms(store, clock) as registry:
        host = Host(registry, clock)
        for _ in range(2):
            await host.race()
        log = [decode(line) for line in await store.log.read(host.actor.code)]
        assert sum(isinstance(record, Checkpoint) for record in log) == 2
        assert isinstance(log[0], RoomOpened)
    await recovered(store, clock, host)


async def test_slides_after_a_checkpoint_are_recovered() -> None:
    store, clock = FaultyStore(), ManualClock()
    async with running_rooms(store, clock) as registry:
        host = Host(registry, clock)
        await host.start()
        late = host.slides(1)
        host.ask(host.slides())
        host.ask(m.Rematch(late.race))
        host.ask(late)  # it arrives right after the checkpoint
        await host.stored()
        assert host.me.has(m.Refused)
        await host.start()
        host.ask(host.slides(1))
        await host.stored()
        log = [decode(line) for line in await store.log.read(host.actor.code)]
        assert isinstance(log[0], Checkpoint)
        assert isinstance(log[-1], Slid)
    await recovered(store, clock, host)


async def test_the_bots_of_a_room_are_counted_without_asking_all_rooms() -> None:
    """Or a host could keep a large server busy with a command that changes nothing."""
    store, clock = FaultyStore(), ManualClock()

    def calls(registry: RoomRegistry, host: Host) -> int:
        count = 0

        def called(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(called)
        registry.bots.refusal(host.actor, 1)
        sys.setprofile(None)
        return count

    async with running_rooms(store, clock) as registry:
        host = Host(registry, clock)
        alone = calls(registry, host)
        for _ in range(20):
            Host(registry, clock)
        assert calls(registry, host) == alone
