from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from sliderace.engine import (
    DIRECTIONS,
    OPPOSITE,
    BadBoard,
    BadSize,
    Board,
    EngineError,
    IllegalSlide,
    OffBoard,
    Size,
    Slide,
    parse_board,
    parse_slides,
    solvable,
)
from sliderace.engine.board import MAX_SIDE, MIN_SIDE

Golden = dict[str, list[dict[str, Any]]]

sides = st.integers(MIN_SIDE, MAX_SIDE)
sizes = st.builds(Size, sides, sides)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Draw any board of any size, solvable or not."""
    size = draw(sizes)
    return Board(size, draw(st.permutations(range(size.cells))))


# --- Sizes ----------------------------------------------------------------------------


def test_golden_sizes_parse_and_format(golden: Golden) -> None:
    for case in golden["sizes"]:
        if "error" in case:
            with pytest.raises(BadSize):
                Size.parse(case["text"])
        else:
            size = Size.parse(case["text"])
            assert (size.width, size.height) == (case["width"], case["height"])
            assert str(size) == case["text"]
            assert size.cells == case["width"] * case["height"]


@pytest.mark.parametrize("bad", [MIN_SIDE - 1, MAX_SIDE + 1, 0, -2, 10**9])
def test_side_out_of_range_is_refused(bad: int) -> None:
    with pytest.raises(BadSize):
        Size(bad, 4)
    with pytest.raises(BadSize):
        Size(4, bad)


@given(size=sizes)
def test_every_size_has_a_solved_board(size: Size) -> None:
    board = Board.solved(size)
    assert board.tiles == (*range(1, size.cells), 0)
    assert board.is_solved
    assert board.is_solvable()
    assert board.md == 0
    assert board.gap == size.cells - 1


# --- Boards ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tiles",
    [
        (),
        (1, 2, 3),
        (1, 2, 3, 4),
        (1, 2, 3, 3),
        (0, 0, 1, 2),
        (1, 2, -1, 0),
        (1, 2, 3, 4, 0),
    ],
)
def test_tiles_must_be_a_permutation(tiles: tuple[int, ...]) -> None:
    with pytest.raises(BadBoard, match=r"^a 2x2 board has each of 0 \.\.\. 3 once$"):
        Board(Size(2, 2), tiles)


def test_golden_board_properties(golden: Golden) -> None:
    for case in golden["boards"]:
        board = Board(Size(case["width"], case["height"]), case["tiles"])
        assert board.gap == case["gap"]
        assert board.md == case["md"], case["text"]
        assert board.is_solvable() is case["solvable"], case["text"]
        assert board.is_solved is (case["md"] == 0)


def test_board_with_two_tiles_swapped_is_unsolvable() -> None:
    board = Board(Size(3, 3), (2, 1, 3, 4, 5, 6, 7, 8, 0))
    assert not board.is_solved
    assert not board.is_solvable()


@given(board=boards())
def test_tile_at_and_cell_of_are_inverse(board: Board) -> None:
    for cell, tile in enumerate(board.tiles):
        assert board.tile_at(cell) == tile
        assert board.cell_of(tile) == cell
    assert board.cell_of(0) == board.gap


@pytest.mark.parametrize("beyond", [-1, 9, 10**9])
def test_cell_or_tile_off_the_board_is_refused(beyond: int) -> None:
    board = Board.solved(Size(3, 3))
    with pytest.raises(OffBoard):
        board.tile_at(beyond)
    with pytest.raises(OffBoard):
        board.cell_of(beyond)
    with pytest.raises(IllegalSlide):
        board.slide_of_cell(beyond)
    with pytest.raises(IllegalSlide):
        board.slide_of_tile(beyond)


def test_boards_compare_by_size_and_tiles() -> None:
    board = parse_board("1 2 3/4 5 0")
    assert board == Board(Size(3, 2), [1, 2, 3, 4, 5, 0])
    assert board != parse_board("1 2 3/4 0 5")
    assert board != Board(Size(2, 3), board.tiles)
    assert board != board.tiles
    assert eval(repr(board)) == board  # noqa: S307 - not from outside
    with pytest.raises(TypeError):
        hash(board)


def test_copy_is_independent() -> None:
    board = parse_board("1 2 3/4 0 5/6 7 8")
    twin = board.copy()
    assert twin == board
    assert (twin.gap, twin.md, twin.size) == (board.gap, board.md, board.size)
    twin.slide("U")
    assert board == parse_board("1 2 3/4 0 5/6 7 8")
    assert twin == parse_board("1 2 3/4 7 5/6 0 8")


def test_errors_are_engine_errors() -> None:
    for error in (BadSize, BadBoard, IllegalSlide, OffBoard):
        assert issubclass(error, EngineError)
    assert issubclass(EngineError, ValueError)


# --- Slides ---------------------------------------------------------------------------


def test_direction_is_the_way_the_tile_moves(golden: Golden) -> None:
    for case in golden["directions"]:
        board = parse_board(case["board"])
        for slide in parse_slides(case["slides"]):
            board.slide(*slide)
        assert board == parse_board(case["after"]), case["why"]


def test_illegal_slide_changes_nothing(golden: Golden) -> None:
    for case in golden["illegal"]:
        board = parse_board(case["board"])
        slide = case["direction"], case["count"]
        assert not board.try_slide(*slide), slide
        with pytest.raises(IllegalSlide):
            board.slide(*slide)
        fresh = parse_board(case["board"])
        assert (board, board.gap, board.md) == (fresh, fresh.gap, fresh.md)


def test_golden_legal_slides(golden: Golden) -> None:
    for case in golden["legal"]:
        slides = parse_board(case["board"]).legal_slides()
        assert slides == [tuple(slide) for slide in case["slides"]]


def test_slide_of_a_tile_or_cell(golden: Golden) -> None:
    for case in golden["picks"]:
        board = parse_board(case["board"])
        assert board.tile_at(case["cell"]) == case["tile"]
        if case["slide"] is None:
            with pytest.raises(IllegalSlide):
                board.slide_of_cell(case["cell"])
            with pytest.raises(IllegalSlide):
                board.slide_of_tile(case["tile"])
        else:
            assert board.slide_of_cell(case["cell"]) == tuple(case["slide"])
            assert board.slide_of_tile(case["tile"]) == tuple(case["slide"])


@given(board=boards())
def test_only_legal_slides_are_accepted(board: Board) -> None:
    legal = board.legal_slides()
    assert len(legal) == sum(board.size) - 2
    for direction in DIRECTIONS:
        for count in range(-1, MAX_SIDE + 2):
            accepted = board.copy().try_slide(direction, count)
            assert accepted is ((direction, count) in legal)


@given(board=boards())
def test_slide_of_many_equals_many_slides_of_one(board: Board) -> None:
    for direction, count in board.legal_slides():
        at_once, one_by_one = board.copy(), board.copy()
        at_once.slide(direction, count)
        for _ in range(count):
            one_by_one.slide(direction)
        assert at_once == one_by_one
        assert (at_once.gap, at_once.md) == (one_by_one.gap, one_by_one.md)


@given(board=boards())
def test_slide_of_a_tile_moves_it_by_one_cell(board: Board) -> None:
    for direction, count in board.legal_slides():
        after = board.copy()
        after.slide(direction, count)
        tile = board.tile_at(after.gap)
        assert board.slide_of_tile(tile) == (direction, count)
        steps = {"U": -board.size.width, "D": board.size.width, "L": -1, "R": 1}
        assert after.cell_of(tile) == board.cell_of(tile) + steps[direction]


@given(board=boards(), picks=st.lists(st.integers(0, 17), max_size=60))
def test_slides_keep_the_board_consistent_and_can_be_undone(
    board: Board, picks: list[int]
) -> None:
    start, can_be_solved = board.copy(), board.is_solvable()
    trail: list[Slide] = []
    for pick in picks:
        legal = board.legal_slides()
        slide = legal[pick % len(legal)]
        board.slide(*slide)
        trail.append(slide)
        fresh = Board(board.size, board.tiles)
        assert (board.gap, board.md) == (fresh.gap, fresh.md)
        assert board.is_solved is (board == Board.solved(board.size))
        assert board.is_solvable() is can_be_solved
    for direction, count in reversed(trail):
        board.slide(OPPOSITE[direction], count)
    assert board == start


# --- Solvability ----------------------------------------------------------------------


def textbook_rule(size: Size, tiles: tuple[int, ...]) -> bool:
    """Count inversions and, if the width is even, the gap's row from the bottom."""
    labels = [tile for tile in tiles if tile]
    inversions = sum(a > b for n, a in enumerate(labels) for b in labels[n + 1 :])
    if size.width % 2:
        return inversions % 2 == 0
    row = size.height - tiles.index(0) // size.width
    return (inversions + row) % 2 == 1


