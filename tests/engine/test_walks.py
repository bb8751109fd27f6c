"""Long random walks, compared with a slow and simple reference model.

`python tests/engine/test_walks.py > shared/vectors/walks-v1.jsonl` writes the
golden file, without using the engine.
"""

import json
from itertools import pairwise
from random import Random
from typing import Any

from sliderace.engine import (
    Board,
    format_board,
    format_slides,
    format_tokens,
    mtm,
    parse_board,
    parse_slides,
    stm,
)

SHAPES = ((2, 2), (2, 3), (3, 2), (3, 3), (4, 4), (3, 5), (7, 4), (2, 10), (10, 10))
SLIDES = 60


class Grid:
    """The reference model: rows of labels; a slide moves one tile at a time."""

    def __init__(self, rows: list[list[int]]) -> None:
        self.rows = rows

    def find(self, label: int) -> tuple[int, int]:
        """Return row and column of a label."""
        return next(
            (y, row.index(label)) for y, row in enumerate(self.rows) if label in row
        )

    def push(self, direction: str) -> bool:
        """Move the tile that can move in this direction, if there is one."""
        y, x = self.find(0)
        for label in range(1, len(self.rows) * len(self.rows[0])):
            ty, tx = self.find(label)
            goes_to = {
                "U": (ty - 1, tx),
                "D": (ty + 1, tx),
                "L": (ty, tx - 1),
                "R": (ty, tx + 1),
            }[direction]
            if goes_to == (y, x):
                self.rows[y][x], self.rows[ty][tx] = label, 0
                return True
        return False

    def distance(self) -> int:
        """Return the Manhattan distance by its definition."""
        width = len(self.rows[0])
        total = 0
        for label in range(1, len(self.rows) * width):
            y, x = self.find(label)
            total += abs(y - (label - 1) // width) + abs(x - (label - 1) % width)
        return total

    def __str__(self) -> str:
        return "/".join(" ".join(str(label) for label in row) for row in self.rows)


def make_walk(width: int, height: int, random: Random) -> dict[str, Any]:
    """Return a random walk and its results; each step moves one or more tiles."""
    labels = list(range(width * height))
    random.shuffle(labels)
    grid = Grid([labels[y * width : (y + 1) * width] for y in range(height)])
    start = str(grid)
    slides: list[tuple[str, int]] = []
    distances: list[int] = []
    while len(slides) < SLIDES:
        direction, wanted = random.choice("UDLR"), random.choice((1, 1, 1, 2, 3, 9))
        count = 0
        while count < wanted and grid.push(direction):
            count += 1
        if count:
            slides.append((direction, count))
            distances.append(grid.distance())
    runs = 1 + sum(a[0] != b[0] for a, b in pairwise(slides))
    return {
        "width": width,
        "height": height,
        "start": start,
        "slides": "".join(f"{d}{k}" for d, k in slides),
        "md": distances,
        "stm": sum(count for _, count in slides),
        "mtm": runs,
        "end": str(grid),
    }


def test_walks_match_the_reference_model(walks: list[dict[str, Any]]) -> None:
    assert [(walk["width"], walk["height"]) for walk in walks] == list(SHAPES)
    for walk in walks:
        board = parse_board(walk["start"])
        assert board.size == (walk["width"], walk["height"])
        slides = parse_slides(walk["slides"])
        distances: list[int] = []
        for slide in slides:
            board.slide(*slide)
            distances.append(board.md)
        assert format_board(board) == walk["end"]
        assert distances == walk["md"]
        assert (stm(slides), mtm(slides)) == (walk["stm"], walk["mtm"])


def test_merged_runs_give_the_same_board(walks: list[dict[str, Any]]) -> None:
    for walk in walks:
        slides = parse_slides(walk["slides"])
        merged = parse_slides(format_slides(slides))
        assert len(merged) == walk["mtm"]
        assert parse_slides(format_tokens(slides)) == slides
        board: Board = parse_board(walk["start"])
        for slide in merged:
            board.slide(*slide)
        assert format_board(board) == walk["end"]


if __name__ == "__main__":
    source = Random(2)  # noqa: S311 - a test needs no secret
    for shape in SHAPES:
        print(json.dumps(make_walk(*shape, source)))
