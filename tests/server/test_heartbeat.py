"""Heartbeat: when to ping, how latency is measured, when a peer is aborted."""

import weakref
from itertools import pairwise

from sliderace_server.limits import Limits
from sliderace_server.websocket.heartbeat import (
    BURST_INTERVAL_MS,
    MAX_PER_TURN,
    Heartbeat,
    Pinger,
)

LIMITS = Limits()


class FakeConnection:
    """Records its pings; the test answers them."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.pings: list[bytes] = []
        self.aborts = 0
        self.in_race = False
        self.needs_latency = True
        self.throttled = False
        self.heartbeat = Heartbeat(limits, self)

    def ping(self, payload: bytes) -> None:
        self.pings.append(payload)

    def abort(self) -> None:
        self.aborts += 1

    def run(self, pinger: Pinger, until: int, rtt: int | None = 10) -> list[int]:
        """Run until a time, answering pings after `rtt`; return the times of pings."""
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


def test_a_connection_gets_a_burst_and_then_regular_pings() -> None:
    pinger, connection = Pinger(), FakeConnection()
    pinger.add(connection.heartbeat, 0)
    times = connection.run(pinger, 60_000)
    assert times[:8] == [n * BURST_INTERVAL_MS for n in range(8)]
    assert [b - a for a, b in pairwise(times[7:])] == [20_000] * 2
    assert not connection.aborts


def test_a_connection_without_need_of_latency_gets_no_burst() -> None:
    pinger, connection = Pinger(), FakeConnection()
    connection.in_race, connection.needs_latency = True, False
    pinger.add(connection.heartbeat, 0)
    assert connection.run(pinger, 45_000) == [20_000, 40_000]
    connection.needs_latency = True  # it became a player
    assert connection.run(pinger, 61_000)[:2] == [60_000, 60_000 + BURST_INTERVAL_MS]


def test_pings_are_more_frequent_during_a_race() -> None:
    pinger, connection = Pinger(), FakeConnection()
    connection.in_race = True
    pinger.add(connection.heartbeat, 0)
    times = connection.run(pinger, 20_000)
    assert [b - a for a, b in pairwise(times[7:])] == [5_000] * 3


def test_a_connection_added_again_gets_another_burst() -> None:
    pinger, connection = Pinger(), FakeConnection()
    pinger.add(connection.heartbeat, 0)
    connection.run(pinger, 1_000)
    assert pinger.add(connection.heartbeat, 5_000) == 5_000
    assert pinger.beat(5_000) == 5_000 + BURST_INTERVAL_MS
    before = len(connection.pings)
    connection.run(pinger, 30_000)
    assert len(connection.pings) - before in (7, 8)


def test_a_silent_peer_is_aborted_once() -> None:
    pinger, connection = Pinger(), FakeConnection()
    pinger.add(connection.heartbeat, 0)
    connection.run(pinger, 4_999, rtt=None)
    assert connection.aborts == 0
    assert pinger.beat(5_000) is None
    assert (connection.aborts, connection.heartbeat.ended) == (1, True)
    assert pinger.beat(9_999) is None


def test_a_throttled_peer_is_not_aborted_for_silence() -> None:
    pinger, connection = Pinger(), FakeConnection()
    pinger.add(connection.heartbeat, 0)
    connection.run(pinger, 1_000, rtt=None)
    connection.throttled = True
    sent = len(connection.pings)
    connection.run(pinger, 60_000, rtt=None)
    assert (connection.aborts, len(connection.pings)) == (0, sent)
    connection.throttled = False
    connection.run(pinger, 70_000)
    assert connection.aborts == 0


def test_a_stall_of_the_server_breaks_no_connection_and_is_not_a_round_trip() -> None:
    pinger, connection = Pinger(), FakeConnection()
    pinger.add(connection.heartbeat, 0)
    pinger.beat(0)
    connection.heartbeat.forget()
    assert connection.heartbeat.pong(connection.pings[-1], 60_000) is None
    pinger.beat(60_000)
    assert connection.aborts == 0
    assert connection.heartbeat.pong(connection.pings[-1], 60_003) == 3


def test_an_ended_connection_gets_no_more_pings() -> None:
    pinger, connection = Pinger(), FakeConnection()
    pinger.add(connection.heartbeat, 0)
    pinger.beat(0)
    connection.heartbeat.ended = True
    assert pinger.beat(60_000) is None


def test_an_ended_connection_is_garbage() -> None:
    pinger, connection = Pinger(), FakeConnection()
    pinger.add(connection.heartbeat, 0)
    pinger.beat(0)
    gone = weakref.ref(connection)
    connection.heartbeat.end()
    del connection
    assert gone() is None


def test_a_pong_answers_earlier_pings_and_unknown_pongs_count_nothing() -> None:
    connection = FakeConnection()
    connection.heartbeat.beat(0)
    connection.heartbeat.beat(100)
    assert connection.heartbeat.pong(b"unknown", 120) is None
    assert connection.heartbeat.pong(connection.pings[1], 130) == 30
    assert connection.heartbeat.pong(connection.pings[0], 140) is None
    connection.heartbeat.beat(5_000)
    assert not connection.aborts


def test_only_a_few_connections_are_pinged_per_turn() -> None:
    """A thousand pings and pongs in one turn would delay every race."""
    pinger, connections = Pinger(), [FakeConnection() for _ in range(3 * MAX_PER_TURN)]
    for connection in connections:
        pinger.add(connection.heartbeat, 0)
    for turn in range(3):
        assert pinger.beat(turn) is not None
        assert (
            sum(len(connection.pings) for connection in connections)
            == (turn + 1) * MAX_PER_TURN
        )
    assert [len(connection.pings) for connection in connections] == [1] * len(
        connections
    )
