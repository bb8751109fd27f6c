"""Measure what bots do: `python -m tests.bench.bots [--solves N] [SIZE ...]`.

For each level and size it prints

- the mean number of slides: the table in `sliderace.solve.levels` comes from here;
- the processor time of a plan: the mean, and the 95th percentile;
- the median of the times, and how far it is from the level's;
- of the two best levels, how far the rhythm is from that of people: the largest
  difference over the 19 quantiles (0.05 ... 0.95) of the gaps between slides, in
  medians of their solve;
- how many pairs of six bots in each of 10 rooms found the same solution.
"""
# ruff: noqa: S311 - nothing secret

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean, median, quantiles
from time import thread_time
from typing import NamedTuple

from sliderace.engine import Size, random_scramble
from sliderace.solve import LEVELS, Level, plan, timing

PEOPLE = Path(__file__).parents[1] / "solve" / "rhythm.json"
MEASURED = (3, 4, 5, 7)
"""Squares whose rhythm is known."""
BEST = ("master", "record")
"""Levels whose rhythm is that of the people in the file."""
TIMINGS = 20
"""How often the slides of each plan are made to measure the rhythm."""
STEPS = 20
"""Quantiles that are compared: all but the first and the last of these steps."""


class Solve(NamedTuple):
    """One solve of a bot.

    Attributes:
        slides: how many.
        times: when it made each, in ms.
        plan_s: processor time of its plan.
    """

    slides: int
    times: Sequence[int]
    plan_s: float


def solves(level: Level, size: Size, count: int, timings: int = 1) -> list[Solve]:
    """Let a bot solve random boards, the same ones each time.

    Args:
        level: how good it is.
        size: of the boards.
        count: how many boards.
        timings: how often it makes the slides of each plan.
    """
    rng = Random(f"{level.name} {size}")
    found: list[Solve] = []
    for _ in range(count):
        board = random_scramble(rng, size)
        began = thread_time()
        planned = plan(board, level, rng)
        took = thread_time() - began
        for _ in range(timings):
            times = timing(planned, level, rng)
            found.append(Solve(len(times), times, took))
    return found


def median_error(found: Sequence[Solve], level: Level, size: Size) -> float:
    """Return how far the median of the times is above the level's, as a share of it."""
    return median(each.times[-1] for each in found) / level.target_ms(size) - 1


def rhythm_error(found: Sequence[Solve], size: Size) -> float:
    """Return the largest difference to the quantiles of people's gaps."""
    people: list[float]
    people = json.loads(PEOPLE.read_text())[str(size.width)]["relative_gap_quantiles"]
    ours = quantiles(_relative_gaps(found), n=STEPS)
    return max(abs(a - b) for a, b in zip(ours, people[1:-1], strict=True))


def _relative_gaps(found: Sequence[Solve]) -> Iterator[float]:
    for each in found:
        gaps = [after - before for before, after in pairwise(each.times)]
        middle = median(gaps)
        yield from (gap / middle for gap in gaps)


def same_ways(level: Level, size: Size, rooms: int, bots: int) -> int:
    """Return how many pairs of bots in the same room found the same solution."""
    rng = Random(f"{level.name} {size}")
    same = 0
    for _ in range(rooms):
        board = random_scramble(rng, size)
        ways = Counter(
            tuple(plan(board, level, Random(rng.random())).slides) for _ in range(bots)
        )
        same += sum(count * (count - 1) // 2 for count in ways.values())
    return same


def line(level: Level, size: Size, count: int) -> str:
    """Return the figures of a level and size as a line of text."""
    found = solves(level, size, count)
    took = [1000 * each.plan_s for each in found]
    slides = fmean(each.slides for each in found)
    parts = [
        f"{level.name:8} {size!s:5} {count:4} solves: {slides:6.1f} slides",
        f"plan {median(took):5.1f} ms, 95 %: {quantiles(took, n=20)[-1]:5.1f}",
        f"median {100 * median_error(found, level, size):+5.1f} %",
    ]
    if level.name in BEST and size.width == size.height and size.width in MEASURED:
        error = rhythm_error(solves(level, size, count, TIMINGS), size)
        parts.append(f"rhythm {error:.3f}")
    same = same_ways(level, size, rooms=10, bots=6)
    return "; ".join([*parts, f"same ways {same} of 150"])


def main() -> None:
    """Print the figures that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bots")
    parser.add_argument("--solves", type=int, default=100)
    parser.add_argument("--level", choices=LEVELS)
    parser.add_argument("sizes", nargs="*", default=["3x3", "4x4", "5x5", "7x7"])
    args = parser.parse_args()
    for text in args.sizes:
        for level in [LEVELS[args.level]] if args.level else LEVELS.values():
            print(line(level, Size.parse(text), args.solves), flush=True)


if __name__ == "__main__":
    main()
