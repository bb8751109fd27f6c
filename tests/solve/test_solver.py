from itertools import product

import pytest

from sliderace.engine import Board, EngineError, Size, parse_board, scramble
from sliderace.solve import NodeCap, Unsolvable, solve

SIZES = [Size(width, height) for width, height in product(range(2, 11), repeat=2)]


def seed(n: int) -> bytes:
    """The n-th seed of this file's scrambles."""
    return n.to_bytes(32, "big")


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_size_is_solved(size: Size) -> None:
    for n in range(2):
        board = scramble(seed(n), size)
        start = board.copy()
        stages = solve(board)
        assert board == start, "the caller's board is not changed"
        for stage in stages:
            assert stage, "a stage without slides is left out"
            for direction, count in stage:
                assert count == 1
                board.slide(direction)
        assert board.is_solved


def test_all_boards_of_2x3_are_solved() -> None:
    """2x3 is solved in one search, so every solvable board is tried."""
    found = {Board.solved(Size(2, 3)).tiles}
    queue = [Board.solved(Size(2, 3))]
    for board in queue:
        for slide in board.legal_slides():
            after = board.copy()
            after.slide(*slide)
            if after.tiles not in found:
                found.add(after.tiles)
                queue.append(after)
        [*_, last] = [board.copy(), *followed(board)]
        assert last.is_solved
    assert len(queue) == 360


def followed(board: Board) -> list[Board]:
    """Yield the boards that the solver passes through."""
    boards: list[Board] = []
    at = board.copy()
    for stage in solve(board):
        for slide in stage:
            at.slide(*slide)
            boards.append(at.copy())
    return boards


def test_placed_tiles_stay_where_they_are_between_stages() -> None:
    board = scramble(seed(0), Size(6, 5))
    home = Board.solved(board.size).tiles
    rows_done = 0
    for stage in solve(board):
        for slide in stage:
            board.slide(*slide)
            assert board.tiles[: rows_done * 6] == home[: rows_done * 6]
        while (
            rows_done < 2
            and board.tiles[: (rows_done + 1) * 6] == (home[: (rows_done + 1) * 6])
        ):
            rows_done += 1
    assert rows_done == 2
    assert board.is_solved


def test_a_solved_board_needs_no_slide() -> None:
    assert solve(Board.solved(Size(5, 5))) == []


def test_board_one_slide_away_takes_one_slide() -> None:
    assert solve(parse_board("1 2 3/4 5 6/7 0 8")) == [[("L", 1)]]


def test_unsolvable_board_is_refused() -> None:
    with pytest.raises(Unsolvable, match="3x3"):
        solve(parse_board("2 1 3/4 5 6/7 8 0"))
    assert issubclass(Unsolvable, EngineError)


def test_stage_gives_up_at_its_cap() -> None:
    board = parse_board("8 6 7/2 5 4/3 0 1")
    with pytest.raises(NodeCap, match="within 20 positions"):
        solve(board, node_cap=20)
    assert issubclass(NodeCap, EngineError)
    assert solve(board)
