"""Latency: measured from the pings of one connection, and reported to members.

The latency that counts for official times is the minimum and the median deviation of
the round trips of the last `WINDOW_MS`. The minimum is bounded by what the kernel has
measured, since a client can answer pings late to get more credit.
"""

from collections import deque
from collections.abc import Mapping
from statistics import median

from sliderace.protocol.messages import LatencyEvent, MemberLatency
from sliderace.race.timing import MIN_SAMPLES, UNMEASURED, Latency

__all__ = ["LatencyReport", "LatencyWindow"]

WINDOW_MS = 60_000
"""Older samples do not describe the current latency."""
KERNEL_MARGIN_MS = 15
"""A program answers a ping this much later than its kernel acknowledges data: it may
have to wait for the processor, or for the next frame of its screen."""


class LatencyWindow:
    """The round trips of one connection in the last minute.

    All times are readings of the machine's monotonic clock, ms.
    """

    __slots__ = ("_kernel_ms", "_latency", "_samples", "_until")

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int]] = deque()
        self._latency = UNMEASURED
        self._kernel_ms: int | None = None
        self._until = 0

    def add(self, rtt_ms: int, now: int, kernel_ms: int | None = None) -> None:
        """Add a round trip that has just been measured.

        Args:
            rtt_ms: from a ping to its pong.
            now: when the pong arrived.
            kernel_ms: the shortest round trip that the kernel has measured; None:
                unknown.
        """
        self._samples.append((now, rtt_ms))
        self._kernel_ms = kernel_ms
        self._until = 0

    def at(self, now: int) -> Latency:
        """Return the latency; all 0 with too few samples, see `Latency.effective`."""
        if now < self._until:
            return self._latency
        samples = self._samples
        while samples and samples[0][0] < now - WINDOW_MS:
            samples.popleft()
        self._latency = self._measure()
        # Valid until the oldest sample expires or a new one arrives.
        self._until = samples[0][0] + WINDOW_MS + 1 if samples else now
        return self._latency

    def _measure(self) -> Latency:
        trips = [rtt for _, rtt in self._samples]
        if not trips:
            return UNMEASURED
        middle = median(trips)
        jitter = round(median(abs(trip - middle) for trip in trips))
        shortest = min(trips)
        if self._kernel_ms is not None:
            shortest = min(shortest, self._kernel_ms + KERNEL_MARGIN_MS)
        return Latency(shortest, jitter, len(trips)).effective


class LatencyReport:
    """The latencies that were sent to a room's members."""

    def __init__(self) -> None:
        self._sent: dict[int, MemberLatency] = {}

    def update(self, latencies: Mapping[int, Latency]) -> LatencyEvent | None:
        """Return the latencies that changed since the last call; None: none did.

        Args:
            latencies: by member id, of all connected members; others are removed.
        """
        known = {
            member: MemberLatency(member, latency.rtt_ms, latency.jitter_ms)
            for member, latency in latencies.items()
            if latency.samples >= MIN_SAMPLES
        }
        new = [one for one in known.values() if one != self._sent.get(one.member)]
        self._sent = known
        return LatencyEvent(new) if new else None

    def everything(self) -> LatencyEvent | None:
        """Return all latencies that were sent, for a new subscriber, or None."""
        return LatencyEvent([*self._sent.values()]) if self._sent else None
