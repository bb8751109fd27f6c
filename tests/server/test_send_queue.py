"""Send queues: one write per turn, flushed in slices, bounded; without a socket."""

from collections import deque
from collections.abc import Callable

import pytest
from websockets.frames import Frame, Opcode

from sliderace_server.pacing import MAX_SLICE, PACES, LoadMeter, Slice
from sliderace_server.websocket.send_queue import (
    Flusher,
    SendQueue,
    ping_frame,
    text_frame,
)


class FakeWriter:
    """Records writes; `reads`: whether its peer reads."""

    def __init__(self, *, reads: bool = True) -> None:
        self.reads = reads
        self.written: list[bytes] = []
        self.buffered = 0
        self.aborts: list[int] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)
        self.buffered += 0 if self.reads else len(data)

    def unsent(self) -> int:
        return self.buffered

    def abort(self) -> None:
        self.aborts.append(self.buffered)


class FakeLoop:
    """An event loop whose turns and timers the test controls."""

    def __init__(self) -> None:
        self.calls: deque[Callable[[], None]] = deque()
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def soon(self, call: Callable[[], None]) -> None:
        self.calls.append(call)

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        self.timers.append((seconds, call))

    def wait(self) -> list[float]:
        """Fire the timers; return their delays."""
        timers, self.timers = self.timers, []
        for _, call in timers:
            call()
        return [seconds for seconds, _ in timers]

    def turn(self) -> None:
        for _ in range(len(self.calls)):
            self.calls.popleft()()


def flusher_of(loop: FakeLoop, chosen: Slice = PACES[0].slice) -> Flusher:
    """A flusher that flushes slices of this kind."""
    load_meter = LoadMeter()
    load_meter.pace = PACES[0]._replace(slice=chosen)
    return Flusher(loop.soon, loop.later, load_meter)


def test_frames_of_one_turn_are_one_write_in_order() -> None:
    loop, writer = FakeLoop(), FakeWriter()
    send_queue = SendQueue(writer, flusher_of(loop))
    for frame in (b"a", b"b", b"c"):
        send_queue.send(frame)
    assert writer.written == []
    loop.turn()
    assert writer.written == [b"abc"]
    send_queue.send(b"d")
    loop.turn()
    assert writer.written == [b"abc", b"d"]
    loop.turn()
    assert writer.written == [b"abc", b"d"]


def waiting_queues(count: int, flusher: Flusher) -> list[FakeWriter]:
    """Writers of connections that each have one frame to send."""
    writers = [FakeWriter() for _ in range(count)]
    for writer in writers:
        SendQueue(writer, flusher).send(b"x")
    return writers


def flushed(writers: list[FakeWriter]) -> int:
    return sum(len(writer.written) for writer in writers)


def test_on_a_very_busy_server_each_turn_flushes_a_slice() -> None:
    loop = FakeLoop()
    writers = waiting_queues(250, flusher_of(loop, Slice(100, 0)))
    done: list[int] = []
    while loop.calls:
        loop.turn()
        done.append(flushed(writers))
    assert done == [100, 200, 250]
    assert loop.timers == []


def test_slices_are_separated_by_pauses_except_for_urgent_queues() -> None:
    loop = FakeLoop()
    flusher = flusher_of(loop, Slice(25, 0.001))
    writers = waiting_queues(MAX_SLICE + 60, flusher)
    loop.turn()
    assert (flushed(writers), loop.calls) == (25, deque())
    late = FakeWriter()
    send_queue = SendQueue(late, flusher)
    send_queue.send(b"news ")
    assert not loop.calls
    send_queue.send_urgent(b"an answer")
    loop.turn()
    assert late.written == [b"news an answer"]
    assert (flushed(writers), loop.calls) == (25, deque())
    assert loop.wait() == [0.001]
    assert flushed(writers) == 50
    assert loop.wait() == [0.001]
    assert flushed(writers) == 75
    # Fewer than the largest slice are left.
    assert loop.timers == []
    while loop.calls:
        loop.turn()
    assert flushed(writers) == len(writers)
    send_queue.send(b"no pause any more")
    loop.turn()
    assert len(late.written) == 2


def test_slices_grow_with_the_number_of_queues_up_to_a_limit() -> None:
    loop = FakeLoop()
    writers = waiting_queues(5_000, flusher_of(loop, Slice(25, 0.001)))
    loop.turn()
    sizes = [flushed(writers)]
    while loop.wait():
        sizes.append(flushed(writers) - sum(sizes))
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (MAX_SLICE, 25)
    assert set(range(26, MAX_SLICE)) & set(sizes)
    assert sum(sizes) > 5_000 - MAX_SLICE
    assert len(sizes) < 100


