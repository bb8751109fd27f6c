"""The sliding-tile puzzle: boards, slides, notation, metrics and scrambles.

`Board` and `Size` are the puzzle, `parse_board` and `format_slides` its notation,
`stm`, `mtm` and `progress_permille` its metrics, `scramble` and `commitment` scramble
v1.
Every error is an `EngineError`, which is a `ValueError`.
"""

from sliderace.engine.board import (
    BadBoard,
    BadNotation,
    BadSeed,
    BadSize,
    Board,
    EngineError,
    IllegalSlide,
    OffBoard,
    Position,
    Size,
    solvable,
)
from sliderace.engine.measures import mtm, progress_permille, stm
from sliderace.engine.moves import DIRECTIONS, OPPOSITE, Cell, Direction, Slide, Tile
from sliderace.engine.notation import (
    format_board,
    format_slides,
    format_tokens,
    parse_board,
    parse_slides,
)
from sliderace.engine.prng import Stream
from sliderace.engine.scramble import (
    commitment,
    nonce_commitment,
    random_scramble,
    scramble,
    seed_from_text,
    seed_of,
)

__all__ = [
    "DIRECTIONS",
    "OPPOSITE",
    "BadBoard",
    "BadNotation",
    "BadSeed",
    "BadSize",
    "Board",
    "Cell",
    "Direction",
    "EngineError",
    "IllegalSlide",
    "OffBoard",
    "Position",
    "Size",
    "Slide",
    "Stream",
    "Tile",
    "commitment",
    "format_board",
    "format_slides",
    "format_tokens",
    "mtm",
    "nonce_commitment",
    "parse_board",
    "parse_slides",
    "progress_permille",
    "random_scramble",
    "scramble",
    "seed_from_text",
    "seed_of",
    "solvable",
    "stm",
]
