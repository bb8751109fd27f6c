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

from dataclasses import dataclass

__all__ = [
    "FRIENDLY_MS",
    "JITTER_CEILING_MS",
    "JITTER_FLOOR_MS",
    "MIN_SAMPLES",
    "RTT_CEILING_MS",
    "UNMEASURED",
    "Line",
    "credit_bound",
    "official",
]

MIN_SAMPLES = 5
"""With fewer pings a single lucky or unlucky one would decide: the line counts as 0."""
RTT_CEILING_MS = 200
"""No sound line on earth needs more; it bounds what a lie is worth."""
JITTER_FLOOR_MS = 30
"""Frame of the screen and of the input device: every client has that much."""
JITTER_CEILING_MS = 60
"""A wildly varying line is not worth more than a fast finger."""
FRIENDLY_MS = 100
"""More credit where friends on poor lines agreed to it."""


@dataclass(frozen=True, slots=True)
class Line:
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
    def known(self) -> "Line":
        """The same line with R and M as they count."""
        if self.samples >= MIN_SAMPLES:
            return self
        return Line(samples=self.samples, outage_ms=self.outage_ms)


UNMEASURED = Line()
"""A line nobody pinged: it earns no credit."""


def credit_bound(line: Line, *, friendly: bool = False) -> int:
    """K: the largest credit this line can earn, in ms.

    Without an outage at most 260, with friendly timing at most 360.

    Args:
        line: the player's connection.
        friendly: the room's rule for poor lines.
    """
    line = line.known
    jitter = min(max(2 * line.jitter_ms, JITTER_FLOOR_MS), JITTER_CEILING_MS)
    extra = FRIENDLY_MS if friendly else 0
    return min(line.rtt_ms, RTT_CEILING_MS) + jitter + extra + line.outage_ms


def official(g: int, e: int | None, line: Line, *, friendly: bool = False) -> int:
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

    >>> line = Line(rtt_ms=80, jitter_ms=5, samples=8)
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
