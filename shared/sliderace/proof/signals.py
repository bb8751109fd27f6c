"""Cheat signals: what a solve looks like beside those of people. Never a verdict.

Nothing here proves that a program chose the slides, or that a human did. It is for a
host who wonders. All of it comes from the client's own stamps: a program that takes
care can make them look human. Speed alone says nothing, nor do short ways: record
solvers are faster than one expects, and 42 % of the record solves of 3x3 by humans are
optimal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from sliderace.engine import Board, Size, stm
from sliderace.proof.record import WrittenSlide

__all__ = [
    "CV_FLOOR_MILLI",
    "MIN_INTERVALS",
    "PAUSE_MS",
    "PEAK_CEILING",
    "Signal",
    "Signals",
    "compared",
    "signals",
]

PAUSE_MS = 1_000
"""Nobody's fingers need so long: whoever waits for a second looks, or thinks."""
CV_FLOOR_MILLI = 250
"""Of 2,489 record solves by humans on 4x4 and larger none was more even than that."""
CV_SIDE = 4
"""Smaller boards are solved in one go, and evenly by humans too."""
MIN_INTERVALS = 30
"""A few intervals may be even by chance; most solves of 4x4 have more than that."""
PEAK_CEILING = 149
"""The most tiles that record solvers were seen to move in one second."""

_SECOND_MS = 1_000


@dataclass(frozen=True, slots=True)
class Signals:
    """The figures of one attempt; None where there are too few slides for one.

    Attributes:
        first_ms: from the painted board to the first slide.
        tps_milli: tiles per second from the first to the last slide, in thousandths.
        peak: the most tiles in any one second.
        cv_milli: how uneven the intervals between slides are: standard deviation by
            mean, in thousandths. 0 is a metronome.
        intervals: how many `cv_milli` stands on.
        pauses: intervals of `PAUSE_MS` and more.
        longest_ms: the longest interval.
        m_md_milli: tiles moved by the Manhattan distance that they undid, in
            thousandths; 1000 is the shortest conceivable way. None unless solved.
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
    """One figure beside what is known of human record solvers.

    Args:
        name: the field of `Signals`.
        value: its value.
        low: the least that was seen of humans; None: not known, or says nothing here.
        high: the most; likewise.
        note: where the range comes from, or why there is none.
    """

    name: str
    value: int | None
    low: int | None
    high: int | None
    note: str

    @property
    def outside(self) -> bool:
        """Whether no human record solve looks like that; no proof of anything."""
        if self.value is None:
            return False
        below = self.low is not None and self.value < self.low
        above = self.high is not None and self.value > self.high
        return below or above


def signals(board: Board, slides: Sequence[WrittenSlide]) -> Signals:
    """The figures of one attempt.

    Args:
        board: the scramble; stays as it is.
        slides: all slides of one racer, from a race record that holds (see
            `sliderace.proof.verify`): stamps are taken as they are, and one that goes
            back counts as no time.
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
    """The figures with the range of human record solvers, in a fixed order.

    Args:
        found: of one attempt.
        size: of its board.
    """
    no_range = "no range is known"
    nothing = "proves nothing: record solvers are that fast"
    optimal = "proves nothing: 42 % of human record solves of 3x3 are optimal"
    even = min(size) >= CV_SIDE and found.intervals >= MIN_INTERVALS
    low = CV_FLOOR_MILLI if even else None
    unevenness = (
        "0 of 2,489 human record solves on 4x4 and larger were below"
        if even
        else f"known from 4x4 and {MIN_INTERVALS} intervals on"
    )
    most = "the most that record solvers were seen to move in one second"
    return [
        Signal("first_ms", found.first_ms, None, None, no_range),
        Signal("tps_milli", found.tps_milli, None, None, nothing),
        Signal("peak", found.peak, None, PEAK_CEILING, most),
        Signal("cv_milli", found.cv_milli, low, None, unevenness),
        Signal("pauses", found.pauses, None, None, no_range),
        Signal("longest_ms", found.longest_ms, None, None, no_range),
        Signal("m_md_milli", found.m_md_milli, None, None, optimal),
    ]


def _peak(slides: Sequence[WrittenSlide]) -> int:
    """The most tiles within less than a second, by sliding a window over them."""
    in_time = sorted((slide.stamp_ms, slide.tiles) for slide in slides)
    most = now = first = 0
    for stamp, tiles in in_time:
        now += tiles
        while in_time[first][0] <= stamp - _SECOND_MS:
            now -= in_time[first][1]
            first += 1
        most = max(most, now)
    return most


def _cv_milli(gaps: Sequence[int]) -> int | None:
    """Standard deviation by mean; it takes two intervals, and some time."""
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
