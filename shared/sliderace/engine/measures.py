"""Metrics: progress, and moves in the single-tile and multi-tile metric."""

from collections.abc import Iterable

__all__ = ["mtm", "progress_permille", "stm"]


def progress_permille(md: int, start_md: int) -> int:
    """Return the progress of an attempt, in thousandths, rounded down.

    Args:
        md: Manhattan distance of the board, 0 or more.
        start_md: Manhattan distance of the scramble, 0 or more.

    Returns:
        0 ... 1000: exactly 1000 if and only if the board is solved; 0 if it is no
        closer to solved than the scramble.

    Raises:
        ValueError: a distance is negative.
    """
    if md < 0 or start_md < 0:
        raise ValueError(f"a distance is 0 or more, not {min(md, start_md)}")
    if md == 0:
        return 1000
    return 1000 * (start_md - md) // start_md if md < start_md else 0


def stm(slides: Iterable[tuple[str, int]]) -> int:
    """Return the moves in the single-tile metric: every tile moved counts."""
    return sum(count for _, count in slides)


def mtm(slides: Iterable[tuple[str, int]]) -> int:
    """Return the moves in the multi-tile metric: a run in one direction counts 1."""
    runs, last = 0, ""
    for direction, _ in slides:
        runs += direction != last
        last = direction
    return runs
