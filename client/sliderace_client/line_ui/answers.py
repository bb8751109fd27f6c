"""Answers to questions: a size, yes or no; and how typed text is quoted."""

import re
from typing import Final, NamedTuple

from sliderace.engine import BadSize, Size
from sliderace.engine.board import MIN_SIDE
from sliderace.texts import text

__all__ = [
    "DEFAULT_SIZE",
    "Refusal",
    "puzzle",
    "quoted",
    "size_of",
    "size_of_flag",
    "size_question",
    "yes_or_no",
]

SIDES: Final = range(3, 11)
"""Sides offered in a question; the flag also accepts 2 and other shapes."""
DEFAULT_SIZE: Final = Size(4, 4)

_PUZZLE = re.compile(r"([0-9]{1,4})[ -]?puzzle")
_SIDES = re.compile(r"([0-9]{1,4})(?: ?[x*] ?([0-9]{1,4}))?")
_LONGEST = 24
"""Characters of typed text that are quoted."""


class Refusal(NamedTuple):
    """Why a typed line is refused.

    Attributes:
        why: one word, for programs.
        text: one line, for people.
    """

    why: str
    text: str


def quoted(typed: str) -> str:
    r"""Return typed text in quotes, escaped and shortened.

    >>> quoted("x\x1b[2J"), quoted("a" * 40)
    ("'x\\x1b[2J'", "'aaaaaaaaaaaaaaaaaaaaaaa...")
    """
    quote = ascii(typed[: _LONGEST + 1])
    return quote if len(quote) <= _LONGEST + 2 else f"{quote[:_LONGEST]}..."


def puzzle(size: Size) -> str:
    """Return a size as named by its number of tiles.

    >>> puzzle(Size(4, 4))
    '15-puzzle'
    """
    return text("size.puzzle", tiles=size.cells - 1)


def size_question() -> list[str]:
    """Return the sizes to choose from, in lines of less than 80 columns."""
    offered = [
        text("size.choice", side=side, puzzle=puzzle(Size(side, side)))
        for side in SIDES
    ]
    first, second = ", ".join(offered[:4]), ", ".join(offered[4:])
    return text("size.question", first=first, second=second).split("\n")


def _sides_of(typed: str) -> tuple[int, int] | None:
    """Return width and height of any value; width 0: no such puzzle; None: no size."""
    word = typed.strip().lower()
    if named := _PUZZLE.fullmatch(word):
        cells = int(named[1]) + 1
        side = next((n for n in range(cells + 1) if n * n >= cells), 0)
        return (side, side) if side * side == cells else (0, cells)
    if plain := _SIDES.fullmatch(word):
        return int(plain[1]), int(plain[2] or plain[1])
    return None


def size_of(typed: str) -> Size | Refusal:
    """Return the size that an answer means; an empty one means 4x4.

    >>> size_of("15-puzzle"), size_of("5"), size_of("2").why
    (Size(width=4, height=4), Size(width=5, height=5), 'size_too_small')
    """
    if not typed.strip():
        return DEFAULT_SIZE
    sides = _sides_of(typed)
    values: dict[str, object] = {
        "typed": quoted(typed.strip()),
        "first": SIDES[0],
        "last": SIDES[-1],
    }
    if sides is None:
        return Refusal("not_a_size", text("size.not_a_size", **values))
    width, height = sides
    if not width:
        return Refusal("no_such_puzzle", _no_such_puzzle(typed))
    if max(sides) > SIDES[-1]:
        return Refusal("size_too_large", text("size.too_large", **values))
    by_flag = min(sides) >= MIN_SIDE
    values |= {"flag": f"--size {width}x{height}"} if by_flag else {}
    if width != height:
        key = "size.not_square_flag" if by_flag else "size.not_square"
        return Refusal("not_square", text(key, **values))
    if width < SIDES[0]:
        key = "size.too_small_flag" if by_flag else "size.too_small"
        return Refusal("size_too_small", text(key, **values))
    return Size(*sides)


def _no_such_puzzle(typed: str) -> str:
    known = ", ".join(str(side * side - 1) for side in SIDES)
    return text("size.no_such_puzzle", typed=quoted(typed.strip()), known=known)


def size_of_flag(typed: str) -> Size | Refusal:
    """Return the size that a flag means: ``4``, ``4x4``, ``5x3``, ``15-puzzle``."""
    sides = _sides_of(typed)
    try:
        return Size(*sides or (0, 0))
    except BadSize:
        return Refusal("not_a_size", text("size.bad_flag", typed=quoted(typed)))


def yes_or_no(typed: str) -> bool | None:
    """Return whether the answer is yes; None if it is neither yes nor no.

    >>> yes_or_no(" Yes"), yes_or_no("n"), yes_or_no("maybe")
    (True, False, None)
    """
    answers = {"y": True, "yes": True, "n": False, "no": False}
    return answers.get(typed.strip().lower())
