"""Measure the server: `python -m tests.bench SCENARIO [--server KIND] [--seconds N]`.

`compare` runs product, plain and raw in turn, several rounds, and prints the ratios of
each round: the machine's moods meet all three alike. One JSON line for each run.
"""

import argparse
import json
from statistics import median

from tests.bench.scenarios import SCENARIOS, Latency, machine
from tests.bench.servers import KINDS, pin

FIGURES = ("moves_per_cpu_s", "server_cpu", "ack_p99_ms", "rooms", "accepts_per_cpu_s")
"""Of which `compare` prints ratios, where a scenario has them."""


def run(scenario: str, kind: str, seconds: float) -> Latency:
    """One run; its line is printed."""
    line = {"scenario": scenario, "server": kind, **machine()}
    line |= SCENARIOS[scenario](kind, seconds)
    print(json.dumps(line), flush=True)
    return line


def compare(scenario: str, seconds: float, rounds: int) -> None:
    """Product against the others, in turn; min, median and max of the ratios."""
    ratios: dict[str, list[float]] = {}
    for _ in range(rounds):
        lines = {kind: run(scenario, kind, seconds) for kind in KINDS}
        for kind in KINDS[1:]:
            for name in FIGURES:
                ours, theirs = lines["product"].get(name), lines[kind].get(name)
                if ours and theirs:
                    ratios.setdefault(f"{name} / {kind}", []).append(ours / theirs)
    for name, values in ratios.items():
        low, middle, high = min(values), median(values), max(values)
        print(f"{scenario}: {name}: {low:.2f} / {middle:.2f} / {high:.2f}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("scenario", choices=[*SCENARIOS, "compare"])
    parser.add_argument("of", nargs="?", default="saturation", choices=SCENARIOS)
    parser.add_argument("--server", default="product", choices=KINDS)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    pin(1)
    if args.scenario == "compare":
        compare(args.of, args.seconds, args.rounds)
    else:
        run(args.scenario, args.server, args.seconds)


if __name__ == "__main__":
    main()
