"""Answers to questions: a size, yes or no; and how typed text is quoted."""

import re
from collections.abc import Sequence
from math import isqrt
from typing import Final, NamedTuple

from sliderace.engine import BadSize, Size
from sliderace.engine.board import MAX_SIDE, MIN_SIDE
from sliderace.protocol.messages import BotWanted, Series
from sliderace.race.series import FORMATS, Format
from sliderace.solve import FEELS, Feel
from sliderace.texts import text
from sliderace_client.room.server_bots import LEVELS

__all__ = [
    "DEFAULT_SIZE",
    "Refusal",
    "bots_of",
    "feel_of",
    "feel_question",
    "puzzle",
    "quoted",
    "series_of",
    "size_of",
    "size_or_default",
    "size_question",
    "yes_or_no",
]

DEFAULT_SIZE: Final = Size(4, 4)

_PUZZLE = re.compile(r"([0-9]{1,4})[ -]?puzzle")
_SIDES = re.compile(r"([0-9]{1,4})(?: ?[x*] ?([0-9]{1,4}))?")
_SECONDS = re.compile(r"[0-9]{1,5}(?:\.[0-9]{1,3})?")
_SERIES = re.compile("(open|mo3|ao5|ao12)|(first|points) ([0-9]{1,2})(?: ([12]))?")
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


def bots_of(words: Sequence[str]) -> list[BotWanted] | Refusal:
    """Return the bots that these words name: levels, or paces in seconds.

    >>> bots_of(["club", "12.5"]) == [BotWanted("club"), BotWanted(pace_ms=12_500)]
    True
    >>> bots_of(["none"])
    []
    """
    if [*words] == ["none"]:
        return []
    bots: list[BotWanted] = []
    for word in words:
        if word in LEVELS:
            bots.append(BotWanted(level=word))
        elif _SECONDS.fullmatch(word):
            bots.append(BotWanted(pace_ms=round(float(word) * 1_000)))
        else:
            return Refusal("no_level", text("bots.unknown", typed=quoted(word)))
    return bots or Refusal("no_bots", text("bots.how", levels=", ".join(LEVELS)))


def feel_question() -> list[str]:
    """Return the question how fast the user is, with its answers."""
    answers = [text(f"feel.{feel}") for feel in FEELS]
    lines = [f"  {number}  {words}" for number, words in enumerate(answers, 1)]
    return [text("feel.question"), *lines]


def feel_of(typed: str) -> Feel | Refusal:
    """Return the answer that a number means; an empty one is the first.

    >>> feel_of(""), feel_of(" 3 "), feel_of("5").why
    ('new', 'twenty', 'not_a_choice')
    """
    numbered = dict(zip("1234", FEELS, strict=True))
    word = typed.strip() or "1"
    if word in numbered:
        return numbered[word]
    return Refusal("not_a_choice", text("feel.wrong", typed=quoted(word)))


def series_of(words: Sequence[str]) -> Series | Refusal:
    """Return the series that these words name; the server checks its numbers.

    >>> series_of(["first", "3"]) == Series("first", 3)
    True
    >>> series_of(["ao5", "soon"]).why
    'no_series'
    """
    found = _SERIES.fullmatch(" ".join(words))
    if found is None:
        return Refusal("no_series", text("score.how"))
    plain, counted, n, by = found.groups()
    formats: dict[str, Format] = {one: one for one in FORMATS}
    return Series(formats[plain or counted], int(n or 0), int(by or 1))


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
        for side in range(MIN_SIDE + 1, MAX_SIDE + 1)
    ]
    first, second = ", ".join(offered[:4]), ", ".join(offered[4:])
    return text("size.question", first=first, second=second).split("\n")


def size_of(typed: str) -> Size | Refusal:
    """Return the size that a flag or an answer means.

    >>> size_of("15-puzzle"), size_of("5x3"), size_of("11").why
    (Size(width=4, height=4), Size(width=5, height=3), 'not_a_size')
    """
    word = typed.strip().lower()
    sides = 0, 0
    if named := _PUZZLE.fullmatch(word):
        side = isqrt(int(named[1]) + 1)
        if side * side != int(named[1]) + 1:
            known = ", ".join(str(n * n - 1) for n in range(MIN_SIDE, MAX_SIDE + 1))
            why = text("size.no_such_puzzle", typed=quoted(word), known=known)
            return Refusal("no_such_puzzle", why)
        sides = side, side
    elif plain := _SIDES.fullmatch(word):
        sides = int(plain[1]), int(plain[2] or plain[1])
    try:
        return Size(*sides)
    except BadSize:
        why = text("size.not_a_size", typed=quoted(typed.strip()))
        return Refusal("not_a_size", why)


def size_or_default(typed: str) -> Size | Refusal:
    """Return the size that an answer means; an empty one means 4x4."""
    return size_of(typed) if typed.strip() else DEFAULT_SIZE


def yes_or_no(typed: str) -> bool | None:
    """Return whether the answer is yes; None if it is neither yes nor no.

    >>> yes_or_no(" Yes"), yes_or_no("n"), yes_or_no("maybe")
    (True, False, None)
    """
    answers = {"y": True, "yes": True, "n": False, "no": False}
    return answers.get(typed.strip().lower())
