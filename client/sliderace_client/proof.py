"""Check what the server tells after a race against what it promised before."""

from sliderace.engine import (
    EngineError,
    Size,
    commitment,
    format_board,
    scramble,
    seed_of,
)
from sliderace.protocol.messages import Results

__all__ = ["faults"]


def faults(results: Results, size: str, promised: str, start: str | None) -> list[str]:
    """What does not hold, one sentence each; empty where everything does.

    Args:
        results: as told.
        size: the board size of the race's rules.
        promised: the commitment first shown for this race.
        start: the board that was raced on, where we saw it.
    """
    found: list[str] = []
    try:
        shape = Size.parse(size)
        seed = bytes.fromhex(results.seed)
        if format_board(scramble(seed, shape)) != results.board:
            found.append("The board is not the one of the seed.")
        if results.secret is not None:
            secret = bytes.fromhex(results.secret)
            if commitment(results.race, shape, secret) != promised:
                found.append("The secret is not the one the server was bound to.")
            if seed_of(results.race, shape, secret) != seed:
                found.append("The seed does not follow from the secret.")
    except (EngineError, ValueError):
        found.append("The seed or the secret cannot be read.")
    if start is not None and start != results.board:
        found.append("The board is not the one that was raced on.")
    return found
