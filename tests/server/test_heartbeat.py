"""When we ping, what the answers tell, and when a silent peer is given up."""

import weakref
from itertools import pairwise

from sliderace.race import timing
from sliderace_server.limits import Limits
from sliderace_server.websocket.heartbeat import (
    BURST_INTERVAL_MS,
    MAX_PER_TURN,
    Heartbeat,
    Pinger,
)

LIMITS = Limits()


class Latency:
    """A peer whose pings are kept; it answers when the test says so."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.pings: list[bytes] = []
        self.lost = 0
        self.in_race = False
        self.needs_latency = True
        self.throttled = False
        self.heartbeat = Heartbeat(limits, self)

    def ping(self, payload: bytes) -> None:
        self.pings.append(payload)

    def abort(self) -> None:
        self.lost += 1

    def run(self, pinger: Pinger, until: int, rtt: int | None = 10) -> list[int]:
        """Beat until a time; answer each ping after `rtt`. Times of the pings."""
        now, times = 0, list[int]()
        due: int | None = 0
        while due is not None and due <= until:
            now = due
            before = len(self.pings)
            due = pinger.beat(now)
            for payload in self.pings[before:]:
                times.append(now)
                if rtt is not None:
                    self.heartbeat.pong(payload, now + rtt)
        return times


def test_a_burst_then_one_now_and_again() -> None:
    pinger, line = Pinger(), Latency()
    pinger.add(line.heartbeat, 0)
    times = line.run(pinger, 60_000)
    assert times[:8] == [n * BURST_INTERVAL_MS for n in range(8)]
    assert [b - a for a, b in pairwise(times[7:])] == [20_000] * 2
    assert not line.lost


def test_a_line_that_nobody_asks_for_is_only_seen_to_live() -> None:
    pinger, line = Pinger(), Latency()
    line.in_race, line.needs_latency = True, False
    pinger.add(line.heartbeat, 0)
    assert line.run(pinger, 45_000) == [0, 20_000, 40_000]
    line.needs_latency = True  # it got a seat: now it is measured
    assert line.run(pinger, 61_000)[:2] == [60_000, 60_000 + BURST_INTERVAL_MS]


def test_more_often_in_a_race() -> None:
    pinger, line = Pinger(), Latency()
    line.in_race = True
    pinger.add(line.heartbeat, 0)
    times = line.run(pinger, 20_000)
    assert [b - a for a, b in pairwise(times[7:])] == [5_000] * 3


def test_another_burst_where_a_race_is_about_to_start() -> None:
    pinger, line = Pinger(), Latency()
    pinger.add(line.heartbeat, 0)
    line.run(pinger, 1_000)
    pinger.add(line.heartbeat, 5_000)
    assert pinger.beat(5_000) == 5_000 + BURST_INTERVAL_MS
    before = len(line.pings)
    line.run(pinger, 30_000)
    assert len(line.pings) - before in (7, 8)


def test_who_does_not_answer_is_given_up_once() -> None:
    pinger, line = Pinger(), Latency()
    pinger.add(line.heartbeat, 0)
    line.run(pinger, 4_999, rtt=None)
    assert line.lost == 0
    assert pinger.beat(5_000) is None
    assert (line.lost, line.heartbeat.ended) == (1, True)
    assert pinger.beat(9_999) is None


def test_who_is_read_slowly_is_not_blamed_for_silence() -> None:
    pinger, line = Pinger(), Latency()
    pinger.add(line.heartbeat, 0)
    line.run(pinger, 1_000, rtt=None)
    line.throttled = True
    sent = len(line.pings)
    line.run(pinger, 60_000, rtt=None)
    assert (line.lost, len(line.pings)) == (0, sent)
    line.throttled = False
    line.run(pinger, 70_000)
    assert line.lost == 0


def test_an_ended_connection_is_forgotten() -> None:
    pinger, line = Pinger(), Latency()
    pinger.add(line.heartbeat, 0)
    pinger.beat(0)
    line.heartbeat.ended = True
    assert pinger.beat(60_000) is None


def test_an_ended_connection_is_held_by_nothing() -> None:
    pinger, line = Pinger(), Latency()
    pinger.add(line.heartbeat, 0)
    pinger.beat(0)
    gone = weakref.ref(line)
    line.heartbeat.end()
    del line
    assert gone() is None


def test_the_least_and_the_spread_of_the_last_minute() -> None:
    line = Latency(Limits(ping_burst=1))
    heartbeat = line.heartbeat
    for at, rtt in enumerate([90, 50, 70, 60, 80]):
        heartbeat.beat(at * 20_000)
        assert heartbeat.pong(line.pings[-1], at * 20_000 + rtt) == rtt
    assert heartbeat.latency(60_000) == timing.Latency(50, 10, 5)
    assert heartbeat.latency(80_000 + 40) == timing.Latency(
        0, 0, 4
    )  # too few to say anything
    assert heartbeat.latency(1_000_000) == timing.UNMEASURED


def test_a_pong_answers_all_earlier_pings_and_only_what_was_asked() -> None:
    line = Latency()
    line.heartbeat.beat(0)
    line.heartbeat.beat(100)
    assert line.heartbeat.pong(b"nobody asked", 120) is None
    assert line.heartbeat.pong(line.pings[1], 130) == 30
    assert line.heartbeat.pong(line.pings[0], 140) is None
    line.heartbeat.beat(5_000)
    assert not line.lost


def test_every_answer_counts_at_once() -> None:
    line = Latency()
    for number in range(8):
        now = number * BURST_INTERVAL_MS
        line.heartbeat.beat(now)
        line.heartbeat.pong(line.pings[-1], now + 40)
    assert line.heartbeat.latency(1_000).rtt_ms == 40
    line.heartbeat.beat(60_000 - 1)
    line.heartbeat.pong(line.pings[-1], 60_000)
    assert line.heartbeat.latency(60_000).rtt_ms == 1


def test_of_a_crowd_few_are_pinged_in_one_turn() -> None:
    """A thousand pings and pongs in one turn would stop every race for a moment."""
    pinger, lines = Pinger(), [Latency() for _ in range(3 * MAX_PER_TURN)]
    for line in lines:
        pinger.add(line.heartbeat, 0)
    for turn in range(3):
        assert pinger.beat(turn) is not None
        assert sum(len(line.pings) for line in lines) == (turn + 1) * MAX_PER_TURN
    assert [len(line.pings) for line in lines] == [1] * len(lines)
