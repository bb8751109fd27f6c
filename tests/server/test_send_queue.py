"""Gathered per turn, written once, sliced, and bounded: without any socket or loop."""

from collections import deque
from collections.abc import Callable

import pytest
from websockets.frames import Frame, Opcode

from sliderace_server.websocket.send_queue import (
    MAX_SLICE,
    Flusher,
    SendQueue,
    Slice,
    ping_frame,
    text_frame,
)


class Paper:
    """A wire that keeps what is written; `reads` is how fast its peer reads."""

    def __init__(self, *, reads: bool = True) -> None:
        self.reads = reads
        self.written: list[bytes] = []
        self.kept = 0
        self.aborts: list[int] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)
        self.kept += 0 if self.reads else len(data)

    def unsent(self) -> int:
        return self.kept

    def abort(self) -> None:
        self.aborts.append(self.kept)


class Turns:
    """The loop: what is called soon is called in the next turn."""

    def __init__(self) -> None:
        self.calls: deque[Callable[[], None]] = deque()
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def soon(self, call: Callable[[], None]) -> None:
        self.calls.append(call)

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        self.timers.append((seconds, call))

    def wait(self) -> list[float]:
        """Let the timers ring; how long they were."""
        timers, self.timers = self.timers, []
        for _, call in timers:
            call()
        return [seconds for seconds, _ in timers]

    def turn(self) -> None:
        for _ in range(len(self.calls)):
            self.calls.popleft()()


def test_what_gathers_in_one_turn_is_one_write_in_order() -> None:
    turns, paper = Turns(), Paper()
    send_queue = SendQueue(paper, Flusher(turns.soon, turns.later))
    for frame in (b"a", b"b", b"c"):
        send_queue.send(frame)
    assert paper.written == []
    turns.turn()
    assert paper.written == [b"abc"]
    send_queue.send(b"d")
    turns.turn()
    assert paper.written == [b"abc", b"d"]
    turns.turn()
    assert paper.written == [b"abc", b"d"]


def crowd_of(count: int, flusher: Flusher) -> list[Paper]:
    """So many connections, each with news."""
    papers = [Paper() for _ in range(count)]
    for paper in papers:
        SendQueue(paper, flusher).send(b"x")
    return papers


def served(papers: list[Paper]) -> int:
    return sum(len(paper.written) for paper in papers)


def test_on_a_very_busy_server_each_turn_takes_a_slice() -> None:
    turns = Turns()
    papers = crowd_of(250, Flusher(turns.soon, turns.later, lambda: Slice(100, 0)))
    done: list[int] = []
    while turns.calls:
        turns.turn()
        done.append(served(papers))
    assert done == [100, 200, 250]
    assert turns.timers == []


def test_a_crowd_rests_between_slices_whatever_comes_meanwhile() -> None:
    turns = Turns()
    flusher = Flusher(turns.soon, turns.later, lambda: Slice(25, 0.001))
    papers = crowd_of(MAX_SLICE + 60, flusher)
    turns.turn()
    assert (served(papers), turns.calls) == (25, deque())
    late = Paper()
    send_queue = SendQueue(late, flusher)
    send_queue.send(b"news ")
    assert not turns.calls
    send_queue.send_urgent(b"an answer")
    turns.turn()
    assert late.written == [b"news an answer"]
    assert (served(papers), turns.calls) == (25, deque())
    assert turns.wait() == [0.001]
    assert served(papers) == 50
    assert turns.wait() == [0.001]
    assert served(papers) == 75
    # What is left is no crowd any more.
    assert turns.timers == []
    while turns.calls:
        turns.turn()
    assert served(papers) == len(papers)
    send_queue.send(b"the crowd has gone")
    turns.turn()
    assert len(late.written) == 2


def test_the_larger_the_crowd_the_larger_its_slices_up_to_a_bound() -> None:
    turns = Turns()
    papers = crowd_of(5_000, Flusher(turns.soon, turns.later, lambda: Slice(25, 0.001)))
    turns.turn()
    sizes = [served(papers)]
    while turns.wait():
        sizes.append(served(papers) - sum(sizes))
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (MAX_SLICE, 25)
    assert set(range(26, MAX_SLICE)) & set(sizes)
    assert sum(sizes) > 5_000 - MAX_SLICE
    assert len(sizes) < 100


def test_answers_do_not_wait_behind_a_crowd_nor_does_it_wait_for_ever() -> None:
    turns, order = Turns(), list[str]()
    flusher = Flusher(turns.soon, turns.later, lambda: Slice(2, 0.001))

    class Named(Paper):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def write(self, data: bytes) -> None:
            super().write(data)
            order.append(self.name)

    subscribers = [SendQueue(Named(f"c{n}"), flusher) for n in range(4)]
    racers = [SendQueue(Named(f"r{n}"), flusher) for n in range(3)]
    for send_queue in (*subscribers, racers[0]):
        send_queue.send(b"news")
    for send_queue in racers:
        send_queue.send_urgent(b"answer")
    racers[1].send(b"and more")
    turns.turn()
    assert order == ["r0", "r1", "c0", "c1"]
    turns.turn()
    assert order[4:] == ["r2", "c2", "c3"]
    while turns.calls:
        turns.turn()
    for name in ("one", "two", "three"):
        SendQueue(Named(name), flusher).send_urgent(b"answer")
    while turns.calls:
        turns.turn()
    assert order[7:] == ["one", "two", "three"]
    racers[0].close()
    racers[0].send_urgent(b"too late")
    assert not turns.calls


