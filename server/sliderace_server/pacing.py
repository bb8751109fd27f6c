"""Pacing: all thresholds that trade latency for CPU time on a busy server.

Rules:

- `LoadMeter` measures the CPU time of this process once a second and sets a level from
  0 (idle) to 3 (very busy). A level begins at its upper bound and ends at its lower
  one; with a single bound, the time that slower ticks save would end it at once.
- `PACES[level]` defines how long rooms collect slides before they send progress, and
  how many send queues are flushed before other work runs.
- The busier the server is, the longer the interval between two commits
  (`commit_interval_ms`).

Pacing changes only when something is sent, never what.

The gain beside each measure was measured with and without it in turn, on an otherwise
quiet machine. What gained less than a tenth was removed.
"""

from typing import NamedTuple

__all__ = [
    "GRID_MS",
    "LATENCY_REPORT_MS",
    "LEVELS",
    "MAX_SLICE",
    "PACES",
    "SLICE_SHARE",
    "LoadMeter",
    "Pace",
    "Slice",
    "commit_interval_ms",
]


class Slice(NamedTuple):
    """How many send queues to flush before other work runs.

    Attributes:
        size: queues to flush in one turn of the loop; more if very many wait.
        pause_s: time until the next slice while at least `MAX_SLICE` queues wait;
            0: until the next turn.
    """

    size: int
    pause_s: float


class Pace(NamedTuple):
    """The intervals and slice of one level of load.

    Attributes:
        small_room: shortest time between two progress events in a small room, in player
            ticks.
        players: the same for players in a large room, in player ticks.
        spectators: the same for spectators in a large room, in spectator ticks.
        slice: how many send queues to flush at once.
    """

    small_room: float
    players: float
    spectators: float
    slice: Slice


LEVELS = ((0.1, 0.2), (0.2, 0.35), (0.3, 0.5))
"""Shares of a core: level n begins at the second figure of pair n, counted from 1, and
ends below the first."""

_SMALL_SLICE, _LARGE_SLICE = Slice(25, 0.001), Slice(100, 0.0)
"""A small slice is a fifth of a millisecond of work, then a pause. Without the pause
the log's thread competes with a thousand spectators for the core and for Python's lock
(99 % of acks in a room of 100 + 1,000 took 7 ms, with it 4). A very busy server takes
large slices without a pause (500 instead of 375 rooms at saturation).

Without slices 99 % of the acks in that large room took 15 ms, with them 5."""

PACES = (
    Pace(0.2, 1, 1, _SMALL_SLICE),
    Pace(2, 2, 1, _SMALL_SLICE),
    Pace(2, 2, 2, _SMALL_SLICE),
    Pace(3, 3, 2, _LARGE_SLICE),
)
"""By level. An idle server sends the slides of a small room 10 ms after the last ones,
a busy one two or three player ticks after them. A client paints a lane ten times a
second, so players hardly notice the longer ticks.

With the first pace at all levels, 400 rooms took 1.14 times as much CPU (1.24 in the
quietest round), 100 rooms 1.10 times; with two ticks instead of three at the highest
level, 400 rooms took 1.15 times as much."""

GRID_MS = 5
"""On a server that is not idle, progress is due at multiples of this: rooms that are
due together share one wake-up of the loop (1.12 to 1.22 times as much CPU without it
at 100 rooms; at 400 rooms no difference, as every turn has work)."""

MAX_SLICE = 100
"""The largest slice, two thirds of a millisecond. If fewer queues wait, there is no
pause."""
SLICE_SHARE = 16
"""A slice is at least this fraction of the waiting queues, so that the time to flush
all of them grows more slowly than their number."""

LATENCY_REPORT_MS = 2_000
"""Interval of latency events; latencies are only shown, so nobody waits for them."""

_COMMIT_INTERVAL_MS = (1, 10)
"""Time between the beginnings of two commits on an idle and on a busy server. A commit
takes some 300 us of CPU however many records it holds: with one per ms at any load, 100
rooms took 1.24 to 1.31 times as much CPU, 400 rooms 1.01 to 1.22 times. Clients never
wait for an ack, so players do not notice."""
_COMMIT_LOADS = (0.2, 0.65)
"""Shares of a core at which the first and the second of `_COMMIT_INTERVAL_MS` apply;
linear in between."""


def commit_interval_ms(load: float) -> int:
    """Return the shortest time between the beginnings of two commits.

    Args:
        load: share of a core that this process uses.
    """
    (least, most), (idle, busy) = _COMMIT_INTERVAL_MS, _COMMIT_LOADS
    share = (load - idle) / (busy - idle)
    return round(least + (most - least) * max(0.0, min(share, 1.0)))


class LoadMeter:
    """Measures how busy this process is.

    Attributes:
        load: share of a core in the last second.
        level: 0 ... 3, see `LEVELS`.
        pace: the pace of this level.
        commit_interval_ms: time between two commits at this load.
    """

    def __init__(self) -> None:
        self.load = 0.0
        self.level = 0
        self.pace = PACES[0]
        self.commit_interval_ms = commit_interval_ms(0.0)
        self._last: tuple[float, int] | None = None

    def measure(self, cpu_s: float, now_ms: int) -> None:
        """Measure the load since the last call; call this about once a second.

        Args:
            cpu_s: CPU seconds that this process has used so far.
            now_ms: the machine's monotonic clock.
        """
        if self._last is not None and self._last[1] < now_ms:
            load = (cpu_s - self._last[0]) * 1_000 / (now_ms - self._last[1])
            self.load = load
            self.level = sum(
                load >= (leave if self.level > below else enter)
                for below, (leave, enter) in enumerate(LEVELS)
            )
            self.pace = PACES[self.level]
            self.commit_interval_ms = commit_interval_ms(load)
        self._last = cpu_s, now_ms
