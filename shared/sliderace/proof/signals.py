"""Solve signals: statistics of a solve next to those of human record solvers.

They help a host who suspects that a program played, and are never a verdict: they do
not prove whether a program or a human chose the slides. All figures come from the
client's own timestamps, which a careful program can make look human. Neither speed nor
a short solution proves anything: record solvers are faster than one expects, and 42 %
of human record solves of 3x3 are optimal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Literal, NamedTuple

from sliderace.engine import Board, Size, stm
from sliderace.proof.record import WrittenSlide

__all__ = [
    "CV_FLOOR_MILLI",
    "MIN_INTERVALS",
    "PAUSE_MS",
    "PEAK_CEILING",
    "Note",
    "Signal",
    "Signals",
    "compared",
    "signals",
]

PAUSE_MS = 1_000
"""Fingers are never this slow: after a second without a slide, a player is thinking."""
CV_FLOOR_MILLI = 250
"""None of 2,489 human record solves on 4x4 and larger was more even than this."""
CV_SIDE = 4
"""Humans solve smaller boards in one go, and evenly, too."""
MIN_INTERVALS = 30
"""A few intervals can be even by chance; most solves of 4x4 have more than this."""
PEAK_CEILING = 149
"""The most tiles that record solvers moved in one second."""

Note = Literal["no_range", "speed", "peak", "evenness", "few_intervals", "optimal"]
"""Where a range comes from, or why there is none; worded as `signal.note.NOTE`."""

_SECOND_MS = 1_000


@dataclass(frozen=True, slots=True)
class Signals:
    """The figures of one attempt; None if there are too few slides for a figure.

    Attributes:
        first_ms: from painting the board to the first slide.
        tps_milli: tiles per second from the first to the last slide, in thousandths.
        peak: the most tiles in any one second.
        cv_milli: coefficient of variation of the intervals between slides (standard
            deviation / mean), in thousandths. 0 is a metronome.
        intervals: the number of intervals.
        pauses: intervals of `PAUSE_MS` and more.
        longest_ms: the longest interval.
        m_md_milli: tiles moved / Manhattan distance of the scramble, in thousandths; at
            least 1000. None unless solved.
    """

    first_ms: int | None
    tps_milli: int | None
    peak: int
    cv_milli: int | None
    intervals: int
    pauses: int
    longest_ms: int | None
    m_md_milli: int | None


class Signal(NamedTuple):
    """One figure next to the range of human record solvers.

    Args:
        name: the field of `Signals`.
        value: its value.
        low: the lowest value of humans; None: unknown, or not meaningful here.
        high: the highest; likewise.
        note: where the range comes from, or why there is none.
    """

    name: str
    value: int | None
    low: int | None
    high: int | None
    note: Note

    @property
    def outside(self) -> bool:
        """Whether no human record solve has such a value; this proves nothing."""
        if self.value is None:
            return False
        below = self.low is not None and self.value < self.low
        above = self.high is not None and self.value > self.high
        return below or above


def signals(board: Board, slides: Sequence[WrittenSlide]) -> Signals:
    """Return the figures of one attempt.

    Args:
        board: the scramble; it is not changed.
        slides: all slides of one racer, from a verified race record. Timestamps are
            taken as they are; an interval that goes back counts as 0.
    """
    stamps = [slide.stamp_ms for slide in slides]
    gaps = [max(0, later - earlier) for earlier, later in pairwise(stamps)]
    moved = stm(slide[:2] for slide in slides)
    taken = sum(gaps)
    return Signals(
        first_ms=stamps[0] if stamps else None,
        tps_milli=round(moved * _SECOND_MS * 1000 / taken) if taken else None,
        peak=_peak(slides),
        cv_milli=_cv_milli(gaps),
        intervals=len(gaps),
        pauses=sum(gap >= PAUSE_MS for gap in gaps),
        longest_ms=max(gaps, default=None),
        m_md_milli=_m_md_milli(board, slides, moved),
    )


def compared(found: Signals, size: Size) -> list[Signal]:
    """Return the figures with the ranges of human record solvers, in a fixed order.

    Args:
        found: the figures of one attempt.
        size: the size of its board.
    """
    even = min(size) >= CV_SIDE and found.intervals >= MIN_INTERVALS
    low = CV_FLOOR_MILLI if even else None
    evenness: Note = "evenness" if even else "few_intervals"
    return [
        Signal("first_ms", found.first_ms, None, None, "no_range"),
        Signal("tps_milli", found.tps_milli, None, None, "speed"),
        Signal("peak", found.peak, None, PEAK_CEILING, "peak"),
        Signal("cv_milli", found.cv_milli, low, None, evenness),
        Signal("pauses", found.pauses, None, None, "no_range"),
        Signal("longest_ms", found.longest_ms, None, None, "no_range"),
        Signal("m_md_milli", found.m_md_milli, None, None, "optimal"),
    ]


def _peak(slides: Sequence[WrittenSlide]) -> int:
    """Return the most tiles in a sliding window of one second."""
    by_time = sorted((slide.stamp_ms, slide.tiles) for slide in slides)
    most = in_window = first = 0
    for stamp, tiles in by_time:
        in_window += tiles
        while by_time[first][0] <= stamp - _SECOND_MS:
            in_window -= by_time[first][1]
            first += 1
        most = max(most, in_window)
    return most


def _cv_milli(gaps: Sequence[int]) -> int | None:
    """Return standard deviation / mean; None without two intervals and some time."""
    total = sum(gaps)
    if len(gaps) < 2 or not total:
        return None
    mean = total / len(gaps)
    spread = sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    return round(1000 * spread / mean)


def _m_md_milli(board: Board, slides: Sequence[WrittenSlide], moved: int) -> int | None:
    end = board.copy()
    legal = all(end.try_slide(slide.direction, slide.tiles) for slide in slides)
    if not (legal and end.is_solved and board.md):
        return None
    return round(1000 * moved / board.md)
