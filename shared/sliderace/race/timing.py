"""The official time: what the server measured, minus a bounded credit for latency.

No clocks are compared. The server knows `g`, from the scheduled reveal of the board to
the arrival of the solving slide. The client states `e`, from painting the board to the
solving input. The difference is due to latency, but the server credits only as much as
a connection with this round trip R and jitter M can explain:

    K        = min(R, 200) + clamp(2 M, 30, 60) + outage, + 100 with friendly timing
    official = max(0, e, g - K)                  where e <= g
               g                                 where e > g: a stamp from the future
               max(0, g - min(R, 200) - outage)  without e (after a reload, or
                                                 earlier than another slide)

So a lie gains at most K, and a client without a timestamp loses at most the jitter
allowance. ``docs/fairness.md`` explains why this is fair.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "FRIENDLY_MS",
    "JITTER_CEILING_MS",
    "JITTER_FLOOR_MS",
    "MIN_SAMPLES",
    "RESEND_MS",
    "RTT_CEILING_MS",
    "UNMEASURED",
    "Latency",
    "credit_bound",
    "credit_ceiling",
    "jitter_allowance",
    "official_time",
    "outage_overlap",
    "solving_stamp",
]

MIN_SAMPLES = 5
"""With fewer pings a single one could decide, so R and M count as 0."""
RTT_CEILING_MS = 200
"""No normal connection on earth takes longer; this bounds what a lie can gain."""
JITTER_FLOOR_MS = 30
"""Every client has at least this much, from the frame rates of screen and input
device."""
JITTER_CEILING_MS = 60
"""A bad connection must not gain more than fast fingers can."""
RESEND_MS = 2_000
"""Slides made during an outage arrive within this time of the player's return."""
FRIENDLY_MS = 100
"""Extra credit in rooms where friends with poor connections agree to it."""


@dataclass(frozen=True, slots=True)
class Latency:
    """What the server has measured of a player's connection.

    Args:
        rtt_ms: R, the shortest round trip of the last minute.
        jitter_ms: M, the median deviation of the round trips from their median.
        samples: number of pings; below `MIN_SAMPLES`, R and M count as 0.
        outage_ms: how much of the last interval outages of the server cover.
    """

    rtt_ms: int = 0
    jitter_ms: int = 0
    samples: int = 0
    outage_ms: int = 0

    @property
    def effective(self) -> "Latency":
        """The same latency with R and M as they count."""
        if self.samples >= MIN_SAMPLES:
            return self
        return Latency(samples=self.samples, outage_ms=self.outage_ms)


UNMEASURED = Latency()
"""Latency that was not measured; its credit is the smallest jitter allowance."""


def jitter_allowance(jitter_ms: int) -> int:
    """Return how much jitter, including frame rates, can move a time: 30 ... 60 ms.

    Two times that differ by less than the larger of two allowances are a photo finish.

    Args:
        jitter_ms: the effective M.
    """
    return min(max(2 * jitter_ms, JITTER_FLOOR_MS), JITTER_CEILING_MS)


def credit_bound(latency: Latency, *, friendly: bool = False) -> int:
    """Return K, the largest credit for this latency, in ms.

    Without an outage it is at most `credit_ceiling`.

    Args:
        latency: of the player's connection.
        friendly: the rule `friendly_timing`.
    """
    latency = latency.effective
    jitter = jitter_allowance(latency.jitter_ms)
    extra = FRIENDLY_MS if friendly else 0
    return min(latency.rtt_ms, RTT_CEILING_MS) + jitter + extra + latency.outage_ms


def credit_ceiling(*, friendly: bool = False) -> int:
    """Return the largest K of any connection without an outage, in ms.

    Args:
        friendly: the rule `friendly_timing`.

    >>> credit_ceiling(), credit_ceiling(friendly=True)
    (260, 360)
    """
    extra = FRIENDLY_MS if friendly else 0
    return RTT_CEILING_MS + JITTER_CEILING_MS + extra


def outage_overlap(
    arrivals: Sequence[int],
    outages: Iterable[tuple[int, int]],
    start: int,
    end: int,
) -> int:
    """Return how much of a player's last interval outages of the server cover, in ms.

    The interval runs from the arrival of the previous message to that of the solving
    slide. Everything that arrives within `RESEND_MS` of the end of an outage was made
    during the outage and counts as one message, in however many it was sent.

    Args:
        arrivals: of the previous slides, ascending, on any one clock.
        outages: (from, until the player was back) of each outage, ascending; time that
            several cover counts once.
        start: when the board was unlocked.
        end: arrival of the solving slide.

    >>> outage_overlap([2_000, 9_500], [(3_000, 9_400)], 0, 9_600)
    6400
    >>> outage_overlap([2_000, 9_500], [(3_000, 9_400)], 0, 20_000)
    0
    """
    total, covered = 0, start
    for down, until in outages:
        resent = until if until <= end <= until + RESEND_MS else end
        before = bisect_left(arrivals, resent)
        last = arrivals[before - 1] if before else start
        total += max(0, until - max(last, down, covered))
        covered = max(covered, until)
    return total


def solving_stamp(stamps: Sequence[int]) -> int | None:
    """Return e: the timestamp of the solving slide; None if it is implausible.

    No slide is made before an earlier one: such a timestamp counts as absent.

    Args:
        stamps: the timestamps of all slides of the attempt.

    >>> solving_stamp([800, 1_200]), solving_stamp([800, 0])
    (1200, None)
    """
    return stamps[-1] if stamps[-1] == max(stamps) else None


def official_time(
    g: int, e: int | None, latency: Latency, *, friendly: bool = False
) -> int:
    """Return the time that decides the rank, in ms; the credit is g minus this time.

    Args:
        g: from the scheduled reveal to the arrival of the solving slide, ms, >= 0.
        e: the client's timestamp of the solving slide, ms since it painted the board;
            None if there is none (after a reload).
        latency: of the player's connection.
        friendly: the rule `friendly_timing`.

    Returns:
        0 ... g, never less than ``g - credit_bound(latency)``, and never smaller for a
        larger e.

    >>> latency = Latency(rtt_ms=80, jitter_ms=5, samples=8)
    >>> official_time(10_000, 9_930, latency)  # 70 ms of latency: accepted
    9930
    >>> official_time(10_000, 5_000, latency)  # a lie: gains 80 + 30 ms
    9890
    >>> official_time(10_000, None, latency)
    9920
    """
    if e is None:
        latency = latency.effective
        return max(0, g - min(latency.rtt_ms, RTT_CEILING_MS) - latency.outage_ms)
    if e > g:  # a timestamp from the future
        return g
    return max(0, e, g - credit_bound(latency, friendly=friendly))
