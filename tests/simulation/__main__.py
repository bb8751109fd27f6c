"""Simulate races while everything fails: `python -m tests.simulation --help`."""

import argparse
import sys
import time
from dataclasses import fields

from tests.simulation.run import Figures, silence_logs
from tests.simulation.seeds import run_or_report, runs


def main() -> int:
    """Simulate what the command line asks for; return 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--nodes", type=int, default=1, help="of a cluster; 1: none")
    parser.add_argument("--hours", type=float, default=0.0, help="at least, of races")
    parser.add_argument("--races", type=int, default=0, help="at least so many")
    parser.add_argument("--crashes", type=int, default=0, help="at least so many")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first run")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--all", action="store_true", help="go on after a broken run")
    parser.add_argument("--replay", type=int, metavar="SEED", help="only this run")
    options = parser.parse_args()
    if options.replay is not None:
        silence_logs()
        figures, broken = run_or_report(options.replay, options.nodes)
        print(broken or figures)
        return bool(broken)
    total, failed, began = Figures(), 0, time.monotonic()
    for figures, broken in runs(options.seed, options.nodes, options.jobs):
        if broken:
            print(broken, flush=True)
            failed += 1
            if not options.all:
                return 1
        total.add(figures)
        enough = total.raced_s >= options.hours * 3_600
        enough = enough and total.races >= options.races
        if enough and total.crashes >= options.crashes:
            break
    _print(total, time.monotonic() - began)
    return int(failed > 0)


def _print(total: Figures, seconds: float) -> None:
    print(f"race_hours {total.raced_s / 3_600:.2f}")
    print(f"wall_s {seconds:.1f}")
    for field in fields(total):
        if isinstance(value := getattr(total, field.name), int):
            print(f"{field.name} {value}")
    if restored_s := sorted(total.restored_s):
        for percent in (50, 95, 100):
            value = restored_s[(len(restored_s) - 1) * percent // 100]
            print(f"restored_p{percent}_s {value:.2f}")


if __name__ == "__main__":
    sys.exit(main())
