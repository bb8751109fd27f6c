"""Simulate races while everything fails: `python -m tests.simulation --help`."""

import argparse
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from multiprocessing import get_context

from tests.simulation.run import Figures, run_or_report, silence_logs


def main() -> int:
    """Simulate what the command line asks for; return 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--hours", type=float, default=10.0, help="race-hours")
    parser.add_argument("--crashes", type=int, default=4_000, help="at least so many")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first run")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--replay", type=int, metavar="SEED", help="only this run")
    options = parser.parse_args()
    if options.replay is not None:
        return _replay(options.replay)
    total, began = Figures(), time.monotonic()
    for figures, broken in _runs(options.seed, options.jobs):
        if broken:
            print(broken)
            return 1
        total.add(figures)
        enough = total.raced_s >= options.hours * 3_600
        if enough and total.crashes >= options.crashes:
            break
    _print(total, time.monotonic() - began)
    return 0


def _runs(seed: int, jobs: int) -> Iterator[tuple[Figures, str]]:
    """Yield one run after the other, by ascending seed, without end."""
    if jobs == 1:
        silence_logs()
        yield from map(run_or_report, count(seed))
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=silence_logs) as pool:
        ahead = deque(pool.submit(run_or_report, seed + n) for n in range(2 * jobs))
        try:
            for later in count(seed + 2 * jobs):
                yield ahead.popleft().result()
                ahead.append(pool.submit(run_or_report, later))
        finally:
            pool.shutdown(cancel_futures=True)


def _replay(seed: int) -> int:
    silence_logs()
    figures, broken = run_or_report(seed)
    print(broken or figures)
    return bool(broken)


def _print(total: Figures, seconds: float) -> None:
    print(f"race_hours {total.raced_s / 3_600:.2f}")
    print(f"wall_s {seconds:.1f}")
    for name in Figures.__slots__:
        if name != "raced_s":
            print(f"{name} {getattr(total, name)}")


if __name__ == "__main__":
    sys.exit(main())
