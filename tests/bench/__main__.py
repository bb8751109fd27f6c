"""Measure the server: `python -m tests.bench SCENARIO [--server KIND] [--seconds N]`.

Prints one JSON line per run. `compare` runs product, plain and raw in turn, several
rounds, and prints ratios within each round, because a machine's speed varies.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from statistics import median

from tests.bench.scenarios import SCENARIOS, Result, machine
from tests.bench.servers import KINDS, PEERS, PeersMissing, peers, pin

MORE = ("moves_per_cpu_s", "held_rooms", "accepts_per_cpu_s")
LESS = (
    "server_cpu",
    "join_cpu_us",
    "ack_p50_ms",
    "ack_p99_ms",
    "seen_p50_ms",
    "seen_p99_ms",
)
"""Figures whose ratios `compare` prints, if a scenario has them: of `MORE`, product /
other, and of `LESS`, other / product, so that above 1 the product is better."""


def run(scenario: str, kind: str, seconds: float) -> Result:
    """Run a scenario once; print and return its figures."""
    line = {"scenario": scenario, "server": kind, **machine()}
    line |= SCENARIOS[scenario](kind, seconds)
    print(json.dumps(line), flush=True)
    return line


def compare(
    scenario: str, seconds: float, rounds: int, kinds: Sequence[str] = KINDS
) -> None:
    """Print min, median and max of the ratios between product and the others."""
    ratios: dict[str, list[float]] = {}
    for _ in range(rounds):
        lines = {kind: run(scenario, kind, seconds) for kind in kinds}
        for kind, line in lines.items():
            for name in MORE + LESS if kind != "product" else ():
                ours, theirs = lines["product"].get(name), line.get(name)
                if not ours or not theirs:
                    continue
                more = name in MORE
                pair = f"product / {kind}" if more else f"{kind} / product"
                ratio = ours / theirs if more else theirs / ours
                ratios.setdefault(f"{name}, {pair}", []).append(ratio)
    for name, values in ratios.items():
        low, middle, high = min(values), median(values), max(values)
        print(f"{scenario}: {name}: {low:.2f} / {middle:.2f} / {high:.2f}")


def found_peers() -> Sequence[str]:
    """Return the peers, or none and say why."""
    try:
        return peers()
    except PeersMissing as error:
        print(f"without peers: {error}", file=sys.stderr)
        return ()


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("scenario", choices=[*SCENARIOS, "compare"])
    parser.add_argument("of", nargs="?", default="saturation", choices=SCENARIOS)
    parser.add_argument("--server", default="product", choices=[*KINDS, *PEERS])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", action="store_true", help="compare with Node.js too")
    args = parser.parse_args()
    pin(1)
    if args.scenario == "compare":
        kinds = [*KINDS, *(found_peers() if args.peers else ())]
        compare(args.of, args.seconds, args.rounds, kinds)
    else:
        run(args.scenario, args.server, args.seconds)


if __name__ == "__main__":
    main()
