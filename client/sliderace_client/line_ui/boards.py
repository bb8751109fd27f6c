"""Boards to practise on: from a seed, given in full, or shuffled a little."""

from collections import Counter
from dataclasses import dataclass

from sliderace.engine import (
    OPPOSITE,
    BadBoard,
    BadSize,
    Board,
    Size,
    Slide,
    Stream,
    format_board,
    parse_board,
    scramble,
    seed_from_text,
)
from sliderace.texts import text
from sliderace_client.line_ui.answers import Refusal, quoted

GAP = "."
"""How boards are shown; see `board_text`."""
__all__ = ["Origin", "board_from", "parse_given", "shuffled"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a board.

    Args:
        seed: any text, or 64 hex digits.
        shuffle: this many random moves from the solved board; 0: a fair scramble.
        board: the board itself; it wins over both.
    """

    seed: str = ""
    shuffle: int = 0
    board: Board | None = None

    @property
    def mark(self) -> str:
        """Why it is not an ordinary scramble; empty if it is one."""
        if self.board is not None:
            return text("solo.given")
        return text("solo.easy", count=self.shuffle) if self.shuffle else ""

    def command(self, size: Size) -> str:
        """Return the command that gives this board again."""
        if self.board is not None:
            return f'sliderace solo --scramble "{format_board(self.board)}"'
        shuffle = f" --shuffle {self.shuffle}" if self.shuffle else ""
        return f"sliderace solo --size {size}{shuffle} --seed {_word(self.seed)}"


def _word(seed: str) -> str:
    """Return a text as one word of a shell's command line."""
    if seed.isascii() and seed.isalnum():
        return seed
    return "'" + seed.replace("'", "'\\''") + "'"


def board_from(origin: Origin, size: Size) -> Board:
    """Return the board that an origin stands for.

    Raises:
        BadSeed: the seed is not valid text.
    """
    if origin.board is not None:
        return origin.board.copy()
    seed = seed_from_text(origin.seed)
    return (
        shuffled(seed, size, origin.shuffle) if origin.shuffle else scramble(seed, size)
    )


def shuffled(seed: bytes, size: Size, moves: int) -> Board:
    """Return a board this many random moves from the solved one, and never solved.

    No move undoes the one before it, unless the last one must.

    Args:
        seed: 32 bytes; the same ones give the same walk.
        size: width and height.
        moves: at least 1; each of one tile.
    """
    board, stream = Board.solved(size), Stream(seed)
    last = ""
    for left in range(moves, 0, -1):
        steps = [slide for slide in board.legal_slides() if slide[1] == 1]
        onward = [slide for slide in steps if slide[0] != last]
        if left == 1:
            away = [slide for slide in steps if not _solves(slide, board)]
            onward = [slide for slide in onward if slide in away] or away
        way, _ = onward[stream.below(len(onward))]
        board.slide(way)
        last = OPPOSITE[way]
    return board


def _solves(slide: Slide, board: Board) -> bool:
    ahead = board.copy()
    ahead.slide(*slide)
    return ahead.is_solved


def parse_given(typed: str) -> Board | Refusal:
    """Read a board to play, such as ``8 2 0/4 6 1/3 7 5``; a dot is the gap, too."""
    words = [row.split() for row in typed.strip().split("/")]
    rows = [["0" if word == GAP else word for word in row] for row in words]
    for number, row in enumerate(rows, 1):
        if why := _fault(number, row, rows[0]):
            return Refusal("bad_board", why)
    try:
        board = parse_board("/".join(" ".join(row) for row in rows))
    except BadSize:
        sides = {"rows": len(rows), "columns": len(rows[0])}
        return Refusal("bad_board", text("board.bad_size", **sides))
    except BadBoard:
        tiles = [int(word) for row in rows for word in row]
        return Refusal("bad_board", _misfits(tiles))
    if board.is_solved:
        return Refusal("bad_board", text("board.solved"))
    if not board.is_solvable():
        return Refusal("bad_board", text("board.unsolvable"))
    return board


def _fault(number: int, row: list[str], first: list[str]) -> str:
    """Say what is wrong with a row; empty: nothing."""
    for word in row:
        if not (word.isascii() and word.isdecimal() and len(word) <= 2):
            return text("board.no_number", row=number, typed=quoted(word))
    if not row:
        return text("board.empty_row", row=number)
    if len(row) != len(first):
        return text("board.uneven", row=number, count=len(row), first=len(first))
    return ""


def _misfits(tiles: list[int]) -> str:
    """Say which numbers are repeated, too large or missing."""
    counts = Counter(tiles)
    found = {
        "board.twice": [tile for tile in sorted(counts) if counts[tile] > 1],
        "board.too_large": [tile for tile in sorted(counts) if tile >= len(tiles)],
        "board.missing": [tile for tile in range(len(tiles)) if tile not in counts],
    }
    sentences = [
        text(key, numbers=", ".join(map(str, numbers)))
        for key, numbers in found.items()
        if numbers
    ]
    return " ".join([text("board.each_once", last=len(tiles) - 1), *sentences])
