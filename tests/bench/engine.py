"""Measure the engine and the solver: `python -m tests.bench engine`.

The figure is the best of many short runs, since other load only makes runs slower.
"""

from collections.abc import Callable
from timeit import repeat
from typing import Any

from sliderace.engine import Board, Size, format_board, parse_board, scramble
from sliderace.solve import solve

ROUND = "f('D'); f('R'); f('U'); f('L')"
"""Four slides that lead back to the first board."""
WHOLE = "f('D', k); f('R', k); f('U', k); f('L', k)"
REFUSED = "f('U'); f('L'); f('U'); f('L')"
RUNS = 1_000
REPEATS = 200


def nanoseconds(code: str, names: dict[str, Any]) -> float:
    """Return the best time of one of the four steps of `code`, in ns."""
    best = min(repeat(code, globals=names, number=RUNS, repeat=REPEATS))
    return round(best / RUNS / 4 * 1e9)


def microseconds(call: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the best time of a call, in us."""
    return round(min(repeat(call, number=1, repeat=repeats)) * 1e6, 2)


def figures(size: Size) -> dict[str, float]:
    """Return the figures of one size."""
    board = Board.solved(size)
    names = {"f": board.try_slide, "k": size.width - 1}
    seed = bytes(32)
    mixed = scramble(seed, size)
    text, tiles = format_board(mixed), mixed.tiles
    return {
        "slide_ns": nanoseconds(ROUND, names),
        "slide_of_a_line_ns": nanoseconds(WHOLE, names),
        "refused_ns": nanoseconds(REFUSED, names),
        "scramble_us": microseconds(lambda: scramble(seed, size)),
        "new_board_us": microseconds(lambda: Board(size, tiles)),
        "copy_us": microseconds(mixed.copy),
        "solvable_us": microseconds(mixed.is_solvable),
        "parse_us": microseconds(lambda: parse_board(text)),
        "format_us": microseconds(lambda: format_board(mixed)),
        "solve_us": microseconds(lambda: solve(mixed), 3),
    }
