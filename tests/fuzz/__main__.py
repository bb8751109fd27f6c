"""Decode mutated frames: `python -m tests.fuzz COUNT [SEED]`."""

import sys
import time
from collections import Counter

from tests.fuzz.decoder import decode_mutated


def main(count: int, seed: int) -> None:
    """Decode so many frames; print how many were decoded and how many refused."""
    began, outcomes = time.process_time(), Counter[str]()
    for first in range(0, count, 1_000_000):
        outcomes += decode_mutated(min(1_000_000, count - first), seed + first)
    print(dict(outcomes), f"{time.process_time() - began:.1f} CPU s")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
