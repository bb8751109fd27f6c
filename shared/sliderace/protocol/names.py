"""Nicknames: cleaned by the server and again by every client.

A cleaned name is one line of visible text of limited width. It cannot break a table,
and it cannot hide or imitate anything with invisible characters.
"""

import unicodedata
from collections.abc import Collection

from wcwidth import wcswidth, wcwidth

from sliderace.protocol.limits import MAX_NAME_CELLS

__all__ = ["cells", "clean_name", "make_unique", "same_name"]

MAX_MARKS = 2
"""Characters without a width per letter, such as combining marks: enough for names in
every living script, in NFC."""

_KEPT = frozenset("LMNPS")
"""Letters, marks, numbers, punctuation and symbols. This excludes control, format
(bidi, zero-width, tags), surrogate, private-use and unassigned characters."""

_INVISIBLE = frozenset(
    map(
        chr,
        [
            0x034F,  # combining grapheme joiner
            *range(0x115F, 0x1161),  # Hangul fillers
            *range(0x17B4, 0x17B6),  # Khmer inherent vowels
            *range(0x180B, 0x1810),  # Mongolian variation selectors
            0x2800,  # blank braille pattern
            0x3164,  # Hangul filler
            *range(0xFE00, 0xFE10),  # variation selectors
            0xFFA0,  # half-width Hangul filler
            *range(0xFFFC, 0xFFFE),  # replacement characters
            0x1D159,  # musical null note head
            *range(0xE0100, 0xE01F0),  # variation selectors supplement
        ],
    )
)
"""Characters that are invisible although their category is letter, mark or symbol."""


def clean_name(text: str) -> str | None:
    r"""Return `text` as a nickname that is safe to show; None if nothing is left.

    Cleaning a clean name does not change it.

    >>> clean_name("  Ann\t\u202eB  ")
    'Ann B'
    >>> clean_name("\u200b") is None
    True
    """
    spaced = "".join(" " if char.isspace() else char for char in text)
    kept = "".join(char for char in spaced if _is_kept(char))
    name = unicodedata.normalize("NFC", " ".join(kept.split()))
    return _fitted(name, MAX_NAME_CELLS) or None


def make_unique(name: str, taken: Collection[str]) -> str:
    """Return `name`, with a number if it looks like a name in `taken`.

    Args:
        name: a cleaned name.
        taken: the cleaned names in use.

    >>> make_unique("Ann", ["ann", "Ann 2"])
    'Ann 3'
    """
    keys = {_key(other) for other in taken}
    unique, number = name, 1
    while _key(unique) in keys:
        number += 1
        suffix = f" {number}"
        unique = _fitted(name, MAX_NAME_CELLS - len(suffix)) + suffix
    return unique


def same_name(one: str, other: str) -> bool:
    """Return whether two cleaned names look the same.

    >>> same_name("Ann", "ANN"), same_name("Ann", "Ann 2")
    (True, False)
    """
    return _key(one) == _key(other)


def cells(text: str) -> int:
    r"""Return the width of `text` in terminal cells; control characters have none.

    >>> cells("Ann"), cells("\u732b"), cells("e\u0301"), cells("\U0001f1eb\U0001f1ee")
    (3, 2, 1, 2)
    """
    if text.isascii() and text.isprintable():
        return len(text)
    width = wcswidth(text)
    return width if width >= 0 else sum(max(0, wcwidth(char)) for char in text)


def _is_kept(char: str) -> bool:
    if char in _INVISIBLE:
        return False
    return char == " " or unicodedata.category(char)[0] in _KEPT


def _fitted(name: str, width: int) -> str:
    """Return the longest prefix that fits, with at most `MAX_MARKS` per letter."""
    if name.isascii():
        return name[:width].strip()
    kept, used = "", 0
    marks = MAX_MARKS  # a mark needs a letter before it
    for char in name:
        if char == " " and not kept:
            continue  # the marks before it were dropped
        grown = cells(kept + char)
        if grown > width:
            break
        marks = marks + 1 if grown == used else 0
        if marks <= MAX_MARKS:
            kept, used = kept + char, grown
    return unicodedata.normalize("NFC", kept).strip()


def _key(name: str) -> str:
    """Return a key that is equal for names that differ only in case and width."""
    if name.isascii():  # fast, since a newcomer is compared with a whole large room
        return name.lower()
    return unicodedata.normalize("NFKC", name).casefold()
