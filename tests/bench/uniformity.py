"""Test the scramble's uniformity: `python tests/bench/uniformity.py [COUNT]`.

Draws 3.6 million boards of 3x3 (one to a few minutes) and a hundredth as many of each
smaller size. A chi-squared test compares the counts with the expected ones. A result is
"suspect", and the exit code 1, if a fair scramble would be so uneven, or so even, only
once in 10,000 runs. The seeds are fixed, so the figures are always the same.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from math import exp, factorial, fsum, lgamma, log

from sliderace.engine import Size, scramble

SUSPECT = 1e-4
BOARDS = 3_600_000

Tiles = tuple[int, ...]


def boards(size: Size, count: int, first: int = 0) -> Iterator[Tiles]:
    """Yield the scrambles of `count` consecutive seeds."""
    for n in range(first, first + count):
        yield scramble(n.to_bytes(32, "big"), size).tiles


def tail(statistic: float, freedom: int) -> float:
    """Return the probability that a chi-squared variable is at least so large.

    Exact for an even number of degrees of freedom; ours are all even.
    """
    assert freedom % 2 == 0
    half = statistic / 2
    if half <= 0:
        return 1.0
    return min(
        1.0,
        fsum(exp(i * log(half) - half - lgamma(i + 1)) for i in range(freedom // 2)),
    )


def whole_boards(size: Size, seen: Mapping[Tiles, int]) -> tuple[float, int]:
    """Return chi-squared over all unsolved boards, and its degrees of freedom."""
    kinds = factorial(size.cells) // 2 - 1
    expected = sum(seen.values()) / kinds
    off = fsum((count - expected) ** 2 for count in seen.values())
    unseen = kinds - len(seen)
    return (off + unseen * expected**2) / expected, kinds - 1


def tiles_in_cells(size: Size, seen: Mapping[Tiles, int]) -> tuple[float, int]:
    """Return chi-squared over how often each tile is in each cell.

    A board has each tile once and fills each cell once. The counts of n tiles in n
    cells therefore have (n - 1)^2 degrees of freedom, and the usual sum is n / (n - 1)
    times too large.
    """
    n, total = size.cells, sum(seen.values())
    counts = Counter[tuple[int, int]]()
    for tiles, times in seen.items():
        for cell, tile in enumerate(tiles):
            counts[tile, cell] += times
    kinds, alike = factorial(n) // 2, factorial(n - 1) // 2
    terms: list[float] = []
    for tile in range(n):
        for cell in range(n):
            at_home = cell == (tile - 1) % n  # there is no solved board
            expected = total * (alike - at_home) / (kinds - 1)
            terms.append((counts[tile, cell] - expected) ** 2 / expected)
    return fsum(terms) * (n - 1) / n, (n - 1) ** 2


def suspect(statistic: float, freedom: int) -> bool:
    """Return whether counts are too uneven or too even for a fair scramble."""
    return not SUSPECT < tail(statistic, freedom) < 1 - SUSPECT


def report(what: str, statistic: float, freedom: int) -> bool:
    """Print one result; return whether it is suspect."""
    bad = suspect(statistic, freedom)
    print(
        f"{what:28} chi2 {statistic:11.1f}  df {freedom:6}  "
        f"p {tail(statistic, freedom):8.6f}  {'suspect' if bad else 'fair'}"
    )
    return bad


def main(count: int) -> bool:
    """Test `count` boards of 3x3, and fewer of the smaller sizes.

    Returns:
        Whether any result is suspect.
    """
    bad = False
    for text, share in (("2x2", 100), ("2x3", 100), ("3x3", 1)):
        size = Size.parse(text)
        seen = Counter(boards(size, count // share))
        of = f"{seen.total():,} boards {text}"
        bad |= report(f"{of}, whole", *whole_boards(size, seen))
        if size.cells == 9:  # the smaller sizes have an odd number of degrees
            bad |= report(f"{of}, cells", *tiles_in_cells(size, seen))
    return bad


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else BOARDS))
