"""Answers to questions: a size, yes or no; and how what was typed is shown again."""

import re
from typing import Final, NamedTuple

from sliderace.engine import BadSize, Size
from sliderace.engine.board import MIN_SIDE

__all__ = [
    "DEFAULT_SIZE",
    "SIDES",
    "Refusal",
    "label",
    "puzzle",
    "shown",
    "size_of",
    "size_of_flag",
    "yes_or_no",
]

SIDES: Final = range(3, 11)
"""Sides that are offered; a flag knows 2 and other shapes too."""
DEFAULT_SIZE: Final = Size(4, 4)

_PUZZLE = re.compile(r"([0-9]{1,4})[ -]?puzzle")
_SIDES = re.compile(r"([0-9]{1,4})(?: ?[x*] ?([0-9]{1,4}))?")
_LONGEST = 24
"""Of what was typed, so much is shown again."""


class Refusal(NamedTuple):
    """Why something that was typed cannot be done.

    Attributes:
        why: one word for programs.
        text: a kind line for people.
    """

    why: str
    text: str


def shown(text: str) -> str:
    r"""What was typed, quoted, harmless and short.

    >>> shown("x\x1b[2J"), shown("a" * 40)
    ("'x\\x1b[2J'", "'aaaaaaaaaaaaaaaaaaaaaaa...")
    """
    quoted = ascii(text[: _LONGEST + 1])
    return quoted if len(quoted) <= _LONGEST + 2 else f"{quoted[:_LONGEST]}..."


def puzzle(size: Size) -> str:
    """What a size is called by those who count tiles.

    >>> puzzle(Size(4, 4))
    '15-puzzle'
    """
    return f"{size.cells - 1}-puzzle"


def label(side: int) -> str:
    """A side, as the question offers it.

    >>> label(3)
    '3 (8-puzzle)'
    """
    return f"{side} ({puzzle(Size(side, side))})"


def _sides_of(text: str) -> tuple[int, int] | None:
    """Width and height as typed, of any value; None where it is no size at all."""
    word = text.strip().lower()
    if named := _PUZZLE.fullmatch(word):
        cells = int(named[1]) + 1
        side = next((n for n in range(cells + 1) if n * n >= cells), 0)
        return (side, side) if side * side == cells else (0, cells)
    if plain := _SIDES.fullmatch(word):
        return int(plain[1]), int(plain[2] or plain[1])
    return None


def size_of(text: str) -> Size | Refusal:
    """The size that is meant by an answer; an empty one is 4x4.

    >>> size_of("15-puzzle"), size_of("5"), size_of("2").why
    (Size(width=4, height=4), Size(width=5, height=5), 'size_too_small')
    """
    if not text.strip():
        return DEFAULT_SIZE
    sides = _sides_of(text)
    what = shown(text.strip())
    allowed = f"{SIDES[0]} to {SIDES[-1]} here, such as 4 or 4x4"
    if sides is None:
        return Refusal("not_a_size", f"{what} is not a size: {allowed}.")
    width, height = sides
    if not width:
        known = ", ".join(str(n * n - 1) for n in SIDES)
        return Refusal("no_such_puzzle", f"There is no {what}: there are {known}.")
    if max(sides) > SIDES[-1]:
        return Refusal("size_too_large", f"{what} is too large: {allowed}.")
    if width != height:
        return _by_flag("not_square", f"{what} is not square", sides, allowed)
    if width < SIDES[0]:
        return _by_flag("size_too_small", f"{what} is too small", sides, allowed)
    return Size(*sides)


def _by_flag(why: str, text: str, sides: tuple[int, int], allowed: str) -> Refusal:
    """A refusal of what a flag would take, if it would."""
    if min(sides) >= MIN_SIDE:
        flag = f"--size {sides[0]}x{sides[1]}"
        return Refusal(why, f"{text}: {allowed}; by flag {flag}.")
    return Refusal(why, f"{text}: {allowed}.")


def size_of_flag(text: str) -> Size:
    """The size that is meant by a flag: ``4``, ``4x4``, ``5x3``, ``15-puzzle``.

    Raises:
        BadSize: the text is no size, or a side is not 2 ... 10.
    """
    sides = _sides_of(text)
    if sides is None or not sides[0]:
        raise BadSize(f"a size is written like 4, 4x3 or 15-puzzle, not {shown(text)}")
    return Size(*sides)


def yes_or_no(text: str) -> bool | None:
    """A yes, a no, or neither.

    >>> yes_or_no(" Yes"), yes_or_no("n"), yes_or_no("maybe")
    (True, False, None)
    """
    return {"y": True, "yes": True, "n": False, "no": False}.get(text.strip().lower())
