"""Boards to practise on: of a seed, given in full, or shuffled a little."""

from collections import Counter
from dataclasses import dataclass

from sliderace.engine import (
    OPPOSITE,
    BadBoard,
    BadNotation,
    Board,
    EngineError,
    Size,
    Slide,
    Stream,
    format_board,
    parse_board,
    scramble,
    seed_from_text,
)
from sliderace_client.line_ui.answers import shown

__all__ = ["Origin", "given", "made", "shuffled"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a board comes from.

    Args:
        seed: any text, or 64 hex digits.
        shuffle: so many random moves from the solved board; 0: a fair scramble.
        board: the board itself; it wins over both.
    """

    seed: str = ""
    shuffle: int = 0
    board: Board | None = None

    @property
    def mark(self) -> str:
        """What makes it no ordinary scramble; empty where nothing does."""
        if self.board is not None:
            return "a given board"
        moves = "1 move" if self.shuffle == 1 else f"{self.shuffle} moves"
        return f"easy: {moves} from solved" if self.shuffle else ""

    def again(self, size: Size) -> str:
        """The command that gives this board again."""
        if self.board is not None:
            return f'sliderace solo --scramble "{format_board(self.board)}"'
        shuffle = f" --shuffle {self.shuffle}" if self.shuffle else ""
        return f"sliderace solo --size {size}{shuffle} --seed {_word(self.seed)}"


def _word(text: str) -> str:
    """A text as one word of a shell's command line."""
    if text.isascii() and text.isalnum():
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def made(origin: Origin, size: Size) -> Board:
    """The board that an origin stands for.

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
    """A board so many random moves away from the solved one, and never solved.

    No move takes back the one before it, unless the last one must.

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


def given(text: str) -> Board:
    """Read a board to be played, such as ``8 2 0/4 6 1/3 7 5``.

    Raises:
        EngineError: it cannot be played; says exactly why.
    """
    rows = [row.split() for row in text.strip().split("/")]
    for number, row in enumerate(rows, 1):
        _check_row(number, row, rows[0])
    try:
        board = parse_board("/".join(" ".join(row) for row in rows))
    except BadBoard:
        raise BadBoard(_misfits([int(word) for row in rows for word in row])) from None
    if board.is_solved:
        raise EngineError("this board is solved already")
    if not board.is_solvable():
        text = "this board cannot be solved: it is off by one exchange of two tiles"
        raise EngineError(f"{text} (exchange any two, such as 1 and 2, and it can)")
    return board


def _check_row(number: int, row: list[str], first: list[str]) -> None:
    for word in row:
        if not (word.isascii() and word.isdecimal() and len(word) <= 2):
            raise BadNotation(f"in row {number}, {shown(word)} is no number 0 to 99")
    if not row:
        raise BadNotation(f"row {number} is empty")
    if len(row) != len(first):
        text = f"row {number} has {len(row)} numbers, but row 1 has {len(first)}"
        raise BadNotation(text)


def _misfits(tiles: list[int]) -> str:
    """Which numbers are too many, and which are missing."""
    counts = Counter(tiles)
    twice = [str(tile) for tile in sorted(counts) if counts[tile] > 1]
    missing = [str(tile) for tile in range(len(tiles)) if tile not in counts]
    strange = [str(tile) for tile in sorted(counts) if tile >= len(tiles)]
    parts = [
        f"{what} {', '.join(numbers)}"
        for what, numbers in (
            ("more than once:", twice),
            ("too large:", strange),
            ("missing:", missing),
        )
        if numbers
    ]
    return f"each of 0 to {len(tiles) - 1} must be there once; " + "; ".join(parts)
