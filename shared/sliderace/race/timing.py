"""The official time: what the server measured, less a bounded credit for the line.

No clocks are compared. The server knows `g`, from the scheduled reveal of the board to
the arrival of the solving slide; the client says `e`, from its paint of the board to
its solving input. The difference is the line, but only as much of it is credited as a
line of that kind can need:

    K        = min(R, 200) + clamp(2 M, 30, 60) + outage, + 100 with friendly timing
    official = max(0, e, g - K)                  where e <= g
               g                                 where e > g: a stamp from the future
               max(0, g - min(R, 200) - outage)  without e (after a reload)

So a lie is worth at most K, and who says nothing loses at most the jitter allowance.
"""

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
    "jitter_allowance",
    "official",
    "outage_overlap",
]

MIN_SAMPLES = 5
"""With fewer pings a single lucky or unlucky one would decide: the line counts as 0."""
RTT_CEILING_MS = 200
"""No sound line on earth needs more; it bounds what a lie is worth."""
JITTER_FLOOR_MS = 30
"""Frame of the screen and of the input device: every client has that much."""
JITTER_CEILING_MS = 60
"""A wildly varying line is not worth more than a fast finger."""
RESEND_MS = 2_000
"""Slides made during an outage arrive within this long of the player's return."""
FRIENDLY_MS = 100
"""More credit where friends on poor lines agreed to it."""


@dataclass(frozen=True, slots=True)
class Latency:
    """What the server knows of a player's connection.

    Args:
        rtt_ms: R, the least round trip of the last minute.
        jitter_ms: M, the median distance of the round trips from their median.
        samples: how many pings R and M stand on; below `MIN_SAMPLES` both count as 0.
        outage_ms: how much of the last interval a failure of ours covers.
    """

    rtt_ms: int = 0
    jitter_ms: int = 0
    samples: int = 0
    outage_ms: int = 0

    @property
    def known(self) -> "Latency":
        """The same line with R and M as they count."""
        if self.samples >= MIN_SAMPLES:
            return self
        return Latency(samples=self.samples, outage_ms=self.outage_ms)


UNMEASURED = Latency()
"""A line nobody pinged: it earns no more than the floor of the jitter allowance."""


def jitter_allowance(jitter_ms: int) -> int:
    """How much a line's wavering, frames included, can move a time: 30 ... 60 ms.

    Two finishers who are less than the larger of theirs apart are in a photo finish.

    Args:
        jitter_ms: M, as it counts.
    """
    return min(max(2 * jitter_ms, JITTER_FLOOR_MS), JITTER_CEILING_MS)


def credit_bound(line: Latency, *, friendly: bool = False) -> int:
    """K: the largest credit this line can earn, in ms.

    Without an outage at most 260, with friendly timing at most 360.

    Args:
        line: the player's connection.
        friendly: the room's rule for poor lines.
    """
    line = line.known
    jitter = jitter_allowance(line.jitter_ms)
    extra = FRIENDLY_MS if friendly else 0
    return min(line.rtt_ms, RTT_CEILING_MS) + jitter + extra + line.outage_ms


def outage_overlap(
    arrivals: Sequence[int],
    outages: Iterable[tuple[int, int]],
    start: int,
    end: int,
) -> int:
    """How much of a player's last interval failures of ours cover, in ms.

    The interval runs from the arrival of the message before to that of the solving
    slide. What arrives within `RESEND_MS` of the end of an outage was made during it,
    and counts as one message: who had to send many pays for none of them.

    Args:
        arrivals: of the slides before, ascending, on any one clock.
        outages: (from, until) of each failure, until the player was back, ascending;
            where one followed before that, the time counts once.
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
        before = [at for at in arrivals if at < resent]
        last = max(before[-1] if before else start, down, covered)
        total += max(0, until - last)
        covered = max(covered, until)
    return total


def official(g: int, e: int | None, line: Latency, *, friendly: bool = False) -> int:
    """The time that decides the rank, in ms; ``g - official`` is the credit.

    Args:
        g: from the scheduled reveal to the arrival of the solving slide, ms, >= 0.
        e: the client's stamp of its solving slide, ms since its paint; None where it
            has none (after a reload).
        line: the player's connection.
        friendly: the room's rule for poor lines.

    Returns:
        0 ... g, never less than ``g - credit_bound(line)``, and never smaller for a
        larger e.

    >>> line = Latency(rtt_ms=80, jitter_ms=5, samples=8)
    >>> official(10_000, 9_930, line)  # 70 ms of line: believed
    9930
    >>> official(10_000, 5_000, line)  # a lie: worth 80 + 30 ms
    9890
    >>> official(10_000, None, line)
    9920
    """
    if e is None:
        line = line.known
        return max(0, g - min(line.rtt_ms, RTT_CEILING_MS) - line.outage_ms)
    if e > g:
        return g
    return max(0, e, g - credit_bound(line, friendly=friendly))
