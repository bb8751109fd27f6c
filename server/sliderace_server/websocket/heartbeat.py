"""How far away a peer is, and whether it is still there: our own pings.

One pinger serves all connections; it costs a sixth of a task and a timer for each.
"""

import heapq
from itertools import count
from statistics import median
from typing import Protocol

from sliderace.race.timing import UNMEASURED, Latency
from sliderace_server.limits import Limits

__all__ = ["Heartbeat", "Pinger"]

BURST_MS = 100
"""Between the pings of a burst: far enough apart to meet different moments."""
AT_ONCE = 8
"""Pulses in one turn of the loop, a ms apart: a ping and its pong take 60 us, and in a
room of a thousand all are due together when the countdown begins."""
WINDOW_MS = 60_000
"""Samples older than this say nothing about the line of today."""


class Pinged(Protocol):
    """A connection, as its pulse sees it."""

    @property
    def busy(self) -> bool:
        """Whether its room is between countdown and results."""
        ...

    @property
    def counts(self) -> bool:
        """Whether anybody wants to know this line; else it is only seen to live."""
        ...

    @property
    def held(self) -> bool:
        """Whether we read this peer more slowly now, so that its answers wait too."""
        ...

    def ping(self, payload: bytes) -> None:
        """Send a ping with this payload; must not wait."""
        ...

    def abort(self) -> None:
        """The peer does not answer; called once."""
        ...


class _Gone:
    """A connection that has ended."""

    busy = counts = held = False

    def ping(self, payload: bytes) -> None:
        """Nobody is there."""

    def abort(self) -> None:
        """It has ended already."""


_GONE = _Gone()


class Heartbeat:
    """The round trips of one connection.

    Args:
        limits: how often to ping, and how long to wait.
        pinged: the connection.
    """

    __slots__ = (
        "_burst",
        "_limits",
        "_line",
        "_line_until",
        "_next_ping",
        "_number",
        "_pinged",
        "_samples",
        "_sent",
        "over",
        "ticket",
    )

    def __init__(self, limits: Limits, pinged: Pinged) -> None:
        self._limits = limits
        self._pinged = pinged
        self._sent: dict[bytes, int] = {}
        self._samples: list[tuple[int, int]] = []
        self._line = UNMEASURED
        self._line_until = 0
        self._number = count(1)
        self._burst = self._limits.ping_burst
        self._next_ping = 0
        self.over = False
        self.ticket = 0

    def beat(self, now: int) -> int:
        """Ping if it is time, give the peer up if it is silent.

        Returns:
            When to call again.
        """
        if self._pinged.held:
            self._sent.clear()
        elif self._sent and now >= self._oldest() + self._limits.ping_timeout_ms:
            self.over = True
            self._pinged.abort()
        elif now >= self._next_ping:
            payload = next(self._number).to_bytes(4)
            self._sent[payload] = now
            self._pinged.ping(payload)
            self._next_ping = now + self._pause()
        if self._sent:
            return min(
                max(now + 1, self._next_ping),
                self._oldest() + self._limits.ping_timeout_ms,
            )
        return max(now + BURST_MS, self._next_ping)

    def end(self) -> None:
        """The connection has ended.

        A pinger has this pulse until it would be due; nothing else is held by it: the
        connection is no garbage that survives a look of the collector.
        """
        self.over = True
        self._pinged = _GONE

    def _oldest(self) -> int:
        return next(iter(self._sent.values()))

    def _pause(self) -> int:
        limits = self._limits
        if not self._pinged.counts:
            return limits.ping_idle_ms
        if self._burst > 1:
            self._burst -= 1
            return BURST_MS
        return limits.ping_race_ms if self._pinged.busy else limits.ping_idle_ms

    def burst(self) -> None:
        """Take several samples soon."""
        self._burst = self._limits.ping_burst
        self._next_ping = 0

    def pong(self, payload: bytes, now: int) -> int | None:
        """An answer came; it answers all earlier pings too.

        Returns:
            The round trip in ms, or None for a pong nobody asked for.
        """
        sent = self._sent.get(payload)
        if sent is None:
            return None
        for earlier in list(self._sent):
            del self._sent[earlier]
            if earlier == payload:
                break
        self._samples.append((now, now - sent))
        self._line_until = 0
        return now - sent

    def line(self, now: int) -> Latency:
        """The line by the samples of the last minute; see `Line.known`."""
        if now < self._line_until:
            return self._line
        while self._samples and self._samples[0][0] < now - WINDOW_MS:
            del self._samples[0]
        self._line = self._measured()
        if self._samples:  # it holds until the oldest is too old, or a new one comes
            self._line_until = self._samples[0][0] + WINDOW_MS + 1
        return self._line

    def _measured(self) -> Latency:
        trips = [rtt for _, rtt in self._samples]
        if not trips:
            return UNMEASURED
        middle = median(trips)
        jitter = round(median(abs(trip - middle) for trip in trips))
        return Latency(min(trips), jitter, len(trips)).known


class Pinger:
    """Beats the pulses of all connections, each when it is due."""

    def __init__(self) -> None:
        self._due: list[tuple[int, int, Heartbeat]] = []
        self._tickets = count(1)

    def add(self, heartbeat: Heartbeat, now: int) -> None:
        """Watch a connection until its pulse is `over`; again: from now on anew."""
        heartbeat.burst()
        self._push(heartbeat, now)

    def _push(self, heartbeat: Heartbeat, due: int) -> None:
        heartbeat.ticket = next(self._tickets)
        heapq.heappush(self._due, (due, heartbeat.ticket, heartbeat))

    def beat(self, now: int) -> int | None:
        """Beat what is due, the first `AT_ONCE` of it.

        Returns:
            When to call again, or None while there is nobody.
        """
        due = self._due
        beaten = 0
        while due and due[0][0] <= now and beaten < AT_ONCE:
            _, ticket, heartbeat = heapq.heappop(due)
            if heartbeat.over or ticket != heartbeat.ticket:
                continue
            beaten += 1
            again = heartbeat.beat(now)
            if not heartbeat.over:
                self._push(heartbeat, again)
        return due[0][0] if due else None
