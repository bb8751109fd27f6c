"""Bring some tiles home, by one small search within the cells that are still free."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from heapq import heappop, heappush
from typing import NamedTuple, cast

from sliderace.engine import (
    DIRECTIONS,
    OPPOSITE,
    Board,
    Direction,
    EngineError,
    Size,
    Slide,
)
from sliderace.engine.moves import slide_paths

__all__ = [
    "NODE_CAP",
    "PAIR",
    "SALT_BITS",
    "NodeCap",
    "Taste",
    "bring_home",
    "roads",
    "stages_of",
]

NODE_CAP = 50_000
"""Positions that a stage may look at: nine times the most that 5,000 random boards
needed (5,565), and still only a fraction of a second."""


SALT_BITS = 53
"""Bits of a salt."""


class NodeCap(EngineError):
    """A stage needed more positions than allowed."""


class Taste(NamedTuple):
    """Which of the many ways to bring tiles home is taken.

    Attributes:
        tile: estimated cost, in slides, of one step of a tile. Above about five, the
            search takes the first way that it finds; near 1, the shortest.
        turn: cost of a change of direction, in slides.
        noise: how wrong the estimate is at most, in slides.
        salt: makes the noise differ between bots; odd.
    """

    tile: float
    turn: float = 0
    noise: float = 0
    salt: int = 0


def stages_of(
    size: Size, rest: int, at_once: int, prefers_rows: Callable[[int, int], bool]
) -> Iterator[list[int]]:
    """Yield the tiles to bring home together, stage after stage.

    The last two tiles of a row or column are always one stage, as they block each
    other.

    Args:
        size: the board's.
        rest: side of the last block, which is one stage; 2 or 3.
        at_once: how many of the other tiles of a row or column are one stage.
        prefers_rows: returns whether a row comes next, from the height and width that
            are left. It is called only if a column is possible, too.
    """
    top = left = 0
    while True:
        height, width = size.height - top, size.width - left
        rows, columns = range(top, size.height), range(left, size.width)
        if height > rest and (width <= rest or prefers_rows(height, width)):
            line = [top * size.width + column + 1 for column in columns]
            top += 1
        elif width > rest:
            line = [row * size.width + left + 1 for row in rows]
            left += 1
        else:
            break
        middle = len(line) - 2
        for first in range(0, middle, at_once):
            yield line[first : min(first + at_once, middle)]
        yield line[middle:]
    yield [row * size.width + column + 1 for row in rows for column in columns][:-1]


DIGIT = 7
"""Bits for the number of a cell."""
GRAIN = SALT_BITS - 1
"""Bits of a product of node and salt that depend on all of their bits."""
PAIR = 2
"""A stage with more tiles is the last block."""
Node = int
"""A node of the search: the cells of the gap and of each tile of the stage, as the
digits of one number. Tuples would make the search half as fast."""
Came = dict[Node, tuple[float, Node, str]]
"""Node -> its cost so far, the node before it, and the direction of the slide between
them, which is empty for the first node."""


def bring_home(
    board: Board,
    tiles: Sequence[int],
    free: Collection[int],
    taste: Taste,
    node_cap: int = NODE_CAP,
) -> list[Slide]:
    """Return slides of one tile that bring tiles home; by A*.

    Args:
        board: it is not changed.
        tiles: from `stages_of`.
        free: the cells whose tiles may move.
        taste: which way to take.
        node_cap: positions to look at.

    Raises:
        NodeCap: that many are not enough.
    """
    weight, turn, noise, salt = taste
    steps = _steps(board.size)
    homes = [tile - 1 for tile in tiles]
    shifts = [DIGIT * place for place in reversed(range(len(tiles)))]
    top = DIGIT * len(tiles)
    ways = [
        [(direction, cell) for direction, cell in from_gap if cell in free]
        for from_gap in roads(board.size)
    ]

    def strays(cells: Sequence[int]) -> list[int]:
        """Return where the gap is needed; in the last block it is always near."""
        if len(cells) > PAIR:
            return []
        return [cell for cell, home in zip(cells, homes, strict=True) if cell != home]

    cells: list[int] = [board.cell_of(tile) for tile in tiles]
    away = sum(steps[home][cell] for home, cell in zip(homes, cells, strict=True))
    start = board.gap << top
    for cell, shift in zip(cells, shifts, strict=True):
        start |= cell << shift
    came: Came = {start: (0, start, "")}
    queue: list[tuple[float, float, Node, int, list[int], list[int]]]
    queue = [(0, 0, start, away, cells, strays(cells))]
    for _ in range(node_cap):
        _, cost, node, away, cells, needs_gap = heappop(queue)
        if not away:
            return _trail(came, start, node)
        least, _, came_by = came[node]
        if cost > least:
            continue
        gap, back = node >> top, OPPOSITE.get(came_by)
        for direction, cell in ways[gap]:
            if direction == back:
                continue
            after_cost = cost + 1 if direction == came_by else cost + 1 + turn
            after = node + (cell - gap << top)
            tile = cells.index(cell) if cell in cells else None
            if tile is not None:
                after += gap - cell << shifts[tile]
            known = came.get(after)
            if known is not None and known[0] <= after_cost:
                continue
            came[after] = after_cost, node, direction
            after_away, after_cells, after_needs = away, cells, needs_gap
            if tile is not None:
                to_home = steps[homes[tile]]
                after_away += to_home[gap] - to_home[cell]
                after_cells = cells.copy()
                after_cells[tile] = gap
                after_needs = strays(after_cells)
            estimate = after_cost
            if after_away:
                estimate += weight * after_away
                if after_needs:
                    to_gap = steps[cell]
                    estimate += min([to_gap[each] for each in after_needs])
                if noise:
                    estimate += noise * (after * salt >> GRAIN & 1023) / 1023
            after_rest = after_away, after_cells, after_needs
            heappush(queue, (estimate, after_cost, after, *after_rest))
    raise NodeCap(f"no way for tiles {tiles} within {node_cap} positions")


def _trail(came: Came, start: Node, node: Node) -> list[Slide]:
    trail: list[Slide] = []
    while node != start:
        _, node, direction = came[node]
        trail.append((cast("Direction", direction), 1))
    return trail[::-1]


@cache
def _steps(size: Size) -> tuple[tuple[int, ...], ...]:
    """Return cell -> cell -> steps between them."""
    places = [divmod(cell, size.width) for cell in range(size.cells)]
    return tuple(
        tuple(abs(row - r) + abs(column - c) for r, c in places)
        for row, column in places
    )


@cache
def roads(size: Size) -> tuple[tuple[tuple[Direction, int], ...], ...]:
    """Return the gap's cell -> slides of one tile, each with the cell it leaves."""
    paths = slide_paths(*size)
    return tuple(
        tuple(
            (direction, paths[direction][gap][1][0])
            for direction in DIRECTIONS
            if paths[direction][gap]
        )
        for gap in range(size.cells)
    )
