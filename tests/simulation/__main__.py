"""Simulate races while everything fails: `python -m tests.simulation --help`."""

import argparse
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from multiprocessing import get_context

from tests.simulation.world import Figures, one_world, quiet


def main() -> int:
    """Run what the command line asks for; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--hours", type=float, default=10.0, help="race-hours")
    parser.add_argument("--crashes", type=int, default=4_000, help="at least so many")
    parser.add_argument("--seed", type=int, default=1, help="the first world's")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--world", type=int, help="replay this one world")
    asked = parser.parse_args()
    if asked.world is not None:
        return _replay(asked.world)
    total, began = Figures(), time.monotonic()
    for figures, lost in _worlds(asked.seed, asked.jobs):
        if lost:
            print(lost)
            return 1
        total.add(figures)
        if total.raced_s >= asked.hours * 3_600 and total.crashes >= asked.crashes:
            break
    _tell(total, time.monotonic() - began)
    return 0


def _worlds(seed: int, jobs: int) -> Iterator[tuple[Figures, str]]:
    """One world after the other, by ascending seed, without an end."""
    if jobs == 1:
        quiet()
        yield from map(one_world, count(seed))
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=quiet) as pool:
        ahead = deque(pool.submit(one_world, seed + n) for n in range(2 * jobs))
        try:
            for later in count(seed + 2 * jobs):
                yield ahead.popleft().result()
                ahead.append(pool.submit(one_world, later))
        finally:
            pool.shutdown(cancel_futures=True)


def _replay(seed: int) -> int:
    quiet()
    figures, lost = one_world(seed)
    print(lost or figures)
    return bool(lost)


def _tell(total: Figures, seconds: float) -> None:
    print(f"race_hours {total.raced_s / 3_600:.2f}")
    print(f"wall_s {seconds:.1f}")
    for name, value in _values(total):
        print(f"{name} {value}")


def _values(total: Figures) -> Iterator[tuple[str, int]]:
    for name in Figures.__slots__:
        if name != "raced_s":
            yield name, getattr(total, name)


if __name__ == "__main__":
    sys.exit(main())
