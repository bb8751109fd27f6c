"""What `--trace` writes: one JSON object for each line that was typed."""

import json
from collections.abc import Sequence
from typing import Any

from sliderace.engine import format_board, format_tokens
from sliderace_client.line_ui.grammar import Move
from sliderace_client.line_ui.practice import Practice

__all__ = ["Trace", "of_game", "of_moves", "written"]

Trace = dict[str, Any]
"""``at`` (the question), ``input``, ``accepted``, ``why`` not, ``slides`` (field
notation), ``tile``, ``from`` and ``to`` (row and column, from 1) of the last slide,
``board`` after it, ``md``, ``time_ms``. What there is not is null."""


def of_game(game: Practice | None, now: int) -> Trace:
    """Board, distance and time; of no game: nothing."""
    if game is None:
        return {"board": None, "md": None, "time_ms": None}
    board = game.board
    return {"board": format_board(board), "md": board.md, "time_ms": game.clock(now)}


def of_moves(moves: Sequence[Move]) -> Trace:
    """The slides that were made, and the way of the last one's tile."""
    if not moves:
        return {"slides": None, "tile": None, "from": None, "to": None}
    last = moves[-1]
    return {
        "slides": format_tokens(move.slide for move in moves),
        "tile": last.tiles[0],
        "from": list(last.start),
        "to": list(last.end),
    }


def written(trace: Trace) -> str:
    """A trace as one line of JSON, in ASCII."""
    return json.dumps(trace, ensure_ascii=True)
