"""When a bot makes each slide of its plan: the time is drawn first, then spread."""

from collections.abc import Iterator
from itertools import accumulate
from math import exp, log, sqrt

from sliderace.solve.levels import Level, at_side
from sliderace.solve.planner import Chance, Plan

__all__ = ["timing", "total_ms"]

LOOK = 4.0
"""Pause before the first slide, in average gaps."""
THINK_SPREAD = 0.6
"""Standard deviation of the logarithm of the pauses before stages."""
HESITATION = 1.5, 2.5
"""Shortest hesitation, and how much longer it is on average, in average gaps."""
SURPRISE = 1.5, 1.5
"""The same for the pause in which a mistake is noticed."""
SMALL_CELLS = 25
MEMORY_SMALL, MEMORY_LARGE = 0.15, 0.3
"""Correlation of a gap with the one before, up to 5x5 and above."""
CHORDS = ((4, 0.10), (10, 0.18))
"""Side -> share of slides whose key is pressed almost together with the one before."""
CHORD = 0.12, 0.6
"""Their gap, in usual gaps."""
STRAIGHT = ((3, 0.96), (5, 0.91), (7, 0.69), (10, 0.55))
"""Side -> how much shorter a gap is if the direction stays the same."""


def total_ms(plan: Plan, level: Level, rng: Chance) -> int:
    """Draw how long a bot takes, from its unlocked board to its last slide.

    Nothing that happens in the race changes it.

    Args:
        plan: how it solves the board.
        level: how good it is.
        rng: the bot's own `random.Random`.

    Returns:
        ms, at least 1; 0 if the plan has no slides.
    """
    slides = len(plan.slides)
    if not slides:
        return 0
    usual = level.target_ms(plan.size) * slides / level.mean_slides(plan.size)
    return max(1, round(usual * exp(rng.gauss(0, level.form))))


def timing(plan: Plan, level: Level, rng: Chance) -> list[int]:
    """Return when a bot makes each slide of its plan.

    The total is drawn first, by `total_ms` with the same arguments.

    Args:
        plan: how it solves the board.
        level: how good it is.
        rng: the bot's own `random.Random`.

    Returns:
        For each slide the ms since the board was unlocked: more than 0, never less
        than the slide before, and the last one is the total.
    """
    total = total_ms(plan, level, rng)
    ends = list(accumulate(_gaps(plan, level, rng)))
    return [max(1, round(total * end / ends[-1])) for end in ends]


def _gaps(plan: Plan, level: Level, rng: Chance) -> Iterator[float]:
    """Yield the gaps, in average gaps without pauses."""
    chord = max(CHORDS[0][1], at_side(CHORDS, plan.size))
    straight = min(1, at_side(STRAIGHT, plan.size))
    memory = MEMORY_SMALL if plan.size.cells <= SMALL_CELLS else MEMORY_LARGE
    mood, pause, last = 0.0, LOOK, ""
    for stage in plan.stages:
        if stage.corrects:
            pause += _pause(SURPRISE, rng)
        else:
            pause += level.think * exp(rng.gauss(-(THINK_SPREAD**2) / 2, THINK_SPREAD))
        for direction, _ in stage.slides:
            mood = memory * mood + rng.gauss(0, sqrt(1 - memory**2))
            gap = exp(level.spread * mood)
            if rng.random() < chord:
                least, most = CHORD
                gap *= least + (most - least) * rng.random()
            if direction == last:
                gap *= straight
            if rng.random() < level.hesitations:
                pause += _pause(HESITATION, rng)
            yield gap + pause
            pause, last = 0.0, direction


def _pause(lengths: tuple[float, float], rng: Chance) -> float:
    """Draw a pause of at least the first length, longer by the second on average."""
    least, more = lengths
    return least - more * log(1 - rng.random())
