"""Heartbeat: our own pings measure round trips and detect dead peers.

Rules:

- A player's new connection gets a burst of pings, `BURST_INTERVAL_MS` apart, and so
  does every player when a race is about to start: the race rules need several samples.
- After that a player is pinged every `ping_race_ms` while the room is between countdown
  and results, and every `ping_idle_ms` otherwise.
- Nobody needs a spectator's latency, so a spectator is pinged every `ping_idle_ms`,
  which shows whether the connection is alive.
- A connection without a successful hello is not pinged; it soon ends.
- A pong also answers all earlier pings. A pong with an unknown payload is ignored.
- A peer that leaves a ping unanswered for `ping_timeout_ms` is aborted.
- After a stall of the server, pongs wait unread, and their round trips are wrong: all
  pings are forgotten.
- While we throttle reading from a peer, its pongs wait unread: it is not pinged, and
  its silence does not count.

One `Pinger` serves all connections: a heap of due times costs a sixth of a task and a
timer per connection.
"""

import heapq
from itertools import count
from typing import Protocol

from sliderace_server.limits import Limits

__all__ = ["Heartbeat", "Pinger"]

BURST_INTERVAL_MS = 100
"""Between the pings of a burst: long enough that the samples are independent."""
MAX_PER_TURN = 8
"""Connections handled in one turn of the loop; the next turn follows after 1 ms. A ping
and its pong take 60 us, and in a room of 100 players all bursts begin at once when the
countdown starts."""


class PingTarget(Protocol):
    """The part of a connection that its heartbeat uses."""

    @property
    def in_race(self) -> bool:
        """Whether its room is between countdown and results."""
        ...

    @property
    def needs_latency(self) -> bool:
        """Whether its latency is needed, or only whether it is alive."""
        ...

    @property
    def throttled(self) -> bool:
        """Whether reading from this peer is throttled, so that its pongs wait."""
        ...

    def ping(self, payload: bytes) -> None:
        """Send a ping with this payload; must not block."""
        ...

    def abort(self) -> None:
        """End the connection, because its peer does not answer; called once."""
        ...


class _ClosedTarget:
    """Replaces a connection that has ended."""

    in_race = needs_latency = throttled = False

    def ping(self, payload: bytes) -> None:
        """Do nothing."""

    def abort(self) -> None:
        """Do nothing."""


_CLOSED = _ClosedTarget()


class Heartbeat:
    """The pings of one connection.

    Attributes:
        ended: the connection has ended.
        heap_entry: number of the only valid entry in the pinger's heap.

    Args:
        limits: ping intervals and timeout.
        target: the connection.
    """

    __slots__ = (
        "_burst",
        "_limits",
        "_next_ping",
        "_number",
        "_target",
        "_unanswered",
        "ended",
        "heap_entry",
    )

    def __init__(self, limits: Limits, target: PingTarget) -> None:
        self._limits = limits
        self._target = target
        self._unanswered: dict[bytes, int] = {}
        self._number = count(1)
        self._burst = self._limits.ping_burst
        self._next_ping = 0
        self.ended = False
        self.heap_entry = 0

    def beat(self, now: int) -> int:
        """Send a ping if one is due; abort the peer if it has been silent too long.

        Returns:
            When to call this again, ms.
        """
        if self._target.throttled:
            self._unanswered.clear()
        elif self._unanswered and now >= self._deadline():
            self.ended = True
            self._target.abort()
        elif now >= self._next_ping:
            payload = next(self._number).to_bytes(4)
            self._unanswered[payload] = now
            self._target.ping(payload)
            self._next_ping = now + self._ping_interval()
        if self._unanswered:
            return min(max(now + 1, self._next_ping), self._deadline())
        return max(now + BURST_INTERVAL_MS, self._next_ping)

    def forget(self) -> None:
        """Forget all pings: the server stood still, so their answers tell nothing."""
        self._unanswered.clear()

    def end(self) -> None:
        """Mark the connection as ended.

        The pinger keeps this heartbeat until it is due. It must not keep the connection
        alive, or the garbage collector would find thousands of them after a flood.
        """
        self.ended = True
        self._target = _CLOSED

    def _deadline(self) -> int:
        return next(iter(self._unanswered.values())) + self._limits.ping_timeout_ms

    def _ping_interval(self) -> int:
        limits = self._limits
        if not self._target.needs_latency:
            return limits.ping_idle_ms
        if self._burst > 1:
            self._burst -= 1
            return BURST_INTERVAL_MS
        return limits.ping_race_ms if self._target.in_race else limits.ping_idle_ms

    def start_burst(self, now: int) -> int:
        """Take several samples soon, if the latency is needed.

        Returns:
            When to call `beat`, ms.
        """
        self._burst = self._limits.ping_burst
        needed = self._target.needs_latency
        self._next_ping = now if needed else now + self._limits.ping_idle_ms
        return self._next_ping

    def pong(self, payload: bytes, now: int) -> int | None:
        """Handle a pong; it also answers all earlier pings.

        Returns:
            The round trip in ms, or None if no such ping is unanswered.
        """
        sent = self._unanswered.get(payload)
        if sent is None:
            return None
        for earlier in list(self._unanswered):
            del self._unanswered[earlier]
            if earlier == payload:
                break
        return now - sent


class Pinger:
    """Runs the heartbeats of all connections, each when it is due."""

    def __init__(self) -> None:
        self._due: list[tuple[int, int, Heartbeat]] = []
        self._entries = count(1)

    def add(self, heartbeat: Heartbeat, now: int) -> int:
        """Ping a connection, at first in a burst, until its heartbeat has ended.

        A heartbeat that was added before starts again.

        Returns:
            When to call `beat`, ms.
        """
        self._push(heartbeat, heartbeat.start_burst(now))
        return self._due[0][0]

    def _push(self, heartbeat: Heartbeat, due: int) -> None:
        heartbeat.heap_entry = next(self._entries)
        heapq.heappush(self._due, (due, heartbeat.heap_entry, heartbeat))

    def beat(self, now: int) -> int | None:
        """Run the heartbeats that are due, at most `MAX_PER_TURN`.

        Returns:
            When to call this again, ms; None if there are no connections.
        """
        due = self._due
        handled = 0
        while due and due[0][0] <= now and handled < MAX_PER_TURN:
            _, entry, heartbeat = heapq.heappop(due)
            if heartbeat.ended or entry != heartbeat.heap_entry:
                continue
            handled += 1
            again = heartbeat.beat(now)
            if not heartbeat.ended:
                self._push(heartbeat, again)
        return due[0][0] if due else None
