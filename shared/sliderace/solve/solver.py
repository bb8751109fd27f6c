"""Solve a board by the first way that is found, which is always the same one."""

from sliderace.engine import Board, EngineError, Slide
from sliderace.solve.search import NODE_CAP, Taste, bring_home, stages_of

__all__ = ["Unsolvable", "solve"]

REST_SIDE = 3
"""The last 3x3 is searched as a whole: at most 181,440 positions."""
TASTE = Taste(tile=5)
"""One step of a tile costs about five slides because the gap must go round it."""


class Unsolvable(EngineError):
    """The board cannot be solved."""


def solve(board: Board, node_cap: int = NODE_CAP) -> list[list[Slide]]:
    """Return slides that solve the board, stage by stage.

    Args:
        board: any board; it is not changed.
        node_cap: positions each stage may look at.

    Returns:
        Stages that have slides, in order; every slide is of one tile.

    Raises:
        Unsolvable: the board cannot be solved.
        NodeCap: a stage is too hard; this does not happen with the default cap.
    """
    if not board.is_solvable():
        raise Unsolvable(f"this {board.size} board cannot be solved")
    board = board.copy()
    free = set(range(board.size.cells))
    stages: list[list[Slide]] = []
    for tiles in stages_of(board.size, REST_SIDE, 1, lambda _height, _width: True):
        stage = bring_home(board, tiles, free, TASTE, node_cap)
        for slide in stage:
            board.slide(*slide)
        free.difference_update(tile - 1 for tile in tiles)
        if stage:
            stages.append(stage)
    return stages
