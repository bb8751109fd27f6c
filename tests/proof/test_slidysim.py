"""Links to slidysim's replay viewer: golden solves and the content of a link."""

import json
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from sliderace.engine import parse_board, parse_slides
from sliderace.proof.record import WrittenFinish, WrittenSlide
from sliderace.proof.slidysim import VIEWER, Solve, link_to, solve_of

VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "slidysim-v1.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text("utf-8"))["solves"]


def solved(case: dict[str, Any]) -> Solve:
    slides = tuple(WrittenSlide(*slide) for slide in case["slides"])
    finish = WrittenFinish(0, 0, 0, 0, 0, 0, 0, case["solve_ms"], photo=False)
    return solve_of(parse_board(case["board"]), slides, finish)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_golden_solves(case: dict[str, Any]) -> None:
    assert json.dumps(solved(case), separators=(",", ":")) == case["text"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_solve_ends_on_the_solved_board_with_a_time_per_tile(
    case: dict[str, Any],
) -> None:
    solution, _, scramble, times = solved(case)
    board = parse_board(scramble)
    tiles = 0
    for direction, count in parse_slides(solution):
        for _ in range(count):
            board.slide(direction)
            tiles += 1
    assert board.is_solved
    assert len(times) == tiles
    assert times == sorted(times)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_link_contains_the_solve_in_url_safe_form(
    case: dict[str, Any],
) -> None:
    link = link_to(solved(case))
    packed = link.removeprefix(VIEWER)
    assert packed != link
    assert not set(packed) & set("+/=&?# ")
    assert zlib.decompress(b64decode(unquote(packed))).decode() == case["text"]
