"""What the engine and the solver cost: `python tests/bench/engine.py`.

Figures to look at, never a gate: machines differ. The best of several runs counts,
since everything else on the machine can only make a run slower.
"""

from collections.abc import Callable
from timeit import repeat
from typing import Any

from sliderace.engine import Board, Size, format_board, parse_board, scramble
from sliderace_client.solver import solve

ROUND = "f('D'); f('R'); f('U'); f('L')"
"""Four slides that end where they began."""
WHOLE = "f('D', k); f('R', k); f('U', k); f('L', k)"
REFUSED = "f('U'); f('L'); f('U'); f('L')"


def nanoseconds(code: str, names: dict[str, Any], per_run: int) -> float:
    """Best time of one of the `per_run` steps of `code`, in ns."""
    runs = 20_000
    return (
        min(repeat(code, globals=names, number=runs, repeat=7)) / runs / per_run * 1e9
    )


def microseconds(call: Callable[[], object], runs: int) -> float:
    """Best average time of a call, in us."""
    return min(repeat(call, number=runs, repeat=5)) / runs * 1e6


def bench(size: Size) -> None:
    """Print the figures of one size."""
    board = Board.solved(size)
    names = {"f": board.try_slide, "k": size.width - 1}
    print(f"{size}: validated slide          {nanoseconds(ROUND, names, 4):8.0f} ns")
    print(f"{size}: slide of a whole line    {nanoseconds(WHOLE, names, 4):8.0f} ns")
    print(f"{size}: refused slide            {nanoseconds(REFUSED, names, 4):8.0f} ns")
    seed = bytes(32)
    mixed = scramble(seed, size)
    text = format_board(mixed)
    tiles = mixed.tiles
    for what, call, runs in (
        ("scramble", lambda: scramble(seed, size), 200),
        ("new board", lambda: Board(size, tiles), 1000),
        ("copy", mixed.copy, 10_000),
        ("solvable", mixed.is_solvable, 1000),
        ("parse", lambda: parse_board(text), 1000),
        ("format", lambda: format_board(mixed), 1000),
        ("solve", lambda: solve(mixed), 3),
    ):
        print(f"{size}: {what:24} {microseconds(call, runs):8.2f} us")


if __name__ == "__main__":
    for side in (4, 10):
        bench(Size(side, side))
