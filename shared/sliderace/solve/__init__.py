"""Solve boards of any size in stages, as people do, and time each slide as people do.

The solver works row by row: it places one tile after another, and placed tiles stay
fixed; it places the last two tiles of a row or column together, and solves the last 3x3
as a whole. Each such *stage* is one small search, so that the time grows with the size
of the board and does not explode as in a search over whole boards. Solutions are not
the shortest ones.

>>> from sliderace.engine import parse_board
>>> solve(parse_board("1 2 3/4 5 6/7 0 8"))
[[('L', 1)]]

Bots play at a *level* from `newcomer` to `record`. `plan` finds a bot's own way, with
the detours and mistakes of its level, and `timing` says when it makes each slide. All
chance comes from the generator that they are given.
"""

from sliderace.solve.feel import FEELS, Feel, pace_of
from sliderace.solve.levels import (
    LEVELS,
    BadPace,
    Level,
    nearest_level,
    pace_range,
)
from sliderace.solve.planner import Chance, Plan, Stage, plan
from sliderace.solve.rhythm import timing, total_ms
from sliderace.solve.search import NodeCap
from sliderace.solve.solver import Unsolvable, solve

__all__ = [
    "FEELS",
    "LEVELS",
    "BadPace",
    "Chance",
    "Feel",
    "Level",
    "NodeCap",
    "Plan",
    "Stage",
    "Unsolvable",
    "nearest_level",
    "pace_of",
    "pace_range",
    "plan",
    "solve",
    "timing",
    "total_ms",
]