def test_nobody_stands_twice_in_the_line_of_those_who_hurry() -> None:
    """Or it grows with each ack, where a turn takes longer than a commit."""
    turns = Turns()
    flusher = Flusher(turns.soon, turns.later, lambda: Slice(1, 0))
    first, second = Paper(), Paper()
    many, one = SendQueue(first, flusher), SendQueue(second, flusher)
    for _ in range(20):
        many.send_urgent(b"x")
        many.flush()  # as where it stands in the other line, too
    one.send_urgent(b"y")
    many.send_urgent(b"z")
    turns.turn()
    assert first.written[-1] == b"z"  # who has waited longest keeps its place
    assert second.written == []
    turns.turn()
    assert second.written == [b"y"]
    assert not turns.calls
    many.send_urgent(b"again")
    turns.turn()
    assert first.written[-1] == b"again"


def test_a_peer_that_does_not_read_is_cut_off_at_the_limit_and_no_earlier() -> None:
    turns, paper = Turns(), Paper(reads=False)
    send_queue = SendQueue(paper, Flusher(turns.soon, turns.later), max_unsent=100)
    send_queue.send(b"x" * 100)
    turns.turn()
    assert paper.aborts == []
    send_queue.send(b"x")
    turns.turn()
    assert paper.aborts == []
    send_queue.send(b"one byte too many is unread by now")
    turns.turn()
    assert len(paper.aborts) == 1
    send_queue.send(b"more")
    turns.turn()
    assert len(paper.written) == 2


def test_a_snapshot_does_not_count_but_what_follows_it_does() -> None:
    turns, paper = Turns(), Paper(reads=False)
    send_queue = SendQueue(paper, Flusher(turns.soon, turns.later), max_unsent=100)
    send_queue.send_snapshot(b"s" * 5_000)
    turns.turn()
    send_queue.send(b"x" * 100)
    turns.turn()
    assert paper.aborts == []
    send_queue.send(b"x")
    turns.turn()
    send_queue.send(b"one byte too many is unread by now")
    turns.turn()
    assert len(paper.aborts) == 1


def test_snapshots_that_are_asked_for_and_not_read_do_not_pile_up() -> None:
    turns, paper = Turns(), Paper(reads=False)
    send_queue = SendQueue(paper, Flusher(turns.soon, turns.later), max_unsent=100)
    for _ in range(3):
        send_queue.send_snapshot(b"s" * 5_000)
        turns.turn()
    assert len(paper.aborts) == 1
    assert paper.kept == 10_000


def test_who_reads_may_get_any_amount() -> None:
    turns, paper = Turns(), Paper()
    send_queue = SendQueue(paper, Flusher(turns.soon, turns.later), max_unsent=100)
    for _ in range(50):
        send_queue.send(b"x" * 90)
        turns.turn()
    assert paper.aborts == []


def test_a_closed_outbox_takes_and_sends_nothing() -> None:
    turns, paper = Turns(), Paper()
    send_queue = SendQueue(paper, Flusher(turns.soon, turns.later))
    send_queue.send(b"a")
    send_queue.close()
    send_queue.send(b"b")
    turns.turn()
    assert paper.written == []


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
def test_frames_are_those_of_the_library(size: int) -> None:
    payload = b"x" * size
    theirs = Frame(Opcode.TEXT, payload).serialize(mask=False)
    assert text_frame(payload) == theirs
    if size <= 125:
        theirs = Frame(Opcode.PING, payload).serialize(mask=False)
        assert ping_frame(payload) == theirs


def test_who_reads_slowly_goes_without_progress_until_it_has_read_on() -> None:
    turns, paper = Turns(), Paper(reads=False)
    send_queue = SendQueue(paper, Flusher(turns.soon, turns.later), max_unsent=100)
    assert send_queue.send_progress(b"x" * 26)
    turns.turn()
    send_queue.send(b"an event cannot be left out")
    turns.turn()
    assert not send_queue.send_progress(b"new")
    assert not send_queue.caught_up()
    paper.kept = 0
    assert not send_queue.send_progress(b"first it is told the newest state")
    assert send_queue.caught_up()
    assert send_queue.send_progress(b"newer")
    turns.turn()
    assert paper.written[1:] == [b"an event cannot be left out", b"newer"]


def test_who_tells_first_is_in_the_same_write() -> None:
    turns, paper = Turns(), Paper()
    flusher = Flusher(turns.soon, turns.later)
    send_queue = SendQueue(paper, flusher)
    flusher.before_flush(lambda: send_queue.send(b"told"))
    send_queue.send(b"posted ")
    turns.turn()
    assert paper.written == [b"posted told"]


def test_a_teller_that_fails_keeps_nobody_from_mail() -> None:
    turns, paper = Turns(), Paper()
    flusher = Flusher(turns.soon, turns.later)
    empty: list[None] = []
    flusher.before_flush(empty.pop)
    SendQueue(paper, flusher).send(b"mail")
    with pytest.raises(IndexError):
        turns.turn()
    turns.turn()
    assert paper.written == [b"mail"]
