"""What can be counted: distance, progress, and moves in either metric."""

from collections.abc import Iterable

from sliderace.engine.board import Board

__all__ = ["manhattan", "mtm", "progress_permille", "stm"]


def manhattan(board: Board) -> int:
    """Steps of all tiles to their homes, as the crow flies; 0 only when solved."""
    return board.md


def progress_permille(md: int, start_md: int) -> int:
    """How far an attempt is, in thousandths, rounded down.

    Args:
        md: the board's Manhattan distance now.
        start_md: the scramble's; 0 only for a board that was never scrambled.

    Returns:
        0 ... 1000: 1000 exactly when the board is solved, 0 also where the board is
        further from home than it was at the start.
    """
    if md == 0:
        return 1000
    return 1000 * (start_md - md) // start_md if md < start_md else 0


def stm(slides: Iterable[tuple[str, int]]) -> int:
    """Moves in the single-tile metric: every tile that moved counts."""
    return sum(count for _, count in slides)


def mtm(slides: Iterable[tuple[str, int]]) -> int:
    """Moves in the multi-tile metric: a run in one direction counts one."""
    runs, last = 0, ""
    for direction, _ in slides:
        runs += direction != last
        last = direction
    return runs