@pytest.mark.parametrize("width", range(MIN_SIDE, MAX_SIDE + 1))
@pytest.mark.parametrize("height", range(MIN_SIDE, MAX_SIDE + 1))
def test_solvable_agrees_with_the_textbook_rule(width: int, height: int) -> None:
    size = Size(width, height)
    answers: set[bool] = set()

    @settings(max_examples=20)
    @given(tiles=st.permutations(range(size.cells)))
    def agrees(tiles: list[int]) -> None:
        answer = solvable(size, tiles)
        assert answer is textbook_rule(size, tuple(tiles))
        assert Board(size, tiles).is_solvable() is answer
        answers.add(answer)

    agrees()
    assert answers == {True, False}


@given(board=boards(), data=st.data())
def test_swapping_two_tiles_flips_solvability(
    board: Board, data: st.DataObject
) -> None:
    pair = st.lists(
        st.integers(1, board.size.cells - 1), min_size=2, max_size=2, unique=True
    )
    one, two = map(board.cell_of, data.draw(pair))
    tiles = list(board.tiles)
    tiles[one], tiles[two] = tiles[two], tiles[one]
    assert solvable(board.size, tiles) is not board.is_solvable()


@pytest.mark.parametrize("sides", [(3.0, 3), (3, 3.0), (True, 3), ("3", 3), (None, 3)])
def test_side_that_is_not_an_int_is_a_type_error(sides: tuple[Any, Any]) -> None:
    with pytest.raises(TypeError):
        Size(*sides)


