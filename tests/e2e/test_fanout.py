"""Fan-out: counts of encodings and writes, slow readers, floods."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator

import pytest
from tests.e2e.protocol_client import (
    QUICK,
    FastClock,
    ProtocolClient,
    connected,
    eventually,
    running_race,
    running_server,
    solution,
)
from tests.e2e.stores import FaultyStore
from tests.server.recording_subscriber import RecordingSubscriber
from websockets.frames import Frame, Opcode

from sliderace.engine import Board, Size, format_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command
from sliderace.race.log_records import Seat
from sliderace_server.app import Server
from sliderace_server.limits import Limits
from sliderace_server.live_room.subscriber import Peer, Subscriber
from sliderace_server.pacing import LEVELS, PACES
from sliderace_server.registry.actor import RoomActor
from sliderace_server.websocket.connection import Connection
from sliderace_server.websocket.send_queue import text_frame
from sliderace_server.websocket.session import Session


@contextlib.asynccontextmanager
async def subscribers(
    port: int, count: int
) -> AsyncGenerator[list[ProtocolClient], None]:
    """Connect a host and spectators to one room."""
    async with contextlib.AsyncExitStack() as stack:
        create = m.Create(name="Host", rules=QUICK)
        everyone = [await stack.enter_async_context(connected(port, create))]
        join = m.Join(code=everyone[0].code, name="Eve", role="spectator")
        everyone += [
            await stack.enter_async_context(connected(port, join))
            for _ in range(count - 1)
        ]
        for one in everyone:
            await one.sync()
        yield everyone


def counted(server: Server, name: str) -> int:
    return server.metrics.counts[name].total()


def subscriber_of(server: Server, code: str, member: int) -> Subscriber:
    """Return the server's subscriber of a member."""
    actor = server.registry.find(code, "")
    assert isinstance(actor, RoomActor)
    subscribers = actor.live._subscribers  # pyright: ignore[reportPrivateUsage]
    return subscribers.current[member]


def peer_of(server: Server, code: str, member: int) -> Peer:
    """Return the server's connection of a member."""
    return subscriber_of(server, code, member).peer


async def test_an_event_is_encoded_once_for_all_receivers() -> None:
    async with running_server() as server, subscribers(server.port, 12) as everyone:
        before = server.metrics.counts["encoded"]["room"]
        await everyone[0].send(m.Lock())
        for one in everyone:
            await one.until(m.RoomEvent)
        assert server.metrics.counts["encoded"]["room"] - before == 1


async def test_frames_of_one_turn_are_one_write_per_member() -> None:
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        subscribers(server.port, 12) as everyone,
    ):
        store.unblocked.clear()
        for on in (True, False, True, False):
            await everyone[0].send(m.Lock(on=on))
        await everyone[0].sync()
        before = counted(server, "writes")
        store.unblocked.set()
        for one in everyone:
            for _ in range(4):
                await one.until(m.RoomEvent)
        # Two commits (one record, then the three that waited) are two writes each,
        # for four events. There may also be pings.
        pings = 12
        assert counted(server, "writes") - before <= 2 * 12 + pings


async def test_progress_is_encoded_once_for_each_audience() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 3, "3x3") as racers,
    ):
        join = m.Join(code=racers[0].code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            await eve.until(m.Snapshot)
            before = server.metrics.counts["encoded"]["progress"]
            await racers[0].send(racers[0].slides(solution(racers[0].board)[:1]))
            await eve.until(m.Progress)
            await racers[1].until(m.Progress)
            assert server.metrics.counts["encoded"]["progress"] - before == 2


async def test_slides_of_one_turn_are_one_message_per_audience() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 3, "3x3") as (ann, ben, _),
    ):
        await ann.sync()
        before = server.metrics.counts["encoded"]["progress"]
        there = solution(ann.board)[0]
        back = ({"U": "D", "D": "U", "L": "R", "R": "L"}[there[0]], there[1])
        sent = [encode_command(ann.slides([way])) for way in (there, back) * 5]
        frames = (Frame(Opcode.TEXT, one.encode()).serialize(mask=True) for one in sent)
        ann.socket.transport.write(b"".join(frames))
        received = await ben.until(m.Progress, lambda e: e.p[0].seq == 10)
        assert received.p[0].seat == ann.seat
        # One piece of input is sent in one message, but the system may split the piece.
        assert server.metrics.counts["encoded"]["progress"] - before < 5


