from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sliderace.engine import (
    DIRECTIONS,
    BadBoard,
    BadNotation,
    BadSize,
    Board,
    EngineError,
    Size,
    Slide,
    format_board,
    format_slides,
    format_tokens,
    parse_board,
    parse_slides,
)

Golden = dict[str, list[dict[str, Any]]]
ERRORS = {"notation": BadNotation, "size": BadSize, "board": BadBoard}

slides = st.lists(
    st.tuples(st.sampled_from(DIRECTIONS), st.integers(1, 9)), max_size=10
)
# At most 90 tiles, so that a merged run has two digits.


def test_golden_boards_parse_and_format(golden: Golden) -> None:
    for case in golden["boards"]:
        board = parse_board(case["text"])
        assert board == Board(Size(case["width"], case["height"]), case["tiles"])
        assert format_board(board) == case["text"]


def test_malformed_board_texts_are_refused(golden: Golden) -> None:
    for case in golden["board_texts"]:
        if "error" in case:
            with pytest.raises(ERRORS[case["error"]]) as refused:
                parse_board(case["text"])
            assert type(refused.value) is ERRORS[case["error"]], case["text"]
        else:
            assert format_board(parse_board(case["text"])) == case["board"]


@given(data=st.data(), width=st.integers(2, 10), height=st.integers(2, 10))
def test_parse_board_inverts_format_board(
    data: st.DataObject, width: int, height: int
) -> None:
    tiles = data.draw(st.permutations(range(width * height)))
    board = Board(Size(width, height), tiles)
    assert parse_board(format_board(board)) == board


def test_golden_slides_parse_and_format(golden: Golden) -> None:
    for case in golden["slide_texts"]:
        pairs = [tuple(slide) for slide in case["slides"]]
        assert format_slides(pairs) == case["text"]
        assert format_tokens(pairs) == case["tokens"]
        assert parse_slides(case["tokens"]) == pairs


def test_malformed_slide_texts_are_refused(golden: Golden) -> None:
    for case in golden["slide_readings"]:
        if "error" in case:
            with pytest.raises(BadNotation):
                parse_slides(case["text"])
        else:
            assert parse_slides(case["text"]) == [tuple(s) for s in case["slides"]]


def test_error_states_the_position() -> None:
    with pytest.raises(BadNotation, match=r"^no slide at character 5: 'X'$") as caught:
        parse_slides(" R2 XU")
    assert caught.value.position == 5


@given(slides=slides)
def test_parse_slides_inverts_format_tokens(slides: list[Slide]) -> None:
    assert parse_slides(format_tokens(slides)) == slides


@given(slides=slides)
def test_format_slides_merges_runs_and_keeps_every_tile(slides: list[Slide]) -> None:
    merged = parse_slides(format_slides(slides))
    assert spelled_out(merged) == spelled_out(slides)
    assert all(a[0] != b[0] for a, b in pairwise(merged))


def spelled_out(slides: list[Slide]) -> str:
    """Return one letter per tile."""
    return "".join(direction * count for direction, count in slides)


@given(text=st.text())
def test_any_text_is_parsed_or_an_engine_error(text: str) -> None:
    for parse in (parse_board, parse_slides, Size.parse):
        try:
            parse(text)
        except EngineError:
            continue