@pytest.mark.parametrize("tile", [True, 1.0, "1", None])
def test_tile_that_is_not_an_int_is_a_type_error(tile: Any) -> None:
    with pytest.raises(TypeError):
        Board(Size(2, 2), (tile, 2, 3, 0))


def test_str_draws_the_board_and_parse_board_reads_the_drawing() -> None:
    board = parse_board("1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15")
    assert str(board).splitlines() == [
        " 1  2  3  4",
        " 5  6  7  8",
        " 9 10 11 12",
        "13 14  . 15",
    ]
    assert str(board.position) == str(board)
    assert parse_board(str(board)) == board


@given(board=boards(), data=st.data())
def test_undo_takes_back_every_legal_slide(board: Board, data: st.DataObject) -> None:
    before = board.position
    slide = data.draw(st.sampled_from(board.legal_slides()))
    board.slide(*slide)
    board.undo(*slide)
    assert board.position == before


def test_undo_refuses_a_slide_that_cannot_have_been_made() -> None:
    board = Board.solved(Size(3, 3))
    for direction, count in (("D", 1), ("R", 2), ("X", 1), ("U", 3)):
        with pytest.raises(IllegalSlide):
            board.undo(direction, count)
    assert board.is_solved


def test_a_position_is_a_key_that_slides_do_not_change() -> None:
    board = Board.solved(Size(3, 3))
    seen = {board.position: "solved"}
    board.slide("D")
    assert board.position not in seen
    board.undo("D")
    assert seen[board.position] == "solved"
    assert Board(*board.position) == board
