"""Simulate races while everything fails: `python -m tests.simulation --help`."""

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from multiprocessing import get_context

from tests.simulation.world import Figures, one_world, quiet

ROUND = 40
"""Worlds handed out at a time: a second or two of work for each job."""


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
    seeds = count(asked.seed)
    with ProcessPoolExecutor(asked.jobs, get_context("spawn"), quiet) as pool:
        while total.raced_s < asked.hours * 3_600 or total.crashes < asked.crashes:
            batch = [next(seeds) for _ in range(ROUND)]
            for figures, lost in pool.map(one_world, batch, chunksize=4):
                if lost:
                    print(lost)
                    return 1
                total.add(figures)
    _tell(total, time.monotonic() - began)
    return 0


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