def test_urgent_queues_are_flushed_first_but_do_not_starve_others() -> None:
    loop, order = FakeLoop(), list[str]()
    flusher = flusher_of(loop, Slice(2, 0.001))

    class Named(FakeWriter):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def write(self, data: bytes) -> None:
            super().write(data)
            order.append(self.name)

    others = [SendQueue(Named(f"c{n}"), flusher) for n in range(4)]
    racers = [SendQueue(Named(f"r{n}"), flusher) for n in range(3)]
    for send_queue in (*others, racers[0]):
        send_queue.send(b"news")
    for send_queue in racers:
        send_queue.send_urgent(b"answer")
    racers[1].send(b"and more")
    loop.turn()
    assert order == ["r0", "r1", "c0", "c1"]
    loop.turn()
    assert order[4:] == ["r2", "c2", "c3"]
    while loop.calls:
        loop.turn()
    for name in ("one", "two", "three"):
        SendQueue(Named(name), flusher).send_urgent(b"answer")
    while loop.calls:
        loop.turn()
    assert order[7:] == ["one", "two", "three"]
    racers[0].close()
    racers[0].send_urgent(b"too late")
    assert not loop.calls


def test_a_queue_is_only_once_among_the_urgent_ones() -> None:
    """With one entry per ack they would grow if a turn takes longer than a commit."""
    loop = FakeLoop()
    flusher = flusher_of(loop, Slice(1, 0))
    first, second = FakeWriter(), FakeWriter()
    many, one = SendQueue(first, flusher), SendQueue(second, flusher)
    for _ in range(20):
        many.send_urgent(b"x")
        many.flush()  # as when its turn among the other queues comes
    one.send_urgent(b"y")
    many.send_urgent(b"z")
    loop.turn()
    assert first.written[-1] == b"z"  # FIFO
    assert second.written == []
    loop.turn()
    assert second.written == [b"y"]
    assert not loop.calls
    many.send_urgent(b"again")
    loop.turn()
    assert first.written[-1] == b"again"


def test_a_peer_that_does_not_read_is_aborted_beyond_the_limit() -> None:
    loop, writer = FakeLoop(), FakeWriter(reads=False)
    send_queue = SendQueue(writer, flusher_of(loop), max_unsent=100)
    send_queue.send(b"x" * 100)
    loop.turn()
    assert writer.aborts == []
    send_queue.send(b"x")
    loop.turn()
    assert writer.aborts == []
    send_queue.send(b"one byte too many is unread by now")
    loop.turn()
    assert len(writer.aborts) == 1
    send_queue.send(b"more")
    loop.turn()
    assert len(writer.written) == 2


def test_a_snapshot_does_not_count_but_later_frames_do() -> None:
    loop, writer = FakeLoop(), FakeWriter(reads=False)
    send_queue = SendQueue(writer, flusher_of(loop), max_unsent=100)
    send_queue.send_snapshot(b"s" * 5_000)
    loop.turn()
    send_queue.send(b"x" * 100)
    loop.turn()
    assert writer.aborts == []
    send_queue.send(b"x")
    loop.turn()
    send_queue.send(b"one byte too many is unread by now")
    loop.turn()
    assert len(writer.aborts) == 1


def test_unread_snapshots_do_not_accumulate() -> None:
    loop, writer = FakeLoop(), FakeWriter(reads=False)
    send_queue = SendQueue(writer, flusher_of(loop), max_unsent=100)
    for _ in range(3):
        send_queue.send_snapshot(b"s" * 5_000)
        loop.turn()
    assert len(writer.aborts) == 1
    assert writer.buffered == 10_000


def test_a_peer_that_reads_may_get_any_amount() -> None:
    loop, writer = FakeLoop(), FakeWriter()
    send_queue = SendQueue(writer, flusher_of(loop), max_unsent=100)
    for _ in range(50):
        send_queue.send(b"x" * 90)
        loop.turn()
    assert writer.aborts == []


def test_a_closed_queue_accepts_and_sends_nothing() -> None:
    loop, writer = FakeLoop(), FakeWriter()
    send_queue = SendQueue(writer, flusher_of(loop))
    send_queue.send(b"a")
    send_queue.close()
    send_queue.send(b"b")
    loop.turn()
    assert writer.written == []


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
def test_our_frames_equal_those_of_the_library(size: int) -> None:
    payload = b"x" * size
    theirs = Frame(Opcode.TEXT, payload).serialize(mask=False)
    assert text_frame(payload) == theirs
    if size <= 125:
        theirs = Frame(Opcode.PING, payload).serialize(mask=False)
        assert ping_frame(payload) == theirs


def test_frames_sent_before_the_flush_are_in_the_same_write() -> None:
    loop, writer = FakeLoop(), FakeWriter()
    flusher = flusher_of(loop)
    send_queue = SendQueue(writer, flusher)
    flusher.before_flush(lambda: send_queue.send(b"before"))
    send_queue.send(b"sent ")
    loop.turn()
    assert writer.written == [b"sent before"]


def test_an_exception_before_the_flush_does_not_stop_the_flush() -> None:
    loop, writer = FakeLoop(), FakeWriter()
    flusher = flusher_of(loop)
    empty: list[None] = []
    flusher.before_flush(empty.pop)
    SendQueue(writer, flusher).send(b"frame")
    with pytest.raises(IndexError):
        loop.turn()
    loop.turn()
    assert writer.written == [b"frame"]
