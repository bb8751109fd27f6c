"""Measure the server: `python -m tests.bench SCENARIO [--server KIND] [--seconds N]`.

Prints one JSON line per run. `compare` runs product and plain in turn, several rounds,
and prints ratios within each round, because a machine's speed varies. With `--peers` it
also runs servers on Node.js.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from statistics import median

from tests.bench.scenarios import SCENARIOS, Result, machine
from tests.bench.servers import KINDS, PEERS, PeersMissing, peers, pin

MORE = ("moves_per_cpu_s", "held_rooms")
LESS = (
    "server_cpu",
    "join_cpu_us",
    "ack_p50_ms",
    "ack_p99_ms",
    "seen_p50_ms",
    "seen_p99_ms",
    "longest_block_ms",
    "kib_per_connection",
)
"""Figures that `compare` prints, if a scenario has them. The ratio is product / other
in `MORE` and other / product in `LESS`, so that above 1 the product is better."""


def run(scenario: str, kind: str, seconds: float) -> Result:
    """Run a scenario once; print and return its figures."""
    line = {"scenario": scenario, "server": kind, **machine()}
    line |= SCENARIOS[scenario](kind, seconds)
    print(json.dumps(line), flush=True)
    return line


def compare(
    scenario: str, seconds: float, rounds: int, kinds: Sequence[str] = KINDS
) -> None:
    """Print each figure's median, and median, min and max of its ratios."""
    lines: dict[str, list[Result]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind in kinds:
            lines[kind].append(run(scenario, kind, seconds))
    ours = lines.pop("product")
    for name in MORE + LESS:
        if not ours[0].get(name):
            continue
        parts = [f"product {median(one[name] for one in ours):g}"]
        for kind, others in lines.items():
            pairs = [(a[name], b[name]) for a, b in zip(ours, others, strict=True)]
            if not all(b for _, b in pairs):
                continue
            ratios = [a / b if name in MORE else b / a for a, b in pairs]
            low, middle, high = min(ratios), median(ratios), max(ratios)
            theirs = median(b for _, b in pairs)
            parts.append(f"{kind} {theirs:g} ({middle:.2f}, {low:.2f} to {high:.2f})")
        print(f"{scenario} {name}: {'; '.join(parts)}")


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