async def test_a_connection_is_not_pinged_before_a_successful_hello() -> None:
    async with running_server() as server, connected(server.port) as ann:
        enter = m.Join(code="KWXTRB", name="Ann")
        await ann.send(m.Hello(v=1, enter=enter))
        assert await ann.closed() == 4502
        assert counted(server, "writes") == 1  # the refusal


async def test_only_players_latency_is_measured() -> None:
    """Pinging a thousand spectators often would cost more than the race itself."""
    async with (
        running_server() as server,
        running_race(server.port, 2, "3x3") as (ann, _),
    ):
        join = m.Join(code=ann.code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            await eve.until(m.Snapshot)
            counts: list[bool] = []
            for one in (ann, eve):
                peer = peer_of(server, ann.code, one.member)
                assert isinstance(peer, Connection)
                counts.append(peer.session.needs_latency)
            assert counts == [True, False]


async def test_delayed_slides_are_timestamped_when_they_are_handled() -> None:
    """Otherwise times in the log would decrease, as others have slid meanwhile."""
    clock = FastClock()
    async with (
        running_server(clock=clock) as server,
        running_race(server.port, 2, "3x3") as (ann, _),
    ):
        actor = server.registry.find(ann.code, "")
        peer = peer_of(server, ann.code, ann.member)
        assert isinstance(actor, RoomActor)
        assert isinstance(peer, Connection)
        peer.session.throttle()
        came = actor.now
        await eventually(lambda: actor.now > came + 50)
        slides = encode_command(ann.slides(solution(ann.board)[:1]))
        peer.session.receive_delayed(slides.encode())
        (played,) = actor.state.race.attempts[Seat(ann.seat or 0)].slides
        assert played.t > came + 50


async def test_a_ping_is_answered_urgently() -> None:
    async with running_server() as server:
        ear = RecordingSubscriber()
        session = Session(server.registry, server.chosen, ear)
        hello = m.Hello(v=1, enter=m.Create(name="Ann", rules=QUICK))
        session.receive_text(encode_command(hello).encode())
        await eventually(lambda: ear.has(m.Snapshot))
        session.receive_text(encode_command(m.Ping(id=3)).encode())
        assert ear.answers == [m.Pong(id=3)]
        session.disconnected()


async def test_a_slow_reader_gets_the_newest_state() -> None:
    async with (
        running_server(Limits(ping_timeout_ms=600_000)) as server,
        running_race(server.port, 2, "3x3", limit_ms=0) as (ann, _),
    ):
        join = m.Join(code=ann.code, name="Slow", role="spectator")
        async with connected(server.port, join) as slow:
            joined = await ann.until(m.MemberEvent, lambda e: e.why == "joined")
            subscriber = subscriber_of(server, ann.code, joined.member.id)
            await slow.until(m.Snapshot)
            slow.socket.transport.pause_reading()
            filler = text_frame(b'{"t":"pong","id":1}' + b" " * 8_000)
            while not subscriber.behind:  # until the system's buffers are full
                subscriber.peer.send(filler)
                await asyncio.sleep(0)
            moves = solution(ann.board)[:3]
            for move in moves:
                await ann.send(ann.slides([move]))
            await ann.acked(3)
            slow.socket.transport.resume_reading()
            board = await slow.until(m.BoardEvent, lambda e: e.seat == ann.seat)
            assert board.seq == 3
            assert not [e for e in slow.received if isinstance(e, m.Progress)]
            await ann.send(ann.slides(solution(ann.board)[3:4]))
            received = await slow.until(m.Progress)
            assert (received.p[0].since, received.p[0].seq) == (3, 4)


class BusyClock(FastClock):
    """A clock of a process that is always busy."""

    def cpu_s(self) -> float:
        return self.now_ms() / 1_000


async def test_the_load_is_measured_regularly() -> None:
    async with running_server(clock=BusyClock()) as server:
        services = server.registry.services
        flusher = services.before_flush.__self__  # type: ignore[attr-defined]
        assert services.load_meter.pace == PACES[0]
        await eventually(lambda: services.load_meter.level == len(LEVELS))
        assert services.load_meter.pace == PACES[-1]
        assert flusher._load_meter is services.load_meter  # pyright: ignore[reportPrivateUsage]
        assert services.log_writer._load_meter is services.load_meter  # pyright: ignore[reportPrivateUsage]


async def test_a_large_room_gets_progress_per_tick() -> None:
    async with (
        running_server(small_room=2, player_tick=0.5, spectator_tick=2.0) as server,
        running_race(server.port, 3, "4x4", limit_ms=0) as racers,
    ):
        join = m.Join(code=racers[0].code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            await eve.until(m.Snapshot)
            moves = solution(racers[0].board)[:40]
            before = server.metrics.counts["encoded"]["progress"]
            for move in moves:
                await racers[0].send(racers[0].slides([move]))
            await racers[0].acked(40)
            for one in (eve, racers[1]):
                await one.until(m.Progress, lambda e: e.p[0].seq == 40)
            assert server.metrics.counts["encoded"]["progress"] - before < 20
            steps = [s for e in eve.received if isinstance(e, m.Progress) for s in e.p]
            assert [step.since for step in steps[1:]] == [s.seq for s in steps[:-1]]


@pytest.mark.parametrize("small_room", [2, 16])
async def test_progress_is_sent_before_the_events_it_causes(small_room: int) -> None:
    """Also in large rooms, where progress waits for a tick."""
    async with (
        running_server(
            small_room=small_room, player_tick=5, spectator_tick=5
        ) as server,
        running_race(server.port, 3, "3x3") as (ann, ben, cat),
    ):
        join = m.Join(code=ann.code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            await eve.until(m.Snapshot)
            for racer in (ann, ben, cat):
                way = solution(racer.board)
                await racer.send(racer.slides(way))
                standing = await eve.until(m.StandingEvent)
                assert standing.standing.seat == racer.seat
                received = [
                    s for e in eve.received if isinstance(e, m.Progress) for s in e.p
                ]
                assert [s.seq for s in received if s.seat == racer.seat][-1] == len(way)
            await cat.until(m.Results)
            boards = {e.seat for e in cat.received if isinstance(e, m.BoardEvent)}
            assert {ann.seat, ben.seat} <= boards


async def test_peer_that_does_not_read_is_aborted_without_delaying_others() -> None:
    patient = Limits(
        ping_timeout_ms=600_000
    )  # so that a missing pong does not abort it
    async with (
        running_server(patient) as server,
        running_race(server.port, 2, "3x3") as (ann, ben),
    ):
        join = m.Join(code=ann.code, name="Mute", role="spectator")
        async with connected(server.port, join) as mute:
            received = await ann.until(m.MemberEvent, lambda e: e.why == "joined")
            mute.socket.transport.pause_reading()
            member = received.member.id
            peer = peer_of(server, ann.code, member)
            before = counted(server, "aborted")
            for _ in range(400):
                peer.send(text_frame(b" " * 60_000))
                await asyncio.sleep(0)
            await ben.send(ben.slides(solution(ben.board)[:1]))
            await ben.acked(1)
            gone = await ann.until(m.MemberEvent, lambda e: e.why == "disconnected")
            assert gone.member.id == member
            assert counted(server, "aborted") == before + 1
        await ann.solve()
        await ben.until(m.StandingEvent)


async def test_a_peer_that_sends_too_fast_is_throttled_and_loses_nothing() -> None:
    limits = Limits(messages_per_s=200, messages_burst=20)
    async with (
        running_server(limits) as server,
        running_race(server.port, 2) as (ann, ben),
    ):
        before = counted(server, "throttled")
        for number in range(300):
            await ann.send(m.Ping(id=number))
        await ben.sync()  # is not delayed
        for number in range(300):
            assert (await ann.until(m.Pong)).id == number
        assert counted(server, "throttled") > before


async def test_too_many_slides_are_throttled_too() -> None:
    limits = Limits(tiles_per_s=100, tiles_burst=10)
    async with (
        running_server(limits) as server,
        running_race(server.port, 1, "3x3") as (ann,),
    ):
        moves = solution(ann.board)
        back = {"U": "D", "D": "U", "L": "R", "R": "L"}
        first = moves[0]
        to_and_fro = [first, (back[first[0]], first[1])] * 100
        before = counted(server, "throttled")
        for move in to_and_fro:
            await ann.send(ann.slides([move]))
        await ann.acked(200)
        assert counted(server, "throttled") > before
        assert not [e for e in ann.received if isinstance(e, m.Rejected)]


@pytest.mark.parametrize("kind", ["messages", "pings", "pongs"])
async def test_a_peer_that_keeps_flooding_is_disconnected(kind: str) -> None:
    limits = Limits(messages_per_s=5, messages_burst=20, flood_ms=1_000)
    async with (
        running_server(limits) as server,
        running_race(server.port, 2) as (ann, ben),
    ):

        async def flood() -> None:
            while True:
                await server.registry.services.clock.sleep(0.02)
                if kind == "pings":
                    await ann.socket.ping()
                elif kind == "pongs":
                    await ann.socket.pong()
                else:
                    await ann.send(m.Ping(id=1))

        flooding = asyncio.create_task(flood())
        assert await ann.closed() == 4429
        await asyncio.wait([flooding])
        flooding.exception()
        await ben.send(ben.slides(solution(ben.board)))
        await ben.acked(ben.seq)


@pytest.mark.parametrize("first", [0x89, 0x8A], ids=["pings", "pongs"])
async def test_many_tiny_frames_do_not_delay_others(first: int) -> None:
    async with running_server() as server, running_race(server.port, 2) as (ann, ben):
        frame = bytes((first, 0x80, 0, 0, 0, 0))  # empty
        ann.socket.transport.write(frame * 200_000)
        loop = asyncio.get_running_loop()
        worst = 0.0
        for _ in range(20):
            began = loop.time()
            await ben.sync()
            worst = max(worst, loop.time() - began)
        assert worst < 0.5
        ann.socket.transport.abort()
        await ben.solve()
        await ben.acked(ben.seq)


async def test_a_dead_connection_is_detected() -> None:
    limits = Limits(ping_timeout_ms=1_000)
    async with (
        running_server(limits) as server,
        running_race(server.port, 2) as (ann, ben),
    ):
        ben.socket.transport.pause_reading()
        await ann.until(m.MemberEvent, lambda e: e.why == "disconnected")


async def test_the_latency_of_every_member_is_measured() -> None:
    async with running_server() as server, running_race(server.port, 1) as (ann,):
        await ann.solve()
        await ann.until(m.Results)
        assert sum(server.metrics.rtt_seconds.counts) >= 8


async def test_delayed_spectators_see_the_same_race_later() -> None:
    delay = 5_000  # longer than a busy machine needs for the first slides
    async with (
        running_server() as server,
        running_race(server.port, 2, "3x3", spectator_delay_ms=delay) as (ann, _),
    ):
        join = m.Join(code=ann.code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            snapshot = await eve.until(m.Snapshot)
            assert snapshot.race.start is None
            assert all(lane.board is None for lane in snapshot.race.lanes)
            moves = solution(ann.board)
            await ann.send(ann.slides(moves[:3]))
            await ann.acked(3)
            await eve.sync()
            assert not [
                e for e in eve.received if isinstance(e, m.Progress | m.BoardEvent)
            ]
            board = await eve.until(m.BoardEvent)
            assert board.board == ann.board
            received = await eve.until(m.Progress)
            assert (received.p[0].seat, received.p[0].seq, received.p[0].since) == (
                ann.seat,
                3,
                0,
            )


async def test_delayed_spectators_see_the_end() -> None:
    """They get all final boards at once, without the delay."""
    async with (
        running_server() as server,
        running_race(server.port, 2, "3x3", spectator_delay_ms=30_000) as (ann, ben),
    ):
        join = m.Join(code=ann.code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            await eve.until(m.Snapshot)
            for racer in (ann, ben):
                await racer.send(racer.slides(solution(racer.board)))
            await eve.until(m.Results)
            boards = {
                e.seat: e.board for e in eve.received if isinstance(e, m.BoardEvent)
            }
            solved = format_board(Board.solved(Size(3, 3)))
            assert (boards[ann.seat], boards[ben.seat]) == (solved, solved)
